"""Build the documentation site: docs/, and pages made from the product; a broken link is an error.

python scripts/build_site.py [FOLDER]           # build into FOLDER, by default build/site
python scripts/build_site.py --source FOLDER    # only lay out what the site is built from

Needs the extra `docs`. Nothing is fetched, and no page loads anything from elsewhere.
"""

from __future__ import annotations

import argparse
import json
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from momlint import config as settings
from momlint.cli.schema import KINDS, schema_of

ROOT = Path(__file__).parents[1]
#: Where files are shown that are not part of the site.
SOURCE = "https://github.com/momlint/momlint/blob/main/"
#: Documents at the top of the checkout → their pages.
COPIED = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
#: Whatever leads to the README leads to the first page.
PAGES = {**COPIED, "README.md": "index.md"}
#: Folders of which every page is in the navigation.
FOLDERS = ("rules", "adr")

_FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2`*$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(?=[)#])")
_MERMAID = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)


def lay_out(folder: Path) -> None:
    """Write what the site is built from into `folder`, which is there and empty: mkdocs.yml, and docs/."""
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    config["nav"] = _expanded(config["nav"])
    (folder / "mkdocs.yml").write_text(yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf-8")
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs)
    for page in docs.rglob("*.md"):
        path = page.relative_to(docs).as_posix()
        _write(page, site_markdown(page.read_text(encoding="utf-8"), path, "docs/" + posixpath.dirname(path)))
    for name, path in COPIED.items():
        _write(docs / path, site_markdown((ROOT / name).read_text(encoding="utf-8"), path, ""))
    for path, text in {"cli": command_line(), "estate": language(), "settings": configuration()}.items():
        _write(docs / f"reference/{path}.md", site_markdown(text, f"reference/{path}.md", "docs/reference"))
    for name in KINDS:
        _write(docs / f"schema/{name}.json", json.dumps(schema_of(name), ensure_ascii=False, indent=2) + "\n")
    listed = set(_listed(config["nav"]))
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")}
    if pages != listed:
        raise SystemExit(f"mkdocs.yml: the navigation and the pages differ: {', '.join(sorted(pages ^ listed))}")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def build(source: Path, folder: Path) -> int:
    """Build the site from what `lay_out` wrote; the exit code of the builder."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "--clean", "-f", str(source / "mkdocs.yml")]
    done = subprocess.run(command, cwd=source, check=False)
    if done.returncode == 0:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(source / "site", folder)
    return done.returncode


def site_markdown(markdown: str, path: str, folder: str) -> str:
    """A document as the page `path`; its links start from `folder` of the checkout.

    Links out of docs/ lead to the page that the site has of it, or to the source; drawings become lists. Code in tables
    loses the backslashes that GitHub wants.
    """
    markdown = _MERMAID.sub(lambda match: _as_list(match[1]), markdown)

    def fit(text: str) -> str:
        text = _LINK.sub(lambda link: _target(link[1], folder, path), text)
        return _ROW.sub(lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), text)

    return _outside_fences(markdown, fit)


def _target(link: str, folder: str, page: str) -> str:
    """Where `link`, which starts from the folder of the checkout, leads from the page."""
    there = posixpath.normpath(posixpath.join(folder, link))
    if there in PAGES:
        there = f"docs/{PAGES[there]}"
    if not there.startswith("docs/"):
        return SOURCE + there
    return posixpath.relpath(there, posixpath.join("docs", posixpath.dirname(page)))


def _outside_fences(markdown: str, change: Callable[[str], str]) -> str:
    parts, done = [], 0
    for fence in _FENCE.finditer(markdown):
        parts += [change(markdown[done : fence.start()]), fence[0]]
        done = fence.end()
    return "".join([*parts, change(markdown[done:])])


def _as_list(drawing: str) -> str:
    """A flow chart as a list of what has arrows to what: to draw it, a page would load a program from elsewhere."""
    names = dict(re.findall(r'^\s*(\w+)\["([^"]+)"\]', drawing, re.MULTILINE))
    arrows: dict[str, list[str]] = {}
    for tail, head in re.findall(r"^\s*(\w+) --> (\w+)", drawing, re.MULTILINE):
        arrows.setdefault(tail, []).append(f"`{names.get(head, head)}`")
    rows = [f"- `{names.get(tail, tail)}` imports {', '.join(heads)}" for tail, heads in arrows.items()]
    return "\n".join(["", *rows])


def _expanded(nav: list[Any]) -> list[Any]:
    found = []
    for entry in nav:
        ((title, target),) = entry.items()
        folder = target.rstrip("/") if isinstance(target, str) else ""
        if isinstance(target, list):
            found.append({title: _expanded(target)})
        elif target.endswith("/") and folder in FOLDERS:
            found.append({title: list(_pages(folder))})
        else:
            found.append(entry)
    return found


def _listed(nav: list[Any]) -> Iterator[str]:
    for entry in nav:
        target = entry if isinstance(entry, str) else next(iter(entry.values()))
        if isinstance(target, str):
            yield target
        else:
            yield from _listed(target)


def _pages(folder: str) -> Iterator[Any]:
    """The folder's own page, then the others by name."""
    paths = sorted((ROOT / "docs" / folder).glob("*.md"), key=lambda path: (path.stem[0].islower(), path.stem))
    first = [path for path in paths if path.stem in ("index", "README")]
    for path in [*first, *(path for path in paths if path not in first)]:
        uri = f"{folder}/{path.name}"
        heading = _TITLE.search(path.read_text(encoding="utf-8"))
        yield uri if path in first or heading is None else {heading[1]: uri}


# -- the command line -----------------------------------------------------------------------------------------------


def command_line() -> str:
    """Every command with its arguments and options, from typer."""
    import typer

    from momlint.cli.app import app

    lines = [
        "# Every command and option\n",
        "As `momlint COMMAND --help` has it. [Commands](../commands.md) says more.\n",
    ]
    for words, command in _commands(typer.main.get_command(app), "momlint"):
        lines.append(f"## {words}\n")
        lines.append(f"```text\n{_usage(words, command)}\n```\n")
        paragraphs = (command.help or "").split("\n\n")
        lines += [_text(" ".join(paragraph.split())) + "\n" for paragraph in paragraphs if paragraph.strip()]
        if command.params:
            lines += ["| | |", "|---|---|", *(_parameter(one) for one in command.params), ""]
    return "\n".join(lines)


def _commands(command: Any, words: str) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "commands"):
        if command.params:
            yield words, command
        for name, inner in command.commands.items():
            yield from _commands(inner, f"{words} {name}")
    else:
        yield words, command


def _usage(words: str, command: Any) -> str:
    if hasattr(command, "commands"):
        return f"{words} [OPTIONS] COMMAND …"
    arguments = [one.metavar if one.required else f"[{one.metavar}]" for one in command.params if _is_argument(one)]
    return " ".join([words, "[OPTIONS]", *arguments])


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _parameter(parameter: Any) -> str:
    if _is_argument(parameter):
        name = f"`{parameter.metavar}`"
    else:
        name = ", ".join(f"`{option}`" for option in parameter.opts)
        if parameter.metavar:
            name += f" `{parameter.metavar}`"
    required = " Required." if parameter.required and not _is_argument(parameter) else ""
    return f"| {_cell(name)} | {_cell(_text(parameter.help or 'Output format.' if name else ''))}{required} |"


def _text(text: str) -> str:
    """A help text as Markdown: what looks like code is code."""
    words = []
    for word in re.split(r"(`[^`]*`|\s+)", text):
        bare = word.strip("(),.;:")
        code = re.fullmatch(r"--[a-z][\w-]*|\[[\w.]+\]|[\w.*-]+\.(ya?ml|toml|csv|parquet|json)", bare)
        words.append(word.replace(bare, f"`{bare}`", 1) if code else word)
    return "".join(words)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# -- the language and the settings ------------------------------------------------------------------------------------


