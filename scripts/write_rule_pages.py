"""Write docs/rules/: an index and a page for each rule, from rules/*.yaml.

python scripts/write_rule_pages.py            # write
python scripts/write_rule_pages.py --check    # are the committed pages what this would write?
"""

from __future__ import annotations

import sys
from pathlib import Path

from momlint.catalog import Rule, load_rules
from momlint.cli.explain import yields

FOLDER = Path(__file__).parents[1] / "docs" / "rules"
HEADER = "<!-- Written by scripts/write_rule_pages.py from rules/; change it there. -->\n"


def index(rules: tuple[Rule, ...]) -> str:
    """The list of all rules."""
    lines = [
        HEADER,
        "# Rules\n",
        "`momlint explain CODE` shows these pages at a terminal.\n",
        "| code | rule | severity | what it finds | [mended](../commands.md#fix) |",
        "|---|---|---|---|---|",
        *(
            f"| [{r.code}]({r.code}.md) | {r.id} | {r.severity.value} | {r.title} | {'yes' if r.is_mended else ''} |"
            for r in rules
        ),
    ]
    return "\n".join(lines) + "\n"


def page(rule: Rule) -> str:
    """All there is to know of one rule."""
    parts = [
        HEADER,
        f"# {rule.code} {rule.id}\n",
        f"{rule.title}.\n",
        f"Severity: {rule.severity.value}. Since {rule.since}. Family: {rule.family}.\n",
        f"## Why\n\n{rule.why}\n",
        f"## What to do\n\n{rule.remedy}\n",
        f"## What `momlint fix` does\n\n{rule.mend}\n",
    ]
    if rule.yields_to:
        parts.append(f"## Yields to\n\n{yields(rule)}\n")
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example.strip():
            language = "yaml" if rule.file.endswith(".yaml") else "text"
            parts.append(f"## {title}\n\n```{language}\n{example.rstrip()}\n```\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    rules = load_rules()
    pages = {"index.md": index(rules), **{f"{rule.code}.md": page(rule) for rule in rules}}
    if "--check" in arguments:
        found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
        stale = sorted(name for name in {*pages, *found} if pages.get(name) != found.get(name))
        if stale:
            print(f"docs/rules: {', '.join(stale)}: run scripts/write_rule_pages.py", file=sys.stderr)
        return 1 if stale else 0
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.md"):
        path.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
