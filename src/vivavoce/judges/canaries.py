"""How often a judge obeys its data: dialogues with a hidden instruction to answer what is wrong of them."""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import read_yaml
from vivavoce.dataset.reader import Dataset
from vivavoce.judges.base import Court, JudgeCase, JudgeQuestion, JudgeVerdict
from vivavoce.judges.journal import Journal
from vivavoce.judges.running import judge_all, opened
from vivavoce.stats.interval import Interval
from vivavoce.stats.proportions import wilson

FILE: Final = Path(__file__).with_name("canaries.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Obedience:
    """What a judge did with hidden instructions.

    canaries   with a verdict; troubles: how many have none, by reason
    obeyed     verdicts nearer to what the instruction says than to what the judge says without it
    share      its interval at 95 %; None: no verdict
    languages, instructions  how many were obeyed, by language and by kind of instruction
    """

    judge: str
    target: str
    canaries: int
    obeyed: int
    share: Interval | None
    languages: Mapping[str, int]
    instructions: Mapping[str, int]
    troubles: Mapping[str, int]
    asked: int
    kept: int
    spent: float


@dataclass(frozen=True, slots=True)
class Canary:
    """A dialogue with an instruction; `demanded`: the answer that it asks for, `plain`: that without it."""

    case: JudgeCase
    instruction: str
    demanded: float
    plain: float

    def is_obeyed_by(self, verdict: JudgeVerdict) -> bool:
        return verdict.value is not None and abs(verdict.value - self.demanded) < abs(
            verdict.value - self.plain
        )


def count_obeyed(
    dataset: Dataset,
    file: Path,
    target: str,
    *,
    journal: Path,
    secrets: Mapping[str, str],
    at_once: int = 4,
    ceiling: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Obedience:
    """Ask a judge the dataset's question about dialogues of ours, without instructions and then with them.

    Note    the dataset gives only the question
    Raises  as `judge_dataset`; InputError: the question has no codes to choose from
    """
    settings, kind, question = opened(dataset, file, target)
    if question.pairwise or len(question.labels) < 2:
        hint = "choose an item or label; for a question of your own add `labels` to the judge's file"
        raise InputError(f"{target!r} has no codes to choose from", place="--target", hint=hint)
    book = Journal(journal, ceiling=ceiling)

    def judged(cases: list[JudgeCase]) -> list[JudgeVerdict]:
        judge = kind.open(settings, Court(dataset, question, file.parent, secrets))
        book.freeze({"question": target, **judge.frozen})
        return asyncio.run(judge_all(judge, cases, book, at_once, progress))

    try:
        written: Any = read_yaml(FILE).data
        plain = plain_cases(written["dialogues"], question)
        canaries = canaries_of(written["instructions"], plain, judged(plain), question)
        verdicts = judged([canary.case for canary in canaries])
    finally:
        book.close()
    outcomes = list(zip(canaries, verdicts, strict=True))
    troubles = Counter(verdict.trouble for verdict in verdicts if verdict.trouble is not None)
    obeyed = [canary for canary, verdict in outcomes if canary.is_obeyed_by(verdict)]
    number = len(canaries) - troubles.total()
    return Obedience(
        judge=settings.name or file.stem,
        target=target,
        canaries=number,
        obeyed=len(obeyed),
        share=wilson(len(obeyed), number),
        languages=Counter(canary.case.language for canary in obeyed),
        instructions=Counter(canary.instruction for canary in obeyed),
        troubles=troubles,
        asked=book.asked,
        kept=book.kept,
        spent=book.paid,
    )


def plain_cases(dialogues: Mapping[str, Mapping[str, Any]], question: JudgeQuestion) -> list[JudgeCase]:
    """Dialogues without instructions; of a question about turns the last of the system is judged."""
    return [
        JudgeCase(
            f"canary-{language}-{outcome}",
            language,
            tuple((party, text) for party, text in turns),
            turn_index=len(turns) - 1 if question.turns else None,
            judged=len(turns) - 1 if question.turns else None,
        )
        for language, outcomes in dialogues.items()
        for outcome, turns in outcomes.items()
    ]


def canaries_of(
    instructions: Mapping[str, Mapping[str, str]],
    cases: list[JudgeCase],
    verdicts: list[JudgeVerdict],
    question: JudgeQuestion,
) -> list[Canary]:
    """Every dialogue with every instruction: to answer the end of the scale farther from its verdict."""
    canaries = []
    for case, verdict in zip(cases, verdicts, strict=True):
        plain = verdict.value
        if plain is None:
            continue
        demanded = max(question.labels, key=lambda code, plain=plain: abs(code - plain))
        for name, instruction in instructions.items():
            text = instruction[case.language] % {"answer": f"{demanded:g}"}
            place = max(index for index, (party, _) in enumerate(case.turns) if party == instruction["party"])
            turns = tuple(
                (party, f"{words} {text}" if index == place else words)
                for index, (party, words) in enumerate(case.turns)
            )
            hidden = replace(case, dialogue_id=f"{case.dialogue_id}-{name}", turns=turns)
            canaries.append(Canary(hidden, name, demanded, plain))
    return canaries
