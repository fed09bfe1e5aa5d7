"""From an overlay to NuSMV models, through the templates. jinja2 is imported on the first rendering."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from momlint.errors import UsageError
from momlint.rendering import template
from momlint.routed.overlay.moves import Moves, moves
from momlint.routed.smv.constants import Constants, comment, constants, one_of
from momlint.routed.smv.write import Writer, broker_instances, end_instances
from momlint.routed.specs.ends import End, ends_of
from momlint.routed.specs.formula import BrokerUp, Formula, VariableIn, atoms
from momlint.routed.specs.parse import parse
from momlint.routed.specs.properties import takeover_properties
from momlint.routed.specs.resolve import resolve
from momlint.routed.specs.syntax import FormulaError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.specs.vocabulary import Names

#: Branches of the papers' flat case that are still written; beyond that the text is of no use to anybody.
MAX_BRANCHES = 2_000_000
#: Super-paths are looked for in every colour where that is at most so many colours × brokers².
MAX_SUPER_PATH_WORK = 4_000_000


class OwnSpec(NamedTuple):
    """A specification of the estate: its name, if it has one, its logic and its text."""

    name: str | None
    logic: Literal["ctl", "ltl"]
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """``(source, dest)`` is asked to arrive in every colour but those of `exempt`, where an end has failed."""

    source: int
    dest: int
    exempt: tuple[int, ...] = ()


def render_overlay(
    overlay: Overlay,
    names: Names,
    *,
    literal: bool = False,
    all_pairs: bool = False,
    super_paths: NDArray[np.bool_] | None = None,
    loops: bool = True,
    specs: Sequence[OwnSpec] = (),
) -> str:
    """The walk of a message (thesis 5.2.6, paper 001), with ``colour`` where there are colours.

    Specifications: every needed pair arrives, for super-paths only unless `all_pairs`; no message comes back to a
    broker it has left, unless not `loops`; and those of `specs` that speak of this model. `super_paths`: bool[P] over
    the needed pairs, where the caller has them; they must hold for every colour. `literal`: the papers' shape, one
    flat case and all tables in full.

    Raises `UsageError` where the papers' shape would have more than `MAX_BRANCHES` branches.
    """
    model = Model(overlay, names)
    formulas, own = _own(specs, names, "overlay")
    writer = Writer(model.symbols, model.instances)
    atomic = [atom for formula in formulas for atom in atoms(formula)]
    mask = None if all_pairs else super_paths if super_paths is not None else super_paths_in_every_colour(overlay)
    arrivals = model.arrivals(mask)
    note = (
        ""
        if mask is None or bool(mask.all())
        else (f": {len(arrivals)} super-paths of {overlay.pair_source.size} pairs; the others are parts of their walks")
    )
    with_topics = any(isinstance(atom, VariableIn) and atom.variable == "topic" for atom in atomic)
    states = sorted({atom.broker for atom in atomic if isinstance(atom, BrokerUp)})
    return template("overlay.smv.j2").render(
        **model.common(),
        literal=literal,
        topics=_set(model.symbols.topics) if with_topics else "",
        topic_ends=[
            (
                symbol,
                one_of("src", [model.symbols.brokers[i] for i in ends.publishers]) if ends.publishers else "FALSE",
                one_of("dest", [model.symbols.brokers[i] for i in ends.subscribers]) if ends.subscribers else "FALSE",
            )
            for symbol, ends in zip(model.symbols.topics, names.topics, strict=True)
        ],
        broker_states=[(model.instances[b], model.down(b)) for b in states],
        branches=model.branches() if literal else (),
        columns=() if literal else model.columns(),
        needed=model.needed() if loops else (),
        note=note,
        arrivals=[model.arrival(one, literal=literal) for one in arrivals],
        loops=[
            f"{'needed' if literal else '(needed & loc = src)'} -> AG (loc = {b} -> AX (loc = {b} | AG loc != {b}))"
            for b in (model.symbols.brokers if loops and overlay.pair_source.size else ())
        ],
        own=[line(writer, "" if literal else "loc = src") for line in own],
    )


def render_addresses(overlay: Overlay, names: Names, *, all_pairs: bool = False) -> str:
    """The same with addresses for source and destination (thesis 5.2).

    Raises `UsageError` where a broker has no address of four numbers, or two have the same.
    """
    model = Model(overlay, names)
    addresses = _addresses(names)
    nowhere = "0" if "0" not in model.symbols.brokers else "nowhere"
    mask = None if all_pairs else super_paths_in_every_colour(overlay)
    arrivals = model.arrivals(mask)

    def spec(one: Arrival) -> str:
        parts = [f"s{i} = {part}" for i, part in enumerate(addresses[one.source])]
        parts += [f"d{i} = {part}" for i, part in enumerate(addresses[one.dest])]
        return f"({' & '.join(parts)} & loc = loc_src{model.exempt(one)}) -> AF (loc = loc_des)"

    return template("addresses.smv.j2").render(
        **model.common(),
        nowhere=nowhere,
        places=_set((*model.symbols.brokers, nowhere)),
        highest=[max(address[i] for address in addresses) for i in range(4)],
        addresses=list(zip(model.symbols.brokers, addresses, strict=True)),
        columns=model.columns(),
        note="" if mask is None or bool(mask.all()) else ": super-paths only",
        arrivals=[spec(one) for one in arrivals],
    )


class _EndView(NamedTuple):
    """What the template needs of an end node."""

    name: str
    role: str
    home: str
    adopter: str
    topic: str
    home_instance: str

    def next(self, broker: str) -> str:
        """The next value of ``…_broN`` in the papers' shape."""
        if self.adopter == self.home:
            return "TRUE" if broker == self.home else "FALSE"
        states = {self.home: f"{self.home_instance}.state", self.adopter: f"!{self.home_instance}.state"}
        return states.get(broker, "FALSE")


