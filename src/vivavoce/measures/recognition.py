"""Speech recognition: how far what was recognised is from what was said, by words and by keywords."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import Any, Final, NamedTuple

from vivavoce.core.alignment import ErrorCounts, align
from vivavoce.core.text import spoken_words
from vivavoce.log.vocabulary import DONTCARE
from vivavoce.measures.base import Direction, Measure, Pair, Pairs, Tables, field_of

LIVE: Final = "live"
SPOKEN: Final = ("voice", "phone", "multimodal")
SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), speech-input-related parameters"
EMPTY: Final = "no spoken turn with a transcript, or only empty transcripts: missing"
NO_TURN: Final = "no spoken turn with a transcript: missing"
WORDS: Final = "lower case, no punctuation at the edges"
PARAMETERS: Final = {"hypothesis": "live first", "words": WORDS}


class ComparedTurn(NamedTuple):
    """A spoken turn of which it is known what was said, and what was heard."""

    dialogue_id: str
    turn_index: int
    said: str
    heard: str


def compared_turns(tables: Tables) -> list[ComparedTurn]:
    """What was said and what was heard: the live first hypothesis, or the turn's text without one."""
    return tables.remember(compared_turns, lambda: list(_pairs(tables)))


def _pairs(tables: Tables) -> Iterator[ComparedTurn]:
    """Every turn with a transcript.

    Nothing recognised in a spoken dialogue is an empty hypothesis. A typed turn has no recognition, and of a
    turn that a system heard by itself it may be unknown: neither is compared.
    """
    wanted = (field_of("source") == LIVE) & (field_of("rank") == 0)
    best = columns_of(tables, "hypotheses", wanted, "dialogue_id", "turn_index", "text")
    live = {(dialogue_id, index): text for dialogue_id, index, text in best}
    wanted = field_of("channel").isin(SPOKEN)
    spoken = {dialogue_id for (dialogue_id,) in columns_of(tables, "dialogues", wanted, "dialogue_id")}
    wanted = (field_of("party") == "user") & field_of("reference").is_valid()
    rows = columns_of(tables, "turns", wanted, "dialogue_id", "turn_index", "reference", "text")
    secret = _heard_unseen(tables)
    for dialogue_id, index, said, text in rows:
        heard = live.get((dialogue_id, index))
        unknown = text is None and (dialogue_id, index) in secret
        if heard is not None or (dialogue_id in spoken and not unknown):
            yield ComparedTurn(dialogue_id, index, said, text or "" if heard is None else heard)


def _heard_unseen(tables: Tables) -> set[tuple[str, int]]:
    """Turns that went over as sound; datasets of older versions have none."""
    if "by_sound" not in tables.read("turns").column_names:
        return set()
    return set(columns_of(tables, "turns", field_of("by_sound"), "dialogue_id", "turn_index"))  # type: ignore[arg-type]


def columns_of(tables: Tables, name: str, wanted: Any, *columns: str) -> Iterator[tuple[Any, ...]]:
    found = tables.read(name).filter(wanted).select(list(columns))
    return zip(*(found[column].to_pylist() for column in columns), strict=True)


@dataclass(slots=True)
class WordCounts:
    """Word counts of one dialogue: of each compared turn, the alignment and what it makes of single turns."""

    turns: list[ErrorCounts] = field(default_factory=list)

    def total(self, name: str) -> int:
        return sum(map(attrgetter(name), self.turns))

    def error_rate(self, *, insertions: bool = True) -> Pair:
        return sum(_errors(turn, insertions) for turn in self.turns), self.total("reference_count")

    def accuracy(self, *, insertions: bool = True) -> Pair:
        errors, whole = self.error_rate(insertions=insertions)
        return whole - errors, whole

    def errors_per_turn(self, *, insertions: bool = True) -> Pair:
        return self.error_rate(insertions=insertions)[0], len(self.turns)

    def error_rate_per_turn(self, *, insertions: bool = True) -> Pair:
        rates = [_errors(t, insertions) / t.reference_count for t in self.turns if t.reference_count]
        return sum(rates), len(rates)

    def sentence_errors(self) -> Pair:
        return sum(turn.errors > 0 for turn in self.turns), len(self.turns)


def _errors(turn: ErrorCounts, insertions: bool) -> int:
    return turn.errors if insertions else turn.substitutions + turn.deletions


def _counts(tables: Tables) -> Mapping[str, WordCounts]:
    """Every compared turn, aligned."""
    return tables.remember(_counts, lambda: _aligned(tables, None))


def _isolated_counts(tables: Tables) -> Mapping[str, WordCounts]:
    """The same on keywords alone; without keywords nothing is counted."""

    def make() -> Mapping[str, WordCounts]:
        keywords = domain_words(tables) if tables.keywords is None else _lowered(tables.keywords)
        return _aligned(tables, keywords) if keywords else {}

    return tables.remember(_isolated_counts, make)


