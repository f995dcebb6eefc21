"""`stress recogniser`: word error rates of recordings under damage, with intervals over speakers."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.arguments import progress


def recogniser(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset exported with --audio.")],
    transcripts: Annotated[
        Path,
        typer.Argument(
            metavar="TRANSCRIPTS", help="CSV written by `annotate transcripts`.", exists=True, dir_okay=False
        ),
    ],
    trial: Annotated[
        Path,
        typer.Argument(
            metavar="TRIAL", help="YAML file of recognisers and of conditions with their degradation."
        ),
    ],
    seed: Annotated[int, typer.Option("--seed", help="Random seed of noise and packet loss.")] = 1,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Confidence level of the intervals.")
    ] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
) -> None:
    """Measure word error rates of recordings under damage, per recogniser and condition."""
    import asyncio

    from vivavoce.annotation.transcripts import read_transcripts
    from vivavoce.dataset.reader import Dataset
    from vivavoce_stress.robustness import conditions_of, hear, read_trial, recorded_turns

    opened, planned = Dataset(dataset), read_trial(trial)
    recorded = recorded_turns(opened, read_transcripts(transcripts, opened).turns)
    with progress("recordings recognised") as report:
        heard_turns = asyncio.run(hear(recorded, planned, trial.parent, seed=seed, progress=report))
    facts = _facts(heard_turns, conditions_of(planned), opened.hash, seed, level)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(facts)


def _facts(heard: list[Any], damage: dict[str, Any], data: str, seed: int, level: float) -> dict[str, Any]:
    """Figures of each recogniser in each condition, and how far each is from the first condition."""
    listeners, first = list(dict.fromkeys(turn.listener for turn in heard)), next(iter(damage))
    by: dict[tuple[str, str], list[Any]] = {}
    for heard_turn in heard:
        by.setdefault((heard_turn.listener, heard_turn.condition), []).append(heard_turn)
    return {
        "conditions": [
            _figures(listener, name, by[listener, name], damage[name], data, seed, level)
            for listener in listeners
            for name in damage
        ],
        "differences": [
            _difference(listener, name, first, by[listener, name], by[listener, first], data, seed, level)
            for listener in listeners
            for name in damage
            if name != first
        ],
    }


def _figures(
    listener: str, name: str, heard: list[Any], damage: Any, data: str, seed: int, level: float
) -> dict[str, Any]:
    from vivavoce.core.result import as_json, signature
    from vivavoce.stats.word_errors import word_error_rate

    word_errors = word_error_rate(((turn.speaker, turn.said, turn.heard) for turn in heard), level)
    rate = as_json(word_errors) or {
        "word_error_rate": None,
        "low": None,
        "high": None,
        "errors": 0,
        "words": 0,
        "speakers": 0,
        "turns": len(heard),
    }
    line = signature(
        "recogniser_word_error_rate",
        unit="word",
        n=rate["words"],
        data=data,
        condition=name,
        seed=seed,
        speakers=rate["speakers"],
        recogniser=listener,
    )
    return {"recogniser": listener, "condition": name, **rate, "damage": damage, "signature": line}


def _difference(
    listener: str,
    name: str,
    first: str,
    here: list[Any],
    there: list[Any],
    data: str,
    seed: int,
    level: float,
) -> dict[str, Any]:
    """Difference between a condition and the first one on the same turns."""
    from vivavoce.core.result import as_json, signature
    from vivavoce.stats.word_errors import word_error_difference

    pairs = zip(here, there, strict=True)
    more = word_error_difference(((a.speaker, a.said, a.heard, b.heard) for a, b in pairs), level)
    difference = as_json(more) or {
        "difference": None,
        "low": None,
        "high": None,
        "worse": 0,
        "better": 0,
        "words": 0,
        "turns": len(here),
        "speakers": 0,
    }
    line = signature(
        "recogniser_word_error_difference",
        unit="word",
        n=difference["words"],
        data=data,
        conditions=f"{name}-{first}",
        seed=seed,
        speakers=difference["speakers"],
        recogniser=listener,
    )
    return {"recogniser": listener, "condition": name, "against": first, **difference, "signature": line}


def _show(facts: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Column, Table

    several = len({row["recogniser"] for row in facts["conditions"]}) > 1
    more = {(row["recogniser"], row["condition"]): row for row in facts["differences"]}
    name = Column("condition", no_wrap=True)
    table = Table(
        name,
        "word error rate",
        "more than\nfirst",
        "errors",
        "words",
        "turns",
        "speakers",
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    for condition in facts["conditions"]:
        key = condition["recogniser"], condition["condition"]
        name = f"{condition['recogniser']}: {condition['condition']}" if several else condition["condition"]
        table.add_row(
            escape(name),
            _span(condition, "word_error_rate"),
            _span(more[key], "difference") if key in more else "",
            *(str(condition[count]) for count in ("errors", "words", "turns", "speakers")),
        )
    console = Console(highlight=False)
    console.print(table)
    for condition in (*facts["conditions"], *facts["differences"]):
        console.print(condition["signature"], markup=False, style="dim")


def _span(one: dict[str, Any], name: str) -> str:
    if one[name] is None:
        return ""
    limits = "" if one["low"] is None else f" {one['low']:.2f}-{one['high']:.2f}"
    return f"{one[name]:.2f}{limits}"
