"""A dataset's report as a document: what is said, before anybody decides how it looks."""

from vivavoce.analysis.flow import exclusion_words
from vivavoce.analysis.margins import RATES, check_margin
from vivavoce.analysis.summary import NO_DIALOGUE
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.reports import prose
from vivavoce.reports.blocks import MOST_FOREMOST, Document
from vivavoce.reports.context import AnalysisContext, ReportOptions
from vivavoce.reports.language import language, say, speaking, stated
from vivavoce.reports.section import (
    SECTIONS,
    LeadingSection,
    Progress,
    ReportSummary,
    fill,
    joined_front,
    sections_in_order,
)


def compose(
    dataset: Dataset, options: ReportOptions | None = None, progress: Progress | None = None
) -> Document:
    """The report of a dataset; `progress` is told which section is worked on.

    Empty   a dataset without dialogues gives a report that says so
    Raises  UnknownName: no such grouping, language or section; InputError: a margin or half-width that
            nothing can have
    """
    options = options or ReportOptions()
    if options.margin is not None:
        check_margin(RATES, options.margin, place="--margin")
    if options.half_width is not None and not 0 < options.half_width < 1:
        hint = "half of the width of a rate's interval lies between 0 and 1, such as 0.05"
        raise InputError(f"half-width {options.half_width:g}", place="--half-width", hint=hint)
    for name in options.sections or ():
        SECTIONS.get(name, place="--sections")
    with speaking(options.language):
        return _document(AnalysisContext(dataset, options), progress)


def _document(material: AnalysisContext, progress: Progress | None) -> Document:
    summary, description, options = material.summary, material.description, material.options
    names = set(options.sections or SECTIONS.names())
    filled = fill(
        material,
        [
            section
            for section in sections_in_order()
            if section.name in names or isinstance(section, LeadingSection)
        ],
        progress,
    )
    front = joined_front([section.front(material.mark) for section in filled])
    lead = "" if summary.all.dialogues else front.lead
    doubts = _doubts(material, front, empty=bool(lead))
    sections = (section.written(material.mark) for section in filled if section.section.name in names)
    return Document(
        language=language(),
        study=summary.study,
        title=say("Evaluation report"),
        mark=material.mark,
        lead=lead or prose.lead(summary, description),
        answer=front.answer,
        before=tuple(dict.fromkeys((*doubts, *map(stated, description.notes)))),
        foremost=min(MOST_FOREMOST, len(doubts)) or MOST_FOREMOST,
        cover=tuple(prose.cover(summary, description)),
        sections=tuple(section for section in sections if section is not None),
        data=summary.data,
        made=str(description.created_at or "")[:10],
        version=summary.vivavoce,
        words=frame_words(),
        command=options.command(),
        question=front.question,
        meanings=front.meanings,
        figure=front.figure,
    )


def _doubts(material: AnalysisContext, front: ReportSummary, *, empty: bool) -> tuple[str, ...]:
    """Cautions about the numbers, each once.

    What could not have come out and what sections doubt stand first, then what is odd about who was counted,
    then what the rules left out.
    """
    summary, dataset = material.summary, material.dataset
    warnings = [warning for warning in summary.warnings if not empty or warning != NO_DIALOGUE]
    left_out = [*dataset.what_is_lost, exclusion_words(dataset)]
    first = [warning for warning in warnings if warning in summary.out_of_reach]
    excluded = [warning for warning in warnings if warning in left_out]
    odd = [warning for warning in warnings if warning not in first and warning not in excluded]
    return tuple(
        dict.fromkeys(
            (
                *map(stated, first),
                *front.before,
                *map(stated, (*odd, *excluded)),
            )
        )
    )


def frame_words() -> dict[str, str]:
    """The frame's own phrases."""
    return {
        "skip": say("Skip to the report"),
        "programs": say("simulated participants, not people"),
        "sections": say("Sections"),
        "contents": say("Contents"),
        "question": say("Research question"),
        "answer": say("Summary in plain language"),
        "meanings": say("Terms"),
        "before": say("Warnings"),
        "more": say("{n} more"),
        "table": say("View as table"),
        "download": say("Download"),
        "signatures": say("Signatures of these numbers"),
        "all_signatures": say("Signatures"),
        "signatures_note": say(
            "Signature of each number: measure, settings, unit, n, dataset, version. A signature of "
            "several groups gives n for each group, with its name in brackets."
        ),
        "page": say("page"),
        "made": say("Made by Vivavoce {version} from dataset {data}"),
        "of": say("of {day}"),
        "again": say("To reproduce this report from the dataset:"),
        "report": say("report"),
    }
