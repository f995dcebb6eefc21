"""Declarations made before the data, and their outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.analysis.declared import FrozenDeclaration
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Cell, FactList, Paragraph, Row, TableOfText
from vivavoce.reports.counted import CountedDialogues
from vivavoce.reports.declaration import changed_words, rule_words, stopping_words, transcripts_words
from vivavoce.reports.language import (
    MISSING,
    Shown,
    amount,
    count,
    difference,
    differences,
    distance,
    label,
    p_value,
    percent,
    plural,
    say,
    span,
    stated,
)
from vivavoce.reports.links import CASES
from vivavoce.reports.rate_tables import heads, title
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.declared_results import (
    AdjustedEquivalence,
    DeclaredChoice,
    DeclaredComparison,
    DeclaredFamily,
    NoWorse,
    is_rate,
)
from vivavoce.stats.multiple_testing import NAMES
from vivavoce.study.analysis_file import Primary

Row_ = dict[str, Any]  # of the table `looks`
ANYTIME: Final = "anytime"


def looks_blocks(looks: list[Row_]) -> list[Block]:
    """One row for each look and pair, as they were seen then; nothing where no look was taken."""
    if not looks:
        return []
    name = say("Evidence (e-value)") if looks[0]["rule"] == ANYTIME else "|z|"
    return [
        TableOfText(
            "looks",
            say("Interim analyses"),
            heads(
                say("Compared"),
                say("Participants"),
                say("Difference"),
                say("Interval"),
                name,
                say("Needed"),
                say("Verdict"),
            ),
            tuple(map(_row, looks)),
            say(
                "Results at each interim analysis. Intervals are valid across all looks. The rule pauses "
                "the trial when the boundary is crossed or for futility."
            ),
        )
    ]


def _row(look: Row_) -> Row:
    unit = MEASURES.get(look["measure"]).unit if look["measure"] in MEASURES else ""
    number = count(look["look_number"])
    planned = look["looks_planned"]
    at = (
        say("Look {number} of {planned}", number=number, planned=count(planned))
        if planned
        else say("Decided at participant {number}", number=number)
    )
    verdicts = {
        None: say("continue"),
        "effect": say("they differ"),
        "equal": say("no relevant difference"),
        "futility": say("futility"),
        "end": say("the planned end"),
    }
    verdict = look["verdict"]
    return Row(
        f"{look['a']} \u2013 {look['b']}",
        (
            Cell(count(look["participants"])),
            Cell(difference(look["difference"], unit)),
            Cell(differences(look["low"], look["high"], unit)),
            Cell(amount(look["statistic"], "")),
            Cell(amount(look["bar"], "")),
            Cell(verdicts.get(verdict) or str(verdict), words=True),
        ),
        group=at,
    )


def declared_blocks(
    declared: FrozenDeclaration | None, family: DeclaredFamily | None, *, has_file: bool
) -> list[Block]:
    """Declared questions of the study file, their results, and changes after data collection began."""
    if declared is None or family is None:
        missing = (
            say("The study file declares no comparisons.")
            if has_file
            else say("The dataset has no study file, so there are no declared comparisons.")
        )
        return [Paragraph(missing + " " + say("Everything in this report is exploratory."))]
    analysis = declared.analysis
    facts = [
        (say("Primary"), "" if analysis.primary is None else _asked(analysis.primary)),
        (say("Secondary"), "; ".join(_asked(question) for question in analysis.secondary)),
        (say("Transcripts"), transcripts_words(analysis.preferences)),
        (say("Correction"), say(NAMES[analysis.correction])),
        (
            say("Margin"),
            ""
            if analysis.margin is None
            else say("{margin} for success rates", margin=amount(analysis.margin, "")),
        ),
        (say("Exclusions"), "; ".join(map(rule_words, analysis.model_dump()["exclude"])) or say("none")),
        (say("Notes"), " ".join(analysis.notes)),
        (say("Stopping"), stopping_words(analysis.stopping)),
        (
            say("Declared version"),
            say(
                "revision {revision}, study file SHA-256 {sha256}",
                revision=declared.revision,
                sha256=declared.sha256,
            ),
        ),
    ]
    blocks: list[Block] = [
        FactList(tuple((term, text) for term, text in facts if text)),
        *([_results_table(family)] if family.results else []),
        *([_choices_table(family)] if family.choices else []),
        Paragraph(say("Everything else in this report is exploratory, including the other tables of tests.")),
    ]
    changes = _changes(declared, family.results)
    if changes:
        blocks.append(Bullets(tuple(changes)))
    return blocks


def _asked(question: Primary) -> str:
    name = question.measure
    measure_title = title(name) if name in MEASURES else name
    facts = {
        "measure": measure_title,
        "systems": ", ".join(question.compare),
        "alpha": amount(question.alpha, ""),
    }
    if question.margin is None:
        return say("{measure}: {systems} (alpha {alpha})", **facts)
    return say(
        "{measure}: {systems} (alpha {alpha}, margin {margin})", **facts, margin=amount(question.margin, "")
    )


def _choices_table(family: DeclaredFamily) -> TableOfText:
    verdicts = {
        True: say("unequal preference"),
        False: say("no significant preference"),
        None: say("nothing decided"),
    }
    rows = [
        Row(
            say(choice.question),
            (
                Cell(percent(choice.ratio), (_share_of(choice),)),
                Cell(span(choice.low, choice.high)),
                Cell(p_value(choice.p)),
                Cell(p_value(choice.p_adjusted), strong=bool(choice.significant)),
                Cell(verdicts[choice.significant], words=True),
            ),
            group=choice.variable,
        )
        for choice in family.choices
    ]
    return TableOfText(
        "declared_choices",
        say("Declared comparisons of transcripts"),
        heads(
            say("Question"),
            say("Experimental preferred"),
            say("95% CI"),
            "p",
            say("p (adjusted)"),
            say("Verdict"),
        ),
        tuple(rows),
        _note(say("One choice per participant. Wilson's interval."), family),
        tuple((f"{choice.variable}, {say(choice.question)}", choice.signature) for choice in family.choices),
    )


def _share_of(choice: DeclaredChoice) -> str:
    text = f"{count(choice.experimental)} / {count(choice.decided)}"
    return Shown(text, k=choice.experimental, n=choice.decided)


def _results_table(family: DeclaredFamily) -> TableOfText:
    names = {"primary": say("Primary"), "secondary": say("Secondary")}
    margins = any(result.equivalence for result in family.results)
    sides = any(result.no_worse for result in family.results)
    rows = []
    for result in family.results:
        measure_title = title(result.measure) if result.measure in MEASURES else result.measure
        if result.unknown is not None:
            verdict = say("cannot be tested: the dataset has no {name}", name=result.unknown)
        elif result.significant is None:
            verdict = stated(result.why) or say("no test was possible")
        else:
            verdict = say("differ") if result.significant else say("not significant")
        unit = MEASURES.get(result.measure).unit if result.measure in MEASURES else ""
        rows.append(
            Row(
                f"{result.a} \u2013 {result.b}",
                (
                    Cell(difference(result.difference, unit), counts=_counted(result)),
                    Cell(differences(result.low, result.high, unit)),
                    Cell(p_value(result.p)),
                    Cell(p_value(result.p_adjusted), strong=bool(result.significant)),
                    Cell(verdict, words=True),
                    *([_equal_cell(result.equivalence, unit)] if margins else []),
                    *([_no_worse_cell(result.no_worse)] if sides else []),
                ),
                group=f"{names[result.question]}: {measure_title}",
            )
        )
    return TableOfText(
        "declared",
        say("Declared comparisons"),
        heads(
            say("Compared"),
            say("Difference"),
            say("95% CI"),
            "p",
            say("p (adjusted)"),
            say("Verdict"),
            *([say("Within the margin?")] if margins else []),
            *([say("Non-inferior?")] if sides else []),
        ),
        tuple(rows),
        _note(
            say("Clustered by participant. Differences of rates (first minus second) in percentage points."),
            family,
        ),
        tuple(
            (f"{result.a} \u2013 {result.b}, {title(result.measure).lower()}", result.signature)
            for result in family.results
            if result.signature
        ),
    )


def _counted(comparison: DeclaredComparison) -> CountedDialogues | None:
    """The dialogues of both systems in which the measure has cases."""
    if comparison.unknown is not None:
        return None
    measures = ((comparison.measure, CASES if is_rate(comparison.measure) else ()),)
    return CountedDialogues(measures, "system", (comparison.a, comparison.b))


def _equal_cell(equal: AdjustedEquivalence | None, unit: str) -> Cell:
    """Verdict on equivalence within the margin, with the 90 % interval that decides."""
    if equal is None:
        return Cell(MISSING)
    verdict = say("yes") if equal.equivalent else say("not shown")
    limits = differences(equal.interval[0], equal.interval[1], unit)
    margin = distance(equal.margin, unit)
    return Cell(
        verdict,
        (
            say("margin {margin}; 90%: {interval}", margin=margin, interval=limits),
            say("p {p}, adjusted over {tests}", p=p_value(equal.p_adjusted), tests=count(equal.tests)),
        ),
        words=True,
    )


def _no_worse_cell(tests: Sequence[NoWorse]) -> Cell:
    """Verdict on non-inferiority of each of two systems to the other, each with its own one-sided test."""
    if not tests:
        return Cell(MISSING)
    systems = [label(test.system) for test in tests if test.shown]
    verdict = say("neither shown") if not systems else say("both") if len(systems) > 1 else systems[0]
    details = tuple(
        say(
            "{a} than {b}: adjusted p {p}",
            a=label(test.system),
            b=label(test.than),
            p=p_value(test.p_adjusted),
        )
        for test in tests
    )
    return Cell(verdict, details, words=True)


def _note(words: str, family: DeclaredFamily) -> str:
    """Note under a declared table: how to read it, and the family of its p values."""
    return f"{words} {stated(family.family.why)}"


def _changes(declared: FrozenDeclaration, results: Sequence[DeclaredComparison]) -> list[str]:
    """Differences between declaration and data."""
    sentences = []
    if declared.analysis.stopping and declared.analysis.stopping.rule:
        sentences.append(
            say(
                "The trial had interim analyses. Intervals and p here assume a single analysis; if the "
                "rule stopped the trial, the interval of that look applies."
            )
        )
    if declared.revisions > 1:
        sentences.append(
            say(
                "The study was run in {revisions}; the declaration at the time of the first participant "
                "applies.",
                revisions=plural(declared.revisions, "revision"),
            )
        )
    if declared.changed:
        sentences.append(changed_words(declared.changed))
    if any(result.unknown for result in results):
        sentences.append(say("This dataset does not allow one of the declared comparisons; see the table."))
    return sentences


@dataclass(frozen=True, slots=True)
class DeclaredFound:
    """The declaration and its results, None without one; the looks of its stopping rule."""

    declared: FrozenDeclaration | None
    results: DeclaredFamily | None
    looks: list[dict[str, Any]]
    has_file: bool


class DeclaredSection(Section[DeclaredFound]):
    """Everything that is not in it is exploration."""

    name = "declared"
    order = 800
    title = "Declared in advance"
    menu = "Declared"
    needs = ()

    def results(self, material: AnalysisContext) -> DeclaredFound | None:
        results = material.summary.declared
        if not (material.holds("dialogues") or (results and results.choices)):
            return None
        has_file = bool(material.dataset.manifest.get("study", {}).get("file"))
        looks = material.dataset.read("looks").to_pylist()
        return DeclaredFound(material.declared, results, looks, has_file)

    def blocks(self, results: DeclaredFound) -> list[Block]:
        blocks = declared_blocks(results.declared, results.results, has_file=results.has_file)
        return [*blocks, *looks_blocks(results.looks)]
