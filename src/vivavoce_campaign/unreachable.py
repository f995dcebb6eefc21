"""Why goals were not reached: what the system said last in such dialogues, and what it asked again."""

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
    meant, turns = intents_assigned(dataset), turns_of(dataset)
    held: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in dataset.read("dialogues").to_pylist():
        if row["dialogue_id"] in reached:
            held[meant.get(row["dialogue_id"], ""), row["language"]].append(row)
    found = list[Unreached]()
    for (intent_id, language), rows in held.items():
        missed = [row for row in rows if not reached[row["dialogue_id"]]]
        if missed:
            said = [turns[row["dialogue_id"]] for row in missed]
            found.append(
                Unreached(
                    intent_id=intent_id,
                    language=language,
                    dialogues=len(rows),
                    missed=len(missed),
                    failed=sum(row["end_reason"] == "failure" for row in missed),
                    last=Counter(text for one in said if (text := _last(one, language))).most_common(),
                    again=Counter(text for one in said for text in _asked_again(one, language)).most_common(),
                )
            )
    return sorted(found, key=lambda one: -one.missed)


def turns_of(dataset: Dataset) -> dict[str, list[Turn]]:
    """The turns of each dialogue, in their order."""
    found: dict[str, list[Turn]] = defaultdict(list)
    for row in dataset.read("turns").to_pylist():
        found[row["dialogue_id"]].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: row["turn_index"])
    return found


def _last(turns: Sequence[Mapping[str, Any]], language: str) -> str:
    """What the system said last before the user took leave."""
    leave = (
        at
        for at, one in enumerate(turns)
        if one["party"] == "user" and is_farewell(one["text"] or "", language)
    )
    before = turns[: next(leave, len(turns))]
    said = [one["text"] or "" for one in before if one["party"] == "system"]
    return " ".join(said[-1].split()) if said else ""


def _asked_again(turns: Sequence[Mapping[str, Any]], language: str) -> list[str]:
    """Questions that were put more than once to one request: who begins anew is asked everything anew."""
    first, asked, found = frozenset[str](), Counter[str](), dict[str, None]()
    for turn in turns:
        if turn["party"] == "user":
            told = content_of(turn["text"] or "", language)
            if told and told == first:
                asked.clear()
            first = first or told
            continue
        asked.update({" ".join(each.split()) for each in QUESTION.findall(turn["text"] or "")})
        found |= dict.fromkeys(text for text, n in asked.items() if n >= AGAIN and text.strip(" ?"))
    return list(found)
