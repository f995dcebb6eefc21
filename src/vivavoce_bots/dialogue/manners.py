"""What bots that do things share: help, start over, undo, repeat, goodbye, courtesies; no dead end.

A bot derives from `CourteousBot`: it answers what is about its matter; all else is answered here.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, ClassVar, Final, Generic, TypeVar

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.dialogue.beyond import read_beyond, told_apart
from vivavoce_bots.dialogue.clauses import (
    BUT,
    WRONG,
    YES_AND,
    asks_openly,
    first_strange,
    gives_up,
    quoted,
    sentences_of,
    taunts,
    tells_number,
)
from vivavoce_bots.dialogue.framing import unframed
from vivavoce_bots.dialogue.hearing import (
    ASIDES,
    QUIET,
    UNSURE,
    Heard,
    Hearing,
    leaves_behind,
    only_complains,
)
from vivavoce_bots.dialogue.speech import (
    COURTESIES,
    courtesies_of,
    is_question,
    language_of,
    speech,
    without_tag,
)
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Entry, Span, Spotter
from vivavoce_bots.dialogue.talk import (
    QUESTION,
    Answer,
    Talk,
    asked_for_more,
    closing_question,
    joined,
    naming,
)

_ASKS: Final = ("request", "reqmore", "confirm", "select")
_AT_A_LOSS, _LET_GO, _FEWEST_WORDS, _FEWEST_ASKED, _SHORT, _LONG, _MOST = 2, 3, 3, 4, 4, 5, 12
_ABOUT_THAT: Final = re.compile(r"\b(?:it|that|there|them)\b", re.I)
Held = TypeVar("Held", bound=Talk)


class CourteousBot(ABC, Generic[Held]):
    """A bot that does things in a conversation."""

    name: str = ""
    puts_through: ClassVar[bool] = False
    """Whether a person is part of the matter, so that the bot itself answers who asks for one."""
    meant: ClassVar[Mapping[str, str]] = {}
    """Words that put right what was done, by language; none where a bot knows no such words."""

    def __init__(self, seed: int = 1, learn: Callable[[Spotter, str], None] | None = None) -> None:
        self._seed, self._beyond = seed, read_beyond(self.name)
        self._hearing = {language: Hearing(language, learn) for language in ("en", "it")}

    # --- what a bot says and does ----------------------------------------------------------------------

    @abstractmethod
    def begin(self, language: str) -> Held:
        """A fresh memory."""

    @abstractmethod
    def opening(self, session: Held) -> Answer:
        """The first turn."""

    @abstractmethod
    def words(self, session: Held) -> Mapping[str, str]:
        """Sentences of this bot: `help`, `puzzled`, `bye`, `whoareyou`; its own in place of everybody's."""

    @abstractmethod
    def about(self, session: Held, heard: Heard) -> bool:
        """Whether an utterance speaks of the matter, so that what it does besides is courtesy."""

    @abstractmethod
    def matter(self, session: Held, heard: Heard) -> Answer | None:
        """The answer to what is about the matter; None where it was not understood."""

    @abstractmethod
    def question(self, session: Held) -> tuple[str, tuple[Act, ...]]:
        """The question that waits for an answer, or what else can be done."""

    @abstractmethod
    def waits(self, session: Held) -> bool:
        """Whether yes, no and `stop` answer a question of this bot."""

    @abstractmethod
    def let_go(self, session: Held) -> None:
        """Forget what is being settled."""

    def start_over(self, session: Held) -> None:
        self.let_go(session)

    # --- the conversation --------------------------------------------------------------------------------

    def session(self, conversation: str, language: str = "en") -> Held:
        """A fresh memory; chance depends on the seed and the conversation's key alone."""
        held = self.begin(language_of(language))
        held.random = Random(f"{self._seed}:{conversation}")
        return held

    def greet(self, session: Held) -> Reply:
        return self._said(session, self.opening(session))

    def reply(self, session: Held, texts: Sequence[tuple[str, float | None]]) -> Reply:
        """The answer to one user turn; the first hypothesis is taken for what was said."""
        return self._said(session, self.answered(session, texts[0][0][:LONGEST_TEXT] if texts else ""))

    def answered(self, session: Held, text: str) -> Answer:
        """What is said to a turn."""
        (frame, said), last = unframed(text, session.language), session.last
        lead, answer = self._framed(session, frame, said)
        if frame == "twice" and QUESTION.sub("", answer.text).strip():
            lead = ""  # the doctor has told me already
        mended = self._mended(session, said, last, answer)
        return mended._replace(text=joined([lead, mended.text]))

    def _framed(self, session: Held, frame: str | None, text: str) -> tuple[str, Answer]:
        """The answer to what is said, and the courtesy for what is said about the conversation."""
        if frame is None:
            return "", self._turn(session, text)
        if not self._hearing[session.language].find(text)[0]:
            if frame == "missed" and session.changed:  # not what I wanted: what was done is taken back
                session.changed = False
                return "", self._undo(session)
            return "", self._led_back(session, (frame,), helped=frame not in ("hold", "why_did"))
        if frame == "said" and session.changed and self.meant:
            text = f"{self.meant[session.language]} {text}"
        answer = self._turn(session, text)
        if answer.acts[:1] == (Act("repeat"),):
            return "", self._led_back(session, (frame,), helped=session.lost > 1)
        return self._courtesy(session, frame), answer

    def _mended(self, session: Held, text: str, last: Reply | None, answer: Answer) -> Answer:
        """A turn that only asks again says what it did not understand, then what can be said; then lets go.

        A question of the caller that it passes over is named.
        """
        told = QUESTION.sub("", answer.text).strip()
        asks = [act for act in answer.acts if act.act in ("request", "confirm", "select")]
        was = [act for act in last.acts if act.act in ("request", "confirm", "select")] if last else []
        again = bool(asks) and asks == was and not session.changed
        if answer.end or session.repeats or (told and not (again and last and told in last.text)):
            session.vain = 0
        if answer.end or session.repeats:
            return answer
        if told and session.vain + 1 < _LET_GO:
            session.vain += again and last is not None and told in last.text
            open_ = any(act.act in ("repeat", "canthelp", "help") for act in answer.acts)
            open_ = open_ or speech(session.language).answers["unanswered"][0] in answer.text
            asked = "" if open_ else self._passed_over(session, text, told=True)
            question = closing_question(answer)
            told = answer.text.removesuffix(question).strip()
            return answer._replace(text=joined([told, asked, question])) if asked else answer
        session.vain = session.vain + 1 if again else 0
        passed_over = self._passed_over(session, text)
        if passed_over and Act("ack", None, "why") not in answer.acts:
            return answer._replace(text=joined([passed_over, answer.text]))
        if not session.vain:
            return answer
        if session.vain >= _LET_GO:
            session.vain = 0
            if (own := self.hand_over(session)) is not None:
                return own
            self.let_go(session)
            question, acts = self.question(session)
            left = speech(session.language).answers["left_open"][0]
            return Answer(joined([left, self._helped(session, question), question]), (Act("help"), *acts))
        words = self.not_explained(session, text)
        lead = [speech(session.language).forms["not_understood"].format(words=words)] if words else []
        lead += [self._helped(session, answer.text)] if session.vain > 1 or not lead else []
        return answer._replace(text=joined([*lead, answer.text]))

    def _passed_over(self, session: Held, text: str, *, told: bool = False) -> str:
        """The sentence for a question that is not about the matter, where it stands alone; else nothing."""
        hearing = self._hearing[session.language]
        last = hearing.find(session.last.text)[0] if session.last else []
        for sentence in reversed(sentences_of(text)):
            heard = hearing.heard(sentence)
            if " ".join(heard.said[:_FEWEST_WORDS]) in " ".join(last):
                continue  # how many euros what?
            asks = len(heard.said) >= _FEWEST_ASKED and asks_openly(sentence, session.language)
            asks = asks and not (told and ("?" not in sentence or _ABOUT_THAT.search(sentence)))
            asks = asks and not told_apart(sentence, self._beyond[session.language])[0]
            apart = set(heard.kinds) <= {*QUIET, "aside", "why", "whoareyou", *UNSURE} and not heard.did(
                "whole"
            )
            if asks and apart and not self.about(session, heard):
                if heard.did("service", "whoareyou", *UNSURE):
                    who = heard.did("service", "whoareyou") and self._courtesy(session, "whoareyou")
                    return "" if told else who or self._helped(session, "")
                if heard.did("why"):
                    return self._courtesy(session, "why")
                others = [hearing.heard(one) for one in sentences_of(text) if one != sentence]
                beside = told or any(
                    one.did("affirm", "negate") or self.about(session, one) for one in others
                )
                said = "" if beside else quoted(sentence)
                return self._unanswered(session, said) if said else ""
        return ""

    def not_explained(self, session: Held, text: str) -> str:
        """The words of a turn that mean nothing to the bot, as they were said; `` where all do."""
        hearing = self._hearing[session.language]
        return first_strange(text, lambda clause: hearing.heard(clause).rest)

    def _turn(self, session: Held, text: str) -> Answer:
        """The answer to an utterance: yes or no before a question, what is beyond this bot, the rest."""
        hearing = self._hearing[session.language]
        if (split := self._yes_and(session, text)) is not None:
            first = self._manage(session, hearing.heard(split[0])) if split[0] else None
            if first is not None and first.acts[:1] == (Act("repeat"),):
                first, session.lost = None, 0
            if first is not None:
                session.last = Reply(first.text, first.acts, first.understood, first.end)
            answer = self._turn(session, split[1])
            if first is None or first.end:
                return first or answer
            told = QUESTION.sub("", first.text).strip()
            return answer._replace(
                text=joined([told, answer.text]),
                acts=(*(act for act in first.acts if act.act not in _ASKS), *answer.acts),
            )
        text, lead = self._triaged(session, text)
        found, rest = told_apart(text, self._beyond[session.language])
        if found and "?" not in text and leaves_behind(hearing.heard(text)):
            found, rest = None, text  # my son knows all about it, goodbye
        heard = hearing.heard(text if found is None else rest)
        answer = self._manage(session, heard) if found is None else self._told_beyond(session, found, heard)
        return answer._replace(text=joined([*lead, answer.text])) if lead else answer

    def _yes_and(self, session: Held, text: str) -> tuple[str, str] | None:
        """Yes or no, and the question behind it; the first is nothing where the question comes before it."""
        match = YES_AND[session.language].match(text)
        if match is None or not self.waits(session):
            return None
        rest = text[match.end() :]
        known = self._hearing[session.language].find(rest)[0]
        first = without_tag((sentences_of(rest) or [""])[0], session.language)
        if len(known) < _FEWEST_WORDS or not is_question(first, session.language):
            return None
        agrees = "?" not in rest and self._hearing[session.language].heard(rest).did("affirm")
        if agrees or without_tag(text, session.language) != text:  # sì che è giusto
            return None
        yes = match[0]
        denies = self._hearing[session.language].heard(yes).did("negate")
        first = "" if denies or BUT.search(yes) or BUT.match(rest) or asked_for_more(session.last) else yes
        return re.sub(r"\b(?:and|but|e|ma)\b", "", first, flags=re.I), rest

    def _triaged(self, session: Held, text: str) -> tuple[str, list[str]]:
        """What of an utterance is about the matter, and a sentence for what is not.

        All of it where no sentence is about the matter, or all are.
        """
        sentences = sentences_of(text)
        if not 1 < len(sentences) < _MOST:
            return text, []
        hearing = self._hearing[session.language]
        heard = [hearing.heard(sentence) for sentence in sentences]
        tells = partial(self.about, session)
        about = [tells(one) for one in heard]
        aside = [
            (not on and set(one.kinds) <= ASIDES) or only_complains(one, hearing, tells)
            for on, one in zip(about, heard, strict=True)
        ]
        about = [on and not apart for on, apart in zip(about, aside, strict=True)]
        apart = self._beyond[session.language]
        stays = [
            tells_number(sentence, session.language) or told_apart(sentence, apart)[0] is not None
            for sentence in sentences
        ]
        aside = [one and not held for one, held in zip(aside, stays, strict=True)]
        if not any(about) or not any(aside):
            return text, []
        kept = " ".join(one for one, apart in zip(sentences, aside, strict=True) if not apart)
        said = [kind for one, apart in zip(heard, aside, strict=True) if apart for kind in one.kinds]
        kinds = courtesies_of([kind for kind in COURTESIES if kind in said and kind not in QUIET])
        return kept, [self._courtesy(session, kind) for kind in kinds[:1]]

    def _unanswered(self, session: Held, question: str = "") -> str:
        own = self.words(session).get("unanswered")
        if question and own is None:
            return speech(session.language).forms["unanswered"].format(question=question)
        return own or speech(session.language).answers["unanswered"][0]

    def _told_beyond(self, session: Held, told: str, rest: Heard) -> Answer:
        """What this bot says of what is beyond it, and the answer to what was said besides."""
        matters = bool(rest.said) and self.about(session, rest)
        ends = rest.did("bye", "done", "restart")
        settles = self.waits(session) and not asked_for_more(session.last)
        ends = ends or (settles and rest.did("affirm") and not rest.did("negate"))
        answer = self._manage(session, rest) if matters or ends else None
        if answer is None or answer.acts[:1] == (Act("repeat"),):
            session.lost, answer = 0, Answer(*self.question(session))
        lead = "" if matters and answer.text.startswith(told) else told
        return answer._replace(text=joined([lead, answer.text]), acts=(Act("canthelp"), *answer.acts))

    def _said(self, session: Held, answer: Answer) -> Reply:
        text, repeats, session.repeats = answer.text[:1].upper() + answer.text[1:], session.repeats, False
        if session.last is not None and text == session.last.text and not (repeats or answer.end):
            text = self._varied(session, answer)
        reply = Reply(text, answer.acts, answer.understood, answer.end)
        session.last = reply
        return reply

    def _varied(self, session: Held, answer: Answer) -> str:
        """The same answer in other words than the last time: with what can be said, then with a way out."""
        known = speech(session.language).answers
        session.stalled += 1
        said = QUESTION.sub("", answer.text).strip()
        if said and not any(act.act in ("repeat", "ack") for act in answer.acts):
            return joined([known["said_so"][0], answer.text])
        lead = known["once_more"][session.stalled % len(known["once_more"])]
        more = self.help(session) if session.stalled % 2 else known["way_out"][0]
        told = answer.text.removesuffix(question := self.question(session)[0]).strip()
        return joined([lead, told, more, question])

    def _manage(self, session: Held, heard: Heard) -> Answer:
        hearing = self._hearing[session.language]
        complains = only_complains(heard, hearing, partial(self.about, session))
        about = self.about(session, heard) and not complains
        parts, changed, session.changed = leaves_behind(heard), session.changed, False
        if parts and not heard.did("whole") and gives_up(session.language).search(heard.text):
            return self.farewell(session)
        settles = self.waits(session) and not asked_for_more(session.last)
        if asked_for_more(session.last) and heard.did("negate") and WRONG.search(heard.text) and not about:
            return self._undo(session) if changed else self._led_back(session, ("insult",), helped=True)
        nothing = heard.did("negate") and heard.said[:1] == ["no"] and "?" not in heard.text
        if asked_for_more(session.last) and nothing and (complains or parts or heard.did("done")):
            return self.finish(session)  # no, and next time be on time; no, I come tomorrow, bye
        if parts and settles and heard.did("negate", "cancel") and "?" not in heard.text:
            self.let_go(session)  # no, leave it; bye
            bye = self.farewell(session)
            return bye._replace(text=joined([self.words(session).get("cancelled", ""), bye.text]))
        if self.wants_person(session, heard) and not self.puts_through and not leaves_behind(heard):
            own = self.hand_over(session)
            return own or self._led_back(session, [one for one in ("insult", "human") if heard.did(one)])
        if heard.did("wrong") and not (about or changed or settles):
            return self._led_back(session, ("insult",), helped=True)
        if heard.did("restart"):
            session.remember(session.snapshot())
            self.start_over(session)
            return self._led_back(session, ("restart",))
        leaves = self.waits(session) and heard.did("bye", "done") and heard.did("whole")
        skips = self.waits(session) and heard.did("dontcare") and heard.did("whole")
        if leaves or skips or (settles and heard.did("cancel", "wrong")):
            kinds = ("negate", "enough") if heard.did("done") else ("negate",)
            heard = heard._replace(kinds=kinds, spans=[Span(0, len(heard.said), Entry("negate"))])
        if not about and (led := self._leads(session, heard)) is not None:
            return led
        before = session.snapshot()
        answer = self.matter(session, heard)
        if answer is None:
            return self.farewell(session) if parts else self.puzzled(session, heard)
        session.lost = session.stalled = 0
        session.remember(before)
        return self._parted(session, answer) if parts else answer

    def _parted(self, session: Held, answer: Answer) -> Answer:
        """The answer to the matter and to a goodbye behind it, unless that left something to be settled."""
        last, session.last = session.last, None  # what was asked before is answered
        settling, session.last = self.waits(session), last
        if answer.end or (settling and session.changed):
            return answer
        told, bye = QUESTION.sub("", answer.text).strip(), self.farewell(session)
        acts = tuple(act for act in answer.acts if act.act not in ("reqmore", "request"))
        return Answer(joined([told, bye.text]), (*acts, *bye.acts), answer.understood, end=True)

    def _leads(self, session: Held, heard: Heard) -> Answer | None:
        """The answer to what is not about the matter; None where it may be."""
        answered = self.waits(session) and heard.did("affirm", "negate")
        ends = heard.did("ciao") and heard.spans[-1].entry.kind == "ciao"  # not of: ciao, chi sei?
        leaves = ends and session.last is not None and session.last.acts[:1] != (Act("hello"),)
        agrees = answered and heard.did("affirm") and not asked_for_more(session.last)  # yes, and goodbye
        if (heard.did("bye") or leaves) and not agrees:
            return self.farewell(session)
        if heard.did("done") and not agrees:
            return self.finish(session)
        no = answered and heard.did("negate") and not asked_for_more(session.last)
        if heard.did("undo", "cancel", "wrong") and not no:
            return self._undo(session)
        if heard.did("repeat") and session.last is not None:
            again, session.repeats = session.last, True
            if again.acts[:1] and again.acts[0].act == "ack":  # the question, not the courtesy before it
                return Answer(*self.question(session))
            return Answer(again.text, again.acts)
        if answered:
            return None
        courtesies = courtesies_of([kind for kind in COURTESIES if heard.did(kind)])
        courtesies = courtesies or (("hello",) if heard.did("ciao") else ())
        if len(courtesies) > 1 and heard.text.rstrip().endswith("?"):  # hello, is that the post office?
            courtesies = tuple(courtesy for courtesy in courtesies if courtesy != "hello")
        if "human" in courtesies and (own := self.hand_over(session)) is not None:
            return own
        if heard.did("service", *UNSURE):
            who = ("whoareyou",) if heard.did("service") else courtesies[:1]
            return self._led_back(session, who, helped=heard.did(*UNSURE))
        if len(heard.rest) >= _LONG:  # two hours on hold, and now a robot, wonderful
            courtesies = tuple(courtesy for courtesy in courtesies if courtesy != "praise")
        return self._led_back(session, courtesies) if courtesies else None

    def farewell(self, session: Held) -> Answer:
        return Answer(self.words(session)["bye"], (Act("bye"),), end=True)

    def finish(self, session: Held) -> Answer:
        """What is done where the caller has no more to say."""
        return self.farewell(session)

    def hand_over(self, session: Held) -> Answer | None:
        """What is done where a person is asked for, or nothing is understood; None where there is nobody."""
        return None

    def wants_person(self, session: Held, heard: Heard) -> bool:
        return heard.did("human")

    def help(self, session: Held) -> str:
        """What can be said now."""
        return self.words(session)["help"]

    def _helped(self, session: Held, question: str) -> str:
        """What can be said now, without a question of its own where another stands behind it."""
        told = self.help(session)
        return told if question in told else QUESTION.sub("", told).strip() or told

    def _led_back(self, session: Held, kinds: Sequence[str], *, helped: bool = False) -> Answer:
        """Courtesies, help where wanted, and the question that waits; what is asked in vain is let go."""
        stalls = helped or "insult" in kinds
        session.stalled = session.stalled + 1 if stalls else 0
        if session.stalled >= _LET_GO and not asked_for_more(session.last):
            session.stalled = 0
            if (own := self.hand_over(session)) is not None:
                return own
            self.let_go(session)
            helped = True
        question, asks = self.question(session)
        lead = [self._courtesy(session, kind) for kind in kinds]
        acts = [Act("ack", None, kind) for kind in kinds]
        if helped:
            lead, acts = [*lead, self._helped(session, question)], [*acts, Act("help")]
        return Answer(joined([*lead, question]), (*acts, *asks))

    def _courtesy(self, session: Held, kind: str) -> str:
        own = self.words(session).get(kind) if kind != "hello" else None
        return own or session.random.choice(speech(session.language).answers[kind])

    def _undo(self, session: Held) -> Answer:
        if not session.before:
            return self._led_back(session, ("nothing_to_undo",))
        return self.undone(session, session.step_back())

    def undone(self, session: Held, was: dict[str, Any]) -> Answer:
        """What is said where the last step was taken back; `was` is what it had made."""
        return self._led_back(session, ("undo",))

    def puzzled(self, session: Held, heard: Heard) -> Answer:
        """Not understood: asked again, then told what can be said, then the question is left."""
        if taunts(heard.text, session.language):  # how slow is this thing?
            return self._led_back(session, ("insult",))
        session.lost += 1
        if session.lost >= _LET_GO and (own := self.hand_over(session)) is not None:
            return own
        question, asks = self.question(session)
        fewest = 1 if len(heard.said) <= _SHORT else _FEWEST_ASKED
        questions = [one for one in sentences_of(heard.text) if len(one.split()) >= fewest]
        questions = [one for one in questions if asks_openly(one, session.language)]
        asked = bool(questions)
        words = self.not_explained(session, heard.text)
        puzzled = (
            self._unanswered(session, quoted(questions[-1]))
            if asked
            else naming(self.words(session)["puzzled"], words)
        )
        if asked and self.waits(session) and len(heard.said) <= _SHORT and not asked_for_more(session.last):
            puzzled = self._helped(session, question)  # which one? what number?
        if session.lost < _AT_A_LOSS:
            return Answer(joined([puzzled, question]), (Act("repeat"), *asks))
        if session.lost >= _LET_GO and self.waits(session):
            self.let_go(session)
            question, asks = self.question(session)
            session.lost = 0
        return Answer(
            joined([puzzled, self._helped(session, question), question]), (Act("repeat"), Act("help"), *asks)
        )
