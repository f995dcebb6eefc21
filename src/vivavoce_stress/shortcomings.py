"""What is wrong with a system, in a sentence or two: what it did instead, how often, with an example.

Terminal, dashboard and reports say it in these words.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from textwrap import shorten
from typing import Any, Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText
from vivavoce.reports.language import language, say
from vivavoce.reports.numbers import count, listed, plural
from vivavoce_stress.blocks import title_of
from vivavoce_stress.cascade import DONE_OTHERWISE, DONE_WITH_ANOTHER
from vivavoce_stress.evidence import asks_again, sentences_of
from vivavoce_stress.failures import KINDS, FailureKind, answers_apart, kind_of, overruled
from vivavoce_stress.heuristics import numbers, plain
from vivavoce_stress.review import word_edits

StressFacts = Mapping[str, Any]  # a run of stress tests as `score` has it, or one of its failures
TellsDone = Callable[[str, str], bool]  # whether a text, in a language, tells that an errand is done
LONGEST: Final = 160
_TESTS: Final = 3  # that are named
_VALUE: Final = 3  # words that a value has at most
_ALIKE: Final = 0.5
_TOKEN: Final = re.compile(r"\w+(?:[-'’.:,]\w+)*")
_BY_ACTS: Final[frozenset[FailureKind]] = frozenset({"something_else", "wrong_answer", "more_turns"})
_CONFIRMED: Final = N_(
    "It had asked for confirmation, and the replay confirmed as in the original. A person could have "
    "corrected it."
)
_SOME_CONFIRMED: Final = N_(
    "In {k} of these {n} it had asked for confirmation, and the replay confirmed as in the original. A "
    "person could have corrected it."
)


class WrongValue(NamedTuple):
    """What was asked for, and what the system named in its place."""

    asked: str
    told: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneInstead:
    """Another thing than what was asked, which the system told as done.

    words      in which it told so
    value      None: no single value can be named
    unsaid     it never said before that it had not understood
    confirmed  it had asked whether this was right, and the user had said yes
    """

    words: str
    value: WrongValue | None
    unsaid: bool
    confirmed: bool


def done_instead(failure: StressFacts, tells_done: TellsDone | None = None) -> DoneInstead | None:
    """What a system did instead, of a case that did not pass.

    tells_done  knows it, too, where a person decided otherwise than the rules; None: only by their reason
    Empty       it did nothing else, or told of none: None
    """
    said = failure.get("instead")
    if said is not None and said not in _BY_ACTS:
        return None
    held = _after(failure["transcript"])
    place = by_rules = _place_by_rules(failure, held)
    if place is None and tells_done is not None:
        place = _place_by_words(failure, held, tells_done)
    if place is None:
        return None
    before = [text for party, text in held[:place] if party != "user"]
    value, told = _value_in(failure, held, place, certain=by_rules is not None), held[place][1]
    new = _words(value.told) if value else _words(told) - _words(_likest(failure, told))
    shown = next((one for one in sentences_of(told) if value and value.told in one), sentences_of(told)[0])
    return DoneInstead(
        words=shown,
        value=value,
        unsaid=not any(asks_again(text, failure["language"]) for text in before),
        confirmed=any(new and new <= _words(text) and "?" in text for text in before),
    )


def shortcomings(run: StressFacts, tells_done: TellsDone | None = None, *, redact: bool = False) -> list[str]:
    """What did not go as it should, in the reader's language: the gravest, an example, the rest.

    redact  no utterance is shown
    Empty   all that was decided was passed: []
    """
    of = say("{cases} of stress tests", cases=plural(run["whole"]["decided"], "case"))
    wrong = [(one, did) for one in run["failures"] if (did := done_instead(one, tells_done))]
    known = [id(one) for one, _ in wrong]
    rest = [one for one in run["failures"] if id(one) not in known]
    if wrong:
        told = say(
            "In {k} of {n} the system did something wrong and reported it as done.",
            k=count(len(wrong)),
            n=of,
        )
        return [told, *_done_told(wrong, redact=redact), *_kinds_told(rest)]
    if not rest:
        return []
    (kind, n), *_ = Counter[FailureKind](map(kind_of, rest)).most_common()
    held = [one for one in rest if kind_of(one) == kind]
    told = say("In {k} of {n} {kind}.", k=count(n), n=of, kind=small(say(KINDS[kind])))
    if n < len(rest):
        told = say(
            "{failed} of {n} failed. Most frequent, in {k}: {kind}.",
            failed=count(len(rest)),
            n=of,
            k=count(n),
            kind=small(say(KINDS[kind])),
        )
    examples = [] if redact else [_answers_told(min(held, key=lambda one: one["language"] != language()))]
    return [told, *examples, *_kinds_told([one for one in rest if one not in held])]


def tests_told(run: StressFacts) -> list[str]:
    """Which stress tests were passed least. Empty  all alike, or more than can be named: []"""
    held = [one for one in run["tests"] if one["decided"]]
    least = min((one["passed"] / one["decided"] for one in held), default=1.0)
    worst = [one for one in held if one["passed"] / one["decided"] == least]
    if least == 1 or len(worst) == len(held) or len(worst) > _TESTS:
        return []
    named = [
        say(
            "{test} ({k} of {n})",
            test=title_of(one).lower(),
            k=count(one["decided"] - one["passed"]),
            n=count(one["decided"]),
        )
        for one in worst
    ]
    return [say("Most failed tests: {tests}.", tests=listed(named))]


def _done_told(wrong: Sequence[tuple[StressFacts, DoneInstead]], *, redact: bool) -> list[str]:
    """An example of what was told as done, and whether the user could have known before."""
    n = len(wrong)
    told = [] if redact else [_example(*_plainest(wrong))]
    if all(did.unsaid for _, did in wrong):
        told.append(say("It had not signalled a misunderstanding."))
    if confirmed := sum(did.confirmed for _, did in wrong):
        template = _CONFIRMED if confirmed == n else _SOME_CONFIRMED
        told.append(say(template, k=count(confirmed), n=count(n)))
    return [" ".join(told)] if told else []


def _plainest(wrong: Sequence[tuple[StressFacts, DoneInstead]]) -> tuple[StressFacts, DoneInstead]:
    """The case that shows most in fewest words: of the reader's language, and of the value that was told
    most often in another's place."""
    often = Counter(did.value.told for _, did in wrong if did.value)

    def order(pair: tuple[StressFacts, DoneInstead]) -> tuple[bool, bool, int]:
        one, did = pair
        return one["language"] != language(), not _is_word(one), -often[did.value.told] if did.value else 1

    return min(wrong, key=order)


