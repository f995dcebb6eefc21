"""Measures to compare populations on, beside success: word errors, time, and calls per person.

All of it is one family with the success rates, so that who looks at many figures of two populations invents
no difference. How long programs take is left out.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import numpy as np

from vivavoce.measures.compute import Group, Sums

CALLS: Final = "dialogues_per_participant"
DURATION: Final = "dialogue_duration"
FURTHER: Final = ("word_error_rate", DURATION, CALLS)


def with_calls(parts: Sums, all_groups: Sequence[Group]) -> Sums:
    """The components with one more measure: dialogues held over participants, of groups of whole people.

    Output  `CALLS` counts all that a participant held at their first dialogue, and nothing at the others
    Empty   a dialogue of an unknown participant has no case
    Note    people must each be of one group, as they are of one population
    """
    people = {
        dialogue: person
        for group in all_groups
        for dialogue, person in zip(group.dialogue_ids, group.participants, strict=True)
    }
    calls_of = Counter(person for person in people.values() if person is not None)
    first: dict[str, str] = {}
    for dialogue in sorted(people):
        if (person := people[dialogue]) is not None:
            first.setdefault(person, dialogue)
    counted = {dialogue: calls_of[person] for person, dialogue in first.items()}
    tops = np.array([float(counted.get(dialogue_id, 0)) for dialogue_id in parts.dialogue_ids])
    bottoms = np.array([float(dialogue_id in counted) for dialogue_id in parts.dialogue_ids])
    return parts._replace(
        measures=[*parts.measures, CALLS],
        numerators=np.vstack([parts.numerators, tops]),
        denominators=np.vstack([parts.denominators, bottoms]),
    )
