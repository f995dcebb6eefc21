"""The meal as a list of foods with amounts, each of which can be put right, replaced and taken out."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.carbs.foods import NOTHING, Food, Lexicon, Quantity, alike
from vivavoce_bots.carbs.turn import Op
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Talk

_MOST_EATEN: Final = 200
_LIGHT: Final = 2  # grams of carbohydrate in 100 g of what beside another food is taken by the portion
_SHORTEST: Final = 4


@dataclass(eq=False)
class Eaten:
    """One food of the meal: as it was written, the food, grams; none while that is not known.

    quantity  what was said of how much before the food was known
    """

    written: str
    food: Food | None
    grams: float | None = None
    quantity: Quantity = NOTHING


@dataclass
class Changes:
    """What a turn changed, in the order in which it is told; `same` was only said once more."""

    noted: list[Eaten] = field(default_factory=list)
    same: list[Eaten] = field(default_factory=list)
    gone: list[Eaten] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    swapped: list[tuple[Eaten, Eaten]] = field(default_factory=list)
    pending: list[Eaten] = field(default_factory=list)

    @property
    def any(self) -> bool:
        return bool(self.noted or self.gone or self.missing or self.swapped or self.pending)


@dataclass
class Session(Talk):
    """The meal so far, and what was asked last.

    meal     in the order in which it was told; without grams: still to be asked
    gone     what was taken out, last one last
    spoken   what was spoken of last, as it stands in the meal
    choices  what an unknown food may be like; learning: any food may be named
    either   foods of which one was eaten, and it was not said which
    bygone   whether the meal is one of a day before
    settled  whether the total was told as it stands; named: a food that was asked about last
    """

    lexicon: Lexicon = field(default_factory=lambda: Lexicon("en"))
    meal: list[Eaten] = field(default_factory=list)
    gone: list[Eaten] = field(default_factory=list)
    spoken: Eaten | None = None
    choices: list[Food] = field(default_factory=list)
    learning: bool = False
    either: list[Op] = field(default_factory=list)
    settled: bool = False
    over: bool = False
    named: Food | None = None
    informed: bool = False
    bygone: bool = False

    @property
    def eaten(self) -> list[Eaten]:
        """What counts."""
        return [one for one in self.meal if one.food is not None and one.grams is not None]

    @property
    def item(self) -> Eaten | None:
        """What is to be settled next."""
        return next((one for one in self.meal if one.grams is None), None)

    @property
    def total(self) -> int:
        return round(sum(one.food.carbohydrates(one.grams) for one in self.eaten if one.food and one.grams))

    def find(self, op: Op, *, loosely: bool = False) -> Eaten | None:
        """The food of the meal that is named; loosely: any of its group."""
        alike = [one for one in self.meal if op.food is not None and one.food == op.food]
        same = [one for one in alike if op.food and (not op.food.group or shared(one.written, op.written))]
        same += [
            one
            for one in self.meal
            if one.written == op.written or (one.food is None and shared(one.written, op.written))
        ]
        waits = [one for one in alike if one is self.item]
        alike += [one for one in self.meal if shared(one.written, op.written)] if not alike else []
        return next(iter([*same[::-1], *waits, *(alike[::-1] if loosely else [])]), None)

    def apply(self, ops: Sequence[Op]) -> Changes:
        """Do what a turn says; what is taken out leaves its amount to what takes its place."""
        made, asked = Changes(), self.item
        before = {id(one): one.grams for one in self.meal}
        freed: list[tuple[Eaten, int]] = []
        for op in sorted(ops, key=lambda one: one.kind == "ate"):
            if op.kind == "spoke":
                self.spoken = self.find(op, loosely=True) or self.spoken
            elif op.kind == "not":
                self._take_out(op, made, freed, asked)
            elif op.kind == "once":
                self._take_double(op, made)
            elif op.kind == "back":
                self._put_back(made)
            elif op.kind == "amount":
                self._measure(op.quantity, asked, made, before)
            else:
                self._eat(op, made, freed, before, asked)
        if made.any:
            self.settled = self.over = False
        return made

    # --- one operation --------------------------------------------------------------------------------------

    def _eat(
        self,
        op: Op,
        made: Changes,
        freed: list[tuple[Eaten, int]],
        before: dict[int, float | None],
        asked: Eaten | None,
    ) -> None:
        held = self.find(op)
        if op.past and not self.bygone and self.meal:
            if held is not None:
                self._take_out(op._replace(side=True), made, freed, asked)
            return  # of another day
        if held is not None and not (op.more and held.grams is not None and op.quantity != Quantity()):
            self._put_right(held, op.quantity, made, before)
            return
        self.bygone = self.bygone or op.past
        new = Eaten(op.written, op.food, None, op.quantity)
        at = len(self.meal)
        replaced = None
        if freed:
            replaced, at = freed.pop(0)
        elif op.instead and not made.noted and (spoken := self._corrected(op, asked)) is not None:
            replaced, at = spoken, self.meal.index(spoken)
            self.meal.remove(spoken)
            made.gone.append(spoken)
        if op.food is not None:
            new.grams = op.quantity.of(op.food) if op.quantity != Quantity() else self._unsaid(op, replaced)
        self.meal.insert(min(at, len(self.meal)), new)
        del self.meal[:-_MOST_EATEN]
        self.spoken = new
        if new.grams is None:
            made.pending.append(new)
        elif replaced is not None and replaced in made.gone and replaced.written != new.written:
            made.gone.remove(replaced)
            made.swapped.append((replaced, new))
        else:
            made.noted.append(new)

    def _unsaid(self, op: Op, replaced: Eaten | None) -> float | None:
        """The grams of a food without an amount: those of what it takes the place of, or a portion."""
        food = op.food
        if food is None:
            return None
        back = next(
            (one for one in reversed(self.gone) if one.food == food and one.written == op.written), None
        )
        if back is not None and back.grams is not None:
            return back.grams
        if replaced is not None and replaced.grams is not None and alike(food, replaced.food):
            return replaced.grams
        if food.group and not food.carbs:
            return food.portion  # however much of it: there is nothing to count
        host = self.meal[-1].food if op.side and self.meal else None
        if host is not None and food.dash is not None and host.key in ("coffee", "cappuccino"):
            return food.dash
        return food.portion if host is not None and food.carbs <= _LIGHT else None

    def _corrected(self, op: Op, asked: Eaten | None) -> Eaten | None:
        """What `it was ...` puts right: what is asked about, else what was spoken of last."""
        kin = [one for one in self.meal if shared(one.written, op.written)]
        if kin:
            return kin[-1]
        if asked is not None and asked in self.meal:
            return asked
        return self.spoken if self.spoken in self.meal and self.changed else None

    def _put_right(
        self, held: Eaten, quantity: Quantity, made: Changes, before: dict[int, float | None]
    ) -> None:
        self.spoken = held
        if held.food is None:
            held.quantity = quantity if quantity != Quantity() else held.quantity
            return
        grams = quantity.of(held.food, before.get(id(held))) if quantity != Quantity() else None
        if grams is None or grams == held.grams:
            made.same += [held] if held.grams is not None else []
            return
        held.grams = grams
        self.meal = [
            one
            for one in self.meal
            if one is held or not (one.food == held.food and one.written == held.written)
        ]
        if held not in made.noted and all(held is not new for _, new in made.swapped):
            made.noted.append(held)

    def _measure(
        self, quantity: Quantity, asked: Eaten | None, made: Changes, before: dict[int, float | None]
    ) -> None:
        target = asked if asked in self.meal else self.spoken
        if target not in self.meal:
            target = self.eaten[-1] if self.eaten else None
        if target is None:
            return
        again = [
            one
            for one in self.eaten
            if one.grams == quantity.grams or (quantity.number and one.quantity.number == quantity.number)
        ]
        if again and asked is None:  # I said a portion, 80 grams; just the two
            made.same.append(again[-1])
            return
        if (
            target is not asked and quantity.slices and target.food is not None and not target.food.slice
        ):  # of what comes in slices
            target = next((one for one in reversed(self.eaten) if one.food and one.food.slice), target)
        self._put_right(target, quantity, made, before)

    def _take_out(self, op: Op, made: Changes, freed: list[tuple[Eaten, int]], asked: Eaten | None) -> None:
        if op.written:
            held = self.find(op, loosely=True)
        else:
            if op.past and self.bygone:
                return
            unknown = asked if asked is not None and asked.food is None else None
            last = self.spoken if self.spoken in self.meal else (self.meal[-1] if self.meal else None)
            held = unknown or last
        if held is None or held not in self.meal:
            known = {one.written for one in (*made.gone, *(old for old, _ in freed))}
            if op.written and op.written not in known and not op.side:
                self.gone.append(Eaten(op.written, op.food))
                made.missing.append(
                    op.written if op.food is None or op.food.group else op.food.name(self.language)
                )
            return
        less = op.quantity.of(held.food) if held.food and op.quantity.number else None
        if less and held.grams is not None and held.grams > less:  # take one beer off
            held.grams -= less
            made.noted.append(held)
            return
        place = self.meal.index(held)
        self.meal.remove(held)
        self.gone.append(held)
        made.gone.append(held)
        freed.append((held, place))

    def _take_double(self, op: Op, made: Changes) -> None:
        """Of what stands there twice, the second is taken out."""
        kin = [one for one in self.meal if one.food == op.food or shared(one.written, op.written)]
        if len(kin) > 1:
            self.meal.remove(kin[-1])
            made.gone.append(kin[-1])
        made.same += [one for one in kin[:1] if one not in made.same]
        self.spoken = kin[0] if kin else self.spoken

    def _put_back(self, made: Changes) -> None:
        if not self.gone:
            made.same += self.eaten
        else:
            last = self.gone.pop()
            self.meal.append(last)
            self.spoken = last
            (made.noted if last.grams is not None else made.pending).append(last)


def shared(one: str, other: str) -> bool:
    """Whether two names have a word in common, in the singular or plural."""
    within = min(len(one), len(other)) >= _SHORTEST and (one in other or other in one)
    return within or bool(_stems(one) & _stems(other))


def _stems(name: str) -> set[str]:
    return {
        word[:-1] if len(word) > _SHORTEST - 1 and word[-1] in "saeiou" else word
        for word in tokens(name)
        if len(word) > 1
    }
