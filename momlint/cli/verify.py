"""``momlint verify``: whether a certificate proves what it claims of the files it names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from momlint.cli import exits
from momlint.cli.console import write
from momlint.errors import UsageError
from momlint.escaping import plain_path, printable
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.routed.certificate.accept import Accepted
    from momlint.routed.certificate.form import Shown

#: What a solver may use for the proof of one property; there is no clock, so that it is the same everywhere.
_RLIMIT: Final = 2_000_000_000


def verify(path: str) -> int:
    """Check the certificate at `path` and say what it shows; the exit code. Raises `UsageError`."""
    from momlint.routed.certificate.accept import read_records
    from momlint.routed.certificate.form import Refused

    try:
        records = read_records(path)
        lines = [line for record in records for line in _accepted(record, os.path.dirname(path))]
    except Refused as error:
        write(printable(plain_path(f"{path}: refused: {error}")) + "\n")
        return exits.FINDINGS
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    write("".join(printable(plain_path(line)) + "\n" for line in lines))
    write(f"Accepted: {counted(len({_estate_of(record) for record in records}), 'estate')}.\n")
    return exits.OK


def _estate_of(record: Mapping[str, Any]) -> tuple[Any, Any]:
    """Disciplines have a record each."""
    return record.get("file"), record.get("document")


def _accepted(record: Mapping[str, Any], folder: str) -> list[str]:
    """What a record shows, a line each. Raises as `momlint.routed.certificate.accept.verify_file`."""
    from momlint.routed.certificate.accept import accept

    return _of_clients(record, folder) if record.get("discipline") == "pubsub" else [_sentence(accept(record, folder))]


def _of_clients(record: Mapping[str, Any], folder: str) -> list[str]:
    """`_accepted` of publish/subscribe clients."""
    from momlint.pubsub.certificate.record import Unproved, check_record
    from momlint.pubsub.read import read
    from momlint.routed.certificate.accept import opened
    from momlint.routed.certificate.form import Refused
    from momlint.solving.limits import GaveUp, SolverLimits

    main, loaded = opened(record, folder)
    assert loaded.estate is not None
    clients = read(loaded).clients
    if clients is None:
        raise Refused(f"`{main}` has no clients there")
    try:
        shown = check_record(clients, record, SolverLimits(_RLIMIT))
    except (GaveUp, Unproved) as error:
        raise Refused(f"{main}: `{loaded.estate.name}`: {error}") from error
    number = counted(len(shown.properties), "property", "properties")
    holds = "holds" if len(shown.properties) == 1 else "hold"
    whom = "the given clients" if shown.exact else "any number of clients"
    lines = [f"{main}: `{loaded.estate.name}`: {number} {holds} for {whom}"]
    for one in shown.properties:
        lines += [f"  {one.title}", *(f"    {sentence}" for sentence in one.words)]
    return lines


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
