"""An editing session without a browser: live findings, failures, undo, saving, and what it refuses."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import pytest

from momlint.lint import Options
from momlint.studio.asking import Refused
from momlint.studio.session import Session

TRIANGLE = (Path(__file__).parents[2] / "examples" / "triangle" / "topology.yaml").read_text()
LINE = """\
# Three in a row.
momlint: 1
brokers: {a: , b: , c: }
links:
  - {between: [a, b]}   # copper
  - {between: [b, c]}
topics:
  t: {publishers: [a], subscribers: [c]}
routing: {protocol: shortest-path}
"""


def opened(folder: Path, text: str = LINE) -> Session:
    file = folder / "topology.yaml"
    file.write_text(text)
    return Session(str(file), Options())


def ask(session: Session, **asked: Any) -> dict[str, Any]:
    return {"estate": 0, "revision": session.revision, **asked}


def codes(session: Session) -> list[str]:
    return [one["code"] for one in session.data()["findings"]]


def test_findings_are_live_and_saving_keeps_comments(tmp_path: Path) -> None:
    session = opened(tmp_path)
    # Both links and the broker between them are the only way.
    assert codes(session) == ["MOM501"] * 3
    session.change(ask(session, do="add-link", **{"from": "a", "to": "c"}))
    assert codes(session) == []
    assert (tmp_path / "topology.yaml").read_text() == LINE
    assert session.changed() == [session.file]
    session.save(ask(session))
    wanted = LINE.replace("  - {between: [b, c]}\n", "  - {between: [b, c]}\n  - {between: [a, c]}\n")
    assert (tmp_path / "topology.yaml").read_text() == wanted
    assert session.changed() == []


def test_steps_are_taken_back_also_behind_a_save(tmp_path: Path) -> None:
    session = opened(tmp_path)
    session.change(ask(session, do="remove-link", name="a--b"))
    session.save(ask(session))
    session.change(ask(session, do="add-broker", name="d"))
    session.undo(ask(session))
    assert session.changed() == []
    session.undo(ask(session))
    assert session.read(session.file).decode() == LINE
    assert session.changed() == [session.file]
    with pytest.raises(Refused, match="nothing to take back"):
        session.undo(ask(session))


def test_a_failure_loses_topics_and_a_colour_stands_for_it(tmp_path: Path) -> None:
    session = opened(tmp_path, TRIANGLE)
    assert session.suppose(ask(session, links=["1--2"], brokers=[])) == "Colour 2 stands for the failure of link 1--2."
    says = session.suppose(ask(session, links=["1--2", "1--3"], brokers=[]))
    assert (
        says == "No colour stands for the failure of link 1--2 and link 1--3: the recovery rows say nothing about it."
    )


def test_two_failures_at_once_without_recovery_rows(tmp_path: Path) -> None:
    text = LINE.replace("  - {between: [b, c]}\n", "  - {between: [b, c]}\n  - {between: [a, c]}\n")
    session = opened(tmp_path, text)
    session.suppose(ask(session, links=["a--b", "a--c"], brokers=[]))
    (estate,) = session.data()["estates"]
    state = next(n for n, one in enumerate(estate["states"]) if sorted(one["links"]) == [0, 2])
    (pair,) = [pair for pair in estate["pairs"] if (pair[0], pair[1]) == (0, 2)]
    assert [other[1] for other in pair[5] if other[0] == state] == ["cut"]
    # It stays when something changes, and goes with what it speaks of.
    session.change(ask(session, do="add-broker", name="d"))
    assert any(sorted(one["links"]) == [0, 2] for one in session.data()["estates"][0]["states"])
    session.change(ask(session, do="remove-link", name="a--c"))
    assert not any(len(one["links"]) == 2 for one in session.data()["estates"][0]["states"])


def test_of_a_large_estate_the_chosen_colour_alone_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momlint.studio.session.MOST_FARES", 5)
    session = opened(tmp_path, TRIANGLE)

    def followed() -> list[str]:
        return [one["name"] for one in session.data()["estates"][0]["states"] if not one.get("is_open")]

    assert followed() == ["1"]
    assert session.suppose(ask(session, links=["1--3"], brokers=[])) == "Colour 3 stands for the failure of link 1--3."
    assert followed() == ["1", "3"]
    # From 1 to 3 it goes by 2 then; a change leaves what has failed.
    (pair,) = [one for one in session.data()["estates"][0]["pairs"] if one[:2] == [0, 2]]
    assert [(state, status) for state, status, _ in pair[5]] == [(2, "moved")]
    session.change(ask(session, do="add-broker", name="d"))
    assert followed() == ["1", "3"]


def test_brokers_that_come_back_stand_where_they_stood(tmp_path: Path) -> None:
    session = opened(tmp_path)
    before = session.data()["estates"][0]["brokers"]
    session.change(ask(session, do="remove-broker", name="b"))
    session.undo(ask(session))
    after = session.data()["estates"][0]["brokers"]
    assert [(one["id"], one["x"], one["y"]) for one in after] == [(one["id"], one["x"], one["y"]) for one in before]


def test_brokers_stay_where_they_are(tmp_path: Path) -> None:
    session = opened(tmp_path)

    def spots() -> dict[str, tuple[float, float]]:
        return {one["id"]: (one["x"], one["y"]) for one in session.data()["estates"][0]["brokers"]}

    before = spots()
    session.change(ask(session, do="add-broker", name="d", x=200, y=150))
    after = spots()
    assert after["d"] == (200, 150)
    assert {name: after[name] for name in before} == before
    session.change(ask(session, do="add-broker", name="e"))
    session.change(ask(session, do="add-link", **{"from": "e", "to": "a"}))
    last = spots()
    assert {name: last[name] for name in after} == after
    assert min(math.dist(last["e"], last[name]) for name in after) > 20


def test_a_text_that_is_no_estate_can_be_mended(tmp_path: Path) -> None:
    session = opened(tmp_path)
    session.write(ask(session, file=session.file, text=LINE + "  ["))
    assert "MOM101" in codes(session)
    with pytest.raises(Refused) as refused:
        session.change(ask(session, do="add-broker", name="d"))
    assert refused.value.status == 422
    session.write(ask(session, file=session.file, text=LINE))
    assert codes(session) == ["MOM501"] * 3
    assert session.changed() == []


def test_line_ends_and_a_mark_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + LINE.replace("\n", "\r\n").encode())
    session = Session(str(file), Options())
    session.write(ask(session, file=session.file, text=LINE.replace("copper", "fibre")))
    session.save(ask(session))
    assert file.read_bytes() == b"\xef\xbb\xbf" + LINE.replace("copper", "fibre").replace("\n", "\r\n").encode()


def test_included_files_are_edited_where_things_stand(tmp_path: Path) -> None:
    (tmp_path / "links.yaml").write_text("# cables\nlinks:\n  - {between: [a, b]}\n")
    session = opened(tmp_path, "momlint: 1\nbrokers: {a: , b: , c: }\ninclude: [links.yaml]\n")
    session.change(ask(session, do="add-link", **{"from": "b", "to": "c"}))
    session.save(ask(session))
    wanted = "# cables\nlinks:\n  - {between: [a, b]}\n  - {between: [b, c]}\n"
    assert (tmp_path / "links.yaml").read_text() == wanted


def test_a_file_that_changed_meanwhile_is_not_written_over(tmp_path: Path) -> None:
    session = opened(tmp_path)
    session.change(ask(session, do="add-broker", name="d"))
    (tmp_path / "topology.yaml").write_text(LINE + "# somebody else\n")
    with pytest.raises(Refused, match="has changed on the disk") as refused:
        session.save(ask(session))
    assert refused.value.status == 409
    assert (tmp_path / "topology.yaml").read_text() == LINE + "# somebody else\n"


def test_a_file_that_changed_before_the_first_change_is_not_written_over(tmp_path: Path) -> None:
    """Nor is what is changed another text than the one that was read."""
    session = opened(tmp_path)
    other = "# somebody else\n" + LINE
    (tmp_path / "topology.yaml").write_text(other)
    session.change(ask(session, do="remove-link", name="a--b"))
    assert session.read(session.file).decode() == LINE.replace("  - {between: [a, b]}   # copper\n", "")
    with pytest.raises(Refused, match="has changed on the disk"):
        session.save(ask(session))
    assert (tmp_path / "topology.yaml").read_text() == other


def test_who_has_not_seen_the_last_change_is_refused(tmp_path: Path) -> None:
    session = opened(tmp_path)
    old = ask(session, do="add-broker", name="d")
    session.change(old)
    with pytest.raises(Refused) as refused:
        session.change({**old, "name": "e"})
    assert refused.value.status == 409


@pytest.mark.parametrize("name", ["/etc/hostname", "../secret.yaml", "other.yaml", "sub/../../secret.yaml", ""])
def test_other_files_are_refused(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text("secret: 1\n")
    (folder / "other.yaml").write_text("secret: 1\n")
    session = opened(folder)
    with pytest.raises(Refused) as refused:
        session.write(ask(session, file=name if name.startswith("/") else str(folder / name), text="gone"))
    assert refused.value.status == 403
    assert (tmp_path / "secret.yaml").read_text() == "secret: 1\n"
    assert (folder / "other.yaml").read_text() == "secret: 1\n"


@pytest.mark.parametrize("how", ["../secret.yaml", "link.yaml"])
def test_an_include_from_outside_is_neither_shown_nor_written(tmp_path: Path, how: str) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_text("links: [{between: [a, b]}]  # secret\n")
    os.symlink(tmp_path / "secret.yaml", folder / "link.yaml")
    session = opened(folder)
    session.write(ask(session, file=session.file, text=LINE + f"include: [{how}]\n"))
    told = session.data()
    assert list(told["studio"]["texts"]) == [session.file]
    assert "secret\n" not in str(told)
    assert "it is outside the root" in str(told["findings"])


def test_a_name_that_becomes_a_link_to_elsewhere_is_refused(tmp_path: Path) -> None:
    """As a file of the estate may be replaced while the studio runs."""
    folder, secret = tmp_path / "folder", tmp_path / "secret.yaml"
    folder.mkdir()
    secret.write_text("topics: {}  # secret\n")
    (folder / "more.yaml").write_text("topics: {t: {publishers: [a], subscribers: [b]}}\n")
    session = opened(folder, "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\ninclude: [more.yaml]\n")
    more = str(folder / "more.yaml")
    assert list(session.data()["studio"]["texts"]) == [session.file, more]
    session.write(ask(session, file=more, text="topics: {}\n"))
    (folder / "more.yaml").unlink()
    os.symlink(secret, folder / "more.yaml")
    assert list(session.data()["studio"]["texts"]) == [session.file]
    for act in (lambda: session.write(ask(session, file=more, text="gone")), lambda: session.save(ask(session))):
        with pytest.raises(Refused) as refused:
            act()
        assert refused.value.status == 403
    session.undo(ask(session))
    assert "# secret" not in str(session.data())
    assert secret.read_text() == "topics: {}  # secret\n"
    # The folder itself, too.
    folder.rename(tmp_path / "other")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "topology.yaml").write_text("momlint: 1\nbrokers: {x: }\n")
    os.symlink(tmp_path / "elsewhere", folder)
    with pytest.raises(Refused, match="none of the estate's"):
        session.write(ask(session, file=session.file, text="momlint: 1\nbrokers: {a: }\n"))
    session.change(ask(session, do="add-broker", name="c"))
    with pytest.raises(Refused, match="is outside the folder of the estate"):
        session.save(ask(session))
    assert (tmp_path / "elsewhere" / "topology.yaml").read_text() == "momlint: 1\nbrokers: {x: }\n"


def test_a_new_file_is_there_once_it_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "new.yaml"
    session = Session(str(file), Options(), b"momlint: 1\nbrokers:\n  a:\n")
    session.change(ask(session, do="add-broker", name="b"))
    session.change(ask(session, do="add-link", **{"from": "a", "to": "b"}))
    assert not file.exists()
    session.save(ask(session))
    assert file.read_text() == "momlint: 1\nbrokers:\n  a:\n  b:\nlinks:\n  - {between: [a, b]}\n"


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"do": "nothing"}, 400),
        ({"do": "add-broker", "name": ["x"]}, 400),
        ({"do": "add-broker", "name": "x" * 300}, 400),
        ({"do": "add-link", "from": "a", "to": "c", "cost": "much"}, 400),
        ({"do": "add-link", "from": "a", "to": "c", "cost": "inf"}, 400),
        ({"do": "add-topic", "name": "v", "publishers": "a"}, 400),
        ({"do": "add-broker", "name": "x", "estate": 7}, 422),
        ({"do": "add-broker", "name": "x", "estate": True}, 400),
        ({"do": "add-broker", "name": "x", "revision": None}, 409),
        ({"do": "add-broker", "name": "x", "revision": False}, 409),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path: Path, asked: dict[str, Any], status: int) -> None:
    session = opened(tmp_path)
    with pytest.raises(Refused) as refused:
        session.change(ask(session, **asked))
    assert refused.value.status == status
    assert session.read(session.file).decode() == LINE
