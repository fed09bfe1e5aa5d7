"""What a command may read: the options ``--root`` and ``--max-file-mb``."""

from __future__ import annotations

import os
from typing import NamedTuple

from momlint.access import MEGABYTE, MOST_MEGABYTES, Access, configured_folder
from momlint.errors import UsageError

#: MB; of a larger file nobody has the memory for what is made of it.
LARGEST_FILE = 100_000


class Reading(NamedTuple):
    """What was asked for, None where nothing was. Methods raise `UsageError` for what cannot be."""

    root: str | None = None
    max_file_mb: int | None = None

    @property
    def most_bytes(self) -> int:
        """Of one file."""
        if self.max_file_mb is not None and not 1 <= self.max_file_mb <= LARGEST_FILE:
            raise UsageError(f"--max-file-mb must be from 1 to {LARGEST_FILE:,}, not {self.max_file_mb}")
        return (self.max_file_mb or MOST_MEGABYTES) * MEGABYTE

    def root_or(self, otherwise: str | None) -> str | None:
        """The folder below which estates may name files."""
        if self.root is None:
            return otherwise
        if not os.path.isdir(self.root):
            raise UsageError(f"--root: there is no folder {self.root}")
        return self.root

    def access(self, file: str) -> Access:
        """What the estate in `file` may read: below the root, else the folder of its configuration, else its own."""
        return Access.of(file, self.root_or(configured_folder(file)), self.most_bytes)
