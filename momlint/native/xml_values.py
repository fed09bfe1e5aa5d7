"""Values in configuration files that are XML: what they say, and what is told of those that say nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from momlint.native.form import At, NativeFile, Token

if TYPE_CHECKING:
    from momlint.native.xml_syntax import Element

UNSEEN: Final = "if it says where messages go, momlint does not see it"
#: So many notes on what momlint does not know; who has more has another kind of file.
_MOST_NOTES: Final = 20


class Values:
    """The values of one file, as its broker takes them."""

    #: What stands for something that the machine says when the broker starts.
    placeholder: ClassVar[re.Pattern[str]] = re.compile(r"\$\{")
    true: ClassVar[frozenset[str]]
    false: ClassVar[frozenset[str]]

    def __init__(self, native: NativeFile) -> None:
        self.native = native
        self._noted: set[str] = set()

    def filled(self, text: str) -> str:
        """A text with what is known of the placeholders in it."""
        return text

    def truth(self, key: str, value: Token | None, *, default: bool) -> bool:
        if value is None:
            return default
        text = self.filled(value.text).strip().lower()
        if text in self.true or text in self.false:
            return text in self.true
        self.odd(key, value, "true or false")
        return default

    def whole(self, key: str, value: Token | None, default: int) -> int:
        if value is None:
            return default
        text = self.filled(value.text).strip()
        if re.fullmatch(r"[+-]?[0-9]{1,9}", text, re.ASCII):
            return int(text)
        self.odd(key, value, "a whole number")
        return default

    def odd(self, key: str, value: Token, what: str) -> None:
        """Tell that a value is not `what` it has to be, or cannot be seen."""
        if self.placeholder.search(value.text):
            self.native.report(
                "MOM814",
                value.at,
                f"momlint does not see what `{key}` is; it goes by the default",
                "say it in the file, where it decides where messages go",
            )
            return
        self.native.report(
            "MOM813",
            value.at,
            f"`{value.text[:80]}` is not {what}; the broker refuses this file",
            f"`{key}` takes {what}",
            label=f"not {what}",
        )

    def uri_of(self, element: Element, what: str, example: str) -> Token | None:
        """Where a connection leads to; None without, which is told: `example` is one."""
        uri = element.attributes.get("uri")
        if uri is not None and uri.text.strip():
            return uri
        self.native.report(
            "MOM813",
            element.at,
            f"this {what} has no `uri`; the broker refuses this file",
            f'add `uri="{example}"`',
            label="leads nowhere",
        )
        return None

    def note(self, key: str, at: At, message: str, help_: str = UNSEEN) -> None:
        """A note, once for what `key` names."""
        if key not in self._noted and len(self._noted) < _MOST_NOTES:
            self._noted.add(key)
            self.native.report("MOM814", at, message, help_)
