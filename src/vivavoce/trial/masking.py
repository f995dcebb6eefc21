"""Masking the names of systems in what participants of an arena read; the log keeps the answers raw."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from vivavoce.study.model import Study
from vivavoce.study.steps import BattlePlan

MASK: Final = "▇▇▇"
SHORTEST: Final = 3  # `a` or `v2` would mask half of every sentence
_APART: Final = re.compile(r"[\W_]+")


def names_to_mask(study: Study, plan: BattlePlan) -> tuple[str, ...]:
    """Names to mask: keys and titles of systems, their models, and words of the step."""
    called = [
        name
        for system, settings in study.systems.items()
        for name in (system, study.system_titles.get(system), settings.get("model"))
        if isinstance(name, str) and name
    ]
    return tuple(dict.fromkeys((*called, *plan.mask)))


def masked(text: str, names: Iterable[str]) -> str:
    """The text with every name masked, whatever its case and whatever stands between its parts.

    Note  `gpt-4o`, `GPT 4o` and `gpt_4o` are one name; a name within a longer word stays, except with a
          plural or possessive s; names of fewer than three characters are left alone
    """
    pattern = _pattern(tuple(names))
    return pattern.sub(MASK, text) if pattern else text


def settled(text: str, names: Iterable[str]) -> str:
    """Part of a growing text in which no name that it may not hold has begun."""
    signs = [(at, sign.lower()) for at, sign in enumerate(text) if not _APART.fullmatch(sign)]
    called = ["".join(_APART.split(name)).lower() + "s" for name in names]
    called = [name for name in called if len(name) > SHORTEST]
    longest = max(map(len, called), default=0)
    for place in range(max(0, len(signs) - longest), len(signs)):
        at, tail = signs[place][0], "".join(sign for _, sign in signs[place:])
        if (at == 0 or _APART.fullmatch(text[at - 1])) and any(name.startswith(tail) for name in called):
            return text[:at]
    return text


def leaks(text: str, names: Iterable[str]) -> bool:
    """True if a text names a system."""
    pattern = _pattern(tuple(names))
    return bool(pattern and pattern.search(text))


@lru_cache(maxsize=256)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str] | None:
    spelled = [
        r"[\W_]*".join(re.escape(part) for part in parts)
        for name in sorted(names, key=len, reverse=True)
        if (parts := [part for part in _APART.split(name) if part]) and len("".join(parts)) >= SHORTEST
    ]
    if not spelled:
        return None
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(spelled)})(?=(?:['’]?s)?(?![^\W_]))", re.IGNORECASE)
