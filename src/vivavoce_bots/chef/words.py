"""The robot's actions, things and words, from its file. They are named in Italian, as in the notation."""

import re
from collections.abc import Mapping
from typing import Any, Final

from vivavoce_bots.dialogue.gist import gist, requested, rewritten
from vivavoce_bots.dialogue.speech import LANGUAGES, read_data
from vivavoce_bots.dialogue.spotting import Entry, Spotter, tokens

_KITCHEN: Final[Mapping[str, Any]] = read_data("kitchen")


def _foods(language: str) -> list[str]:
    """The names of one word of the foods that are known elsewhere in this package."""
    data = read_data("foods")
    names = [name for food in data["foods"].values() for name in food[language]]
    return [name for name in (*names, *data["others"][language]) if " " not in name]


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
EXAMPLES: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["examples"]
"""Commands that may be said as things stand."""
OFFERS: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["offers"]
"""What would make cooking possible: the question, and the commands."""
OFFERED: Final = {language: re.compile(one["wanted"], re.I) for language, one in OFFERS.items()}
"""Questions whether one should do something."""
FEMININE: Final = frozenset(_KITCHEN["nouns"]["it"]["feminine"])
PLURAL: Final = frozenset(_KITCHEN["nouns"]["it"]["plural"])
"""With what states and articles agree in Italian."""
REFUSED: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["refused"]
AT: Final[Mapping[str, Mapping[str, str]]] = _KITCHEN["at"]
QUANTITY: Final = re.compile(rf"\b({_KITCHEN['quantities']})(?=\s|$)", re.I)
PARTS: Final = {language: re.compile(form, re.I) for language, form in _KITCHEN["parts"].items()}

REWRITES: Final[Mapping[str, list[list[str]]]] = _KITCHEN["rewrites"]
NEAR: Final[Mapping[str, str]] = {
    word: name for name, one in _KITCHEN["near"].items() for words in one.values() for word in words
}
"""What is here in place of what is not: cheese for parmesan."""
VEGETABLES: Final[tuple[str, ...]] = tuple(_KITCHEN["vegetables"])
STATES: Final = {
    language: {
        state: frozenset(word for phrase in words[language] for word in tokens(phrase))
        for state, words in _KITCHEN["states"].items()
    }
    for language in LANGUAGES
}
"""Words for what is so, by the fact."""
PREPARED: Final[Mapping[str, Mapping[str, frozenset[str]]]] = {
    language: {action: frozenset(words[language]) for action, words in _KITCHEN["prepared"].items()}
    for language in LANGUAGES
}
"""Words beside a food for what is to be done to it before, by the action."""
HOW: Final[Mapping[str, str]] = _KITCHEN["how"]
"""What is so, in English, by the fact."""
ASKED: Final = {
    language: {kind: re.compile(form, re.I) for kind, form in _KITCHEN["asked"][language].items()}
    for language in LANGUAGES
}
"""What is asked, by kind."""
LACKS: Final = {
    language: frozenset(
        word for name in (*_KITCHEN["lacks"][language], *_foods(language)) for word in tokens(name)
    )
    - frozenset(word for name in _KITCHEN["not_lacked"] for word in tokens(name))
    for language in LANGUAGES
}
"""Words for food and tools, of which what is no thing of this kitchen is lacking."""

_SETS: Final = ("for", "not", "onto", "with", "from", "into", "naming", "between", "proclitics")
WORDS: Final[Mapping[str, Mapping[str, Any]]] = {
    language: {
        name: frozenset(words) if name in _SETS else re.compile(words, re.I)
        for name, words in _KITCHEN["reading"][language].items()
    }
    for language in LANGUAGES
}
"""Words and forms by which clauses are read."""


def _lexicon(language: str) -> Spotter:
    spotter = Spotter()
    for kind, phrases in _KITCHEN["lexicon"][language].items():
        for phrase in phrases:
            spotter.learn(phrase, Entry(kind))
    _learn_things(spotter, language)
    return spotter


