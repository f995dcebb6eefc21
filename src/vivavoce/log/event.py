"""The base of all events; every kind derives from it, in `events` or in a module of its own part."""

from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict

EVENT_KINDS: Final[dict[str, "type[Event]"]] = {}
"""Every kind of event by its name; a class of events is in it as soon as it is defined."""


class Event(BaseModel):
    """Base of all events; `kind` and `version` stand on the class."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    kind: ClassVar[str]
    version: ClassVar[int] = 1

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        EVENT_KINDS[cls.kind] = cls


class LoggedRating(BaseModel):
    """One answered item, with its raw code and the label that was shown."""

    model_config = ConfigDict(frozen=True)
    item_id: str
    value: float | None
    answer: str | None
    role: str | None = None
