"""From files to what a page shows: the report of the check, and a picture of each estate."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from momlint.access import reason
from momlint.disciplines import complete, disciplines_of
from momlint.lint import FileResult, Options, Together, Unit, lint_opened, merge, native_files, read_together, together
from momlint.view.form import Picture, Places, Sight

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.opening import Opened
    from momlint.findings import Finding, Report

#: So many estates are drawn in one page.
MOST_ESTATES = 30
_SECONDS = 60.0


class Supposed(NamedTuple):
    """A failure to be looked at, in the estate with this index: names of links and brokers."""

    estate: int
    links: tuple[str, ...]
    brokers: tuple[str, ...]


class Looking(NamedTuple):
    """How estates are looked at; see `Sight`. `supposed`: a failure that is to have a state.

    `spots`: of each estate, by its index, where brokers stand already.
    """

    supposed: Supposed | None = None
    most: int | None = None
    spots: Sequence[Mapping[str, tuple[float, float]]] = ()

    def sight(self, number: int, loaded: LoadedEstate) -> Sight:
        """How the estate with this index is looked at."""
        supposed = self.supposed if self.supposed is not None and self.supposed.estate == number else None
        spots = self.spots[number] if number < len(self.spots) else {}
        return Sight(_failure(loaded, supposed), self.most, spots)


class Gathered(NamedTuple):
    """`findings`: for each of the report's the index of the picture it belongs to, None where it has none.

    `estates`: what the pictures are of.
    """

    report: Report
    pictures: list[Picture]
    findings: list[int | None]
    places: Places
    estates: list[LoadedEstate]


def gather(
    files: Sequence[str],
    options: Options,
    given: Mapping[str, bytes] | None = None,
    pairs: Collection[tuple[str, str]] = (),
    looking: Looking = Looking(),  # noqa: B008 - it is a tuple
    progress: Callable[[str], None] = lambda _: None,
) -> Gathered:
    """Check `files` and draw their estates. `given`: contents of files that are not to be read from the disk.

    `pairs`: of brokers, by name, whose walks are wanted in any case.
    """
    held = dict(given or {})
    opened: list[Opened] = []
    results: list[FileResult] = []
    natives = native_files([file for file in files if file not in held], options)

    def take(unit: Unit) -> None:
        progress(f"reading {unit if isinstance(unit, str) else unit.files[0]}")
        one, failures = open_unit(unit, options, held)
        if one is None:
            results.append(FileResult(failure="\n".join(failures)))
            return
        result = lint_opened(one, options)
        result.unread = failures
        if isinstance(unit, Together):
            result.summary.files = len(unit.files)
        opened.append(one)
        results.append(result)

    for file in files:
        if file not in natives:
            take(file)
    for unit in together(natives, results):
        take(unit)
    report = merge(results, options)
    estates = [loaded for one in _mains(opened) for loaded in one.estates if loaded.estate is not None]
    owners = [_owner(finding, estates) for finding in report.findings]
    places = Places()
    pictures: list[Picture] = []
    for number, loaded in enumerate(estates[:MOST_ESTATES]):
        progress(f"drawing {loaded.estate.name if loaded.estate is not None else ''}")
        own = [one for one, owner in zip(report.findings, owners, strict=True) if owner == number]
        sight = looking.sight(number, loaded)
        pictures.append(_picture(loaded, own, options.timeout or _SECONDS, pairs, sight, places))
    if len(estates) > MOST_ESTATES:
        pictures[0].notes.append(
            f"{MOST_ESTATES} of {len(estates):,} estates are drawn; name fewer files for the others."
        )
    findings = [owner if owner is not None and owner < MOST_ESTATES else None for owner in owners]
    return Gathered(report, pictures, findings, places, estates[:MOST_ESTATES])


def look_again(gathered: Gathered, number: int, options: Options, looking: Looking) -> None:
    """Draw the estate with this index anew; nothing of it has changed but how it is looked at."""
    loaded = gathered.estates[number]
    own = [one for one, owner in zip(gathered.report.findings, gathered.findings, strict=True) if owner == number]
    sight = looking.sight(number, loaded)._replace(before=gathered.pictures[number])
    gathered.pictures[number] = _picture(loaded, own, options.timeout or _SECONDS, (), sight, gathered.places)


def open_unit(unit: Unit, options: Options, given: Mapping[str, bytes]) -> tuple[Opened | None, list[str]]:
    """What was opened, with `given` in place of files, and sentences on files that could not be read."""
    if isinstance(unit, str):
        try:
            data = given.get(unit)
            access = options.access(unit)
            if given:
                access = access.instead({access.identity(name): text for name, text in given.items()})
            data = access.read(unit) if data is None else data
        except OSError as error:
            return None, [f"{unit}: {reason(error)}"]
        from momlint.estate.opening import open_bytes

        return open_bytes(data, unit, access, complete), []
    from momlint.estate.opening import open_natives

    named, failures = read_together(unit, options)
    if not named:
        return None, failures
    return open_natives(named, options.access, complete), failures


def _mains(opened: Sequence[Opened]) -> list[Opened]:
    """Without files that another one includes: what they hold is drawn there."""
    included = {
        source.file
        for one in opened
        for loaded in one.estates
        for source in loaded.sources
        if source.file != one.source.file
    }
    kept = [one for one in opened if one.source.file not in included]
    return kept or list(opened)


def _owner(finding: Finding, estates: Sequence[LoadedEstate]) -> int | None:
    """The estate that a finding belongs to: of several in one file the last that begins before it."""
    found = None
    for number, loaded in enumerate(estates):
        starts = [document.span.start for source, document in loaded.documents if source.file == finding.file]
        if starts and (found is None or min(starts) <= finding.span.start):
            found = number
    return found


def _picture(
    loaded: LoadedEstate,
    findings: Sequence[Finding],
    seconds: float,
    wanted: Collection[tuple[str, str]],
    sight: Sight,
    places: Places,
) -> Picture:
    estate = loaded.estate
    assert estate is not None
    names = [discipline.name for discipline in disciplines_of(loaded)]
    if "relayed" in names:
        from momlint.view import relayed

        return relayed.draw(loaded, findings, seconds, places, sight)
    if "routed" in names:
        from momlint.view import routed

        witnesses = [finding.witness for finding in findings if finding.witness is not None]
        pairs = {
            (one.source or one.walk[0], one.destination)
            for one in witnesses
            if one.destination is not None and (one.source is not None or one.walk)
        }
        return routed.draw(loaded, {*pairs, *wanted}, places, sight)
    if "delivery" in names:
        from momlint.view import sites

        picture = sites.draw(loaded, places)
        if picture is not None:
            return picture
    return Picture(estate.name, loaded.source.file, "none")


def _failure(loaded: LoadedEstate, supposed: Supposed | None) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """What has failed, by dense ids; None where nothing is supposed, or a name is not there any more."""
    estate = loaded.estate
    if supposed is None or estate is None:
        return None
    links = {link.id: number for number, link in enumerate(estate.links)}
    brokers = {broker.id: number for number, broker in enumerate(estate.brokers)}
    if not (set(supposed.links) <= links.keys() and set(supposed.brokers) <= brokers.keys()):
        return None
    return tuple(sorted(links[one] for one in supposed.links)), tuple(sorted(brokers[one] for one in supposed.brokers))
