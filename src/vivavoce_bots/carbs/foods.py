"""The food table, and finding foods and quantities in what people write."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import read_data, speech
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Entry, Spotter

_WORD: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+(?:'(?=\w))?")
_GRAMS: Final = {
    "g",
    "gr",
    "gram",
    "grams",
    "grammi",
    "grammo",
    "etti",
    "etto",
    "kg",
    "kilo",
    "kilos",
    "chilo",
    "ml",
    "millilitri",
    "millilitres",
    "cl",
    "litre",
    "litres",
    "liter",
    "litro",
    "litri",
}
_TIMES: Final = {
    "etti": 100,
    "etto": 100,
    "kg": 1_000,
    "kilo": 1_000,
    "kilos": 1_000,
    "chilo": 1_000,
    "cl": 10,
    "litre": 1_000,
    "litres": 1_000,
    "liter": 1_000,
    "litro": 1_000,
    "litri": 1_000,
}
_LONGEST_NAME: Final = 4  # words
_GOES_WITH: Final = {"al", "alla", "allo", "all'", "ai", "agli", "alle", "di", "d'", "del", "della", "dei"}
_SINGULAR: Final = {"e": "ai", "i": "oe", "o": "i", "a": "e"}
_SHORT: Final = 4
_SHARES: Final = (
    (re.compile(r"more|più", re.I), 1.25),
    (re.compile(r"less|meno", re.I), 0.75),
    (re.compile(r"double|twice|doppio", re.I), 2.0),
    (re.compile(r"two thirds|due terzi", re.I), 2 / 3),
    (re.compile(r"third|terzo", re.I), 1 / 3),
    (re.compile(r"quarter|quarto", re.I), 0.25),
)
_LETTERS: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+")
_LEAST_LIKE: Final = 0.6
_SURELY_LIKE: Final = 0.75  # of short names
_SPOON: Final = 15.0  # grams that a spoon takes of what is eaten by more than the spoon
_TEASPOON: Final = 5.0
_FEWEST_PIECES: Final = 2
_GRAMS_FROM: Final = 20  # nobody eats twenty portions: a bare number from here on is grams


@dataclass(frozen=True)
class Food:
    """One food, or a group: grams of carbohydrate in 100 g, a usual portion, slice, piece, its names.

    dash  what goes into a coffee or tea
    """

    key: str
    carbs: float
    portion: float
    unit: bool
    names: dict[str, list[str]]
    group: bool = False
    slice: float | None = None
    piece: float | None = None
    dash: float | None = None

    def name(self, language: str) -> str:
        return self.names[language][0]

    def carbohydrates(self, grams: float) -> float:
        return self.carbs * grams / 100


def alike(one: Food | None, other: Food | None) -> bool:
    """Whether as much is eaten of one food as of another."""
    return one is not None and other is not None and one.portion / 2 <= other.portion <= one.portion * 2


class Quantity(NamedTuple):
    """Grams, or a number of portions, pieces, `slices`, spoons of so many grams; none if nothing was said.

    share  a part of what was noted: half of it
    """

    grams: float | None = None
    number: float | None = None
    slices: bool = False
    spoon: float | None = None
    pieces: bool = False
    share: float | None = None

    def of(self, food: Food, held: float | None = None) -> float | None:
        """Grams of a food, of which so many were noted."""
        if self.share is not None:
            return self.share * (held or food.portion)
        if self.grams is not None:
            return self.grams
        each = food.slice if self.slices and food.slice else food.portion
        each = food.piece if self.pieces and food.piece and not (self.slices and food.slice) else each
        small = self.spoon == _TEASPOON or each > 2 * _SPOON
        each = min(each, self.spoon) if self.spoon and small else each
        return self.number * each if self.number is not None else None

    def times(self, degree: float) -> "Quantity":
        """Small or thin ones of that number."""
        return self._replace(number=(self.number or 1.0) * degree)


NOTHING: Final = Quantity()
ONE: Final = Quantity(None, 1.0)
"""An article, perhaps."""


class Named(NamedTuple):
    """A food named in a text: where, as it was written, the food; none where the table lacks it."""

    start: int
    end: int
    written: str
    food: Food | None


class Manner:
    """How people speak of meals in one language, read from its file.

    forms  regular expressions of what is done with foods and amounts, by the names that the file explains
    """

    def __init__(self, language: str) -> None:
        raw: Mapping[str, Any] = read_data(f"carbs.{language}")
        counted = speech(language).time["numbers"]
        self.frames = re.compile(rf"\b(?:{'|'.join(map(re.escape, raw['frames']))})\b", re.I)
        self.phrases: Mapping[str, list[str]] = raw["phrases"]
        self.says: Mapping[str, list[str]] = raw["says"]
        self.aside, self.strange = set(raw["aside"]), set(raw["strange"])
        self.portions, self.some = set(raw["portions"]), set(raw["some"])
        self.slices, self.rewrites = set(raw["slices"]), raw["rewrites"]
        self.spoons, self.teaspoons = set(raw["spoons"]), set(raw["teaspoons"])
        self.degrees: Mapping[str, float] = raw["degrees"]
        self.numbers: dict[str, float] = {counted[0]: 1} | raw["numbers"]  # the others are digits by then
        self.forms: Mapping[str, re.Pattern[str]] = {
            name: re.compile("|".join(form) if isinstance(form, list) else form, re.I)
            for name, form in raw["forms"].items()
        }

    def tells(self, word: str) -> bool:
        """Whether a word may be part of a food's name."""
        return len(word) > 2 and word not in self.aside

    def amounts(self, word: str) -> bool:
        """Whether a word says how much."""
        return (
            word[0].isdigit()
            or word in _GRAMS
            or word in self.numbers
            or word in self.portions
            or word in self.degrees
            or word in self.some
        )


