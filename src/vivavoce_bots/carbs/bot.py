"""Asks what was eaten, settles what and how much, and adds up the carbohydrates; the system leads."""

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.carbs.answers import ASKED, AnsweringBot
from vivavoce_bots.carbs.foods import Food, Lexicon, Quantity, learn_phrases, read_manner
from vivavoce_bots.carbs.meal import Changes, Eaten, Session
from vivavoce_bots.carbs.reading import Reader
from vivavoce_bots.carbs.strategy import strategies
from vivavoce_bots.carbs.turn import Fact, Op, Turn
from vivavoce_bots.dialogue.beyond import told_apart
from vivavoce_bots.dialogue.clauses import taunts
from vivavoce_bots.dialogue.feelings import feeling, taken_up
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind
from vivavoce_bots.dialogue.indirect import not_known
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import LANGUAGES
from vivavoce_bots.dialogue.talk import Answer, asked_for_more, joined

_YES: Final = re.compile(r"\W*(?:yes|yeah|yep|sure|s[iì])\b", re.I)
_GREETED: Final = re.compile(
    r"\b(how are (?:you|things)|come (?:stai|sta|va))(?: doing)? (?:today|oggi)\b", re.I
)
_MUSING: Final = re.compile(r"^\W*(?:m+|hm+|beh|allora)\W+vediamo(?: un po')?(?=\W*$)", re.I)
_GRAMS: Final = re.compile(r"\d+(?:[.,]\d+)?")
_FEW: Final = 4  # words of an answer that only names what an unknown food is like
_UNSURE: Final = ("usual", "dontknow", "dontcare", "suggest")
_OFFENDED: Final = ("insult", "complaint", "said", "twice")