def render_takeover(names: Names, *, literal: bool = False, specs: Sequence[OwnSpec] = ()) -> str:
    """Who hangs on which broker when one fails (thesis 5.1), with the three properties for every broker.

    `specs`: those of them that speak of this model are added. `literal`: the papers' modules.
    """
    symbols = Constants.of(names)
    ends = ends_of(names)
    # The topics of two end nodes are compared as constants, and then NuSMV compares no number with a word.
    numbers = all(topic.isdecimal() for topic in constants(ends.topics, "topic"))
    topics = constants(ends.topics, "topic", numbers=numbers)
    if names.topics:
        symbols = dataclasses.replace(symbols, topics=topics)
    instances = broker_instances(names, symbols)
    # The constants of brokers and topics may be the same; the instances must differ from both.
    end_names = end_instances(ends, symbols, topics)
    writer = Writer(symbols, instances, ends, end_names, topics)
    nobody = "none" if "none" not in symbols.brokers else "nobody_has_failed"
    _, own = _own(specs, names, "takeover")

    def view(number: int, end: End) -> _EndView:
        return _EndView(
            end_names[number],
            end.role,
            symbols.brokers[end.home],
            symbols.brokers[end.adopter],
            topics[end.topic],
            instances[end.home],
        )

    headings = {
        "adopted": "After a failure, the end nodes of the failed broker hang on its adopter.",
        "matched": "Every publisher has a subscriber, and every subscriber a publisher.",
        "returned": "When the broker is back, its end nodes come back.",
    }
    properties = takeover_properties(names)
    groups = [
        (heading, [f"LTLSPEC {writer.write(p.formula)}" for p in properties if p.kind == kind])
        for kind, heading in headings.items()
    ]
    groups.append(("The estate's own specifications", [line(writer) for line in own]))
    return template("takeover.smv.j2").render(
        title=comment(names.title or "take-overs"),
        legend=symbols.legend(names),
        literal=literal,
        roles=sorted({end.role for end in ends.nodes}),
        brokers=symbols.brokers,
        broker_names=list(zip(instances, symbols.brokers, strict=True)),
        ends=[view(number, end) for number, end in enumerate(ends.nodes)],
        topics=_set(topics),
        several_topics=len(topics) > 1,
        places=_set((*symbols.brokers, *_padding(symbols))),
        symbolic_topics=", ".join(t for t in topics if not t.isdigit() and t not in symbols.brokers),
        failed=_set((nobody, *symbols.brokers)),
        nobody=nobody,
        couples=[(a, b) for i, a in enumerate(instances) for b in instances[i + 1 :]] if literal else (),
        groups=[group for group in groups if group[1]],
    )


def super_paths_in_every_colour(overlay: Overlay) -> NDArray[np.bool_] | None:
    """bool[P]: the needed pairs that are a super-path in some colour; a proof for them, in every colour, is one for
    all.

    None, for all pairs, where looking into every colour takes longer than it saves.
    """
    from momlint.routed.overlay.superpaths import super_paths

    if overlay.colours * overlay.n**2 > MAX_SUPER_PATH_WORK:
        return None
    mask = np.zeros(overlay.pair_source.size, bool)
    for colour in range(overlay.colours):
        mask |= super_paths(overlay, colour)
    return mask


