"""The examples of publish/subscribe clients: verdicts and traces as worked out by hand, each step by the page's rules.

Why no trace is shorter stands beside each.
"""

from __future__ import annotations

import json

import pytest

from tests.examples.test_check import check, momlint

EVERYBODY = "candidate A, candidate B and candidate C"
SAFE = {"live-list.yaml": 2, "one-worker.yaml": 1, "lock-for-two.yaml": 1}
#: Example → property, clients, trace.
BROKEN: dict[str, tuple[str, list[str], list[str]]] = {
    # Late is who left after the worker copied the list and before it hands out: subscribe, publish, leave, hand out.
    "snapshot-race.yaml": (
        "nothing after leaving",
        ["writer A", "reader A"],
        [
            "reader A subscribes to feed (out → in)",
            "writer A publishes news; the worker takes it for reader A",
            "reader A unsubscribes from feed (in → out)",
            "the worker hands news to reader A, though it is not on the list of feed",
        ],
    ),
    # Each of two leaders must subscribe and claim.
    "two-workers.yaml": (
        "one leader",
        ["candidate A", "candidate B"],
        [
            "candidate A subscribes to lock (init → ready)",
            "candidate B subscribes to lock (init → ready)",
            "candidate A publishes claim (ready → lead); worker 1 takes it for candidate A and candidate B",
            "candidate B publishes claim (ready → lead); worker 2 takes it for candidate A and candidate B",
        ],
    ),
    # One alarm must be handed out twice.
    "alarm-acknowledged.yaml": (
        "no alarm rings twice",
        ["sensor A", "panel A"],
        [
            "panel A subscribes to alarms (off → quiet)",
            "sensor A publishes alarm (armed → fired); the worker takes it for panel A",
            "the worker hands alarm to panel A (quiet → ringing); the acknowledgement gets lost",
            "the worker hands alarm to panel A, once more",
        ],
    ),
    # Subscribed and connected at publication, offline at its turn, and the worker must be done.
    "alarm-clean.yaml": (
        "no alarm is lost",
        ["sensor A", "panel A"],
        [
            "panel A subscribes to alarms (off → quiet)",
            "sensor A publishes alarm (armed → fired); the worker takes it for panel A",
            "panel A goes offline, and the broker does not notice",
            "the worker skips panel A, who is offline",
            "the worker is done with alarm",
        ],
    ),
    # Three subscribe; one claims, which the other two hear; it frees, which the other two hear.
    "lock-for-any.yaml": (
        "one leader",
        ["candidate A", "candidate B", "candidate C"],
        [
            "candidate A subscribes to lock (init → ready)",
            "candidate B subscribes to lock (init → ready)",
            "candidate C subscribes to lock (init → ready)",
            f"candidate A publishes claim (ready → lead); the worker takes it for {EVERYBODY}",
            "the worker hands claim to candidate A, candidate B (ready → wait) and candidate C (ready → wait)",
            f"candidate A publishes free (lead → done); the worker takes it for {EVERYBODY}",
            "the worker hands free to candidate A, candidate B (wait → lead) and candidate C (wait → lead)",
        ],
    ),
}


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
@pytest.mark.parametrize("example", SAFE)
def test_safe_with_any_number(example: str, engine: str) -> None:
    code, report = check(f"clients/{example}", "--engine", engine)
    assert (code, report["findings"]) == (0, [])
    assert report["summary"]["properties"] == SAFE[example]


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
@pytest.mark.parametrize("example", BROKEN)
def test_broken_as_worked_out(example: str, engine: str) -> None:
    code, report = check(f"clients/{example}", "--engine", engine)
    name, clients, trace = BROKEN[example]
    (finding,) = report["findings"]
    assert (code, finding["code"], finding["data"]["property"]) == (1, "MOM851", name)
    assert finding["witness"] == {"clients": clients, "trace": trace}


def test_code_flows_follow_the_trace() -> None:
    """SARIF shows each line at the step that is taken in it; a worker's at the property."""
    _, printed = momlint("check", "--format", "sarif", "examples/clients/snapshot-race.yaml")
    (result,) = json.loads(printed)["runs"][0]["results"]
    (flow,) = result["codeFlows"][0]["threadFlows"]
    assert [
        (one["location"]["physicalLocation"]["region"]["startLine"], one["location"]["message"]["text"])
        for one in flow["locations"]
    ] == list(zip([15, 11, 16, 18], BROKEN["snapshot-race.yaml"][2], strict=True))
