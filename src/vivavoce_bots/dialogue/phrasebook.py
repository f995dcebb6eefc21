"""The phrases that are understood in one language: those of the language, and those of a domain."""

from collections.abc import Callable, Mapping
from random import Random

from vivavoce_bots.acts import DONTCARE, Act
from vivavoce_bots.dialogue.clauses import first_strange
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain
from vivavoce_bots.dialogue.opening import TIME, Clock
from vivavoce_bots.dialogue.speech import COURTESIES, speech
from vivavoce_bots.dialogue.spotting import Entry, Spotter, Wholes, forms_of, tokens

_LOST = 0.4
_ARTICLES = {"en": ("the",), "it": ("il", "lo", "la", "l'", "all'", "al")}


class Phrasebook:
    """Knows what words mean, wherever they stand."""

    def __init__(self, domain: Domain, language: str, words_of: Callable[[str], list[str]] = tokens) -> None:
        self._domain, self._speech, self._language = domain, speech(language), language
        self._tokens, self._spotter = words_of, Spotter(words_of)
        self._constraints = {TYPE, *domain.constraint_slots(None)}
        self._food = {slot.name: slot.types[0] for slot in domain.slots.values() if len(slot.types) == 1}
        self._yes_or_no = {slot.name for slot in domain.slots.values() if "yes" in slot.values}
        self._small = {word for phrase in self._speech.small for word in tokens(phrase)}
        self._wholes = Wholes(self._speech.alone, self._speech.fillers, words_of)
        self._clock = Clock(language) if TIME in domain.slots else None
        self._learn_speech(domain, language)
        self._learn_domain(domain, language)

    def _learn_speech(self, domain: Domain, language: str) -> None:
        """What holds whatever the domain; the domain's own phrases come later, and take its place."""
        known = self._speech
        for slot, values in known.elsewhere.items():
            for value in values if slot in domain.slots else ():
                self._learn(value, Entry("value", slot, value))
        for name, attribute in known.attributes.items():
            for phrase in attribute["asks"]:
                self._learn(phrase, Entry("ask", name))
        for kind, phrases in {**known.cues, **known.moves}.items():
            for phrase in [*phrases, *(domain.dontcare.get(language, ()) if kind == "dontcare" else ())]:
                self._learn(phrase, Entry(kind))
        for slot, ways in known.order.items():
            for way, phrases in ways.items():
                for phrase in phrases if slot in domain.slots else ():
                    self._learn(phrase, Entry(way, slot))
        for slot, phrases in known.asks.items():
            for phrase in phrases if slot in (NAME, *domain.slots, *known.attributes) else ():
                self._learn(phrase, Entry("ask", slot))

    def _learn_domain(self, domain: Domain, language: str) -> None:
        for slot in domain.slots.values():
            if slot.constraint and language in slot.names:
                self._learn(slot.names[language], Entry("slot", slot.name))
            for phrase in slot.asks.get(language, ()):
                self._learn(phrase, Entry("ask", slot.name))
            for phrase in [*self._speech.anything.get(slot.name, ()), slot.anything.get(language, "")]:
                self._learn(phrase, Entry("value", slot.name, DONTCARE))
        names = [one for words in domain.types.values() for one in words.get(language, ())]
        self._kinds = {tuple(self._tokens(form)) for one in [*names, *domain.types] for form in forms_of(one)}
        for slot in domain.slots.values():
            self._learn_values(slot.name, slot.values, language)
        self._learn_values(TYPE, domain.types, language)
        for venue in domain.venues:
            self._learn(venue.name, Entry("value", NAME, venue.name))
        self._nicknames = set[str]()
        firsts = [tokens(venue.name)[:1] for venue in domain.venues]
        for venue, first in zip(domain.venues, firsts, strict=True):
            if firsts.count(first) == 1 and first:  # the Anchor
                for article in _ARTICLES[language]:
                    self._learn(f"{article} {venue.name}", Entry("value", NAME, venue.name))
                    if len(tokens(venue.name)) > 1:
                        self._nicknames.add(" ".join(self._tokens(f"{article} {first[0]}")))
                        self._learn(f"{article} {first[0]}", Entry("value", NAME, venue.name), taken=False)

    def _learn_values(self, slot: str, values: Mapping[str, Mapping[str, list[str]]], language: str) -> None:
        """The words of values; those that other domains have for them only where they are free."""
        for value, words in values.items():
            own, hints = words.get(language, [value]), self._speech.hints.get(slot, {}).get(value, [])
            for phrase in self._known_as([*own, *hints]):
                self._learn(phrase, Entry("value", slot, value), taken=phrase in own)

    def _learn(self, phrase: str, entry: Entry, *, taken: bool = True) -> None:
        """A phrase and what it means; what values and questions it meant before stays, unless it is taken."""
        self._spotter.learn(phrase, entry, taken_by=() if taken else ("value", "ask"))

    def _known_as(self, phrases: list[str]) -> list[str]:
        """The phrases by which a value or a kind of venue is known."""
        return phrases

    def _without_hint(self, text: str, acts: tuple[Act, ...]) -> tuple[Act, ...]:
        """The acts without a kind of place only hinted at, where a food tells another: French, and wine."""
        wanted = [act for act in acts if act.act == "inform" and act.op == "="]
        kinds = {self._food[act.slot or ""] for act in wanted if act.slot in self._food}
        if not kinds:
            return acts
        said = self._tokens(text)
        spans = [span for span in self._spotter.find(text, said) if span.entry.slot == TYPE]
        named = {span.entry.value for span in spans if tuple(said[span.start : span.end]) in self._kinds}
        hinted = [act for act in wanted if act.slot == TYPE and act.value not in {*kinds, *named}]
        return tuple(act for act in acts if act not in hinted)

    def not_explained(self, text: str) -> str:
        """The words of a turn that nothing explains, as they were said; `` where all is explained."""
        return first_strange(text, self._strange)

    def _strange(self, clause: str) -> list[str]:
        said = tokens(clause)
        spans = self._spotter.find(clause, said)
        if any(span.entry.kind in COURTESIES for span in spans):
            return []
        covered = {at for span in spans for at in range(span.start, span.end)}
        fillers = {word for phrase in self._speech.fillers for word in tokens(phrase)}
        known = self._small | fillers
        return [
            word
            for at, word in enumerate(said)
            if at not in covered and word not in known and len(word) > 2 and not word.endswith("'")
        ]

    def misheard(self, text: str, share: float, random: Random) -> str:
        """The words of a text; each value of a slot is lost or another with a probability of `share`."""
        said = self._tokens(text)
        heard, at = [], 0
        for span in self._spotter.find(text, said):
            heard, at = [*heard, *said[at : span.start]], span.end
            kind, slot, value = span.entry
            others = [one for one in self._domain.values(slot or "") if one != value]
            if kind != "value" or not others or value == DONTCARE or random.random() >= share:
                heard += said[span.start : span.end]
            elif slot and random.random() >= _LOST:
                heard.append(self._domain.say(slot, random.choice(others), self._language))
        return " ".join([*heard, *said[at:]])
