"""`primaryLocationLineHash`: GitHub's fingerprint of the line a result stands on.

It is the hash that its upload action would compute by itself where it has the source: a polynomial over the 100
characters from the line's first on (tabs and blanks left out, line ends as line feeds), modulo 2^64, and after a colon
which of the lines with the same hash it is. (Of a file whose last line has no end, the last hundred characters give
another hash than there.) So a finding that moves stays the same finding, with or without the action.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_BLOCK = 100
_MODULUS = 37
_MASK = (1 << 64) - 1
#: Stands for the end of the file.
_END = "\uffff"


def line_hashes(lines: Sequence[str], wanted: Iterable[int]) -> dict[int, str]:
    """The hash of each of the lines `wanted` (1-based) that the file has; `lines` are without line ends."""
    numbers = {number for number in wanted if 1 <= number <= len(lines)}
    if not numbers:
        return {}
    bare = [line.replace(" ", "").replace("\t", "") for line in lines]
    blocks: dict[str, int] = {}
    result = {}
    for number in range(1, max(numbers) + 1):
        block = _block(bare, number - 1)
        blocks[block] = blocks.get(block, 0) + 1
        if number in numbers:
            result[number] = f"{_hash(block):x}:{blocks[block]}"
    return result


def _block(bare: Sequence[str], start: int) -> str:
    """The characters from the line at `start` on, at most 100 of them."""
    block = ""
    for line in bare[start : start + _BLOCK]:
        block += line + "\n"
        if len(block) >= _BLOCK:
            return block[:_BLOCK]
    return block + _END


def _hash(block: str) -> int:
    # JavaScript counts in units of UTF-16, and fills up with zeros behind the end.
    data = block.encode("utf-16-le", "surrogatepass")[: 2 * _BLOCK].ljust(2 * _BLOCK, b"\0")
    value = 0
    for at in range(0, len(data), 2):
        value = (value * _MODULUS + int.from_bytes(data[at : at + 2], "little")) & _MASK
    return value
