"""Rule files: what they say, what is said about mistakes, and that their JSON Schema says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.errors import UsageError
from momlint.findings import Severity
from momlint.policies.form import Policy, Selector
from momlint.policies.read import read_policies
from momlint.policies.schema import json_schema
from tests.budget import examples

GOOD = """\
code: ACME1
id: pii-stays-in-the-eu
title: Personal data leaves the EU
severity: warning
why: Because.
remedy: Move it.
check: stays-within
with:
  topics: {tags: [pii, gdpr], names: orders/*}
  brokers: {tags: eu, sites: [ams, fra]}
"""
OTHERS = """\
code: ACME2
id: gold-survives
title: Gold
check: survives
with: {links: 2, groups: 1}
---
code: ACME30
id: short-walks
title: Walks
check: hops-within
with: {at_most: 4, between: sites}
"""
SCHEMA = jsonschema.Draft202012Validator(json_schema())


def read(folder: Path, *texts: str, name: str = "rules") -> tuple[Policy, ...]:
    (folder / name).mkdir(exist_ok=True)
    for number, text in enumerate(texts):
        (folder / name / f"{number}.yaml").write_text(text)
    return read_policies([name], str(folder), "momlint.toml")


def mistakes(folder: Path, *texts: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(folder, *texts)
    return [str(line).removeprefix(f"{folder}/rules/") for line in caught.value.args]


def test_everything_that_rules_can_say(tmp_path: Path) -> None:
    pii, gold, walks = read(tmp_path, OTHERS, GOOD)
    assert (pii.code, pii.rule.id, pii.rule.severity, pii.check) == (
        "ACME1",
        "pii-stays-in-the-eu",
        Severity.WARNING,
        "stays-within",
    )
    assert (pii.rule.why, pii.rule.remedy, pii.rule.family) == ("Because.", "Move it.", "policy")
    assert pii.topics == Selector(tags=("pii", "gdpr"), names=("orders/*",))
    assert pii.brokers == Selector(tags=("eu",), sites=("ams", "fra"))
    assert (gold.rule.severity, gold.topics) == (Severity.ERROR, Selector())
    assert (gold.links_fail, gold.brokers_fail, gold.groups_fail) == (2, 0, 1)
    assert (walks.at_most, walks.between_sites) == (4, True)


def test_selectors() -> None:
    some = Selector(tags=("a", "b"), names=("x*", "y?"))
    fits = [("x1", ["b"]), ("x", ["a", "c"]), ("y2", ["a"])]
    assert all(some.fits(name, tags) for name, tags in fits)
    misses = [("x1", ["c"]), ("y22", ["a"]), ("X1", ["a"]), ("z", ["a"])]
    assert not any(some.fits(name, tags) for name, tags in misses)
    assert Selector().fits("anything", [])
    assert Selector(sites=("s",)).fits("n", [], "s")
    assert not Selector(sites=("s",)).fits("n", [], None)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("title:", "titel:", ["0.yaml:3:1: unknown key `titel` in a rule; did you mean `title`?"]),
        (
            "  topics:",
            "  topcis:",
            ["0.yaml:9:3: unknown key `topcis` in `with` of stays-within; did you mean `topics`?"],
        ),
        (
            "{tags: eu, ",
            "{tag: eu, ",
            ["0.yaml:10:13: unknown key `tag` in `brokers`; did you mean `tags`?"],
        ),
        ("code: ACME1\n", "", ["0.yaml:1:1: a rule lacks `code`"]),
        (
            "ACME1",
            "MOM999",
            ["0.yaml:1:7: `code` takes capital letters and a number, as in ACME1, and not MOM, not `MOM999`"],
        ),
        (
            "ACME1",
            "acme1",
            ["0.yaml:1:7: `code` takes capital letters and a number, as in ACME1, and not MOM, not `acme1`"],
        ),
        ("pii-stays-in-the-eu", "black-hole", ["0.yaml:2:5: the id `black-hole` is that of MOM303"]),
        ("pii-stays-in-the-eu", "Pii", ["0.yaml:2:5: `id` takes small letters, digits and hyphens"]),
        ("stays-within", "stays-witin", ["0.yaml:7:8: `check` takes `stays-within`, `survives` or `hops-within`"]),
        ("severity: warning", "severity: warnign", ["did you mean `warning`?"]),
        ("[pii, gdpr]", "[]", ["0.yaml:9:18: `tags` is an empty list"]),
        ("{tags: [pii, gdpr], names: orders/*}", "{}", ["0.yaml:9:11: `topics` selects nothing"]),
        ("[pii, gdpr]", "[pii, [x]]", ["0.yaml:9:24: `tags` takes a string"]),
        ("  brokers: {tags: eu, sites: [ams, fra]}\n", "", ["0.yaml:9:3: stays-within needs `with: {brokers:"]),
        ("title: Personal data leaves the EU", "title: ''", ["0.yaml:3:8: `title` is empty"]),
        ("why: Because.", "why: [a]", ["0.yaml:5:6: `why` takes a string"]),
        ("code: ACME1", "code: ACME1\ncode: ACME2", ["0.yaml:2:1: the key `code` is given twice"]),
        ("code: ACME1", "code: {{ x }}", ["0.yaml:1:7: the placeholder"]),
        ("with:", "with: [", ["0.yaml:"]),
    ],
)
def test_a_mistake_is_told_at_its_place(old: str, new: str, said: list[str], tmp_path: Path) -> None:
    assert old in GOOD
    told = mistakes(tmp_path, GOOD.replace(old, new, 1))
    assert len(told) == len(said), told
    for line, part in zip(told, said, strict=True):
        assert part in line, told


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    wrong = GOOD.replace("title:", "titel:").replace("  topics:", "  topcis:")
    told = mistakes(tmp_path, wrong, OTHERS.replace("links: 2", "links: two"), "# nothing\n", "- a\n")
    assert [line.split(": ")[0] for line in told] == ["0.yaml:3:1", "1.yaml:5:15", "2.yaml:1:1", "3.yaml:1:1"]


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("check: survives\nwith: {links: 0}", "survives needs what may fail"),
        ("check: survives", "survives needs what may fail"),
        ("check: survives\nwith: {links: -1}", "`links` takes a whole number from 0"),
        ("check: survives\nwith: {links: 1.5}", "`links` takes a whole number from 0"),
        ("check: survives\nwith: {links: '1'}", "`links` takes a whole number from 0"),
        ("check: hops-within", "hops-within needs `with: {at_most: 4}`"),
        ("check: hops-within\nwith: {at_most: 4, between: site}", "did you mean `sites`?"),
        ("check: hops-within\nwith: 4", "`with` of hops-within is a mapping of `topics`, `at_most` and `between`"),
    ],
)
def test_parameters(parameters: str, said: str, tmp_path: Path) -> None:
    (line,) = mistakes(tmp_path, f"code: ACME1\nid: x\ntitle: X\n{parameters}\n")
    assert said in line


def test_a_name_is_given_once(tmp_path: Path) -> None:
    told = mistakes(tmp_path, GOOD, GOOD.replace("ACME1", "ACME9"), GOOD.replace("pii-stays", "other"))
    assert [line.split(": ", 1)[0] for line in told] == ["1.yaml:1:1", "2.yaml:1:1"]
    assert "the id `pii-stays-in-the-eu` is taken already, by the rule at" in told[0]
    assert "the code `ACME1` is taken already" in told[1]


def test_where_rules_come_from(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / ".hidden").mkdir()
    (tmp_path / "in" / ".hidden" / "a.yaml").write_text("nonsense")
    (tmp_path / "in" / "readme.md").write_text("nonsense")
    (tmp_path / "in" / "deep").mkdir()
    (tmp_path / "in" / "deep" / "one.yml").write_text(GOOD)
    assert [policy.code for policy in read_policies(["in"], str(tmp_path), "here")] == ["ACME1"]
    assert [policy.code for policy in read_policies(["in/deep/one.yml"], str(tmp_path), "here")] == ["ACME1"]
    (tmp_path / "empty").mkdir()
    outside = tmp_path / "outside.yaml"
    outside.write_text(GOOD)
    (tmp_path / "in" / "link.yaml").symlink_to(outside)
    for paths, said in (
        (["gone"], "here: rules: gone: no such file or folder"),
        (["empty"], "there is no rule in this folder"),
        (["../outside.yaml"], "here: rules: "),
        (["link.yaml"], "here: rules: "),
    ):
        base = tmp_path / "in" if "yaml" in paths[0] else tmp_path
        with pytest.raises(UsageError, match=said.replace(".", r"\.")):
            read_policies(paths, str(base), "here")


# -- the schema --


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json_schema())
    assert SCHEMA.is_valid(yaml.safe_load(GOOD))
    for path in (Path(__file__).parents[2] / "examples" / "own-rules" / "momlint-rules").glob("*.yaml"):
        assert SCHEMA.is_valid(yaml.safe_load(path.read_text())), path


WORDS = st.sampled_from(["pii", "eu", ["a"], ["a", "b"], [], {}, 3])
COUNTS = st.sampled_from([0, 1, 2, 10**7, -1, "1", 1.5, True])
SELECTORS = st.dictionaries(st.sampled_from(["tags", "names", "sites", "tag"]), WORDS, max_size=2)
WITH = st.fixed_dictionaries(
    {},
    optional={
        "topics": SELECTORS,
        "brokers": st.one_of(SELECTORS, COUNTS),
        "links": COUNTS,
        "groups": COUNTS,
        "at_most": COUNTS,
        "between": st.sampled_from(["sites", "brokers", "x"]),
    },
)
RULE = st.fixed_dictionaries(
    {
        "code": st.sampled_from(["ACME1", "ACME1", "ACME1", "MOM1", "A1", "ab1"]),
        "id": st.sampled_from(["a-b", "a-b", "a-b", "a-", "A"]),
        "title": st.sampled_from(["T", "T", "T", ""]),
        "check": st.sampled_from(["stays-within", "survives", "hops-within"]),
    },
    optional={"with": WITH, "severity": st.sampled_from(["error", "note", "fatal"]), "x": st.just(1), "why": WORDS},
)


@settings(max_examples=examples(1500), deadline=None)
@given(rule=RULE)
def test_the_schema_takes_what_is_read(rule: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp() / "schema"
    folder.mkdir(exist_ok=True)
    try:
        read(folder, json.dumps(rule))
    except UsageError:
        is_read = False
    else:
        is_read = True
    assert SCHEMA.is_valid(rule) == is_read, rule
