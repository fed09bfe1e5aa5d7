"""The compiled models are the models: kept as data, so that a run need not import pydantic."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pydantic_core
import pytest

from momlint.estate import compiled, language
from momlint.estate.compiling import compiled_schema
from momlint.estate.language import release
from momlint.estate.model import EstateFile
from tests.estate.marks import load_one
from tests.estate.test_schema import EXAMPLE_YAML

SAME_RELEASE = release(pydantic_core.__version__) == compiled.MADE_WITH


@pytest.mark.skipif(not SAME_RELEASE, reason="made with another release of pydantic-core, so it is not used here")
def test_the_file_is_what_the_models_give() -> None:
    """If this fails: ``python -m momlint.estate.compiling && ruff format momlint/estate``."""
    assert compiled_schema() == compiled.SCHEMA


@pytest.fixture
def other_release(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if another pydantic-core were installed."""
    monkeypatch.setattr(compiled, "MADE_WITH", "0.0")
    language._validator.cache_clear()
    yield
    language._validator.cache_clear()


WRONG = EXAMPLE_YAML.replace("max_hops: 3", "max_hop: 3").replace("cost: 1,", "cost: 0,").replace("[1--2]", "none")


@pytest.mark.usefixtures("other_release")
@pytest.mark.parametrize("text", [EXAMPLE_YAML, WRONG])
def test_with_another_release_the_models_are_used(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And say the same."""
    loaded = load_one(text)
    assert isinstance(language.validate({"momlint": 1}), EstateFile)
    monkeypatch.undo()
    language._validator.cache_clear()
    if SAME_RELEASE:
        assert not isinstance(language.validate({"momlint": 1}), EstateFile)
    again = load_one(text)
    assert loaded.estate == again.estate
    assert loaded.problems == again.problems
    assert len(loaded.problems) == (3 if text is WRONG else 0)


@pytest.mark.skipif(not SAME_RELEASE, reason="made with another release of pydantic-core, so it is not used here")
def test_a_correct_file_is_read_without_pydantic() -> None:
    """Nor with anything else that takes long to import."""
    program = f"""
import sys
from momlint.estate import load_source
from momlint.source import read_source
(loaded,) = load_source(read_source({EXAMPLE_YAML!r}.encode(), "x.yaml"))
assert loaded.problems == [] and loaded.estate is not None
print(sorted({{"pydantic", "difflib", "numpy", "importlib.metadata", "glob"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
