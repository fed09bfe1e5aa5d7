"""How a run ends: the exit codes of every command."""

from __future__ import annotations

#: Nothing at or above the threshold.
OK = 0
#: Findings at or above the threshold.
FINDINGS = 1
#: Wrong usage, an unreadable file, or a fault of momlint.
FAULT = 2
#: Something stayed undecided.
UNDECIDED = 3
#: Stopped from outside (Ctrl-C), as shells say it.
INTERRUPTED = 130
