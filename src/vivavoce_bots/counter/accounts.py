"""How a counter answers a turn: what is said is done, what is asked is told, then comes one next step."""

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import ClassVar, Final

from vivavoce_bots.acts import Act
from vivavoce_bots.counter.matter import Counter
from vivavoce_bots.counter.naming import ALSO, EITHER, SUPPOSES, TAGGED, TITLE
from vivavoce_bots.counter.turn import CHECKS, Piece, pieces_of, requests, says_nothing, without_stop
from vivavoce_bots.counter.understanding import CounterHearing, Visit
from vivavoce_bots.counter.unknown import PRONOUN
from vivavoce_bots.counter.wording import wording
from vivavoce_bots.dialogue.accounting import AccountingBot
from vivavoce_bots.dialogue.beyond import read_beyond
from vivavoce_bots.dialogue.clauses import asks_openly, clauses_of, gives_up
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.hearing import UNSURE, Heard
from vivavoce_bots.dialogue.inquiry import Asked, calendar, inquired
from vivavoce_bots.dialogue.manners import CourteousBot
from vivavoce_bots.dialogue.numbers import in_digits
from vivavoce_bots.dialogue.speech import speech
from vivavoce_bots.dialogue.spotting import Spotter, tokens
from vivavoce_bots.dialogue.talk import QUESTION, Answer, asked_for_more, joined

_TO_US: Final = ("whoareyou", "howareyou", "service", "repeat", "human", "hello", "ciao", "undo", "restart",
                 "doubted", "wrong", "bye", "done")  # fmt: skip
"""What is asked of whoever speaks, and not of the matter."""
_DENIED: Final = wording("accounts", "denied")
_TAKEN_BACK: Final = wording("accounts", "taken_back")
_WHAT_NOW: Final = wording("accounts", "what_now")
"""Questions that the answer to what stands before them answers, too."""
_OF_THE_NEED: Final = wording("accounts", "of_the_need")
"""Questions about what was asked: where do I find it?"""
_OPENS: Final = {"en": wording("accounts", "opens_en"), "it": wording("accounts", "opens_it")}
_RHETORICAL: Final = wording("accounts", "rhetorical")
"""Questions that want no answer: do I really have to type this in?"""
_NOT_SO: Final = wording("accounts", "not_so")  # that something is wrong, not what would be right
_NOTED: Final = wording("accounts", "noted")
_DONE: Final = wording("accounts", "done")  # so is it renewed now or not?
_THAT_DAY: Final = wording("accounts", "that_day")
_ELSEWHERE: Final = wording("accounts", "elsewhere")  # the weather: its day is for nothing
_AND_WANTS: Final = wording("accounts", "and_wants")
_OFF: Final = wording("accounts", "off")
_TODAY: Final = ("today", "tomorrow", "oggi", "domani")
_SMALL: Final = frozenset(tokens("the for a an of per il la lo di da un una in with con e and"))
_SMALLEST, _SHORT = 2, 3  # letters, words of an answer
LONGEST: Final = 900  # characters of what is taken to pieces; nobody says more at a counter


