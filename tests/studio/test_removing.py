"""What goes with a broker, a link or a topic: all that names it, and nothing else.

The oracle works on what PyYAML reads, as plain lists and mappings, and knows nothing of places or patches.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
import yaml

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.studio.editing import Editing
from tests.budget import examples

ROUTED = """\
momlint: 1
brokers:
  a:          # the press
  b: {site: x}
  c:
  d:
links:
  - {between: [a, b]}   # copper
  - {id: fibre, between: [b, c], cost: {b->c: 2, c->b: 3}}
  - between: [c, d]
  - {from: a, to: d}
groups:
  duct: [fibre, c--d]   # one trench
  hall: [c]
topics:
  t: {publishers: [a, c], subscribers: [b, d]}  # temperatures
  u: {publishers: [c], subscribers: [a]}
routing:
  protocol: tables
  tables:
    a: {b: [b, c], d: [d]}
    b: {c: [c]}
    c: {b: [a, b]}
failures:
  colours:
    0: []
    1: [a--b]
    2: [fibre]   # dug up
    3: [c]
    4: [a, c]
    5: [a]
    6: [hall, b]
    7: [duct]
  recovery:
    a:
      - {to: b, via: b, colours: [0, 2, 3]}
      - {to: d, via: c, colours: [0]}
    b:
      - {to: a, via: a, except: [3]}   # nearly always
      - {to: a, via: a, colours: [3]}
    c:
      - {to: a, via: b, colours: [0]}
  takeover: {a: b, c: [a, b], b: [c, a], d: c}
simulation:
  traffic:
    - {topic: t, packet_bits: 8, interval: 1}
    - {topic: u, packet_bits: 8, interval: 1}
"""


def removed(text: str, kind: str, name: str) -> tuple[str, list[str]]:
    (loaded,) = open_bytes(text.encode(), "x.yaml", Access(None)).estates
    editing = Editing(loaded, lambda _: text.encode())
    words = getattr(editing, f"remove_{kind}")(name)
    (data,) = editing.made().values()
    return data.decode(), words


def without(text: str, *lines: str) -> str:
    for line in lines:
        assert text.count(line) == 1, line
        text = text.replace(line, "")
    return text


def test_a_broker_goes_with_all_that_names_it() -> None:
    after, words = removed(ROUTED, "broker", "c")
    wanted = without(
        ROUTED.replace("  c:\n  d:\n", "  d:\n"),
        "  - {id: fibre, between: [b, c], cost: {b->c: 2, c->b: 3}}\n",
        "  - between: [c, d]\n",
        # Nothing of either is left.
        "  duct: [fibre, c--d]   # one trench\n",
        "  hall: [c]\n",
        "    c: {b: [a, b]}\n",
        "    b: {c: [c]}\n",
        "    2: [fibre]   # dug up\n",
        "    3: [c]\n",
        # Without c this would be the failure of a, which has a colour.
        "    4: [a, c]\n",
        "    7: [duct]\n",
        "      - {to: d, via: c, colours: [0]}\n",
        "      - {to: a, via: a, colours: [3]}\n",
        "    c:\n      - {to: a, via: b, colours: [0]}\n",
    )
    wanted = without(wanted, "groups:\n")
    for old, new in [
        ("publishers: [a, c]", "publishers: [a]"),
        ("u: {publishers: [c]", "u: {publishers: []"),
        ("a: {b: [b, c]", "a: {b: [b]"),
        ("6: [hall, b]", "6: [b]"),
        ("colours: [0, 2, 3]", "colours: [0]"),
        ("except: [3]", "except: []"),
        ("{a: b, c: [a, b], b: [c, a], d: c}", "{a: b, b: [a]}"),
    ]:
        assert wanted.count(old) == 1, old
        wanted = wanted.replace(old, new)
    assert after == wanted
    assert words == [
        "2 links",
        "2 places in topics",
        "2 groups",
        "4 colours",
        "3 recovery rows",
        "2 table rows",
        "2 take-overs",
    ]


def test_a_link_goes_with_its_colours_and_their_rows() -> None:
    after, words = removed(ROUTED, "link", "fibre")
    wanted = without(
        ROUTED,
        "  - {id: fibre, between: [b, c], cost: {b->c: 2, c->b: 3}}\n",
        "    2: [fibre]   # dug up\n",
    )
    wanted = wanted.replace("[fibre, c--d]", "[c--d]").replace("colours: [0, 2, 3]", "colours: [0, 3]")
    assert after == wanted
    assert words == ["1 colour"]


def test_a_name_that_means_another_link_too_stays() -> None:
    text = "momlint: 1\nbrokers: {a: , b: }\nlinks:\n  - {id: x, between: [a, b]}\n  - {id: y, between: [b, a]}\n"
    text += "failures:\n  colours:\n    0: []\n    1: [a--b]\n    2: [x]\n    3: [b--a]\n"
    after, words = removed(text, "link", "x")
    # Both names now mean y alone, and of two colours for one failure the first is enough; but neither named x.
    assert after == without(text, "  - {id: x, between: [a, b]}\n", "    2: [x]\n")
    assert words == ["1 colour"]


def test_a_topic_goes_with_its_traffic() -> None:
    after, words = removed(ROUTED, "topic", "u")
    assert after == without(
        ROUTED,
        "  u: {publishers: [c], subscribers: [a]}\n",
        "    - {topic: u, packet_bits: 8, interval: 1}\n",
    )
    assert words == ["1 place elsewhere"]


def test_in_relayed_overlays_subscriptions_and_alternatives_go() -> None:
    text = """\
