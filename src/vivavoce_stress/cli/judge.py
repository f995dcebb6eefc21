"""`stress judge`: how far a language model's verdicts can be trusted, held to people's."""

import asyncio
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Report, note, progress

if TYPE_CHECKING:
    from vivavoce_stress.judge_scores import JudgedPair
    from vivavoce_stress.labelled_pairs import LabelledPair


def judge(
    pairs: Annotated[
        Path, typer.Argument(metavar="PAIRS|DATASET", help="CSV of labelled pairs, or folder of a dataset.")
    ],
    url: Annotated[str, typer.Option("--judge", help="URL of the language model (OpenAI-compatible).")],
    model: Annotated[str, typer.Option("--judge-model", help="Model name.")],
    key: Annotated[
        str | None, typer.Option("--judge-key", help="API key as ${NAME} from the environment.")
    ] = None,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=100, help="Concurrent requests.")] = 4,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Confidence level of the intervals.")
    ] = 0.95,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under",
            min=0,
            max=1,
            help="Exit with 1 below this agreement; missing verdicts count as wrong.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
) -> None:
    """Have a language model judge pairs of answers that people labelled; tell how far it agrees."""
    from vivavoce_stress.case import digest
    from vivavoce_stress.cli.run import judging
    from vivavoce_stress.judge_scores import judge_results
    from vivavoce_stress.labelled_pairs import labelled_pairs

    labelled = labelled_pairs(pairs)
    settings = judging(url, model, key)
    assert settings is not None
    with progress("pairs judged") as report:
        judged = asyncio.run(_ask(labelled, settings, at_once, report))
    data = digest(
        [
            [labelled_pair.pair.answer, labelled_pair.pair.other, labelled_pair.label]
            for labelled_pair in labelled
        ]
    )
    facts = {"asked": model, **judge_results(judged, data, level)}
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
    else:
        typer.echo(_told(facts))
    rate = facts["model_or_none"]["rate"]
    if fail_under is not None and rate < fail_under:
        note(f"agreement {rate:.3f}, required {fail_under:g}")
        raise typer.Exit(1)


async def _ask(
    labelled: "list[LabelledPair]", settings: dict[str, Any], at_once: int, report: Report
) -> "list[JudgedPair]":
    from vivavoce_stress.judge_scores import JudgedPair
    from vivavoce_stress.verdict_model import ModelJudge

    model_judge, free, done = ModelJudge(settings, os.environ), asyncio.Semaphore(at_once), 0

    async def one(pair: "LabelledPair") -> "JudgedPair":
        nonlocal done
        async with free:
            opinion = await model_judge.opinion(pair.pair)
        done += 1
        report(done, len(labelled))
        return JudgedPair(
            pair.pair.language,
            pair.label,
            opinion.verdict,
            opinion.trouble,
            opinion.first,
            opinion.last,
            pair.ladder,
        )

    try:
        return await asyncio.gather(*map(one, labelled))
    finally:
        await model_judge.close()


def _told(facts: dict[str, Any]) -> str:
    lines = [(f"{facts['n']} pairs with human labels; {facts['asked']} gave a verdict on {facts['decided']}")]
    if facts["troubles"]:
        lines.append("no verdict: " + ", ".join(f"{why} {n}" for why, n in facts["troubles"].items()))
    lines.append(f"same verdict in both orders of the answers: {_share(facts['steady'])}")
    lines.append(
        f"more lenient when the answer to the original comes first {facts['first_kinder']}, "
        f"last {facts['last_kinder']}"
    )
    for name, figures in [("all", facts), *facts["by_language"].items()]:
        lines.append(f"{name}: model {_share(figures['model'])}")
        lines.append(f"{name}: model, missing verdicts counted as wrong {_share(figures['model_or_none'])}")
        lines.append(f"{name}: other rungs {_share(figures['ladder'])}")
    lines += [f"{what}: {count}" for what, count in facts["confusions"].items()]
    return "\n".join([*lines, facts["signature"]])


def _share(one: dict[str, Any] | None) -> str:
    if one is None or one["rate"] is None:
        return "no labelled pairs"
    kappa = f", kappa {one['kappa']:.2f}" if one.get("kappa") is not None else ""
    return f"{one['same']} of {one['n']} ({one['rate']:.0%}, {one['low']:.2f} to {one['high']:.2f}{kappa})"