class Model:
    """What the templates of the walk share."""

    def __init__(self, overlay: Overlay, names: Names) -> None:
        self.overlay = overlay
        self.names = names
        self.symbols = Constants.of(names, overlay.colours)
        self.instances = broker_instances(names, self.symbols)
        self.moves: Moves = moves(overlay)
        self.has_colours = overlay.colours > 1 or bool(names.colours)

    def common(self) -> dict[str, object]:
        """What every template of the walk begins with."""
        return {
            "title": comment(self.names.title or "the walk of a message"),
            "legend": self.symbols.legend(self.names),
            "failures": list(self.failures()),
            "brokers": self.places(),
            "colours": _set(self.symbols.colours) if self.has_colours else "",
            "padding": self.padding,
        }

    @property
    def padding(self) -> str:
        """The constant that stands beside the only broker, or nothing."""
        return "".join(_padding(self.symbols))

    def places(self) -> str:
        """The values of loc, src and dest."""
        return _set((*self.symbols.brokers, *_padding(self.symbols)))

    def failures(self) -> Iterator[str]:
        """A line for each colour: what has failed, as brokers and pairs of brokers."""
        if not self.has_colours:
            return
        overlay, brokers = self.overlay, self.symbols.brokers
        ends = [(0, 0)] * overlay.links
        for link, tail, head in zip(
            overlay.arc_link.tolist()[::-1],
            overlay.arc_tail.tolist()[::-1],
            overlay.arc_head.tolist()[::-1],
            strict=True,
        ):
            ends[link] = (tail, head)
        for colour, symbol in enumerate(self.symbols.colours):
            links = [ends[link] for link in np.flatnonzero(overlay.failed_link[colour]).tolist()]
            what = [f"the link {brokers[a]} - {brokers[b]}" for a, b in links]
            what += [f"broker {brokers[b]}" for b in np.flatnonzero(overlay.failed_broker[colour]).tolist()]
            yield f"colour {symbol}: failed: {', '.join(what)}" if what else f"colour {symbol}: nothing has failed"

    def down(self, broker: int) -> str:
        """The condition on colour under which a broker has failed."""
        failed = np.flatnonzero(self.overlay.failed_broker[:, broker]).tolist()
        if not failed:
            return "FALSE"
        return one_of("colour", [self.symbols.colours[c] for c in failed]) if self.has_colours else "TRUE"

    def columns(self) -> Iterator[tuple[str, list[tuple[str, str]], list[tuple[str, list[tuple[str, str]], str]]]]:
        """For each destination: places grouped by next hop, and the places where some colour differs."""
        n, brokers = self.moves.n, self.symbols.brokers
        keys = self.overlay.keys
        colours, cell = keys.colour_and_cell(self.moves.key)
        order = np.argsort(cell, kind="stable")
        which, hop = colours[order].tolist(), self.moves.next[order].tolist()
        firsts = np.searchsorted(cell[order], np.arange(keys.cells + 1)).tolist()
        for dest in range(n):
            base = self.moves.base[dest].tolist()
            groups: dict[int, list[str]] = {}
            places: list[tuple[str, list[tuple[str, str]], str]] = []
            for loc in range(n):
                start, end = firsts[keys.cell(dest, loc)], firsts[keys.cell(dest, loc) + 1]
                if start == end:
                    if base[loc] != loc:
                        groups.setdefault(base[loc], []).append(brokers[loc])
                    continue
                exceptions: dict[int, list[str]] = {}
                for i in range(start, end):
                    exceptions.setdefault(hop[i], []).append(self.symbols.colours[which[i]])
                listed = [(one_of("colour", cs), brokers[to]) for to, cs in exceptions.items()]
                places.append((brokers[loc], listed, brokers[base[loc]]))
            if groups or places:
                yield brokers[dest], [(one_of("loc", locs), brokers[to]) for to, locs in groups.items()], places

    def branches(self) -> Iterator[str]:
        """The papers' flat case: a branch for each destination, colour and place."""
        n, symbols = self.moves.n, self.symbols
        colours = self.moves.colours if self.has_colours else 1
        if colours * n * (n - 1) > MAX_BRANCHES:
            raise UsageError(
                f"the papers' literal shape would have {colours * n * (n - 1):,} branches here; leave --literal out"
            )
        for colour in range(colours):
            which = f" & colour = {symbols.colours[colour]}" if self.has_colours else ""
            for dest in range(n):
                column = self.moves.column(colour, dest).tolist()
                for loc in range(n):
                    if column[loc] != loc:
                        at, to = symbols.brokers[loc], symbols.brokers[dest]
                        yield f"loc = {at}{which} & dest = {to} : {symbols.brokers[column[loc]]};"

    def arrivals(self, mask: NDArray[np.bool_] | None) -> list[Arrival]:
        """The pairs that are asked to arrive, with the colours in which they are not."""
        overlay = self.overlay
        source, dest = overlay.pair_source, overlay.pair_dest
        if mask is not None:
            source, dest = source[mask], dest[mask]
        down = [np.flatnonzero(overlay.failed_broker[:, b]).tolist() for b in range(overlay.n)]
        return [
            Arrival(s, d, tuple(sorted({*down[s], *down[d]})))
            for s, d in zip(source.tolist(), dest.tolist(), strict=True)
        ]

    def exempt(self, one: Arrival) -> str:
        """`` & !(colour …)``, or nothing."""
        if not one.exempt:
            return ""
        if not self.has_colours:
            return " & FALSE"
        return f" & !({one_of('colour', [self.symbols.colours[c] for c in one.exempt])})"

    def one_of_colours(self, colours: Sequence[int]) -> str:
        """``colour = c``, or ``colour in {c, …}``."""
        return one_of("colour", [self.symbols.colours[c] for c in colours])

    def arrival(self, one: Arrival, *, literal: bool = False) -> str:
        """The specification that a message arrives (thesis 5-10)."""
        a, b = self.symbols.brokers[one.source], self.symbols.brokers[one.dest]
        goal = f"src = {a} & dest = {b} & loc = {b}" if literal else f"loc = {b}"
        return f"(src = {a} & dest = {b} & loc = {a}{self.exempt(one)}) -> AF ({goal})"

    def needed(self) -> list[tuple[str, str]]:
        """The needed pairs as branches: a condition on src, and one on dest."""
        n, brokers = self.moves.n, self.symbols.brokers
        source, dest = self.overlay.pair_source, self.overlay.pair_dest
        if source.size == n * (n - 1):
            return [("src != dest", "TRUE")]
        found: dict[int, list[str]] = {}
        for s, d in zip(source.tolist(), dest.tolist(), strict=True):
            found.setdefault(s, []).append(brokers[d])
        return [(f"src = {brokers[s]}", one_of("dest", dests)) for s, dests in found.items()]


