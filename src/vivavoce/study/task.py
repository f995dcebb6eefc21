"""A task: the goal a participant is given, and the words in which they read it."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

DONTCARE: Final = "dontcare"


class Alternative(BaseModel):
    """The closest goal that can be satisfied, for a task whose first goal cannot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    constraints: dict[str, str]
    venues: tuple[str, ...] = Field((), description="venues that satisfy the alternative")


class Task(BaseModel):
    """What a participant is asked to find out.

    A constraint's value is one of the slot's values or `dontcare`. `venues` are the identifiers of all that
    match; empty where nothing does, and then there is an `alternative`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: str
    type: str = Field(description="kind of venue; another kind is another goal")
    constraints: dict[str, str]
    requests: tuple[str, ...] = Field(description="slots to ask about, once a venue is found")
    text: dict[str, str] = Field(description="the task in words, by language")
    venues: tuple[str, ...] = ()
    alternative: Alternative | None = None

    def words(self, language: str) -> str:
        """The text in this language, else in the first one there is."""
        return self.text.get(language) or next(iter(self.text.values()), "")
