"""What the models need functions for: texts that are numbers, and values that have two forms.

Nothing of pydantic's Python side is imported here, so that `momlint.estate.compiled` can use these functions alone.
"""

from __future__ import annotations

from functools import lru_cache
from math import isinf
from typing import Any

from momlint.estate.core import PydanticCustomError
from momlint.source.scalars import resolve_plain

#: The version of the language that this momlint reads.
LANGUAGE_VERSION = 1
#: The largest cost, latency or budget: sums of this many stay exact enough to compare in a double.
LARGEST_NUMBER = 1e15
#: So many significant digits are kept exactly.
MOST_DIGITS = 15
#: The largest count of hops, links or brokers: what an int32 holds.
LARGEST_COUNT = 2**31 - 1


def read_number(value: Any) -> int | float:
    """The number that a plain text is; refuses everything else, also a number in quotes (`plain.Quoted`)."""
    if type(value) is str:
        number = resolve_plain(value)
        if isinstance(number, int | float) and not isinstance(number, bool):
            if len(value) > MOST_DIGITS and isinstance(number, float):
                _check_digits(value)
            return number
    raise _no_number()


def _no_number() -> PydanticCustomError:
    return PydanticCustomError("momlint_number", "takes a number")


def _check_digits(text: str) -> None:
    """A double holds every decimal of fifteen digits apart from all others, and not every one of sixteen.

    Whole numbers within the limits need no such rule: doubles hold all of them.
    """
    mantissa = text.lower().partition("e")[0].lstrip("+-")
    digits = mantissa.replace(".", "").strip("0")
    if len(digits) > MOST_DIGITS:
        raise PydanticCustomError("momlint_digits", "has too many digits")


def read_float(value: Any) -> float:
    """The number as a float. Refuses what no float holds, or only as zero."""
    if type(value) is not str:  # a number in quotes equals one without, and must not be found in its place
        raise _no_number()
    return _float_of(value)


@lru_cache(1 << 12)  # costs and latencies are few, whoever has them
def _float_of(value: str) -> float:
    number = read_number(value)
    try:
        found = float(number)
    except OverflowError:
        found = float("inf")
    if isinf(found) and "inf" not in value.lower():
        raise PydanticCustomError("momlint_huge", "is too large")
    if not found and any(digit in "123456789" for digit in value.lower().partition("e")[0]):
        raise PydanticCustomError("momlint_tiny", "is too small")
    return found


def read_count(value: Any) -> int:
    """The number if it is whole (3 or 3.0)."""
    number = read_number(value)
    if isinstance(number, float):
        if isinf(number) and "inf" not in value.lower():
            raise PydanticCustomError("momlint_huge", "is too large")
        if not number.is_integer():
            raise PydanticCustomError("momlint_count", "takes a whole number")
        return int(number)
    return number


def read_clients(value: Any) -> int | None:
    """A number of clients; None for ``any``, as where nothing stands."""
    return None if value is None or value == "any" else read_count(value)


def read_flag(value: Any) -> bool:
    """``true`` or ``false``, unquoted."""
    if type(value) is str:
        found = resolve_plain(value)
        if isinstance(found, bool):
            return found
    raise PydanticCustomError("momlint_flag", "takes true or false")


def by_direction_form(value: Any) -> str:
    """The tag of the form: a number for each direction, or one for both."""
    return "\0ways" if isinstance(value, dict) else "\0one"


def one_or_list_form(value: Any) -> str:
    """The tag of the form: a list of names or formulas, or one."""
    return "\0list" if isinstance(value, list) else "\0one"


def has_ends(link: Any) -> Any:
    """A link has `between`, or `from` and `to`; the message of the error is the field that is wrong or missing."""
    if link.between:
        if link.source or link.target:
            raise PydanticCustomError("momlint_ends", "from" if link.source else "to")
    elif not (link.source and link.target):
        raise PydanticCustomError("momlint_no_ends", "to" if link.source else "from" if link.target else "between")
    return link


def has_one_logic(spec: Any) -> Any:
    """A specification has `ctl` or `ltl`; the message of the error is the field that is wrong or missing."""
    if bool(spec.ctl) == bool(spec.ltl):
        raise PydanticCustomError("momlint_logic", "ltl" if spec.ctl else "ctl")
    return spec


def has_one_set(row: Any) -> Any:
    """A recovery row has `colours` or `except`, if only an empty list; the message is the field in question."""
    given = row.__pydantic_fields_set__ & {"colours", "excepted"}
    if len(given) != 1:
        raise PydanticCustomError("momlint_set", "except" if given else "colours")
    return row


def tolerate_form(value: Any) -> str:
    """The tag of the form: a word, or numbers of links and brokers."""
    return "\0word" if isinstance(value, str) else "\0counts"


def recovery_form(value: Any) -> str:
    """The tag of the form: a file, or rows. A broker may be called ``file``: its value is then a list of rows."""
    if isinstance(value, dict) and set(value) == {"file"} and not isinstance(value["file"], list | dict):
        return "\0file"
    return "\0rows"
