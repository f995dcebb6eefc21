"""Rows of the dataset's table `looks`: what the stopping rule saw while the trial ran."""

from collections.abc import Iterable, Iterator

from vivavoce.log.dialogue_rows import Row
from vivavoce.log.events import LookTaken
from vivavoce.log.models import StoredEvent


def look_rows(trial: Iterable[StoredEvent], study: str) -> Iterator[Row]:
    """One row for each look and pair of systems, in the order of the looks.

    Empty  the study has no rule that is watched, or no look was due yet
    """
    for stored in trial:
        look = stored.event
        if not isinstance(look, LookTaken) or look.study != study:
            continue
        same = look.model_dump(include={"rule", "measure", "participants", "information", "stop"})
        for verdict in look.verdicts:
            pair = verdict.model_dump(exclude={"stop", "why"})
            yield {
                **same, **pair, "look_number": look.number, "looks_planned": look.of, "verdict": verdict.stop,
                "taken_at": stored.at,
            }  # fmt: skip
