"""A judge over a dataset: its words become rows of the table `judgements`, in a copy."""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from vivavoce.analysis.label_targets import is_turn_label
from vivavoce.core.errors import InputError
from vivavoce.core.statement import statement
from vivavoce.core.validation import load_model
from vivavoce.core.yaml_source import read_yaml
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.judges.base import (
    JUDGES,
    PREFERENCE,
    Court,
    JudgeCase,
    JudgeKind,
    JudgeQuestion,
    JudgeSettings,
    JudgeVerdict,
)
from vivavoce.judges.cases import cases_of, question_of
from vivavoce.judges.journal import Journal

TABLE: Final = "judgements"
MISSES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Outcome of one run of a judge.

    judged     cases with a verdict; troubles: how many have none, by reason
    asked      requests that this run made, and answers that it had already
    spent      what all answers in the journal cost together; 0 where no price is known
    perhaps    requests of earlier runs that were sent and never answered: perhaps paid without an answer
    """

    judge: str
    target: str
    judged: int
    troubles: Mapping[str, int]
    asked: int
    kept: int
    spent: float
    perhaps: int
    frozen: str


def read_judge(path: Path) -> JudgeSettings:
    """The settings in a judge's file, of whichever kind it is.

    Raises  InputError: no such file, or a wrong setting, with its line; UnknownName: no such kind of judge
    """
    source = read_yaml(path)
    kind = source.data.get("judge") if isinstance(source.data, dict) else None
    if not isinstance(kind, str):
        if source.problems:
            load_model(path, JudgeSettings)
        hint = f"add judge: NAME. Known: {', '.join(JUDGES.names())}"
        raise InputError("'judge' is missing", place=str(path), hint=hint)
    return load_model(path, JUDGES.get(kind, place=str(path)).settings, str(path))


def judge_dataset(
    dataset: Dataset,
    file: Path,
    target: str,
    into: Path,
    *,
    journal: Path,
    secrets: Mapping[str, str],
    at_once: int = 4,
    ceiling: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Judging:
    """Ask a judge about every dialogue, and write the dataset with what it says.

    Note    answers are in the journal before they are used: run again after whatever happened, it goes on
    Raises  InputError: a wrong setting, a target that nobody was asked, a journal that is none, twenty cases
            in a row of which the model could not be reached; CostCeiling
    """
    settings, kind, question = opened(dataset, file, target)
    name = settings.name or file.stem
    cases = cases_of(dataset, target)
    if not cases:
        raise InputError("no cases to judge", place=str(dataset.folder), hint="check --target")
    if any(row["judge"] == name and row["target"] == target for row in dataset.read(TABLE).to_pylist()):
        hint = "rename the judge, or start from the dataset without its answers"
        raise InputError(f"{name!r} has already judged {target!r}", place=str(dataset.folder), hint=hint)
    judge = kind.open(settings, Court(dataset, question, file.parent, secrets))
    book = Journal(journal, ceiling=ceiling)
    try:
        frozen = book.freeze({"question": target, **judge.frozen})
        verdicts = asyncio.run(judge_all(judge, cases, book, at_once, progress))
    finally:
        book.close()
    rows = [_row(name, settings.judge, target, frozen, *pair) for pair in zip(cases, verdicts, strict=True)]
    note = statement(
        "{judge} judged {target}: automatic judgements, not human ones.", judge=name, target=target
    )
    copy_dataset(dataset, into, {TABLE: lambda before: [*before, *rows]}, notes=[note])
    troubles: dict[str, int] = {}
    for verdict in verdicts:
        if verdict.trouble is not None:
            troubles[verdict.trouble] = troubles.get(verdict.trouble, 0) + 1
    return Judging(
        judge=name,
        target=target,
        judged=len(verdicts) - sum(troubles.values()),
        troubles=troubles,
        asked=book.asked,
        kept=book.kept,
        spent=book.paid,
        perhaps=book.perhaps,
        frozen=frozen,
    )


def opened(dataset: Dataset, file: Path, target: str) -> tuple[JudgeSettings, JudgeKind, JudgeQuestion]:
    """What is in a judge's file, and the question that it answers about a dataset.

    Raises  InputError: a wrong setting, a kind that cannot judge the target, a target that nobody was asked
    """
    settings = read_judge(file)
    kind = JUDGES.get(settings.judge)
    if target == PREFERENCE and not kind.pairs:
        hint = "use a kind that can: " + ", ".join(kind for kind, judge_type in JUDGES if judge_type.pairs)
        raise InputError(f"judges of kind {kind.name!r} do not compare answers", place=str(file), hint=hint)
    turns = is_turn_label(dataset, target)
    if turns and not kind.turns:
        hint = "use a kind that can: " + ", ".join(kind for kind, judge_type in JUDGES if judge_type.turns)
        raise InputError(
            f"judges of kind {kind.name!r} do not judge single turns", place=str(file), hint=hint
        )
    return settings, kind, replace(question_of(dataset, target, settings), turns=turns)


async def judge_all(
    judge: Any,
    cases: list[JudgeCase],
    book: Journal,
    at_once: int,
    progress: Callable[[int, int], None] | None,
) -> list[JudgeVerdict]:
    """The verdicts of all cases, in their order; closes the judge."""
    gate, done, missed, stopped = asyncio.Semaphore(at_once), 0, 0, False

    async def one(case: JudgeCase) -> JudgeVerdict | None:
        """None: somebody else had to stop. What is under way then is waited for: it is paid."""
        nonlocal done, missed, stopped
        async with gate:
            if stopped:
                return None
            try:
                verdict = _finite(await judge.judge(case, book.once))
            except BaseException:
                stopped = True
                raise
        done, missed = done + 1, missed + 1 if verdict.trouble == "unreachable" else 0
        if missed >= MISSES:
            stopped = True
            hint = "check url, key and model, then run again; saved answers are kept"
            raise InputError(f"{missed} consecutive dialogues got no answer", place="judge", hint=hint)
        if progress is not None:
            progress(done, len(cases))
        return verdict

    try:
        outcomes = await asyncio.gather(*map(one, cases), return_exceptions=True)
    finally:
        await judge.close()
    for verdict in outcomes:
        if isinstance(verdict, BaseException):
            raise verdict
    return [verdict for verdict in outcomes if isinstance(verdict, JudgeVerdict)]


def _finite(verdict: JudgeVerdict) -> JudgeVerdict:
    """The verdict, or that it cannot be read: no number would make every estimate none."""
    if verdict.value is None or math.isfinite(verdict.value):
        return verdict
    return replace(verdict, value=None, trouble="unreadable", unreadable=verdict.unreadable + 1)


def _row(
    name: str, kind: str, target: str, frozen: str, case: JudgeCase, verdict: JudgeVerdict
) -> dict[str, Any]:
    return {
        "judge": name,
        "kind": kind,
        "target": target,
        "dialogue_id": case.dialogue_id,
        "turn_index": case.turn_index,
        "other_dialogue_id": case.other_id,
        "exchange": case.exchange,
        "value": verdict.value,
        "confidence": verdict.confidence,
        "trouble": verdict.trouble,
        "first_chosen": verdict.first_chosen,
        "asked": verdict.asked,
        "refused": verdict.refused,
        "unreadable": verdict.unreadable,
        "input_tokens": verdict.input_tokens,
        "output_tokens": verdict.output_tokens,
        "cost": verdict.cost,
        "frozen": frozen[:12],
        "judged_at": datetime.now(UTC),
    }
