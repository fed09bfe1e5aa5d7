"""What libyaml says about a broken text, in plain words, with the culprit and its exact place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from momlint.findings import Position, Problem, Related, Span
from momlint.source.decoding import Text
from momlint.source.excerpts import excerpt
from momlint.source.nodes import Positioned

if TYPE_CHECKING:
    import yaml

_WORD = re.compile(r"[^\s,\[\]{}:]+|[^\s]")
_NO_SPACE = re.compile(r"\S+")
_INDENTATION = re.compile(r"[ \t\xa0\u2000-\u200b\u202f\u205f\u3000\ufeff]*")
_STRANGE_SPACE = re.compile(r"[\xa0\u2000-\u200b\u202f\u205f\u3000]+")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{0,2}|u[0-9A-Fa-f]{0,4}|U[0-9A-Fa-f]{0,8}|.|$)")
_TAIL = re.compile(r"\s+#.*$|\s+$")


class _Place(NamedTuple):
    """0-based line and column."""

    line: int
    column: int

    def span(self, width: int = 1) -> Span:
        return Span(Position(self.line + 1, self.column + 1), Position(self.line + 1, self.column + width + 1))


class _Case(NamedTuple):
    """An error of libyaml: what it says, where it stopped, and where the thing it was reading starts."""

    problem: str
    context: str
    at: _Place
    since: _Place
    text: Text
    file: str
    opener: Positioned | None

    @property
    def line(self) -> str:
        return self.text.line(self.at.line)

    @property
    def at_end(self) -> bool:
        """Whether reading stopped behind the last line with anything on it, or at the start of a document."""
        if self.line[self.at.column :].startswith("---") and self.at.column == 0:
            return True
        lines = self.text.lines
        rest = self.at.line
        if self.line[self.at.column :].strip():
            return False
        return all(not line.strip() or line.lstrip().startswith("#") for line in lines[rest + 1 : rest + 200])

    def word(self, place: _Place) -> tuple[str, Span]:
        """The word at a place, and its span; no width at the end of a line."""
        match = _WORD.match(self.text.line(place.line), place.column)
        return ("", place.span(0)) if match is None else (match[0], place.span(len(match[0])))

    def rest(self, place: _Place) -> tuple[str, Span]:
        """The text from a place to the end of its line, without a comment, and its span."""
        rest = _TAIL.sub("", self.text.line(place.line)[place.column :])
        return rest, place.span(len(rest))


def explain(error: yaml.YAMLError, text: Text, base_line: int, file: str, opener: Positioned | None) -> Problem:
    """Return the problem that an exception of libyaml stands for.

    Its marks count lines from `base_line`; `opener` is the innermost list or mapping with a bracket that was
    open when it was raised.
    """
    case = _case(error, text, base_line, file, opener)
    if case is None:
        return Problem("MOM101", _Place(base_line, 0).span(0), f"this is not valid YAML: {error}")
    found = _strange_indentation(case)
    if found is None:
        handler = _HANDLERS.get(case.problem)
        found = _unknown(case) if handler is None else handler(case)
    return found


def line_of(error: Any) -> int:
    """Return the 0-based line at which libyaml stopped, as it counts them; 0 where it does not say."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    return 0 if mark is None else int(mark.line)


def _case(error: Any, text: Text, base_line: int, file: str, opener: Positioned | None) -> _Case | None:
    at = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if at is None:
        return None
    since = getattr(error, "context_mark", None) or at
    return _Case(
        getattr(error, "problem", None) or "",
        getattr(error, "context", None) or "",
        _clamp(text, at.line + base_line, at.column),
        _clamp(text, since.line + base_line, since.column),
        text,
        file,
        opener,
    )


def _clamp(text: Text, line: int, column: int) -> _Place:
    """A place that exists: the end of the text, as libyaml counts it, may be a line that is not there."""
    if line < len(text.lines) or not text.lines:
        return _Place(line, column)
    return _Place(len(text.lines) - 1, len(text.lines[-1]))


