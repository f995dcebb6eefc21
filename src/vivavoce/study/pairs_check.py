"""What makes a pair of transcripts a fair comparison: the same in everything but the strategy.

Source  Guerini et al. 2018, section 3 (same wording and outcome, minimal changes in the system's turns) and
        section 5 (an almost equal number of tokens and turns)
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from pydantic import Field

from vivavoce.study.pairs import Pair, PairText, Transcript, length, tokens
from vivavoce.study.pairs_difference import Difference, difference
from vivavoce.study.settings import Number, Settings, Whole

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
NOTABLY_LONGER = 0.1


class Balance(Settings):
    """How far the two transcripts of a pair may be apart."""

    tokens: Number = Field(
        0.25, ge=0, description="difference of their lengths, share of the control's tokens"
    )
    turns: Whole = Field(0, ge=0, description="difference in number of turns")
    changed: Number = Field(
        0.6, gt=0, le=1, description="tokens removed or added, share of what the system says"
    )


class Finding(NamedTuple):
    """One thing about a pair: what is wrong or doubtful, and what to do about it."""

    problem: str
    hint: str


def pair_problems(pair: Pair, language: str, balance: Balance) -> list[Finding]:
    """What makes the pair unfit for its study; [] when it can be used."""
    text = pair.text[language]
    if not text.control or not text.experimental:
        missing = "experimental" if text.control else "control"
        return [
            Finding(f"the {missing} transcript has no turns", "write `System: ...` and `User: ...` lines")
        ]
    if pair.attention == "broken":
        return []
    changed = difference(text)
    if pair.attention == "identical":
        hint = "make them the same, or remove `attention`"
        return [Finding("the transcripts of an identical pair differ", hint)] if _changes(changed) else []
    if text.control == text.experimental:
        return [Finding("the transcripts do not differ", "change the system's turns of the experimental one")]
    found = _user_turns(text)
    if not found:
        found += _turns(text, balance) + _lengths(text, balance) + _amount(text, changed, balance)
    return found + _outcome(text)


def _changes(changed: Difference) -> int:
    return changed.removed + changed.added


def _said(transcript: Transcript, party: str) -> list[str]:
    return [turn.text for turn in transcript if turn.party == party]


def _user_turns(text: PairText) -> list[Finding]:
    ours, theirs = _said(text.control, "user"), _said(text.experimental, "user")
    hint = "only the system's turns may change: copy the control's"
    if len(ours) != len(theirs):
        return [
            Finding(f"the user has {len(ours)} turns in the control and {len(theirs)} in the other", hint)
        ]
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if one != other:
            return [Finding(f"user turn {number} differs: {_short(one)} and {_short(other)}", hint)]
    return []


def _turns(text: PairText, balance: Balance) -> list[Finding]:
    ours, theirs = len(text.control), len(text.experimental)
    if abs(ours - theirs) <= balance.turns:
        return []
    problem = f"the control has {ours} turns and the experimental one {theirs}"
    return [Finding(problem, "join or split turns, or raise `balance.turns`")]


def _lengths(text: PairText, balance: Balance) -> list[Finding]:
    ours, theirs = length(text.control), length(text.experimental)
    share = abs(theirs - ours) / ours
    if share <= balance.tokens:
        return []
    problem = (
        f"{theirs} tokens against the control's {ours} ({_signed(theirs - ours, ours)}), "
        f"more than {balance.tokens:.0%} apart: readers may prefer the length"
    )
    return [Finding(problem, "balance the lengths, or raise `balance.tokens`")]


def _amount(text: PairText, changed: Difference, balance: Balance) -> list[Finding]:
    said = max(length(text.control, "system"), length(text.experimental, "system"))
    most = max(changed.removed, changed.added)
    if not said or most / said <= balance.changed:
        return []
    problem = (
        f"{most} of the system's {said} tokens are changed, more than {balance.changed:.0%}: "
        "the versions differ in more than a strategy"
    )
    return [Finding(problem, "keep more of the control's words, or raise `balance.changed`")]


def _outcome(text: PairText) -> list[Finding]:
    """Phrases that tell the outcome are said by the system in both versions."""
    found = []
    for phrase in text.outcome:
        for name, transcript in (("control", text.control), ("experimental", text.experimental)):
            if not _tells(transcript, phrase):
                hint = "both versions must end in the same outcome: say it, or correct `outcome`"
                found.append(Finding(f"the outcome {phrase!r} is not told in the {name} transcript", hint))
    return found


def _tells(transcript: Transcript, phrase: str) -> bool:
    """Whether one of the system's turns holds the phrase, whole words in this order; case is no matter."""
    wanted = [token.casefold() for token in tokens(phrase)]
    for turn in _said(transcript, "system"):
        told = [token.casefold() for token in tokens(turn)]
        if any(told[at : at + len(wanted)] == wanted for at in range(len(told) - len(wanted) + 1)):
            return True
    return False


def pair_warnings(pair: Pair, language: str) -> list[Finding]:
    """What is doubtful about a pair that can be used."""
    text = pair.text[language]
    if pair.attention is not None:
        return []
    changed, found = difference(text), []
    if pair.change == "insertion" and changed.removed:
        problem = f"called an insertion, but {changed.removed} tokens of the control are gone"
        found.append(Finding(problem, "keep them, or write `change: substitution`"))
    if pair.change == "substitution" and not changed.removed:
        found.append(Finding("called a substitution, but text was only added", "write `change: insertion`"))
    if not text.outcome:
        hint = "write `outcome`: words that the system says in both"
        found.append(Finding("says no outcome, so that the outcomes are not compared", hint))
    if (ours := _numbers(text.control)) != (theirs := _numbers(text.experimental)):
        odd = ", ".join(sorted(((ours - theirs) + (theirs - ours)).keys()))
        found.append(
            Finding(f"the system tells different numbers ({odd})", "see that the outcome is the same")
        )
    return found


def _numbers(transcript: Transcript) -> Counter[str]:
    return Counter(_NUMBER.findall(" ".join(_said(transcript, "system"))))


def length_warnings(pairs: Iterable[Pair], language: str) -> list[Finding]:
    """Variables whose experimental version is notably longer, or shorter, in every pair."""
    shares: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        if pair.attention is None and language in pair.text and pair.text[language].control:
            text = pair.text[language]
            shares[pair.variable].append(length(text.experimental) / length(text.control) - 1)
    found = []
    for variable, each in shares.items():
        way = "longer" if min(each) > NOTABLY_LONGER else "shorter" if max(each) < -NOTABLY_LONGER else None
        if way is not None:
            problem = f"variable {variable!r}: every experimental version is over 10 % {way} ({language})"
            hint = "a preference may be one for length: add a pair that balances it, or say so in the report"
            found.append(Finding(problem, hint))
    return found


def _signed(change: int, whole: int) -> str:
    return f"{change / whole:+.0%}"


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")
