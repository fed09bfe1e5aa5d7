"""What a stranger wrote, as it may be printed. Imports nothing of momlint.

Names of files, brokers and settings come from outside. A terminal obeys control characters; who runs checks reads
commands in lines of their output. So whatever is printed goes through `printable`, and no line begins with a name.
"""

from __future__ import annotations

import re

# C0, DEL and C1 controls, line and paragraph separators, and the marks that reorder text on screen ("trojan
# source"), and lone surrogates, which no encoding can write.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SHORT_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    r"""`text` on one line, with control characters shown as escapes such as ``\x1b``."""
    return _UNPRINTABLE.sub(_escape, text)


def plain_path(path: str) -> str:
    """The same file under a name that may begin a line: GitHub and Azure obey ``::error…`` and ``##[error]``."""
    return f"./{path}" if path.startswith((":", "#")) else path


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    if char in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[char]
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def json_printable(document: str) -> str:
    r"""A JSON document with the same characters as ``\u`` escapes: they mean the same, and do nothing on a screen.

    Line ends stay: in JSON as `json.dumps` writes it they stand between values only.
    """
    return _UNPRINTABLE.sub(lambda match: _json_escape(match.group()), document)


def _json_escape(char: str) -> str:
    return char if char == "\n" else f"\\u{ord(char):04x}"
