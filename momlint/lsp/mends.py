"""What ``momlint fix`` would change, for an editor to offer."""

from __future__ import annotations

from collections.abc import Mapping

from momlint.findings import Finding
from momlint.lint import Options, Unit
from momlint.mending.candidates import RELAYED_CODES
from momlint.mending.mend import Mending, remove_comment
from momlint.mending.routed import ROW_CODES
from momlint.records import dataclass
from momlint.source.patching import Patches, Unpatchable
from momlint.words import counted

#: What `Mending` looks at: rows, relayed overlays; and links twice, idle comments, failures, take-overs.
_MENDABLE = ROW_CODES | RELAYED_CODES | {"MOM105", "MOM109", "MOM402", "MOM409"}


@dataclass(frozen=True, slots=True)
class Mend:
    """`contents`: the files that change; `gone`: the findings that are mended; `title`: in a few words."""

    contents: Mapping[str, bytes]
    gone: tuple[Finding, ...]
    title: str


def mendable(finding: Finding) -> bool:
    """Whether a finding is of a kind that can be mended."""
    return finding.code in _MENDABLE


def mend_all(unit: Unit, options: Options, given: Mapping[str, bytes]) -> Mend:
    """What mends an estate, proved as ``momlint fix`` has it. `given`: what files hold that are open."""
    contents: dict[str, bytes] = {}
    gone: list[Finding] = []
    rows = 0
    for one in Mending(options, given).mend_unit(unit):
        contents.update(one.contents)
        gone += one.gone
        rows += one.rows
    by = f" by changing {counted(rows, 'row')}" if rows else ""
    return Mend(contents, tuple(gone), f"Mend {counted(len(gone), 'finding')}{by}")


def without_comment(finding: Finding, data: bytes, options: Options) -> bytes | None:
    """The file without what an unused suppression names; None where the finding is of another kind."""
    if finding.code != "MOM109" or "codes" not in finding.data:
        return None
    try:
        patches = Patches(data)
        remove_comment({name: code for code, name in options.names()}, patches, finding)
        return patches.made()
    except Unpatchable:
        return None


__all__ = ["Mend", "mend_all", "mendable", "without_comment"]
