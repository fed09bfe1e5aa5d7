"""NuSMV for tests: where it is, and what happens where it is not."""

from __future__ import annotations

import os

import pytest

from momlint.errors import UsageError
from momlint.solving.nusmv import find_nusmv

#: Set to 1 where the tests may do without NuSMV.
MAY_BE_ABSENT = "MOMLINT_TEST_WITHOUT_NUSMV"


def nusmv() -> str:
    """The program; without one the test fails, or is skipped where `MAY_BE_ABSENT` says so."""
    try:
        return find_nusmv()
    except UsageError as error:
        if os.environ.get(MAY_BE_ABSENT) == "1":
            pytest.skip(f"{MAY_BE_ABSENT}=1, and {error}")
        pytest.fail(
            f"{error}. `python scripts/nusmv/install.py FOLDER` gets it from PyPI and prints the path; "
            f"{MAY_BE_ABSENT}=1 skips these tests"
        )
