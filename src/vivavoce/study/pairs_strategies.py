"""An experimental version drafted from a control: a strategy's edits, as far as they keep the pair fair."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.languages.data import StrategyEdits, StrategyWords
from vivavoce.study.pairs import PairText, PairTurn, Transcript
from vivavoce.study.pairs_check import Balance, changed_share
from vivavoce.study.pairs_meaning import disagreements

SHIPPED: Final = (N_("empathy"), N_("formality"), N_("informality"), N_("politeness"))


class DraftedVersion(NamedTuple):
    """An experimental version.

    made     how many edits were made
    left     how many fit, and were left out: the pair would have changed too much, or told otherwise
    """

    experimental: Transcript
    made: int
    left: int


def strategies(language: str) -> dict[str, StrategyEdits]:
    """The strategies that a language has edits for, by name; of a language without any, the English ones."""
    return StrategyWords.or_english(language).strategies


def draft_version(
    control: Transcript, edits: StrategyEdits, language: str, balance: Balance
) -> DraftedVersion:
    """Apply edits one by one to the system's turns; each stays that keeps facts and budget.

    Empty  no edit fits: the control itself, made 0
    """
    drafted, made, left = control, 0, 0
    for candidate in _candidates(edits):
        for place, turn in enumerate(control):
            said = candidate(drafted, place) if turn.party == "system" else None
            if said is None or said == drafted[place].text:
                continue
            changed = (*drafted[:place], PairTurn(party="system", text=said), *drafted[place + 1 :])
            text = PairText(control=control, experimental=changed)
            if changed_share(text) > balance.changed or disagreements(text, language):
                left += 1
                continue
            drafted, made = changed, made + 1
            if isinstance(candidate, _Opening):
                return DraftedVersion(drafted, made, left)
    return DraftedVersion(drafted, made, left)


class _Replacement(NamedTuple):
    """What stands somewhere, and what instead; a capital stays one."""

    pattern: re.Pattern[str]
    instead: str

    def __call__(self, turns: Transcript, place: int) -> str | None:
        def put(match: re.Match[str]) -> str:
            said = match.expand(self.instead)
            return said[:1].upper() + said[1:] if match[0][:1].isupper() else said

        return self.pattern.sub(put, turns[place].text)


class _Opening(NamedTuple):
    """What a turn begins with, where the user has said one of the cues right before it."""

    cues: tuple[re.Pattern[str], ...]
    said: str

    def __call__(self, turns: Transcript, place: int) -> str | None:
        before = turns[place - 1] if place else None
        if before is None or before.party != "user":
            return None
        if self.cues and not any(cue.search(before.text) for cue in self.cues):
            return None
        return f"{self.said} {turns[place].text}"


def _candidates(edits: StrategyEdits) -> Iterator[_Replacement | _Opening]:
    cues = tuple(re.compile(cue, re.IGNORECASE) for cue in edits.cues)
    yield from (_Opening(cues, said) for said in edits.openings)
    yield from (
        _Replacement(re.compile(pattern, re.IGNORECASE), instead) for pattern, instead in edits.replace
    )
