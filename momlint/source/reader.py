"""Reading a file: bytes in, documents with positions and problems with spans out, and never an exception."""

from __future__ import annotations

import bisect
import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from momlint.findings import Position, Problem, Span
from momlint.source.again import can_be_read_again, compose_again
from momlint.source.comments import Comments
from momlint.source.composing import ReadingLimits, Region, compose
from momlint.source.decoding import Text, decode
from momlint.source.excerpts import excerpt
from momlint.source.nodes import Document, Tree
from momlint.source.placeholders import find_placeholders
from momlint.source.suppressions import Suppression, find_suppressions

_DEFAULT_LIMITS = ReadingLimits()


class Source:
    """A file that has been read.

    `documents` are those that could be read, in order; `problems` says what is wrong with the file, in order
    of place. `unreadable` counts the documents that are missing from `documents`: those with invalid YAML and
    those with an unrendered template.
    """

    __slots__ = ("_regions", "_text", "documents", "file", "problems", "suppressions", "unreadable")

    def __init__(
        self,
        file: str,
        text: Text,
        documents: list[Document],
        problems: list[Problem],
        suppressions: list[Suppression],
        unreadable: int,
        regions: Sequence[Region] = (),
    ) -> None:
        """`regions`: what the documents were made of, for those who read the file again."""
        self.file = file
        self._text = text
        self.documents = documents
        self.problems = problems
        self.suppressions = suppressions
        self.unreadable = unreadable
        self._regions = regions

    @property
    def lines(self) -> list[str]:
        """The text by lines, without line ends and byte order mark; U+FFFD where a byte or character was
        invalid.
        """
        return self._text.lines

    @property
    def text(self) -> str:
        """The text without a byte order mark."""
        return self._text.text

    @property
    def can_be_read_again(self) -> bool:
        """Whether reading the file anew is quicker with this at hand."""
        return bool(self._regions) and can_be_read_again(self._text, self._regions)


def read_source(
    data: bytes, file: str = "<input>", *, limits: ReadingLimits = _DEFAULT_LIMITS, before: Source | None = None
) -> Source:
    """Read a YAML file. `before`: what was read of it, within the same `limits`, when it had another text.

    With `before` the outcome is the same, and sooner there: the parts that have not changed are taken from it.

    Whatever the bytes are, the outcome is a `Source`: invalid YAML and limits exceeded are MOM101, duplicate
    keys MOM103, a template that was not rendered MOM107. A document that cannot be read hides no other.

    Raises MomlintError only where PyYAML was built without libyaml.
    """
    text, problems, is_text = decode(data)
    if not is_text:
        return Source(file, text, [], problems, [], 1)
    with _collector_paused():
        regions = None if before is None else compose_again(before._text, before._regions, text, limits)
        if regions is None:
            regions = compose(text, file, limits)
    comments = Comments(text, regions)
    templates = _find_templates(text, comments, regions)
    documents: list[Document] = []
    for index, region in enumerate(regions):
        if index in templates.regions:
            continue
        problems.extend(region.problems)
        if region.readable:
            documents.append(Tree(region.root, index, _document_span(text, region)))
    problems.extend(templates.problems)
    problems.sort(key=lambda problem: (problem.span, problem.code))
    suppressions = find_suppressions(text, comments)
    return Source(file, text, documents, problems, suppressions, len(regions) - len(documents), regions)


class _Templates:
    """The placeholders of a file: one problem at the first, and the regions (by index) that hold any."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.regions: set[int] = set()


def _find_templates(text: Text, comments: Comments, regions: Sequence[Region]) -> _Templates:
    templates = _Templates()
    first: tuple[int, int] | None = None
    count = 0
    first_lines = [region.first_line for region in regions]
    for start, end in find_placeholders(text.text):
        line, column = text.place(start)
        comment = comments.column(line)
        if comment is not None and comment < column:
            continue
        count += 1
        first = first or (start, end)
        templates.regions.add(max(bisect.bisect_right(first_lines, line) - 1, 0))
    if first is not None:
        written = excerpt(text.text[first[0] : first[1]])
        more = f" (and {count - 1} more in this file)" if count > 1 else ""
        templates.problems.append(
            Problem(
                "MOM107",
                text.span(*first),
                f"the placeholder `{written}` of a template is still in the file{more}",
                "render the template first, then check the result",
            )
        )
    return templates


def _document_span(text: Text, region: Region) -> Span:
    if region.root is not None:
        return region.root.span
    line = text.line(region.first_line)
    start = Position(region.first_line + 1, 1)
    return Span(start, Position(start.line, 4 if line.startswith("---") else 1))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Compose without the cyclic garbage collector: it would search millions of new nodes, again and
    again.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if gc.get_freeze_count() == 0:
            # Moves what was made meanwhile to the oldest generation, which spares the next collection a
            # search.
            gc.freeze()
            gc.unfreeze()
        gc.enable()