class CounterAccounts(AccountingBot[Visit]):
    """The part of a counter that takes a turn to pieces and speaks of its errands."""

    counter: Counter
    hearer: CounterHearing
    informs: ClassVar[frozenset[str]] = frozenset()
    """Errands that only tell something, and change nothing."""
    searches: ClassVar[frozenset[str]] = frozenset()
    """Errands that change nothing, and may lead on to others."""
    keeps: ClassVar[bool] = False
    """Whether what was spoken of is meant by whatever names nothing else."""
    lends: ClassVar[bool] = False
    """Whether what is done lasts until a day."""

    def __init__(self, seed: int = 1, learn: Callable[[Spotter, str], None] | None = None) -> None:
        super().__init__(seed, learn)
        self._topics, self._beyond = self._beyond, read_beyond("")  # told of here, question by question

    # --- what each counter knows ----------------------------------------------------------------------------

    def knows(self, session: Visit, question: str, heard: Heard) -> str | None:
        """The answer from what this counter has in mind: what all comes to, what to bring; None without."""
        return None

    def wishes(self, session: Visit, question: str) -> bool:
        """Whether a question is a wish of its own kind: and the way back?"""
        return False

    @abstractmethod
    def named(self, session: Visit, heard: Heard, found: dict[str, str]) -> str | None:
        """The errand that a turn names."""

    def is_asked(self, session: Visit, text: str) -> bool:
        """Whether a piece without a mark asks, too: and the total!"""
        return False

    def holds(self, session: Visit, found: dict[str, str]) -> bool:
        """Whether what was named is what is noted, or was done."""
        return bool(found.items() & {**session.account, **session.form}.items())

    @abstractmethod
    def tell(self, session: Visit, errand: str, found: dict[str, str]) -> str | None:
        """What an errand that only tells something says; None where it lacks something."""

    def refers(self, session: Visit, heard: Heard, found: dict[str, str]) -> bool:
        """Whether what was spoken of before is meant."""
        return bool(
            found
            or self.keeps
            or PRONOUN[session.language].search(heard.text)
            or ALSO.search(heard.text)
            or not heard.rest
        )

    # --- a turn ---------------------------------------------------------------------------------------------

    def answered(self, session: Visit, text: str) -> Answer:
        text = self.plain(session, text.replace("’", "'"))
        if len(text) > LONGEST or not re.search(r"\w", text):
            return super().answered(session, text)
        if _NOT_SO.fullmatch(text) and not session.confirming and not (session.served and not session.errand):
            said = self.standing(session, "noted") if session.errand is not None else ""
            question, acts = self.question(session)
            return Answer(joined([self._courtesy(session, "insult"), said, question]), acts)
        if _OFF.search(text) and "?" not in text and self.told_in(session, text) <= {*self.informs}:
            self.let_go(session)
            return self.farewell(session)
        if self._heard(session, text).did("complaint"):
            text = _AND_WANTS.sub(", ", text)  # it was late and I want my money back
        stopped, text = self._stopped(session, text)
        if stopped is None:
            return self.farewell(session)
        pieces = self._linked(session, pieces_of(self._without_denied(session, text), session.language))
        pieces = [one._replace(asks=one.asks or self._wants_answer(session, one.text)) for one in pieces]
        named = (
            self.hearer.errand(session, self._heard(session, one.text)) for one in pieces if not one.asks
        )
        session.opens = next((one for one in named if one and self.counter.errands[one].confirmed), None)
        asked = [one for one in pieces if one.asks and not self._is_said(session, one)]
        said = " ".join(one.text for one in pieces if one not in asked and not says_nothing(one.text))
        if not asked and not stopped:
            return super().answered(session, said or text)
        session.besides, session.was_asking = bool(asked), session.asking
        plain = (one.text for one in asked if not self._topic(session, one.text))
        told_of = {self.hearer.errand(session, self._heard(session, one)) for one in plain}
        session.inquires = any(self.counter.errands[one].needs for one in told_of & {*self.informs} if one)
        heard = self._heard(session, said)
        waits = session.asking is not None or session.confirming
        matters = waits or stopped or heard.spans or self.told_in(session, said)
        no = heard.did("negate") and not heard.did("bye", "done", "thankyou", "enough")
        if asked and no and asked_for_more(session.last) and not self.told_in(session, said):
            matters = False  # no; the price of the 9:10? No, I wanted no advice; have you got plasters?
        if asked and not waits and not self.values(session, heard):  # he has a fever. What about ibuprofen?
            errands = [one.value or "" for one in heard.all("errand")]
            matters = matters and not (errands and any(self.counter.errands[one].yields for one in errands))
        answer = super().answered(session, said) if re.search(r"\w", said) and matters else None
        if answer is not None and answer.end and asked and no:
            answer = None  # no, have you got plasters?
        session.besides, session.inquires, waited = False, False, self.question(session)[0]
        told: list[str] = []
        for piece in asked:
            if answer and _WHAT_NOW.match(piece.text) and QUESTION.sub("", answer.text).strip():
                continue
            one = self._told_of(session, piece)
            if one is None and not (answer and answer.end):
                more = CourteousBot.answered(self, session, piece.text)
                one = "" if more.end else more.text.removesuffix(self.question(session)[0]).strip()
                answer = more if more.end else answer
            if one and one not in told and not (answer and one in answer.text):
                told.append(one)
        if answer is not None and not answer.end:
            answer = answer._replace(text=answer.text.removesuffix(waited).strip())
        return self._composed(session, answer, [self.words(session)["cancelled"] if stopped else "", *told])

    def _wants_answer(self, session: Visit, text: str) -> bool:
        """Whether a piece without a mark is answered like a question: there is a fine to pay."""
        if self.is_asked(session, text):
            return True
        heard = self._heard(session, text)
        found = self.values(session, heard)
        named = self.named(session, heard, found)
        about = named not in {None, *self.informs, *self.searches} or found.keys() - {*self.counter.lasting}
        return not about and bool(self._topic(session, text, asks=False))

    def plain(self, session: Visit, text: str) -> str:
        """A text without what a counter would take for something else."""
        return text

    def _linked(self, session: Visit, pieces: list[Piece]) -> list[Piece]:
        """Pieces of which a bare question takes what it is about along: Gomorra. Have you got it?"""
        linked: list[Piece] = []
        for piece in pieces:
            before = linked[-1] if linked else None
            bare = before is not None and piece.asks and self.bare(session, piece)
            if before and bare and before.asks:
                about = {*self.values(session, self._heard(session, before.text))}
                linked += [] if about & {*self.counter.kept, "subject"} else [piece]
                continue  # is that a crime story, too? Have you got it?
            if before and bare and re.search(r"[^\W\d]{3}", before.text):
                heard = self._heard(session, before.text)
                short = len(heard.said) <= _SHORT or before.text[-1:] not in ".!…"
                names = self.values(session, heard) or TITLE.search(before.text) or heard.rest
                if short and names and not heard.did("affirm", "negate"):
                    linked[-1] = Piece(f"{before.text.rstrip('.! ,')}, {piece.text}", asks=True)
                    continue
            linked.append(piece)
        return linked

    def bare(self, session: Visit, piece: Piece) -> bool:
        """Whether a question names an errand that tells, and nothing that it is about."""
        heard = self._heard(session, piece.text)
        errand = self.hearer.errand(session, heard)
        about = errand is not None and bool(
            set(self.counter.errands[errand].needs) & {*self.counter.kept, "work"}
        )
        tells = errand in {*self.informs, *self.searches} and not self.counter.errands[errand or ""].yields
        return (
            about
            and tells
            and not self.values(session, heard)
            and all(len(one) <= _SMALLEST for one in heard.rest)
        )

    def _without_denied(self, session: Visit, text: str) -> str:
        """A text without the clauses that only deny what is beyond this counter: I am not returning it."""
        clauses = clauses_of(text)
        beyond = self._topics[session.language]
        for at, clause in enumerate(clauses):
            said, _ = self._hearing[session.language].find(clause)
            found = beyond.spotter.find(clause, said)
            taken_back = at + 1 < len(clauses) and _TAKEN_BACK.match(clauses[at + 1])
            if any(_DENIED.search(" ".join(said[: one.start]) + " ") for one in found) or (
                found and taken_back
            ):
                text = text.replace(clause, " ", 1)
        return re.sub(r"^[\s,.;:!…]+", "", text)

    def _composed(self, session: Visit, answer: Answer | None, told: list[str]) -> Answer:
        """What was done and told, then the question that waits; nothing that was told a turn ago."""
        told = [one for one in told if one]
        plain = self.words(session)["unanswered"]
        others = [one for one in told if one != plain and one.split()[:_SHORT] == plain.split()[:_SHORT]]
        told = [one for one in told if one != plain] if others else told
        if answer is not None and answer.end:
            return answer._replace(text=joined([*told, answer.text]))
        question, acts = self.question(session)
        if answer is not None:
            lost = speech(session.language).forms["not_understood"].split("{")[0]
            open_ = (
                answer.text.startswith(lost)
                or {"repeat", "help"} & {one.act for one in answer.acts}
                or ([one.act for one in answer.acts[:1]] == ["ack"] and told)
            )
            if open_ and told:
                session.lost = session.vain = 0
            else:
                done = answer.text.removesuffix(question).strip()
                done = QUESTION.sub("", done).strip() if done == answer.text.strip() else done
                told = [done, *told]
        last = session.last.text if session.last else ""
        if session.confirming and question in last:
            question = (QUESTION.search(question) or [question])[0].strip()
        session.repeats = True
        return Answer(joined([*told, question]), (Act("inform"), *acts))

    def _stopped(self, session: Visit, text: str) -> tuple[bool | None, str]:
        """Whether the errand in hand is stopped, None where there is none; and what is said besides."""
        if session.errand is None and session.asking is None:
            stopped, rest = without_stop(text)
            ends = session.served and stopped and "?" not in rest and not self.told_in(session, rest)
            return (None if ends and self._nothing_to_undo(session) else False), text
        stopped, rest = without_stop(text)
        leaves = gives_up(session.language).search(text) is not None and not re.search(r"\w", rest)
        if not stopped or leaves:
            return False, text
        if self.told_in(session, rest) and self.hearer.errand(session, self._heard(session, rest)) is None:
            return False, text  # stop, not Monday, Tuesday
        self.let_go(session)
        session.last = session.last._replace(acts=(Act("reqmore"),)) if session.last else None
        return True, rest

    def _nothing_to_undo(self, session: Visit) -> bool:
        return f"undone_{session.lately}" not in self.words(session)

    def _heard(self, session: Visit, text: str) -> Heard:
        return self._hearing[session.language].heard(text)

    def _is_said(self, session: Visit, piece: Piece) -> bool:
        """Whether a question is heard with what is said: a wish, an answer, a word to whoever speaks."""
        heard = self._heard(session, piece.text)
        if self.wishes(session, piece.text):
            return True
        to_us = heard.did(*_TO_US) and self.hearer.errand(session, heard) is None
        to_us = to_us and not (heard.did("hello") and self.values(session, heard))  # in the morning
        if unframed(piece.text, session.language).frame is not None or to_us:
            known = self._topic(session, piece.text) or self.knows(session, piece.text, heard) is not None
            return not known
        if heard.did(*UNSURE) and not heard.spans and not self._topic(session, piece.text):
            return True
        errand = self.hearer.errand(session, heard)
        if errand is not None and errand not in {*self.informs, *self.searches}:
            return requests(piece.text, session.language) and not SUPPOSES.search(piece.text)
        found = self.values(session, heard)
        open_ = session.errand if session.errand not in {*self.informs, None} else session.opens
        needs = self.counter.errands[open_].needs if open_ else ()
        if errand is None and {*found} & {*needs} - {*session.form} and len(heard.said) <= _SHORT:
            return True  # maybe Tuesday?
        if session.asking in ("title", "medicine") and {*found} & {"title", "author", "subject", "medicine"}:
            return errand in (None, *self.searches)
        if session.asking in found and len(heard.said) - len(found) <= _SHORT:
            return True  # Saturday?
        return errand is None and bool(found) and requests(piece.text, session.language)

    def _told_of(self, session: Visit, piece: Piece) -> str | None:
        """The answer to a question; `` where it wants none, None where an errand begins with it."""
        text, words = piece.text, self.words(session)
        heard = self._heard(session, text)
        if (known := self.knows(session, text, heard)) is not None:
            return known
        if heard.did("help") and not heard.rest and not heard.all("errand"):
            return self._helped(session, self.question(session)[0])
        if _DONE.search(text) or _NOTED.search(text) or (session.errand and _THAT_DAY.fullmatch(text)):
            return self.standing(session, "done" if _DONE.search(text) else "noted")
        if (name := self._known_as_unknown(session, heard)) and not heard.all("value"):
            return words["not_known"].format(name=name)
        errand, found = self.hearer.errand(session, heard), self.values(session, heard)
        if errand is None and {*_TODAY} & {*heard.said} and "day" in found and len(heard.rest) < _SHORT:
            return calendar(session.language)
        plain = errand in self.informs and not self.counter.errands[errand or ""].needs
        state = (
            None
            if plain
            else inquired(text, session.language, lambda kind, one: self.asks_state(session, kind, one))
        )
        if state is not None:
            if state.asked == "next" and session.asking is not None:
                return self._helped(session, self.question(session)[0])
            return (
                calendar(session.language) if state.asked == "today" else self.standing(session, state.asked)
            )
        supposed = self._supposed(session, text)
        topic = (
            "" if supposed and errand not in (session.errand, session.lately) else self._topic(session, text)
        )
        if told := topic or supposed:
            return told
        if errand is not None and errand not in {*self.informs, *self.searches}:
            search = next(iter(self.searches), None)
            names = search and (found or self._named_strangely(session, heard, search, found))
            if search and names:  # have you a copy that I could borrow?
                return self._told_errand(session, search, found, heard)
            return words.get(f"about_{errand}") or self._unknown_to_us(session)
        if errand is None and found and self.holds(session, found):
            return "" if session.errand or len(heard.said) <= _SHORT else words["check_yes"]
        led = [self.counter.implied[one] for one in found if one in self.counter.implied]
        errand = errand or next((one for one in led if one in {*self.informs, *self.searches}), None)
        needs = self.counter.errands[session.lately].needs if session.lately else ()
        goes_on = session.lately in self.informs and session.errand is None and len(heard.rest) < _SHORT
        goes_on = goes_on and bool(needs or "day" in found)
        if errand is None and found and goes_on and len(heard.said) > len(found):
            return None  # and in first?
        if errand is not None:
            return self._told_errand(session, errand, found, heard)
        return self._not_told(session, text, heard)

    def _not_told(self, session: Visit, text: str, heard: Heard) -> str | None:
        """What is said to a question that nothing answers; `` to what wants no answer."""
        if session.was_asking is not None and _OF_THE_NEED.search(text):
            still = session.asking == session.was_asking
            return self._helped(session, self.question(session)[0]) if still else ""
        if heard.did("why"):
            return self._courtesy(session, "why")
        if (
            _RHETORICAL.search(text)
            or not asks_openly(text, session.language)
            or heard.did("insult", "complaint")
        ):
            return ""
        opens = _OPENS[session.language].match(text) is not None
        if heard.did("options") and session.served:
            return ""
        last = {*tokens(session.last.text)} if session.last else set()
        echoes = (
            not [one for one in heard.rest if one not in last] or heard.rest == heard.said[:1] == heard.said
        )
        if len(heard.said) <= _SHORT and not opens and echoes:
            return ""  # really? a letter?
        if re.match(r"\W*(?:or|o|oppure)\b", text, re.I) or not re.search(
            r"[^\W\d]{3}", in_digits(text, session.language)
        ):
            return ""
        if session.errand is None and session.asking is None and self.about(session, heard):
            return None
        if CHECKS.search(text) and len(heard.rest) < _SHORT:
            return ""
        return self._unknown_to_us(session)

    def _unknown_to_us(self, session: Visit) -> str:
        words = self.words(session)
        again = session.last is not None and words["unanswered"] in session.last.text
        return words["no_more_known"] if again else words["unanswered"]

    def _known_as_unknown(self, session: Visit, heard: Heard) -> str:
        """A name that was said not to be known, where it is asked for once more."""
        said = {*heard.said} - {*_SMALL}
        names = [one for one in session.unknown if said & {*tokens(one)}]
        return names[-1] if names and "not_known" in self.words(session) else ""

    def _told_errand(self, session: Visit, errand: str, found: dict[str, str], heard: Heard) -> str | None:
        """What an errand says that only tells something; what is not known of it is asked for."""
        words = self.words(session)
        name = self._named_strangely(session, heard, errand, found)
        if name is not None:
            session.unknown = [*session.unknown, name]
            first = f"unknown_{next(iter(self.counter.errands[errand].needs), '')}"
            known = words[first] if first in words and len(session.unknown) == 1 else words["not_known"]
            return known.format(name=name)
        if self.counter.errands[errand].needs and not self.refers(session, heard, found):
            return None if session.errand is None else self._unknown_to_us(session)
        told = self.tell(session, errand, found)
        if told is None and session.errand is not None:
            session.wonders = errand
            return ""
        return told

    @abstractmethod
    def _named_strangely(
        self, session: Visit, heard: Heard, errand: str, found: dict[str, str]
    ) -> str | None:
        """The name of what the turn asks for, where this counter does not know it."""

    def _topic(self, session: Visit, text: str, *, asks: bool = True) -> str:
        """What is told of what is beyond this counter; nothing of what is only denied."""
        beyond = self._topics[session.language]
        said, _ = self._hearing[session.language].find(text)
        for span in beyond.spotter.find(text, said):
            if span.entry.kind != "beyond":
                return ""
            if not asks and span.entry.slot in beyond.asked:
                continue
            if "?" not in text and _DENIED.search(" ".join(said[: span.start]) + " "):
                continue
            topic = span.entry.slot or ""
            return beyond.says[topic].format(words=" ".join(said[span.start : span.end]))
        return ""

    def _passed_over(self, session: Visit, text: str, *, told: bool = False) -> str:
        return ""  # every question was told of

    # --- what is told of the errands ------------------------------------------------------------------------

    def told(self, session: Visit) -> dict[str, str]:
        """The form in words."""
        return {need: self.counter.say(need, value, session.language) for need, value in session.form.items()}

    def values(self, session: Visit, heard: Heard) -> dict[str, str]:
        """What was named, by need."""
        found = self.hearer.values(session, heard)
        if heard.did("howareyou") or _ELSEWHERE.search(heard.text):
            found.pop("day", None)
        return found

    def asks_state(self, session: Visit, asked: Asked, sentence: str) -> bool:
        """Whether a question is about the errand; one that names another thing, or tells a wish, is not."""
        if asked == "today":
            return "day" in self.counter.needs
        values = self.values(session, self._heard(session, sentence))
        kept = {need: one for need, one in values.items() if need in self.counter.kept}
        known = {*session.form.items(), *session.account.items()}
        if asked == "until":
            errands = {one.value for one in self._heard(session, sentence).all("errand")}
            return self.lends and not errands & {"hours", "join"} and set(kept.items()) <= known
        if asked == "noted":  # you have the 9:55 down, right? puts right what was noted
            checks = TAGGED.search(sentence) and EITHER.search(sentence) is None
            return not checks or set(values.items()) <= known
        return set(kept.items()) <= known

    def standing(self, session: Visit, asked: Asked) -> str:
        words = self.words(session)
        if asked == "until":
            return session.lastly or words["until"]
        if session.errand is None or session.errand in {*self.informs, *self.searches}:
            return session.lastly or words["nothing_done"]
        if session.confirming:
            return words["not_yet_done"] if asked == "done" else ""
        noted = [
            words.get(f"so_far_{need}", "{value}").format(value=value)
            for need, value in self.told(session).items()
            if need in self.counter.errands[session.errand].needs and value
        ]
        so_far = words["so_far"].format(noted=", ".join(noted)) if noted else ""
        return f"{words['not_yet_done']} {so_far}".strip() if asked == "done" else so_far

    def told_in(self, session: Visit, text: str) -> set[str]:
        heard = self._heard(session, text)
        errands = {one.value or "" for one in heard.all("errand")}
        titles = {"name"} if "not_known" in self.words(session) and TITLE.search(text) else set[str]()
        return {
            *self.values(session, heard),
            *titles,
            *(one for one in errands if not self.counter.errands[one].yields),
        }

    def _supposed(self, session: Visit, text: str) -> str:
        """What is told of an errand that is only asked about: if she is ill, do we get the money back?"""
        if not SUPPOSES.search(text):
            return ""
        errand = self.hearer.errand(session, self._heard(session, text))
        return self.words(session).get(f"about_{errand}", "")
