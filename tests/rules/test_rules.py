"""Every rule: its page, its example, and estates that pass and fail it with the spans written beside them.

An estate under ``tests/rules/<CODE>/`` whose name begins with ``fail`` ends in comments that say what is expected,
``# expect: MOM302 13:9-13:15``, all of it and nothing else; one whose name begins with ``pass`` gives no finding.
The spans were counted by hand.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest
import yaml

from momlint.catalog import RuleName, load_rules, rule_names
from momlint.delivery.discipline import FAMILY as DELIVERY
from momlint.lint import Options, lint_bytes, merge
from momlint.pubsub.discipline import FAMILY as PUBSUB
from momlint.routed.discipline import FAMILIES
from tests.routed.engines.nusmv import nusmv

HERE = Path(__file__).parent
#: Where the checks of a family are.
CHECKS = {
    **dict.fromkeys(FAMILIES, "momlint.routed.checks"),
    PUBSUB: "momlint.pubsub.checks",
    DELIVERY: "momlint.delivery.checks",
}
#: Rules about what engines answer; no text of an estate brings them about. tests/routed/engines/test_ask.py shows both.
#: MOM802 takes several files of NATS: tests/native/test_cases.py has one.
WITHOUT_ESTATE = {"MOM802", "MOM901", "MOM902"}
CASES = sorted(path for path in HERE.glob("MOM*/*") if path.suffix in (".yaml", ".conf", ".json"))
#: Notes that many small estates would give, fit or not: every tree has single points of failure. They are listed where
#: they are the rule's own affair, and left out elsewhere.
OFTEN = {"MOM501": {"MOM501", "MOM502"}}
EXPECTATION = re.compile(r"^# expect: (MOM\d+ \d+:\d+-\d+:\d+)$", re.MULTILINE)


def findings_of(text: str, engine: str, code: str, file: str = "case.yaml") -> list[str]:
    """The findings of an estate that belongs to rule `code`; `file`: what it is called, which may say what it is."""
    ignore = tuple(often for often, rules in OFTEN.items() if code not in rules)
    options = Options(engine=engine, ignore=ignore, protocol=code == "MOM410")  # type: ignore[arg-type]
    report = merge([lint_bytes(text.encode(), file, options)], options)
    return [
        f"{f.code} {f.span.start.line}:{f.span.start.column}-{f.span.end.line}:{f.span.end.column}"
        for f in report.findings
    ]


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_estate(case: Path, engine: str) -> None:
    text = case.read_text()
    # JSON has no comments.
    beside = case.with_suffix(".expect")
    expected = EXPECTATION.findall(beside.read_text() if beside.exists() else text)
    assert bool(expected) == case.stem.startswith("fail"), (
        "a failing estate says what it expects, a passing one nothing"
    )
    assert sorted(findings_of(text, engine, case.parent.name, f"case{case.suffix}")) == sorted(expected)
    if expected:
        assert any(line.startswith(case.parent.name) for line in expected)


@pytest.mark.parametrize("case", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_estate_by_nusmv(case: Path) -> None:
    """The same findings, with NuSMV to say which messages arrive."""
    nusmv()
    if case.suffix != ".yaml":
        pytest.skip("NuSMV follows next hops; a native file has none")
    text = case.read_text()
    assert sorted(findings_of(text, "nusmv", case.parent.name)) == sorted(EXPECTATION.findall(text))


@pytest.mark.parametrize("name", rule_names(), ids=lambda name: name.code)
def test_rule_has_its_page_and_estates(name: RuleName) -> None:
    rule = name.load()
    assert (rule.code, rule.id) == (name.code, name.id)
    assert len(rule.why) > 40
    assert len(rule.remedy) > 20
    if name.family in CHECKS:
        module = importlib.import_module(f"{CHECKS[name.family]}.find_{name.id.replace('-', '_')}")
        assert module.__doc__.startswith(name.code)
    if name.code in WITHOUT_ESTATE:
        return
    kinds = {case.stem.split("-")[0] for case in CASES if case.parent.name == name.code}
    assert kinds == {"pass", "fail"}
    assert name.code in " ".join(findings_of(rule.bad, "graph", name.code, rule.file))
    assert findings_of(rule.good, "graph", name.code, rule.file) == []


def test_codes_and_ids_are_those_of_the_contract() -> None:
    """The table of codes in the language's contract, copied by hand."""
    contract = yaml.safe_load((HERE / "contract.yaml").read_text())
    for rule in load_rules():
        severity, identifier = contract[rule.code].split(" ", 1)
        assert (rule.severity.value[0].upper(), rule.id) == (severity, identifier)


@pytest.mark.parametrize("package", sorted(set(CHECKS.values())))
def test_check_files_belong_to_rules(package: str) -> None:
    checks = {path.stem for path in Path(importlib.import_module(package).__file__).parent.glob("find_*.py")}
    assert checks == {
        f"find_{name.id.replace('-', '_')}" for name in rule_names() if CHECKS.get(name.family) == package
    }
