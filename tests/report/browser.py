"""A headless browser, where there is one: playwright, and a Chromium that it or the system has."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@contextmanager
def open_browser() -> Iterator[Any]:
    """A browser; skips the test if there is none, and says what is missing."""
    api = pytest.importorskip(
        "playwright.sync_api", reason="needs a browser: pip install playwright, and a Chromium of the system"
    )
    with api.sync_playwright() as playwright:
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("needs a browser: there is playwright, but no Chromium (apt-get install chromium)")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def open_page(browser: Any, file: Path, said: list[str], **options: Any) -> Any:
    """A page with the file, when its script is done; what it says, asks for or fails at goes to ``said``."""
    page = browser.new_page(viewport={"width": 1300, "height": 900}, **options)
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on(
        "request",
        lambda asked: None if asked.url.startswith("file:") else said.append(f"request: {asked.url}"),
    )
    page.goto(file.as_uri())
    page.wait_for_function("document.documentElement.dataset.ready === 'yes'", timeout=30_000)
    return page
