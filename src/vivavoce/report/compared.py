"""What the report's head says of comparisons: they may be all that a dataset holds."""

from vivavoce.analysis.preference_results import has_preferences, preference_results
from vivavoce.log.dataset import Dataset
from vivavoce.report.blocks import Section
from vivavoce.report.language import say
from vivavoce.report.material import Material
from vivavoce.report.numbers import plural
from vivavoce.report.preferences import preference_answer, preference_blocks


def compared_sections(dataset: Dataset) -> list[Section]:
    """The sections on comparisons alone, for pages that show results without the rest of a report."""
    facts = preference_results(dataset) if has_preferences(dataset) else None
    blocks = preference_blocks(facts)
    return (
        [Section("preferences", say("Preferences between transcripts"), say("Preferences"), tuple(blocks))]
        if blocks
        else []
    )


def compared_lead(material: Material) -> str:
    """The report in one sentence, where the dataset holds no dialogue but comparisons."""
    found = material.preferences
    if found is None:
        return ""
    answered = found["responses"]
    return say(
        "{judgements} between two transcripts, by {people}.",
        judgements=plural(answered["judgements"], "judgement"),
        people=plural(answered["participants"], "participant"),
    )


def compared_answer(material: Material) -> list[str]:
    """What was preferred, in plain words."""
    return preference_answer(material.preferences) if material.preferences else []
