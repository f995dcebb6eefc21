"""Turns commands into predicates, asks for what they lack, carries them out, and says what it did.

Simple and honest: it knows a handful of things, says what it does not know, what cannot be done as things
stand, and why, and claims nothing done that was not.
"""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.chef.notation import Malformed, Predicate, looks_like_notation, read_predicates
from vivavoce_bots.chef.words import (
    ACTIONS,
    CONTAINERS,
    ENGLISH,
    INGREDIENTS,
    PLACES,
    REFUSED,
    SAID,
    TALK,
    VERBS,
)
from vivavoce_bots.chef.world import Refused, World, things_of
from vivavoce_bots.dialogue.speech import language_of

_LONGEST_TEXT: Final = 2_000
_MOST_COMMANDS: Final = 20
_THINGS: Final = {**CONTAINERS, **PLACES, **INGREDIENTS}
_QUANTITY: Final = re.compile(
    r"\b([0-9]{1,5}\s*(?:g|kg|ml|l|grammi|grams?)?"
    r"|un po'|a little|pizzico|un pizzico|a pinch|filo|un filo)(?=\s|$)",
    re.I,
)
_PARTS: Final = {"en": re.compile(r"[.;,]| and | then ", re.I), "it": re.compile(r"[.;,]| e | poi ", re.I)}


@dataclass
class Session:
    """The kitchen, the container that was named last, and the command that waits for an argument."""

    language: str
    world: World = field(default_factory=World)
    container: str | None = None
    waiting: Predicate | None = None
    lacking: str | None = None


class Lacking(Exception):
    """A command that lacks something: what, and the sentence that asks or says so."""

    def __init__(self, slot: str | None, said: str, predicate: Predicate) -> None:
        self.slot, self.said, self.predicate = slot, said, predicate
        super().__init__(said)


