"""Why stress tests were not passed."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any, Final

from vivavoce.report.blocks import Block, Bullets, Fold, Heading, Paragraph, TableOfText
from vivavoce.report.language import say
from vivavoce.report.numbers import count, listed, plural
from vivavoce_stress.blocks import reason_told, remark_told, side_by_side, title_of
from vivavoce_stress.failures import (
    KINDS,
    FailureKind,
    answers_apart,
    cures_of,
    kind_of,
    misspelled,
    turns_after,
)

LONGEST: Final = 200
StressFacts = Mapping[str, Any]  # a run of stress tests, or one of its cases


def reason_blocks(run: StressFacts | None) -> list[Block]:
    """Kinds of failure, the most frequent first; then the cases with both replays turn by turn."""
    if run is None or not run["failures"]:
        return []
    failures: Sequence[StressFacts] = run["failures"]
    titles = {one["name"]: title_of(one) for one in run["tests"]}
    by_kind: dict[FailureKind, list[StressFacts]] = {}
    for one in failures:
        by_kind.setdefault(kind_of(one), []).append(one)
    blocks: list[Block] = [
        Paragraph(
            say(
                "{n} did not pass. They stand here by what the system did instead, the most frequent first.",
                n=plural(len(failures), "decided case"),
            )
        ),
        Bullets(tuple(_cures(failures))),
    ]
    for kind, held in sorted(by_kind.items(), key=lambda item: -len(item[1])):
        blocks += _kind_blocks(kind, held, len(failures), titles)
    cases: list[Block] = []
    for number, one in enumerate(failures, 1):
        cases += [Heading(f"{number}. {titles[one['test']]}"), _case(number, one)]
    return [*blocks, Fold(say("All of them, turn by turn"), tuple(cases))]


def _kind_blocks(kind: FailureKind, held: list[StressFacts], of: int, titles: dict[str, str]) -> list[Block]:
    tests = Counter(titles[one["test"]] for one in held)
    listed_tests = listed([f"{title} ({count(n)})" for title, n in tests.most_common()])
    lines = [
        say("How often: {k} of {n} that did not pass. By test: {tests}.", k=count(len(held)), n=count(of),
            tests=listed_tests),
        *(_told(one) for one in held[:2]),
    ]  # fmt: skip
    return [Heading(say(KINDS[kind])), Bullets(tuple(lines))]


def _cures(failures: Sequence[StressFacts]) -> list[str]:
    """What usually mends them, the cure of the most cases first; of misspellings the words."""
    counts = Counter(cure for one in failures for cure in cures_of(one))
    cures = [
        say("What usually mends it: {cure}", cure=f"{say(cure)} ({plural(n, 'case')})")
        for cure, n in counts.most_common()
    ]
    words = [
        say("“{wrong}” for “{right}” ({n})", wrong=wrong, right=right, n=count(n))
        for wrong, right, n in misspelled(failures)
    ]
    return [
        *cures,
        *([say("Not recognised as they were written: {words}.", words=listed(words))] if words else []),
    ]


def _told(one: StressFacts) -> str:
    """What was said, and what the system did instead."""
    before, after = map(_short, answers_apart(one["clean_transcript"], one["transcript"]))
    said = {"original": one["original"], "variant": one["text"]}
    if after is None:
        return say("For instance: “{original}” was answered, “{variant}” was not.", **said)
    if before is None:
        return say(
            "For instance: to “{variant}” the system said “{after}”.", variant=one["text"], after=after
        )
    return say(
        "For instance: to “{original}” the system said “{before}”; to “{variant}” it said “{after}”.",
        before=before, after=after, **said,
    )  # fmt: skip


def _short(text: str | None) -> str | None:
    """An answer within a sentence."""
    return text and shorten(text, LONGEST, placeholder="…").removesuffix(".")


def _case(number: int, one: StressFacts) -> TableOfText:
    reason = reason_told(one)
    told = {
        "fail": say("The system did not serve the user as before."),
        "clarification": _after_more(one),
    }[one["verdict"]]
    changed = say("“{original}” became “{variant}”.", original=one["original"], variant=one["text"])
    told_too = [reason, *remark_told(one)]
    note = say(
        "The changed utterance is set in bold. {reason}.",
        reason=". ".join(text[:1].upper() + text[1:] for text in told_too),
    )
    return replace(side_by_side(number, one), caption=f"{changed} {told}", note=note)


def _after_more(one: StressFacts) -> str:
    """How many more turns of the user it took, of the replays that are shown."""
    more = turns_after(one["transcript"]) - turns_after(one["clean_transcript"])
    if more < 1:
        return say("The system served the user only after it had asked, or been told, again.")
    if more < 2:
        return say("The system served the user only after another turn.")
    return say("The system served the user only after {n} more turns.", n=count(more))
