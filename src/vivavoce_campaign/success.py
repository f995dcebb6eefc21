"""Whether the dialogues of a campaign reached their goals, as far as their log tells.

Where the dataset has venues and the system's acts, they are scored as in every other study. Of a black box
there are only words: those by which, as its team says (`done`), it tells that an intent is done.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from vivavoce.log.dataset import Dataset
from vivavoce.measures.success import outcomes
from vivavoce.stats.idial import intents_assigned
from vivavoce_campaign.submission_file import Intent, Submission, in_language

Told = Mapping[str, str]  # the value that a task gives, by entity


def goals_reached(dataset: Dataset, submission: Submission) -> dict[str, bool]:
    """Whether the assigned goal was reached, by dialogue.

    By words: some turn of the system after the user's first has those of `done`, and does not name another
    value of an entity in place of the one that the task gave.
    Empty  a dialogue of which this is not known is not there: no venues, and no `done` of its intent
    """
    scored = {key: bool(one.score()) for key, one in outcomes(dataset).assigned.items()}
    return _by_words(dataset, submission) | scored


def _by_words(dataset: Dataset, submission: Submission) -> dict[str, bool]:
    known = {one.intent_id: one for one in submission.intents}
    meant, values, said = intents_assigned(dataset), _values(dataset), _answers(dataset)
    found: dict[str, bool] = {}
    for row in dataset.read("dialogues").to_pylist():
        key, language = row["dialogue_id"], row["language"].split("-")[0]
        intent = known.get(meant.get(key, ""))
        done = intent.done_in(language) if intent else None
        if intent is None or done is None:
            continue
        told = [text for text in said[key] if re.search(done, text, re.IGNORECASE)]
        found[key] = any(not _another(text, intent, submission, values[key], language) for text in told)
    return found


def _another(text: str, intent: Intent, submission: Submission, given: Told, language: str) -> bool:
    """Whether a text names a value that the task did not give in place of the one that it gave."""
    wanted, others = dict[str, str](), dict[str, set[str]]()
    for entity in submission.entities:
        if entity.entity_id in submission.entities_of(intent) and entity.entity_id in given:
            words = [in_language(value, language) for value in entity.values]
            keys = [[value] if isinstance(value, str) else list(value.values()) for value in entity.values]
            both = zip(words, keys, strict=True)
            mine = [word for word, key in both if given[entity.entity_id] in key]
            if mine:
                wanted[entity.entity_id], others[entity.entity_id] = mine[0], set(words)
    allowed = set(wanted.values())
    return any(
        not _named([word], text) and _named(others[name] - allowed, text) for name, word in wanted.items()
    )


def _named(names: Iterable[str], text: str) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def _values(dataset: Dataset) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for row in dataset.read("goals").to_pylist():
        if row["origin"] == "assigned" and row["kind"] == "constraint" and row["goal_index"] == 0:
            found[row["dialogue_id"]][row["slot"]] = row["value"]
    return found


def _answers(dataset: Dataset) -> dict[str, list[str]]:
    """What the system said after the user's first turn, by dialogue."""
    turns: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in dataset.read("turns").to_pylist():
        turns[row["dialogue_id"]].append(row)
    found: dict[str, list[str]] = defaultdict(list)
    for key, rows in turns.items():
        rows.sort(key=lambda row: row["turn_index"])
        first = next((at for at, row in enumerate(rows) if row["party"] == "user"), len(rows))
        found[key] = [row["text"] or "" for row in rows[first:] if row["party"] == "system"]
    return found
