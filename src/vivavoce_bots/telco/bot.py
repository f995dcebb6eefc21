"""Announces its tasks, tells what is asked, and does nothing that was not confirmed."""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.dialogue.speech import language_of
from vivavoce_bots.telco.words import ASKED, NUMBERS, SAID, TASKS

_LOW, _HIGH = 5, 100
_LONGEST_TEXT: Final = 2_000
_OPERATIONS: Final = ("top_up", "transfer")
_RECIPIENT: Final = {
    "en": re.compile(r"\bto (?:my )?([a-z]{2,})\b", re.I),
    "it": re.compile(r"\ba (?:mi[oa] )?([a-zàèéìòù]{2,})\b", re.I),
}
_NOBODY: Final = {
    "make",
    "send",
    "transfer",
    "wire",
    "top",
    "pay",
    "do",
    "have",
    "the",
    "you",
    "it",
    "chi",
    "fare",
}


@dataclass
class Session:
    """The account of this call, and the operation that is being settled."""

    language: str
    credit: int = 14
    done: list[str] = field(default_factory=list)
    task: str | None = None
    amount: int | None = None
    recipient: str | None = None
    asking: str | None = None
    last: Reply | None = None


class TelcoBot:
    """Self-service: invoice, transactions, credit, tariff plan, top-up, transfer."""

    name: str = "telco"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(language_of(language))

    def greet(self, session: Session) -> Reply:
        said = SAID[session.language]
        session.last = Reply(said["hello"].format(tasks=said["tasks"]), (Act("hello"),), (), False)
        return session.last

    def reply(self, session: Session, texts: Texts) -> Reply:
        text = (texts[0][0] if texts else "")[:_LONGEST_TEXT]
        heard = self._heard(session, text)
        if "repeat" in heard and session.last is not None:
            return session.last
        words, acts, end = self._answer(session, text, heard)
        understood = Meaning(tuple(Act("inform", "task", one, "=") for one in heard if one in TASKS), 1.0)
        session.last = Reply(words, acts, (understood,), end)
        return session.last

    def _heard(self, session: Session, text: str) -> list[str]:
        return [kind for kind, form in ASKED[session.language].items() if re.search(form, text, re.I)]

    def _answer(self, session: Session, text: str, heard: list[str]) -> tuple[str, tuple[Act, ...], bool]:
        said = SAID[session.language]
        if "bye" in heard:
            return said["bye"], (Act("bye"),), True
        task = next((one for one in heard if one in TASKS), None)
        if session.asking == "confirm" and task is None:
            return self._settle(session, text, heard)
        if session.asking in ("amount", "recipient") and "no" in heard and task is None:
            self._drop(session)
            return f"{said['cancelled']} {said['more']}", (Act("reqmore"),), False
        if task is not None and task not in _OPERATIONS:
            value = self._value(session, task)
            told = said[task].format(value=value)
            return f"{told} {said['more']}", (stating("inform", task, value), Act("reqmore")), False
        if task is not None and task != session.task:
            self._drop(session)
            session.task = task
        if session.task is None:
            return self._lost(session, heard)
        return self._operation(session, text)

    def _lost(self, session: Session, heard: list[str]) -> tuple[str, tuple[Act, ...], bool]:
        said = SAID[session.language]
        if "no" in heard:
            return said["bye"], (Act("bye"),), True
        if "yes" in heard:
            return said["tasks"], (Act("request", "task"),), False
        return said["puzzled"].format(tasks=said["tasks"]), (Act("repeat"), Act("request", "task")), False

    def _value(self, session: Session, task: str) -> str:
        known = {
            "invoice": "23",
            "credit": str(session.credit),
            "tariff": "Mare 50",
            "transactions": ", ".join([SAID[session.language]["opening"], *session.done]),
        }
        return known[task]

    def _operation(self, session: Session, text: str) -> tuple[str, tuple[Act, ...], bool]:
        """Gather amount and recipient; then ask whether all is right."""
        said = SAID[session.language]
        amount = self._amount(session, text)
        if amount is not None and not _LOW <= amount <= _HIGH:
            session.asking = "amount"
            return said["limits"].format(low=_LOW, high=_HIGH), (Act("request", "amount"),), False
        session.amount = amount if amount is not None else session.amount
        if session.task == "transfer":
            session.recipient = self._recipient(session, text) or session.recipient
        missing = "amount" if session.amount is None else None
        if missing is None and session.task == "transfer" and session.recipient is None:
            missing = "recipient"
        if missing is not None:
            session.asking = missing
            return said[missing], (Act("request", missing),), False
        return self._confirm(session)

    def _confirm(self, session: Session) -> tuple[str, tuple[Act, ...], bool]:
        session.asking = "confirm"
        form = SAID[session.language][f"confirm_{session.task}"]
        acts = [stating("confirm", "amount", str(session.amount))]
        if session.recipient:
            acts.append(stating("confirm", "recipient", session.recipient))
        return form.format(amount=session.amount, recipient=session.recipient), tuple(acts), False

    def _settle(self, session: Session, text: str, heard: list[str]) -> tuple[str, tuple[Act, ...], bool]:
        said = SAID[session.language]
        if self._amount(session, text) is not None or self._named(session, text) not in (
            None,
            session.recipient,
        ):
            return self._operation(session, text)
        if "no" in heard:
            self._drop(session)
            return f"{said['cancelled']} {said['more']}", (Act("reqmore"),), False
        if "yes" not in heard:
            return self._confirm(session)
        amount = session.amount or 0
        if session.task == "transfer" and amount > session.credit:
            self._drop(session)
            told = said["poor"].format(credit=session.credit)
            return f"{told} {said['more']}", (Act("canthelp"), Act("reqmore")), False
        session.credit += amount if session.task == "top_up" else -amount
        done = said[f"{session.task}_done"].format(amount=amount, recipient=session.recipient)
        session.done.append(done)
        acts = [stating("inform", "done", session.task or ""), stating("inform", "amount", str(amount))]
        acts += [stating("inform", "recipient", session.recipient)] if session.recipient else []
        acts.append(stating("inform", "credit", str(session.credit)))
        self._drop(session)
        told = said["done"].format(operation=done, credit=session.credit)
        return f"{told} {said['more']}", (*acts, Act("reqmore")), False

    def _drop(self, session: Session) -> None:
        session.task = session.amount = session.recipient = session.asking = None

    def _amount(self, session: Session, text: str) -> int | None:
        digits = re.search(r"(?<![0-9])[0-9]{1,6}(?![0-9])", text)
        if digits:
            return int(digits[0])
        spoken = NUMBERS[session.language]
        return next((spoken[word] for word in re.findall(r"\w+", text.lower()) if word in spoken), None)

    def _recipient(self, session: Session, text: str) -> str | None:
        named = self._named(session, text)
        if named is not None:
            return named
        words = [word for word in re.findall(r"[^\W\d_]+", text) if len(word) > 1]
        return words[-1].title() if session.asking == "recipient" and words else None

    def _named(self, session: Session, text: str) -> str | None:
        """Who is named as the one to get money; None outside a transfer."""
        if session.task != "transfer":
            return None
        found = [name for name in _RECIPIENT[session.language].findall(text) if name.lower() not in _NOBODY]
        return found[-1].title() if found else None
