"""The success rates: how often each group succeeded, and which differ."""

from typing import Final

from vivavoce.report.blocks import Block, Paragraph
from vivavoce.report.content import headlines, success_table, tests_table
from vivavoce.report.drawing import MOST_DRAWN_GROUPS
from vivavoce.report.language import say, stated
from vivavoce.report.material import Material
from vivavoce.report.section import Front, LeadingSection
from vivavoce.sections.results.answer import answer, meanings, question, spoken_measure
from vivavoce.sections.results.figure import answer_figure, differences_figure, success_figure
from vivavoce.stats.summary import doubt_definitions
from vivavoce.stats.summary_results import Summary

MOST_AT_THE_FRONT: Final = 12  # lines of a figure that leave the first page one screen


class ResultsSection(LeadingSection[Summary]):
    """Rates by group with their tests; at the front, the answer of the whole report."""

    name = "results"
    order = 100
    title = "Results"
    needs = ("dialogues",)

    def results(self, material: Material) -> Summary:
        return material.summary

    def blocks(self, results: Summary) -> list[Block]:
        shown = headlines(results)
        if not shown:
            missing = say(
                "No success rate can be given: the dataset holds neither answers to a success question nor "
                "goals."
            )
            return [Paragraph(missing)]
        drawable = {
            name: title
            for name, title in shown.items()
            if all(row.rates[name].low is not None or not row.rates[name].n for row in results.by)
        }
        drawn = drawable and len(results.by) <= MOST_DRAWN_GROUPS
        blocks: list[Block] = [success_figure(results, drawable)] if drawn else []
        blocks.append(success_table(results))
        if tests := tests_table(results):
            forest = differences_figure(results, shown) if drawn else None
            blocks += [forest, tests] if forest else [tests]
        return blocks

    def front(self, results: Summary) -> Front:
        said = answer(results)
        name = spoken_measure(results) if said and len(results.by) <= MOST_AT_THE_FRONT else None
        doubt = doubt_definitions(results.all)
        return Front(
            question=question(results),
            answer=tuple(said),
            meanings=tuple(meanings(results)) if said else (),
            figure=answer_figure(results, name) if name else None,
            before=() if doubt is None else (stated(doubt),),
        )
