"""The food table, and finding foods and quantities in what people write."""

import re
from collections.abc import Iterator, Mapping
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
_AND: Final = {"and", "e"}
_TOP: Final = {*_AND, "plus", "+", "&", "with", "then", "con", "poi", "più", "col", "coi"}
_MORE: Final = re.compile(
    r"\s*(?:and |e )?(?:another|one more|also|then|anche|un altr[oa]|un'altra|poi)\b", re.I
)
_MOST_PIECES: Final = 20
_MOST_WORDS: Final = 4
_MOST_LOOSE: Final = 8  # words of a turn in which a word that nobody knows may be a food
_BARE: Final = 2  # words of an unknown food that stands by itself
_SINGULAR: Final = {"e": "a", "i": "oe"}
_SHORT: Final = 4
_LEAST_LIKE: Final = 0.6
_SPOON: Final = 15.0  # grams that a spoon takes of what is eaten by more than the spoon
_TEASPOON: Final = 5.0
_FEWEST_PIECES: Final = 2
_GRAMS_FROM: Final = 20  # nobody eats twenty portions: a bare number from here on is grams


@dataclass(frozen=True)
class Food:
    """One food, or a group: grams of carbohydrate in 100 g, a usual portion, slice, piece, its names."""

    key: str
    carbs: float
    portion: float
    unit: bool
    names: dict[str, list[str]]
    group: bool = False
    slice: float | None = None
    piece: float | None = None

    def name(self, language: str) -> str:
        return self.names[language][0]

    def carbohydrates(self, grams: float) -> float:
        return self.carbs * grams / 100


class Quantity(NamedTuple):
    """Grams, or a number of portions, pieces, `slices`, spoons of so many grams; none if nothing was said."""

    grams: float | None = None
    number: float | None = None
    slices: bool = False
    spoon: float | None = None
    pieces: bool = False

    def of(self, food: Food) -> float | None:
        if self.grams is not None:
            return self.grams
        each = food.slice if self.slices and food.slice else food.portion
        each = food.piece if self.pieces and food.piece else each
        small = self.spoon == _TEASPOON or each > 2 * _SPOON
        each = min(each, self.spoon) if self.spoon and small else each
        return self.number * each if self.number is not None else None

    def times(self, degree: float) -> "Quantity":
        """Small or thin ones of that number."""
        return self._replace(number=(self.number or 1.0) * degree)


_ONE: Final = Quantity(None, 1.0)  # an article, perhaps


class Item(NamedTuple):
    """A piece of a meal as written: what, how much; the food where it is known; `denied`: not eaten."""

    written: str
    quantity: Quantity
    food: Food | None
    denied: bool = False


class Manner:
    """How people speak of meals in one language, read from its file."""

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
        self._split = re.compile(f"({raw['split']})", re.I)
        rather = "|".join(map(re.escape, speech(language).numbers["rather"]))
        self.rather = re.compile(rf"\s*(?:{rather})\b", re.I)
        self._deny = re.compile(rf"\b(?:{raw['deny']})\b", re.I)

    def tells(self, word: str) -> bool:
        """Whether a word may be part of a food's name."""
        return len(word) > 2 and word not in self.aside

    def pieces(self, text: str) -> Iterator[tuple[str, bool, bool]]:
        """The pieces of a meal, whether each was not eaten (`and` carries that on), and comes on top."""
        parts = self._split.split(text[:LONGEST_TEXT], _MOST_PIECES)
        denied = False
        for part, before in zip(parts[::2], ["", *parts[1::2]], strict=True):
            denied, joins = denied and before.strip().lower() in _AND, before.strip().lower() in _TOP
            for at, piece in enumerate(self._deny.split(part)):
                refused = at > 0 or piece.rstrip().lower().endswith(" no")
                denied = refused or (denied and not any(letter.isdigit() for letter in piece))
                yield piece, denied, joins or _MORE.match(piece) is not None


@cache
def read_manner(language: str) -> Manner:
    """How people speak of meals in this language."""
    return Manner(language)


