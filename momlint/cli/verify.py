"""``momlint verify``: whether a certificate proves what it claims of the files it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.cli import exits
from momlint.cli.console import write
from momlint.errors import UsageError
from momlint.escaping import plain_path, printable
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.routed.certificate.accept import Accepted
    from momlint.routed.certificate.form import Shown


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
    said = [f"{counted(shown.pairs, 'pair')} arrive{'s' * (shown.pairs == 1)}{_where(shown)}"]
    if shown.cut_failing + shown.cut_promised:
        said.append(f"except where failures cut them off, {counted(shown.cut_failing + shown.cut_promised, 'time')}")
    if shown.cut_calm:
        said.append(f"except where no path exists even without failures, {counted(shown.cut_calm, 'time')}")
    if shown.shortest:
        said.append(f"by shortest walks{_to(shown.shortest, shown.brokers)}")
        if shown.smallest:
            said.append(f"ties by the smallest next hop{_to(shown.smallest, shown.brokers)}")
    sentence = f"{one.file}: `{one.estate}`: {', '.join(said)}"
    if shown.unspoken == 0:
        return sentence
    lacking = "promised states" if shown.unspoken is None else counted(shown.unspoken, "promised state")
    return f"{sentence}; nothing is claimed of {lacking} without a colour{' (too many)' * (shown.unspoken is None)}"


def _where(shown: Shown) -> str:
    """In which states; empty where claims speak only of that in which nothing has failed."""
    parts = ["while nothing has failed"] * shown.intact
    if shown.colours > 1 or (shown.colours and shown.intact + shown.promised):
        parts.append(f"in {_each(shown.colours, 'colour')}")
    if shown.promised:
        parts.append(f"in {_each(shown.promised, 'promised failure')}{' without a colour' * (shown.colours > 0)}")
    return f" {joined(parts)}" if shown.colours + shown.promised and parts else ""


def _each(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"each of {counted(number, noun)}"


def _to(some: int, brokers: int) -> str:
    return "" if some == brokers else f" to {some} of {brokers} brokers"
