"""A fault of momlint over one file takes nothing from the reports of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "error", [IndexError("list index out of range"), KeyError("x"), RecursionError(), AssertionError()]
)
@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github", "concise"])
def test_the_rest_is_reported(
    error: Exception, form: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run("check", "--format", "concise", "bad.yaml")
    assert (alone.code, "MOM303" in alone.out) == (1, True)
    from momlint import lint

    opened = lint.open_for

    def fail(data: bytes, file: str, *more: object) -> object:
        if file == "good.mom.yaml":
            raise error
        return opened(data, file, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(lint, "open_for", fail)
    ran = run("check", "--format", form, "--fail-on", "never", "bad.yaml", "good.mom.yaml", "warning.mom.yaml")
    assert ran.code == 2
    said = ran.out + ran.err
    assert "good.mom.yaml: internal fault: " + type(error).__name__ in said
    assert "a bug in momlint, not in your estate" in said
    assert "MOM303" in ran.out
