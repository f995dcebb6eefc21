"""Best possible recognition: error rates of the best of the first k hypotheses (N-best oracle).

The distance between the error rate of the first hypothesis and that of the oracle is what a better choice
among the hypotheses could win.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from vivavoce.core.extras import later
from vivavoce.measures.base import Measure, Pairs, Tables, field_of
from vivavoce.measures.columns import Floats, Places, once, sum_rows, taken
from vivavoce.measures.recognition import EMPTY, LIVE, NO_TURN, SPEECH, WORDS, compared_turns, turn_keys

if TYPE_CHECKING:
    import numpy as np
    import rapidfuzz
else:
    rapidfuzz = later("rapidfuzz", "analysis")
    np = later("numpy")

DEPTHS: Final = (2, 5, 10, None)
SOURCE: Final = "Ostendorf et al. 1991, Integration of diverse recognition methodologies (N-best rescoring)"


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


def _from(figure: Callable[[OracleTurns, int | None], Pairs], depth: int | None) -> Callable[[Tables], Pairs]:
    return lambda tables: figure(oracle_turns(tables), depth)


def _measures() -> Iterator[Measure]:
    common = partial(
        Measure,
        family="recognition",
        unit="ratio",
        level="utterance",
        direction="lower",
        origin="expert",
        source=SOURCE,
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
            components=_from(OracleTurns.words, depth),
        )
        yield common(
            name=f"oracle_sentence_error_rate{tail}",
            title=f"Oracle sentence error rate, {among}",
            symbol=f"SER_oracle{mark}",
            analysis_unit="turn",
            empty=NO_TURN,
            parameters=facts,
            meaning=f"Share of the user's turns of which none among {of} has every word right.",
            components=_from(OracleTurns.sentences, depth),
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
        meaning="Live recognition hypotheses of a user turn that has any; with 1 the oracle chooses nothing.",
    )


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
