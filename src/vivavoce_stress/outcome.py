"""Whether a replayed dialogue reached its task's goal: the last venue offered, and what was told of it.

The same yardstick for clean and variant replays, so only their difference matters.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from vivavoce.log.events import LoggedAct
from vivavoce.simulation.system_acts import acts_in_text, heed
from vivavoce.study.ontology import Ontology, Venue, meets
from vivavoce.study.task import Task


def goal_met(turns: Sequence[Mapping[str, Any]], task: Task | None, ontology: Ontology | None) -> bool | None:
    """Whether the goal, or the task's alternative where there is one, was reached.

    Input   turns: party, text, acts (null for a system that tells none)
    Empty   no task or no ontology: None
    """
    if task is None or ontology is None:
        return None
    venue, told = _last_offer(turns, task, ontology)
    if venue is None or venue.type != task.type:
        return False
    answered = all(
        slot in told and ontology.gives(venue, slot, told[slot]) for slot in _known(task, ontology)
    )
    goals = [task.constraints, *([task.alternative.constraints] if task.alternative else [])]
    return answered and any(_fits(venue, goal) for goal in goals)


def _last_offer(
    turns: Sequence[Mapping[str, Any]], task: Task, ontology: Ontology
) -> tuple[Venue | None, dict[str, str]]:
    """The venue spoken of last, and what was told of it since it was first named."""
    by_name = {venue.name: venue for venue in ontology.venues}
    name, told = None, dict[str, str]()
    for turn in turns:
        if turn["party"] != "system":
            continue
        acts = turn.get("acts")
        known = (
            acts_in_text(turn["text"], ontology, task.requests)
            if acts is None
            else [LoggedAct.model_validate(act) for act in acts]
        )
        heard = heed(known)
        if heard.venue is not None and heard.venue != name:
            name, told = heard.venue, {}
        told |= heard.told
    return by_name.get(name or ""), told


def _known(task: Task, ontology: Ontology) -> list[str]:
    return [slot for slot in task.requests if slot in ontology.slots]


def _fits(venue: Venue, constraints: Mapping[str, str]) -> bool:
    return all(meets(venue.slots.get(slot), value) for slot, value in constraints.items())
