"""``momlint lsp``: the language server on standard input and output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.cli.check import Arguments, options_of
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.lint import Options


def serve() -> int:
    """Serve one editor until it ends; the exit code. Raises `UsageError` where the extra is not installed."""
    try:
        from momlint.lsp.server import serve as serve_editor
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise UsageError('the language server needs pygls: pip install "momlint[lsp]"') from error
    return serve_editor(_options_for)


def _options_for(file: str) -> Options:
    """How to check a file: by its configuration, and by graph where that does not say who is to answer."""
    from momlint.lsp.folder import with_graph

    return with_graph(options_of(Arguments([file], quiet=True)))
