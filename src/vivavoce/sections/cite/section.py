"""Sources, and how to cite report, data and program."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from vivavoce.analysis.description import DatasetDescription
from vivavoce.analysis.scales import AnsweredScale
from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Heading
from vivavoce.reports.language import say
from vivavoce.reports.rate_tables import headlines
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.summary_results import Summary

OURS: Final = ("the project's", "this project")  # sources that are no publication


@dataclass(frozen=True, slots=True)
class CiteFound:
    """The summary, the description of the dataset, and the scales of its questionnaires."""

    summary: Summary
    description: DatasetDescription
    scales: Sequence[AnsweredScale]


class CiteSection(Section[CiteFound]):
    """Publications behind measures, statistics and questionnaires."""

    name = "cite"
    order = 2200
    title = "Sources and how to cite"
    menu = "Cite"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> CiteFound:
        return CiteFound(material.summary, material.description, material.scales)

    def blocks(self, results: CiteFound) -> list[Block]:
        blocks: list[Block] = [Bullets(tuple(cite(results.summary, results.description)))]
        instruments = (sheet.source for sheet in results.scales if sheet.source)
        references = tuple(dict.fromkeys([*sources(results.summary), *instruments]))
        return [*blocks, Heading(say("Sources")), Bullets(references)] if references else blocks


def cite(summary: Summary, description: DatasetDescription) -> list[str]:
    """Citations of this report, its data and the program in a paper."""
    year = str(description.created_at or "")[:4]
    return [
        say(
            "Report: \u201c{study}: evaluation report\u201d, {year}. Made by Vivavoce {version} from dataset "
            "{data}.",
            study=summary.study,
            year=year or say("undated"),
            version=summary.vivavoce,
            data=summary.data,
        ),
        say(
            "Numbers: quote each number with its signature (below the table), which gives the measure, "
            "settings, unit, n, dataset and version."
        ),
        say(
            "Program: Vivavoce, version {version}, a laboratory for evaluating chatbots and voice bots "
            "with people (Apache-2.0).",
            version=summary.vivavoce,
        ),
    ]


def sources(summary: Summary) -> list[str]:
    """The publications behind the measures and the statistics."""
    cited = {
        measure.source
        for name, measure in MEASURES
        if summary.all.counted(name) and not measure.source.startswith(OURS)
    }
    statistics = [
        say("Intervals and tests clustered by participant: Cochran 1977; MacKinnon, Nielsen and Webb 2023."),
        say(
            "Interval of independent cases: Wilson 1927; of a difference: Newcombe 1998. Adjustment: "
            "Holm 1979."
        ),
    ]
    return [*sorted(cited), *(statistics if headlines(summary) else [])]
