"""Native files written in momlint's own language: the estate they make, and a manifest for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from momlint.findings import Problem
from momlint.native.form import Address, NativeFile
from momlint.native.joining import Joined, addresses_of, file_names
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, Source

#: Writes a name as a scalar of YAML that is read back as it is.
Quote = Callable[[str], str]


def estate_lines(joined: Joined, name: str, quote: Quote) -> Iterator[str]:
    """The one estate of files of a family, as YAML; each link with the line that it comes from.

    What is wrong in the files, and cannot be seen of the estate any more, stands above as comments.
    """
    if joined.problems:
        yield "# What only the files tell; a check of this estate does not say it again:\n"
    for problem in joined.problems:
        yield f"#   {_told(problem)}\n"
    yield "momlint: 1\n"
    yield f"name: {quote(name)}\n"
    yield from _section(joined, "routing", quote)
    yield from _section(joined, "brokers", quote)
    yield from _section(joined, "links", quote)
    yield from _section(joined, "subscriptions", quote)


def _told(problem: Problem) -> str:
    start = problem.span.start
    text = f"{problem.file}:{start.line}:{start.column}: {problem.code} {problem.message}"
    return text if text.isprintable() else repr(text)[1:-1]


def _section(joined: Joined, section: str, quote: Quote) -> Iterator[str]:
    begun = False
    for source in joined.sources:
        node = source.documents[0].find((section,))
        if node is None:
            continue
        if section == "routing":
            yield f"routing: {_flow(node, quote)}\n"
            continue
        if not begun:
            yield f"{section}:\n"
            begun = True
        for key, one in _parts(node):
            written = _flow(one, quote)
            if key is None:
                yield f"  - {written}  # {_where(source, one)}\n"
            else:
                yield f"  {quote(key)}: {written}\n" if written != "{}" else f"  {quote(key)}:\n"
    if section == "brokers" and not begun:
        yield "brokers: {}\n"


def _parts(node: Node) -> Iterator[tuple[str | None, Node]]:
    if isinstance(node, MappingNode):
        for entry in node.entries:
            yield entry.key.text, entry.value
    elif isinstance(node, SequenceNode):
        for item in node.items:
            yield None, item


def _where(source: Source, node: Node) -> str:
    file = re.sub(r"[^\w./@+-]", "_", source.file)
    return f"{file}:{node.start_line + 1}"


def _flow(node: Node, quote: Quote) -> str:
    if isinstance(node, ScalarNode):
        return quote(node.text) if node.style else node.text
    if isinstance(node, SequenceNode):
        return "[" + ", ".join(_flow(item, quote) for item in node.items) + "]"
    inner = (f"{_key(entry.key.text, quote)}: {_flow(entry.value, quote)}" for entry in node.entries)
    return "{" + ", ".join(inner) + "}"


def _key(text: str, quote: Quote) -> str:
    """A word of the language as it is, the name of a broker as names are written."""
    return text if re.fullmatch(r"[a-z_]+", text) else quote(text)


def manifest_lines(natives: Sequence[NativeFile], quote: Quote) -> Iterator[str]:
    """A manifest for these files: what each broker is called, and under which addresses others know it."""
    names = file_names(natives, {})
    known: dict[str, list[Address]] = {}
    outside: dict[str, None] = {}
    for address, name in addresses_of(natives):
        if name is None:
            outside.setdefault(address.text)
        elif address not in known.setdefault(name, []):
            known[name].append(address)
    yield "momlint: 1\n"
    yield "brokers:\n"
    for native in natives:
        name = names[native.file]
        hosts = list(dict.fromkeys(one.text for one in known.get(name, ())))
        shown = f", hosts: [{', '.join(quote(host) for host in hosts)}]" if hosts else ""
        yield f"  {quote(name)}: {{config: {quote(native.file)}, kind: {native.kind}{shown}}}\n"
    if outside:
        yield "# Addresses that none of these files answers to; add them to the `hosts` of their brokers:\n"
        for text in outside:
            yield f"#   {text if text.isprintable() else repr(text)}\n"
    else:
        yield "closed: true\n"
