"""Turns commands into predicates, asks for what they lack, carries them out, and says what it did.

It says what it does not know, what cannot be done as things stand, and why; it claims nothing done that was
not. What is in the kitchen, and what is said, stand in `data/kitchen.yaml`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, stating
from vivavoce_bots.chef.carrying import Lacking, Turn
from vivavoce_bots.chef.notation import Malformed, Predicate, looks_like_notation, read_predicates
from vivavoce_bots.chef.obeying import Obeying
from vivavoce_bots.chef.reading import read_clauses, tells
from vivavoce_bots.chef.sentences import Sentence, asks, in_order, sentences
from vivavoce_bots.chef.session import Session
from vivavoce_bots.chef.telling import Telling
from vivavoce_bots.chef.words import (
    CONTAINERS,
    DO_THAT,
    INGREDIENTS,
    LACKS,
    PLACES,
    SAID,
    WORDS,
    heard_as,
    learn_words,
    nods_along,
    says_yes,
)
from vivavoce_bots.chef.world import World, things_of
from vivavoce_bots.dialogue.beyond import told_apart
from vivavoce_bots.dialogue.clauses import asks_openly
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind
from vivavoce_bots.dialogue.standing import StandingBot
from vivavoce_bots.dialogue.talk import Answer, asked_for_more, joined

_LEAVES: Final = ("bye", "done")
_MOVES: Final = ("undo", "restart", "cancel", "repeat")


class ChefBot(StandingBot[Session]):
    """A cooking robot."""

    name: str = "chef"
    meant: ClassVar[Mapping[str, str]] = {"en": "I mean", "it": "intendevo"}
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed, learn_words)
        self._telling = {language: Telling(language) for language in self._hearing}
        self._obeying = {language: Obeying(language, one) for language, one in self._telling.items()}

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language)

    def words(self, session: Session) -> Mapping[str, str]:
        return SAID[session.language]

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"), Act("request", "command")))

    def about(self, session: Session, heard: Heard) -> bool:
        return looks_like_notation(heard.text) or heard.did("stops", "plan")

    def waits(self, session: Session) -> bool:
        return session.waiting is not None or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.let_go()

    def start_over(self, session: Session) -> None:
        self.let_go(session)
        session.world, session.boxes, session.things, session.done = World(), [], (), None
        session.tried, session.amounts, session.removed = None, {}, {}

    def help(self, session: Session) -> str:
        return self._telling[session.language].help(session.lacking)

    def _passed_over(self, session: Session, text: str, *, told: bool = False) -> str:
        return "" if told else super()._passed_over(session, text)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    def plain(self, session: Session, text: str) -> str:
        if looks_like_notation(text):
            return text
        if session.offered:
            text = says_yes(text, session.proposed, session.language)
        if session.proposed:  # is it on the stove? No. Then do that
            text = DO_THAT[session.language].sub(session.proposed, text)
        return heard_as(text, session.language)

    def standing(self, session: Session, kind: str) -> str | None:
        words, telling = self.words(session), self._telling[session.language]
        if kind == "advice" or (kind == "done" and session.world.inside):
            return None  # is it done? what is in the pan, not what was said
        if kind == "next":
            return words["such_as"].format(example=telling.example(session.world))
        if session.waiting is not None and kind not in ("noted", "what_did"):
            return words["not_yet"]
        last = telling.shown(session.done) if session.done else ""
        return words["last_done"].format(predicate=last) if last else words["no_facts"]

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        """What was done to food stays done."""
        settled = was["world"].worked != session.world.worked or was["world"].cooked != session.world.cooked
        if settled:
            session.world = was["world"]
        question, asks_for = self.question(session)
        lead = self.words(session)["settled" if settled else "undo"]
        return Answer(f"{lead} {question}", (Act("ack", None, "undo"), *asks_for))

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        words, waiting, telling = self.words(session), session.waiting, self._telling[session.language]
        if waiting is not None and session.lacking is not None:
            things = [one for one in things_of(waiting) if one in INGREDIENTS or one in CONTAINERS]
            gaps = {"action": telling.verb(waiting.action), "thing": telling.listed(things)}
            return words[session.lacking].format(**gaps), (Act("request", session.lacking),)
        if session.offered:
            return session.offered, (Act("request", "command"),)
        if session.done is not None:
            return words["more"], (Act("reqmore"),)
        return words["begin"], (Act("request", "command"),)

    # --- a turn --------------------------------------------------------------------------------------------

    def _turn(self, session: Session, text: str) -> Answer:
        """What is corrected or commanded is done, what is asked is answered, in the order of the turn."""
        if looks_like_notation(text):
            return super()._turn(session, text)
        turn = [self._sentence(session, sentence) for sentence in sentences(text, session.language)]
        turn = in_order(turn, session.language, waits=session.waiting is not None)
        named_only = [clause for one in turn for clause in one.clauses]
        for one in turn:  # a talking toaster: told besides
            one.clauses = [
                clause
                for clause in one.clauses
                if len(named_only) == 1 or one.asks or clause.action or clause.things or not clause.strange
            ]
        if not self._matters(session, turn):
            return super()._turn(session, text)
        session.changed = False
        before = session.snapshot()
        session.proposed = session.offered = ""
        answer = self._answered(session, turn)
        session.lost = session.stalled = 0
        session.remember(before)
        return answer

    def _sentence(self, session: Session, text: str) -> Sentence:
        language, hearing = session.language, self._hearing[session.language]
        heard = hearing.heard(text)
        topics = self._beyond[language]
        beyond = None if tells(text, language) else told_apart(text, topics)[0]
        clauses = read_clauses(text, hearing, language, lambda one: told_apart(one, topics)[0] is not None)
        things = any(clause.things or clause.mix for clause in clauses)
        if (heard.did(*_MOVES) and not things) or heard.did("stops"):
            clauses = []
        clauses = [clause for clause in clauses if not hearing.heard(clause.text).did("plan")]
        asking = asks(text, clauses, language) and not beyond
        if heard.did("done") and not WORDS[language]["asking"].match(text):
            asking = False  # that's it, I think?
        answers = not WORDS[language]["asking"].match(text) and not WORDS[language]["wh"].search(text)
        if session.waiting is not None and answers:
            asking = asking and not any(clause.things for clause in clauses)  # in the pan then?
        food = [one.value or "" for one in heard.all("thing") if one.value in INGREDIENTS]
        owns = WORDS[language]["owns"].search(text) and not things  # I have a chicken here
        tells_of = not asking and not clauses and all(map(session.world.where, food))
        spoken = food if beyond or tells_of or (owns and not asking) else []  # chop the onion; then peel it
        leaves = (
            not asking
            and (heard.did(*_LEAVES) or leaves_behind(heard))
            and (not any(clause.action for clause in clauses) or leaves_behind(heard) or heard.did("done"))
        )
        if heard.did("done") and food and WORDS[language]["nods"].match(text):
            leaves = False  # that's it, and now the rice
        beyond = None if leaves and not food and leaves_behind(heard) else beyond  # off to find a shirt, bye
        return Sentence(
            text,
            heard,
            clauses,
            asking,
            beyond,
            leaves,
            tuple(spoken),
            points=WORDS[language]["points"].search(text) is not None,
        )

    def _matters(self, session: Session, turn: Sequence[Sentence]) -> bool:
        """Whether a turn is about the kitchen; all else is courtesy and answered as by all bots."""
        for one in turn:
            if one.beyond or one.topic or any(clause.says for clause in one.clauses):
                return True
            if one.asks and not one.heard.did("help"):
                told = self._telling[session.language].answer(one.text, session)
                settles = told is not None and any(
                    act.act == "ack" and act.value in ("yes", "no") for act in told.acts
                )
                if one.heard.did(*_MOVES) and not settles:
                    continue
                if told is not None and told.known:
                    return True
        return False

    def _answered(self, session: Session, turn: Sequence[Sentence]) -> Answer:
        done = Turn()
        commands = any(clause.action for one in turn if not one.asks for clause in one.clauses)
        carried = 0
        for one in turn:
            if one.beyond and not (commands and one.beyond == self._beyond[session.language].says["dishes"]):
                done.said.append(one.beyond)
                done.acts.append(Act("canthelp"))
            session.speak_of(one.topic)
            if one.asks:
                self._tell(session, done, one)
                continue
            if one.heard.did("undo") and not one.clauses and session.undone is not None:
                session.world = session.undone
                done.said.append(self.words(session)["undo"])
            for at, clause in enumerate(one.clauses):
                more = any(
                    two.action and two.it
                    for two in [
                        *one.clauses[at + 1 :],
                        *(two for later in turn[turn.index(one) + 1 :] for two in later.clauses),
                    ]
                )
                clause = clause._replace(retracts=max(clause.retracts, carried))
                carried = 0
                if not clause.says and not clause.amounts:
                    carried = clause.retracts
                elif not done.stopped or clause.place or (clause.food and clause.target):
                    self._obeying[session.language].take_in(session, done, clause, more=more)
        last = max((at for at, one in enumerate(turn) if one.clauses), default=0)  # that's all; no, the salt!
        goes = (one.leaves and (one is turn[-1] or one.heard.did(*_LEAVES)) for one in turn[last:])
        return self._composed(session, done, turn, leaves=any(goes))

    def _composed(
        self, session: Session, done: Turn, turn: Sequence[Sentence] = (), *, leaves: bool
    ) -> Answer:
        telling, problem = self._telling[session.language], done.problem
        if problem and problem.slot and done.done and problem.predicate.action == done.done[-1][0].action:
            problem = None  # put the eggs, no, put the pan on the stove
        if problem is not None and problem.why == "nowhere":  # it wants a place first
            session.wish = problem.predicate
            problem = Lacking("place", problem.said, Predicate("mettere", (problem.thing,)))
        elif (problem is not None or session.wish is not None) and not leaves:
            wish = problem.predicate if problem is not None else session.wish
            session.offered, session.proposed = telling.offer(
                problem.why if problem else "cold", wish, session.world
            ) or ("", session.proposed)
        session.wish = session.wish if problem is not None and problem.slot else None
        session.waiting = problem.predicate if problem and problem.slot else None
        session.lacking = problem.slot if problem else None
        kept = {telling.shown(one): one for one, _, _ in done.done}
        said = [one for one in done.said if one]
        facts = sorted(session.world.facts() - done.done[0][1].facts()) if done.done else []
        acts = [stating("inform", "done", str(one)) for one in kept.values()]
        acts += [stating("inform", "fact", fact) for fact in facts]
        acts = [*acts, *dict.fromkeys(done.acts)]
        if not said and any(clause.mix for one in turn for clause in one.clauses):
            said = [self.words(session)["no_recipes"]]  # an omelette
        understood = (Meaning(tuple(stating("inform", "command", str(one)) for one in done.understood), 1.0),)
        if leaves and session.waiting is None:
            bye = self.farewell(session)
            return Answer(joined([*said, bye.text]), (*acts, *bye.acts), understood, end=True)
        question, asks_for = self.question(session)
        return Answer(joined([*dict.fromkeys(said), question]), (*acts, *asks_for), understood)

    # --- questions and courtesy ----------------------------------------------------------------------------

    def _tell(self, session: Session, done: Turn, sentence: Sentence) -> None:
        """Answer a question; what cannot be answered is said once, and scolding not at all."""
        telling = self._telling[session.language]
        things = {at for one in sentence.heard.all_spans("thing") for at in range(one.start, one.end)}
        said = [word for at, word in enumerate(sentence.heard.said) if at not in things]
        strange = [word for word in said if word in LACKS[session.language]] or sentence.lacking
        told = telling.answer(sentence.text, session, strange)
        named_there = [one.value or "" for one in sentence.heard.all("thing")]
        if told is None or told.text != self.words(session)["up_to_you"]:
            spoken = session.food
            session.speak_of([session.as_used(one) for one in named_there if one not in PLACES])
            if spoken and not any(map(session.world.where, spoken)) and not session.food:
                session.things = spoken  # do I put them in the pan?
        else:  # does the pan want butter? Butter it is
            things = session.things
            session.speak_of([one for one in named_there if one in CONTAINERS])
            session.things = things
        if told is None or (not told.known and not asks_openly(sentence.text, session.language)):
            return
        if told.offer[0]:
            session.offered, session.proposed = told.offer
        if told.acts == (Act("ack", None, "no"),) and not told.offer[0]:
            session.asked_at = next((one for one in named_there if one in PLACES), None)
            held = [session.container] if session.container else []
            session.proposed = telling.proposal([*named_there, *session.things, *held])
        if told.known or told.text not in done.said:
            done.said.append(told.text)
        done.acts += told.acts

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        if looks_like_notation(heard.text):
            return self._obey_notation(session, heard.text)
        words = self.words(session)
        if heard.did("negate") and heard.did("enough") and asked_for_more(session.last):
            return self.farewell(session)
        open_ = session.waiting is not None or bool(session.offered)
        kept = heard.did("stops") or (heard.did("negate", "not") and open_)
        if heard.did("negate") and asked_for_more(session.last) and not heard.rest and not kept:
            return self.farewell(session)
        if kept or (heard.did("plan") and session.done is None):
            self.let_go(session) if kept else None
            question, asks_for = self.question(session)
            return Answer(f"{words['kept' if kept else 'plan']} {question}", asks_for)
        nods = nods_along(heard.text)
        if nods or (heard.did("affirm") and session.waiting is None):
            return Answer(*self.question(session))
        return None

    def _obey_notation(self, session: Session, text: str) -> Answer:
        try:
            commands = read_predicates(text)
        except Malformed as error:
            return Answer(self.words(session)["malformed"].format(why=error), (Act("repeat"),))
        done = Turn()
        for command in commands:
            if not self._obeying[session.language].do(session, done, command, last=True):
                break
        return self._composed(session, done, leaves=False)
