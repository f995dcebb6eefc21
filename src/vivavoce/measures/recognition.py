"""Speech recognition: how far what was recognised is from what was said, by words and by keywords."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.core.alignment import ErrorCounts, align
from vivavoce.core.extras import later
from vivavoce.core.text import spoken_words
from vivavoce.dataset.vocabulary import DONTCARE
from vivavoce.measures.base import Direction, Measure, Pairs, Tables, field_of
from vivavoce.measures.columns import (
    Floats,
    PairColumns,
    Places,
    dialogue_places,
    encoded,
    once,
    sum_rows,
    taken,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
else:
    np = later("numpy")

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
        meaning="Share of the user's turns with at least one word wrong.",
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
        meaning="Share of the user's turns with no word wrong: 1 - SER.",
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
