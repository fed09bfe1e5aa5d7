"""``momlint plan``: what is written where, what ``check`` says of it, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import Run

ESTATE = """\
momlint: 1
name: triangle
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
"""
PROMISE = "failures: {tolerate: single-link}\n"
SECTION = """\
failures:
  tolerate: {links: 1, brokers: 0}
  colours:
    1: []
    2: [1--2]
    3: [1--3]
    4: [2--3]
"""
LISTED = """\
  recovery:
    1:
      - {to: 2, via: 2, colours: [1, 3, 4]}
      - {to: 3, via: 3, colours: [1, 2, 4]}
      - {to: 2, via: 3, colours: [2]}
      - {to: 3, via: 2, colours: [3]}
    2:
      - {to: 1, via: 1, colours: [1, 3, 4]}
      - {to: 3, via: 3, colours: [1, 2, 3]}
      - {to: 1, via: 3, colours: [2]}
      - {to: 3, via: 1, colours: [4]}
    3:
      - {to: 1, via: 1, colours: [1, 2, 4]}
      - {to: 2, via: 2, colours: [1, 2, 3]}
      - {to: 1, via: 2, colours: [3]}
      - {to: 2, via: 1, colours: [4]}
"""
#: What is shorter: three colours of four, or the one that is left.
ROWS = """\
  recovery:
    1:
      - {to: 2, via: 2, except: [2]}
      - {to: 3, via: 3, except: [3]}
      - {to: 2, via: 3, colours: [2]}
      - {to: 3, via: 2, colours: [3]}
    2:
      - {to: 1, via: 1, except: [2]}
      - {to: 3, via: 3, except: [4]}
      - {to: 1, via: 3, colours: [2]}
      - {to: 3, via: 1, colours: [4]}
    3:
      - {to: 1, via: 1, except: [3]}
      - {to: 2, via: 2, except: [4]}
      - {to: 1, via: 2, colours: [3]}
      - {to: 2, via: 1, colours: [4]}
