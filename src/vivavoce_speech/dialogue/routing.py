"""Which system takes a call, drawn when the call comes: rules over the calls so far.

The calls are counted in the transaction that connects this one, so simultaneous calls see each other.

Source  Jurčíček et al. 2011, section 4.1: the system that its user called least, proposed as future work
"""

from random import Random
from typing import Final

from vivavoce.log.call_events import CallRouted
from vivavoce.log.history import DialogueHistory
from vivavoce.trial.allocation import choose_system
from vivavoce.trial.visits import Draft

_RULES: Final = {
    "least-called-by-caller": "least-used-by-participant",  # the same rule, over calls from one number
    "random": "random",
    "balanced": "balanced",
}


def route(draft: Draft, dialogue: DialogueHistory, caller: str | None) -> None:
    """Draw the system of a dialogue whose call has come, where the study routes calls.

    Whoever withholds their number is counted as the participant that the visit is of. A call that goes on
    with a dialogue after a restart stays with its system.
    """
    study, state, tx = draft.rules.study, draft.state, draft.tx
    routing = study.telephone.routing if study.telephone is not None else None
    if routing is None or not dialogue.awaits_call:
        return
    if caller is not None:
        by, who = "caller", caller
        mine = tx.call_counts(study.name, caller=caller)
    else:
        by, who = "participant", state.participant_id
        mine = tx.call_counts(study.name, participant_id=who)
    all_ = tx.call_counts(study.name)
    name = f"{who}:{sum(mine.values())}"
    seeded = routing.seed is not None
    chance = Random(f"{routing.seed}:{name}") if seeded else draft.rules.chance(f"call:{name}")
    resting = draft.rules.suspended()
    systems = [system for system in study.systems if system not in resting] or list(study.systems)
    system = choose_system(_RULES[routing.rule], systems, mine, all_, chance)
    draft.add(
        CallRouted(
            dialogue_id=dialogue.dialogue_id, system=system, condition=study.condition(system),
            factors=dict(study.factors.get(system, {})), rule=routing.rule, counted_by=by,
            calls_before=mine,
        )
    )  # fmt: skip
