"""Why a message arrives or does not: the lines that a verdict rests on, and the lines on which none does."""
