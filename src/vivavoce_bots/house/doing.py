"""What the house does with devices: corrections, settling which are meant, doing it, telling, asking back."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.dialogue.standing import StandingBot
from vivavoce_bots.house.clauses import WISHES, Clause
from vivavoce_bots.house.clerk import SERVED
from vivavoce_bots.house.home import Home
from vivavoce_bots.house.reference import Reader, Reference
from vivavoce_bots.house.session import Done, Pending, Session, Told
from vivavoce_bots.house.telling import FEW, Telling, capital

_GRADUAL: Final = ("louder", "softer", "faster", "slower", "dim", "raise", "lower")
_MANY: Final = 2
_MOST_TOLD: Final = 6
_SWITCHED: Final = ("on", "off", "open", "close")
_BOTH: Final = {"both", "entrambe", "entrambi", "due"}
_TELLERS: Final = frozenset(
    ("i", "my", "she", "he", "we", "they", "our", "you", "mia", "mio", "mi", "ho", "abbiamo", "lei", "lui")
)
_WANTING: Final = frozenset(
    (
        "want",
        "like",
        "need",
        "love",
        "can",
        "could",
        "would",
        "prefer",
        "voglio",
        "vorrei",
        "serve",
        "puoi",
        "può",
        "puo",
        "fai",
        "fa",
        "fate",
    )
)
_NAMES: Final = ("kind", "plural", "called")
_VOLUME: Final = {"raise": "louder", "lower": "softer"}


class DoingBot(StandingBot[Session]):
    """The part of the house bot that acts on devices."""

    _home: Home
    _readers: Mapping[str, Reader]
    _telling: Telling

    def standing(self, session: Session, kind: str) -> str | None:
        words = self.words(session)
        if kind == "next":
            return words["help_which" if session.waiting and session.waiting[0].choices else "next"]
        if kind == "advice":
            return None
        kind = "what_did" if kind == "noted" else kind
        if kind == "done":
            return words["not_yet" if session.waiting else "all_done"]
        recent = session.done if kind == "what_did" else session.done[-1:]
        touched = dict.fromkeys(device for one in recent for device in one.before)
        told = self._telling.how_they_are(session, list(touched)[-_MOST_TOLD:], None, None, None)
        if session.waiting and kind != "what_did":
            return words["not_yet"]
        return " ".join(told) if told else words["nothing_done"]

    # --- corrections ---------------------------------------------------------------------------------------

    def _corrects(self, session: Session, clause: Clause, reference: Reference) -> bool:
        """`No, the left one`; `not that lamp, the other one`: the last deed was for another device."""
        tells = clause.said[:1] and clause.said[0] in _TELLERS and not _WANTING & set(clause.said)
        if tells and not clause.did("meant"):
            return False  # I saw a light
        if reference.bare and len(clause.said) > FEW:
            return False  # I meant put the baby to bed
        return (
            bool(session.done)
            and clause.deed is None
            and reference.said
            and (clause.did("meant", "not", "negate") or clause.follows)
        )

    def _correct(self, session: Session, clause: Clause, told: Told) -> None:
        reference = clause.reference
        suits = [one for one in session.done if reference.kind in (None, *self._home.kinds_of(one.before))]
        done = (suits or list(session.done))[-1]
        wrong = list(done.before)
        if reference.without is not None:  # I said all except the table one
            spared = [one for one in self._meant(session, reference.without) if one in wrong]
            if spared:
                self._take_back(session, Done(done.deed, {one: done.before[one] for one in spared}))
                told.sentences = self._telling.how_they_are(session, spared, None, None, None)
            return
        negated = clause.did("not", "negate") and not clause.did("meant") and not reference.other
        meant_not = [one for one in self._meant(session, reference) if one in wrong]
        if negated and meant_not and "not" in clause.kinds:
            self._take_back(session, Done(done.deed, {one: done.before[one] for one in meant_not}))
            told.sentences += self._telling.how_they_are(session, meant_not, None, None, None)
            session.done = (done,)
            return
        if "not" in clause.kinds and not clause.did("meant") and not reference.other and not clause.follows:
            told.sentences.append(self.words(session)["untouched"])
            return
        same = not reference.placed and {reference.kind} == self._home.kinds_of(wrong)
        if same and not (reference.other or clause.did("not")):  # I said the light: it is that
            told.sentences += self._telling.how_they_are(session, wrong, None, None, None)
            return
        rooms = frozenset(self._home.devices[one].room for one in wrong)
        near = reference if reference.rooms or reference.places else replace(reference, rooms=rooms)
        meant = replace(near if self._meant(session, near) else reference, bare=False)
        self._take_back(session, done)
        session.about = tuple(wrong)
        self._settle(session, replace(clause, deed=done.deed, reference=meant), told)

    def _take_back(self, session: Session, done: Done) -> None:
        session.state.update(done.before)
        session.done = tuple(one for one in session.done if one is not done)

    # --- devices -------------------------------------------------------------------------------------------

    def _meant(self, session: Session, reference: Reference, among: Sequence[str] = ()) -> list[str]:
        return self._readers[session.language].meant(reference, session.about, among)

    def _settle(self, session: Session, clause: Clause, told: Told, pending: Pending | None = None) -> None:
        """Do what was said with the devices that are meant, or ask back."""
        reference = clause.reference
        choices = pending.choices if pending else ()
        if not (reference.said or (pending and reference.strange)) or (reference.bare and pending is None):
            self._unnamed(session, clause, told)
            return
        if (
            clause.deed is None
            and pending is None
            and session.done
            and (reference.other or clause.did("too"))
        ):
            clause = replace(clause, deed=session.done[-1].deed)
        kind = (
            reference.kind
            or (pending.kind if pending else None)
            or self._readers[session.language].only_for(clause.deed, reference)
        )
        if kind != reference.kind:
            reference = replace(reference, kind=kind)
        devices = self._meant(session, reference, choices) or (
            self._meant(session, reference)
            if choices and (reference.rooms or (reference.placed and clause.did(*_NAMES, "deed")))
            else []
        )
        if pending and not devices and reference.places and not clause.did(*_NAMES, "room"):
            self._ask(session, pending)  # I sleep by the window: which of these?
            return
        if not devices and reference.placed and not choices and not clause.did("kind", "plural", "called"):
            reference = replace(reference, kind=None)  # the one by the door: of another kind than before
            devices = self._meant(session, reference)
            kind = self._home.devices[devices[0]].kind if devices else kind
        if kind is None and clause.deed and len(self._home.kinds_of(devices)) > 1 and not reference.every:
            able = [device for device in devices if clause.deed in self._home.kind_of(device).deeds]
            devices = able or devices  # something in the bedroom, on
        several = (list(one.before) for one in reversed(session.done) if {*one.before} <= {*devices})
        spoken_of = next(several, [])
        if clause.deed in (*_GRADUAL, "raise", "lower") and reference.plural and not reference.placed:
            devices = spoken_of if len(spoken_of) > 1 else devices  # the lights, brighter: those of before
            reference = replace(reference, every=reference.every or len(spoken_of) > 1)
        lights = clause.deed is None and self._goes_on(session, devices, told)
        clause = replace(clause, deed="on") if lights else clause
        if len(devices) > 1 and not (reference.every or choices or reference.strange):
            devices, idle = self._apt(session, clause.deed, reference, devices)
            reference = replace(reference, every=True) if idle else reference
        alone = len(devices) == 1 and kind is not None and len(self._home.of_kind(kind)) == 1
        if alone and clause.deed and not clause.did("relation"):
            reference = replace(reference, strange="")  # get the fan going: there is one fan
        if reference.strange or not devices:
            self._not_known(session, clause, reference, devices or list(choices), told)
            return
        if reference.every and not choices and not reference.placed and _BOTH & set(clause.said):
            two = [one for one in dict.fromkeys(reversed(session.acted)) if one in devices][:_MANY]
            devices = two if len(two) == _MANY else devices
        if told.anyone and clause.deed and kind and len(devices) > 1 and not reference.every:
            devices = devices[:1]
        spoken_of = reference.it and set(devices) <= set(session.about)
        many = reference.plural and not reference.sides and (reference.placed or not lights)
        every = reference.every or many or spoken_of
        if kind is None and not every and len(self._home.kinds_of(devices)) > 1:
            self._ask(session, Pending("which", None, clause.deed, tuple(devices)))
        elif len(devices) > 1 and not every:
            self._ask(session, Pending("which", kind, clause.deed, tuple(devices)))
        elif clause.deed is None and session.done and set(devices) <= set(session.done[-1].before):
            told.sentences += self._telling.how_they_are(session, devices, None, None, None)
        elif clause.deed is None:
            session.about = tuple(devices)
            if clause.did("volume") or not clause.did("kind", "plural", "called"):
                return  # nobody named it; the volume as it is
            self._ask(session, Pending("deed", kind, None, tuple(devices)))
        else:
            self._do(session, clause.deed, devices, told)

    def _apt(
        self, session: Session, deed: str | None, reference: Reference, devices: list[str]
    ) -> tuple[list[str], bool]:
        """Of several devices those that can be meant: in the room that was spoken of, not so already.

        Whether all of them are so already.
        """
        rooms = {self._home.devices[one].room for one in session.about}
        if reference.sides and not reference.rooms and len(rooms) == 1:
            devices = [device for device in devices if self._home.devices[device].room in rooms] or devices
        if deed in _GRADUAL:  # the lamp, dimmer: the one that is on
            lit = [device for device in devices if self._telling.state(session, device) != "off"]
            return lit if len(lit) == 1 else devices, False
        if deed not in _SWITCHED or len(self._home.kinds_of(devices)) > 1:
            return devices, False
        wanted = self._home.kind_of(devices[0]).deed(deed)
        apt = [device for device in devices if self._telling.state(session, device) != wanted]
        if deed == "on" and len(apt) != 1:
            return devices, False
        return apt or devices, not apt  # the light that is on is to go off

    def _goes_on(self, session: Session, devices: Sequence[str], told: Told) -> bool:
        """Whether devices that are named, and no more, are to be switched on: they are off, and can be."""
        able = all({"on", "off"} <= set(self._home.kind_of(device).deeds) for device in devices)
        dark = all(self._telling.state(session, device) == "off" for device in devices)
        attended = session.attended
        asked = attended is not None and attended.asked
        guide = attended is not None and attended.told and session.topic == "television"
        asked = asked or (guide and [*devices] == ["television"])  # the telly.. is channel two there?
        return bool(devices) and not asked and told.names_alone and able and dark and not told.asks

    def _unnamed(self, session: Session, clause: Clause, told: Told) -> None:
        """A command that names no device: asked for, unless it was one that nobody knows."""
        deed = clause.deed or ""
        if deed == "watch" or (
            clause.said[:1] and clause.said[0] in _TELLERS and not _WANTING & set(clause.said)
        ):
            return  # put it all back; my daughter set this up
        if deed in _GRADUAL and session.about and not clause.reference.bare:
            pass  # louder, so that I hear it: of what was spoken of
        elif (clause.reference.bare or clause.loose) and not clause.early:
            return  # I'd better get on
        elif clause.reference.bare or clause.loose:
            told.sentences.append(self.words(session)["cannot"])
            told.acts.append(Act("canthelp"))
            return
        deed = _VOLUME.get(deed, deed) if clause.did("volume") else deed
        about = session.about
        if clause.did("volume"):  # the volume, not the lamps
            about = tuple(one for one in about if deed in self._home.kind_of(one).deeds)
        fitting = self._home.fitting(deed, about)
        spoken_of = tuple(one for one in session.about if one in fitting)
        kinds = self._home.kinds_of(fitting)
        if deed in _GRADUAL and about and not set(fitting) & set(about):
            self._do(session, deed, list(session.about), told)  # half: not these
            return
        just_now = any(set(one.before) == set(spoken_of) for one in session.done)
        if spoken_of and (deed not in ("on", "off") or just_now):
            self._do(session, deed, list(spoken_of), told)
        elif spoken_of or len(fitting) == 1:
            self._ask(session, Pending("confirm", None, deed, spoken_of or tuple(fitting)))
        elif fitting and len(fitting) <= FEW:
            self._ask(
                session, Pending("which", min(kinds) if len(kinds) == 1 else None, deed, tuple(fitting))
            )
        else:
            self._ask(session, Pending("thing", None, deed))

    def _not_known(
        self, session: Session, clause: Clause, reference: Reference, devices: list[str], told: Told
    ) -> None:
        """There is no such device, or something was said of it that nobody knows."""
        words = self.words(session)
        kind = reference.kind
        devices = devices or self._home.of_kind(kind)
        told.acts.append(Act("canthelp"))
        if kind and len(reference.rooms) == 1 and not reference.strange:
            here = self._home.rooms[next(iter(reference.rooms))][session.language]["in"]
            if not any(self._home.devices[one].room in reference.rooms for one in self._home.of_kind(kind)):
                missing = self._home.kinds[kind].said[session.language]["missing"]
                there = {self._home.devices[device].room for device in devices}
                form = (
                    "not_there_but"
                    if len(there) == 1 and (clause.deed is None or clause.asks)
                    else "not_there"
                )
                where = self._home.rooms[next(iter(there))][session.language]["in"]
                told.sentences.append(capital(words[form].format(where=here, missing=missing, there=where)))
                session.about = tuple(devices)
                if clause.deed is not None and not clause.asks:
                    self._ask(
                        session,
                        Pending("which" if devices[1:] else "confirm", kind, clause.deed, tuple(devices)),
                    )
                return
        form = words["strange" if reference.strange else "no_such"]
        told.sentences.append(form.format(words=reference.strange, kind=self._telling.kind(session, kind)))
        asks = "which" if len(devices) > 1 else "confirm"
        self._ask(session, Pending(asks, kind, clause.deed, tuple(devices)))

    def _do(self, session: Session, wanted: str, devices: list[str], told: Told) -> None:
        """Carry it out, each kind in its own way."""
        words, before = self.words(session), {one: self._telling.state(session, one) for one in devices}
        done: dict[tuple[str, str], list[str]] = {}
        for device in devices:
            kind = self._home.kind_of(device)
            deed = kind.deed_like(wanted)
            if deed is None and len({self._home.devices[two].kind for two in devices}) == 1:
                name = self._telling.listed(session, devices, "and")
                form = kind.said[session.language].get("cannot") or words["cannot_deed"]
                told.sentences.append(form.format(name=name))
                told.acts.append(Act("canthelp"))
                session.about = tuple(devices)
                self._ask(session, Pending("deed", kind.name, None, tuple(devices)))
                return
            if deed is not None:
                done.setdefault((kind.name, deed), []).append(device)
        changed = {group for group in done if any(before[one] != group[1] for one in done[group])}
        if not changed and len(done) > _MANY and wanted == "off":
            told.sentences.append(words["off_already"])
            told.acts += [stating("inform", "done", f"{kind}_{deed}") for kind, deed in done]
            session.about = tuple(one for ones in done.values() for one in ones)
            return
        for (kind_name, deed), ones in done.items():
            if changed and (kind_name, deed) not in changed:
                continue  # of many things, those that were so already are not told
            again = not changed and (told.asks or stating("inform", kind_name, ones[0]) in told.acts)
            told_how = {f"{capital(self._telling.how(session, one))}." for one in ones}
            again = again or (not changed and bool(told_how & {*told.sentences}))
            fresh = [one for one in ones if before[one] != deed] or ones
            whole = len(ones) == len(self._home.of_kind(kind_name))
            named = ones if whole else fresh
            if not again:
                earlier = told.latest.get(tuple(named))  # on, and dim: dimmed is on
                told.sentences = [sentence for sentence in told.sentences if sentence != earlier]
                was_off = bool(earlier) and all(
                    session.done[-1].before.get(one) == "off" for one in named if session.done
                )
                told.latest[tuple(named)] = self._telling.done(
                    session, kind_name, deed, named, was_off=was_off
                )
                told.sentences.append(told.latest[tuple(named)])
            told.acts.append(stating("inform", "done", f"{kind_name}_{deed}"))
            told.acts += [stating("inform", kind_name, one) for one in ones]
            session.state.update(dict.fromkeys(ones, deed))
        session.about = tuple(one for ones in done.values() for one in ones)
        session.acted = (*session.acted, *session.about)[-_MOST_TOLD:]
        session.waiting = [one for one in session.waiting if one != Pending("thing", None, wanted)]
        session.done = (*session.done, Done(wanted, {one: before[one] for one in session.about}))

    # --- wishes ---

    def _dim(self, session: Session, told: Told) -> None:
        """Too bright: the lamps that were spoken of give less light, if they give any."""
        lit = [one for one in session.about if self._home.devices[one].kind == "lamp"]
        lit = [one for one in lit if self._telling.state(session, one) != "off"]
        if lit:
            self._do(session, "dim", lit, told)

    def _wished(self, session: Session, wish: str, told: Told, rooms: frozenset[str]) -> None:
        kind, deed = WISHES[wish]
        lit = [one for one in session.about if self._home.devices[one].kind == "lamp"]
        lit = [one for one in lit if self._telling.state(session, one) != "off"]
        if lit and wish != "wish_fan":  # too bright: the lamp that was just switched on
            self._do(session, "dim" if wish == "wish_blind" else "raise", lit, told)
            return
        devices = self._home.of_kind(kind)
        devices = [device for device in devices if self._home.devices[device].room in rooms] or devices
        if any(
            (one.kind, one.deed) == (kind, deed) and set(one.choices) <= set(devices)
            for one in session.waiting
        ):
            return
        names = self._telling.listed(session, devices, "or")
        if len(devices) > 1 and wish != "wish_lamp":  # which lamp is asked anyhow
            told.sentences.append(self.words(session)[wish].format(name=names))
        pending = Pending("which" if len(devices) > 1 else "confirm", kind, deed, tuple(devices))
        session.waiting = [pending, *(one for one in session.waiting if one != pending)]
        told.sentences = [sentence for sentence in told.sentences if sentence]

    # --- questions -----------------------------------------------------------------------------------------

    def _tell(self, session: Session, clause: Clause, told: Told) -> None:
        """How devices are, or which there are."""
        words, reference = self.words(session), clause.reference
        if reference.rooms and clause.deed and not clause.did("kind", "plural", "called", "it"):
            reference = replace(reference, kind="lamp")  # is the kitchen still on?
        if clause.did("home") and not reference.kind and not reference.rooms:  # it is all off
            on = self._telling.on_now(session)
            names = self._telling.listed(session, on, "and") if on else ""
            told.sentences.append(words["on_now" if on else "nothing_on"].format(names=names))
            return
        devices = self._meant(session, reference)
        if len(devices) == 1 and devices == self._home.of_kind(reference.kind) and not clause.did("relation"):
            reference = replace(reference, strange="")
        if reference.it and not (session.about or reference.kind or reference.placed or clause.deed):
            devices = self._telling.on_now(session)  # how is it, where nothing was spoken of
            told.sentences += [] if devices else [words["nothing_on"]]
            told.sentences += self._telling.how_they_are(session, devices, None, None, None)
            return
        if told.sentences and not (session.about or reference.kind or reference.placed or clause.did("home")):
            return  # is there one on it?
        if not (reference.said or reference.strange) or (
            clause.did("one") and not reference.kind and not reference.placed and not session.about
        ):
            on = self._telling.on_now(session)
            names = self._telling.listed(session, on, "and") if on else ""
            told.sentences.append(words["on_now" if on else "nothing_on"].format(names=names))
            return
        if reference.strange:
            devices = []
        if not devices:
            waiting = list(session.waiting)
            self._not_known(session, clause, reference, [], told)
            session.waiting = waiting
            return
        deed = self._home.kind_of(devices[0]).deed(clause.deed) if clause.deed else None
        which = words["rooms"] if clause.did("what") else None
        told.sentences += self._telling.how_they_are(session, devices, deed, reference.kind, which)
        told.acts += [
            stating("inform", "state", f"{device}:{self._telling.state(session, device)}")
            for device in devices
        ]
        session.about = tuple(devices)

    # --- asking back ---------------------------------------------------------------------------

    def _asked(self, session: Session, pending: Pending) -> tuple[str, tuple[Act, ...]]:
        if pending.asks in SERVED:
            asks = (stating("confirm", "done", "messages_deleted"),) if pending.asks == "delete" else ()
            asks = asks or (
                Act("confirm", None, "play") if pending.asks == "play" else Act("request", "channel"),
            )
            return self.words(session)[SERVED[pending.asks]], asks
        return self._telling.question(session, pending, self.words(session))

    def _ask(self, session: Session, pending: Pending) -> None:
        wider = [
            one
            for one in session.waiting
            if (one.asks, one.kind, one.deed) == (pending.asks, pending.kind, pending.deed)
            and set(one.choices) > set(pending.choices) != set()
        ]
        if wider:  # the light; the one in the living room
            session.waiting[session.waiting.index(wider[0])] = pending
        elif pending not in session.waiting:
            session.waiting.append(pending)
