"""The page in a real browser: a finding picked, its walk seen, colours, filters, keys; nothing on the console."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from momlint.lint import Options
from momlint.view.gathering import gather
from momlint.view.page import page
from tests.view.browsers import Browser, needed, open_browser

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
Open = Callable[..., Browser]


@pytest.fixture(scope="module", params=["", "--force-prefers-reduced-motion"], ids=["", "reduced motion"])
def browser(request: pytest.FixtureRequest) -> Iterator[Browser]:
    needed()
    browser = open_browser(1400, 1000, *filter(None, [request.param]))
    yield browser
    browser.quit()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens the page of estates; at the end nothing may stand on the console."""

    def opened(*files: str | Path, sections: tuple[str, ...] = ()) -> Browser:
        options = Options(engine="graph", sections=sections)
        gathered = gather([str(ROOT / "examples" / one) for one in files], options)
        file = tmp_path / "report.html"
        file.write_text(page(gathered, gathered.pictures[0].name), encoding="utf-8")
        browser.get(file.as_uri())
        return browser

    yield opened
    assert browser.get_log("browser") == []


def find(browser: Browser, selector: str) -> list[Any]:
    return browser.find_elements("css selector", selector)


def text(browser: Browser, selector: str) -> str:
    return " ".join(one.text for one in find(browser, selector))


def until(condition: Callable[[], object]) -> None:
    """Wait until it holds; elements that went away meanwhile are looked for again. Raises `TimeoutError`."""
    from selenium.common.exceptions import StaleElementReferenceException

    end = time.monotonic() + 30
    while time.monotonic() < end:
        with contextlib.suppress(StaleElementReferenceException):
            if condition():
                return
        time.sleep(0.05)
    raise TimeoutError


def links(browser: Browser, kind: str) -> set[int]:
    return {int(one.get_attribute("data-link")) for one in find(browser, f".cable.{kind}")}


def choose(browser: Browser, select: str, words: str) -> None:
    from selenium.webdriver.support.ui import Select

    Select(find(browser, f"#{select}")[0]).select_by_visible_text(words)


def press(browser: Browser, selector: str, *keys: str) -> None:
    find(browser, selector)[0].send_keys(*keys)


def test_a_finding_is_picked_and_its_walk_is_played(show: Open) -> None:
    browser = show("six-brokers/misrouted.yaml")
    (first,) = [one for one in find(browser, "#findings button") if "MOM303" in one.text]
    assert first == find(browser, "#findings button")[0], "errors come first"
    first.click()
    # 1-2, 2-4 and 4-6 are the links number 0, 2 and 4 of the file.
    assert links(browser, "walk") == {0, 2, 4}
    hops = [one.text.splitlines()[0] for one in find(browser, "#hops li")]
    assert hops == ["1 → 2 link 1--2", "2 → 4 link 2--4", "4 → 6 link 4--6"]
    assert "misrouted.yaml:36" in find(browser, "#hops li")[2].text
    assert text(browser, "#hops .end") == "stopped at 6: it has no next hop for 5"
    until(lambda: find(browser, "#hops li:nth-child(3) [aria-current=step]"))
    until(lambda: text(browser, "#play") == "Play")
    assert text(browser, "#live") == "stopped at 6: it has no next hop for 5"
    assert {one.get_attribute("data-broker") for one in find(browser, ".broker.on")} == {"0", "1", "3", "5"}
    assert "6: [5, 6]" in text(browser, "#detail pre mark")


def test_a_walk_goes_forth_and_back(show: Open) -> None:
    browser = show("triangle/topology.yaml")
    choose(browser, "from", "1")
    choose(browser, "to", "2")
    assert links(browser, "walk") == {0}
    choose(browser, "state", "2: 1--2 failed")
    assert links(browser, "failed") == {0}
    assert links(browser, "walk") == {1, 2}
    assert "Failed: link 1--2 (colour 2). Nothing is lost." in text(browser, "#failed")
    find(browser, "#next")[0].click()
    assert links(browser, "passed") == {1}
    assert text(browser, "#live") == "Hop 1 of 2: 1 to 3, link 1--3"
    find(browser, "#next")[0].click()
    assert links(browser, "passed") == {1, 2}
    assert text(browser, "#live") == "arrived at 2 after 2 hops"
    assert not find(browser, "#next")[0].is_enabled()
    find(browser, "#back")[0].click()
    assert links(browser, "passed") == {1}


