"""Names that NuSMV can read: a broker keeps its own where that is legal, and gets one like it where not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from momlint.routed.specs.vocabulary import Names

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$#-]*")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")

#: Words of NuSMV 2.5 and 2.6, of nuXmv 2 and of PSL, which NuSMV reads too: none may name a constant.
_RESERVED = frozenset(
    re.findall(
        r"\S+",
        """
        MODULE DEFINE MDEFINE CONSTANTS VAR IVAR FROZENVAR INIT TRANS INVAR SPEC CTLSPEC LTLSPEC PSLSPEC COMPUTE NAME
        INVARSPEC FAIRNESS JUSTICE COMPASSION ISA ASSIGN CONSTRAINT SIMPWFF CTLWFF LTLWFF PSLWFF COMPWFF IN MIN MAX
        MIRROR PRED PREDICATES FUN ITYPE VALID GAME PLAYER_1 PLAYER_2 REACHTARGET AVOIDTARGET REACHDEADLOCK
        AVOIDDEADLOCK BUCHIGAME LTLGAME GENREACTIVITY PARSYNTH CONST READ WRITE CONSTARRAY URGENT process array of
        boolean integer real word word1 bool signed unsigned extend resize sizeof uwconst swconst clock time EX AX EF
        AF EG AG E F O G H X Y Z A U S V T BU EBF ABF EBG ABG W case esac mod next init union in xor xnor self TRUE
        FALSE count abs max min toint floor typeof noncontinuous pi exp sin cos tan ln pow asin acos atan to_int
        assert always never until until_ before before_ abort forall eventually next_a next_e next_event next_event_a
        next_event_e sequence property endpoint within whilenot assume restrict cover vunit vmode vprop default
        inherit main src dest loc colour topic failed needed broker publisher subscriber state
        """,
    )
)


def constants(names: Sequence[str], prefix: str, taken: Iterable[str] = (), *, numbers: bool = True) -> tuple[str, ...]:
    """A distinct legal constant for each of `names`: itself where NuSMV can read it, else ``prefix_…`` and what is
    legal of it, numbered where that is not distinct. `taken`: constants that none may be."""
    used = {name for name in names if _legal(name, numbers=numbers)} | set(taken)
    found: list[str] = []
    for name in names:
        if _legal(name, numbers=numbers) and name not in taken:
            found.append(name)
            continue
        stem = f"{prefix}_{re.sub(r'[^A-Za-z0-9]+', '_', name).strip('_') or 'x'}"
        one, number = stem, 2
        while one in used:
            one, number = f"{stem}_{number}", number + 1
        used.add(one)
        found.append(one)
    return tuple(found)


def _legal(name: str, *, numbers: bool) -> bool:
    if _NUMBER.fullmatch(name):
        return numbers
    # A trailing or doubled dash is legal and would read as the start of a comment to a person.
    return bool(_IDENTIFIER.fullmatch(name)) and name not in _RESERVED and "--" not in name and not name.endswith("-")


def comment(text: str) -> str:
    """`text` on one line and printable, so that it cannot end the comment it stands in."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in " ".join(text.split()))


@dataclass(frozen=True, slots=True)
class Constants:
    """The constants of one model, by dense id. `colours` has one for each of the overlay's colours."""

    brokers: tuple[str, ...]
    colours: tuple[str, ...]
    topics: tuple[str, ...]

    @classmethod
    def of(cls, names: Names, colours: int = 1) -> Constants:
        """Those for `names`; `colours`: of the overlay, for an estate that declares none."""
        return cls(
            constants(names.brokers, "broker"),
            constants(names.colours or tuple(str(i + 1) for i in range(colours)), "colour"),
            constants([topic.name for topic in names.topics], "topic"),
        )

    def legend(self, names: Names) -> list[tuple[str, str]]:
        """(constant, what it stands for) for each that is not called what it stands for."""
        pairs = [
            *((c, n, "broker") for c, n in zip(self.brokers, names.brokers, strict=True)),
            *((c, n, "colour") for c, n in zip(self.colours, names.colours, strict=False)),
            *((c, t.name, "topic") for c, t in zip(self.topics, names.topics, strict=True)),
        ]
        return [(c, f"{kind} {comment(n)}") for c, n, kind in pairs if c != n]


def one_of(variable: str, values: Sequence[str]) -> str:
    """``variable = v``, or ``variable in {v, …}``."""
    return f"{variable} = {values[0]}" if len(values) == 1 else f"{variable} in {{{', '.join(values)}}}"
