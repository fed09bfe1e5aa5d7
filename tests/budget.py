"""How many random examples a test tries: a fifth of its number, or all with ``MOMLINT_TEST_ALL=1`` in the environment.

The fast test command is for everybody, many times a day; so is what CI runs. ``scripts/check --all`` tries all.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

#: Whether the tests take the time they need.
ALL = os.environ.get("MOMLINT_TEST_ALL") == "1"
_SHARE = 5


def examples(count: int) -> int:
    """For ``settings(max_examples=…)``; not for a test marked slow, which is run to be thorough."""
    return count if ALL else count // _SHARE


def one_in(share: int, values: Iterable[Any]) -> list[ParameterSet]:
    """Parameters of which one in `share` is tried with the fast tests, and the others with the slow ones."""
    return [pytest.param(one, marks=[pytest.mark.slow] if at % share else []) for at, one in enumerate(values)]
