"""What a scalar means: the core schema of YAML 1.2, with one tightening.

Source: YAML 1.2.2, section 10.3.2. The tightening: a decimal number does not start with a superfluous zero,
so ``010`` and ``007.5`` are text (the core schema would read 10 and 7.5, YAML 1.1 reads 8: whoever wrote it
meant a name). Words of YAML 1.1 (``yes``, ``no``, ``on``, ``12:30:45``, ``1_000``) are text.
"""

from __future__ import annotations

import math
import re
from typing import TypeAlias

#: What a scalar can be.
ScalarValue: TypeAlias = str | int | float | bool | None

#: Numbers longer than this many characters stay text: no estate means them, no float holds them, and Python
#: refuses to convert very long decimals.
LONGEST_NUMBER = 300

#: The tags of the core schema that a scalar may carry, as the short names used for `ScalarNode.style`.
CORE_SCALAR_TAGS = frozenset({"!!str", "!!int", "!!float", "!!bool", "!!null"})

_WORDS: dict[str, ScalarValue] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_OCTAL = re.compile(r"0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")


def resolve_plain(text: str) -> ScalarValue:
    """Return the value of a plain (unquoted, untagged) scalar."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS or len(text) > LONGEST_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if _HEXADECIMAL.fullmatch(text):
        return int(text, 16)
    if _OCTAL.fullmatch(text):
        return int(text[2:], 8)
    return text


def resolve(text: str, style: str) -> ScalarValue:
    """Return the value of a scalar; `style` as in `ScalarNode`. A text that does not fit its tag stays
    text.
    """
    if style == "":
        return resolve_plain(text)
    if style not in CORE_SCALAR_TAGS or style == "!!str":
        return text
    value = resolve_plain(text)
    if style == "!!float" and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return value if fits(value, style) else text


def fits(value: ScalarValue, tag: str) -> bool:
    """Whether `value`, as `resolve_plain` made it, may carry `tag` (one of `CORE_SCALAR_TAGS`)."""
    match tag:
        case "!!null":
            return value is None
        case "!!bool":
            return isinstance(value, bool)
        case "!!int":
            return isinstance(value, int) and not isinstance(value, bool)
        case "!!float":
            return isinstance(value, (int, float)) and not isinstance(value, bool)
        case _:
            return True
