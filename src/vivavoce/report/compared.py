"""What a report's head, and the dashboard, say of comparisons: they may be all that a dataset holds."""

from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.report.blocks import Section
from vivavoce.report.language import say
from vivavoce.report.listening import listening_answer, listening_blocks
from vivavoce.report.material import Material
from vivavoce.report.numbers import plural
from vivavoce.report.preferences import people_words, preference_answer, preference_blocks
from vivavoce.report.side_by_side import arena_answer, arena_blocks, effort_blocks, reading_blocks
from vivavoce.stats.arena import has_votes, rank_systems
from vivavoce.stats.effort import effort
from vivavoce.stats.listening import has_listening, listening_results
from vivavoce.stats.preference_results import has_preferences, preference_results
from vivavoce.stats.transcript_ratings import has_readings, rated_transcripts

Facts = dict[str, Any]


def compared_sections(dataset: Dataset) -> list[Section]:
    """The sections on comparisons alone, for pages that show results without the rest of a report."""
    preferences = preference_results(dataset) if has_preferences(dataset) else None
    readings = rated_transcripts(dataset) if has_readings(dataset) else None
    listening = listening_results(dataset) if has_listening(dataset) else None
    arena = rank_systems(dataset) if has_votes(dataset) else None
    if preferences is None and readings is None and listening is None and arena is None:
        return []
    found = (
        ("preferences", say("Preferences between transcripts"), preference_blocks(preferences)),
        ("readings", say("Transcripts rated one at a time"), reading_blocks(readings)),
        ("listening", say("Listening test"), listening_blocks(listening)),
        ("arena", say("Two systems side by side"), arena_blocks(arena)),
        ("effort", say("Time and cost of a judgement"), effort_blocks(effort([dataset]))),
    )
    return [Section(name, title, title, tuple(blocks)) for name, title, blocks in found if blocks]


def compared_lead(material: Material) -> str:
    """The report in one sentence, where the dataset holds no dialogue but comparisons."""
    said: list[str] = []
    if material.preferences is not None:
        answered = material.preferences["responses"]
        people, judgements = people_words(answered), answered["judgements"]
        said.append(
            say(
                "{judgements} between two transcripts, by {people}.",
                judgements=plural(judgements, "judgement"), people=people,
            )
        )  # fmt: skip
    if material.readings is not None:
        found = material.readings
        said.append(
            say(
                "{ratings} of transcripts read one at a time, by {people}.",
                ratings=plural(found["ratings"], "rating"),
                people=plural(found["participants"], "participant"),
            )
        )  # fmt: skip
    if material.listening is not None:
        found = material.listening
        said.append(
            say(
                "{judgements} of clips by ear, by {people}.",
                judgements=plural(found["judgements"], "judgement"),
                people=plural(found["participants"], "participant"),
            )
        )  # fmt: skip
    return " ".join(said)


def compared_answer(material: Material) -> list[str]:
    """What was preferred, in plain words."""
    found = preference_answer(material.preferences) if material.preferences else []
    found += listening_answer(material.listening) if material.listening else []
    return found + (arena_answer(material.arena) if material.arena else [])
