"""A real browser, without a window: Debian's chromium, driven by selenium.

Where one of them is missing, tests are skipped and say so; with ``MOMLINT_TEST_BROWSER=1`` (CI) they fail.
"""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

    Browser: TypeAlias = Chrome
else:
    Browser = Any


def needed() -> None:
    """Skip, or fail in CI, where there is no browser or nothing that drives it."""
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    try:
        import selenium  # noqa: F401
    except ImportError:
        missing.append("selenium")
    if not missing:
        return
    text = f"pages are not tried in a browser: there is no {' and no '.join(missing)}"
    if os.environ.get("MOMLINT_TEST_BROWSER"):
        pytest.fail(text)
    pytest.skip(text)


def open_browser(width: int = 1400, height: int = 1000, *arguments: str) -> Browser:
    """A browser without a profile of its own, whose console is kept."""
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    options = ChromeOptions()
    # No sandbox: it does not work for root, as whom containers of CI run. The pages are our own.
    for one in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", *arguments):
        options.add_argument(one)
    options.add_argument(f"--window-size={width},{height + 143}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = shutil.which("chromium") or "chromium"
    browser = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    browser.set_page_load_timeout(60)
    return browser
