"""The browser of a journey; a file that wants another one, with a microphone for instance, has its own."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from scenes.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for all tests of a file: with Playwright running no other loop may run in the process."""
    with chromium() as launched:
        yield launched
