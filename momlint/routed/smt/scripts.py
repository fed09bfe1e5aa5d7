"""From sections to SMT-LIB text, through the templates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint.records import dataclass
from momlint.rendering import template
from momlint.routed.smt.encode import Cuts, Walks, cuts, template_of, walks
from momlint.routed.smt.entries import Entries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.question import Question
    from momlint.routed.smt.cutsets import FailureScript


@dataclass(frozen=True, slots=True)
class Names:
    """What a script's comments call the brokers and colours; without names, their dense ids."""

    broker_names: Sequence[str] = ()
    colour_names: Sequence[str] = ()
    title: str = ""

    @property
    def brokers(self) -> list[tuple[int, str]]:
        """(dense id, name) of each broker that has a name."""
        return [(i, _comment(name)) for i, name in enumerate(self.broker_names)]

    def broker(self, broker: int) -> str:
        """The broker's name with its symbol's number."""
        return _comment(self.broker_names[broker]) if self.broker_names else f"b{broker}"

    def colour(self, colour: int) -> str:
        """The colour's name."""
        return f"colour {_comment(self.colour_names[colour]) if self.colour_names else colour}"

    def plain(self, colours: Sequence[int]) -> str:
        """All of these by name."""
        return ", ".join(self.colour(c) for c in colours)


def _comment(text: str) -> str:
    """`text` on one line and printable, so that it cannot end the comment it stands in."""
    return "".join(c if c.isprintable() else "�" for c in " ".join(text.split()))


def render(
    overlay: Overlay,
    question: Question,
    *,
    brokers: Sequence[str] = (),
    colours: Sequence[str] = (),
    title: str = "",
    cores: bool = True,
) -> str:
    """`question` as an SMT-LIB 2 script for any solver: a check-sat a destination, all unsat if it holds.

    `brokers`, `colours`: names by dense id, for the comments. `title`: what the script is about, one line.
    With `cores` the assertions that stand for table entries are named (``hop_2_to_5``, ``hop_2_to_5_in_3`` in
    colour 3, and ``link_2_4_to_5`` for ``connected``), so that an unsat core says which entries the proof
    rests on. A question that asks nothing gives a script without a check-sat. Raises `ValueError` for a
    question without its bound.
    """
    names = Names(brokers, colours, _comment(title) or "rendered from an overlay")
    script = template(template_of(question, overlay.n))
    about = cuts if question.kind == "connected" else walks
    sections = list(about(overlay, question, together=False))
    return script.render(sections=sections, brokers=range(overlay.n), names=names, named=cores)


def sections_of(overlay: Overlay, question: Question) -> Iterator[Entries | Walks | Cuts]:
    """What the scripts of a question are about that a solver reads, each of as much as pays in one."""
    if question.kind == "connected":
        yield from cuts(overlay, question)
        return
    for section in walks(overlay, question):
        yield Entries(section) if section.bound is None else section


def bare(n: int, section: Entries | Walks | Cuts) -> str:
    """The script of one section for a solver: no comments, no names. `n`: brokers."""
    if isinstance(section, Entries):
        return template("entries.smt2.j2").render(s=section)
    name = "cut.smt2.j2" if isinstance(section, Cuts) else "bounded.smt2.j2"
    return template(name).render(sections=(section,), brokers=range(n), names=None, named=False)


def failures(script: FailureScript, names: Names | None = None) -> str:
    """The script of ``failures.smt2.j2``; with `names` for people, without for a solver."""
    return template("failures.smt2.j2").render(s=script, names=names)
