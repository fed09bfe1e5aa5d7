"""File patterns as users write them in ``exclude``, ``per-file-ignores`` and ``include``. Imports nothing of momlint.

A pattern is run as a finite automaton, all of whose states are the bits of one number: the time is that of the path's
length times the pattern's, whatever stars stand in it. A regular expression would try all ways of dividing a name among
its stars, which are exponentially many.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

_HERE = re.compile(r"^(\./)+")
_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", re.DOTALL)


def matches(pattern: str, file: str, base: str) -> bool:
    """Whether `pattern`, which belongs to the folder `base`, matches `file` or a folder that `file` is in.

    ``*`` and ``?`` stay within a name, ``**`` crosses folders. A pattern without ``/`` (save at its end)
    matches a name at any depth, one with ``/`` is relative to `base`. `file` may be relative to the working
    directory.
    """
    try:
        relative = os.path.relpath(file, base)
    except ValueError:  # another drive on Windows: nothing there belongs to `base`
        return False
    path = relative.replace(os.sep, "/")
    pattern = _HERE.sub("", pattern.replace(os.sep, "/")).rstrip("/")
    if not pattern:
        return False
    automaton = _automaton(pattern)
    if "/" not in pattern:
        return any(automaton.accepts(part) for part in path.split("/"))
    return automaton.accepts(path, or_folder=True)


def matches_name(pattern: str, name: str) -> bool:
    """Whether `pattern`, without ``/``, matches the name of a file or folder."""
    return _automaton(pattern).accepts(name)


class _Automaton:
    """State i: what stands before token i has been read. The last state accepts.

    ``**/`` takes two states: before a folder's name, and within one.
    """

    def __init__(self, tokens: list[str]) -> None:
        self._by_literal: dict[str, int] = {}
        self._sets: list[tuple[int, re.Pattern[str]]] = []
        # Bits of the states that go on by any character but "/", that stay by one, that stay by any, …
        self._any = self._stay = self._stay_anywhere = 0
        # … that may be passed over, by how many states, and that "/" takes back to the state before.
        self._skip_one = self._skip_two = self._back = 0
        self._moves: dict[str, int] = {}
        bit = 1
        for token in tokens:
            match token:
                case "**/":
                    self._skip_two |= bit
                    self._any |= bit
                    bit <<= 1
                    self._stay |= bit
                    self._back |= bit
                case "**":
                    self._skip_one |= bit
                    self._stay_anywhere |= bit
                case "*":
                    self._skip_one |= bit
                    self._stay |= bit
                case "?":
                    self._any |= bit
                case _ if len(token) > 1:
                    inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
                    self._sets.append(
                        (bit, re.compile(f"[^/{inner[1:]}]" if inner.startswith("!") else f"[{inner}]", re.DOTALL))
                    )
                case _:
                    self._by_literal[token] = self._by_literal.get(token, 0) | bit
            bit <<= 1
        self._accepting = bit
        self._start = self._closed(1)

    def accepts(self, text: str, *, or_folder: bool = False) -> bool:
        """Whether all of `text` matches or, with `or_folder`, what is before one of its slashes."""
        states = self._start
        for letter in text:
            if letter == "/":
                if or_folder and states & self._accepting:
                    return True
                onward = self._by_literal.get("/", 0)
                states = self._closed(
                    (states & onward) << 1 | states & self._stay_anywhere | (states & self._back) >> 1
                )
            else:
                onward = self._moves.get(letter, -1)
                if onward < 0:
                    onward = self._onward(letter)
                states = self._closed((states & onward) << 1 | states & (self._stay | self._stay_anywhere))
            if not states:
                return False
        return bool(states & self._accepting)

    def _onward(self, letter: str) -> int:
        bits = self._by_literal.get(letter, 0) | self._any
        for bit, letters in self._sets:
            if letters.fullmatch(letter):
                bits |= bit
        self._moves[letter] = bits
        return bits

    def _closed(self, states: int) -> int:
        while True:
            more = states | (states & self._skip_one) << 1 | (states & self._skip_two) << 2
            if more == states:
                return states
            states = more


@lru_cache(maxsize=256)
def _automaton(pattern: str) -> _Automaton:
    tokens: list[str] = []
    for token in _TOKENS.findall(pattern):
        # Two stars in a row say what one says, and would be passed over one by one.
        if tokens and token == tokens[-1] and token in ("*", "**", "**/"):
            continue
        tokens.append(token)
    try:
        return _Automaton(tokens)
    except re.error:  # a set such as [z-a] is no set: take the pattern as it stands
        return _Automaton(list(pattern))
