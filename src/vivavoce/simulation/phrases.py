"""Utterances of a simulated caller for dialogue acts, from the ontology's words and those of its language."""

from collections.abc import Sequence
from random import Random
from typing import Final

from vivavoce.core.errors import UnknownName
from vivavoce.languages.data import Manner, SimulatedSpeech
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.domain import SimulatedDomain
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE

_TERSE: Final = ("search", "inform", "change", "request")
_SYNONYM_SHARE: Final = 0.2


def speech_of(language: str) -> SimulatedSpeech:
    """Speech of a language's simulated users.

    Raises  UnknownName: nobody simulated speaks this language
    """
    speech = SimulatedSpeech.of(language)
    if speech is None:
        raise UnknownName("language of simulated callers", language, SimulatedSpeech.languages())
    return speech


def other_languages(domain: Ontology | SimulatedDomain, own: str) -> list[str]:
    """The other languages that have words for a domain, and in which somebody is simulated."""
    if isinstance(domain, SimulatedDomain):
        languages = set(domain.languages)
    else:
        languages = {language for texts in domain.types.values() for language in texts}
    return [language for language in SimulatedSpeech.languages() if language in languages - {own}]


class Phrases:
    """The voice of callers in one language, one that the project can simulate.

    Raises  UnknownName: nobody simulated speaks this language
    """

    def __init__(self, ontology: Ontology, language: str) -> None:
        self.language = language.split("-")[0].lower()
        self._ontology, self.speech = ontology, speech_of(language)

    def say(self, manner: Manner, acts: Sequence[LoggedAct], random: Random, *, terse: bool = False) -> str:
        """The acts as one utterance; `manner` chooses among the templates, `terse` in the fewest words."""
        if terse and manner in _TERSE:
            return self._bare(acts, random)
        what = self._what(acts, random)
        return random.choice(self.speech.say[manner]).replace("{what}", what)

    def _bare(self, acts: Sequence[LoggedAct], random: Random) -> str:
        """Values, kinds of venue and names of slots one after the other."""
        strings: list[str] = []
        for act in acts:
            slot, value = act.slot or "", act.value or ""
            if act.act == "request":
                names = self._ontology.slots[slot].names
                strings.append(names.get(self.language) or self._asked(slot))
            elif slot == "type":
                type_words = self._ontology.types.get(value, {}).get(self.language)
                strings.append(type_words.text if type_words else value)
            elif value == DONTCARE or slot not in self._ontology.slots:
                strings.append(self._limit(act, random, alone=True))
            else:
                strings.append(self._ontology.rendering(slot, value, self.language).text)
        return " ".join(strings)

    def _what(self, acts: Sequence[LoggedAct], random: Random) -> str:
        kinds = [act.value for act in acts if act.act == "inform" and act.slot == "type" and act.value]
        limits = [act for act in acts if act.act in ("inform", "confirm") and act.slot and act.slot != "type"]
        requests = [self._asked(act.slot) for act in acts if act.act == "request" and act.slot]
        if requests:
            return f" {self.speech.conjunction} ".join(requests)
        alone = len(limits) == 1 and not kinds
        constraints = [self._limit(act, random, alone=alone) for act in limits]
        return " ".join([*(self._kind(kind, random) for kind in kinds), *constraints])

    def _kind(self, kind: str, random: Random) -> str:
        kind_words = self._ontology.types.get(kind, {}).get(self.language)
        if kind_words is None:
            return kind
        return (
            kind_words.article
            if random.random() >= _SYNONYM_SHARE or not kind_words.plural
            else kind_words.text
        )

    def _asked(self, slot: str) -> str:
        slot_words = self._ontology.slots[slot]
        return slot_words.asked_as.get(self.language) or slot_words.names.get(self.language, slot)

    def _limit(self, act: LoggedAct, random: Random, *, alone: bool) -> str:
        slot, value = act.slot or "", act.value or ""
        if value == DONTCARE and slot not in self._ontology.slots:
            return self._indifference(random)
        slot_words = self._ontology.slots[slot]
        if value == DONTCARE:
            return slot_words.anything.get(self.language) or self._indifference(random)
        words = self._ontology.rendering(slot, value, self.language)
        if alone and words.synonyms and random.random() < _SYNONYM_SHARE:
            return random.choice(words.synonyms)
        if alone and random.random() < self.speech.bare_share:
            return words.text
        phrase = words.phrase or slot_words.phrase.get(self.language, "{value}")
        return phrase.replace("{value}", words.text)

    def indifference(self, slot: str, random: Random) -> str:
        """The answer to a question about a slot that does not matter."""
        any_words = (
            self._ontology.slots[slot].anything.get(self.language) if slot in self._ontology.slots else None
        )
        return any_words if any_words and random.random() < 0.5 else self._indifference(random)

    def _indifference(self, random: Random) -> str:
        return random.choice(self._ontology.dontcare.get(self.language) or [DONTCARE])
