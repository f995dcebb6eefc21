"""A wizard's work in place of the system: read from the notes of the connector `wizard` beside a turn."""

import hashlib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from vivavoce.log.events import LoggedAct, SystemTurnReceived

Row = dict[str, Any]
AS_IT_WAS: Final = ("proposal", "greeting")
RECOGNITION: Final = "recognition"
MANAGEMENT: Final = "management"


class WizardFacts(BaseModel):
    """Parts that the wizard played; `proposed` is the text, acts and end from the program behind."""

    model_config = ConfigDict(frozen=True)
    wizard: str
    replaces: str
    source: str = "free"
    label: str | None = None
    strategy: str | None = None
    gave: str | None = None
    proposed: str | None = None
    proposed_acts: list[LoggedAct] | None = None
    proposed_end: bool | None = None


class WizardTurn(NamedTuple):
    """A system turn by the side of which a wizard stood.

    acts      what was really done: null where a person spoke in place of the program
    proposed  what the program would have done instead
    """

    facts: WizardFacts
    acts: list[LoggedAct] | None
    proposed: list[LoggedAct]


def wizard_turn(event: SystemTurnReceived) -> WizardTurn | None:
    """The wizard's part in a system turn; None where there was none.

    Note  older logs hold the acts of a proposal as those of the turn, whatever the wizard said: they are told
          apart by the source of the words
    """
    facts = next((parsed for raw in event.raw or [] if (parsed := _facts(raw)) is not None), None)
    if facts is None:
        return None
    if facts.replaces != MANAGEMENT or facts.source in AS_IT_WAS:
        return WizardTurn(facts, event.acts, [])
    return WizardTurn(facts, None, facts.proposed_acts or event.acts or [])


def _facts(raw: Any) -> WizardFacts | None:
    try:
        return WizardFacts.model_validate(raw)
    except ValidationError:
        return None  # a fact of the bot's own


def wizard_row(event: SystemTurnReceived, facts: WizardFacts) -> Row:
    """The row of `wizard_turns`; `wizard` is the name, which `pseudonymous` replaces."""
    columns = facts.model_dump(exclude={"proposed_acts"})
    return {"dialogue_id": event.dialogue_id, "turn_index": event.turn_index, **columns}


def pseudonymous(rows: Iterable[Row], salt: str) -> Iterable[Row]:
    """The rows with a pseudonym in the place of each wizard's name; the salt is in no export."""
    for row in rows:
        name = row.pop("wizard")
        yield row | {"wizard_id": "wizard-" + hashlib.sha256(f"{salt}:{name}".encode()).hexdigest()[:12]}
