"""Speech recognition: word and keyword errors, confidence, and the best of the first k hypotheses.

The difference between the error rate of the first hypothesis and that of the best one (N-best oracle) is
what a better choice among the hypotheses could gain.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from vivavoce.core.alignment import ErrorCounts, align
from vivavoce.core.extras import later
from vivavoce.core.text import spoken_words
from vivavoce.dataset.vocabulary import DONTCARE
from vivavoce.measures.base import (
    Direction,
    Floats,
    Measure,
    PairColumns,
    Pairs,
    Places,
    Tables,
    dialogue_ids,
    dialogue_places,
    encoded,
    field_of,
    number_column,
    once,
    sum_rows,
    taken,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import rapidfuzz
else:
    np = later("numpy")
    rapidfuzz = later("rapidfuzz", "analysis")


LIVE: Final = "live"
SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), speech-input-related parameters"
EMPTY: Final = "no spoken turn with a transcript, or only empty transcripts: missing"
NO_TURN: Final = "no spoken turn with a transcript: missing"
WORDS: Final = "lower case, no punctuation at the edges"
PARAMETERS: Final = {"hypothesis": "live first", "words": WORDS}


@dataclass(frozen=True, slots=True)
class ComparedTurns:
    """Spoken turns of which it is known what was said, and what was heard; one entry a turn.

    dialogue     its place among those of the tables
    key          a number for each turn, in no order
    said, heard  places in `texts`
    words        of each of the texts, as far as they can be heard
    hypotheses   what the live recogniser gave out of any turn: its key, rank and text
    """

    dialogue: Places
    key: Places
    said: Places
    heard: Places
    texts: list[str]
    words: list[list[str]]
    hypotheses: tuple[Places, Places, Places]


def compared_turns(tables: Tables) -> ComparedTurns:
    """Words said and words heard: the live first hypothesis, or the turn's text without one.

    Nothing recognised in a spoken dialogue is an empty hypothesis. A typed turn has no recognition, and of a
    turn that a system heard by itself it may be unknown: neither is compared.
    """
    return tables.remember(compared_turns, lambda: _compared(tables))


def _compared(tables: Tables) -> ComparedTurns:
    import pyarrow as pa

    row_filter = (field_of("party") == "user") & field_of("reference").is_valid()
    columns_read = ["dialogue_id", "turn_index", "party", "reference", "text", "by_sound"]
    turns = tables.read("turns").select(columns_read).filter(row_filter)
    live = tables.read("hypotheses").filter(field_of("source") == LIVE)
    nothing = pa.chunked_array([[""]], turns["text"].type)
    columns = [turns["reference"], turns["text"], live["text"], nothing]
    (reference_codes, text, recognised, (empty,)), texts = encoded(*columns)
    dialogue, key, keys = dialogue_places(tables, turns), turn_keys(tables, turns), turn_keys(tables, live)
    rank = live["rank"].to_numpy()
    first = last_of(key, keys[rank == 0], recognised[rank == 0])
    spoken = tables.read("dialogues")["spoken"].fill_null(False).to_numpy(zero_copy_only=False)
    by_sound = turns["by_sound"].fill_null(False).to_numpy(zero_copy_only=False)
    compared = (dialogue >= 0) & ((first >= 0) | (taken(spoken, dialogue, False) & ((text >= 0) | ~by_sound)))
    heard_codes = np.where(first >= 0, first, np.where(text >= 0, text, empty))
    return ComparedTurns(
        dialogue[compared],
        key[compared],
        reference_codes[compared],
        heard_codes[compared],
        texts,
        [spoken_words(text) for text in texts],
        (keys, rank, np.where(recognised >= 0, recognised, empty)),
    )


def turn_keys(tables: Tables, rows: pa.Table) -> Places:
    """A number for the turn of each row, the same in all tables."""
    return (dialogue_places(tables, rows) << 32) + rows["turn_index"].to_numpy()


def last_of(wanted_keys: Places, keys: Places, values: Places) -> Places:
    """The last value under each key; -1 where there is none."""
    order = np.argsort(keys, kind="stable")
    places = np.searchsorted(keys[order], wanted_keys, side="right") - 1
    last_values = taken(values[order], places)
    return np.where(taken(keys[order], places, -2) == wanted_keys, last_values, -1)


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Word counts of compared turns, one entry a turn: the dialogue, and what its alignment counts."""

    tables: Tables
    dialogue: Places
    hits: Floats
    substitutions: Floats
    deletions: Floats
    insertions: Floats

    @property
    def reference_count(self) -> Floats:
        return self.hits + self.substitutions + self.deletions

    def errors(self, insertions: bool) -> Floats:
        errors = self.substitutions + self.deletions
        return errors + self.insertions if insertions else errors

    def _sum(self, tops: Floats, bottoms: Floats | None = None) -> PairColumns:
        return sum_rows(self.tables, self.dialogue, tops, bottoms)

    def total(self, name: str) -> Pairs:
        return self._sum(getattr(self, name)).over_dialogues()

    def error_rate(self, *, insertions: bool = True) -> Pairs:
        return self._sum(self.errors(insertions), self.reference_count)

    def accuracy(self, *, insertions: bool = True) -> Pairs:
        return self._sum(self.reference_count - self.errors(insertions), self.reference_count)

    def errors_per_turn(self, *, insertions: bool = True) -> Pairs:
        return self._sum(self.errors(insertions))

    def error_rate_per_turn(self, *, insertions: bool = True) -> Pairs:
        """Turns in which nothing was said are left out."""
        has_words = self.reference_count > 0
        rates = np.divide(
            self.errors(insertions), self.reference_count, where=has_words, out=np.zeros(len(has_words))
        )
        return self._sum(rates, has_words.astype(float))

    def sentence_errors(self) -> Pairs:
        return self._sum((self.errors(True) > 0).astype(float))

    def sentence_accuracy(self) -> Pairs:
        return self._sum((self.errors(True) == 0).astype(float))


