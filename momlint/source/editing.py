"""Edits of a YAML text that leave everything else as it stands, byte for byte.

An edit is made on the characters, by the spans that the reader knows; nothing is written out anew from a tree, so
comments, layout, quotes and line ends elsewhere stay.
"""

from __future__ import annotations

from momlint.errors import UsageError
from momlint.source.decoding import LINE_BREAK, Text, decode
from momlint.source.nodes import Document, MappingEntry, MappingNode

_MARK = b"\xef\xbb\xbf"


def with_section(data: bytes, document: Document, key: str, section: str) -> bytes:
    """The file `data` with the top-level `section` in `document`, in place of the entry `key` or at the end.

    `section`: text of whole lines that starts with ``key:`` in the first column; it takes the document's indentation
    and line ends. Raises `UsageError` where the text is not UTF-8, where the document is no mapping in block style,
    and where the entry is brought in by a merge key or an alias.
    """
    text, problems, is_text = decode(data)
    mark = _MARK if data.startswith(_MARK) else b""
    if problems or not is_text or mark + text.text.encode() != data:
        raise UsageError("only UTF-8 files can be changed in place")
    root = document.root
    if not isinstance(root, MappingNode) or not root.entries or _character(text, root) == "{":
        raise UsageError("only a document in block style, with one key per line, can be changed in place")
    margin = " " * min(entry.key.start_column for entry in root.entries)
    line_break = (LINE_BREAK.search(text.text) or ["\n"])[0]
    lines = [(margin + line if line else line) for line in section.splitlines()]
    entry = root.get(key)
    if entry is None:
        start = end = _after(text, _last(root))
        before = "" if not start or text.text[start - 1] in "\r\n" else line_break
        body = before + line_break.join(lines) + line_break
    else:
        if entry.via or entry.alias is not None:
            raise UsageError(f"`{key}` comes from an anchor or a merge key; write it out first")
        start = _index(text, entry.span.start) - entry.key.start_column
        end = _index(text, entry.span.end)
        body = line_break.join(lines)
    return mark + (text.text[:start] + body + text.text[end:]).encode()


def _character(text: Text, root: MappingNode) -> str:
    at = text.starts[root.start_line] + root.start_column
    return text.text[at : at + 1]


def _last(root: MappingNode) -> MappingEntry:
    """The entry of the document's own text that stands last (merged ones stand elsewhere)."""
    own = [entry for entry in root.entries if not entry.via]
    return max(own or root.entries, key=lambda entry: entry.span.end)


def _index(text: Text, position: tuple[int, int]) -> int:
    line, column = position
    return text.starts[line - 1] + column - 1


def _after(text: Text, entry: MappingEntry) -> int:
    """The start of the line after the one in which `entry` ends, or the end of the text."""
    line = entry.span.end[0]
    return text.starts[line] if line < len(text.starts) else len(text.text)
