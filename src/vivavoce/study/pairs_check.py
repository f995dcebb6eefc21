"""Checks of a transcript pair: the versions may differ only in the strategy.

Source  Guerini et al. 2018, section 3 (same wording and outcome, minimal changes in the system's turns) and
section 5 (an almost equal number of tokens and turns)
"""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from typing import Literal, NamedTuple

from pydantic import Field

from vivavoce.core.i18n import N_
from vivavoce.core.statement import FormattedNumber, LocalizedText, Value, statement
from vivavoce.study.pairs import Pair, PairText, Transcript, length, tokens
from vivavoce.study.pairs_difference import Difference, difference
from vivavoce.study.pairs_meaning import disagreements, tells_facts
from vivavoce.study.settings import Number, Settings, Whole

Word = Literal["fair", "doubtful", "unfit"]
NOTABLY_LONGER = Fraction(1, 10)


class Balance(Settings):
    """Allowed differences between the transcripts of a pair."""

    tokens: Number = Field(0.25, ge=0, description="difference in length, as a share of the control's tokens")
    turns: Whole = Field(0, ge=0, description="difference in number of turns")
    changed: Number = Field(
        0.25, gt=0, le=1, description="tokens removed or added, as a share of the system's tokens"
    )


class Finding(NamedTuple):
    """One error or warning about a pair, with the next step."""

    problem: LocalizedText
    hint: LocalizedText


class PairVerdict(NamedTuple):
    """Verdict on a pair in one language.

    word      unfit: it cannot be used; doubtful: usable, check it; fair: no findings
    findings  errors or warnings; [] of a fair pair
    changed   the larger of the shares of the system's tokens that are removed and added, 0 to 1
    """

    word: Word
    findings: list[Finding]
    changed: float


def judge_pair(pair: Pair, language: str, balance: Balance) -> PairVerdict:
    """The verdict on a pair; warnings are left out if the pair is unfit."""
    share = changed_share(pair.text[language])
    problems = pair_problems(pair, language, balance)
    if problems:
        return PairVerdict("unfit", problems, share)
    warnings = pair_warnings(pair, language)
    return PairVerdict("doubtful" if warnings else "fair", warnings, share)


def changed_share(text: PairText) -> float:
    """The larger of the shares of the system's tokens that are removed and added, 0 to 1.

    Empty  the system says nothing: 0
    """
    changed = difference(text)
    said = max(length(text.control, "system"), length(text.experimental, "system"))
    return max(changed.removed, changed.added) / said if said else 0.0


def pair_problems(pair: Pair, language: str, balance: Balance) -> list[Finding]:
    """Errors that make the pair unfit for its study; [] if it can be used."""
    text = pair.text[language]
    if not text.control or not text.experimental:
        hint = N_("write `System: ...` and `User: ...` lines")
        if text.control:
            return [_finding(N_("the experimental transcript has no turns"), hint)]
        return [_finding(N_("the control transcript has no turns"), hint)]
    if pair.attention == "broken":
        return []
    if pair.attention == "identical":
        hint = N_("make them the same, or remove `attention`")
        differ = _changes(difference(text))
        return [_finding(N_("the transcripts of an identical pair differ"), hint)] if differ else []
    if text.control == text.experimental:
        hint = N_("change the system's turns of the experimental one")
        return [_finding(N_("the transcripts do not differ"), hint)]
    found = _user_turns(text)
    if not found:
        found += _turns(text, balance) + _lengths(text, balance) + _amount(text, balance)
        found += _meaning(text, language)
    return found + _outcome(text)


def _finding(problem: str, hint: str, **values: Value) -> Finding:
    return Finding(statement(problem, **values), LocalizedText(hint))


def _changes(changed: Difference) -> int:
    return changed.removed + changed.added


def _said(transcript: Transcript, party: str) -> list[str]:
    return [turn.text for turn in transcript if turn.party == party]


def _user_turns(text: PairText) -> list[Finding]:
    ours, theirs = _said(text.control, "user"), _said(text.experimental, "user")
    hint = N_("only the system's turns may change: copy the control's")
    if len(ours) != len(theirs):
        problem = N_("the user has {control} turns in the control and {other} in the other")
        return [_finding(problem, hint, control=len(ours), other=len(theirs))]
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if one != other:
            problem = N_("user turn {number} differs: {control} and {other}")
            return [_finding(problem, hint, number=number, control=_short(one), other=_short(other))]
    return []


def _turns(text: PairText, balance: Balance) -> list[Finding]:
    ours, theirs = len(text.control), len(text.experimental)
    if abs(ours - theirs) <= balance.turns:
        return []
    problem = N_("the control has {control} turns and the experimental one {other}")
    return [
        _finding(problem, N_("join or split turns, or raise `balance.turns`"), control=ours, other=theirs)
    ]


