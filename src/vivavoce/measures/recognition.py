"""Speech recognition: how far what was recognised is from what was said."""

from typing import Final

import ibis
from ibis import _

from vivavoce.measures.base import MEASURES, Measure, Tables
from vivavoce.measures.words import word_count, word_errors

LIVE: Final = "live"
SPOKEN: Final = ("voice", "phone", "multimodal")


def _word_error_rate(tables: Tables) -> ibis.Table:
    """The live first hypothesis; where none is logged, the turn's text if the dialogue was spoken.

    Nothing recognised in a spoken dialogue is an empty hypothesis. A typed turn has no recognition.
    """
    best = tables["hypotheses"].filter(_.source == LIVE, _.rank == 0)
    best = best.select("dialogue_id", "turn_index", live=_.text)
    turns = tables["turns"].filter(_.party == "user", _.reference.notnull())
    turns = turns.select("dialogue_id", "turn_index", "reference", "text")
    channels = tables["dialogues"].select("dialogue_id", "channel")
    joined = turns.left_join(best, ["dialogue_id", "turn_index"]).join(channels, "dialogue_id")
    spoken = joined.filter(_.live.notnull() | _.channel.isin(SPOKEN))
    pairs = spoken.select("dialogue_id", "reference", heard=_.live.coalesce(_.text, ""))
    counted = pairs.mutate(
        errors=word_errors(pairs.reference, pairs.heard), words=word_count(pairs.reference)
    )
    return counted.group_by("dialogue_id").agg(
        numerator=_.errors.sum().cast("float64"), denominator=_.words.sum().cast("float64")
    )


MEASURES.add(
    "word_error_rate",
    Measure(
        name="word_error_rate",
        title="Word error rate",
        symbol="WER",
        unit="ratio",
        level="utterance",
        family="recognition",
        origin="expert",
        direction="lower",
        analysis_unit="word",
        meaning="Substituted, deleted and inserted words of the live first hypothesis over the words "
        "that were really said. Words are separated by white space and compared in lower case.",
        source="ITU-T Suppl. 24 to P-series (2005), speech-input-related parameters",
        empty="no spoken turn with a transcript, or only empty transcripts: missing",
        parameters={"hypothesis": "live first", "words": "whitespace, lower case"},
        components=_word_error_rate,
    ),
)
