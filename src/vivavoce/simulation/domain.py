"""A simulated user's domain: goals, the words for them, and what a system's turn says. Read from YAML.

Domains of venues need no such file: their callers are made from the study's ontology. The files in `domains/`
are for systems that do things (top up a card, route a call, switch a lamp).
"""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, model_validator

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.validation import load_model

DOMAINS: Final = Path(__file__).parent / "domains"
TAG: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]+)*")

Texts = dict[str, str]
Words = dict[str, tuple[str, ...]]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SpokenSlot(_Data):
    """Something that the system may ask the user for, or ask them to confirm."""

    say: Words = Field(description="phrases of an answer, with {value}, by language")
    correct: Words = Field({}, description="phrases of a correction, with {value}; none: as in an answer")
    values: dict[str, Texts] = Field(description="text of each value by language; the keys are logged")
    changeable: bool = Field(False, description="users may change their mind about this slot")


class Amount(_Data):
    """How much of a thing, in words, and what it adds to the total."""

    words: Texts = Field(description="spoken amount by language: two slices")
    worth: float = Field(0.0, description="contribution to the goal's `total`")


class SlotItem(_Data):
    """One thing of a list, such as a food of a meal or a step of a recipe."""

    names: Words = Field(description="names; the first one appears in the task's text")
    counted: bool = Field(
        False, description="the amount precedes the name directly: one apple, not one of apple"
    )
    amounts: dict[str, Amount] = Field({}, description="amounts by key; none: no amounts")


class ItemGroup(_Data):
    """A kind of list. `slot` is what systems call one of its things, `amount_slot` how much of it."""

    slot: str = Field(description="slot of an item in the system's acts")
    amount_slot: str | None = Field(
        None, description="slot of an amount in the system's acts; none: no amounts"
    )
    say: Words = Field(description="utterance with one or more items, with {items}, by language")
    with_amount: Texts = Field({}, description="item with its amount: {amount} of {name}")
    items: dict[str, SlotItem] = Field(description="items by key")


class Wanted(_Data):
    """Something that the user may want to know."""

    ask: Words = Field(description="phrases of the request, by language")
    names: Texts = Field(description="name in the task's text")


class GoalChoice(_Data):
    """How many things a goal has, and of which."""

    of: tuple[str, ...] = Field(description="keys to choose from, or the name of one group of items")
    least: int = Field(1, ge=1, description="minimum number of items in a goal")
    most: int = Field(1, ge=1, description="maximum number of items in a goal")
    ordered: tuple[str, ...] = Field((), description="exactly these items, in this order: a recipe")


class GoalDone(_Data):
    """An act `inform` that tells that the goal was reached; {slot} stands for the wanted value."""

    slot: str = Field(description="slot of the act")
    value: str = Field(description="value; {slot} stands for the value of the goal")


class Total(_Data):
    """A figure that the system tells, which must be near the sum of the worths."""

    slot: str = Field(description="slot of the act that contains the figure")
    tolerance: float = Field(0.1, ge=0, description="tolerance as a share of the true sum")


class GoalKind(_Data):
    """One kind of goal: what it needs, how it is opened, and by what it is known to be reached."""

    text: Texts = Field(description="task text for participants, with {slot}, {items}, {wants}")
    slots: dict[str, tuple[str, ...]] = Field({}, description="possible values by slot; [] for all")
    items: GoalChoice | None = Field(None, description="required items of a group")
    wants: GoalChoice | None = Field(None, description="information that the user requests")
    opening: Words = Field({}, description="opening phrases without details")
    opening_with: Words = Field({}, description="opening phrases with details, with {slot}")
    matter: str | None = Field(None, description="name of the subject, if the system asks for it")
    done: tuple[GoalDone, ...] = Field(
        (), description="acts that show that the goal is reached (all are required); users react to the first"
    )
    total: Total | None = Field(None, description="figure that must be close to the true sum")


