"""From a file to its mends: what is found, what could be changed, and what of that is proved.

A change is taken only if the estate that it makes, checked again by both engines, has lost findings and gained none:
nothing new, nothing that affects more pairs, nothing undecided; only notes may come where something graver goes. What
several changes do together is tried first; where that does not prove, one after the other.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from momlint.access import Access, reason
from momlint.disciplines import complete
from momlint.estate.opening import Opened, open_bytes, open_natives
from momlint.estate.rewriting import NewRow, Rewriting, route_of
from momlint.findings import OWN_FAULT, Finding, Severity
from momlint.lint import FleetServices, Options, Together, lint_opened, merge, native_files
from momlint.mending.arriving import loses, weighed
from momlint.mending.candidates import RELAYED_CODES, Candidate, candidates
from momlint.mending.failures import add_colours, lacking_colours, takeovers, write_takeovers
from momlint.mending.hands import kind_in
from momlint.mending.hands.rows import CsvRows
from momlint.mending.routed import ROW_CODES, Mend, Proposals
from momlint.mending.smallest import MOST_TRIALS, Size, Smallest, Tried
from momlint.mending.tables import Change
from momlint.records import dataclass
from momlint.routed.ask import QUESTION_SECONDS
from momlint.routed.overlay.super_tables import FileRows
from momlint.routed.recovery.quoting import yaml_name
from momlint.source.patching import Patches, Unpatchable, comments
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.discipline import EngineChoice
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate, RecoveryRow
    from momlint.lint import Unit

T = TypeVar("T")
#: A mend may uncover what was hidden behind it; so often it is looked again.
_ROUNDS = 6
#: A comment that was needed may be needed no more; that is seen to last.
_UNUSED = ("MOM109",)
#: Who does not get what is relayed; and what single failures would cut off.
_OUT_OF_REACH, _HANGS_ON_ONE, _MISDIRECTED = "MOM803", "MOM501", "MOM812"
#: What momlint passes over in a native file.
_NOT_UNDERSTOOD = "MOM814"
#: Of larger overlays fewer changes are tried: so many that so many steps of copies are looked at, and not fewer.
_WORK, _LEAST_TRIALS = 80_000, 24
#: Sentences on what is left.
_MOST_NOTES = 50
_CODES = re.compile(r"\[([^\]]*)\]")


@dataclass(slots=True)
class Mended:
    """What became of one file and those that it includes.

    `contents`: the files that change, by name. `gone`: the findings that are mended, as they were; `left`: those that
    remain, as they are in the end. `rows`: how many rows change. `notes`: sentences about what was not tried.
    For native files that make one estate, `file` is the first of them.
    """

    file: str
    contents: dict[str, bytes] = field(default_factory=dict)
    gone: list[Finding] = field(default_factory=list)
    left: list[Finding] = field(default_factory=list)
    rows: int = 0
    notes: list[str] = field(default_factory=list)
    failure: str | None = None


class _State(NamedTuple):
    """Contents of files and what is found with them."""

    contents: dict[str, bytes]
    opened: Opened
    findings: list[Finding]


class Mending:
    """Files of one run, which may include each other's parts. `contents`: what was mended so far, by file name."""

    def __init__(self, options: Options, given: Mapping[str, bytes] | None = None, *, safe: bool = False) -> None:
        """`given`: content of files that is not on the disk (standard input). `safe`: only what leaves no choice, and
        takes no comment with it.
        """
        self.options = options
        self.safe = safe
        self.contents: dict[str, bytes] = dict(given or {})
        self._given = dict(self.contents)
        self._others: dict[str, frozenset[str]] = {}
        self._opened: dict[str, Opened] = {}
        self._together: dict[str, Together] = {}

    def mend(self, files: Sequence[str], progress: Callable[[str], None] = lambda _: None) -> list[Mended]:
        """Mend the estates of `files` one after the other; files that another of them includes with that one."""
        mended: list[Mended] = []
        included: set[str] = set()
        known = {*self._given, *self._together}
        natives = native_files([file for file in files if file not in known], self.options)
        for file in [*(file for file in files if file not in natives), *self._units(natives)]:
            if file in included:
                continue
            try:
                opened = self.opened(file, self.contents)
            except OSError as error:
                mended.append(Mended(file, failure=f"{file}: {reason(error)}"))
                continue
            self._opened[file] = opened
            names = {source.file for loaded in opened.estates for source in loaded.sources}
            self._others[file] = frozenset(names | {file})
            included |= names - {file}
        mains = [file for file in self._others if file not in included]
        for number, file in enumerate(mains, 1):
            progress(f"file {number} of {len(mains)}: {file}")
            one = _One(self, file).mend()
            self.contents.update(one.contents)
            mended.append(one)
        return mended

    def mend_unit(self, unit: Unit) -> list[Mended]:
        """As `mend`, of a file or of native files that are known to belong together."""
        if isinstance(unit, str):
            return self.mend([unit])
        self._together[unit.files[0]] = unit
        return self.mend(unit.files[:1])

    def _units(self, natives: Mapping[str, str]) -> Iterator[str]:
        """The first of the native files of each family, when the other files have been opened: what belongs to an
        estate in YAML is mended with it.
        """
        taken = {os.path.realpath(name) for names in self._others.values() for name in names}
        families: dict[str, list[str]] = {}
        for file in sorted(natives):
            if os.path.realpath(file) not in taken:
                families.setdefault(natives[file], []).append(file)
        for _, together in sorted(families.items()):
            self._together[together[0]] = Together(tuple(together))
            yield together[0]

    def state(
        self, file: str, contents: dict[str, bytes], engine: EngineChoice = "graph", opened: Opened | None = None
    ) -> _State:
        """What is found in `file`; `opened`: as it is with these contents."""
        # What was opened to see what it includes is good until something changes.
        known = self._opened.pop(file, None)
        if opened is None:
            opened = known if known is not None and contents == self._given else self.opened(file, contents)
        options = replace(self.options, engine=engine)
        report = merge([lint_opened(opened, options)], options)
        return _State(contents, opened, [one for one in report.findings if not _is_remark(one)])

    def harmed(self, file: str, before: dict[str, bytes], after: dict[str, bytes]) -> bool:
        """Whether an estate of another file of the run, which includes what changes, is the worse for it."""
        changed = {name for name, data in after.items() if before.get(name) != data}
        for other, names in self._others.items():
            if other == file or changed.isdisjoint(names) or file in names:
                continue
            old, new = self.state(other, before), self.state(other, after)
            if not _is_no_worse(old.findings, new.findings):
                return True
        return False

    def read(self, file: str, main: str, contents: Mapping[str, bytes]) -> bytes:
        """The content of a file of the estate in `main`."""
        data = contents.get(file)
        if data is not None:
            return data
        # Native files that make one estate may lie in several folders; each reads what its own folder has.
        unit = self._together.get(main)
        several = [self.options.access(name) for name in (main, *(() if unit is None else unit.files))]
        return next((one for one in several if one.has(file)), several[0]).read(file)

    def empties(self, file: str, contents: Mapping[str, bytes]) -> bool:
        """Whether nothing is left in a native file by which its kind is known, so that nobody reads it any more."""
        from momlint.native.reading import known_kind

        unit = self._together.get(file)
        files = () if unit is None else unit.files
        return any(known_kind(name, contents[name]) is None for name in files if name in contents)

    def opened(self, file: str, contents: Mapping[str, bytes]) -> Opened:
        """The estates of `file` with these contents."""

        def access(name: str) -> Access:
            own = self.options.access(name)
            return own.instead({own.identity(other): data for other, data in contents.items()})

        def completed(loaded: LoadedEstate) -> str | None:
            return complete(loaded, FleetServices())

        unit = self._together.get(file)
        if unit is None:
            data = contents.get(file)
            return open_bytes(access(file).read(file) if data is None else data, file, access(file), completed)
        from momlint.native.reading import Named, known_kind

        read = [(name, access(name).read(name)) for name in unit.files]
        named = [Named(name, kind, data) for name, data in read if (kind := known_kind(name, data)) is not None]
        return open_natives(named, access, completed)