def _problem(span: Span, message: str, advice: str = "", *related: Related) -> Problem:
    return Problem("MOM101", span, message, advice, related)


def _strange_indentation(case: _Case) -> Problem | None:
    """A tab, a space that is not YAML's or a byte order mark at the start of the line where reading stopped."""
    if "quoted" in case.context or "flow" in case.context:
        return None
    match = _INDENTATION.match(case.line)
    indentation = "" if match is None else match[0]
    tab = indentation.find("\t")
    if tab >= 0:
        width = len(indentation[tab:]) - len(indentation[tab:].lstrip("\t"))
        return _problem(
            _Place(case.at.line, tab).span(width),
            "a tab stands in the indentation, and YAML indents with spaces only",
            "replace the tab with spaces",
        )
    mark = indentation.find("\ufeff")
    if mark >= 0:
        return _problem(
            _Place(case.at.line, mark).span(),
            "a byte order mark (U+FEFF) stands here, inside the file",
            "remove it; only the first character of a file may be one",
        )
    space = _STRANGE_SPACE.search(indentation)
    if space is not None:
        code = ord(space[0][0])
        return _problem(
            _Place(case.at.line, space.start()).span(len(space[0])),
            f"a special space (U+{code:04X}) stands in the indentation, and YAML reads it as text",
            "replace it with an ordinary space",
        )
    return None


def _cannot_start(case: _Case) -> Problem:
    character = case.line[case.at.column : case.at.column + 1]
    if character == "\t":
        return _problem(case.at.span(), "a tab cannot stand here; YAML indents with spaces only")
    return _problem(
        case.at.span(len(character)),
        f"a plain value cannot start with `{character}`",
        "put the value in quotes",
    )


def _second_colon(case: _Case) -> Problem:
    before = case.line[: case.at.column]
    if re.search(r":\s", before):
        return _problem(
            case.at.span(),
            "a second `:` on one line: the value before it looks like a key",
            "put the value in quotes if the colon belongs to it, or start a new line for the inner mapping",
        )
    indent = len(before) - len(before.lstrip())
    key = before.strip()
    if not key:
        return _problem(case.at.span(), "a `:` stands here with no key before it")
    return _problem(
        _Place(case.at.line, indent).span(len(before) - indent),
        f"`{excerpt(key)}:` cannot be a key here: it continues the value of the line before",
        "check that the line before has its `:`, and that both are indented alike",
    )


def _no_colon(case: _Case) -> Problem:
    rest, span = case.rest(case.since)
    return _problem(
        span,
        f"`{excerpt(rest)}` stands where a key is expected, and no `:` follows it",
        "write `key: value`; a list item starts with `- `",
    )


def _no_space(case: _Case) -> Problem:
    # libyaml stops at the colon.
    return _problem(
        case.at.span(),
        "a space is missing after this `:`",
        "write `key: value`; if the colon belongs to the value, put it in quotes",
    )


def _dash(case: _Case) -> Problem:
    return _problem(
        case.at.span(),
        "a list item `-` cannot start here, on the line of its key",
        "start the list on the next line, or write it as `[a, b]`",
    )


def _question_mark(case: _Case) -> Problem:
    return _problem(case.at.span(), "a key that starts with `?` cannot stand here", "put the value in quotes")


def _misaligned(what: str, start: str) -> Any:
    def handle(case: _Case) -> Problem:
        word, span = case.word(case.at)
        column = case.since.column + 1
        related = Related(case.file, case.since.span(0), f"the {what} starts here, in column {column}")
        same_line = case.since.line == case.at.line or case.line[: case.at.column].strip()
        if same_line:
            return _problem(
                span,
                f"`{excerpt(word)}` cannot follow here: the value before it has already ended",
                "put the whole value in quotes, or start a new line",
            )
        return _problem(
            span,
            f"`{excerpt(word)}` does not fit the {what} of line {case.since.line + 1}: "
            f"{start} is expected here, in column {column}",
            "check the indentation",
            related,
        )

    return handle


