"""Whether this process has come near the cap on its address space. Imports nothing of momlint.

Where memory ends, Python does not always say so: a library cannot be mapped (``ImportError``), a thread not started
(``RuntimeError``), the dictionary of an object not made (``AttributeError``). What fails near the cap is therefore
taken for a lack of memory, whatever it calls itself; with more of it, a fault of another kind shows itself again.
"""

from __future__ import annotations

import sys

#: Near: this share of the cap has been in use. One request for the rest of it may be what failed.
_NEAR = 0.6


def near_the_cap() -> bool:
    """Whether the peak of this process's address space is near its RLIMIT_AS.

    False where there is no cap, and on systems that do not tell the peak (all but Linux).
    """
    if sys.platform != "linux":
        return False
    import resource

    cap, _ = resource.getrlimit(resource.RLIMIT_AS)
    return cap != resource.RLIM_INFINITY and _peak() >= _NEAR * cap


def _peak() -> int:
    """Bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/status", "rb") as lines:
            for line in lines:
                if line.startswith(b"VmPeak:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass  # no /proc here: nothing is known
    return 0
