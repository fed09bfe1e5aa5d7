"""Open documents and the estates that they belong to: what is typed stands in the place of what is on the disk."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from momlint import discover
from momlint.access import Access, configured_folder
from momlint.disciplines import complete
from momlint.errors import UsageError
from momlint.estate.opening import open_bytes, open_natives
from momlint.findings import Report
from momlint.lint import FleetServices, Options, Together, judged, lint_opened, merge, native_files
from momlint.lsp.names import Use, uses
from momlint.lsp.texts import Text
from momlint.native.kinds import family_of
from momlint.native.reading import Named, known_kind
from momlint.records import dataclass
from momlint.source.readers import Readings, read_any

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.opening import Opened
    from momlint.lint import Unit

#: Estates that are looked into for a file that they may include; the nearest first.
_MOST_ESTATES = 200


@dataclass(slots=True)
class _Opened:
    """An estate, and the identities of all files of which it was asked whether they are open."""

    estate: Opened
    asked: set[str]
    #: Of each of its estates the names; None as long as nobody has asked.
    uses: list[list[Use]] | None = None


@dataclass(slots=True)
class _Known:
    """What was learnt of the disk and the open documents; forgotten with every change of either."""

    opened: dict[Unit, _Opened] = field(default_factory=dict)
    units: dict[str, list[Unit]] = field(default_factory=dict)
    parts: dict[str, frozenset[str]] = field(default_factory=dict)

    def without(self, identity: str) -> _Known:
        """What is known of estates that nothing of that file went into."""
        known = _Known()
        # Copied first: another thread may be adding to them.
        known.opened = {unit: one for unit, one in self.opened.copy().items() if identity not in one.asked}
        known.parts = {unit: files for unit, files in self.parts.copy().items() if unit in known.opened}
        return known


class _Texts(dict[str, bytes]):
    """The texts of open files by identity; `asked`: what was looked for among them."""

    def __init__(self, texts: Mapping[str, bytes]) -> None:
        super().__init__(texts)
        self.asked: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


class Folder:
    """The open documents, by absolute path with ``/``. Methods may be called from several threads.

    What the disk holds is looked at again after `forget`; of files that are open, the editor's text counts.
    """

    def __init__(self, options_of: Callable[[str], Options]) -> None:
        """`options_of`: how to check a file, by its configuration; may raise `UsageError`."""
        self._options_of = options_of
        self.texts: dict[str, Text] = {}
        #: Folders that the editor works in.
        self.roots: list[str] = []
        self._known = _Known()
        # Which estates a folder has, and what each of them reads; only the disk changes the first.
        self._found: dict[str, list[str]] = {}
        self._options: dict[str, Options | UsageError] = {}
        self._readings = Readings()

    # -- documents ----------------------------------------------------------------------------------------------------

    def put(self, file: str, text: Text) -> None:
        """A document is opened, or has another text."""
        was_open = file in self.texts
        self.texts = {**self.texts, file: text}
        self._known = self._known.without(os.path.realpath(file)) if was_open else _Known()

    def close(self, file: str) -> None:
        """A document is no longer open: what is on the disk counts."""
        self.texts = {name: text for name, text in self.texts.items() if name != file}
        self._known = _Known()

    def forget(self) -> None:
        """Something on the disk has changed."""
        self._known = _Known()
        self._found = {}
        self._options = {}

    def text(self, file: str, encoding: str = "utf-16") -> Text | None:
        """What a file holds; None where it cannot be read."""
        found = self.texts.get(file)
        if found is not None:
            return found
        try:
            data = self.options(file).access(file).read(file)
        except (OSError, ValueError):
            return None
        return Text(data.decode("utf-8", "replace"), encoding)

    def given(self) -> dict[str, bytes]:
        """The content of all open documents, by file."""
        return {file: text.data for file, text in self.texts.items()}

    # -- estates ------------------------------------------------------------------------------------------------------

    def units(self, file: str) -> list[Unit]:
        """What is checked on account of a file: the estates that it is a part of, else itself, if it is one."""
        known = self._known
        if file not in known.units:
            known.units[file] = self._units(file)
        return known.units[file]

    def opened(self, unit: Unit) -> Opened:
        """An estate with all that belongs to it, as it stands. Raises `OSError`."""
        return self._as_opened(unit).estate

    def uses(self, unit: Unit) -> list[tuple[LoadedEstate, list[Use]]]:
        """The estates of a unit as they stand, each with the names in it. Raises `OSError`."""
        found = self._as_opened(unit)
        if found.uses is None:
            found.uses = [uses(loaded) for loaded in found.estate.estates]
        return list(zip(found.estate.estates, found.uses, strict=True))

    def _as_opened(self, unit: Unit) -> _Opened:
        known = self._known
        found = known.opened.get(unit)
        if found is None:
            found = known.opened[unit] = self._open(unit)
        return found

    def report(self, unit: Unit) -> Report:
        """What is found in it; of a fault of momlint's own, one MOM902. Raises `UsageError`.

        An estate that cannot be read any more has no findings: it has gone, and whoever includes it says so.
        """
        file = unit if isinstance(unit, str) else unit.files[0]
        options = self.options(file)
        return merge([judged(lambda: lint_opened(self.opened(unit), options), file)], options)

    def options(self, file: str) -> Options:
        """How to check a file. A configuration with mistakes is as none; see `complaint`."""
        found = self._configured(file)
        return Options(engine="graph") if isinstance(found, UsageError) else found

    def complaint(self, file: str) -> str | None:
        """What is wrong with the configuration of a file."""
        found = self._configured(file)
        return str(found) if isinstance(found, UsageError) else None

    def _configured(self, file: str) -> Options | UsageError:
        found = self._options.get(file)
        if found is None:
            try:
                found = self._options_of(file)
            except UsageError as error:
                found = error
            self._options[file] = found
        return found

    def is_estate(self, file: str) -> bool:
        """Whether a file is an estate by itself."""
        text = self.texts.get(file)
        if text is not None:
            return discover.is_estate_text(file, text.data)
        try:
            return discover.is_estate(file)
        except (OSError, ValueError):
            return False

    # -- how ----------------------------------------------------------------------------------------------------------

    def _units(self, file: str) -> list[Unit]:
        if known_kind(file, self._start(file)) is not None:
            owners: list[Unit] = list(self._owners(file))
            return owners or self._natives(file)
        owners = list(self._owners(file))
        if owners:
            return owners
        return [file] if self.is_estate(file) else []

    def _start(self, file: str) -> bytes:
        text = self.text(file)
        return b"" if text is None else text.data

    def _owners(self, file: str) -> Iterable[str]:
        """The estates that read this file, and that no other estate includes with it."""
        real = os.path.realpath(file)
        parts = {main: self._parts(main) for main in self._near(file)}
        owners = [main for main, files in parts.items() if real in files and os.path.realpath(main) != real]
        own = self._parts(file)
        for main in owners:
            # Files that include one another are judged each by itself.
            if os.path.realpath(main) not in own:
                inner = any(os.path.realpath(main) in parts[other] for other in owners if other != main)
                if not inner:
                    yield main

    def _near(self, file: str) -> list[str]:
        """The estates of the folder that the file belongs to, and the open ones, the nearest first."""
        root = self._root(file)
        if root not in self._found:
            self._found[root] = discover.discover([root]).files
        below = root.rstrip("/") + "/"
        open_ones = [name for name in self.texts if name.startswith(below) and self.is_estate(name)]
        found = dict.fromkeys([*open_ones, *self._found[root]])
        found.pop(file, None)
        return sorted(found, key=lambda name: -len(os.path.commonpath([name, file])))[:_MOST_ESTATES]

    def _root(self, file: str) -> str:
        folder = configured_folder(file)
        if folder is None:
            fitting = [root for root in self.roots if file.startswith(root.rstrip("/") + "/")]
            folder = max(fitting, key=len, default=os.path.dirname(file))
        return folder.replace(os.sep, "/")

    def _parts(self, main: str) -> frozenset[str]:
        """The other files that an estate is made of; none where it cannot be read."""
        known = self._known
        if main not in known.parts:
            try:
                opened = self.opened(main)
            except (OSError, ValueError):
                return frozenset()
            files = {source.file for loaded in opened.estates for source in loaded.sources}
            known.parts[main] = frozenset(os.path.realpath(name) for name in files) - {os.path.realpath(main)}
        return known.parts[main]

    def _natives(self, file: str) -> list[Unit]:
        """The brokers' files of its folder that make one estate with it."""
        kind = known_kind(file, self._start(file))
        assert kind is not None
        folder = os.path.dirname(file)
        if folder not in self._found:
            self._found[folder] = discover.discover([folder]).files
        here = [name for name in self._found[folder] if os.path.dirname(name) == folder]
        others = native_files([name for name in here if name != file], self.options(file))
        fitting = [name for name, family in others.items() if family == family_of(kind)]
        fitting = [name for name in fitting if not list(self._owners(name))]
        return [Together(tuple(sorted([file, *fitting])))]

    def open_with(self, unit: Unit, contents: Mapping[str, bytes]) -> Opened:
        """As `opened`, with `contents` in the place of what files hold. Raises `OSError`."""
        return self._open(unit, contents).estate

    def read(self, file: str) -> bytes:
        """What a file holds. Raises `OSError`."""
        text = self.texts.get(file)
        return self.options(file).access(file).read(file) if text is None else text.data

    def _open(self, unit: Unit, contents: Mapping[str, bytes] | None = None) -> _Opened:
        instead = contents or {}
        texts = _Texts({os.path.realpath(name): data for name, data in {**self.given(), **instead}.items()})

        def finished(loaded: LoadedEstate) -> str | None:
            return complete(loaded, FleetServices())

        def access(file: str) -> Access:
            return self.options(file).access(file).instead(texts)

        def content(file: str) -> bytes:
            found = texts.get(os.path.realpath(file))
            return self.options(file).access(file).read(file) if found is None else bytes(found)

        if isinstance(unit, str):
            # What only might be is no text to build on.
            reader = self._readings if contents is None else read_any
            opened = open_bytes(content(unit), unit, access(unit), finished, reader)
            return _Opened(opened, texts.asked)
        named = []
        for file in unit.files:
            data = content(file)
            kind = known_kind(file, data)
            if kind is not None:
                named.append(Named(file, kind, data))
        if not named:
            raise OSError("they are no longer what they were")
        return _Opened(open_natives(named, access, finished), texts.asked)


def with_graph(options: Options) -> Options:
    """How an editor checks: by graph, which is quick, unless the configuration says who is to answer."""
    return replace(options, engine="graph") if options.engine == "auto" else options


__all__ = ["Folder", "with_graph"]
