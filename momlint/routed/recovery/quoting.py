"""Names in text, written so that they are read back as they are: in cells of CSV, and as scalars of YAML."""

from __future__ import annotations

import re

#: What may stand between two names in a cell.
_SEPARATORS = str.maketrans(dict.fromkeys(";,|", " "))
_TOKEN = re.compile(r"""[\s;,|]*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s;,|]+))""", re.DOTALL)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL = re.compile(r"""[\s;,|]|^["'\[]|\]$""")
#: Scalars that YAML reads as the text they are, in block and in flow, wherever they stand.
_YAML_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_.+/@<>=~-]*")
_YAML_NULL = frozenset(("", "~", "null", "Null", "NULL"))


def split_names(cell: str) -> list[str]:
    """The names in a cell: ``1 3 4``; also with ``,``, ``;`` or ``|`` between them, and in square brackets.

    A name that has one of these characters, or white space, in it stands in double quotes (in them ``\\"`` and
    ``\\\\``) or in single ones.
    """
    cell = cell.strip()
    if cell.startswith("[") and cell.endswith("]"):
        cell = cell[1:-1]
    if '"' not in cell and "'" not in cell:
        return cell.translate(_SEPARATORS).split()
    names = []
    for match in _TOKEN.finditer(cell):
        double, single, plain = match.groups()
        names.append(_ESCAPE.sub(r"\1", double) if double is not None else single if single is not None else plain)
    return names


def cell_name(name: str) -> str:
    """The name as it stands in a cell."""
    if name and not _SPECIAL.search(name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def yaml_name(name: str) -> str:
    """The name as a YAML scalar on one line, plain where that is safe, else in double quotes."""
    if _YAML_PLAIN.fullmatch(name) and name not in _YAML_NULL:
        return name
    return '"' + "".join(_yaml_character(character) for character in name) + '"'


def _yaml_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    code = ord(character)
    # The byte order mark and lone surrogates print nothing, or are no characters at all.
    if character.isprintable() and not 0xD800 <= code <= 0xDFFF and code != 0xFEFF:
        return character
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
