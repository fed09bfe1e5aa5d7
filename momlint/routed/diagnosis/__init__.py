"""From what engines refute to root causes."""