momlint: 1
routing: {protocol: relay}
brokers: {a: , b: , c: }
links:
  - from: a
    to: b
    alternatives: {b: [c]}
  - {from: b, to: c, topics: [{filter: "x/#"}]}
subscriptions:
  - {at: c, filter: "x/#"}   # all
  - {at: b, filter: x/1}
publications:
  - {at: a, filter: "x/#"}
"""
    after, words = removed(text, "broker", "c")
    wanted = without(
        text,
        "    alternatives: {b: [c]}\n",
        '  - {from: b, to: c, topics: [{filter: "x/#"}]}\n',
        '  - {at: c, filter: "x/#"}   # all\n',
        ", c: ",
    )
    assert after == wanted
    assert words == ["1 link", "1 subscription"]


def test_an_exception_that_is_no_longer_any_is_written_as_such() -> None:
    text = """\
momlint: 1
brokers: {a: , b: , c: }
links: [{between: [a, b]}, {between: [b, c]}, {between: [a, c]}]
failures:
  colours: {0: [], 1: [a--b]}
  recovery:
    a:
      - to: c
        via: c
        except:
          - 1
      - {to: b, via: b, colours: [0]}
"""
    after, _ = removed(text, "link", "a--b")
    assert after == text.replace("{between: [a, b]}, ", "").replace(", 1: [a--b]", "").replace(
        "        except:\n          - 1\n", "        except: []\n"
    )


# -- random estates ---------------------------------------------------------------------------------------------------


def dumped(value: Any, rng: random.Random, depth: int = 0) -> str:
    """YAML in which each list and mapping is in block or in flow, by chance."""
    if isinstance(value, dict) and value and (depth == 0 or rng.random() < 0.6):
        lines = []
        for key, one in value.items():
            text = dumped(one, rng, depth + 1)
            lines.append(f"{key}:\n{indented(text)}" if text.startswith("\n") else f"{key}: {text}")
        return ("\n" if depth else "") + "\n".join(line.replace("\n\n", "\n") for line in lines)
    if isinstance(value, list) and value and rng.random() < 0.6:
        items = []
        for one in value:
            text = dumped(one, rng, depth + 1).lstrip("\n")
            items.append("- " + text.replace("\n", "\n  "))
        return "\n" + "\n".join(items)
    return flow(value)


def indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip("\n").split("\n"))


def flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(one) for one in value) + "]"
    return str(value)


def estate_of(rng: random.Random) -> dict[str, Any]:
    names = [f"n{number}" for number in range(rng.randint(3, 6))]
    links, called = [], []
    for one in range(len(names)):
        for other in range(one + 1, len(names)):
            if rng.random() < 0.6:
                tail, head = (names[one], names[other]) if rng.random() < 0.5 else (names[other], names[one])
                kind = rng.choice(["both", "way", "id"])
                if kind == "both":
                    links.append({"between": [tail, head]})
                    called.append(f"{tail}--{head}")
                elif kind == "way":
                    links.append({"from": tail, "to": head})
                    called.append(f"{tail}->{head}")
                else:
                    links.append({"id": f"l{len(links)}", "between": [tail, head]})
                    called.append(f"l{len(links) - 1}")
    some = lambda most: rng.sample(names, rng.randint(1, min(most, len(names))))  # noqa: E731
    estate: dict[str, Any] = {
        "momlint": 1,
        "brokers": {name: rng.choice([{}, {"site": "s"}]) for name in names},
        "links": links,
        "groups": {f"g{n}": rng.sample([*called, *names], rng.randint(1, 2)) for n in range(2)},
        "topics": {f"t{n}": {"publishers": some(2), "subscribers": some(3)} for n in range(3)},
    }
    failing = [*called, *names, "g0", "g1"]
    colours: dict[str, Any] = {"normal": []}
    for number in range(rng.randint(2, 7)):
        colours[f"k{number}"] = rng.sample(failing, rng.randint(1, 2))
    rows: dict[str, Any] = {}
    for name in some(4):
        rows[name] = []
        for _ in range(rng.randint(1, 4)):
            to, via = rng.choice(names), rng.choice(names)
            row = {"to": to, "via": via, rng.choice(["colours", "colours", "except"]): rng.sample([*colours], 2)}
            rows[name].append(row)
    tables = {name: {hop: some(3) for hop in some(2)} for name in some(3)}
    takeover = {name: rng.choice([rng.choice(names), some(2)]) for name in some(3)}
    estate["routing"] = {"protocol": "tables", "tables": tables}
    estate["failures"] = {"colours": colours, "recovery": rows, "takeover": takeover}
    return estate


def oracle(estate: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    """The estate without it, as the handbook of the studio has it."""
    ends = [link.get("between") or [link["from"], link["to"]] for link in estate["links"]]
    calls = []
    for link, (tail, head) in zip(estate["links"], ends, strict=True):
        if "id" in link:
            calls.append({link["id"], f"{tail}--{head}", f"{head}--{tail}"})
        elif "from" in link:
            calls.append({f"{tail}->{head}", f"{tail}--{head}", f"{head}--{tail}"})
        else:
            calls.append({f"{tail}--{head}", f"{head}--{tail}"})
    broker = name if kind == "broker" else None
    gone = [broker in pair if broker else name in names for pair, names in zip(ends, calls, strict=True)]

    def meant(item: str, groups: dict[str, list[str]]) -> frozenset[str]:
        numbers = [str(number) for number, names in enumerate(calls) if item in names]
        if numbers:
            return frozenset(f"link {number}" for number in numbers)
        if item in groups:
            return frozenset().union(*(meant(one, {}) for one in groups[item]))
        return frozenset([f"broker {item}"])

    lost = {f"link {number}" for number, one in enumerate(gone) if one} | ({f"broker {broker}"} if broker else set())
    result = {**estate, "links": [link for link, one in zip(estate["links"], gone, strict=True) if not one]}
    result["brokers"] = {key: value for key, value in estate["brokers"].items() if key != broker}
    groups = estate["groups"]
    result["groups"] = {
        key: kept for key, value in groups.items() if (kept := [one for one in value if not meant(one, {}) <= lost])
    }
    is_gone = {key for key in groups if key not in result["groups"]}
    colours, before = {}, estate["failures"]["colours"]

    def is_lost(item: str) -> bool:
        return item in is_gone or (item not in groups and meant(item, {}) <= lost)

    def means(items: list[str]) -> frozenset[str]:
        return frozenset().union(*(meant(one, groups) for one in items)) - lost

    untouched = {means(value) for value in before.values() if not any(map(is_lost, value))}
    for key, value in before.items():
        if any(map(is_lost, value)):
            what = means(value)
            if all(map(is_lost, value)) or what in untouched:
                continue
            untouched.add(what)
        colours[key] = [one for one in value if not is_lost(one)]
    away = set(before) - set(colours)
    rows = {}
    for at, several in estate["failures"]["recovery"].items():
        kept = []
        for row in several:
            key = "colours" if "colours" in row else "except"
            left = [one for one in row[key] if one not in away]
            if broker in (at, row["to"], row["via"]) or (key == "colours" and not left):
                continue
            kept.append({**row, key: left})
        if kept:
            rows[at] = kept
    takeover = {}
    for failed, adopters in estate["failures"]["takeover"].items():
        left = [one for one in ([adopters] if isinstance(adopters, str) else adopters) if one != broker]
        if failed != broker and left:
            takeover[failed] = adopters if isinstance(adopters, str) else left
    tables = {}
    for at, table in estate["routing"]["tables"].items():
        left = {
            hop: kept
            for hop, several in table.items()
            if hop != broker and (kept := [one for one in several if one != broker])
        }
        if at != broker and left:
            tables[at] = left
    result["topics"] = {
        key: {side: [one for one in several if one != broker] for side, several in value.items()}
        for key, value in estate["topics"].items()
    }
    result["failures"] = {"colours": colours, "recovery": rows, "takeover": takeover}
    result["routing"] = {"protocol": "tables", "tables": tables}
    return result


def bare(value: Any, key: str = "") -> Any:
    """Without empty sections and lists, but for those that say something; scalars as texts."""
    if isinstance(value, dict):
        found = {name: bare(one, name) for name, one in value.items()}
        return {
            name: one
            for name, one in found.items()
            if one not in ({}, [], "") or name == "except" or key in ("brokers", "colours")
        }
    if isinstance(value, list):
        return [bare(one) for one in value]
    return "" if value is None else str(value)


def test_all_that_names_it_goes_and_nothing_else() -> None:
    tried = 0
    for seed in range(examples(300)):
        rng = random.Random(seed)
        estate = estate_of(rng)
        text = dumped(estate, rng) + "\n"
        assert bare(yaml.load(text, yaml.BaseLoader)) == bare(estate), text
        (loaded,) = open_bytes(text.encode(), "x.yaml", Access(None)).estates
        assert loaded.estate is not None
        kind = rng.choice(["broker", "link"])
        names = [one.id for one in (loaded.estate.brokers if kind == "broker" else loaded.estate.links)]
        if len(names) < 2:
            continue
        name = rng.choice(names)
        after, _ = removed(text, kind, name)
        wanted = bare(oracle(estate, kind, name))
        found = bare(yaml.load(after, yaml.BaseLoader))
        for section in ("brokers", "colours"):
            (wanted if section == "brokers" else wanted["failures"]).setdefault(section, {})
        assert _filled(found) == _filled(wanted), f"seed {seed}: {kind} {name}\n{text}\n{after}"
        tried += 1
    assert tried > examples(270)


def _filled(estate: dict[str, Any]) -> dict[str, Any]:
    """Colours and brokers may be empty mappings, lists or nothing."""
    failures = estate.get("failures", {})
    brokers = {name: one or {} for name, one in estate.get("brokers", {}).items()}
    colours = {name: one or [] for name, one in (failures.get("colours") or {}).items()}
    return {**estate, "brokers": brokers, "failures": {**failures, "colours": colours}}


@pytest.mark.parametrize("kind", ["broker", "link"])
def test_what_an_anchor_holds_stays(kind: str) -> None:
    from momlint.source.patching import Unpatchable

    text = ROUTED.replace("colours: [0, 2, 3]", "colours: &some [0, 2, 3]").replace("except: [3]", "except: *some")
    with pytest.raises(Unpatchable):
        removed(text, kind, "c" if kind == "broker" else "fibre")
