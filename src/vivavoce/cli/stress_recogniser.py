"""`stress recogniser`: word error rates of recordings under damage, with intervals over speakers."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.progress import progress


def recogniser(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Exported with --audio.")],
    transcripts: Annotated[
        Path,
        typer.Argument(
            metavar="TRANSCRIPTS", help="CSV of `annotate transcripts`.", exists=True, dir_okay=False
        ),
    ],
    trial: Annotated[
        Path, typer.Argument(metavar="TRIAL", help="YAML: recogniser, and conditions with their damage.")
    ],
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same noise and losses.")] = 1,
    level: Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="Of intervals.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON on stdout.")] = False,
) -> None:
    """Replay people's recordings through damage and a recogniser: word error rate by condition."""
    import asyncio

    from vivavoce.annotation.transcripts import read_transcripts
    from vivavoce.log.dataset import Dataset
    from vivavoce.stress.robustness import conditions_of, hear, read_trial, recorded_turns

    opened, planned = Dataset(dataset), read_trial(trial)
    recorded = recorded_turns(opened, read_transcripts(transcripts, opened))
    with progress("recordings heard") as report:
        heard = asyncio.run(hear(recorded, planned, trial.parent, seed=seed, progress=report))
    facts = {
        "conditions": [
            _figures(name, [one for one in heard if one.condition == name], damage, opened.hash, seed, level)
            for name, damage in conditions_of(planned).items()
        ]
    }
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        _show(facts["conditions"])


def _figures(name: str, heard: list[Any], damage: Any, data: str, seed: int, level: float) -> dict[str, Any]:
    from vivavoce.analysis.word_errors import word_error_rate
    from vivavoce.core.signature import signature

    rate = word_error_rate(((one.speaker, one.said, one.heard) for one in heard), level) or {
        "word_error_rate": None, "low": None, "high": None, "errors": 0, "words": 0, "speakers": 0,
        "turns": len(heard),
    }  # fmt: skip
    line = signature(
        "recogniser_word_error_rate", unit="word", n=rate["words"], data=data, condition=name, seed=seed,
        speakers=rate["speakers"],
    )  # fmt: skip
    return {"condition": name, **rate, "damage": damage, "signature": line}


def _show(conditions: list[dict[str, Any]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("condition", "word error rate", "errors", "words", "turns", "speakers",
                  box=SIMPLE_HEAD, show_edge=False)  # fmt: skip
    for one in conditions:
        low, high, rate = one["low"], one["high"], one["word_error_rate"]
        span = "" if low is None else f" ({low:.2f}-{high:.2f})"
        shown = "" if rate is None else f"{rate:.2f}{span}"
        table.add_row(escape(one["condition"]), shown, *(
            str(one[name]) for name in ("errors", "words", "turns", "speakers")
        ))  # fmt: skip
    console = Console(highlight=False)
    console.print(table)
    for one in conditions:
        console.print(one["signature"], markup=False, style="dim")