def _lengths(text: PairText, balance: Balance) -> list[Finding]:
    ours, theirs = length(text.control), length(text.experimental)
    if abs(theirs - ours) / ours <= balance.tokens:
        return []
    problem = N_(
        "{other} tokens against the control's {control} ({change}), more than {most} apart: readers may "
        "prefer the length"
    )
    return [
        _finding(
            problem,
            N_("balance the lengths, or raise `balance.tokens`"),
            control=ours,
            other=theirs,
            change=FormattedNumber((theirs - ours) / ours, "+.0%"),
            most=FormattedNumber(balance.tokens, ".0%"),
        )
    ]


def _amount(text: PairText, balance: Balance) -> list[Finding]:
    share = changed_share(text)
    if share <= balance.changed:
        return []
    problem = N_(
        "{share} of the system's tokens changed, more than {most}: the versions may differ in more than "
        "the strategy"
    )
    return [
        _finding(
            problem,
            N_("keep more of the control's words, or raise `balance.changed`"),
            share=FormattedNumber(share, ".0%"),
            most=FormattedNumber(balance.changed, ".0%"),
        )
    ]


def _meaning(text: PairText, language: str) -> list[Finding]:
    """Facts on which the versions differ, each with its place."""
    hint = N_("state the same facts in both; list equivalent phrases under `equivalent`")
    last = len(_said(text.control, "user")) + 1
    found = []
    for disagreement in disagreements(text, language):
        if disagreement.turn == last:
            found.append(_finding(N_("after the user's last turn, {what}"), hint, what=disagreement.problem))
        else:
            found.append(
                _finding(
                    N_("before user turn {turn}, {what}"),
                    hint,
                    turn=disagreement.turn,
                    what=disagreement.problem,
                )
            )
    return found


def _outcome(text: PairText) -> list[Finding]:
    """Check that the system states the outcome phrases in both versions."""
    hint = N_("both versions must have the same outcome: add it, or correct `outcome`")
    found = []
    for phrase in text.outcome:
        if not _tells(text.control, phrase):
            problem = N_("the outcome {phrase} is missing in the control transcript")
            found.append(_finding(problem, hint, phrase=repr(phrase)))
        if not _tells(text.experimental, phrase):
            problem = N_("the outcome {phrase} is missing in the experimental transcript")
            found.append(_finding(problem, hint, phrase=repr(phrase)))
    return found


def _tells(transcript: Transcript, phrase: str) -> bool:
    """Check if a system turn contains the phrase as whole words in this order, ignoring case."""
    wanted = [token.casefold() for token in tokens(phrase)]
    for turn in _said(transcript, "system"):
        told = [token.casefold() for token in tokens(turn)]
        if any(told[at : at + len(wanted)] == wanted for at in range(len(told) - len(wanted) + 1)):
            return True
    return False


def pair_warnings(pair: Pair, language: str) -> list[Finding]:
    """Warnings about a pair that can be used."""
    text = pair.text[language]
    if pair.attention is not None:
        return []
    changed, found = difference(text), []
    if pair.change == "insertion" and changed.removed:
        problem = N_("declared as insertion, but {count} tokens of the control are missing")
        found.append(
            _finding(problem, N_("keep them, or write `change: substitution`"), count=changed.removed)
        )
    if pair.change == "substitution" and not changed.removed:
        problem = N_("declared as substitution, but text was only added")
        found.append(_finding(problem, N_("write `change: insertion`")))
    if not text.outcome and not tells_facts(text, language):
        problem = N_("no facts found to compare the outcomes")
        found.append(_finding(problem, N_("write under `outcome` words that the system says in both")))
    return found


def length_warnings(pairs: Iterable[Pair], language: str) -> list[Finding]:
    """Variables whose experimental version is notably longer, or shorter, in every pair."""
    shares: dict[str, list[Fraction]] = defaultdict(list)
    for pair in pairs:
        if pair.attention is None and language in pair.text and pair.text[language].control:
            text = pair.text[language]
            shares[pair.variable].append(Fraction(length(text.experimental), length(text.control)) - 1)
    found = []
    for variable, each in shares.items():
        hint = N_("readers may prefer the length: add a pair that balances it, or report this limitation")
        if min(each) > NOTABLY_LONGER:
            problem = N_("variable {variable}: every experimental version is over 10 % longer ({language})")
        elif max(each) < -NOTABLY_LONGER:
            problem = N_("variable {variable}: every experimental version is over 10 % shorter ({language})")
        else:
            continue
        found.append(_finding(problem, hint, variable=repr(variable), language=language))
    return found


def _short(text: str) -> str:
    shown = " ".join(text.split())
    return repr(shown if len(shown) <= 40 else shown[:39] + "…")