def _aligned(tables: Tables, keywords: Collection[str] | None) -> Mapping[str, WordCounts]:
    found: dict[str, WordCounts] = defaultdict(WordCounts)
    for dialogue_id, _, said, heard in compared_turns(tables):
        both = [spoken_words(said), spoken_words(heard)]
        if keywords is not None:
            both = [[word for word in one if word in keywords] for one in both]
        found[dialogue_id].turns.append(align(*both))
    return found


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


def _lowered(values: "Collection[str] | Iterator[str]") -> frozenset[str]:
    return frozenset(word for value in values for word in spoken_words(value))


def _from(
    figure: Callable[[WordCounts], Pair], counts: Callable[[Tables], Mapping[str, WordCounts]] = _counts
) -> Callable[[Tables], Pairs]:
    return lambda tables: {key: figure(found) for key, found in counts(tables).items()}


_word = partial(Measure, family="recognition", origin="expert", source=SOURCE, parameters=PARAMETERS)
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
                name=name, title=name.replace("_", " ").capitalize(), symbol=symbol + mark,
                direction=direction, meaning=f"Number of {of} of the user {how}.", empty=empty,
                components=_from(lambda one, attribute=attribute: (one.total(attribute), 1), counts),
            )  # fmt: skip


def _rates() -> Iterator[Measure]:
    yield _word(
        name="word_error_rate", title="Word error rate", symbol="WER", unit="ratio", level="utterance",
        direction="lower", analysis_unit="word", empty=EMPTY,
        meaning="Substituted, deleted and inserted words of the live first hypothesis over the words "
        "that were really said. Words are compared in lower case, without punctuation at their edges.",
        components=_from(WordCounts.error_rate),
    )  # fmt: skip
    yield _word(
        name="sentence_error_rate", title="Sentence error rate", symbol="SER", unit="ratio",
        level="utterance", direction="lower", analysis_unit="turn", empty=NO_TURN,
        meaning="Share of the user's turns with at least one word wrong.",
        components=_from(WordCounts.sentence_errors),
    )  # fmt: skip
    yield _word(
        name="sentence_accuracy", title="Sentence accuracy", symbol="SA", unit="ratio",
        level="utterance", direction="higher", analysis_unit="turn", empty=NO_TURN,
        meaning="Share of the user's turns with no word wrong: 1 - SER.",
        components=_from(_sentence_accuracy),
    )  # fmt: skip
    for isolated in (False, True):
        yield from _both(isolated)


def _sentence_accuracy(one: WordCounts) -> Pair:
    wrong, turns = one.sentence_errors()
    return turns - wrong, turns


def _both(isolated: bool) -> Iterator[Measure]:
    """What is told of all words and of keywords alike."""
    common = _isolated if isolated else partial(_word, empty=EMPTY)
    counts = _isolated_counts if isolated else _counts
    mark, prefix = ("_iso", "keyword") if isolated else ("", "word")
    of = "keywords; what was heard though not said does not count" if isolated else "words"

    def components(figure: Callable[..., Pair]) -> Callable[[Tables], Pairs]:
        return _from(lambda one: figure(one, insertions=not isolated), counts)

    if isolated:
        yield common(
            name="keyword_error_rate", title="Keyword error rate", symbol="WER_iso", unit="ratio",
            level="utterance", direction="lower", analysis_unit="word",
            meaning=f"Word error rate of {of}.", components=components(WordCounts.error_rate),
        )  # fmt: skip
    yield common(
        name=f"{prefix}_accuracy", title=f"{prefix.capitalize()} accuracy", symbol=f"WA{mark}", unit="ratio",
        level="utterance", direction="higher", analysis_unit="word",
        meaning=f"1 - WER{mark}, of {of}" + (". It may be negative." if not isolated else "."),
        components=components(WordCounts.accuracy),
    )  # fmt: skip
    yield common(
        name=f"{prefix}_errors_per_turn", title=f"{prefix.capitalize()} errors per turn", symbol=f"NEU{mark}",
        unit="words", level="utterance", direction="lower", analysis_unit="turn",
        meaning=f"Recognition errors of a user turn, of {of}.",
        components=components(WordCounts.errors_per_turn),
    )  # fmt: skip
    yield common(
        name=f"{prefix}_error_rate_per_turn", title=f"{prefix.capitalize()} error rate per turn",
        symbol=f"WEU{mark}", unit="ratio", level="utterance", direction="lower", analysis_unit="turn",
        meaning=f"Mean error rate of the single turns, of {of}. Turns in which none was said are left out.",
        components=components(WordCounts.error_rate_per_turn),
    )  # fmt: skip


FAMILY: Final[tuple[Measure, ...]] = (*_numbers(), *_rates())