def _counts(tables: Tables) -> WordCounts:
    """Every compared turn, aligned."""
    return tables.remember(_counts, lambda: _aligned(tables, compared_turns(tables).words))


def _isolated_counts(tables: Tables) -> WordCounts | None:
    """Error counts on keywords alone; None without keywords."""

    def make() -> WordCounts | None:
        keywords = domain_words(tables) if tables.keywords is None else _lowered(tables.keywords)
        if not keywords:
            return None
        words = compared_turns(tables).words
        return _aligned(tables, [[word for word in text_words if word in keywords] for text_words in words])

    return tables.remember(_isolated_counts, make)


def _aligned(tables: Tables, words: list[list[str]]) -> WordCounts:
    turns = compared_turns(tables)
    alignments, pair_of_turn = once(
        lambda reference, hypothesis: align(words[reference], words[hypothesis]), turns.said, turns.heard
    )
    counts = np.array(alignments, dtype=float).reshape(-1, len(ErrorCounts._fields))[pair_of_turn]
    return WordCounts(tables, turns.dialogue, *counts.T)


def domain_words(tables: Tables) -> frozenset[str]:
    """The words of the values that assigned goals and acts of users name: what a recogniser must not miss."""
    return tables.overall(_domain_words, _joined)


def _joined(parts: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*parts)


def _domain_words(tables: Tables) -> frozenset[str]:
    of_users = field_of("layer").isin(["understood", "reference"])
    parts = tables.read("acts").filter(of_users)["value"], tables.read("goals")["value"]
    values = (value for part in parts for value in part.unique().to_pylist())
    return _lowered(value for value in values if value not in (None, DONTCARE))


def _lowered(values: Collection[str] | Iterator[str]) -> frozenset[str]:
    return frozenset(word for value in values for word in spoken_words(value))


def _from(
    figure: Callable[[WordCounts], Pairs], counts: Callable[[Tables], WordCounts | None] = _counts
) -> Callable[[Tables], Pairs]:
    def components(tables: Tables) -> Pairs:
        error_counts = counts(tables)
        return {} if error_counts is None else figure(error_counts)

    return components


SPEECH: Final = (("speech",),)
_word = partial(
    Measure, family="recognition", origin="expert", source=SOURCE, parameters=PARAMETERS, needs=SPEECH
)
_isolated = partial(
    _word,
    empty="no keywords are known, no transcripts, or no keyword was said: missing",
    parameters={**PARAMETERS, "keywords": "values of the domain", "insertions": "ignored"},
)
KINDS: Final[tuple[tuple[str, str, str, Direction | None], ...]] = (
    ("hits", "c", "recognised correctly", "higher"),
    ("substitutions", "s", "replaced by another word", "lower"),
    ("deletions", "d", "missed", "lower"),
    ("insertions", "i", "heard though not said", "lower"),
)


def _numbers() -> Iterator[Measure]:
    for isolated in (False, True):
        common = partial(
            _isolated if isolated else _word, unit="words", level="word", analysis_unit="dialogue"
        )
        of, mark, prefix = ("keywords", "_iso", "keyword") if isolated else ("words", "", "word")
        counts = _isolated_counts if isolated else _counts
        empty = (
            "no keywords are known, or no transcripts: missing"
            if isolated
            else EMPTY.partition(",")[0] + ": missing"
        )
        kinds = (("reference_count", "n", "really said", None), *KINDS[: 3 if isolated else 4])
        for attribute, symbol, how, direction in kinds:
            name = f"{prefix}_{attribute}"
            yield common(
                name=name,
                title=name.replace("_", " ").capitalize(),
                symbol=symbol + mark,
                direction=direction,
                meaning=f"Number of {of} of the user {how}.",
                empty=empty,
                components=_from(
                    lambda counts_of_turns, attribute=attribute: counts_of_turns.total(attribute), counts
                ),
            )


