"""The sections of a report, one function each: from what was computed to blocks; [] leaves a section out."""

from collections.abc import Callable
from typing import Any, Final

from vivavoce.report import background, content, people, prose, questions, releases
from vivavoce.report.answer import limits as sentences_on_limits
from vivavoce.report.blocks import Block, Bullets, FactList, Fold, Heading, Paragraph, Transcript
from vivavoce.report.distributions import correlations_figure, learning_figure, likert_figure
from vivavoce.report.figures import durations_figure, participants_figure, success_figure
from vivavoce.report.interim_analyses import looks_blocks
from vivavoce.report.language import say
from vivavoce.report.listening import listening_blocks
from vivavoce.report.material import Material
from vivavoce.report.numbers import plural
from vivavoce.report.preferences import preference_blocks
from vivavoce.report.recognition import recognition_blocks
from vivavoce.report.side_by_side import arena_blocks, effort_blocks, reading_blocks
from vivavoce.report.stress import stress_blocks

MOST_DRAWN_GROUPS: Final = 24
FEWEST_CORRELATED: Final = 3


def results(material: Material) -> list[Block]:
    summary = material.summary
    shown = content.headlines(summary)
    if not shown:
        return [
            Paragraph(
                say(
                    "No success rate can be given: the dataset holds neither answers to a success "
                    "question nor goals."
                )
            )
        ]
    blocks: list[Block] = []
    drawable = {
        name: title
        for name, title in shown.items()
        if all(row[name]["low"] is not None or not row[name]["n"] for row in summary["by"])
    }
    if drawable and len(summary["by"]) <= MOST_DRAWN_GROUPS:
        blocks.append(success_figure(summary["by"], drawable, mark=material.mark))
    blocks.append(content.success_table(summary))
    if tests := content.tests_table(summary):
        blocks.append(tests)
    return blocks


def preferences(material: Material) -> list[Block]:
    return preference_blocks(material.preferences)


def readings(material: Material) -> list[Block]:
    return reading_blocks(material.readings)


def listening(material: Material) -> list[Block]:
    return listening_blocks(material.listening)


def recognition(material: Material) -> list[Block]:
    return recognition_blocks(material.recognition, mark=material.mark)


def arena(material: Material) -> list[Block]:
    return arena_blocks(material.arena)


def stress(material: Material) -> list[Block]:
    return stress_blocks(material.stress, redact=material.redact)


def effort(material: Material) -> list[Block]:
    """Only where people compared something: live dialogues alone have their durations elsewhere."""
    return effort_blocks(material.effort) if material.compares else []


def declared(material: Material) -> list[Block]:
    return [
        *questions.declared_blocks(
            material.declared, material.summary["declared"], has_file=material.has_file
        ),
        *looks_blocks(material.looks),
    ]


def against(material: Material) -> list[Block]:
    return releases.against_blocks(material.against) if material.against else []


def flow(material: Material) -> list[Block]:
    blocks: list[Block] = [people.flow_table(material.flow)]
    if material.declared and material.declared["analysis"]["notes"]:
        blocks += [Heading(say("Noted beforehand"))]
        blocks += [Bullets(tuple(material.declared["analysis"]["notes"]))]
    return blocks


def run(material: Material) -> list[Block]:
    return [FactList(tuple(prose.what_was_run(material.summary, material.description)))]


def participants(material: Material) -> list[Block]:
    summary = material.summary
    if not summary["all"]["participants"]:
        return [Paragraph(say("Who held which dialogue is not recorded."))]
    histogram = summary["all"]["dialogues_per_participant"]["histogram"]
    blocks: list[Block] = [participants_figure(histogram, mark=material.mark)]
    blocks.append(background.participants_table(summary))
    shown = content.headlines(summary)
    if any(row["measure"] in shown for row in material.learning):
        blocks.append(learning_figure(material.learning, shown, mark=material.mark))
    return blocks


def dialogues(material: Material) -> list[Block]:
    table = content.measures_table(material.summary)
    durations = material.description["durations"]
    if table is None:
        return []
    drawn = durations and len(durations) <= MOST_DRAWN_GROUPS
    blocks: list[Block] = [durations_figure(durations, mark=material.mark)] if drawn else []
    blocks.append(table)
    if len(material.correlations) >= FEWEST_CORRELATED:
        names = dict.fromkeys(name for pair in material.correlations for name in (pair["a"], pair["b"]))
        titles = {name: content.title(name) for name in names}
        blocks.append(correlations_figure(material.correlations, titles, mark=material.mark))
    return blocks


def opinion(material: Material) -> list[Block]:
    if not material.opinion:
        return []
    tables = (people.opinion_table, people.agreement_table)
    return [make(material.opinion, material.summary) for make in tables]


def problems(material: Material) -> list[Block]:
    incidents = background.incidents_table(material.description)
    endings = background.endings_table(material.description)
    none = Paragraph(say("No incident with a system under test is recorded."))
    return [incidents or none, *([endings] if endings else [])]


