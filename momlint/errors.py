"""The one exception tree. What the user wrote wrong is a finding; these are for everything else."""

from __future__ import annotations


class MomlintError(Exception):
    """The root of momlint's own exceptions; its text is one sentence for the user.

    `more`: lines that go with it.
    """

    def __init__(self, text: str = "", *more: str) -> None:
        super().__init__(text, *more)
        self.more = more

    def __str__(self) -> str:
        return str(self.args[0])


class UsageError(MomlintError):
    """The command line or the configuration asks for something that does not exist; exit code 2."""


class InternalError(MomlintError):
    """A fault of momlint itself; the text says how to report it; exit code 2."""


class ReplayError(InternalError):
    """An engine's refutation does not replay on the overlay; reported as MOM902 in place of the finding."""
