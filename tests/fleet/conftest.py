"""One Spark session for all tests that need one; they are skipped where there is no pyspark, pandas or Java."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from momlint.errors import UsageError
from momlint.fleet import ShardLimits
from momlint.fleet.session import check_requirements
from tests.cli.conftest import run

if TYPE_CHECKING:
    from momlint.fleet.spark import OnSpark

__all__ = ["needs_spark", "run", "spark"]

ROOT = str(Path(__file__).resolve().parents[2])


@pytest.fixture(scope="session")
def needs_spark() -> None:
    try:
        check_requirements()
    except UsageError as reason:
        if os.environ.get("MOMLINT_TEST_SPARK") == "1":
            pytest.fail(f"{reason}; without MOMLINT_TEST_SPARK=1 these tests are skipped")
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def spark(needs_spark: None) -> Iterator[OnSpark]:
    from momlint.fleet.spark import OnSpark

    # Works of the tests are imported by name in the workers.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = ROOT
    try:
        with OnSpark("local[2]", ShardLimits(seconds=60.0, memory=4 << 30)) as runner:
            yield runner
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