def _no_node(case: _Case) -> Problem:
    word, span = case.word(case.at)
    if (case.at_end or not word) and case.opener is not None:
        place = _Place(case.opener.start_line, case.opener.start_column)
        return _never_closed(place, case.text.line(place.line)[place.column : place.column + 1])
    if case.at_end or not word:
        return _problem(span, "a value is missing here, at the end")
    return _problem(span, f"a value is missing before `{excerpt(word)}`", "remove it, or put the value in quotes")


def _never_closed(place: _Place, opener: str) -> Problem:
    closer, what = ("}", "mapping") if opener == "{" else ("]", "list")
    return _problem(
        place.span(),
        f"the `{opener}` is never closed: its `{closer}` is missing",
        f"close the {what} with `{closer}`",
    )


def _unclosed_bracket(opener: str, closer: str, what: str) -> Any:
    def handle(case: _Case) -> Problem:
        if case.at_end:
            return _never_closed(case.since, opener)
        word, span = case.word(case.at)
        if word == ":" and case.at.line > case.since.line:
            # What should be the next key was read as part of the list.
            rest, line_span = case.rest(_Place(case.at.line, len(case.line) - len(case.line.lstrip())))
            return _problem(
                case.since.span(),
                f"the `{opener}` is not closed before `{excerpt(rest)}` on line {case.at.line + 1}",
                f"close the {what} with `{closer}`",
                Related(case.file, line_span, f"this was read as part of the {what}"),
            )
        return _problem(
            span,
            f"a `,` or `{closer}` is missing before `{excerpt(word)}`",
            f"check that the {what} is closed, and that its items are separated by commas",
            Related(case.file, case.since.span(), f"the {what} starts here"),
        )

    return handle


def _unclosed_quote(case: _Case) -> Problem:
    quote = case.text.line(case.since.line)[case.since.column : case.since.column + 1] or '"'
    return _problem(
        case.since.span(),
        f"the quote {quote} is never closed",
        f"close it with {quote}; inside single quotes a single quote is written twice",
    )


def _bad_escape(case: _Case) -> Problem:
    # libyaml stops at the backslash, or behind it where digits are wrong.
    start = case.line.rfind("\\", 0, case.at.column + 1)
    match = _ESCAPE.match(case.line, max(start, 0))
    written = "\\" if match is None else match[0]
    place = case.at if start < 0 else _Place(case.at.line, start)
    return _problem(
        place.span(len(written)),
        f"`{excerpt(written)}` is not an escape sequence in YAML",
        "use single quotes, or write the backslash twice",
    )


def _bad_name(case: _Case) -> Problem:
    rest, span = case.word(case.since)
    sign = rest[:1]
    kind = "an alias" if sign == "*" else "an anchor"
    return _problem(
        span,
        f"`{sign}` starts {kind} in YAML, but `{excerpt(rest)}` is not one",
        "put the value in quotes",
    )


def _bad_tag(case: _Case) -> Problem:
    if "directive" in case.context:
        return _directive(case)
    match = _NO_SPACE.match(case.text.line(case.since.line), case.since.column)
    written = "!" if match is None else match[0]
    span = case.since.span(len(written))
    return _problem(
        span,
        f"`{excerpt(written)}` is not a valid tag, and `!` starts a tag in YAML",
        "if a value is meant, put it in quotes",
    )


def _directive(case: _Case) -> Problem:
    place = _Place(case.since.line, 0)
    rest, span = case.rest(place)
    return _problem(
        span,
        f"`{excerpt(rest)}` is not a directive that YAML 1.2 allows here, but a line starting with `%` is read as one",
        "remove the line; if a value is meant, put it in quotes",
    )


