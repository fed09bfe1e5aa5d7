"""Compiles the models of the language when a wheel or an editable install is built; see momlint/estate/compiling.py."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileModels(BuildHookInterface[Any]):
    """Puts ``compiled.json`` into the wheel, or into the checkout where that is what is installed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        sys.path.insert(0, self.root)
        from momlint.estate.compiling import keep, text

        if version == "editable":
            keep()
            return
        # Not into the checkout: who works in it may have another pydantic-core.
        self._scratch = tempfile.TemporaryDirectory()
        path = os.path.join(self._scratch.name, "compiled.json")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text())
        build_data["force_include"][path] = "momlint/estate/compiled.json"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if hasattr(self, "_scratch"):
            self._scratch.cleanup()