@cache
def read_manner(language: str) -> Manner:
    """How people speak of meals in this language."""
    return Manner(language)


@cache
def read_foods() -> tuple[Food, ...]:
    """The foods of this package."""
    return tuple(
        Food(
            key,
            float(one["carbs"]),
            float(one["portion"]),
            bool(one.get("unit")),
            {"en": list(one["en"]), "it": list(one["it"])},
            bool(one.get("group")),
            one.get("slice"),
            one.get("piece"),
            one.get("dash"),
        )
        for key, one in read_data("foods")["foods"].items()
    )


@cache
def _named(language: str) -> Mapping[str, Food]:
    return {plain(name): food for food in read_foods() for name in food.names[language]}


@cache
def _begins(language: str) -> frozenset[str]:
    """The words with which the names of several words begin."""
    return frozenset(name.split()[0] for name in _named(language) if " " in name)


@cache
def _others(language: str) -> frozenset[str]:
    """The words for foods that the table lacks."""
    return frozenset(plain(name) for name in read_data("foods")["others"][language])


@cache
def _general(language: str) -> frozenset[str]:
    """The words for any food of a kind, `dessert`: nothing beside one that is named."""
    return frozenset(plain(name) for name in read_data("foods")["general"][language])


@cache
def _heads() -> frozenset[str]:
    """The foods that another may go into, named beside it: `chicken soup`, `panino prosciutto`."""
    return frozenset(read_data("foods")["heads"])


def learn_phrases(spotter: Spotter, language: str) -> None:
    """Teach what people say to the counter beside foods."""
    for kind, phrases in read_manner(language).phrases.items():
        for phrase in phrases:
            spotter.learn(phrase, Entry(kind))