def _block_header(case: _Case) -> Problem:
    if "block scalar" not in case.context:
        return _directive(case)
    rest, span = case.rest(case.since)
    return _problem(
        span,
        f"`{excerpt(rest)}` is not a valid start of a block of text",
        "end the line after `|` or `>`; the text follows, indented, on the next lines",
    )


def directive_before(text: Text, line: int) -> int | None:
    """Return the 0-based line of a directive (``%YAML``) that stands directly before `line`, if one does."""
    for number in range(min(line, len(text.lines)) - 1, -1, -1):
        written = text.lines[number]
        if written.startswith("%"):
            return number
        if written.strip() and not written.lstrip().startswith("#"):
            return None
    return None


def _no_document(case: _Case) -> Problem:
    directive = directive_before(case.text, case.at.line + 1 if case.at_end else case.at.line)
    if directive is not None:
        rest, span = case.rest(_Place(directive, 0))
        return _problem(
            span,
            f"the directive `{excerpt(rest)}` is not followed by a document",
            "write `---` on the line after it, or remove it",
        )
    word, span = case.word(case.at)
    if case.line[: case.at.column].strip():
        message = f"`{excerpt(word)}` is left over: everything before it is complete"
        return _problem(span, message, "remove it, or check the brackets and quotes before it")
    message = f"`{excerpt(word)}` does not belong to what stands before it: it is indented less, or a `---` is missing"
    return _problem(span, message, "align it with the first key, or start a new document with `---`")


def _nesting(case: _Case) -> Problem:
    return _problem(
        case.at.span(),
        "lists and mappings are nested deeper here than momlint reads",
        "an estate needs fewer than ten levels: look for a bracket that is never closed",
    )


def _unknown(case: _Case) -> Problem:
    _, span = case.word(case.at)
    return _problem(span, f"this is not valid YAML: {case.problem}")


_HANDLERS: dict[str, Any] = {
    "found character that cannot start any token": _cannot_start,
    "mapping values are not allowed in this context": _second_colon,
    "could not find expected ':'": _no_colon,
    "found unexpected ':'": _no_space,
    "block sequence entries are not allowed in this context": _dash,
    "mapping keys are not allowed in this context": _question_mark,
    "did not find expected key": _misaligned("mapping", "another key"),
    "did not find expected '-' indicator": _misaligned("list", "another `- `"),
    "did not find expected node content": _no_node,
    "did not find expected ',' or ']'": _unclosed_bracket("[", "]", "list"),
    "did not find expected ',' or '}'": _unclosed_bracket("{", "}", "mapping"),
    "found unexpected end of stream": _unclosed_quote,
    "found unexpected document indicator": _unclosed_quote,
    "found unknown escape character": _bad_escape,
    "did not find expected hexdecimal number": _bad_escape,
    "found invalid Unicode character escape code": _bad_escape,
    "did not find expected alphabetic or numeric character": _bad_name,
    "did not find the expected '>'": _bad_tag,
    "did not find expected '!'": _bad_tag,
    "did not find expected tag URI": _bad_tag,
    "did not find expected whitespace or line break": _bad_tag,
    "did not find URI escaped octet": _bad_tag,
    "found an incorrect leading UTF-8 octet": _bad_tag,
    "found an incorrect trailing UTF-8 octet": _bad_tag,
    "found undefined tag handle": _bad_tag,
    "could not find expected directive name": _directive,
    "found unexpected non-alphabetical character": _directive,
    "found unknown directive name": _directive,
    "found extremely long version number": _directive,
    "did not find expected digit or '.' character": _directive,
    "did not find expected version number": _directive,
    "found incompatible YAML document": _directive,
    "found duplicate %YAML directive": _directive,
    "found duplicate %TAG directive": _directive,
    "did not find expected whitespace": _directive,
    "found an indentation indicator equal to 0": _block_header,
    "did not find expected comment or line break": _block_header,
    "did not find expected <document start>": _no_document,
    "exceeded maximum nesting depth": _nesting,
}
