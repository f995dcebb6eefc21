"""What the robot holds in mind: the kitchen, what was spoken of last, what waits, what was done."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.reading import Clause
from vivavoce_bots.chef.words import CONTAINERS, INGREDIENTS, PLACES
from vivavoce_bots.chef.world import PLENTY, World, things_of
from vivavoce_bots.dialogue.talk import Talk

INTO: Final = ("mettere", "aggiungere")
"""Actions that bring foods into a container."""
_OTHER: Final = {"uovo": "uova", "uova": "uovo"}


@dataclass
class Session(Talk):
    """The kitchen, what was spoken of last, the command that waits for an argument, and the last one done.

    boxes     containers in the order in which they were spoken of, the last one last
    things    what a pronoun stands for: foods, or one container
    tried     the last command, done or refused; undone: the kitchen before it
    amounts   how many of a food, as it was said
    removed   where a food was before it was taken out
    asked_at  the place of which it was asked whether something is there, and is not
    denied    what was just said not to be meant
    proposed  the command that brings about what has just been asked, and was not so
    recent    foods that were spoken of, the last ones first
    offered   the question whether to do so; wish: what was to be cooked, and lies nowhere
    """

    world: World = field(default_factory=World)
    boxes: list[str] = field(default_factory=list)
    things: tuple[str, ...] = ()
    waiting: Predicate | None = None
    lacking: str | None = None
    done: Predicate | None = None
    tried: Predicate | None = None
    place: str | None = None
    undone: World | None = None
    amounts: dict[str, str] = field(default_factory=dict)
    removed: dict[str, str] = field(default_factory=dict)
    proposed: str = ""
    offered: str = ""
    recent: tuple[str, ...] = ()
    wish: Predicate | None = None
    asked_at: str | None = None
    denied: tuple[str, ...] = ()

    @property
    def container(self) -> str | None:
        """The container that was spoken of last."""
        return self.boxes[-1] if self.boxes else None

    @property
    def food(self) -> tuple[str, ...]:
        return tuple(one for one in self.things if one in INGREDIENTS)

    def let_go(self) -> None:
        """Nothing waits any longer, and nothing is offered."""
        self.waiting = self.lacking = None
        self.offered = ""

    def speak_of(self, things: Sequence[str]) -> None:
        """Pronouns are about these from now on."""
        self.place = next((one for one in reversed(things) if one in PLACES), self.place)
        boxes = [one for one in things if one in CONTAINERS]
        self.boxes = [*(box for box in self.boxes if box not in boxes), *dict.fromkeys(boxes)]
        food = tuple(one for one in things if one in INGREDIENTS and one not in ("coperchio", "cucchiaio"))
        self.recent = tuple(dict.fromkeys((*food, *self.recent)))
        self.things = food or tuple(boxes[-1:]) or self.things

    def has_done(self, command: Predicate) -> bool:
        """Whether all that is to be put somewhere lies there, and more of it was not asked for."""
        things = things_of(command)
        boxes = [one for one in things if one in CONTAINERS]
        food = [one for one in things if one in INGREDIENTS]
        more = len(things) != len(boxes) + len(food) or {*food} & {*command.arguments} & {
            *PLENTY,
            "coperchio",
        }
        held = {box: set(food) <= set(inside) for box, inside in self.world.inside.items()}
        more = more or any(so for box, so in held.items() if boxes and box != boxes[-1])  # half of it
        inside = self.world.inside.get(boxes[-1], ()) if boxes else ()
        return command.action in INTO and bool(food) and not more and set(food) <= set(inside)

    def as_used(self, food: str) -> str:
        """A food by the name under which it is in the kitchen: one egg of two eggs."""
        other = _OTHER.get(food, food)
        return other if not self.world.where(food) and self.world.where(other) else food


def as_it_is(session: Session, clause: Clause) -> Clause:
    """A clause with its things as they are in the kitchen: one egg of two, the butter on the bread."""
    at, session.asked_at = session.asked_at, None
    if at and clause.action == "mettere" and clause.it and clause.there and not clause.things:
        return clause._replace(place=at, there=False)  # is it on the stove? put it there
    food, target = [*clause.food], clause.target
    if clause.onto:
        lies = session.world.where(clause.onto)
        target = target or (lies if lies in CONTAINERS else None)
        food += [] if target else [clause.onto]
        it = clause.it or not food
    else:
        it = clause.it
    if clause.action not in ("aprire", "prendere", "aggiungere"):
        food = [session.as_used(one) for one in food]
    return clause._replace(food=tuple(food), target=target, it=it)
