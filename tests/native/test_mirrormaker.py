"""``mm2.properties``: what becomes a link, what is refused, where. Verdicts by hand; copies against a simulation."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from momlint.lint import Options, lint_files
from momlint.native.form import NativeFile
from momlint.native.globs import covers, globs_of
from momlint.native.mirrormaker import read_mirrormaker
from momlint.native.properties import read_properties
from momlint.source.decoding import Text
from tests.budget import examples, one_in
from tests.native.judging import copies, relay_of_files
from tests.native.told import codes, verdict

IDENTITY = "replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy\n"


def clusters(*names: str) -> str:
    """The first lines: one, and one for each cluster."""
    return f"clusters = {', '.join(names)}\n" + "".join(f"{one}.bootstrap.servers = {one}:9092\n" for one in names)


def flow(source: str, target: str, more: str = "") -> str:
    return f"{source}->{target}.enabled = true\n" + more


def read(text: str) -> NativeFile:
    return read_mirrormaker(text.encode(), "mm2.properties")


def accepted(native: NativeFile) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(link.id, [(one.filter, one.add) for one in link.passes if not one.denied]) for link in native.links]


# -- properties and regular expressions ------------------------------------------------------------------------------


def test_properties_as_java_reads_them() -> None:
    text = "# no\n! no\n  a = 1 \nb:2\nc 3\nd\\ e = f\\\n   g\\u0041\\\\\r\nh=\n=i\nj\n"
    found = [(one.key.text, one.value.text) for one in read_properties(Text(text))]
    assert found == [("a", "1 "), ("b", "2"), ("c", "3"), ("d e", "fgA\\"), ("h", ""), ("j", "")]
    places = [one.value.at[:4] for one in read_properties(Text(text))]
    assert places[:4] == [(2, 6, 2, 8), (3, 2, 3, 3), (4, 2, 4, 3), (5, 7, 6, 12)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("orders", ["orders"]),
        (".*", ["*"]),
        ("orders-.+", ["orders-?*"]),
        (r"a\.b", ["a.b"]),
        ("(a|b)c", ["ac", "bc"]),
        ("[ab]x?", ["a", "ax", "b", "bx"]),
        ("a[0-2]", ["a0", "a1", "a2"]),
        ("a.*|ab", ["a*"]),
        ("^a$", ["a"]),
        ("(?:a|)", ["a", ""]),
        ("a{2}", None),
        ("a*", None),
        ("[^a]", None),
        (r"\w+", None),
        ("(a", None),
        ("a)", None),
        ("(?!a).*", None),
        ("[a-z]" * 9, None),
    ],
)
def test_wildcards_for_regular_expressions(expression: str, expected: list[str] | None) -> None:
    assert globs_of(expression) == expected


def test_wildcards_match_what_the_expressions_match() -> None:
    rng = random.Random("globs")
    said = 0
    for _ in range(examples(4000)):
        expression = "".join(
            rng.choice(["a", "b", ".", ".*", ".+", "|", "(", ")", "?", "[ab]", r"\.", "-", "(a|b)"])
            for _ in range(rng.randint(1, 7))
        )
        found = globs_of(expression)
        if found is None:
            continue
        said += 1
        for _ in range(20):
            name = "".join(rng.choice("ab.-") for _ in range(rng.randint(0, 5)))
            by_glob = any(
                re.fullmatch("".join({"*": ".*", "?": "."}.get(one, re.escape(one)) for one in glob), name)
                for glob in found
            )
            assert by_glob == bool(re.fullmatch(expression, name)), (expression, found, name)
    assert said > 100


def test_one_wildcard_covers_another() -> None:
    assert covers("*", "")
    assert covers("a*", "a?*")
    assert covers("*a*", "?a")
    assert covers("?*", "?")
    assert not covers("?", "*")
    assert not covers("a", "?")
    assert not covers("a*", "*")
    assert not covers("?*", "*")


# -- what becomes a link ---------------------------------------------------------------------------------------------


def test_a_flow_that_is_enabled_renames() -> None:
    native = read(clusters("A", "B", "C") + flow("A", "B", "A->B.topics = x, y.*\n") + "B->C.enabled = false\n")
    assert accepted(native) == [("A->B", [("x", "A."), ("y*", "A.")])]
    assert [broker.key for broker in native.brokers] == ["A", "B", "C"]
    assert native.problems == []


def test_what_is_for_all_flows_is_for_one_without_its_own() -> None:
    head = clusters("A", "B") + "topics = x\n" + "replication.policy.separator = _\n"
    native = read(head + flow("A", "B") + flow("B", "A", "B->A.replication.policy.separator = -\nB->A.topics = y\n"))
    assert accepted(native) == [("A->B", [("x", "A_")]), ("B->A", [("y", "B-")])]
    # Without a list it is all; a flow's own policy goes first.
    assert accepted(read(clusters("A", "B") + IDENTITY + flow("A", "B"))) == [("A->B", [("*", "")])]


def test_what_is_excluded_does_not_pass() -> None:
    native = read(clusters("A", "B") + flow("A", "B", "A->B.topics.exclude = secret.*\n"))
    denied = [one.filter for one in native.links[0].passes if one.denied]
    assert "secret*" in denied
    assert "__*" in denied
    assert "*.replica" not in denied
    older = read(clusters("A", "B") + flow("A", "B", "topics.blacklist = secret.*\n"))
    assert "secret*" in [one.filter for one in older.links[0].passes if one.denied]


def test_places() -> None:
    text = clusters("A", "B") + flow("A", "B", "A->B.topics = x, \\\n   y.*\n")
    for written in (text, text.replace("\n", "\r\n")):
        (link,) = read(written).links
        assert link.at[:4] == (3, 0, 3, len("A->B.enabled = true"))
        assert [one.at[:4] for one in link.passes if not one.denied] == [(4, 14, 4, 15), (5, 3, 5, 6)]


# -- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("A->C.enabled = true\n", [("MOM808", 4, 1)]),
        ("A->B.topics = x\n", [("MOM805", 4, 1)]),
        (flow("A", "B", "A->B.topics = (x\n"), [("MOM814", 5, 15)]),
        (flow("A", "B") + "replication.policy.class = com.example.Mine\n", [("MOM814", 5, 28)]),
        ("A->B.enabeld = true\n", [("MOM805", 4, 1), ("MOM814", 4, 1)]),
        ("topic = x\n", [("MOM814", 4, 1)]),
        ("producer.linger.ms = 5\nA.ssl.keystore.location = /x\nrefresh.topics.enabled = true\n", []),
        ("topic.filter.class = com.example.Mine\n", [("MOM814", 4, 22)]),
    ],
)
def test_what_is_told_where(lines: str, expected: list[tuple[str, int, int]]) -> None:
    assert codes(read(clusters("A", "B") + lines)) == expected


def test_clusters_must_be_somewhere() -> None:
    assert codes(read("clusters = A, B\nA.bootstrap.servers = a:1\n")) == [("MOM813", 1, 15)]
    assert codes(read("A->B.enabled = true\n")) == [("MOM813", 1, 1), ("MOM808", 1, 1)]


# -- whole estates, by hand ------------------------------------------------------------------------------------------


def test_a_pair_that_renames_is_fine(tmp_path: Path) -> None:
    both = clusters("A", "B") + flow("A", "B") + flow("B", "A")
    assert verdict({"mm2.properties": both}, tmp_path) == []


def test_a_pair_that_keeps_names_loops(tmp_path: Path) -> None:
    """The identity policy has no guard: any cycle loops, told at the later flow."""
    both = clusters("A", "B") + IDENTITY + flow("A", "B") + flow("B", "A")
    assert verdict({"mm2.properties": both}, tmp_path) == [("MOM801", "mm2.properties", 6)]
    apart = (
        clusters("A", "B") + IDENTITY + flow("A", "B", "A->B.topics = a.*\n") + flow("B", "A", "B->A.topics = b.*\n")
    )
    assert verdict({"mm2.properties": apart}, tmp_path) == []


def test_what_changes_nothing(tmp_path: Path) -> None:
    both = clusters("A", "B") + IDENTITY + flow("A", "B") + flow("B", "A")
    for text in (
        both.replace("\n", "\r\n"),
        both + "# the end\n! or not\ntasks.max = 4\n",
        both.replace("A", "east").replace("B", "west").replace("westootstrap", "Bootstrap"),
        both.replace(" = ", "="),
        both.replace(" = ", ": "),
    ):
        assert verdict({"mm2.properties": text}, tmp_path) == [("MOM801", "mm2.properties", 6)]


def test_files_of_one_estate_know_clusters_by_their_servers(tmp_path: Path) -> None:
    """Each side has a process with a file of its own."""
    east = clusters("A", "B") + IDENTITY + flow("A", "B")
    west = clusters("A", "B") + IDENTITY + flow("B", "A")
    assert verdict({"east.properties": east, "west.properties": west}, tmp_path) == [("MOM801", "west.properties", 5)]
    # Other servers are other clusters, whatever they are called.
    west = west.replace("A:9092", "C:9092").replace("B:9092", "D:9092")
    assert verdict({"east.properties": east, "west.properties": west}, tmp_path) == []


def test_a_flow_in_two_files_is_one(tmp_path: Path) -> None:
    """Processes with one flow share its work."""
    text = clusters("A", "B") + flow("A", "B")
    assert verdict({"one.properties": text, "two.properties": text}, tmp_path) == []


def test_other_names_for_the_same_clusters_grow_for_ever(tmp_path: Path) -> None:
    """A topic's name does not say that it has been at A where the other file calls A something else."""
    east = clusters("A", "B") + flow("A", "B")
    west = (clusters("X", "Y") + flow("Y", "X")).replace("X:9092", "A:9092").replace("Y:9092", "B:9092")
    assert verdict({"east.properties": east, "west.properties": west}, tmp_path) == [("MOM807", "west.properties", 4)]


