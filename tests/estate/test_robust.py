"""Whatever is in the file: no exception, and every place that is reported is in the text."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate import LoadedEstate, load_source
from momlint.source import read_source
from tests.budget import examples
from tests.estate.test_schema import EXAMPLE, EXAMPLE_YAML

KNOWN = [
    "momlint", "name", "brokers", "links", "topics", "routing", "failures", "specs", "include", "between", "from", "to",
    "id", "cost", "latency_ms", "availability", "publishers", "subscribers", "max_hops", "max_latency_ms", "protocol",
    "tables", "tolerate", "colours", "recovery", "takeover", "via", "file", "except", "groups", "ctl", "ltl",
    "address", "tags", "site", "1", "2", "3", "9", "1--2", "1->2", "single-link",
    "<<", "null", "~", "", "True", "\0rows", "[key]", "link", "*",
]  # fmt: skip

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 4),
    st.just(10**400),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from(KNOWN),
    st.text(max_size=4),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(st.sampled_from(KNOWN), st.text(max_size=3)), inner, max_size=4),
    ),
    max_leaves=12,
)


def routes(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every route of keys and indices into a value."""
    found = [here]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += routes(inner, (*here, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += routes(inner, (*here, index))
    return found


def copy(value: Any) -> Any:
    """A deep copy of dictionaries and lists."""
    if isinstance(value, dict):
        return {key: copy(inner) for key, inner in value.items()}
    return [copy(inner) for inner in value] if isinstance(value, list) else value


#: The contract's example, and what it does not show.
FULL: dict[str, Any] = {**copy(EXAMPLE), "groups": {"duct": ["1--2", 3], "rack": []}}
FULL["failures"]["recovery"]["2"] = [{"to": 1, "via": 3, "except": [2]}]
FULL["links"].append({"from": 3, "to": 1, "id": "one-way"})
FULL["specs"].append({"ltl": "G (loc = 1)"})
ROUTES = routes(FULL)[1:]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """The example with some values replaced, removed, renamed or doubled."""
    document = copy(FULL)
    for _ in range(draw(st.integers(1, 4))):
        *route, last = draw(st.sampled_from(ROUTES))
        target = document
        try:
            for segment in route:
                target = target[segment]
            _ = target[last]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier mutation took it away
        if isinstance(target, str):
            continue
        match draw(st.sampled_from(["replace", "remove", "rename", "double"])):
            case "replace":
                target[last] = draw(values)
            case "remove":
                del target[last]
            case "rename" if isinstance(target, dict):
                target[draw(st.one_of(st.sampled_from(KNOWN), st.text(max_size=5)))] = target.pop(last)
            case _:
                if isinstance(target, list):
                    target.append(target[last])
                else:
                    target[f"{last}s"] = copy(target[last])
    return document


def check(data: bytes) -> list[LoadedEstate]:
    """Load, and hold every reported place against the text."""
    source = read_source(data, "x.yaml")
    found = load_source(source, read=_nothing, find=lambda pattern: [])
    for loaded in found:
        for problem in loaded.problems:
            for span in [problem.span, *(other.span for other in problem.related)]:
                assert (1, 1) <= span.start <= span.end
                assert span.end.line <= max(1, len(source.lines)) + 1
                if span.start.line <= len(source.lines):
                    assert span.start.column <= len(source.lines[span.start.line - 1]) + 1
            assert problem.message
            assert "\0" not in problem.message
        estate = loaded.estate
        if estate is not None:
            count = len(estate.brokers)
            assert count
            assert len({broker.id for broker in estate.brokers}) == count
            for link in estate.links:
                assert 0 <= link.tail < count
                assert 0 <= link.head < count
                assert link.tail != link.head
                assert 0 < link.cost <= 1e15
                assert 0 <= link.latency_ms <= 1e15
                loaded.locate(link.place)
            for topic in estate.topics:
                assert all(0 <= broker < count for broker in (*topic.publishers, *topic.subscribers))
                assert len(topic.subscriber_index) == len(topic.subscribers)
            for row in estate.table_rows:
                assert len(row.destinations) == len(row.destination_index)
                for name, index in zip(row.destinations, row.destination_index, strict=True):
                    _, span, _ = loaded.locate(row.place._replace(path=(*row.place.path, index)))
                    line = source.lines[span.start.line - 1]
                    if span.start.line == span.end.line:
                        written = line[span.start.column - 1 : span.end.column - 1]
                        assert estate.brokers[name].id in (written, written[1:-1]) or "\\" in written
        if estate is None:
            assert loaded.problems
    return found


def _nothing(file: str) -> Any:
    raise FileNotFoundError(2, "No such file or directory", file)


@settings(max_examples=examples(400), deadline=None)
@given(mutated(), st.booleans())
def test_mutated_estates(document: Any, flow: bool) -> None:
    """Values of any kind in any place of the example."""
    check(
        yaml.safe_dump(document, default_flow_style=flow, allow_unicode=True, sort_keys=False).encode(
            "utf-8", "replace"
        )
    )


@settings(max_examples=examples(300), deadline=None)
@given(st.dictionaries(st.sampled_from(KNOWN), values, max_size=5), st.booleans())
def test_any_mapping(document: Any, versioned: bool) -> None:
    """Any structure at the top level."""
    if versioned:
        document = {"momlint": 1, "brokers": {"1": None, "2": None}, **document}
    check(yaml.safe_dump(document, allow_unicode=True, sort_keys=False).encode("utf-8", "replace"))


LINES = EXAMPLE_YAML.splitlines(keepends=True)


@settings(max_examples=examples(400), deadline=None)
@given(st.data())
def test_mutated_text(data: st.DataObject) -> None:
    """The example's text with characters and lines changed: aliases, merges, tags, tabs, colons."""
    text = EXAMPLE_YAML
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text)))
        to = min(len(text), at + data.draw(st.sampled_from([0, 0, 1, 1, 2, 5, 30])))
        put = data.draw(
            st.one_of(
                st.sampled_from(
                    [
                        "[",
                        "]",
                        "{",
                        "}",
                        ":",
                        ": ",
                        ",",
                        "&a ",
                        "*a",
                        "<<: *a\n",
                        "!!str ",
                        "!!int ",
                        "~",
                        "\n",
                        "\t",
                        "- ",
                    ]
                ),
                st.sampled_from(
                    ["'", '"', "? ", "|\n", "#", "---\n", "{{ x }}", "0x1F", "\u0085", "\ufeff", "é", "😀"]
                ),
                st.sampled_from(LINES),
            )
        )
        text = text[:at] + put + text[to:]
    check(text.encode())


def test_a_thousand_links_between_the_same_brokers_take_no_time() -> None:
    """Each is compared with the first only; 20,000 would otherwise take minutes."""
    links = "".join("- {between: [1, 2]}\n" for _ in range(20_000))
    source = read_source(f"momlint: 1\nbrokers: {{1: , 2: }}\nlinks:\n{links}".encode(), "x.yaml")
    (loaded,) = load_source(source)
    assert len(loaded.problems) == 19_999