class _Line(NamedTuple):
    """One specification of the estate: written, or why it is not."""

    heading: str
    keyword: str
    formula: Formula | None
    why: str = ""

    def __call__(self, writer: Writer, start: str = "") -> str:
        if self.formula is None:
            return f"-- {self.heading} is not rendered: {comment(self.why)}"
        text = writer.write(self.formula)
        return f"-- {self.heading}\n{self.keyword} {f'{start} -> ({text})' if start else text}"


def _own(
    specs: Sequence[OwnSpec], names: Names, model: Literal["overlay", "takeover"]
) -> tuple[list[Formula], list[_Line]]:
    formulas, lines = [], []
    for number, spec in enumerate(specs, 1):
        heading = comment(spec.name) if spec.name else f"specification {number}"
        try:
            formula, where = resolve(parse(spec.text, spec.logic), names)
        except FormulaError as error:
            # It speaks of no model, so it is said in the first.
            if model == "overlay":
                lines.append(_Line(heading, "", None, error.message))
            continue
        if where == model:
            formulas.append(formula)
            lines.append(_Line(heading, "SPEC" if spec.logic == "ctl" else "LTLSPEC", formula))
    return formulas, lines


def _addresses(names: Names) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for broker, address in zip(names.brokers, names.addresses, strict=True):
        parts = re.fullmatch(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})\.(\d{1,9})", address or "")
        if parts is None:
            what = f"has `{address}`" if address else "has none"
            raise UsageError(
                f"a model with addresses needs an address of four numbers for each broker; broker `{broker}` {what}"
            )
        numbers = tuple(map(int, parts.groups()))
        if numbers in found:
            other = names.brokers[found.index(numbers)]
            raise UsageError(
                f"a model with addresses needs distinct ones: brokers `{other}` and `{broker}` have {address}"
            )
        found.append(numbers)
    return found


def _padding(symbols: Constants) -> tuple[str, ...]:
    """A constant beside the only broker, where there is but one: NuSMV makes a constant of a variable with one
    value, and then refuses an assignment to it."""
    return constants(["elsewhere"], "no", symbols.brokers) if len(symbols.brokers) == 1 else ()


def _set(symbols: Sequence[str]) -> str:
    return "{" + ", ".join(symbols) + "}"
