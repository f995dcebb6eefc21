"""The robot's kitchen: where containers stand, what is in them, what was done to it, and what cannot be.

Facts are written as predicates, `dentro(latte, ciotola)`, so that what commands bring about can be compared.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.words import CONTAINERS, INGREDIENTS, PLACES

_HOT: Final = ("fuoco", "forno")
_NOT_EATEN: Final = ("coperchio", "cucchiaio")
_BOILED: Final = ("pasta", "riso")
PLENTY: Final = ("acqua", "sale", "olio", "latte", "pepe", "zucchero", "burro", "farina")  # there is more
VESSELS: Final = ("padella", "pentola", "tegame")
# What can be done to what, and what it is then.
WORKED: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "sbucciare": (
        "sbucciato",
        ("patate", "cipolla", "aglio", "pomodoro", "limone", "carota", "carote", "zucchine", "mela"),
    ),
    "schiacciare": ("schiacciato", ("patate", "aglio", "pomodoro", "carota", "zucchine")),
    "passare": ("passato", ("pomodoro", "patate", "farina", "pasta", "riso")),
    "grattare": ("grattugiato", ("formaggio", "limone")),
    "separare": ("separato", ("uovo", "uova")),
    "impastare": (
        "impastato",
        ("farina", "acqua", "uovo", "uova", "burro", "latte", "carne", "pane", "patate", "formaggio", "sale"),
    ),
}


class Refused(Exception):
    """A command that the kitchen does not allow: why, and of what."""

    def __init__(self, why: str, thing: str, other: str = "") -> None:
        self.why, self.thing, self.other = why, thing, other
        super().__init__(f"{why}: {thing} {other}".strip())


@dataclass
class World:
    """Where containers stand, what is in them, which are covered, and what was done to what.

    place    by container; one that was not touched stands in the cupboard and has none
    inside   by container, in the order in which things came in
    worked   what was done to an ingredient, such as `sbucciato`; stirred: containers
    cooked   pairs of container and ingredient
    """

    place: dict[str, str] = field(default_factory=dict)
    inside: dict[str, list[str]] = field(default_factory=dict)
    covered: set[str] = field(default_factory=set)
    worked: dict[str, set[str]] = field(default_factory=dict)
    cooked: set[tuple[str, str]] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    stirred: set[str] = field(default_factory=set)

    def facts(self) -> set[str]:
        """All that holds, but for what holds in every kitchen before anything was done."""
        found = {f"sta({one}, {place})" for one, place in self.place.items()}
        found |= {f"dentro({one}, {container})" for container, ones in self.inside.items() for one in ones}
        found |= {f"coperto({one})" for one in self.covered} | {f"preso({one})" for one in self.taken}
        found |= {f"{how}({one})" for one, hows in self.worked.items() for how in hows}
        return found | {f"cotto({one}, {container})" for container, one in self.cooked}

    def carry_out(self, action: str, things: Sequence[str]) -> None:
        """Do it to these things, containers and places, in the order of the command.

        Raises  Refused: it cannot be done as things stand; nothing has changed then
        """
        containers = [one for one in things if one in CONTAINERS]
        places = [one for one in things if one in PLACES]
        items = [one for one in things if one in INGREDIENTS]
        if action in WORKED:
            inside = [one for box in containers for one in self.inside.get(box, [])]
            able = [one for one in inside if one in WORKED[action][1]]
            self._work(action, items or able or inside, containers)
        elif action in ("mettere", "aggiungere", "aprire"):
            self._put(action, items, containers, places)
        elif action in ("coprire", "scoprire"):
            self._cover(action, containers)
        elif action == "prendere":
            self.taken |= {*items, *containers}
        elif action == "togliere":
            self._remove(items, containers, places)
        elif action == "mescolare":
            self._open_and_full(containers)
            self.stirred |= set(containers)
        elif action in ("cuocere", "girare"):
            self._heat(action, items, containers)

    def _work(self, action: str, items: Sequence[str], containers: Sequence[str]) -> None:
        how, able = WORKED[action]
        if not items and containers:
            raise Refused("empty", containers[-1])
        for item in items:
            if item not in able:
                raise Refused("cannot", item)
            if how in self.worked.get(item, set()):
                raise Refused("already", item)
        for item in items:
            self.worked.setdefault(item, set()).add(how)
        for box, inside in self.inside.items():
            if action == "passare" and set(items) & set(inside):  # the water is poured off
                self.inside[box] = [one for one in inside if one != "acqua"]
        if action == "grattare" and containers:  # grate it into the bowl
            self._put("mettere", items, containers, [])

    def _put(
        self, action: str, items: Sequence[str], containers: Sequence[str], places: Sequence[str]
    ) -> None:
        """Ingredients into the last container; containers to a place."""
        target = containers[-1] if containers and items else None
        if action == "aprire":
            for item in items:
                if item not in ("uovo", "uova", "latte", "farina", "pasta", "riso", "zucchero"):
                    raise Refused("cannot", item)
        if target in self.covered and set(items) != {"coperchio"}:
            raise Refused("covered", target or "")
        if items and target is None and places and places[-1] in _HOT:
            raise Refused("no_container", items[0], places[-1])
        if target is None and places and containers:
            if places[-1] == "fuoco" and containers[-1] not in VESSELS:
                raise Refused("burns", containers[-1])
            if self.place.get(containers[-1]) == places[-1]:
                raise Refused("already", containers[-1])
            self.place[containers[-1]] = places[-1]
        if target and items == ["coperchio"]:
            self._cover("coprire", [target])
        elif target:
            moved = [one for one in items if one not in PLENTY]
            self.empty(moved, target)
            self.cooked |= {(target, one) for box, one in self.cooked if one in moved}
            self.stirred.discard(target)
            known = self.inside.setdefault(target, [])
            known += [one for one in items if one not in known]
        if action == "aprire":
            for item in items:
                self.worked.setdefault(item, set()).add("aperto")

    def empty(self, moved: Sequence[str], target: str) -> None:
        """Take what went into a target out of all other containers."""
        for box in self.inside:
            if box != target:
                self.inside[box] = [one for one in self.inside[box] if one not in moved]

    def _cover(self, action: str, containers: Sequence[str]) -> None:
        for container in containers:
            if (container in self.covered) == (action == "coprire"):
                raise Refused("already", container)
        self.covered ^= set(containers)

    def _remove(self, items: Sequence[str], containers: Sequence[str], places: Sequence[str]) -> None:
        if "coperchio" in items:
            lidded = [one for one in containers or sorted(self.covered) if one in self.covered]
            if not lidded:
                raise Refused("not_there", "coperchio")
            self.covered -= {lidded[-1]}
            return
        if not items:
            for one in containers:
                if one not in self.place or (places and self.place[one] != places[-1]):
                    raise Refused("not_there", one)
            for one in containers:
                del self.place[one]
            return
        boxes = containers or [one for one, inside in self.inside.items() if set(items) & set(inside)]
        for one in items:
            if not any(one in self.inside.get(box, []) for box in boxes):
                raise Refused("not_there", one)
        for box in boxes:
            self.inside[box] = [one for one in self.inside.get(box, []) if one not in items]

    def _open_and_full(self, containers: Sequence[str]) -> None:
        for container in containers:
            if container in self.covered:
                raise Refused("covered", container)
            if not self.inside.get(container):
                raise Refused("empty", container)

    def _heat(self, action: str, items: Sequence[str], containers: Sequence[str]) -> None:
        """Cook or turn what is in a container that stands on the stove or in the oven."""
        holding = [box for box, inside in self.inside.items() if set(items) & set(inside)]
        boxes = list(containers) or holding
        if items and not boxes:
            raise Refused("nowhere", items[0])
        for box in boxes:
            if self.place.get(box) not in _HOT:
                raise Refused("cold", box)
            if not self.inside.get(box):
                raise Refused("empty", box)
            meant = [one for one in self.inside[box] if one not in _NOT_EATEN and (not items or one in items)]
            missing = [
                item for item in items if not any(item in self.inside.get(other, []) for other in boxes)
            ]
            if missing:
                raise Refused("not_there", missing[0])
            if set(meant) & set(_BOILED) and self.place[box] == "fuoco" and "acqua" not in self.inside[box]:
                raise Refused("dry", next(one for one in meant if one in _BOILED))
            if action == "cuocere":
                if all((box, one) in self.cooked for one in meant):
                    raise Refused("already", items[0] if items else box)
                self.cooked |= {(box, one) for one in meant}
            else:
                for one in meant:
                    self.worked.setdefault(one, set()).add("girato")

    def where(self, thing: str) -> str | None:
        """The place of a container, or the container of an ingredient; null where it was not used yet."""
        held = (box for box, inside in self.inside.items() if thing in inside)
        return self.place.get(thing) or next(held, None)

    def holds(self, state: str, thing: str) -> bool:
        """Whether a state such as `cotto` is true of a thing, or of what is in it."""
        if state == "mescolato":
            return any(thing in (box, *self.inside.get(box, ())) for box in self.stirred)
        found = {fact for fact in self.facts() if fact.startswith(f"{state}(")}
        meant = {thing, *self.inside.get(thing, ())}
        return any(meant & set(fact[len(state) + 1 : -1].split(", ")) for fact in found)


class Score(NamedTuple):
    """What commands brought about, against what those that were meant would have."""

    right: int
    brought_about: int
    meant: int

    @property
    def f1(self) -> float | None:
        """Null where neither brings anything about."""
        both = self.brought_about + self.meant
        return 2 * self.right / both if both else None


def things_of(command: Predicate) -> list[str]:
    """The things of a command in their order: those of lists and those that were not said, too."""
    return [part.strip(" *") for argument in command.arguments for part in argument.strip("*[]").split(",")]


def bring_about(commands: Iterable[Predicate]) -> set[str]:
    """The facts after these commands in a kitchen where nothing was done; what is refused is passed over."""
    world = World()
    for command in commands:
        try:
            world.carry_out(command.action, things_of(command))
        except Refused:
            continue
    return world.facts()


def score(understood: Iterable[Predicate], meant: Iterable[Predicate]) -> Score:
    """How far what was understood does what was meant: facts, not words, are compared."""
    done, wanted = Counter(bring_about(understood)), Counter(bring_about(meant))
    return Score(sum((done & wanted).values()), sum(done.values()), sum(wanted.values()))
