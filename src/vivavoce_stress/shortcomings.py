"""Summary of a system's failures: what it did instead, how often, with an example.

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
from vivavoce.reports.language import count, language, listed, plural, say
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
    """The requested value, and the value that the system named in its place."""

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
    """Action of a system in a failed case, in place of the right one.

    tells_done  knows it, too, where a person decided otherwise than the rules; None: only by their reason
    Empty       it did nothing else, or told of none: None
    """
    by_acts = failure.get("instead")
    if by_acts is not None and by_acts not in _BY_ACTS:
        return None
    later_turns = _after(failure["transcript"])
    place = by_rules = _place_by_rules(failure, later_turns)
    if place is None and tells_done is not None:
        place = _place_by_words(failure, later_turns, tells_done)
    if place is None:
        return None
    before = [text for party, text in later_turns[:place] if party != "user"]
    value, system_text = (
        _value_in(failure, later_turns, place, certain=by_rules is not None),
        later_turns[place][1],
    )
    new = _words(value.told) if value else _words(system_text) - _words(_likest(failure, system_text))
    quote = next(
        (sentence for sentence in sentences_of(system_text) if value and value.told in sentence),
        sentences_of(system_text)[0],
    )
    return DoneInstead(
        words=quote,
        value=value,
        unsaid=not any(asks_again(text, failure["language"]) for text in before),
        confirmed=any(new and new <= _words(text) and "?" in text for text in before),
    )


def shortcomings(run: StressFacts, tells_done: TellsDone | None = None, *, redact: bool = False) -> list[str]:
    """Main failures in the reader's language: the gravest, an example, the rest.

    redact  no utterance is shown
    Empty   all that was decided was passed: []
    """
    of = say("{cases} of stress tests", cases=plural(run["whole"]["decided"], "case"))
    wrong = [(failure, did) for failure in run["failures"] if (did := done_instead(failure, tells_done))]
    explained = [id(failure) for failure, _ in wrong]
    remaining = [failure for failure in run["failures"] if id(failure) not in explained]
    if wrong:
        summary = say(
            "In {k} of {n} the system did something wrong and reported it as done.",
            k=count(len(wrong)),
            n=of,
        )
        return [summary, *_done_told(wrong, redact=redact), *_kinds_told(remaining)]
    if not remaining:
        return []
    (kind, n), *_ = Counter[FailureKind](map(kind_of, remaining)).most_common()
    same_kind = [failure for failure in remaining if kind_of(failure) == kind]
    summary = say("In {k} of {n} {kind}.", k=count(n), n=of, kind=small(say(KINDS[kind])))
    if n < len(remaining):
        summary = say(
            "{failed} of {n} failed. Most frequent, in {k}: {kind}.",
            failed=count(len(remaining)),
            n=of,
            k=count(n),
            kind=small(say(KINDS[kind])),
        )
    examples = (
        [] if redact else [_answers_told(min(same_kind, key=lambda one: one["language"] != language()))]
    )
    return [summary, *examples, *_kinds_told([failure for failure in remaining if failure not in same_kind])]


def tests_told(run: StressFacts) -> list[str]:
    """Stress tests with the lowest pass rate. Empty if all are equal, or too many to name: []"""
    decided = [test for test in run["tests"] if test["decided"]]
    least = min((test["passed"] / test["decided"] for test in decided), default=1.0)
    worst = [test for test in decided if test["passed"] / test["decided"] == least]
    if least == 1 or len(worst) == len(decided) or len(worst) > _TESTS:
        return []
    test_lines = [
        say(
            "{test} ({k} of {n})",
            test=title_of(test).lower(),
            k=count(test["decided"] - test["passed"]),
            n=count(test["decided"]),
        )
        for test in worst
    ]
    return [say("Most failed tests: {tests}.", tests=listed(test_lines))]


def _done_told(wrong: Sequence[tuple[StressFacts, DoneInstead]], *, redact: bool) -> list[str]:
    """An example of what was told as done, and whether the user could have known before."""
    n = len(wrong)
    sentences = [] if redact else [_example(*_plainest(wrong))]
    if all(did.unsaid for _, did in wrong):
        sentences.append(say("It had not signalled a misunderstanding."))
    if confirmed := sum(did.confirmed for _, did in wrong):
        template = _CONFIRMED if confirmed == n else _SOME_CONFIRMED
        sentences.append(say(template, k=count(confirmed), n=count(n)))
    return [" ".join(sentences)] if sentences else []


def _plainest(wrong: Sequence[tuple[StressFacts, DoneInstead]]) -> tuple[StressFacts, DoneInstead]:
    """The case that shows most in fewest words: of the reader's language, and of the value that was told
    most often in another's place."""
    often = Counter(did.value.told for _, did in wrong if did.value)

    def order(pair: tuple[StressFacts, DoneInstead]) -> tuple[bool, bool, int]:
        failure, did = pair
        return (
            failure["language"] != language(),
            not _is_word(failure),
            -often[did.value.told] if did.value else 1,
        )

    return min(wrong, key=order)