def test_a_link_is_clicked_and_fails(show: Open) -> None:
    browser = show("six-brokers/topology.yaml")
    browser.execute_script(
        "document.querySelector('[data-link=\"2\"]').dispatchEvent(new PointerEvent('pointerdown', {bubbles: true}))"
    )
    browser.execute_script(
        "document.querySelector('[data-link=\"2\"]').dispatchEvent(new PointerEvent('pointerup', {bubbles: true}))"
    )
    assert "Link 2--4" in text(browser, "#detail")
    (fails,) = find(browser, "#detail button")
    fails.click()
    assert links(browser, "failed") == {2}
    # Topic A is wanted at 2 as well, and not cut off there.
    assert "Failed: link 2--4. No path is left: 4 topics, A, B, C and D." in text(browser, "#failed")


def test_filters(show: Open) -> None:
    browser = show("six-brokers/misrouted.yaml")
    assert text(browser, "#findings-title").upper() == "FINDINGS (8)"
    choose(browser, "level", "errors")
    assert len(find(browser, "#findings button")) == 1
    choose(browser, "level", "all")
    choose(browser, "topic", "B")
    # Topic B goes from 3 to 4: the links 2--3 and 2--4, and broker 2.
    told = sorted(one.text.splitlines()[-1] for one in find(browser, "#findings button"))
    assert told == [
        "if broker 2 fails, no path leads from 1 to 5",
        "if link 2--3 fails, no path leads from 3 to 4",
        "if link 2--4 fails, no path leads from 1 to 5",
    ]
    assert "1 pair in 12 states" in text(browser, "#matrix-says")
    assert [one.get_attribute("data-broker") for one in find(browser, ".broker.publishes")] == ["2"]
    assert [one.get_attribute("data-broker") for one in find(browser, ".broker.subscribes")] == ["3"]
    choose(browser, "topic", "all")
    assert "6 pairs" in text(browser, "#matrix-says")
    find(browser, "#only")[0].click()
    assert "1 pair in" in text(browser, "#matrix-says")


