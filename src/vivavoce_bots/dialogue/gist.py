"""What of a long turn is the matter: requests without their courtesy, nothing of what is told besides.

People tell why, for whom and what else; a bot listens for what it knows and passes over the rest in silence.
A word that nobody knows may name a thing only where it is none of the words that name nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.spotting import tokens

_PIECES: Final = re.compile(r"(?<=[.!?;:…])\s+|(?<=,)\s+|\s+[-–—]\s+")
_MOST_PIECES: Final = 40
LONGEST_TOLD: Final = 600  # characters of what somebody may say in one turn; more is left as it is
_TAG: Final = re.compile(r"\b(please|per favore|per piacere|per cortesia|ok|okay|grazie)\s*\?+\s*$", re.I)
_ENDS: Final = r"[^,.;:!?…]*"


@dataclass(frozen=True)
class _Talk:
    please: re.Pattern[str]
    besides: re.Pattern[str]
    people: re.Pattern[str]
    nothings: frozenset[str]
    endings: re.Pattern[str]


@cache
def _talk(language: str) -> _Talk:
    raw: Mapping[str, Any] = read_data("talk")[language]
    whose = {
        "en": r"(?:my|our|his|her|their|the)",
        "it": r"(?:(?:il|la|i|le|l') ?)?(?:mi[oae]i?|mie|nostr[oaie]|su[oa])",
    }
    people = "|".join(map(re.escape, raw["people"]))
    pronouns = {"en": r"(?:she|he|they|it)\b(?:'s|'d|'ll)?", "it": r"(?:lei|lui|loro)\b"}
    linked = {"en": r"(?:and|but|so|well|now|oh|as)", "it": r"(?:e|ma|allora|oh|che)"}
    return _Talk(
        re.compile(raw["please"], re.I),
        re.compile(rf"\b(?:{'|'.join(raw['besides'])})\b{_ENDS}", re.I),
        re.compile(
            rf"\s*(?:{linked[language]},? )*(?:{whose[language]} (?:\w+ )?(?:{people})\b"
            rf"|{pronouns[language]} "
            r"|(?:and )?(?:the sun|the weather|il sole|il tempo) "
            r"|(?:mr|mrs|ms|miss|dr|la signora|il signor|il dottor)\.? \w+ )",
            re.I,
        ),
        frozenset(word for phrase in raw["nothings"] for word in tokens(str(phrase))),
        re.compile(raw["endings"]),
    )


def requested(text: str, language: str) -> str:
    """A text whose requests are commands: `could you take it out?` asks nothing."""
    if len(text) > LONGEST_TOLD:
        return text
    form = _talk(language).please
    pieces = [one for one in _PIECES.split(text) if one][:_MOST_PIECES]
    kept: list[str] = []
    for piece in pieces:
        begins = form.match(piece)
        plain = piece[begins.end() :] if begins else piece
        if begins and (it := begins.groupdict().get("it")):  # lo puoi togliere: togliere lo
            plain = re.sub(r"^\w+", rf"\g<0> {it}", plain)
        kept.append(re.sub(r"\s*\?+\s*$", ".", plain) if begins else piece)
    whole = " ".join(kept)
    return _TAG.sub(r"\1.", whole) if whole != " ".join(pieces) else whole


def gist(
    text: str, language: str, tells: Callable[[str], bool], keeps: Callable[[str], bool] = lambda _: False
) -> str:
    """A text without what is told besides; all of it where nothing that `tells` would be left.

    keeps  whether something that is told besides is about the matter all the same
    """
    if len(text) > LONGEST_TOLD:
        return text
    talk = _talk(language)
    pieces = [one for one in _PIECES.split(text) if one][:_MOST_PIECES]
    told: list[str] = []
    for piece in pieces:
        if keeps(piece) or not talk.people.match(piece):
            told.append(piece)
        elif told and piece[-1] in ".!?…" and told[-1][-1] in ",;:":
            told[-1] = f"{told[-1][:-1]}."  # the centre, she's a talker! Do they do snacks?
    kept = [talk.besides.sub(lambda found: found[0] if keeps(found[0]) else " ", one) for one in told]
    left = " ".join(one for one in kept if re.search(r"\w", one))
    return left if tells(left) else text


def pertinent(text: str, language: str, told_in: Callable[[str], set[str]]) -> str:
    """A text without reasons and other people's doings, but for what only these tell.

    told_in  what a text says of the matter, by name
    """
    if not told_in(text):
        return text
    left = gist(text, language, lambda one: bool(told_in(one)))
    if left == text:
        return text
    main = told_in(left)
    return gist(text, language, lambda _: True, lambda one: bool(told_in(one) - main))


def names_nothing(word: str, language: str) -> bool:
    """Whether a word is the name of no thing: a verb, an adverb, a time, a quality, a filler."""
    talk = _talk(language)
    plain = "".join(tokens(word))
    return len(plain) <= 2 or plain in talk.nothings or talk.endings.search(plain) is not None


def rewritten(text: str, forms: Sequence[Sequence[str]]) -> str:
    """A text in which idioms stand as what they mean: pairs of a form and what takes its place."""
    for form, plain in forms if len(text) <= LONGEST_TOLD else ():
        text = _form(form).sub(plain, text)
    return text


@cache
def _form(form: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{form})(?:(?!\w)|(?<=\W))", re.I)
