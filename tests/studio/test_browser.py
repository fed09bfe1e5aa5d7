"""The studio in a real browser: a link fails and topics are lost, things are added and removed, and all is saved."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio import serving
from tests.view.browsers import Browser, needed, open_browser
from tests.view.test_browser import choose, find, links, text, until

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
LINE = """\
# Three in a row.
momlint: 1
name: line
brokers:
  a:            # the press
  b:
  c:
links:
  - {between: [a, b]}   # copper
  - {between: [b, c]}
topics:
  t: {publishers: [a], subscribers: [c]}
  u: {publishers: [a], subscribers: [b]}
routing: {protocol: shortest-path}
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    needed()
    serving.needed()
    browser = open_browser(1400, 1100)
    yield browser
    browser.quit()


@pytest.fixture
def file(browser: Browser, tmp_path: Path) -> Iterator[Path]:
    """The file that is being edited; at the end nothing may stand on the console."""
    file = tmp_path / "topology.yaml"
    file.write_text(LINE)
    with serving.studio(file) as running:
        browser.get(running.address)
        yield file
        log = browser.get_log("browser")
        # It would ask whether changes may be lost.
        browser.execute_script(
            "window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)"
        )
        browser.get("about:blank")
    assert log == []


def click(browser: Browser, selector: str, dx: int = 0, dy: int = 0) -> None:
    """A real click of the mouse, so many pixels from the middle of an element."""
    from selenium.webdriver.common.action_chains import ActionChains

    element = find(browser, selector)[0]
    ActionChains(browser).move_to_element_with_offset(element, dx, dy).click().perform()


def mode(browser: Browser, name: str) -> None:
    find(browser, f"#studio [name=mode][value={name}]")[0].click()


def says(browser: Browser, words: str) -> None:
    try:
        until(lambda: words in text(browser, "#says"))
    except TimeoutError:
        pytest.fail(f"it says {text(browser, '#says')!r}, and not {words!r}")


def fill(browser: Browser, form: str, **values: Any) -> None:
    adding = find(browser, "#adding")[0]
    if adding.get_attribute("open") is None:
        find(browser, "#adding summary")[0].click()
    for name, value in values.items():
        node = find(browser, f"#{form} [name={name}]")[0]
        if node.tag_name == "select":
            from selenium.webdriver.support.ui import Select

            for one in value if isinstance(value, list) else [value]:
                Select(node).select_by_visible_text(one)
        else:
            node.send_keys(value)
    find(browser, f"#{form} button[type=submit]")[0].click()


def test_a_link_fails_topics_are_lost_a_link_is_added_and_all_is_saved(browser: Browser, file: Path) -> None:
    mode(browser, "fail")
    click(browser, '[data-link="1"] .hit')
    says(browser, "Failed: link b--c. No path is left: 1 topic, t.")
    assert links(browser, "failed") == {1}
    # A second one, at the same time.
    click(browser, '[data-link="0"] .hit')
    says(browser, "No path is left: 2 topics, u and t.")
    click(browser, '[data-link="0"] .hit')
    says(browser, "No path is left: 1 topic, t.")
    assert len(find(browser, "#findings button")) == 3
    fill(browser, "add-link", **{"from": "a", "to": "c", "name": "fibre"})
    says(browser, "Link from a to c added.")
    # Live: nothing cuts a topic any more, and what has failed is failed still.
    assert not find(browser, "#findings button")
    assert links(browser, "failed") == {1}
    assert "Nothing is lost." in text(browser, "#failed")
    assert file.read_text() == LINE
    find(browser, "#save")[0].click()
    says(browser, "Saved ")
    wanted = LINE.replace("  - {between: [b, c]}\n", "  - {between: [b, c]}\n  - {id: fibre, between: [a, c]}\n")
    assert file.read_text() == wanted
    assert not find(browser, "#save")[0].is_enabled()


def test_brokers_and_links_are_added_in_the_drawing(browser: Browser, file: Path) -> None:
    mode(browser, "broker")
    click(browser, "#drawing svg", 120, 140)
    says(browser, "Broker broker4 added.")
    assert len(find(browser, ".broker")) == 4
    mode(browser, "link")
    click(browser, '[data-broker="0"] circle')
    says(browser, "From a; now choose where the link leads.")
    click(browser, '[data-broker="3"] circle')
    says(browser, "Link from a to broker4 added.")
    mode(browser, "show")
    click(browser, '[data-broker="3"] circle')
    assert "Broker broker4" in text(browser, "#detail")
    find(browser, "#save")[0].click()
    says(browser, "Saved ")
    saved = file.read_text()
    assert "  c:\n  broker4:\n" in saved
    assert "  - {between: [a, broker4]}\n" in saved
    assert "# the press" in saved
    assert "# copper" in saved