def _example(one: StressFacts, did: DoneInstead) -> str:
    """What was said, what the system told as done, and which value was wrong."""
    return _answered(one, did.words) + (
        " " + say("It used “{told}” instead of “{asked}”.", told=did.value.told, asked=did.value.asked)
        if did.value
        else ""
    )


def _answered(one: StressFacts, words: str) -> str:
    """What was said, and what the system said to it."""
    if _is_word(one):
        (edit,) = word_edits(one["original"], one["text"])
        return say(
            "Example: with “{wrong}” for “{right}” it replied “{words}”.",
            wrong=edit.after,
            right=edit.before,
            words=_short(words),
        )
    return say(
        "Example: the system replied to “{variant}” with “{after}”.", variant=one["text"], after=_short(words)
    )


def _answers_told(one: StressFacts) -> str:
    before, after = answers_apart(one["clean_transcript"], one["transcript"])
    if after is None:
        return say(
            "Example: “{original}” got a reply, “{variant}” did not.",
            original=one["original"],
            variant=one["text"],
        )
    if before is None or _is_word(one):
        return _answered(one, after)
    return say(
        "Example: the system replied to “{original}” with “{before}” and to “{variant}” with “{after}”.",
        original=one["original"],
        variant=one["text"],
        before=_short(before),
        after=_short(after),
    )


def _kinds_told(rest: Sequence[StressFacts]) -> list[str]:
    """What else the system did instead, and how often."""
    kinds = Counter[FailureKind](map(kind_of, rest)).most_common()
    named = [f"{small(say(KINDS[kind]))} ({count(n)})" for kind, n in kinds]
    return [say("Other failures: {kinds}.", kinds=listed(named))] if named else []


