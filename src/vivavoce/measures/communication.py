"""Dialogue and communication: durations, turns, words, delays."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import ibis
from ibis import _

from vivavoce.measures.base import MEASURES, Components, Measure, Tables
from vivavoce.measures.words import word_count

SOURCE: Final = "ITU-T Suppl. 24 to P-series (2005), dialogue- and communication-related parameters"
WORD_SOURCE: Final = {"user": "reference", "system": "text"}


def _summed(rows: ibis.Table) -> ibis.Table:
    return rows.group_by("dialogue_id").agg(
        numerator=_.numerator.sum().cast("float64"), denominator=_.denominator.sum().cast("float64")
    )


def _dialogue_duration(tables: Tables) -> ibis.Table:
    known = tables["dialogues"].filter(_.duration_s.notnull())
    return known.select("dialogue_id", numerator=_.duration_s, denominator=ibis.literal(1.0))


def _turn_count(party: str | None) -> Components:
    """Turns of a party, or of both; a dialogue without turns counts 0, not missing."""

    def components(tables: Tables) -> ibis.Table:
        turns = tables["turns"] if party is None else tables["turns"].filter(_.party == party)
        counted = turns.group_by("dialogue_id").agg(turns=_.count())
        joined = tables["dialogues"].select("dialogue_id").left_join(counted, "dialogue_id")
        return joined.select(
            "dialogue_id", numerator=_.turns.coalesce(0).cast("float64"), denominator=ibis.literal(1.0)
        )

    return components


def _words(party: str, *, per_turn: bool) -> Components:
    """Words of a party, per turn or per dialogue; turns whose text is not known are left out."""

    def components(tables: Tables) -> ibis.Table:
        text = WORD_SOURCE[party]
        turns = tables["turns"].filter(_.party == party, _[text].notnull())
        counted = (
            turns.mutate(word_count=word_count(turns[text]))
            .group_by("dialogue_id")
            .agg(numerator=_.word_count.sum().cast("float64"), turns=_.count().cast("float64"))
        )
        whole = _.turns if per_turn else ibis.literal(1.0)
        return counted.select("dialogue_id", "numerator", denominator=whole)

    return components


def _turn_duration(party: str) -> Components:
    def components(tables: Tables) -> ibis.Table:
        timed = tables["turns"].filter(_.party == party, _.onset_s.notnull(), _.offset_s.notnull())
        return _summed(
            timed.select("dialogue_id", numerator=_.offset_s - _.onset_s, denominator=ibis.literal(1.0))
        )

    return components


def _after(tables: Tables, first: str, second: str) -> ibis.Table:
    """Turns of `second` that directly follow a turn of `first`, with that turn's times as `before_*`."""
    turns = tables["turns"]
    order = ibis.window(group_by="dialogue_id", order_by="turn_index")
    names = ("party", "offset_s", "sent_s", "complete_s")
    before: dict[str, Any] = {f"before_{name}": turns[name].lag().over(order) for name in names}
    return turns.mutate(**before).filter(_.party == second, _.before_party == first)


def _system_delays(tables: Tables) -> ibis.Table:
    pairs = _after(tables, "user", "system")
    written = _.first_output_s.coalesce(_.onset_s) - _.before_sent_s
    delay = ibis.ifelse(_.before_sent_s.notnull(), written, _.onset_s - _.before_offset_s)
    return pairs.mutate(numerator=delay).filter(_.numerator.notnull())


def _system_response_delay(tables: Tables) -> ibis.Table:
    delays = _system_delays(tables)
    return _summed(delays.select("dialogue_id", "numerator", denominator=ibis.literal(1.0)))


def _early_responses(tables: Tables) -> ibis.Table:
    delays = _system_delays(tables)
    return _summed(
        delays.select(
            "dialogue_id", numerator=(_.numerator < 0).cast("float64"), denominator=ibis.literal(1.0)
        )
    )


def _system_completion_delay(tables: Tables) -> ibis.Table:
    pairs = _after(tables, "user", "system")
    delays = pairs.mutate(numerator=_.complete_s - _.before_sent_s).filter(_.numerator.notnull())
    return _summed(delays.select("dialogue_id", "numerator", denominator=ibis.literal(1.0)))


def _user_response_delay(tables: Tables) -> ibis.Table:
    pairs = _after(tables, "system", "user").filter(~_.barge_in.coalesce(False))
    written = _.sent_s - _.before_complete_s.coalesce(_.before_offset_s)
    delay = ibis.ifelse(_.sent_s.notnull(), written, _.onset_s - _.before_offset_s)
    # exactly zero: the log has set one time equal to the other, nobody has observed a delay
    delays = pairs.mutate(numerator=delay).filter(_.numerator.notnull() & (_.numerator != 0))
    return _summed(delays.select("dialogue_id", "numerator", denominator=ibis.literal(1.0)))


def _user_first_key_delay(tables: Tables) -> ibis.Table:
    pairs = _after(tables, "system", "user").filter(~_.barge_in.coalesce(False), _.sent_s.notnull())
    began = _.onset_s - _.before_complete_s.coalesce(_.before_offset_s)
    delays = pairs.mutate(numerator=began).filter(_.numerator.notnull())
    return _summed(delays.select("dialogue_id", "numerator", denominator=ibis.literal(1.0)))


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
        empty="a dialogue whose start or end is not known is left out",
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
        "sending to the first output. A system that starts early gives a negative delay, which is kept.",
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
        meaning="Share of the system's answers that begin before the user has ended.",
        unit="ratio",
        origin="instrumental",
        analysis_unit="exchange",
        source="the project's own addition beside SRD, which keeps negative delays",
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


for _found in (*_counts(), *_word_measures(), *_times()):
    MEASURES.add(_found.name, _found)
