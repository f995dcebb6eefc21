"""Meaning of system texts, for systems that tell no acts: the cues of a simulated user's domain."""

import re
from collections.abc import Sequence
from functools import lru_cache
from re import Pattern

from vivavoce.core.text import normalise_value
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.domain import Cue, SimulatedDomain


def acts_by_cues(text: str, domain: SimulatedDomain, language: str) -> list[LoggedAct]:
    """The acts that a domain's cues find in a system's text, in the order of the cues."""
    acts: list[LoggedAct] = []
    for cue in domain.cues:
        match = _pattern(cue.patterns[language]).search(text)
        if match is None:
            continue
        value = match.groupdict().get("value") or cue.value
        values = [value]
        if value is not None and cue.slot in domain.slots:
            values = _keys(domain, cue.slot, value, language)
        acts += [
            LoggedAct(act=cue.act, slot=cue.slot, value=value, op="=" if value else None) for value in values
        ]
        acts += _named(cue, text, domain, language)
    return acts


def _named(cue: Cue, text: str, domain: SimulatedDomain, language: str) -> list[LoggedAct]:
    """The things of the cue's list that the text names."""
    if cue.items is None:
        return []
    group = domain.groups[cue.items]
    return [
        LoggedAct(act="inform", slot=group.slot, value=key, op="=")
        for key, item in group.items.items()
        if any(stands_in(text, name) for name in item.names.get(language, ()))
    ]


def _keys(domain: SimulatedDomain, slot: str, value: str, language: str) -> Sequence[str]:
    """The keys of the values that are told in words; the words themselves where no value is among them."""
    values, normal = domain.slots[slot].values, normalise_value(value)
    alone = [
        key
        for key, words in values.items()
        if normal in (normalise_value(key), normalise_value(words.get(language)))
    ]
    named_keys = [
        key for key, words in values.items() if language in words and stands_in(value, words[language])
    ]
    return alone[:1] or named_keys or [value]


def stands_in(text: str, name: str) -> bool:
    """True if a name stands in a text as separate words."""
    return _pattern(rf"(?<!\w){re.escape(name)}(?!\w)").search(text) is not None


@lru_cache(maxsize=2_000)
def _pattern(expression: str) -> Pattern[str]:
    return re.compile(expression, re.IGNORECASE)
