"""What of a turn is no command to a device: services, questions beside them, the volume, leave-taking.

The clerk takes a turn snippet by snippet. What it serves, it answers; all else is left for the devices.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.dialogue.beyond import read_beyond, told_apart
from vivavoce_bots.dialogue.clauses import asks_openly
from vivavoce_bots.dialogue.gist import requested
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.indirect import not_known
from vivavoce_bots.dialogue.speech import is_question
from vivavoce_bots.dialogue.standing import told_of_standing
from vivavoce_bots.house.clauses import LAST, ON_NOW
from vivavoce_bots.house.home import Home
from vivavoce_bots.house.inquiring import Inquiries, Inquiry
from vivavoce_bots.house.messages import AnsweringMachine, Served
from vivavoce_bots.house.session import Pending, Session
from vivavoce_bots.house.snippets import Snippet, forms, joined_again, snippets_of
from vivavoce_bots.house.television import TelevisionGuide
from vivavoce_bots.house.telling import Telling, capital

SERVED: Final = {
    "television": "which_channel",
    "recording": "which_channel",
    "delete": "delete",
    "play": "play",
}
"""What a service asks back, and the sentence for it."""
DEVICES: Final = ("kind", "plural", "called", "room", "home")
_COMMANDS: Final = (
    *DEVICES,
    "deed",
    "thing",
    "glare",
    "wish_lamp",
    "wish_fan",
    "wish_blind",
    "it",
    "them",
    "other",
)
_COURTESY: Final = (
    "whoareyou",
    "howareyou",
    "help",
    "repeat",
    "human",
    "why",
    "service",
    "options",
    "dontknow",
    "insult",
    "complaint",
    "suggest",
    "undo",
    "restart",
    "cancel",
    "wrong",
    "affirm",
    "negate",
)
_ANSWERED: Final = ("whoareyou", "howareyou", "human", "undo", "restart", "insult")
_CHOICES: Final = ("side", "ordinal", "one", "relation", "other")
_LOUDER: Final = ("raise", "lower", "louder", "softer")
_GRADES: Final = {
    "louder": {"en": "louder", "it": "più forte"},
    "softer": {"en": "softer", "it": "più piano"},
    "faster": {"en": "faster", "it": "più veloce"},
    "slower": {"en": "slower", "it": "più lento"},
    "dim": {"en": "dim", "it": "smorza"},
    "raise": {"en": "up", "it": "alza"},
    "lower": {"en": "down", "it": "abbassa"},
}
"""Deeds that can be asked for again, `a bit more`, and a word for each."""
_FEWEST: Final = 3  # words of a question that wants an answer


@dataclass
class Attended:
    """What the clerk did with a turn: sentences, acts, what it asks back, and the text for the devices."""

    told: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    asks: Pending | None = None
    rest: str = ""
    about: tuple[str, ...] = ()
    leaves: bool = False
    served: bool = False
    asked: list[Inquiry] = field(default_factory=list)

    def take(self, served: Served) -> None:
        self.served = True
        self.told += [served.text] if served.text else []
        self.acts += served.acts
        self.asks = Pending(served.asks) if served.asks else (None if served.acts else self.asks)


class Clerk:
    """The clerk of one flat."""

    def __init__(self, home: Home, hearing: Mapping[str, Hearing]) -> None:
        self._hearing, self._beyond = hearing, read_beyond("house")
        self._machine, self._guide = AnsweringMachine(home), TelevisionGuide(home)
        self._home, self._telling, self.inquiries = home, Telling(home), Inquiries(home, hearing)

    def attend(self, session: Session, text: str, words: Mapping[str, Any]) -> Attended:
        """Serve what is the clerk's in a turn."""
        about = session.about
        asked, text = self.inquiries.apart(session, text, words)
        done, left = Attended(asked=asked, served=bool(asked)), list[Snippet]()
        named = next(
            (one.devices for one in reversed(asked) if one.devices and len(one.devices) <= _FEWEST), None
        )
        session.about = about = named or about  # are they open? close them
        snippets = snippets_of(text, session.language) if text else []
        waits = next((one.asks for one in session.waiting if one.asks in SERVED), None)
        session.waiting = [one for one in session.waiting if one.asks not in SERVED]
        answered = self._answered(session, waits, snippets, words) if waits else None
        if answered is not None:
            done.take(answered)
        if any(one.choices for one in session.waiting):  # the second: of these
            session.topic = None
        keeps = self._kept(session, snippets)
        for at, said in enumerate(snippets):
            if said.asks and at and forms(session.language)["tag"].fullmatch(said.text):
                continue  # is that not so?
            if self._leaves(session, snippets, at):
                done.leaves = True
                continue
            heard = self._hearing[session.language].heard(said.text)
            if answered is not None and not heard.did(*DEVICES, "deed"):
                continue  # yes, and what stands beside it
            near = next(
                (
                    snippet.text
                    for snippet in reversed(snippets[:at])
                    if self._machine.named(session, snippet.text)
                ),
                "",
            )
            goes_on = done.told and said.asks and heard.did("it", "them") and not heard.did(*DEVICES, "deed")
            if goes_on and not said.begins:
                continue  # the light is blinking, what does it want?
            served = self._served(session, said, text, near, words, keeps, heard)
            if served is None:
                left.append(said)
            elif served.text or served.acts or served.asks:
                done.take(served)
            else:
                done.served = True
        done.told = self._guide.condensed(session, done.told, words)
        if words["not_from"] in done.told:  # from them, and from anybody
            done.told = [one.removesuffix(f" {words['not_from_else']}") for one in done.told]
        left = self._sounding(session, left)
        self._ask_back(session, left, done, words)
        done.about = session.about if session.about != about else ()
        done.rest = joined_again(left)
        heard = self._hearing[session.language].heard(done.rest)
        means = (
            *_COMMANDS,
            *(() if done.leaves else _ANSWERED),
            *(_CHOICES if session.waiting and not done.leaves else ()),
        )
        if (done.leaves or done.served) and not heard.did(*means):
            done.rest = ""
        return done

    def _served(
        self,
        session: Session,
        said: Snippet,
        text: str,
        near: str,
        words: Mapping[str, Any],
        keeps: tuple[int, ...],
        heard: Heard,
    ) -> Served | None:
        if heard.did("undo", "restart"):
            return None
        if session.topic == "messages" and LAST[session.language].search(said.text):
            return self._machine.left(session, words)
        if (forms(session.language)["noise"].search(said.text) and not heard.did("deed")) or (
            ON_NOW[session.language].search(said.text)
        ):
            return self._on_now(session, said, heard, words)
        known = forms(session.language)
        if (away := known["no_room"].search(said.text)) and heard.did("kind", "plural", "deed"):
            return Served(words["no_room"].format(room=away[0]), (Act("canthelp"),))
        few = len(heard.said) <= _FEWEST + 1
        if (
            said.asks
            and few
            and heard.did("room")
            and not heard.did("kind", "plural", "called", "deed", "one", "them")
        ):
            return self._on_now(session, said, heard, words)  # and the kitchen?
        if said.asks and known["does"].search(said.text) and heard.did(*DEVICES):
            kinds = {one.slot for one in (*heard.all("kind"), *heard.all("plural"))}
            devices = tuple(one for kind in kinds for one in self._home.of_kind(kind))
            session.about = devices if len(devices) <= _FEWEST else session.about
            return Served(words["does"])
        if forms(session.language)["how_to"].search(said.text):
            return Served(words["next"])
        if forms(session.language)["whose_side"].search(said.text) and "?" in text:
            return Served(words["sides"])
        if (
            forms(session.language)["where"].search(said.text)
            and said.asks
            and not heard.did("deed")
            and (where := self._where(session, heard))
        ):
            return Served(where)
        device = heard.did("kind", "plural", "called", "room")
        acts = {one.slot for one in heard.all("deed")} - {"play", "watch"}
        served = self._machine.take(session, said, words, keeps, text, near, device=device, acts=bool(acts))
        if served is not None:
            return served
        named = {one.slot for one in (*heard.all("kind"), *heard.all("plural"))}
        return self._guide.take(session, said, words, text, other=bool(named - {"television"}))

    def _on_now(self, session: Session, said: Snippet, heard: Heard, words: Mapping[str, Any]) -> Served:
        """What is switched on, in the room that is spoken of."""
        rooms = {one.slot for one in heard.all("room")}
        if forms(session.language)["that_room"].search(said.text) and not rooms and session.about:
            rooms = {self._home.devices[one].room for one in session.about}
        on = [
            one for one in self._telling.on_now(session) if not rooms or self._home.devices[one].room in rooms
        ]
        names = self._telling.listed(session, on, "and") if on else ""
        acts = tuple(stating("inform", "state", f"{one}:on") for one in on)
        return Served(words["on_now" if on else "nothing_on"].format(names=names), acts)

    def _where(self, session: Session, heard: Heard) -> str:
        """In which room a device is that there is once."""
        kind = next((one.slot for one in (*heard.all("kind"), *heard.all("plural"))), None)
        devices = self._home.of_kind(kind) if kind else []
        if len(devices) != 1:
            return ""
        session.about = tuple(devices)
        device = self._home.devices[devices[0]]
        where = self._home.rooms[device.room][session.language]["in"]
        verb = {"en": "is", "it": "è"}[session.language]
        return capital(f"{device.names[session.language]} {verb} {where}.")

    def _kept(self, session: Session, snippets: list[Snippet]) -> tuple[int, ...]:
        known = forms(session.language)
        kept = [
            one
            for snippet in snippets
            if known["keep"].search(snippet.text) and not known["delete"].search(snippet.text)
            for one in self._machine.named(session, snippet.text)
        ]
        return tuple(dict.fromkeys(kept))

    def _answered(
        self, session: Session, waits: str, snippets: list[Snippet], words: Mapping[str, Any]
    ) -> Served | None:
        """What was answered to the question of a service; None where the turn passes over it."""
        hearing = self._hearing[session.language]
        heard = [hearing.heard(snippet.text) for snippet in snippets]
        pairs = list(zip(heard, snippets, strict=True))
        if any(one.did(*DEVICES) and one.did("deed") and not said.asks for one, said in pairs):
            return None
        yes = any(one.did("affirm") and not said.asks for one, said in pairs)
        no = any(one.did("negate") for one in heard) and not yes
        text = " ".join(snippet.text for snippet in snippets if not snippet.asks)
        if no and any(snippet.asks and "?" in snippet.cut for snippet in snippets):
            return None  # no, the other light; can they be deleted?
        if waits == "play":
            return self._machine.play(session, words) if yes else (Served(words["kept"]) if no else None)
        if waits == "delete":
            return self._machine.answered(session, text, words, yes=yes, no=no)
        loose = any(one.did("dontcare", "suggest", "dontknow") for one in heard)
        return self._guide.answered(session, waits, text, words, no=no, any_=loose)

    def _leaves(self, session: Session, snippets: list[Snippet], at: int) -> bool:
        """Whether a snippet takes leave; not a greeting, and not `and that's it` behind a command."""
        known, said = forms(session.language), snippets[at]
        found = known["leaves"].search(said.text)
        if found is None or known["not_leaving"].search(said.text):
            return False
        first = session.last is not None and session.last.acts[:1] == (Act("hello"),)
        begins = found[0].casefold().startswith("ciao") and at == 0 and (first or len(snippets) > 1)
        basta = found[0].casefold().startswith("basta") and at > 0 and not snippets[at - 1].cut.strip(" ,")
        basta = basta and " e" in snippets[at - 1].cut
        settles = bool(session.waiting) and found[0].casefold() in ("that's it", "that is it")
        asks = (
            said.asks
            and "?" in said.cut
            and not found[0].casefold().startswith(("do ", "should", "can", "shall", "posso"))
        )
        later = any(
            snippet.asks and "?" in snippet.cut for snippet in snippets[at + 1 :]
        )  # then I leave you: what is on?
        later = later and not any(known["leaves"].search(snippet.text) for snippet in snippets[at + 1 :])
        return not (begins or basta or settles or asks or later)

    # --- how loud ----------------------------------------------------------------------------------------

    def _sounding(self, session: Session, left: list[Snippet]) -> list[Snippet]:
        """The snippets, where `turn it down` of the volume names the television or the radio."""
        hearing, known = self._hearing[session.language], forms(session.language)
        snippets: list[Snippet] = []
        loud = False
        for at, said in enumerate(left):
            heard = hearing.heard(said.text)
            deeds = {one.slot for one in heard.all("deed")}
            later = [{one.slot for one in hearing.heard(two.text).all("deed")} for two in left[at + 1 :]]
            sounds = known["loud"].search(said.text) is not None
            others = [
                {one.slot for one in hearing.heard(two.text).all("deed")} for two in left if two is not said
            ]
            if known["silence"].search(said.text) and not heard.did("kind", "plural", "called", "it", "them"):
                device = self._heard_now(session)
                if device is None or session.state.get(device, "off") == "off":
                    continue  # nothing is heard
                off = {"en": "off", "it": "spegni"}[session.language]
                said = replace(said, text=f"{off} {self._of(session, device)}")
                heard = hearing.heard(said.text)
            if known["not_heard"].search(said.text) and any(one & {*_LOUDER} for one in others):
                loud = True
                named = [one.slot for one in heard.all("kind")]
                session.about = tuple(one for one in self._home.of_kind(named[0])) if named else session.about
                continue  # I can hardly hear the radio, turn it up
            if sounds and said.asks and any(one & {*_LOUDER} for one in later):
                loud = True
                continue  # is it too loud? turn it down
            more = (
                known["more"].fullmatch(said.text.strip())
                and session.done
                and session.done[-1].deed in _GRADES
            )
            if more and not session.waiting:
                said = replace(said, text=_GRADES[session.done[-1].deed][session.language])
            elif heard.did("kind", "plural", "called"):
                loud = False
            elif (sounds and deeds | {"volume"}) or (loud and deeds & {*_LOUDER}):
                loud = True
                device = self._heard_now(session)
                grade = next(
                    ("louder" if one in ("raise", "louder") else "softer" for one in deeds if one in _LOUDER),
                    None,
                )
                if device is not None and (sounds or deeds):
                    deed = _GRADES[grade][session.language] if grade else said.text
                    said = replace(
                        said, text=f"{self._of(session, device)} {deed}", asks=said.asks and not grade
                    )
                    said = replace(said, cut=said.cut.replace("?", ".") if grade else said.cut)
            snippets.append(said)
        return snippets

    def _of(self, session: Session, device: str) -> str:
        return str(self._home.kinds[self._home.devices[device].kind].said[session.language]["words"][0])

    def _heard_now(self, session: Session) -> str | None:
        """The device that is heard: spoken of last, else the only one on, else the one that was done last."""
        able = [device for device in self._home.devices if "louder" in self._home.kind_of(device).deeds]
        on = [one for one in able if session.state.get(one, "off") != "off"]
        for spoken_of in (session.about, *(tuple(one.before) for one in reversed(session.done))):
            named = [one for one in spoken_of if one in (on or able)]
            if len(named) == 1:
                return named[0]
        return on[0] if len(on) == 1 else None

    # --- questions beside the matter ---------------------------------------------------------------------

    def _ask_back(
        self, session: Session, left: list[Snippet], done: Attended, words: Mapping[str, Any]
    ) -> None:
        """Answer the questions that are about nothing here, once; what is left of the turn stays."""
        hearing, beyond = self._hearing[session.language], self._beyond[session.language]
        unknown, known = list[str](), forms(session.language)
        recording = any(one.asks in ("recording",) for one in (done.asks,) if one) or any(
            act.value == "recording" for act in done.acts
        )
        for said in list(left):
            if not said.asks:
                continue
            question = f"{said.text}?"
            found, _ = told_apart(question, beyond)
            if recording and found == beyond.says.get("later"):
                left.remove(said)  # tonight at nine, record it
                continue
            heard = hearing.heard(question)
            if found is not None and not heard.did("deed", *DEVICES):
                left.remove(said)
                done.told.append(found)
                done.acts.append(Act("canthelp"))
                done.served = True
            elif (
                "?" in said.cut
                and (said.begins or is_question(said.text, session.language))
                and len(heard.said) >= _FEWEST
                and not told_of_standing(f"{said.text}?", session.language).kinds
                and (
                    asks_openly(question, session.language)
                    or known["wonders"].match(said.text)
                    or known["wants_deed"].match(said.text)
                )
                and not heard.did(*_COMMANDS, *_COURTESY)
                and not done.leaves
            ):
                left.remove(said)
                unknown.append(self._not_known(said, session.language, words))
            elif (
                "?" in said.cut
                and len(heard.said) > _FEWEST
                and (is_question(said.text, session.language) or known["able"].search(said.text))
                and heard.did("kind")
                and not heard.did("deed", "meant", *_COURTESY)
                and requested(question, session.language) == question
            ):
                left.remove(said)
                unknown.append(words["only_devices"])
        end = words["no_more_known"].rsplit("}", 1)[-1].strip()
        if unknown and Act("canthelp") not in done.acts and not any(one.endswith(end) for one in done.told):
            done.told.append(unknown[-1])
            done.served = True

    def _not_known(self, said: Snippet, language: str, words: Mapping[str, Any]) -> str:
        """The sentence for a question that nothing answers, with what it asks where that can be said."""
        known = forms(language)
        if known["wants_deed"].match(said.text):
            return str(words["cannot_deed_at_all"])
        if known["able"].match(said.text):
            return str(words["unanswered"])
        plain = known["whether"].match(said.text)
        if plain:
            return capital(str(words["not_whether"]).format(**plain.groupdict()))
        return not_known(f"{said.text}?", language) or str(words["unanswered"])
