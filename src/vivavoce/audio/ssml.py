"""Texts marked up for synthesisers: SSML, the W3C's Speech Synthesis Markup Language 1.1."""

import re
from html import escape
from typing import Final

_OPENING: Final = re.compile(r"\s*<speak\b[^>]*>", re.IGNORECASE)
_CLOSING: Final = re.compile(r"</speak\s*>\s*\Z", re.IGNORECASE)


def is_ssml(text: str) -> bool:
    """True if the whole text is SSML."""
    return text.lstrip().startswith("<speak")


def in_one(parts: list[tuple[str, str | None]]) -> str:
    """Parts of what is said one after the other, each with its words and its markup or None, as one text.

    Empty   "" where there are no words; plain words where no part has a markup
    """
    spoken = [(words, ssml) for words, ssml in parts if words.strip()]
    if not any(ssml for _, ssml in spoken):
        return "\n".join(words for words, _ in spoken)
    inside = [_CLOSING.sub("", _OPENING.sub("", ssml)) if ssml else escape(words) for words, ssml in spoken]
    return f"<speak>{' '.join(inside)}</speak>"
