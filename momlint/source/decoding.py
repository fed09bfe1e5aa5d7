"""From bytes to the text that is parsed: encodings, byte order marks, line ends, characters YAML forbids."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable
from functools import cached_property
from itertools import accumulate
from operator import add

from momlint.findings import Position, Problem, Span

#: A line ends here. Form feeds, U+0085, U+2028 and U+2029 end no line (YAML 1.2, section 5.4), as in editors.
LINE_BREAK = re.compile(r"\r\n?|\n")

#: Shown, and parsed, in place of a byte or character that cannot stand in a YAML text.
REPLACEMENT = "\ufffd"

# Line breaks of YAML 1.1, on which libyaml still ends lines.
_OLD_BREAKS = ("\x85", "\u2028", "\u2029")

_CONTROL_BYTES = bytes([*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F])
_OTHER_BYTES = bytes(sorted(set(range(256)) - set(_CONTROL_BYTES)))
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_CONTROL_WIDE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")
_CONTROL_NAMES = {
    0x00: "NUL",
    0x08: "backspace",
    0x0B: "vertical tab",
    0x0C: "form feed",
    0x1B: "escape",
    0x7F: "delete",
}

# Byte order marks and, for files without one, the zero bytes that an ASCII first character shows; the longer
# patterns first (YAML 1.2.2, section 5.2).
_ENCODINGS: tuple[tuple[re.Pattern[bytes], str, int], ...] = (
    (re.compile(rb"\x00\x00\xfe\xff", re.S), "utf-32-be", 4),
    (re.compile(rb"\x00\x00\x00[^\x00]", re.S), "utf-32-be", 0),
    (re.compile(rb"\xff\xfe\x00\x00", re.S), "utf-32-le", 4),
    (re.compile(rb"[^\x00]\x00\x00\x00", re.S), "utf-32-le", 0),
    (re.compile(rb"\xfe\xff", re.S), "utf-16-be", 2),
    (re.compile(rb"\x00[^\x00]", re.S), "utf-16-be", 0),
    (re.compile(rb"\xff\xfe", re.S), "utf-16-le", 2),
    (re.compile(rb"[^\x00]\x00", re.S), "utf-16-le", 0),
    (re.compile(rb"\xef\xbb\xbf", re.S), "utf-8", 3),
)


class Text:
    """The characters of a file, without a byte order mark; `text` is what the user sees, `parsed` what
    libyaml gets.

    The two have the same length, and differ only where libyaml would end a line and YAML 1.2 does not;
    `restore` brings the characters of a scalar back (None where there is nothing to bring back).
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.parsed = text
        self.restore: Callable[[str], str] | None = None
        present = [mark for mark in _OLD_BREAKS if mark in text]
        if present:
            substitutes = _unused_characters(text, len(present))
            self.parsed = text.translate({ord(m): s for m, s in zip(present, substitutes, strict=True)})
            back = {ord(s): m for m, s in zip(present, substitutes, strict=True)}
            self.restore = lambda scalar: scalar.translate(back)

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends."""
        lines = LINE_BREAK.split(self.text) if "\r" in self.text else self.text.split("\n")
        if not lines[-1]:
            del lines[-1]
        return lines

    @cached_property
    def starts(self) -> list[int]:
        """The index of the first character of each line; one more where the text ends with a line break."""
        if "\r" in self.text:
            return [0, *(match.end() for match in LINE_BREAK.finditer(self.text))]
        pieces = self.text.split("\n")
        return [0, *map(add, accumulate(map(len, pieces[:-1])), range(1, len(pieces)))]

    def place(self, index: int) -> tuple[int, int]:
        """The 0-based line and column of the character at `index`."""
        line = bisect.bisect_right(self.starts, index) - 1
        return line, index - self.starts[line]

    def span(self, start: int, end: int) -> Span:
        """The span of the characters from index `start` up to `end`."""
        (line, column), (end_line, end_column) = self.place(start), self.place(end)
        return Span(Position(line + 1, column + 1), Position(end_line + 1, end_column + 1))

    def line(self, number: int) -> str:
        """The line with this 0-based number; empty behind the last one."""
        return self.lines[number] if number < len(self.lines) else ""


def decode(data: bytes) -> tuple[Text, list[Problem], bool]:
    """Return the text of a file, what is wrong with its characters, and whether it is a text at all.

    UTF-8, UTF-16 and UTF-32 are read, with a byte order mark or, as YAML asks, recognised by the zero bytes
    of their first character. Bytes that do not decode and characters that YAML forbids become U+FFFD, one
    problem for each of the two kinds, at the first place. A file with both zero bytes and undecodable ones,
    and no byte order mark, is no text.
    """
    encoding, skip = "utf-8", 0
    for pattern, name, length in _ENCODINGS:
        if pattern.match(data):
            encoding, skip = name, length
            break
    body = data[skip:] if skip else data
    problems: list[Problem] = []
    try:
        decoded = body.decode(encoding)
    except UnicodeDecodeError as error:
        decoded = body.decode(encoding, "replace")
        text = Text(decoded)
        if b"\x00" in body and (encoding == "utf-8" or not skip):
            shown = Text(_CONTROL_WIDE.sub(REPLACEMENT, decoded))
            return shown, [_not_a_text(text, body, error)], False
        problems.append(_undecodable(text, body, error, encoding))
    else:
        text = Text(decoded)
    forbidden = _find_forbidden(decoded, body, encoding)
    if forbidden is not None:
        problems.append(forbidden(text))
        text = Text(_CONTROL_WIDE.sub(REPLACEMENT, decoded))
    return text, problems, True


def _unused_characters(text: str, count: int) -> list[str]:
    """Private characters that occur in the text neither themselves nor as the code of an escape."""
    lowered = text.lower()
    found: list[str] = []
    code = 0x10FFFD
    while len(found) < count:
        if chr(code) not in text and f"{code:x}" not in lowered:
            found.append(chr(code))
        code -= 1
    return found


def _undecodable(text: Text, body: bytes, error: UnicodeDecodeError, encoding: str) -> Problem:
    # A U+FFFD that the file itself contains decodes without an error, so it is not counted.
    genuine = body.decode(encoding, "ignore").count(REPLACEMENT)
    more = text.text.count(REPLACEMENT) - genuine - 1
    index = len(body[: error.start].decode(encoding))
    also = f", and so are {more} more places" if more > 1 else ", and so is one more place" if more == 1 else ""
    if encoding == "utf-8":
        byte = body[error.start]
        guess = bytes([byte]).decode("cp1252", "replace")
        meant = (
            f" (it would be `{guess}` in Windows-1252 or Latin-1)"
            if guess.isprintable() and guess != REPLACEMENT
            else ""
        )
        message = f"byte 0x{byte:02X} is not valid UTF-8{meant}{also}"
    else:
        message = f"the bytes here are not valid {_shown(encoding)}{also}"
    return Problem("MOM101", text.span(index, index + 1), message, "save the file as UTF-8")


def _shown(encoding: str) -> str:
    """The name of an encoding for a user: UTF-8, UTF-16, UTF-32."""
    return encoding.upper().removesuffix("-LE").removesuffix("-BE")


def _not_a_text(text: Text, body: bytes, error: UnicodeDecodeError) -> Problem:
    index = len(body[: error.start].decode(error.encoding))
    return Problem(
        "MOM101",
        text.span(index, index + 1),
        f"this is not a text file: byte 0x{body[error.start]:02X} is not valid {_shown(error.encoding)}, "
        f"and it has zero bytes",
        "give momlint the YAML source, or exclude this file",
    )


def _find_forbidden(decoded: str, body: bytes, encoding: str) -> Callable[[Text], Problem] | None:
    if encoding == "utf-8" and body.isascii():
        # Deleting all other bytes is many times faster than a search by pattern.
        if not body.translate(None, _OTHER_BYTES):
            return None
        pattern = _CONTROL
    else:
        pattern = _CONTROL_WIDE
    match = pattern.search(decoded)
    if match is None:
        return None
    code = ord(match[0])
    index = match.start()
    more = sum(1 for _ in pattern.finditer(decoded)) - 1

    def build(text: Text) -> Problem:
        name = (
            f"the {_CONTROL_NAMES[code]} character (U+{code:04X})"
            if code in _CONTROL_NAMES
            else f"the control character U+{code:04X}"
        )
        also = f", and there are {more} more such characters" if more > 1 else ", and there is one more" if more else ""
        return Problem(
            "MOM101",
            text.span(index, index + 1),
            f"{name} cannot stand in a YAML file{also}",
            'remove it; in a quoted value write it as an escape ("\\x1b")',
        )

    return build