def test_the_drawing_and_the_matrix_work_by_keys(show: Open) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = show("ring/topology.yaml")
    press(browser, "#drawing", Keys.ARROW_RIGHT)
    assert text(browser, "#live").startswith("broker 1: ")
    press(browser, "#drawing", "f")
    seen = set()
    for key in (Keys.ARROW_LEFT, Keys.ARROW_UP, Keys.ARROW_RIGHT, Keys.ARROW_DOWN):
        press(browser, "#drawing", key)
        seen.add(text(browser, "#live"))
    assert len(seen) > 2
    press(browser, "#drawing", "+", "-", "0", Keys.ESCAPE)
    assert not find(browser, ".broker.chosen")
    press(browser, "#matrix", Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    told = text(browser, "#live")
    assert "failed: " in told
    press(browser, "#matrix", Keys.ENTER)
    assert find(browser, "#hops li")
    assert find(browser, "#state option:checked")[0].get_attribute("value") == "1"


def test_a_cell_of_the_matrix_is_clicked(show: Open) -> None:
    browser = show("triangle/topology.yaml")
    # The first row (1 to 2) in the second column (colour 2), wherever these are drawn.
    browser.execute_script(
        "const m = document.getElementById('matrix'), r = m.getBoundingClientRect();"
        "for (let x = 0; x < 300; x += 6) for (let y = 0; y < 120; y += 6) {"
        " m.dispatchEvent(new MouseEvent('click', {clientX: r.left + x, clientY: r.top + y}));"
        " if (document.getElementById('state').value === '1' && document.getElementById('to').value === '1') return; }"
    )
    assert links(browser, "walk") == {1, 2}


def test_tables_say_the_same(show: Open) -> None:
    browser = show("six-brokers/misrouted.yaml")
    for table in ("pairs", "elements", "topics"):
        find(browser, f"#{table} summary")[0].click()
    # Each that opens fills all that are open.
    until(lambda: find(browser, "#topics tbody tr"))
    rows = {row.text.splitlines()[0] if "\n" in row.text else row.text for row in find(browser, "#pairs tbody tr")}
    assert any(row.startswith("1 → 5") for row in rows)
    assert "1 → 5 does not arrive" in text(browser, "#topics tbody")
    assert len(find(browser, "#elements tbody tr")) == 6 + 5
    assert "misrouted.yaml:7" in text(browser, "#elements tbody")


def test_lines_that_no_proof_rests_on(show: Open) -> None:
    browser = show("triangle/topology.yaml", sections=("coverage",))
    find(browser, "#coverage summary")[0].click()
    until(lambda: len(find(browser, "#coverage tbody tr")) == 1 + 6)
    said = text(browser, "#coverage tbody")
    assert "6 of 12 3 of 3 4 of 4" in said
    assert all(f"topology.yaml:{line}" in said for line in (36, 37, 39, 41, 43, 44))
    assert "- {to: 1, via: 1, colours: [1, 3, 4]}" in said


def test_dark_and_light(show: Open) -> None:
    browser = show("triangle/topology.yaml")
    paper = "return getComputedStyle(document.body).backgroundColor"
    before = browser.execute_script(paper)
    find(browser, "#theme")[0].click()
    after = browser.execute_script(paper)
    assert before != after
    find(browser, "#theme")[0].click()
    assert browser.execute_script(paper) == before


def test_native_files_and_a_loop(show: Open) -> None:
    browser = show("bridges/north.conf", "bridges/south.conf")
    find(browser, "#findings button")[0].click()
    assert len(links(browser, "walk")) == 2
    until(lambda: text(browser, "#play") == "Play")
    assert "topic # both 1" in text(browser, "#detail pre")


def test_several_estates(show: Open) -> None:
    browser = show(
        "six-brokers/topology.yaml",
        "triangle/topology.yaml",
        "clients/two-workers.yaml",
        "sites/report/three-sites-1.yaml",
    )
    assert len(find(browser, ".broker")) == 6
    names = [one.text for one in find(browser, "#estate option")]
    choose(browser, "estate", "triangle")
    assert len(find(browser, ".broker")) == 3
    for name in names:
        choose(browser, "estate", name)
    choose(browser, "estate", names[2])
    assert "no brokers to draw" in text(browser, "#drawing")
    finding = next(one for one in find(browser, "#findings button") if "MOM851" in one.text)
    finding.click()
    assert len(find(browser, "#detail ol li")) > 2


def test_nothing_at_all(show: Open, tmp_path: Path) -> None:
    file = tmp_path / "broken.yaml"
    file.write_text("momlint: 1\nbrokers: [\n")
    (tmp_path / "good.yaml").write_text("momlint: 1\nbrokers: {a: }\n")
    browser = show(tmp_path / "broken.yaml", tmp_path / "good.yaml")
    finding = next(one for one in find(browser, "#findings button") if "MOM101" in one.text)
    finding.click()
    assert "MOM101" in text(browser, "#detail")


def test_everything_has_a_name_for_screen_readers(show: Open) -> None:
    browser = show("six-brokers/misrouted.yaml")
    nameless = browser.execute_script(
        "return [...document.querySelectorAll('button, select, input, [role=application], [role=group], section')]"
        ".filter((one) => one.offsetParent && !one.getAttribute('aria-label') && !one.getAttribute('aria-labelledby')"
        " && !one.textContent.trim() && !(one.labels && one.labels.length)).map((one) => one.outerHTML)"
    )
    assert nameless == []
    ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids))
    for attribute in ("aria-labelledby", "aria-describedby"):
        named = browser.execute_script(
            f"return [...document.querySelectorAll('[{attribute}]')].map((one) => one.getAttribute('{attribute}'))"
        )
        assert set(named) <= set(ids)


def test_five_hundred_brokers_are_fluent(show: Open, tmp_path: Path) -> None:
    rng = random.Random(3)
    n = 500
    links_ = sorted(
        {(rng.randrange(i), i) for i in range(1, n)} | {tuple(sorted(rng.sample(range(n), 2))) for _ in range(450)}
    )
    lines = ["momlint: 1", "brokers:", *(f"  b{i}:" for i in range(n)), "links:"]
    lines += [f"  - {{between: [b{one}, b{other}]}}" for one, other in links_]
    lines += ["topics:"]
    lines += [f"  t{i}: {{publishers: [b{rng.randrange(n)}], subscribers: [b{i}, b{n - 1 - i}]}}" for i in range(240)]
    file = tmp_path / "large.yaml"
    file.write_text("\n".join([*lines, "routing: {protocol: shortest-path}", "failures: {tolerate: single-link}", ""]))
    browser = show(file)
    assert len(find(browser, ".broker")) == n
    browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})

    def worked() -> float:
        """Seconds of a processor that the page has taken so far; not of the clock, for others run beside it."""
        found = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    begin = worked()
    clicks = browser.execute_script(
        "const all = [...document.querySelectorAll('#findings button')].slice(0, 9);"
        "const state = document.getElementById('state');"
        "for (const one of all) { one.click(); document.body.offsetHeight; }"
        "for (let i = 0; i < 9; i += 1) {"
        " state.value = i; state.dispatchEvent(new Event('change')); document.body.offsetHeight; }"
        "document.getElementById('play').click(); return all.length + 9;"
    )
    took = (worked() - begin) / clicks
    # In a tenth of a second what is chosen seems to be there at once.
    assert 0 < took < 0.1, took
