"""Goals reached in a campaign's dialogues, as far as their log tells.

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
    """Assigned goals reached, by dialogue: True or False.

    By words: some turn of the system after the user's first has those of `done`, and does not name another
    value of an entity in place of the one that the task gave; nor did the last summary before it.
    Empty  a dialogue of which this is not known is not there: no venues, and no `done` of its intent
    """
    scored = {key: bool(outcome.score()) for key, outcome in outcomes(dataset).assigned.items()}
    return _by_words(dataset, submission) | scored


def goal_in_words(
    submission: Submission, intent_id: str, task_values: Mapping[str, str], language: str
) -> GoalInWords | None:
    """Words of this language that confirm an intent with a task's values, by entity.

    Empty  no such intent, or its team did not say by which words: None
    """
    spoken = language.split("-")[0]
    intent = next((candidate for candidate in submission.intents if candidate.intent_id == intent_id), None)
    done = intent.done_in(spoken) if intent else None
    if intent is None or done is None:
        return None
    mine = [entity for entity in submission.entities if entity.entity_id in submission.entities_of(intent)]
    values = [_given(entity, task_values.get(entity.entity_id), spoken) for entity in mine]
    return GoalInWords(done=done, given=tuple(value for value in values if value is not None))


def _given(entity: Entity, value: str | None, language: str) -> GivenValue | None:
    """The value of an entity as users of this language say it; None where the task gave no known one."""
    names = {
        in_language(value_names, language): [value_names]
        if isinstance(value_names, str)
        else list(value_names.values())
        for value_names in entity.values
    }
    name_in_language = next((word for word, keys in names.items() if value in keys), None)
    if name_in_language is None:
        return None
    other_names = tuple(word for word in names if word != name_in_language)
    counted = numbers(name_in_language, language)
    number = next(iter(counted)) if counted.total() == 1 else None
    return GivenValue(
        own=name_in_language, others=other_names, name=in_language(entity.text, language), number=number
    )


def _by_words(dataset: Dataset, submission: Submission) -> dict[str, bool]:
    assigned, values, turns = intents_assigned(dataset), _values(dataset), turns_of(dataset)
    reached: dict[str, bool] = {}
    for row in dataset.read("dialogues").to_pylist():
        key = row["dialogue_id"]
        goal = goal_in_words(submission, assigned.get(key, ""), values[key], row["language"])
        if goal is not None:
            reached[key] = goal.told_in(turns[key]) is not None
    return reached


def _values(dataset: Dataset) -> dict[str, dict[str, str]]:
    values_of: dict[str, dict[str, str]] = defaultdict(dict)
    for row in dataset.read("goals").to_pylist():
        if row["origin"] == "assigned" and row["kind"] == "constraint" and row["goal_index"] == 0:
            values_of[row["dialogue_id"]][row["slot"]] = row["value"]
    return values_of
