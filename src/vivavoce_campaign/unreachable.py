"""Reasons for unreached goals: the system's last messages, and its repeated questions."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from vivavoce.analysis.idial import intents_assigned
from vivavoce.dataset.reader import Dataset
from vivavoce_stress.content_words import content_of
from vivavoce_stress.courtesies import is_farewell

Turn = Mapping[str, Any]  # party, text
QUESTION: Final = re.compile(r"[^.!?\n]*\?")
AGAIN: Final = 2  # times that a question is put before it counts as asked again


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """The dialogues about one intent in one language that did not reach their goal.

    failed  of these `missed`, those that ended because the system failed
    last    what the system said last, with in how many of them
    again   questions that it put more than once to one request, with in how many of them
    """

    intent_id: str
    language: str
    dialogues: int
    missed: int
    failed: int
    last: list[tuple[str, int]]
    again: list[tuple[str, int]]


def unreached(dataset: Dataset, reached: Mapping[str, bool]) -> list[Unreached]:
    """By intent and language, most missed first. Empty  all goals were reached, or none is known: []"""
    assigned, turns = intents_assigned(dataset), turns_of(dataset)
    by_intent: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in dataset.read("dialogues").to_pylist():
        if row["dialogue_id"] in reached:
            by_intent[assigned.get(row["dialogue_id"], ""), row["language"]].append(row)
    unreached_goals = list[Unreached]()
    for (intent_id, language), rows in by_intent.items():
        missed = [row for row in rows if not reached[row["dialogue_id"]]]
        if missed:
            dialogues = [turns[row["dialogue_id"]] for row in missed]
            unreached_goals.append(
                Unreached(
                    intent_id=intent_id,
                    language=language,
                    dialogues=len(rows),
                    missed=len(missed),
                    failed=sum(row["end_reason"] == "failure" for row in missed),
                    last=Counter(
                        text for dialogue in dialogues if (text := _last(dialogue, language))
                    ).most_common(),
                    again=Counter(
                        text for dialogue in dialogues for text in _asked_again(dialogue, language)
                    ).most_common(),
                )
            )
    return sorted(unreached_goals, key=lambda goal: -goal.missed)


def turns_of(dataset: Dataset) -> dict[str, list[Turn]]:
    """The turns of each dialogue, in their order."""
    by_dialogue: dict[str, list[Turn]] = defaultdict(list)
    for row in dataset.read("turns").to_pylist():
        by_dialogue[row["dialogue_id"]].append(row)
    for rows in by_dialogue.values():
        rows.sort(key=lambda row: row["turn_index"])
    return by_dialogue


def _last(turns: Sequence[Mapping[str, Any]], language: str) -> str:
    """Last system message before the user's farewell."""
    leave = (
        at
        for at, turn in enumerate(turns)
        if turn["party"] == "user" and is_farewell(turn["text"] or "", language)
    )
    before = turns[: next(leave, len(turns))]
    system_texts = [turn["text"] or "" for turn in before if turn["party"] == "system"]
    return " ".join(system_texts[-1].split()) if system_texts else ""


def _asked_again(turns: Sequence[Mapping[str, Any]], language: str) -> list[str]:
    """Questions that were put more than once to one request: who begins anew is asked everything anew."""
    first, questions, repeated = frozenset[str](), Counter[str](), dict[str, None]()
    for turn in turns:
        if turn["party"] == "user":
            content = content_of(turn["text"] or "", language)
            if content and content == first:
                questions.clear()
            first = first or content
            continue
        questions.update({" ".join(question.split()) for question in QUESTION.findall(turn["text"] or "")})
        repeated |= dict.fromkeys(text for text, n in questions.items() if n >= AGAIN and text.strip(" ?"))
    return list(repeated)