def _rates() -> Iterator[Measure]:
    yield _word(
        name="word_error_rate",
        title="Word error rate",
        symbol="WER",
        unit="ratio",
        level="utterance",
        direction="lower",
        analysis_unit="word",
        empty=EMPTY,
        meaning="Substituted, deleted and inserted words of the live first hypothesis over the words "
        "that were really said. Words are compared in lower case, without punctuation at their edges.",
        components=_from(WordCounts.error_rate),
    )
    yield _word(
        name="sentence_error_rate",
        title="Sentence error rate",
        symbol="SER",
        unit="ratio",
        level="utterance",
        direction="lower",
        analysis_unit="turn",
        empty=NO_TURN,
        meaning="Share of user turns with at least one wrong word.",
        components=_from(WordCounts.sentence_errors),
    )
    yield _word(
        name="sentence_accuracy",
        title="Sentence accuracy",
        symbol="SA",
        unit="ratio",
        level="utterance",
        direction="higher",
        analysis_unit="turn",
        empty=NO_TURN,
        meaning="Share of user turns without a wrong word: 1 - SER.",
        components=_from(WordCounts.sentence_accuracy),
    )
    for isolated in (False, True):
        yield from _both(isolated)


def _both(isolated: bool) -> Iterator[Measure]:
    """Measures of all words and of keywords alike."""
    common = _isolated if isolated else partial(_word, empty=EMPTY)
    counts = _isolated_counts if isolated else _counts
    mark, prefix = ("_iso", "keyword") if isolated else ("", "word")
    of = "keywords; what was heard though not said does not count" if isolated else "words"

    def components(figure: Callable[..., Pairs]) -> Callable[[Tables], Pairs]:
        return _from(lambda counts_of_turns: figure(counts_of_turns, insertions=not isolated), counts)

    if isolated:
        yield common(
            name="keyword_error_rate",
            title="Keyword error rate",
            symbol="WER_iso",
            unit="ratio",
            level="utterance",
            direction="lower",
            analysis_unit="word",
            meaning=f"Word error rate of {of}.",
            components=components(WordCounts.error_rate),
        )
    yield common(
        name=f"{prefix}_accuracy",
        title=f"{prefix.capitalize()} accuracy",
        symbol=f"WA{mark}",
        unit="ratio",
        level="utterance",
        direction="higher",
        analysis_unit="word",
        meaning=f"1 - WER{mark}, of {of}" + (". It may be negative." if not isolated else "."),
        components=components(WordCounts.accuracy),
    )
    yield common(
        name=f"{prefix}_errors_per_turn",
        title=f"{prefix.capitalize()} errors per turn",
        symbol=f"NEU{mark}",
        unit="words",
        level="utterance",
        direction="lower",
        analysis_unit="turn",
        meaning=f"Recognition errors of a user turn, of {of}.",
        components=components(WordCounts.errors_per_turn),
    )
    yield common(
        name=f"{prefix}_error_rate_per_turn",
        title=f"{prefix.capitalize()} error rate per turn",
        symbol=f"WEU{mark}",
        unit="ratio",
        level="utterance",
        direction="lower",
        analysis_unit="turn",
        meaning=f"Mean error rate of the single turns, of {of}. Turns in which none was said are left out.",
        components=components(WordCounts.error_rate_per_turn),
    )


FAMILY: Final[tuple[Measure, ...]] = (*_numbers(), *_rates())


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


DEPTHS: Final = (2, 5, 10, None)
ORACLE_SOURCE: Final = (
    "Ostendorf et al. 1991, Integration of diverse recognition methodologies (N-best rescoring)"
)


@dataclass(frozen=True, slots=True)
class OracleTurns:
    """Compared turns, one entry a turn: the dialogue, how many words were said, and errors of hypotheses.

    errors   of each hypothesis, turn by turn by rank; what was heard stands in where none was logged
    depth    how many hypotheses of its turn come before each
    begins   where the hypotheses of each turn begin
    """

    tables: Tables
    dialogue: Places
    word_count: Floats
    errors: Floats
    depth: Places
    begins: Places

    def fewest(self, depth: int | None) -> Floats:
        """The fewest errors among so many hypotheses; of all where there are not so many."""
        if not len(self.begins):
            return np.zeros(0)
        beyond = np.zeros(len(self.depth), bool) if depth is None else self.depth >= depth
        return np.minimum.reduceat(np.where(beyond, np.inf, self.errors), self.begins)

    def words(self, depth: int | None) -> Pairs:
        return sum_rows(self.tables, self.dialogue, self.fewest(depth), self.word_count)

    def sentences(self, depth: int | None) -> Pairs:
        return sum_rows(self.tables, self.dialogue, (self.fewest(depth) > 0).astype(float))


