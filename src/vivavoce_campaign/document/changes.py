"""Changes since the previous run, case by case; the terminal tells it in the same words."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.reports.blocks import Block, Bullets, Cell, Paragraph, Row, TableOfText
from vivavoce.reports.language import count, language, p_value, plural, say
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


def run_names(comparison: RunsCompared) -> dict[str, str]:
    """By which of two runs something came out so: with a release, where these have names that differ."""
    before, now = _releases(comparison)
    return {
        "before": say("with release {name}", name=before) if before else say("in the previous run"),
        "now": say("with release {name}", name=now) if now else say("in this run"),
    }


def _releases(comparison: RunsCompared) -> tuple[str | None, str | None]:
    """The names of the releases. Empty  both are called the same, which tells nothing apart: None"""
    before, now = comparison.release_before, comparison.release_now
    return (None, None) if before == now else (before, now)


def _titles(comparison: RunsCompared) -> tuple[str, str]:
    before, now = _releases(comparison)
    return (
        say("release {name}", name=before) if before else say("the previous run"),
        say("release {name}", name=now) if now else say("this run"),
    )


def changes_told(comparison: RunsCompared) -> list[str]:
    """Gains and losses: the gravest and the counts in the first line, then the rest.

    Empty  no case of both runs: []
    """
    if not comparison.common:
        return []
    names, fell = run_names(comparison), len(comparison.fell)
    rose = len(comparison.rose) + sum(change.before != "passed" for change in comparison.otherwise)
    if len(comparison.not_compared) == comparison.common:
        return [say(NOTHING, cases=plural(comparison.common, "case"), **names)]
    was = comparison.passed_both + fell + sum(change.before == "passed" for change in comparison.otherwise)
    after = was + rose - fell
    facts = {
        "cases": plural(comparison.common, "case"),
        "rose": count(rose),
        "fell": count(fell),
        "after": count(after),
        "was": count(was),
        **names,
    }
    harm = [
        say(template, cases=plural(len(cases), "case"), **names)
        for cases, template in ((comparison.worse, WORSE), (comparison.originals_lost, LOST))
        if cases
    ]
    sentences = [" ".join([*harm, say(PASSED[bool(rose), bool(fell)], **facts)]), *_original_told(comparison)]
    if comparison.better:
        sentences.append(say(LESS_BAD, cases=plural(len(comparison.better), "case"), **names))
    if comparison.originals_otherwise:
        sentences.append(
            say(
                "The reply to the original changed in {cases} ({passed} of these pass). Check that the "
                "new replies are correct.",
                cases=plural(len(comparison.originals_otherwise), "case"),
                passed=count(len(comparison.otherwise)),
            )
        )
    if comparison.not_compared:
        sentences.append(
            say(
                "Not comparable, listed below with reasons: {cases}.",
                cases=plural(len(comparison.not_compared), "case"),
            )
        )
    return sentences


def _original_told(comparison: RunsCompared) -> list[str]:
    """New answer to an original that no longer completes: one of the reader's language first.

    Empty  none, or nobody knows what was answered: []
    """
    for lost_original in sorted(
        comparison.originals_lost, key=lambda case: case.rows[1]["language"] != language()
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


def changed_cases(comparison: RunsCompared) -> Iterator[tuple[str, CaseCompared]]:
    """Every case that is not alike in both runs, under what became of it."""
    names = run_names(comparison)
    for case in comparison.fell:
        yield say("Passed {before}, failed {now}", **names), case
    for case in comparison.worse:
        yield say("Wrong {now}, a clarification {before}", **names), case
    for case in comparison.rose:
        yield say("Failed {before}, passed {now}", **names), case
    for case in comparison.better:
        yield say("A clarification {now}, wrong {before}", **names), case
    for case in comparison.otherwise:
        yield say("Changed reply to the original"), case
    for why, template in LEFT.items():
        for case in comparison.not_compared:
            if case.left == why:
                yield say(template, **names), case


def change_blocks(comparison: RunsCompared | None) -> list[Block]:
    """Changes since the previous run, case by case: what passed and does not now, and the reverse."""
    if comparison is None:
        return []
    blocks: list[Block] = [Paragraph(not_comparable(comparison))] if comparison.only_one else []
    if sentences := changes_told(comparison):
        blocks.append(Paragraph(" ".join(sentences)))
    if rows := [_change_row(title, case) for title, case in changed_cases(comparison)]:
        columns = heads(say("Test"), say("Utterance and variant"), *_titles(comparison))
        note = say("System reply to the variant.")
        if comparison.p is not None:
            note += " " + say(
                "Exact test of cases that passed in only one of the two: p = {p}.",
                p=p_value(comparison.p),
            )
        title = say("Changes by case")
        blocks.append(TableOfText("campaign_changes", title, columns, tuple(rows), note, numeric=False))
    if comparison.only_one:
        not_compared = say(
            "Cases in only one of the two runs, not compared: {n}.", n=count(comparison.only_one)
        )
        blocks.append(Bullets((not_compared,)))
    return blocks


def _change_row(group: str, case: CaseCompared) -> Row:
    row = case.rows[1]
    changed = say("“{original}” became “{variant}”.", original=row["original"], variant=row["text"])
    cells = tuple(_came(row) for row in case.rows)
    if case.otherwise:
        answers = (answer_to(row["clean_transcript"]) or "" for row in case.rows)
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
