"""Comparison of the meaning of a pair's versions: values in order, names, truth of each fact, actions.

Source  Guerini et al. 2018, section 3: the outcome stays the same, as all but the strategy does
Note    by words and rules, not by understanding: how often it is wrong is published (pair-check-quality)
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, Value, statement
from vivavoce.study.pairs import PairText, Transcript
from vivavoce.study.pairs_facts import (
    FORMS,
    Facts,
    Form,
    Side,
    ToldValue,
    facts_of,
    lemma,
    names_of,
    without_negation,
)

STATES: Final = {
    "told": N_("stated as true"),
    "denied": N_("denied"),
    "asked": N_("asked"),
    "supposed": N_("not certain"),
}
CONTROL: Final = LocalizedText(N_("the control"))
ACTS: Final = {
    "refuse": N_("only {version} says that it cannot help or does not know"),
    "hand_over": N_("only {version} refers the user elsewhere"),
    "trouble": N_("only {version} reports a problem"),
}
EXPERIMENTAL: Final = LocalizedText(N_("the experimental version"))


class FactMismatch(NamedTuple):
    """One thing that both versions tell otherwise.

    turn     before which turn of the user, from 1; one more than there are: behind the last
    problem  what it is
    """

    turn: int
    problem: LocalizedText


def disagreements(text: PairText, language: str) -> list[FactMismatch]:
    """Differences in meaning between the two versions, between each two user turns.

    Empty  both tell the same; also where no fact was found
    Note   what `equivalent` names counts as the same
    """
    ours, theirs = _said(text.control), _said(text.experimental)
    ours = [_with_equivalents(one, text.equivalent) for one in ours]
    theirs = [_with_equivalents(one, text.equivalent) for one in theirs]
    spoken = _users(text.control)
    names = {name for one in (*ours, *theirs, *spoken) for name in names_of(one, language)}
    found: list[FactMismatch] = []
    heard = ""
    for place in range(max(len(ours), len(theirs))):
        one, other = (said[place] if place < len(said) else "" for said in (ours, theirs))
        if one != other:
            control, experimental = facts_of(one, language, names), facts_of(other, language, names)
            words = _words(heard)
            problems = _compared(control, experimental, words)
            problems += [] if problems else _swapped(one, other, words, _words(" ".join(spoken[:place])))
            found += [FactMismatch(place + 1, problem) for problem in problems]
        heard += f" {one} {spoken[place] if place < len(spoken) else ''}"
    return found


def tells_facts(text: PairText, language: str) -> bool:
    """True if the control has a fact by which an outcome can be compared."""
    facts = [facts_of(one, language) for one in _said(text.control)]
    return any(fact.values or fact.names or fact.opposites for fact in facts)


def _said(transcript: Transcript) -> list[str]:
    """System text before the first user turn, between each two, and after the last."""
    stretches = [""]
    for turn in transcript:
        if turn.party == "user":
            stretches.append("")
        else:
            stretches[-1] += f"\n{turn.text}"
    return [stretch.strip() for stretch in stretches]


def _users(transcript: Transcript) -> list[str]:
    return [turn.text for turn in transcript if turn.party == "user"]


def _with_equivalents(said: str, equivalent: Iterable[tuple[str, str]]) -> str:
    for one, other in equivalent:
        said = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", lambda _: other, said, flags=re.IGNORECASE)  # noqa: B023
    return said


def _words(text: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]{3,}", text.lower()))


def _compared(control: Facts, experimental: Facts, given: set[str]) -> list[LocalizedText]:
    checks: tuple[Callable[[], Iterable[LocalizedText]], ...] = (
        lambda: _values(control.values, experimental.values),
        lambda: _names(control.names, experimental.names, given),
        lambda: _answers(control, experimental),
        lambda: _opposites(
            control.opposites, experimental.opposites, {**control.sides, **experimental.sides}
        ),
        lambda: _forms(control.words, experimental.words),
        lambda: _acts(control.acts, experimental.acts),
    )
    return [problem for check in checks for problem in check()]


def _values(ours: list[ToldValue], theirs: list[ToldValue]) -> Iterator[LocalizedText]:
    mine, other = Counter(one.value for one in ours), Counter(one.value for one in theirs)
    if mine != other:
        lost, new = (sorted((a - b).elements()) for a, b in ((mine, other), (other, mine)))
        yield _told_otherwise(lost, new)
    elif [one.value for one in ours] != [one.value for one in theirs]:
        before, after = (", ".join(one.value for one in both) for both in (ours, theirs))
        yield statement(
            N_("facts are in a different order: {control} and {other}"), control=before, other=after
        )
    else:
        for one, same in zip(ours, theirs, strict=True):
            if one.state != same.state:
                before, after = (LocalizedText(STATES[told.state]) for told in (one, same))
                template = N_("{value} is {control} in the control and {other} in the experimental version")
                yield statement(template, value=one.value, control=before, other=after)
                return


def _told_otherwise(lost: Iterable[str], new: Iterable[str]) -> LocalizedText:
    before, after = (", ".join(sorted(several)) or LocalizedText(N_("nothing")) for several in (lost, new))
    template = N_("the control says {control} where the experimental version says {other}")
    return statement(template, control=before, other=after)


def _names(ours: list[str], theirs: list[str], given: set[str]) -> Iterator[LocalizedText]:
    mine, other = Counter(ours), Counter(theirs)
    lost, new = mine - other, other - mine
    strange = sorted(name for name in (lost or new) if name not in given)
    if lost and new:
        yield _told_otherwise(lost, new)
    elif strange:
        yield _only(bool(lost), N_("only {version} names {what}"), what=", ".join(strange))
    elif not lost and not new and ours != theirs:
        template = N_("names are in a different order: {control} and {other}")
        yield statement(template, control=", ".join(ours), other=", ".join(theirs))


def _only(control: bool, template: str, **values: Value) -> LocalizedText:
    return statement(template, version=CONTROL if control else EXPERIMENTAL, **values)


def _answers(control: Facts, experimental: Facts) -> Iterator[LocalizedText]:
    if {*control.answers, *experimental.answers} == {1, -1} and control.answers != experimental.answers:
        yield LocalizedText(N_("one version says yes and the other no"))


def _opposites(
    ours: Counter[Side], theirs: Counter[Side], said: Mapping[Side, str]
) -> Iterator[LocalizedText]:
    for axis in sorted({axis for axis, _ in (*ours, *theirs)}):
        change = [theirs[axis, side] - ours[axis, side] for side in (1, -1)]
        if change[0] * change[1] < 0:
            words = LocalizedText(" / ".join(said[axis, side] for side in (1, -1) if (axis, side) in said))
            yield statement(N_("one version states the opposite of the other ({words})"), words=words)
            return


def _forms(ours: Counter[tuple[str, Form]], theirs: Counter[tuple[str, Form]]) -> Iterator[LocalizedText]:
    """Words of both versions that one denies, or supposes, or tells as done, and the other does not."""
    mine, other = _by_lemma(ours, theirs), _by_lemma(theirs, ours)
    spelt = {lemma(word): word for word, _ in ours}
    for word in sorted({word for word, _ in mine} & {word for word, _ in other}):
        change = {form: other[word, form] - mine[word, form] for form in FORMS}
        rest, shown = change["plain"] + change["done"], spelt.get(word, word)
        if change["denied"] * rest < 0:
            yield _only(change["denied"] < 0, N_("only {version} denies “{word}”"), word=shown)
            return
        if change["supposed"] * rest < 0:
            yield _only(change["supposed"] < 0, N_("only {version} states “{word}” as uncertain"), word=shown)
            return
        if change["done"] * change["plain"] < 0 and not rest:
            yield _only(change["done"] < 0, N_("only {version} states “{word}” as done"), word=shown)
            return


def _by_lemma(
    words: Counter[tuple[str, Form]], others: Counter[tuple[str, Form]]
) -> Counter[tuple[str, Form]]:
    known = {lemma(word) for word, _ in others}
    found: Counter[tuple[str, Form]] = Counter()
    for (word, form), count in words.items():
        denied = without_negation(word)
        if denied and lemma(denied) in known and lemma(word) not in known:
            turned: Form = "plain" if form == "denied" else "denied"
            found[lemma(denied), turned] += count
        else:
            found[lemma(word), form] += count
    return found


def _acts(ours: set[str], theirs: set[str]) -> Iterator[LocalizedText]:
    """Signs of trouble in only one version; a failure to understand may be the strategy."""
    for act, template in ACTS.items():
        excused = {act, "not_understood"} if act == "refuse" else {act}
        if (act in ours and not theirs & excused) or (act in theirs and not ours & excused):
            yield _only(act in ours, template)


def _swapped(one: str, other: str, given: set[str], asked: set[str]) -> list[LocalizedText]:
    """Check for a replaced offer: the requested thing is gone and an alternative is there, red for blue."""
    ours, theirs = _words(one), _words(other)
    lost, new = (ours - theirs) & asked, (theirs - ours) & given - asked
    return [_told_otherwise(lost, new)] if lost and new else []
