"""Worlds for tests of the recovery protocol: a few by hand, and small ones at random."""

from __future__ import annotations

from random import Random

from momlint.routed.flooding.world import BOUND, PROTOCOL, Bound, Element, Manners, World

PATH = ((0, 1), (1, 2))
TRIANGLE = ((0, 1), (0, 2), (1, 2))
SQUARE = ((0, 1), (1, 2), (2, 3), (0, 3))
COMPLETE = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))

#: What may be done wrongly, each by itself.
MUTATIONS = {
    "naive wrap": Manners(wrap="naive"),
    "no acknowledgement": Manners(acknowledge="never"),
    "only news acknowledged": Manners(acknowledge="new"),
    "acknowledgements not matched": Manners(matched=False),
    "no retransmission": Manners(retransmit=False),
    "the last notice, not the newest": Manners(newest=False),
    "dead links are told nothing later": Manners(keep=False),
}


def world(
    links: tuple[tuple[int, int], ...],
    manners: Manners = PROTOCOL,
    bound: Bound = BOUND,
    *,
    brokers: bool = False,
    failing: tuple[int, ...] | None = None,
    together: tuple[tuple[int, ...], ...] = (),
) -> World:
    """With a colour for each link, for each broker with `brokers`, and for links `together`; `failing`: the links."""
    n = max(map(max, links)) + 1
    elements = [Element(True, link) for link in (range(len(links)) if failing is None else failing)]
    downs = [frozenset[int](), *(frozenset({link}) for link in range(len(links))), *map(frozenset, together)]
    if brokers:
        elements += [Element(False, broker) for broker in range(n)]
        downs += [frozenset(link for link, ends in enumerate(links) if broker in ends) for broker in range(n)]
    return World(n, links, tuple(elements), tuple(downs), manners, bound)


def random_world(random: Random, failures: int) -> World:
    """Two or three brokers, perhaps with two links between a pair; any colours, any manners."""
    n = random.choice((2, 3, 3))
    links = [(0, 1)] + [(random.randrange(broker), broker) for broker in range(2, n)]
    if random.random() < 0.3:
        links.append(tuple(sorted(random.sample(range(n), 2))))  # type: ignore[arg-type]
    every = [Element(True, link) for link in range(len(links))] + [Element(False, broker) for broker in range(n)]
    elements = tuple(random.sample(every, random.choice((1, 2))))
    downs = {frozenset[int]()} | {
        frozenset(random.sample(range(len(links)), random.randint(1, len(links)))) for _ in range(3)
    }
    for element in elements:
        # Mostly what fails has a colour.
        if random.random() < 0.8:
            of = (
                {element.number}
                if element.is_link
                else {link for link, ends in enumerate(links) if element.number in ends}
            )
            downs.add(frozenset(of))
    order = sorted(downs, key=sorted)
    random.shuffle(order)
    manners = Manners() if random.random() < 0.2 else random.choice(list(MUTATIONS.values()))
    if manners not in (Manners(), Manners(wrap="naive"), Manners(keep=False)) and (
        len(links) >= n or len(elements) > 1
    ):
        failures = 1  # every order of every copy has to be gone through
    return World(
        n, tuple(links), elements, tuple(order), manners, Bound(failures=failures, losses=random.choice((0, 1)))
    )
