"""Where a bout stands by what its two sides have said, failed and been judged on; who meets whom."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

from scenes.histories import assigned, dialogue_of
from vivavoce.log.arena_events import BoutAssigned, VoteCast
from vivavoce.log.event import Event
from vivavoce.log.events import (
    LoggedMessage,
    NoAnswer,
    SystemTurnFailed,
    SystemTurnReceived,
    UserTurnSent,
)
from vivavoce.log.history import BoutVote, DialogueHistory
from vivavoce.log.models import StoredEvent
from vivavoce.trial.arena import BoutState, opponents

START = datetime(2026, 1, 1, tzinfo=UTC)
BOUT = BoutAssigned(
    bout_id="b",
    step=0,
    round=0,
    left_dialogue_id="l",
    right_dialogue_id="r",
    left_system="a",
    right_system="b",
)


def side(key: str, told: str, late: int = 0) -> DialogueHistory:
    """g: greets, u: the user says something, a: answers, e: answers and hangs up, f: fails, s: is silent."""
    happened: list[Event] = [assigned(key)]
    for index, letter in enumerate(told):
        reply_to = None if letter == "g" or not index else index - 1
        turn = {"dialogue_id": key, "turn_index": index}
        happened.append(
            {
                "u": UserTurnSent(**turn, text="hello"),
                "f": SystemTurnFailed(dialogue_id=key, reply_to=reply_to, failure="timeout", detail="x"),
                "s": NoAnswer(dialogue_id=key, reply_to=reply_to),
            }.get(letter)
            or SystemTurnReceived(
                **turn, reply_to=reply_to, messages=[LoggedMessage(text="hi")], ends_dialogue=letter == "e"
            )
        )
    return dialogue_of(
        StoredEvent(f"{key}{seq}", "v", 2 * seq + late, START, 0.0, "b", event)
        for seq, event in enumerate(happened, 1)
    )


def bout(left: str, right: str, votes: Sequence[int] = ()) -> BoutState:
    cast = [
        VoteCast(
            bout_id="b",
            exchange=exchange,
            choice="left",
            left_turn_index=0,
            right_turn_index=0,
            response_s=1.0,
            leaks=[],
        )
        for exchange in votes
    ]
    voted = tuple(BoutVote(one, START) for one in cast)
    return BoutState(BOUT, voted, side("l", left), side("r", right, late=1))


def test_a_bout_stands_where_both_sides_and_the_votes_are() -> None:
    for left, right, votes, settled, due, may_finish, over in [
        ("", "", (), False, False, False, None),
        ("g", "", (), False, False, False, None),
        ("g", "g", (), True, False, False, None),
        ("s", "g", (), True, False, False, None),
        ("gu", "gu", (), False, False, False, None),
        ("gua", "gu", (), False, False, False, None),
        ("gua", "gua", (), True, True, False, None),
        ("gua", "gua", (1,), True, False, True, None),
        ("guaua", "guaua", (1,), True, True, False, None),
        ("guaua", "guaua", (1, 2), True, False, True, "limit"),
        ("guaua", "guaua", (2,), True, False, True, "limit"),
        ("guauaua", "guauaua", (1, 2, 3), True, False, True, "limit"),
        ("guf", "gua", (), True, False, True, None),  # there is nothing to judge
        ("gua", "guf", (), True, False, True, None),
        ("gus", "gua", (), True, False, False, None),
        ("gufuf", "guaua", (), True, False, True, "limit"),
        ("fufuf", "guaua", (), True, False, True, "failure"),
        ("guaua", "fufuf", (), True, False, True, "failure"),
        ("gue", "gua", (), True, True, False, None),  # the vote comes first
        ("gue", "gua", (1,), True, False, True, "system"),
        ("gua", "gue", (1,), True, False, True, "system"),
        ("e", "g", (), True, False, False, "system"),
    ]:
        state = bout(left, right, votes)
        assert (state.settled, state.vote_due, state.may_finish) == (settled, due, may_finish)
        assert state.over(turns=2) == over


def test_the_answer_that_arrived_last_is_of_either_side() -> None:
    found = bout("gua", "gu").answered
    assert found is not None and found.event_id == "l4"
    found = bout("gua", "gua").answered
    assert found is not None and found.event_id == "r4"
    assert bout("u", "u").answered is None


def test_those_meet_who_met_least_each_on_the_side_where_it_stood_less() -> None:
    for met, by_person, pair in [
        ({"ab": 1}, {}, {"ac", "ca", "bc", "cb"}),
        ({"ba": 1}, {}, {"ac", "ca", "bc", "cb"}),
        ({"ab": 1, "ac": 1}, {}, {"bc", "cb"}),
        ({"ab": 9, "bc": 1}, {"ac": 1, "cb": 1}, {"ba"}),  # what this person saw weighs more
        ({"ab": 1, "ba": 1, "ac": 9, "bc": 9}, {}, {"ab", "ba"}),  # each side as often: drawn
        ({"ab": 2, "ba": 1, "ac": 9, "bc": 9}, {}, {"ba"}),
        ({"ab": 1, "ba": 2, "ac": 9, "bc": 9}, {}, {"ab"}),
    ]:
        counts = [Counter({(one[0], one[1]): n for one, n in many.items()}) for many in (met, by_person)]
        found = {"".join(opponents(["a", "b", "c"], *counts, Random(seed))) for seed in range(40)}
        assert found == pair
