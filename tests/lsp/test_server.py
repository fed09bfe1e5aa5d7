"""The language server, driven through the protocol by a client that is not ours."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from momlint import check
from tests.lsp.editor import Editor, run

#: A loop for weather: 𝕃ondon → berlin → 𝕃ondon. Names that UTF-16 and characters count differently.
LOOP = """\
momlint: 1
brokers: {"𝕃ondon": {site: "🇬🇧"}, paris: , berlin: }
links:
  - {between: ["𝕃ondon", paris]}   # 🚇 the tunnel
  - {between: [paris, berlin]}
  - {between: [berlin, "𝕃ondon"], cost: {"berlin->𝕃ondon": 2, "𝕃ondon->berlin": 2}}
topics:
  weather: {publishers: ["𝕃ondon"], subscribers: [paris]}
routing:
  protocol: tables
  tables:
    "𝕃ondon": {berlin: [paris, berlin]}
    berlin: {"𝕃ondon": [paris, "𝕃ondon"]}
    paris: {"𝕃ondon": ["𝕃ondon"], berlin: [berlin]}
"""
#: 𝕃ondon sends directly, and so does berlin.
RIGHT = LOOP.replace("{berlin: [paris, berlin]}", "{paris: [paris], berlin: [berlin]}").replace(
    '[paris, "𝕃ondon"]}', '["𝕃ondon"], paris: [paris]}'
)


def test_findings_come_while_one_types(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", LOOP)
        (loop,) = await editor.findings("a.yaml")
        assert loop.code == "MOM302"
        assert loop.source == "momlint"
        assert loop.severity == lsp.DiagnosticSeverity.Error
        assert loop.code_description is not None
        assert "MOM302" in loop.code_description.href
        # The row that sends messages round, in UTF-16 units.
        assert loop.range.start == editor.at("a.yaml", "berlin: [paris, berlin]")
        assert loop.related_information
        editor.change("a.yaml", RIGHT)
        assert await editor.codes("a.yaml") == []
        editor.change("a.yaml", LOOP)
        assert await editor.codes("a.yaml") == ["MOM302"]

    run(tmp_path, story)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("momlint: 1\nbrokers: {a: , b\nlinks: [", ["MOM101"]),
        ("momlint: 1\n\tbrokers: {}\n", ["MOM101"]),
        ("momlint: 1\nbrokers: {a: , a: }\n", ["MOM103"]),
        ("momlint: 1\nbrokers: {{ x }}\n", ["MOM107"]),
        ("momlint: 1\nbrokers: 3\n", ["MOM102"]),
    ],
)
def test_broken_text_gives_its_finding(tmp_path: Path, text: str, codes: list[str]) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", text)
        found = await editor.codes("a.yaml")
        assert set(codes) <= set(found)
        assert "MOM902" not in found
        # Nothing else falls over it either.
        for where in (lsp.Position(0, 0), lsp.Position(1, 12), lsp.Position(99, 99)):
            await editor.hover("a.yaml", where)
            assert await editor.definition("a.yaml", where) == []
            await editor.complete("a.yaml", where)

    run(tmp_path, story)


@pytest.mark.slow
def test_hover_says_the_rule_and_where_messages_go(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", LOOP)
        await editor.codes("a.yaml")
        told = await editor.hover("a.yaml", editor.at("a.yaml", "paris, berlin]", 1))
        assert "MOM302" in told
        assert "Remedy" in told
        editor.change("a.yaml", RIGHT)
        assert "reaches with `weather`:\n\n- `paris` directly" in await editor.hover(
            "a.yaml", editor.at("a.yaml", '"𝕃ondon"')
        )
        assert "published at `𝕃ondon`, wanted at `paris`" in await editor.hover(
            "a.yaml", editor.at("a.yaml", "weather")
        )
        assert await editor.hover("a.yaml", editor.at("a.yaml", "protocol")) == ""

    run(tmp_path, story)


@pytest.mark.slow
def test_a_name_leads_to_where_it_is_declared(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", RIGHT)
        for number in range(8):
            where = editor.at("a.yaml", "𝕃ondon", number)
            assert await editor.definition("a.yaml", where) == ['a.yaml:2:"𝕃ondon"']
        assert await editor.definition("a.yaml", editor.at("a.yaml", "berlin->")) == ["a.yaml:2:berlin"]
        assert await editor.definition("a.yaml", editor.at("a.yaml", "weather")) == ["a.yaml:8:weather"]
        assert await editor.definition("a.yaml", editor.at("a.yaml", "tables")) == []

    run(tmp_path, story)


@pytest.mark.slow
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_rename_changes_all_places_and_nothing_else(tmp_path: Path, line_end: str) -> None:
    async def story(editor: Editor) -> None:
        text = RIGHT.replace("\n", line_end)
        editor.open("a.yaml", text)
        where = editor.at("a.yaml", "𝕃ondon", 2)
        assert await editor.rename("a.yaml", where, "köln") == {"a.yaml": text.replace("𝕃ondon", "köln")}
        where = editor.at("a.yaml", "weather")
        assert await editor.rename("a.yaml", where, "a b") == {"a.yaml": text.replace("weather", '"a b"')}
        # In `berlin->𝕃ondon` quotes are there already.
        made = await editor.rename("a.yaml", editor.at("a.yaml", "paris"), "x: y")
        assert made == {"a.yaml": text.replace("paris", '"x: y"')}

    run(tmp_path, story)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("new", "why"),
    [("paris", "there is a broker `paris` already"), ("", "at least one character"), ("a\nb", "printable")],
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, new: str, why: str) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", RIGHT)
        with pytest.raises(JsonRpcException, match=why):
            await editor.rename("a.yaml", editor.at("a.yaml", "berlin"), new)

    run(tmp_path, story)


@pytest.mark.slow
def test_code_actions_mend_what_is_proved(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", LOOP)
        (loop,) = await editor.findings("a.yaml")
        (mend,) = await editor.actions("a.yaml", loop.range)
        assert mend.title == "Mend 1 finding by changing 2 rows"
        assert mend.kind == lsp.CodeActionKind.QuickFix
        assert mend.edit is not None
        text = editor.applied(mend.edit)["a.yaml"]
        assert "# 🚇 the tunnel" in text
        (all_of_it,) = await editor.actions("a.yaml", loop.range, [lsp.CodeActionKind.SourceFixAll])
        assert all_of_it.kind == "source.fixAll.momlint"
        editor.change("a.yaml", text)
        assert await editor.codes("a.yaml") == []
        assert await editor.actions("a.yaml", loop.range) == []

    run(tmp_path, story)


@pytest.mark.slow
def test_a_comment_that_silences_nothing_is_taken_out(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        text = RIGHT.replace("  weather:", "  # momlint: ignore[MOM302]\n  weather:")
        editor.open("a.yaml", text)
        (unused,) = await editor.findings("a.yaml")
        assert unused.code == "MOM109"
        assert list(unused.tags or ()) == [lsp.DiagnosticTag.Unnecessary]
        removal = (await editor.actions("a.yaml", unused.range))[0]
        assert removal.edit is not None
        assert editor.applied(removal.edit) == {"a.yaml": RIGHT}

    run(tmp_path, story)


@pytest.mark.slow
def test_files_of_one_estate_are_checked_together(tmp_path: Path) -> None:
    main = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\ninclude: [topics.yaml]\n"
    topics = "momlint: 1\ntopics:\n  weather: {publishers: [a], subscribers: [b]}\n"
    (tmp_path / "main.yaml").write_text(main)
    (tmp_path / "topics.yaml").write_text(topics)

    async def story(editor: Editor) -> None:
        # By itself it would lack its brokers.
        editor.open("topics.yaml", topics)
        assert await editor.codes("topics.yaml") == []
        editor.change("topics.yaml", topics.replace("[b]", "[c]"))
        assert await editor.codes("topics.yaml") == ["MOM104"]
        editor.change("topics.yaml", topics)
        await editor.codes("topics.yaml")
        where = editor.at("topics.yaml", "[b]")
        where.character += 1
        assert await editor.definition("topics.yaml", where) == ["main.yaml:2:b"]
        made = await editor.rename("topics.yaml", where, "c")
        assert made == {
            "main.yaml": main.replace("b: }", "c: }").replace("[a, b]", "[a, c]"),
            "topics.yaml": topics.replace("[b]", "[c]"),
        }
        # What is typed in the one counts in the other.
        editor.open("main.yaml", main.replace(", b: }", ", c: }").replace("[a, b]", "[a, c]"))
        assert await editor.until(lambda: editor.diagnostics.get("topics.yaml") or None)
        assert [one.code for one in editor.diagnostics["topics.yaml"]] == ["MOM104"]
        editor.close("main.yaml")
        await editor.until(lambda: True if editor.diagnostics["topics.yaml"] == [] else None)

    run(tmp_path, story)


@pytest.mark.slow
def test_what_a_comment_in_the_configuration_says_counts(tmp_path: Path) -> None:
    (tmp_path / "momlint.toml").write_text('ignore = ["MOM3"]\n')

    async def story(editor: Editor) -> None:
        editor.open("a.yaml", LOOP)
        assert await editor.codes("a.yaml") == []
        (tmp_path / "momlint.toml").write_text('ignore = ["MOM3"]\nengines = "graph"\n')
        changes = [lsp.FileEvent(editor.uri("momlint.toml"), lsp.FileChangeType.Changed)]
        editor.client.workspace_did_change_watched_files(lsp.DidChangeWatchedFilesParams(changes))
        assert "momlint.toml" in await editor.until(lambda: editor.messages[0] if editor.messages else None)
        assert {one.method for one in editor.registered} == {"workspace/didChangeWatchedFiles"}

    run(tmp_path, story)


@pytest.mark.slow
def test_completion(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", RIGHT)
        await editor.codes("a.yaml")
        for typed, offered in (
            ("failures:\n  ", "tolerate"),
            ("failures:\n  tol", "tolerate"),
            ("failures:\n  tolerate: ", "single-link"),
            ("failures:\n  takeover: {pa", "paris"),
            ("failures:\n  takeover: {paris: [", "𝕃ondon"),
            ("failures:\n  colours:\n    x: [", "berlin--𝕃ondon"),
            ("failures:\n  colours: {x: []}\n  recovery:\n    paris:\n      - {to: ", "berlin"),
            ("failures:\n  colours: {x: []}\n  recovery:\n    paris:\n      - {to: berlin, col", "colours"),
            ("failures:\n  colours: {x: []}\n  recovery:\n    paris:\n      - to: berlin\n        colours: [", "x"),
            ("simulation: {traffic: [{topic: ", "weather"),
        ):
            editor.change("a.yaml", RIGHT + typed)
            end = lsp.Position((RIGHT + typed).count("\n"), len(typed.rpartition("\n")[2]))
            found = await editor.complete("a.yaml", end)
            assert offered in found, (typed, list(found))
        # What is written is replaced, and quoted where it must be.
        assert found["weather"] == RIGHT + typed + "weather"
        editor.change("a.yaml", RIGHT + "failures:\n  takeover: {pa")
        found = await editor.complete("a.yaml", lsp.Position(RIGHT.count("\n") + 1, 15))
        assert found["paris"] == RIGHT + "failures:\n  takeover: {paris: "
        # Keys that are there are not offered again, and nothing is in comments.
        editor.change("a.yaml", RIGHT + "  # ")
        assert await editor.complete("a.yaml", lsp.Position(RIGHT.count("\n"), 4)) == {}

    run(tmp_path, story)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "units"),
    [
        (lsp.PositionEncodingKind.Utf8, "utf-8"),
        (lsp.PositionEncodingKind.Utf32, "utf-32-le"),
        (lsp.PositionEncodingKind.Utf16, "utf-16-le"),
    ],
)
def test_both_sides_agree_on_what_a_column_is(tmp_path: Path, encoding: lsp.PositionEncodingKind, units: str) -> None:
    async def all_of_it() -> None:
        editor = Editor(tmp_path.resolve())
        result = await editor.start(encoding)
        assert result.capabilities.position_encoding == encoding
        text = LOOP.replace("{berlin: [paris, berlin]}", '{berlin: [berlin], "𝕃𝕃": [paris]}')
        editor.open("a.yaml", text)
        found = await editor.findings("a.yaml")
        unknown = next(one for one in found if one.code == "MOM104")
        assert unknown.range.start == editor.at("a.yaml", '"𝕃𝕃"', units=units)
        assert unknown.range.end == editor.at("a.yaml", ": [paris]}\n    berlin", units=units)
        assert await editor.stop() == 0

    asyncio.run(all_of_it())


@pytest.mark.slow
def test_native_files_of_a_folder_are_one_estate(tmp_path: Path) -> None:
    bridges = Path(__file__).parents[2] / "examples" / "bridges"
    for one in bridges.iterdir():
        (tmp_path / one.name).write_bytes(one.read_bytes())
    expected = sorted((Path(one.file).name, one.code) for one in check([tmp_path]).findings)
    assert expected

    async def story(editor: Editor) -> None:
        editor.open("north.conf", (bridges / "north.conf").read_text())

        def found() -> list[tuple[str, str]]:
            return sorted((name, str(one.code)) for name, told in editor.diagnostics.items() for one in told)

        await editor.until(lambda: True if found() == expected else None)

    run(tmp_path, story)


@pytest.mark.slow
def test_brokers_own_files_are_mended_too(tmp_path: Path) -> None:
    """Two connections at once go round; one with a second address does not. What is typed counts, not the disk."""
    edge = "connection up1\naddress hub1.example\ntopic # both\n"
    second = "\nconnection up2\naddress hub2.example\ntopic # both\n"
    (tmp_path / "hub1.conf").write_text("connection peer\naddress hub2.example\ntopic # both\n")
    (tmp_path / "hub2.conf").write_text("listener 1883\nallow_anonymous true\n")
    (tmp_path / "edge.conf").write_text(edge)

    async def story(editor: Editor) -> None:
        editor.open("edge.conf", edge)
        assert await editor.codes("edge.conf") == []
        editor.change("edge.conf", edge + second)
        await editor.codes("edge.conf")
        loops = await editor.until(lambda: [one for told in editor.diagnostics.values() for one in told] or None)
        assert [one.code for one in loops] == ["MOM801"]
        name = next(name for name, told in editor.diagnostics.items() if told)
        if name != "edge.conf":
            editor.open(name, (tmp_path / name).read_text())
            await editor.codes(name)
        (mend,) = await editor.actions(name, loops[0].range)
        assert mend.edit is not None
        made = editor.applied(mend.edit)
        assert list(made) == ["edge.conf"]
        assert "address hub1.example hub2.example\n" in made["edge.conf"]

    run(tmp_path, story)


@pytest.mark.slow
def test_a_key_waits_for_no_older_text(tmp_path: Path) -> None:
    """A question that takes z3 long is given up: the next text is answered while it would still be asked."""
    (tmp_path / "momlint.toml").write_text('engine = "smt"\n')
    ring = range(1000)
    slow = "momlint: 1\nbrokers: {" + ", ".join(f"{one}: " for one in ring) + "}\nlinks:\n"
    for one in ring:
        for step in (1, 2, 5):
            slow += f"  - {{between: [{one}, {(one + step) % 1000}]}}\n"
    slow += "failures: {tolerate: {links: 2}}\n"

    async def story(editor: Editor) -> None:
        editor.open("a.yaml", RIGHT)
        assert await editor.codes("a.yaml") == []
        editor.change("a.yaml", slow)
        await asyncio.sleep(1)
        editor.change("a.yaml", LOOP)
        started = time.monotonic()
        assert await editor.codes("a.yaml") == ["MOM302"]
        assert time.monotonic() - started < 10
        versions = [params.version for params in editor.published if params.uri == editor.uri("a.yaml")]
        assert 2 not in versions

    run(tmp_path, story)


@pytest.mark.slow
def test_what_is_no_estate_is_left_alone(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("compose.yaml", "services: {web: {image: x}}\nbroken: [\n")
        assert await editor.codes("compose.yaml") == []

    run(tmp_path, story)


@pytest.mark.slow
def test_what_is_known_is_not_told_again(tmp_path: Path) -> None:
    async def story(editor: Editor) -> None:
        editor.open("a.yaml", LOOP)
        assert await editor.codes("a.yaml") == ["MOM302"]
        editor.open("b.yaml", LOOP)
        assert await editor.codes("b.yaml") == ["MOM302"]
        before = [one for one in editor.published if one.uri == editor.uri("a.yaml")]
        for text in (RIGHT, LOOP, RIGHT):
            editor.change("b.yaml", text)
            await editor.codes("b.yaml")
        assert [one for one in editor.published if one.uri == editor.uri("a.yaml")] == before
        # What an editor shows of a file goes when that is right.
        editor.change("a.yaml", RIGHT)
        assert await editor.codes("a.yaml") == []

    run(tmp_path, story)
