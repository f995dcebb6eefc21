"""Identifies the caller, asks openly, asks back where two departments fit, and routes the call.

Three failures to understand, or the wish for a person, lead to an operator.
"""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.dialogue.speech import language_of

_STEPS: Final = ("name", "surname", "birth")
_PATIENCE: Final = 3
_LOAN_LIMIT: Final = 3000
_LONGEST_TEXT: Final = 2_000
_BIRTH: Final = re.compile(
    r"(?<![0-9])([0-9]{1,2})\D{1,14}([0-9]{1,2}|[^\W\d_]{3,10})\D{1,4}([0-9]{4})(?![0-9])"
)

_WORDS: Final = {
    "en": {
        "loan": r"\b(loan|borrow|mortgage|credit line)\b", "cards": r"\b(cards?|pin)\b",
        "account": r"\b(account|balance|statement)\b", "transfers": r"\b(transfer|payment|pay)\b",
        "fraud": r"\b(fraud|stolen|lost|block)\b", "operator": r"\b(operator|person|human|somebody)\b",
        "bye": r"\b(bye|goodbye)\b", "small": r"\b(less|lower|under|below|small)\b",
        "large": r"\b(more|higher|over|above|large)\b",
    },
    "it": {
        "loan": r"\b(prestito|mutuo|finanziamento)\b", "cards": r"\b(carta|carte|pin|bancomat)\b",
        "account": r"\b(conto|saldo|estratto)\b", "transfers": r"\b(bonifico|pagamento|pagare)\b",
        "fraud": r"\b(frode|rubat\w|pers\w|blocc\w+)\b",
        "operator": r"\b(operatore|persona|umano|qualcuno)\b",
        "bye": r"\b(arrivederci|addio)\b", "small": r"\b(meno|inferiore|sotto|piccolo)\b",
        "large": r"\b(più|superiore|sopra|oltre|grande)\b",
    },
}  # fmt: skip
_ORDINALS: Final = {
    "en": (r"\b(first|former)\b", r"\b(second|last|latter|other)\b"),
    "it": (r"\bprim[oaie]\b", r"\b(second|ultim|altr)[oaie]\b"),
}
_SAID: Final = {
    "en": {
        "hello": "Welcome to Banca del Faro.", "name": "What is your first name?",
        "surname": "What is your surname?", "birth": "What is your date of birth, such as 4 May 1980?",
        "open": "Thank you, {name}. How can I help you?", "again": "I am sorry, I did not understand.",
        "amount": "Are you interested in a loan higher or lower than 3000 euros?",
        "which": "Is it about {first} or about {second}?", "bye": "Thank you for calling. Goodbye.",
        "route": "I am putting you through to {target}.", "loan": "loans", "cards": "cards",
        "account": "accounts", "transfers": "payments", "fraud": "the emergency desk",
        "operator": "an operator", "small_loans": "small loans", "large_loans": "large loans",
    },
    "it": {
        "hello": "Benvenuto alla Banca del Faro.", "name": "Qual è il Suo nome?",
        "surname": "Qual è il Suo cognome?", "birth": "Quando è nato, per esempio 4 maggio 1980?",
        "open": "Grazie, {name}. Come posso aiutarLa?", "again": "Mi dispiace, non ho capito.",
        "amount": "Le interessa un prestito superiore o inferiore a 3000 euro?",
        "which": "Si tratta di {first} o di {second}?", "bye": "Grazie della chiamata. Arrivederci.",
        "route": "La metto in contatto con: {target}.", "loan": "prestiti", "cards": "carte",
        "account": "conti", "transfers": "pagamenti", "fraud": "pronto intervento",
        "operator": "un operatore", "small_loans": "piccoli prestiti", "large_loans": "grandi prestiti",
    },
}  # fmt: skip
_TARGETS: Final = ("fraud", "loan", "cards", "account", "transfers")
_PREAMBLE: Final = re.compile(
    r"\b(my|first|last|name|surname|is|it|i am|i'm|mi chiamo|il mio|nome|cognome|è|sono)\b", re.I
)


@dataclass
class Session:
    """Who calls, what is asked next, and how often nothing was understood."""

    language: str
    known: dict[str, str] = field(default_factory=dict)
    asking: str = "name"
    rivals: tuple[str, ...] = ()
    failures: int = 0


