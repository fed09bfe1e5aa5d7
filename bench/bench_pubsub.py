"""How large a question about publish/subscribe clients may be: messages, workers and states against time.

    python -m bench.bench_pubsub [--seconds 60] [--quick]

One client: ``received(m0) and not ever_subscribed(main)`` of clients that subscribe, publish in turn and start again.
Two clients: one chooser publishes one message again and again, many voters follow what they receive, and no two follow
different ones. Both hold. ``kinds`` are the states of a client that the question tells apart, ``worlds`` the broker's,
``cubes`` what the backward search is left with; ``search`` and ``z3`` are seconds: to prove it, and to check the proof.
What takes longer than ``--seconds`` is undecided, and never a pass.
"""

from __future__ import annotations

import argparse
import time

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.pubsub.asking import invariant_of
from momlint.pubsub.certificate import violation
from momlint.pubsub.compiled import Question
from momlint.pubsub.deciding import decide
from momlint.pubsub.form import Clients
from momlint.pubsub.read import read
from momlint.solving.limits import GaveUp, SolverLimits

#: (clients of the property, notify, messages, workers, states).
SMALL = [
    (1, "atomic", 1, 1, 3),
    (1, "atomic", 3, 2, 5),
    (1, "atomic", 5, 1, 5),
    (2, "atomic", 2, 1, 3),
    (2, "atomic", 2, 2, 5),
]
LARGE = [
    (1, "atomic", 5, 2, 5),
    (1, "atomic", 5, 3, 8),
    (1, "each", 5, 2, 5),
    (2, "atomic", 3, 2, 5),
    (2, "atomic", 3, 2, 10),
    (2, "each", 3, 2, 5),
    (2, "atomic", 4, 2, 5),
    (2, "atomic", 5, 2, 5),
    (2, "atomic", 3, 3, 5),
    (2, "atomic", 8, 4, 8),
]


def alone(messages: int, workers: int, states: int, notify: str) -> str:
    """Clients with a property of one."""
    names = [f"m{number}" for number in range(messages)]
    steps = ["{from: s0, to: s1, do: subscribe main}", "{from: s1, to: s0, do: unsubscribe main}"]
    for state in range(1, states):
        name, other = names[state % messages], names[(state + 1) % messages]
        after = state + 1 if state + 1 < states else 1
        steps.append(f'{{from: s{state}, to: s{after}, do: publish {name}, if: "not received({name})"}}')
        steps.append(f"{{from: s{state}, to: s0, do: on {other}}}")
    roles = f"    c: {{start: s0, crash: true, steps: [{', '.join(steps)}]}}\n"
    return _document(names, workers, notify, roles, '["received(m0) and not ever_subscribed(main)"]')


def together(messages: int, workers: int, states: int, notify: str) -> str:
    """Clients with a property of two."""
    names = [f"m{number}" for number in range(messages)]
    choices = [f"{{from: [free, with-{one}], to: with-{one}, do: publish {one}}}" for one in names]
    steps = ["{from: s0, to: s1, do: subscribe main}"]
    steps += [f"{{from: s{one}, to: s{one + 1 if one + 1 < states else 1}, do: local}}" for one in range(1, states)]
    everywhere = ", ".join(f"s{one}" for one in range(states))
    for name in names:
        steps.append(f"{{from: [{everywhere}], to: for-{name}, do: on {name}}}")
        steps.append(f"{{from: for-{name}, to: s0, do: unsubscribe main}}")
    roles = f"    chooser: {{start: free, count: 1, steps: [{', '.join(choices)}]}}\n"
    roles += f"    voter: {{start: s0, crash: true, steps: [{', '.join(steps)}]}}\n"
    return _document(names, workers, notify, roles, "[for-m0, for-m1]")


def _document(names: list[str], workers: int, notify: str, roles: str, never: str) -> str:
    messages = ", ".join(f"{name}: " for name in names)
    return (
        f"momlint: 1\npubsub:\n  messages: {{{messages}}}\n  broker: {{workers: {workers}, notify: {notify}}}\n"
        f"  clients:\n{roles}  properties:\n    - {{never: {never}}}\n"
    )


def form_of(text: str) -> Clients:
    """The clients of a document without faults."""
    (loaded,) = open_bytes(text.encode(), "bench.yaml", Access(None)).estates
    found = read(loaded).clients
    assert found is not None
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--quick", action="store_true", help="only what takes seconds")
    arguments = parser.parse_args()
    print("clients  notify  messages  workers  states   kinds  worlds   cubes   search       z3")
    for clients, notify, messages, workers, states in SMALL if arguments.quick else SMALL + LARGE:
        form = form_of((alone if clients == 1 else together)(messages, workers, states, notify))
        started = time.perf_counter()
        answer = decide(form, Question(form.properties[0].never), arguments.seconds)
        took = time.perf_counter() - started
        line = f"{clients:7}  {notify:6}  {messages:8}  {workers:7}  {states:6}"
        if answer.model is not None:
            line += f"  {len(answer.model.states):6}  {len(answer.model.worlds):6}"
        invariant = invariant_of(answer)
        if answer.model is None or answer.reached is None or invariant is None:
            print(f"{line}  undecided: {answer.reason}", flush=True)
            continue
        started = time.perf_counter()
        limits = SolverLimits(2_000_000_000, time.monotonic() + arguments.seconds, arguments.seconds)
        try:
            fault = violation(answer.model, invariant, limits)
            checked = f"{time.perf_counter() - started:7.1f}"
            assert fault is None, fault
        except GaveUp:
            checked = "gave up"
        print(f"{line}  {len(answer.reached.cubes):6}  {took:7.1f}  {checked}", flush=True)


if __name__ == "__main__":
    main()
