"""The language server: pygls and its protocol on one side, what the modules beside this one say on the other.

Documents come whole with every change: they are small, and so nobody has to agree with anybody on what a line is.
"""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls import uris
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from momlint import resources
from momlint.access import CONFIGURATIONS
from momlint.errors import UsageError
from momlint.estate.load import LoadedEstate
from momlint.findings import Finding, Report, Severity, Span
from momlint.lint import Options, Unit
from momlint.lsp.completing import Names, names_in, offers, word_before
from momlint.lsp.folder import Folder
from momlint.lsp.hovering import on_broker, on_finding, on_topic
from momlint.lsp.mends import Mend, mend_all, mendable, without_comment
from momlint.lsp.names import Use
from momlint.lsp.renaming import Refused, rename
from momlint.lsp.texts import Edit, Spot, Stretch, Text
from momlint.lsp.working import AGAIN, Job, Worker
from momlint.native.kinds import ENDINGS
from momlint.records import dataclass
from momlint.version import __version__

T = TypeVar("T")

#: Seconds after the last key before a text is checked.
PAUSE = 0.01
_SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
#: Of what is said there is no need; editors show it pale.
_UNNECESSARY = frozenset(("MOM109", "MOM408"))
_OFFERED = {
    "key": lsp.CompletionItemKind.Property,
    "value": lsp.CompletionItemKind.EnumMember,
    "broker": lsp.CompletionItemKind.Module,
    "topic": lsp.CompletionItemKind.Event,
    "link": lsp.CompletionItemKind.Reference,
    "colour": lsp.CompletionItemKind.Color,
    "group": lsp.CompletionItemKind.Folder,
}
_FIX_ALL = f"{lsp.CodeActionKind.SourceFixAll.value}.momlint"
#: Steps of a walk that are shown with a finding.
_MOST_STEPS = 20


@dataclass(slots=True)
class _Checked:
    """What is known of an estate: its findings, by file, and the files that it is made of."""

    findings: dict[str, list[Finding]] = field(default_factory=dict)
    mend: Mend | None = None
    #: Whether the texts are still those that were checked.
    current: bool = True


