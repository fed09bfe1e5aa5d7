"""A reader and an explicit search of the part of Cubicle's language that momlint writes; nobody here has Cubicle.

Written from Cubicle's manual: all assignments of a transition look at what was before; the first case that fits counts;
`forall_other` speaks of all processes but the parameters.
"""

from __future__ import annotations

import re
from itertools import permutations, product
from typing import Any, NamedTuple

Config = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


class Transition(NamedTuple):
    parameters: tuple[str, ...]
    requires: str
    everybody: str
    assigns: list[tuple[str, str]]
    changes: list[tuple[str, list[tuple[str, str]]]]


class Cubicle:
    def __init__(self, text: str) -> None:
        text = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
        types = {name: re.findall(r"\w+", values) for name, values in re.findall(r"type (\w+) =([^\n]*)", text)}
        self.variables = re.findall(r"var (\w+) : \w+", text)
        self.arrays = dict(re.findall(r"array (\w+)\[proc\] : (\w+)", text))
        types["bool"] = ["False", "True"]
        self.domains = {name: types[kind] for name, kind in self.arrays.items()}
        (start,) = re.findall(r"init \(z\) \{(.*?)\n\}", text, re.DOTALL)
        self.start = start
        self.unsafe = [
            (tuple(names.split()), body) for names, body in re.findall(r"unsafe \(([^)]*)\) \{(.*?)\}\n", text)
        ]
        self.transitions = []
        pattern = r"transition \w+ \(([^)]*)\)\nrequires \{(.*?)\}\n\{(.*?)\n\}"
        for names, requires, body in re.findall(pattern, text, re.DOTALL):
            own, _, everybody = requires.partition("&& forall_other z. ")
            assigns = re.findall(r"^  (\w+) := (\w+);$", body, re.MULTILINE)
            changes = []
            for array, cases in re.findall(r"(\w+)\[j\] := case\n(.*?);", body, re.DOTALL):
                found = re.findall(r"\| (.*) : (\S+)", cases)
                assert found[-1] == ("_", f"{array}[j]")
                changes.append((array, found[:-1]))
            self.transitions.append(Transition(tuple(names.split()), own, everybody, assigns, changes))
        self.order = [*self.arrays]
        assert self.transitions

    def holds(self, formula: str, config: Config, processes: dict[str, int]) -> bool:
        """A formula of literals, `&&`, `||` and brackets, `&&` tighter."""

        def literal(match: re.Match[str]) -> str:
            left, sign, right = match[1], match[2], match[3]
            return str((self.value(left, config, processes) == self.value(right, config, processes)) == (sign == "="))

        plain = re.sub(r"([\w\[\]]+) (=|<>) ([\w\[\]]+)", literal, formula).replace("&&", " and ").replace("||", " or ")
        return not plain.strip() or bool(eval(plain.replace("\n", " ").strip(), {}))

    def value(self, word: str, config: Config, processes: dict[str, int]) -> Any:
        match = re.fullmatch(r"(\w+)\[(\w+)\]", word)
        if match:
            return config[1][processes[match[2]]][self.order.index(match[1])]
        if word in self.variables:
            return config[0][self.variables.index(word)]
        return processes.get(word, word)

    def starts(self, number: int) -> list[Config]:
        idle = ("Idle",) * len(self.variables)
        alone = [
            values
            for values in product(*(self.domains[name] for name in self.order))
            if self.holds(self.start, (idle, (values,)), {"z": 0})
        ]
        return [(idle, chosen) for chosen in product(alone, repeat=number) if list(chosen) == sorted(chosen)]

    def successors(self, config: Config) -> list[Config]:
        found = []
        everybody = range(len(config[1]))
        for one in self.transitions:
            for chosen in permutations(everybody, len(one.parameters)):
                processes = dict(zip(one.parameters, chosen, strict=True))
                if not self.holds(one.requires, config, processes):
                    continue
                if one.everybody and not all(
                    self.holds(one.everybody, config, {**processes, "z": other})
                    for other in everybody
                    if other not in chosen
                ):
                    continue
                assigns = dict(one.assigns)
                variables = tuple(
                    assigns.get(name, value) for name, value in zip(self.variables, config[0], strict=True)
                )
                clients = []
                for process in everybody:
                    values = list(config[1][process])
                    for array, cases in one.changes:
                        for condition, value in cases:
                            if self.holds(condition, config, {**processes, "j": process}):
                                values[self.order.index(array)] = value
                                break
                    clients.append(tuple(values))
                found.append((variables, tuple(sorted(clients))))
        return found

    def is_unsafe(self, config: Config) -> bool:
        return any(
            self.holds(body, config, dict(zip(names, chosen, strict=True)))
            for names, body in self.unsafe
            for chosen in permutations(range(len(config[1])), len(names))
        )

    def shortest(self, number: int, most: int) -> int | None:
        """The steps to something unsafe with so many processes; None for never. Raises `OverflowError`."""
        layer = list(dict.fromkeys(self.starts(number)))
        known, steps = set(layer), 0
        while layer:
            if any(self.is_unsafe(config) for config in layer):
                return steps
            layer = [
                one
                for one in dict.fromkeys(two for config in layer for two in self.successors(config))
                if one not in known
            ]
            known.update(layer)
            if len(known) > most:
                raise OverflowError
            steps += 1
        return None
