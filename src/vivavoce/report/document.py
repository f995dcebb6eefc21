"""A dataset's report as a document: what is said, before anybody decides how it looks."""

from typing import Final

from vivavoce.core.errors import InputError, nearest
from vivavoce.log.dataset import Dataset
from vivavoce.report import parts, prose
from vivavoce.report.answer import answer
from vivavoce.report.blocks import Document, Section
from vivavoce.report.compared import compared_answer, compared_lead
from vivavoce.report.language import language, say, speaking, translated
from vivavoce.report.material import Material, Progress, ReportOptions, gather
from vivavoce.stats.equivalence import RATES, check_margin
from vivavoce.stats.summary import NO_DIALOGUE

SECTIONS: Final = (
    "results",
    "preferences",
    "readings",
    "listening",
    "arena",
    "effort",
    "stress",
    "declared",
    "against",
    "flow",
    "run",
    "participants",
    "dialogues",
    "recognition",
    "opinion",
    "problems",
    "failures",
    "questionnaires",
    "variants",
    "definitions",
    "limits",
    "cite",
)
WITHOUT_DIALOGUES: Final = ("run", "preferences", "readings", "listening", "arena", "effort", "stress")
TITLES: Final = {
    "results": ("Results", "Results"),
    "preferences": ("Preferences between transcripts", "Preferences"),
    "readings": ("Transcripts rated one at a time", "Readings"),
    "listening": ("Listening test", "Listening"),
    "arena": ("Two systems side by side", "Arena"),
    "effort": ("Time and cost of a judgement", "Effort"),
    "stress": ("Linguistic stress tests", "Stress tests"),
    "declared": ("What was declared beforehand", "Declared"),
    "against": ("Against the last version", "Against the last version"),
    "flow": ("Flow of the trial", "Flow"),
    "run": ("What was run", "What was run"),
    "participants": ("Participants", "Participants"),
    "dialogues": ("Course of dialogues", "Dialogues"),
    "recognition": ("Confidence of recognition", "Recognition"),
    "opinion": ("Opinion against record", "Opinion"),
    "problems": ("What went wrong", "Problems"),
    "failures": ("Dialogues that failed", "Failures"),
    "questionnaires": ("Questionnaires", "Questionnaires"),
    "variants": ("Variants of objective success", "Variants"),
    "definitions": ("Definitions", "Definitions"),
    "limits": ("Limits", "Limits"),
    "cite": ("Sources and how to cite", "Cite"),
}


def compose(
    dataset: Dataset, options: ReportOptions | None = None, *, progress: Progress | None = None
) -> Document:
    """The report of a dataset; `progress` is called with the name of each step.

    Empty   a dataset without dialogues gives a report that says so
    Raises  UnknownName: no such grouping or language; InputError: no such section
    """
    options = options or ReportOptions()
    _check(options)
    with speaking(options.language):
        tell: Progress = progress or (lambda step: None)
        material = gather(dataset, options, tell)
        tell("sections")
        return _document(material, options)


def _check(options: ReportOptions) -> None:
    if options.margin is not None:
        check_margin(RATES, options.margin, place="--margin")
    for name in options.sections or ():
        if name not in SECTIONS:
            raise InputError(
                f"unknown section {name!r}", place="--sections", hint=nearest(name, list(SECTIONS))
            )


def _document(material: Material, options: ReportOptions) -> Document:
    summary, description = material.summary, material.description
    wanted = set(options.sections or SECTIONS)
    empty = not summary["all"]["dialogues"]
    alone = empty and material.compares
    warnings = [one for one in summary["warnings"] if not alone or one != NO_DIALOGUE]
    warnings += material.against["doubts"] if material.against else []
    sections = [
        Section(name, say(TITLES[name][0]), say(TITLES[name][1]), tuple(blocks))
        for name in SECTIONS
        if name in wanted
        and (not empty or name in WITHOUT_DIALOGUES or (name == "declared" and material.declared_choices))
        and (blocks := parts.MAKERS[name](material))
    ]
    return Document(
        language=language(),
        study=summary["study"],
        title=say("Evaluation report"),
        mark=material.mark,
        lead=compared_lead(material) if alone else prose.lead(summary, description),
        answer=tuple(_answer(material, empty)),
        before=tuple(translated(one) for one in (*warnings, *description["notes"])),
        cover=tuple(prose.cover(summary, description)),
        sections=tuple(sections),
        data=summary["data"],
        made=str(description["created_at"] or "")[:10],
        version=summary["vivavoce"],
        words=frame_words(),
        command=options.command(),
    )


def _answer(material: Material, empty: bool) -> list[str]:
    """The answer about dialogues, then the one about what was compared."""
    found = [] if empty else answer(material.summary)
    return list(dict.fromkeys([*found, *compared_answer(material)]))


def frame_words() -> dict[str, str]:
    """The frame's own phrases."""
    return {
        "skip": say("Skip to the report"),
        "programs": say("programs held the dialogues, not people"),
        "sections": say("Sections"),
        "contents": say("Contents"),
        "answer": say("In plain words"),
        "before": say("Before you trust the numbers"),
        "signatures": say("Signatures of these numbers"),
        "all_signatures": say("Signatures"),
        "signatures_note": say(
            "The line behind each number: measure, settings, unit, n, dataset, version. Where a line stands "
            "for several groups, it gives the n of each, the group's name in brackets."
        ),
        "page": say("page"),
        "made": say("Made by Vivavoce {version} from dataset {data}"),
        "of": say("of {day}"),
        "again": say("Whoever has the dataset can make this report again:"),
        "report": say("report"),
    }