def _is_word(one: StressFacts) -> bool:
    """Whether a single word was misspelt, which tells all in two words."""
    return one["family"] == "spelling" and len(word_edits(one["original"], one["text"])) == 1


def _place_by_rules(failure: StressFacts, held: Sequence[tuple[str, str]]) -> int | None:
    """Where it told so, by the rules' reason; a person who decided otherwise has none of theirs."""
    if overruled(failure) or not failure.get("why"):
        return None
    for statement in _statements(LocalizedText.read(json.loads(failure["why"]))):
        name = {DONE_OTHERWISE: "words", DONE_WITH_ANOTHER: "variant"}.get(statement.template)
        if name is not None:
            words = str(dict(statement.values)[name])
            return next(
                (at for at, (party, text) in enumerate(held) if party != "user" and words in text), None
            )
    return None


def _place_by_words(
    failure: StressFacts, held: Sequence[tuple[str, str]], tells_done: TellsDone
) -> int | None:
    for at, (party, text) in enumerate(held):
        if party != "user" and tells_done(text, failure["language"]) and _value_in(failure, held, at):
            return at
    return None


def _value_in(
    failure: StressFacts, held: Sequence[tuple[str, str]], place: int, *, certain: bool = False
) -> WrongValue | None:
    """A value that the user had said and the original was told, against another one that nobody had said.

    certain  it is known to be another, so that the user may have said it, too: the day before Saturday
    """
    clean = _after(failure["clean_transcript"])
    said = [
        {
            word
            for party, text in turns
            if party == "user"
            for word in (*_words(text), *numbers(text, failure["language"].split("-")[0]))
        }
        for turns in (clean, held[:place])
    ]
    theirs = _TOKEN.findall(held[place][1])
    likest = _TOKEN.findall(_likest(failure, held[place][1]))
    matcher = _matcher(likest, theirs)
    if matcher.ratio() < _ALIKE:
        return None
    changed = [code[1:] for code in matcher.get_opcodes() if code[0] != "equal"]
    for low, high, other_low, other_high in [*changed, *_whole(changed)]:
        asked, told = likest[low:high], theirs[other_low:other_high]
        if not asked or not told or max(len(asked), len(told)) > _VALUE:
            continue
        if set(map(plain, asked)) <= said[0] and (certain or not set(map(plain, told)) <= said[1]):
            return WrongValue(" ".join(asked), " ".join(told))
    return None


def _likest(failure: StressFacts, told: str) -> str:
    """What the system said after the original that is most like this. Empty  it said nothing: no text"""
    theirs = _TOKEN.findall(told)
    answers = [text for party, text in _after(failure["clean_transcript"]) if party != "user"]
    return max(answers, key=lambda mine: _matcher(_TOKEN.findall(mine), theirs).ratio(), default="")


def _words(text: str) -> set[str]:
    return {plain(one) for one in _TOKEN.findall(text)}


def _whole(changed: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """From the first change to the last: `quarto piano` for `piano terra`. Empty  fewer than two: []"""
    if len(changed) < 2:
        return []
    (low, _, other_low, _), (_, high, _, other_high) = changed[0], changed[-1]
    return [(low, high, other_low, other_high)]


def _matcher(mine: Sequence[str], theirs: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(None, [plain(one) for one in mine], [plain(one) for one in theirs], autojunk=False)


def _after(transcript: str | None) -> list[tuple[str, str]]:
    """Party and text of each turn from the utterance under test on, and of the user's ones before it."""
    turns = json.loads(transcript) if transcript else []
    place = next((at for at, turn in enumerate(turns) if turn["injected"]), len(turns))
    kept = [turn for at, turn in enumerate(turns) if at >= place or turn["party"] == "user"]
    return [(turn["party"], turn["text"] or "") for turn in kept]


def _statements(told: LocalizedText) -> Iterator[LocalizedText]:
    yield told
    for _, value in told.values:
        if isinstance(value, LocalizedText):
            yield from _statements(value)


def _short(text: str) -> str:
    """An answer within a sentence."""
    return shorten(text, LONGEST, placeholder="…").removesuffix(".")


def small(text: str) -> str:
    """A sentence as it stands behind a colon."""
    return text[:1].lower() + text[1:]