"""


@pytest.fixture
def triangle(folder: Path) -> Path:
    path = folder / "triangle.yaml"
    path.write_text(ESTATE + PROMISE)
    return path


def test_the_section_goes_to_standard_output(run: Run, triangle: Path) -> None:
    assert run("plan", "triangle.yaml") == (0, SECTION + ROWS, "")
    assert run("plan", "triangle.yaml", "--sets", "listed") == (0, SECTION + LISTED, "")


def test_from_standard_input(run: Run, folder: Path) -> None:
    assert run("plan", "-", stdin=(ESTATE + PROMISE).encode()).out == SECTION + ROWS


def test_the_section_goes_to_a_file(run: Run, triangle: Path) -> None:
    said = "momlint: wrote plan.yaml: 12 rows in 4 colours\n"
    assert run("plan", "triangle.yaml", "--output", "plan.yaml") == (0, "", said)
    assert Path("plan.yaml").read_text() == SECTION + ROWS


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("sets", ["listed", "except", "auto"])
def test_what_is_planned_is_read_by_check(run: Run, triangle: Path, ending: str, sets: str) -> None:
    Path("tables").mkdir()
    planned = run("plan", "triangle.yaml", "--output", f"tables/rows.{ending}", "--sets", sets)
    said = f"momlint: wrote tables/rows.{ending}: 12 rows in 4 colours\n"
    assert planned == (0, SECTION + f"  recovery: {{file: tables/rows.{ending}}}\n", said)
    Path("whole.yaml").write_text(ESTATE + planned.out)
    checked = run("check", "whole.yaml", "--fail-on", "warning")
    assert checked.code == 0
    assert "4 declared colours" in checked.out
    traced = run("trace", "whole.yaml", "--from", "1", "--to", "2", "--colour", "2")
    assert f"tables/rows.{ending}:{4 if ending == 'csv' else 3}:1" in traced.out


def test_the_file_is_named_as_seen_from_the_estate(run: Run, folder: Path) -> None:
    (folder / "estates").mkdir()
    (folder / "estates" / "a.yaml").write_text(ESTATE + PROMISE)
    out = run("plan", "estates/a.yaml", "--output", "rows.csv").out
    assert "  recovery: {file: ../rows.csv}\n" in out


@pytest.mark.parametrize("line", [(3, "1,3,1,,3"), (4, "1,2,1,2,")])
def test_a_wrong_row_of_csv_is_found_at_its_line(run: Run, triangle: Path, line: tuple[int, str]) -> None:
    out = run("plan", "triangle.yaml", "--output", "rows.csv").out
    Path("whole.yaml").write_text(ESTATE + out)
    lines = Path("rows.csv").read_text().splitlines()
    lines[line[0] - 1] = line[1]
    Path("rows.csv").write_text("\n".join(lines) + "\n")
    checked = run("check", "whole.yaml", "--format", "concise")
    assert checked.code == 1
    assert checked.out.startswith(f"rows.csv:{line[0]}:1: MOM302 error")


def test_a_plan_takes_the_place_of_the_section(run: Run, folder: Path) -> None:
    """Planning again what has been planned changes nothing; the takeover stays."""
    takeover = "  takeover: {1: 2, 2: 3, 3: 1}\n"
    whole = ESTATE + SECTION + ROWS + takeover
    (folder / "whole.yaml").write_text(whole)
    assert run("plan", "whole.yaml").out == SECTION + ROWS + takeover


@pytest.mark.parametrize(
    ("view", "first", "lines"),
    [
        ("slsd", "super link state database", 5),
        ("colours", "colours and failures", 6),
        ("tables", "broker 1, colour 1 (none)", 3 * 4 * 4 + 11),
        ("super", "super routing table of broker 1", 3 * 7 + 2),
        ("lookup", "look-up array of broker 1: next hops by destination and colour", 3 * 10 + 2),
    ],
)
def test_the_tables_of_the_documents(run: Run, triangle: Path, view: str, first: str, lines: int) -> None:
    shown = run("plan", "triangle.yaml", "--show", view)
    assert shown.code == 0
    assert shown.out.splitlines()[0] == first
    assert len(shown.out.splitlines()) == lines


def test_one_broker_only(run: Run, triangle: Path) -> None:
    shown = run("plan", "triangle.yaml", "--show", "lookup", "--broker", "3").out
    # Formula 6-10 of the thesis.
    assert shown.startswith(
        "look-up array of broker 3: next hops by destination and colour\n"
        "  to  1  2  3  4\n  1   1  1  2  1\n  2   2  2  2  1\n  3   3  3  3  3\n"
    )
    assert run("plan", "triangle.yaml", "--show", "slsd", "--broker", "3").out.splitlines()[2:] == ["  3       1, 2"]


def test_show_and_output_together(run: Run, triangle: Path) -> None:
    shown = run("plan", "triangle.yaml", "--show", "colours", "--output", "rows.parquet")
    assert "F(2,3)" in shown.out
    assert "recovery" not in shown.out
    assert Path("rows.parquet").exists()


def test_tables_of_the_estate_are_passed_over_with_a_word(run: Run, folder: Path) -> None:
    (folder / "a.yaml").write_text(ESTATE + PROMISE + "routing: {tables: {1: {2: [3]}}}\n")
    planned = run("plan", "a.yaml")
    assert planned.out == SECTION + ROWS
    assert "routing.tables" in planned.err


def test_failed_brokers_have_no_next_hops(run: Run, folder: Path) -> None:
    (folder / "a.yaml").write_text(ESTATE + "failures: {tolerate: single-broker}\n")
    section = yaml.safe_load(run("plan", "a.yaml").out)["failures"]
    assert section["colours"] == {1: [], 2: [1], 3: [2], 4: [3]}
    assert section["recovery"][1] == [{"to": 2, "via": 2, "colours": [1, 4]}, {"to": 3, "via": 3, "colours": [1, 3]}]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--output", "rows.xlsx"), "--output: rows.xlsx: a plan is YAML, CSV or Parquet"),
        (("--output", "nowhere/rows.csv"), "--output: there is no folder nowhere"),
        (("--output", "."), "a plan is YAML, CSV or Parquet"),
        (("--show", "supper"), "--show must be one of slsd, colours, tables, super, lookup, not 'supper'"),
        (("--broker", "1"), "--broker: name the table with --show"),
        (("--show", "super", "--broker", "4"), "--broker: there is no broker `4`"),
        (("--sets", "all"), "--sets must be one of auto, listed, except, not 'all'"),
    ],
)
def test_wrong_usage(run: Run, triangle: Path, arguments: tuple[str, ...], message: str) -> None:
    refused = run("plan", "triangle.yaml", *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


@pytest.mark.parametrize(
    ("failures", "message"),
    [
        ("", "there is nothing to plan for"),
        ("failures: {tolerate: {links: 1, colours: 3}}\n", "there are errors with `failures.tolerate`"),
        ("failures: {tolerate: single-link, colours: {1: [1--4]}}\n", "there are errors with `failures.colours`"),
        ("failures: {tolerate: single-link\n", "`momlint check` says what is wrong with it"),
    ],
)
def test_half_an_estate_is_not_planned(run: Run, folder: Path, failures: str, message: str) -> None:
    (folder / "a.yaml").write_text(ESTATE + failures)
    refused = run("plan", "a.yaml")
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


def test_static_rows_are_noted_where_there_is_something_to_plan(run: Run, folder: Path) -> None:
    (folder / "a.yaml").write_text(ESTATE + "routing: {tables: {1: {2: [2]}}}\n")
    assert "routing.tables" not in run("plan", "a.yaml").err
    (folder / "a.yaml").write_text(ESTATE + "routing: {tables: {1: {2: [2]}}}\nfailures: {tolerate: single-link}\n")
    planned = run("plan", "a.yaml")
    assert planned.code == 0
    assert "the plan uses shortest paths, not the rows of `routing.tables`" in planned.err


def test_too_many_colours(run: Run, folder: Path) -> None:
    brokers = ", ".join(f"b{index}: " for index in range(80))
    links = "".join(f"  - {{between: [b{index}, b{(index + 1) % 80}]}}\n" for index in range(80))
    (folder / "a.yaml").write_text(
        f"momlint: 1\nbrokers: {{{brokers}}}\nlinks:\n{links}failures: {{tolerate: {{links: 3}}}}\n"
    )
    refused = run("plan", "a.yaml")
    assert refused.code == 2
    # 1 + 80 + 3,160 + 82,160
    assert "85,401 colours" in refused.err
    assert "65,536" in refused.err


# -- names, and in place ------------------------------------------------------------------------------------------


def test_colours_called_after_what_fails(run: Run, triangle: Path) -> None:
    section = yaml.safe_load(run("plan", "triangle.yaml", "--names").out)["failures"]
    assert section["colours"] == {"none": [], "1--2": ["1--2"], "1--3": ["1--3"], "2--3": ["2--3"]}
    assert {"to": 2, "via": 3, "colours": ["1--2"]} in section["recovery"][1]


def test_a_name_that_is_taken_gets_a_number(run: Run, folder: Path) -> None:
    promise = "failures: {tolerate: single-link, colours: {none: [1--2]}}\n"
    (folder / "a.yaml").write_text(ESTATE + promise)
    colours = yaml.safe_load(run("plan", "a.yaml", "--names").out)["failures"]["colours"]
    assert colours == {"none": ["1--2"], "none (2)": [], "1--3": ["1--3"], "2--3": ["2--3"]}


COMMENTED = """\
# who runs what
momlint: 1
name: triangle   # three of them
brokers: {1: , 2: , 3: }
failures:  # what we promise
  tolerate: single-link
  # the end of the section

