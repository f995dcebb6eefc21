"""Announces its tasks, tells what is asked, and does nothing that was not confirmed.

A variant switches one discourse strategy on, or all; what is done, and the acts, are the same in all.

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
from vivavoce_bots.dialogue.accounting import AccountingBot
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.feelings import feeling, taken_up
from vivavoce_bots.dialogue.hearing import Heard, only_no
from vivavoce_bots.dialogue.inquiry import Asked
from vivavoce_bots.dialogue.numbers import in_digits, number_meant
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.spotting import tokens
from vivavoce_bots.dialogue.talk import Answer, Talk, asked_for_more
from vivavoce_bots.telco.words import ASKED, CALLED, DENIED, INSTEAD, SAID, TASKS

_WHAT_IS_IT: Final = re.compile(r"\W*(?:what's|what is|che cos'è|cos'è|che cosa è|cosa vuol dire)\b", re.I)
_LONGEST_NAME: Final = 3
_BARE: Final = 3  # words of an amount that stands by itself
_FIRST: Final = re.compile(r"\b(?:wait|first|prima|aspett\w|un attimo|hang on|hold on)\b", re.I)
_NAMES: Final = re.compile(r"\bmare 50\b|\b119\b", re.I)
_VERB: Final = re.compile(r"[aei]re$")
_RATHER: Final = re.compile(r"\b(?:no|wait|sorry|anzi|scus[ai]|i mean)\b", re.I)
_NOT_MEANT: Final = {
    "en": re.compile(
        r"\b(?:not|instead of|rather than)\W+(?:the |my |in )?\d+\b"
        r"|\b\d+\s+(?:\w+\s+)?(?:weeks?|days?|months?|years?|times?|hours?|minutes?|people|children|calls?)\b"
        r"|\b(?:i have|i've got|already have|i had|there (?:was|were)|it was|you took|you owe me)\W+\d+\b",
        re.I,
    ),
    "it": re.compile(
        r"\b(?:non|invece (?:di|dei|delle)|anziché)\W+(?:i |in )?\d+\b"
        r"|\b\d+\s+(?:\w+\s+)?(?:settiman[ae]|giorn[oi]|mes[ei]|ann[oi]|volt[ae]|or[ae]|minut[oi]|person[ae]"
        r"|figli|chiamat[ae])\b"
        r"|\b\d+(?: euro)? (?:sono quelli|ce li ho|li ho|che ho)\b"
        r"|\b(?:ho|avevo|erano|c'erano|mi avete (?:tolto|preso)) (?:già )?\d+\b",
        re.I,
    ),
}
"""Numbers that are no amount: not twelve, three weeks, what is there already."""
_TAKES_BACK: Final = re.compile(
    r"\W*(?:anzi|no\b|aspett\w+|scus\w|wait|actually|sorry|or rather|oh no|hang on)", re.I
)
_LOW, _HIGH = 5, 100
_OPERATIONS: Final = ("top_up", "transfer")
_STRATEGIES: Final = ("empathy", "informality", "facing", "alignment", "brevity")
_RECIPIENT: Final = {
    "en": re.compile(r"\b(?:to (?:my )?(?:[a-z]+ (?-i:(?=[A-Z])))?|name is |called )([a-z]{2,})\b", re.I),
    "it": re.compile(
        r"\b(?:(?:a|al|alla) (?:mi[oa] )?(?:[a-z]+ (?-i:(?=[A-Z])))?|si chiama )([a-zàèéìòù]{2,})\b", re.I
    ),
}
_NOBODY: Final = {
    *("make", "send", "transfer", "wire", "top", "pay", "do", "have", "the", "you", "it", "know", "a", "chi"),
    *("fare", "mandare", "trasferire", "ricaricare"),
}


@dataclass
class Session(Talk):
    """The account of this call, the operation that is being settled, and the caller's words for things."""

    credit: int = 14
    done: list[str] = field(default_factory=list)
    task: str | None = None
    amount: int | None = None
    recipient: str | None = None
    asking: str | None = None
    called: dict[str, str] = field(default_factory=dict)
    lastly: str = ""


