"""The times of a system turn: what a connector waited for more is no time of the system's."""

from vivavoce.connectors.base import SystemOutput
from vivavoce.trial.outputs import SystemTurn


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