def test_a_name_with_the_separator_in_it_stops_nothing(tmp_path: Path) -> None:
    text = clusters("a.b", "c.d") + flow("a.b", "c.d") + flow("c.d", "a.b")
    assert verdict({"mm2.properties": text}, tmp_path) == [("MOM807", "mm2.properties", 5)]


def test_a_comment_silences(tmp_path: Path) -> None:
    both = clusters("A", "B") + IDENTITY + flow("A", "B") + "# momlint: ignore[MOM801] on purpose\n" + flow("B", "A")
    assert verdict({"mm2.properties": both}, tmp_path) == []


def test_import_says_the_same(tmp_path: Path) -> None:
    from momlint.cli.importing import import_files

    for number, text in enumerate(
        (
            clusters("A", "B") + IDENTITY + flow("A", "B") + flow("B", "A"),
            clusters("A", "B", "C") + flow("A", "B") + flow("B", "C") + flow("C", "A"),
            clusters("a.b", "c.d") + flow("a.b", "c.d") + flow("c.d", "a.b"),
        )
    ):
        (tmp_path / "mm2.properties").write_text(text)
        files = [str(tmp_path / "mm2.properties")]
        import_files(files, None, None, str(tmp_path / f"{number}.yaml"))
        told = [one.code for one in lint_files(files, Options()).findings]
        assert [one.code for one in lint_files([str(tmp_path / f"{number}.yaml")], Options()).findings] == told