class ChefBot:
    """A cooking robot."""

    name: str = "chef"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(language_of(language))

    def greet(self, session: Session) -> Reply:
        return Reply(SAID[session.language]["hello"], (Act("hello"), Act("request", "command")), (), False)

    def reply(self, session: Session, texts: Texts) -> Reply:
        text, said = (texts[0][0] if texts else "")[:_LONGEST_TEXT], SAID[session.language]
        try:
            commands = self._commands(session, text)
        except Malformed as error:
            return Reply(said["malformed"].format(why=error), (Act("repeat"),), (), False)
        if not commands:
            return self._no_command(session, text)
        understood = (Meaning(tuple(stating("inform", "command", str(one)) for one in commands), 1.0),)
        done: list[Predicate] = []
        problem: Lacking | None = None
        before = session.world.facts()
        for command in commands:
            try:
                done.append(self._carry_out(session, command))
            except Lacking as lacking:
                problem = lacking
                break
        facts = sorted(session.world.facts() - before)
        return self._told(session, done, problem, understood, facts)

    def _told(
        self,
        session: Session,
        done: list[Predicate],
        problem: Lacking | None,
        understood: tuple[Meaning, ...],
        facts: list[str],
    ) -> Reply:
        said = SAID[session.language]
        sentences = [said["done"].format(predicate=self._shown(session, one)) for one in done]
        acts = [stating("inform", "done", str(one)) for one in done]
        acts += [stating("inform", "fact", one) for one in facts]
        if problem is None:
            session.waiting = session.lacking = None
            return Reply(" ".join([*sentences, said["more"]]), (*acts, Act("reqmore")), understood, False)
        session.waiting, session.lacking = (problem.predicate, problem.slot) if problem.slot else (None, None)
        last = Act("request", problem.slot) if problem.slot else Act("canthelp")
        return Reply(" ".join([*sentences, problem.said]), (*acts, last), understood, False)

    def _no_command(self, session: Session, text: str) -> Reply:
        talk, said = TALK[session.language], SAID[session.language]
        if any(re.search(form, text, re.I) for form in talk.values()):
            return Reply(said["bye"], (Act("bye"),), (), True)
        return Reply(said["puzzled"], (Act("repeat"),), (), False)

    # --- from words to predicates -----------------------------------------------------------------------

    def _commands(self, session: Session, text: str) -> list[Predicate]:
        if looks_like_notation(text):
            return read_predicates(text)
        pieces = _PARTS[session.language].split(f" {text} ")[:_MOST_COMMANDS]
        found: list[Predicate] = []
        for piece in pieces:
            action, things = self._action(session, piece), self._things(session, piece)
            if action is not None:
                found.append(Predicate(action, (*self._quantity(piece), *things)))
            elif things and found:
                found[-1] = Predicate(found[-1].action, (*found[-1].arguments, *things))
            elif things and session.waiting is not None:
                found.append(Predicate(session.waiting.action, (*session.waiting.arguments, *things)))
        return found

    def _action(self, session: Session, piece: str) -> str | None:
        """The action whose words are the longest found: `take off` is not `take`."""
        forms = VERBS[session.language].items()
        found = [(name, re.search(rf"\b(?:{form})\b", piece, re.I)) for name, form in forms]
        lengths = {name: len(match[0]) for name, match in found if match}
        return max(lengths, key=lambda name: lengths[name]) if lengths else None

    def _things(self, session: Session, piece: str) -> list[str]:
        words = re.findall(r"[^\W\d_]+", piece.lower())
        english = {word: thing for thing, word in _THINGS.items()}
        known = english if session.language == "en" else {thing: thing for thing in _THINGS}
        return list(dict.fromkeys(known[word] for word in words if word in known))

    def _quantity(self, piece: str) -> list[str]:
        found = _QUANTITY.search(piece)
        return [" ".join(found[1].split())] if found else []

    # --- carrying out ------------------------------------------------------------------------------------

    def _carry_out(self, session: Session, command: Predicate) -> Predicate:
        """Do it; what was not said but is meant is marked with asterisks.

        Raises  Lacking: an action or thing that is not known, or an argument that is missing
        """
        said = SAID[session.language]
        action = self._known_action(command.action)
        if action is None:
            listed = ", ".join(sorted(ENGLISH.values() if session.language == "en" else ACTIONS))
            raise Lacking(None, said["unknown_action"].format(actions=listed), command)
        arguments = [self._known(session, one, command) for one in command.arguments]
        command = Predicate(action, tuple(arguments))
        things = [one for one in arguments if self._bare(one) in _THINGS or one.startswith("[")]
        if not things and "thing" in ACTIONS[action]:
            raise Lacking("thing", said["thing"].format(action=self._verb(session, action)), command)
        command = self._completed(session, command, things)
        self._change(session, command)
        return command

    def _completed(self, session: Session, command: Predicate, things: list[str]) -> Predicate:
        said, needs = SAID[session.language], ACTIONS[command.action]
        containers = [one for one in things if self._bare(one) in CONTAINERS]
        if "container" in needs and not containers:
            if session.container is None:
                raise Lacking("container", said["container"], command)
            return Predicate(command.action, (*command.arguments, f"*{session.container}*"))
        if "place" in needs and all(self._bare(one) in PLACES for one in things):
            if session.container is None:
                raise Lacking(
                    "thing", said["thing"].format(action=self._verb(session, command.action)), command
                )
            command = Predicate(command.action, (f"*{session.container}*", *command.arguments))
            things = [session.container, *things]
        if "place" in needs and len(things) < 2:
            thing = self._word(session, things[0])
            raise Lacking("place", said["place"].format(thing=thing), command)
        return command

    def _change(self, session: Session, command: Predicate) -> None:
        """Have it happen in the kitchen.

        Raises  Lacking: it cannot be done as things stand
        """
        things = things_of(command)
        try:
            session.world.carry_out(command.action, things)
        except Refused as refused:
            said = SAID[session.language]
            gaps = {"thing": self._word(session, refused.thing), "other": self._word(session, refused.other)}
            why = REFUSED[session.language][refused.why].format(**gaps)
            raise Lacking(None, said["refused"].format(why=why), command) from None
        session.container = next((one for one in reversed(things) if one in CONTAINERS), session.container)

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
            bare if bare in _THINGS else next((t for t, english in _THINGS.items() if english == bare), None)
        )
        if thing is not None:
            return argument.replace(bare, thing)
        if _QUANTITY.fullmatch(bare) or " " in bare or bare.endswith(("mente", "ly")):
            return argument
        raise Lacking(None, SAID[session.language]["missing"].format(thing=bare[:40]), command)

    def _bare(self, argument: str) -> str:
        return argument.strip("*")

    def _word(self, session: Session, thing: str) -> str:
        bare = self._bare(thing)
        return _THINGS.get(bare, bare) if session.language == "en" else bare

    def _verb(self, session: Session, action: str) -> str:
        return ENGLISH[action] if session.language == "en" else action

    def _shown(self, session: Session, done: Predicate) -> str:
        if session.language != "en":
            return str(done)
        words = [self._word(session, one) if not one.startswith("[") else one for one in done.arguments]
        return str(Predicate(ENGLISH[done.action], tuple(words)))
