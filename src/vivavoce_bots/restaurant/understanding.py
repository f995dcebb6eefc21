"""From words to dialogue acts: the longest known phrase at each place, then what stands around it."""

import re
import unicodedata
from typing import NamedTuple

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.restaurant.domain import NAME, TYPE, Domain
from vivavoce_bots.restaurant.words import SPOKEN

_TOKEN = re.compile(r"\w+(?:'(?=\w))?")
_LONGEST_TEXT = 2_000
_SMALL = {
    *("a", "an", "any", "in", "the", "of"),
    *("un", "una", "di", "del", "nel", "nella", "con", "zona", "cucina"),
}


class Entry(NamedTuple):
    kind: str
    slot: str | None = None
    value: str | None = None


class Span(NamedTuple):
    start: int
    end: int
    entry: Entry


def tokens(text: str) -> list[str]:
    """Words in lower case without accents; an apostrophe parts an Italian article from its noun."""
    if text.isascii():
        return _TOKEN.findall(text[:_LONGEST_TEXT].lower())
    plain = unicodedata.normalize("NFKD", text[:_LONGEST_TEXT].replace("’", "'").casefold())
    letters = "".join(ch for ch in plain if not unicodedata.combining(ch))
    return _TOKEN.findall(letters)


class Understanding:
    """Acts in a text of one language. `asked` is the slot that the system has just asked for, if any."""

    def __init__(self, domain: Domain, language: str) -> None:
        self._phrases: dict[tuple[str, ...], Entry] = {}
        self._constraints = set(domain.constraint_slots(None))
        self._yes_or_no = {slot.name for slot in domain.slots.values() if "yes" in slot.values}
        self._learn_conversation(language, domain)
        self._learn_domain(domain, language)
        self._longest: dict[str, int] = {}  # by its first word, the longest phrase
        for phrase in self._phrases:
            self._longest[phrase[0]] = max(len(phrase), self._longest.get(phrase[0], 0))

    def _learn_conversation(self, language: str, domain: Domain) -> None:
        for kind, phrases in SPOKEN[language].items():
            for phrase in phrases:
                self._learn(phrase, Entry(kind))
        for phrase in domain.dontcare.get(language, ()):
            self._learn(phrase, Entry("dontcare"))

    def _learn_domain(self, domain: Domain, language: str) -> None:
        for slot in domain.slots.values():
            if slot.constraint and language in slot.names:
                self._learn(slot.names[language], Entry("slot", slot.name))
            for phrase in slot.asks.get(language, ()):
                self._learn(phrase, Entry("ask", slot.name))
            if language in slot.anything:
                self._learn(slot.anything[language], Entry("value", slot.name, DONTCARE))
            for value, words in slot.values.items():
                for phrase in self._known_as(words.get(language, [value])):
                    self._learn(phrase, Entry("value", slot.name, value))
        for name, by_language in domain.types.items():
            for phrase in self._known_as(by_language.get(language, [name])):
                self._learn(phrase, Entry("value", TYPE, name))
        for venue in domain.venues:
            self._learn(venue.name, Entry("value", NAME, venue.name))

    def _learn(self, phrase: str, entry: Entry) -> None:
        words = tuple(self._tokens(phrase))
        if words:
            self._phrases[words] = entry

    def _tokens(self, text: str) -> list[str]:
        return tokens(text)

    def _known_as(self, phrases: list[str]) -> list[str]:
        """The phrases by which a value or a kind of venue is known."""
        return phrases

    def _taken(self, spans: list[Span], said: list[str]) -> list[Span]:
        """The spans that count."""
        return spans

    @staticmethod
    def _linked(said: list[str], before: Span, span: Span) -> bool:
        """Whether nothing but small words stands between a negation and a value: `not in the east`."""
        return all(word in _SMALL for word in said[before.end : span.start])

    def acts(self, text: str, asked: str | None = None, *, confirming: bool = False) -> tuple[Act, ...]:
        """The acts of an utterance in the order of their words; () when nothing was understood.

        confirming  the system asked whether it had heard rightly: yes and no are about that, not the slot
        """
        said = self._tokens(text)
        found = self._taken(self._spans(said), said)
        acts: list[Act] = []
        for index in range(len(found)):
            act = self._act(index, said, found, asked, confirming)
            if act is not None and act not in acts:
                acts.append(act)
        return tuple(acts)

    def _spans(self, words: list[str]) -> list[Span]:
        spans: list[Span] = []
        at, end, longest = 0, len(words), self._longest
        while at < end:
            if words[at] not in longest:
                at += 1
                continue
            for length in range(min(longest[words[at]], end - at), 0, -1):
                entry = self._phrases.get(tuple(words[at : at + length]))
                if entry is not None:
                    spans.append(Span(at, at + length, entry))
                    at += length
                    break
            else:
                at += 1
        return spans

    def _act(
        self, index: int, said: list[str], spans: list[Span], asked: str | None, confirming: bool
    ) -> Act | None:
        span = spans[index]
        kind, slot, value = span.entry
        if kind == "value" and slot and value:
            others = [other for other in spans[:index] if other.entry.kind not in ("slot", "ask")]
            before = others[-1] if others else None
            denied = before is not None and before.entry.kind == "not" and self._linked(said, before, span)
            return stating("inform", slot, value, "!=" if denied else "=")
        if kind == "dontcare":
            about = self._slot_beside(index, spans) or asked
            return stating("inform", about, DONTCARE) if about in self._constraints else None
        if kind == "ask":
            return None if self._belongs_to_value(index, spans) else Act("request", slot)
        if kind in ("slot", "not"):
            return None
        if kind in ("affirm", "negate") and asked in self._yes_or_no and not confirming:
            return stating("inform", asked, "yes" if kind == "affirm" else DONTCARE)
        return Act(kind)

    def _slot_beside(self, index: int, spans: list[Span]) -> str | None:
        """The constraint that an indifference is about: a name or question word close behind or before it."""
        order = spans[index + 1 : index + 2] + (spans[index - 1 : index] if index else [])
        for span in order:
            if span.entry.kind in ("slot", "ask") and span.entry.slot in self._constraints:
                gap = max(span.start - spans[index].end, spans[index].start - span.end)
                if gap <= 3:
                    return span.entry.slot
        return None

    def _belongs_to_value(self, index: int, spans: list[Span]) -> bool:
        """Whether a question word only names a slot: `cheap price`, `any area`, `area: east`."""
        span = spans[index]
        for other in spans[max(0, index - 1) : index] + spans[index + 1 : index + 2]:
            gap = max(other.start - span.end, span.start - other.end)
            about_value = other.entry.kind == "value" and other.entry.slot not in (TYPE, NAME)
            if (about_value and gap == 0) or (other.entry.kind == "dontcare" and gap <= 3):
                return True
        return any(
            other.entry.kind == "value" and other.entry.slot == span.entry.slot
            for other in spans
            if other != span
        )
