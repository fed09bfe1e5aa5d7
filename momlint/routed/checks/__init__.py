"""Checks: one file a check, named by what it finds; each has ``find(context) -> Iterator[Draft]``.

A check is a pure function: no files, no printing, no solver objects. What several checks need, the `Context` works
out once and only when the first of them asks, so a check that is not selected costs nothing.
"""
