"""The inventory of many estates as tables: brokers, links, topics, pairs and findings, for people who ask in SQL.

A unit is a file. What it gives travels as one row of five lists; each list is unfolded and written as Parquet by Spark,
so that the tables are never in one place.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from momlint.access import reason
from momlint.errors import UsageError
from momlint.estate.files import is_address
from momlint.fleet.expected import expected_seconds
from momlint.fleet.shards import cut
from momlint.fleet.work import Fault, Work
from momlint.lint import FileResult, FleetServices, Options, Tables, lint_opened, merge, open_for, undecided_file
from momlint.routed.overlay.arcs import Hops
from momlint.routed.overlay.following import cheapest_live_arcs, entries
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.tables import NEVER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.fleet.spark import OnSpark
    from momlint.routed.diagnosis.context import Context
    from momlint.routed.overlay.latency import Timings


@dataclass(frozen=True, slots=True)
class BrokerRow:
    """A broker."""

    file: str
    estate: str
    broker: str
    site: str | None
    address: str | None
    tags: tuple[str, ...]
    processing_ms: float
    availability: float | None


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A link; `tail` and `head` are its ends, in this order where it is one-way."""

    file: str
    estate: str
    link: str
    tail: str
    head: str
    one_way: bool
    cost: float
    latency_ms: float
    availability: float | None


@dataclass(frozen=True, slots=True)
class TopicRow:
    """A topic."""

    file: str
    estate: str
    topic: str
    publishers: tuple[str, ...]
    subscribers: tuple[str, ...]
    max_latency_ms: float | None
    max_hops: int | None


@dataclass(frozen=True, slots=True)
class PairRow:
    """Two brokers between which messages are needed: by `topics`, by none of them in an estate without any.

    `arrives`, `hops`, `latency_ms` and `links` (those on the way) are of the first colour in which nothing has failed.
    `worst_latency_ms`: in the colour `worst_colour`, of those in which it arrives; None where it never does.
    `protected`: no failure of one link, one broker or one group cuts it, however messages are led.
    """

    file: str
    estate: str
    source: str
    destination: str
    source_site: str | None
    destination_site: str | None
    topics: tuple[str, ...]
    arrives: bool
    hops: int | None
    latency_ms: float | None
    worst_latency_ms: float | None
    worst_colour: str | None
    links: tuple[str, ...]
    protected: bool


@dataclass(frozen=True, slots=True)
class FindingRow:
    """A finding, without its witness."""

    file: str
    line: int
    column: int
    code: str
    rule: str
    severity: str
    message: str
    topics: tuple[str, ...]
    pairs: int | None


@dataclass(slots=True)
class FileTables:
    """What one file gives; `failure` is a sentence where it could not be read, `wanted` as in `FileResult`."""

    brokers: list[BrokerRow] = field(default_factory=list)
    links: list[LinkRow] = field(default_factory=list)
    topics: list[TopicRow] = field(default_factory=list)
    pairs: list[PairRow] = field(default_factory=list)
    findings: list[FindingRow] = field(default_factory=list)
    failure: str | None = None
    wanted: list[str] = field(default_factory=list)


#: The tables, by the names of their folders.
TABLES = tuple(item.name for item in fields(FileTables) if item.name not in {"failure", "wanted"})


@dataclass(frozen=True, slots=True)
class TakeInventory(Work[FileTables]):
    """The tables of the files at `paths`. `fetched`: see `momlint.lint.FleetServices`."""

    paths: tuple[str, ...]
    options: Options
    fetched: Tables | None = None
    result_type: ClassVar[type[Any]] = FileTables

    @property
    def units(self) -> int:
        """One a file."""
        return len(self.paths)

    def run(self, unit: int) -> FileTables:
        """Read and check one file."""
        return tables_of(self.paths[unit], self.options, self.fetched)

    def undecided(self, unit: int, fault: Fault) -> FileTables:
        """A finding that says so."""
        tables = FileTables()
        _add_findings(tables, undecided_file(self.paths[unit], fault.reason, fault.help, self.options), self.options)
        return tables


