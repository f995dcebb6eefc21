"""Pairs of answers that people labelled: from a file, or from a dataset's stress tests."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import Problem
from vivavoce.dataset.csv_files import read_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.study.csv_lines import csv_lines
from vivavoce_stress.cascade import judge_texts
from vivavoce_stress.verdict_model import AnswerPair

LABELS: Final = ("pass", "fail", "clarification")
_NEEDED: Final = ("language", "answer", "other", "label")
_CURE: Final = f"use the columns {', '.join(_NEEDED)}; add utterance and variant if known"


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A pair with a person's verdict, and what the other rungs say or suspect; null: nothing."""

    pair: AnswerPair
    label: str
    ladder: str | None


def labelled_pairs(path: Path) -> list[LabelledPair]:
    """Those of a CSV file, or of a dataset's cases on which people gave a verdict.

    Raises  InputError: names the line and what is wrong with it; or there is none
    """
    pairs = _of_dataset(path) if path.is_dir() else _of_file(path)
    if not pairs:
        hint = "judge cases on the dashboard, or write a CSV file: " + _CURE
        raise InputError("no pairs with a human verdict", place=str(path), hint=hint)
    return pairs


def _of_file(path: Path) -> list[LabelledPair]:
    read = csv_lines(path)
    if isinstance(read, Problem):
        raise read.error()
    names, lines = read
    missing = [name for name in _NEEDED if name not in names]
    if missing:
        raise InputError(f"column {missing[0]!r} is missing", place=f"{path.name}:1", hint=_CURE)
    return [_row(line, place) for place, line in lines]


def _row(row: Mapping[str, str | None], place: str) -> LabelledPair:
    cells = {name: read_csv_cell(cell or "") for name, cell in row.items() if isinstance(name, str)}
    for name in _NEEDED:
        if not (cells.get(name) or "").strip():
            raise InputError(
                f"the {name} is missing", place=place, hint="fill in the cell, or remove the row"
            )
    label, language = (str(cells[name]).strip() for name in ("label", "language"))
    if label not in LABELS:
        raise InputError(f"unknown label {label!r}", place=place, hint=f"known: {', '.join(LABELS)}")
    pair = AnswerPair(
        language, str(cells["answer"]), str(cells["other"]), cells.get("utterance"), cells.get("variant")
    )
    return LabelledPair(pair, label, _suspected(pair))


def _suspected(pair: AnswerPair) -> str | None:
    verdict = judge_texts([pair.answer], pair.other, pair.language)
    return verdict.suspicion if verdict.verdict == "unsure" else verdict.verdict


def _of_dataset(folder: Path) -> list[LabelledPair]:
    pairs: list[LabelledPair] = []
    for row in Dataset(folder).read("stress").to_pylist():
        if row.get("verdict_of_person") not in LABELS:
            continue
        answer = _answer(row["clean_transcript"], row["original"])
        other_answer = _answer(row["transcript"], row["text"])
        if answer is None or other_answer is None:
            continue
        automatic = row["verdict_automatic"]
        by_model = row["rung_automatic"] == "model"
        ladder = automatic if automatic in LABELS and not by_model else row["suspicion"]
        pair = AnswerPair(row["language"], answer, other_answer, row["original"], row["text"])
        pairs.append(LabelledPair(pair, row["verdict_of_person"], ladder))
    return pairs


def _answer(transcript: str | None, said: str) -> str | None:
    """The system's answer to the utterance under test."""
    turns: list[dict[str, Any]] = json.loads(transcript) if transcript else []
    for turn, following in pairwise(turns):
        if (turn["party"], turn["text"], following["party"]) == ("user", said, "system"):
            return following["text"]
    return None
