"""Turns commands into predicates, asks for what they lack, carries them out, and says what it did.

Simple and honest: it knows a handful of things, says what it does not know, what cannot be done as things
stand, and why, and claims nothing done that was not. What is in the kitchen, and what is said, stand in
`data/kitchen.yaml`.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, stating
from vivavoce_bots.chef.carrying import Carrying, Lacking, Session
from vivavoce_bots.chef.commands import GROUPS, LOOSE, Commands, in_order, told_off, with_things
from vivavoce_bots.chef.notation import Malformed, Predicate, looks_like_notation, read_predicates
from vivavoce_bots.chef.reading import Part, read_parts
from vivavoce_bots.chef.telling import Telling, Told
from vivavoce_bots.chef.words import (
    CONTAINERS,
    DO_THAT,
    INGREDIENTS,
    PLACES,
    SAID,
    VERBS,
    heard_as,
    learn_words,
)
from vivavoce_bots.chef.world import World, things_of
from vivavoce_bots.dialogue.beyond import told_apart
from vivavoce_bots.dialogue.clauses import asks_openly, quoted
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.standing import StandingBot
from vivavoce_bots.dialogue.talk import Answer, asked_for_more

_SENTENCE: Final = re.compile(
    r"(?<=[.!?])\s+|,\s*(?=(?:what|where|is|are|how|which|che cosa|cosa|dove|è|quale|com'è|o|or|oppure)\b)",
    re.I,
)
_REQUEST: Final = re.compile(
    r"\b(?:can|could|will|would|won't|may|shall) (?:you|we|i)\b|\b(?:puoi|potresti|può|potrebbe|"
    r"mi|ci|vuoi|vorresti|posso)\b",
    re.I,
)
_WHERE: Final = re.compile(r"\W*(?:e |ma |and |but )?(?:dove|come|che|perché|where|how|what|why)\b", re.I)
_MOST_SENTENCES: Final = 10
_TAG: Final = 3  # words of a question that only stresses what was said: where else?
_ASIDE: Final = ("bye", "done", "help", "undo", "repeat", "insult", "dontknow", "dontcare", "suggest")


class ChefBot(Commands, StandingBot[Session]):
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
        if (
            heard.did("stops")
            or looks_like_notation(heard.text)
            or self._telling[session.language].asked(heard)
        ):
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

    def _passed_over(self, session: Session, text: str, *, told: bool = False) -> str:
        return "" if told else super()._passed_over(session, text)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    def plain(self, session: Session, text: str) -> str:
        hearing = self._hearing[session.language]
        if looks_like_notation(text):
            return text
        if session.proposed:  # is it on the stove? No. Then do that
            text = DO_THAT[session.language].sub(session.proposed, text)
        if told_apart(text, self._beyond[session.language])[0]:  # chop the onion. Then peel it
            named = [one.value or "" for one in hearing.heard(text).all("thing")]
            session.speak_of([one for one in named if one in INGREDIENTS])
        return heard_as(text, hearing, session.language)

    def standing(self, session: Session, kind: str) -> str | None:
        words, telling = self.words(session), self._telling[session.language]
        if kind == "next":
            return words["such_as"].format(example=telling.example(session.world))
        if kind == "advice":
            return words["up_to_you"]
        if session.waiting is not None and kind not in ("noted", "what_did"):
            return words["not_yet"]
        last = telling.shown(session.done) if session.done else ""
        return words["last_done"].format(predicate=last) if last else words["no_facts"]

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
        answer = self._answered(session, heard)
        ends = answer is not None and heard.did("done") and answer.acts[-1:] == (Act("reqmore"),)
        return self._parted(session, answer) if answer is not None and ends else answer

    def _answered(self, session: Session, heard: Heard) -> Answer | None:
        if looks_like_notation(heard.text):
            return self._obey_notation(session, heard.text)
        if heard.did("stops") and not any(part.action for part in self._parts(session, heard)):
            self.let_go(session)
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['kept']} {question}", asks)
        asked, rest = self._apart(session, heard)
        told = self._telling[session.language].answer(asked, session.world, session.container, session.things)
        if told is not None or rest is not None:
            return self._and_told(session, rest, asked)
        parts = self._parts(session, heard)
        strange = [word for part in parts for word in part.strange]
        if heard.did("have") and heard.text.rstrip().endswith("?") and strange:
            return self._missing(session, strange)
        if told is None and self._asks(session, heard) and any(part.things or part.it for part in parts):
            return self._state_of(session, heard, parts)
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
        requests = _REQUEST.search(heard.text) and not _WHERE.match(heard.text)
        return is_question(heard.text, session.language) and not commands and not requests

    def _state_of(self, session: Session, heard: Heard, parts: Sequence[Part]) -> Answer:
        """What is known where something else was asked of a thing: where it is."""
        things = [one for part in parts for one in part.things] or list(session.things)
        named = any(part.things for part in parts)
        told = self._telling[session.language].places(things, session.world) if named else ""
        if not heard.did("have", "holds"):
            session.speak_of([one for part in parts for one in part.things])
        question, asks = self.question(session)
        return Answer(" ".join(filter(None, [told or self._unanswered(session), question])), asks)

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
        first = next((one for one in asked if telling.asked(one)), asked[0] if asked else heard)
        known = telling.asked(first) and len(asked) > 1
        return (first, rest if commands else None) if asked and (commands or known) else (heard, None)

    def _and_told(self, session: Session, rest: Heard | None, asked: Heard) -> Answer:
        """What is commanded is done before what is asked is answered."""
        before = [one for one in session.things if one in INGREDIENTS]
        has = asked.did("have")  # have you got rice? Put that in
        session.speak_of([one.value or "" for one in asked.all("thing") if has or one.value in PLACES])
        did = self._obey_parts(session, rest, self._parts(session, rest)) if rest is not None else None
        spoken = tuple(dict.fromkeys((*session.things, *before)))
        told = self._telling[session.language].answer(asked, session.world, session.container, spoken)
        known = [one.value or "" for one in asked.all("thing")]
        denied = told is not None and told.acts == (Act("ack", None, "no"),)
        session.speak_of([one for one in known if denied or asked.did("where") or session.world.where(one)])
        session.proposed = ""
        if denied:
            held = [session.container] if session.container else []
            session.proposed = self._telling[session.language].proposal([*known, *spoken, *held])
        question, asks = self.question(session)
        lacks = [word for part in self._parts(session, asked) for word in part.strange]
        if told is None and lacks and asked.did("have", "holds"):
            told = Told(self.words(session)["missing"].format(thing=" ".join(lacks)[:40]), ())
        if (
            told is None
            and did is None
            and len(asked.said) > _TAG
            and asks_openly(asked.text, session.language)
        ):
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
            and (heard.did("negate", "meant") or _denies(session.done, parts))
            and not told_off(session)
            and not any(part.into and len(part.things) > 1 for part in parts)  # the pan on the stove
        )
        denied = {one for part in parts for one in part.denied}
        if session.waiting is not None and denied & set(session.waiting.arguments):
            kept = tuple(one for one in session.waiting.arguments if one not in denied)
            session.waiting = session.waiting._replace(arguments=kept)
        swaps, problem = False, None
        for part in _joined(parts):
            swapped, swaps = swaps, part.kinds[-1:] == ("negate",)
            wrong = Predicate(part.action or "", part.strange)
            if part.action and part.denied and not (part.things or part.it or part.strange or part.stopped):
                continue  # add some milk, no, no milk
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
                groups = [group for group in GROUPS if set(part.things) & set(group)]
                kept = [one for one in last.arguments if not any(one in group for group in groups)]
                commands[-1] = with_things(last._replace(arguments=tuple(kept)), part.things)
            elif part.action is not None and not (corrects and self._replaces(session, part)):
                commands.append(self._command(session, part, commands))
            elif corrects and session.done and part.things and set(part.things) <= _bare_things(session.done):
                lead.append(
                    self.words(session)["so"].format(
                        predicate=self._telling[session.language].shown(session.done)
                    )
                )
            elif corrects and (part.things or part.action):
                commands.append(self._corrected(session, part, denied))
                lead += [self.words(session)["instead"]] if commands[-1] != session.done else []
            elif commands and part.things == ("piatto",) and (served := self._put_there(session, part)):
                commands.append(served)
            elif commands and part.things and (placed := self._placed(commands[-1], part)):
                commands.append(placed)
            elif commands and part.things:
                commands += self._with_more(commands.pop(), part)
            elif (
                part.things
                and session.done
                and len(parts) > 1
                and set(part.things) <= _bare_things(session.done)
            ):
                continue  # oil and tomato, well: it was done
            elif part.things and not part.strange:
                commands.append(self._put_there(session, part) or self._named(session, part))
        told_of = list(takewhile(lambda one: not one.action, commands))
        if len(told_of) < len(commands):  # the pan will do. Put the butter in
            session.speak_of([box for one in told_of for box in one.arguments if box in CONTAINERS])
        if any(one.action for one in commands):  # a thing that is only told of asks for nothing
            commands = [one for one in commands if one.action]
        return self._obey(
            session, [one for all_ in commands for one in in_order(all_, session)], lead, problem
        )

    def _unknown(self, session: Session, command: Predicate) -> Lacking:
        said = self.words(session)["missing"].format(thing=" ".join(command.arguments)[:40])
        return Lacking(None, said, command)

    def _obey(
        self, session: Session, commands: Sequence[Predicate], lead: Sequence[str],
        problem: Lacking | None = None,
    ) -> Answer:  # fmt: skip
        understood = (Meaning(tuple(stating("inform", "command", str(one)) for one in commands), 1.0),)
        done: list[Predicate] = []
        before = session.world.facts()
        commands = list(dict.fromkeys(commands))
        commands = [
            one for at, one in enumerate(commands) if not any(_covers(two, one) for two in commands[:at])
        ]
        for at, command in enumerate(commands):
            try:
                done.append(self._carrying[session.language].carry_out(session, command))
            except Lacking as lacking:
                later = commands[at + 1 :]
                if lacking.idle and (later or done):
                    continue  # the pot is on the stove; cook the potatoes
                if (
                    lacking.slot
                    and later
                    and (
                        lacking.slot == "thing"
                        or not command.arguments
                        or any(one.action == command.action for one in later)
                    )
                ):
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
        question = "" if problem.slot else self.question(session)[0]
        return Answer(" ".join(filter(None, [*sentences, problem.said, question])), (*acts, last))

    def _parts(self, session: Session, heard: Heard) -> list[Part]:
        return read_parts(heard.text, self._hearing[session.language], session.language)


def _bare_things(command: Predicate) -> set[str]:
    return {one.strip("*") for one in things_of(command)}


def _covers(first: Predicate, then: Predicate) -> bool:
    """Whether a command does nothing beyond one before it in its turn: take the milk out; the milk."""
    again = first.action == then.action == "togliere" or (
        then.action == "aggiungere" and first.action in ("mettere", "aggiungere")
    )
    return again and _bare_things(then) <= _bare_things(first)


def _denies(done: Predicate | None, parts: Sequence[Part]) -> bool:
    """Whether something of the last command was not meant: `not the bowl`."""
    return done is not None and any(set(part.denied) & _bare_things(done) for part in parts)


def _joined(parts: Sequence[Part]) -> list[Part]:
    """Things before a command that names none belong to it: `the potatoes, could you peel them`."""
    found: list[Part] = []
    for part in parts:
        last = found[-1] if found else None
        acted = any(one.action for one in found)
        names = (
            last is not None
            and last.things
            and not set(last.things) & set(PLACES)
            and not (last.action or last.denied or last.strange)
        )
        goes = part.it and set(part.things) <= {*PLACES, *CONTAINERS}
        bare = part.things and not (part.action or part.denied or part.strange)
        season = last is not None and part.action == "cuocere" and set(last.things) <= set(LOOSE)
        if last is not None and names and part.action and goes and not season:
            found[-1] = part._replace(things=(*last.things, *part.things), it=not part.things)
        elif (
            last is not None
            and names
            and bare
            and not (acted and set(part.things) <= set(PLACES))
            and (
                (set(last.things) <= set(CONTAINERS) and set(part.things) <= set(PLACES))
                or set(last.things) <= set(INGREDIENTS)
                or not (acted or part.into or last.into)
            )
        ):  # flour, milk and eggs into the bowl
            found[-1] = part._replace(
                things=tuple(dict.fromkeys((*last.things, *part.things))),
                quantity=(*last.quantity, *part.quantity),
            )
        else:
            found.append(part)
    return found
