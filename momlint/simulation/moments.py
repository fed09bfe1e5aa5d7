"""Moments of a clock that are sums of decimals: what is to happen at 0.3 and at 0.1 + 0.2 happens at one moment."""

from __future__ import annotations

from math import inf, nextafter


def wait_until(now: float, moment: float) -> float:
    """How long it is from `now` until `moment`; 0 for what is over.

    A simulation adds what it waits to its clock, and the difference of two floats need not lead back. One float farther
    or nearer does, but where the sum is half way between two.
    """
    delay = max(moment - now, 0.0)
    if now + delay != moment and moment > now:
        nudged = nextafter(delay, inf if now + delay < moment else -inf)
        delay = nudged if now + nudged == moment else delay
    return delay
