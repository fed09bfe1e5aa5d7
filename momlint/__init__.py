"""momlint: a declarative linter for overlays of message brokers."""

__version__ = "0.1.0"