class CarbsBot(AnsweringBot):
    """Counts carbohydrates. `variant` names the strategies that are switched on."""

    name: str = "carbs"
    variants: ClassVar[tuple[str, ...]] = tuple(strategies())

    def __init__(self, variant: str = "control", seed: int = 1) -> None:
        super().__init__(seed, learn_phrases)
        self._strategy = strategies()[variant]
        self._sentences = {language: self._strategy.sentences(language) for language in LANGUAGES}

    # --- the conversation ----------------------------------------------------------------------------------

    def plain(self, session: Session, text: str) -> str:
        return _MUSING.sub("un attimo", _GREETED.sub(r"\1", text))

    def begin(self, language: str) -> Session:
        return Session(language, lexicon=Lexicon(language))

    def words(self, session: Session) -> Mapping[str, str]:
        return self._sentences[session.language]

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"), *ASKED))

    def reply(self, session: Session, texts: Texts) -> Reply:
        reply = super().reply(session, texts)
        told = feeling(texts[0][0], session.language) if texts and self._strategy.empathy else None
        if told is not None:
            session.last = reply = taken_up(reply, self.words(session)[told])
        return reply

    def standing(self, session: Session, kind: str) -> str | None:
        if kind == "advice":
            return None
        if kind == "next":
            return self.words(session)["help_how_much" if self._measures(session) else "next"]
        return self.words(session)["next"] if kind == "done" else self._noted(session, ())

    def about(self, session: Session, heard: Heard) -> bool:
        return False  # what is about the meal was read before

    def waits(self, session: Session) -> bool:
        return (
            session.item is not None or bool(session.either) or session.over or asked_for_more(session.last)
        )

    def let_go(self, session: Session) -> None:
        """What is being settled is left out."""
        session.either, session.learning = [], False
        if session.item is not None:
            session.meal.remove(session.item)
        self._settle(session)

    def start_over(self, session: Session) -> None:
        session.meal, session.gone, session.spoken, session.either = [], [], None, []
        session.settled = session.over = False
        self._settle(session)

    def help(self, session: Session) -> str:
        kind = "help_how_much" if self._measures(session) else "help_like" if session.item else "help"
        return self.words(session)[kind]

    def finish(self, session: Session) -> Answer:
        """The total; of what is still open usual portions are taken."""
        in_vain = not session.meal and session.last is not None and session.last.acts[-1:] == ASKED
        if (session.settled and session.over) or (in_vain and not session.either):
            return self.farewell(session)
        said, acts = self._sum(session)
        session.over = True
        return Answer(said, acts or (Act("reqmore"),))

    def farewell(self, session: Session) -> Answer:
        """Goodbye, with the total where it was not told yet."""
        bye = super().farewell(session)
        if session.settled or not any(one.food for one in session.meal):
            return bye
        said, acts = self._sum(session)
        return Answer(joined([said, bye.text]), (*acts, *bye.acts), end=True)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    # --- what is said --------------------------------------------------------------------------------------

    def answered(self, session: Session, text: str) -> Answer:
        framed = unframed(text, session.language)
        heard = self._hearing[session.language].heard(framed.text)
        turn = self._read(session, text)
        self._requote(session, text, turn)
        snapshot = session.snapshot()
        if (liked := self._likened(session, heard, turn)) is not None:
            session.remember(snapshot)
            return liked
        if heard.did("restart"):
            turn.ops = [one for one in turn.ops if one.kind == "ate"]
            if not turn.ops:
                return super().answered(session, text)
            self.start_over(session)
        item = session.item
        turn.done = turn.done or (item is not None and heard.did("done") and "?" not in text)
        if self._says_portion(session, heard, turn):
            turn.ops.insert(0, Op("amount", quantity=Quantity(None, 1.0)))
        if (
            item is not None
            and not turn.ops
            and not turn.asks
            and not turn.done
            and heard.did("negate")
            and len(heard.rest) < 2
        ):
            turn.ops.append(Op("not", item.written, item.food))
        thanks = turn.done and heard.did("thankyou") and "?" not in text
        leaves = thanks or self._leaves(session, heard, framed.text)
        matters = turn.ops or turn.choice or turn.facts or turn.held or turn.others
        matters = matters or (turn.both and session.either)
        matters = matters or {*turn.asks} - {"other"}
        parts = read_manner(session.language).forms["leaves"].search(framed.text) is not None
        if not matters and session.eaten and read_manner(session.language).forms["wrong"].search(text):
            lines = self._lines(session, session.eaten, counted=True)
            return Answer(self.words(session)["check"].format(lines=lines), (Act("reqmore"),))
        if not matters and not parts and not (turn.done and (thanks or not leaves)):
            return super().answered(session, text)
        answer = self._done(session, heard, turn, leaves=leaves, frame=framed.frame)
        session.lost = session.stalled = session.vain = 0
        session.remember(snapshot)
        return answer

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        """Yes and no, where nothing is said of the meal."""
        if session.item is not None and heard.did("negate"):
            self.let_go(session)
            return Answer(*self.question(session))
        if self.waits(session) and heard.did("negate") and len(heard.rest) < 2:
            return self.finish(session)
        if heard.did("affirm") and session.settled and not _YES.match(heard.text):
            session.over = True
            return Answer(*self.question(session))
        if heard.did("affirm") and asked_for_more(session.last):
            return Answer(self.words(session)["go_on" if session.eaten else "begin"], ASKED)
        if self._strategy.empathy and feeling(heard.text, session.language):
            return Answer(*self.question(session))
        return None

    def _read(self, session: Session, text: str) -> Turn:
        last = session.last.text if session.last else ""
        return Reader(
            session.lexicon,
            self._hearing[session.language],
            told=last,
            summed=session.last is not None and any(act.slot == "carbohydrates" for act in session.last.acts),
            asked=self._measures(session),
            wants=session.item is None,
            held=frozenset(one.written for one in session.meal),
            quoted=self._quoted(session),
        ).read(text)

    def _quoted(self, session: Session) -> dict[str, Op]:
        """The foods whose grams were told last, by these, where no other has as many."""
        last = session.last.text if session.last else ""
        told = [one for one in session.eaten if self._lines(session, [one]) in last]
        grams = [one.grams for one in told]
        return {
            f"{one.grams:g}": Op("spoke", one.written, one.food)
            for one in told
            if grams.count(one.grams) == 1
        }

    def _requote(self, session: Session, text: str, turn: Turn) -> None:
        """An amount behind one that was told is of that food: 150 is wrong, it was 100."""
        said = set(_GRAMS.findall(in_digits(text, session.language, ordinals=False)))
        quoted = [session.find(op) for grams, op in self._quoted(session).items() if grams in said]
        at = next((at for at, one in enumerate(turn.ops) if one.kind == "amount"), None)
        if (
            len(quoted) != 1
            or quoted[0] is None
            or at is None
            or any(one.kind == "ate" for one in turn.ops[:at])
        ):
            return
        if turn.ops[at].quantity.grams != quoted[0].grams:
            turn.ops[at] = Op("ate", quoted[0].written, quoted[0].food, turn.ops[at].quantity)

    def _measures(self, session: Session) -> bool:
        """Whether it is asked how much."""
        return session.item is not None and session.item.food is not None and not session.either

    def _says_portion(self, session: Session, heard: Heard, turn: Turn) -> bool:
        """Whether yes, or words of not knowing, answer how much of it."""
        if not self._measures(session) or any(one.kind == "amount" for one in turn.ops):
            return False
        own = any(
            session.item and one.food == session.item.food and one.quantity != Quantity() for one in turn.ops
        )
        unsure = heard.did(*_UNSURE) or (heard.did("affirm", "enough") and not heard.did("negate"))
        return unsure and not own and "other" not in turn.asks and "?" not in heard.text.split(".")[0]

    def _leaves(self, session: Session, heard: Heard, text: str) -> bool:
        """Whether a turn says goodbye, wherever."""
        last = text.rpartition("?")[2]
        ends = leaves_behind(heard) or (heard.did("bye") and "?" not in text)
        ends = ends or read_manner(session.language).forms["leaves"].search(last) is not None
        return ends and session.last is not None

    def _done(self, session: Session, heard: Heard, turn: Turn, *, leaves: bool, frame: str | None) -> Answer:
        """Do what a turn says, answer what it asks, then ask what comes next, or part."""
        words, asked = self.words(session), session.item
        ops = self._chosen(session, turn)
        held = list(session.meal)
        made = session.apply(ops)
        denied = [one.food for one in ops if one.kind == "not"]
        turn.held = [one for one in turn.held if one.food not in denied]
        turn.asks = [ask for ask in turn.asks if ask != "noted" or turn.held or not denied]
        lost = [one for one in turn.held if session.find(one) is None and not self._gone(session, one)]
        lost = [] if "said" in turn.asks else lost
        if lost and ("got" in turn.asks or not made.any):  # where is my lasagne? what about the ham?
            later = session.apply([one._replace(quantity=Quantity()) for one in lost])
            made.noted += later.noted
            made.pending += later.pending
            turn.held = [one for one in turn.held if one not in lost]
            turn.asks = [ask for ask in turn.asks if ask != "noted" or turn.held]
        if heard.did("usual"):
            self._usual(session, made)
        unlike, acts = self._settle(session)
        said = [words["sorry"]] if self._sorry(session, heard, frame, made, held) else []
        said += [*unlike, *self._told(session, made, asked)]
        aside = turn.others or any(one.past for one in ops)
        if aside and not made.any and not made.same:
            said.append(words["only_told"])
        answers, known = self._replies(session, turn, heard, [*made.noted, *made.pending], asked)
        said, acts = [*said, *answers], [*acts, *known]
        if not said and made.same and "total" not in turn.asks and not leaves:
            said.append(words["noted"].format(lines=self._lines(session, list(dict.fromkeys(made.same)))))
        ends = turn.done or leaves or (asked_for_more(session.last) and self._refuses(heard, made))
        summed = any(act.slot == "carbohydrates" for act in session.last.acts) if session.last else False
        if (
            "total" in turn.asks
            or (summed and (made.noted or made.gone) and heard.text.rstrip().endswith("?"))
            or (ends and not session.settled and session.meal)
        ):
            told, summed = self._sum(session)
            said.append(told)
            acts += summed
        understood = (
            Meaning(tuple(stating("inform", "food", one.written) for one in ops if one.written), 1.0),
        )
        if leaves:
            bye = super().farewell(session)
            return Answer(joined([*said, bye.text]), (*acts, *bye.acts), understood, end=True)
        if ends and session.item is None and not session.either:
            session.over = True
            if not said:
                return super().farewell(session)
            return Answer(joined(said), tuple(acts) or (Act("reqmore"),), understood)
        question, asks = self.question(session)
        return Answer(joined([*said, question]), (*acts, *asks), understood)

    def _refuses(self, heard: Heard, made: Changes) -> bool:
        """Whether a turn says that there is no more."""
        short = len(heard.rest) < 2 and not (made.any or made.same)
        return short and heard.did("negate") and heard.said[:1] == ["no"] and not heard.did("onlyasked")

    def _sorry(
        self, session: Session, heard: Heard, frame: str | None, made: Changes, held: Sequence[Eaten]
    ) -> bool:
        """Whether an excuse is due: something was put right for somebody who is cross."""
        cross = frame in _OFFENDED or heard.did("insult", "complaint")
        last = session.last.text if session.last else ""
        news = [one for one in made.noted if one not in held]
        put_right = made.swapped or made.gone or (made.noted and (frame in _OFFENDED or not news))
        return cross and bool(put_right) and not last.startswith(self.words(session)["sorry"])

    def _gone(self, session: Session, one: Op) -> bool:
        return any(gone.food == one.food for gone in session.gone)

    def _usual(self, session: Session, made: Changes) -> None:
        """Take a usual portion of what was just named: a normal beer."""
        for one in [one for one in made.pending if one.food is not None]:
            one.grams = one.food.portion if one.food else None
            made.pending.remove(one)
            made.noted.append(one)

    def _chosen(self, session: Session, turn: Turn) -> list[Op]:
        """What a turn does, with the answer to which of two foods it was."""
        ops = turn.ops
        if session.either:
            number = next((one.quantity.number for one in ops if one.kind == "amount"), None)
            named = [one for one in session.either if any(op.kind == "ate" and op.names(one) for op in ops)]
            named = session.either if turn.both else named
            if not named and number in range(1, len(session.either) + 1):
                named = [session.either[int(number or 1) - 1]]
                ops = [one for one in ops if one.kind != "amount"]
            if len(named) == 1 or ops or turn.both:
                gone = [
                    one._replace(kind="not")
                    for one in session.either
                    if one not in named and session.find(one)
                ]
                whole = [one for one in named if not any(op.names(one) for op in ops)]
                ops, session.either = [*gone, *ops, *(one._replace(kind="ate") for one in whole)], []
        if turn.choice:
            held = [one for one in turn.choice if session.find(one)]
            spoken = session.spoken
            if len(turn.choice) == 1 and spoken is not None and spoken in session.meal:
                held, turn.choice = [], [Op("ate", spoken.written, spoken.food), *turn.choice]
            session.either = turn.choice[:3] if len(turn.choice) > 1 else []
            ops = (
                ops if session.either or held else [*ops, *(one._replace(kind="ate") for one in turn.choice)]
            )
        return ops

    def _replies(
        self,
        session: Session,
        turn: Turn,
        heard: Heard,
        told: Sequence[Eaten],
        asked: Eaten | None,
    ) -> tuple[list[str], list[Act]]:
        """The answers to what a turn asks besides the total."""
        said, acts = self._facts(session, turn.facts if "portion" not in turn.asks else ())
        if turn.disputed is not None and not told:
            said.append(self._noted(session, [turn.disputed._replace(quantity=Quantity(1.0))]))
        if "noted" in turn.asks and "total" not in turn.asks:
            said.append(self._noted(session, turn.held, told))
        if "portion" in turn.asks:
            foods = [(fact.written, fact.food) for fact in turn.facts if fact.food]
            nearest = asked or session.item or session.spoken
            foods = foods or (
                [(nearest.written, nearest.food)] if nearest is not None and nearest.food else []
            )
            said.append(self._portion(session, foods) or self.help(session))
        if "what" in turn.asks and not turn.facts:
            said += self._what(session, heard, turn)
        if "everything" in turn.asks:
            said.insert(0, self.words(session)["everything"])
        if "without" in turn.asks:
            said.append(self._without(session, turn.held))
        muses = read_manner(session.language).forms["muses"]
        for clause in turn.apart:  # it was two, or was it three?
            if not taunts(clause, session.language) and not (turn.ops and muses.search(clause)):
                said.append(self._apart(session, clause))
        return list(dict.fromkeys(said)), acts

    def _what(self, session: Session, heard: Heard, turn: Turn) -> list[str]:
        """How many carbohydrates, of nothing that is named: of what is asked about, else in all."""
        amount = session.lexicon.quantity(heard.text)
        food = session.item.food if session.item else session.named if session.informed else None
        if food is not None and (amount.grams or not session.eaten):
            return self._facts(session, [_fact(food, session.language, amount)])[0]
        if session.eaten:
            turn.asks.append("total")
            return []
        return [self.help(session)]

    def _apart(self, session: Session, clause: str) -> str:
        """What is said to a question that is not about the meal."""
        heard, forms = self._hearing[session.language].heard(clause), read_manner(session.language).forms
        if forms["idle"].search(clause):
            return ""
        beyond, _ = told_apart(clause, self._beyond[session.language])
        if beyond:
            return beyond
        if heard.did("whoareyou", "service", "human") or forms["who"].search(clause):
            return self._courtesy(session, "whoareyou")
        if heard.did("help", "dontknow", "suggest"):
            return self._helped(session, "")
        if heard.did("why", "howareyou"):
            return self._courtesy(session, "why" if heard.did("why") else "howareyou")
        return not_known(clause, session.language) or self._unanswered(session)

    def _likened(self, session: Session, heard: Heard, turn: Turn) -> Answer | None:
        """The answer to which known food an unknown one is like; None where that is passed over."""
        item = session.item
        if item is None or item.food is not None or session.either:
            return None
        named = [one for one in turn.ops if one.kind == "ate" and one.food is not None]
        amount = session.lexicon.quantity(heard.text)
        chosen = next(
            (one.food for one in named if one.food in session.choices or len(heard.said) <= _FEW), None
        )
        number = amount.number
        if (
            chosen is None
            and not named
            and number is not None
            and number in range(1, len(session.choices) + 1)
        ):
            chosen = session.choices[int(number) - 1]
        if chosen is None and len(session.choices) == 1 and heard.did("affirm"):
            chosen = session.choices[0]
        if chosen is not None and not turn.asks:
            return self._learn(session, item, chosen, next((one.quantity for one in named), Quantity()))
        if not turn.ops and not turn.asks and heard.did("negate", *_UNSURE):
            if self._strategy.vocabulary_extension and not session.learning:
                session.learning = True
                return Answer(*self.question(session))
            return self._unlike(session, item)
        if not turn.ops and amount != Quantity():
            item.quantity = amount
            return Answer(*self.question(session))
        meant = any(one.written == item.written or one == Op("not") for one in turn.ops)
        if turn.ops and not meant:  # asked once, and passed over
            session.meal.remove(item)
            self._settle(session)
        return None

    def _learn(self, session: Session, item: Eaten, food: Food, quantity: Quantity) -> Answer:
        said: list[str] = []
        if self._strategy.vocabulary_extension:
            session.lexicon.learn(item.written, food)
            said.append(self.words(session)["learnt"].format(name=item.written))
        quantity = quantity if quantity != Quantity() else item.quantity
        item.food, item.grams = food, quantity.of(food)
        session.learning, session.spoken, session.settled = False, item, False
        made = Changes(noted=[item] if item.grams is not None else [])
        unlike, acts = self._settle(session)
        question, asks = self.question(session)
        return Answer(joined([*said, *unlike, *self._told(session, made, None), question]), (*acts, *asks))

    def _unlike(self, session: Session, item: Eaten) -> Answer:
        session.meal.remove(item)
        session.learning = False
        unlike, acts = self._settle(session)
        left = self.words(session)["unlike"].format(name=item.written)
        question, asks = self.question(session)
        return Answer(joined([left, *unlike, question]), (Act("null", "food"), *acts, *asks))


def _fact(food: Food, language: str, amount: Quantity) -> Fact:
    return Fact(food.name(language), food, amount)
