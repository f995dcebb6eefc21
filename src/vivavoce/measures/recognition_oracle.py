"""What a recogniser could have heard: error rates of the best of its first k hypotheses (N-best oracle).

The distance between the error rate of the first hypothesis and that of the oracle is what a better choice
among the hypotheses could win.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple

from rapidfuzz.distance import Levenshtein

from vivavoce.core.text import spoken_words
from vivavoce.measures.base import Measure, Pair, Pairs, Tables, field_of
from vivavoce.measures.recognition import EMPTY, LIVE, NO_TURN, WORDS, columns_of, compared_turns

DEPTHS: Final = (2, 5, 10, None)
SOURCE: Final = "Ostendorf et al. 1991, Integration of diverse recognition methodologies (N-best rescoring)"


class OracleTurn(NamedTuple):
    """Words of a turn, and the fewest errors among its first 1, 2, ... hypotheses."""

    word_count: int
    fewest: list[int]

    def errors(self, depth: int | None) -> int:
        """The fewest errors among so many hypotheses; of all where there are not so many."""
        return self.fewest[min(depth or len(self.fewest), len(self.fewest)) - 1]


def oracle_turns(tables: Tables) -> Mapping[str, list[OracleTurn]]:
    """Every compared turn, by dialogue; what was heard stands in where no hypothesis was logged."""
    return tables.remember(oracle_turns, lambda: _oracle_turns(tables))


def _oracle_turns(tables: Tables) -> Mapping[str, list[OracleTurn]]:
    ranked: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    live = columns_of(
        tables, "hypotheses", field_of("source") == LIVE, "dialogue_id", "turn_index", "rank", "text"
    )
    for dialogue_id, index, rank, text in live:
        ranked[dialogue_id, index].append((rank, text))
    found: dict[str, list[OracleTurn]] = defaultdict(list)
    for dialogue_id, index, said, heard in compared_turns(tables):
        texts = [text for _, text in sorted(ranked.get((dialogue_id, index), ()))] or [heard]
        reference = spoken_words(said)
        errors = [Levenshtein.distance(reference, spoken_words(text)) for text in texts]
        found[dialogue_id].append(OracleTurn(len(reference), list(accumulate(errors, min))))
    return found


def _hypotheses(tables: Tables) -> Pairs:
    turns: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for dialogue_id, index in columns_of(
        tables, "hypotheses", field_of("source") == LIVE, "dialogue_id", "turn_index"
    ):
        turns[dialogue_id][index] += 1
    return {key: (sum(counts.values()), len(counts)) for key, counts in turns.items()}


def _words(turns: list[OracleTurn], depth: int | None) -> Pair:
    return sum(turn.errors(depth) for turn in turns), sum(turn.word_count for turn in turns)


def _sentences(turns: list[OracleTurn], depth: int | None) -> Pair:
    return sum(turn.errors(depth) > 0 for turn in turns), len(turns)


def _from(
    figure: Callable[[list[OracleTurn], int | None], Pair], depth: int | None
) -> Callable[[Tables], Pairs]:
    return lambda tables: {key: figure(turns, depth) for key, turns in oracle_turns(tables).items()}


def _measures() -> Iterator[Measure]:
    common = partial(
        Measure, family="recognition", unit="ratio", level="utterance", direction="lower", origin="expert",
        source=SOURCE,
    )  # fmt: skip
    for depth in DEPTHS:
        of = "all live hypotheses" if depth is None else f"the first {depth} live hypotheses"
        tail, mark = ("", "") if depth is None else (f"_{depth}", f"({depth})")
        facts = {"hypothesis": f"best of {of}", "words": WORDS}
        among = "all" if depth is None else str(depth)
        yield common(
            name=f"oracle_word_error_rate{tail}", title=f"Oracle word error rate, {among}",
            symbol=f"WER_oracle{mark}", analysis_unit="word", empty=EMPTY, parameters=facts,
            meaning=f"Word error rate of the hypothesis with the fewest errors among {of} of each turn.",
            components=_from(_words, depth),
        )  # fmt: skip
        yield common(
            name=f"oracle_sentence_error_rate{tail}", title=f"Oracle sentence error rate, {among}",
            symbol=f"SER_oracle{mark}", analysis_unit="turn", empty=NO_TURN, parameters=facts,
            meaning=f"Share of the user's turns of which none among {of} has every word right.",
            components=_from(_sentences, depth),
        )  # fmt: skip
    yield Measure(
        name="hypotheses_per_turn", title="Hypotheses per turn", unit="hypotheses", level="utterance",
        family="recognition", origin="instrumental", analysis_unit="turn",
        source="this project, beside the oracle error rates",
        empty="no live hypothesis was logged: missing", components=_hypotheses,
        meaning="Live recognition hypotheses of a user turn that has any; with 1 the oracle chooses nothing.",
    )  # fmt: skip


FAMILY: Final[tuple[Measure, ...]] = tuple(_measures())