links:   # the ring
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
# goodbye"""


def test_in_place_keeps_the_rest_byte_for_byte(run: Run, folder: Path) -> None:
    (folder / "a.yaml").write_text(COMMENTED)
    ran = run("plan", "a.yaml", "--in-place")
    assert ran == (0, "", "momlint: wrote a.yaml: 12 rows in 4 colours\n")
    text = (folder / "a.yaml").read_text()
    before, after = COMMENTED.split("failures:  # what we promise\n  tolerate: single-link")
    assert text == before + (SECTION + ROWS).rstrip("\n") + after
    assert run("check", "a.yaml").code == 0
    # What has been planned is planned again to the same bytes.
    run("plan", "a.yaml", "--in-place")
    assert (folder / "a.yaml").read_text() == text


def test_in_place_with_windows_line_ends_mark_and_indentation(run: Run, folder: Path) -> None:
    text = "\ufeff---\n" + "".join(f"  {line}\n" for line in (ESTATE + PROMISE).splitlines()) + "...\n"
    (folder / "a.yaml").write_bytes(text.replace("\n", "\r\n").encode())
    assert run("plan", "a.yaml", "--in-place").code == 0
    data = (folder / "a.yaml").read_bytes()
    assert (
        data.decode().replace("\r\n", "\n")
        == "\ufeff---\n" + "".join(f"  {line}\n" for line in (ESTATE + SECTION + ROWS).splitlines()) + "...\n"
    )
    assert data.count(b"\n") == data.count(b"\r\n")


def test_in_place_the_section_of_several_estates(run: Run, folder: Path) -> None:
    """Of two in a file the one that is named, which has declared colours and no section to replace but its own."""
    other = ESTATE.replace("triangle", "other") + "# end of other\n"
    (folder / "a.yaml").write_text(other + "---\n" + ESTATE + PROMISE)
    assert run("plan", "a.yaml", "--in-place", "--estate", "triangle").code == 0
    assert (folder / "a.yaml").read_text() == other + "---\n" + ESTATE + SECTION + ROWS


