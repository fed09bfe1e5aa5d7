"""A picture of an estate as plain values: what is where, and what messages do. Knows nothing of any discipline.

Brokers, links, topics, states and pairs are known by their index in the picture's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.findings import Place

#: What becomes of a message: it arrives as usual, or by another way than usual, or not; or no path is left
#: by which it could; or it comes several times; or again and again.
Status: TypeAlias = Literal["ok", "moved", "lost", "cut", "many", "endless"]
#: A colour of the estate; a failure that it promises to survive; one that nobody speaks of.
StateKind: TypeAlias = Literal["colour", "promised", "supposed"]


class Spot(NamedTuple):
    """A broker in the drawing; `about`: its attributes in words; `at`: an index of `Places`."""

    id: str
    x: float
    y: float
    about: str
    at: int
    external: bool = False


class Cable(NamedTuple):
    """A link; `path`: how it is drawn, from `tail` to `head`, as the data of an SVG path."""

    id: str
    tail: int
    head: int
    one_way: bool
    path: str
    about: str
    at: int


class Subject(NamedTuple):
    """A topic, and the brokers that it is published and wanted at."""

    name: str
    publishers: tuple[int, ...]
    subscribers: tuple[int, ...]
    at: int


class State(NamedTuple):
    """What has failed, and what stands for it: `name` is that of the colour, or of what has failed.

    `lost`, of relayed overlays: who no longer gets what from whom, as (publisher's broker, subscriber's, what is
    wanted); None where it is told by the pairs. `is_open`: no walk was followed in it.
    """

    name: str
    kind: StateKind
    links: tuple[int, ...]
    brokers: tuple[int, ...]
    at: int = -1
    lost: tuple[tuple[int, int, str], ...] | None = None
    is_open: bool = False


class Way(NamedTuple):
    """What one message, or one copy of it, does.

    `stops`: the brokers in order; in a loop the first that comes again is the last. `cables`: the link of each hop, -1
    for none. `lines`: for each hop where it says so, as an index of `Places`, -1 for what was computed. `says`: how it
    ends. `refused`: the last hop is one that it could not take.
    """

    stops: tuple[int, ...]
    cables: tuple[int, ...]
    lines: tuple[int, ...]
    says: str
    arrives: bool
    refused: bool = False


class Fare(NamedTuple):
    """How a pair fares in a state: `ways` are indices of the picture's ways, one for each copy that is shown."""

    status: Status
    ways: tuple[int, ...]


@dataclass(slots=True)
class Pair:
    """Messages from one broker to another. `label`: what they are called, where that is not told by the brokers.

    `topics`: those that need them. `usual`: how they fare in the picture's first state; `others`: the states in which
    they fare otherwise, or go by another way or another line.
    """

    tail: int
    head: int
    label: str
    topics: tuple[int, ...]
    usual: Fare
    others: dict[int, Fare] = field(default_factory=dict)


@dataclass(slots=True)
class Picture:
    """All that is drawn of one estate.

    `width`, `height`: of the drawing. `needed`: whether a pair without topics is one that nobody needs. `notes`:
    sentences on what was left out.
    """

    name: str
    file: str
    kind: Literal["routed", "relayed", "sites", "none"]
    width: float = 0.0
    height: float = 0.0
    brokers: list[Spot] = field(default_factory=list)
    links: list[Cable] = field(default_factory=list)
    topics: list[Subject] = field(default_factory=list)
    states: list[State] = field(default_factory=list)
    ways: list[Way] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    needed: bool = False
    notes: list[str] = field(default_factory=list)
    _ways: dict[Way, int] = field(default_factory=dict)

    def way(self, way: Way) -> int:
        """The index of a way, which is kept once."""
        found = self._ways.get(way)
        if found is None:
            found = self._ways[way] = len(self.ways)
            self.ways.append(way)
        return found


class Sight(NamedTuple):
    """How an estate is looked at. `failure`: links and brokers (dense ids) that are to have a state.

    `most`: so many pairs times states are followed; of more the usual state and `failure` alone, None for as many as a
    page holds. `spots`: x and y of brokers that stand somewhere already. `before`: a picture of the same estate, whose
    usual walks are known.
    """

    failure: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    most: int | None = None
    spots: Mapping[str, tuple[float, float]] = MappingProxyType({})
    before: Picture | None = None


class Places:
    """Where things stand, each place once: `spots` are (file, line), 1-based."""

    def __init__(self) -> None:
        self.spots: list[tuple[str, int]] = []
        self._index: dict[tuple[str, int], int] = {}

    def of(self, loaded: LoadedEstate, place: Place | None) -> int:
        """The index of a place, -1 for none."""
        if place is None:
            return -1
        file, span, _ = loaded.locate(place)
        return self.at(file, span.start.line)

    def at(self, file: str, line: int) -> int:
        """The index of a line."""
        spot = (file, line)
        found = self._index.get(spot)
        if found is None:
            found = self._index[spot] = len(self.spots)
            self.spots.append(spot)
        return found