def tables_of(path: str, options: Options, fetched: Tables | None = None) -> FileTables:
    """The tables of one file."""
    from momlint.routed.ask import Ask
    from momlint.routed.diagnosis.context import Context
    from momlint.routed.overlay.build import build

    tables = FileTables()
    try:
        data = options.access(path).read(path)
    except OSError as error:
        tables.failure = f"{path}: {reason(error)}"
        return tables
    opened = open_for(data, path, options, FleetServices(tables=fetched))
    tables.wanted = opened.wanted
    if opened.wanted:
        return tables
    _add_findings(tables, lint_opened(opened, options), options)
    for loaded in opened.estates:
        estate = loaded.estate
        if estate is None:
            continue
        overlay, rows = build(estate)
        _add_estate(tables, path, Context(estate, overlay, Ask("graph"), rows))
    return tables


def _add_findings(tables: FileTables, result: FileResult, options: Options) -> None:
    for finding in merge([result], options).findings:
        affected = finding.affected
        tables.findings.append(
            FindingRow(
                finding.file,
                finding.span.start.line,
                finding.span.start.column,
                finding.code,
                finding.rule,
                finding.severity.value,
                finding.message,
                tuple(affected.topics) if affected is not None else (),
                affected.pairs if affected is not None else None,
            )
        )


def _add_estate(tables: FileTables, file: str, context: Context) -> None:
    estate = context.estate
    for broker in estate.brokers:
        tables.brokers.append(
            BrokerRow(
                file,
                estate.name,
                broker.id,
                broker.site,
                broker.address,
                tuple(broker.tags),
                broker.processing_ms,
                broker.availability,
            )
        )
    for link in estate.links:
        ends = context.name(link.tail), context.name(link.head)
        tables.links.append(
            LinkRow(file, estate.name, link.id, *ends, link.one_way, link.cost, link.latency_ms, link.availability)
        )
    for topic in estate.topics:
        ends_of = context.names(topic.publishers), context.names(topic.subscribers)
        tables.topics.append(TopicRow(file, estate.name, topic.name, *ends_of, topic.max_latency_ms, topic.max_hops))
    tables.pairs += _pairs(file, context)


def _pairs(file: str, context: Context) -> list[PairRow]:
    from momlint.routed.diagnosis.timing import timed

    estate, overlay = context.estate, context.overlay
    if not len(overlay.pair_source):
        return []
    found = timed(context, overlay.keys.pair(overlay.pair_source, overlay.pair_dest))
    intact = int(np.argmax(context.without_failure)) if context.without_failure.any() else 0
    links = _links_on_the_way(overlay, intact)
    walked, latency = _in_colour(found, intact)
    worst, colour = _worst(found)
    protected = _protected(context)
    unit = found.delays.unit
    site = [broker.site for broker in estate.brokers]
    pairs = []
    for index, (source, dest) in enumerate(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True)):
        arrives = walked[index] != NEVER
        slowest = worst[index]
        topics = context.needs.topics_of_pair(overlay.keys.pair(source, dest)).tolist() if estate.topics else []
        pairs.append(
            PairRow(
                file,
                estate.name,
                context.name(source),
                context.name(dest),
                site[source],
                site[dest],
                tuple(estate.topics[topic].name for topic in topics),
                bool(arrives),
                int(walked[index]) if arrives else None,
                float(int(latency[index]) * unit) if arrives else None,
                float(slowest * unit) if slowest is not None else None,
                context.colour_name(colour[index]) if slowest is not None else None,
                tuple(estate.links[link].id for link in links[index]) if arrives else (),
                bool(protected[index]),
            )
        )
    return pairs