class CallSteeringBot:
    """Routes the calls of a bank."""

    name: str = "callsteering"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(language_of(language))

    def greet(self, session: Session) -> Reply:
        said = _SAID[session.language]
        return Reply(f"{said['hello']} {said['name']}", (Act("hello"), Act("request", "name")), (), False)

    def reply(self, session: Session, texts: Texts) -> Reply:
        text = (texts[0][0] if texts else "")[:_LONGEST_TEXT]
        heard = {kind for kind, form in _WORDS[session.language].items() if re.search(form, text, re.I)}
        if "bye" in heard:
            return Reply(_SAID[session.language]["bye"], (Act("bye"),), (), True)
        if session.asking in _STEPS:
            return self._identify(session, text, heard)
        return self._steer(session, text, heard)

    def _identify(self, session: Session, text: str, heard: set[str]) -> Reply:
        step, said = session.asking, _SAID[session.language]
        value = _birth(text) if step == "birth" else _name(text)
        if value is None:
            return self._failed(session, heard, said[step], Act("request", step))
        session.known[step], session.failures = value, 0
        understood = (Meaning((stating("inform", step, value),), 1.0),)
        after = _STEPS.index(step) + 1
        if after < len(_STEPS):
            session.asking = _STEPS[after]
            return Reply(said[session.asking], (Act("request", session.asking),), understood, False)
        session.asking = "matter"
        told = said["open"].format(name=session.known["name"])
        return Reply(told, (Act("request", "matter"),), understood, False)

    def _steer(self, session: Session, text: str, heard: set[str]) -> Reply:
        said = _SAID[session.language]
        if "operator" in heard:
            return self._route(session, "operator")
        if session.asking == "amount":
            number = re.search(r"(?<![0-9])[0-9]{3,7}(?![0-9])", text)
            large = int(number[0]) > _LOAN_LIMIT if number else "large" in heard
            if number or heard & {"large", "small"}:
                return self._route(session, "large_loans" if large else "small_loans")
            return self._failed(session, heard, said["amount"], Act("request", "amount"))
        found = [one for one in _TARGETS if one in heard and (not session.rivals or one in session.rivals)]
        if session.rivals and not found:
            found = [session.rivals[place] for place in self._pointed_at(session.language, text)]
        if "fraud" in found:
            return self._route(session, "fraud")
        if len(found) > 1 and not session.rivals:
            session.rivals = (found[0], found[1])
            told = said["which"].format(first=said[found[0]], second=said[found[1]])
            return Reply(told, tuple(stating("select", "matter", one) for one in found[:2]), (), False)
        if not found:
            return self._failed(session, heard, said["open"].format(name=session.known["name"]),
                                Act("request", "matter"))  # fmt: skip
        if found[0] == "loan":
            session.asking = "amount"
            return Reply(said["amount"], (Act("request", "amount"),), (), False)
        return self._route(session, found[0])

    def _pointed_at(self, language: str, text: str) -> list[int]:
        """Which of two alternatives an answer such as `the second` means; none where it points at neither."""
        return [place for place, form in enumerate(_ORDINALS[language]) if re.search(form, text, re.I)][:1]

    def _failed(self, session: Session, heard: set[str], question: str, act: Act) -> Reply:
        session.failures += 1
        if session.failures >= _PATIENCE or "operator" in heard:
            return self._route(session, "operator")
        return Reply(f"{_SAID[session.language]['again']} {question}", (Act("repeat"), act), (), False)

    def _route(self, session: Session, target: str) -> Reply:
        said = _SAID[session.language]
        told = said["route"].format(target=said[target])
        return Reply(told, (stating("inform", "target", target), Act("bye")), (), True)


def _name(text: str) -> str | None:
    words = re.findall(r"[^\W\d_][^\W\d_']+", _PREAMBLE.sub(" ", text))
    return " ".join(words[:2]).title() if 0 < len(words) <= 4 else None


def _birth(text: str) -> str | None:
    found = _BIRTH.search(text)
    return " ".join(found.groups()).lower() if found and 1 <= int(found[1]) <= 31 else None
