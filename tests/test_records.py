"""Momlint's ``dataclass`` against the standard library's, which is what type checkers take it for."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import subprocess
import sys
from typing import Any

import pytest

from momlint import records

#: Of a field: its default or none, and whether it is compared, hashed and shown.
FIELDS: dict[str, Any] = {
    "plain": dataclasses.MISSING,
    "uncompared": dataclasses.field(compare=False),
    "unhashed": dataclasses.field(hash=False),
    "hashed": dataclasses.field(compare=False, hash=True),
    "unshown": dataclasses.field(repr=False),
    "defaulted": dataclasses.field(default=1),
    "made": dataclasses.field(default_factory=list, hash=False),
}


def body(*, own: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = {"__annotations__": dict.fromkeys(FIELDS, "object"), "__qualname__": "Outer.Inner"}
    made |= {name: value for name, value in FIELDS.items() if value is not dataclasses.MISSING}
    if own:
        made["__repr__"] = lambda self: "its own"
    return made


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize(("frozen", "slots", "eq", "repr_"), list(itertools.product([False, True], repeat=4)))
def test_is_the_library_s(frozen: bool, slots: bool, eq: bool, repr_: bool, own: bool) -> None:
    options = {"frozen": frozen, "slots": slots, "eq": eq, "repr": repr_}
    ours = records.dataclass(**options)(type("Inner", (), body(own=own)))  # type: ignore[call-overload]
    theirs = dataclasses.dataclass(**options)(type("Inner", (), body(own=own)))  # type: ignore[call-overload]

    def seen(cls: Any) -> list[object]:
        values = [(1, 2, 3, 4, 5), (1, 9, 3, 4, 5), (1, 2, 9, 4, 5), (1, 2, 3, 9, 5), (1, 2, 3, 4, 9), (0, 2, 3, 4, 5)]
        made = [cls(*some) for some in (*values, values[0])]
        answers: list[object] = [one == other for one in made for other in made]
        answers += [made[0] == 1, cls.__hash__ is None, [field.name for field in dataclasses.fields(cls)]]
        if cls.__hash__ is not None and eq:
            # Which of them hash alike, not to what: the library promises no number.
            answers += [hash(one) == hash(other) for one in made for other in made]
        if own or repr_:
            answers += [repr(one) for one in made]
        try:
            made[0].plain = 3
        except dataclasses.FrozenInstanceError:
            answers.append("frozen")
        return answers

    assert seen(ours) == seen(theirs)


def test_no_object_equals_one_of_another_class() -> None:
    @records.dataclass(frozen=True)
    class One:
        a: int

    @records.dataclass(frozen=True)
    class Other(One):
        b: int = 0

    assert One(1) != Other(1)
    assert Other(1) == Other(1, 0) != Other(1, 1)
    assert len({Other(1), Other(1, 0), Other(1, 1)}) == 2


@records.dataclass
class Ring:
    next: Ring | None = None


def test_an_object_that_holds_itself_can_be_shown() -> None:
    ring = Ring()
    ring.next = ring
    assert repr(ring) == "Ring(next=...)"


@records.dataclass(frozen=True, slots=True)
class Kept:
    a: int
    b: tuple[str, ...]


def test_goes_through_pickle() -> None:
    kept = Kept(1, ("x",))
    assert pickle.loads(pickle.dumps(kept)) == kept


@pytest.mark.parametrize("order", ["core, whole", "whole, core"])
def test_the_core_of_pydantic_is_the_same_as_pydantic_s(order: str) -> None:
    """Whichever is loaded first; and where momlint's is, the rest is not loaded with it."""
    lines = {
        "core": "import sys, momlint.estate.core as core",
        "whole": "assert 'pydantic_core.core_schema' not in sys.modules\nimport pydantic, pydantic_core",
    }
    first, second = order.split(", ")
    program = "\n".join(
        [
            "import sys",
            lines[first] if first == "core" else "import pydantic, pydantic_core",
            lines[second] if first == "core" else "import momlint.estate.core as core",
            "assert core.ValidationError is pydantic_core.ValidationError is pydantic.ValidationError",
            "assert core.__version__ == pydantic_core.__version__",
            "class Model(pydantic.BaseModel):\n    a: int",
            "try:\n    Model(a='x')\nexcept core.ValidationError as error:\n    print(error.error_count())",
        ]
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "1\n"
