"""Failures on overlays under PCRT, OSPF and RRL: by hand where it can be counted, and against the static verdicts."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import networkx as nx
import pytest

from momlint.access import Access
from momlint.cli import main
from momlint.estate.opening import open_bytes
from momlint.simulation.faults import Element, Incident, read_faults
from momlint.simulation.moments import wait_until
from momlint.simulation.ospf import OspfRouter, computing_time
from momlint.simulation.overlays import Topology, shortest_hops, topology_of
from momlint.simulation.pcrt import LARGEST, PcrtRouter, is_newer
from momlint.simulation.recovering import PROTOCOLS, Recovery, RecoveryOutcome, recover
from momlint.simulation.rrl import layers_of
from tests.budget import ALL

ROOT = Path(__file__).parents[2]
SIX = ROOT / "examples" / "simulation" / "six-brokers.yaml"
SVG_TEXT = "{http://www.w3.org/2000/svg}text"
DETOUR = (0, 1, 5, 4, 2)


def topology(text: str | bytes) -> Topology:
    (loaded,) = open_bytes(text.encode() if isinstance(text, str) else text, "it.yaml", Access(None)).estates
    return topology_of(loaded, colours=True)


def six() -> Topology:
    return topology(SIX.read_bytes())


def runs(script: str, until: float, seeds: int, protocol: str) -> list[RecoveryOutcome]:
    of = six()
    faults, problems = read_faults(script, of.elements())
    assert not problems
    return [recover(of, protocol, faults, until, seed) for seed in range(seeds)]


def test_without_a_failure_every_packet_takes_two_hops() -> None:
    """A packet a unit, at 0 … 19; 1,000 bits at 10,000 a unit are 0.1 a hop; a heartbeat of 200 may go before it."""
    for protocol in PROTOCOLS:
        (outcome,) = runs("", 20.0, 1, protocol)
        # What is sent at 20.0 is not sent before the end.
        assert (outcome.sent, len(outcome.arrivals), outcome.under_way) == (20, 20, 0)
        assert outcome.path_hops == {2: 20}
        assert all(0.2 - 1e-9 <= one.latency <= 0.2 + 2 * 0.02 + 1e-9 for one in outcome.arrivals)
        assert sum(outcome.lost.values()) == outcome.false_alarms == 0


@pytest.mark.parametrize(
    ("script", "until", "fail", "heal"), [("paper", 80.0, 30.0, 60.0), ("thesis", 150.0, 50.0, 100.0)]
)
def test_the_documents_runs(script: str, until: float, fail: float, heal: float) -> None:
    """PCRT converges sooner than OSPF at the same detection time and loses fewer packets; the detour is 1-2-6-5-3."""
    text = (SIX.parent / f"{script}.txt").read_text(encoding="utf-8")
    for pcrt, ospf in zip(runs(text, until, 5, "pcrt"), runs(text, until, 5, "ospf"), strict=True):
        for outcome in (pcrt, ospf):
            down, up = outcome.converged
            assert (down.at, up.at) == (fail, heal)
            assert None not in (down.detected, down.all_agree, down.first_delivery, up.detected, up.first_delivery)
            assert 3.0 <= down.detected - fail <= 4.1  # dead after four heartbeats, the last up to one before
            paths = {
                path: [one.sent_at for one in outcome.arrivals if one.path == path] for path in ((0, 1, 2), DETOUR)
            }
            assert sum(map(len, paths.values())) == len(outcome.arrivals)
            assert fail < min(paths[DETOUR]) < max(paths[DETOUR]) < heal + 6
            assert outcome.arrivals[-1].path == (0, 1, 2)
            assert sum(outcome.lost.values()) == outcome.lost["dead_link"] == outcome.sent - len(outcome.arrivals)
        assert pcrt.converged[0].detected == ospf.converged[0].detected
        for of_pcrt, of_ospf in zip(pcrt.converged, ospf.converged, strict=True):
            assert of_pcrt.all_agree < of_ospf.all_agree
            assert of_pcrt.first_delivery <= of_ospf.first_delivery
        assert sum(pcrt.lost.values()) <= sum(ospf.lost.values())
    losses = {
        protocol: sum(sum(one.lost.values()) for one in runs(text, until, 20, protocol))
        for protocol in ("pcrt", "ospf")
    }
    assert losses["pcrt"] < losses["ospf"]


def test_layers_go_around_without_telling_anybody() -> None:
    for outcome in runs("at 30 fail 2--3\n", 80.0, 3, "rrl"):
        assert {one.path for one in outcome.arrivals} == {(0, 1, 2), DETOUR}
        assert outcome.control_bits == pytest.approx(80 * 14 * 200, rel=0.05)  # heartbeats, both ways of seven links


def test_the_time_of_the_computation() -> None:
    """24 nodes: 0.00142 + 0.02347 s; the documents say some 32 ms elsewhere for their router."""
    assert computing_time(24) == pytest.approx(0.02489, abs=1e-5)


def test_sequence_numbers_go_round() -> None:
    """After the largest comes 1; the naive form takes it for old."""
    assert is_newer(1, LARGEST, naive=False)
    assert not is_newer(LARGEST, 1, naive=False)
    assert not is_newer(1, LARGEST, naive=True)
    assert is_newer(7, 7 - 1, naive=False)
    assert not is_newer(7, 7, naive=False)
    assert not is_newer(6, 7, naive=False)


def alarms_and_delay(adaptive: bool, loss: float) -> tuple[int, list[float]]:
    """False alarms in 100 units without a failure, then how soon one is noticed; over ten seeds."""
    text = SIX.read_text(encoding="utf-8").replace("buffer: 10}", f"buffer: 10, loss: {loss}}}")
    text = text.replace("ack_timeout: 2}", f"ack_timeout: 2, adaptive: {'true' if adaptive else 'false'}}}")
    of = topology(text)
    faults, _ = read_faults("at 100 fail 2--3", of.elements())
    outcomes = [recover(of, "pcrt", faults, 130.0, seed) for seed in range(10)]
    delays = [one.converged[0].detected for one in outcomes]
    return sum(one.false_alarms for one in outcomes), [one - 100 for one in delays if one is not None]


def test_timers_that_adapt() -> None:
    """Sooner where nothing is lost, and no alarm; fewer alarms where much is."""
    alarms, fixed = alarms_and_delay(False, 0.0)
    adaptive_alarms, adaptive = alarms_and_delay(True, 0.0)
    assert alarms == adaptive_alarms == 0
    assert max(adaptive) < min(fixed)
    # Two heartbeats after the last one, which came up to one before the failure.
    assert all(1.0 <= delay <= 2.1 for delay in adaptive)
    assert alarms_and_delay(True, 0.2)[0] < alarms_and_delay(False, 0.2)[0] / 2


@pytest.mark.parametrize(("wrap", "unknown"), [("serial", []), ("naive", [255, 257, 259])])
def test_after_the_largest_sequence_number(wrap: str, unknown: list[int]) -> None:
    """A link fails and heals by turns. Numbers start at 1, so the 254th change has 255, and the next one begins anew.

    Taken for what it is, all brokers agree after each change. Naively, the others take 1 for older than 255, and never
    hear of a failure again; what heals is nothing that they knew of.
    """
    text = SIX.read_text(encoding="utf-8").replace("ack_timeout: 2}", f"ack_timeout: 2, wrap: {wrap}}}")
    faults = [Incident(10.0 * n, n % 2 == 1, Element(True, 1), "2--3", n) for n in range(1, 261)]
    outcome = recover(topology(text), "pcrt", faults, 2610.0, 0)
    assert [n for n, one in enumerate(outcome.converged, 1) if one.all_agree is None] == unknown


def random_estate(seed: int) -> tuple[str, list[tuple[int, int, int]]]:
    """A connected overlay of 4 to 8 brokers, with costs, all pairs needed; its links."""
    random = Random(seed)
    n = random.randint(4, 8)
    links = [(random.randrange(one), one) for one in range(1, n)]
    links += [(a, b) for a in range(n) for b in range(a + 1, n) if (a, b) not in links and random.random() < 0.3]
    costed = [(a, b, random.choice([1, 1, 2, 3])) for a, b in links]
    lines = ["momlint: 1", f"brokers: {{{', '.join(f'b{one}: ' for one in range(n))}}}", "links:"]
    lines += [f"  - {{between: [b{a}, b{b}], cost: {cost}}}" for a, b, cost in costed]
    every = ", ".join(f"b{one}" for one in range(n))
    lines += [f"topics: {{t: {{publishers: [{every}], subscribers: [{every}]}}}}"]
    lines += ["failures: {tolerate: {links: 1}}"]
    lines += [
        "simulation: {unit: s, links: {rate_bits: 1000000}, traffic: [{topic: t, interval: 2, packet_bits: 100}]}"
    ]
    return "\n".join(lines) + "\n", costed


@pytest.mark.parametrize("first", range(0, 200 if ALL else 20, 20))
def test_once_settled_every_path_is_the_tables_walk(first: int) -> None:
    """On random estates, a random link fails and heals: in between and after, PCRT's packets take the planned walk.

    The plan's next hops are walked here; networkx says that they are cheapest. OSPF's paths, computed by the routers
    themselves, are the same: both break ties by the order of the brokers.
    """
    for seed in range(first, first + 20):
        text, costed = random_estate(seed)
        of = topology(text)
        link = Random(seed).randrange(len(costed))
        faults = [
            Incident(20.0, True, Element(True, link), "it", 1),
            Incident(60.0, False, Element(True, link), "it", 2),
        ]
        # Settled: ten after the fault it is known everywhere, and a packet sent then arrives before the next one.
        for protocol in ("pcrt", "ospf"):
            outcome = recover(of, protocol, faults, 100.0, seed)
            for begin, end, down in ((0.0, 19.0, None), (32.0, 59.0, link), (72.0, 99.0, None)):
                graph = nx.Graph()
                graph.add_nodes_from(range(of.n))
                kept = [one for number, one in enumerate(costed) if number != down]
                graph.add_weighted_edges_from(kept)
                colour = next(one for one in of.colours if one.down == (frozenset() if down is None else {down}))
                settled = [one for one in outcome.arrivals if begin <= one.sent_at <= end]
                pairs = {(one.path[0], one.path[-1]) for one in settled}
                reachable = {(a, b) for a in graph for b in nx.node_connected_component(graph, a) if a != b}
                assert pairs == reachable
                for path in {one.path for one in settled}:
                    walk = [path[0]]
                    while walk[-1] != path[-1]:
                        walk.append(colour.hops[path[-1]][walk[-1]])
                    assert tuple(walk) == path
                    cost = sum(graph.edges[one, other]["weight"] for one, other in pairwise(path))
                    assert cost == nx.dijkstra_path_length(graph, path[0], path[-1])


@pytest.mark.parametrize("seed", range(30 if ALL else 10))
def test_everybody_agrees_in_the_end(seed: int) -> None:
    """After several links and brokers failed and healed at odd times, on links that lose every tenth packet."""
    text, costed = random_estate(seed)
    of = topology(text.replace("rate_bits: 1000000", "rate_bits: 1000000, loss: 0.1"))
    random = Random(seed)
    faults = []
    for element in random.sample([*(Element(True, n) for n in range(len(costed))), Element(False, 0)], 3):
        begin = round(random.uniform(5, 30), 2)
        faults.append(Incident(begin, True, element, "it", 1))
        faults.append(Incident(begin + round(random.uniform(0.5, 20), 2), False, element, "it", 1))
    faults.sort(key=lambda fault: fault.at)
    running = Recovery(of, "pcrt", faults, seed)
    # Silence makes false alarms on such links, and what is lost is sent again: look until nobody errs.
    for until in range(90, 400, 5):
        running.run(float(until))
        routers = [router for router in running.routers if isinstance(router, PcrtRouter)]
        if all(router.view() == frozenset() and router.colour == 0 for router in routers):
            return
    pytest.fail(f"they still disagree: {[(r.me, r.view(), r.colour) for r in routers]}")


def test_shortest_hops_are_the_overlays() -> None:
    """The routers' own computation against the planner's, with every link failed once."""
    for seed in range(20):
        of = topology(random_estate(seed)[0])
        for colour in of.colours:
            assert shortest_hops(of, colour.down) == colour.hops


def test_layers_protect_what_does_not_cut() -> None:
    """In its layer, nothing goes over a safe link, nor through a safe broker, and everybody reaches everybody."""
    for seed in range(20):
        text, costed = random_estate(seed)
        of = topology(text)
        layers = layers_of(of, 6)
        graph = nx.Graph((a, b) for a, b, _ in costed)
        cuts = set(nx.articulation_points(graph))
        assert not any(layers.broker[one] for one in cuts)
        bridges = set(map(frozenset, nx.bridges(graph)))
        assert not any(layers.link[n] for n, (a, b, _) in enumerate(costed) if {a, b} in bridges)
        for layer in range(1, 7):
            safe = {one for one in range(of.n) if layers.broker[one] == layer}
            without = {frozenset(costed[n][:2]) for n in range(len(costed)) if layers.link[n] == layer}
            for source in range(of.n):
                for dest in set(range(of.n)) - {source}:
                    walk = [source]
                    while walk[-1] != dest:
                        walk.append(layers.hops[layer][dest][walk[-1]])
                        assert len(walk) <= of.n
                    assert not safe & set(walk[1:-1])
                    assert not without & set(map(frozenset, pairwise(walk)))


def test_a_full_queue_loses_packets() -> None:
    """Twice what a link can carry: about half is lost, ten wait, and who waits longest waits for those ten."""
    text = SIX.read_text(encoding="utf-8").replace("interval: 1}", "interval: 0.05}")
    outcome = recover(topology(text), "ospf", [], 50.0, 0)
    assert 0.45 < outcome.lost["queue"] / outcome.sent < 0.55
    # On each of the two links, ten packets and one that is being sent may be before it, and hellos.
    assert 1.0 < max(one.latency for one in outcome.arrivals) < 2.5


def test_a_broker_fails() -> None:
    """Without a colour for it, PCRT ends in the nearest one; OSPF goes around; what 2 had is lost."""
    of = six()
    fault = Incident(20.0, True, Element(False, 1), "2", 1)
    running = Recovery(of, "ospf", [fault], 0)
    outcome = running.run(60.0)
    assert outcome.lost["no_route"] > 0  # 1 and 4 have no other way
    routers = [one for one in running.routers if isinstance(one, OspfRouter) and one.alive]
    assert {one.installed & frozenset(of.links_of(0) + of.links_of(3)) for one in routers if one.me in (0, 3)} == {
        frozenset({0, 6})
    }


@pytest.mark.parametrize("script", ["paper", pytest.param("thesis", marks=pytest.mark.slow)])
def test_the_command(script: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    arguments = ["simulate", str(SIX), "--failures", str(SIX.parent / f"{script}.txt"), "--until", "80"]
    assert main([*arguments, "-f", "json"]) == 0
    text = capsys.readouterr().out
    protocols = json.loads(text)["protocols"]
    assert list(protocols) == ["pcrt", "ospf", "rrl"]
    for found in protocols.values():
        assert found["sent"] == 80
        assert found["received"] + sum(found["lost"].values()) + found["under_way"] == 80
        assert set(found["latency"]) == {"median", "p99", "max"}
        assert len(found["series"]) == found["received"] == sum(found["path_hops"].values())
        assert found["control_bits"] > 0
    assert main([*arguments, "-f", "json"]) == 0
    assert capsys.readouterr().out == text
    plot = tmp_path / "plot.svg"
    assert main([*arguments, "--plot", str(plot)]) == 0
    shown = capsys.readouterr().out
    assert "fail 2--3" in shown
    words = {"".join(one.itertext()).strip() for one in ElementTree.parse(plot).getroot().iter(SVG_TEXT)}
    assert {"sent at", "latency; crosses: lost", "fail 2--3", "load of the busiest links, %", "1->2", "6->5"} <= words
    assert main([*arguments, "--protocol", "rrl,pcrt", "--runs", "3", "-f", "json", "--jobs", "2"]) == 0
    spread = json.loads(capsys.readouterr().out)["protocols"]
    assert list(spread) == ["rrl", "pcrt"]
    assert spread["pcrt"]["runs"] == 3
    assert set(spread["pcrt"]["lost"]["dead_link"]) == {"least", "median", "most"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--failures", "x.txt", "--script", "y.txt"], "--script and --failures: choose one"),
        (["--failures", "x.txt", "--protocol", "rip"], "--protocol: there is no protocol `rip`"),
        (["--failures", "x.txt", "--until", "0"], "--until"),
        (["--failures", "x.txt", "--all"], "--policy, --all and --log go with --script"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", str(SIX), *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("topic: data, packet_bits", "topic: dada, packet_bits", "this estate has errors; `momlint check` shows them"),
        ("{between: [1, 2]}", "{from: 1, to: 2}", "link 1->2 goes one way"),
        ("  traffic:\n    - {topic: data, packet_bits: 1000, interval: 1}\n", "", "nothing is sent"),
    ],
)
def test_an_estate_that_cannot_run(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SIX.read_text(encoding="utf-8")
    assert text.count(old) == 1
    estate = tmp_path / "estate.yaml"
    estate.write_text(text.replace(old, new))
    script = str(SIX.parent / "paper.txt")
    assert main(["simulate", str(estate), "--failures", script]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        (
            "heartbeat: 1",
            "heartbeat: 0",
            "24:21",
            "`heartbeat` of `pcrt` of `simulation` takes a number above 0, not `0`",
        ),
        ("spf_hold: 1", "spf_holdd: 1", "25:", "unknown field `spf_holdd`"),
        ("layers: 3", "layers: many", "26:", "takes a whole number from 1 to 64"),
        ("unit: s", "unit: h", "20:", "takes ms or s"),
        (
            "topic: data, packet_bits",
            "topic: dada, packet_bits",
            "23:15",
            "MOM102 error topic `dada` is not declared; did you mean `data`?",
        ),
    ],
)
def test_a_faulty_section_is_a_finding(
    old: str, new: str, place: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    estate = tmp_path / "estate.yaml"
    estate.write_text(SIX.read_text(encoding="utf-8").replace(old, new))
    assert main(["check", str(estate), "-f", "concise"]) == 1
    printed = capsys.readouterr().out
    assert message in printed
    assert f"{estate}:{place}" in printed


def test_the_section_is_declared_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "topology.yaml", tmp_path / "more.yaml"
    first.write_text(f"include: [more.yaml]\n{SIX.read_text(encoding='utf-8')}")
    second.write_text("simulation: {unit: ms}\n")
    assert main(["check", str(first), "-f", "concise"]) == 1
    printed = capsys.readouterr().out
    assert f"{second}:1:1: MOM103 error `simulation` is declared twice; the first declaration counts" in printed


@pytest.mark.parametrize(
    "beside",
    [
        "include: [more.yaml]\n",
        "topics: {dato: 7}\n",
        "routing: {protocol: relay}\n",
    ],
)
def test_a_topic_may_be_in_what_is_not_read(beside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file is broken, a topic is no topic, or messages are relayed: nothing is said of what is sent."""
    estate = tmp_path / "topology.yaml"
    (tmp_path / "more.yaml").write_text("topics: {data: [\n")
    estate.write_text(
        "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\nsimulation: {traffic: [{topic: data}]}\n" + beside
    )
    main(["check", str(estate), "-f", "concise"])
    assert "topic `data`" not in capsys.readouterr().out