class Lexicon:
    """The names of foods in one language, and those learnt in one conversation."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.learnt: dict[str, Food] = {}

    def learn(self, name: str, food: Food) -> None:
        self.learnt[plain(name)] = food

    def food(self, name: str) -> Food | None:
        """The food of this name, learnt or known, in the singular or plural."""
        if self.learnt:
            learnt = (self.learnt.get(form) for form in _forms(plain(name), self.language))
            if (found := next((one for one in learnt if one), None)) is not None:
                return found
        return _known(name, self.language)

    def alike(self, name: str, most: int = 3) -> list[Food]:
        """The foods whose names are most like this one, by letters and by shared words; best first."""
        wanted = plain(name)[:60]
        likeness: dict[str, tuple[float, Food]] = {}
        matcher = SequenceMatcher(None, "", wanted)
        for known, food in _named(self.language).items():
            matcher.set_seq1(known)
            score = 0.8 * bool(set(wanted.split()) & set(known.split()))
            least = max(_LEAST_LIKE if len(wanted) > _SHORT + 1 else _SURELY_LIKE, score)
            if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least:
                score = max(score, matcher.ratio())
            if score >= least and score > likeness.get(food.key, (0.0, food))[0]:
                likeness[food.key] = score, food
        ranked = sorted(likeness.values(), key=lambda pair: (-pair[0], pair[1].key))
        return [food for _, food in ranked[:most]]

    def quantity(self, text: str) -> Quantity:
        """How much a text says: 80 g, two slices, one."""
        return _quantity(_words(in_digits(text, self.language, ordinals=False)), read_manner(self.language))[
            0
        ]

    def counted(self, text: str) -> bool:
        """Whether a text says how much, by more than an article."""
        return self.quantity(text) not in (NOTHING, Quantity(None, 1.0))

    def measured(self, text: str) -> bool:
        """Whether a text says how much: two, a cup."""
        return self.counted(text) or any(
            one in read_manner(self.language).portions for one in tokens_of(text)
        )

    def general(self, name: str) -> bool:
        """Whether a name is one for any food of a kind, `dessert`."""
        return plain(name) in _general(self.language)

    def amount(self, said: str) -> Quantity:
        """How much a text says; small and big ones are parts of a portion."""
        forms = read_manner(self.language).forms
        quantity, degree = self.quantity(said), self.degree(said)
        if (part := forms["share"].search(said)) and quantity.grams is None:
            return Quantity(share=share_of(part[0]))
        one = quantity in (Quantity(), ONE) or quantity.number == 1
        if degree and quantity.grams is None and (one or degree < 1):
            return quantity.times(degree)
        if quantity == Quantity() and forms["usual"].search(said):
            return ONE
        return quantity

    def as_held(self, one: Named, held: frozenset[str]) -> Named:
        """A food by the name under which it was noted: the juice is the orange juice."""
        whole = [name for name in held if {*one.written.split()} < {*name.split()}]
        found = self.named(whole[0]) if len(whole) == 1 and one.written not in held else []
        return one._replace(written=found[0].written, food=found[0].food) if len(found) == 1 else one

    def degree(self, text: str) -> float | None:
        """How much of a portion is said without a number: a little, poca."""
        known = read_manner(self.language).degrees
        return next((known[word] for word in _words(text) if word in known), None)

    def names(self, word: str) -> bool:
        """Whether a word may name a food that nobody knows."""
        manner = read_manner(self.language)
        told = manner.tells(word) and word not in manner.strange
        return told and not names_nothing(word, self.language) and not manner.amounts(word)

    def named(self, text: str) -> list[Named]:
        """The foods that a text names, known or not in the table, in their order.

        Of two names side by side the last is the food in English, `banana bread`, the first in Italian,
        where what goes with it may stand behind a preposition, `risotto ai funghi`.
        """
        plain_text = text[:LONGEST_TEXT].lower().replace("’", "'")
        words = list(_WORD.finditer(plain_text))
        found: list[Named] = []
        at = 0
        while at < len(words):
            length, food = self._longest([word[0] for word in words[at : at + _LONGEST_NAME]])
            if not length:
                at += 1
                continue
            one = Named(words[at].start(), words[at + length - 1].end(), "", food)
            one = one._replace(written=plain_text[one.start : one.end])
            between = plain_text[found[-1].end : one.start].strip() if found else "."
            last = found[-1].food if found else None
            heads = one.food if self.language == "en" else last
            if not between and (last is None or (heads is not None and heads.key in _heads())):
                between = "+"
            if between == "+" and self.language == "en":
                start = found.pop().start
                one = one._replace(start=start, written=plain_text[start : one.end])
            elif between == "+" or (self.language == "it" and between in _GOES_WITH):
                one = found.pop()._replace(end=one.end)
            found.append(one)
            at += length
        return found

    def mentioned(self, text: str) -> list[Food]:
        """The foods of the table that a text names, whatever it says of them."""
        return list({one.food.key: one.food for one in self.named(text) if one.food}.values())

    def _longest(self, words: list[str]) -> tuple[int, Food | None]:
        """How many of the words are the longest name of a food that they begin with, and the food."""
        others = _others(self.language)
        for length in range(len(words), 0, -1):
            name = " ".join(words[:length])
            if (food := self.food(name)) is not None or name in others:
                return length, food
        return 0, None


@lru_cache(maxsize=20_000)
def _known(name: str, language: str) -> Food | None:
    wanted = plain(name)
    if " " in wanted and wanted.split()[0] not in _begins(language):
        return None
    known = _named(language)
    return next((known[form] for form in _forms(wanted, language) if form in known), None)


def _forms(wanted: str, language: str) -> list[str]:
    """A name as it is, in the singular and in the plural."""
    forms = [wanted, wanted.removesuffix("s"), f"{wanted}s"]
    if language == "it" and len(wanted) > _SHORT:  # minestre, panini
        forms += [wanted[:-1] + end for end in _SINGULAR.get(wanted[-1], "")]
    return forms


def plain(name: str) -> str:
    """A name as it is compared: lower case, words apart by one blank."""
    return " ".join(_words(name))


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:LONGEST_TEXT].lower().replace("’", "'"))


def _quantity(words: list[str], manner: Manner) -> tuple[Quantity, int | None, list[str]]:
    """The quantity in the words, after how many of the others it ends, and the words without it."""
    rest: list[str] = []
    grams: float | None = None
    count: float | None = None
    ends: int | None = None
    slices = bool(manner.slices & set(words))
    spoon = _SPOON if manner.spoons & set(words) else _TEASPOON if manner.teaspoons & set(words) else None
    for word, following in zip(words, [*words, ""][1:], strict=True):
        digits = word[0] in "0123456789" and len(word) <= 6
        number = float(word.replace(",", ".")) if digits else manner.numbers.get(word)
        if number is not None and following in _GRAMS:
            half = count if count is not None and count < 1 and number == 1 else None  # half a litre
            grams, count = (half or number) * _TIMES.get(following, 1), None if half else count
        elif digits:
            count = number
        elif number is not None:
            count = number if count in (None, 1) or number < 1 else count
        elif word in manner.portions:
            count = 1 if count is None else count
        elif word not in _GRAMS and word not in manner.some:
            rest.append(word)
            continue
        ends = len(rest)
    if grams is None and count is not None and count >= _GRAMS_FROM:
        grams, count = count, None
    counted = count is not None
    pieces = count is not None and count >= _FEWEST_PIECES and not manner.portions & {*words} - manner.slices
    return Quantity(grams, count, slices and counted, spoon if counted else None, pieces), ends, rest


def without(text: str, named: Sequence[Named]) -> str:
    """A text without the foods in it."""
    for one in reversed(named):
        text = f"{text[: one.start]} {text[one.end :]}"
    return text


def share_of(words: str) -> float:
    """What part of the amount before is said: half of it, double that."""
    return next((part for form, part in _SHARES if form.search(words)), 0.5)


def tokens_of(text: str) -> list[str]:
    """The words of a text with their accents, in lower case."""
    return [word.lower() for word in _LETTERS.findall(text)]


def merged(before: Quantity, now: Quantity) -> Quantity:
    """An amount behind another of the same food: small ones of that number, half of it, another amount."""
    if now.share is not None and before != Quantity():
        grams = before.grams * now.share if before.grams is not None else None
        return before._replace(grams=grams, number=before.number * now.share if before.number else None)
    if now.grams is not None or now.number is None or now.number >= 1:
        return now
    if before.grams is not None:
        return before
    if before.number is not None and before.number > 1 and not now.spoon:
        return before.times(now.number)
    return now
