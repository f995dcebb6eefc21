"""Commands are completed with what was meant and carried out in the kitchen, or it is said what they lack."""

import copy
from dataclasses import dataclass, field

from vivavoce_bots.acts import Act
from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.chef.session import INTO, Session
from vivavoce_bots.chef.telling import Telling
from vivavoce_bots.chef.words import (
    ACTIONS,
    CONTAINERS,
    ENGLISH,
    INGREDIENTS,
    PLACES,
    QUANTITY,
    REFUSED,
    SAID,
    THINGS,
)
from vivavoce_bots.chef.world import Refused, World, things_of


@dataclass
class Turn:
    """What a turn has brought about: sentences said, commands done, the one that lacks something."""

    said: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    understood: list[Predicate] = field(default_factory=list)
    done: list[tuple[Predicate, World, str]] = field(default_factory=list)
    problem: "Lacking | None" = None
    stopped: bool = False
    refused: Predicate | None = None

    def once(self, command: Predicate) -> Predicate | None:
        """A command without the foods that went there in this very turn: carrots; carrots and water."""
        boxes = [argument.strip("*") for argument in command.arguments if argument.strip("*") in CONTAINERS]
        gone = {
            thing
            for one, _, _ in self.done
            if one.action in INTO and boxes and boxes[-1] in things_of(one)
            for thing in things_of(one)
            if thing in INGREDIENTS
        }
        fresh = tuple(argument for argument in command.arguments if argument not in gone)
        food = any(one in INGREDIENTS for one in things_of(command))
        left = any(one in INGREDIENTS for one in things_of(Predicate("", fresh)))
        if command.action not in INTO or not (gone and food):
            return command
        return command._replace(arguments=fresh) if left else None


class Lacking(Exception):
    """A command that lacks something: what, and the sentence that says so; `idle`: it is so already."""

    def __init__(
        self,
        slot: str | None,
        said: str,
        predicate: Predicate,
        *,
        idle: bool = False,
        why: str = "",
        thing: str = "",
    ) -> None:
        self.slot, self.said, self.predicate, self.idle = slot, said, predicate, idle
        self.why, self.thing = why, thing
        super().__init__(said)


class Carrying:
    """Carries out commands that were given in one language."""

    def __init__(self, language: str, telling: Telling) -> None:
        self._language, self._telling, self._said = language, telling, SAID[language]

    def carry_out(self, session: Session, command: Predicate) -> Predicate:
        """Do it; what was not said but is meant is marked with asterisks.

        Raises  Lacking: an action or thing that is not known, or an argument that is missing
        """
        if not command.action and command.arguments:
            session.speak_of(things_of(command))
            thing = self._telling.listed([one for one in things_of(command) if one in THINGS])
            raise Lacking("action", self._said["action"].format(thing=thing), command)
        action = self._known_action(command.action)
        if action is None:
            told = self._said["unknown_action"].format(actions=self._telling.actions())
            raise Lacking(None, told, command)
        command = Predicate(action, tuple(self._known(argument, command) for argument in command.arguments))
        session.tried = command
        command = self._completed(session, command)
        self._change(session, command)
        return command

    def _completed(self, session: Session, command: Predicate) -> Predicate:
        needs, arguments = ACTIONS[command.action], command.arguments
        things = [one for one in things_of(command) if one in THINGS]
        boxes = [one for one in things if one in CONTAINERS]
        food = [one for one in things if one in INGREDIENTS]
        verb = self._telling.verb(command.action)
        if not things and "thing" in needs and command.action != "mescolare":
            raise self._asked("thing", command, action=verb)
        if "container" in needs and not boxes:
            if session.container is None:
                raise self._asked("container", command)
            return Predicate(command.action, (*arguments, f"*{session.container}*"))
        if command.action == "aggiungere" and not food:
            raise self._asked("thing", command, action=verb)
        if command.action == "cuocere" and set(things) <= set(PLACES):
            raise self._asked("thing", command, action=verb)
        if command.action != "mettere":
            return command
        if set(things) <= set(PLACES):
            if session.container is None:
                raise self._asked("thing", command, action=verb)
            return Predicate(command.action, (f"*{session.container}*", *arguments))
        inside = session.world.inside.get(session.container or "", ())
        if len(food) == len(things) and session.container is not None and not set(food) <= set(inside):
            return Predicate(command.action, (*arguments, f"*{session.container}*"))
        if len(things) < 2 or len(food) == len(things):
            raise self._asked("place", command, thing=self._telling.listed(things))
        return command

    def _asked(self, slot: str, command: Predicate, **gaps: str) -> Lacking:
        return Lacking(slot, self._said[slot].format(**gaps), command)

    def _change(self, session: Session, command: Predicate) -> None:
        """Have it happen in the kitchen.

        Raises  Lacking: it cannot be done as things stand
        """
        things = things_of(command)
        before = copy.deepcopy(session.world)
        held = {one: box for box, inside in before.inside.items() for one in inside}
        session.tried = command
        try:
            session.world.carry_out(command.action, things)
        except Refused as refused:
            session.speak_of(things)
            session.undone = before
            gaps = {"thing": self._telling.word(refused.thing), "other": self._telling.word(refused.other)}
            shown = {name.title(): one[:1].upper() + one[1:] for name, one in gaps.items()}
            why = REFUSED[self._language][refused.why].format(**gaps, **shown)
            told = why if refused.why == "already" else self._said["refused"].format(why=why)
            raise Lacking(
                None, told, command, idle=refused.why == "already", why=refused.why, thing=refused.thing
            ) from None
        boxes = [one for one in things if one in CONTAINERS]
        if command.action in ("mettere", "aggiungere") and boxes:  # that very food: it is here no longer
            meant = [argument for argument in command.arguments if argument.startswith(("*", "["))]
            session.world.empty(things_of(Predicate("", tuple(meant))), boxes[-1])
        if command.action == "togliere":
            session.removed |= {one: held[one] for one in things if one in held}
        session.done, session.undone = command, before
        session.speak_of(things)

    def _known_action(self, action: str) -> str | None:
        if action in ACTIONS:
            return action
        return next((name for name, english in ENGLISH.items() if english == action), None)

    def _known(self, argument: str, command: Predicate) -> str:
        """An argument in the robot's words: a thing, a list of things, a quantity or a manner."""
        if argument.startswith("["):
            inner = [one.strip() for one in argument.strip("[]").split(",")]
            return "[" + ", ".join(self._known(one, command) for one in inner if one) + "]"
        bare = argument.strip("*")
        thing = (
            bare if bare in THINGS else next((t for t, english in THINGS.items() if english == bare), None)
        )
        if thing is not None:
            return argument.replace(bare, thing)
        if QUANTITY.fullmatch(bare) or " " in bare or bare.endswith(("mente", "ly")):
            return argument
        raise Lacking(None, self._said["missing"].format(thing=bare[:40]), command)