def test_each_of_several_failures_has_times_of_its_own() -> None:
    """As if it were alone: what a broker notices of its own link depends on no other one."""
    of = six()
    two = Incident(20.0, True, of.elements()["2--3"], "2--3", 1)
    four = Incident(20.5, True, of.elements()["1--4"], "1--4", 2)
    for protocol in PROTOCOLS:
        both = recover(of, protocol, [two, four], 60.0, 1).converged
        for one, fault in zip(both, (two, four), strict=True):
            (alone,) = recover(of, protocol, [fault], 60.0, 1).converged
            assert one.event == alone.event
            assert one.detected == pytest.approx(alone.detected, abs=0.1)
            # The routers of OSPF wait between two computations.
            assert one.all_agree == pytest.approx(alone.all_agree, abs=0.3 if protocol != "ospf" else 1.1)
            assert (one.first_delivery is None) == (alone.first_delivery is None)


def test_what_another_fault_undoes_has_no_times() -> None:
    """Healed a unit later, after no more than two heartbeats: nobody has noticed, and all are right again at once."""
    of = six()
    link = of.elements()["2--3"]
    faults = [Incident(20.0, True, link, "2--3", 1), Incident(21.0, False, link, "2--3", 2)]
    for protocol in PROTOCOLS:
        failed, healed = recover(of, protocol, faults, 60.0, 1).converged
        assert (failed.detected, failed.all_agree, failed.first_delivery) == (None, None, None)
        assert (healed.detected, healed.all_agree) == (None, 21.0)
        assert healed.first_delivery == pytest.approx(21.2)


