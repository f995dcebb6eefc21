"""Phrases that readers stumble over stay out of documentation, templates and messages."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parents[2]
PHRASES = tomllib.loads((ROOT / "scripts" / "wording.toml").read_text(encoding="utf-8"))


def texts() -> Iterator[tuple[str, str]]:
    """Place and text of each line of a page, and of each translated message."""
    pages = [*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")]
    pages += [path for end in ("*.html", "*.tmpl", "*.txt") for path in (ROOT / "src").rglob(end)]
    for path in sorted(pages):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line
    for path in sorted((ROOT / "src").rglob("*.po")):
        with path.open("rb") as catalogue:
            for message in read_po(catalogue):
                for text in [message.id] if isinstance(message.id, str) else message.id:
                    yield f"{path.relative_to(ROOT)}:{message.lineno}", text


def find_phrases(text: str) -> list[str]:
    return [advice for phrase, advice in PHRASES.items() if re.search(phrase, text, re.IGNORECASE)]


def test_pages_and_messages_avoid_the_listed_phrases() -> None:
    assert [(place, text, advice) for place, text in texts() for advice in find_phrases(text)] == []


def test_a_listed_phrase_is_found() -> None:
    assert find_phrases("Whoever comes is told so.") and not find_phrases("Each participant sees the result.")
