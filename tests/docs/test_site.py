"""The documentation site: built by the real builder, every link in it leads somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urljoin, urlsplit

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
#: Where the site would stand: below a folder, as on many hosts.
BASE = "https://site.invalid/docs/"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "scripts" / "build_site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "scripts/build_site.py", str(folder)],
        cwd=ROOT,
        # No proxy leads anywhere: whoever fetched something would fail.
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            **dict.fromkeys(("http_proxy", "https_proxy"), "http://127.0.0.1:9"),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


class Page(HTMLParser):
    """What a page refers to, and what it can be referred to by."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.classes: set[str] = set()
        self.components: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attributes}
        self.ids.update(filter(None, [given.get("id"), given.get("name")]))
        self.classes.update(given.get("class", "").split())
        self.components.update(filter(None, [given.get("data-md-component")]))
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "link" and given.get("rel") not in {"canonical", "prev", "next"}:
            self.loaded.append(given.get("href", ""))
        elif "src" in given:
            self.loaded.append(given["src"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("zensical", reason="the extra `docs` is not installed")
    folder = tmp_path_factory.mktemp("site") / "out"
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pages(site: Path) -> dict[str, Page]:
    """Address → page."""
    return {
        urljoin(BASE, path.relative_to(site).as_posix().removesuffix("index.html")): Page(path.read_text("utf-8"))
        for path in site.rglob("*.html")
    }


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    """Found here from the pages as they are served, and not by the builder from Markdown."""
    all_pages = pages(site)
    files = {urljoin(BASE, path.relative_to(site).as_posix()) for path in site.rglob("*") if path.is_file()}
    assert len(all_pages) > 100
    followed = 0
    for address, page in all_pages.items():
        if address.endswith("404.html"):
            continue  # served for any address, and so its links start at the root of a host
        for link in page.links:
            target = urlsplit(urljoin(address, link))
            if target.netloc != "site.invalid":
                continue
            there = unquote(target._replace(fragment="").geturl())
            assert there in files or there in all_pages, f"{address}: {link}"
            if target.fragment and there in all_pages:
                assert unquote(target.fragment) in all_pages[there].ids, f"{address}: {link}"
            followed += 1
    assert followed > 1000


@pytest.mark.slow
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for address, page in pages(site).items():
        for link in page.loaded:
            assert not urlsplit(link).netloc, f"{address}: {link}"
        # What would make the theme's own program fetch a library, or ask GitHub for stars.
        assert not page.classes & {"mermaid", "glightbox", "pyodide"}, address
        assert "source" not in page.components, address
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text("utf-8")), sheet


@pytest.mark.slow
def test_the_site_has_all_rules_commands_keys_and_decisions(site: Path) -> None:
    for path in (ROOT / "rules").glob("*/*.yaml"):
        assert (site / "rules" / path.name[:6] / "index.html").is_file()
    for path in (ROOT / "docs" / "adr").glob("0*.md"):
        assert (site / "adr" / path.stem / "index.html").is_file()
    cli = (site / "reference" / "cli" / "index.html").read_text("utf-8")
    for said in ("momlint check", "--stdin-filename", "momlint baseline write", "momlint config show", "--in-place"):
        assert said in cli
    assert "auto|graph|smt|nusmv" in cli
    estate = (site / "reference" / "estate" / "index.html").read_text("utf-8")
    for key in ("max_latency_ms", "between", "tolerate", "takeover", "split_horizon"):
        assert f"<code>{key}</code>" in estate
    for schema in ("estate", "config", "report"):
        jsonschema.Draft202012Validator.check_schema(
            json.loads((site / "schema" / f"{schema}.json").read_text("utf-8"))
        )


@pytest.mark.slow
@pytest.mark.parametrize("link", ["[x](nowhere.md)", "[x](index.md#nothing-is-called-so)"])
def test_a_broken_link_is_an_error(link: str, tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="the extra `docs` is not installed")
    made = script()
    made.lay_out(tmp_path)
    page = tmp_path / "docs" / "tutorial.md"
    page.write_text(page.read_text(encoding="utf-8") + f"\n{link}\n", encoding="utf-8")
    assert made.build(tmp_path, tmp_path / "out") != 0
    assert not (tmp_path / "out").exists()


def test_what_leads_out_of_docs_leads_to_its_page_or_to_the_source() -> None:
    made = script()
    text = "[a](../README.md), [b](../bench/smv.md#x), [c](language.md), [d](https://x.invalid/y.md), [e](#here)\n"
    text += "```text\n[f](../README.md)\n```\n"
    assert made.site_markdown(text, "clients.md", "docs") == (
        f"[a](index.md), [b]({made.SOURCE}bench/smv.md#x), [c](language.md), [d](https://x.invalid/y.md), [e](#here)\n"
        "```text\n[f](../README.md)\n```\n"
    )
    assert made.site_markdown("[a](docs/relayed.md)", "changelog.md", "") == "[a](relayed.md)"
    assert made.site_markdown("[a](../0001.md)", "adr/b/c.md", "docs/adr/b") == "[a](../0001.md)"


def test_alternatives_in_a_table_have_no_backslash() -> None:
    """GitHub wants ``\\|`` in a table, also in code; the site's Markdown shows it as it is."""
    made = script()
    assert made.site_markdown("| `a\\|b` | x \\| y |", "x.md", "docs") == "| `a|b` | x \\| y |"
    assert made.site_markdown("`a\\|b`", "x.md", "docs") == "`a\\|b`"


def test_drawings_become_lists() -> None:
    drawing = '```mermaid\nflowchart TD\n  n_a["a"]\n  n_b["b c"]\n  n_a --> n_b\n  n_a --> n_d\n```\n'
    assert script().site_markdown(drawing, "x.md", "docs") == "\n- `a` imports `b c`, `n_d`\n"


def test_a_page_that_the_navigation_lacks_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = script()
    monkeypatch.setitem(made.COPIED, "LICENSE", "licence.md")
    with pytest.raises(SystemExit, match=r"licence\.md"):
        made.lay_out(tmp_path)


def test_every_page_is_in_the_navigation(tmp_path: Path) -> None:
    """If this fails: give the page a line in mkdocs.yml."""
    script().lay_out(tmp_path)
    assert (tmp_path / "mkdocs.yml").is_file()
