"""Values of slots in a sentence: ontology values, numbers with units, digits, dates, times, quantities."""

from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from random import Random
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile, Slot
from vivavoce_bots.engine.commands import Item
from vivavoce_bots.engine.dates import read_full_date
from vivavoce_bots.engine.numbers import ARTICLES, read_number
from vivavoce_bots.engine.text import BREAKS, tokenise
from vivavoce_bots.engine.times import read_time

_DENIAL_WINDOW = 3
_QUANTITY_WINDOW = 3
_SHORTEST_NAME = 4
_LOST = 0.4  # share of the misheard values that are lost; the others become another value
MOST_PIECES = 12
Phrase = tuple[list[str], str, str, str]  # words, slot, value, name


@dataclass(frozen=True)
class Mention:
    """Value of a slot at a place in the sentence."""

    slot: str
    value: Any
    start: int
    end: int
    denied: bool = False
    unit: str = ""
    wording: str = ""  # name that the user gave the value


class ValueSpotter:
    """Finds the values of a bot's slots in tokens."""

    def __init__(self, bot: BotFile, today: date) -> None:
        self.bot = bot
        self.today = today
        self.phrases: dict[str, list[Phrase]] = {}
        self.known_words: set[str] = set()
        self.units: dict[str, tuple[str, str]] = {}
        self.answers = {
            (slot.name, name)
            for slot in bot.slots.values()
            for names in slot.answers.values()
            for name in names
        }
        keywords = [tokenise(keyword) for task in bot.tasks.values() for keyword in task.keywords]
        self.verbs = [words for words in keywords if len(words) > 1]
        for slot in bot.slots.values():
            self._add_phrases(slot)
        if bot.language == "en":
            self._add_plurals()
        for phrases in self.phrases.values():
            phrases.sort(key=lambda phrase: -len(phrase[0]))

    def _add_phrases(self, slot: Slot) -> None:
        for value, names in [*slot.values.items(), *slot.answers.items()]:
            for name in names:
                words = tokenise(name)
                self.phrases.setdefault(words[0], []).append((words, slot.name, value, name))
        for unit, names in slot.units.items():
            for name in names:
                self.units[tokenise(name)[0]] = (slot.name, unit)

    def _add_plurals(self) -> None:
        """Add regular English plurals that are no names themselves."""
        names = {tuple(phrase[0]) for phrases in self.phrases.values() for phrase in phrases}
        for words, slot, value, name in [phrase for phrases in self.phrases.values() for phrase in phrases]:
            plural = [*words[:-1], f"{words[-1]}s"]
            if tuple(plural) not in names and not words[-1].endswith("s"):
                self.phrases.setdefault(plural[0], []).append((plural, slot, value, name))

    def vocabulary(self) -> set[str]:
        """Words of all values and units."""
        words = {word for phrases in self.phrases.values() for phrase in phrases for word in phrase[0]}
        return words | set(self.units)

    def find(
        self,
        tokens: list[str],
        expected: str,
        active: list[str],
        counting: bool = False,
        learnt: tuple[Phrase, ...] = (),
    ) -> list[Mention]:
        """Mentions from left to right; `expected` is the slot of the open question.

        `learnt` are phrases that belong to this conversation.
        """
        mentions: list[Mention] = []
        position = 0
        while position < len(tokens):
            mention = self._learnt_at(tokens, position, learnt) or self._mention_at(
                tokens, position, expected, active
            )
            if mention is None:
                position += self._verb_length(tokens, position)
                continue
            follows_denied = bool(mentions) and mentions[-1].denied and mentions[-1].end == position
            denied = follows_denied or self._is_denied(tokens, position, mentions)
            mentions.append(replace(mention, denied=denied))
            position = mention.end
        if not mentions and counting and tokens and set(tokens) <= ARTICLES | BREAKS | {"one"}:
            mentions = [Mention(expected, 1.0, 0, len(tokens))]
        return self._attach_quantities(self._with_unknown_names(mentions, tokens), tokens)

    @staticmethod
    def _learnt_at(tokens: list[str], start: int, learnt: tuple[Phrase, ...]) -> Mention | None:
        for words, slot, value, name in learnt:
            if tokens[start : start + len(words)] == words:
                return Mention(slot, value, start, start + len(words), wording=name)
        return None

    def _with_unknown_names(self, mentions: list[Mention], tokens: list[str]) -> list[Mention]:
        """Mentions with the names behind quantities that no value of an open slot has: 80 g of seitan."""
        covered = {position for mention in mentions for position in range(mention.start, mention.end)}
        names = [
            Mention(mention.slot, "", run.start, run.stop, wording=" ".join(tokens[run.start : run.stop]))
            for mention in mentions
            if isinstance(mention.value, float) and mention.unit and self.bot.slots[mention.slot].open
            if (run := self.unknown_run(tokens, mention.end, covered))
        ]
        return sorted([*mentions, *names], key=lambda mention: mention.start)

    def unknown_run(self, tokens: list[str], start: int, covered: set[int]) -> range:
        """Unknown words at a position, behind a preposition such as “of”."""
        while start < len(tokens) and tokens[start] in self.bot.words["of"]:
            start += 1
        end = start
        while end < len(tokens) and end not in covered and self.is_unknown(tokens[end]):
            end += 1
        return range(start, end)

    def is_unknown(self, token: str) -> bool:
        return token.isalpha() and len(token) >= _SHORTEST_NAME and token not in self.known_words

    def _verb_length(self, tokens: list[str], start: int) -> int:
        """Words of a keyword, which are no part of a value: switch on | the left lamp."""
        lengths = (len(words) for words in self.verbs if tokens[start : start + len(words)] == words)
        return max(lengths, default=1)

    def mishear(self, text: str, share: float, random: Random) -> str:
        """Words of a text in which this share of the values is lost or is another; hours of the day stay."""
        tokens = tokenise(text)
        words, end = [], 0
        for mention in self.find(tokens, "", []):
            words += tokens[end : mention.start]
            slot, end = self.bot.slots[mention.slot], mention.end
            value = mention.value.value if isinstance(mention.value, Item) else mention.value
            alternatives = [names[0] for other, names in slot.values.items() if names and other != value]
            if not alternatives or random.random() >= share:
                words += tokens[mention.start : end]
            elif random.random() >= _LOST:
                words.append(random.choice(alternatives))
        return " ".join([*words, *tokens[end:]])

    def _mention_at(self, tokens: list[str], start: int, expected: str, active: list[str]) -> Mention | None:
        matches = self._names_at(tokens, start, expected)
        if matches:
            longest = [match for match in matches if match.end == matches[0].end]
            preferred = [match for match in longest if match.slot == expected]
            return (preferred or longest)[0]
        return self._measured_at(tokens, start, expected, active)

    def _names_at(self, tokens: list[str], start: int, expected: str) -> list[Mention]:
        """Named values that begin at a position, the longest first."""
        return [
            Mention(slot, value, start, start + len(words), wording=self._wording(slot, value, name))
            for words, slot, value, name in self.phrases.get(" ".join(tokens[start : start + 1]), [])
            if tokens[start : start + len(words)] == words
            and (slot == expected or (slot, name) not in self.answers)
        ]

    def _wording(self, slot: str, value: str, name: str) -> str:
        """Name by which the bot calls a value, where that is the user's own and not the first one."""
        return name if self.bot.settings["alignment"] or value in self.bot.slots[slot].groups else ""

    def _measured_at(self, tokens: list[str], start: int, expected: str, active: list[str]) -> Mention | None:
        """Date, time or number at a position."""
        language = self.bot.language
        of_type = {self.bot.slots[name].type: name for name in sorted(self.bot.slots, key=expected.__eq__)}
        if "date" in of_type:
            day = read_full_date(tokens, start, language, self.bot.words["months"], self.today)
            if day:
                return Mention(of_type["date"], day[0], start, day[1])
        if "time" in of_type:
            slot = self.bot.slots[of_type["time"]]
            time = read_time(tokens, start, language, slot.name == expected, slot.hours)
            if time:
                return Mention(slot.name, time[0], start, time[1])
        number = read_number(tokens, start, language)
        if number:
            return self._number_mention(tokens, start, number, expected, active)
        return self._single_unit(tokens, start, expected)

    def _single_unit(self, tokens: list[str], start: int, expected: str) -> Mention | None:
        """One unit without a number: a slice, a portion."""
        unit_at = self._unit_at(tokens, start + 1) if tokens[start] in ARTICLES else start
        if unit_at is None or tokens[unit_at] not in self.units:
            return None
        slot, unit = self.units[tokens[unit_at]]
        is_list = self.bot.slots[slot].type == "list"
        is_counted = unit_at > start or slot == expected
        return Mention(slot, 1.0, start, unit_at + 1, unit=unit) if is_list and is_counted else None

    def _unit_at(self, tokens: list[str], start: int) -> int | None:
        """Place of a unit, behind at most one adjective: big plate."""
        for position in range(start, min(start + 2, len(tokens))):
            if tokens[position] in self.units:
                return position
            if tokens[position] in self.phrases or tokens[position] in BREAKS:
                return None
        return None

    def _number_mention(
        self, tokens: list[str], start: int, number: tuple[float, int], expected: str, active: list[str]
    ) -> Mention | None:
        value, end = number
        if end < len(tokens) and tokens[end] in self.units:
            slot, unit = self.units[tokens[end]]
            return Mention(slot, value, start, end + 1, unit=unit)
        if start > 0 and tokens[start - 1] == "€":
            return Mention(self.units["€"][0], value, start, end) if "€" in self.units else None
        for item in self._names_at(tokens, end, expected):
            if self.bot.slots[item.slot].type == "list":
                return Mention(item.slot, value, start, end)
        numeric = [name for name, slot in self.bot.slots.items() if slot.type in ("number", "list")]
        for name in [expected, *active]:
            if name in numeric and (name == expected or not self.bot.slots[name].optional):
                return Mention(name, value, start, end)
        if len(numeric) != 1 or (expected and self.bot.slots[numeric[0]].optional):
            return None
        return Mention(numeric[0], value, start, end)

    def _is_denied(self, tokens: list[str], start: int, earlier: list[Mention]) -> bool:
        words = self.bot.words
        first = max(start - _DENIAL_WINDOW, earlier[-1].end if earlier else 0)
        window = tokens[first:start]
        while BREAKS & set(window):
            window = window[1:]
        adjacent = bool(window) and window[-1] in words["no"]
        return adjacent or bool(set(window) & set(words["not"]))

    def _attach_quantities(self, mentions: list[Mention], tokens: list[str]) -> list[Mention]:
        """Join numbers to the item of a list slot that is next to them: 200 g of pasta."""
        joined: list[Mention] = []
        for position, mention in enumerate(mentions):
            following = mentions[position + 1] if position + 1 < len(mentions) else None
            slot = self.bot.slots[mention.slot]
            if slot.type != "list":
                joined.append(mention)
            elif isinstance(mention.value, str):
                joined.append(self._with_quantity_before(mention, joined, tokens))
            else:
                is_of_following = self._belongs_to(following, mention, tokens)
                self._add_quantity(mention, joined, tokens, is_of_following)
        return joined

    def _with_quantity_before(self, mention: Mention, joined: list[Mention], tokens: list[str]) -> Mention:
        item, start = Item(mention.value, wording=mention.wording), mention.start
        if joined and isinstance(joined[-1].value, float):
            quantity = joined[-1]
            if mention.start - quantity.end <= _QUANTITY_WINDOW:
                joined.pop()
                unit = quantity.unit or likely_unit(quantity.value)
                item, start = replace(item, quantity=quantity.value, unit=unit), quantity.start
        if item.quantity is None:
            item = self._with_article(item, mention, tokens)
        return replace(mention, value=item, start=start)

    def _with_article(self, item: Item, mention: Mention, tokens: list[str]) -> Item:
        """One piece: an apple."""
        if mention.start and tokens[mention.start - 1] in ARTICLES:
            return replace(item, quantity=1.0, unit="piece")
        return item

    @staticmethod
    def _belongs_to(following: Mention | None, quantity: Mention, tokens: list[str]) -> bool:
        """Tell whether an item follows the quantity closely, without a punctuation mark between them."""
        if following is None or not isinstance(following.value, str):
            return False
        between = tokens[quantity.end : following.start]
        return len(between) < _QUANTITY_WINDOW and not BREAKS & set(between)

    def _add_quantity(
        self, mention: Mention, joined: list[Mention], tokens: list[str], is_of_following: bool
    ) -> None:
        """Quantity after its item (pasta, 200 g), or one that waits for the item that follows.

        A bare number of something unknown, such as six years, is none.
        """
        following = tokens[mention.end : mention.end + 1]
        if not mention.unit and not is_of_following and following and self.is_unknown(following[0]):
            return
        previous = joined[-1] if joined else mention
        follows = isinstance(previous.value, Item) and previous.value.quantity is None
        if follows and not is_of_following and mention.start - previous.end <= _QUANTITY_WINDOW:
            unit = mention.unit or likely_unit(mention.value)
            item = replace(previous.value, quantity=mention.value, unit=unit)
            joined[-1] = replace(previous, value=item, end=mention.end)
        else:
            joined.append(mention)


def likely_unit(quantity: float) -> str:
    """Unit of a bare number: large numbers are grams."""
    return "g" if quantity > MOST_PIECES else "piece"


def closest_values(slot: Slot, text: str, limit: int = 3) -> list[str]:
    """Values whose names are spelled most like words of the text."""
    names = {name.lower(): value for value, names in slot.values.items() for name in names}
    words = [word for word in tokenise(text) if len(word) >= 4]
    similar = [name for word in words for name in get_close_matches(word, names, n=limit, cutoff=0.6)]
    return list(dict.fromkeys(names[name] for name in similar))[:limit]
