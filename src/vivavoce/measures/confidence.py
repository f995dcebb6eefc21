"""How sure a recogniser was, beside whether it was right: what calibration is read from."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from vivavoce.core.text import spoken_words
from vivavoce.measures.base import Measure, Pairs, Tables, field_of
from vivavoce.measures.recognition import LIVE, columns_of

Ranks = Literal["first", "all"]
Scale = Literal["probability", "logarithm"]
SURE: Final = "0 to 1 as they are; scores of a recogniser that are never above 0, as natural logarithms"


_Ranges = dict[str | None, tuple[float, float]]


class SureHypothesis(NamedTuple):
    """A hypothesis with a confidence from 0 to 1, of a turn of which it is known what was said."""

    dialogue_id: str
    turn_index: int
    confidence: float
    right: bool


def scale_of(scores: Iterable[float]) -> Scale | None:
    """What the scores of one recogniser are; None where they are no probabilities.

    Empty   no scores, or none but 0 and 1: taken as probabilities
    """
    low, high = math.inf, -math.inf
    for score in scores:
        low, high = min(low, score), max(high, score)
    if (low >= 0 and high <= 1) or low > high:
        return "probability"
    return "logarithm" if high <= 0 else None


def sure_hypotheses(tables: Tables, source: str = LIVE, ranks: Ranks = "first") -> list[SureHypothesis]:
    """Hypotheses of one recogniser or pass, of turns with a transcript; the scale is told system by system.

    Note    a hypothesis is right when every word is
    """
    return tables.remember(
        (sure_hypotheses, source, ranks), lambda: list(_sure(tables, source, ranks))
    )  # fmt: skip


def _sure(tables: Tables, source: str, ranks: Ranks) -> Iterator[SureHypothesis]:
    systems = dict(
        columns_of(tables, "dialogues", field_of("dialogue_id").is_valid(), "dialogue_id", "system")
    )
    wanted = (field_of("party") == "user") & field_of("reference").is_valid()
    said = {
        (dialogue, index): spoken_words(reference)
        for dialogue, index, reference in columns_of(
            tables, "turns", wanted, "dialogue_id", "turn_index", "reference"
        )
    }
    scored = (field_of("source") == source) & field_of("score").is_valid()
    rows = list(
        columns_of(tables, "hypotheses", scored, "dialogue_id", "turn_index", "rank", "text", "score")
    )
    ranges = tables.overall(_score_ranges, _widest, source)
    scales = {system: scale_of(range_) for system, range_ in ranges.items()}
    for dialogue, index, rank, text, score in rows:
        scale = scales[systems.get(dialogue)]
        if scale is None or (dialogue, index) not in said or (ranks == "first" and rank != 0):
            continue
        confidence = math.exp(score) if scale == "logarithm" else score
        yield SureHypothesis(dialogue, index, confidence, spoken_words(text) == said[dialogue, index])


def _score_ranges(tables: Tables, source: str) -> _Ranges:
    """The lowest and highest score of each system's recogniser."""
    of_dialogues = tables.read("dialogues").select(["dialogue_id", "system"]).to_pydict()
    systems = dict(zip(*of_dialogues.values(), strict=True))
    scored = (field_of("source") == source) & field_of("score").is_valid()
    rows = tables.read("hypotheses").filter(scored).select(["dialogue_id", "score"])
    grouped = rows.group_by("dialogue_id").aggregate([("score", "min"), ("score", "max")])
    ends = (grouped[name].to_pylist() for name in ("dialogue_id", "score_min", "score_max"))
    return _widest([{systems.get(key): (low, high)} for key, low, high in zip(*ends, strict=True)])


def _widest(parts: Sequence[_Ranges]) -> _Ranges:
    found: _Ranges = {}
    for part in parts:
        for system, (low, high) in part.items():
            least, most = found.get(system, (low, high))
            found[system] = min(least, low), max(most, high)
    return found


def _brier(tables: Tables) -> Pairs:
    found: dict[str, list[float]] = defaultdict(list)
    for one in sure_hypotheses(tables):
        found[one.dialogue_id].append((one.confidence - one.right) ** 2)
    return {key: (math.fsum(errors), len(errors)) for key, errors in found.items()}


BRIER: Final = Measure(
    name="confidence_brier_score", title="Brier score of confidences", symbol="BS", unit="ratio",
    level="utterance", family="recognition", origin="expert", direction="lower", analysis_unit="turn",
    source="Brier 1950, Verification of forecasts expressed in terms of probability",
    empty="no live first hypothesis with a confidence and a transcript: missing",
    parameters={"hypothesis": "live first", "confidence": SURE},
    meaning="Mean squared distance of the first hypothesis's confidence from 1 where every word is "
    "right, from 0 where not. More on confidences: `vivavoce confidence`.",
    components=_brier,
)  # fmt: skip