def _learn_things(spotter: Spotter, language: str) -> None:
    for group in ("containers", "places", "ingredients"):
        for name, words in _KITCHEN[group].items():
            for phrase in words if language == "en" else [name]:
                spotter.learn(phrase, Entry("thing", None, name))
    for word, name in _KITCHEN["synonyms"].items() if language == "it" else ():
        spotter.learn(word, Entry("thing", None, name))


LEXICON: Final = {language: _lexicon(language) for language in LANGUAGES}

DO_THAT: Final = {
    "en": re.compile(r"\b(?:please )?do (?:that|it|so)\b(?! for)", re.I),
    "it": re.compile(r"\b(?:fallo|lo faccia|faccialo|fai (?:così|questo|quello))\b", re.I),
}
"""What has just been denied is wanted."""


def learn_words(spotter: Spotter, language: str) -> None:
    """Teach things, and what else people say to the robot."""
    for kind, phrases in _KITCHEN["phrases"][language].items():
        for phrase in phrases:
            spotter.learn(phrase, Entry(kind))
    for state, words in _KITCHEN["states"].items():
        for phrase in words[language]:
            spotter.learn(phrase, Entry("state_of", None, state))
    _learn_things(spotter, language)


def heard_as(text: str, language: str) -> str:
    """A turn as it is meant: requests as commands, idioms in plain words, nothing told besides."""
    plain = rewritten(requested(text.replace("’", "'"), language), REWRITES[language])
    things = LEXICON[language]
    verbs = VERBS[language].values()
    return gist(
        plain,
        language,
        lambda one: bool(things.find(one, tokens(one))) or any(form.search(one) for form in verbs),
    )


_YES: Final = {language: re.compile(form, re.I) for language, form in _KITCHEN["yes"].items()}


_SWAPS: Final[Mapping[str, str]] = _KITCHEN["swaps"]


def says_yes(text: str, proposed: str, language: str) -> str:
    """A turn with what was offered in place of its yes: a weak one counts only where it stands alone."""
    begins = re.match(r"[^.!?]{1,25}[.!?]+\s+(?=(?:yes|yeah|s[iì])\b)", text, re.I)
    text = text[begins.end() :] if begins else text  # in the milk. Yes
    hot = {place: AT[place][language] for place in ("fuoco", "forno")}
    swap = re.match(_SWAPS[language], text, re.I) if hot["fuoco"] in proposed else None
    if swap is not None:  # yes, but in the oven
        rest = " ".join(re.split(r"(?<=[.!?])\s+", text[swap.end() :])[1:])
        return f"{proposed.replace(hot['fuoco'], hot['forno'])}. {rest}".strip()
    found = _YES[language].match(text)
    if found is None or not (found["sure"] or found["weak"]):
        return text
    rest = text[found.end() :]
    head = re.split(r"[.,;!?]", rest)[0]
    linked = re.match(r"(?:and|e|then|poi)\b", head, re.I)
    asks = rest[len(head) :].startswith("?")
    if any(form.search(head) for form in VERBS[language].values()) and not (linked or asks):
        return text
    if LEXICON[language].find(head, tokens(head)) and not linked:  # yes, on the stove!
        rest = rest[len(head) :].lstrip(" .,;!?")
    if rest and not found["sure"]:
        return text
    return f"{proposed}. {rest}" if rest else proposed


_NODS: Final = {
    "en": ("ok", "okay", "right", "fine", "good", "great", "alright", "cool", "lovely", "oh", "ah"),
    "it": ("va", "bene", "perfetto", "ottimo", "accordo", "d'", "d"),
}
_LAUGHS: Final = re.compile("a?(?:ha)+h?", re.I)


def nods_along(text: str) -> bool:
    """Whether a turn only agrees or laughs: haha ok."""
    words = [word.lower() for word in tokens(text)]
    return bool(words) and all(
        word in (*_NODS["en"], *_NODS["it"]) or _LAUGHS.fullmatch(word) for word in words
    )
