"""Switches lamps and blinds, tells programmes, plays messages; asks back where more than one thing is meant.

In the manner of INSPIRE: devices are meant by what they are and where they stand (by the window, on the left,
the other one), a pronoun means the device that was spoken of last.
"""

import re
from dataclasses import dataclass, field
from typing import ClassVar, Final

from vivavoce_bots.acts import Act, Meaning, Reply, stating
from vivavoce_bots.bot import Texts
from vivavoce_bots.house.words import (
    ACTIONS,
    CHANNELS,
    KINDS,
    MESSAGES,
    NAMES,
    PLACES,
    PROGRAMMES,
    SAID,
    TALK,
)
from vivavoce_bots.restaurant.words import language_of

_LONGEST_TEXT: Final = 2_000
_LAMPS: Final = {
    "living_window": ("living_room", "window"),
    "living_door": ("living_room", "door"),
    "bedroom_left": ("bedroom", "left"),
    "bedroom_right": ("bedroom", "right"),
    "kitchen": ("kitchen",),
}
_BLINDS: Final = {"living_blind": ("living_room",), "bedroom_blind": ("bedroom",)}
_DEVICES: Final = {"lamp": _LAMPS, "blind": _BLINDS}
_SUITS: Final = {"lamp": ("off", "on", "dim"), "blind": ("open", "close")}

Answer = tuple[str, tuple[Act, ...], bool]


@dataclass
class Session:
    """The state of the house in this conversation, and what is being settled."""

    language: str
    state: dict[str, str] = field(default_factory=dict)
    messages: bool = True
    kind: str | None = None
    action: str | None = None
    choices: tuple[str, ...] = ()
    asking: str | None = None
    about: tuple[str, ...] = ()
    last: Reply | None = None


