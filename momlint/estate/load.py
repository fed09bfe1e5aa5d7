"""From a source to its estates: documents, what they include, and where everything stands."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from momlint.access import Access, Refused
from momlint.estate.files import directory, is_address, is_pattern, join, read_file
from momlint.estate.quick import is_null
from momlint.estate.resolve import Resolver
from momlint.estate.resolved import Estate
from momlint.estate.validate import SECTIONS, Checked, check_document
from momlint.findings import Draft, Place, Position, Problem, Related, RelatedDraft, Span
from momlint.records import dataclass
from momlint.source import Document, ScalarNode, Source, inside

if TYPE_CHECKING:
    from momlint.native.form import NativeFile
    from momlint.native.joining import Declared, Joined
    from momlint.native.reading import Named

#: Includes within includes go no deeper than this.
_DEEPEST = 32
_MOST_FILES = 10_000
#: Of includes that are wrong alike, one is a finding, and so many more are shown with it.
_MOST_RELATED = 20

_START = Span(Position(1, 1), Position(1, 1))


@dataclass(slots=True)
class LoadedEstate:
    """One document of a file with all that it includes.

    `estate` is None where nothing sensible is left. `problems` carry spans and files; those of the main
    file's own text (`Source.problems`) are not among them, those of included files are. `sources` and
    `documents` are numbered: 0 is the main one, then the included ones in the order they were read;
    `Place.document` counts `documents`. `checked`: what was valid in each of these, for disciplines whose sections
    `Estate` does not have. `access`: what it may read.
    """

    source: Source
    index: int
    access: Access
    estate: Estate | None = None
    problems: list[Problem] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    documents: list[tuple[Source, Document]] = field(default_factory=list)
    checked: list[Checked] = field(default_factory=list)

    def locate(self, place: Place) -> tuple[str, Span, tuple[Span, ...]]:
        """The file, the span, and the places of aliases and merge keys on the way there (in the same file).

        A route that does not exist is located at its nearest ancestor.
        """
        source, document = self.documents[place.document]
        located = document.locate(place.path, place.part)
        span = located.span
        node = document.find(place.path) if place.within is not None else None
        if place.within is not None and isinstance(node, ScalarNode):
            span = inside(node, source.lines, *place.within) or span
        return source.file, span, tuple(located.via)

    def problem(self, draft: Draft) -> Problem:
        """A draft with its places located; what it was reached through becomes related."""
        file, span, via = self.locate(draft.place)
        related = [Related(file, place, "used through this alias or merge key") for place in via]
        seen = {(file, span)}
        for other in draft.related:
            other_file, other_span, _ = self.locate(other.place)
            # Two uses of one anchor stand at the same place.
            if (other_file, other_span) not in seen:
                seen.add((other_file, other_span))
                related.append(Related(other_file, other_span, other.message))
        return Problem(
            draft.code,
            span,
            _printable(draft.message),
            _printable(draft.help),
            tuple(related),
            file,
            _printable(draft.label),
            draft.data,
        )


def load_source(
    source: Source,
    read: Callable[[str], Source] | None = None,
    find: Callable[[str], Sequence[str]] | None = None,
    access: Access | None = None,
) -> list[LoadedEstate]:
    """One `LoadedEstate` for each YAML document of the file that is not empty.

    `access`: which files may be included; by default those below the folder of the file. `read` gives the source of an
    included file, or raises `OSError`; `find` gives the files that a pattern with wildcards matches; by default both
    look where `access` lets them. They take paths as the user would write them from the working directory. A file
    without any document gives one `LoadedEstate` whose problem says so, unless the text itself was invalid.
    Raises nothing on account of what the user wrote.
    """
    # Building hundreds of thousands of small objects that all stay: the collector would look at them for
    # nothing.
    collecting = gc.isenabled()
    gc.disable()
    try:
        if access is None:
            access = Access.of(source.file)
        files = _Files(access, read, find)
        loaded = [_Load(source, number, document, files).run() for number, document in enumerate(_filled(source))]
    finally:
        if collecting:
            gc.enable()
    if not loaded and not source.problems:
        empty = LoadedEstate(source, 0, access, sources=[source])
        empty.problems.append(
            Problem(
                "MOM102",
                _START,
                "the file is empty: it holds no estate",
                "begin it with `momlint: 1`; `momlint init` writes a starter file",
                file=source.file,
            )
        )
        return [empty]
    return loaded


def load_natives(files: Sequence[Named], access: Callable[[str], Access]) -> LoadedEstate:
    """The estate of native files of one family, at least one, whatever is wrong in them.

    `access`: what each of them may read. Their order does not matter.
    """
    from momlint.native.joining import join as join_natives
    from momlint.native.reading import read_natives

    natives = read_natives(files, access)
    joined = join_natives(natives)
    first = joined.sources[0]
    load = _Load(first, 0, first.documents[0], _Files(access(first.file), None, None))
    return load.run(joined)


def _filled(source: Source) -> list[Document]:
    return [document for document in source.documents if document.root is not None and not is_null(document.root)]


class _Files:
    """The files that the estates of one source may include, each pattern looked up once."""

    def __init__(
        self,
        access: Access,
        read: Callable[[str], Source] | None,
        find: Callable[[str], Sequence[str]] | None,
    ) -> None:
        self.access = access
        self.read = read or (lambda file: read_file(file, access))
        self._find = find or access.find
        self._found: dict[str, list[str]] = {}

    def find(self, pattern: str) -> list[str]:
        """What a pattern matches, sorted. Raises `OSError`, `ValueError`."""
        found = self._found.get(pattern)
        if found is None:
            found = self._found[pattern] = sorted(self._find(pattern))
        return found


class _Alike:
    """Includes that are wrong in the same way: one mistake, one finding."""

    def __init__(self) -> None:
        self.first: tuple[Place, str, str] | None = None
        self.others: list[Place] = []

    def add(self, place: Place, message: str, help_: str) -> None:
        if self.first is None:
            self.first = place, message, help_
        else:
            self.others.append(place)

    def drafts(self) -> list[Draft]:
        if self.first is None:
            return []
        place, message, help_ = self.first
        others = list(dict.fromkeys(other for other in self.others if other != place))
        if others:
            message += f" (and the same in {len(others)} more place{'' if len(others) == 1 else 's'})"
        related = tuple(RelatedDraft(other, "the same here") for other in others[:_MOST_RELATED])
        return [Draft("MOM102", place, message, help_, related=related)]


class _Load:
    """The making of one `LoadedEstate`."""

    def __init__(self, source: Source, index: int, document: Document, files: _Files) -> None:
        self.loaded = LoadedEstate(source, index, files.access, sources=[source])
        self.document = document
        self.files = files
        self.checked = self.loaded.checked
        self.drafts: list[Draft] = []
        self.circles = _Alike()
        self.too_many = _Alike()
        self.lost: set[str] = set()
        self.done: set[str] = set()
        # The files from the main one to that which is being read, by their identities.
        self.chain: list[str] = [files.access.identity(source.file)]

    def run(self, natives: Joined | None = None) -> LoadedEstate:
        """`natives`: the documents of native files, of which `document` is the first."""
        loaded = self.loaded
        self.add(loaded.source, self.document)
        first = 0 if natives is None else 1
        natives = natives or self.named_natives()
        completing = len(self.checked) if natives is not None and not first else None
        if natives is not None:
            for source in natives.sources[first:]:
                loaded.sources.append(source)
                self.add(source, source.documents[0])
            loaded.problems += natives.problems
        # Where files include one another, chains are long for that reason.
        self.drafts += self.circles.drafts() or self.too_many.drafts()
        directories = [directory(source.file) for source, _ in loaded.documents]
        resolver = Resolver(self.checked, directories, _stem(loaded.source.file), self.lost, completing)
        loaded.estate = resolver.run()
        for checked in self.checked:
            self.drafts.extend(checked.drafts)
        loaded.problems.extend(loaded.problem(draft) for draft in [*self.drafts, *resolver.drafts])
        return loaded

    def add(self, source: Source, document: Document) -> None:
        """Check a document, then read what it includes."""
        assert document.root is not None
        number = len(self.loaded.documents)
        self.loaded.documents.append((source, document))
        checked = check_document(document.root, number, included=number > 0)
        self.checked.append(checked)
        if checked.model is None:
            return
        for position, entry in enumerate(checked.model.include or ()):
            kept = checked.kept.get(("include",))
            place = Place(number, ("include", position if kept is None else kept[position]))
            self.include(entry, place, source)

    def include(self, entry: str, place: Place, source: Source) -> None:
        relative = "paths are relative to the file that includes them"
        name = join(directory(source.file), entry)
        if is_address(name):
            self.refuse(place, f"`{entry}` is an address; only files can be included", relative)
            return
        try:
            files = self.files.find(name) if is_pattern(name) else [name]
            keys = [self.files.access.identity(file) for file in files]
        except Refused as error:
            self.refuse(place, f"`{entry}` cannot be read: {error.strerror}", error.help)
            return
        except (OSError, ValueError):
            # A null character, or a surrogate: no file can be called that.
            self.refuse(place, f"`{entry}` is not a path", relative)
            return
        if not files:
            self.refuse(place, f"no file matches `{entry}`", relative)
        for file, key in zip(files, keys, strict=True):
            self.include_file(file, key, entry, place)

    def include_file(self, file: str, key: str, entry: str, place: Place) -> None:
        if key in self.chain:
            if len(self.chain) == 1:
                message = f"`{entry}` includes the file itself"
            else:
                message = f"`{entry}` includes `{file}`, which this file is included from"
            self.circles.add(place, message, "a file may not include itself, nor a file that includes it")
            return
        if key in self.done:
            return  # two ways to one file bring it in once
        if len(self.chain) > _DEEPEST or len(self.done) >= _MOST_FILES:
            message = "too many nested includes"
            self.too_many.add(place, message, f"at most {_DEEPEST} deep, {_MOST_FILES} in all")
            self.lost.update(SECTIONS)
            return
        self.done.add(key)
        try:
            included = self.files.read(file)
        except Refused as error:
            self.refuse(place, f"`{file}` cannot be read: {error.strerror}", error.help)
            return
        except OSError as error:
            reason = (error.strerror or type(error).__name__).lower()
            self.refuse(
                place,
                f"`{file}` cannot be read: {reason}",
                "paths are relative to the file that includes them",
            )
            return
        self.loaded.sources.append(included)
        for problem in included.problems:
            self.loaded.problems.append(_in_file(problem, included.file))
            if problem.code != "MOM103":
                self.lost.update(SECTIONS)
        self.chain.append(key)
        for document in _filled(included):
            self.add(included, document)
        self.chain.pop()

    # -- native files that a manifest names ----------------------------------------------------------------------------

    def named_natives(self) -> Joined | None:
        """What the native files say that brokers of the documents name; None where they name none that can be read."""
        named = (entry for one in self.checked if one.model is not None for entry in (one.model.brokers or {}).values())
        if not any(entry is not None and entry.config for entry in named):
            return None
        from momlint.native.joining import Declared, Stated
        from momlint.native.joining import join as join_natives

        found: list[NativeFile] = []
        declared: dict[str, Declared] = {}
        others: list[str] = []
        for number, checked in enumerate(self.checked):
            for name, entry in ((checked.model and checked.model.brokers) or {}).items():
                if entry is None or not entry.config:
                    others.append(name)
                    continue
                place = Place(number, ("brokers", name, "config"))
                file = join(directory(self.loaded.documents[number][0].file), entry.config)
                native = self.native(file, entry.kind, place)
                if native is None:
                    continue
                if file in declared:
                    help_ = "give each broker a file of its own"
                    self.refuse(place, f"`{entry.config}` is the file of `{declared[file].name}` too", help_)
                    continue
                found.append(native)
                declared[file] = Declared(name, tuple(entry.hosts or ()), entry.prefix)
        if not found:
            return None
        models = [(checked, checked.model) for checked in self.checked if checked.model is not None]
        routing = [(checked, model.routing) for checked, model in models if model.routing is not None]
        stated = Stated(
            routing=frozenset(
                key
                for key in ("protocol", "syntax", "guard")
                if any(f"routing.{key}" in checked.order for checked, _ in routing)
            ),
            syntax=next((one.syntax for checked, one in routing if "routing.syntax" in checked.order), None),
            others=tuple(others),
            closed=any(model.closed for _, model in models),
            subscriptions=tuple(
                (one.at, one.filter, one.syntax) for _, model in models for one in model.subscriptions or ()
            ),
            wanted=not any(model.subscriptions is not None or model.topics for _, model in models),
        )
        return join_natives(found, declared, stated)

    def native(self, file: str, kind: str | None, place: Place) -> NativeFile | None:
        """A native file that is named at `place`; None where there is none, which is told."""
        from momlint.native.reading import Named, known_kind, read_native, readable

        help_ = "paths are relative to the file that names them"
        if is_address(file):
            self.refuse(place, f"`{file}` is an address; a configuration is a file", help_)
            return None
        try:
            data = self.files.access.read(file)
        except Refused as error:
            self.refuse(place, f"`{file}` cannot be read: {error.strerror}", error.help)
            return None
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", None) or "it is no path").lower()
            self.refuse(place, f"`{file}` cannot be read: {why}", help_)
            return None
        known = readable(kind) if kind is not None else known_kind(file, data)
        if known is None:
            what = f"momlint has no reader for `{kind}`" if kind else f"momlint does not see what `{file}` is for"
            self.refuse(place, what, "say `kind: mosquitto`, or another kind that it reads")
            return None
        return read_native(Named(file, known, data), self.files.access)

    def refuse(self, place: Place, message: str, help_: str) -> None:
        """An include that brings nothing; what it would have declared is not known to be missing."""
        self.drafts.append(Draft("MOM102", place, message, help_))
        self.lost.update(SECTIONS)


def _printable(text: str) -> str:
    """Names may hold control characters; a message must not hand them to a terminal."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _in_file(problem: Problem, file: str) -> Problem:
    return replace(problem, file=problem.file or file)


def _stem(file: str) -> str:
    name = file.replace("\\", "/").rpartition("/")[2]
    for ending in (".yaml", ".yml", ".mom"):
        name = name.removesuffix(ending)
    return name or "estate"
