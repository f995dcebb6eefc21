"""A recording to write down."""

from pydantic import BaseModel, ConfigDict


class TranscriptionItem(BaseModel):
    """One recording to write down.

    audio       file in the step's folder of recordings; it is the item's key
    gold        the known transcript; None where it is to be found out
    hypothesis  what the recogniser made of it, shown only where the step fills in beforehand
    """

    model_config = ConfigDict(frozen=True)

    audio: str
    dialogue_id: str | None = None
    turn_index: int | None = None
    gold: str | None = None
    hypothesis: str | None = None