class _One:
    """The mending of one file."""

    def __init__(self, mending: Mending, file: str) -> None:
        self.mending = mending
        self.file = file
        self.mended = Mended(file)
        self._refusal: str | None = None
        self._uncovered: list[Finding] = []
        self._refusals: dict[str, None] = {}
        #: Why findings of relayed overlays are left, by what they are about.
        self._why: dict[tuple[object, ...], str] = {}
        self._codes = {name: code for code, name in mending.options.names()}

    def mend(self) -> Mended:
        """Rows first, then what is relayed, links that are there twice, and comments that silence nothing any more."""
        start = self.mending.state(self.file, dict(self.mending.contents))
        rows = self._with_takeovers(self._with_colours(self._with_rows(start)))
        state = self._final(start, self._with_texts(self._with_relays(rows)))
        if state is start:
            # Perhaps for the rows; what else there is may do without them.
            self.mended.rows = 0
            state = self._final(start, self._with_texts(start))
        self.mended.contents = {name: data for name, data in state.contents.items() if start.contents.get(name) != data}
        left = Counter(map(_identity, state.findings))
        for finding in start.findings:
            if left[_identity(finding)]:
                left[_identity(finding)] -= 1
            else:
                self.mended.gone.append(finding)
        self.mended.left = state.findings
        self.mended.notes += self._refusals
        return self.mended

    def _final(self, start: _State, end: _State) -> _State:
        """`end`, if it is better than `start` by both engines, and all else is as it was."""
        if end.contents == start.contents:
            return start
        if not self._is_proved(start, end) or self.mending.harmed(self.file, start.contents, end.contents):
            return start
        return end

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _with_rows(self, state: _State) -> _State:
        for _ in range(_ROUNDS):
            # What was refused beside something that was taken is tried again.
            self._refusals.clear()
            if not any(finding.code in ROW_CODES for finding in state.findings):
                break
            after = self._round(state)
            if after is state and self._uncovered:
                # A fault that another one hides is mended with it.
                self._refusals.clear()
                after = self._round(state, tuple(self._uncovered))
            if after is state:
                break
            state = after
        return state

    def _round(self, state: _State, also: Sequence[Finding] = ()) -> _State:
        self._uncovered.clear()
        for loaded in state.opened.estates:
            if loaded.estate is None or loaded.problems:
                continue
            proposals = Proposals(
                loaded,
                [*state.findings, *also],
                self.mending.options.selects,
                _silenced(loaded, self._codes),
                self.mending.options.timeout or QUESTION_SECONDS,
            )
            mends = list(proposals.mends())
            self.mended.notes += [note for note in proposals.notes if note not in self.mended.notes]
            taken, after = self._taken(state, loaded, mends, _rewrite, _UNUSED)
            if after is not state:
                self.mended.rows += sum(len(one.changes) for one in taken)
                return after
        return state

    # -- failures -----------------------------------------------------------------------------------------------------

    def _with_colours(self, state: _State) -> _State:
        """Failures that are promised and have no colour get one, and then the rows that it needs."""
        for loaded in state.opened.estates:
            files = {source.file for source in loaded.sources}
            if loaded.estate is None or not any(one.code == "MOM402" and one.file in files for one in state.findings):
                continue
            lacking = lacking_colours(loaded.estate)
            rows, notes, refusals = self.mended.rows, list(self.mended.notes), dict(self._refusals)
            after = self._edited(state, loaded, lambda one, new=lacking: add_colours(one, new, yaml_name))  # type: ignore[misc]
            if after is None or not lacking:
                continue
            after = self._with_rows(after)
            if _is_better(state.findings, after.findings, _UNUSED):
                return after
            worse = _worse(state.findings, after.findings, _UNUSED)
            self.mended.rows, self.mended.notes, self._refusals = rows, notes, refusals
            if worse is not None:
                why = f"they would bring {worse.code}: {worse.message}"
                self.mended.notes.append(f"{self.file}: colours for failures are not added, for {why}")
        return state

    def _with_takeovers(self, state: _State) -> _State:
        """Who takes over from a broker that fails, where nobody does or in vain: the nearest with whom it proves."""
        for _ in () if self.mending.safe else range(_ROUNDS):
            after = self._with_takeover(state)
            if after is state:
                break
            state = after
        return state

    def _with_takeover(self, state: _State) -> _State:
        for loaded in state.opened.estates:
            files = {source.file for source in loaded.sources}
            for finding in state.findings:
                if finding.code != "MOM409" or finding.file not in files or loaded.estate is None:
                    continue
                for adopters in takeovers(loaded.estate, finding):
                    after = self._edited(
                        state,
                        loaded,
                        lambda one, new=adopters: write_takeovers(one, new, yaml_name),  # type: ignore[misc]
                    )
                    if after is not None and _is_better(state.findings, after.findings, _UNUSED):
                        return after
        return state

    def _edited(self, state: _State, loaded: LoadedEstate, edit: Callable[[Rewriting], None]) -> _State | None:
        """The state with a change, None where it cannot be written or changes nothing."""
        rewriting = Rewriting(loaded, lambda name: self.mending.read(name, self.file, state.contents), yaml_name)
        try:
            edit(rewriting)
            made = self._made(rewriting)
        except Unpatchable:
            return None
        return self.mending.state(self.file, {**state.contents, **made}) if made else None

    def _made(self, rewriting: Rewriting) -> dict[str, bytes]:
        """The files with all changes. Raises `Unpatchable`, with `safe` also where somebody's comment would go."""
        made = rewriting.made()
        for file, data in made.items() if self.mending.safe else ():
            before, after = comments(rewriting.patches(file).text.text), comments(data.decode("utf-8-sig"))
            if any("momlint:" not in one for one in Counter(before) - Counter(after)):
                raise Unpatchable("a comment would go with it; without --safe it is made")
        return made

    # -- relayed overlays ---------------------------------------------------------------------------------------------

    def _with_relays(self, state: _State) -> _State:
        for _ in range(_ROUNDS):
            self._why.clear()
            before = state
            for number in range(len(state.opened.estates)):
                state = self._with_relay(state, number)
            if state is before:
                break
        for finding in state.findings:
            if finding.code in RELAYED_CODES and len(self.mended.notes) < _MOST_NOTES:
                why = "no change is known that would do it for sure"
                if self.mending.safe:
                    why = "what could be done takes something away, lets more pass, or chooses a name; not with --safe"
                why = self._why.get(_identity(finding), why)
                self.mended.notes.append(
                    f"{finding.file}:{finding.span.start.line}: {finding.code} is not mended: {why}"
                )
        return state

    def _with_relay(self, start: _State, number: int) -> _State:
        """One estate of the file. What is mended may show what else there is, so that it is looked again."""
        state, first, size = start, None, Size(0, 0)
        for _ in range(_ROUNDS):
            search = self._search(state, number)
            chosen = search.run() if search is not None else None
            after = self._relayed(state, number, chosen.taken) if chosen is not None else None
            if chosen is None or after is None:
                break
            state, first = after, first or search
            size = Size(size.lost + chosen.size.lost, size.places + chosen.size.places)
        if first is None:
            return start
        # What took several looks is held to what one would have done.
        smaller = first.smaller(size, _left(state, number))
        state = (self._relayed(start, number, smaller.taken) if smaller is not None else None) or state
        if not first.is_through:
            self.mended.notes.append(
                f"{self.file}: {counted(size.places, 'place')} in what is relayed change; not every set of fewer "
                "was tried, so that fewer might do"
            )
        return state

    def _search(self, state: _State, number: int) -> Smallest | None:
        if number >= len(state.opened.estates):
            return None
        loaded = state.opened.estates[number]
        pool = [one for one in candidates(loaded, state.findings) if one.is_safe or not self.mending.safe]
        if not pool or loaded.estate is None:
            return None
        trials = max(_LEAST_TRIALS, min(MOST_TRIALS, _WORK // (weighed(loaded.estate).work + 1)))

        def tries(several: tuple[Candidate, ...]) -> Tried | None:
            after = self._relayed(state, number, several)
            if after is None:
                return None
            mends = _is_better(state.findings, after.findings, _UNUSED)
            if not mends and len(several) == 1:
                self._tell_why(state, after, several[0])
            return Tried(_left(after, number), mends)

        return Smallest(pool, tries, _left(state, number), trials)

    def _relayed(self, state: _State, number: int, several: tuple[Candidate, ...]) -> _State | None:
        """What these changes make of the estate, if all arrives that did."""
        loaded = state.opened.estates[number]
        rewriting = Rewriting(loaded, lambda name: self.mending.read(name, self.file, state.contents), yaml_name)
        try:
            for one in several:
                one.apply(rewriting)
            made = rewriting.made()
        except Unpatchable:
            return None
        if not made:
            return None
        contents = {**state.contents, **made}
        about = _identity(state.findings[several[0].finding])
        if self.mending.empties(self.file, made):
            self._why.setdefault(about, "what was tried would leave nothing in a file")
            return None
        opened = self.mending.opened(self.file, contents)
        # That is seen in a fraction of the time that a check takes.
        estates = [one.estate for one in opened.estates]
        before, now = loaded.estate, estates[number] if len(estates) > number else None
        if before is None or now is None or loses(before, now):
            # A plainer reason than what else it would bring.
            self._why[about] = "what was tried would keep messages from where they come to now; that is yours to decide"
            return None
        return self.mending.state(self.file, contents, opened=opened)

    def _tell_why(self, state: _State, after: _State, candidate: Candidate) -> None:
        worse = _worse(state.findings, after.findings, _besides(state.findings, after.findings, _UNUSED))
        if worse is not None:
            about = _identity(state.findings[candidate.finding])
            self._why.setdefault(about, f"what was tried would bring {worse.code}: {worse.message}")

    # -- links and comments -------------------------------------------------------------------------------------------

    def _with_texts(self, state: _State) -> _State:
        for code, edit, besides in (
            ("MOM105", _remove_link, _UNUSED),
            ("MOM109", partial(_without_comment, self._codes), ()),
        ):
            for loaded in state.opened.estates:
                # Places are those of a state; so after a change it is looked anew, and once more at most.
                files = {source.file for source in loaded.sources}
                found = [one for one in state.findings if one.code == code and one.file in files]
                _, after = self._taken(state, loaded, found, edit, besides)
                if after is not state:
                    state = after
                    break
        return state

    # -- taking changes -----------------------------------------------------------------------------------------------

    def _taken(
        self,
        state: _State,
        loaded: LoadedEstate,
        items: Sequence[T],
        edit: Callable[[Rewriting, T], None],
        besides: Sequence[str],
    ) -> tuple[list[T], _State]:
        """As many of `items` as go together and are better; and the state with them.

        `besides`: codes of findings that may come and go, since they are seen to later.
        """
        if not items:
            return [], state
        after = self._tried(state, loaded, items, edit, besides)
        if after is not None:
            return list(items), after
        taken: list[T] = []
        best = state
        for item in items if len(items) > 1 else ():
            after = self._tried(state, loaded, [*taken, item], edit, besides)
            if after is not None and _is_better(best.findings, after.findings, besides):
                taken.append(item)
                best = after
            else:
                self._tell_refusal()
        if len(items) == 1:
            self._tell_refusal()
        return taken, best

    def _tell_refusal(self) -> None:
        """Say why the last change that was tried is not offered."""
        if self._refusal is not None:
            self._refusals[self._refusal] = None

    def _tried(
        self,
        state: _State,
        loaded: LoadedEstate,
        items: Sequence[T],
        edit: Callable[[Rewriting, T], None],
        besides: Sequence[str],
    ) -> _State | None:
        rewriting = Rewriting(loaded, lambda name: self.mending.read(name, self.file, state.contents), yaml_name)
        try:
            for item in items:
                edit(rewriting, item)
            made = self._made(rewriting)
        except Unpatchable as why:
            self._refusal = f"{self.file}: a mend was found and cannot be written: {why}"
            return None
        if not made:
            self._refusal = None
            return None
        after = self.mending.state(self.file, {**state.contents, **made})
        if _is_better(state.findings, after.findings, besides):
            return after
        worse = _worse(state.findings, after.findings, besides)
        self._refusal = None
        if worse is not None:
            if worse.code in ROW_CODES:
                self._uncovered.append(worse)
            self._refusal = f"{self.file}: a mend is not offered, for it would bring {worse.code}: {worse.message}"
        return None

    def _is_proved(self, start: _State, end: _State) -> bool:
        """Whether `end`, which was found by graph, is better than `start`, and smt finds the same."""
        if not _is_better(start.findings, end.findings):
            return False
        return self.mending.state(self.file, end.contents, "smt").findings == end.findings


# -- edits ----------------------------------------------------------------------------------------------------------


def _rewrite(rewriting: Rewriting, mend: Mend) -> None:
    estate = rewriting.loaded.estate
    assert estate is not None
    changes = mend.changes
    if estate.recovery_rows is None:
        changes = _renamed(rewriting, estate, mend)
    for change in changes:
        if estate.recovery_rows is None:
            _rewrite_given(rewriting, estate, mend.dest, change)
        else:
            _rewrite_recovery(rewriting, estate, mend.dest, change)


def _rewrite_recovery(rewriting: Rewriting, estate: Estate, dest: int, change: Change) -> None:
    brokers, order = estate.brokers, [colour.name for colour in estate.colours]
    rows = estate.recovery_rows
    assert rows is not None
    file = rewriting.loaded.documents[rows.document][0].file if isinstance(rows, FileRows) else None
    in_file = CsvRows(rewriting.patches(file)) if file is not None else None
    if change.number is None:
        assert change.via is not None
        new = NewRow(
            brokers[change.location].id,
            brokers[dest].id,
            brokers[change.via].id,
            [order[colour] for colour in change.colours],
        )
        same = (one for one in reversed(rows) if (one.location, one.destination) == (change.location, dest))
        if in_file is None:
            rewriting.add_row(new, next(same, None))
            return
        there = next(same, None) or next((one for one in reversed(rows) if one.location == change.location), None)
        in_file.add(new, _line(there) if there is not None else len(in_file.patches.text.lines))
        return
    row = rows[change.number]
    if change.via is None:
        if in_file is None:
            rewriting.remove_row(row)
        else:
            in_file.remove(_line(row))
        return
    held = {colour for colour in range(len(order)) if (colour in row.colours) != row.inverted}
    colours = {order[colour]: colour in change.colours for colour in sorted(held ^ set(change.colours))}
    via = None if change.via == row.via else brokers[change.via].id
    if in_file is None:
        rewriting.change_row(row, via, colours, order)
        return
    in_file.change(_line(row), via, colours, order)


def _line(row: RecoveryRow) -> int:
    """The line of a row of a file."""
    _, (line, *_) = route_of(row.place)
    return int(line)


def _renamed(rewriting: Rewriting, estate: Estate, mend: Mend) -> tuple[Change, ...]:
    """Give given rows for this destination alone another next hop where they stand; the other changes."""
    rows = {(row.location, row.via) for row in estate.table_rows}
    left = []
    for change in mend.changes:
        row = estate.table_rows[change.number] if change.number is not None else None
        alone = row is not None and set(row.destinations) == {mend.dest}
        if row is not None and alone and change.via is not None and (change.location, change.via) not in rows:
            rewriting.rename_row(row, estate.brokers[change.via].id)
            rows.add((change.location, change.via))
        else:
            left.append(change)
    return tuple(left)


def _rewrite_given(rewriting: Rewriting, estate: Estate, dest: int, change: Change) -> None:
    if change.number is not None:
        rewriting.remove_destination(estate.table_rows[change.number], dest)
    if change.via is not None:
        row = next((one for one in estate.table_rows if (one.location, one.via) == (change.location, change.via)), None)
        brokers = estate.brokers
        rewriting.add_destination(brokers[change.location].id, brokers[change.via].id, row, brokers[dest].id)


def _remove_link(rewriting: Rewriting, finding: Finding) -> None:
    if kind_in(rewriting, finding.file) is not None or not rewriting.remove_double(finding.file, finding.span):
        raise Unpatchable("the two links are not the same")


def _without_comment(codes: Mapping[str, str], rewriting: Rewriting, finding: Finding) -> None:
    remove_comment(codes, rewriting.patches(finding.file), finding)


def remove_comment(codes: Mapping[str, str], patches: Patches, finding: Finding) -> None:
    """Take out the codes of a MOM109 that silence nothing; with the last of them, the comment.

    `codes`: of rules by name. Raises `Unpatchable`.
    """
    idle = finding.data.get("codes")
    if not isinstance(idle, tuple):
        raise Unpatchable("what it is meant to silence is not known")
    span = finding.span
    line = patches.text.line(span.start.line - 1)
    comment = line[span.start.column - 1 : span.end.column - 1]
    found = _CODES.search(comment)
    if span.start.line != span.end.line or found is None:
        raise Unpatchable("the comment is not on one line")
    written = [word.strip() for word in found[1].split(",") if word.strip()]
    kept = [
        word for word in written if codes.get(word, word.upper() if word[:3].upper() == "MOM" else word) not in idle
    ]
    if kept:
        patches.replace(span, f"{comment[: found.start()]}[{', '.join(kept)}]{comment[found.end() :]}")
    else:
        patches.remove_comment(span)


def _silenced(loaded: LoadedEstate, codes: Mapping[str, str]) -> Callable[[str, int], bool]:
    """Whether a comment is for rules of rows on a line of a file. `codes`: of rules by name."""
    lines = {
        (source.file, one.target)
        for source in loaded.sources
        for one in source.suppressions
        for code in one.codes
        if any(row.startswith(codes.get(code, code)) for row in ROW_CODES)
    }
    return lambda file, line: (file, line) in lines


# -- better and worse -----------------------------------------------------------------------------------------------


def _identity(finding: Finding) -> tuple[object, ...]:
    """What a finding is about: the same before and after other lines have moved it."""
    data = finding.data
    if "broker" in data:
        return finding.code, finding.file, data["broker"], data.get("via"), data.get("destinations"), data.get("colour")
    if "topic" in data:
        return finding.code, finding.file, data["topic"]
    return finding.code, finding.file, finding.message


def _weight(finding: Finding) -> tuple[int, Fraction]:
    """How bad it is: the pairs that it affects, and what a message takes of its budget."""
    takes = [Fraction(str(value)) for name, value in finding.data.items() if name.startswith("takes_")]
    return finding.affected.pairs if finding.affected is not None else 0, max(takes, default=Fraction(0))


def _left(state: _State, number: int) -> tuple[int, int]:
    """How much is found, and how much goes round in an estate of the file."""
    estate = state.opened.estates[number].estate
    found = sum(one.code != _HANGS_ON_ONE for one in state.findings)
    return found, 0 if estate is None else weighed(estate).troubles


def _is_remark(finding: Finding) -> bool:
    """Whether it says what could be, of a line that is written as manuals write it: nothing to mend."""
    return finding.code == _MISDIRECTED and finding.severity is Severity.NOTE


def _is_no_worse(before: Iterable[Finding], after: Iterable[Finding], besides: Sequence[str] = ()) -> bool:
    """Whether nothing was added and nothing affects more; findings of the codes `besides` are not counted."""
    return _worse(before, after, besides) is None


def _worse(before: Iterable[Finding], after: Iterable[Finding], besides: Sequence[str]) -> Finding | None:
    """The first finding that was added, or affects more than it did."""
    known: dict[tuple[object, ...], list[Finding]] = {}
    for finding in before:
        known.setdefault(_identity(finding), []).append(finding)
    for finding in after:
        if finding.code in (OWN_FAULT, "MOM901"):
            return finding
        if finding.code in besides:
            continue
        same = known.get(_identity(finding))
        if not same:
            return finding
        old = same.pop()
        now, then = _weight(finding), _weight(old)
        if now[0] > then[0] or now[1] > then[1] or finding.severity.rank < old.severity.rank:
            return finding
    return None


def _besides(before: Sequence[Finding], after: Sequence[Finding], codes: Sequence[str]) -> tuple[str, ...]:
    """Codes of findings that may come and go. That what arrives now, and did not, hangs on one link is no harm."""
    unreached, now = (sum(one.code == _OUT_OF_REACH for one in found) for found in (before, after))
    return (*codes, _HANGS_ON_ONE) if now < unreached else tuple(codes)


def _is_better(before: Sequence[Finding], after: Sequence[Finding], besides: Sequence[str] = ()) -> bool:
    """Whether something has gone, and nothing was added; but where an error or a warning has gone, notes may come."""
    besides = _besides(before, after, besides)
    if _grave(after) < _grave(before):
        before, after = ([one for one in found if _is_grave(one)] for found in (before, after))
    old, new = (sum(one.code not in besides for one in found) for found in (before, after))
    return new < old and _is_no_worse(before, after, besides)


def _grave(findings: Iterable[Finding]) -> int:
    return sum(map(_is_grave, findings))


def _is_grave(finding: Finding) -> bool:
    """Whether no mend may bring it: a line that is not understood any more (MOM814) was not written rightly."""
    return finding.severity is not Severity.NOTE or finding.code == _NOT_UNDERSTOOD


__all__ = ["Mended", "Mending", "remove_comment"]
