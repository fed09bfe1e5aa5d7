"""How large certificates are, and how long making and checking them takes.

    python -m bench.bench_certificate [--large] [--promised]

Random graphs of degree 4 (with ``--large``, 1,000 brokers of degree 6), tables planned for every single link; with
``--promised`` no tables: next hops are computed, every single link may fail, and no failure has a colour. "made" is
`certify` in this process (the check that every record must pass before it is given out is in it); "verified" is the
whole command ``momlint verify``, from reading the files to the verdict. The entries of all tables, expanded, are
states × brokers².
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.bench_condense import regular_estate
from bench.bench_plan import estate_text
from momlint.estate import LoadedEstate, load_source, read_file
from momlint.estate.resolved import Estate
from momlint.routed.certificate.form import write
from momlint.routed.certificate.given import States
from momlint.routed.certificate.make import certify
from momlint.routed.overlay import build_overlay
from momlint.routed.recovery.attach import attach_recovery

#: Seconds of processor time, and MB in memory at most; the kernel's own count, since rusage includes what forked.
_REPORT = (
    "import os, re; used = re.search(r'VmHWM:\\s*([0-9]+)', open('/proc/self/status').read())[1]; "
    "print(sum(os.times()[:2]), int(used) / 1024)"
)


def planned(estate: Estate, folder: Path) -> LoadedEstate:
    """The estate with its planned tables in Parquet beside it."""
    source = folder / "estate.yaml"
    text = estate_text(estate)
    source.write_text(text)
    command = [sys.executable, "-m", "momlint", "plan", str(source), "--output", str(folder / "tables.parquet")]
    section = subprocess.run(command, check=True, capture_output=True, text=True, env=environment()).stdout
    source.write_text(text.partition("failures:")[0] + section)
    (loaded,) = load_source(read_file(str(source)))
    attach_recovery(loaded)
    return loaded


def promised(estate: Estate, folder: Path) -> LoadedEstate:
    """The estate without tables."""
    source = folder / "estate.yaml"
    source.write_text(estate_text(estate))
    (loaded,) = load_source(read_file(str(source)))
    return loaded


def environment() -> dict[str, str]:
    """This process's, with its modules."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def measure(estate: Estate, folder: Path, *, with_tables: bool) -> str:
    """A row of the table."""
    loaded = (planned if with_tables else promised)(estate, folder)
    assert loaded.estate is not None
    overlay = build_overlay(loaded.estate)
    started = time.process_time()
    made = certify(loaded, overlay, str(folder))
    making = time.process_time() - started
    assert made.record is not None, made.reason
    certificate = folder / "proof.cert"
    certificate.write_text(write([made.record]))

    code = f"from momlint.cli import main; assert main(['verify', {str(certificate)!r}]) == 0; {_REPORT}"
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment())
    verifying, memory = map(float, child.stdout.splitlines()[-1].split())
    states = len(States.of(loaded.estate).failed)
    expanded = states * overlay.n**2
    parquet = f"{(folder / 'tables.parquet').stat().st_size / 1e6:.2f}" if with_tables else "–"
    return (
        f"| {overlay.n:,} | {len(loaded.estate.links):,} | {states:,} | {expanded / 1e6:,.1f} | "
        f"{certificate.stat().st_size / 1e6:.2f} | {parquet} | {making:.2f} | {verifying:.2f} | {memory:,.0f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--promised", action="store_true")
    arguments = parser.parse_args()
    sizes = [(32, 4), (96, 4), (192, 4), (384, 4)] + ([(1000, 6)] if arguments.large else [])
    print(
        "| brokers | links | states | entries, expanded (millions) | certificate (MB) | Parquet (MB) | "
        "made (s of CPU) | verified (s of CPU) | memory at most (MB) |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for n, degree in sizes:
        with tempfile.TemporaryDirectory() as folder:
            row = measure(regular_estate(n, degree, 1), Path(folder), with_tables=not arguments.promised)
            print(row, flush=True)


if __name__ == "__main__":
    main()
