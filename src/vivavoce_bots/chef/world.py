"""Kitchen of the robot: where containers stand, what they hold, what was done to food, and what cannot be.

Facts are written as predicates, `dentro(latte, ciotola)`, so that the effects of commands can be compared.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.engine.bot_file import load_bot

_KITCHEN = load_bot("chef")
CONTAINERS = {name: names[0] for name, names in _KITCHEN.slots["container"].values.items()}
PLACES = {name: names[0] for name, names in _KITCHEN.slots["place"].values.items()}
INGREDIENTS = {name: names[0] for name, names in _KITCHEN.slots["thing"].values.items()}
"""English words by the names of the notation, which are Italian."""
WORKED: dict[str, str] = _KITCHEN.table["worked"]
"""States that actions bring about."""
WORKABLE: dict[str, list[str]] = _KITCHEN.table["workable"]
"""Ingredients to which an action can be done."""
PLENTY: list[str] = _KITCHEN.table["plenty"]
"""Ingredients of which there is always more."""
BOILED: list[str] = _KITCHEN.table["boiled"]
VESSELS: list[str] = _KITCHEN.table["vessels"]
HOT = ("fuoco", "forno")
LID = "coperchio"


class Refused(Exception):
    """Command that the kitchen does not allow, and which things are in the way."""

    def __init__(self, reason: str, thing: str, other: str = "") -> None:
        super().__init__(f"{reason}: {thing} {other}".strip())
        self.reason, self.thing, self.other = reason, thing, other


@dataclass
class World:
    """State of the kitchen.

    `place` is known of containers that left the cupboard; `inside` keeps the order in which things came in;
    `worked` holds the states of each ingredient; `cooked` are pairs of container and ingredient.
    """

    place: dict[str, str] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    covered: set[str] = field(default_factory=set)
    worked: dict[str, set[str]] = field(default_factory=dict)
    cooked: set[tuple[str, str]] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    stirred: set[str] = field(default_factory=set)

    def facts(self) -> set[str]:
        """Everything that commands brought about."""
        facts = {f"sta({thing}, {place})" for thing, place in self.place.items()}
        facts |= {f"dentro({thing}, {box})" for box, things in self.inside.items() for thing in things}
        facts |= {f"coperto({box})" for box in self.covered} | {f"preso({thing})" for thing in self.taken}
        facts |= {f"{state}({thing})" for thing, states in self.worked.items() for state in states}
        return facts | {f"cotto({thing}, {box})" for box, thing in self.cooked}

    def holds(self, state: str, name: str) -> bool:
        """True if a thing, what is in it, or where it is has a state such as `cotto`."""
        names = {name, *self.inside.get(name, ())}
        facts = self.facts() | {
            f"mescolato({part})" for box in self.stirred for part in (box, *self.inside[box])
        }
        words = (
            fact.removeprefix(f"{state}(")[:-1].split(", ") for fact in facts if fact.startswith(f"{state}(")
        )
        return any(names & set(arguments) for arguments in words)

    def boxes_of(self, things: Iterable[str]) -> list[str]:
        """Containers that hold one of some things."""
        return [box for box, inside in self.inside.items() if set(things) & set(inside)]

    def carry_out(self, action: str, things: Sequence[str]) -> None:
        """Do an action to things, containers and places in the order of the command.

        Raises Refused, and nothing has changed then.
        """
        boxes = [thing for thing in things if thing in CONTAINERS]
        places = [thing for thing in things if thing in PLACES]
        items = [thing for thing in things if thing in INGREDIENTS]
        if action in WORKABLE:
            self._work(action, items, boxes)
        elif action in ("mettere", "aggiungere", "aprire"):
            self._put(action, items, boxes, places)
        elif action in ("coprire", "scoprire"):
            self._cover(action == "coprire", boxes)
        elif action == "prendere":
            self.taken |= {*items, *boxes}
        elif action == "togliere":
            self._remove(items, boxes, places)
        elif action == "mescolare":
            boxes = boxes or self.boxes_of(items)
            for box in boxes:
                self._check_open(box)
                self._check_full(box)
            self.stirred |= set(boxes)
        elif action in ("cuocere", "girare"):
            self._heat(action, items, boxes)

    def _check_open(self, box: str) -> None:
        if box in self.covered:
            raise Refused("covered", box)

    def _check_full(self, box: str) -> None:
        if not self.inside.get(box):
            raise Refused("empty", box)

    def _check_inside(self, item: str, boxes: Iterable[str]) -> None:
        if not any(item in self.inside.get(box, ()) for box in boxes):
            raise Refused("not_there", item)

    def _work(self, action: str, items: list[str], boxes: list[str]) -> None:
        """Peel, mash, grate and the like: some ingredients, or what is in containers."""
        inside = [item for box in boxes for item in self.inside.get(box, [])]
        items = items or [item for item in inside if item in WORKABLE[action]] or inside
        if not items and boxes:
            raise Refused("empty", boxes[-1])
        state = WORKED[action]
        for item in items:
            if item not in WORKABLE[action]:
                raise Refused("cannot", item)
            if state in self.worked.get(item, ()):
                raise Refused("already", item)
        self._mark(items, state)
        if action == "passare":  # the water is poured off
            for box in self.boxes_of(items):
                self.inside[box] = [item for item in self.inside[box] if item != "acqua"]
        if action == "grattare" and boxes:
            self._put("mettere", items, boxes, [])

    def _mark(self, items: Iterable[str], state: str) -> None:
        for item in items:
            self.worked.setdefault(item, set()).add(state)

    def _put(self, action: str, items: list[str], boxes: list[str], places: list[str]) -> None:
        """Ingredients into the last container; containers to a place."""
        if action == "aprire":
            for item in items:
                if item not in _KITCHEN.table["openable"]:
                    raise Refused("cannot", item)
        if items and boxes and items != [LID]:
            self._check_open(boxes[-1])
        if boxes and places and not (items and self.place.get(boxes[-1]) == places[-1]):
            self._place(boxes[-1], places[-1])
        if items and boxes:
            self._fill(items, boxes[-1])
        elif items and places and places[-1] in HOT:
            raise Refused("no_container", items[0], places[-1])
        if action == "aprire":
            self._mark(items, "aperto")

    def _fill(self, items: list[str], box: str) -> None:
        if items == [LID]:
            self._cover(True, [box])
            return
        moved = [item for item in items if item not in PLENTY]
        for other in self.boxes_of(moved):
            if other != box:
                self.inside[other] = [item for item in self.inside[other] if item not in moved]
        self.cooked |= {(box, item) for _, item in self.cooked if item in moved}
        self.stirred.discard(box)
        inside = self.inside.setdefault(box, [])
        inside += [item for item in items if item not in inside]

    def _place(self, box: str, place: str) -> None:
        if place == "fuoco" and box not in VESSELS:
            raise Refused("burns", box)
        if self.place.get(box) == place:
            raise Refused("already", box)
        self.place[box] = place

    def _cover(self, covers: bool, boxes: list[str]) -> None:
        for box in boxes:
            if (box in self.covered) == covers:
                raise Refused("already", box)
        self.covered ^= set(boxes)

    def _remove(self, items: list[str], boxes: list[str], places: list[str]) -> None:
        """Take the lid off, ingredients out of containers, or containers away from a place."""
        if LID in items:
            lidded = [box for box in boxes or sorted(self.covered) if box in self.covered]
            if not lidded:
                raise Refused("not_there", LID)
            self.covered -= {lidded[-1]}
        elif items:
            boxes = boxes or self.boxes_of(items)
            for item in items:
                self._check_inside(item, boxes)
            for box in boxes:
                self.inside[box] = [item for item in self.inside.get(box, []) if item not in items]
        else:
            for box in boxes:
                if box not in self.place or (places and self.place[box] != places[-1]):
                    raise Refused("not_there", box)
            for box in boxes:
                del self.place[box]

    def _heat(self, action: str, items: list[str], boxes: list[str]) -> None:
        """Cook or turn what is in a container that stands on the stove or in the oven."""
        boxes = boxes or self.boxes_of(items)
        if items and not boxes:
            raise Refused("nowhere", items[0])
        heated = {box: self._heatable(box, items, boxes) for box in boxes}
        pairs = {(box, item) for box, contents in heated.items() for item in contents}
        if action == "cuocere":
            if pairs and pairs <= self.cooked:
                raise Refused("already", items[0] if items else boxes[0])
            self.cooked |= pairs
        else:
            self._mark([item for _, item in pairs], "girato")

    def _heatable(self, box: str, items: list[str], boxes: list[str]) -> list[str]:
        """Ingredients in a container that are meant, if they can be heated there."""
        if self.place.get(box) not in HOT:
            raise Refused("cold", box)
        self._check_full(box)
        for item in items:
            self._check_inside(item, boxes)
        inside = self.inside[box]
        contents = [
            item for item in inside if item not in (LID, "cucchiaio") and (not items or item in items)
        ]
        dry = [item for item in contents if item in BOILED]
        if dry and self.place[box] == "fuoco" and "acqua" not in inside:
            raise Refused("dry", dry[0])
        return contents


class Score(NamedTuple):
    """Effects of commands, compared with the effects of those that were meant."""

    right: int
    brought_about: int
    meant: int

    @property
    def f1(self) -> float | None:
        """Null where neither brings anything about."""
        both = self.brought_about + self.meant
        return 2 * self.right / both if both else None


def bring_about(commands: Iterable[Predicate]) -> set[str]:
    """Facts after commands in an untouched kitchen; refused commands are passed over."""
    world = World()
    for command in commands:
        try:
            world.carry_out(command.action, command.things())
        except Refused:
            continue
    return world.facts()


def score(understood: Iterable[Predicate], meant: Iterable[Predicate]) -> Score:
    """Compare commands by the facts that they bring about, not by their words."""
    done, wanted = bring_about(understood), bring_about(meant)
    return Score(len(done & wanted), len(done), len(wanted))
