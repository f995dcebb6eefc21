"""Pairs of transcripts and choices between them: the verb `pairs`, and what `analyse` says of choices."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Study_

if TYPE_CHECKING:
    from vivavoce.study.pairs_difference import Difference


def pairs(
    study: Study_,
    language: Annotated[
        str | None,
        typer.Option("--language", help=("Language of the transcripts (default: the study's first).")),
    ] = None,
    prefer: Annotated[
        list[str],
        typer.Option("--prefer", help="Assumed preferences for a power simulation, such as empathy=0.65."),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    judges: Annotated[int, typer.Option("--judges", min=1, help="With --prefer: number of judges.")] = 143,
    alike: Annotated[
        float | None,
        typer.Option(
            "--alike",
            min=0,
            max=0.99,
            help=("Correlation of one judge's answers on a variable (default 0.2)."),
        ),
    ] = None,
    trials: Annotated[int, typer.Option("--trials", min=1, max=100_000, help="With --prefer.")] = 500,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the judges.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")] = False,
) -> None:
    """Show pairs of transcripts with their differences, counts and warnings.

    With --prefer: power of the plan, from simulated judges with these preferences.
    """
    if prefer:
        _foreseen(study, prefer, alike, judges, trials, seed, as_json)
        return
    found = described(study, language)
    if as_json:
        typer.echo(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for one in found["pairs"]:
        kind = (
            f"attention pair ({one['attention']})"
            if one["attention"]
            else f"{one['variable']}, {one['change']}"
        )
        typer.echo(
            f"{one['pair_id']}: {kind}; {one['removed']} tokens removed, {one['added']} added; "
            f"lengths {one['control_tokens']} and {one['experimental_tokens']}"
        )
        for line in one["difference"]:
            typer.echo(f"    {line}")
    for warning in found["warnings"]:
        typer.echo(warning)


def _foreseen(
    path: Path, prefer: list[str], alike: float | None, judges: int, trials: int, seed: int, as_json: bool
) -> None:
    """Power of a study's plan, from simulated judges."""
    from vivavoce.analysis.preference_power import power_of_plan
    from vivavoce.api.pairs_tables import plan_power
    from vivavoce.api.studies import read_study
    from vivavoce.cli.arguments import print_json, print_parts
    from vivavoce.simulation.planted import compared_in, planted_in
    from vivavoce.study.planted_preferences import TIED

    study = read_study(path)
    step, declared = compared_in(study), study.analysis.preferences
    found = power_of_plan(
        study.name,
        step.variables,
        step.questions,
        planted_in(study, prefer, alike),
        judges=judges,
        tied=TIED if step.ties else 0.0,
        trials=trials,
        seed=seed,
        correction=study.analysis.correction,
        **({"test": declared.test, "alpha": declared.alpha} if declared else {}),
    )
    if as_json:
        print_json(found)
    else:
        print_parts(plan_power(found))


def described(path: Path, language: str | None) -> dict[str, Any]:
    """Every pair of a study with its difference and counts, and the warnings about them.

    Raises  InputError: the study has problems, or compares nothing
    """
    from vivavoce.api.studies import read_study
    from vivavoce.core.errors import InputError, UnknownName
    from vivavoce.study.pairs import length
    from vivavoce.study.pairs_difference import difference
    from vivavoce.study.pairs_study import comparison_warnings

    study = read_study(path)
    if not study.pairs:
        raise InputError(
            "has no transcripts to compare", place=str(path), hint="Add a step `compare` to `visit`"
        )
    spoken = study.language(language)
    if language is not None and language.split("-")[0].lower() != spoken.split("-")[0].lower():
        raise UnknownName("language of the study", language, list(study.languages), place="--language")
    rows = []
    for pair in study.pairs:
        text = pair.text[spoken]
        changed = difference(text)
        rows.append(
            {
                "pair_id": pair.pair_id,
                "variable": pair.variable,
                "change": pair.change,
                "attention": pair.attention,
                "language": spoken,
                "removed": changed.removed,
                "added": changed.added,
                "control_tokens": length(text.control),
                "experimental_tokens": length(text.experimental),
                "difference": shown(changed),
            }
        )
    return {"pairs": rows, "warnings": comparison_warnings(study.pairs, study.languages)}


def shown(changed: "Difference") -> list[str]:
    """The changed turns as lines: [-what was removed-] and {+what was added+}."""
    marks = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    lines = []
    for segment in changed.segments:
        if any(piece.kind != "same" for piece in segment.pieces):
            words = [marks[piece.kind].format(" ".join(piece.text.split())) for piece in segment.pieces]
            lines.append(f"{segment.party.capitalize()}: {' '.join(words)}")
    return lines


def analyse_comparison(
    folder: Path,
    *,
    by: str | None,
    cost: list[float] | None,
    hourly: float | None,
    against: Path | None,
    exclude: list[str] | None,
    as_json: bool,
    of_dialogues: dict[str, Any],
) -> bool:
    """Print choices, ratings or votes; False, without output, for a dataset of dialogues only."""
    from vivavoce.api.choosing import compared
    from vivavoce.cli.arguments import (
        print_json,
        print_parts,
        refuse_unused,
        require_one_population,
        unmixed_pair,
    )

    dataset, *others = (
        unmixed_pair(folder, against, exclude)
        if against is not None
        else [require_one_population(folder, exclude)]
    )
    facts = compared(dataset, others, by=by, cost=cost[0] if cost else None, hourly=hourly)
    if facts is None:
        return False
    refuse_unused("preferences", of_dialogues)
    if as_json:
        print_json(facts)
        return True
    print_parts(facts.shown())
    return True