def test_in_place_with_tables_beside(run: Run, folder: Path) -> None:
    (folder / "a.yaml").write_text(ESTATE + PROMISE)
    assert run("plan", "a.yaml", "--in-place", "-o", "rows.csv").code == 0
    assert (folder / "a.yaml").read_text() == ESTATE + SECTION + "  recovery: {file: rows.csv}\n"
    assert run("check", "a.yaml").code == 0


def test_a_folder_in_place(run: Run, folder: Path) -> None:
    """Each estate is planned; one that promises nothing and one that cannot be read are told, and lose nothing else."""
    (folder / "estates").mkdir()
    (folder / "estates" / "a.mom.yaml").write_text(ESTATE + PROMISE)
    (folder / "estates" / "b.mom.yaml").write_text(ESTATE)
    (folder / "estates" / "c.mom.yaml").write_text("momlint: 1\nbrokers: {1: }\nlinks: [{between: [1, 9]}]\n" + PROMISE)
    (folder / "estates" / "d.mom.yaml").write_text(ESTATE + PROMISE)
    ran = run("plan", "estates", "--in-place")
    assert ran.code == 2
    first, second, third, fourth = ran.err.splitlines()
    assert first.startswith("momlint: wrote 1 of 4: estates/a.mom.yaml")
    assert second.startswith("momlint: 2 of 4: estates/b.mom.yaml: skipped: it promises nothing")
    assert third.startswith("momlint: error: 3 of 4: estates/c.mom.yaml: there are errors")
    assert fourth.startswith("momlint: wrote 4 of 4: estates/d.mom.yaml")
    for name in ("a", "d"):
        assert (folder / "estates" / f"{name}.mom.yaml").read_text() == ESTATE + SECTION + ROWS
    assert (folder / "estates" / "b.mom.yaml").read_text() == ESTATE


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{momlint: 1, brokers: {1: , 2: }, links: [{between: [1, 2]}], failures: {tolerate: single-link}}\n", "block"),
        (ESTATE + "x-f: &f {tolerate: single-link}\nfailures: *f\n", "anchor"),
    ],
)
def test_what_cannot_be_changed_in_place_stays(run: Run, folder: Path, text: str, says: str) -> None:
    (folder / "a.yaml").write_text(text)
    ran = run("plan", "a.yaml", "--in-place")
    assert ran.code == 2
    assert says in ran.err
    assert (folder / "a.yaml").read_text() == text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("-", "--in-place"), "--in-place: standard input cannot be written to"),
        (("triangle.yaml", "--in-place", "--show", "super"), "--in-place writes and --show prints"),
        (("triangle.yaml", "--in-place", "-o", "x.yaml"), "--in-place: the section goes into the estate"),
    ],
)
def test_options_of_in_place_that_do_not_go_together(
    run: Run, triangle: Path, arguments: tuple[str, ...], says: str
) -> None:
    ran = run("plan", *arguments)
    assert ran.code == 2
    assert says in ran.err


def test_a_full_disk_leaves_the_estate_as_it_was(run: Run, triangle: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    before = sorted(path.name for path in triangle.parent.iterdir())
    monkeypatch.setattr("momlint.cli.plan.os.replace", refuse)
    ran = run("plan", "triangle.yaml", "--in-place")
    assert (ran.code, ran.out) == (2, "")
    assert "No space left on device" in ran.err
    assert triangle.read_text() == ESTATE + PROMISE
    assert sorted(path.name for path in triangle.parent.iterdir()) == before


def test_in_place_through_a_link_keeps_the_link_and_the_mode(run: Run, triangle: Path) -> None:
    triangle.chmod(0o640)
    (triangle.parent / "link.yaml").symlink_to("triangle.yaml")
    assert run("plan", "link.yaml", "--in-place").code == 0
    assert (triangle.parent / "link.yaml").is_symlink()
    assert triangle.read_text() == ESTATE + SECTION + ROWS
    assert triangle.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("empty", ["failures:\n", "failures: ~ # nothing yet\n", "failures: {}\n"])
def test_where_nothing_is_promised_nothing_is_written(run: Run, folder: Path, empty: str) -> None:
    (folder / "a.yaml").write_text(ESTATE + "groups: {}\n" + empty)
    ran = run("plan", "a.yaml", "--in-place")
    assert ran.code == 2
    assert "there is nothing to plan for" in ran.err
    assert (folder / "a.yaml").read_text() == ESTATE + "groups: {}\n" + empty