def test_topics_come_and_things_go_and_come_back(browser: Browser, file: Path) -> None:
    fill(browser, "add-broker", name="d", site="hall 2")
    says(browser, "Broker d added.")
    fill(browser, "add-topic", name="v", publishers=["d"], subscribers=["a", "b"])
    says(browser, "Topic v added.")
    until(lambda: any("MOM301" in one.text for one in find(browser, "#findings button")))
    click(browser, '[data-link="0"] .hit')
    remove = next(one for one in find(browser, "#detail button") if one.text == "Remove link")
    remove.click()
    says(browser, "Link a--b removed.")
    for _ in range(3):
        assert find(browser, "#undo")[0].is_enabled()
        find(browser, "#undo")[0].click()
        says(browser, "Taken back.")
        browser.execute_script("document.getElementById('says').textContent = ''")
    assert not find(browser, "#undo")[0].is_enabled()
    assert len(find(browser, ".broker")) == 3
    find(browser, "#text summary")[0].click()
    assert find(browser, "#text-area")[0].get_property("value") == LINE


def details(browser: Browser, words: str) -> None:
    next(one for one in find(browser, "#detail button") if one.text == words).click()


def press_first(browser: Browser, selector: str, words: str) -> None:
    """The first button with these words; tables are filled a moment after they were opened."""
    until(lambda: any(one.text == words for one in find(browser, selector)))
    next(one for one in find(browser, selector) if one.text == words).click()


def value(browser: Browser, selector: str) -> Any:
    return find(browser, selector)[0].get_property("value")


def put(browser: Browser, selector: str, words: str) -> None:
    node = find(browser, selector)[0]
    node.clear()
    node.send_keys(words)


def test_brokers_links_and_topics_are_changed_by_form(browser: Browser, file: Path) -> None:
    click(browser, '[data-broker="1"] circle')
    details(browser, "Change broker")
    assert value(browser, "#add-broker [name=name]") == "b"
    put(browser, "#add-broker [name=name]", "hub")
    put(browser, "#add-broker [name=tags]", "eu, old")
    assert text(browser, "#add-broker [type=submit]") == "Change broker b"
    find(browser, "#add-broker [type=submit]")[0].click()
    says(browser, "Broker hub changed.")
    # The form adds again.
    assert text(browser, "#add-broker [type=submit]") == "Add broker"
    click(browser, '[data-link="0"] .hit')
    assert "Link a--hub" in text(browser, "#detail")
    details(browser, "Change link")
    put(browser, "#add-link [name=cost]", "4")
    find(browser, "#add-link [name=one_way]")[0].click()
    find(browser, "#add-link [type=submit]")[0].click()
    says(browser, "Link a--hub changed.")
    find(browser, "#topics summary")[0].click()
    press_first(browser, "#topics button", "Change topic")
    assert value(browser, "#add-topic [name=name]") == "t"
    put(browser, "#add-topic [name=name]", "heat")
    put(browser, "#add-topic [name=max_hops]", "2")
    find(browser, "#add-topic [type=submit]")[0].click()
    says(browser, "Topic heat changed.")
    find(browser, "#save")[0].click()
    says(browser, "Saved ")
    wanted = LINE.replace("  b:\n", "  hub: {tags: [eu, old]}\n").replace("[b, c]", "[hub, c]")
    wanted = wanted.replace("{between: [a, b]}", "{from: a, to: hub, cost: 4}").replace("[b]", "[hub]")
    wanted = wanted.replace(
        "t: {publishers: [a], subscribers: [c]}", "heat: {publishers: [a], subscribers: [c], max_hops: 2}"
    )
    assert file.read_text() == wanted
    # A form that is left changes nothing, and a broker that goes takes what names it, at once and as one step.
    click(browser, '[data-broker="1"] circle')
    details(browser, "Change broker")
    find(browser, "#add-broker .leave")[0].click()
    assert value(browser, "#add-broker [name=name]") == ""
    details(browser, "Remove broker")
    says(browser, "Broker hub removed, and with it 2 links and 1 place in a topic.")
    find(browser, "#undo")[0].click()
    says(browser, "Taken back.")
    assert len(find(browser, ".cable")) == 2


