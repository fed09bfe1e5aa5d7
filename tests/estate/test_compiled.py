"""The compiled models are the models: kept as data, so that a run need not import pydantic."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pydantic_core
import pytest

from momlint.estate import compiling, language
from momlint.estate.compiling import compiled_schema
from momlint.estate.language import release
from momlint.estate.model import EstateFile
from tests.estate.marks import load_one
from tests.estate.test_schema import EXAMPLE_YAML

WRONG = EXAMPLE_YAML.replace("max_hops: 3", "max_hop: 3").replace("cost: 1,", "cost: 0,").replace("[1--2]", "none")


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The compiled models in a file of this test's own; nothing of it is remembered afterwards."""
    path = tmp_path / "compiled.json"
    monkeypatch.setattr(language, "KEPT", str(path))
    monkeypatch.setattr(compiling, "KEPT", str(path))
    compiling.keep()
    language._validator.cache_clear()
    return path


@pytest.fixture(autouse=True)
def forget() -> object:
    yield
    language._validator.cache_clear()


def uses_the_models() -> bool:
    """Whether the models themselves are asked, and not what is kept of them."""
    language._validator.cache_clear()
    return isinstance(language.validate({"momlint": 1}), EstateFile)


def test_what_is_kept_is_what_the_models_give(kept: Path) -> None:
    data = json.loads(kept.read_text())
    assert data["schema"] == compiled_schema()
    assert data["made_with"] == release(pydantic_core.__version__)
    assert not uses_the_models()


def another_release(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "made_with": "0.0"}))


def other_models(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "made_of": 1}))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def another_form(path: Path) -> None:
    path.write_text(json.dumps({"schema": {}}))


def no_dictionary(path: Path) -> None:
    path.write_text("[1, 2]")


def nothing(path: Path) -> None:
    path.write_bytes(b"")


def none(path: Path) -> None:
    path.unlink()


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil",
    [another_release, other_models, cut_short, another_form, no_dictionary, nothing, none, a_folder],
    ids=lambda spoil: spoil.__name__,
)
@pytest.mark.parametrize("text", [EXAMPLE_YAML, WRONG], ids=["right", "wrong"])
def test_where_it_does_not_fit_the_models_are_used(text: str, spoil: Callable[[Path], None], kept: Path) -> None:
    """And say the same."""
    assert not uses_the_models()
    loaded = load_one(text)
    spoil(kept)
    assert uses_the_models()
    again = load_one(text)
    assert loaded.estate == again.estate
    assert loaded.problems == again.problems
    assert len(loaded.problems) == (3 if text is WRONG else 0)


def test_it_is_written_only_where_it_is_not_as_it_should_be(kept: Path) -> None:
    before = kept.stat()
    compiling.keep()
    assert kept.stat().st_mtime_ns == before.st_mtime_ns
    text = kept.read_text()
    other_models(kept)
    compiling.keep()
    assert kept.read_text() == text
    assert [path.name for path in kept.parent.iterdir()] == ["compiled.json"]


def test_a_change_of_the_models_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checksum is of the very files, so that what was compiled before a change is not used after it."""
    here = Path(language._HERE)
    for name in language._MODELS:
        (tmp_path / name).write_bytes((here / name).read_bytes())
    before = language.sum_of_models()
    monkeypatch.setattr(language, "_HERE", str(tmp_path))
    assert language.sum_of_models() == before
    for name in language._MODELS:
        with (tmp_path / name).open("a") as stream:
            stream.write("# changed\n")
        after = language.sum_of_models()
        assert after != before
        before = after


def test_a_correct_file_is_read_without_pydantic() -> None:
    """Nor with anything else that takes long to import."""
    program = f"""
import sys
from momlint.estate import load_source
from momlint.source import read_source
(loaded,) = load_source(read_source({EXAMPLE_YAML!r}.encode(), "x.yaml"))
assert loaded.problems == [] and loaded.estate is not None
print(sorted({{"pydantic", "difflib", "numpy", "importlib.metadata", "glob", "json", "hashlib"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
