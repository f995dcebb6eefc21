"""The food table, and finding foods and quantities in what people write."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from ruamel.yaml import YAML

_WORD: Final = re.compile(r"[0-9]+(?:[.,][0-9]+)?|[^\W\d_]+(?:'(?=\w))?")
_GRAMS: Final = {"g", "gr", "gram", "grams", "grammi", "grammo", "etti", "etto"}
_HECTO: Final = {"etti", "etto"}
_NUMBERS: Final = {
    "en": {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "half": 0.5, "some": None},
    "it": {"un": 1, "una": 1, "uno": 1, "due": 2, "tre": 3, "quattro": 4, "cinque": 5, "mezzo": 0.5,
           "mezza": 0.5, "mezz'": 0.5, "un'": 1, "del": None, "della": None},
}  # fmt: skip
_PORTIONS: Final = {
    *("portion", "portions", "plate", "plates", "bowl", "glass", "glasses", "slice", "slices", "cup"),
    *("porzione", "porzioni", "piatto", "piatti", "bicchiere", "bicchieri", "fetta", "fette", "tazza"),
}
_SPLIT: Final = {
    "en": re.compile(r"[,.](?!\d)|[;\n+]| and | with | then ", re.I),
    "it": re.compile(r"[,.](?!\d)|[;\n+]| e | con | poi ", re.I),
}
_EMPTY: Final = {
    "en": {
        *("i", "have", "had", "ate", "eaten", "of", "the", "my", "for", "lunch", "dinner", "breakfast"),
        *("it", "was", "were", "please", "just", "also", "to"),
    },
    "it": {
        *("ho", "mangiato", "di", "il", "lo", "la", "i", "gli", "le", "dei", "delle", "da", "a", "pranzo"),
        *("cena", "colazione", "era", "per", "favore", "anche"),
    },
}
_LONGEST_TEXT: Final = 2_000
_MOST_PIECES: Final = 20
_LEAST_LIKE: Final = 0.45


@dataclass(frozen=True)
class Food:
    """One food: grams of carbohydrate in 100 g, a usual portion, names by language."""

    key: str
    carbs: float
    portion: float
    unit: bool
    names: dict[str, list[str]]

    def name(self, language: str) -> str:
        return self.names[language][0]

    def carbohydrates(self, grams: float) -> float:
        return self.carbs * grams / 100


class Quantity(NamedTuple):
    """Grams, or a number of portions or pieces; neither where nothing was said."""

    grams: float | None = None
    number: float | None = None

    def of(self, food: Food) -> float | None:
        if self.grams is not None:
            return self.grams
        return self.number * food.portion if self.number is not None else None


class Item(NamedTuple):
    """A piece of a meal as it was written: what, how much; the food where it is known."""

    written: str
    quantity: Quantity
    food: Food | None


@lru_cache(maxsize=1)
def read_foods() -> tuple[Food, ...]:
    """The foods of this package."""
    text = files("vivavoce_bots").joinpath("data", "foods.yaml").read_text("utf-8")
    raw = YAML(typ="safe").load(text)["foods"]
    return tuple(
        Food(key, float(one["carbs"]), float(one["portion"]), bool(one.get("unit")),
             {"en": list(one["en"]), "it": list(one["it"])})
        for key, one in raw.items()
    )  # fmt: skip


class Lexicon:
    """The names of foods in one language, and those learnt in one conversation."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._names = {name: food for food in read_foods() for name in food.names[language]}
        self.learnt: dict[str, Food] = {}

    def learn(self, name: str, food: Food) -> None:
        self.learnt[plain(name)] = food

    def items(self, text: str) -> list[Item]:
        """The pieces of a meal as written, twenty at most; those without a word of food are left out."""
        pieces = _SPLIT[self.language].split(f" {text[:_LONGEST_TEXT]} ", _MOST_PIECES)[:_MOST_PIECES]
        return [item for piece in pieces if (item := self._item(piece)) is not None]

    def food(self, name: str) -> Food | None:
        known = {**self._names, **self.learnt}
        wanted = plain(name)
        return known.get(wanted) or known.get(wanted.removesuffix("s"))

    def alike(self, name: str, most: int = 3) -> list[Food]:
        """The foods whose names are most like this one, by letters and by shared words; best first."""
        wanted = plain(name)[:60]
        likeness: dict[str, tuple[float, Food]] = {}
        for known, food in self._names.items():
            shared = set(wanted.split()) & set(known.split())
            score = max(SequenceMatcher(None, wanted, known).ratio(), 0.8 * bool(shared))
            if score >= _LEAST_LIKE and score > likeness.get(food.key, (0.0, food))[0]:
                likeness[food.key] = score, food
        ranked = sorted(likeness.values(), key=lambda pair: (-pair[0], pair[1].key))
        return [food for _, food in ranked[:most]]

    def quantity(self, text: str) -> Quantity:
        """How much a text says: 80 g, two slices, one."""
        return _quantity(_words(text), self.language)[0]

    def _item(self, piece: str) -> Item | None:
        quantity, rest = _quantity(_words(piece), self.language)
        named = [word for word in rest if word not in _EMPTY[self.language]]
        whole = " ".join(rest).strip()
        found = self._longest(rest)
        if found is not None:
            return Item(found[0], quantity, found[1])
        name = " ".join(named)
        if not name or not any(len(word) > 2 for word in named):
            return None
        return Item(name or whole, quantity, None)

    def _longest(self, words: list[str]) -> tuple[str, Food] | None:
        """The longest known name among the words, when little else is said beside it."""
        for length in range(min(5, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                name = " ".join(words[start : start + length])
                food = self.food(name)
                others = [word for word in words[:start] + words[start + length :] if self._means(word)]
                if food is not None and not others:
                    return name, food
        return None

    def _means(self, word: str) -> bool:
        return len(word) > 2 and word not in _EMPTY[self.language]


def plain(name: str) -> str:
    """A name as it is compared: lower case, words apart by one blank."""
    return " ".join(_words(name))


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:_LONGEST_TEXT].lower())


def _quantity(words: list[str], language: str) -> tuple[Quantity, list[str]]:
    """The quantity that stands in the words, and the words without it."""
    rest, grams, count = [], None, None
    for index, word in enumerate(words):
        following = words[index + 1] if index + 1 < len(words) else ""
        if word[0] in "0123456789" and len(word) <= 6:
            number = float(word.replace(",", "."))
            if following in _GRAMS:
                grams = number * (100 if following in _HECTO else 1)
            else:
                count = number
        elif word in _NUMBERS[language]:
            count = _NUMBERS[language][word] if count is None else count
        elif word in _PORTIONS:
            count = 1 if count is None else count
        elif word not in _GRAMS:
            rest.append(word)
    if grams is None and count is not None and count >= 20:
        grams, count = count, None  # nobody eats twenty portions: a bare number is grams
    return Quantity(grams, count), rest
