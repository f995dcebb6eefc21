"""Judges that are here: a quality model from interaction parameters, a Python function, a person."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import Field

from vivavoce.core.errors import InputError
from vivavoce.judges.base import Court, JudgeCase, JudgeKind, JudgeSettings, JudgeVerdict, Once

OF_TURNS: Final = ("turn_index", "judged")  # only where a turn is judged, so that journals of before are read


class ModelJudgeSettings(JudgeSettings):
    """Settings of a judge with `judge: model`."""

    file: str = Field(
        description="model file written by `predict fit`; fit it on other people than the comparison"
    )


class FunctionJudgeSettings(JudgeSettings):
    """Settings of a judge with `judge: python`."""

    file: str = Field(description="Python file, relative to the judge's own")
    function: str = Field(
        "judge", description="function that is called with a dialogue and a question, both mappings"
    )


class PersonJudgeSettings(JudgeSettings):
    """Settings of a judge with `judge: person`."""

    annotator: str = Field(description="annotator in the table `annotations` of the dataset")
    layer: str = Field(description="layer of the annotator's labels of whole dialogues")
    codes: dict[str, float] = Field(description="value of each label on the item's scale")


class _Told:
    """A judge with all its labels ready from the start."""

    def __init__(self, labels_by_dialogue: Mapping[str, float], frozen: Mapping[str, Any]) -> None:
        self._said, self.frozen = labels_by_dialogue, frozen

    async def judge(self, case: JudgeCase, once: Once) -> JudgeVerdict:
        value = self._said.get(case.dialogue_id)
        return JudgeVerdict(value=value, trouble="unknown" if value is None else None, asked=1)

    async def close(self) -> None:
        """Do nothing: nothing is open."""


class _Function:
    """A function of somebody's own; what it answers is kept as a model's answers are."""

    def __init__(self, function: Callable[..., Any], court: Court, frozen: Mapping[str, Any]) -> None:
        self._function, self._question, self.frozen = function, court.question, frozen

    async def judge(self, case: JudgeCase, once: Once) -> JudgeVerdict:
        context = {
            name: value for name, value in asdict(case).items() if name not in OF_TURNS or value is not None
        }
        dialogue = {**context, "turns": [{"party": party, "text": text} for party, text in case.turns]}
        question = {"text": self._question.text, "labels": dict(self._question.labels)}

        async def ask() -> dict[str, Any]:
            try:
                answer = self._function(dialogue, question)
                value, confidence = answer if isinstance(answer, tuple) else (answer, None)
                return {
                    "value": None if value is None else float(value),
                    "confidence": None if confidence is None else float(confidence),
                }
            except Exception as error:  # whatever the function does
                problem = f"{type(error).__name__}: {error}, for dialogue {case.dialogue_id!r}"
                raise InputError(problem, place="judge", hint="correct the function and run again") from error

        answer_record = await once({"dialogue": dialogue, "question": question}, ask)
        trouble = "refused" if answer_record["value"] is None else None
        return JudgeVerdict(
            value=answer_record["value"],
            confidence=answer_record["confidence"],
            trouble=trouble,
            asked=1,
            refused=int(trouble is not None),
        )

    async def close(self) -> None:
        """Do nothing: nothing is open."""


class ModelJudgeKind(JudgeKind):
    """Quality models."""

    name: ClassVar[str] = "model"
    summary: ClassVar[str] = "a quality model based on interaction parameters, written by `predict fit`"
    settings: ClassVar[type[JudgeSettings]] = ModelJudgeSettings

    def open(self, settings: ModelJudgeSettings, court: Court) -> _Told:
        from vivavoce.analysis.prediction.model import read_model, score

        model = read_model(court.folder / settings.file)
        return _Told(score(model, court.dataset), {"kind": "model", "signature": model.signature})


class FunctionJudgeKind(JudgeKind):
    """Python functions."""

    name: ClassVar[str] = "python"
    summary: ClassVar[str] = "a Python function"
    turns: ClassVar[bool] = True
    settings: ClassVar[type[JudgeSettings]] = FunctionJudgeSettings

    def open(self, settings: FunctionJudgeSettings, court: Court) -> _Function:
        path = court.folder / settings.file
        source = _source(path)
        spec = importlib.util.spec_from_file_location(f"judge_{path.stem}", path)
        try:
            if spec is None or spec.loader is None:
                raise InputError("not a Python file", place=str(path), hint="use a file that ends in .py")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            function = getattr(module, settings.function)
        except InputError:
            raise
        except Exception as error:  # whatever the file does when it is imported
            problem = f"{type(error).__name__}: {error}"
            raise InputError(problem, place=str(path), hint="correct the file or its function") from None
        return _Function(function, court, {"kind": "python", "function": settings.function, "source": source})


class PersonJudgeKind(JudgeKind):
    """People who label whole dialogues."""

    name: ClassVar[str] = "person"
    summary: ClassVar[str] = "a human annotator whose labels of whole dialogues are in the dataset"
    settings: ClassVar[type[JudgeSettings]] = PersonJudgeSettings

    def open(self, settings: PersonJudgeSettings, court: Court) -> _Told:
        rows = court.dataset.read("annotations").to_pylist()
        who = sorted({str(row["annotator_id"]) for row in rows})
        if settings.annotator not in who:
            annotators = ", ".join(who) or "nobody"
            raise InputError(
                f"annotator {settings.annotator!r} not found", place="annotator", hint=f"known: {annotators}"
            )
        labels_by_dialogue = {
            row["dialogue_id"]: settings.codes[row["label"]]
            for row in rows
            if row["annotator_id"] == settings.annotator
            and row["layer"] == settings.layer
            and row["turn_index"] is None
            and row["label"] in settings.codes
        }
        return _Told(labels_by_dialogue, {"kind": "person", "layer": settings.layer, "codes": settings.codes})


def _source(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise InputError(f"cannot read the file ({reason})", place=str(path), hint="check `file`") from None
