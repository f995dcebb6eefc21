"""What a system's words say, for systems that tell no acts: the cues of a simulated user's domain."""

import re
from functools import lru_cache
from re import Pattern

from vivavoce.core.text import normalise_value
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.domain import Cue, SimulatedDomain


def acts_by_cues(text: str, domain: SimulatedDomain, language: str) -> list[LoggedAct]:
    """The acts that a domain's cues find in a system's text, in the order of the cues."""
    found: list[LoggedAct] = []
    for cue in domain.cues:
        match = _pattern(cue.patterns[language]).search(text)
        if match is None:
            continue
        value = match.groupdict().get("value") or cue.value
        if value is not None and cue.slot in domain.slots:
            value = _key(domain, cue.slot, value, language)
        found.append(LoggedAct(act=cue.act, slot=cue.slot, value=value, op="=" if value else None))
        found += _named(cue, text, domain, language)
    return found


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


def _key(domain: SimulatedDomain, slot: str, value: str, language: str) -> str:
    """The key of a value that is told in words; the words themselves where no key has them."""
    wanted = normalise_value(value)
    for key, words in domain.slots[slot].values.items():
        if wanted in (normalise_value(key), normalise_value(words.get(language))):
            return key
    return value


def stands_in(text: str, name: str) -> bool:
    """Whether a name stands in a text as words of its own."""
    return _pattern(rf"(?<!\w){re.escape(name)}(?!\w)").search(text) is not None


@lru_cache(maxsize=2_000)
def _pattern(expression: str) -> Pattern[str]:
    return re.compile(expression, re.IGNORECASE)
