"""What each rule says of ``momlint fix`` is what it does, on the estates of the tests that fail the rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.catalog import LEFT_TO_PEOPLE, Rule, load_rules
from momlint.lint import Options
from momlint.mending.mend import Mended, Mending
from tests.budget import one_in
from tests.mending.test_cases import CASES, WANTED

ESTATES = Path(__file__).parents[1] / "rules"
RULES = load_rules()
#: What two engines answer, or one does not, is in no estate; see tests/rules/test_rules.py.
WITHOUT_ESTATE = {"MOM901", "MOM902"}
#: Where the estates of the rule itself show what is left: folders of native files, or a text.
ELSEWHERE: dict[str, str | Path] = {
    "MOM408": """\
momlint: 1
brokers: {a: , b: , c: , d: , e: }
links: [{between: [a, b]}, {between: [b, c]}, {between: [d, e]}]
topics: {t: {publishers: [a], subscribers: [c]}}
failures:
  colours: {up: []}
  recovery:
    a: [{to: c, via: b, colours: [up]}]
    b: [{to: c, via: c, colours: [up]}]
    d: [{to: c, via: e, colours: [up]}]
    e: [{to: c, via: d, colours: [up]}]
""",
    "MOM802": CASES / "43-nats-leaf-triangle-loop-rejected",
    "MOM805": CASES / "15-mosq-shadowed-mapping",
    "MOM812": """\
momlint: 1
brokers: {a: , b: }
routing: {protocol: relay, syntax: mqtt, guard: {split_horizon: connection}}
links: [{from: a, to: b, topics: [{filter: "#", add: plant}]}]
publications: [{at: a, filter: "t/#"}]
subscriptions: [{at: b, filter: "plant/t/#"}]
""",
}


def mended(files: dict[str, bytes]) -> list[Mended]:
    """What becomes of files that lie beside each other; they are not on the disk."""
    return Mending(Options(protocol=True), files).mend(sorted(files))


def failing(code: str) -> list[dict[str, bytes]]:
    """The failing estates in the folder of a rule."""
    paths = sorted(path for path in (ESTATES / code).glob("fail*") if path.suffix in (".yaml", ".conf", ".json"))
    return [{path.name: path.read_bytes()} for path in paths]


def number(found: list[Mended], code: str, *, gone: bool) -> int:
    return sum(one.code == code for each in found for one in (each.gone if gone else each.left))


@pytest.mark.parametrize("rule", one_in(3, (rule for rule in RULES if rule.is_mended)))
def test_what_is_said_to_be_mended(rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ELSEWHERE.get(rule.code)
    if isinstance(other, str):
        estates = [{"estate.yaml": other.encode()}]
    elif other is None:
        estates = failing(rule.code)
    else:
        manifest = {"topology.yaml": f"momlint: 1\n{WANTED[other.name][0]}".encode()} if other.name in WANTED else {}
        for name, data in manifest.items():
            (tmp_path / name).write_bytes(data)
        for path in other.iterdir():
            (tmp_path / path.name).write_bytes(path.read_bytes())
        monkeypatch.chdir(tmp_path)
        names = sorted(manifest) or sorted(path.name for path in other.iterdir() if path.suffix == ".conf")
        found = Mending(Options()).mend(names)
        assert number(found, rule.code, gone=True)
        return
    for files in estates:
        found = mended(files)
        if number(found, rule.code, gone=True):
            after = mended({name: data for each in found for name, data in {**files, **each.contents}.items()})
            assert number(after, rule.code, gone=True) == 0
            assert number(after, rule.code, gone=False) == number(found, rule.code, gone=False)
            return
    raise AssertionError(f"no failing estate of {rule.code} is mended")


@pytest.mark.parametrize("rule", one_in(4, (rule for rule in RULES if not rule.is_mended)))
def test_what_is_said_to_be_left(rule: Rule) -> None:
    estates = failing(rule.code)
    assert estates or rule.code in WITHOUT_ESTATE
    for files in estates:
        found = mended(files)
        assert number(found, rule.code, gone=True) == 0
        assert number(found, rule.code, gone=False) > 0


def test_every_rule_says_what_fix_does() -> None:
    for rule in RULES:
        assert rule.mend.endswith("."), rule.code
        assert rule.is_mended != rule.mend.startswith(LEFT_TO_PEOPLE), rule.code
