"""Calls as the habits of their callers are read from them: words, what was meant, what the system did."""

from dataclasses import dataclass, field
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.core.text import normalise_value, words
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.vocabulary import DONTCARE
from vivavoce.measures.compute import components

_UNHELPFUL: Final = ("canthelp", "canthelp.exception", "repeat")


@dataclass
class Call:
    """One dialogue as it is looked at here.

    said       of each user turn, in order: its words, and how many (`words`)
    acts       of each user turn, in order: (act, slot, value), what was meant
    helpful    of each system turn, in order: its index, and whether it helped
    stated     of each system turn: the values that it stated or asked to confirm, by slot
    told       of each system turn: its acts
    """

    dialogue_id: str
    participant_id: str
    language: str = ""
    said: list[str] = field(default_factory=list)
    words: list[int] = field(default_factory=list)
    acts: list[list[tuple[str, str | None, str | None]]] = field(default_factory=list)
    helpful: list[tuple[int, bool]] = field(default_factory=list)
    stated: dict[int, dict[str, str]] = field(default_factory=dict)
    told: dict[int, set[str]] = field(default_factory=dict)
    turn_of_acts: list[int] = field(default_factory=list)
    satisfied: bool | None = None
    served: bool | None = None
    error_rate: float | None = None
    constraints: set[str] = field(default_factory=set)

    @property
    def unhelpful(self) -> int:
        return sum(not helped for _, helped in self.helpful)

    @property
    def left_in_vain(self) -> bool:
        """True if it was rated as failed and left upon a system turn that did not help."""
        before = [helped for turn, helped in self.helpful if turn < self.turn_of_acts[-1]]
        return self.satisfied is False and before[-1:] == [False]


def calls_of(dataset: Dataset) -> list[Call]:
    """The dialogues of a dataset, with what the habits of their callers are read from.

    Raises  InputError: there are no annotated user turns, so that nothing can be said of what was meant
    """
    call_of = {
        row["dialogue_id"]: Call(
            row["dialogue_id"], row["participant_id"] or row["dialogue_id"], row["language"] or ""
        )
        for row in dataset.read("dialogues").to_pylist()
    }
    _read_turns(dataset, call_of)
    _read_goals(dataset, call_of)
    for row in dataset.read("ratings").to_pylist():
        call = call_of.get(row["dialogue_id"] or "")
        if call is not None and row["role"] == "subjective_success" and row["value"] is not None:
            call.satisfied = row["value"] > 0
    parts = components(dataset, ["word_error_rate", "objective_success_inferred"])
    for row in parts.to_dict("records"):
        call = call_of.get(str(row["dialogue_id"]))
        if call is None or not row["denominator"]:
            continue
        share = float(row["numerator"]) / float(row["denominator"])
        if row["measure"] == "word_error_rate":
            call.error_rate = share
        else:
            call.served = share >= 1
    return [call for call in call_of.values() if call.words]


def _read_turns(dataset: Dataset, call_of: dict[str, Call]) -> None:
    acts_of_turn: dict[tuple[str, int], list[tuple[str, str | None, str | None]]] = {}
    system_acts: dict[tuple[str, int], set[str]] = {}
    stated: dict[tuple[str, int], dict[str, str]] = {}
    acts = dataset.read("acts").to_pylist()
    for row in acts:
        place = row["dialogue_id"], row["turn_index"]
        if row["layer"] == "reference" and row["rank"] == 0:
            acts_of_turn.setdefault(place, []).append((row["act"], row["slot"], row["value"]))
        elif row["layer"] == "system":
            system_acts.setdefault(place, set()).add(row["act"])
            if row["act"] in ("inform", "confirm") and row["slot"] and row["value"]:
                stated.setdefault(place, {})[row["slot"]] = row["value"]
    if not acts_of_turn:
        raise InputError(
            "no user turn has reference acts",
            place=str(dataset.folder),
            hint="use a dataset with acts of the layer `reference`",
        )
    for row in (
        dataset.read("turns").sort_by([("dialogue_id", "ascending"), ("turn_index", "ascending")]).to_pylist()
    ):
        call, place = call_of.get(row["dialogue_id"]), (row["dialogue_id"], row["turn_index"])
        if call is None:
            continue
        if row["party"] == "user":
            text = row["reference"] if row["reference"] is not None else row["text"]
            if text is None:  # it went to the system as sound, and nobody knows its words
                del call_of[row["dialogue_id"]]
                continue
            call.said.append(text)
            call.words.append(len(words(text)))
            call.acts.append(acts_of_turn.get(place, []))
            call.turn_of_acts.append(row["turn_index"])
        else:
            kinds = system_acts.get(place, set())
            call.stated[row["turn_index"]] = stated.get(place, {})
            call.told[row["turn_index"]] = kinds
            call.helpful.append((row["turn_index"], not kinds & set(_UNHELPFUL) or "offer" in kinds))


def _read_goals(dataset: Dataset, call_of: dict[str, Call]) -> None:
    for row in dataset.read("goals").to_pylist():
        call = call_of.get(row["dialogue_id"])
        is_constraint = row["origin"] == "assigned" and row["kind"] == "constraint" and row["goal_index"] == 0
        if call is not None and is_constraint and row["slot"] and normalise_value(row["value"]) != DONTCARE:
            call.constraints.add(row["slot"])