class TelcoBot(AccountingBot[Session]):
    """Self-service: invoice, transactions, credit, tariff plan, top-up, transfer."""

    name: str = "telco"
    variants: ClassVar[tuple[str, ...]] = ("standard", *_STRATEGIES, "all")

    def __init__(self, variant: str = "standard", seed: int = 1) -> None:
        super().__init__(seed)
        on = _STRATEGIES if variant == "all" else (variant,)
        self._empathy, self._alignment = "empathy" in on, "alignment" in on
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

    def about(self, session: Session, heard: Heard) -> bool:
        if self._tasks(session, heard) or self._denied(session, heard):
            return True
        amount = self._amount(session, heard.text) is not None
        someone = session.asking == "recipient" and bool(heard.rest)
        other = self._named(session, heard.text) is not None
        return amount or someone or other

    def asks_state(self, session: Session, asked: Asked, sentence: str) -> bool:
        facts = [one for one in self._tasks(session, self._hearing[session.language].heard(sentence))
                 if one not in _OPERATIONS]  # fmt: skip
        return (
            asked not in ("today", "until")
            and not facts
            and bool(session.task or session.lastly or asked == "noted")
        )

    def standing(self, session: Session, asked: Asked) -> str:
        said = self.words(session)
        if session.task is None:
            return session.lastly or (said["nothing_done"] if asked == "noted" else "")
        return said["not_yet"] if asked == "done" else ""

    def told_in(self, session: Session, text: str) -> set[str]:
        told = set(self._tasks(session, self._hearing[session.language].heard(text)))
        return told | ({"amount"} if self._amount(session, text) is not None else set())

    def farewell(self, session: Session) -> Answer:
        """Who leaves before the yes is told that nothing was done."""
        bye = super().farewell(session)
        return (
            bye._replace(text=f"{self.words(session)['cancelled']} {bye.text}")
            if session.asking == "confirm"
            else bye
        )

    def waits(self, session: Session) -> bool:
        return session.asking is not None or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.task = session.amount = session.recipient = session.asking = None

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        """What was paid stays paid."""
        settled = was["done"] != session.done
        session.credit, session.done = was["credit"], was["done"]
        question, asks = self.question(session)
        lead = self.words(session)["settled"] if settled else self._courtesy(session, "undo")
        return Answer(f"{lead} {question}", (Act("ack", None, "undo"), *asks))

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        said = self.words(session)
        if session.asking == "confirm":
            acts = [stating("confirm", "amount", str(session.amount))]
            acts += [stating("confirm", "recipient", session.recipient)] if session.recipient else []
            form = said[f"confirm_{session.task}"]
            return form.format(amount=session.amount, recipient=session.recipient), tuple(acts)
        if session.asking == "what_for":
            asks = tuple(stating("select", "task", one) for one in _OPERATIONS)
            return said["what_for"].format(amount=session.amount), asks
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

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        named = self._tasks(session, heard)
        if self._alignment:
            self._align(session, heard)
        understood = (Meaning(tuple(stating("inform", "task", one) for one in named), 1.0),)
        amount = self._amount(session, heard.text)
        corrects = heard.did("negate") and amount is not None and session.asking in ("confirm", "amount")
        corrects = corrects or (
            heard.did("affirm") and amount == session.amount and session.asking == "confirm"
        )
        named = [one for one in named if one in _OPERATIONS] if corrects else named
        operation = next((one for one in named if one in _OPERATIONS), None)
        told_besides = [one for one in named if one not in _OPERATIONS] if operation else []
        named = [operation] if operation else named
        answer = self._answer(session, heard, named[0] if named else None)
        asks = self.question(session)[0] if session.asking else self.words(session)["more"]
        if answer is not None and told_besides:
            facts = [
                self._told(session, one, value=self._value(session, one), word=self._called(session, one))
                for one in told_besides
            ]
            acts = [stating("inform", one, self._value(session, one)) for one in told_besides]
            answer = answer._replace(text=" ".join([*facts, answer.text]), acts=(*acts, *answer.acts))
        more = [one for one in named[1:] if one not in _OPERATIONS]
        if answer is not None and named and named[0] not in _OPERATIONS and more:
            told = [
                self._told(session, one, value=self._value(session, one), word=self._called(session, one))
                for one in more
            ]
            text = " ".join([answer.text.removesuffix(asks).strip(), *told, asks])
            acts = [stating("inform", one, self._value(session, one)) for one in more]
            answer = answer._replace(text=text, acts=(*answer.acts[:-1], *acts, *answer.acts[-1:]))
        return answer._replace(understood=understood) if answer else None

    def _answer(self, session: Session, heard: Heard, task: str | None) -> Answer | None:
        if task is None and self._denied(session, heard) and self._amount(session, heard.text) is None:
            self.let_go(session)
            return self._and_more(session, self.words(session)["cancelled"])
        if task is not None and task not in _OPERATIONS:
            value = self._value(session, task)
            told = self._told(session, task, value=value, word=self._called(session, task))
            if session.asking is not None and (not heard.did("negate") or _FIRST.search(heard.text)):
                question, asks = self.question(session)  # first, how much have I got?
                return Answer(f"{told} {question}", (stating("inform", task, value), *asks))
            self.let_go(session)
            return self._and_more(session, told, stating("inform", task, value))
        if session.asking == "confirm" and task not in (None, session.task) and heard.did("affirm"):
            done = self._carry_out(session)  # yes, and then another one
            answer = self._answer(session, heard, task) or Answer(*self.question(session))
            told = done.text.removesuffix(self.words(session)["more"]).strip()
            return Answer(f"{told} {answer.text}", (*done.acts[:-1], *answer.acts))
        if session.asking == "confirm" and task is None:
            return self._settle(session, heard)
        amount = self._amount(session, heard.text)
        if session.asking == "what_for" and task is None and (amount is not None or heard.did("affirm")):
            return self._what_for(session, amount or session.amount or 0)
        if session.asking is not None and task is None and heard.did("negate") and amount is None:
            self.let_go(session)
            return self._and_more(session, self.words(session)["cancelled"])
        if task is not None and task != session.task:
            kept = session.amount if session.task is None else None
            self.let_go(session)
            session.task, session.amount = task, kept
        if session.task is not None:
            return self._operation(session, heard, named=task is not None)
        if amount is not None:
            return self._what_for(session, amount)
        if only_no(heard):
            return self.farewell(session)
        return (
            Answer(self.words(session)["tasks"], (Act("request", "task"),)) if heard.did("affirm") else None
        )

    def _what_for(self, session: Session, amount: int) -> Answer:
        """An amount for nothing yet: which of the operations is meant."""
        session.amount, session.asking = amount, "what_for"
        return Answer(*self.question(session))

    def _and_more(self, session: Session, told: str, *acts: Act) -> Answer:
        return Answer(f"{told} {self.words(session)['more']}", (*acts, Act("reqmore")))

    def _told(self, session: Session, sentence: str, **gaps: object) -> str:
        return self.words(session)[sentence].format(**gaps)

    def _tasks(self, session: Session, heard: Heard) -> list[str]:
        sentences, found = sentences_of(heard.text), list[str]()
        for task, form in ASKED[session.language].items():
            for sentence in sentences if task in TASKS else ():
                match = re.search(form, sentence, re.I)
                wanted = match and not self._unwanted(session, sentence[: match.start()])
                if match and wanted and not _WHAT_IS_IT.match(sentence[match.end() :]):
                    found += [task] if task not in found else []
        return found

    def _denied(self, session: Session, heard: Heard) -> bool:
        """Whether a task is named only as one that is not wanted."""
        asked = ASKED[session.language].items()
        named = [task for task, form in asked if task in TASKS and re.search(form, heard.text, re.I)]
        return bool(named) and not self._tasks(session, heard)

    def _unwanted(self, session: Session, before: str) -> bool:
        return DENIED[session.language].search(before) is not None

    def _called(self, session: Session, task: str) -> str:
        """What a thing is called: as the caller did, where the bot aligns."""
        return session.called.get(task, CALLED[session.language][task][0])

    def _align(self, session: Session, heard: Heard) -> None:
        for task, (usual, *others) in CALLED[session.language].items():
            own = [word for word in (usual, *others) if re.search(rf"\b{word}\b", heard.text, re.I)]
            session.called |= {task: own[0]} if own else {}

    def _value(self, session: Session, task: str) -> str:
        known = {
            "invoice": "23",
            "credit": str(session.credit),
            "tariff": "Mare 50",
            "transactions": ", ".join([SAID[session.language]["opening"], *session.done]),
        }
        return known[task]

    def _operation(self, session: Session, heard: Heard, *, named: bool) -> Answer | None:
        """Gather amount and recipient; then ask whether all is right."""
        amount = self._amount(session, heard.text)
        if amount is not None and not _LOW <= amount <= _HIGH:
            session.asking = "amount"
            return Answer(self._told(session, "limits", low=_LOW, high=_HIGH), (Act("request", "amount"),))
        before = session.amount, session.recipient
        session.amount = amount if amount is not None else session.amount
        if session.task == "transfer":
            session.recipient = self._recipient(session, heard) or session.recipient
        if not named and (session.amount, session.recipient) == before:
            return None
        missing = "amount" if session.amount is None else None
        if missing is None and session.task == "transfer" and session.recipient is None:
            missing = "recipient"
        session.asking = missing or "confirm"
        return Answer(*self.question(session))

    def _settle(self, session: Session, heard: Heard) -> Answer | None:
        amount = self._amount(session, heard.text)
        last = self._hearing[session.language].heard((sentences_of(heard.text) or [""])[-1])
        if amount == session.amount and last.did("affirm") and not last.did("negate"):  # no, ten. Yes
            return self._carry_out(session)
        if amount == session.amount and heard.did("affirm") and not heard.did("negate"):
            return self._carry_out(session)
        if amount is not None or self._named(session, heard.text) not in (
            None,
            session.recipient,
        ):
            return self._operation(session, heard, named=True)
        if heard.did("negate"):
            self.let_go(session)
            return self._and_more(session, self.words(session)["cancelled"])
        return self._carry_out(session) if heard.did("affirm") else None

    def _carry_out(self, session: Session) -> Answer:
        amount, recipient, task = session.amount or 0, session.recipient, session.task or ""
        word = self._called(session, "credit")
        self.let_go(session)
        if task == "transfer" and amount > session.credit:
            told = self._told(session, "poor", credit=session.credit, word=word)
            return self._and_more(session, told, Act("canthelp"))
        session.credit += amount if task == "top_up" else -amount
        done = SAID[session.language][f"{task}_done"].format(amount=amount, recipient=recipient)
        session.done = [*session.done, done]
        acts = [stating("inform", "done", task), stating("inform", "amount", str(amount))]
        acts += [stating("inform", "recipient", recipient)] if recipient else []
        acts.append(stating("inform", "credit", str(session.credit)))
        session.lastly = self._told(session, "done", operation=done, credit=session.credit, word=word)
        return self._and_more(session, session.lastly, *acts)

    def _amount(self, session: Session, text: str) -> int | None:
        """The euros of an operation: none of what a bill was, of a name or of a telephone number."""
        language = session.language
        text = _NOT_MEANT[language].sub(" ", in_digits(_NAMES.sub(" ", text), language, ordinals=False))
        asked = ASKED[language].items()
        operation = "|".join(f"(?:{form})" for task, form in asked if task in _OPERATIONS)
        facts = "|".join(f"(?:{form})" for task, form in asked if task not in _OPERATIONS)
        sentences = sentences_of(text)
        later = [one for one in sentences[1:] if _TAKES_BACK.match(one)]
        if later and (rather := number_meant(later[-1], language)) is not None:
            return rather  # put on twenty. No, ten will do
        ordered = [one for one in sentences if re.search(operation, one, re.I)]
        ordered = [one for one in ordered if number_meant(one, language) is not None]
        if session.task not in _OPERATIONS and session.asking is None and not ordered:
            bare = (len(tokens(text)) <= _BARE and not is_question(text, language)) or re.search(
                operation, text, re.I
            )
            return number_meant(text, language) if bare else None
        pieces = [one for part in ordered or sentences for one in re.split(r"(?<=[,;:])\s+", part)]
        told = [
            one
            for one in pieces
            if re.search(operation, one, re.I) and number_meant(one, language) is not None
        ]
        if ordered and len(told) == 1:
            return number_meant(told[0], language)
        own = [one for one in pieces if re.search(operation, one, re.I) or not re.search(facts, one, re.I)]
        told = [one for one in own if number_meant(one, language) is not None]
        sure = [one for one in told if not is_question(one, language)]
        sure = [one for one in sure if "euro" in one] or sure
        corrects = len(told) > 1 and not any(_RATHER.search(one) for one in own)
        return number_meant(sure[-1] if corrects and sure else " ".join(own), language)

    def _recipient(self, session: Session, heard: Heard) -> str | None:
        named = self._named(session, heard.text)
        if named is not None:
            return named
        asks = is_question(heard.text, session.language) or "?" in heard.text
        words = [word for word in heard.rest if len(word) > 1 and word.isalpha() and not asks]
        if session.asking == "recipient" and words and heard.said[-len(words) :] == words:
            return " ".join(words[-_LONGEST_NAME:]).title()
        return words[-1].title() if session.asking == "recipient" and words else None

    def _named(self, session: Session, text: str) -> str | None:
        """Who is named as the one to get money; None outside a transfer."""
        if session.task != "transfer":
            return None
        alone = (sentences_of(text) or [""])[0].strip(" .!")
        number = number_meant(alone, session.language)
        if session.asking == "amount" and alone.istitle() and alone.isalpha() and number is None:
            return alone
        alone = [one.strip(" .!,") for one in sentences_of(text)] if session.asking == "confirm" else []
        if named := [one for one in alone if one.istitle() and one.isalpha() and len(one) > _BARE]:
            return named[-1]
        found = [name for name in _RECIPIENT[session.language].findall(text) if name.lower() not in _NOBODY]
        found = [one for one in found if one[0].isupper()] or [one for one in found if not _VERB.search(one)]
        return found[-1].title() if found else None
