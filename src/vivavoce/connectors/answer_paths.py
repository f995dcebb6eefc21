"""Paths in a JSON answer, and reading them into outputs."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.connectors import agent_work, answers
from vivavoce.connectors.base import Heard, SystemOutput
from vivavoce.connectors.expressions import Expression, Path
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.i18n import N_

NO_TEXT: Final = N_("the reply contains no text")


class WorkPaths(BaseModel):
    """Paths to agent activity in an answer, as JMESPath or JSONPath."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    tools: Path = Field(default="tool_calls", description="tool calls: name, arguments, result, error")
    usage: Path = Field(default="usage", description="model tokens: one mapping, or a list")
    retrievals: Path = Field(default="retrievals", description="retrieved documents: texts, or mappings")


class AnswerPaths(WorkPaths):
    """Paths in an answer, as JMESPath or JSONPath."""

    text: Path = Field(default="text || messages[].text", description="reply text, or a list of texts")
    choices: Path = Field(default="choices", description="buttons: texts, or mappings with title and payload")
    images: Path = Field(default="images", description="image addresses")
    end: Path = Field(default="end", description="true if the system ends the dialogue")
    acts: Path = Field(default="acts", description="dialogue acts of the system")
    understood: Path = Field(default="understood", description="hypotheses of the user's meaning")


class WorkReader:
    """Paths of an answer; those that the study did not write are optional and may not spoil a turn."""

    def __init__(self, paths: WorkPaths) -> None:
        self._written = paths.model_fields_set
        self._paths = {name: Expression(getattr(paths, name)) for name in type(paths).model_fields}

    def work(self, answer: Any) -> dict[str, Any]:
        """Tools, usage and retrievals of an output, as far as the answer tells them.

        Raises  SystemUnderTestError("bad_answer"): something else stands where the study wrote
        """
        usage = partial(agent_work.read_usage, answer)
        facts = {
            "tools": self._part("tools", agent_work.read_tools, answer, None),
            "usage": self._part("usage", usage, answer, ()),
            "retrievals": self._part("retrievals", agent_work.read_retrievals, answer, ()),
        }
        if facts["tools"] is None and "tools" in self._written:
            facts["tools"] = ()
        return facts

    def _part(self, name: str, read: Callable[[Any], Any], answer: Any, otherwise: Any) -> Any:
        try:
            return read(self._paths[name].search(answer))
        except SystemUnderTestError:
            if name in self._written:
                raise
            return otherwise


class AnswerReader(WorkReader):
    """All of an answer's paths."""

    def __init__(self, paths: AnswerPaths | None = None) -> None:
        super().__init__(paths or AnswerPaths())

    def read(self, answer: Any, *, silent_ok: bool = False) -> list[SystemOutput]:
        """The outputs in an answer.

        Empty   an empty list of texts is a silent turn: extras alone; no text at all is a bad answer, except
                with silent_ok, where there are choices or images, or where the dialogue ends
        Raises  SystemUnderTestError("bad_answer")
        """
        texts_read = self._paths["text"].search(answer)
        texts = answers.read_written(texts_read)
        ends = self._part("end", answers.read_flag, answer, False)
        choices = self._part("choices", answers.read_choices, answer, ())
        images = self._part("images", answers.read_images, answer, ())
        if texts_read in (None, "") and not (ends or choices or images or silent_ok):
            raise answers.bad_answer(NO_TEXT)
        extras = SystemOutput(
            kind="extras",
            acts=self._part("acts", answers.read_acts, answer, ()),
            understood=self._part("understood", answers.read_understood, answer, ()),
            raw=answer,
            **self.work(answer),
        )
        return answers.outputs(texts, choices=choices, images=images, extras=extras, ends=ends)

    def read_beside(
        self, answer: Any, *, heard: Expression | None, delta: Expression | None
    ) -> list[SystemOutput]:
        """Content of a message beside the sound; [] for messages without meaning here, as most are.

        Input   path to the transcript of the user, and to a piece of the reply
        """
        system_outputs: list[SystemOutput] = []
        words = heard.search(answer) if heard is not None else None
        if isinstance(words, str) and words.strip():
            system_outputs.append(SystemOutput(kind="extras", heard=(Heard(words.strip()),)))
        piece = delta.search(answer) if delta is not None else None
        if isinstance(piece, str):
            return [*system_outputs, SystemOutput(kind="delta", text=piece)]
        read = self.read(answer, silent_ok=True)
        return system_outputs if all(says_nothing(output) for output in read) else system_outputs + read


def says_nothing(output: SystemOutput) -> bool:
    """True if an output repeats the answer unchanged."""
    return replace(output, raw=None) in _NOTHING


_NOTHING: Final = (SystemOutput(kind="extras"), SystemOutput(kind="extras", tools=()))