@cache
def read_foods() -> tuple[Food, ...]:
    """The foods of this package."""
    return tuple(
        Food(key, float(one["carbs"]), float(one["portion"]), bool(one.get("unit")),
             {"en": list(one["en"]), "it": list(one["it"])}, bool(one.get("group")),
             one.get("slice"), one.get("piece"))
        for key, one in read_data("foods")["foods"].items()
    )  # fmt: skip


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

    def items(self, text: str) -> list[Item]:
        """The pieces of a meal as written, twenty at most; those without a word of food are left out."""
        manner = read_manner(self.language)
        short = len(_words(text)) <= _MOST_LOOSE
        found: list[Item] = []
        loose: list[Item] = []
        for piece, denied, joins in manner.pieces(text):
            item, amount = self._item(piece, short), self.quantity(piece)
            if item is not None and item.food is None and amount.number is amount.grams is None:
                framed = manner.frames.search(piece) or len(_words(piece)) == len(item.written.split())
                loose += [] if framed else [item._replace(denied=denied)]
            if item is not None:
                again = [one for one in found if one.food and one.food == item.food and not one.denied]
                if again and not denied and not joins:  # an apple; half an apple
                    found.remove(again[-1])
                    vague = item.quantity in (Quantity(), _ONE)
                    item = item._replace(quantity=again[-1].quantity) if vague else item
                found.append(item._replace(denied=denied))
            elif (
                found
                and found[-1].quantity.grams is None
                and (degree := self.degree(piece))
                and amount in (Quantity(), _ONE)
                and len(_words(piece)) <= _MOST_WORDS
            ):
                found[-1] = found[-1]._replace(quantity=found[-1].quantity.times(degree))  # a small one
            elif found and amount != Quantity() and manner.rather.match(piece):
                found[-1] = found[-1]._replace(quantity=amount)  # four, no, five
            elif (
                found
                and amount != Quantity()
                and not denied
                and (
                    found[-1].quantity in (Quantity(), _ONE)
                    or (amount.grams is not None and found[-1].quantity.grams is None)
                )
            ):
                found[-1] = found[-1]._replace(quantity=amount)  # lasagne, a big portion
        if any(one.food is not None for one in found):  # a croissant, the one of Gino's
            found = [one for one in found if one not in loose]
        general = [one for one in found if plain(one.written) in _general(self.language)]
        if any(one.food and one not in general and not one.denied for one in found):
            found = [one for one in found if one not in general or one.denied or one.quantity.grams]
        told = [one.food for one in found if one.food and one.quantity != Quantity() and not one.denied]
        once = list[Item]()
        for one in found:  # a wrap, a chicken wrap
            bare = one.food is not None and one.quantity == Quantity() and not one.denied
            if not bare or one.food not in (*told, *(other.food for other in once)):
                once.append(one)
        return once[:_MOST_PIECES]

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
            least = max(_LEAST_LIKE, score)
            if matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least:
                score = max(score, matcher.ratio())
            if score >= _LEAST_LIKE and score > likeness.get(food.key, (0.0, food))[0]:
                likeness[food.key] = score, food
        ranked = sorted(likeness.values(), key=lambda pair: (-pair[0], pair[1].key))
        return [food for _, food in ranked[:most]]

    def quantity(self, text: str) -> Quantity:
        """How much a text says: 80 g, two slices, one."""
        return _quantity(_words(in_digits(text, self.language, ordinals=False)), read_manner(self.language))[
            0
        ]

    def amount(self, text: str) -> Quantity:
        """How much a text says; an article of something that is no food says nothing: `a drink`."""
        found, manner = self.quantity(text), read_manner(self.language)
        words = _words(in_digits(text, self.language, ordinals=False))
        counted = [word for word in words if word in manner.portions or manner.numbers.get(word, 1) != 1]
        certain = any(word[0].isdigit() for word in words) or (len(words) <= _MOST_LOOSE and counted)
        return found if certain or not any(self.names(word) for word in words) else Quantity()

    def degree(self, text: str) -> float | None:
        """How much of a portion is said without a number: a little, poca."""
        known = read_manner(self.language).degrees
        return next((known[word] for word in _words(text) if word in known), None)

    def names(self, word: str) -> bool:
        """Whether a word may name a food that nobody knows."""
        manner = read_manner(self.language)
        told = manner.tells(word) and word not in manner.strange
        return told and not names_nothing(word, self.language)

    def mentioned(self, text: str) -> list[Food]:
        """The foods that a text names, whatever it says of them."""
        words = _words(text)
        spans = [(at, at + length) for length in (3, 2, 1) for at in range(len(words) - length + 1)]
        found: dict[tuple[int, int], Food] = {}
        for start, end in spans:
            food = self.food(" ".join(words[start:end]))
            if food is not None and not any(start < other[1] and other[0] < end for other in found):
                found[start, end] = food
        return list({found[span].key: found[span] for span in sorted(found)}.values())

    def _item(self, piece: str, short: bool) -> Item | None:
        """The food of a piece; an unknown one stands behind an amount or a verb of eating, or alone."""
        manner = read_manner(self.language)
        words = _words(in_digits(piece, self.language, ordinals=False))
        quantity, before, words = _quantity(words, manner)
        amount, whole = before is not None, words
        if before is not None and any(manner.tells(word) for word in words[before:]):
            words = words[before:]
        telling = [at for at, word in enumerate(words) if manner.tells(word)]
        pairs = [" ".join(words[at : at + 2]) for at in range(len(words))]
        if (pair := next((one for one in pairs if one in _others(self.language)), None)) is not None:
            return Item(pair, quantity, None)
        known = self._longest(words) or self._longest(whole)
        if known is not None:
            degree = self.degree(piece) if quantity.grams is None else None
            sized = quantity in (Quantity(), _ONE) or known[1].unit or quantity.slices
            return Item(known[0], quantity.times(degree) if degree and sized else quantity, known[1])
        other = [at for at in telling if words[at] in _others(self.language)]
        if other:  # a food, but none of the table: with what stands close before it
            start = other[0] - (other[0] - 1 in telling and self.names(words[other[0] - 1]))
            return Item(" ".join(words[start : other[-1] + 1]), quantity, None)
        if not amount:
            framed = list(manner.frames.finditer(piece))
            words = _words(piece[framed[-1].end() :] if framed else piece)
            telling = [at for at, word in enumerate(words) if manner.tells(word)]
            bare = len(telling) <= _BARE and (framed or len(telling) == len(words))
            if not bare:
                return None
        strange = [at for at in telling if not self.names(words[at])]
        if not short or not telling or len(telling) > _MOST_WORDS or strange or manner.strange & set(words):
            return None
        return Item(" ".join(words[telling[0] : telling[-1] + 1]), quantity, None)

    def _longest(self, words: list[str]) -> tuple[str, Food] | None:
        """The longest known name among the words: the last of two in English, `banana bread`, and none
        that is part of a food which the table lacks, `apple strudel`.
        """
        others = _others(self.language)
        for length in range(min(5, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                end = start + length
                food = self.food(name := " ".join(words[start:end]))
                while food and self.language == "en" and (head := self.food(" ".join(words[end : end + 1]))):
                    food, name, end = head, words[end], end + 1
                beside = {*words[max(0, start - 1) : start], *words[end : end + 1]}
                if food is not None and not others & beside:
                    return name, food
        return None


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
