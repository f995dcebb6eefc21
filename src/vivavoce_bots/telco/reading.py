"""What a turn of a caller says of the account: orders with their values, questions, yes and no, leave-taking.

Only an order in so many words begins a top-up or a transfer. Numbers of questions, of other people's doings,
of what was or is there, and of clauses that deny something are no amounts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, NamedTuple

from vivavoce_bots.dialogue.clauses import asks_openly, sentences_of
from vivavoce_bots.dialogue.gist import names_nothing, rewritten
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import is_question, read_data, without_tag
from vivavoce_bots.telco.words import ASKED, CALLED

OPERATIONS: Final = ("top_up", "transfer")
FACTS: Final = ("invoice", "transactions", "credit", "tariff")
_SHORT, _FEW, _MOST_ANSWERS = 4, 3, 3
_LONGEST_VALUE: Final = 7  # words of a clause that tells an amount and hardly more
_NUMBER: Final = re.compile(r"(?<![\w.,])[0-9]{1,4}(?![0-9]|[.,][0-9])")
_NAMED: Final = re.compile(r"\b(?:mare|sole|monte) [0-9]+\b|\b119\b", re.I)
_NAME: Final = r"(?-i:[A-ZÀÈÉÌÒÙ][a-zàèéìòù'’]\w*(?: [A-ZÀÈÉÌÒÙ][a-zàèéìòù'’]\w+){0,2})"


@dataclass
class Draft:
    """An operation as far as it was told."""

    task: str
    amount: int | None = None
    recipient: str | None = None


@dataclass
class Turn:
    """What a turn says, in the order in which it is answered."""

    orders: list[Draft] = field(default_factory=list)
    amount: int | None = None
    recipient: str | None = None
    refused: bool = False
    yes: bool = False
    no: bool = False
    waits: bool = False
    leaves: bool = False
    facts: list[str] = field(default_factory=list)
    topics: list[str] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    asked_of: int | None = None
    meant: list[str] = field(default_factory=list)
    spoken_of: list[str] = field(default_factory=list)
    denies: bool = False
    echo: int | None = None
    unknown: str = ""
    sure: bool = False
    strange: int | None = None
    both_sums: bool = False
    person: str = ""

    def says_nothing(self) -> bool:
        told = (self.orders, self.facts, self.topics, self.weak, self.numbers, self.amount, self.recipient)
        told += (self.strange,)
        rest = (self.waits, self.refused, self.yes, self.no, self.leaves, self.sure, self.echo is not None)
        return not any(told) and not any(rest) and not self.unknown


class _Clause(NamedTuple):
    text: str
    sentence: int
    asks: bool


@dataclass(frozen=True)
class _Forms:
    """The forms of a language, compiled."""

    by: dict[str, re.Pattern[str]]
    asked: dict[str, re.Pattern[str]]
    topics: dict[str, tuple[re.Pattern[str], re.Pattern[str] | None, str]]


@cache
def _forms(language: str) -> _Forms:
    topics = {
        name: (
            _either(one[language]["of"]),
            _either(one[language]["of_it"]) if one[language].get("of_it") else None,
            "here" if one.get("here") else str(one.get("anyhow", "")),
        )
        for name, one in topics_known().items()
    }
    asked = {task: re.compile(form, re.I) for task, form in ASKED[language].items()}
    return _Forms(
        {name: re.compile(form, re.I) for name, form in read_data("telco")["forms"][language].items()},
        asked,
        topics,
    )


def _either(written: Sequence[str]) -> re.Pattern[str]:
    """One form of several; what only has to stand behind a form is none of it."""
    written = [re.sub(r"(\[\^[?.,]+\]\*(?:\\\?)?)$", r"(?=\1)", one) for one in written]
    return re.compile("|".join(f"(?:{one})" for one in written).replace("{credit}", "(?:14|credit)"), re.I)


def topics_known() -> dict[str, Any]:
    return read_data("telco")["topics"]


class Reader:
    """Reads one turn, before an open question or none.

    asking  the question that waits; task  the operation that is open; known  numbers that were told
    about  the fact that was told last; last  what was said last; person  who was spoken of;
    earlier  the operation that was done last
    """

    def __init__(
        self,
        language: str,
        asking: str | None,
        task: str | None,
        known: Sequence[int],
        about: str,
        last: str = "",
        person: str = "",
        earlier: Draft | None = None,
    ) -> None:
        self._language, self._forms, self._last = language, _forms(language), last.lower()
        self._spoken_of, self._earlier = person, earlier
        self._asking, self._task, self._known, self._about = asking, task, known, about

    def read(self, text: str) -> Turn:
        plain = in_digits(text.replace("’", "'"), self._language, ordinals=False)
        plain = rewritten(plain, read_data("telco")["rewrites"][self._language])
        sentences = [without_tag(one, self._language) for one in sentences_of(plain)]
        turn, blocked = Turn(), set[int]()
        clauses = [clause for at, sentence in enumerate(sentences) for clause in self._clauses(sentence, at)]
        for at, sentence in enumerate(sentences):
            if self._answerable(turn, sentence):
                blocked.add(at)
        self._orders(turn, clauses, blocked)
        self._settling(turn, clauses)
        turn.leaves = self._leaves(sentences)
        turn.sure = self._sure(sentences)
        turn.both_sums = str(self._known[1]) in _NUMBER.findall(plain) or self._is("money", plain)
        if "how_pay" in turn.topics:  # nobody is paid by a transfer for the bill
            turn.orders = [order for order in turn.orders if order.task != "transfer" or order.recipient]
        turn.denies = self._is("plain_no", plain) and len(plain.split()) <= _LONGEST_VALUE
        for at, sentence in enumerate(sentences):
            self._questions(turn, sentence, ordered=at in blocked or self._orders_in(sentence, turn))
        return turn

    def _sure(self, sentences: Sequence[str]) -> bool:
        """Whether somebody asks if they have understood numbers that were told, and they have."""
        told = [sentence for sentence in sentences if not self._is("sure", sentence)]
        numbers = [int(one) for text in told for one in _NUMBER.findall(_NAMED.sub(" ", text))]
        asks = any("?" in sentence and self._is("sure", sentence) for sentence in sentences)
        return asks and any(number in self._known for number in numbers)

    def _is(self, name: str, text: str) -> bool:
        return self._forms.by[name].search(text) is not None

    def _asks(self, sentence: str) -> bool:
        return is_question(sentence, self._language) or self._is("asks_start", sentence)

    def _clauses(self, sentence: str, at: int) -> list[_Clause]:
        asks = self._asks(sentence) and not self._is("polite", sentence)
        pieces = [one.strip() for one in self._forms.by["clause"].split(sentence) if one and one.strip()]
        return [_Clause(piece, at, asks) for piece in pieces]

    # --- questions -----------------------------------------------------------------------------------------

    def _answerable(self, turn: Turn, sentence: str) -> bool:
        """Take the topics of a sentence; whether there are any, which no order stands beside."""
        asks = self._asks(sentence) or self._is("wish", sentence)
        short = len(sentence.split()) <= _SHORT
        if len(sentence.split()) == 1 and sentence.strip(" ?!.").lower() in self._last:
            return False  # technicians?
        found = list[tuple[int, int, str]]()
        for name, (form, of_it, anyhow) in self._forms.topics.items():
            matches = list(form.finditer(sentence)) if asks or short or anyhow not in ("", "here") else []
            if (
                anyhow == "here" and not short and self._busy(sentence)
            ):  # back from Portugal, what was my bill?
                matches = [one for one in matches if self._is("asks_here", self._around(sentence, one))]
            match = matches[0] if matches else None
            about = topics_known()[name].get("about", topics_known()[name].get("tells"))
            if match is None and of_it is not None and self._about == about:
                match = of_it.search(sentence)
            if match:
                found.append((match.start(), match.end(), name))
        taken = list[tuple[int, int, str]]()
        for start, end, name in found:
            if all(end <= a or start >= b for a, b, _ in taken):
                taken.append((start, end, name))
        names = [name for _, _, name in sorted(taken)]
        for name in names:
            beside = not asks and self._forms.topics[name][2] == "beside"
            held = turn.weak if beside else turn.topics
            held += [name] if name not in held and len(held) < _MOST_ANSWERS else []
        if "means" in names:
            turn.meant += [one for one in FACTS if self._forms.asked[one].search(sentence)]
        if names and (number := _NUMBER.search(_NAMED.sub(" ", sentence))):
            turn.asked_of = int(number[0])
        return bool(names)

    def _busy(self, sentence: str) -> bool:
        """Whether a sentence names a thing that can be told, or an operation."""
        return any(form.search(sentence) for form in self._forms.asked.values())

    def _around(self, sentence: str, match: re.Match[str]) -> str:
        """The clause in which a match stands, and the one behind it."""
        start = self._forms.by["clause"].split(sentence[: match.end()])[-1] or ""
        return start + " ".join(self._forms.by["clause"].split(sentence[match.end() :])[:2])

    def _questions(self, turn: Turn, sentence: str, *, ordered: bool) -> None:
        """Take the facts that a sentence asks for, the numbers, or that it asks what nobody knows."""
        asks = self._asks(sentence)
        words = sentence.split()
        wanted = asks or self._is("wish", sentence) or len(words) <= _SHORT
        told = [topics_known()[topic].get("tells") for topic in turn.topics]
        named, facts = any(self._forms.asked[one].search(sentence) for one in OPERATIONS), list[str]()
        for fact in FACTS:
            match = self._forms.asked[fact].search(sentence)
            denied = match and (
                self._is("denied", sentence[: match.start()])
                or self._is("beside_it", sentence[match.end() :])
            )
            named = named or (match is not None and not denied)
            sent = fact == "credit" and self._forms.asked["transfer"].search(sentence) is not None
            denied = denied or (sent and not self._is("wish_fact", sentence))  # may I send credit?
            turn.spoken_of += [fact] if match else []
            if match and fact not in told and not denied:
                facts += [fact] if self._named(fact, sentence) else []
        if not named and asks and self._is("how_much", sentence) and self._asking is None:
            facts, named = [self._priced(turn)], True
        if any(topic.startswith("means") for topic in turn.topics) and self._covered(turn, sentence):
            facts = []
        elif (ordered and not asks) or self._covered(turn, sentence):
            facts = [one for one in facts if self._is("wish_fact", sentence)]
        facts = facts if wanted or not self._is("concludes", sentence) else []
        turn.facts += [one if wanted else f"?{one}" for one in facts if one not in turn.facts]
        if not asks and not ordered and not named and self._is("wants_know", sentence):
            turn.unknown = turn.unknown or ("" if self._covered(turn, sentence) else sentence)
        strange = _NUMBER.search(sentence) if self._is("euro", sentence) and not (named or ordered) else None
        if strange and self._asking is None and (asks or self._is("asks_after", sentence)):
            turn.strange = int(strange[0]) if int(strange[0]) not in self._known else None
        if not asks or ordered:
            return
        numbers = [int(one) for one in _NUMBER.findall(_NAMED.sub(" ", sentence))]
        numbers = [number for number in numbers if number in self._known]
        if numbers and not self._covered(turn, sentence):
            turn.echo = numbers[-1] if len(words) <= _FEW else turn.echo
            turn.numbers += numbers if len(words) > _FEW else []
        elif (
            not (named or self._covered(turn, sentence) or self._gave(turn, sentence)) and len(words) >= _FEW
        ):
            openly = (
                asks_openly(sentence, self._language) if "?" in sentence else self._is("asks_start", sentence)
            )
            openly = openly and not self._is("no_question", sentence) and not self._is("sure", sentence)
            turn.unknown = turn.unknown or (sentence if openly else "")

    def _priced(self, turn: Turn) -> str:
        """The thing whose sum is asked for by no name: the last that was spoken of."""
        named = [one for one in ("credit", "invoice") if one in turn.spoken_of]
        return next(iter([*named, *(one for one in ("invoice", "credit") if one == self._about)]), "invoice")

    def _named(self, fact: str, sentence: str) -> bool:
        """Whether a fact is meant where a clause names another: how much I spent on the last invoice."""
        for clause in filter(None, self._forms.by["clause"].split(sentence)):
            nouns = [
                one
                for one in FACTS
                if re.search(rf"\b(?:{'|'.join(CALLED[self._language][one])})\b", clause, re.I)
            ]
            if self._forms.asked[fact].search(clause) and (fact in nouns or not nouns):
                return True
        return not any(
            self._forms.asked[fact].search(one or "") for one in self._forms.by["clause"].split(sentence)
        )

    def _gave(self, turn: Turn, sentence: str) -> bool:
        """Whether a sentence told the amount."""
        amounts = [turn.amount, *(order.amount for order in turn.orders)]
        return any(amount is not None and re.search(rf"\b{amount}\b", sentence) for amount in amounts)

    def _covered(self, turn: Turn, sentence: str) -> bool:
        """Whether a topic answers a sentence already."""
        topics = (self._forms.topics[one] for one in (*turn.topics, *turn.weak))
        return any(form.search(sentence) or (it and it.search(sentence)) for form, it, _ in topics)

    # --- orders and their values ---------------------------------------------------------------------------

    def _orders_in(self, sentence: str, turn: Turn) -> bool:
        return any(self._forms.asked[order.task].search(sentence) for order in turn.orders)

    def _order(self, clause: _Clause, before: bool) -> str | None:
        """The operation that a clause orders; None where it tells, asks or denies one."""
        text = clause.text
        task = next((one for one in ("transfer", "top_up") if self._forms.asked[one].search(text)), None)
        if task is None or any(self._is(one, text) for one in ("no_order", "others", "tells")):
            return None
        if task == "transfer" and self._forms.asked["invoice"].search(text):
            return None  # pay the bill
        if clause.asks and any(number in self._last for number in _NUMBER.findall(text)):
            return None  # a top-up of twenty?
        if clause.asks and not (len(text.split()) <= _SHORT and not self._is("inquires", text)):
            return None
        return None if before and self._is("or", text) else task

    def _orders(self, turn: Turn, clauses: Sequence[_Clause], blocked: set[int]) -> None:
        """Take the orders of a turn with their amounts and recipients, and values without an order."""
        current, denied, mentioned, spoken = None, False, self._spoken_of, (-1, 0)
        corrects = self._asking is not None
        for clause in clauses:
            mentioned = self._person(clause.text) or mentioned
            negated = self._is("negated", clause.text)
            named = next((one for one in OPERATIONS if self._forms.asked[one].search(clause.text)), None)
            task = None if clause.sentence in blocked and clause.asks else self._order(clause, denied)
            if task is None and self._earlier and self._is("same", clause.text) and not clause.asks:
                task = self._earlier.task  # the same to my daughter
                current = Draft(task, self._earlier.amount, self._earlier.recipient)
                turn.orders.append(current)
            turn.refused = turn.refused or (named is not None and task is None and negated)
            denied = negated
            if task is not None:
                if current is None or current.task != task:
                    current = Draft(task)
                    turn.orders.append(current)
            elif named is not None:
                continue
            amount = self._amount(clause, ordered=task is not None)
            if (
                amount is None
                and task is not None
                and self._is("that", clause.text)
                and spoken[0] == clause.sentence
            ):
                amount = spoken[1]  # she wants ten euros, can you send her that?
            if numbers := _NUMBER.findall(self._forms.by["no_amount"].sub(" ", clause.text)):
                spoken = clause.sentence, int(numbers[-1])
            holder: Draft | Turn | None = current or (turn if corrects or task else None)
            if holder is None:
                holder = turn if amount is not None and len(clauses) == 1 else None
            if holder is None:
                continue
            if amount is not None and not (holder.amount and str(amount) in str(holder.amount)):
                holder.amount = amount
            transfers = holder.task == "transfer" if isinstance(holder, Draft) else self._task == "transfer"
            if transfers:
                told_one = holder.recipient or (holder is turn and self._asking == "confirm")
                named_one = self._recipient(clause, ordered=task is not None) or (
                    mentioned if self._is("pronoun", clause.text) and not told_one else None
                )
                holder.recipient = named_one or holder.recipient
        turn.person = mentioned
        if turn.orders and turn.amount and turn.orders[0].amount is None:
            turn.orders[0].amount, turn.amount = turn.amount, None

    def _amount(self, clause: _Clause, *, ordered: bool) -> int | None:
        """The euros that a clause tells; None where its number is none."""
        text = self._forms.by["no_amount"].sub(" ", _NAMED.sub(" ", clause.text))
        numbers = [int(one) for one in _NUMBER.findall(text)]
        if not numbers:
            return None
        if ordered:
            return numbers[-1]
        if self._is("inquired", text):
            return None  # I asked about the fifteen euros
        bare = self._asking == "amount" and len(text.split()) <= _SHORT  # I thought thirty
        if (self._is("past", text) and not self._is("said_it", text) and not bare) or self._is(
            "others", text
        ):
            return None
        if any(self._forms.asked[one].search(text) for one in FACTS) and not self._is("make_it", text):
            return None
        if clause.asks and numbers[-1] in self._known:
            return None  # fourteen, and is that enough?
        made = self._is("make_it", text) or (self._is("euro", text) and not clause.asks)
        alone = len(text.split()) <= (_FEW if clause.asks else _LONGEST_VALUE)
        return numbers[-1] if made or (alone and not (clause.asks and self._asking != "amount")) else None

    def _person(self, text: str) -> str:
        """Who is spoken of in a clause: a name behind a relative, or the relative."""
        found = self._forms.by["relative"].search(text)
        if found is None:
            own_one = re.search(rf"\b(?:[Mm]y|[Ii]l mio|[Ll]a mia) ({_NAME})", text)
            return own_one[1] if own_one else ""
        name = re.match(rf"\W+({_NAME})", text[found.end() :])
        whose = {"mi": "Su", "no": "Su"}.get(found[0][:2].lower()) if self._language == "it" else None
        own = f"{whose}{found[0].split()[0][-1]}" if whose else "your"
        return name[1] if name else f"{own} {found['who'].lower()}"

    def _recipient(self, clause: _Clause, *, ordered: bool) -> str | None:
        """Who is to get money: a name or a relative behind `to`; what stands alone where that was asked."""
        text = clause.text
        to = {"en": r"(?:to|for|is|it's|called|named|name's|send|give|lend)", "it": r"(?:a|ad|per|chiama|è)"}[
            self._language
        ]
        if found := re.findall(rf"\b{to} ({_NAME})", text):
            return found[-1]
        if person := self._person(text):
            return person
        after = {
            "en": r"(?:\d+|euros?|money|transfer|send|some|it|no,?|rather) (?:to|for) ([a-z]{2,})\b",
            "it": r"(?:\d+|euro|soldi|bonifico|mand\w+|invi\w+|no,?|anzi) (?:a|ad|per) ([a-zàèéìòù]{2,})\b",
        }[self._language]
        small = re.findall(after, text, re.I)
        small += re.findall(
            {"en": r"^(?:to|for) (\w+)$", "it": r"^(?:a|ad|per) (\w+)$"}[self._language], text, re.I
        )
        small = [one for one in small if not names_nothing(one, self._language) and not one.isdigit()]
        if small:
            return small[-1].title()
        if ordered or clause.asks or self._asking not in ("recipient", "confirm", "amount"):
            return None
        words = re.findall(r"[^\W\d_][\w']*", text)
        named = re.fullmatch(rf"\W*(?:\w+ )?({_NAME})\W*", text)
        if self._asking == "recipient":
            own = [word for word in words if not names_nothing(word, self._language)]
            filled = own and len(words) - len(own) <= 1 and len(words) <= _SHORT and not self._settles(text)
            return " ".join(own).title() if filled else None
        return (
            named[1]
            if named and not names_nothing(named[1], self._language) and not self._settles(text)
            else None
        )

    # --- yes, no, goodbye ----------------------------------------------------------------------------------

    def _settles(self, text: str) -> bool:
        return any(self._is(name, text) for name in ("yes", "agrees", "no", "waits", "bye"))

    def _settling(self, turn: Turn, clauses: Sequence[_Clause]) -> None:
        """Take yes and no; the last that was said counts, and `wait` behind a yes takes it back."""
        for clause in clauses:
            if self._is("no", clause.text) and not (
                turn.yes and clause.asks
            ):  # yes. on my phone, not the bill?
                turn.no, turn.yes, turn.waits = True, False, False
            elif self._is("yes", clause.text) or self._agrees(turn, clause):
                turn.yes, turn.no, turn.waits = True, False, False
            if self._is("waits", clause.text):
                turn.waits = True

    def _agrees(self, turn: Turn, clause: _Clause) -> bool:
        """Whether a short clause agrees in words that may mean something else, too."""
        apart = turn.no or clause.asks or len(clause.text.split()) > _LONGEST_VALUE
        return not apart and self._is("agrees", clause.text)

    def _leaves(self, sentences: Sequence[str]) -> bool:
        """Whether somebody takes leave; `basta` and `stop` only where nothing else is said."""
        last = bool(sentences) and self._is("bye_alone", sentences[-1])
        return last or any(self._is("bye", sentence) for sentence in sentences)
