"""Real nats-servers, meshed and with leaf nodes at random: every message goes where momlint says, as often.

The overlays are the same on every run. Slow, since brokers take their time to find each other.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from tests.brokers.nats import observe, on_loopback
from tests.brokers.predicted import Predicted
from tests.brokers.processes import program, refusal, running
from tests.native.told import verdict

OVERLAYS = 30
CASES = Path(__file__).parents[1] / "native" / "cases"
DENIED = ["a.>", "a.b", "b", "*.c"]
#: What `observe` subscribes to everywhere, as far as it has to do with what is denied.
SUBSCRIBED = ["a", "a.>", "b", "b.>"]


def random_overlay(seed: int) -> tuple[dict[str, str], int]:
    """One to three clusters of one or two servers, a tree of leaf nodes between them, some subjects denied.

    The files, and how many links come up.
    """
    draw = random.Random(f"nats {seed}")
    files: dict[str, str] = {}
    heads: list[str] = []
    links = 0
    for cluster in range(draw.randint(1, 3)):
        members = [f"s{cluster}{letter}" for letter in "ab"[: draw.randint(1, 2)]]
        for name in members:
            text = f'server_name: {name}\nlisten: "0.0.0.0:4222"\n'
            if len(members) > 1:
                others = ", ".join(f'"nats-route://{one}.example:6222"' for one in members if one != name)
                text += f'cluster {{ name: k{cluster}, listen: "0.0.0.0:6222", routes: [ {others} ] }}\n'
            remotes = ""
            if name == members[-1] and heads:
                denied = ""
                if draw.random() < 0.6:
                    denied += f', deny_exports: "{draw.choice(DENIED)}"'
                if draw.random() < 0.6:
                    denied += f', deny_imports: ["{draw.choice(DENIED)}", "{draw.choice(DENIED)}"]'
                remotes = f', remotes: [ {{ url: "nats-leaf://{draw.choice(heads)}.example:7422"{denied} }} ]'
                links += 1
            text += f'leafnodes {{ listen: "0.0.0.0:7422"{remotes} }}\n'
            files[name] = text
        links += len(members) > 1
        heads += members
    return files, links


def agree(files: dict[str, str], links: int, folder: Path) -> None:
    texts, ports = on_loopback(files)
    predicted = Predicted(texts, SUBSCRIBED)
    assert not {"MOM802", "MOM810", "MOM813"}.intersection(predicted.problems)
    expected = {
        (name, topic): predicted.copies(name, topic) for name in predicted.names for topic in predicted.topics()
    }
    assert None not in expected.values()
    seen = observe(texts, ports, list(expected), folder, links=links)
    for one, copies in expected.items():
        assert seen.at(*one) == copies, one


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(OVERLAYS))
def test_random_overlays(seed: int, tmp_path: Path) -> None:
    files, links = random_overlay(seed)
    agree(files, links, tmp_path)


@pytest.mark.slow
def test_mutual_routes(tmp_path: Path) -> None:
    case = CASES / "73-fine-nats-mutual-routes"
    agree({path.stem: path.read_text() for path in sorted(case.iterdir())}, 1, tmp_path)


def case(name: str) -> dict[str, str]:
    """The files of a case."""
    return {path.stem: path.read_text() for path in sorted((CASES / name).iterdir())}


def told(files: dict[str, str], folder: Path) -> set[str]:
    """The codes that momlint tells of files, notes apart."""
    return {code for code, _, _ in verdict({f"{name}.conf": text for name, text in files.items()}, folder)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said", "code"),
    [
        ("47-nats-gateway-name-not-cluster-name", "gateway", "MOM810"),
        ("49-nats-stream-import-cycle", "cycle", "MOM813"),
        ("75-fine-nats-renamed-imports", None, None),
    ],
)
def test_what_a_server_refuses(name: str, said: str | None, code: str | None, tmp_path: Path) -> None:
    files, _ = on_loopback(case(name))
    (text,) = files.values()
    refused = refusal([program("nats-server"), "-c"], text, tmp_path, seconds=5 if said else 1)
    assert (refused is None) == (said is None), refused
    assert said is None or said in str(refused).lower()
    assert told(files, tmp_path) == ({code} if code else set())


@pytest.mark.slow
def test_leaf_nodes_in_a_triangle_are_cut(tmp_path: Path) -> None:
    files, ports = on_loopback(case("43-nats-leaf-triangle-loop-rejected"))
    assert told(files, tmp_path) == {"MOM802"}
    with running([program("nats-server"), "-D", "-c"], files, ports, tmp_path) as logs:
        until = time.monotonic() + 20
        while not any("Loop detected" in path.read_text(errors="replace") for path in logs.values()):
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.slow
def test_sites_of_one_cluster_name_do_not_hear_each_other(tmp_path: Path) -> None:
    files, ports = on_loopback(case("45-nats-leaf-clusters-with-same-name"))
    assert told(files, tmp_path) == {"MOM810"}
    seen = observe(files, ports, [("site1", "a")], tmp_path, links=2)
    assert seen.at("site1", "a") == {("site1", "a"): 1, ("hub", "a"): 1}
    # With a name of its own the second one hears the first.
    files["site2"] = files["site2"].replace('"edge"', '"edge2"')
    assert told(files, tmp_path) == set()
    seen = observe(files, ports, [("site1", "a")], tmp_path, links=2)
    assert seen.at("site1", "a") == {("site1", "a"): 1, ("hub", "a"): 1, ("site2", "a"): 1}


HUB = 'server_name: {0}\nlisten: "0.0.0.0:4222"\nleafnodes {{ listen: "0.0.0.0:7422" }}\n'
PLAIN = 'server_name: {0}\nlisten: "0.0.0.0:4222"\n'
UP = 'leafnodes {{ remotes: [ {{ url: "nats-leaf://{0}.example:7422" }} ] }}\n'
CLUSTER = 'cluster {{ name: {0}, listen: "0.0.0.0:6222", routes: [ "nats-route://{1}.example:6222" ] }}\n'
GATEWAY = """\
cluster {{ name: {0}, listen: "0.0.0.0:6222" }}
gateway {{ name: {0}, listen: "0.0.0.0:7222", gateways: [ {{ name: {1}, url: "nats://{2}.example:7222" }} ] }}
"""


@pytest.mark.slow
def test_clusters_of_two_with_an_uplink_each(tmp_path: Path) -> None:
    """A message remembers in the hub's cluster which cluster it is from."""
    files = {
        "a": PLAIN.format("a") + CLUSTER.format("e", "b") + UP.format("h"),
        "b": PLAIN.format("b") + CLUSTER.format("e", "a") + UP.format("i"),
        "h": HUB.format("h") + CLUSTER.format("hub", "i"),
        "i": HUB.format("i") + CLUSTER.format("hub", "h"),
    }
    agree(files, 4, tmp_path)


@pytest.mark.slow
def test_gateways_and_an_uplink(tmp_path: Path) -> None:
    """What comes by the one goes out by the other."""
    files = {
        "a": PLAIN.format("a") + GATEWAY.format("east", "west", "b") + UP.format("hub"),
        "b": PLAIN.format("b") + GATEWAY.format("west", "east", "a"),
        "hub": HUB.format("hub"),
    }
    agree(files, 3, tmp_path)
