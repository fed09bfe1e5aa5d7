"""Take the pictures of the page that docs/ shows; look at them before you commit them.

python scripts/take_screenshots.py

It needs Debian's chromium and chromium-driver, and selenium.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.studio.serving import studio  # noqa: E402
from tests.view.browsers import Browser, open_browser  # noqa: E402

IMAGES = ROOT / "docs" / "images"


def momlint(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "momlint", *arguments], cwd=ROOT, check=True)


def take(browser: Browser, page: str, image: str, steps: Sequence[str]) -> None:
    browser.get(page)
    for step in steps:
        browser.execute_script(step)
        time.sleep(2.5)
    browser.save_screenshot(str(IMAGES / image))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        six, ring = Path(folder, "six.html"), Path(folder, "ring.html")
        momlint("view", "-q", "examples/fifty-brokers/rows-13-17-missing.yaml", "-o", str(six))
        momlint("view", "-q", "examples/real-networks/geant2012.yaml", "-o", str(ring))
        momlint("view", "-q", "examples/triangle/topology.yaml", "--svg", "--colour", "2", "--from", "1", "--to", "2",
                "-o", str(IMAGES / "view-triangle.svg"))  # fmt: skip
        browser = open_browser(1200, 780)
        try:
            take(browser, six.as_uri(), "view-light.png", ["document.querySelector('#findings button').click()"])
            dark = "document.getElementById('theme').click()"
            choose = "const s = document.getElementById('state'); s.value = 6; s.dispatchEvent(new Event('change'))"
            take(browser, ring.as_uri(), "view-dark.png", [dark, choose, "scrollTo(0, 570)"])
            edited = Path(folder, "abilene.yaml")
            edited.write_bytes((ROOT / "examples" / "real-networks" / "abilene.yaml").read_bytes())
            # From its folder: no path of this machine is to be seen.
            with studio(Path(edited.name), edited.parent) as running:
                take(browser, running.address, "studio.png", [
                    "document.querySelector('#studio [value=fail]').click()",
                    "document.querySelector('#elements summary').click()",
                    *(f"[...document.querySelectorAll('#elements table:last-child button')].filter((one) => "
                      f"one.textContent.includes('seattle'))[{n}].click();"
                      "document.querySelector('#detail .fails').click()" for n in (0, 1)),
                    "scrollTo(0, 0)",
                ])  # fmt: skip
                take(browser, running.address, "studio-forms.png", [
                    "document.querySelector('#elements summary').click()",
                    "[...document.querySelectorAll('#elements table:last-child button')].find((one) => "
                    "one.textContent.includes('seattle')).click();"
                    "[...document.querySelectorAll('#detail button')]"
                    ".find((one) => one.textContent === 'Change link').click()",
                    "scrollTo(0, 0)",
                ])  # fmt: skip
                browser.execute_script("window.onbeforeunload = null")
                browser.get("about:blank")
        finally:
            browser.quit()


if __name__ == "__main__":
    main()
