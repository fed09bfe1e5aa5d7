"""``momlint verify``: whether a certificate proves what it claims of the files it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.cli import exits
from momlint.cli.console import write
from momlint.errors import UsageError
from momlint.escaping import plain_path, printable
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.routed.certificate.accept import Accepted


def verify(path: str) -> int:
    """Check the certificate at `path` and say what it shows; the exit code. Raises `UsageError`."""
    from momlint.routed.certificate.accept import verify_file
    from momlint.routed.certificate.form import Refused

    try:
        accepted = verify_file(path)
    except Refused as error:
        write(printable(plain_path(f"{path}: refused: {error}")) + "\n")
        return exits.FINDINGS
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    write("".join(printable(plain_path(_sentence(one))) + "\n" for one in accepted))
    write(f"Accepted: {counted(len(accepted), 'estate')}.\n")
    return exits.OK


def _sentence(one: Accepted) -> str:
    shown = one.shown
    colours = f" in each of {shown.colours} colours" if shown.colours > 1 else ""
    said = [f"{counted(shown.pairs, 'pair')} arrive{colours}"]
    if shown.cut_failing:
        said.append(f"but where failures cut them off, {counted(shown.cut_failing, 'time')}")
    if shown.cut_calm:
        said.append(f"but where no path exists though nothing has failed, {counted(shown.cut_calm, 'time')}")
    said.append(f"by shortest walks{_to(shown.shortest, shown.brokers)}")
    if shown.shortest and shown.smallest:
        said.append(f"of equal ones by the smallest next hop{_to(shown.smallest, shown.brokers)}")
    if not shown.shortest:
        del said[-1]
    return f"{one.file}: `{one.estate}`: {', '.join(said)}"


def _to(some: int, brokers: int) -> str:
    return "" if some == brokers else f" to {some} of {brokers} brokers"
