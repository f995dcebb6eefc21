"""Linguistic stress tests: ratios by test, group and language; what failed, side by side."""

from dataclasses import dataclass
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.reports.blocks import Block, Bullets, Cell, Fold, Heading, Paragraph, Row, TableOfText
from vivavoce.reports.language import MISSING, count, p_value, percent, plural, say, span
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import AnalysisContext, LeadingSection, ReportSummary
from vivavoce_stress.base import state_of
from vivavoce_stress.blocks import (
    WHY_UNTRIED,
    decided_by,
    open_told,
    pairs_table,
    share_told,
    side_by_side,
    title_of,
    untried_told,
    words_table,
)
from vivavoce_stress.scores import stress_results
from vivavoce_stress.shortcomings import shortcomings, tests_told

Facts = dict[str, Any]

SHOWN: Final = 20
MOST_REASONS: Final = 5


def stress_blocks(facts: Facts, *, redact: bool = False) -> list[Block]:
    """The section. With `redact` no utterance is shown."""
    blocks: list[Block] = [
        Paragraph(
            say(
                "Each logged interaction was replayed with one utterance changed by one substitution, "
                "after the original passed. A case passes if the system serves the user as well as before."
            )
        )
    ]
    for run in facts["runs"]:
        blocks += _run(run, redact)
    return blocks


def _run(run: Facts, redact: bool) -> list[Block]:
    total = run["whole"]
    wrong = " ".join([*shortcomings(run, redact=redact), *tests_told(run)])
    paragraphs = [Paragraph(text) for text in (wrong, _lead(run)) if text]
    blocks: list[Block] = [Heading(run["system"]), *paragraphs, _table(run)]
    notes = [
        say(
            "Mean over tests: {tests}; over groups: {groups}.",
            tests=share_told(run, "macro_tests"),
            groups=share_told(run, "macro_families"),
        ),
        say(
            "Clarification required: {clarification}; unsure: {unsure}; invalid variants: {invalid}; "
            "interactions with a failed original: {left}.",
            clarification=count(total["clarification"]),
            unsure=count(total["unsure"]),
            invalid=count(total["invalid"]),
            left=count(total["not_admitted"]),
        ),
    ]
    if total["decided"] or total["judged"]:
        notes.append(decided_by(run))
    notes += untried_told(run)
    if reasons := _reasons(run):
        notes.append(reasons)
    blocks += [Bullets(tuple(notes)), *words_table(run)]
    if run["failures"] and not redact:
        tables = tuple(
            side_by_side(number, failure) for number, failure in enumerate(run["failures"][:SHOWN], 1)
        )
        title = say("Failed cases: {shown} of {n}", shown=len(tables), n=len(run["failures"]))
        blocks.append(Fold(title, tables))
    if not redact and (pairs := pairs_table(run)):
        blocks.append(Fold(say("All cases, passed and not passed"), tuple(pairs)))
    return blocks


def _lead(run: Facts) -> str:
    total = run["whole"]
    facts = {
        "passed": count(total["passed"]),
        "cases": plural(total["decided"], "decided case"),
        "interval": span(total["low"], total["high"]),
        "idial": share_told(total, "idial_ratio"),
        "k": count(total["idial_passed"]),
        "n": count(total["idial_n"]),
    }
    if not total["open"]:
        return say(
            "{passed} of {cases} passed: {ratio} (95% CI {interval}). IDIAL count (one run each, all "
            "interactions): {idial} ({k} of {n}).",
            ratio=percent(total["ratio"]),
            **facts,
        )
    return say(
        "{passed} of {cases} passed; without a verdict: {open}. Share passed: {worst} if none of these "
        "pass, {best} if all pass (95% CI of both: {interval}). IDIAL count (one run each, all "
        "interactions): {idial} ({k} of {n} decided).",
        open=count(total["open"]),
        worst=percent(total["worst"]),
        best=percent(total["best"]),
        **facts,
    )


def _table(run: Facts) -> TableOfText:
    columns = heads(
        say("Test"),
        say("Applied"),
        say("Not applicable"),
        say("Passed"),
        say("IDIAL's count"),
        say("All repetitions"),
        say("adjusted p (Holm)"),
    )
    rows = [_row(test, say("Tests")) for test in run["tests"]]
    rows += [_row(family, say("Groups of tests")) for family in run["families"]]
    rows += [_row(row, say("Languages")) for row in run["languages"]]
    note = say(
        "Passed: share of cases, with Wilson 95% CI. With missing verdicts, the two shares assume that "
        "none or all of them pass. IDIAL count: first replays passed, including interactions with failed "
        "originals. All repetitions: share of cases with all replays passed. p: paired permutation test "
        "of originals against variants, clustered by dialogue; only with repetitions."
    )
    signed = tuple((test["name"], test["signature"]) for test in run["tests"])
    title = say("Stress tests passed by {system}", system=run["system"])
    return TableOfText("stress", title, columns, tuple(rows), note, signed)


def _row(one: Facts, group: str) -> Row:
    title = title_of(one)
    under = () if title == one["name"] else (title,)
    ratio = Cell(MISSING)
    if one["worst"] is not None:
        of = say("{k} of {n}", k=count(one["passed"]), n=count(one["decided"]))
        more = (say("{n} open", n=count(one["open"])),) if one["open"] else ()
        ratio = Cell(share_told(one, "ratio"), (span(*_ends(one)), of, *more))
    idial = Cell(share_told(one, "idial_ratio"))
    return Row(
        one["name"],
        (
            Cell(count(one["applied"])),
            _not_applicable(one),
            ratio,
            idial,
            Cell(percent(one["pass_all"])),
            Cell(p_value(one.get("p_holm"))),
        ),
        under,
        group=group,
    )


def _not_applicable(one: Facts) -> Cell:
    """Number of times that a test did not fit; the reason, too, if it was never tried."""
    why = WHY_UNTRIED.get(state_of(one))
    return Cell(count(one["not_applicable"]), (say("not tried"), say(why)) if why else ())


def _ends(one: Facts) -> tuple[float | None, float | None]:
    """The interval with dialogues as the unit where some have several cases."""
    if one["clustered_low"] is not None:
        return one["clustered_low"], one["clustered_high"]
    return one["low"], one["high"]


def _reasons(run: Facts) -> str:
    reasons = [
        say(sentence, reasons="; ".join(f"{say(reason)} ({number})" for reason, number in most))
        for name, sentence in (
            ("why_not_applicable", N_("Most frequent reasons for inapplicable tests: {reasons}.")),
            ("why_left_out", N_("Most frequent reasons for applicable tests without cases: {reasons}.")),
        )
        if (most := list(run["whole"][name].items())[:MOST_REASONS])
    ]
    return " ".join(reasons)


@dataclass(frozen=True, slots=True)
class StressFound:
    """The last run of each system; `redact`: no utterance is to be shown."""

    facts: Facts
    redact: bool


class StressSection(LeadingSection[StressFound]):
    """Robustness of systems to small changes of what users say."""

    name = "stress"
    order = 700
    title = "Linguistic stress tests"
    menu = "Stress tests"
    needs = ("stress",)

    def results(self, material: AnalysisContext) -> StressFound:
        return StressFound(stress_results(material.dataset), material.options.redact)

    def blocks(self, results: StressFound) -> list[Block]:
        return stress_blocks(results.facts, redact=results.redact)

    def front(self, results: StressFound) -> ReportSummary:
        open_lines = ((run["system"], open_told(run["whole"])) for run in results.facts["runs"])
        return ReportSummary(
            before=tuple(f"{system}: {line}" for system, lines in open_lines for line in lines)
        )
