"""Events of the arena: two anonymous systems answer the same messages side by side, and a person votes.

What is said stands in the two dialogues of a bout, as in any other dialogue.
"""

from typing import Literal

from vivavoce.log.event import Event

Side = Literal["left", "right"]
Vote = Literal["left", "right", "tie", "both_bad"]


class BoutAssigned(Event):
    """Two systems meet; their dialogues are assigned in the same transaction.

    systems  of the left and of the right dialogue; participants never learn them
    """

    kind = "bout_assigned"
    bout_id: str
    step: int
    round: int
    left_dialogue_id: str
    right_dialogue_id: str
    left_system: str
    right_system: str


class VoteCast(Event):
    """One exchange was judged.

    exchange    1-based number of the user's message in the bout
    response_s  seconds since both answers were there
    leaks       sides whose answer named a system; it was masked on the page and stands raw in the turn
    """

    kind = "vote_cast"
    bout_id: str
    exchange: int
    choice: Vote
    left_turn_index: int
    right_turn_index: int
    response_s: float
    leaks: list[Side] = []


class BoutEnded(Event):
    """The end of a bout; both dialogues are over.

    reason  user; system (one of them ended it), limit, failure, abandoned
    """

    kind = "bout_ended"
    bout_id: str
    step: int
    reason: Literal["user", "system", "limit", "failure", "abandoned"]
    votes: int
