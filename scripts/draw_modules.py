"""Draw docs/design/modules.md: which module imports which, from the syntax trees of momlint/.

python scripts/draw_modules.py            # draw
python scripts/draw_modules.py --check    # is the committed drawing what this would draw?

Every import counts: those inside functions and those for type checking alone as well. Where modules import each
other they are named, and the exit code is 1.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx as nx

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "docs" / "design" / "modules.md"
HEAD = """<!-- Drawn by scripts/draw_modules.py from momlint/; run it after a change of imports. -->

# Modules

An arrow points to what is imported. Arrows that follow from others are left out. Imports inside functions and imports
for type checking count; nothing imports in a circle, neither modules nor folders (`tests/test_modules.py`).
"""


def import_graph(package: Path) -> nx.DiGraph[str]:
    """The modules of the package in this folder, by their full names; an edge goes to what a module imports.

    ``from a import b`` is an import of the module ``a.b`` where there is one, else of ``a``.
    """
    files = {}
    for file in sorted(package.rglob("*.py")):
        name = ".".join(file.relative_to(package.parent).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = file
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from(files)
    for name, file in files.items():
        inside = name if file.name == "__init__.py" else name.rpartition(".")[0]
        for imported in _imported(ast.parse(file.read_bytes(), str(file)), inside):
            module = imported
            while module and module not in files:
                module = module.rpartition(".")[0]
            if module and module != name:
                graph.add_edge(name, module)
    return graph


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    """The full name of everything that is imported, in a module of `package`; what is no module, with its module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def by_folder(graph: nx.DiGraph[str], folder: str) -> nx.DiGraph[str]:
    """What stands directly in `folder`, a folder in it as one; its own ``__init__`` is called so."""

    def unit(module: str) -> str | None:
        if module == folder:
            return "__init__"
        return module[len(folder) + 1 :].partition(".")[0] if module.startswith(f"{folder}.") else None

    units: nx.DiGraph[str] = nx.DiGraph()
    units.add_nodes_from(sorted(found for found in map(unit, graph) if found is not None))
    for importer, imported in graph.edges:
        one, other = unit(importer), unit(imported)
        if one is not None and other is not None and one != other:
            units.add_edge(one, other)
    return units


def circles(graph: nx.DiGraph[str]) -> list[list[str]]:
    """Every set of modules that import each other."""
    return sorted(sorted(found) for found in nx.strongly_connected_components(graph) if len(found) > 1)


def folders(graph: nx.DiGraph[str]) -> list[str]:
    """The folders with more than one module or folder in them, the outer first."""
    return [name for name in sorted(graph, key=lambda name: (name.count("."), name)) if len(by_folder(graph, name)) > 2]


def diagram(units: nx.DiGraph[str]) -> str:
    """A mermaid flowchart in the order of the alphabet, without the arrows that follow from others."""
    reduced = nx.transitive_reduction(units) if nx.is_directed_acyclic_graph(units) else units
    lines = ["```mermaid", "flowchart TD"]
    # "n_" because mermaid has words of its own, such as "graph" and "end".
    lines += [f'  n_{name}["{name}"]' for name in sorted(units)]
    lines += [f"  n_{importer} --> n_{imported}" for importer, imported in sorted(reduced.edges)]
    return "\n".join([*lines, "```"]) + "\n"


def drawing(graph: nx.DiGraph[str]) -> str:
    """The whole document."""
    parts = [HEAD]
    for folder in folders(graph):
        units = by_folder(graph, folder)
        if folder != "momlint" and not units["__init__"] and not units.pred["__init__"]:
            units.remove_node("__init__")  # it only says what the folder is
        parts.append(f"## {folder.replace('.', '/')}\n\n{diagram(units)}")
    return "\n".join(parts)


def main() -> int:
    graph = import_graph(ROOT / "momlint")
    found = circles(graph) or [
        [f"{folder}/{name}" for name in circle]
        for folder in folders(graph)
        for circle in circles(by_folder(graph, folder))
    ]
    for circle in found:
        print("import each other: " + ", ".join(circle), file=sys.stderr)
    text = drawing(graph)
    if sys.argv[1:] != ["--check"]:
        DRAWING.write_text(text, encoding="utf-8")
    elif not DRAWING.exists() or DRAWING.read_text(encoding="utf-8") != text:
        print("docs/design/modules.md: not as drawn; run scripts/draw_modules.py", file=sys.stderr)
        return 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