RELAYED = """\
momlint: 1
name: bridged
routing: {protocol: relay}
brokers: {edge: , hub: , cloud: }
links:
  - {from: edge, to: hub, topics: [{filter: "plant/#"}]}   # uplink
  - {from: hub, to: cloud}
topics:
  plant/a: {publishers: [edge], subscribers: [cloud]}
subscriptions:
  - {at: hub, filter: "plant/#"}   # the hall
"""


def write(browser: Browser, words: str, links: int) -> None:
    """Put another text in place of the file's."""
    if find(browser, "#text")[0].get_attribute("open") is None:
        find(browser, "#text summary")[0].click()
    browser.execute_script(
        "const area = document.getElementById('text-area'); area.value = arguments[0];"
        "area.dispatchEvent(new Event('input', {bubbles: true}))",
        words,
    )
    until(lambda: len(find(browser, ".cable")) == links and "(changed)" in text(browser, "#file"))
    find(browser, "#text summary")[0].click()


def test_filters_and_who_wants_what_are_changed_by_form(browser: Browser, file: Path) -> None:
    write(browser, RELAYED, 2)
    click(browser, '[data-link="0"] .hit')
    details(browser, "Change link")
    put(browser, "#filters [data-filter=filter]", "plant/a")
    find(browser, "#add-filter")[0].click()
    find(browser, "#filters [data-filter=filter]")[1].send_keys("plant/b")
    put(browser, "#add-link [name=max_hops]", "2")
    find(browser, "#add-link [type=submit]")[0].click()
    says(browser, "Link edge->hub changed.")
    press_first(browser, "#declared button", "Change")
    put(browser, "#add-interest [name=filter]", "plant/b")
    find(browser, "#add-interest [type=submit]")[0].click()
    says(browser, "plant/b wanted at hub, changed.")
    find(browser, "#save")[0].click()
    says(browser, "Saved ")
    wanted = RELAYED.replace(
        '[{filter: "plant/#"}]}   # uplink', "[{filter: plant/a}, {filter: plant/b}], max_hops: 2}   # uplink"
    )
    assert file.read_text() == wanted.replace('{at: hub, filter: "plant/#"}', "{at: hub, filter: plant/b}")
    press_first(browser, "#declared button", "Remove topic")
    says(browser, "Topic plant/a removed.")


def test_links_of_a_relayed_overlay_fail_with_their_connection(browser: Browser, file: Path) -> None:
    write(
        browser,
        RELAYED.replace(
            "- {from: hub, to: cloud}",
            "- {from: hub, to: cloud, connection: wan}\n  - {from: cloud, to: hub, connection: wan}",
        ),
        3,
    )
    mode(browser, "fail")
    click(browser, '[data-link="0"] .hit')
    says(
        browser,
        "Failed: link edge->hub. "
        "Lost: cloud no longer gets plant/a from edge and hub no longer gets plant/# from edge.",
    )
    click(browser, '[data-link="0"] .hit')
    says(browser, "Nothing has failed.")
    # Both links of one connection fail, and work again, together.
    click(browser, '[data-broker="2"] circle')
    says(browser, "Failed: broker cloud. Nothing is lost.")
    click(browser, '[data-broker="2"] circle')
    says(browser, "Nothing has failed.")
    find(browser, "#elements summary")[0].click()
    press_first(browser, "#elements button", "hub->cloud")
    details(browser, "It fails")
    says(
        browser,
        "Failed: link hub->cloud and link cloud->hub. Lost: cloud no longer gets plant/a from edge.",
    )
    assert links(browser, "failed") == {1, 2}
    details(browser, "It works again")
    says(browser, "Nothing has failed.")


def test_the_text_is_edited_and_findings_follow(browser: Browser, file: Path) -> None:
    find(browser, "#text summary")[0].click()
    area = find(browser, "#text-area")[0]
    browser.execute_script(
        "const area = arguments[0]; area.value = area.value.replace('subscribers: [c]', 'subscribers: [d]');"
        "area.dispatchEvent(new Event('input', {bubbles: true}))",
        area,
    )
    until(lambda: any("MOM104" in one.text for one in find(browser, "#findings button")))
    from selenium.webdriver.common.keys import Keys

    area.send_keys(Keys.CONTROL, Keys.END)
    area.send_keys("# the end\n")
    until(lambda: area.get_property("value").endswith("# the end\n") and "(changed)" in text(browser, "#file"))
    find(browser, "#save")[0].click()
    says(browser, "Saved ")
    until(lambda: file.read_text() == LINE.replace("subscribers: [c]", "subscribers: [d]") + "# the end\n")


