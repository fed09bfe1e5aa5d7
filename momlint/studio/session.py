"""One estate that is being edited: its texts, what they were before, and what a page shows of them.

Texts change in memory; files change when they are saved, and only those of the estate, below its folder.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from momlint.access import reason
from momlint.lsp.names import uses
from momlint.lsp.renaming import Refused as NotRenamed
from momlint.lsp.renaming import rename
from momlint.source.patching import Patches, Unpatchable
from momlint.studio.asking import Refused, Renamed, Wish, forms, lost_specifications, names, whole, wish, word
from momlint.studio.editing import Editing
from momlint.view.gathering import Gathered, Looking, Supposed, gather, look_again, open_unit
from momlint.view.page import data_of
from momlint.words import joined
from momlint.writing import write_file

if TYPE_CHECKING:
    from momlint.access import Access
    from momlint.estate.load import LoadedEstate
    from momlint.estate.opening import Opened
    from momlint.lint import Options
    from momlint.view.form import Picture

#: So many steps can be taken back.
_MOST_UNDONE = 200
#: So many pairs times states are followed at every change; of more those alone that the page shows.
MOST_FARES = 30_000
_MARK = b"\xef\xbb\xbf"


class Session:
    """See the module. `revision` counts the changes: who speaks of another one has not seen the last."""

    def __init__(self, file: str, options: Options, start: bytes | None = None) -> None:
        """`file`: an estate in YAML. `start`: what a file that is not there yet begins with. Raises `OSError`."""
        self.file = file
        self.options = options
        self._access = options.access(file)
        self.contents: dict[str, bytes] = {} if start is None else {file: start}
        self.revision = 0
        self._saved: dict[str, bytes | None] = {} if start is None else {file: None}
        self._undo: list[dict[str, bytes]] = []
        self._supposed: Supposed | None = None
        self._spots: list[dict[str, tuple[float, float]]] = []
        self._put: dict[str, tuple[float, float]] = {}
        if start is None:
            self._hold(file)
        self.gathered: Gathered = self._gather()

    @property
    def access(self) -> Access:
        """What may be read and written; names are looked up anew, for one may have become a link to somewhere else."""
        return self._access.anew()

    # -- what is shown ------------------------------------------------------------------------------------------------

    def data(self, says: str = "") -> dict[str, Any]:
        """All that the page knows; `says`: a sentence for its user."""
        names = [picture.name for picture in self.gathered.pictures]
        found = data_of(self.gathered, names[0] if names else os.path.basename(self.file))
        found["studio"] = {
            "file": self.file,
            "texts": {file: _text(self.read(file)) for file in self.files()},
            "changed": self.changed(),
            "undo": bool(self._undo),
            "revision": self.revision,
            "says": says,
            "forms": [forms(loaded) for loaded in self.gathered.estates],
        }
        return found

    def files(self) -> list[str]:
        """The files of the estate that can be changed, the main one first."""
        return self._files(self.gathered)

    def _files(self, gathered: Gathered) -> list[str]:
        found = {self.file: None}
        for loaded in gathered.estates:
            found.update((source.file, None) for source in loaded.sources)
        access = self.access
        return [file for file in found if file.endswith((".yaml", ".yml")) and access.has(file)]

    def changed(self) -> list[str]:
        """The files that are other than on the disk."""
        return [file for file, data in self.contents.items() if self._saved[file] != data]

    def read(self, file: str) -> bytes:
        """The content of a file of the estate, as it is now. Raises `OSError`."""
        return self.contents[file] if file in self.contents else self.access.read(file)

    # -- what is done -------------------------------------------------------------------------------------------------

    def change(self, asked: Mapping[str, Any]) -> str:
        """Do what `asked` says to the estate, as one step; a sentence on what was done. Raises `Refused`."""
        self._is_current(asked)
        number = whole(asked.get("estate", 0))
        if not 0 <= number < len(self.gathered.estates):
            raise Refused(422, "there is no estate to change; mend the text first")
        wanted = wish(asked)
        try:
            made, words = self._made(number, wanted)
        except (Unpatchable, NotRenamed) as error:
            raise Refused(422, f"this cannot be done here: {error}") from error
        if wanted.broker is not None:
            x, y = asked.get("x"), asked.get("y")
            if isinstance(x, int | float) and isinstance(y, int | float) and math.isfinite(x + y):
                self._put[wanted.broker] = (round(float(x), 1), round(float(y), 1))
        if wanted.rename is not None and wanted.rename.kind == "broker":
            self._spots = [
                {wanted.rename.new if name == wanted.rename.name else name: spot for name, spot in known.items()}
                for known in self._spots
            ]
        self._take(made)
        return f"{wanted.says}, and with it {joined(words)}." if words else f"{wanted.says}."

    def _made(self, number: int, wanted: Wish) -> tuple[dict[str, bytes], list[str]]:
        """The texts that a change makes, and what goes with it in words. Each step is done to a text that is read anew.

        Raises `Unpatchable` and `NotRenamed`.
        """
        made: dict[str, bytes] = {}
        loaded = self.gathered.estates[number]

        def edit(do: Callable[[Editing], Sequence[str]]) -> list[str]:
            editing = Editing(loaded, lambda file: made[file] if file in made else self.read(file))
            words = list(do(editing))
            made.update(editing.made())
            return words

        if wanted.rename is not None and wanted.rename.name != wanted.rename.new:
            made.update(self._renamed(loaded, wanted.rename))
            loaded = self._estate(number, made)
        words = edit(wanted.do)
        if wanted.removes and loaded.estate is not None and loaded.estate.specs:
            before = loaded.estate
            loaded = self._estate(number, made)
            assert loaded.estate is not None
            lost = lost_specifications(before, loaded.estate)
            words += edit(lambda editing: editing.remove_specifications(lost))
        return made, words

    def _renamed(self, loaded: LoadedEstate, asked: Renamed) -> dict[str, bytes]:
        """The texts with another name for a broker or topic wherever it stands. Raises `NotRenamed`, `Unpatchable`."""
        use = next((one for one in uses(loaded) if one.declares and (one.kind, one.name) == asked[:2]), None)
        if use is None:
            raise Unpatchable(f"there is no {asked.kind} `{asked.name}`")
        changes = rename(self._opened({}), use, asked.new, self.read, self._opened)
        patched: dict[str, Patches] = {}
        for change in changes:
            if change.file not in patched:
                patched[change.file] = Patches(self.read(change.file))
            patched[change.file].replace(change.span, change.text)
        return {file: patches.made() for file, patches in patched.items()}

    def _opened(self, made: Mapping[str, bytes]) -> Opened:
        """The estates with these texts in place of those that there are."""
        opened, failures = open_unit(self.file, self.options, {**self.contents, **made})
        if opened is None:
            raise Unpatchable(joined(failures))
        return opened

    def _estate(self, number: int, made: Mapping[str, bytes]) -> LoadedEstate:
        estates = [one for one in self._opened(made).estates if one.estate is not None]
        if number >= len(estates):
            raise Unpatchable("the estate could not be read any more")
        return estates[number]

    def write(self, asked: Mapping[str, Any]) -> str:
        """Put another text in place of a file of the estate. Raises `Refused`."""
        self._is_current(asked)
        file, text = word(asked, "file"), asked.get("text")
        if file not in self.files():
            raise Refused(403, "this file is none of the estate's")
        if not isinstance(text, str) or len(text) > self.options.most_bytes:
            raise Refused(400, "this is no text of a file")
        old = self.read(file)
        # A browser's text has one kind of line ends, and no mark at its start.
        if b"\r\n" in old:
            text = text.replace("\r\n", "\n").replace("\n", "\r\n")
        self._take({file: (_MARK if old.startswith(_MARK) else b"") + text.encode("utf-8", "replace")})
        return ""

    def suppose(self, asked: Mapping[str, Any]) -> str:
        """Look at a failure of links and brokers. Raises `Refused`."""
        self._is_current(asked)
        number, brokers = whole(asked.get("estate", 0)), names(asked, "brokers")
        links = self._with_connections(number, names(asked, "links"))
        supposed = Supposed(number, links, brokers) if links or brokers else None
        known = self._known(supposed)
        self._supposed = supposed
        if known is None and supposed is not None:
            look_again(self.gathered, number, self.options, self._looking())
            known = self._known(supposed)
        if supposed is None:
            return "Nothing has failed."
        what = joined([*(f"link {one}" for one in links), *(f"broker {one}" for one in brokers)])
        if known is None and self.gathered.pictures[number].kind == "relayed":
            return f"What the failure of {what} does is not known: there is too much to look at."
        if known is None:
            return f"No colour stands for the failure of {what}: the recovery rows say nothing about it."
        return f"Colour {known} stands for the failure of {what}." if known else ""

    def _with_connections(self, number: int, links: tuple[str, ...]) -> tuple[str, ...]:
        """The links, and in relayed overlays those that fail with them: they are one connection."""
        if not 0 <= number < len(self.gathered.estates) or self.gathered.pictures[number].kind != "relayed":
            return links
        estate = self.gathered.estates[number].estate
        assert estate is not None
        failed = {one.connection for one in estate.links if one.id in links} - {None}
        return (*links, *(one.id for one in estate.links if one.connection in failed and one.id not in links))

    def _known(self, supposed: Supposed | None) -> str | None:
        """The colour of the failure, empty for one that is no colour, None where the pictures do not have it."""
        if supposed is None:
            return ""
        if not 0 <= supposed.estate < len(self.gathered.pictures):
            raise Refused(422, "there is no such estate")
        picture = self.gathered.pictures[supposed.estate]
        if picture.kind not in ("routed", "relayed"):
            raise Refused(422, "the studio follows failures of overlays only; `momlint check` judges these")
        for state in picture.states:
            names = {picture.links[one].id for one in state.links}, {picture.brokers[one].id for one in state.brokers}
            if names == (set(supposed.links), set(supposed.brokers)) and not state.is_open:
                return state.name if state.kind == "colour" else ""
        return None

    def undo(self, asked: Mapping[str, Any]) -> str:
        """Take back the last change. Raises `Refused`."""
        self._is_current(asked)
        if not self._undo:
            raise Refused(422, "there is nothing to take back")
        self.contents = {**self.contents, **self._undo.pop()}
        self.revision += 1
        self.gathered = self._gather()
        return "Taken back."

    def save(self, asked: Mapping[str, Any]) -> str:
        """Write the files that have changed. Raises `Refused`, also where one has changed on the disk meanwhile."""
        self._is_current(asked)
        changed, places = self.changed(), {}
        for file in changed:
            # Links are followed once: what is looked at is what is written.
            places[file] = os.path.realpath(file)
            if not self.access.has(places[file]):
                raise Refused(403, f"{file} is outside the folder of the estate")
            if self._on_disk(file) != self._saved[file]:
                raise Refused(409, f"{file} has changed on the disk since it was read; nothing was saved")
        for file, real in places.items():
            try:
                write_file(real, self.contents[file])
            except OSError as error:
                raise Refused(500, f"{file}: it cannot be written: {error.strerror or error}") from error
            self._saved[file] = self.contents[file]
        return f"Saved {joined(changed)}." if changed else "Nothing to save."

    # -- how ----------------------------------------------------------------------------------------------------------

    def _is_current(self, asked: Mapping[str, Any]) -> None:
        revision = asked.get("revision")
        if isinstance(revision, bool) or revision != self.revision:
            raise Refused(409, "the estate has changed in another window; this one shows it now")

    def _on_disk(self, file: str) -> bytes | None:
        try:
            return self.access.read(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Refused(403, f"{file}: {reason(error)}") from error

    def _take(self, made: Mapping[str, bytes]) -> None:
        """The texts `made`, unless they are the same."""
        if all(self.read(file) == data for file, data in made.items()):
            return
        self._undo.append({file: self.read(file) for file in made})
        del self._undo[:-_MOST_UNDONE]
        self.contents = {**self.contents, **made}
        self.revision += 1
        self.gathered = self._gather()

    def _gather(self) -> Gathered:
        # By one engine: it is asked at every change.
        options = replace(self.options, engine="graph")
        found = gather([self.file], options, self.contents, looking=self._looking())
        new = [file for file in self._files(found) if file not in self.contents]
        if new:
            # What is shown and changed is what was read, whatever becomes of the files meanwhile.
            for file in new:
                self._hold(file)
            found = gather([self.file], options, self.contents, looking=self._looking())
        for number, picture in enumerate(found.pictures):
            if number == len(self._spots):
                self._spots.append({})
            self._stands(number, picture)
        if found.pictures:
            self._put = {}
        return found

    def _hold(self, file: str) -> None:
        """Keep what a file holds, and that it held it. Raises `OSError`."""
        self.contents[file] = self.access.read(file)
        self._saved[file] = self.contents[file]

    def _looking(self) -> Looking:
        return Looking(self._supposed, MOST_FARES, [{**known, **self._put} for known in self._spots])

    def _stands(self, number: int, picture: Picture) -> None:
        """Keep where brokers stand, also those that are gone: they may come back."""
        self._spots[number] = {**self._spots[number], **{one.id: (one.x, one.y) for one in picture.brokers}}


def _text(data: bytes) -> str | None:
    """A file as text, None where it is no UTF-8 and cannot be changed here."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


#: What the page may ask for, by the path.
ACTIONS: dict[str, Callable[[Session, Mapping[str, Any]], str]] = {
    "/change": Session.change,
    "/text": Session.write,
    "/fail": Session.suppose,
    "/undo": Session.undo,
    "/save": Session.save,
}
