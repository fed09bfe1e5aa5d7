"""Native files written in momlint's own language: the estate they make, and a manifest for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from momlint.native.form import Address, NativeFile
from momlint.native.joining import Joined, addresses_of, file_names
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, Source

#: Writes a name as a scalar of YAML that is read back as it is.
Quote = Callable[[str], str]


def estate_lines(joined: Joined, name: str, quote: Quote, codes: Mapping[str, str] | None = None) -> Iterator[str]:
    """The one estate of files of a family, as YAML; each link with the line that it comes from.

    What is wrong in the files, and cannot be seen of the estate any more, is there as ``findings``; what comments in
    the files silence, as ``ignore``. `codes`: the codes of rules by their names.
    """
    yield "momlint: 1\n"
    yield f"name: {quote(name)}\n"
    yield from _section(joined, "routing", quote)
    yield from _section(joined, "brokers", quote)
    yield from _section(joined, "links", quote)
    yield from _section(joined, "subscriptions", quote)
    if joined.problems:
        yield "# What the files have wrong, and links do not show; a check says it until it is taken out:\nfindings:\n"
    for problem in joined.problems:
        start = problem.span.start
        fields = {
            "code": problem.code,
            "at": f"{problem.file}:{start.line}:{start.column}",
            "message": problem.message,
            "help": problem.help,
        }
        yield f"  - {{{', '.join(f'{key}: {quote(value)}' for key, value in fields.items() if value)}}}\n"
    silenced = list(_silenced(joined, codes or {}))
    if silenced:
        yield "# Silenced by comments in the files:\nignore:\n"
    for code, where in silenced:
        yield f"  - {{code: {quote(code)}, about: {quote(where)}}}\n"


def _silenced(joined: Joined, codes: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The codes that comments silence, and what the lines of the estate have that come from there."""
    for source in joined.sources:
        for one in source.suppressions:
            wrong = [
                f"{problem.file}:{one.target}:"
                for problem in joined.problems
                if problem.file == source.file and problem.span.start.line == one.target
            ]
            links = source.documents[0].find(("links",))
            items = [] if links is None else [item for _, item in _parts(links)]
            made = [f"# {_where(source, item)}," for item in items if one.target in _lines(item)]
            for where in dict.fromkeys([*wrong, *made]):
                yield from ((codes.get(code, code), where) for code in one.codes)


def _lines(node: Node) -> Iterator[int]:
    """The lines that a node and what is in it begin in, 1-based."""
    yield node.start_line + 1
    for _, one in _parts(node):
        yield from _lines(one)


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
                yield f"  - {written}  # {_where(source, one)}{',' if source.suppressions else ''}\n"
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
