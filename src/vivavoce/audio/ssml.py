"""Texts marked up for synthesisers: SSML, the W3C's Speech Synthesis Markup Language 1.1."""

import re
from html import escape
from html.parser import HTMLParser
from typing import Any, Final, NamedTuple

_OPENING: Final = re.compile(r"\s*<speak\b[^>]*>", re.IGNORECASE)
_CLOSING: Final = re.compile(r"</speak\s*>\s*\Z", re.IGNORECASE)


def is_ssml(text: str) -> bool:
    """True if the whole text is SSML."""
    return text.lstrip().startswith("<speak")


class SsmlText(NamedTuple):
    """A message text; `ssml` is the text as it was marked up for a synthesiser, "" where it was not."""

    text: str
    ssml: str = ""


def apart_from_markup(text: str) -> SsmlText:
    """A text's words, and the whole where it is marked up for a synthesiser."""
    return SsmlText(_words(text), text) if is_ssml(text) else SsmlText(text)


def _words(text: str) -> str:
    """The words of a text that is marked up for a synthesiser."""
    reader = _Words()
    reader.feed(text)
    reader.close()
    return " ".join("".join(reader.words).split())


class _Words(HTMLParser):
    """The words between the marks; a parser that no entity and no depth can keep busy."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.words: list[str] = []

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag in ("break", "p", "s"):
            self.words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("p", "s"):
            self.words.append(" ")


def in_one(parts: list[tuple[str, str | None]]) -> str:
    """Parts of what is said one after the other, each with its words and its markup or None, as one text.

    Empty   "" where there are no words; plain words where no part has a markup
    """
    spoken = [(words, ssml) for words, ssml in parts if words.strip()]
    if not any(ssml for _, ssml in spoken):
        return "\n".join(words for words, _ in spoken)
    inside = [_CLOSING.sub("", _OPENING.sub("", ssml)) if ssml else escape(words) for words, ssml in spoken]
    return f"<speak>{' '.join(inside)}</speak>"