def language() -> str:
    """Every section and key of an estate, from the models."""
    schema = schema_of("estate")
    lines = [
        "# Every section and key\n",
        "From the models that read estates. [The language](../language.md) says it with examples; "
        "[estate.json](../schema/estate.json) is the JSON Schema, for editors.\n",
        "## An estate\n",
        *_table(schema),
    ]
    for name, model in schema["$defs"].items():
        if "properties" in model:
            lines += [
                f"## {_heading(name)} {{ #{name.lower()} }}\n",
                f"{model.get('description', '')}\n",
                *_table(model),
            ]
    return "\n".join(lines)


def configuration() -> str:
    """Every setting, from the schema of the configuration."""
    lines = [
        "# Settings\n",
        f"What may stand in `momlint.toml`, and in `[tool.momlint]` of `pyproject.toml`; version {settings.VERSION}. "
        "[Configuration](../commands.md#configuration) has an example; [config.json](../schema/config.json) is the "
        "JSON Schema, for editors, and what momlint writes as JSON has [report.json](../schema/report.json), "
        "[statistics.json](../schema/statistics.json) and [diff.json](../schema/diff.json).\n",
        *_table(schema_of("config")),
    ]
    return "\n".join(lines)


def _heading(name: str) -> str:
    return " ".join(re.findall("[A-Z][a-z]*", name.removesuffix("Entry")))


def _table(schema: dict[str, Any]) -> list[str]:
    required = set(schema.get("required", ()))
    rows = ["| key | value | |", "|---|---|---|"]
    for key, value in schema["properties"].items():
        about = value.get("description", "")
        if key in required:
            about += " Required."
        default = value.get("default")
        if default is not None:
            about += f" Default: `{json.dumps(default, ensure_ascii=False)}`."
        rows.append(f"| `{key}` | {_cell(kind(value))} | {_cell(about)} |")
    return [*rows, ""]


def kind(schema: dict[str, Any]) -> str:
    """What a value may be, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{_heading(name).lower()}](#{name.lower()})"
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for word in ("anyOf", "oneOf"):
        if word in schema:
            kinds = [kind(one) for one in schema[word] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    type_ = schema.get("type")
    if isinstance(type_, list) or type_ == "string":
        return "text"
    if type_ == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if type_ == "object":
        return f"map of name to {kind(schema['additionalProperties'])}" if schema.get("additionalProperties") else "map"
    if type_ in ("number", "integer"):
        return ("whole number" if type_ == "integer" else "number") + _bounds(schema)
    return {"boolean": "`true` or `false`"}.get(str(type_), "any value")


def _bounds(schema: dict[str, Any]) -> str:
    least, most, above = (schema.get(key) for key in ("minimum", "maximum", "exclusiveMinimum"))
    said = f" above {above:g}" if above is not None else f" from {least:g}" if least is not None else ""
    return said + (f" to {most:g}" if most is not None and most < 1e9 else "")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "site")
    parser.add_argument("--source", action="store_true", help="only lay out what the site is built from")
    asked = parser.parse_args(arguments)
    if asked.source:
        asked.folder.mkdir(parents=True)
        lay_out(asked.folder)
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        lay_out(Path(scratch))
        return build(Path(scratch), asked.folder)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