def _example(one: StressFacts, did: DoneInstead) -> str:
    """An example: the user's words, the system's report, and the wrong value."""
    return _answered(one, did.words) + (
        " " + say("It used “{told}” instead of “{asked}”.", told=did.value.told, asked=did.value.asked)
        if did.value
        else ""
    )


def _answered(one: StressFacts, words: str) -> str:
    """The user's words and the system's answer."""
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
    """Other failures by kind and number."""
    kinds = Counter[FailureKind](map(kind_of, rest)).most_common()
    kind_lines = [f"{small(say(KINDS[kind]))} ({count(n)})" for kind, n in kinds]
    return [say("Other failures: {kinds}.", kinds=listed(kind_lines))] if kind_lines else []


def _is_word(one: StressFacts) -> bool:
    """True if a single word was misspelt, which makes a short example."""
    return one["family"] == "spelling" and len(word_edits(one["original"], one["text"])) == 1


def _place_by_rules(failure: StressFacts, held: Sequence[tuple[str, str]]) -> int | None:
    """Place of the report by the rules' reason; verdicts changed by a person have none."""
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
    spoken_words = [
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
        requested, stated = likest[low:high], theirs[other_low:other_high]
        if not requested or not stated or max(len(requested), len(stated)) > _VALUE:
            continue
        if set(map(plain, requested)) <= spoken_words[0] and (
            certain or not set(map(plain, stated)) <= spoken_words[1]
        ):
            return WrongValue(" ".join(requested), " ".join(stated))
    return None


def _likest(failure: StressFacts, told: str) -> str:
    """The most similar system turn after the original. Empty if there was none: no text"""
    theirs = _TOKEN.findall(told)
    answers = [text for party, text in _after(failure["clean_transcript"]) if party != "user"]
    return max(answers, key=lambda mine: _matcher(_TOKEN.findall(mine), theirs).ratio(), default="")


def _words(text: str) -> set[str]:
    return {plain(token) for token in _TOKEN.findall(text)}


def _whole(changed: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """From the first change to the last: `quarto piano` for `piano terra`. Empty  fewer than two: []"""
    if len(changed) < 2:
        return []
    (low, _, other_low, _), (_, high, _, other_high) = changed[0], changed[-1]
    return [(low, high, other_low, other_high)]


def _matcher(mine: Sequence[str], theirs: Sequence[str]) -> SequenceMatcher[str]:
    return SequenceMatcher(
        None,
        [plain(mine_word) for mine_word in mine],
        [plain(their_word) for their_word in theirs],
        autojunk=False,
    )


def _after(transcript: str | None) -> list[tuple[str, str]]:
    """Party and text of each turn from the utterance under test on, and of the user's ones before it."""
    turns = json.loads(transcript) if transcript else []
    place = next((at for at, turn in enumerate(turns) if turn["injected"]), len(turns))
    turns_after_place = [turn for at, turn in enumerate(turns) if at >= place or turn["party"] == "user"]
    return [(turn["party"], turn["text"] or "") for turn in turns_after_place]


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
