"""The times of a system turn: what a connector waited for more is no time of the system's."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from vivavoce.connectors.base import Act, Audio, Choice, ModelUsage, Retrieval, SystemOutput, ToolCall
from vivavoce.log.recordings import RecordingFolder
from vivavoce.trial.outputs import SystemTurn, gather
from vivavoce.trial.system_audio import SystemAudio


def turn_held_for(held_s: float) -> SystemTurn:
    turn = SystemTurn()
    turn.take(SystemOutput(kind="message", text="hello"), 2.0)
    turn.take(SystemOutput(kind="extras", held_s=held_s), 5.0)
    turn.close(5.0)
    return turn


def test_a_wait_for_more_is_not_counted() -> None:
    assert turn_held_for(2.5).complete_s == 2.5


def test_no_turn_is_complete_before_its_first_output() -> None:
    turn = turn_held_for(3.25)  # counted from a quarter of a second before we saw the message
    assert turn.complete_s == turn.first_output_s == 2.0


def turn_of(*arrived: tuple[float, SystemOutput], closed_s: float = 9.0) -> SystemTurn:
    turn = SystemTurn()
    for at_s, output in arrived:
        turn.take(output, at_s)
    turn.close(closed_s)
    return turn


def message(text: str = "hi", **more: Any) -> SystemOutput:
    return SystemOutput(kind="message", text=text, **more)


def test_a_turn_is_timed_from_its_first_output_to_its_end_less_what_was_waited() -> None:
    for arrived, first_s, complete_s in [
        ([], None, 9.0),
        ([(1.0, SystemOutput(kind="extras"))], None, 9.0),
        ([(1.0, SystemOutput(kind="sent")), (2.0, SystemOutput(kind="delta", text="h"))], 2.0, 9.0),
        ([(2.0, SystemOutput(kind="delta", text="h")), (3.0, message())], 2.0, 9.0),
        ([(3.0, message(held_s=0.5))], 2.5, 8.5),
        ([(3.0, message()), (4.0, SystemOutput(kind="extras", held_s=2.0))], 3.0, 7.0),
        ([(8.5, message()), (9.0, SystemOutput(kind="extras", held_s=2.0))], 8.5, 8.5),
    ]:
        turn = turn_of(*arrived)
        assert (turn.first_output_s, turn.complete_s) == (first_s, complete_s)


def test_a_turn_of_the_users_was_sent_when_the_connector_says_so() -> None:
    assert turn_of((1.0, SystemOutput(kind="sent")), (2.0, message())).sent_s == 1.0
    assert turn_of((2.0, message())).sent_s is None


def test_pieces_become_a_message_where_none_closes_them() -> None:
    pieces = [(1.0, SystemOutput(kind="delta", text=text)) for text in ("a", "b")]
    assert [one.text for one in turn_of(*pieces).messages] == ["ab"]
    assert [one.text for one in turn_of(*pieces, (2.0, message("ab"))).messages] == ["ab"]
    late = (3.0, SystemOutput(kind="delta", text="c"))
    assert [one.text for one in turn_of(*pieces, (2.0, message("ab")), late).messages] == ["ab", "c"]


def test_a_turn_that_shows_nothing_is_silent() -> None:
    for output, silent in [
        (message(""), True),
        (message("hi"), False),
        (message("", images=("https://b/p.png",)), False),
        (message("", choices=(Choice("Yes", "y"),)), False),
        (SystemOutput(kind="end"), True),
        (SystemOutput(kind="delta", text="h"), False),
    ]:
        turn = turn_of((1.0, output))
        assert turn.silent is silent and turn.ends_dialogue is (output.kind == "end")


def test_speech_is_counted_by_its_samples_and_acts_of_several_outputs_are_one_turns() -> None:
    half = SystemOutput(kind="audio", audio=Audio(b"\0\0" * 4_000, 8_000))
    offer, inform = Act("offer", "name", "Om"), Act("inform", "area", "north")
    turn = turn_of(
        (1.0, half),
        (2.0, half),
        (3.0, message(acts=(offer,))),
        (4.0, SystemOutput(kind="extras", acts=(inform,), raw={})),
    )
    assert turn.spoken_s == 1.0 and [act.act for act in turn.acts or ()] == ["offer", "inform"]
    assert turn.raw == [{}] and turn.agent is None and turn_of((1.0, message())).acts is None


def call(**told: Any) -> SystemOutput:
    return SystemOutput(kind="extras", tools=(ToolCall(**told),))


def test_a_call_lasts_from_when_it_was_told_to_its_result_where_both_were_seen() -> None:
    for calls, started_s, duration_s in [
        ([call(key="k", name="f", live=True), call(key="k", result="x", live=True)], 1.0, 1.0),
        ([call(key="k", name="f", live=True), call(key="k", error="x", live=True)], 1.0, 1.0),
        ([call(key="k", name="f", live=True), call(key="k", arguments="x", live=True)], 1.0, None),
        ([call(key="k", name="f"), call(key="k", result="x", live=True)], None, None),
        ([call(key="k", name="f", live=True), call(key="k", result="x")], 1.0, None),
        (
            [call(key="k", name="f", live=True), call(key="k", result="x", duration_s=0.25, live=True)],
            1.0,
            0.25,
        ),
        ([call(key="k", name="f", result="x", live=True)], 1.0, None),
    ]:
        agent = turn_of(*((float(at), one) for at, one in enumerate(calls, 1))).agent
        assert agent is not None and agent.tools is not None
        (one,) = agent.tools
        assert (one.started_s, one.duration_s) == (started_s, duration_s)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (SystemOutput(kind="extras", tools=()), (0, 0, 0)),
        (SystemOutput(kind="extras", usage=(ModelUsage(model="m"),)), (None, 1, 0)),
        (SystemOutput(kind="extras", retrievals=(Retrieval(rank=0),)), (None, 0, 1)),
    ],
)
def test_what_an_agent_did_is_told_where_anything_is_said_of_it(output: SystemOutput, told: tuple) -> None:
    agent = turn_of((1.0, output)).agent
    assert agent is not None
    tools = None if agent.tools is None else len(agent.tools)
    assert (tools, len(agent.usage), len(agent.retrievals)) == told


def test_arguments_grow_where_a_piece_says_that_it_is_more() -> None:
    for pieces, arguments in [
        ([{"arguments": "{"}, {"arguments": "}", "more": True}], "{}"),
        ([{"arguments": "{"}, {"arguments": "[]"}], "[]"),
        ([{"name": "f"}, {"arguments": "{}", "more": True}], "{}"),
        ([{"arguments": "{}"}, {"more": True}], "{}"),
        ([{"arguments": "{}"}, {"result": "x"}], "{}"),
        ([{"name": "f"}, {"more": True}], ""),
    ]:
        agent = turn_of(*((1.0, call(key="k", **one)) for one in pieces)).agent
        assert agent is not None and agent.tools is not None
        assert [one.arguments for one in agent.tools] == [arguments]


@pytest.mark.parametrize("listened", [True, False])
def test_what_a_system_speaks_goes_to_whoever_listens(tmp_path: Path, listened: bool) -> None:
    async def spoken() -> AsyncIterator[SystemOutput]:
        yield SystemOutput(kind="extras")
        yield SystemOutput(kind="audio", audio=Audio(b"\1\0\2\0", 8_000))
        yield message()

    async def run() -> SystemTurn:
        turn = SystemTurn(sound=SystemAudio(RecordingFolder(tmp_path / "recordings")) if listened else None)
        await gather(spoken(), lambda: 1.0, turn)
        if turn.sound is not None:
            await turn.sound.close()
        return turn

    turn = asyncio.run(run())
    heard = turn.sound.so_far if turn.sound is not None else None
    assert (heard.samples.tolist() if heard is not None else None) == ([1, 2] if listened else None)
    assert turn.spoken_s == 2 / 8_000 and [one.text for one in turn.messages] == ["hi"]


@pytest.mark.parametrize("streams", [True, False])
def test_markup_for_a_synthesiser_is_kept_beside_the_words_whatever_the_connector(streams: bool) -> None:
    marked = "<speak>One &amp; two.<break time='2s'/></speak>"
    turn = SystemTurn()
    turn.take(SystemOutput(kind="delta" if streams else "message", text=marked), 1.0)
    turn.close(2.0)
    assert [(one.text, one.ssml) for one in turn.messages] == [("One & two.", marked)]