class HouseBot:
    """Looks after a small flat."""

    name: str = "house"
    variants: ClassVar[tuple[str, ...]] = ("standard",)

    def session(self, conversation: str, language: str = "en") -> Session:
        return Session(language_of(language))

    def greet(self, session: Session) -> Reply:
        session.last = Reply(SAID[session.language]["hello"], (Act("hello"),), (), False)
        return session.last

    def reply(self, session: Session, texts: Texts) -> Reply:
        text = (texts[0][0] if texts else "")[:_LONGEST_TEXT]
        heard = self._heard(session, text)
        if "again" in heard and session.last is not None:
            return session.last
        said, acts, end = self._answer(session, text, heard)
        understood = Meaning(tuple(Act("inform", "heard", one, "=") for one in sorted(heard)), 1.0)
        session.last = Reply(said[:1].upper() + said[1:], acts, (understood,), end)
        return session.last

    def _heard(self, session: Session, text: str) -> set[str]:
        language = session.language
        forms = {**KINDS[language], **ACTIONS[language], **PLACES[language], **TALK[language]}
        return {name for name, form in forms.items() if re.search(form, text, re.I)}

    def _answer(self, session: Session, text: str, heard: set[str]) -> Answer:
        if "bye" in heard:
            return SAID[session.language]["bye"], (Act("bye"),), True
        if session.asking == "delete":
            return self._delete(session, heard)
        kind = next(
            (one for one in ("machine", "programme", "television", "lamp", "blind") if one in heard), None
        )
        if kind == "machine":
            return self._machine(session, heard)
        if session.asking == "channel" and kind in (None, "television"):
            return self._television(session, text, heard, session.kind or "television")
        if kind in ("programme", "television"):
            return self._television(session, text, heard, kind)
        return self._device(session, heard, kind)

    # --- lamps and blinds -----------------------------------------------------------------------------

    def _device(self, session: Session, heard: set[str], kind: str | None) -> Answer:
        places = heard & set(PLACES[session.language])
        refers = bool(heard & {"other", "it"})
        fresh = kind is not None and session.kind != kind
        if fresh:
            session.action, session.choices = None, ()
        kind = kind or session.kind
        if kind not in _DEVICES:
            return self._puzzled(session)
        action = next((one for one in _SUITS[kind] if one in heard), None)
        if action is None and not places and not refers and "all" not in heard and not fresh:
            return self._puzzled(session)
        session.kind, session.action = kind, action or session.action
        meant = self._meant(session, kind, heard, places)
        if not meant:
            return self._puzzled(session)
        if session.action is None:
            session.choices, session.asking = meant, "action"
            name = self._names(session, meant[:1])
            return (
                SAID[session.language][f"what_{kind}"].format(name=name),
                (Act("request", "action"),),
                False,
            )
        if len(meant) > 1 and "all" not in heard:
            session.choices, session.asking = meant, kind
            told = SAID[session.language][f"which_{kind}"].format(choices=self._names(session, meant))
            return told, (Act("request", kind), *(stating("select", kind, one) for one in meant)), False
        return self._carry_out(session, kind, meant)

    def _meant(self, session: Session, kind: str, heard: set[str], places: set[str]) -> tuple[str, ...]:
        """The devices that fit: those asked back about first, then what was spoken of, then all of the
        kind."""
        devices = _DEVICES[kind]
        if "other" in heard and session.about:
            rooms = {devices[one][0] for one in session.about if one in devices}
            return tuple(one for one in devices if devices[one][0] in rooms and one not in session.about)
        if not places and "all" not in heard and "it" in heard and session.about:
            return tuple(one for one in session.about if one in devices)
        asked_back = session.choices and session.asking in (kind, "action")
        among = session.choices if asked_back else tuple(devices)
        fitting = tuple(one for one in among if one in devices and places <= set(devices[one]))
        return fitting or tuple(one for one in devices if places & set(devices[one]))

    def _carry_out(self, session: Session, kind: str, meant: tuple[str, ...]) -> Answer:
        action, said = session.action or "on", SAID[session.language]
        session.state.update(dict.fromkeys(meant, action))
        session.about, session.choices, session.asking, session.action = meant, (), None, None
        acts = [stating("inform", "done", f"{kind}_{action}")]
        acts += [stating("inform", kind, one) for one in meant]
        told = said[action].format(name=self._names(session, meant, all_of=True))
        return f"{told} {said['more']}", (*acts, Act("reqmore")), False

    def _names(self, session: Session, devices: tuple[str, ...], *, all_of: bool = False) -> str:
        names = [NAMES[session.language][one] for one in devices]
        joint = {"en": " and ", "it": " e "}[session.language] if all_of else SAID[session.language]["or"]
        return names[0] if len(names) == 1 else ", ".join(names[:-1]) + joint + names[-1]

    # --- television and answering machine ---------------------------------------------------------------

    def _television(self, session: Session, text: str, heard: set[str], kind: str) -> Answer:
        said, language = SAID[session.language], session.language
        channel = next((one for one, form in CHANNELS[language].items() if re.search(form, text, re.I)), None)
        if channel is None and kind == "television" and heard & {"on", "off"}:
            action = "on" if "on" in heard else "off"
            session.state["television"], session.asking, session.kind = action, None, None
            told = said[action].format(name=NAMES[language]["television"])
            acts = (stating("inform", "done", f"television_{action}"), Act("reqmore"))
            return f"{told} {said['more']}", acts, False
        session.kind = kind
        if channel is None:
            session.asking = "channel"
            return said["which_channel"], (Act("request", "channel"),), False
        session.asking = session.kind = None
        name = NAMES[language][channel]
        acts = (stating("inform", "done", kind), stating("inform", "channel", channel), Act("reqmore"))
        if kind == "programme":
            told = said["programme"].format(name=name, told=PROGRAMMES[language][channel])
        else:
            session.state["television"] = channel
            told = said["tuned"].format(name=name)
        return f"{told} {said['more']}", acts, False

    def _machine(self, session: Session, heard: set[str]) -> Answer:
        said, messages = SAID[session.language], MESSAGES[session.language] if session.messages else ()
        session.kind = None
        if "delete" in heard and messages:
            session.asking = "delete"
            return said["delete"], (stating("confirm", "done", "messages_deleted"),), False
        acts = (stating("inform", "done", "messages"), stating("inform", "messages", str(len(messages))))
        if not messages:
            return f"{said['none']} {said['more']}", (*acts, Act("reqmore")), False
        told = said["messages"].format(count=len(messages), first=" ".join(messages))
        return f"{told} {said['more']}", (*acts, Act("reqmore")), False

    def _delete(self, session: Session, heard: set[str]) -> Answer:
        said, session.asking = SAID[session.language], None
        if "yes" not in heard:
            return f"{said['kept']} {said['more']}", (Act("reqmore"),), False
        session.messages = False
        acts = (stating("inform", "done", "messages_deleted"), Act("reqmore"))
        return f"{said['deleted']} {said['more']}", acts, False

    def _puzzled(self, session: Session) -> Answer:
        return SAID[session.language]["puzzled"], (Act("repeat"), Act("request", "task")), False