def test_costs_are_added_as_they_are_written() -> None:
    """0.1 + 0.2 is 0.3: of two ways alike the broker that is declared first is next, as in `momlint plan`."""
    text = (
        "momlint: 1\nbrokers: {1: , 2: , 3: , 4: }\nlinks:\n"
        "  - {between: [1, 2], cost: 0.1}\n  - {between: [2, 4], cost: 0.2}\n"
        "  - {between: [1, 3], cost: 0.2}\n  - {between: [3, 4], cost: 0.1}\n  - {between: [1, 4], cost: 0.3}\n"
        "topics: {a: {publishers: [1], subscribers: [4]}}\nfailures: {tolerate: {links: 1}}\n"
        "simulation: {traffic: [{topic: a}]}\n"
    )
    of = topology(text)
    assert shortest_hops(of, frozenset())[3][0] == of.colours[0].hops[3][0] == 1


def test_packets_are_sent_at_decimals() -> None:
    """At 0.0, 0.1 … 0.9: ten times 0.1 is 1, which is not before the end; added as floats it would be."""
    of = topology(
        "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
        "topics: {a: {publishers: [1], subscribers: [2]}}\nfailures: {tolerate: {links: 1}}\n"
        "simulation: {traffic: [{topic: a, interval: 0.1, packet_bits: 10}]}\n"
    )
    outcome = recover(of, "pcrt", [Incident(0.8, True, Element(True, 0), "1--2", 1)], 1.0)
    # What is sent when the link fails comes too late.
    assert [one.sent_at for one in outcome.arrivals] == [number / 10 for number in range(8)]
    assert [at for at, _ in outcome.lost_at] == [0.8, 0.9]


