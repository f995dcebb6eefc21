"""Acts of a system turn for a simulated caller: as logged, or from its text where it tells no acts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from vivavoce.connectors.base import Act
from vivavoce.core.text import normalise_value
from vivavoce.log.events import LoggedAct
from vivavoce.study.ontology import Ontology


@dataclass(slots=True)
class Heeded:
    """A system turn as the caller takes it.

    venue    the venue that the turn offers or speaks of
    offered  it is offered now
    told     what is said of it, by slot
    cannot   the constraints that nothing is said to match
    no_other nothing matches but what was turned down
    """

    venue: str | None = None
    offered: bool = False
    told: dict[str, str] = field(default_factory=dict)
    request: str | None = None
    confirm: tuple[str, str] | None = None
    cannot: dict[str, str] | None = None
    no_other: bool = False
    not_understood: bool = False
    ends: bool = False
    empty: bool = False


def heed(acts: Sequence[Act | LoggedAct]) -> Heeded:
    """The gist of a system turn's acts."""
    heeded = Heeded(empty=not acts)
    for act in acts:
        if act.slot == "name" and act.act in ("offer", "inform") and act.op != "!=":
            heeded.venue = act.value
            heeded.offered |= act.act == "offer"
        elif act.act in ("inform", "offer") and act.slot and act.value:
            heeded.told[act.slot] = act.value
        elif act.act == "request":
            heeded.request = act.slot
        elif act.act == "confirm" and act.slot and act.value:
            heeded.confirm = (act.slot, act.value)
        elif act.act == "canthelp":
            _cannot(act, heeded)
        heeded.not_understood |= act.act == "repeat"
        heeded.ends |= act.act == "bye"
    return heeded


def _cannot(act: Act | LoggedAct, turn: Heeded) -> None:
    turn.cannot = turn.cannot or {}
    if act.slot == "name":
        turn.no_other |= act.op == "!="
    elif act.slot and act.value:
        turn.cannot[act.slot] = act.value


def acts_in_text(text: str, ontology: Ontology, requests: Sequence[str]) -> list[LoggedAct]:
    """The offer and the answers that a text contains, for a system that tells no acts.

    A venue counts when its whole name stands in the text, the longest name first; an answer counts when the
    value that the venue has for a requested slot stands in the text.
    """
    names = sorted(ontology.venues, key=lambda venue: -len(venue.name))
    venue = next((venue for venue in names if _stands_in(text, venue.name)), None)
    acts = [LoggedAct(act="offer", slot="name", value=venue.name, op="=")] if venue else []
    for slot in requests:
        candidates = [place.slots.get(slot) for place in ([venue] if venue else ontology.venues)]
        value = next((value for value in candidates if value and _stands_in(text, value)), None)
        if value is not None:
            acts.append(LoggedAct(act="inform", slot=slot, value=value, op="="))
    return acts


def _stands_in(text: str, value: str) -> bool:
    """True if a value stands in a text as separate words."""
    pattern = rf"(?<!\w){re.escape(normalise_value(value))}(?!\w)"
    return re.search(pattern, normalise_value(text)) is not None
