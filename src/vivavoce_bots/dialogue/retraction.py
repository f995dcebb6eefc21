"""What is taken back in the same breath: of `pasta, no wait, rice` only the rice is left."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

_LONGEST: Final = 600
_MOST: Final = 3
_MARKS: Final[Mapping[str, str]] = {
    "en": r"(?:(?:oh|um|uh|er|ah|or|well|but|and)\W+)*"
    r"(?:no(?=\s*[,.…!-])|no (?:wait|sorry|hang on|hold on)|wait|sorry|rather|actually|i meant?|make that)"
    r"(?:\W+(?:no|wait|sorry|hang on|rather|actually|not that|i meant?|i think|it was|that was"
    r"|they were)\b)*",
    "it": r"(?:(?:oh|ehm|eh|ah|o|ma|beh)\W+)*"
    r"(?:no(?=\s*[,.…!-])|no (?:aspetta|aspetti|scusa|scusi)|anzi|aspetta|aspetti|volevo dire|"
    r"intendevo|cioè)"
    r"(?:\W+(?:no|anzi|aspetta|aspetti|scusa|scusi|mi sa che|intendevo|volevo dire|era|erano)\b)*",
}
_DENIAL: Final = r"no|not|never|without|non|niente|né|senza|and|e"
_SIZE: Final[Mapping[str, str]] = {
    "en": r"(?:a|an|the|one|two|three|four|half an?|some|my|\d+(?: ?g| ?ml)?(?: of)?)",
    "it": r"(?:una?|uno|il|la|lo|le|i|due|tre|quattro|mezz[ao]|del(?:la|lo)?"
    r"|\d+(?: ?g| ?ml| grammi)?(?: di)?)",
}


@cache
def _form(names: tuple[str, ...], language: str) -> re.Pattern[str]:
    named = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    size = _SIZE[language]
    return re.compile(
        rf"(?P<size>\b{size} )?(?:\bun'|\bl')?\b(?P<old>{named})\b"
        rf"(?:\s+(?!(?:{_DENIAL})\b)\w+|,\s*(?:then|please|yes|sì|grazie|credo|i think)\b){{0,2}}"
        rf"[\s,.…!;–-]+{_MARKS[language]}[\s,.…!–-]+"
        rf"(?P<rest>(?:(?:{_DENIAL})\W+(?=(?P=old)\b)|(?!(?:{_DENIAL})\b)[\w']+?[\s']+){{0,4}}?\b(?:{named})\b)",
        re.I,
    )


def without_retracted(text: str, language: str, names: Iterable[str]) -> str:
    """A text without the names that another of the same kind takes the place of in the same breath.

    names  words of one kind, such as foods or rooms
    """
    if len(text) > _LONGEST:
        return text
    own = re.compile(rf"(?:\w+ )?{_SIZE[language]}\b", re.I)

    def kept(found: re.Match[str]) -> str:
        size = found["size"] or ""
        return found["rest"] if own.match(found["rest"]) else f"{size}{found['rest']}"

    form = _form(tuple(names), language)
    for _ in range(_MOST):  # salt, no, sugar; no, salt
        text, times = form.subn(kept, text)
        if not times:
            break
    return text
