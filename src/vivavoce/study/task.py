"""A task: a participant's goal and its text."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

DONTCARE: Final = "dontcare"


class Alternative(BaseModel):
    """A satisfiable alternative to an impossible goal."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    constraints: dict[str, str]
    venues: tuple[str, ...] = Field((), description="venues that satisfy the alternative")


class Task(BaseModel):
    """Goal of a participant.

    A constraint's value is one of the slot's values or `dontcare`. `venues` are the identifiers of all
    matches; empty if none match, and then there is an `alternative`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    type: str = Field(description="kind of venue; a different kind is a different goal")
    constraints: dict[str, str]
    requests: tuple[str, ...] = Field(description="slots to ask about after finding a venue")
    text: dict[str, str] = Field(description="task text, by language")
    venues: tuple[str, ...] = ()
    alternative: Alternative | None = None

    def words(self, language: str) -> str:
        """The text in this language, else in the first one there is."""
        return self.text.get(language) or next(iter(self.text.values()), "")
