"""Commands are completed with what was meant and carried out in the kitchen, or it is said what they lack."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, field

from vivavoce_bots.chef.notation import Predicate
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
from vivavoce_bots.dialogue.talk import Talk


@dataclass
class Session(Talk):
    """The kitchen, what was spoken of last, the command that waits for an argument, and the last one done.

    undone    the kitchen before the last command
    proposed  the command that brings about what has just been asked, and was not so
    """

    world: World = field(default_factory=World)
    container: str | None = None
    things: tuple[str, ...] = ()
    waiting: Predicate | None = None
    lacking: str | None = None
    done: Predicate | None = None
    place: str | None = None
    undone: World | None = None
    proposed: str = ""

    def speak_of(self, things: Sequence[str]) -> None:
        """Pronouns are about these from now on."""
        self.place = next((one for one in reversed(things) if one in PLACES), self.place)
        self.container = next((one for one in reversed(things) if one in CONTAINERS), self.container)
        food = tuple(one for one in things if one in INGREDIENTS)
        self.things = food or tuple(one for one in things if one in CONTAINERS)[-1:] or self.things


class Lacking(Exception):
    """A command that lacks something: what, and the sentence that says so; `idle`: it is so already."""

    def __init__(self, slot: str | None, said: str, predicate: Predicate, *, idle: bool = False) -> None:
        self.slot, self.said, self.predicate, self.idle = slot, said, predicate, idle
        super().__init__(said)


class Carrying:
    """Carries out commands that were given in one language."""

    def __init__(self, language: str, telling: Telling) -> None:
        self._language, self._telling, self._said = language, telling, SAID[language]

    def carry_out(self, session: Session, command: Predicate) -> Predicate:
        """Do it; what was not said but is meant is marked with asterisks.

        Raises  Lacking: an action or thing that is not known, or an argument that is missing
        """
        said = self._said
        if not command.action and command.arguments:
            session.speak_of(things_of(command))
            thing = self._telling.word(things_of(command)[-1])
            raise Lacking("action", said["action"].format(thing=thing), command)
        action = self._known_action(command.action)
        if action is None:
            told = said["unknown_action"].format(actions=self._telling.actions())
            raise Lacking(None, told, command)
        arguments = [self._known(session, one, command) for one in command.arguments]
        command = Predicate(action, tuple(arguments))
        things = [one for one in arguments if self.is_thing(one)]
        if not things and "thing" in ACTIONS[action]:
            raise Lacking("thing", said["thing"].format(action=self._telling.verb(action)), command)
        command = self._completed(session, command, things)
        self._change(session, command)
        return command

    def _completed(self, session: Session, command: Predicate, things: list[str]) -> Predicate:
        said, needs = self._said, ACTIONS[command.action]
        containers = [one for one in things if self._bare(one) in CONTAINERS]
        if "container" in needs and not containers:
            if session.container is None:
                raise Lacking("container", said["container"], command)
            return Predicate(command.action, (*command.arguments, f"*{session.container}*"))
        if "place" in needs and all(self._bare(one) in PLACES for one in things):
            own = session.world.inside.get(session.container or "", ())
            apart = [one for one in session.things if one in INGREDIENTS and one not in own]
            loose = all(session.world.where(one) is None for one in apart) and not own
            if command.action == "mettere" and apart and loose and set(apart) == set(session.things):
                spoken = tuple(f"*{one}*" for one in apart)  # the fish, not the plate before it
                return Predicate(command.action, (*spoken, *command.arguments))
            if session.container is None:
                raise Lacking(
                    "thing", said["thing"].format(action=self._telling.verb(command.action)), command
                )
            command = Predicate(command.action, (f"*{session.container}*", *command.arguments))
            things = [session.container, *things]
        food = [one for one in things if self._bare(one) in INGREDIENTS]
        nothing = command.action == "cuocere" and all(self._bare(one) in PLACES for one in things)
        if nothing:
            raise Lacking("thing", said["thing"].format(action=self._telling.verb(command.action)), command)
        if command.action == "aggiungere" and not food and not any("[" in one for one in things):
            raise Lacking("thing", said["thing"].format(action=self._telling.verb(command.action)), command)
        if command.action == "mettere" and len(food) == len(things) and session.container is not None:
            return Predicate(command.action, (*command.arguments, f"*{session.container}*"))
        if "place" in needs and (len(things) < 2 or len(food) == len(things)):
            thing = self._telling.word(things[0])
            raise Lacking("place", said["place"].format(thing=thing), command)
        return command

    def _change(self, session: Session, command: Predicate) -> None:
        """Have it happen in the kitchen.

        Raises  Lacking: it cannot be done as things stand
        """
        things = things_of(command)
        before = copy.deepcopy(session.world)
        try:
            session.world.carry_out(command.action, things)
        except Refused as refused:
            session.speak_of(things)
            gaps = {"thing": self._telling.word(refused.thing), "other": self._telling.word(refused.other)}
            shown = {name.title(): one[:1].upper() + one[1:] for name, one in gaps.items()}
            why = REFUSED[self._language][refused.why].format(**gaps, **shown)
            told = self._said["refused"].format(why=why)
            raise Lacking(None, told, command, idle=refused.why == "already") from None
        session.done, session.undone = command, before
        session.speak_of(things)

    def _known_action(self, action: str) -> str | None:
        if action in ACTIONS:
            return action
        return next((name for name, english in ENGLISH.items() if english == action), None)

    def _known(self, session: Session, argument: str, command: Predicate) -> str:
        """An argument in the robot's words: a thing, a list of things, a quantity or a manner."""
        if argument.startswith("["):
            inner = [one.strip() for one in argument.strip("[]").split(",")]
            return "[" + ", ".join(self._known(session, one, command) for one in inner if one) + "]"
        bare = self._bare(argument)
        thing = (
            bare if bare in THINGS else next((t for t, english in THINGS.items() if english == bare), None)
        )
        if thing is not None:
            return argument.replace(bare, thing)
        if QUANTITY.fullmatch(bare) or " " in bare or bare.endswith(("mente", "ly")):
            return argument
        raise Lacking(None, self._said["missing"].format(thing=bare[:40]), command)

    def is_thing(self, argument: str) -> bool:
        return self._bare(argument) in THINGS or argument.startswith("[")

    def _bare(self, argument: str) -> str:
        return argument.strip("*")
