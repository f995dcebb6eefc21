"""What simulated callers of a log were given and said, told so that two runs can be compared."""

from pathlib import Path
from typing import Any

from scenes.log_counts import study_names
from vivavoce.log.store import Log

ANEW = ("_id", "_s", "code", "conversation", "entered")  # how fields end that are new each time


def told_by_caller(study: Path) -> list[list[dict[str, Any]]]:
    """The events of each visit, by caller, without names and times."""
    found: dict[str, list[dict[str, Any]]] = {}
    with Log.open(f"sqlite:///{study / 'log.sqlite'}") as log:
        for name in study_names(log):
            for visit in log.visits(name):
                facts = [one.event.model_dump(mode="json") for one in log.events(visit.visit_id)]
                found[visit.participant_id.rpartition("-")[2]] = [
                    {key: value for key, value in one.items() if key == "task_id" or not key.endswith(ANEW)}
                    for one in facts
                ]
    return [found[one] for one in sorted(found)]
