"""An editor, as far as the protocol goes: pygls's own client, talking to ``momlint lsp`` over pipes."""

from __future__ import annotations

import asyncio
import functools
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types as lsp
from pygls import uris
from pygls.lsp.client import LanguageClient

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
#: Seconds to wait for what has to come.
PATIENCE = 60


class Editor:
    """One that has a folder open. Positions are the protocol's."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("an editor", "1")
        self.diagnostics: dict[str, list[lsp.Diagnostic]] = {}
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self.messages: list[str] = []
        self.registered: list[lsp.Registration] = []
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self._news = asyncio.Event()
        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(functools.partial(self._told))
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(functools.partial(self._shown))
        self.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(functools.partial(self._asked_to_watch))

    def _told(self, params: lsp.PublishDiagnosticsParams) -> None:
        name = Path(uris.to_fs_path(params.uri) or "").name
        self.diagnostics[name] = list(params.diagnostics)
        self.published.append(params)
        self._news.set()

    def _shown(self, params: lsp.ShowMessageParams) -> None:
        self.messages.append(params.message)
        self._news.set()

    def _asked_to_watch(self, params: lsp.RegistrationParams) -> None:
        self.registered += params.registrations

    async def start(self, *encodings: lsp.PositionEncodingKind, changes: bool = True) -> lsp.InitializeResult:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "MOMLINT_DEBUG": ""}
        await self.client.start_io(sys.executable, "-m", "momlint", "lsp", env=environment, cwd=str(self.folder))
        capabilities = lsp.ClientCapabilities(
            general=lsp.GeneralClientCapabilities(position_encodings=list(encodings) or None),
            workspace=lsp.WorkspaceClientCapabilities(
                workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=changes),
                did_change_watched_files=lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
            ),
        )
        folder = lsp.WorkspaceFolder(self.folder.as_uri(), "folder")
        result = await self.client.initialize_async(
            lsp.InitializeParams(capabilities, process_id=os.getpid(), workspace_folders=[folder])
        )
        self.client.initialized(lsp.InitializedParams())
        return result

    async def stop(self) -> int:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        process = self.client._server
        assert process is not None
        code = await asyncio.wait_for(process.wait(), PATIENCE)
        await self.client.stop()
        return code

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> None:
        self.texts[name], self.versions[name] = text, 1
        self.diagnostics.pop(name, None)
        document = lsp.TextDocumentItem(self.uri(name), "yaml", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))

    def change(self, name: str, text: str) -> None:
        self.texts[name] = text
        self.versions[name] += 1
        identifier = lsp.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [whole]))

    def close(self, name: str) -> None:
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(identifier))

    async def codes(self, name: str) -> list[str]:
        """The codes that are told of the text as it is now."""
        found = await self.findings(name)
        return [str(one.code) for one in found]

    async def findings(self, name: str) -> list[lsp.Diagnostic]:
        version = self.versions[name]

        def told() -> list[lsp.Diagnostic] | None:
            for params in reversed(self.published):
                if params.uri == self.uri(name):
                    return list(params.diagnostics) if params.version == version else None
            return None

        return await self.until(told)

    async def until(self, found: Callable[[], T | None]) -> T:
        """What `found` returns as soon as it returns something."""
        async with asyncio.timeout(PATIENCE):
            while True:
                self._news.clear()
                result = found()
                if result is not None:
                    return result
                await self._news.wait()

    def at(self, name: str, part: str, number: int = 0, units: str = "utf-16-le") -> lsp.Position:
        """Where the `number`-th `part` of a text begins."""
        text, index = self.texts[name], -1
        for _ in range(number + 1):
            index = text.index(part, index + 1)
        return position(text, index, units)

    async def hover(self, name: str, where: lsp.Position) -> str:
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        found = await self.client.text_document_hover_async(lsp.HoverParams(identifier, where))
        if found is None:
            return ""
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    async def definition(self, name: str, where: lsp.Position) -> list[str]:
        """What stands at the places of definition, with the file."""
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        found: Any = await self.client.text_document_definition_async(lsp.DefinitionParams(identifier, where))
        return [self.shown(one) for one in found]

    def shown(self, location: lsp.Location) -> str:
        name = Path(uris.to_fs_path(location.uri) or "").name
        text = self.texts.get(name) or (self.folder / name).read_text(encoding="utf-8")
        start, end = (offset(text, one) for one in (location.range.start, location.range.end))
        return f"{name}:{location.range.start.line + 1}:{text[start:end]}"

    async def rename(self, name: str, where: lsp.Position, new: str) -> dict[str, str]:
        """The texts of the files that change."""
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        edit = await self.client.text_document_rename_async(
            lsp.RenameParams(new_name=new, text_document=identifier, position=where)
        )
        assert edit is not None
        return self.applied(edit)

    async def complete(self, name: str, where: lsp.Position) -> dict[str, str]:
        """What is offered → the text that it makes."""
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        found: Any = await self.client.text_document_completion_async(lsp.CompletionParams(identifier, where))
        text = self.texts[name]
        return {one.label: changed(text, [one.text_edit]) for one in found.items}

    async def actions(self, name: str, where: lsp.Range, only: list[Any] | None = None) -> list[lsp.CodeAction]:
        identifier = lsp.TextDocumentIdentifier(self.uri(name))
        context = lsp.CodeActionContext(self.diagnostics.get(name, []), only)
        found: Any = await self.client.text_document_code_action_async(lsp.CodeActionParams(identifier, where, context))
        return list(found)

    def applied(self, edit: lsp.WorkspaceEdit) -> dict[str, str]:
        made = {}
        changes: list[tuple[str, list[Any]]] = [(uri, list(found)) for uri, found in (edit.changes or {}).items()]
        for one in edit.document_changes or ():
            assert isinstance(one, lsp.TextDocumentEdit)
            changes.append((one.text_document.uri, list(one.edits)))
        for uri, edits in changes:
            name = Path(uris.to_fs_path(uri) or "").name
            text = self.texts.get(name)
            if text is None:
                text = (self.folder / name).read_bytes().decode()
            made[name] = changed(text, edits)
        return made


def position(text: str, index: int, units: str = "utf-16-le") -> lsp.Position:
    """Counted apart from momlint: lines end with ``\\n``, ``\\r\\n`` or ``\\r``."""
    before = text[:index].replace("\r\n", "\n").replace("\r", "\n")
    line = before.rsplit("\n", 1)[-1]
    width = {"utf-16-le": 2, "utf-8": 1, "utf-32-le": 4}[units]
    return lsp.Position(before.count("\n"), len(line.encode(units)) // width)


def offset(text: str, place: lsp.Position) -> int:
    """The index of a position in UTF-16."""
    lines = text.replace("\r\n", "\n\0").splitlines(keepends=True) if "\r\n" not in text else None
    if lines is None:
        lines = [line + "\r\n" for line in text.split("\r\n")]
    start = sum(map(len, lines[: place.line]))
    rest = text[start:].encode("utf-16-le")[: place.character * 2]
    return start + len(rest.decode("utf-16-le"))


def changed(text: str, edits: list[Any]) -> str:
    """The text after edits that do not overlap."""
    made = sorted((offset(text, one.range.start), offset(text, one.range.end), one.new_text) for one in edits)
    for start, end, new in reversed(made):
        text = text[:start] + new + text[end:]
    return text


def run(folder: Path, story: Callable[[Editor], Awaitable[None]], **how: Any) -> None:
    """Let an editor do what `story` says; the server ends as it should."""

    async def all_of_it() -> None:
        editor = Editor(folder.resolve())
        await editor.start(**how)
        await story(editor)
        assert await editor.stop() == 0

    asyncio.run(all_of_it())
