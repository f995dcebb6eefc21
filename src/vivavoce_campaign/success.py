"""Whether the dialogues of a campaign reached their goals, as far as their log tells.

Where the dataset has venues and the system's acts, they are scored as in every other study. Of a black box
there are only words: those by which, as its team says (`done`), it tells that an intent is done.
"""

from collections import defaultdict
from collections.abc import Mapping

from vivavoce.analysis.idial import intents_assigned
from vivavoce.dataset.reader import Dataset
from vivavoce.measures.success import outcomes
from vivavoce_campaign.submission_file import Entity, Submission, in_language
from vivavoce_campaign.unreachable import turns_of
from vivavoce_stress.goal import GivenValue, GoalInWords
from vivavoce_stress.heuristics import numbers


def goals_reached(dataset: Dataset, submission: Submission) -> dict[str, bool]:
    """Whether the assigned goal was reached, by dialogue.

    By words: some turn of the system after the user's first has those of `done`, and does not name another
    value of an entity in place of the one that the task gave; nor did the last summary before it.
    Empty  a dialogue of which this is not known is not there: no venues, and no `done` of its intent
    """
    scored = {key: bool(one.score()) for key, one in outcomes(dataset).assigned.items()}
    return _by_words(dataset, submission) | scored


def goal_in_words(
    submission: Submission, intent_id: str, given: Mapping[str, str], language: str
) -> GoalInWords | None:
    """What tells in this language that an intent is done with the values that a task gave, by entity.

    Empty  no such intent, or its team did not say by which words: None
    """
    spoken = language.split("-")[0]
    intent = next((one for one in submission.intents if one.intent_id == intent_id), None)
    done = intent.done_in(spoken) if intent else None
    if intent is None or done is None:
        return None
    mine = [entity for entity in submission.entities if entity.entity_id in submission.entities_of(intent)]
    values = [_given(one, given.get(one.entity_id), spoken) for one in mine]
    return GoalInWords(done=done, given=tuple(value for value in values if value is not None))


def _given(entity: Entity, value: str | None, language: str) -> GivenValue | None:
    """The value of an entity as users of this language say it; None where the task gave no known one."""
    said = {
        in_language(one, language): [one] if isinstance(one, str) else list(one.values())
        for one in entity.values
    }
    own = next((word for word, keys in said.items() if value in keys), None)
    if own is None:
        return None
    others = tuple(word for word in said if word != own)
    counted = numbers(own, language)
    number = next(iter(counted)) if counted.total() == 1 else None
    return GivenValue(own=own, others=others, name=in_language(entity.text, language), number=number)


def _by_words(dataset: Dataset, submission: Submission) -> dict[str, bool]:
    meant, values, turns = intents_assigned(dataset), _values(dataset), turns_of(dataset)
    found: dict[str, bool] = {}
    for row in dataset.read("dialogues").to_pylist():
        key = row["dialogue_id"]
        goal = goal_in_words(submission, meant.get(key, ""), values[key], row["language"])
        if goal is not None:
            found[key] = goal.told_in(turns[key]) is not None
    return found


def _values(dataset: Dataset) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in dataset.read("goals").to_pylist():
        if row["origin"] == "assigned" and row["kind"] == "constraint" and row["goal_index"] == 0:
            found[row["dialogue_id"]][row["slot"]] = row["value"]
    return found
