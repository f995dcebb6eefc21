"""Acts and goals of corpora with several domains, as the dataset has them for one.

Success is scored in one domain. In a dialogue of one domain slots stand by themselves, and acts and goals are
scored; in one of several they are named `domain-slot` and kept apart, so that nobody scores them together.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.dataset.vocabulary import DONTCARE, NAME, TYPE, standard_act
from vivavoce.importers.items import ForeignDialogue, ItemRows, Row

SEVERAL: Final = N_(
    "Success is not scored for multi-domain dialogues: their goals have the origin `by_domain`; user "
    "intentions are in the layer `reference_by_domain`."
)
GENERAL: Final = ("general", "booking", "", "none")
TELLING: Final = ("inform", "recommend", "select", "book", "offerbook", "offerbooked", "offer")
ACTS: Final = {
    "nooffer": "canthelp",
    "nobook": "canthelp",
    "greet": "hello",
    "welcome": "ack",
    "thank_you": "thankyou",
    "goodbye": "bye",
    "req_more": "reqmore",
    "request_alts": "reqalts",
    "notify_success": "inform",
    "notify_failure": "canthelp",
    "offerbook": "reqmore",
    "offer_intent": "reqmore",
}
SLOTS: Final = {
    "price": "pricerange",
    "post": "postcode",
    "addr": "address",
    "ref": "reference",
    "depart": "departure",
    "dest": "destination",
    "leave": "leaveat",
    "arrive": "arriveby",
    "people": "book people",
    "ticket": "price",
    "id": "trainid",
    "car": "type",
    "price range": "pricerange",
    "leave at": "leaveat",
    "arrive by": "arriveby",
    "train id": "trainid",
}
ANYTHING: Final = ("dontcare", "do n't care", "don't care", "dont care", "do not care", "any")
TYPED: Final = ("hotel", "attraction")  # `type` is a slot there, such as guesthouse
REQUESTED: Final = ("?", "")


class DomainAct(NamedTuple):
    """One act item as a corpus has it."""

    act: str
    domain: str
    slot: str | None = None
    value: str | None = None


def add_acts(
    dialogue: ForeignDialogue, turn: int, party: str, acts: Sequence[DomainAct], *, several: bool
) -> None:
    """The acts of a turn: the system's in the layer `system`, the user's in `reference`."""
    layer = "system" if party == "system" else "reference_by_domain" if several else "reference"
    source = "bot" if party == "system" else "label"
    rows = [row for act in acts for row in _act_rows(act, party, several)]
    dialogue.act(turn, layer, source, sorted(rows, key=lambda row: row["act"] != "offer"))


def _act_rows(act: DomainAct, party: str, several: bool) -> Iterable[Row]:
    name = act.act.strip().lower()
    slot = None if act.slot is None or act.slot.lower() in ("none", "") else slot_name(act.slot)
    value = value_of(act.value)
    if party == "system" and slot == NAME and name in TELLING and value is not None:
        name = "offer"
    elif name in TELLING and name != "offerbook":
        name = "inform"
    name = standard_act(ACTS.get(name, name))
    if name == "offer" and slot != NAME:
        name = "inform"
    if several and slot is not None and act.domain.lower() not in GENERAL and slot != NAME:
        slot = f"{act.domain.lower()}-{slot}"
    if name == "request":
        value = None
    yield {"act": name, "slot": slot, "op": "=" if value is not None else None, "value": value}


def slot_name(slot: str) -> str:
    """A slot by its full name, in lower case."""
    slot_key = slot.strip().lower()
    return NAME if slot_key.endswith(("_name", "-name")) else SLOTS.get(slot_key, slot_key)


def value_of(value: str | None) -> str | None:
    """A value; nothing where one is asked for, `dontcare` in one writing."""
    stripped = (value or "").strip()
    if stripped in REQUESTED or stripped.lower() == "none":
        return None
    return DONTCARE if stripped.lower() in ANYTHING else stripped


class DomainGoal(NamedTuple):
    """A user's goal in one domain."""

    domain: str
    constraints: dict[str, str]
    requests: list[str]


def add_goals(
    rows: ItemRows, dialogue: ForeignDialogue, goals: Sequence[DomainGoal], *, several: bool
) -> None:
    """The goals that were assigned; those of several domains under an origin of their own."""
    for goal in goals:
        before = f"{goal.domain}-" if several else ""
        if several or goal.domain not in TYPED:
            dialogue.goal(TYPE, value=goal.domain)
        for slot, value in goal.constraints.items():
            dialogue.goal("constraint", before + slot_name(slot), value_of(value) or value)
        for slot in goal.requests:
            dialogue.goal("request", before + slot_name(slot))
    if several:
        for row in rows.tables.get("goals", []):
            row["origin"] = "by_domain"
