"""Confidence and correctness of a recogniser: the basis of calibration."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from vivavoce.core.extras import later
from vivavoce.core.text import spoken_words
from vivavoce.measures.base import Measure, Pairs, Tables, field_of
from vivavoce.measures.columns import (
    dialogue_ids,
    dialogue_places,
    encoded,
    number_column,
    sum_rows,
    taken,
)
from vivavoce.measures.recognition import LIVE, last_of, turn_keys

if TYPE_CHECKING:
    import numpy as np
else:
    np = later("numpy")

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
    """Scale of one recogniser's scores; None where they are no probabilities.

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
    return tables.remember((sure_hypotheses, source, ranks), lambda: _listed(tables, source, ranks))


def _listed(tables: Tables, source: str, ranks: Ranks) -> list[SureHypothesis]:
    columns, ids = _sure(tables, source, ranks), dialogue_ids(tables)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [SureHypothesis(ids[place], *more) for place, *more in rows]


def _sure(tables: Tables, source: str, ranks: Ranks) -> tuple[np.ndarray, ...]:
    """In columns: place of the dialogue, index of the turn, confidence, whether it is right."""
    row_filter = (field_of("party") == "user") & field_of("reference").is_valid()
    turns = (
        tables.read("turns").select(["dialogue_id", "turn_index", "party", "reference"]).filter(row_filter)
    )
    scored = (field_of("source") == source) & field_of("score").is_valid()
    rows = tables.read("hypotheses").filter(scored if ranks == "all" else scored & (field_of("rank") == 0))
    (spoken_codes, text), texts = encoded(turns["reference"], rows["text"])
    numbers: dict[tuple[str, ...], int] = {(): 0}
    words = (tuple(spoken_words(text)) for text in texts)
    spoken = np.array([numbers.setdefault(word, len(numbers)) for word in words], dtype=np.int64)
    keys, wanted_keys = turn_keys(tables, turns), turn_keys(tables, rows)
    reference = last_of(wanted_keys, keys, taken(spoken, spoken_codes, 0))
    places, score = dialogue_places(tables, rows), number_column(rows, "score")
    ranges = tables.overall(_score_ranges, _widest, source)
    scales = [scale_of(ranges[system]) if system in ranges else None for system in _systems(tables)]
    scale = taken(np.array(scales, dtype=object), places, None)
    usable = (places >= 0) & (reference != -1) & (scale != None)  # noqa: E711, of each
    pairs = zip(scale[usable].tolist(), score[usable].tolist(), strict=True)
    confidence = np.array(
        [math.exp(raw_score) if kind == "logarithm" else raw_score for kind, raw_score in pairs], dtype=float
    )
    right = taken(spoken, text, 0)[usable] == reference[usable]
    return places[usable], rows["turn_index"].to_numpy()[usable], confidence, right


def _systems(tables: Tables) -> list[str | None]:
    return tables.read("dialogues")["system"].to_pylist()


def _brier(tables: Tables) -> Pairs:
    places, _, confidence, right = _sure(tables, LIVE, "first")
    order = np.argsort(places, kind="stable")
    pairs = zip(confidence[order].tolist(), right[order].tolist(), strict=True)
    errors = [(sure - true) ** 2 for sure, true in pairs]
    turn_places, begins, counts = np.unique(places[order], return_index=True, return_counts=True)
    ends = (begins + counts).tolist()
    sums = [math.fsum(errors[begin:end]) for begin, end in zip(begins.tolist(), ends, strict=True)]
    return sum_rows(tables, turn_places, np.array(sums, dtype=float), counts.astype(float))


def _score_ranges(tables: Tables, source: str) -> _Ranges:
    """The lowest and highest score of each system's recogniser."""
    systems = dict(zip(dialogue_ids(tables), _systems(tables), strict=True))
    scored = (field_of("source") == source) & field_of("score").is_valid()
    rows = tables.read("hypotheses").filter(scored).select(["dialogue_id", "score"])
    grouped = rows.group_by("dialogue_id").aggregate([("score", "min"), ("score", "max")])
    ends = (grouped[name].to_pylist() for name in ("dialogue_id", "score_min", "score_max"))
    return _widest([{systems.get(key): (low, high)} for key, low, high in zip(*ends, strict=True)])


def _widest(parts: Sequence[_Ranges]) -> _Ranges:
    ranges: _Ranges = {}
    for part in parts:
        for system, (low, high) in part.items():
            least, most = ranges.get(system, (low, high))
            ranges[system] = min(least, low), max(most, high)
    return ranges


BRIER: Final = Measure(
    name="confidence_brier_score",
    title="Brier score of confidences",
    symbol="BS",
    unit="ratio",
    level="utterance",
    family="recognition",
    origin="expert",
    direction="lower",
    analysis_unit="turn",
    source="Brier 1950, Verification of forecasts expressed in terms of probability",
    empty="no live first hypothesis with a confidence and a transcript: missing",
    parameters={"hypothesis": "live first", "confidence": SURE},
    meaning="Mean squared distance of the first hypothesis's confidence from 1 where every word is "
    "right, from 0 where not. More on confidences: `vivavoce confidence`.",
    needs=(("speech",),),
    components=_brier,
)
