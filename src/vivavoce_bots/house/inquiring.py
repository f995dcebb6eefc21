"""Questions of how things are: whether something is on, what was left open, which are lit, what there is.

They are taken out of a turn before anything else is done with it, and answered when all else was done.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.dialogue.gist import requested
from vivavoce_bots.dialogue.hearing import Heard, Hearing
from vivavoce_bots.dialogue.spotting import LONGEST_TEXT
from vivavoce_bots.house.clauses import LEFT
from vivavoce_bots.house.home import Home, read_manner
from vivavoce_bots.house.reference import Reader, Reference
from vivavoce_bots.house.session import Session
from vivavoce_bots.house.telling import Telling, capital

_PARTS: Final = {
    "en": re.compile(r"(\s*,\s+(?:(?:and|or|but)\s+)?|\s+(?:and|or|but)\s+)", re.I),
    "it": re.compile(r"(\s*,\s+(?:(?:e|o|ma|oppure)\s+)?|\s+(?:e|o|ma|oppure)\s+)", re.I),
}
_NAMES: Final = ("kind", "plural", "called", "room", "it", "them", "one", "thing", "side", "relation")
_DEVICES: Final = ("kind", "plural", "called")
_SPOKEN_OF: Final = 3  # devices that a pronoun means afterwards
_FEW: Final = 5  # words of a question that only names devices
_TAIL: Final = 2  # words of `or not`, `or off`
_ON: Final = ("on", "off")

_DENIED: Final = re.compile(r"(?:^|(?<=[.!?]))\s*\w+\?+\s+no\b[.,!]*\s*", re.I)  # record? no.


@dataclass(frozen=True)
class Inquiry:
    """What is asked: of which devices, whether they are so; `lists`: which there are or are so.

    devices  those meant, where the question names them; None where a pronoun or nothing does
    told     a sentence that answers it whatever is done
    final    whether nothing is asked to be done behind it
    """

    devices: tuple[str, ...] | None = None
    rooms: frozenset[str] = frozenset()
    deed: str | None = None
    anything: bool = False
    lists: bool = False
    told: str = ""
    final: bool = False


class Inquiries:
    """Takes questions of one flat's state out of turns, and answers them."""

    def __init__(self, home: Home, hearing: Mapping[str, Hearing]) -> None:
        self._home, self._hearing, self._telling = home, hearing, Telling(home)
        self._readers = {language: Reader(home, language) for language in hearing}

    def apart(self, session: Session, text: str, words: Mapping[str, Any]) -> tuple[list[Inquiry], str]:
        """The questions of a turn about how things are, and the turn without them."""
        found, kept = list[Inquiry](), list[str]()
        text = _DENIED.sub("", text)
        sentences = sentences_of(text[:LONGEST_TEXT].replace("’", "'"))
        known, hearing = _forms(session.language), self._hearing[session.language]
        commands = any(
            hearing.heard(one).did("deed") and not (self._asks(session, one) or known["claims"].search(one))
            for one in sentences
        )
        dropped = False
        for at, sentence in enumerate(sentences):
            plain = known["leads"].sub("", sentence)
            off = self._not_heard(session, sentences[max(0, at - 1) : at + 1])
            if off is not None:
                found.append(off)
                kept = kept[:-1]
                continue
            goes_on = bool(found) and known["or_else"].match(sentence) is not None
            open_ = bool(found) and found[-1] == Inquiry(final=True)  # I think I left the.. the lamp
            if known["rhetorical"].search(plain) and len(sentences) > 1 and plain.endswith(("?", "!")):
                dropped = True
                continue
            means = known["i_mean"].match(plain) and not hearing.heard(plain).did("deed")
            if found and means:  # what is on? I mean the lamps
                continue
            before = next((one.devices for one in found[::-1] if one.devices), ())
            alone = goes_on or not commands
            inquiry, rest = self._taken(session, plain, words, alone=alone, before=before, goes_on=goes_on)
            if open_ and not hearing.heard(sentence).did("deed") and (named := self._named(session, plain)):
                inquiry, rest = Inquiry(named), ""
            near = sentences[at - 1] if at and kept and kept[-1] == sentences[at - 1] else ""
            if inquiry and near and not (inquiry.devices or inquiry.anything or inquiry.told):
                named = () if hearing.heard(near).did("deed") else self._named(session, near)
                if named:  # the curtains. Are they down?
                    inquiry, kept = replace(inquiry, devices=named), kept[:-1]
            elif inquiry and near and inquiry.devices and not inquiry.rooms:  # the bedroom. Are they down?
                said = hearing.heard(near)
                here = {one.slot for one in said.all("room")}
                there = tuple(device for device in inquiry.devices if self._home.devices[device].room in here)
                if there and not said.did("deed", *_DEVICES) and not hearing.heard(plain).did("room"):
                    inquiry, kept = replace(inquiry, devices=there), kept[:-1]
            if hearing.heard(sentence).did("deed") and not inquiry:
                found = [replace(one, final=False) for one in found]
            found = found[:-1] if inquiry and open_ and inquiry.devices else found
            found += [replace(inquiry, final=True)] if inquiry else []
            kept += [rest if inquiry else sentence]
        left = " ".join(one for one in kept if re.search(r"\w", one))
        return found, left if found or (dropped and left) else text

    def _not_heard(self, session: Session, sentences: Sequence[str]) -> Inquiry | None:
        """What is said to be too loud, and is off: the telly. It is shouting."""
        known, hearing = _forms(session.language), self._hearing[session.language]
        heard = [hearing.heard(sentence) for sentence in sentences]
        kinds = [one.slot for each in heard for one in each.all("kind")]
        if not known["too_loud"].search(sentences[-1]) or any(one.did("deed") for one in heard[:-1]):
            return None
        devices = [device for device in self._home.devices if self._home.devices[device].kind in kinds]
        devices = devices or [one for one in session.about if "louder" in self._home.kind_of(one).deeds]
        on = self._telling.on_now(session)
        if any(device in on for device in devices) or (on and not devices):
            return None
        return Inquiry(tuple(devices)) if devices else Inquiry(anything=True)

    def _asks(self, session: Session, sentence: str) -> bool:
        forms = _forms(session.language)
        plain = forms["leads"].sub("", sentence)
        if forms["not_state"].search(plain) or requested(plain, session.language) != plain:
            return False
        return sentence.rstrip().endswith("?") or forms["heads"].match(plain) is not None

    def _taken(
        self,
        session: Session,
        sentence: str,
        words: Mapping[str, Any],
        *,
        alone: bool,
        before: tuple[str, ...],
        goes_on: bool,
    ) -> tuple[Inquiry | None, str]:
        """What a sentence asks, and what it says besides."""
        known, hearing = _forms(session.language), self._hearing[session.language]
        heard = hearing.heard(sentence)
        claims = known["claims"].search(sentence) is not None
        names_only = heard.did(*_DEVICES) and not heard.did("deed") and len(heard.said) <= _FEW
        if known["later"].search(sentence) and not known["recording"].search(sentence):
            rest = self._without_later(session, sentence)
            if rest is not None:
                return Inquiry(told=words["no_clock"]), rest
        if goes_on and names_only:
            return Inquiry(self._named(session, sentence) or None), ""
        narrowed = self._narrowed(session, sentence, heard, before) if before else None
        if narrowed:
            return narrowed, ""
        if after := known["afterwards"].search(sentence):
            return Inquiry(told=words["how_said"]), sentence[: after.start()].rstrip(" ,")
        named = self._named(session, sentence) or None
        if known["why_you"].search(sentence):
            return Inquiry(named, told=words["misheard"]), ""
        if known["who_did"].search(sentence) and heard.did("deed", *_DEVICES):
            return Inquiry(named, told=words["who_unknown"]), ""
        away = known["no_room"].search(sentence)
        if away and not heard.did("room") and (rest := self._without_room(session, sentence)) is not None:
            return Inquiry(told=words["no_room"].format(room=away[0])), rest
        if known["costs"].search(sentence) and sentence.rstrip().endswith("?"):
            return Inquiry(told=words["cost"]), ""
        if alone and known["how_bright"].search(sentence) and sentence.rstrip().endswith("?"):
            return Inquiry(told=words["how_bright"]), ""
        unbidden = known["unbidden"].search(sentence)
        if unbidden and not sentence.rstrip().endswith("?"):
            rest = sentence[: unbidden.start()] + sentence[unbidden.end() :]
            if hearing.heard(rest).did("deed"):
                return None, rest
            return Inquiry(named), ""
        if unbidden and heard.did("deed"):
            return Inquiry(named, told=words["by_itself"]), ""
        if known["no_command"].match(sentence) and sentence.rstrip().endswith("?") and heard.did("deed"):
            itself = known["by_itself"].search(sentence) is not None
            return Inquiry(named, told=words["by_itself" if itself else "unanswered"]), ""
        if not (claims or self._asks(session, sentence)):
            return None, sentence
        if known["which_side"].search(sentence) and session.waiting and session.waiting[0].choices:
            return Inquiry(told=words["sides"]), ""
        if known["sure"].fullmatch(sentence) and session.about:
            return Inquiry(session.about), ""
        parts = [sentence] if known["either"].search(sentence) else _PARTS[session.language].split(sentence)
        asks, kept = ([sentence], "") if known["either"].search(sentence) else self._parts(session, parts)
        if not asks and known["is_in"].search(sentence) and (where := self._where(session, heard)):
            return where, ""
        if not asks:
            device = heard.did(*_DEVICES, "one", "them") and not heard.did("deed")
            if device and known["there"].search(sentence) and not heard.did("thing"):
                return self._listing(session, sentence, heard), ""
            if names_only and alone and not session.waiting and known["bare"].match(sentence):
                return Inquiry(self._named(session, sentence)), ""
            return None, sentence
        return self._inquiry(session, asks, words), kept

    def _narrowed(
        self, session: Session, sentence: str, heard: Heard, before: tuple[str, ...]
    ) -> Inquiry | None:
        """Which of those just asked about is meant: the light. The one in the kitchen, or the bedroom?"""
        if heard.did("deed", *_DEVICES) or not heard.did("room") or not heard.did("it", "one", "them"):
            return None
        rooms = {one.slot for one in heard.all("room")}
        return Inquiry(tuple(one for one in before if self._home.devices[one].room in rooms) or before)

    def _without_later(self, session: Session, sentence: str) -> str | None:
        """A sentence without what is to be done at another time; None where nothing is."""
        known, hearing = _forms(session.language), self._hearing[session.language]
        if self._asks(session, sentence):
            return None
        parts = _PARTS[session.language].split(sentence)
        heard = [hearing.heard(part) for part in parts[::2]]
        gone = set[int]()
        for at, one in enumerate(heard):
            if not known["later"].search(parts[2 * at]):
                continue
            short, before = len(one.said) <= _FEW, at and heard[at - 1].did("deed", *_DEVICES)
            if one.did("deed", *_DEVICES) and not known["plans"].match(parts[2 * at]):
                gone.add(at)
            elif short and (before or at - 1 in gone):
                gone |= {at - 1, at}
        kept = [parts[2 * at] for at in range(len(heard)) if at not in gone]
        return ", ".join(kept) if gone else None

    def _without_room(self, session: Session, sentence: str) -> str | None:
        """A sentence without what it asks of a room that there is not; None where it asks nothing of it."""
        known, hearing = _forms(session.language), self._hearing[session.language]
        parts = _PARTS[session.language].split(sentence)[::2]
        heard = [hearing.heard(part) for part in parts]
        at = next(at for at, one in enumerate(parts) if known["no_room"].search(one))
        if heard[at].did("deed", *_DEVICES):
            return ", ".join(one for number, one in enumerate(parts) if number != at)
        if at and len(heard[at].said) <= _FEW and heard[at - 1].did("deed", *_DEVICES):
            return ", ".join(parts[: at - 1])  # the lamp, in the hall
        asks = self._asks(session, sentence) and (heard[at].did("it", "one") or len(heard[at].said) <= _FEW)
        return "" if asks else None

    def _parts(self, session: Session, parts: Sequence[str]) -> tuple[list[str], str]:
        """The parts of a sentence that ask how things are, with those that name devices beside; the rest."""
        known, hearing = _forms(session.language), self._hearing[session.language]
        states = [
            (known["state"].search(one) or known["claims"].search(one)) is not None for one in parts[::2]
        ]
        if not any(states):
            return [], ""
        asks, kept = list[str](), ""
        for at, part in enumerate(parts[::2]):
            cut, heard = parts[2 * at - 1] if at else "", hearing.heard(part)
            near = any(states[max(0, at - 1) : at + 2])
            names = near and heard.did(*_NAMES) and not heard.did("deed")
            tail = at > 0 and near and len(heard.said) <= _TAIL
            away = near and known["no_room"].search(part) is not None
            if states[at] or names or tail or away:
                asks.append(part)
            else:
                kept += (cut if kept else "") + part
        return asks, kept

    def _inquiry(self, session: Session, asks: Sequence[str], words: Mapping[str, Any]) -> Inquiry:
        known, hearing = _forms(session.language), self._hearing[session.language]
        whole = " ".join(asks)
        heard = hearing.heard(whole)
        rooms = frozenset(one.slot or "" for one in heard.all("room"))
        if (away := known["no_room"].search(whole)) and not rooms:
            return Inquiry(told=words["no_room"].format(room=away[0]))
        deeds = {name for name in ("on", "off", "open", "close", "dim") if known[name].search(whole)}
        deed = deeds.pop() if len(deeds) == 1 else None
        which = known["which"].match(asks[0]) is not None
        named = tuple(dict.fromkeys(one for part in asks for one in self._named(session, part, which=which)))
        anything = known["anything"].search(whole) is not None and not named
        if not named and deed in ("open", "close") and not session.about:  # are they down? in the bedroom
            named = tuple(
                one
                for one in self._home.of_kind(self._home.only_kind(deed))
                if not rooms or self._home.devices[one].room in rooms
            )
        if not named and rooms and not heard.did("it", "them"):
            return Inquiry(None, rooms, deed, anything=True)
        lists = which or (len(named) > 1 and deed in _ON and not rooms)
        return Inquiry(named or None, rooms, deed, anything, lists)

    def _named(self, session: Session, part: str, *, which: bool = False) -> tuple[str, ...]:
        """The devices that a part names; of lamps without a place those that were spoken of."""
        hearing, reader = self._hearing[session.language], self._readers[session.language]
        said, spans = hearing.find(LEFT.sub(r"\1", part))
        kinds = [span.entry.slot for span in spans if span.entry.kind in ("kind", "plural")]
        reference = replace(reader.read(said, spans, None), strange="")
        if not (reference.kind or reference.placed):
            return ()
        if reference.ordinal and not (reference.kind or reference.rooms or session.about):
            return ()  # first, did I leave the light on?
        if reference.rooms and not (reference.kind or reference.called or reference.sides):
            return ()
        references = [replace(reference, kind=kind) for kind in kinds if kind] or [reference]
        return tuple(
            dict.fromkeys(one for ref in references for one in self._fitting(session, ref, which=which))
        )

    def _fitting(self, session: Session, reference: Reference, *, which: bool) -> list[str]:
        devices = self._readers[session.language].devices(replace(reference, it=False, every=False))
        about = [one for one in session.about if one in devices]
        vague = not (reference.placed or reference.plural or which)
        return about if about and vague else devices

    def _where(self, session: Session, heard: Heard) -> Inquiry | None:
        """Whether a device that there is once is in a room."""
        kind = next((one.slot for one in (*heard.all("kind"), *heard.all("plural"))), None)
        devices = self._home.of_kind(kind) if kind and heard.did("room") else []
        if len(devices) != 1:
            return None
        device = self._home.devices[devices[0]]
        here = device.room in {one.slot for one in heard.all("room")}
        where = self._home.rooms[device.room][session.language]["in"]
        words = read_manner(session.language)["says"]
        form = words["yes" if here else "no"]
        verb = {"en": "is", "it": "è"}[session.language]
        return Inquiry(
            tuple(devices), told=form.format(name=device.names[session.language], state=f"{verb} {where}")
        )

    def _listing(self, session: Session, sentence: str, heard: Heard) -> Inquiry | None:
        """Which devices of a kind there are, here or there."""
        devices = self._named(session, sentence, which=True)
        if not heard.did(*_DEVICES) and session.about:  # do I have one of those?
            kinds = self._home.kinds_of(session.about)
            devices = tuple(self._home.of_kind(min(kinds))) if len(kinds) == 1 else ()
        rooms = frozenset(one.slot or "" for one in heard.all("room"))
        return Inquiry(devices, rooms, lists=True) if len(devices) > 1 else None

    # --- answers -----------------------------------------------------------------------------------------

    def told(
        self, session: Session, inquiries: Iterable[Inquiry], acted: frozenset[str], words: Mapping[str, Any]
    ) -> list[str]:
        """The answers, but for devices that were acted on in this turn: what was done tells how these are."""
        found: list[str] = []
        for inquiry in inquiries:
            devices = session.about if inquiry.devices is None and not inquiry.anything else inquiry.devices
            if devices and inquiry.final and len(devices) <= _SPOKEN_OF:
                session.about = tuple(devices)
            if inquiry.told:
                found.append(inquiry.told)
            elif devices and set(devices) <= acted:
                continue
            else:
                found += self._answer(session, inquiry, tuple(devices or ()), words)
                if devices and not acted and len(devices) <= _SPOKEN_OF:
                    session.about = tuple(devices)
        return list(dict.fromkeys(found))

    def _answer(
        self, session: Session, asked: Inquiry, devices: tuple[str, ...], words: Mapping[str, Any]
    ) -> list[str]:
        if asked.anything or not devices:
            on = [
                one
                for one in self._telling.on_now(session)
                if not asked.rooms or self._home.devices[one].room in asked.rooms
            ]
            names = self._telling.listed(session, on, "and") if on else ""
            return [words["on_now" if on else "nothing_on"].format(names=names)]
        kinds = self._home.kinds_of(devices)
        if asked.lists and asked.deed is None and len(kinds) == 1:
            names = self._telling.listed(session, devices, "and", whole=False)
            kind = self._telling.kind(session, min(kinds)) if len(kinds) == 1 else ""
            return [capital(words["rooms"].format(kind=kind, names=names))]
        if len(kinds) == 1 and asked.deed is not None:
            deed = self._home.kind_of(devices[0]).deed(asked.deed)
            return self._telling.how_they_are(session, devices, deed, min(kinds), None)
        on = [device for device in devices if device in self._telling.on_now(session)]
        if on and len(kinds) > 1 and asked.deed in (None, "on"):
            devices = tuple(on)  # the radio or the television?
        return self._telling.how_they_are(session, devices, None, None, None)


@cache
def _forms(language: str) -> Mapping[str, re.Pattern[str]]:
    raw: Mapping[str, Any] = read_manner(language)
    found = {name: re.compile(rf"\b(?:{'|'.join(one)})", re.I) for name, one in raw["inquiries"].items()}
    leads = re.compile(rf"^\W*(?:(?:{'|'.join(raw['leads'])})\b[,.\s…]*)+", re.I)
    told = {
        name: re.compile(rf"\b(?:{'|'.join(raw['told'][kind])})", re.I)
        for name, kind in (("no_room", "no_room"), ("recording", "record"))
    }
    plans = re.compile(
        r"\W*(?:(?:and|but|e|ma|che) )*(?:i|we|she|he|they|my|ho|vado|torno|viene|vengo|esco|mi[oa])\b", re.I
    )
    return {**found, **told, "leads": leads, "plans": plans}