def test_what_is_waited_for_ends_at_its_moment() -> None:
    """As floats, 0.2 + (0.9 - 0.2) is no 0.9."""
    random = Random(1)
    for _ in range(1_000):
        tenths = random.randrange(100_000)
        now, moment = tenths / 10, (tenths + random.randint(1, 9)) / 10
        assert now + wait_until(now, moment) == moment
    assert wait_until(2.0, 1.0) == 0.0


def test_colours_of_brokers_alone_tell_their_links() -> None:
    """A broker of a square fails; no colour is of one link, and the broker opposite has no link to the dead one."""
    of = topology(
        "momlint: 1\nbrokers: {1: , 2: , 3: , 4: }\n"
        "links: [{between: [1, 2]}, {between: [2, 3]}, {between: [3, 4]}, {between: [4, 1]}]\n"
        "topics: {a: {publishers: [1], subscribers: [3]}}\n"
        "failures: {tolerate: {brokers: 1}}\n"
        "simulation: {unit: s, traffic: [{topic: a, packet_bits: 1000, interval: 1, from: 0}]}\n"
    )
    running = Recovery(of, "pcrt", [Incident(10.0, True, Element(False, 1), "2", 1)], 1)
    outcome = running.run(40.0)
    colours = {router.me: router.colour for router in running.routers if isinstance(router, PcrtRouter)}
    (wanted,) = [number for number, colour in enumerate(of.colours) if colour.down == {0, 1}]
    assert [colours[broker] for broker in (0, 2, 3)] == [wanted] * 3
    assert outcome.converged[0].all_agree is not None


def test_a_broker_that_comes_back_sends_what_it_waited_with() -> None:
    """2 loses its link to 1 and fails right after it has told 3, which has no time to answer; 2 never sees 3 go."""
    of = topology(
        "momlint: 1\nbrokers: {1: , 2: , 3: }\nlinks: [{between: [1, 2]}, {between: [2, 3]}]\n"
        "topics: {a: {publishers: [1], subscribers: [3]}}\nfailures: {tolerate: {links: 1}}\n"
        "simulation: {unit: s, traffic: [{topic: a, packet_bits: 1000, interval: 1, from: 0}]}\n"
    )
    link, two = Element(True, 0), Element(False, 1)
    first = recover(of, "pcrt", [Incident(10.0, True, link, "1--2", 1)], 40.0, 1).converged[0].detected
    assert first is not None
    for delay in (0.01, 0.03, 0.05, 0.5, 1.0):
        faults = [Incident(10.0, True, link, "1--2", 1), Incident(first + delay, True, two, "2", 2)]
        faults.append(Incident(first + delay + 5, False, two, "2", 3))
        running = Recovery(of, "pcrt", faults, 1)
        running.run(first + 60)
        assert all(not port.waiting for port in running.routers[1].ports.values() if port.up)
