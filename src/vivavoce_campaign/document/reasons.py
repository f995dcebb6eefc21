"""Why stress tests were not passed, and what changed since the run before."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import shorten
from typing import Any, Final

from vivavoce.report.blocks import Block, Bullets, Cell, Fold, Heading, Paragraph, Row, TableOfText
from vivavoce.report.content import heads
from vivavoce.report.language import say
from vivavoce.report.numbers import count, listed, p_value, plural
from vivavoce_campaign.document.trust import not_comparable
from vivavoce_stress.blocks import reason_told, side_by_side, title_of
from vivavoce_stress.failures import (
    KINDS,
    FailureKind,
    answer_to,
    cures_of,
    kind_of,
    misspelled,
    turns_after,
)
from vivavoce_stress.releases import CaseCompared, RunsCompared

LONGEST: Final = 200
MOST_WORDS: Final = 12
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
        for wrong, right, n in misspelled(failures)[:MOST_WORDS]
    ]
    return [
        *cures,
        *([say("Not recognised as they were written: {words}.", words=listed(words))] if words else []),
    ]


def _told(one: StressFacts) -> str:
    """What was said, and what the system did instead."""
    before, after = map(_short, map(answer_to, (one["clean_transcript"], one["transcript"])))
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
    note = say("The changed utterance is set in bold. {reason}.", reason=reason[:1].upper() + reason[1:])
    return replace(side_by_side(number, one), caption=f"{changed} {told}", note=note)


def _after_more(one: StressFacts) -> str:
    """How many more turns of the user it took, of the replays that are shown."""
    more = turns_after(one["transcript"]) - turns_after(one["clean_transcript"])
    if more < 1:
        return say("The system served the user only after it had asked, or been told, again.")
    if more < 2:
        return say("The system served the user only after another turn.")
    return say("The system served the user only after {n} more turns.", n=count(more))


def change_blocks(found: RunsCompared | None) -> list[Block]:
    """What changed since the run before, case by case: what passed and does not now, and the reverse."""
    if found is None:
        return []
    before = (
        say("release {name}", name=found.release_before) if found.release_before else say("the run before")
    )
    now = say("release {name}", name=found.release_now) if found.release_now else say("this run")
    blocks: list[Block] = [Paragraph(not_comparable(found))] if found.only_one else []
    if found.common:
        blocks.append(Paragraph(_change_lead(found, before, now)))
    if found.otherwise:
        blocks.append(
            Paragraph(
                say(
                    "{n} pass, but the original itself is answered otherwise than before: whether rightly, a "
                    "person must see.",
                    n=plural(len(found.otherwise), "case"),
                )
            )
        )
    if found.fell or found.rose or found.otherwise:
        groups = (
            (say("Passed before, does not now"), found.fell),
            (say("Passes now, did not before"), found.rose),
            (say("The original is answered otherwise than before"), found.otherwise),
        )
        rows = [_change_row(title, one) for title, cases in groups for one in cases]
        columns = heads(say("Test"), say("Utterance and variant"), before, now)
        note = say("What the system answered to the variant.")
        if found.p is not None:
            note += " " + say(
                "Were the releases alike, so uneven a change would come with p = {p} (exact test of the "
                "cases that passed in one of them).",
                p=p_value(found.p),
            )
        blocks.append(
            TableOfText("campaign_changes", say("What changed, case by case"), columns, tuple(rows), note,
                        numeric=False)
        )  # fmt: skip
    left = []
    if found.undecided:
        left.append(say("Without a verdict in one of the two, or judged by a person in one alone, otherwise "
                        "than the rules: {n}.", n=count(found.undecided)))  # fmt: skip
    if found.only_one:
        left.append(say("Held in one of the two alone, and not compared: {n}.", n=count(found.only_one)))
    return [*blocks, *([Bullets(tuple(left))] if left else [])]


def _change_lead(found: RunsCompared, before: str, now: str) -> str:
    facts = {
        "before": before, "now": now, "fell": count(len(found.fell)), "rose": count(len(found.rose)),
        "passed": count(found.passed_both), "failed": count(found.failed_both),
    }  # fmt: skip
    if found.only_one:
        return say(
            "Of the cases that were held with {before} and with {now}, {fell} passed before and do not now, "
            "{rose} pass now and did not before, {passed} passed both times, {failed} neither time.", **facts
        )  # fmt: skip
    return say(
        "The same cases were held with {before} and with {now}: {fell} passed before and do not now, {rose} "
        "pass now and did not before, {passed} passed both times, {failed} neither time.", **facts
    )  # fmt: skip


def _change_row(group: str, one: CaseCompared) -> Row:
    row = one.rows[1]
    changed = say("“{original}” became “{variant}”.", original=row["original"], variant=row["text"])
    cells = (_came(one.before, one.rows[0]), _came(one.now, one.rows[1]))
    if one.otherwise:
        own = (answer_to(each["clean_transcript"]) or "" for each in one.rows)
        cells = tuple(
            replace(cell, main=f"{cell.main} ({say('the original: “{answer}”', answer=answer)})")
            for cell, answer in zip(cells, own, strict=True)
        )
    return Row(title_of({"name": row["test"]}), (Cell(changed, words=True), *cells), group=group)


def _came(came: str | None, row: Any) -> Cell:
    told = {
        "passed": say("passed"), "failed": say("not passed"),
        "original_lost": say("not even the original was served as it was"),
    }[came or "failed"]  # fmt: skip
    answer = answer_to(row["transcript"])
    return Cell(answer or say("no answer"), (told,), words=True)
