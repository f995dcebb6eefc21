"""Wordings of a domain's simulated user: templates of the domain's file, chosen by chance."""

import re
from collections.abc import Mapping, Sequence
from random import Random

from vivavoce.simulation.domain import GoalKind, ItemGroup, SimulatedDomain
from vivavoce.simulation.phrases import speech_of


class DomainPhrases:
    """The voice of a domain's users in one language."""

    def __init__(self, domain: SimulatedDomain, language: str) -> None:
        self._domain, self._language = domain, language
        self.speech = speech_of(language)
        self._and = f" {self.speech.conjunction} "

    def value(self, slot: str, value: str, random: Random) -> str:
        """The answer to a question about a slot."""
        forms = self._domain.slots[slot].say[self._language]
        return random.choice(forms).replace("{value}", self.bare(slot, value))

    def tells_beside(self, slot: str) -> bool:
        """True if a value of the slot may stand beside another: `2`, after `second`, lacks its noun."""
        return bool(self._full(slot))

    def beside(self, slot: str, value: str, random: Random) -> str:
        """A value told beside another, in words that say of what it is one."""
        return random.choice(self._full(slot)).replace("{value}", self.bare(slot, value))

    def _full(self, slot: str) -> list[str]:
        return [form for form in self._domain.slots[slot].say[self._language] if form.strip() != "{value}"]

    def correction(self, slot: str, value: str, random: Random) -> str:
        """The right value where the system has another one."""
        forms = self._domain.slots[slot].correct.get(self._language)
        if not forms:
            return self.value(slot, value, random)
        return random.choice(forms).replace("{value}", self.bare(slot, value))

    def bare(self, slot: str, value: str) -> str:
        """A value in words, and nothing else."""
        words = self._domain.slots[slot].values.get(value, {})
        return words.get(self._language, value)

    def asking(self, slot: str, random: Random) -> str:
        return random.choice(self._domain.wants[slot].ask[self._language])

    def opening(
        self, kind: GoalKind, slots: Mapping[str, str], random: Random, *, detailed: bool
    ) -> tuple[str, list[str]]:
        """Opening wishes of the user, with the slots that they name."""
        forms = kind.opening_with if detailed and kind.opening_with else kind.opening
        form = random.choice(forms[self._language])
        slots_in_form = [slot for slot in re.findall(r"\{(\w+)\}", form) if slot in slots]
        for slot in slots_in_form:
            form = form.replace("{" + slot + "}", self.bare(slot, slots[slot]))
        return form, slots_in_form

    def amount(self, kind: GoalKind, key: str, amount: str) -> str:
        """Amount of a thing, in words."""
        amount_words = self._group(kind).items[key].amounts.get(amount)
        return amount_words.words[self._language] if amount_words else amount

    def thing(self, kind: GoalKind, key: str, amount: str, name: str) -> str:
        """A thing with its amount, or alone where none is said."""
        group = self._group(kind)
        if not amount:
            return name
        words = self.amount(kind, key, amount)
        if group.items[key].counted:
            return f"{words} {name}"
        form = group.with_amount.get(self._language, "{amount} {name}")
        return form.replace("{amount}", words).replace("{name}", name)

    def listing(
        self, kind: GoalKind, keys: Sequence[str], amounts: Mapping[str, str], random: Random, *, bare: bool
    ) -> str:
        """Things of a list in one utterance; amounts where they are given."""
        group = self._group(kind)
        names = [random.choice(group.items[key].names[self._language]) for key in keys]
        things = [
            self.thing(kind, key, amounts.get(key, ""), name) for key, name in zip(keys, names, strict=True)
        ]
        joined = things[0] if len(things) == 1 else ", ".join(things[:-1]) + self._and + things[-1]
        return joined if bare else random.choice(group.say[self._language]).replace("{items}", joined)

    def task_text(
        self, kind: GoalKind, slots: Mapping[str, str], items: Mapping[str, str], wants: Sequence[str]
    ) -> str:
        """The task as a participant reads it."""
        things = [
            self.thing(kind, key, amount, self._group(kind).items[key].names[self._language][0])
            for key, amount in items.items()
        ]
        names = [self._domain.wants[slot].names[self._language] for slot in wants]
        filled = kind.text[self._language].replace("{items}", ", ".join(things))
        filled = filled.replace("{wants}", self._and.join(names))
        for slot, value in slots.items():
            filled = filled.replace("{" + slot + "}", self.bare(slot, value))
        return filled

    def _group(self, kind: GoalKind) -> ItemGroup:
        group = self._domain.group(kind)
        if group is None:
            raise LookupError("a goal without a list has no items")
        return group
