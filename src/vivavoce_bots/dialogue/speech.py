"""A language as the bots speak it: phrases by which people are understood, and sentences of their own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

from ruamel.yaml import YAML

Phrases = Mapping[str, list[str]]
LANGUAGES: Final = ("en", "it")
COURTESIES: Final = (
    *("hello", "thankyou", "praise", "howareyou", "whoareyou", "service", "insult", "complaint", "human"),
    *("dear", "why", "doubted", "sorry", "chat"),
)
"""What people say that is about no matter, with an answer of its own; the less telling ones last."""
_WHAT_IS: Final = re.compile(
    r"\W*che (?:or[ae]|giorn[oi]|temp[oi]|tip[oi]|cos[ae]|gener[ei]|prezz[oi]|numer[oi]|nom[ei]|orario)\b",
    re.I,
)
_HEDGED: Final = re.compile(
    r"\W*(?:(?:um|uh|er|well|oh|eh|mah|beh)\W+)*(?:i think i|i guess|i suppose i|"
    r"i(?:'d| would) like (?!to know)|i want (?!to know)|vorrei (?!sapere)|volevo (?!sapere))",
    re.I,
)
"""How wishes begin, whatever their mark."""
_ANSWERED_AS: Final = {"service": "whoareyou", "complaint": "insult"}


@dataclass(frozen=True)
class Speech:
    """What a language's file holds, by the names that the file explains."""

    moves: Phrases
    frames: Phrases
    alone: Phrases
    fillers: list[str]
    cues: Phrases
    small: list[str]
    tags: list[str]
    interrogatives: list[str]
    once: list[str]
    rhetorical: list[str]
    order: Mapping[str, Phrases]
    hints: Mapping[str, Phrases]
    asks: Phrases
    anything: Phrases
    elsewhere: Phrases
    attributes: Mapping[str, Mapping[str, Any]]
    time: Mapping[str, Any]
    numbers: Mapping[str, Any]
    slots: Mapping[str, Mapping[str, Any]]
    sentences: Phrases
    answers: Phrases
    forms: Mapping[str, str]
    questions: Phrases


@cache
def read_data(name: str) -> dict[str, Any]:
    """What a YAML file of this package holds, read once and not to be changed; without its ending."""
    return read_yaml(files("vivavoce_bots") / "data" / f"{name}.yaml")


def read_yaml(source: Traversable) -> dict[str, Any]:
    """What a YAML file holds."""
    return YAML(typ="safe", pure=True).load(source.read_text("utf-8"))


@cache
def speech(language: str) -> Speech:
    """The phrases and sentences of one of the languages."""
    raw = read_data(f"phrases.{language}")
    return Speech(**{field.name: raw[field.name] for field in fields(Speech)})


def language_of(tag: str) -> str:
    """The language that the bot speaks for a tag such as it-IT; English where it speaks none."""
    return tag[:2].lower() if tag[:2].lower() in LANGUAGES else "en"


def courtesies_of(said: Sequence[str]) -> tuple[str, ...]:
    """The courtesies that are answered, two at most; small talk and excuses only where they are all."""
    said = [one for one in said if one != "praise" or not {"chat", "thankyou"} & {*said}]  # lovely weather
    whole = [one for one in said if one not in ("chat", "sorry")] or list(said)
    return tuple(dict.fromkeys(_ANSWERED_AS.get(one, one) for one in whole))[:2]


def is_question(text: str, language: str) -> bool:
    """Whether a text asks something: by its mark, or by the word that it begins with; no `I want a pub?`."""
    asks = text.rstrip().endswith("?") and _HEDGED.match(text) is None
    begins = _asking(language).match(text)
    asks_what = begins is not None and (
        begins[0].strip().lower() != "che" or _WHAT_IS.match(text) is not None
    )
    return asks or asks_what  # che prima porto fuori il cane asks nothing


@cache
def _asking(language: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{'|'.join(map(re.escape, speech(language).interrogatives))})\b", re.I)


def without_tag(text: str, language: str) -> str:
    """A text without a tag that makes no question of it: `soup, all right?`."""
    return _tag(language).sub("", text)


@cache
def _tag(language: str) -> re.Pattern[str]:
    tags = "|".join(map(re.escape, speech(language).tags))
    return re.compile(rf"\s*[,.;!]\s*(?:{tags})\s*\?+\s*$", re.I)
