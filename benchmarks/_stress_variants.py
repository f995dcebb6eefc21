"""Variants of utterances from domains that no rule was made on, held against people's judgements.

`stress_variants/utterances.jsonl` has the utterances with their round. `labels.csv` has four lists: `first`,
the first proposals and the labels of two passes; `wider`, the first entry of a review queue where it differs;
`later`, one pass over later proposals; `missed`, whether a linguist finds a variant where none was proposed.
"""

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks._stress_verdicts import kappa_of

from vivavoce.stats.proportions import wilson

Facts = dict[str, Any]
FOLDER: Final = Path(__file__).parent / "stress_variants"
HALVES: Final = ("blind", "blind-second", "blind-third", "blind-fourth", "blind-fifth", "blind-sixth")
WIDER: Final = "blind-sixth wider"
TESTS: Final = tuple(f"ST-{number}" for number in range(5, 12))
GOAL_VALID, GOAL_APPLIED = 0.95, 0.8


class Label(NamedTuple):
    """A first-ranked variant, and whether each pass took it for one that a linguist would accept."""

    utterance: Facts
    test: str
    variant: str
    first: bool
    second: bool
    reason: str

    @property
    def valid(self) -> bool:
        return self.first and self.second


@cache
def read_utterances(half: str) -> dict[str, Facts]:
    """The utterances of a round by id."""
    rows = map(json.loads, (FOLDER / "utterances.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"]: row for row in rows if row["round"] == half}


def read_labels(half: str, name: str = "first") -> list[Label]:
    said = read_utterances(half)
    return [
        Label(
            said[row["id"]],
            row["test"],
            row["variant"],
            row["first"] == "yes",
            row["second"] == "yes",
            row["reason"],
        )
        for row in read_list(name)
        if row["id"] in said
    ]


def read_missed(half: str) -> list[tuple[Facts, str, bool]]:
    """(utterance, test, whether a linguist finds a variant) where none was proposed."""
    said = read_utterances(half)
    return [
        (said[row["id"]], row["test"], row["found"] == "yes")
        for row in read_list("missed")
        if row["id"] in said
    ]


@cache
def read_list(name: str) -> list[dict[str, str]]:
    """The rows of a list of `labels.csv`."""
    with (FOLDER / "labels.csv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["list"] == name]


def run() -> dict[str, Facts]:
    """Figures of every half that was judged: cells by test and language, all of them, raters, domains."""
    found = {half: figures(half) for half in HALVES if read_utterances(half)}
    return found | {WIDER: figures(WIDER.split()[0], wider=True)}


def figures(half: str, *, wider: bool = False) -> Facts:
    labels, missed = read_labels(half), read_missed(half)
    if wider:
        more = {(one.utterance["id"], one.test): one for one in read_labels(half, "wider")}
        labels = [one for one in labels if (one.utterance["id"], one.test) not in more] + list(more.values())
        missed = [one for one in missed if (one[0]["id"], one[1]) not in more]
    languages = ("it", "en")
    cells = [
        {"test": test, "language": language}
        | _cell(
            [one for one in labels if (one.test, one.utterance["language"]) == (test, language)],
            [found for said, name, found in missed if (name, said["language"]) == (test, language)],
        )
        for test in TESTS
        for language in languages
    ]
    whole = {
        language: _cell(
            [one for one in labels if one.utterance["language"] == language],
            [found for said, _, found in missed if said["language"] == language],
        )
        for language in languages
    }
    said = read_utterances(half).values()
    return {
        "utterances": len(said),
        "domains": sorted({one["domain"] for one in said}),
        "cells": cells,
        "whole": whole,
        "raters": _raters(labels),
    }


def _cell(labels: list[Label], missed: list[bool]) -> Facts:
    valid, offered = sum(one.valid for one in labels), len(labels) + sum(missed)
    return {
        "valid": share(valid, len(labels), GOAL_VALID),
        "applied": share(len(labels), offered, GOAL_APPLIED),
    }


def share(top: int, n: int, goal: float) -> Facts:
    """A share with its interval, and whether it reaches its goal; empty where there is nothing to count."""
    if n == 0:
        return {"top": top, "n": 0, "share": None, "low": None, "high": None, "reached": None}
    interval = wilson(top, n)
    return {
        "top": top,
        "n": n,
        "share": top / n,
        "low": interval and interval.low,
        "high": interval and interval.high,
        "reached": top / n >= goal,
    }


def _raters(labels: list[Label]) -> Facts:
    return {
        "judged": len(labels),
        "same": sum(one.first == one.second for one in labels),
        "kappa": kappa_of([(one.first, one.second) for one in labels], (True, False)),
    }
