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

    say: Words = Field(description="ways to answer, with {value}, by language")
    correct: Words = Field({}, description="ways to correct it, with {value}; none: as it is answered")
    values: dict[str, Texts] = Field(description="value in words by language; the keys are what is logged")
    changeable: bool = Field(False, description="a user may change their mind about it")


class Amount(_Data):
    """How much of a thing, in words, and what it adds to the total."""

    words: Texts = Field(description="the amount as it is said, by language: two slices")
    worth: float = Field(0.0, description="what it adds to the goal's `total`")


class SlotItem(_Data):
    """One thing of a list, such as a food of a meal or a step of a recipe."""

    names: Words = Field(description="ways to name it; the first stands in the task's text")
    counted: bool = Field(False, description="said with its amount directly: one apple, not one of apple")
    amounts: dict[str, Amount] = Field({}, description="amounts by key; none where it has none")


class ItemGroup(_Data):
    """A kind of list. `slot` is what systems call one of its things, `amount_slot` how much of it."""

    slot: str = Field(description="what systems call one of its things in their acts")
    amount_slot: str | None = Field(None, description="what they call how much of it; none: no amounts")
    say: Words = Field(description="an utterance around one or more things, with {items}, by language")
    with_amount: Texts = Field({}, description="a thing with its amount: {amount} of {name}")
    items: dict[str, SlotItem] = Field(description="the things, by key")


class Wanted(_Data):
    """Something that the user may want to know."""

    ask: Words = Field(description="ways to ask for it, by language")
    names: Texts = Field(description="as the task's text names it")


class GoalChoice(_Data):
    """How many things a goal has, and of which."""

    of: tuple[str, ...] = Field(description="keys to choose from, or the name of one group of items")
    least: int = Field(1, ge=1, description="how many of them a goal has at least")
    most: int = Field(1, ge=1, description="and at most")
    ordered: tuple[str, ...] = Field((), description="exactly these things, in this order: a recipe")


class GoalDone(_Data):
    """An act `inform` that tells that the goal was reached; {slot} stands for the wanted value."""

    slot: str = Field(description="slot of the act")
    value: str = Field(description="its value; {slot} stands for the one that is wanted")


class Total(_Data):
    """A figure that the system tells, which must be near the sum of the worths."""

    slot: str = Field(description="slot of the act that tells the figure")
    tolerance: float = Field(0.1, ge=0, description="share of the true sum")


class GoalKind(_Data):
    """One kind of goal: what it needs, how it is opened, and by what it is known to be reached."""

    text: Texts = Field(description="the task as a participant reads it, with {slot}, {items}, {wants}")
    slots: dict[str, tuple[str, ...]] = Field({}, description="values to choose from by slot; [] for all")
    items: GoalChoice | None = Field(None, description="things of a group that it needs")
    wants: GoalChoice | None = Field(None, description="what the user wants to know")
    opening: Words = Field({}, description="how it is said without details")
    opening_with: Words = Field({}, description="how it is said with details, with {slot}")
    matter: str | None = Field(None, description="the name of what it is about, when a system asks which")
    done: tuple[GoalDone, ...] = Field(
        (), description="acts that tell that it was reached: all of them; users go by the first"
    )
    total: Total | None = Field(None, description="a figure that must be near the true sum")


class Cue(_Data):
    """Words of a system that stand for an act, for systems that tell no acts.

    patterns  a regular expression by language; in the file each stands under its language: `en`, `it`
    A group named `value` is the act's value; where it holds several of the slot's values, each is an act.
    items: every thing of this group that is named is told, too.
    """

    act: str = Field(description="the act that the words stand for, such as inform")
    slot: str | None = Field(None, description="its slot")
    value: str | None = Field(
        None, description="its value; none: each that the group `value` of a pattern finds"
    )
    items: str | None = Field(None, description="a group; the answer also names each mentioned item of it")
    patterns: Texts = Field(
        description="regular expression by language; in the file each stands under its language: `en`, `it`"
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

    domain: str = Field(description="its name")
    languages: tuple[str, ...] = Field((), description="those of the goals' texts when left out")
    goals: dict[str, GoalKind] = Field(description="kinds of goals; a task's `type` names one")
    slots: dict[str, SpokenSlot] = Field(default={}, description="what a system may ask for or confirm")
    groups: dict[str, ItemGroup] = Field(default={}, description="lists: foods of a meal, steps of a recipe")
    wants: dict[str, Wanted] = Field(default={}, description="what users may want to know")
    cues: tuple[Cue, ...] = Field(
        default=(), description="words of a system that stand for acts, for systems that tell no acts"
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
                raise ValueError(f"goal {name!r} names {strange[0]!r}, which the domain does not have")
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
        hint=f"name a domain with --domain: {', '.join(domain_names())}, or a file",
    )
