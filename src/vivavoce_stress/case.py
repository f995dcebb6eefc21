"""A case: one logged interaction, one utterance of it, one substitution, and how it goes on."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.log.events import LoggedAct
from vivavoce.study.task import Task
from vivavoce_stress.goal import GoalInWords

Approval = Literal["none", "accept", "edit", "write"]


class LoggedTurn(BaseModel):
    """A user turn of the log: its words, and the slots that it informs about, where that is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    text: str
    acts: tuple[LoggedAct, ...] = ()

    @property
    def slots(self) -> set[str]:
        return {act.slot for act in self.acts if act.slot and act.act == "inform"}


class Case(BaseModel):
    """One case, replayed twice: with the original, and with the variant in its place.

    before, after  the logged user's turns around the utterance under test
    turn_index     of that utterance in the log, 0-based over both parties; null ad hoc
    approval       none: run as proposed; accept, edit, write: how `approved_by` settled the variant
    goal           by which words the system tells that it is done; null: nobody said
    ad_hoc         made for the test: no logged utterance offered a place for it
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    case_id: str
    test: str
    family: str
    language: str
    channel: str = "text"
    dialogue_id: str | None = None
    turn_index: int | None = None
    before: tuple[LoggedTurn, ...] = ()
    original: str = Field(min_length=1)
    original_acts: tuple[LoggedAct, ...] = ()
    variant: str = Field(min_length=1)
    after: tuple[LoggedTurn, ...] = ()
    task: Task | None = None
    goal: GoalInWords | None = None
    rule: str = ""
    confidence: float | None = None
    approval: Approval = "none"
    approved_by: str | None = None
    ad_hoc: bool = False

    def text(self, arm: str) -> str:
        """Text of the utterance under test."""
        return self.variant if arm == "variant" else self.original


def item_key(dialogue_id: str | None, turn_index: int | None, test: str, original: str) -> str:
    """Key of an utterance, its place and the test."""
    return digest([dialogue_id, turn_index, test, original])


def digest(facts: Any) -> str:
    """Twelve hexadecimal digits over anything that JSON can hold."""
    serialized = json.dumps(facts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(serialized.encode()).hexdigest()[:12]


def plan_key(cases: Sequence[Case], settings: dict[str, Any]) -> str:
    """Key of a plan: its cases and settings."""
    return digest([[_facts(case) for case in cases], settings])


def _facts(case: Case) -> dict[str, Any]:
    """As earlier versions had it where no goal was told, so that their runs are taken up."""
    facts = case.model_dump(mode="json")
    return facts if case.goal else {name: fact for name, fact in facts.items() if name != "goal"}
