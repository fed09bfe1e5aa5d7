"""What the check of the recovery protocol reads, and the steps and stories that it speaks in.

The protocol is told in docs/simulation.md. `explore` and `smt` decide questions about a `World` and share nothing else;
`replay` follows what they find.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, Literal, NamedTuple, TypeAlias

from momlint.routed.recovery.colour_map import ColourMap

#: Sequence numbers go from 1 to this, and then from 1 again.
LARGEST: Final = 255


class Bound(NamedTuple):
    """What a check goes up to: brokers, failures and recoveries altogether, messages that are lost for no reason.

    What is on a link when that fails is lost besides. Where notices are sent again until they are acknowledged, any
    number of copies may be late or not come at all: only acknowledgements count then.
    """

    brokers: int = 4
    failures: int = 2
    losses: int = 1


class Manners(NamedTuple):
    """How brokers behave. The defaults are the protocol; the estate has a say in `wrap`, tests in all.

    `wrap`: how numbers are compared after the largest. `acknowledge`: each notice that comes, only new ones, or none.
    `matched`: an acknowledgement settles the notice of its number and no other. `retransmit`: a notice is sent again
    until it is acknowledged. `newest`: what is not newer is not believed. `keep`: what there is to tell over a link
    that is taken for dead is kept until that is alive again.
    """

    wrap: Literal["serial", "naive"] = "serial"
    acknowledge: Literal["always", "new", "never"] = "always"
    matched: bool = True
    retransmit: bool = True
    newest: bool = True
    keep: bool = True


#: The protocol, and how far it is looked at where nothing else is said.
PROTOCOL: Final = Manners()
BOUND: Final = Bound()


class Element(NamedTuple):
    """What may fail: a link, or a broker."""

    is_link: bool
    number: int


@dataclass(frozen=True)
class World:
    """Brokers from 0 to `n` - 1; the two ends of each link. `downs`: of each colour, the links that are dead in it.

    A port is an end of a link as a number: twice the link, and 1 more at its second end. What goes out of a port comes
    to the other one.
    """

    n: int
    links: tuple[tuple[int, int], ...]
    elements: tuple[Element, ...]
    downs: tuple[frozenset[int], ...]
    manners: Manners = PROTOCOL
    bound: Bound = BOUND

    @cached_property
    def colours(self) -> ColourMap:
        """The map of colours, which all brokers have."""
        return ColourMap(self.downs)

    @cached_property
    def own(self) -> tuple[frozenset[int], ...]:
        """The links of each broker."""
        return tuple(frozenset(link for link, ends in enumerate(self.links) if b in ends) for b in range(self.n))

    @cached_property
    def ports(self) -> tuple[tuple[int, ...], ...]:
        """The ports of each broker."""
        return tuple(
            tuple(2 * link + side for link, ends in enumerate(self.links) for side in (0, 1) if ends[side] == broker)
            for broker in range(self.n)
        )

    def end(self, port: int) -> int:
        """The broker of a port."""
        return self.links[port >> 1][port & 1]

    def told(self, broker: int, dead: frozenset[int]) -> frozenset[int]:
        """What others believe of the links of a broker that tells them which are dead: it goes by colours."""
        return self.downs[self.colours.telling(dead, self.own[broker])] & self.own[broker] if self.downs else dead

    def works(self, down: frozenset[Element]) -> tuple[bool, ...]:
        """Of each link, whether it carries anything while `down` have failed."""
        return tuple(
            Element(True, link) not in down and not any(Element(False, end) in down for end in ends)
            for link, ends in enumerate(self.links)
        )

    def sequences(self) -> list[tuple[Element, ...]]:
        """Whatever may fail and come back, one after the other: each time an element is named it changes."""
        return [
            sequence for count in range(1, self.bound.failures + 1) for sequence in product(self.elements, repeat=count)
        ]


#: strike: an element fails, or works again; notice: a broker takes the link of a port for dead, or for alive again,
#: and tells it; send: a copy goes out of a port (only where notices are sent again; else it does so by itself); arrive:
#: it comes to the other end; lose: it does not; answered: its acknowledgement comes back; unanswered: that is lost.
Kind: TypeAlias = Literal["strike", "notice", "send", "arrive", "lose", "answered", "unanswered"]


class Step(NamedTuple):
    """`port`: where a copy went out, also of its acknowledgement. `version`: which notice of `origin`, from 1."""

    kind: Kind
    port: int = -1
    origin: int = -1
    version: int = 0
    element: Element | None = None


#: colour: what has failed in the end has a colour, and connected brokers hold different ones, or another than that of
#: what of it they can know; waiting: an acknowledgement is waited for that never comes.
Fault: TypeAlias = Literal["colour", "waiting"]
FAULTS: Final[tuple[Fault, ...]] = ("colour", "waiting")


class Story(NamedTuple):
    """How it goes wrong. `numbers`: the number of each broker's last notice before it begins."""

    fault: Fault
    numbers: tuple[int, ...]
    steps: tuple[Step, ...]


#: Says that the time is over by raising what its owner catches.
Tick: TypeAlias = Callable[[], None]
