"""Turns commands into predicates, asks for what they lack, carries them out, and says what it did.

Simple and honest: it knows a handful of things, says what it does not know, what cannot be done as things
stand, and why, and claims nothing done that was not. What is in the kitchen, and what is said, stand in
`data/kitchen.yaml`.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.chef.carrying import Carrying, Lacking, Session
from vivavoce_bots.chef.notation import Malformed, Predicate, looks_like_notation, read_predicates
from vivavoce_bots.chef.reading import Part, read_parts
from vivavoce_bots.chef.telling import Telling, Told
from vivavoce_bots.chef.words import (
    ACTIONS,
    CONTAINERS,
    INGREDIENTS,
    PLACES,
    QUANTITY,
    SAID,
    VERBS,
    heard_as,
    learn_words,
)
from vivavoce_bots.chef.world import World, things_of
from vivavoce_bots.dialogue.clauses import asks_openly, quoted
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.manners import CourteousBot
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.talk import Answer, asked_for_more

_GROUPS: Final = (INGREDIENTS, CONTAINERS, PLACES)
_INTO: Final = ("mettere", "aggiungere")
_ALONE: Final = ("cuocere", "passare", "mescolare")  # what stands ready is meant: boil, drain
_OF_FOOD: Final = ("grattare", "sbucciare", "schiacciare", "separare", "impastare")
_LOOSE: Final = (
    "acqua",
    "sale",
    "olio",
    "latte",
    "pepe",
    "zucchero",
    "burro",
)  # nobody mashes or drains these
_SENTENCE: Final = re.compile(
    r"(?<=[.!?])\s+|,\s*(?=(?:what|where|is|are|how|which|che cosa|cosa|dove|è|quale|com'è|o|or|oppure)\b)",
    re.I,
)
_REQUEST: Final = re.compile(
    r"\b(?:can|could|will|would|won't|may|shall) (?:you|we|i)\b|\b(?:puoi|potresti|può|potrebbe|"
    r"mi|ci|vuoi|vorresti|posso)\b",
    re.I,
)
_MOST_SENTENCES: Final = 10
_TAG: Final = 3  # words of a question that only stresses what was said: where else?
_ASIDE: Final = ("bye", "done", "help", "undo", "repeat", "insult", "dontknow", "dontcare", "suggest")


class ChefBot(CourteousBot[Session]):
    """A cooking robot."""

    name: str = "chef"
    meant: ClassVar[Mapping[str, str]] = {"en": "I mean", "it": "intendevo"}
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed, learn_words)
        self._telling = {language: Telling(language) for language in self._hearing}
        self._carrying = {language: Carrying(language, one) for language, one in self._telling.items()}

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language)

    def words(self, session: Session) -> Mapping[str, str]:
        return SAID[session.language]

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"), Act("request", "command")))

    def about(self, session: Session, heard: Heard) -> bool:
        if looks_like_notation(heard.text) or self._telling[session.language].asked(heard):
            return True
        if heard.did("plan") or (heard.did("have") and heard.text.rstrip().endswith("?")):
            return True
        parts = self._parts(session, heard)
        if session.waiting is not None and any(part.strange for part in parts) and not heard.did(*_ASIDE):
            return True
        return any(part.action or (part.things and not part.strange) for part in parts)

    def waits(self, session: Session) -> bool:
        return session.waiting is not None or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.waiting = session.lacking = None

    def start_over(self, session: Session) -> None:
        self.let_go(session)
        session.world, session.container, session.things, session.done = World(), None, (), None

    def help(self, session: Session) -> str:
        return self._telling[session.language].help(session.lacking)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    def reply(self, session: Session, texts: Texts) -> Reply:
        hearing = self._hearing[session.language]
        plain = [
            (text if looks_like_notation(text) else heard_as(text, hearing, session.language), score)
            for text, score in texts
        ]
        return super().reply(session, plain)

    def _told_beyond(self, session: Session, told: str, rest: Heard) -> Answer:
        """Recipes need no word where it is said step by step what to do."""
        dishes = self._beyond[session.language].says["dishes"] == told
        if dishes and any(part.action for part in self._parts(session, rest)):
            return self._manage(session, rest)
        return super()._told_beyond(session, told, rest)

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        """What was done to food stays done."""
        settled = was["world"].worked != session.world.worked or was["world"].cooked != session.world.cooked
        if settled:
            session.world = was["world"]
        question, asks = self.question(session)
        lead = self.words(session)["settled" if settled else "undo"]
        return Answer(f"{lead} {question}", (Act("ack", None, "undo"), *asks))

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        words, waiting = self.words(session), session.waiting
        if waiting is not None and session.lacking is not None:
            thing = next(
                (
                    self._telling[session.language].word(one)
                    for one in waiting.arguments
                    if self._carrying[session.language].is_thing(one)
                ),
                "",
            )
            gaps = {"action": self._telling[session.language].verb(waiting.action), "thing": thing}
            return words[session.lacking].format(**gaps), (Act("request", session.lacking),)
        if session.done is not None:
            return words["more"], (Act("reqmore"),)
        return words["begin"], (Act("request", "command"),)

    # --- what is said --------------------------------------------------------------------------------------

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        if looks_like_notation(heard.text):
            return self._obey_notation(session, heard.text)
        asked, rest = self._apart(session, heard)
        told = self._telling[session.language].answer(asked, session.world, session.container, session.things)
        if told is not None or rest is not None:
            return self._and_told(session, rest, asked)
        parts = self._parts(session, heard)
        strange = [word for part in parts for word in part.strange]
        if heard.did("have") and heard.text.rstrip().endswith("?") and strange:
            return self._missing(session, strange)
        if told is None and self._asks(session, heard) and any(part.things or part.it for part in parts):
            return self._state_of(session, parts)
        planned = [part for part in parts if "plan" not in part.kinds]
        if heard.did("plan") and any(part.action for part in planned):
            parts = planned
        elif heard.did("plan") and session.done is None:
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['plan']} {question}", asks)
        if any(part.action or (part.things and not part.strange) for part in parts):
            return self._obey_parts(session, heard, parts)
        if session.waiting is not None and len(parts) == 1 and not heard.did("negate", "affirm"):
            return self._missing(session, parts[0].strange)
        return self._without_command(session, heard)

    def _asks(self, session: Session, heard: Heard) -> bool:
        """Whether an utterance asks something, and asks for nothing: `can you peel them?` commands."""
        commands = any(form.match(heard.text.strip()) for form in VERBS[session.language].values())
        return is_question(heard.text, session.language) and not commands and not _REQUEST.search(heard.text)

    def _state_of(self, session: Session, parts: Sequence[Part]) -> Answer:
        """What is known where something else was asked of a thing: where it is."""
        things = [one for part in parts for one in part.things] or list(session.things)
        told = self._telling[session.language].places(things or [session.container or ""], session.world)
        question, asks = self.question(session)
        return Answer(" ".join(filter(None, [self._unanswered(session), told, question])), asks)

    def _apart(self, session: Session, heard: Heard) -> tuple[Heard, Heard | None]:
        """The sentence that asks about the kitchen, and the others where they command something."""
        hearing, telling = self._hearing[session.language], self._telling[session.language]
        sentences = [
            hearing.heard(one) for one in _SENTENCE.split(heard.text)[:_MOST_SENTENCES] if one.strip()
        ]
        asks = [telling.asked(one) or self._asks(session, one) for one in sentences]
        asked = [one for one, so in zip(sentences, asks, strict=True) if so]
        rest = hearing.heard(" ".join(one.text for one, so in zip(sentences, asks, strict=True) if not so))
        commands = any(part.action or part.things for part in self._parts(session, rest))
        return (asked[0], rest) if asked and commands else (heard, None)

    def _and_told(self, session: Session, rest: Heard | None, asked: Heard) -> Answer:
        """What is commanded is done before what is asked is answered."""
        did = self._obey_parts(session, rest, self._parts(session, rest)) if rest is not None else None
        told = self._telling[session.language].answer(asked, session.world, session.container, session.things)
        session.speak_of([one.value or "" for one in asked.all("thing")])
        question, asks = self.question(session)
        if told is None and len(asked.said) > _TAG and asks_openly(asked.text, session.language):
            told = Told(self._unanswered(session, quoted(asked.text)), ())
        texts = [did.text.removesuffix(question).strip() if did else "", told.text if told else "", question]
        acts = tuple(act for act in did.acts if act not in asks) if did else ()
        told_acts = told.acts if told else ()
        return Answer(
            " ".join(filter(None, texts)), (*acts, *told_acts, *asks), did.understood if did else ()
        )

    def _without_command(self, session: Session, heard: Heard) -> Answer | None:
        """Yes and no, where no command was given."""
        if heard.did("negate") and heard.did("enough") and asked_for_more(session.last):
            return self.farewell(session)
        if heard.did("negate", "not") and session.waiting is not None:
            self.let_go(session)
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['kept']} {question}", asks)
        parts = self._parts(session, heard)
        if heard.did("negate", "not") and parts and parts[-1].strange:
            return self._missing(session, parts[-1].strange)
        if heard.did("negate") and asked_for_more(session.last) and not heard.rest:
            return self.farewell(session)
        if heard.did("negate", "not") and heard.all("thing"):
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['kept']} {question}", asks)
        if heard.did("affirm") and session.waiting is None:
            return Answer(self.words(session)["begin"], (Act("request", "command"),))
        return None

    def _missing(self, session: Session, strange: Sequence[str]) -> Answer | None:
        if not strange:
            return None
        told = self.words(session)["missing"].format(thing=" ".join(strange)[:40])
        question, asks = self.question(session)
        return Answer(f"{told} {question}", (Act("canthelp"), *asks))

    def _obey_notation(self, session: Session, text: str) -> Answer:
        try:
            commands = read_predicates(text)
        except Malformed as error:
            return Answer(self.words(session)["malformed"].format(why=error), (Act("repeat"),))
        return self._obey(session, commands, [])

    def _obey_parts(self, session: Session, heard: Heard, parts: Sequence[Part]) -> Answer:
        """Plain commands; behind a `no` one that takes the place of the last."""
        lead: list[str] = []
        commands: list[Predicate] = []
        corrects = (
            session.done is not None
            and session.waiting is None
            and (heard.did("negate", "meant") or any(part.denied for part in parts))
            and not _told_off(session)
        )
        denied = {one for part in parts for one in part.denied}
        if session.waiting is not None and denied & set(session.waiting.arguments):
            kept = tuple(one for one in session.waiting.arguments if one not in denied)
            session.waiting = session.waiting._replace(arguments=kept)
        swaps, problem = False, None
        for part in _joined(parts):
            swapped, swaps = swaps, part.kinds[-1:] == ("negate",)
            wrong = Predicate(part.action or "", part.strange)
            if part.stopped:
                lead.append(self.words(session)["kept"])
                self.let_go(session)
            elif (
                part.strange
                and part.things
                and not part.action
                and len(part.strange) + len(part.things) > 1
                and not part.into
            ):
                continue  # told besides: my mother always used salt
            elif part.strange and (part.action or commands or (part.things and part.into)):
                problem = problem or self._unknown(session, wrong)  # the rest is done
                if part.action and any(one in INGREDIENTS for one in part.things):
                    commands.append(self._command(session, part, commands))
            elif swapped and commands and part.things and part.action is None and not part.strange:
                last = commands[-1]  # add the flour, no, the sugar
                groups = [group for group in _GROUPS if set(part.things) & set(group)]
                kept = [one for one in last.arguments if not any(one in group for group in groups)]
                commands[-1] = _with(last._replace(arguments=tuple(kept)), part.things)
            elif part.action is not None and not (corrects and self._replaces(session, part)):
                commands.append(self._command(session, part, commands))
            elif corrects and session.done and part.things and set(part.things) <= _bare_things(session.done):
                lead.append(
                    self.words(session)["so"].format(
                        predicate=self._telling[session.language].shown(session.done)
                    )
                )
            elif corrects and (part.things or part.action):
                commands.append(self._corrected(session, part))
                lead += [self.words(session)["instead"]] if commands[-1] != session.done else []
            elif commands and part.things:
                commands += self._with_more(commands.pop(), part)
            elif part.things and not part.strange:
                commands.append(self._put_there(session, part) or self._named(session, part))
        return self._obey(session, commands, lead, problem)

    def _with_more(self, last: Predicate, part: Part) -> list[Predicate]:
        """More things of a command; food behind a pan that is put somewhere goes into the pan."""
        boxes = [one for one in last.arguments if one.strip("*") in CONTAINERS]
        placed = last.action == "mettere" and boxes and set(last.arguments) & set(PLACES)
        if placed and set(part.things) <= set(INGREDIENTS):
            return [last, Predicate("mettere", (*part.quantity, *part.things, boxes[-1]))]
        return [_with(last, part.things)]

    def _put_there(self, session: Session, part: Part) -> Predicate | None:
        """A place or container alone is where what was spoken of last comes: `in the bowl, then`."""
        places = set(part.things) <= {*PLACES, *CONTAINERS}
        food = tuple(one for one in session.things if one in INGREDIENTS)
        if (
            session.waiting is not None
            or session.done is None
            or not (places and (part.into or part.things[-1] in (*PLACES, "piatto")))
        ):
            return None
        held = session.world.inside.get(session.container or "", ())
        if part.things == ("piatto",) and held and session.container != "piatto":  # on a plate
            return Predicate("mettere", (*(one for one in held if one not in _LOOSE), "piatto"))
        to_container = len(part.things) == 1 and part.things[0] in CONTAINERS
        if to_container and food:
            return Predicate("mettere", (*food, *part.things))
        to_place = len(part.things) == 1 and part.things[0] in PLACES
        return Predicate("mettere", part.things) if to_place and session.container else None

    def _named(self, session: Session, part: Part) -> Predicate:
        """Things without a verb: they complete the command that waits; one in or on another is put there."""
        if (
            session.waiting is None
            and not _told_off(session)
            and session.container in {**session.world.place, **session.world.inside}
        ):
            food = tuple(one for one in part.things if one in INGREDIENTS)
            if food and set(part.things) == set(food):  # water, salt: into the pot that stands ready
                return Predicate("aggiungere", (*part.quantity, *food, f"*{session.container}*"))
        waiting = session.waiting or Predicate("", ())
        told = _with(waiting, (*part.quantity, *part.things))
        things = things_of(told)
        placed = len(things) > 1 and (things[-1] in PLACES or things[-1] in CONTAINERS)
        return told._replace(action=told.action or ("mettere" if placed else ""))

    def _replaces(self, session: Session, part: Part) -> bool:
        return session.done is not None and part.action == session.done.action

    def _command(self, session: Session, part: Part, before: Sequence[Predicate] = ()) -> Predicate:
        """A part as a command; a pronoun is what was spoken of last, be it earlier in the turn."""
        action, things = part.action or "", part.things
        waiting = session.waiting
        if waiting is not None and not waiting.action and not part.it and set(things) <= set(PLACES):
            things = (*(one for one in things_of(waiting) if one not in things), *things)
        spoken = tuple(one for command in before for one in things_of(command) if one in INGREDIENTS)
        if not things and not part.it and action in _ALONE and session.container and not spoken:
            things = (f"*{session.container}*",)
        boxes = [
            one.strip("*") for command in before for one in things_of(command) if one.strip("*") in CONTAINERS
        ]
        box = boxes[-1] if boxes else session.container
        if action == "aprire" and part.into and box and not set(things) & set(CONTAINERS):
            things = (*things, f"*{box}*")
        food = tuple(one for one in session.things if one in INGREDIENTS)
        held = session.world.inside.get(session.container or "", ())
        if not things and part.every and len(held) > 1 and action in (*_OF_FOOD, *_ALONE):
            things = (f"*{session.container}*",)
        if not things and action in _OF_FOOD and food and not part.strange:
            things = tuple(f"*{one}*" for one in food)
        mixes = any(one in CONTAINERS for one in things) and any(one in INGREDIENTS for one in things)
        if part.it and part.into and mixes:  # put them in the pot with the water
            things = (*(f"*{one}*" for one in spoken or food if one not in things), *things)
        takes_food = any(need.startswith("thing") for need in ACTIONS[action])
        if part.it and takes_food and not any(one in INGREDIENTS for one in things):
            into = any(need.startswith(("container", "place")) for need in ACTIONS[action])
            loose = _LOOSE if action in (*_OF_FOOD, "passare") else ()
            cooked = tuple(
                one for one in session.world.inside.get(session.container or "", ()) if one not in _LOOSE
            )
            if (
                action == "mettere"
                and cooked
                and not spoken
                and set(session.things) <= {*_LOOSE, *CONTAINERS}
            ):
                spoken = cooked  # put it on a plate: the pasta, not the salt
            spoken = tuple(one for one in spoken if one not in loose)
            meant = (
                (spoken or tuple(one for one in session.things if one not in loose))
                if not things or (into and things[-1] in CONTAINERS)
                else ()
            )
            things = (*(f"*{one}*" for one in meant if one not in things), *things)
        order = {name: at for at, group in enumerate(_GROUPS) for name in group}
        if action in _INTO:
            things = tuple(sorted(things, key=lambda one: order[one.strip("*")]))
        return Predicate(action, (*part.quantity, *things))

    def _corrected(self, session: Session, part: Part) -> Predicate:
        """The last command with another thing of the same kind; it is taken back first."""
        last = session.done
        if last is None or session.undone is None:
            return self._command(session, part)
        arguments = list(last.arguments)
        for group in _GROUPS:
            new = [one for one in part.things if one in group]
            old = [at for at, one in enumerate(arguments) if one.strip("*") in group]
            if new and old:
                arguments[old[-1]] = new[0]
        if arguments == list(last.arguments) and not part.quantity:
            return self._put_there(session, part) or self._named(session, part)
        if part.quantity:
            arguments = [*part.quantity, *(one for one in arguments if not QUANTITY.fullmatch(one))]
        session.world = session.undone
        return Predicate(last.action, tuple(arguments))

    def _unknown(self, session: Session, command: Predicate) -> Lacking:
        said = self.words(session)["missing"].format(thing=" ".join(command.arguments)[:40])
        return Lacking(None, f"{said} {self.question(session)[0]}", command)

    def _obey(
        self, session: Session, commands: Sequence[Predicate], lead: Sequence[str],
        problem: Lacking | None = None,
    ) -> Answer:  # fmt: skip
        understood = (Meaning(tuple(stating("inform", "command", str(one)) for one in commands), 1.0),)
        done: list[Predicate] = []
        before = session.world.facts()
        commands = list(dict.fromkeys(commands))
        for at, command in enumerate(commands):
            try:
                done.append(self._carrying[session.language].carry_out(session, command))
            except Lacking as lacking:
                later = commands[at + 1 :]
                if lacking.idle and later:
                    continue  # the pot is on the stove; cook the potatoes
                if lacking.slot and any(one.action == command.action for one in later):
                    continue  # put the eggs, no, put the pan on the stove
                problem = lacking
                break
        facts = sorted(session.world.facts() - before)
        answer = self._told(session, done, problem, facts)
        return answer._replace(text=" ".join([*dict.fromkeys(lead), answer.text]), understood=understood)

    def _told(
        self, session: Session, done: list[Predicate], problem: Lacking | None, facts: list[str]
    ) -> Answer:
        said = self.words(session)
        sentences = [
            said["done"].format(predicate=self._telling[session.language].shown(one)) for one in done
        ]
        acts = [stating("inform", "done", str(one)) for one in done]
        acts += [stating("inform", "fact", one) for one in facts]
        session.waiting = problem.predicate if problem and problem.slot else None
        session.lacking = problem.slot if problem else None
        if problem is None:
            question, asks = self.question(session)
            return Answer(" ".join([*sentences, question]), (*acts, *asks))
        last = Act("request", problem.slot) if problem.slot else Act("canthelp")
        return Answer(" ".join([*sentences, problem.said]), (*acts, last))

    def _parts(self, session: Session, heard: Heard) -> list[Part]:
        return read_parts(heard.text, self._hearing[session.language], session.language)


def _bare_things(command: Predicate) -> set[str]:
    return {one.strip("*") for one in things_of(command)}


def _told_off(session: Session) -> bool:
    """Whether the last turn said that something is beyond the robot: what follows corrects nothing done."""
    return session.last is not None and session.last.acts[:1] == (Act("canthelp"),)


def _with(command: Predicate, things: Sequence[str]) -> Predicate:
    return Predicate(
        command.action, (*command.arguments, *(one for one in things if one not in command.arguments))
    )


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Things before a command that names none belong to it: `the potatoes, could you peel them`."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        names = (
            last is not None
            and last.things
            and not set(last.things) & set(PLACES)
            and not (last.action or last.denied or last.strange)
        )
        bare = part.things and not (part.action or part.denied or part.strange)
        if last is not None and names and part.action and part.it and not part.things:
            found[-1] = part._replace(things=last.things)
        elif (
            last is not None and names and bare and set(last.things) <= set(INGREDIENTS)
        ):  # flour, milk and eggs into the bowl
            found[-1] = part._replace(
                things=(*last.things, *part.things), quantity=(*last.quantity, *part.quantity)
            )
        else:
            found.append(part)
    return found
