"""Definitions of every measure that the report shows a number of."""

from vivavoce.measures import MEASURES
from vivavoce.reports.blocks import Block, Bullets, Definition, Fold, Heading
from vivavoce.reports.language import by_sentence, say
from vivavoce.reports.rate_tables import family_title, headlines, is_variant, settings, title
from vivavoce.reports.section import AnalysisContext, Section
from vivavoce.stats.summary_results import Summary


class DefinitionsSection(Section[Summary]):
    """Headline rates first, then family by family."""

    name = "definitions"
    order = 2000
    title = "Definitions"
    needs = ("dialogues",)

    def results(self, material: AnalysisContext) -> Summary:
        return material.summary

    def blocks(self, results: Summary) -> list[Block]:
        all_definitions = definitions(results)
        variants = tuple(definition for definition in all_definitions if definition.variant)
        first = set(headlines(results))
        blocks: list[Block] = [
            definition
            for definition in all_definitions
            if definition.name in first and not definition.variant
        ]
        families: dict[str, list[Block]] = {}
        for shown_definition in all_definitions:
            if shown_definition.name not in first and not shown_definition.variant:
                families.setdefault(family_title(shown_definition.name), []).append(shown_definition)
        blocks += [
            Fold(f"{name} ({len(inside)})", tuple(inside)) for name, inside in sorted(families.items())
        ]
        if variants:
            listed = Bullets(tuple(f"{variant.title}: {variant.meaning}" for variant in variants))
            fold = say("Variants of objective success ({n})", n=len(variants))
            blocks.append(Fold(fold, (Heading(say("Variants of objective success")), listed)))
        return blocks


def definitions(summary: Summary) -> list[Definition]:
    """Every measure that the report shows a number of: the headline rates first."""
    counted = [name for name, measure in MEASURES if summary.all.counted(name)]
    first = list(headlines(summary))
    return [_definition(name) for name in [*first, *(name for name in counted if name not in first)]]


def _definition(name: str) -> Definition:
    measure = MEASURES.get(name)
    facts = (
        (say("Unit"), say(measure.unit)),
        (say("Unit of counting"), say(measure.analysis_unit.replace("_", " "))),
        (say("Better direction"), say(measure.direction or "")),
        (say("Origin"), say(measure.origin)),
        (say("Settings"), settings(name)),
        (say("Missing if"), say(measure.empty)),
        (say("Source"), say(measure.source)),
    )
    return Definition(
        name,
        title(name),
        measure.symbol,
        by_sentence(measure.meaning),
        tuple((term, text) for term, text in facts if text),
        is_variant(name),
    )
