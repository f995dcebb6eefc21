"""Recipes as what is to be done, before anybody says it."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from vivavoce_commands.kitchen.lexicon import Lexicon

MOST_STEPS: Final = 17
NEW_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. Actions are English keys; nouns, quantities and manners are in the kitchen's language.

    relation     how the complement is attached: in, on, with, from, over
    consequence  a verb that names the result instead of the action: fry, clean, melt
    """

    action: str
    objects: tuple[str, ...]
    quantity: str | None = None
    complement: str | None = None
    relation: str = "in"
    manner: str | None = None
    consequence: str | None = None


@dataclass(slots=True)
class _Cook:
    """Draws a recipe; in a recipe of the test part half of what is drawn was never in training."""

    lexicon: Lexicon
    chance: Random
    unseen: bool
    steps: list[Step] = field(default_factory=list)

    def draw(self, group: str, besides: tuple[str, ...] = ()) -> str:
        """A noun of a group, or of the ingredients' classes solids, liquids, powders."""
        common, new = self.lexicon.members(group, unseen=False), self.lexicon.members(group, unseen=True)
        new = [noun for noun in new if noun not in besides]
        if self.unseen and new and self.chance.random() < NEW_SHARE:
            return self.chance.choice(new)
        return self.chance.choice([noun for noun in common if noun not in besides])

    def amount(self, noun: str) -> str | None:
        """A quantity that fits the noun; None where none is said."""
        data, plural = self.lexicon.data, self.lexicon.forms[noun].endswith("p")
        kinds = (
            ["volume", "drizzle"]
            if noun in data["liquids"]
            else ["count", "weight"]
            if plural
            else ["weight"]
        )
        kinds = ["weight", "pinch"] if noun in data["powders"] else kinds
        return self.lexicon.quantity(self.chance.choice(kinds), self.chance) if self.maybe(0.7) else None

    def manner(self, *kinds: str, share: float) -> str | None:
        kind = self.chance.choice(kinds)
        return self.chance.choice(self.lexicon.data["manners"][kind]) if self.maybe(share) else None

    def tool(self, share: float) -> str | None:
        return self.draw("tools") if self.maybe(share) else None

    def maybe(self, share: float) -> bool:
        return self.chance.random() < share

    def do(self, action: str, *objects: str, share: float = 1, **rest: str | None) -> None:
        if self.maybe(share):
            self.steps.append(Step(action, objects, **rest))  # pyright: ignore[reportArgumentType]


def make_recipe(lexicon: Lexicon, chance: Random, *, unseen: bool) -> list[Step]:
    """A plausible recipe of at most 17 steps: something prepared, mixed, cooked and taken off."""
    cook = _Cook(lexicon, chance, unseen)
    pan, heat = cook.draw("containers"), cook.draw("appliances")
    solid = cook.draw("solids")
    powder, liquid = cook.draw("powders"), cook.draw("liquids")
    _prepare(cook, solid)
    _mix(cook, cook.draw("containers", (pan,)), powder, liquid)
    _cook(cook, pan, heat, solid, powder)
    sampled = sorted(chance.sample(range(len(cook.steps)), min(MOST_STEPS, len(cook.steps))))
    return [cook.steps[place] for place in sampled]


def _prepare(cook: _Cook, solid: str) -> None:
    cook.do("take", solid, quantity=cook.amount(solid), share=0.8)
    cook.do("peel", solid, complement=cook.tool(0.4), relation="with", share=0.5)
    cook.do("separate", cook.draw("parts"), complement=solid, relation="from", share=0.4)
    cook.do("separate", solid, consequence="clean", share=0.4)
    cook.do("grate", solid, share=0.3)
    cook.do("mash", solid, complement=cook.tool(0.5), relation="with", share=0.4)


def _mix(cook: _Cook, bowl: str, powder: str, liquid: str) -> None:
    data, eggs = cook.lexicon.data, str(cook.lexicon.data["eggs"])
    cook.do("take", bowl, share=0.8)
    cook.do("open", eggs, quantity=cook.lexicon.quantity("count", cook.chance), complement=bowl, share=0.4)
    cook.do("strain", powder, share=0.2)
    cook.do("put", powder, quantity=cook.amount(powder), complement=bowl, share=0.7)
    cook.do("add", liquid, quantity=cook.amount(liquid), complement=bowl)
    cook.do("stir", powder, liquid, consequence="melt", share=0.3)
    tool, how = cook.tool(0.6), cook.manner("adverb", share=0.3)
    cook.do("stir", powder, liquid, complement=tool, relation="with", manner=how)
    cook.do("knead", *((powder, liquid) if cook.maybe(0.5) else (str(data["dough"]),)), share=0.4)
    if cook.maybe(0.5):
        cook.do("put", cook.draw("wraps"), complement=bowl, relation="over", share=0.7)
    else:
        cook.do("cover", bowl, complement=cook.draw("lids"), relation="with", share=0.7)
    cook.do("uncover", bowl, share=0.4)


def _cook(cook: _Cook, pan: str, heat: str, solid: str, powder: str) -> None:
    second_solid = cook.draw("solids", (solid,))
    oil = str(cook.lexicon.data["oil"])
    cook.do("take", pan, share=0.6)
    cook.do("put", pan, complement=heat, relation="on")
    cook.do("add", oil, quantity=cook.lexicon.quantity("drizzle", cook.chance), complement=pan, share=0.5)
    cook.do("add", *((solid, second_solid) if cook.maybe(0.4) else (solid,)), complement=pan, share=0.8)
    cook.do("add", powder, quantity=cook.amount(powder), complement=pan, share=0.4)
    cook.do("add", second_solid, consequence="fry", share=0.3)
    cook.do("cook", solid, complement=pan, manner=cook.manner("time", "temperature", share=0.6))
    cook.do("flip", solid, complement=cook.tool(0.3), relation="with", share=0.4)
    cook.do("check", solid, share=0.4)
    cook.do("take off", pan, complement=heat, relation="from", share=0.7)