# -- random estates against a simulation that knows nothing of momlint -------------------------------------------------

Rule = tuple[str, str, str, "str | None", list[str], list[str]]


def _is_cycle(name: str, separator: str, target: str) -> bool:
    """As the source connector asks: the parts before the last, one after the other."""
    parts = name.split(separator)
    return target in parts[:-1]


def _simulate(rules: list[Rule], at: str, topic: str) -> tuple[str, dict[tuple[str, str], int]]:
    """`rules`: (from, to, alias of the target, separator or None, topics, excluded, alias of the source)."""
    arrived: Counter[tuple[str, str]] = Counter()
    waiting = [(at, topic, frozenset({(at, topic)}))]
    ended = "ends"
    while waiting:
        here, name, path = waiting.pop()
        sent = set()
        for source, target, alias, prefix, wanted, excluded in rules:
            if source != here or any(re.fullmatch(one, name) for one in excluded):
                continue
            if not any(re.fullmatch(one, name) for one in wanted):
                continue
            own, separator = (prefix[:-1], prefix[-1]) if prefix else ("", ".")
            if prefix and separator not in alias and _is_cycle(name, separator, alias):
                continue
            after = (target, f"{own}{separator}{name}" if prefix else name)
            if after in sent:
                continue
            sent.add(after)
            if len(after[1]) > len(topic) + 60:
                return "grows", {}
            if after in path:
                ended = "loops"
                continue
            arrived[after] += 1
            waiting.append((*after, path | {after}))
    return ended, dict(arrived) if ended == "ends" else {}


@pytest.mark.parametrize("seed", one_in(2, range(examples(200))))
def test_copies_are_those_of_a_simulation(seed: int) -> None:
    rng = random.Random(f"mm2 {seed}")
    names = ["A", "B", "C", "D"][: rng.randint(2, 4)]
    several = rng.random() < 0.3
    files: dict[str, str] = {}
    rules: list[Rule] = []
    keeps_names = rng.random() < 0.3
    for number in range(2 if several else 1):
        # Another file may call them otherwise, in small estates.
        other = number and len(names) == 2 and rng.random() < 0.5
        aliases = {name: f"{name}{number}" if other else name for name in names}
        lines = [f"clusters = {', '.join(aliases.values())}"]
        lines += [f"{alias}.bootstrap.servers = {name}:9092" for name, alias in aliases.items()]
        identity = (rng.random() < 0.3) if len(names) == 2 else keeps_names
        lines += [IDENTITY.strip()] if identity else []
        for source in names:
            for target in names:
                if source == target or rng.random() < 0.45:
                    continue
                wanted = rng.choice([[".*"], ["a.*"], ["a", "b.*"], [".+b"], ["(a|b)x?"], [r".*\.b", "a"]])
                # What depends on the parts of names takes long to tell apart.
                wanted = rng.choice([[".*"], ["a.*"]]) if several and len(names) == 2 else wanted
                key = f"{aliases[source]}->{aliases[target]}"
                lines += [f"{key}.enabled = true", f"{key}.topics = {', '.join(wanted)}".replace("\\", "\\\\")]
                excluded = rng.choice([[], [], [".*b"], ["bx"]])
                lines += [f"{key}.topics.exclude = {', '.join(excluded)}"] if excluded else []
                prefix = None if identity else aliases[source] + "."
                rules.append((source, target, aliases[target], prefix, wanted, excluded))
        rng.shuffle(lines)
        files[f"f{number}.properties"] = "\n".join(lines) + "\n"
    relay = relay_of_files(files, "mm2")
    for topic in ("a", "b", "ab", "bx", "abx", "x.b"):
        for name in names:
            if name in relay.names:
                assert copies(relay, name, topic) == _simulate(rules, name, topic), (files, name, topic)
