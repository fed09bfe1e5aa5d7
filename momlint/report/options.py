"""What is handed in to a report besides the findings: its format, the threshold, what the rules say of themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, get_args

if TYPE_CHECKING:
    from momlint.findings import Severity

Format: TypeAlias = Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"]

#: The names of the formats, in the order in which help lists them.
FORMATS: tuple[Format, ...] = get_args(Format)

#: From which severity on findings make a run fail.
FailOn: TypeAlias = Literal["error", "warning", "note", "never"]

#: Whether the text report shows the notes of one rule in one block, or each by itself.
Notes: TypeAlias = Literal["brief", "full"]


class RuleInfo(Protocol):
    """What the SARIF report says about a rule; the catalogue's rules have all of it."""

    @property
    def code(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def severity(self) -> Severity: ...
    @property
    def family(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def remedy(self) -> str: ...
    @property
    def bad(self) -> str: ...
    @property
    def good(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def url(self) -> str: ...
