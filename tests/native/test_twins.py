"""Faults and their fine twins, which differ in one thing. Verdicts and lines are from manuals, not from momlint.

Each test is a pair, or several twins of one fault. Notes are left out, unless they are what a pair is about.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.findings import Severity
from momlint.lint import Options, lint_files
from tests.native.told import verdict

#: What is told: the rule, the file, the line.
Verdict = list[tuple[str, str, int]]
Files = dict[str, str]


def manifest(files: Files, more: str, folder: Path) -> list[tuple[str, str, str, int]]:
    """What is told of files that a manifest names, notes too: severity, rule, file and line."""
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    brokers = ", ".join(f"{name.partition('.')[0]}: {{config: {name}}}" for name in files)
    (folder / "m.yaml").write_text(f"momlint: 1\nbrokers: {{{brokers}}}\n{more}")
    report = lint_files([str(folder / "m.yaml")], Options(ignore=("MOM501",)))
    assert report.failures == []
    return sorted((one.severity.value, one.code, Path(one.file).name, one.span.start.line) for one in report.findings)


def grave(told: list[tuple[str, str, str, int]]) -> Verdict:
    """Without severities, and without notes."""
    return [one[1:] for one in told if one[0] != Severity.NOTE.value]


# -- Mosquitto -------------------------------------------------------------------------------------------------------


def mosquitto(*bridges: tuple[str, ...]) -> str:
    """A file: bridges as (host, lines…); the lines of the first begin on line 4."""
    named = [f"connection to-{number}-{host}\naddress {host}.example\n" for number, (host, *_) in enumerate(bridges)]
    return "listener 1883\n" + "".join(
        head + "".join(f"{line}\n" for line in lines) for head, (_, *lines) in zip(named, bridges, strict=True)
    )


PARENT = {"edge.conf": mosquitto(("hub", "topic # both 0 old/ new/")), "hub.conf": mosquitto()}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        # `old` is `new/old` at the hub: BROKERS, "parent-level topics escape". Manuals write such lines.
        ("", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old/#}]\n", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: hub, filter: new}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        # It is published where it does not come by the line, or it is not.
        ("publications: [{at: hub, filter: old}, {at: edge, filter: old/a}]\n", []),
        ("publications: [{at: edge, filter: old/a/#}]\n", []),
    ],
)
def test_the_topic_that_a_prefix_is_named_after_escapes(
    more: str, expected: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    assert manifest(PARENT, more, tmp_path) == expected


def test_a_pattern_that_leaves_the_parent_out(tmp_path: Path) -> None:
    files = {**PARENT, "edge.conf": mosquitto(("hub", "topic +/# both 0 old/ new/"))}
    assert manifest(files, "", tmp_path) == []


def test_push_and_pull(tmp_path: Path) -> None:
    """The same flow pushed and pulled is there twice; pushed both ways in one connection, once."""
    pull = {"a.conf": mosquitto(("hub", "topic t/# out")), "hub.conf": mosquitto(("a", "topic t/# in"))}
    assert verdict(pull, tmp_path) == [("MOM804", "hub.conf", 4)]
    assert verdict({**pull, "hub.conf": mosquitto(("a", "topic u/# in"))}, tmp_path) == []
    assert verdict({**pull, "a.conf": mosquitto(("hub", "topic # both"))}, tmp_path) == [("MOM801", "hub.conf", 4)]


def test_wildcards_leave_out_what_begins_with_a_dollar(tmp_path: Path) -> None:
    """MQTT 3.1.1, 4.7.2: so what comes of `$SYS` does not go back by `#`. By its own name it does."""
    back = {"a.conf": mosquitto(("b", "topic # out")), "b.conf": mosquitto(("a", "topic $SYS/# out"))}
    assert verdict(back, tmp_path) == []
    assert verdict({**back, "a.conf": mosquitto(("b", "topic $SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    assert verdict({**back, "b.conf": mosquitto(("a", "topic SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    # Read by characters, as prefixes without a slash are.
    glued = {"a.conf": mosquitto(("b", 'topic t/# out 0 "" p', "topic + out"))}
    for name, expected in (("$SYS", []), ("SYS", [("MOM801", "b.conf", 4)])):
        files = {**glued, "b.conf": mosquitto(("a", f"topic {name} out"))}
        assert verdict(files, tmp_path) == [*expected, ("MOM812", "a.conf", 4)]


# -- ActiveMQ Classic ------------------------------------------------------------------------------------------------


def activemq(name: str, *connectors: str) -> str:
    """A file; the first connector is on line 2."""
    return "\n".join(
        [f'<broker brokerName="{name}"><networkConnectors>', *connectors, "</networkConnectors></broker>\n"]
    )


def to(host: str, more: str = "", inside: str = '<topic physicalName="&gt;"/>') -> str:
    """A connector, on one line."""
    lists = f"<dynamicallyIncludedDestinations>{inside}</dynamicallyIncludedDestinations>"
    uri = f"static:(tcp://{host}.example:61616)"
    return f'<networkConnector name="to-{host}" uri="{uri}" {more}>{lists}</networkConnector>'


EACH = 'conduitSubscriptions="false"'
TWO = """publications: [{at: edge, filter: prices}]
subscriptions: [{at: hub, filter: prices}, {at: hub, filter: prices}]
"""


@pytest.mark.parametrize(
    ("settings", "more", "expected"),
    [
        # One copy for each subscription: two get two.
        (EACH, TWO, [("warning", "MOM804", "edge.xml", 2)]),
        (EACH, TWO.replace("hub, filter: prices}]", 'hub, filter: "*"}]'), [("warning", "MOM804", "edge.xml", 2)]),
        # The same, for one; for two of different topics; and with one copy for all, which is the default.
        (EACH, TWO.replace("{at: hub, filter: prices}, ", ""), []),
        (EACH, TWO.replace("hub, filter: prices}]", "hub, filter: prices.x}]"), [("error", "MOM803", "m.yaml", 4)]),
        ('conduitSubscriptions="true"', TWO, []),
        ("", TWO, []),
    ],
)
def test_a_copy_for_each_subscription(
    settings: str, more: str, expected: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    files = {"edge.xml": activemq("edge", to("hub", settings)), "hub.xml": activemq("hub")}
    # That it depends on who subscribes is told whether a manifest says so or not.
    noted = [("note", "MOM814", "edge.xml", 2)] if settings == EACH else []
    assert manifest(files, more, tmp_path) == sorted([*expected, *noted])
    assert manifest(files, "", tmp_path) == noted


def test_copies_for_each_subscription_multiply_along_a_chain(tmp_path: Path) -> None:
    """By hand: `hub` hears of two subscriptions of `far`, and sends each message twice; so does `edge` to `hub`."""
    wanted = TWO.replace("hub", "far")
    for first, second, copies in ((EACH, EACH, 4), ("", EACH, 2), (EACH, "", 1), ("", "", 1)):
        files = {
            "edge.xml": activemq("edge", to("hub", f'networkTTL="2" {first}')),
            "hub.xml": activemq("hub", to("far", f'networkTTL="2" {second}')),
            "far.xml": activemq("far"),
        }
        manifest(files, wanted, tmp_path)
        (report,) = [lint_files([str(tmp_path / "m.yaml")], Options(ignore=("MOM501", "MOM814")))]
        assert [one.data.get("copies") for one in report.findings] == ([copies] if copies > 1 else [])


def test_a_subscription_too_far_away_makes_no_copy(tmp_path: Path) -> None:
    """`edge` hears of those at `hub` and `far`; with a consumerTTL of 1, of the nearer one alone."""
    both = TWO.replace("{at: hub, filter: prices}]", "{at: far, filter: prices}]")
    for away, expected in (("2", [("MOM804", "edge.xml", 2)]), ("1", [])):
        files = {
            "edge.xml": activemq("edge", to("hub", f'messageTTL="2" consumerTTL="{away}" {EACH}')),
            "hub.xml": activemq("hub", to("far", 'networkTTL="2"')),
            "far.xml": activemq("far"),
        }
        assert grave(manifest(files, both, tmp_path)) == expected


@pytest.mark.parametrize(
    ("connector", "is_told"),
    [
        (to("hub", inside='<queue physicalName="work"/>'), True),
        ('<networkConnector uri="static:(tcp://hub:1)"/>', True),
        (to("hub"), False),
        ('<networkConnector staticBridge="true" uri="static:(tcp://hub:1)"/>', False),
    ],
)
def test_that_queues_are_not_judged_is_told(connector: str, is_told: bool, tmp_path: Path) -> None:
    files = {"edge.xml": activemq("edge", connector, connector.replace("hub", "other")), "hub.xml": activemq("hub")}
    told = [one for one in manifest(files, "", tmp_path) if one[0] == "note"]
    assert told == ([("note", "MOM814", "edge.xml", 2)] if is_told else [])
