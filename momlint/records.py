"""The standard library's ``dataclass``, made in two thirds of the time. Imports nothing of momlint.

It compiles code of its own for each class; with more than a hundred of them that was a quarter of what checking a small
file takes. Here ``__eq__``, ``__hash__`` and ``__repr__`` are the same functions for all classes, which look up the
fields once a class. Everything else is the standard library's, and type checkers see nothing but it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  exported under its own name
else:
    import dataclasses
    from functools import cache
    from operator import attrgetter
    from reprlib import recursive_repr

    def dataclass(cls=None, /, *, frozen=False, slots=False, eq=True, repr=True):
        """As `dataclasses.dataclass`, for the options that momlint uses."""

        def made(cls):
            if eq and "__eq__" not in cls.__dict__:
                cls.__eq__ = _equal
                # As the library does it: values of what may change are no keys.
                if "__hash__" not in cls.__dict__:
                    cls.__hash__ = _hash if frozen else None
            if repr and "__repr__" not in cls.__dict__:
                cls.__repr__ = _told
            return dataclasses.dataclass(cls, frozen=frozen, slots=slots, eq=False, repr=False)

        return made if cls is None else made(cls)

    @cache
    def _values(cls, hashed):
        """A function from an object of the class `cls` to the tuple of what it is compared by, or `hashed` by."""
        names = [
            field.name
            for field in dataclasses.fields(cls)
            if (field.compare if field.hash is None or not hashed else field.hash)
        ]
        if len(names) > 1:
            return attrgetter(*names)
        return (lambda one: (getattr(one, names[0]),)) if names else (lambda one: ())

    def _equal(self, other):
        cls = self.__class__
        if other.__class__ is not cls:
            return NotImplemented
        values = _values(cls, False)
        return values(self) == values(other)

    def _hash(self):
        return hash(_values(self.__class__, True)(self))

    @recursive_repr()
    def _told(self):
        cls = self.__class__
        told = [f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(cls) if field.repr]
        return f"{cls.__qualname__}({', '.join(told)})"
