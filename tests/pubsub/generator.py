"""Random models of clients, small enough that every configuration of four of them can be looked at.

States are connected and topics subscribed to, so that something happens; the formulas are such that about half of the
properties hold.
"""

from __future__ import annotations

import random
from typing import Any

import yaml


def model(seed: int) -> str:
    """An estate with one or two roles, one to three messages and one property."""
    dice = random.Random(seed)
    topics = ["t", "u"][: dice.choice([1, 1, 2])]
    names = ["m", "n", "o"][: dice.choice([1, 1, 2, 2, 3])]
    retained = dice.random() < 0.3
    messages = {name: {"topic": dice.choice(topics), "retained": retained and dice.random() < 0.6} for name in names}
    topics = sorted({one["topic"] for one in messages.values()})
    broker: dict[str, Any] = {
        "workers": dice.choice([1, 1, 1, 2]),
        "list": dice.choice(["snapshot", "live"]),
        "notify": dice.choice(["atomic", "atomic", "each"]),
        "session": dice.choice(["clean", "clean", "persistent"]),
    }
    if broker["notify"] == "each":
        broker["on_error"] = dice.choice(["skip", "abort"])
        broker["qos"] = dice.choice([0, 1])
    roles = ["r", "q"][: dice.choice([1, 1, 2])]
    clients = {role: automaton(dice, role, topics, names) for role in roles}
    states = sorted({state for role in clients.values() for state in named(role)})
    never: Any = [formula(dice, states, roles, topics, names) for _ in range(dice.choice([1, 1, 2, 2, 3]))]
    document = {
        "momlint": 1,
        "pubsub": {
            "messages": messages,
            "broker": broker,
            "clients": clients,
            "properties": [{"name": "p", "never": never}],
        },
    }
    return yaml.safe_dump(document, sort_keys=False)


def named(role: dict[str, Any]) -> set[str]:
    """The states of a role."""
    found = {role["start"]}
    for step in role["steps"]:
        found |= set(sources(step)) | {step.get("to", role["start"])}
    return found


def sources(step: dict[str, Any]) -> list[str]:
    """The states in which a step can be taken."""
    return step["from"] if isinstance(step["from"], list) else [step["from"]]


def automaton(dice: random.Random, role: str, topics: list[str], names: list[str]) -> dict[str, Any]:
    """A role whose states hang together."""
    states = [f"{role}{number}" for number in range(dice.choice([2, 3, 3, 4]))]
    steps: list[dict[str, Any]] = []
    if dice.random() < 0.85:
        steps.append({"from": states[0], "do": f"subscribe {dice.choice(topics)}", "to": states[dice.random() < 0.7]})
    if dice.random() < 0.85:
        known = sorted({states[0], *(step["to"] for step in steps)})
        steps.append({"from": dice.choice(known), "do": f"publish {dice.choice(names)}", "to": dice.choice(states)})
    reached = sorted({states[0], *(step["to"] for step in steps)})
    for _ in range(dice.choice([2, 3, 4, 5])):
        do = dice.choice(
            [
                "local",
                *(f"subscribe {t}" for t in topics),
                *(f"unsubscribe {t}" for t in topics),
                *[f"publish {m}" for m in names] * 2,
                *[f"on {m}" for m in names] * 3,
                "disconnect",
                "connect",
            ]
        )
        step: dict[str, Any] = {"from": dice.choice(reached), "do": do}
        if len(reached) > 1 and dice.random() < 0.2:
            step["from"] = sorted(dice.sample(reached, 2))
        if dice.random() < 0.75:
            step["to"] = dice.choice(states)
        known = sorted(named({"start": states[0], "steps": [*steps, step]}))
        if dice.random() < 0.2:
            step["if"] = literal(dice, known, [role], topics, names)
        steps.append(step)
        reached = sorted({*reached, *([step["to"]] if "to" in step else [])})
    dice.shuffle(steps)
    found: dict[str, Any] = {"start": states[0], "steps": steps}
    if dice.random() < 0.25:
        found["count"] = dice.choice([1, 1, 2])
    if dice.random() < 0.1:
        found["offline"] = True
    if dice.random() < 0.25:
        found["crash"] = True
    return found


def formula(dice: random.Random, states: list[str], roles: list[str], topics: list[str], names: list[str]) -> str:
    """Mostly a conjunction of two."""
    parts = [literal(dice, states, roles, topics, names) for _ in range(dice.choice([1, 2, 2, 3]))]
    joined = dice.choice([" and ", " and ", " and ", " or "]).join(parts)
    return f"not ({joined})" if dice.random() < 0.05 else joined


def literal(dice: random.Random, states: list[str], roles: list[str], topics: list[str], names: list[str]) -> str:
    """One question about a client, or its contrary."""
    kind = dice.choice(["state"] * 4 + ["role", "connected", "list", "ever"] + ["message"] * 8)
    message, topic = dice.choice(names), dice.choice(topics)
    atom = {
        "state": dice.choice(states),
        "role": dice.choice(roles),
        "connected": "connected",
        "list": f"subscribed({topic})",
        "ever": f"ever_subscribed({topic})",
        "message": f"{dice.choice(['received', 'received', 'twice', 'late', 'missed'])}({message})",
    }[kind]
    return f"not {atom}" if dice.random() < (0.2 if kind == "message" else 0.3) else atom
