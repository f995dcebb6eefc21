"""Changes since the previous run, case by case; the terminal tells it in the same words."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import language, say
from vivavoce.reports.numbers import count, p_value, plural
from vivavoce.reports.rate_tables import heads
from vivavoce_campaign.document.trust import not_comparable
from vivavoce_stress.blocks import remark_told, title_of
from vivavoce_stress.failures import answer_to, answers_apart
from vivavoce_stress.releases import CaseCompared, RunsCompared, WhyLeft

LEFT: Final[dict[WhyLeft, str]] = {
    "invalid_before": N_("Not compared: a person judged the variant invalid {before}"),
    "invalid_now": N_("Not compared: a person judged the variant invalid {now}"),
    "open_before": N_("Not compared: no verdict {before}"),
    "open_now": N_("Not compared: no verdict {now}"),
    "person_before": N_("Not compared: a person overruled the rules {before}, and no person judged it {now}"),
    "person_now": N_("Not compared: a person overruled the rules {now}, and no person judged it {before}"),
}

PASSED: Final[dict[tuple[bool, bool], str]] = {  # by whether any was gained, and any lost
    (False, False): N_("Same cases passed {now} and {before}: {after} of {cases}."),
    (True, False): N_(
        "More cases passed {now}: {after} of {cases}, compared with {was} {before}; none lost."
    ),
    (False, True): N_(
        "Fewer cases passed {now}: {after} of {cases}, compared with {was} {before}; none gained."
    ),
    (True, True): N_(
        "Passed {now}: {after} of {cases}, compared with {was} {before}; gained: {rose}, lost: {fell}."
    ),
}
WORSE: Final = N_("Worse {now}: wrong in {cases}, where the system asked or needed more turns {before}.")
LESS_BAD: Final = N_(
    "Better {now}, but still failed: the system asks or needs more turns in {cases} that were wrong {before}."
)
LOST: Final = N_("The original fails {now} in {cases}, which no share of passed cases counts.")
NOTHING: Final = N_("No comparison possible: {cases} {now}, none with a comparable verdict {before}.")


def run_names(found: RunsCompared) -> dict[str, str]:
    """By which of two runs something came out so: with a release, where these have names that differ."""
    before, now = _releases(found)
    return {
        "before": say("with release {name}", name=before) if before else say("in the previous run"),
        "now": say("with release {name}", name=now) if now else say("in this run"),
    }


def _releases(found: RunsCompared) -> tuple[str | None, str | None]:
    """The names of the releases. Empty  both are called the same, which tells nothing apart: None"""
    before, now = found.release_before, found.release_now
    return (None, None) if before == now else (before, now)


def _titles(found: RunsCompared) -> tuple[str, str]:
    before, now = _releases(found)
    return (
        say("release {name}", name=before) if before else say("the previous run"),
        say("release {name}", name=now) if now else say("this run"),
    )


def changes_told(found: RunsCompared) -> list[str]:
    """Gains and losses: the gravest and the counts in the first line, then the rest.

    Empty  no case of both runs: []
    """
    if not found.common:
        return []
    names, fell = run_names(found), len(found.fell)
    rose = len(found.rose) + sum(change.before != "passed" for change in found.otherwise)
    if len(found.not_compared) == found.common:
        return [say(NOTHING, cases=plural(found.common, "case"), **names)]
    was = found.passed_both + fell + sum(change.before == "passed" for change in found.otherwise)
    after = was + rose - fell
    facts = {
        "cases": plural(found.common, "case"),
        "rose": count(rose),
        "fell": count(fell),
        "after": count(after),
        "was": count(was),
        **names,
    }
    harm = [
        say(template, cases=plural(len(cases), "case"), **names)
        for cases, template in ((found.worse, WORSE), (found.originals_lost, LOST))
        if cases
    ]
    sentences = [" ".join([*harm, say(PASSED[bool(rose), bool(fell)], **facts)]), *_original_told(found)]
    if found.better:
        sentences.append(say(LESS_BAD, cases=plural(len(found.better), "case"), **names))
    if found.originals_otherwise:
        sentences.append(
            say(
                "The reply to the original changed in {cases} ({passed} of these pass). Check that the "
                "new replies are correct.",
                cases=plural(len(found.originals_otherwise), "case"),
                passed=count(len(found.otherwise)),
            )
        )
    if found.not_compared:
        sentences.append(
            say(
                "Not comparable, listed below with reasons: {cases}.",
                cases=plural(len(found.not_compared), "case"),
            )
        )
    return sentences


def _original_told(found: RunsCompared) -> list[str]:
    """New answer to an original that no longer completes: one of the reader's language first.

    Empty  none, or nobody knows what was answered: []
    """
    for lost_original in sorted(
        found.originals_lost, key=lambda case: case.rows[1]["language"] != language()
    ):
        was, now = answers_apart(*(row["clean_transcript"] for row in lost_original.rows))
        if was and now and was != now:
            original = lost_original.rows[1]["original"]
            sentence = say(
                "Example: the reply to “{original}” is “{now}”; it was “{was}”.",
                original=original,
                now=now.rstrip("."),
                was=was.rstrip("."),
            )
            return [sentence]
    return []


def changed_cases(found: RunsCompared) -> Iterator[tuple[str, CaseCompared]]:
    """Every case that is not alike in both runs, under what became of it."""
    names = run_names(found)
    for case in found.fell:
        yield say("Passed {before}, failed {now}", **names), case
    for case in found.worse:
        yield say("Wrong {now}, a clarification {before}", **names), case
    for case in found.rose:
        yield say("Failed {before}, passed {now}", **names), case
    for case in found.better:
        yield say("A clarification {now}, wrong {before}", **names), case
    for case in found.otherwise:
        yield say("Changed reply to the original"), case
    for why, template in LEFT.items():
        for case in found.not_compared:
            if case.left == why:
                yield say(template, **names), case


def change_blocks(found: RunsCompared | None) -> list[Block]:
    """Changes since the previous run, case by case: what passed and does not now, and the reverse."""
    if found is None:
        return []
    blocks: list[Block] = [Paragraph(not_comparable(found))] if found.only_one else []
    if sentences := changes_told(found):
        blocks.append(Paragraph(" ".join(sentences)))
    if rows := [_change_row(title, case) for title, case in changed_cases(found)]:
        columns = heads(say("Test"), say("Utterance and variant"), *_titles(found))
        note = say("System reply to the variant.")
        if found.p is not None:
            note += " " + say(
                "Exact test of cases that passed in only one of the two: p = {p}.",
                p=p_value(found.p),
            )
        title = say("Changes by case")
        blocks.append(TableOfText("campaign_changes", title, columns, tuple(rows), note, numeric=False))
    if found.only_one:
        not_compared = say("Cases in only one of the two runs, not compared: {n}.", n=count(found.only_one))
        blocks.append(Bullets((not_compared,)))
    return blocks


def _change_row(group: str, one: CaseCompared) -> Row:
    row = one.rows[1]
    changed = say("“{original}” became “{variant}”.", original=row["original"], variant=row["text"])
    cells = tuple(_came(row) for row in one.rows)
    if one.otherwise:
        answers = (answer_to(row["clean_transcript"]) or "" for row in one.rows)
        cells = tuple(
            replace(cell, main=f"{cell.main} ({say('the original: “{answer}”', answer=answer)})")
            for cell, answer in zip(cells, answers, strict=True)
        )
    return Row(title_of({"name": row["test"]}), (Cell(changed, words=True), *cells), group=group)


def _came(row: dict[str, Any]) -> Cell:
    """The system's answer, the verdict on the case, and who gave it."""
    if row["status"] == "not_admitted":
        outcome = say("the original failed too")
    elif row["status"] == "invalid":
        outcome = say("invalid variant")
    elif row["status"] != "applied" or row["verdict"] in (None, "", "unsure"):
        outcome = say("no verdict")
    else:
        outcome = say("passed") if row["verdict"] == "pass" else say("not passed")
    by = (say("by a person"),) if row.get("verdict_of_person") else ()
    by += tuple(remark_told(row))
    _, answer = answers_apart(row["clean_transcript"], row["transcript"])
    return Cell(answer or say("no answer"), (outcome, *by), words=True)
