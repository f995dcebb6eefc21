"""The face of a judge, and the shelf on which kinds of judges stand.

A judge is one more annotator: it answers an item of a questionnaire about a dialogue, on the item's scale,
says whether a label of an annotation scheme stands, of a dialogue or a turn, or which of two answers is
better. It is told neither which system it reads nor what people said.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.registry import Registry
from vivavoce.dataset.reader import Dataset

Trouble = Literal["refused", "unreadable", "unreachable", "unknown"]
PREFERENCE: Final = "preference"


@dataclass(frozen=True, slots=True)
class JudgeQuestion:
    """Question about each dialogue: an item in its own wording.

    labels  what each code of the scale is called, from low to high
    turns   it is asked of single turns
    """

    target: str
    text: str
    labels: Mapping[float, str]
    instruction: str = ""
    turns: bool = False

    @property
    def pairwise(self) -> bool:
        """True if the question is about two answers to one message."""
        return self.target == PREFERENCE


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """A dialogue, one turn of it, or two answers to one message.

    other       turns of the second answer; `exchange`: which message both answer
    turns       what was said in order: user or system, and the words; data, whatever they say
    turn_index  of the turn that is judged, as the dataset counts; `judged`: its place in `turns`
    """

    dialogue_id: str
    language: str
    turns: tuple[tuple[str, str], ...]
    task: str | None = None
    other_id: str | None = None
    other: tuple[tuple[str, str], ...] = ()
    exchange: int | None = None
    turn_index: int | None = None
    judged: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdict:
    """Judgement of one case.

    value         on the item's scale, a mean where it was asked several times; None: nothing (`trouble`).
                  Of a pair 1 for the first, 0 for the second, 0.5 for neither
    confidence    how sure it is, 0 to 1; None: it does not say
    first_chosen  of a pair, share of its answers (0 to 1) for what it read first, in both orders alike
    asked         how often it was asked, and how often it refused or could not be read
    input_tokens, output_tokens, cost  what that took; None: not known
    """

    value: float | None = None
    confidence: float | None = None
    trouble: Trouble | None = None
    first_chosen: float | None = None
    asked: int = 0
    refused: int = 0
    unreadable: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


Once = Callable[[Mapping[str, Any], Callable[[], Awaitable[dict[str, Any]]]], Awaitable[dict[str, Any]]]
"""Answers a request from the journal, or makes it and writes the answer down before it gives it."""


class Judge(Protocol):
    """A judge at work.

    frozen  everything that its words depend on (model, prompt, settings), for the journal and the dataset
    """

    frozen: Mapping[str, Any]

    async def judge(self, case: JudgeCase, once: Once) -> JudgeVerdict: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Court:
    """Context of a judge: its data, its question, and the folder of its files."""

    dataset: Dataset
    question: JudgeQuestion
    folder: Path
    secrets: Mapping[str, str] = field(default_factory=dict)


class JudgeSettings(BaseModel):
    """What every file of a judge may say; a kind's own settings extend it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    judge: str = Field(description="kind of judge")
    name: str = Field("", description="name in the dataset (default: the file name)")
    question: str | None = Field(None, description="question text, if no questionnaire has the item")
    labels: dict[float, str] | None = Field(None, description="answer codes with their labels")


class JudgeKind(ABC):
    """A kind of judge, as a package offers it in the group `vivavoce.judges`.

    pairs  whether it can say which of two answers is better
    turns  whether it can judge single turns
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    settings: ClassVar[type[JudgeSettings]] = JudgeSettings
    pairs: ClassVar[bool] = False
    turns: ClassVar[bool] = False

    @abstractmethod
    def open(self, settings: Any, court: Court) -> Judge:
        """The judge that the settings describe; nothing is asked yet.

        Raises  InputError: a setting that cannot be, with what to do
        """


JUDGES: Final[Registry[JudgeKind]] = Registry("judge", JudgeKind)