def _in_colour(found: Timings, colour: int) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Hops and latencies (whole units) of all pairs in one colour."""
    hops, latency = found.hops.copy(), found.latency.copy()
    in_colour = np.flatnonzero(found.colour == colour)
    hops[found.pair[in_colour]] = found.colour_hops[in_colour]
    latency[found.pair[in_colour]] = found.colour_latency[in_colour]
    return hops, latency


def _worst(found: Timings) -> tuple[list[int | None], list[int]]:
    """For each pair its largest latency (whole units; None where it never arrives), and the first colour with it."""
    worst: list[int | None] = [None] * len(found.source)
    colours = [0] * len(found.source)
    as_base = (found.hops != NEVER) & (found.first_as_base < found.colours)
    for pair in np.flatnonzero(as_base).tolist():
        worst[pair], colours[pair] = int(found.latency[pair]), int(found.first_as_base[pair])
    arriving = np.flatnonzero(found.colour_hops != NEVER)
    for pair, colour, latency in zip(
        found.pair[arriving].tolist(),
        found.colour[arriving].tolist(),
        found.colour_latency[arriving].tolist(),
        strict=True,
    ):
        known = worst[pair]
        if known is None or latency > known or (latency == known and colour < colours[pair]):
            worst[pair], colours[pair] = latency, colour
    return worst, colours


def _links_on_the_way(overlay: Overlay, colour: int) -> list[list[int]]:
    """For each needed pair the links of its walk in one colour, as far as it goes (but no link twice)."""
    links: list[list[int]] = [[] for _ in range(len(overlay.pair_source))]
    network = Hops.of(overlay)
    going, loc = np.arange(len(links)), overlay.pair_source.astype(np.int64)
    dest = overlay.pair_dest.astype(np.int64)
    for _ in range(overlay.n):
        colours = np.full(going.size, colour, np.int64)
        hop = entries(overlay, colours, dest[going], loc)
        arc = cheapest_live_arcs(overlay, network, colours, loc, hop)
        moves = (arc >= 0) & (loc != dest[going])
        going, loc, arc = going[moves], hop[moves].astype(np.int64), arc[moves]
        if not going.size:
            break
        for pair, link in zip(going.tolist(), overlay.arc_link[arc].tolist(), strict=True):
            links[pair].append(link)
    return links


def _protected(context: Context) -> NDArray[np.bool_]:
    """bool[P]: a path joins the pair, and no single failure cuts it."""
    cutting = context.cutting
    protected: NDArray[np.bool_] = cutting.connected.copy()
    for cut_ in cutting.survey:
        protected &= np.logical_not(cutting.pairs((cut_.element,)))
    return protected


# -- on Spark -------------------------------------------------------------------------------------------------------


def check_output(output: str, force: bool) -> None:
    """Raise `UsageError` where tables are in the way. A folder on a file system of Hadoop's is looked at by Spark."""
    if is_address(output) or force or not os.path.exists(output):
        return
    if not os.path.isdir(output):
        raise UsageError(f"--output: {output} is a file; name a folder")
    if os.listdir(output):
        raise UsageError(f"--output: the folder {output} is not empty; name another, or overwrite its tables (--force)")


def write_inventory(
    runner: OnSpark, paths: Sequence[str], options: Options, output: str, force: bool = False
) -> list[str]:
    """Write the tables into folders of `output` (a path, or an address that Spark can write to).

    Returns sentences about files that could not be read. Raises `UsageError` where Spark cannot write.
    """
    target = output if is_address(output) else os.path.abspath(output)
    # Whatever calls Java is done by `watched`, also where it is no job yet.
    frame, shards = runner.watched(partial(_frame, runner, TakeInventory(tuple(paths), options, {})), 1)
    frames = [frame]

    def look() -> tuple[list[str], dict[str, list[str]]]:
        failures = frame.where("failure is not null").orderBy("unit").select("failure").collect()
        waiting = frame.where("size(wanted) > 0").orderBy("unit").select("unit", "wanted").collect()
        return [row[0] for row in failures], {paths[row[0]]: list(row[1]) for row in waiting}

    def write() -> None:
        whole = frame if len(frames) == 1 else frame.union(frames[1])
        for table in TABLES:
            rows = whole.selectExpr(f"inline({table})")
            # Two files that include a third both report what is wrong with it.
            rows = rows.distinct() if table == "findings" else rows
            rows.write.mode("overwrite" if force else "errorifexists").parquet(f"{target}/{table}")
        for one in frames:
            one.unpersist()

    failures, waiting = runner.watched(look, shards)
    if waiting:
        fetched = runner.fetch(sorted({address for addresses in waiting.values() for address in addresses}))
        rest, more = runner.watched(partial(_frame, runner, TakeInventory(tuple(waiting), options, fetched)), 1)
        frames.append(rest)
        shards += more
    runner.watched(write, shards)
    return failures


def _frame(runner: OnSpark, work: TakeInventory) -> tuple[Any, int]:
    """The results as a DataFrame, worked out once and kept on the disks of the workers; and of how many shards."""
    from pyspark import StorageLevel

    shards = cut([2 * seconds for seconds in expected_seconds(work.paths)], runner.takers)
    return runner.frame(work, shards).persist(StorageLevel.DISK_ONLY), len(shards)