def oracle_turns(tables: Tables) -> OracleTurns:
    """Every compared turn with all that the live recogniser gave out of it."""
    return tables.remember(oracle_turns, lambda: _oracle_turns(tables))


def _oracle_turns(tables: Tables) -> OracleTurns:
    compared = compared_turns(tables)
    words, many = compared.words, len(compared.key)
    keys, rank, text = compared.hypotheses
    order = np.argsort(compared.key)
    place = taken(order, np.searchsorted(compared.key[order], keys), 0) if many else keys
    has_reference = taken(compared.key, place, -1) == keys if many else np.zeros(len(keys), bool)
    bare = np.setdiff1d(np.arange(many), place[has_reference])
    turn = np.concatenate([place[has_reference], bare])
    rank = np.concatenate([rank[has_reference], 0 * bare])
    text = np.concatenate([text[has_reference], compared.heard[bare]])
    alphabet = np.argsort(np.argsort(np.array(compared.texts, dtype=object)))
    sequence = np.lexsort((alphabet[text], rank, turn))
    turn, text = turn[sequence], text[sequence]
    error_sets, pair_of_row = once(
        lambda reference, hypothesis: rapidfuzz.distance.Levenshtein.distance(
            words[reference], words[hypothesis]
        ),
        compared.said[turn],
        text,
    )
    begins = np.searchsorted(turn, np.arange(many))
    lengths = np.array([len(word) for word in words], dtype=float)
    return OracleTurns(
        tables,
        compared.dialogue,
        lengths[compared.said],
        np.array(error_sets, dtype=float)[pair_of_row],
        np.arange(len(turn)) - begins[turn],
        begins,
    )


def _hypotheses(tables: Tables) -> Pairs:
    live = tables.read("hypotheses").filter(field_of("source") == LIVE)
    keys, counts = np.unique(turn_keys(tables, live), return_counts=True)
    return sum_rows(tables, keys >> 32, counts.astype(float))


def _from_oracle(
    figure: Callable[[OracleTurns, int | None], Pairs], depth: int | None
) -> Callable[[Tables], Pairs]:
    return lambda tables: figure(oracle_turns(tables), depth)


def _oracle_measures() -> Iterator[Measure]:
    common = partial(
        Measure,
        family="recognition",
        unit="ratio",
        level="utterance",
        direction="lower",
        origin="expert",
        source=ORACLE_SOURCE,
        needs=SPEECH,
    )
    for depth in DEPTHS:
        of = "all live hypotheses" if depth is None else f"the first {depth} live hypotheses"
        tail, mark = ("", "") if depth is None else (f"_{depth}", f"({depth})")
        facts = {"hypothesis": f"best of {of}", "words": WORDS}
        among = "all" if depth is None else str(depth)
        yield common(
            name=f"oracle_word_error_rate{tail}",
            title=f"Oracle word error rate, {among}",
            symbol=f"WER_oracle{mark}",
            analysis_unit="word",
            empty=EMPTY,
            parameters=facts,
            meaning=f"Word error rate of the hypothesis with the fewest errors among {of} of each turn.",
            components=_from_oracle(OracleTurns.words, depth),
        )
        yield common(
            name=f"oracle_sentence_error_rate{tail}",
            title=f"Oracle sentence error rate, {among}",
            symbol=f"SER_oracle{mark}",
            analysis_unit="turn",
            empty=NO_TURN,
            parameters=facts,
            meaning=f"Share of the user's turns of which none among {of} has every word right.",
            components=_from_oracle(OracleTurns.sentences, depth),
        )
    yield Measure(
        name="hypotheses_per_turn",
        title="Hypotheses per turn",
        unit="hypotheses",
        level="utterance",
        family="recognition",
        origin="instrumental",
        analysis_unit="turn",
        source="this project, beside the oracle error rates",
        empty="no live hypothesis was logged: missing",
        needs=SPEECH,
        components=_hypotheses,
        meaning=(
            "Live recognition hypotheses per user turn with hypotheses; with 1, the oracle has no choice."
        ),
    )


ORACLE_FAMILY: Final[tuple[Measure, ...]] = tuple(_oracle_measures())
