"""Damaged inputs of one kind, one after the other, in a process: ``python -m tests.hostile.fuzzing KIND SEED COUNT``.

In a process, since what goes wrong in a library may end it, and to see how much memory it takes at the most. The last
line tells that, in bytes; the lines before it each an input that went wrong, which stays in the working folder.
"""

from __future__ import annotations

import contextlib
import io
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from momlint.cli import main

#: Seconds that one input may take.
MOST_SECONDS = 10.0

ESTATE = """\
momlint: 1
name: small
brokers:
  a: {availability: 0.9, processing_ms: 1}
  b:
  c: {transit: false}
links:
  - {id: x, between: [a, b], cost: 1.5, latency_ms: 2}
  - {from: b, to: c, cost: 2}
  - {between: [c, a], latency_ms: {c->a: 3, a->c: 4}}
groups: {g: [x, b]}
topics:
  t: {publishers: [a], subscribers: [b, c], max_hops: 2, max_latency_ms: 40}
  u: &u {publishers: [b], subscribers: [a]}
  v: {<<: *u, max_hops: 1}
routing:
  protocol: shortest-path
  tables: {a: {b: [c]}}
failures:
  tolerate: {links: 1, groups: 1}
  colours: {n: [], x: [x], g: [g], a: [a]}
  takeover: {a: [b, c]}
  recovery: RECOVERY
specs:
  - {name: p, ctl: "AG (loc = a -> AF loc = b)"}
  - {name: q, ltl: "G (src = a -> F loc = dest)"}
"""
RECOVERY = """
    a: [{to: b, via: b, colours: [n]}, {to: c, via: c, except: [x]}]
    b: [{to: a, via: a, colours: [n, x]}]
"""
SETTINGS = """\
select = ["MOM1", "MOM3"]
ignore = ["MOM501"]
exclude = ["old/**", "*.bak"]
fail-on = "warning"
format = "concise"
engine = "graph"
timeout = 20
jobs = 1
per-file-ignores = {"x*" = ["MOM3"], "**/y" = ["MOM102"]}
"""
FORMULA = "AG ((loc = a & !(src = b)) -> E [loc = a U (loc = b | AX colour = n)]) & AF (loc != dest)"
PIECES = [
    "{", "}", "[", "]", ":", ": ", ",", "- ", "? ", "&u ", "*u", "<<: *u", "|", ">-", "'", '"', "#", "\n", "\n  ", "\t",
    "\r", "\x00", "\x1b[31m", "\u2028", "\ufeff", "é", "😀", "\\", "..", "*", "**/", "{{ x }}", "{% x %}", "!!binary ",
    "---\n", "null", "~", "{}", "[]", "true", "-1", "0", "1e400", ".inf", ".nan", "1e-400", "9" * 40, "0x10", "010",
    "momlint: 1\n", "include: ['**']\n", "include: [x.mom.yaml]\n", "(" * 300, "!" * 300, "AX " * 200, "[" * 400,
    "a", "b", "# momlint: ignore[MOM3]", "1979-05-27", "\"\"\"", "'''", "= ", "a.b = ",
]  # fmt: skip


def damaged(text: bytes, draw: random.Random) -> bytes:
    """Cut, doubled, swapped, and with what hurts put in."""
    for _ in range(draw.choice((1, 1, 2, 4, 8))):
        at = draw.randrange(len(text) + 1)
        to = min(len(text), at + draw.choice((0, 1, 4, 30)))
        match draw.randrange(5):
            case 0:
                text = text[:at] + text[to:]
            case 1:
                text = text[:at] + text[at:to] * draw.choice((2, 3, 200)) + text[to:]
            case 2:
                text = text[:at] + bytes([draw.randrange(256)]) + text[to:]
            case _:
                text = text[:at] + draw.choice(PIECES).encode() * draw.choice((1, 1, 2)) + text[to:]
    return text


def damaged_lines(text: str, draw: random.Random) -> str:
    """Still YAML, mostly: lines left out, doubled and moved, values in other places."""
    lines = text.splitlines()
    for _ in range(draw.choice((1, 2, 3))):
        one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
        match draw.randrange(4):
            case 0:
                del lines[one]
            case 1:
                lines.insert(other, lines[one])
            case 2:
                key, colon, _ = lines[one].partition(":")
                lines[one] = key + colon + " " + draw.choice(["", "{}", "[]", "~", "1", "a", "[[a]]", "{a: {a: a}}"])
            case _:
                _, _, value = lines[other].partition(":")
                key, colon, _ = lines[one].partition(":")
                lines[one] = key + colon + value
    return "\n".join(lines) + "\n"


def write(name: str, data: str | bytes) -> None:
    """A file in the working folder."""
    Path(name).write_bytes(data.encode() if isinstance(data, str) else data)


