"""What a page says to people, and what of it is the same in another language."""

import re
from collections.abc import Iterable
from html.parser import HTMLParser
from typing import Any, Final

SPOKEN: Final = ("aria-label", "title", "alt", "placeholder", "data-asks", "data-copied", "data-unreached")
SILENT: Final = frozenset(("code", "pre", "kbd", "script", "style", "textarea"))
VOID: Final = frozenset(("input", "meta", "link", "img", "br", "hr", "line", "rect", "circle", "path"))
WORD: Final = re.compile(r"[^\W\d_]{2}")
ENGLISH: Final = re.compile(r"\b(?:the|and|of|is|are|was|with|not|by|to|for|your|this|that)\b")
KEY: Final = re.compile(
    r"[\w.:-]*[0-9a-f]{8,}…?|\S*[a-z]_[a-z]\S*|#?[\w.]+(-[\w.]+)+|UTC\.?|[a-z]{2}|([\d.,:\s]+(s|ms|min|h))+|.*\|unit:.*"
)  # ids, signatures, files, languages, durations


class _Texts(HTMLParser):
    def __init__(self, language: str) -> None:
        super().__init__(convert_charrefs=True)
        self.language, self.found = language, set[str]()
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        other = given.get("lang", self.language) != self.language
        if not other:
            self.found |= {" ".join(given[name].split()) for name in SPOKEN if name in given}
        if tag not in VOID and (self._silent or other or tag in SILENT):
            self._silent.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._silent and tag == self._silent[-1]:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.found.add(" ".join(data.split()))


def page_texts(page: str) -> set[str]:
    """Every text of a page and every attribute read out, but code, ids, and what is in another language."""
    language = re.search(r'<html lang="([^"]+)"', page)
    reader = _Texts(language[1] if language else "")
    reader.feed(page)
    reader.close()
    return {text for text in reader.found if WORD.search(text) and not KEY.fullmatch(text)}


def untranslated(english: str, other: str, data: set[str]) -> set[str]:
    """What two pages say in the same words, or the other in English words, apart from what users brought."""
    known = {" ".join(text.split()) for text in data}
    there = page_texts(other)
    same = {text for text in page_texts(english) & there if text not in known}
    return same | {text for text in there - known if ENGLISH.search(_without(text, known))}


def _without(text: str, data: set[str]) -> str:
    """A sentence without what users wrote in it."""
    for one in sorted(data, key=len, reverse=True):
        if len(one) > 8:
            text = text.replace(one, "")
    return text


SAME: Final = frozenset(
    (
        "no",
        "Vivavoce",
        "– Vivavoce",
        "Dataset",
        "Wilson",
        "Account",
        "Password",
        "English",
        "Italiano",
        "Test",
    )
)


def same_in_italian(browser: Any, page: str, data: Iterable[str] = ()) -> set[str]:
    """What a page says in Italian with the very words of the English one; browser: signed in."""
    english, italian = (browser.get(page, headers={"accept-language": tag}) for tag in ("en", "it"))
    assert english.status_code == italian.status_code, (page, english.status_code, italian.status_code)
    assert page_texts(english.text) or not english.text.strip(), page
    if "<html" in italian.text:
        assert '<html lang="it"' in italian.text, page
    return untranslated(english.text, italian.text, {*data, *SAME})
