"""The version. A module of its own, so that what needs it does not need what `momlint` offers."""

__version__ = "0.1.0"
