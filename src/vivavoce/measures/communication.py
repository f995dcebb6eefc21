"""Dialogue and communication: durations, turns, words, delays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later
from vivavoce.core.text import words
from vivavoce.measures.base import (
    PairColumns,
    Tables,
    dialogue_places,
    encoded,
    number_column,
    sum_rows,
    taken,
)

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

    Floats = np.ndarray[Any, np.dtype[np.float64]]
else:
    np = later("numpy")
    Floats = Any

from collections.abc import Callable, Iterator
from functools import partial

from vivavoce.measures.base import Components, Measure, Pairs, dialogue_ids
from vivavoce.measures.counting import flag_by_turn

TIMES: Final = ("onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
TEXTS: Final = ("text", "reference")


@dataclass(frozen=True, slots=True)
class Turns:
    """One entry a turn, dialogue by dialogue, each in order.

    dialogue  the place of each turn's dialogue among those of the tables
    index     the turn's own index
    times     seconds by column; NaN where a time is not known
    lengths   number of words by column; NaN where the text is not known
    """

    tables: Tables
    dialogue: np.ndarray
    index: np.ndarray
    party: np.ndarray
    barge_in: np.ndarray
    restarted: np.ndarray
    times: Mapping[str, Floats]
    lengths: Mapping[str, Floats]

    def of(self, party: str) -> np.ndarray:
        """True for turns of this party."""
        return self.party == party

    def summed(self, values: Floats, among: np.ndarray | None = None) -> PairColumns:
        """Sum and number of the known values by dialogue; a dialogue without any is not there."""
        is_number = ~np.isnan(values)
        chosen = is_number if among is None else is_number & among
        return sum_rows(self.tables, self.dialogue[chosen], values[chosen])


@dataclass(frozen=True, slots=True)
class Followed:
    """Turns of one party that directly follow one of the other: which they are, and the times before them."""

    turns: Turns
    chosen: np.ndarray
    before: Mapping[str, Floats]

    def summed(self, delays: Floats) -> PairColumns:
        return self.turns.summed(delays, self.chosen)

    def without(self, excluded: np.ndarray) -> Followed:
        return replace(self, chosen=self.chosen & ~excluded)


def turns(tables: Tables) -> Turns:
    """All turns, read once."""
    return tables.remember(turns, lambda: _read(tables))


def followed(tables: Tables, first: str, second: str) -> Followed:
    """Turns of `second` that directly follow a turn of `first` in the same dialogue, our service running."""
    all_turns = turns(tables)
    same = np.zeros(len(all_turns.dialogue), dtype=bool)
    same[1:] = all_turns.dialogue[1:] == all_turns.dialogue[:-1]
    after = np.zeros(len(same), dtype=bool)
    after[1:] = all_turns.of(first)[:-1]
    before = {name: _shifted(times) for name, times in all_turns.times.items()}
    return Followed(all_turns, same & after & all_turns.of(second) & ~all_turns.restarted, before)


def either(first: Floats, second: Floats) -> Floats:
    """The first where it is known, else the second."""
    return np.where(np.isnan(first), second, first)


def _shifted(values: Floats) -> Floats:
    moved = np.full(len(values), np.nan)
    moved[1:] = values[:-1]
    return moved


def _read(tables: Tables) -> Turns:
    table = tables.read("turns")
    places = dialogue_places(tables, table)
    index = table["turn_index"].to_numpy()
    order = np.lexsort((index, places))
    order = order[places[order] >= 0]
    (parties,), names = encoded(table["party"])

    def flags(name: str) -> np.ndarray:
        return table[name].fill_null(False).to_numpy()[order].astype(bool)

    return Turns(
        tables=tables,
        dialogue=places[order],
        index=index[order],
        party=taken(np.array(names, dtype=object), parties, None)[order],
        barge_in=flags("barge_in"),
        restarted=flags("restarted"),
        times={name: number_column(table, name)[order] for name in TIMES},
        lengths={name: _lengths(table[name])[order] for name in TEXTS},
    )


def _lengths(texts: pa.ChunkedArray) -> Floats:
    (codes,), unique_texts = encoded(texts)
    return taken(np.array([len(words(text)) for text in unique_texts], dtype=float), codes, np.nan)


SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), dialogue- and communication-related parameters"
WORD_SOURCE: Final = {"user": "reference", "system": "text"}


def _dialogue_duration(tables: Tables) -> Pairs:
    lasts = number_column(tables.read("dialogues"), "duration_s").copy()
    all_turns = turns(tables)
    lasts[all_turns.dialogue[all_turns.restarted]] = np.nan
    return PairColumns(dialogue_ids(tables), lasts, np.ones(len(lasts)), ~np.isnan(lasts))


def _turn_count(party: str | None) -> Components:
    """Turns of a party, or of both; a dialogue without turns counts 0, not missing."""

    def components(tables: Tables) -> Pairs:
        all_turns, ids = turns(tables), dialogue_ids(tables)
        places = all_turns.dialogue if party is None else all_turns.dialogue[all_turns.of(party)]
        return PairColumns(ids, np.bincount(places, minlength=len(ids)).astype(float), np.ones(len(ids)))

    return components


def _words(party: str, *, per_turn: bool) -> Components:
    """Words of a party, per turn or per dialogue; turns whose text is not known are left out."""

    def components(tables: Tables) -> Pairs:
        all_turns = turns(tables)
        summed = all_turns.summed(all_turns.lengths[WORD_SOURCE[party]], all_turns.of(party))
        return summed if per_turn else summed.over_dialogues()

    return components


def _turn_duration(party: str) -> Callable[[Tables], Pairs]:
    def components(tables: Tables) -> Pairs:
        all_turns = turns(tables)
        return all_turns.summed(all_turns.times["offset_s"] - all_turns.times["onset_s"], all_turns.of(party))

    return components


def _system_response_delay(tables: Tables) -> Pairs:
    return _answers(tables, lambda delays: delays)


def _early_responses(tables: Tables) -> Pairs:
    return _answers(tables, lambda delays: np.where(np.isnan(delays), np.nan, delays < 0))


def _answers(tables: Tables, figure: Callable[[np.ndarray], np.ndarray]) -> Pairs:
    pairs = followed(tables, "user", "system")
    times, before = pairs.turns.times, pairs.before
    delays = either(times["first_output_s"], times["onset_s"]) - before["sent_s"]
    spoken = times["onset_s"] - before["offset_s"]
    return pairs.summed(figure(np.where(np.isnan(before["sent_s"]), spoken, delays)))


def _system_completion_delay(tables: Tables) -> Pairs:
    pairs = followed(tables, "user", "system")
    return pairs.summed(pairs.turns.times["complete_s"] - pairs.before["sent_s"])


def _user_response_delay(tables: Tables) -> Pairs:
    followups = followed(tables, "system", "user")
    pairs = followups.without(_barged_in(tables))
    times, before = pairs.turns.times, pairs.before
    text_delays = times["sent_s"] - either(before["complete_s"], before["offset_s"])
    spoken = times["onset_s"] - before["offset_s"]
    delays = np.where(np.isnan(times["sent_s"]), spoken, text_delays)
    # exactly zero: the log has set one time equal to the other, nobody has observed a delay
    return pairs.without(delays == 0).summed(delays)


def _user_first_key_delay(tables: Tables) -> Pairs:
    followups = followed(tables, "system", "user")
    times = followups.turns.times
    pairs = followups.without(_barged_in(tables) | np.isnan(times["sent_s"]))
    return pairs.summed(times["onset_s"] - either(pairs.before["complete_s"], pairs.before["offset_s"]))


def _barged_in(tables: Tables) -> np.ndarray:
    """True for turns that barge in: by the log, and where experts annotated it as `flag_by_turn` tells."""
    all_turns = turns(tables)
    judged = flag_by_turn(tables, "barge_in", "user")
    barged_in = all_turns.barge_in.copy()
    for place, dialogue_id in enumerate(dialogue_ids(tables) if judged else ()):
        if flags := judged.get(dialogue_id):
            first, last = np.searchsorted(all_turns.dialogue, [place, place + 1])
            for turn in range(first, last):
                barged_in[turn] = flags.get(int(all_turns.index[turn]), False)
    return barged_in


_dialogue = partial(
    Measure, family="communication", source=SOURCE, level="dialogue", analysis_unit="dialogue"
)
_turn = partial(Measure, family="communication", source=SOURCE, level="turn")

_OF = {"user": "the user", "system": "the system", None: "both parties"}


def _counts() -> Iterator[Measure]:
    for party, name in ((None, "turns"), ("system", "system_turns"), ("user", "user_turns")):
        yield _dialogue(
            name=name,
            title="Turns" if party is None else f"{party.capitalize()} turns",
            symbol=f"# {name.replace('_', ' ')}",
            meaning=f"Number of turns of {_OF[party]}.",
            unit="turns",
            origin="instrumental",
            empty="never: a dialogue without such turns counts 0",
            components=_turn_count(party),
        )


def _word_measures() -> Iterator[Measure]:
    for party, symbol in (("system", "WPST"), ("user", "WPUT")):
        source = WORD_SOURCE[party]
        origin = "instrumental" if party == "system" else "expert"
        left_out = f"turns without {source} are left out; a dialogue with none is missing"
        yield _dialogue(
            name=f"{party}_words",
            title=f"{party.capitalize()} words",
            symbol=f"# {party} words",
            meaning=f"Number of words, separated by white space, of {_OF[party]}.",
            unit="words",
            origin=origin,
            empty=left_out,
            parameters={"words": source},
            components=_words(party, per_turn=False),
        )
        yield _turn(
            name=f"words_per_{party}_turn",
            title=f"Words per {party} turn",
            symbol=symbol,
            meaning=f"Words of {_OF[party]} over the turns in which they were said.",
            unit="words",
            origin=origin,
            analysis_unit="turn",
            empty=left_out,
            parameters={"words": source},
            components=_words(party, per_turn=True),
        )


def _times() -> Iterator[Measure]:
    yield _dialogue(
        name="dialogue_duration",
        title="Dialogue duration",
        symbol="DD",
        meaning="From the first onset to the last offset.",
        unit="s",
        origin="instrumental",
        empty="a dialogue whose start or end is not known, or during which the service restarted, "
        "is left out",
        components=_dialogue_duration,
    )
    for party, symbol in (("system", "STD"), ("user", "UTD")):
        yield _turn(
            name=f"{party}_turn_duration",
            title=f"{party.capitalize()} turn duration",
            symbol=symbol,
            meaning=f"Mean time from onset to offset of the turns of {_OF[party]}.",
            unit="s",
            origin="instrumental",
            analysis_unit="turn",
            empty="turns without onset or offset are left out; a dialogue with none is missing",
            components=_turn_duration(party),
        )
    yield _turn(
        name="system_response_delay",
        title="System response delay",
        symbol="SRD",
        meaning="Mean time from the end of a user turn to the start of the system's answer; in text, from "
        "sending to the first output. A system that starts early gives a negative delay, which is kept. "
        "Delays across a restart of our service are left out, here and in all that follows.",
        unit="s",
        origin="instrumental",
        direction="lower",
        analysis_unit="exchange",
        empty="no timed answer of the system: missing",
        components=_system_response_delay,
    )
    yield _turn(
        name="early_system_responses",
        title="Early system responses",
        meaning="Share of system answers that begin before the end of the user's turn.",
        unit="ratio",
        origin="instrumental",
        analysis_unit="exchange",
        source="project addition to SRD, which keeps negative delays",
        empty="no timed answer of the system: missing",
        components=_early_responses,
    )
    yield _turn(
        name="system_completion_delay",
        title="System completion delay",
        symbol="SRD_complete",
        meaning="Mean time from the sending of a user's message to the system's complete answer, in text.",
        unit="s",
        origin="instrumental",
        direction="lower",
        analysis_unit="exchange",
        source="the project's convention for text, beside SRD to the first output",
        empty="no message with a timed complete answer: missing",
        components=_system_completion_delay,
    )
    yield _turn(
        name="user_response_delay",
        title="User response delay",
        symbol="URD",
        meaning="Mean time from the end of a system turn to the start of the user's answer, turns that "
        "barge in left out; in text, from the whole message to sending, reading and typing included.",
        unit="s",
        origin="instrumental",
        analysis_unit="exchange",
        empty="no timed answer of the user: missing; an answer timed exactly at the end of the system "
        "turn was set so by the log, not observed, and does not count",
        parameters={"barge_in": "excluded"},
        components=_user_response_delay,
    )
    yield _turn(
        name="user_first_key_delay",
        title="User delay to the first key",
        symbol="URD_firstkey",
        meaning="Mean time from the system's whole message to the first key of the user's answer, in text: "
        "reading and thinking without typing. Turns that barge in are left out.",
        unit="s",
        origin="instrumental",
        analysis_unit="exchange",
        source="the project's convention for text, beside URD to the moment of sending",
        empty="no typed answer whose first key is logged: missing",
        parameters={"barge_in": "excluded"},
        components=_user_first_key_delay,
    )


FAMILY: Final[tuple[Measure, ...]] = (*_counts(), *_word_measures(), *_times())
