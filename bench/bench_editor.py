"""How long an editor waits for the findings after a key is pressed, through the protocol, over pipes.

    python -m bench.bench_editor [--changes 60]

A client (pygls's) opens an estate and changes it again and again, each time when the findings of the text before are
there: something is changed, and then it is as it was before. Measured from the change being sent to the findings of
that version being there, the server's pause for further keys included. ``typing`` is what a key costs at the end of a
row of ten that are pressed every 30 ms. ``whole``: reading and checking the same text once, in one process and without
any server, measured in turns with the changes; ``ratio`` is the median by it. Needs the extra `lsp`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

from momlint.lint import Options, lint_bytes

CHECKOUT = Path(__file__).resolve().parent.parent
FIFTY = CHECKOUT / "examples" / "fifty-brokers" / "topology.yaml"


class Editor:
    """One document, and when which version of it was answered."""

    def __init__(self, path: Path) -> None:
        self.uri = path.as_uri()
        self.version = 0
        self.answered: dict[int, float] = {}
        self.news = asyncio.Event()
        self.client = LanguageClient("bench", "1")

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def told(params: lsp.PublishDiagnosticsParams) -> None:
            if params.uri == self.uri and params.version is not None:
                self.answered.setdefault(params.version, time.perf_counter())
                self.news.set()

    async def start(self, text: str) -> None:
        """Start a server and open the document."""
        await self.client.start_io(sys.executable, "-m", "momlint", "lsp", cwd=str(CHECKOUT), env={**os.environ})
        await self.client.initialize_async(lsp.InitializeParams(lsp.ClientCapabilities()))
        self.client.initialized(lsp.InitializedParams())
        self.version = 1
        document = lsp.TextDocumentItem(self.uri, "yaml", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
        await self.answer()

    def change(self, text: str) -> float:
        """Send another text; when."""
        self.version += 1
        sent = time.perf_counter()
        identifier = lsp.VersionedTextDocumentIdentifier(self.version, self.uri)
        whole = lsp.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, [whole]))
        return sent

    async def answer(self) -> float:
        """When the findings of the last text were there."""
        while self.version not in self.answered:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 120)
        return self.answered[self.version]

    async def stop(self) -> None:
        """End the server."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def measure(path: Path, texts: tuple[str, str], changes: int) -> tuple[list[float], list[float], list[float]]:
    """Milliseconds of single changes, of the last of ten, and of a whole check."""
    editor = Editor(path)
    await editor.start(texts[0])
    single, typing, whole = [], [], []
    for number in range(changes):
        text = texts[1 - number % 2]
        sent = editor.change(text)
        single.append((await editor.answer() - sent) * 1000)
        began = time.perf_counter()
        lint_bytes(text.encode(), str(path), Options(engine="graph"))
        whole.append((time.perf_counter() - began) * 1000)
    for number in range(max(changes // 10, 3)):
        for key in range(10):
            sent = editor.change(texts[(number + key) % 2])
            await asyncio.sleep(0.03)
        typing.append((await editor.answer() - sent) * 1000)
    await editor.stop()
    return single, typing, whole


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--changes", type=int, default=60)
    changes = parser.parse_args().changes
    plain = FIFTY.read_text(encoding="utf-8")
    print("| estate of 50 brokers | KB | changed | median ms | 95 % ms | typing, median ms | whole, ms | ratio |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / "estate.yaml"
        for name, text in (("tables", plain), ("a colour for every link and broker", planned(plain))):
            path.write_text(text, encoding="utf-8")
            for kind, other in kinds(text).items():
                single, typing, whole = asyncio.run(measure(path, (text, other), changes))
                median, usual = statistics.median(single), statistics.median(whole)
                told = f"{median:.0f} | {statistics.quantiles(single, n=20)[-1]:.0f} | {statistics.median(typing):.0f}"
                size = len(text.encode()) / 1000
                print(f"| {name} | {size:.0f} | {kind} | {told} | {usual:.0f} | {median / usual:.2f} |", flush=True)


def kinds(text: str) -> dict[str, str]:
    """The text with one thing changed, by what that is."""
    found = {"the value of the last row": damaged(text)}
    if "via: " in text:
        rows = [match.start(1) for match in re.finditer(r"via: (\d+), colours", text)]
        at = rows[len(rows) // 2]
        stop = text.index(",", at)
        found["a row in the middle"] = f"{text[:at]}{1 if text[at:stop] != '1' else 2}{text[stop:]}"
    found["a line put in at the top"] = text.replace("brokers:\n", "# a comment\nbrokers:\n", 1)
    found["the cost of a link"] = text.replace("{between: [2, 18]}", "{between: [2, 18], cost: 3}", 1)
    return found


def planned(text: str) -> str:
    """The estate with recovery tables for every failure of a link or a broker."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "estate.yaml"
        path.write_text(text + "failures: {tolerate: {links: 1}}\n", encoding="utf-8")
        command = [sys.executable, "-m", "momlint", "plan", str(path), "--in-place"]
        subprocess.run(command, check=True, cwd=CHECKOUT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path.read_text(encoding="utf-8")


def damaged(text: str) -> str:
    """The same with another next hop in the last row, or the last destination left out."""
    if "via:" in text:
        before, _, after = text.rpartition("via: ")
        end = after.index(",")
        return f"{before}via: {1 if after[:end] != '1' else 2}{after[end:]}"
    before, _, after = text.rpartition(", ")
    return before + after[after.index("]") :]


if __name__ == "__main__":
    main()