def write_bytes(draw: random.Random) -> None:
    """An estate of any bytes."""
    whole = ESTATE.replace("RECOVERY", RECOVERY).encode()
    write("x.mom.yaml", damaged(whole, draw) if draw.random() < 0.9 else draw.randbytes(draw.randrange(200)))


def write_structure(draw: random.Random) -> None:
    """An estate whose sections are not what they should be."""
    write("x.mom.yaml", damaged_lines(ESTATE.replace("RECOVERY", RECOVERY), draw))


def write_csv(draw: random.Random) -> None:
    """Recovery rows in CSV."""
    rows = "broker,to,via,colours,except\na,b,b,n;x,\nb,a,a,,g\na,c,c,n,\nc,a,a,n x,\n"
    write("t.csv", damaged(rows.encode(), draw))
    write("x.mom.yaml", ESTATE.replace("RECOVERY", "{file: t.csv}"))


def write_parquet(draw: random.Random) -> None:
    """Recovery rows in Parquet, damaged in their footer mostly."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    many = draw.choice((1, 40))
    columns = {"broker": ["a", "b"], "to": ["b", "a"], "via": ["b", "a"], "colours": [["n"], ["n", "x"]]}
    options = draw.choice(
        (
            {},
            {"use_dictionary": False, "compression": "none"},
            {"compression": "none", "row_group_size": 16},
            {"compression": "none", "data_page_version": "2.0"},
            {"compression": "zstd", "write_page_index": True},
        )
    )
    pq.write_table(pa.table({name: values * many for name, values in columns.items()}), "t.parquet", **options)
    data = bytearray(Path("t.parquet").read_bytes())
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(footer, len(data) - 8) if draw.random() < 0.7 else draw.randrange(4, len(data))
        match draw.randrange(3):
            case 0:
                data[at] = draw.choice((0, 1, 2, 3, 127, 128, 254, 255, draw.randrange(256)))
            case 1:
                length = draw.randrange(1, 6)  # a number as large as so many bytes can make it
                data[at : at + length] = bytes([255] * (length - 1) + [127])
            case _:
                data[at] ^= 1 << draw.randrange(8)
    write("t.parquet", bytes(data))
    write("x.mom.yaml", ESTATE.replace("RECOVERY", "{file: t.parquet}"))


def write_formula(draw: random.Random) -> None:
    """A specification that may be none."""
    formula = damaged(FORMULA.encode(), draw).decode("utf-8", "replace").replace("'", "''").replace("\n", " ")
    logic = draw.choice(("ctl", "ltl"))
    without = ESTATE[: ESTATE.index("failures:")]
    write("x.mom.yaml", f"{without}specs:\n  - {{name: p, {logic}: '{formula}'}}\n")


def write_configuration(draw: random.Random) -> None:
    """Settings that may be none."""
    write("momlint.toml", damaged(SETTINGS.encode(), draw))
    write("x.mom.yaml", ESTATE.replace("RECOVERY", RECOVERY))


KINDS: dict[str, Callable[[random.Random], None]] = {
    "bytes": write_bytes,
    "structure": write_structure,
    "csv": write_csv,
    "parquet": write_parquet,
    "formula": write_formula,
    "configuration": write_configuration,
}


def wrong(arguments: Sequence[str]) -> str | None:
    """What is wrong with how this input is met; None where nothing is."""
    out, err = io.StringIO(), io.StringIO()
    started = time.monotonic()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    passed = time.monotonic() - started
    said = Path("report").read_text() if Path("report").exists() else ""
    if code not in (0, 1, 2, 3) or "internal fault" in err.getvalue() or "Traceback" in err.getvalue():
        return f"exit {code}: {err.getvalue()[:300]!r}"
    if "MOM902" in said or "MOM901" in said:
        return f"undecided, or the engines disagree: {said[:300]!r}"
    return f"it takes {passed:.1f} s" if passed > MOST_SECONDS else None


def run(kind: str, seed: int, count: int) -> None:
    """Try so many inputs."""
    for number in range(count):
        draw = random.Random(f"{kind} {seed} {number}")
        for name in ("momlint.toml", "report"):
            Path(name).unlink(missing_ok=True)
        KINDS[kind](draw)
        # It is known where the process ended.
        Path("number").write_text(str(number))
        found = wrong(["check", "x.mom.yaml", "--output", "report", "--format", "concise", "--fail-on", "error"])
        if found is not None:
            print(f"{kind} {seed} {number}: {found}")
            for name in ("x.mom.yaml", "t.csv", "t.parquet", "momlint.toml"):
                if Path(name).exists():
                    Path(name).rename(f"{number}-{name}")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


if __name__ == "__main__":
    run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
