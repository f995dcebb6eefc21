"""Switches lamps, blinds, fan, television and radio, tells programmes, plays messages; asks back if it must.

In the manner of INSPIRE: devices are meant by what they are, by the room, by sides, and by what they stand
beside (`the lamp to the right of the table lamp`); a pronoun means the device that was spoken of last. Where
several or none are meant, or something was said of them that nobody knows, it asks; it never does something
else instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.dialogue.clauses import sentences_of, without_meanwhile
from vivavoce_bots.dialogue.hearing import Heard, leaves_behind, only_no
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT, Spotter
from vivavoce_bots.dialogue.talk import QUESTION, Answer, asked_for_more, joined
from vivavoce_bots.house.clauses import (
    ANYONE,
    LAST,
    LEFT,
    ON_NOW,
    ONE_MORE,
    WISHES,
    in_the_room,
    read_clauses,
    with_wishes,
)
from vivavoce_bots.house.clerk import Attended, Clerk
from vivavoce_bots.house.hearkening import HearkeningBot
from vivavoce_bots.house.home import Home, read_home, read_manner
from vivavoce_bots.house.metaphor import METAPHORS, in_metaphor
from vivavoce_bots.house.reference import Reader
from vivavoce_bots.house.retracting import corrected
from vivavoce_bots.house.session import Pending, Session, Told
from vivavoce_bots.house.telling import Telling, capital, told_once

_MATTER: Final = (
    "kind",
    "plural",
    "called",
    "room",
    "thing",
    "deed",
    "side",
    "relation",
    "ordinal",
    "all",
    "other",
    "it",
    "them",
    "except",
    "dont",
    "meant",
    "home",
    "volume",
    "glare",
    *WISHES,
)
_TELLS: Final = ("kind", "plural", "called", "deed", "glare", *WISHES)


_YES_NO: Final = re.compile(r"^(?:yes|no|sì), ", re.I)


def _sided(home: Home, language: str) -> list[str]:
    """The words for left, right and middle, then those for the rooms."""
    sides = [str(one[0]) for one in read_manner(language)["sides"].values()][:3]
    return [*sides, *(word for room in home.rooms.values() for word in map(str, room[language]["words"]))]


class HouseBot(HearkeningBot):
    """Looks after a flat. `variant` is the metaphor in which it speaks."""

    name: str = "house"
    meant: ClassVar[Mapping[str, str]] = {"en": "I mean", "it": "intendevo"}
    variants: ClassVar[tuple[str, ...]] = METAPHORS

    def __init__(self, home: Home | None = None, variant: str = METAPHORS[0], seed: int = 1) -> None:
        self._home, self._metaphor = home or read_home(), variant
        super().__init__(seed, self._learn)
        self._readers = {language: Reader(self._home, language) for language in self._hearing}
        self._sided = {language: _sided(self._home, language) for language in self._hearing}
        self._shown_by = {
            language: {
                word: str(self._home.channels[name][language]["name"])
                for name, one in self._home.programmes.items()
                for word in one["words"][language]
            }
            for language in self._hearing
        }
        self._clerk, self._telling = Clerk(self._home, self._hearing), Telling(self._home)

    def _learn(self, spotter: Spotter, language: str) -> None:
        self._home.learn(spotter, language)

    # --- the conversation ----------------------------------------------------------------------------------

    def begin(self, language: str) -> Session:
        return Session(language, messages=tuple(range(len(self._home.messages[language]))))

    def words(self, session: Session) -> Mapping[str, Any]:
        manner = read_manner(session.language)
        return {**manner["says"], **manner["metaphors"].get(self._metaphor, {})}

    def opening(self, session: Session) -> Answer:
        return Answer(self.words(session)["hello"], (Act("hello"),))

    def about(self, session: Session, heard: Heard) -> bool:
        if ON_NOW[session.language].search(heard.text) or LAST[session.language].search(heard.text):
            return True
        if heard.did("undo") and not heard.did("kind", "plural", "called", "room"):
            return False
        if leaves_behind(heard) and not heard.did(*_TELLS):  # thanks for everything and good night
            return False
        return heard.did(*_MATTER)

    def waits(self, session: Session) -> bool:
        return bool(session.waiting) or asked_for_more(session.last)

    def let_go(self, session: Session) -> None:
        session.waiting = []

    def start_over(self, session: Session) -> None:
        session.waiting, session.about, session.done = [], (), ()

    def question(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if not session.waiting and asked_for_more(session.last):
            return self.words(session)["more"], (Act("reqmore"),)
        if not session.waiting:
            return self.words(session)["ask"], (Act("request", "task"),)
        return self._asked(session, session.waiting[0])

    def help(self, session: Session) -> str:
        if session.waiting and session.waiting[0].choices:
            return self.words(session)["help_which"]
        return super().help(session)

    def undone(self, session: Session, was: dict[str, Any]) -> Answer:
        words = self.words(session)
        session.waiting = []
        states = self._telling.changed(session, was["state"])
        told = words["undone"].format(states=words["and"].join(states)) if states else ""
        question, asks = self.question(session)
        back = [words["restored"]] if set(session.messages) - set(was["messages"]) else []
        back += [
            words["not_recorded"].format(name=self._home.channels[one][session.language]["name"])
            for one in was["recording"]
            if one not in session.recording
        ]
        lead = [*([told] if told else []), *back] or [self._courtesy(session, "undo")]
        return Answer(" ".join([*lead, question]), (Act("ack", None, "undo"), *asks))

    def _passed_over(self, session: Session, text: str, *, told: bool = False) -> str:
        return "" if told else super()._passed_over(session, text)

    def not_explained(self, session: Session, text: str) -> str:
        return ""  # what it did not understand is no news to who said it

    def _said(self, session: Session, answer: Answer) -> Reply:
        devices = [self._home.devices[one].names[session.language] for one in session.about]
        speaker = devices[0] if len(devices) == 1 else None
        return super()._said(session, in_metaphor(answer, self._metaphor, self.words(session), speaker))

    # --- a turn --------------------------------------------------------------------------------------------

    def reply(self, session: Session, texts: Sequence[tuple[str, float | None]]) -> Reply:
        """The answer to a turn: the clerk serves what is no command to a device; the rest goes its way."""
        places = self._sided[session.language]
        text = self._to_the_matter(session, texts[0][0][:LONGEST_TEXT] if texts else "")
        text = corrected(
            text,
            session.language,
            places,
            self._shown_by[session.language],
        )
        before, steps = session.snapshot(), len(session.before)
        undone, text = self._took_back(session, text)
        session.attended = attended = self._clerk.attend(session, text, self.words(session))
        if undone:
            attended.told, attended.served = [*undone, *attended.told], True
        reply = super().reply(session, [(attended.rest, None)])
        if attended.acts and not reply.end:  # one step back takes all of the turn back
            while len(session.before) > steps:
                session.before.pop()
            session.remember(before)
        session.attended = None
        if any(act.act == "inform" for act in reply.acts) and not attended.served:
            session.topic = None  # devices are spoken of now
        return reply

    def answered(self, session: Session, text: str) -> Answer:
        served: Attended = session.attended
        if not (served.served or served.leaves):
            return super().answered(session, text)
        waited, open_ = list(session.waiting), bool(re.search(r"\w", text) or session.standing)
        if not open_ and (served.told or served.asks or served.acts):
            session.waiting = []
        answer = super().answered(session, text) if open_ else Answer("", ())
        return self._merged(session, served, answer, waited)

    def _merged(self, session: Session, served: Attended, answer: Answer, waited: list[Pending]) -> Answer:
        """One answer of what was done with devices and what was served besides, and one next step."""
        puzzled = answer.acts[:1] in ((Act("repeat"),), (Act("canthelp"),))
        puzzled = puzzled and not any(act.act == "inform" for act in answer.acts)
        helpless = answer.acts[:1] == (Act("canthelp"),) and not (served.told or served.asks)
        if puzzled and served.served and not helpless:  # what it did understand is answered
            session.lost, answer = 0, Answer("", ())
            session.waiting = [one for one in session.waiting if one in waited]
        if served.told or served.asks:  # what was asked before, and is passed over, is asked no more
            session.waiting = [one for one in session.waiting if one not in waited]
        told = QUESTION.sub("", answer.text).strip()
        shown = {act.value for act in served.acts if act.act == "inform" and act.slot == "done"}
        if "television" in shown:  # channel two, and put it on
            name = self._home.devices["television"].names[session.language]
            on = capital(self._telling.done(session, "television", "on", ["television"]))
            told = " ".join(
                one
                for one in sentences_of(told)
                if (one != on and name not in one.lower()[: len(name) + 4]) or "low" in one
            )
        did = tuple(
            act for act in answer.acts if act.act not in ("reqmore", "request", "select", "confirm", "repeat")
        )
        acted = frozenset(one.value or "" for one in did if one.act == "inform" and one.slot != "state")
        acted |= {device for device in self._home.devices if device in shown}
        answers = self._clerk.inquiries.told(session, served.asked, acted, self.words(session))
        if "programme" in shown:  # on the telly, I meant
            session.waiting = [
                one for one in session.waiting if (one.asks, one.kind) != ("deed", "television")
            ]
        if answers:  # did I leave something on? what stands beside it is no command
            of = {device for one in served.asked for device in one.devices or ()}
            session.waiting = [
                one for one in session.waiting if one.asks != "deed" or not {*one.choices} <= of
            ]
            for one in ("cannot", "puzzled", "untouched"):
                told = told.replace(self.words(session)[one], "")
            known = " ".join(answers).lower()
            told = " ".join(
                one for one in sentences_of(told) if _YES_NO.sub("", one).lower().rstrip(".") not in known
            )
            session.waiting = [one for one in session.waiting if not self._idle(session, one)]
        if any(one.endswith(self._no_more(session)) for one in served.told):  # more is not known
            told = told.replace(self.words(session)["unanswered"], "").strip()
        sentences = told_once([told, *served.told, *answers], self.words(session)["no_more_known"])
        settling = [one for one in session.waiting if one not in waited]
        if answer.end or (served.leaves and not settling and served.asks is None):
            bye = self.farewell(session)
            if puzzled:
                sentences = told_once([*served.told, *answers], "")
            return Answer(
                joined([sentences, bye.text]), (*did, *served.acts, *bye.acts), answer.understood, end=True
            )
        if served.asks is not None:
            session.waiting = [served.asks, *session.waiting]
        session.about = served.about or session.about
        question, asks = self._led_on(session)
        if not sentences and asks == (Act("reqmore"),):
            sentences = self.words(session)["well"]
        understood = Meaning(tuple(one for one in (*did, *served.acts) if one.act == "inform"), 1.0)
        return Answer(joined([sentences, question]), (*did, *served.acts, *asks), (understood,))

    def _no_more(self, session: Session) -> str:
        """How a sentence ends behind which nothing more is known."""
        return str(self.words(session)["no_more_known"]).rsplit("}", 1)[-1].strip()

    def _idle(self, session: Session, pending: Pending) -> bool:
        """Whether all that is asked about is so already: which of the lamps that are off to switch off."""
        return bool(pending.deed and pending.choices) and all(
            self._telling.state(session, choice) == self._home.kind_of(choice).deed(pending.deed or "")
            for choice in pending.choices
        )

    # --- what is said --------------------------------------------------------------------------------------

    def matter(self, session: Session, heard: Heard) -> Answer | None:
        if ON_NOW[session.language].search(heard.text) and not heard.did("room"):
            self.let_go(session)
            on = self._telling.on_now(session)
            names = self._telling.listed(session, on, "and") if on else ""
            told = self.words(session)["on_now" if on else "nothing_on"].format(names=names)
            question, asks = self.question(session)
            return Answer(
                f"{told} {question}", (*(stating("inform", "state", f"{one}:on") for one in on), *asks)
            )
        if LAST[session.language].search(heard.text) and not session.done:
            question, asks = self.question(session)
            return Answer(f"{self.words(session)['nothing_done']} {question}", asks)
        if LAST[session.language].search(heard.text):
            devices = list(session.done[-1].before)
            told_of = self._telling.how_they_are(session, devices, None, None, None)
            question, asks = self.question(session)
            acts = tuple(
                stating("inform", "state", f"{device}:{self._telling.state(session, device)}")
                for device in devices
            )
            return Answer(" ".join([*told_of, question]), (*acts, *asks))
        kind = self._home.devices[session.about[-1]].kind if session.about else None
        kind = session.waiting[0].kind if session.waiting else kind
        clauses = read_clauses(
            ONE_MORE.sub("", LEFT.sub(r"\1", without_meanwhile(heard.text))),
            self._hearing[session.language],
            self._readers[session.language],
            kind,
        )
        clauses = with_wishes(in_the_room(clauses, about=bool(session.about)))
        if any(one.deed and not one.did("described") for one in clauses) or session.attended.told:
            clauses = [  # it is so hot; a bit of music, please
                replace(one, deed=None) if one.did("described") else one
                for one in clauses
                if one.deed or not one.did(*WISHES) or one.reference.rooms
            ]
        if session.about == ("television",):  # one sees nothing: on the screen
            clauses = [one for one in clauses if one.deed or not one.did("wish_lamp")]
        clauses = [replace(one, asks=True) if one.did("described") and one.deed else one for one in clauses]
        told, waited, done = (
            Told(asks=any(one.asks and (one.deed or one.reference.kind) for one in clauses)),
            list(session.waiting),
            session.done,
        )
        told.names_alone, told.anyone = (
            session.alone,
            ANYONE[session.language].search(heard.text) is not None,
        )
        if not self._answered(session, heard, clauses, told):
            for clause in clauses:
                self._take(session, clause, told)
        session.done = tuple(one for one in session.done if one not in done) or session.done
        if told.sentences:  # what was asked before, and is passed over, is asked no more
            session.waiting = [one for one in session.waiting if one not in waited]
        if told.acts:  # the radio! turn the radio off: what was done needs no question
            acted = {act.value for act in told.acts if act.act == "inform"}
            session.settle(acted)
            session.waiting = [
                one
                for one in session.waiting
                if one in waited or one.asks != "which" or not acted & set(one.choices)
            ]  # close the blinds, the living room ones
            idle = {self.words(session)[one] for one in ("untouched", "off_already")}
            told.sentences = [
                sentence for sentence in told.sentences if sentence not in idle
            ] or told.sentences[:1]
        if told.sentences:  # what was told of them was asked
            session.waiting = [
                one
                for one in session.waiting
                if one.asks != "deed" or not (told.asks and {*one.choices} & {*session.about})
            ]
        if told.sentences:  # no lamp is on: none is to go off
            session.waiting = [one for one in session.waiting if not self._idle(session, one)]
        cannot = self.words(session)["cannot"]  # let me sit down; could you put the telly on
        told.sentences = [sentence for sentence in told.sentences if sentence != cannot] or told.sentences
        if not told.sentences and not session.waiting:
            return self._left(session, heard)
        named = any(one.reference.placed or one.reference.kind for one in clauses)
        if not (told.sentences or named) and session.waiting == waited and not heard.did("meant", "wait"):
            return None
        if heard.did("done") and told.acts and not session.waiting:
            ended = Answer(" ".join(dict.fromkeys(told.sentences)), tuple(told.acts))
            return self._parted(session, ended)
        question, asks = self._led_on(session)
        understood = tuple(
            dict.fromkeys(act for act in told.acts if act.act == "inform" and act.slot != "state")
        )
        return Answer(
            " ".join([*dict.fromkeys(told.sentences), question]),
            (*told.acts, *asks),
            (Meaning(understood, 1.0),),
        )

    def _led_on(self, session: Session) -> tuple[str, tuple[Act, ...]]:
        if session.waiting:
            return self._asked(session, session.waiting[0])
        return self.words(session)["more"], (Act("reqmore"),)

    def _left(self, session: Session, heard: Heard) -> Answer | None:
        """Yes or no where nothing was asked but whether there is more."""
        if only_no(heard) and asked_for_more(session.last):
            return self.farewell(session)
        if heard.did("affirm") and asked_for_more(session.last):
            return Answer(self.words(session)["ask"], (Act("request", "task"),))
        if heard.did("affirm", "negate", "wait"):
            question, asks = self.question(session)
            lead = [self.words(session)["wait"]] if heard.did("wait") else []
            return Answer(" ".join([*lead, question]), asks)
        return None
