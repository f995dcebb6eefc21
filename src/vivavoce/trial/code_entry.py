"""What an earned code that was typed in is worth."""

from datetime import datetime

from vivavoce.log import events as log_events
from vivavoce.trial.dialogue_state import DialogueState
from vivavoce.trial.visits import Draft


def judged_code(
    draft: Draft, dialogue: DialogueState, digits: str, since: datetime, attempts: int
) -> log_events.CodeEntered:
    """The verdict on a code, in the transaction that uses it up; after too many wrong ones it is unread."""
    if sum(at > since for at in draft.state.wrong_codes) >= attempts:
        return log_events.CodeEntered(entered=digits, accepted=False, problem="too_many")
    found = draft.tx.find_code(digits)
    problem = None
    if found is None:
        problem = "unknown"
    elif found.visit_id != draft.state.visit_id:
        problem = "other_visit"
    elif found.dialogue_id != dialogue.dialogue_id or not draft.tx.use_code(digits):
        problem = "reused"
    return log_events.CodeEntered(
        entered=digits, accepted=problem is None, problem=problem,
        dialogue_id=dialogue.dialogue_id if problem is None else None,
    )  # fmt: skip