class Cue(_Data):
    """Words of a system that stand for an act, for systems that tell no acts.

    patterns  a regular expression by language; in the file each stands under its language: `en`, `it`
    A group named `value` is the act's value; where it holds several of the slot's values, each is an act.
    items: every thing of this group that is named is told, too.
    """

    act: str = Field(description="act expressed by the words, such as inform")
    slot: str | None = Field(None, description="slot of the act")
    value: str | None = Field(
        None, description="value of the act; none: the match of the group `value` in a pattern"
    )
    items: str | None = Field(
        None, description="a group of items; mentioned items of it are added to the answer"
    )
    patterns: Texts = Field(
        description="regular expression by language; in the file under its language: `en`, `it`"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_language(cls, entry: Any) -> Any:
        if not isinstance(entry, dict) or "patterns" in entry:
            return entry
        tags = [key for key in entry if key not in cls.model_fields and TAG.fullmatch(str(key))]
        patterns = {key: entry[key] for key in tags}
        return {key: value for key, value in entry.items() if key not in patterns} | {"patterns": patterns}


class SimulatedDomain(_Data):
    """A domain: kinds of goals by name, and the words."""

    domain: str = Field(description="name of the domain")
    languages: tuple[str, ...] = Field((), description="languages (default: those of the goals' texts)")
    goals: dict[str, GoalKind] = Field(description="goals by name; a task's `type` refers to one")
    slots: dict[str, SpokenSlot] = Field(default={}, description="slots that a system may request or confirm")
    groups: dict[str, ItemGroup] = Field(
        default={}, description="lists of items: foods of a meal, steps of a recipe"
    )
    wants: dict[str, Wanted] = Field(default={}, description="information that users may request")
    cues: tuple[Cue, ...] = Field(
        default=(), description="words of the system with their acts, for systems that do not log acts"
    )

    @model_validator(mode="before")
    @classmethod
    def _spoken(cls, entry: Any) -> Any:
        """The languages in which every goal has its text, where the file names none."""
        if not isinstance(entry, dict) or "languages" in entry or not isinstance(entry.get("goals"), dict):
            return entry
        texts = [goal.get("text") for goal in entry["goals"].values() if isinstance(goal, dict)]
        spoken = [list(text) for text in texts if isinstance(text, dict)]
        common = [
            tag for tag in (spoken[0] if spoken else []) if all(tag in languages for languages in spoken)
        ]
        return {**entry, "languages": common}

    @model_validator(mode="after")
    def _worded(self) -> "SimulatedDomain":
        for cue in self.cues:
            for language in self.languages:
                if language not in cue.patterns:
                    raise ValueError(f"the cue of {cue.act!r} has no words in {language!r}")
        return self

    @model_validator(mode="after")
    def _consistent(self) -> "SimulatedDomain":
        for name, goal in self.goals.items():
            strange = [slot for slot in goal.slots if slot not in self.slots]
            strange += [
                value
                for slot, values in goal.slots.items()
                if slot in self.slots
                for value in values
                if value not in self.slots[slot].values
            ]
            strange += [want for want in (goal.wants.of if goal.wants else ()) if want not in self.wants]
            strange += [group for group in (goal.items.of if goal.items else ()) if group not in self.groups]
            item_keys = {key for group in self.groups.values() for key in group.items}
            strange += [item for item in (goal.items.ordered if goal.items else ()) if item not in item_keys]
            if strange:
                raise ValueError(f"goal {name!r} uses {strange[0]!r}, which is not in the domain")
        return self

    def group(self, goal: GoalKind) -> ItemGroup | None:
        return self.groups[goal.items.of[0]] if goal.items else None

    def word_groups(self, language: str) -> list[list[str]]:
        """Words that a recogniser takes for one another: the values of a slot, the things of a list."""
        groups = [
            [words.get(language, value) for value, words in slot.values.items()]
            for slot in self.slots.values()
        ]
        groups += [
            [item.names[language][0] for item in group.items.values() if language in item.names]
            for group in self.groups.values()
        ]
        return [group for group in groups if group]


def domain_names() -> list[str]:
    """The domains that ship with this version."""
    return sorted(path.stem for path in DOMAINS.glob("*.yaml"))


def load_domain(name: str) -> SimulatedDomain:
    """A shipped domain by its name, or a file.

    Raises  UnknownName: neither; InputError: the file is wrong, with its first fault
    """
    path = Path(name)
    if name in domain_names():
        return _read(DOMAINS / f"{name}.yaml")
    if path.suffix in (".yaml", ".yml"):
        return _read(path)
    raise UnknownName("domain of simulated users", name, domain_names())


@lru_cache(maxsize=32)
def _read(path: Path) -> SimulatedDomain:
    return load_model(path, SimulatedDomain)


def domain_of(types: set[str]) -> SimulatedDomain:
    """The one shipped domain that has all these kinds of goals.

    Raises  InputError: none has, or several have
    """
    fitting = [name for name in domain_names() if types and types <= set(load_domain(name).goals)]
    if len(fitting) == 1:
        return load_domain(fitting[0])
    type_names = ", ".join(sorted(types)[:3]) or "none"
    raise InputError(
        f"no simulated users for tasks of the type {type_names}",
        hint=f"choose a domain with --domain: {', '.join(domain_names())}, or a file",
    )
