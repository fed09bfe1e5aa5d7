"""What nobody declares, and what is no formula, is a MOM102 at the word; then nothing is proved of the clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.lint import Options, lint_bytes, merge

TEXT = """\
momlint: 1
pubsub:
  messages: {claim: {topic: lock, retained: true}, free: {topic: lock}}
  broker: {workers: 2}
  clients:
    candidate:
      start: init
      steps:
        - {from: init, to: ready, do: subscribe lock}
        - {from: ready, to: lead, do: publish claim, if: not received(claim)}
        - {from: ready, to: wait, do: on claim}
    observer:
      start: watching
      steps:
        - {from: [watching, wait], do: local}
  properties:
    - {name: one leader, never: [lead and connected, lead and connected]}
"""
#: The end of the second formula, which begins at 17:54.
SECOND = "lead and connected]"


def found(text: str) -> list[tuple[str, tuple[int, int], tuple[int, int], str]]:
    options = Options()
    report = merge([lint_bytes(text.encode(), "clients.yaml", options)], options)
    return [(one.code, one.span.start, one.span.end, one.message) for one in report.findings]


def test_the_text_is_right() -> None:
    assert {code for code, *_ in found(TEXT)} == {"MOM851"}


@pytest.mark.parametrize(
    ("old", "new", "line", "columns", "message"),
    [
        ("subscribe lock", "subscribe lok", 9, (49, 52), "there is no topic `lok`; did you mean `lock`?"),
        ("publish claim", "publish clam", 10, (47, 51), "there is no message `clam`; did you mean `claim`?"),
        ("do: on claim", "do: when claim", 11, (39, 49), "there is no action `when`"),
        ("do: local", "do: local lock", 15, (40, 50), "`local` takes nothing after it, not `lock`"),
        ("do: on claim", "do: on", 11, (39, 41), "`on` needs a message"),
        ("received(claim)}", "received(clam)}", 10, (71, 75), "there is no message `clam`; did you mean `claim`?"),
        ("received", "recieved", 10, (62, 70), "there is no predicate `recieved(…)`; did you mean `received`?"),
        (SECOND, "led]", 17, (54, 57), "there is no state, role or predicate `led`; did you mean `lead`?"),
        (SECOND, "observer.lead]", 17, (54, 67), "role `observer` has no state `lead`"),
        (SECOND, "subscribed(lok)]", 17, (65, 68), "there is no topic `lok`; did you mean `lock`?"),
        (SECOND, "late]", 17, (54, 58), "`late` needs a message: `late(MESSAGE)`"),
        (SECOND, "lead & connected]", 17, (59, 60), "`&` is written `and` here"),
        (SECOND, "lead and]", 17, (61, 62), "the formula ends too soon; expected a predicate"),
        (SECOND, "(lead]", 17, (58, 59), "the formula ends too soon; expected `)`"),
        (SECOND, "lead wait]", 17, (59, 63), "`wait` cannot stand here; expected `and`, `or` or the end"),
        (SECOND, "received(claim]", 17, (62, 63), "this bracket is not closed"),
    ],
)
def test_names_and_formulas(old: str, new: str, line: int, columns: tuple[int, int], message: str) -> None:
    assert TEXT.count(old) == 1
    findings = found(TEXT.replace(old, new))
    start, end = columns
    assert findings == [("MOM102", (line, start), (line, end), message)]


@pytest.mark.parametrize(
    ("old", "new", "place", "start"),
    [
        ("start: init", "strat: init", (7, 7), "unknown field `strat` in role `candidate`; did you mean `start`?"),
        ("from: init", "form: init", (9, 12), "unknown field `form` in step 1 of role `candidate`"),
        ("retained: true", "retained: yes", (3, 45), "`retained` of message `claim` takes true or false"),
        ("workers: 2", "workers: 0", (4, 21), "`workers` of `broker` of `pubsub` takes a whole number, 1"),
        ("workers: 2", "list: copy", (4, 18), "`list` of `broker` of `pubsub` takes snapshot or live"),
        ("workers: 2", "qos: 2", (4, 17), "`qos` of `broker` of `pubsub` takes 0 or 1, not `2`"),
        ("start: watching", "start: watching\n      count: some", (14, 14), "`count` of role `observer` takes any"),
    ],
)
def test_wrong_values(old: str, new: str, place: tuple[int, int], start: str) -> None:
    findings = found(TEXT.replace(old, new, 1))
    assert [(code, begins) for code, begins, *_ in findings] == [("MOM102", place)]
    assert findings[0][3].startswith(start)


def test_a_wrong_property_loses_only_itself() -> None:
    lines = ["{name: other, never: led}", "{name: two leaders, never: [lead, lead]}", "{nam: no, never: lead}"]
    text = TEXT + "".join(f"    - {line}\n" for line in lines)
    assert [(code, start[0]) for code, start, *_ in found(text)] == [
        ("MOM851", 17),
        ("MOM102", 18),
        ("MOM851", 19),
        ("MOM102", 20),
    ]


def test_a_name_of_two_things_is_refused_where_it_is_used() -> None:
    said = "`connected` is a predicate and a state; write `candidate.connected`"
    findings = found(TEXT.replace("wait", "connected"))
    assert [(start, end) for _, start, end, _ in findings] == [((17, 43), (17, 52)), ((17, 63), (17, 72))]
    assert all(message.startswith(said) for *_, message in findings)
    findings = found(TEXT.replace("wait", "observer").replace(SECOND, "observer]"))
    assert [one[3] for one in findings] == [
        "`observer` is a role and a state; write `candidate.observer` for the state"
    ]


def test_a_state_may_be_called_as_a_predicate_that_needs_an_argument() -> None:
    text = TEXT.replace("wait", "late").replace(SECOND, "late and not 'late' or candidate.late and observer]")
    assert [code for code, *_ in found(text)] == ["MOM852"]  # nobody is and is not late; no observer is a candidate


def test_parts_in_other_files(tmp_path: Path) -> None:
    main, rest = TEXT.split("  properties:\n")
    (tmp_path / "steps.yaml").write_text(main)
    (tmp_path / "main.yaml").write_text("momlint: 1\ninclude: [steps.yaml]\npubsub:\n  properties:\n" + rest)
    (tmp_path / "twice.yaml").write_text(main + "include: [steps.yaml]\n")
    options = Options()

    def check(name: str) -> list[tuple[str, str]]:
        data = (tmp_path / name).read_bytes()
        report = merge([lint_bytes(data, str(tmp_path / name), options)], options)
        return [(one.code, Path(one.file).name) for one in report.findings]

    assert check("main.yaml") == [("MOM851", "main.yaml")]
    # Two messages, two roles, the broker.
    assert check("twice.yaml") == [("MOM103", "steps.yaml")] * 5
