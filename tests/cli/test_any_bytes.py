"""Whatever the bytes, a check ends with a code for findings and without a fault."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr
from unittest import mock

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.cli import main
from tests.budget import examples
from tests.cli.estates import BLACK_HOLE, GOOD

FULL = (
    GOOD
    + """\
failures:
  tolerate: single-link
  colours: {normal: [], cut: [1--2]}
  recovery:
    1:
      - &row {to: 2, via: 3, colours: [cut]}
      - {<<: *row, to: 3}
  takeover: {1: 2}
specs:
  - {name: a, ctl: "AF (loc = 2)"}
"""
).encode()
SEEDS = [BLACK_HOLE.encode(), GOOD.encode(), FULL]
PIECES = [
    b"{{ x }}",
    b"*row",
    b"&a ",
    b"<<: ",
    b"- ",
    b": ",
    b"\t",
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"---\n",
    b"!!binary ",
    b"!x ",
    b"[",
    b"]",
    b"{",
    b"}",
    b"'",
    b'"',
    b"|\n",
    b"? ",
    b"# momlint: ignore[MOM303]\n",
    b"1e999",
    b"-1",
    b"99999999999999999999",
    b"nan",
    b"null",
    b"include: ['*']\n",
    b"%YAML 9.9\n",
    "\u2028é名".encode(),
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 30)))
        piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4), st.just(b"")))
        data = data[:start] + piece + data[end:]
    return data


def check(data: bytes) -> tuple[int, str, str]:
    err = io.StringIO()
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    stdin = io.TextIOWrapper(io.BytesIO(data))
    with mock.patch.object(sys, "stdin", stdin), mock.patch.object(sys, "stdout", out), redirect_stderr(err):
        code = main(["check", "-", "--format", "json", "--engine", "graph"])
    out.flush()
    buffer = out.buffer
    assert isinstance(buffer, io.BytesIO)
    return code, buffer.getvalue().decode(), err.getvalue()


@settings(deadline=None, max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.one_of(mutated(), st.binary(max_size=60)))
def test_any_bytes(data: bytes) -> None:
    code, out, err = check(data)
    assert code in (0, 1), err
    assert "Traceback" not in err
    report = json.loads(out)
    lines = data.decode("utf-8", "replace").splitlines() or [""]
    assert (code == 1) == (report["summary"]["errors"] > 0)
    for finding in report["findings"]:
        start, end = finding["span"]["start"], finding["span"]["end"]
        assert (start["line"], start["column"]) <= (end["line"], end["column"])
        assert start["line"] >= 1
        assert start["column"] >= 1
        assert finding["message"]
    assert lines
