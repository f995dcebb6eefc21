"""Identifies the caller, asks openly, asks back where two departments fit, and routes the call.

Three failures to understand, or the wish for a person, lead to an operator. Departments, the words by which
callers mean them, and what is said stand in `data/bank.yaml`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, stating
from vivavoce_bots.callsteering.identity import (
    FULL_NAMES,
    LONGEST_NAME,
    ONE_NAME,
    aside_words,
    begun_small,
    birth_partly,
    birth_told,
    capital,
    in_small_letters,
    is_name,
    strange_words,
)
from vivavoce_bots.callsteering.meaning import ADVICE, REFUSES, UNDECIDED, WHOSE, as_meant, size_of
from vivavoce_bots.callsteering.questions import IS_THIS, WHAT_IS_THIS, WHY, asks_department, besides
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.gist import names_nothing
from vivavoce_bots.dialogue.hearing import Heard
from vivavoce_bots.dialogue.speech import read_data
from vivavoce_bots.dialogue.spotting import Entry, Span, Spotter, tokens
from vivavoce_bots.dialogue.standing import StandingBot
from vivavoce_bots.dialogue.talk import Answer, Talk

_STEPS: Final = ("name", "surname", "birth")
_MANNERS: Final = ("hello", "repeat", "whoareyou", "service", "human", "help", "insult")
_FULL_NAME: Final = 2
_PATIENCE: Final = 1
_STEM: Final = 4  # letters in which singular and plural agree
_MOST_CLAUSES: Final = 8
_WORD: Final = re.compile(r"\w+(?:['’](?=\w))?")


@cache
def _bank() -> dict[str, Any]:
    return read_data("bank")


def _learn(spotter: Spotter, language: str) -> None:
    bank = _bank()
    rows = [("matter", name, one[language]["words"]) for name, one in bank["departments"].items()]
    for kind, group in (("size", "sizes"), ("point", "points"), ("lead", "leads")):
        rows += [(kind, name, one[language]) for name, one in bank[group].items()]
    rows += [(kind, "", phrases) for kind, phrases in bank["more"][language].items()]
    rows.append(("aside", "", [one for one in bank["aside"][language] if one not in ("not", "non")]))
    for kind, name, phrases in rows:
        for phrase in phrases:
            spotter.learn(phrase, Entry(kind, None, name))


@dataclass
class Session(Talk):
    """Who calls, what is asked next, what the call is about; how often it was `pressed`."""

    known: dict[str, str] = field(default_factory=dict)
    asking: str = "name"
    matters: tuple[str, ...] = ()
    size: str | None = None
    pressed: int = 0
    partly: str = ""
    refuses: bool = False
    told: list[str] = field(default_factory=list)


class CallSteeringBot(StandingBot[Session]):
    """Routes the calls of a bank."""

    name: str = "callsteering"
    puts_through: ClassVar[bool] = True
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def __init__(self, seed: int = 1) -> None:
        super().__init__(seed, _learn)

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language)

    def words(self, session: Session) -> Mapping[str, str]:
        said = _bank()["says"][session.language]
        return {**said, "puzzled": said["puzzled_name"]} if session.asking in _STEPS else said

    def opening(self, session: Session) -> Answer:
        said = self.words(session)
        return Answer(f"{said['hello']} {said['name']}", (Act("hello"), Act("request", "name")))

    def about(self, session: Session, heard: Heard) -> bool:
        sized = session.asking == "amount" and size_of(heard, session.language) is not None
        chosen = session.asking == "which" and (heard.did("both") or bool(self.pointed_at(heard)))
        if WHAT_IS_THIS.search(heard.text) or besides(heard.text, session.language, session.told):
            return True
        asks = session.asking in _STEPS and self._asks_where(session, heard) and not heard.did(*_MANNERS)
        asks = asks or WHY.search(heard.text) is not None
        asks = asks or (session.asking in _STEPS and REFUSES.search(heard.text) is not None)
        return (
            asks
            or sized
            or chosen
            or heard.did("matter", "why")
            or bool(self._identity(session, heard))
            or bool(_again(session, heard))
            or (session.asking == "birth" and bool(birth_partly(heard.text, session.language)))
        )

    def waits(self, session: Session) -> bool:
        return session.asking in ("amount", "which")

    def let_go(self, session: Session) -> None:
        session.matters, session.size = (), None
        session.asking = next((step for step in _STEPS if step not in session.known), "matter")

    def start_over(self, session: Session) -> None:
        session.known = {}
        self.let_go(session)

    def help(self, session: Session) -> str:
        kind = "help_name" if session.asking in _STEPS else "help_amount"
        form = self.words(session)[kind if session.asking in (*_STEPS, "amount") else "help"]
        return form.format(
            departments=", ".join(_name(one, session.language) for one in _bank()["departments"])
        )

    def hand_over(self, session: Session) -> Answer:
        return self._route(session, "fraud" if "fraud" in session.matters else "operator")

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if session.asking == "which" and not session.matters[1:]:  # one was chosen
            session.asking = "matter"
        form = self.words(session)[session.asking]
        if session.asking == "birth" and session.partly:
            form = self.words(session)["year" if session.partly[-1:].isalpha() else "day"]
        if session.asking != "which":
            return form, (Act("request", session.asking),)
        first, second = (_name(one, session.language) for one in session.matters[:2])
        acts = tuple(stating("select", "matter", one) for one in session.matters[:2])
        return form.format(first=first, second=second), acts

    # --- what is said --------------------------------------------------------------------------------------

    def plain(self, session: Session, text: str) -> str:
        return as_meant(text, session.language)

    def standing(self, session: Session, kind: str) -> str | None:
        words = self.words(session)
        if kind in ("noted", "got") and session.known:
            return words["have"].format(
                known=", ".join(session.known[one] for one in _STEPS if one in session.known)
            )
        return (
            words["next" if session.asking in _STEPS else "next_matter"] if kind in ("next", "done") else None
        )

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        told = besides(heard.text, session.language, session.told)
        session.told += [name for name, _ in told]
        answer = self._about_the_call(session, heard)
        if (
            answer is not None
            and answer.end
            and not told
            and not ADVICE.search(heard.text)
            and asks_department(heard.text, session.language)
        ):
            told = [("they", self.words(session)["they"])]
        steps = session.asking in _STEPS and not (answer is not None and answer.end)
        if (
            steps
            and WHY.search(heard.text)
            and self.words(session)["why"] not in (answer.text if answer else "")
        ):
            told.append(("why", self.words(session)["why"]))
        if told:
            return self._with([says for _, says in told], answer or Answer(*self.question(session)))
        return answer

    def _about_the_call(self, session: Session, heard: Heard) -> Answer | None:
        """Who calls and what about; where they have called, if they ask that."""
        answer = self._of_the_call(session, heard)
        asks = session.asking in _STEPS and answer is None and self._asks_where(session, heard)
        if WHAT_IS_THIS.search(heard.text) is None and not asks:
            return answer
        told = self.words(session)["this_is"]
        return self._with([told], answer or Answer(*self.question(session)))

    def _asks_where(self, session: Session, heard: Heard) -> bool:
        """Whether a turn asks in a word or two for another place: the chemist's?"""
        asked = [tokens(one) for one in sentences_of(heard.text) if one.endswith("?")]
        places = [
            one
            for one in asked
            if not (set(one) - {"bank", "banca", "a", "la", "una"}) & strange_words(session.language)
        ]
        asks = any(IS_THIS.match(one) for one in sentences_of(heard.text))
        return asks or (any(1 <= len(place) <= LONGEST_NAME for place in places) and not heard.did("whole"))

    def _of_the_call(self, session: Session, heard: Heard) -> Answer | None:
        identity = self._identity(session, heard)
        person = any(name == "program" for name, _ in besides(heard.text, session.language, []))
        if heard.did("human") and not person and "birth" not in identity and not self._matters(heard, set()):
            return self.hand_over(session)
        named = {word for name in (*identity.values(), *session.known.values()) for word in tokens(name)}
        session.refuses = REFUSES.search(heard.text) is not None
        found = self._matters(heard, named)
        if session.asking in _STEPS and WHOSE.search(heard.text):
            found = [one for one in found if one != "account"]
        acts = [stating("inform", slot, value) for slot, value in identity.items()]
        acts += [stating("inform", "matter", one) for one in found]
        answer = self._identified(session, heard, identity, found) or self._steered(session, heard, found)
        if answer is None and (heard.did("why") or WHY.search(heard.text)):
            question, asks = self.question(session)
            answer = Answer(f"{self.words(session)['why']} {question}", asks)
        return answer._replace(understood=(Meaning(tuple(acts), 1.0),)) if answer is not None else None

    def _identified(
        self, session: Session, heard: Heard, identity: dict[str, str], found: Sequence[str]
    ) -> Answer | None:
        """Take down who calls; None where the call is about something by now, or nothing was said of it."""
        said, asked = self.words(session), session.asking
        corrected = [
            value
            for slot, value in identity.items()
            if slot not in (asked, "birth") and session.known.get(slot, value) != value
        ]
        if asked in _STEPS:
            urgent = "fraud" in found and "fraud" in session.matters and not identity
            session.matters = tuple(found) or session.matters
            session.pressed += bool(found) and not identity
            refuses = session.refuses and not identity
            if refuses and not session.matters:
                session.asking = "matter"
                return self._with([said["without"]], Answer(*self.question(session)))
            if session.matters and (refuses or urgent or session.pressed > _PATIENCE):
                # who will not say is put through all the same
                session.asking = "matter"
                return self._with([said["without"]], self._steer(session, session.matters))
        elif found or not identity:
            return None
        partly = "" if asked != "birth" or identity else birth_partly(heard.text, session.language)
        again = _again(session, heard)
        if not identity and not found and not partly:  # Carlo, as I said
            lead = [
                said["noted"].format(value=session.known[one])
                for one in ("name",)
                if again and one in session.known
            ]
            return self._with(lead, Answer(*self.question(session))) if lead and asked in _STEPS else None
        session.partly = partly or session.partly
        session.known = session.known | identity
        if "birth" in identity and "name" in session.known:  # who is known well enough is asked no more
            session.known = {"surname": "", **session.known}
        missing = next((step for step in _STEPS if step not in session.known), None)
        lead = [said["noted"].format(value=corrected[0])] if corrected else []
        if missing is not None:
            session.asking = missing
            lead += [said["later"]] if found else []
        elif asked in _STEPS:
            session.asking = "matter"
            lead.append(said["thanks"].format(name=session.known["name"]))
            if session.matters:
                return self._with(lead, self._steer(session, session.matters))
        question, asks = self.question(session)
        return Answer(" ".join([*lead, question]), asks)

    def _steered(self, session: Session, heard: Heard, found: Sequence[str]) -> Answer | None:
        """What the call is about, of what kind, or which of two."""
        if session.asking in _STEPS:
            return None
        size = size_of(heard, session.language)
        session.size = size or session.size
        if session.asking == "amount" and not found:
            found = ("loan",) if size else ()
        if session.asking == "which" and not found:
            found = [session.matters[place] for place in self.pointed_at(heard)]
        if session.asking == "which" and heard.did("both"):
            return self._with([self.words(session)["one"]], Answer(*self.question(session)))
        if session.asking == "which" and len(found) > 1:
            found = self._settled_on(session, heard) or found
        if (len(found) > 1 or session.asking == "which") and UNDECIDED[session.language].search(heard.text):
            again = session.asking == "which" and ADVICE.search(heard.text)
            session.matters = tuple(found) if len(found) > 1 else session.matters
            if again and len(session.matters) > 1:
                return self._with(
                    [
                        self.words(session)["advised"].format(
                            first=_name(session.matters[0], session.language)
                        )
                    ],
                    self._steer(session, session.matters[:1]),
                )
            session.asking = "which"
            what = [_bank()["departments"][one][session.language]["for"] for one in session.matters[:2]]
            return self._with(what, Answer(*self.question(session)))
        if found:
            return self._steer(session, found)
        if heard.did("affirm") and session.asking == "matter":
            return self._with([self.words(session)["next_matter"]], Answer(*self.question(session)))
        if self.waits(session) and (heard.did("negate") or heard.refused("matter")):
            self.let_go(session)
            return Answer(self.words(session)["else"], (Act("request", "matter"),))
        return None

    def _settled_on(self, session: Session, heard: Heard) -> list[str]:
        """The one that was named last of several, and by itself: cards? no, the account."""
        for clause in reversed(re.split(r"[,.;:!?…]+", heard.text)[-_MOST_CLAUSES:]):
            if named := self._matters(self._hearing[session.language].heard(clause), set()):
                return named if len(named) == 1 else []
        return []

    def _steer(self, session: Session, found: Sequence[str]) -> Answer:
        """Route the call, or ask what decides where to."""
        if "fraud" in found:
            return self._route(session, "fraud")
        session.matters = tuple(found)
        if len(found) > 1:
            session.asking = "which"
        elif found[0] == "loan" and session.size is None:
            session.asking = "amount"
        else:
            return self._route(session, f"{session.size}_loans" if found[0] == "loan" else found[0])
        return Answer(*self.question(session))

    def _with(self, lead: Sequence[str], answer: Answer) -> Answer:
        return answer._replace(text=" ".join([*lead, answer.text]))

    def _matters(self, heard: Heard, names: set[str]) -> list[str]:
        """The departments that were meant, in their order; none that was denied, or is a name."""
        refused = heard.refused("matter")
        named = {
            span.entry.value
            for span in heard.spans
            if span.entry.kind == "matter"
            and span not in refused
            and not names >= set(heard.said[span.start : span.end])
        }
        own = {
            span.entry.value for span in heard.spans if span.entry.value in named and self._own(heard, span)
        }
        if len(own) == 1 and "fraud" not in named:  # a loan, as I cannot pay
            named = own
        departments: list[str] = list(_bank()["departments"])
        return [department for department in departments if department in named]

    def _own(self, heard: Heard, span: Span) -> bool:
        """Whether a phrase is the department's own name."""
        names = [one["name"] for one in _bank()["departments"][span.entry.value].values()]
        return any(heard.said[span.start][:_STEM] == tokens(name)[-1][:_STEM] for name in names)

    def pointed_at(self, heard: Heard) -> list[int]:
        """Which of two alternatives an answer such as `the second` means; none where it points at neither."""
        return [int(one.value or 0) for one in heard.all("point")][:1]

    def _identity(self, session: Session, heard: Heard) -> dict[str, str]:
        """What was said of who calls; without a word that tells which, it is what was asked.

        Behind a `no` it is what was asked before.
        """
        asked = session.asking == "birth"
        birth = birth_told(heard.text, session.language, asked=asked, partly=session.partly if asked else "")
        found = {"birth": birth} if birth else {}
        one = ONE_NAME[session.language].search(begun_small(heard.text)) if session.asking == "name" else None
        if session.asking == "name" and (
            full := FULL_NAMES[session.language].search(begun_small(heard.text))
        ):
            first, *others = full[1].split()
            return found | {"name": first, "surname": " ".join(others)}
        if session.asking in ("birth", "matter") and not found:
            for words in (one.strip(" .!").split() for one in sentences_of(heard.text)):
                named = len(words) == _FULL_NAME and all(is_name(word) and word.istitle() for word in words)
                plain = {word for one in words for word in tokens(one)}
                if named and not plain & (strange_words(session.language) | aside_words(session.language)):
                    return {"name": words[0], "surname": words[1]}  # it had another name
        if one and not {*tokens(one[1])} & strange_words(session.language):
            both = re.search(rf"\b{re.escape(one[1])} ([A-Z][\w'’]+)", heard.text)
            return found | {"name": one[1]} | ({"surname": both[1]} if both else {})
        hearing, corrects = self._hearing[session.language], False
        for clause in re.split(r"[,.;!]+(?=\s|$)|(?<=\?)\s+|\band\b|\be\b", heard.text)[:_MOST_CLAUSES]:
            part = hearing.heard(clause)
            led = self._led(session, part)
            bare = {} if led or part.did("why") or heard.did("whole") else self._bare(session, part, heard)
            if bare and corrects and set(bare) <= set(found):
                found |= bare  # Anna. No, Annamaria
            corrects = part.did("negate") and not bare
            found |= {
                slot: one
                for slot, one in (led or bare).items()
                if slot not in found or led or ("surname" in bare and "surname" not in found)
            }
        if found.get("name") == session.known.get("surname") and "surname" not in found:
            found |= {"surname": session.known["name"]} if "name" in found and "name" in session.known else {}
        if found.get("surname") and found["surname"] == session.known.get("name") and len(found) == 1:
            return {}  # the first name, said again
        return found

    def _led(self, session: Session, heard: Heard) -> dict[str, str]:
        """Names behind words that tell which they are, or before: `Mario is my first name`."""
        found: dict[str, str] = {}
        if "?" in heard.text:
            return found  # my maiden name as well?
        for lead in (span for span in heard.spans if span.entry.kind == "lead"):
            after = range(lead.end, len(heard.said))
            before = heard.said[max(lead.start - 1, 0)] in ("is", "è") or heard.said[lead.start] in (
                "is",
                "è",
            )
            before = (before or lead.start == 1) and "?" not in heard.text
            words = self._name(session, heard, after) or (
                self._name(session, heard, range(lead.start)) if before else []
            )
            matters = (span for span in heard.spans if span.entry.kind == "matter")
            if not words and any(span.start == lead.end for span in matters):
                words = [heard.said[lead.end]]  # some surnames are words of the bank
            found |= _named(lead.entry.value or "", words, session) if words else {}
        return found

    def _bare(self, session: Session, heard: Heard, turn: Heard) -> dict[str, str]:
        """A name that is all that a clause says."""
        slot = session.asking
        denies = any(span.entry.kind == "negate" and span.start <= 1 for span in turn.spans)
        if denies and session.asking in _STEPS[1:]:
            slot = _STEPS[_STEPS.index(session.asking) - 1]
        capital = len(heard.said) == 1 and heard.text.strip()[:1].isupper()
        strange = any(letter.isdigit() or letter == "?" for letter in heard.text)
        full = heard.text.split()
        capital = capital or (slot == "name" and len(full) == _FULL_NAME and heard.text.istitle())
        if slot not in ("name", "surname") or strange or (heard.did("matter") and not capital):
            return {}
        if heard.did("matter") and len(full) == _FULL_NAME:  # Paolo Conti
            return _named(slot, full, session)
        if heard.did("matter"):  # some surnames are words of the bank
            return {slot: heard.text.strip()}
        small = in_small_letters(heard.text, turn)
        words = [] if small else self._name(session, heard, range(len(heard.said)), whole=True)
        if len(turn.said) > _FULL_NAME and any(names_nothing(word, session.language) for word in words):
            return {}  # finally!; I wanted
        if denies and words and len(turn.said) > LONGEST_NAME and not words[0][:1].isupper():
            return {}  # no chance, I won't tell
        return _named(slot, words, session) if words else {}

    def _name(self, session: Session, heard: Heard, places: range, *, whole: bool = False) -> list[str]:
        """The words of a name as written, up to the next phrase; `whole`: nothing else may be said."""
        written = _WORD.findall(heard.text)
        written = written if len(written) == len(heard.said) else heard.said
        covered = {
            at for span in heard.spans if span.entry.kind != "not" for at in range(span.start, span.end)
        }
        covered |= {at for at, word in enumerate(heard.said) if word in aside_words(session.language)}
        small = self._hearing[session.language].small
        words: list[str] = []
        for at in places:
            if at in covered and words and not whole:
                break
            if at not in covered:
                words.append(written[at])
        while words and "".join(tokens(words[-1])) in small:
            words.pop()
        if words[1:] and words[1][:1].isupper() and names_nothing(words[0], session.language):
            words = words[1:]  # anyway, Marsh
        plain = {word for one in words for word in tokens(one)}
        strange = (
            plain & strange_words(session.language)
            or plain <= small
            or not all(is_name(word) for word in words)
        )
        return [] if strange or len(words) > LONGEST_NAME else words

    def _route(self, session: Session, target: str) -> Answer:
        told = self.words(session)["route"].format(target=_name(target, session.language))
        return Answer(told, (stating("inform", "target", target), Act("bye")), end=True)


def _again(session: Session, heard: Heard) -> set[str]:
    """The words of names that are known already and said once more."""
    return {word for one in session.known.values() for word in tokens(one)} & set(heard.said)


def _name(target: str, language: str) -> str:
    bank = _bank()
    return (
        bank["targets"][target][language]
        if target in bank["targets"]
        else bank["departments"][target][language]["name"]
    )


def _named(slot: str, words: list[str], session: Session) -> dict[str, str]:
    """A name; where the surname is not known yet, the words behind the first are that."""
    if slot == "name" and len(words) > 1 and "surname" not in session.known:
        return {"name": capital(words[:1]), "surname": capital(words[1:])}
    return {slot: capital(words)}
