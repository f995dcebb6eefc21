"""Announces its tasks, tells what is asked, and does nothing that was not confirmed.

It keeps in mind the operation that is open, those that were ordered behind it, what was told, and who got
money last. A variant switches one discourse strategy on, or all; what is done, and the acts, are the same.

empathy      takes up feelings before facts
informality  informal register instead of formal
facing       names what it cannot do, instead of "I did not understand"
alignment    uses the caller's words for things
brevity      says no more than is needed
Source  Guerini et al. 2018, section 4.1: empathy, formality, facing, alignment; brevity is ours
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.dialogue.feelings import feeling, taken_up
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.indirect import not_known
from vivavoce_bots.dialogue.manners import CourteousBot
from vivavoce_bots.dialogue.talk import Answer, Talk, asked_for_more, joined
from vivavoce_bots.telco.reading import OPERATIONS, Draft, Reader, Turn, topics_known
from vivavoce_bots.telco.words import CALLED, INSTEAD, SAID

_LOW, _HIGH = 5, 100
_INVOICE, _TOPPED_UP, _CALLS = 23, 20, 6
_SHORT: Final = 8  # words of a question about the conversation
_MINUTES: Final = 10  # of calls, for a euro
_THANKS: Final = re.compile(
    r"\W*(?:(?:ok|okay|well|oh|va bene)\W+)?(?:(?:many |mille )?thanks?(?: (?:you|so much|very much|a lot))*"
    r"|(?:tante )?grazie(?: (?:mille|tante))?)\W*",
    re.I,
)
_MUSED: Final = re.compile(r"\b(?:do you think|you think|i wonder|secondo lei)\b", re.I)
_LAUGHS: Final = re.compile(r"\b(?:a?(?:ha){2,}h?|a?ha?hah?|(?:he){2,}|ahah|eheh|lol)\b[,.!]*\s*", re.I)
_STRATEGIES: Final = ("empathy", "informality", "facing", "alignment", "brevity")


@dataclass
class Session(Talk):
    """The account of this call, the operation that is being settled, those behind it, and what was told."""

    credit: int = 14
    done: list[str] = field(default_factory=list)
    task: str | None = None
    amount: int | None = None
    recipient: str | None = None
    asking: str | None = None
    behind: list[Draft] = field(default_factory=list)
    earlier: Draft | None = None
    dropped: Draft | None = None
    answered: list[str] = field(default_factory=list)
    about: str = ""
    person: str = ""
    told: list[str] = field(default_factory=list)
    called: dict[str, str] = field(default_factory=dict)
    lastly: str = ""


class TelcoBot(CourteousBot[Session]):
    """Self-service: invoice, transactions, credit, tariff plan, top-up, transfer."""

    name: str = "telco"
    variants: ClassVar[tuple[str, ...]] = ("standard", *_STRATEGIES, "all")

    def __init__(self, variant: str = "standard", seed: int = 1) -> None:
        super().__init__(seed)
        on = _STRATEGIES if variant == "all" else (variant,)
        self._empathy, self._alignment = "empathy" in on, "alignment" in on
        self._informal = "informality" in on
        self._words = {language: dict(said) for language, said in SAID.items()}
        for strategy in (one for one in INSTEAD if one in on):
            for language, said in INSTEAD[strategy].items():
                self._words[language] |= said

    def begin(self, language: str) -> Session:
        return Session(language)

    def words(self, session: Session) -> Mapping[str, Any]:
        return self._words[session.language]

    def opening(self, session: Session) -> Answer:
        said = self.words(session)
        return Answer(said["hello"].format(tasks=said["tasks"]), (Act("hello"), Act("request", "task")))

    def reply(self, session: Session, texts: Texts) -> Reply:
        reply = super().reply(session, texts)
        told = feeling(texts[0][0], session.language) if texts and self._empathy else None
        if told is not None:
            session.last = reply = taken_up(reply, self.words(session)[told])
        return reply

    # --- what the manners of all bots need -----------------------------------------------------------------

    def about(self, session: Session, heard: Heard) -> bool:
        turn = self._read(session, heard.text)
        return bool(turn.orders or turn.facts or turn.topics or turn.amount or turn.recipient)

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        """What is left of a turn behind words about the conversation: I told you, thirty."""
        return self._settled(session, heard.text)

    def waits(self, session: Session) -> bool:
        return session.asking is not None or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.task = session.amount = session.recipient = session.asking = None
        session.behind = []

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        """What was paid stays paid."""
        settled = was["done"] != session.done
        session.credit, session.done = was["credit"], was["done"]
        if settled:
            self.let_go(session)
        question, asks = self.question(session)
        lead = self.words(session)["settled"] if settled else self._courtesy(session, "undo")
        return Answer(f"{lead} {question}", (Act("ack", None, "undo"), *asks))

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        said = self.words(session)
        if session.asking == "confirm":
            acts = [stating("confirm", "amount", str(session.amount))]
            acts += [stating("confirm", "recipient", session.recipient)] if session.recipient else []
            form = said[f"confirm_{session.task}"]
            return self._address(form.format(amount=session.amount, recipient=session.recipient)), tuple(acts)
        if session.asking == "what_for":
            asks = tuple(stating("select", "task", one) for one in OPERATIONS)
            return said["what_for"].format(amount=session.amount), asks
        if session.asking == "first":
            return said["first"], (stating("confirm", "task", "top_up"),)
        if session.asking is not None:
            return said[session.asking], (Act("request", session.asking),)
        if asked_for_more(session.last):
            return said["more"], (Act("reqmore"),)
        return said["tasks" if session.lost == 1 else "ask"], (Act("request", "task"),)

    def help(self, session: Session) -> str:
        said = self.words(session)
        if session.asking == "amount":
            return said["limits"].format(low=_LOW, high=_HIGH)
        return said["help"]

    # --- a turn --------------------------------------------------------------------------------------------

    def answered(self, session: Session, text: str) -> Answer:
        before, lost = session.snapshot(), session.lost
        if self._alignment:
            self._align(session, text)
        text = _LAUGHS.sub("", text)
        answer = self._settled(session, text)
        if answer is None:
            return super().answered(session, text)
        session.lost = lost + 1 if answer.acts[:1] == (Act("repeat"),) else 0
        session.stalled = session.vain = 0
        session.remember(before)
        return answer

    def _read(self, session: Session, text: str) -> Turn:
        known = [_INVOICE, session.credit, _TOPPED_UP, _CALLS]
        asking = session.asking or ("again" if session.dropped else None)
        task = session.task or (session.dropped.task if session.dropped else None)
        last = session.last.text if session.last else ""
        return Reader(
            session.language, asking, task, known, session.about, last, session.person, session.earlier
        ).read(text)

    def _settled(self, session: Session, text: str) -> Answer | None:
        """What is done about a turn, what is told, and what is asked next; None where it says nothing."""
        text = _LAUGHS.sub("", text)
        thanks = _THANKS.fullmatch(text) and (session.asking is not None or not asked_for_more(session.last))
        turn = self._read(session, text)
        if "other_phone" in turn.topics:  # nobody else's card: what was begun for this one ends
            turn.orders = [order for order in turn.orders if order.task != "top_up"]
            turn.amount = None
            turn.weak = []
            if session.task == "top_up":
                self.let_go(session)
        if thanks or turn.says_nothing() or self._manners(session, turn, text):
            return None
        dropped, session.dropped, session.person = session.dropped, None, turn.person
        told, acts = self._operated(session, turn, dropped)
        if session.lastly in told:  # it tells the credit
            turn.facts = [fact for fact in turn.facts if fact.lstrip("?") != "credit"]
        sentences, informs = self._answered(session, turn)
        understood = [order.task for order in turn.orders] + turn.facts
        meaning = Meaning(tuple(stating("inform", "task", one) for one in understood), 1.0)
        acts, told = [*acts, *informs], [*told, *sentences]
        leaves = turn.leaves or (
            turn.denies
            and not turn.waits
            and asked_for_more(session.last)
            and not (told or turn.echo is not None or turn.refused)
            and session.asking is None
        )
        if leaves and (session.asking is None or not (turn.orders or turn.amount or turn.recipient)):
            left = [self.words(session)["cancelled"]] if session.asking is not None else []
            self.let_go(session)
            bye = self.farewell(session)
            return Answer(joined([*told, *left, bye.text]), (*acts, *bye.acts), (meaning,), end=True)
        if (turn.refused or (turn.no and not turn.denies)) and not told and session.asking is None:
            sorry = self._courtesy(session, "missed")
            told = (
                [self.words(session)["noted"]] if session.done else [sorry, self.words(session)["cancelled"]]
            )
        if not told and session.asking is None:
            told = [] if turn.yes and len(text.split()) < _SHORT else [self.words(session)["noted"]]
            question = (
                (self.words(session)["tasks"], (Act("request", "task"),)) if turn.yes and not told else None
            )
        else:
            question = None
        question = question or (
            self.question(session)
            if session.asking is not None
            else (self.words(session)["more"], (Act("reqmore"),))
        )
        return Answer(joined([*told, question[0]]), (*acts, *question[1]), (meaning,))

    def _manners(self, session: Session, turn: Turn, text: str) -> bool:
        """Whether a turn that says no more than yes, no or a question is one for the manners of all."""
        if (
            turn.orders
            or turn.facts
            or turn.topics
            or turn.weak
            or turn.numbers
            or turn.amount
            or turn.recipient
        ):
            return False
        heard = self._hearing[session.language].heard(text)
        if turn.unknown:
            shortly = len(heard.said) <= _SHORT and heard.did("help", "service", "options", "dontknow", "why")
            return shortly or heard.did("whoareyou", "repeat", "howareyou")
        return heard.did("repeat", "undo", "restart", "help") and not turn.leaves

    # --- operations ----------------------------------------------------------------------------------------

    def _operated(self, session: Session, turn: Turn, dropped: Draft | None) -> tuple[list[str], list[Act]]:
        """Settle the open question, then begin what was ordered."""
        told, acts = list[str](), list[Act]()
        orders = list(turn.orders)
        if session.task is not None and orders and orders[0].task == session.task:  # the same, put right
            same = orders.pop(0)
            turn.amount, turn.recipient = same.amount or turn.amount, same.recipient or turn.recipient
            turn.refused = turn.refused and not (same.amount or same.recipient)
        if session.asking == "what_for" and orders:
            orders[0].amount = orders[0].amount or turn.amount or session.amount
        elif session.asking is not None:
            told, acts = self._settle(session, turn, ordered=bool(orders))
        elif dropped is not None and (turn.amount or turn.recipient) and not orders:
            again = Draft(dropped.task, turn.amount or dropped.amount, turn.recipient or dropped.recipient)
            told = self._begin(session, [again])
        elif turn.amount is not None and not orders:
            if turn.yes and session.earlier is not None and turn.amount == session.earlier.amount:
                return [session.lastly], []  # yes, ten, behind what is done
            session.amount, session.asking = turn.amount, "what_for"
        if orders:
            told += self._begin(session, orders)
        return told, acts

    def _settle(self, session: Session, turn: Turn, *, ordered: bool) -> tuple[list[str], list[Act]]:
        """What an answer makes of the operation that is open."""
        changed = self._changed(session, turn)
        if changed:
            return self._gathered(session) if session.task else [], []
        again = bool(turn.amount or turn.recipient) and not turn.refused  # no, I said ten
        if turn.refused or (turn.no and not again and not turn.waits) or (turn.leaves and not turn.yes):
            if not turn.leaves:
                session.dropped = Draft(session.task or "top_up", session.amount, session.recipient)
            self.let_go(session)
            return [self.words(session)["cancelled"]], []
        if session.asking == "first" and (turn.yes or ordered):
            lacks = self.words(session)["lacks"].format(amount=(session.amount or 0) - session.credit)
            session.behind.insert(0, Draft("transfer", session.amount, session.recipient))
            session.task, session.amount, session.recipient, session.asking = "top_up", None, None, "amount"
            return [lacks], []
        if session.asking == "confirm" and (turn.yes or ordered) and not turn.waits:
            return self._carried_out(session) if turn.yes else ([], [])
        return ([self.words(session)["until_yes"]] if turn.waits and not turn.topics else []), []

    def _changed(self, session: Session, turn: Turn) -> bool:
        """Take amount and recipient of an open operation; whether they are others than before."""
        before = session.amount, session.recipient
        session.amount = turn.amount if turn.amount is not None else session.amount
        if session.task == "transfer":
            session.recipient = turn.recipient or session.recipient
        return before != (session.amount, session.recipient)

    def _begin(self, session: Session, orders: list[Draft]) -> list[str]:
        """Open the first of the operations that were ordered; the others wait behind it."""
        first, *others = orders
        held = session.behind
        if session.task == "transfer" and session.asking == "first" and first.task == "top_up":
            held = [Draft("transfer", session.amount, session.recipient)]
        for one in (first, *others):
            last = next((had for had in held if had.task == one.task), session.earlier)
            if one.task == "transfer" and last is not None and last.task == "transfer":
                one.recipient = one.recipient or (last.recipient if one is not first else None)
                one.amount = one.amount or (last.amount if one is not first else None)
        kept = [had for had in held if all(had.task != one.task for one in (first, *others))]
        self.let_go(session)
        session.task, session.amount, session.recipient = first.task, first.amount, first.recipient
        session.behind = [*others, *kept]
        return self._gathered(session)

    def _gathered(self, session: Session) -> list[str]:
        """Ask for what is missing, or whether all is right; what stands in the way is told."""
        said, amount = self.words(session), session.amount
        if amount is not None and not _LOW <= amount <= _HIGH:
            session.amount, session.asking = None, "amount"
            return [said["limits"].format(low=_LOW, high=_HIGH)]
        missing = "amount" if amount is None else None
        if missing is None and session.task == "transfer" and session.recipient is None:
            missing = "recipient"
        session.asking = missing or "confirm"
        if session.task == "transfer" and missing is None and (amount or 0) > session.credit:
            word = self._called(session, "credit")
            session.earlier = Draft("transfer", amount, session.recipient)
            session.asking = "first"
            gaps = {"credit": session.credit, "word": word, "amount": amount, "recipient": session.recipient}
            return [self._address(said["poor"].format(**gaps))]
        return []

    def _carried_out(self, session: Session) -> tuple[list[str], list[Act]]:
        amount, recipient, task = session.amount or 0, session.recipient, session.task or ""
        word, behind = self._called(session, "credit"), session.behind
        session.credit += amount if task == "top_up" else -amount
        done = SAID[session.language][f"{task}_done"].format(amount=amount, recipient=recipient)
        done = self._address(done)
        session.done, session.earlier = [*session.done, done], Draft(task, amount, recipient)
        acts = [stating("inform", "done", task), stating("inform", "amount", str(amount))]
        acts += [stating("inform", "recipient", recipient)] if recipient else []
        acts.append(stating("inform", "credit", str(session.credit)))
        session.lastly = self.words(session)["done"].format(operation=done, credit=session.credit, word=word)
        session.told.append("credit")
        self.let_go(session)
        told = [session.lastly, *(self._begin(session, behind) if behind else [])]
        return told, acts

    def _address(self, sentence: str) -> str:
        """A sentence in the variant's form of address: a Sua sorella, a tua sorella."""
        return re.sub(r"\bSu([ao]) (?=[a-z])", r"tu\1 ", sentence) if self._informal else sentence

    # --- what is told --------------------------------------------------------------------------------------

    def _answered(self, session: Session, turn: Turn) -> tuple[list[str], list[Act]]:
        """The answers to the questions of a turn: facts first, then what is known besides."""
        said, told, acts = self.words(session), list[str](), list[Act]()
        facts = [one for one in turn.facts if not one.startswith("?")]
        named = [one[1:] for one in turn.facts if one.startswith("?")]
        facts += [one for one in named if one not in session.told]
        settles = session.asking or turn.orders or turn.leaves
        facts = facts or ([] if turn.topics or settles or turn.no else named)
        if turn.no and not session.told and not turn.topics and session.asking:
            facts = [one for one in facts if one in turn.facts]
        fresh = list(dict.fromkeys(facts))
        for number in dict.fromkeys(() if turn.topics or session.asking else turn.numbers):
            told += self._number(session, number, fresh)
        for fact in fresh:
            value = self._value(session, fact)
            line = said[fact].format(value=value, word=self._called(session, fact))
            if not (session.lastly and fact == "credit" and session.last is None):
                told.append(line)
            acts.append(stating("inform", fact, value))
            session.told.append(fact)
            session.about = fact
        weak = [one for one in turn.weak if one not in session.answered]
        topics = turn.topics or ([] if told or session.asking else weak)
        session.answered += topics
        if {"enough", "with_more"} & {*topics} and session.asking is None:
            session.dropped = Draft("top_up")  # how much is put on may be said now
        for name in topics:
            told.append(self._topic(session, name, turn))
            acts.append(
                Act("canthelp") if "telmar.example" in told[-1] or "119" in told[-1] else Act("inform")
            )
            session.told += [tells] if (tells := topics_known()[name].get("tells")) else []
            session.about = tells or topics_known()[name].get("about") or session.about
        if turn.sure and not told and (turn.orders or session.asking is None):
            told.append(said["right"])
        if turn.echo is not None and turn.echo == session.credit and not told:
            told.append(said["is_credit"].format(value=session.credit))
        if turn.echo is not None and not told and not turn.leaves:
            told.append(
                self._topic(session, "reasons", turn) if turn.echo == _INVOICE else self._sum(session)
            )
        if turn.strange is not None and not told and turn.amount is None:
            told.append(said["no_trace"].format(value=turn.strange))
        if turn.unknown and not told:  # behind an answer it would seem to take that back
            named = not_known(_MUSED.sub("", turn.unknown), session.language)
            told.append(re.sub(r"\bthey\b", "we", named) or said["unanswered"])
            acts.append(Act("canthelp"))
        return told, acts

    def _number(self, session: Session, number: int, facts: list[str]) -> list[str]:
        """What a number is that somebody asks about: 23, is that what I have left?"""
        said = self.words(session)
        if number == _INVOICE and "invoice" not in facts:
            return [said["is_invoice"].format(value=number)]
        if number == session.credit and "credit" not in facts:
            return [said["is_credit"].format(value=number)]
        return [self._sum(session)] if number in (_TOPPED_UP, _CALLS) and not facts else []

    def _sum(self, session: Session) -> str:
        said = self.words(session)
        done = [said["then"].format(done=one) for one in session.done]
        return ", ".join([said["sum"], *done, f"{said['leaves'].format(credit=session.credit)}."])

    def _topic(self, session: Session, name: str, turn: Turn) -> str:
        said = self.words(session)
        number = turn.asked_of or turn.amount or session.amount
        number = number if number is not None else session.credit
        state = session.lastly or said["nothing_done"]
        return str(topics_known()[name][session.language]["says"]).format(
            credit=session.credit,
            sum=self._sum(session),
            number=number,
            minutes=number * _MINUTES,
            more=session.credit + number,
            state=said["not_yet"] if session.asking else state,
            human=said["human"],
            not_owed=said["not_owed"].format(credit=session.credit) if turn.both_sums else "",
            meaning=" ".join(said[f"means_{one}"] for one in turn.meant or ("invoice", "credit")),
        )

    def _called(self, session: Session, task: str) -> str:
        """What a thing is called: as the caller did, where the bot aligns."""
        return session.called.get(task, CALLED[session.language][task][0])

    def _align(self, session: Session, text: str) -> None:
        for task, (usual, *others) in CALLED[session.language].items():
            own = [word for word in (usual, *others) if re.search(rf"\b{word}\b", text, re.I)]
            session.called |= {task: own[0]} if own else {}

    def _value(self, session: Session, task: str) -> str:
        known = {
            "invoice": str(_INVOICE),
            "credit": str(session.credit),
            "tariff": "Mare 50",
            "transactions": ", ".join([SAID[session.language]["opening"], *session.done]),
        }
        return known[task]
