"""The goal of a simulated user as it stands: what is wanted, what was said of it, and whether it was reached.

This is the simulator's own knowledge of success; it shares no code with the scoring of dialogues.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from vivavoce.core.errors import InputError, nearest
from vivavoce.simulation.domain import GoalKind, ItemGroup, SimulatedDomain
from vivavoce.study.task import Task


@dataclass(slots=True)
class Pursuit:
    """A goal under way.

    slots         wanted value by slot, as it stands after changes of mind
    items         amount by thing of the list, "" where it has none
    wants         what the user wants to know
    said          slots that were said, wants that were asked
    mentioned     things of the list that were said
    acknowledged  things of the list that the system named with its total, or as done
    carried_out   slots with their values, as the turn told that told last that something was done
    """

    type: str
    kind: GoalKind
    domain: SimulatedDomain
    slots: dict[str, str]
    items: dict[str, str]
    wants: list[str]
    said: set[str] = field(default_factory=set)
    mentioned: list[str] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)
    answered: dict[str, str] = field(default_factory=dict)
    total: float | None = None
    carried_out: set[tuple[str, str]] = field(default_factory=set)
    told_done: bool = False

    @classmethod
    def of(cls, task: Task, domain: SimulatedDomain) -> "Pursuit":
        """The goal of a task.

        Raises  InputError: the domain has no such kind of goal, slot, value or thing
        """
        place = f"task {task.task_id}"
        kind = domain.goals.get(task.type)
        if kind is None:
            suggestion = nearest(task.type, list(domain.goals))
            raise InputError(
                f"{task.type!r} is not a goal of the domain {domain.domain}", place=place, hint=suggestion
            )
        group = domain.group(kind)
        things = group.items if group else {}
        slots = {slot: value for slot, value in task.constraints.items() if slot in kind.slots}
        items = {key: value for key, value in task.constraints.items() if key in things}
        strange = [
            constraint
            for constraint in task.constraints
            if constraint not in slots and constraint not in items
        ]
        strange += [request for request in task.requests if request not in domain.wants]
        strange += [value for slot, value in slots.items() if value not in domain.slots[slot].values]
        strange += [value for key, value in items.items() if value and value not in things[key].amounts]
        if strange:
            hint = nearest(strange[0], [*kind.slots, *things, *domain.wants])
            raise InputError(
                f"unknown value {strange[0]!r} in the domain {domain.domain}", place=place, hint=hint
            )
        return cls(task.type, kind, domain, slots, items, list(task.requests))

    @property
    def group(self) -> ItemGroup | None:
        return self.domain.group(self.kind)

    def forget(self, forgetfulness: float, random: Random) -> None:
        """Leave out things of the list and questions that are not thought of; one is always kept."""
        remaining = [key for key in self.items if random.random() >= forgetfulness]
        self.items = {key: self.items[key] for key in remaining or list(self.items)[:1]}
        self.wants = [slot for slot in self.wants if random.random() >= forgetfulness] or self.wants[:1]

    def change(self, slot: str, random: Random, *, smaller: bool = False) -> bool:
        """Want another value of a slot; `smaller`: one that stands before it. False where there is none."""
        values = list(self.kind.slots[slot] or self.domain.slots[slot].values)
        at = values.index(self.slots[slot]) if self.slots[slot] in values else len(values)
        alternatives = values[:at] if smaller else [value for value in values if value != self.slots[slot]]
        if not alternatives:
            return False
        self.slots[slot] = alternatives[-1] if smaller else random.choice(alternatives)
        return True

    def unsaid(self) -> list[str]:
        return [slot for slot in self.slots if slot not in self.said]

    def missing(self) -> list[str]:
        """Slots still to be asked, unasked questions first; never empty while the goal is open."""
        open_ = [slot for slot in self.wants if slot not in self.answered]
        return sorted(open_, key=lambda slot: slot in self.said) or self.wants

    def start_over(self) -> None:
        """Take nothing as said or done that was."""
        self.said.clear()
        self.mentioned.clear()
        self.acknowledged.clear()
        self.answered.clear()
        self.total, self.carried_out, self.told_done = None, set(), False

    def hear(self, told: Sequence[tuple[str, str]]) -> bool:
        """Take in what a system turn tells; whether it brought the goal forward."""
        before = len(self.answered), self.total, self.told_done, len(self.acknowledged)
        group, kind = self.group, self.kind
        self.answered.update((slot, value) for slot, value in told if slot in self.wants)
        named_values = [value for slot, value in told if group is not None and slot == group.slot]
        if kind.total is not None and (figure := _figure(told, kind.total.slot)) is not None:
            self.total, self.acknowledged = figure, set(named_values)
        elif kind.total is None:
            self.acknowledged.update(named_values)
        if kind.done and any(slot == kind.done[0].slot for slot, _ in told):
            self.carried_out = set(told)
            self.told_done = True
        return before != (len(self.answered), self.total, self.told_done, len(self.acknowledged))

    @property
    def anything_told(self) -> bool:
        return bool(self.answered or self.told_done or self.total is not None or self.acknowledged)

    @property
    def seems_reached(self) -> bool:
        """True if the user believes to be done: it was told so, or what it wanted to know."""
        all_answered = all(slot in self.answered for slot in self.wants) and (
            bool(self.wants) or not self.kind.wants
        )
        listed = not self.items or set(self.items) <= self.acknowledged
        figure = self.kind.total is None or self.total is not None
        return all_answered and listed and figure and (self.told_done or not self.kind.done)

    @property
    def reached(self) -> bool:
        """The truth: what was wanted is among what was done, and the figure is right."""
        if not self.seems_reached:
            return False
        done = all((act.slot, self._wanted(act.value)) in self.carried_out for act in self.kind.done)
        return done and self._total_is_right()

    def _wanted(self, pattern: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: self.slots.get(match[1], match[0]), pattern)

    def _total_is_right(self) -> bool:
        group, rule = self.group, self.kind.total
        if rule is None or group is None:
            return True
        worths = [group.items[key].amounts[amount].worth for key, amount in self.items.items() if amount]
        true = sum(worths)
        return self.total is not None and abs(self.total - true) <= max(1.5, rule.tolerance * true)


def _figure(slots: Sequence[tuple[str, str]], slot: str) -> float | None:
    """The number that is told for a slot; None where none is."""
    value = next((value for slot_name, value in slots if slot_name == slot), None)
    number_match = re.search(r"[0-9]+(?:[.,][0-9]+)?", value) if value else None
    return float(number_match[0].replace(",", ".")) if number_match else None
