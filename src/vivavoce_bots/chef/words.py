"""The robot's actions, things and words, from its file. They are named in Italian, as in the notation."""

import re
from collections.abc import Mapping
from typing import Any, Final

from vivavoce_bots.dialogue.speech import LANGUAGES, read_data
from vivavoce_bots.dialogue.spotting import Entry, Spotter

_KITCHEN: Final[Mapping[str, Any]] = read_data("kitchen")

ACTIONS: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(one["needs"]) for name, one in _KITCHEN["actions"].items()
}
"""What an action takes, in order; `?` marks what may be left out."""
ENGLISH: Final[dict[str, str]] = {name: one["en"] for name, one in _KITCHEN["actions"].items()}
VERBS: Final[dict[str, dict[str, re.Pattern[str]]]] = {
    language: {
        name: re.compile(rf"\b(?:{one['words'][language]})\b", re.I)
        for name, one in _KITCHEN["actions"].items()
    }
    for language in LANGUAGES
}
CONTAINERS: Final[dict[str, str]] = {name: words[0] for name, words in _KITCHEN["containers"].items()}
PLACES: Final[dict[str, str]] = {name: words[0] for name, words in _KITCHEN["places"].items()}
INGREDIENTS: Final[dict[str, str]] = {name: words[0] for name, words in _KITCHEN["ingredients"].items()}
THINGS: Final[dict[str, str]] = {**CONTAINERS, **PLACES, **INGREDIENTS}
SAID: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["says"]
REFUSED: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["refused"]
AT: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["at"]
QUANTITY: Final = re.compile(rf"\b({_KITCHEN['quantities']})(?=\s|$)", re.I)
PARTS: Final = {language: re.compile(form, re.I) for language, form in _KITCHEN["parts"].items()}

NAMING: Final = {language: frozenset(words) for language, words in _KITCHEN["naming"].items()}
"""Words behind which a word names a thing."""
INTO: Final = {language: re.compile(rf"\b(?:{form})", re.I) for language, form in _KITCHEN["into"].items()}


def learn_words(spotter: Spotter, language: str) -> None:
    """Teach things, and what else people say to the robot."""
    for kind, phrases in _KITCHEN["phrases"][language].items():
        for phrase in phrases:
            spotter.learn(phrase, Entry(kind))
    for state, words in _KITCHEN["states"].items():
        for phrase in words[language]:
            spotter.learn(phrase, Entry("state_of", None, state))
    for group in ("containers", "places", "ingredients"):
        for name, words in _KITCHEN[group].items():
            for phrase in words if language == "en" else [name]:
                spotter.learn(phrase, Entry("thing", None, name))
    for word, name in _KITCHEN["synonyms"].items() if language == "it" else ():
        spotter.learn(word, Entry("thing", None, name))
