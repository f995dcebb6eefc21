"""What people say about the conversation itself: that something was said before, asked twice, not answered.

Such words are told apart from what is said besides, which is then heard as if it stood alone: of `I told you,
Naples` Naples is left.
"""

import re
from functools import cache
from typing import Final, NamedTuple

from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT

FRAMES: Final = ("hold", "why_did", "twice", "missed", "said")
"""What a frame says: that the bot shall wait; why something was done; that it was asked or told twice; that
something else was asked; that it was said before. The first that is found is answered."""
_INDIRECT: Final = ("asked", "wonder")  # questions told as statements: I asked whether it is near
_NOT: Final = {"en": "not", "it": "non"}
_LOOSE: Final = re.compile(r"^[\s,;:.!\-–—]+|[\s,;:\-–—]+$")
_FEWEST: Final = 2  # letters of what is left


class Framed(NamedTuple):
    """A text without the words about the conversation, and what these say; None where there are none."""

    frame: str | None
    text: str


def unframed(text: str, language: str) -> Framed:
    """What a text says of the conversation, and what it says besides."""
    plain = text[:LONGEST_TEXT].replace("’", "'")
    found: list[str] = []
    indirect = False
    for frame, form in _forms(language):
        match = form.search(plain)
        if match is None:
            continue
        found += {"asked": ["missed"], "unasked": ["missed"], "wonder": []}.get(frame, [frame])
        left, right = plain[: match.start()], plain[match.end() :]
        if frame == "unasked":  # I did not ask for a ticket
            right = f"{_NOT[language]} {right.strip()}" if _said(right) else ""
        if frame in _INDIRECT:
            indirect = True
            right = right.rstrip(" .!")
            right = f"{match.groupdict().get('word') or ''} {right.strip()}".strip()
            right += "" if right.endswith("?") or not right else "?"
        plain = f"{_LOOSE.sub('', left)}, {_LOOSE.sub('', right)}" if _said(left) else right
        plain = _LOOSE.sub("", plain)
    if not found:
        return Framed(None, plain if indirect and _said(plain) else text)
    return Framed(min(found, key=FRAMES.index), plain if _said(plain) else "")


def _said(text: str) -> bool:
    return len(re.sub(r"\W", "", text)) >= _FEWEST or any(letter.isdigit() for letter in text)


@cache
def _forms(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    known = speech(language).frames
    return tuple((frame, re.compile(form, re.I)) for frame, forms in known.items() for form in forms)
