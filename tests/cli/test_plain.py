"""The arguments of ``check`` that are read without typer mean what typer makes of them."""

from __future__ import annotations

import inspect
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from momlint.cli import app
from momlint.cli.check import Arguments
from momlint.cli.quick import plain_check


def by_typer(words: list[str]) -> Arguments | None:
    """What the command is called with; None where typer refuses."""
    with mock.patch("momlint.cli.check.check", return_value=0) as check:
        code = app.run(["check", *words])
    if code != 0 or not check.called:
        return None
    arguments: Arguments = check.call_args.args[0]
    return arguments


def alike(arguments: Arguments | None) -> list[object] | None:
    return None if arguments is None else [list(v) if isinstance(v, list | tuple) else v for v in arguments]


OPTIONS = [f"--{name.replace('_', '-')}" for name in Arguments._fields if name != "paths"]
VALUES = ["json", "graph", "MOM3", "MOM301,MOM4", "0", "1", "007", "2.5", "1e3", "nan", "-1", "", "-", "--", "a=b", "ä"]
WORDS = st.one_of(
    st.sampled_from(["a.yaml", "-", "--", "b/*.yaml", "", "-q", "-f", "-o", "-j", "-fjson", "-j2", "-qf", "-q=1"]),
    st.sampled_from(["--help", "-h", "--quie", "--nothing", "---", "--=", "-x", "--no-quiet"]),
    st.sampled_from(OPTIONS),
    st.builds("{}={}".format, st.sampled_from([*OPTIONS, "-f"]), st.sampled_from(VALUES)),
    st.sampled_from(VALUES),
)


@settings(deadline=None)
@given(st.lists(WORDS, max_size=6))
@example(["--jobs", "2", "--timeout", "1.5", "-f", "json", "--select", "MOM3", "--select", "MOM4", "-q", "x", "y"])
@example(["--format", "text", "--format=json", "--explain-transients", "--", "-q"])
def test_what_is_read_here_is_what_typer_reads(words: list[str]) -> None:
    here = plain_check(words)
    if here is not None:
        assert alike(here) == alike(by_typer(words))


@pytest.mark.parametrize("option", [name for name in Arguments._fields if name != "paths"])
def test_every_option_is_read_here_in_its_plain_form(option: str) -> None:
    flag = isinstance(Arguments._field_defaults[option], bool)
    words = [f"--{option.replace('_', '-')}", *([] if flag else ["1"])]
    here = plain_check([*words, "a.yaml"])
    assert here is not None
    assert alike(here) == alike(by_typer([*words, "a.yaml"]))
    assert getattr(here, option) != Arguments._field_defaults[option]


def test_the_command_has_no_other_options() -> None:
    assert set(inspect.signature(app.check).parameters) == set(Arguments._fields)