def failures(material: Material) -> list[Block]:
    if not material.failures:
        return []
    rule = say(
        "Chosen by rule, group by group: dialogues that fail by most of the success rates, and of "
        "these the ones nearest to the middle length of the group's failures."
    )
    return [Paragraph(rule), *(_transcript(one, redact=material.redact) for one in material.failures)]


def _transcript(one: dict[str, Any], *, redact: bool) -> Transcript:
    failed = ", ".join(content.title(name).lower() for name in one["failed"])
    said = {None: say("gave no verdict"), 1.0: say("said yes"), 0.0: say("said no")}
    why = say(
        "Fails by {rates}; the participant {said}.",
        rates=failed,
        said=said.get(one["said"], str(one["said"])),
    )
    who = {"user": say("Participant"), "system": say("System")}
    turns = tuple(
        (party, who[party], _redacted(text) if redact else text or "") for party, text in one["turns"]
    )
    return Transcript(f"{one['dialogue_id']} \u00b7 {one['system']}", why, _goal(one["goal"]), turns)


def _goal(items: list[dict[str, Any]]) -> str:
    if not items:
        return ""
    first = [item for item in items if item["goal_index"] == min(one["goal_index"] for one in items)]
    wanted = [f"{item['slot']} = {item['value']}" for item in first if item["kind"] == "constraint"]
    asked = [str(item["slot"]) for item in first if item["kind"] == "request"]
    parts = [", ".join(wanted), say("asked for: {slots}", slots=", ".join(asked)) if asked else ""]
    return say("Task: {goal}", goal="; ".join(part for part in parts if part))


def _redacted(text: str | None) -> str:
    return f"[{plural(len((text or '').split()), 'word')}]"


def questionnaires(material: Material) -> list[Block]:
    keys = [row["key"] for row in material.summary["by"]]
    blocks: list[Block] = []
    for number, sheet in enumerate(material.scales, start=1):
        if sheet["items"]:
            blocks.append(likert_figure(number, sheet, mark=material.mark))
        if scores := people.scores_table(number, sheet, keys):
            blocks.append(scores)
    sheets = material.description["questionnaires"]
    blocks += background.questionnaire_tables(material.description, keys)
    if any(item["free_text"] for sheet in sheets for item in sheet["items"]):
        blocks.append(
            Paragraph(
                say(
                    "Written answers are only counted here, since a report is shown around; they "
                    "stand in the dataset's table of ratings."
                ),
                small=True,
            )
        )
    return blocks


def variants(material: Material) -> list[Block]:
    table = content.variants_table(material.summary)
    if table is None:
        return []
    how = say(
        "The same dialogues, counted otherwise: what a case is (goal, whole dialogue, last goal), how a goal "
        "without any match counts (credit, drop, fail), and whether the last or any offer must match."
    )
    return [Paragraph(how), Fold(say("Show all {n} variants", n=len(table.rows)), (table,))]


def definitions(material: Material) -> list[Block]:
    found = prose.definitions(material.summary)
    variants = tuple(one for one in found if one.variant)
    first = set(content.headlines(material.summary))
    blocks: list[Block] = [one for one in found if one.name in first and not one.variant]
    families: dict[str, list[Block]] = {}
    for one in found:
        if one.name not in first and not one.variant:
            families.setdefault(content.family_title(one.name), []).append(one)
    blocks += [Fold(f"{name} ({len(inside)})", tuple(inside)) for name, inside in sorted(families.items())]
    if variants:
        listed = Bullets(tuple(f"{one.title}: {one.meaning}" for one in variants))
        fold = say("Variants of objective success ({n})", n=len(variants))
        blocks.append(Fold(fold, (Heading(say("Variants of objective success")), listed)))
    return blocks


def limits(material: Material) -> list[Block]:
    sentences = sentences_on_limits(material.summary, self_reported=material.self_reported)
    return [Bullets(tuple(sentences))] if sentences else []


def cite(material: Material) -> list[Block]:
    blocks: list[Block] = [Bullets(tuple(prose.cite(material.summary, material.description)))]
    sources = [
        *prose.sources(material.summary),
        *(sheet["source"] for sheet in material.scales if sheet["source"]),
    ]
    if sources:
        blocks += [Heading(say("Sources")), Bullets(tuple(dict.fromkeys(sources)))]
    return blocks


MAKERS: Final[dict[str, Callable[[Material], list[Block]]]] = {
    "results": results,
    "preferences": preferences,
    "readings": readings,
    "listening": listening,
    "arena": arena,
    "effort": effort,
    "stress": stress,
    "declared": declared,
    "against": against,
    "flow": flow,
    "run": run,
    "participants": participants,
    "dialogues": dialogues,
    "recognition": recognition,
    "opinion": opinion,
    "problems": problems,
    "failures": failures,
    "questionnaires": questionnaires,
    "variants": variants,
    "definitions": definitions,
    "limits": limits,
    "cite": cite,
}