class Server:
    """One editor's. `start` serves standard input and output until the editor ends it."""

    def __init__(self, options_of: Callable[[str], Options]) -> None:
        """`options_of`: see `Folder`."""
        self._folder = Folder(options_of)
        self._worker = Worker()
        self._checked: dict[Unit, _Checked] = {}
        self._published: set[str] = set()
        # Of each file what the editor knows; forgotten where a text may have changed without another version.
        self._told: dict[str, tuple[dict[str, int | None], list[Finding]]] = {}
        self._versions: dict[str, int] = {}
        self._dirty: set[str] = set()
        self._checking: asyncio.Task[None] | None = None
        self._jobs: set[Job] = set()
        self._names: dict[Unit, Names] = {}
        self._complaint: str | None = None
        self._shut_down = False
        self._server = LanguageServer("momlint", __version__, lsp.TextDocumentSyncKind.Full)
        self._register()

    def start(self) -> int:
        """Serve; 0 if the editor has said that it ends, else 1. To be called in the main thread."""
        serving = threading.Thread(target=self._serve, name="editor", daemon=True)
        serving.start()
        self._worker.run()
        return 0 if self._shut_down else 1

    def _serve(self) -> None:
        try:
            self._server.start_io()
        finally:
            self._worker.stop()

    def _register(self) -> None:
        def feature(name: str, options: Any = None) -> Callable[[Callable[..., Any]], None]:
            # pygls notes on a function what it is for, and a method of an object takes no notes.
            return lambda method: self._server.feature(name, options)(functools.partial(method))

        feature(lsp.INITIALIZED)(self._initialized)
        feature(lsp.SHUTDOWN)(self._shutting_down)
        feature(lsp.TEXT_DOCUMENT_DID_OPEN)(self._did_open)
        feature(lsp.TEXT_DOCUMENT_DID_CHANGE)(self._did_change)
        feature(lsp.TEXT_DOCUMENT_DID_SAVE)(self._did_save)
        feature(lsp.TEXT_DOCUMENT_DID_CLOSE)(self._did_close)
        feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)(self._did_change_files)
        feature(lsp.TEXT_DOCUMENT_HOVER)(self._hover)
        feature(lsp.TEXT_DOCUMENT_DEFINITION)(self._definition)
        feature(lsp.TEXT_DOCUMENT_REFERENCES)(self._references)
        feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)(self._prepare_rename)
        feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))(self._rename)
        completion = lsp.CompletionOptions(trigger_characters=[" ", "[", "{", ",", "-", ">"])
        feature(lsp.TEXT_DOCUMENT_COMPLETION, completion)(self._complete)
        kinds = [lsp.CodeActionKind.QuickFix, _FIX_ALL]
        feature(lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=kinds))(self._actions)

    # -- the editor's life --------------------------------------------------------------------------------------------

    def _initialized(self, _: lsp.InitializedParams) -> None:
        folders = self._server.workspace.folders or {}
        self._folder.roots = [path for uri in folders if (path := _path(uri)) is not None]
        wishes = self._server.client_capabilities.workspace
        watching = wishes.did_change_watched_files if wishes is not None else None
        if watching is not None and watching.dynamic_registration:
            endings = ",".join(sorted({"yaml", "yml", "csv", "parquet", *(one[1:] for one in ENDINGS)}))
            patterns = [f"**/*.{{{endings}}}", *(f"**/{name}" for name in CONFIGURATIONS)]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(
                watchers=[lsp.FileSystemWatcher(glob_pattern=pattern) for pattern in patterns]
            )
            one = lsp.Registration("watching", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            self._server.client_register_capability(lsp.RegistrationParams([one]))

    def _shutting_down(self, *_: Any) -> None:
        self._shut_down = True
        self._drop_all()

    # -- documents ----------------------------------------------------------------------------------------------------

    def _did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        self._folder.forget()
        self._told = {}
        self._put(params.text_document.uri)

    def _did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        self._put(params.text_document.uri)

    def _put(self, uri: str) -> None:
        file = _path(uri)
        if file is None:
            return
        document = self._server.workspace.get_text_document(uri)
        self._folder.put(file, Text(document.source, self._encoding))
        self._versions[file] = document.version or 0
        self._dirty.add(file)
        self._check_soon(PAUSE)

    def _did_save(self, _: lsp.DidSaveTextDocumentParams) -> None:
        self._reread()

    def _did_change_files(self, _: lsp.DidChangeWatchedFilesParams) -> None:
        self._reread()

    def _reread(self) -> None:
        self._folder.forget()
        self._told = {}
        self._dirty.update(self._folder.texts)
        self._check_soon(PAUSE)

    def _did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        file = _path(params.text_document.uri)
        if file is not None:
            self._folder.close(file)
            self._told = {}
            self._versions.pop(file, None)
            # What others of its estates say may rest on what the disk holds instead.
            self._dirty.discard(file)
            self._dirty.update(self._folder.texts)
            self._check_soon(0)

    @property
    def _encoding(self) -> str:
        return str(getattr(self._server.workspace.position_encoding, "value", self._server.workspace.position_encoding))

    # -- checking -----------------------------------------------------------------------------------------------------

    def _check_soon(self, seconds: float) -> None:
        """Check what is dirty, unless something changes before; what is being worked at is given up."""
        self._drop_all()
        for checked in self._checked.values():
            checked.current = False
        if self._checking is not None:
            self._checking.cancel()
        self._checking = asyncio.get_running_loop().create_task(self._check_after(seconds))

    async def _check_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        dirty = frozenset(self._dirty)
        found = await self._work(lambda: {file: self._folder.units(file) for file in self._folder.texts})
        if found is None:
            return
        wanted = dict.fromkeys(unit for units in found.values() for unit in units)
        for gone in [unit for unit in self._checked if unit not in wanted]:
            del self._checked[gone]
        asked = {unit for file in dirty for unit in found.get(file, ())}
        told = False
        for unit in wanted:
            if unit in asked or unit not in self._checked:
                report = await self._work(lambda unit=unit: self._report(unit))  # type: ignore[misc]
                if report is None:
                    return
                self._checked[unit] = _Checked(_by_file(report))
                self._publish()
                told = True
            else:
                self._checked[unit].current = True
        if not told:
            self._publish()
        self._dirty -= dirty
        for unit in wanted:
            if unit not in self._names or unit in asked:
                self._learn_names(unit)
        self._complain()

    def _report(self, unit: Unit) -> Report:
        try:
            return self._folder.report(unit)
        except UsageError:
            return Report()  # the configuration's, which is told by itself

    def _publish(self) -> None:
        """Tell the findings of all estates, file by file; of a file that has none any more, that too."""
        by_file: dict[str, dict[Finding, None]] = {file: {} for file in self._folder.texts}
        for checked in self._checked.values():
            for file, findings in checked.findings.items():
                by_file.setdefault(file, {}).update(dict.fromkeys(findings))
        for file in sorted(self._published - set(by_file)):
            by_file[file] = {}
        for file, found in by_file.items():
            told = self._telling(file, found)
            if self._told.get(file) == told:
                continue
            diagnostics = [self._diagnostic(finding) for finding in found]
            self._server.text_document_publish_diagnostics(
                lsp.PublishDiagnosticsParams(_uri(file), diagnostics, version=self._versions.get(file))
            )
            self._told[file] = told
        self._published = {file for file, found in by_file.items() if found}

    def _telling(self, file: str, found: Iterable[Finding]) -> tuple[dict[str, int | None], list[Finding]]:
        """All that diagnostics are made of: findings, and the versions of the texts in which they are."""
        findings = list(found)
        files = {one.file for finding in findings for one in (*finding.related, *finding.steps)} | {file}
        return {name: self._versions.get(name) for name in files}, findings

    def _complain(self) -> None:
        """Say once what is wrong with a configuration."""
        said = next((words for file in self._folder.texts if (words := self._folder.complaint(file))), None)
        if said is not None and said != self._complaint:
            params = lsp.ShowMessageParams(lsp.MessageType.Error, f"momlint: {said}")
            self._server.window_show_message(params)
        self._complaint = said

    async def _work(self, action: Callable[[], T]) -> T | None:
        """What `action` returns, once its turn has come; None where it was broken off."""
        job = self._worker.submit(action)
        self._jobs.add(job)
        try:
            return await asyncio.wrap_future(job.future)
        except asyncio.CancelledError:
            self._drop(job)
            if job.unwanted and (task := asyncio.current_task()) is not None and not task.cancelling():
                return None
            raise
        finally:
            self._jobs.discard(job)

    def _drop(self, job: Job) -> None:
        if not job.future.done() or not job.unwanted:
            self._worker.drop(job)
        if not job.future.done():
            asyncio.get_running_loop().call_later(AGAIN, self._drop, job)

    def _drop_all(self) -> None:
        for job in list(self._jobs):
            self._drop(job)

    async def _settled(self) -> None:
        """Wait until what has been typed is checked."""
        while self._checking is not None and not self._checking.done():
            await asyncio.wait([self._checking])

    # -- what is shown ------------------------------------------------------------------------------------------------

    def _diagnostic(self, finding: Finding) -> lsp.Diagnostic:
        rule = self._folder.options(finding.file).rule(finding.code)
        link = finding.url or _rule_file(finding.code, rule.id, rule.family)
        related = [*finding.related, *finding.steps[:_MOST_STEPS]]
        message = f"{finding.message}\n{finding.help}" if finding.help else finding.message
        return lsp.Diagnostic(
            self._range(finding.file, finding.span),
            message,
            severity=_SEVERITIES[finding.severity],
            code=finding.code,
            code_description=None if link is None else lsp.CodeDescription(link),
            source="momlint",
            tags=[lsp.DiagnosticTag.Unnecessary] if finding.code in _UNNECESSARY else None,
            related_information=[
                lsp.DiagnosticRelatedInformation(
                    lsp.Location(_uri(one.file), self._range(one.file, one.span)), one.message
                )
                for one in related
            ],
        )

    def _range(self, file: str, span: Span) -> lsp.Range:
        text = self._folder.text(file, self._encoding) or Text("", self._encoding)
        return _range(text.stretch(span))

    def _at(self, uri: str, position: lsp.Position) -> tuple[str, Text, Spot] | None:
        file = _path(uri)
        text = None if file is None else self._folder.texts.get(file)
        if file is None or text is None:
            return None
        return file, text, Spot(position.line, position.character)

    def _estates(self, unit: Unit) -> list[LoadedEstate]:
        """The estates as they stand; none where the files have gone."""
        try:
            return self._folder.opened(unit).estates
        except OSError:
            return []

    def _named(self, unit: Unit) -> list[tuple[LoadedEstate, list[Use]]]:
        """The estates as they stand, with the names in them; none where the files have gone."""
        try:
            return self._folder.uses(unit)
        except OSError:
            return []

    def _use_at(self, uri: str, position: lsp.Position) -> tuple[Unit, Use] | None:
        """The name at a place, and the estate that it belongs to."""
        at = self._at(uri, position)
        if at is None:
            return None
        file, text, spot = at
        place = text.place(spot)
        for unit in self._folder.units(file):
            for _, names in self._named(unit):
                for use in names:
                    if use.file == file and use.span.start <= place <= use.span.end:
                        return unit, use
        return None

    def _hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        at = self._at(params.text_document.uri, params.position)
        if at is None:
            return None
        file, text, spot = at
        place = text.place(spot)
        parts: dict[str, None] = {}
        stretch: Stretch | None = None
        found = self._use_at(params.text_document.uri, params.position)
        if found is not None:
            unit, use = found
            stretch = text.stretch(use.span)
            for loaded, names in self._named(unit):
                if loaded.estate is not None and any((one.file, one.span) == (use.file, use.span) for one in names):
                    tell = on_broker if use.kind == "broker" else on_topic
                    parts[tell(loaded.estate, use.name)] = None
        for checked in self._checked.values():
            for finding in checked.findings.get(file, ()) if checked.current else ():
                if finding.span.start <= place <= finding.span.end:
                    stretch = stretch or text.stretch(finding.span)
                    parts[on_finding(finding, self._folder.options(file).rule(finding.code))] = None
        if not parts:
            return None
        markdown = lsp.MarkupContent(lsp.MarkupKind.Markdown, "\n\n---\n\n".join(parts))
        return lsp.Hover(markdown, None if stretch is None else _range(stretch))

    # -- names --------------------------------------------------------------------------------------------------------

    def _definition(self, params: lsp.DefinitionParams) -> list[lsp.Location]:
        return self._places(params.text_document.uri, params.position, lambda use: use.declares)

    def _references(self, params: lsp.ReferenceParams) -> list[lsp.Location]:
        also = params.context.include_declaration
        return self._places(params.text_document.uri, params.position, lambda use: also or not use.declares)

    def _places(self, uri: str, position: lsp.Position, wanted: Callable[[Use], bool]) -> list[lsp.Location]:
        found = self._use_at(uri, position)
        if found is None:
            return []
        unit, here = found
        places: dict[tuple[str, Span], lsp.Location] = {}
        for _, names in self._named(unit):
            if not any((use.file, use.span) == (here.file, here.span) for use in names):
                continue
            for use in names:
                if (use.kind, use.name) == (here.kind, here.name) and wanted(use):
                    places[use.file, use.span] = lsp.Location(_uri(use.file), self._range(use.file, use.span))
        return list(places.values())

    def _prepare_rename(self, params: lsp.PrepareRenameParams) -> lsp.PrepareRenamePlaceholder | None:
        found = self._use_at(params.text_document.uri, params.position)
        if found is None:
            return None
        use = found[1]
        return lsp.PrepareRenamePlaceholder(self._range(use.file, use.span), use.name)

    def _rename(self, params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        found = self._use_at(params.text_document.uri, params.position)
        if found is None:
            raise _refused("there is no name of a broker or a topic here")
        unit, use = found
        try:
            changes = rename(
                self._folder.opened(unit),
                use,
                params.new_name,
                self._folder.read,
                lambda contents: self._folder.open_with(unit, contents),
            )
        except Refused as error:
            raise _refused(str(error)) from error
        by_file: dict[str, list[Edit]] = {}
        for change in changes:
            text = self._folder.text(change.file, self._encoding) or Text("", self._encoding)
            by_file.setdefault(change.file, []).append(Edit(text.stretch(change.span), change.text))
        return self._edit(by_file)

    def _complete(self, params: lsp.CompletionParams) -> lsp.CompletionList:
        at = self._at(params.text_document.uri, params.position)
        if at is None:
            return lsp.CompletionList(False, [])
        file, text, spot = at
        before = text.before(spot)
        here = text.spot(text.place(spot))
        word = Text(word_before(before), self._encoding)
        start = Spot(here.line, here.unit - word.spot_of_end().unit)
        items = []
        for offer in offers(before, self._names_for(file)):
            items.append(
                lsp.CompletionItem(
                    offer.label,
                    kind=_OFFERED[offer.kind],
                    detail=offer.detail or None,
                    documentation=offer.documentation or None,
                    text_edit=lsp.TextEdit(_range(Stretch(start, here)), offer.insert),
                )
            )
        return lsp.CompletionList(False, items)

    def _names_for(self, file: str) -> Names:
        """The names of the estates of a file; those of before, while the text cannot be read."""
        merged: list[dict[str, None]] = [{} for _ in Names._fields]
        for unit in self._folder.units(file) or [unit for unit in self._names if unit == file]:
            self._learn_names(unit)
            for into, names in zip(merged, self._names.get(unit, Names()), strict=True):
                into.update(dict.fromkeys(names))
        return Names(*map(list, merged))

    def _learn_names(self, unit: Unit) -> None:
        found = [names_in(loaded) for loaded in self._estates(unit)]
        names = Names(
            *(list(dict.fromkeys(name for one in found for name in one[i])) for i in range(len(Names._fields)))
        )
        if names.brokers or unit not in self._names:
            self._names[unit] = names

    # -- mends --------------------------------------------------------------------------------------------------------

    async def _actions(self, params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        file = _path(params.text_document.uri)
        if file is None or file not in self._folder.texts:
            return []
        await self._settled()
        only = [getattr(one, "value", one) for one in params.context.only or ()]
        fixing = _is_asked_for(only, lsp.CodeActionKind.QuickFix.value)
        all_of_it = _is_asked_for(only, _FIX_ALL)
        actions: list[lsp.CodeAction] = []
        for unit, checked in list(self._checked.items()):
            if not checked.current:
                continue
            here = [one for one in checked.findings.get(file, ()) if self._touches(file, one, params.range)]
            if fixing:
                actions += self._removals(here)
            wants = (fixing and any(mendable(one) for one in here)) or (only and all_of_it)
            everything = [one for found in checked.findings.values() for one in found]
            if not wants or not any(map(mendable, everything)):
                continue
            if checked.mend is None:
                options = self._folder.options(unit if isinstance(unit, str) else unit.files[0])
                given = self._folder.given()
                mend = await self._work(lambda unit=unit, options=options, given=given: mend_all(unit, options, given))  # type: ignore[misc]
                if mend is None or not checked.current:
                    return actions
                checked.mend = mend
            actions += self._mends(file, checked.mend, here, fixing=fixing, all_of_it=bool(only and all_of_it))
        return actions

    def _removals(self, here: Iterable[Finding]) -> list[lsp.CodeAction]:
        """The comments that silence nothing, each taken out by itself."""
        actions = []
        for finding in here:
            new = without_comment(finding, self._folder.read(finding.file), self._folder.options(finding.file))
            if new is not None:
                text = self._folder.text(finding.file, self._encoding) or Text("", self._encoding)
                edits = text.edits(new.decode("utf-8"))
                actions.append(
                    lsp.CodeAction(
                        "Remove what this comment does not silence",
                        lsp.CodeActionKind.QuickFix,
                        [self._diagnostic(finding)],
                        is_preferred=True,
                        edit=self._edit({finding.file: edits}),
                    )
                )
        return actions

    def _mends(
        self, file: str, mend: Mend, here: Sequence[Finding], *, fixing: bool, all_of_it: bool
    ) -> list[lsp.CodeAction]:
        if not mend.contents:
            return []
        by_file = {}
        for name, data in mend.contents.items():
            text = self._folder.text(name, self._encoding) or Text("", self._encoding)
            by_file[name] = text.edits(data.decode("utf-8"))
        edit = self._edit(by_file)
        actions = []
        gone = [one for one in here if one in mend.gone]
        if fixing and gone:
            told = [self._diagnostic(one) for one in gone]
            actions.append(lsp.CodeAction(mend.title, lsp.CodeActionKind.QuickFix, told, edit=edit))
        if all_of_it and file in by_file:
            actions.append(lsp.CodeAction(mend.title, _FIX_ALL, edit=edit))
        return actions

    def _touches(self, file: str, finding: Finding, asked: lsp.Range) -> bool:
        found = self._range(file, finding.span)
        start, end = (asked.start.line, asked.start.character), (asked.end.line, asked.end.character)
        return (found.start.line, found.start.character) <= end and start <= (found.end.line, found.end.character)

    def _edit(self, by_file: dict[str, list[Edit]]) -> lsp.WorkspaceEdit:
        """Edits of files, of open ones for the version that they were made for."""
        wishes = self._server.client_capabilities.workspace
        edits = {
            file: [lsp.TextEdit(_range(one.stretch), one.text) for one in found] for file, found in by_file.items()
        }
        if wishes is not None and wishes.workspace_edit is not None and wishes.workspace_edit.document_changes:
            documents = [
                lsp.TextDocumentEdit(
                    lsp.OptionalVersionedTextDocumentIdentifier(_uri(file), self._versions.get(file)), list(found)
                )
                for file, found in edits.items()
            ]
            return lsp.WorkspaceEdit(document_changes=documents)
        return lsp.WorkspaceEdit({_uri(file): found for file, found in edits.items()})


# -- small things ----------------------------------------------------------------------------------------------------


def serve(options_of: Callable[[str], Options]) -> int:
    """Serve an editor on standard input and output; the exit code."""
    return Server(options_of).start()


def _path(uri: str) -> str | None:
    """The file of an address, absolute and with ``/``; None for what is no file."""
    if not uri.startswith("file:"):
        return None
    path = uris.to_fs_path(uri)
    return None if path is None else os.path.abspath(path).replace(os.sep, "/")


def _uri(file: str) -> str:
    return uris.from_fs_path(os.path.abspath(file)) or file


def _range(stretch: Stretch) -> lsp.Range:
    return lsp.Range(lsp.Position(*stretch.start), lsp.Position(*stretch.end))


@functools.cache
def _rule_file(code: str, name: str, family: str) -> str | None:
    """Where the rule is written down on this machine, while it has no page; None for users' own."""
    path = os.path.join(resources.folder("rules"), family, f"{code}-{name}.yaml")
    return _uri(path) if os.path.isfile(path) else None


def _by_file(report: Report) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {file: [] for file in report.sources}
    for finding in report.findings:
        found.setdefault(finding.file, []).append(finding)
    return found


def _is_asked_for(only: Sequence[str], kind: str) -> bool:
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only)


def _refused(text: str) -> JsonRpcException:
    return JsonRpcException(text, code=lsp.LSPErrorCodes.RequestFailed.value)


__all__ = ["Server", "serve"]
