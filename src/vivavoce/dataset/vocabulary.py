"""Names of dialogue acts in the dataset: one word for one thing, whatever the log they came from says.

An act item is `act(slot op value)`, one row of the table `acts`. For `request` the slot is what is asked for
and the value is null. Items of one act and one turn belong together: `canthelp(food=welsh)` beside
`canthelp(area=north)` says that nothing is both Welsh and in the north.
"""

from collections.abc import Collection
from typing import Final

SYSTEM_ACTS: Final[dict[str, str]] = {
    "hello": "opens the dialogue",
    "offer": "proposes the entity whose name is the value",
    "inform": "tells a value of the entity offered last",
    "canthelp": "says that no entity meets these constraints; with `name != X`, none besides X",
    "canthelp.exception": "names the entity besides which no other meets the constraints",
    "canthelp.missing_slot_value": "says that a slot's value is not known",
    "request": "asks the user for a slot",
    "confirm": "repeats what was understood, with or without asking whether it is right",
    "confirm-domain": "asks whether the user wants this type of entity at all",
    "select": "asks which of several values is meant",
    "repeat": "asks the user to say it again",
    "reqmore": "asks whether there is anything else",
    "ack": "acknowledges",
    "help": "tells what one can say",
    "bye": "closes the dialogue",
    "null": "an act of no kind",
}

SYNONYMS: Final[dict[str, str]] = {
    "welcomemsg": "hello",
    "expl-conf": "confirm",
    "impl-conf": "confirm",
    "goodbye": "bye",
    "recommend": "offer",
    "nooffer": "canthelp",
    "thank": "thankyou",
    "": "null",
}

REFERENCE_SOURCES: Final = ("label", "annotator", "simulator", "parser")
"""Who may say what the user meant, most trusted first."""

DONTCARE: Final = "dontcare"
THIS: Final = "this"
NAME: Final = "name"
TYPE: Final = "type"
_LEADING: Final = ("canthelp", "offer", "request", "confirm", "select", "inform", "hello")


def standard_act(act: str) -> str:
    """The dataset's word for an act; a word without synonym stands as it is, in lower case."""
    lowered = act.strip().lower()
    return SYNONYMS.get(lowered, lowered)


def leading_act(acts: Collection[str]) -> str | None:
    """The act of a system turn that leads to what the user says next; None where it has none of these."""
    return next((act for act in _LEADING if act in acts), None)


def meaning_without_value(act: str, slot: str | None, value: str | None) -> str:
    """An act item without its value: `act`, `act slot`, or `act slot dontcare`."""
    return " ".join(part for part in (act, slot, DONTCARE if value == DONTCARE else None) if part)