def test_a_colour_stands_for_a_failure(browser: Browser, file: Path) -> None:
    find(browser, "#text summary")[0].click()
    triangle = (ROOT / "examples" / "triangle" / "topology.yaml").read_text()
    browser.execute_script(
        "const area = document.getElementById('text-area'); area.value = arguments[0];"
        "area.dispatchEvent(new Event('input', {bubbles: true}))",
        triangle,
    )
    until(lambda: len(find(browser, ".cable")) == 3)
    find(browser, "#text summary")[0].click()
    mode(browser, "fail")
    click(browser, '[data-link="0"] .hit')
    says(browser, "Colour 2 stands for the failure of link 1--2. Failed: link 1--2 (colour 2). Nothing is lost.")
    choose(browser, "from", "1")
    choose(browser, "to", "2")
    assert links(browser, "walk") == {1, 2}
    click(browser, '[data-link="1"] .hit')
    says(
        browser, "No colour stands for the failure of link 1--2 and link 1--3: the recovery rows say nothing about it."
    )
    find(browser, "#repair")[0].click()
    says(browser, "Nothing has failed.")
    assert links(browser, "failed") == set()


def test_of_a_large_estate_a_state_is_followed_when_it_is_chosen(browser: Browser, tmp_path: Path) -> None:
    """A ring of 100 brokers, each of which publishes to three at the other side: 301 pairs in 102 states."""
    ring = ["momlint: 1", "brokers:", *(f"  b{n}:" for n in range(100)), "links:"]
    ring += [f"  - {{between: [b{n}, b{(n + 1) % 100}]}}" for n in range(100)]
    away = [", ".join(f"b{(n + by) % 100}" for by in (40, 50, 60)) for n in range(100)]
    ring += ["topics:", *(f"  t{n}: {{publishers: [b{n}], subscribers: [{away[n]}]}}" for n in range(100))]
    # Round the ring it takes 99 hops.
    ring.append("  near: {publishers: [b0], subscribers: [b1], max_hops: 60}")
    ring += ["failures:", "  colours:", "    usual: []", *(f"    c{n}: [b{n}--b{(n + 1) % 100}]" for n in range(100))]
    ring.append("    d: [b0--b1, b50--b51]")
    ring.append("routing: {protocol: shortest-path}")
    file = tmp_path / "ring.yaml"
    file.write_text("\n".join(ring) + "\n")
    with serving.studio(file) as running:
        browser.get(running.address)
        assert "301 pairs in 1 state." in text(browser, "#matrix-says")
        choose(browser, "state", "d: b0--b1 and b50--b51 failed")
        says(browser, "Colour d stands for the failure of link b0--b1 and link b50--b51. Failed:")
        # b1 to b50 hang together, and all others: each broker is cut from the one opposite.
        assert "No path is left: 101 topics" in text(browser, "#failed")
        assert "301 pairs in 2 states." in text(browser, "#matrix-says")
        next(one for one in find(browser, "#findings button") if "MOM602" in one.text).click()
        until(lambda: links(browser, "failed") == {0} and len(links(browser, "walk")) == 99)
        assert browser.get_log("browser") == []
        browser.get("about:blank")


def test_a_form_of_what_is_no_longer_there_adds_again(browser: Browser, file: Path) -> None:
    find(browser, "#topics summary")[0].click()
    press_first(browser, "#topics button", "Change topic")
    assert text(browser, "#add-topic [type=submit]") == "Change topic t"
    # A text that is no estate, and one again.
    write(browser, LINE + "  [", 0)
    until(lambda: any("MOM101" in one.text for one in find(browser, "#findings button")))
    assert text(browser, "#add-topic [type=submit]") == "Add topic"
    write(browser, LINE + "# again\n", 2)


def test_a_mistake_is_told_and_harms_nothing(browser: Browser, file: Path) -> None:
    fill(browser, "add-broker", name="a")
    says(browser, "there is a broker `a` already")
    log = browser.get_log("browser")
    # Chromium itself writes down that a request was refused.
    assert all("422" in one["message"] for one in log)
    assert not find(browser, "#save")[0].is_enabled()
    assert file.read_text() == LINE
