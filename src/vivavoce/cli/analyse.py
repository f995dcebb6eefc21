"""Verbs of statistics: analyse (a dataset, or published counts) and power."""

from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.arguments import Engine_, Exclude, print_json, print_parts, refuse_unused, warn

Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
CALCULATORS = ("rates", "choices")


def analyse(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET | rates A=259/403 B=263/390 | choices empathy=104/143",
            help="Dataset folder, or published counts.",
        ),
    ],
    by: Annotated[
        str | None, typer.Option("--by", help="system, condition, population, a factor, ...")
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option("--measure", help="Measure to compare (default: success rates)."),
    ] = None,
    pair: Annotated[
        list[str] | None, typer.Option("--pair", help="Compare only the pair A:B (repeatable).")
    ] = None,
    margin: Annotated[
        list[str] | None,
        typer.Option(
            "--margin",
            help=(
                "Also test equivalence within this margin: 0.1 for success rates, or MEASURE=VALUE "
                "(repeatable)."
            ),
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            "--against", help="Dataset of another population with the same systems, or of live dialogues."
        ),
    ] = None,
    cost: Annotated[
        list[float] | None, typer.Option("--cost", help="Cost of the trial; with --against, give it twice.")
    ] = None,
    hourly: Annotated[
        float | None, typer.Option("--hourly", help="Hourly cost of one person, for judgements.")
    ] = None,
    correction: Annotated[
        str | None,
        typer.Option(
            "--correction",
            help=("holm, benjamini_hochberg or bonferroni (default: the declared method, or holm)."),
        ),
    ] = None,
    exclude: Exclude = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="Mixed-model formula, such as 'success ~ manager * acoustics + (1|participant)'."
        ),
    ] = None,
    trials: Annotated[
        bool,
        typer.Option("--trials", help="pass^k: probability that all of k dialogues with one task succeed."),
    ] = False,
    family: Annotated[
        str | None, typer.Option("--family", help="Outcome type with --model: rate, mean, count or ordinal.")
    ] = None,
    judge: Annotated[
        str | None,
        typer.Option("--judge", help="Combine people's answers to --target with this judge's."),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option("--target", help=("With --judge: an item that people answered, or preference.")),
    ] = None,
    chances: Annotated[
        Path | None, typer.Option("--chances", help="With --judge: file written by `judge choose`.")
    ] = None,
    engine: Engine_ = None,
    as_json: Json = False,
) -> None:
    """Compare systems, clustered by participant, next to the naive result; or calculate with published
    counts.
    """
    from vivavoce.api import analysis_tables as tables
    from vivavoce.core.errors import InputError

    if words[0] in CALCULATORS:
        from vivavoce.stats.counts import choices, rates, read_counts

        of_data = {
            "--by": by,
            "--measure": measure,
            "--pair": pair,
            "--margin": margin,
            "--against": against,
            "--cost": cost,
            "--hourly": hourly,
            "--correction": correction,
            "--exclude": exclude,
            "--model": model,
            "--family": family,
            "--trials": trials or None,
            "--judge": judge,
            "--target": target,
            "--chances": chances,
            "--engine": engine,
        }
        refuse_unused("published counts", of_data)
        counts = read_counts(words[1:])
        facts = rates(counts) if words[0] == "rates" else choices(counts)
        _print(facts, as_json, tables.rates if words[0] == "rates" else tables.choices)
        return
    if len(words) > 1:
        raise InputError(
            f"{words[1]!r} after a dataset", hint="Give one dataset, or start with rates or choices"
        )
    if judge is not None:
        refuse_unused(
            "a judge",
            {
                "--measure": measure,
                "--pair": pair,
                "--margin": margin,
                "--model": model,
                "--against": against,
                "--correction": correction,
                "--trials": trials or None,
            },
        )
        _print_judged(Path(words[0]), judge, target, by, chances, exclude, as_json)
        return
    refuse_unused("comparison needs --judge", {"--target": target, "--chances": chances})
    if trials:
        refuse_unused(
            "trials",
            {
                "--by": by,
                "--pair": pair,
                "--margin": margin,
                "--model": model,
                "--against": against,
                "--correction": correction,
            },
        )
        _print_trials(Path(words[0]), measure, exclude, as_json)
        return
    if model is not None:
        refuse_unused("a model", {"--margin": margin, "--measure": measure, "--pair": pair})
        _print_model(Path(words[0]), model, family, exclude, as_json)
        return
    from vivavoce.api.comparing import comparison
    from vivavoce.cli import pairs
    from vivavoce.cli.arguments import require_one_population, unmixed_pair

    if pairs.analyse_comparison(
        Path(words[0]),
        by=by,
        cost=cost,
        hourly=hourly,
        against=against,
        exclude=exclude,
        as_json=as_json,
        of_dialogues={"--margin": margin, "--measure": measure, "--pair": pair},
    ):
        return
    if against is not None:
        from vivavoce.analysis.populations import compare_populations

        costs = [*(cost or []), None, None]
        facts = compare_populations(
            *unmixed_pair(Path(words[0]), against, exclude),
            by=by or "system",
            margin=_margins(margin) or 0.1,
            costs=(costs[0], costs[1]),
        )
        _print(facts, as_json, tables.populations)
        return
    found = comparison(
        require_one_population(Path(words[0]), exclude),
        by=by,
        measures=measure,
        pairs=[_pair(one) for one in pair or []],
        margin=_margins(margin),
        correction=correction,
    )
    _print(found.facts, as_json, tables.comparison)
    for warning in found.warnings:
        warn(warning)


def _print_model(
    folder: Path, formula: str, family: str | None, exclude: list[str] | None, as_json: bool
) -> None:
    from vivavoce.analysis.modelling import fit_model
    from vivavoce.api import mixed_models
    from vivavoce.cli.arguments import require_one_population

    facts = fit_model(require_one_population(folder, exclude), formula, family)
    _print(facts, as_json, mixed_models.model)
    for warning in facts.warnings:
        warn(str(warning))


def _print_judged(
    folder: Path,
    judge: str,
    target: str | None,
    by: str | None,
    chances: Path | None,
    exclude: list[str] | None,
    as_json: bool,
) -> None:
    from vivavoce.analysis.judge_estimates import estimate
    from vivavoce.api.judge_tables import estimates
    from vivavoce.cli.arguments import require_one_population
    from vivavoce.cli.judge import read_chances
    from vivavoce.core.errors import InputError

    if target is None:
        raise InputError("of what?", place="--judge", hint="Add --target ITEM, or --target preference")
    given = None if chances is None else read_chances(chances)
    found = estimate(require_one_population(folder, exclude), judge, target, by=by or "system", chances=given)
    _print(found, as_json, estimates)
    for warning in found.warnings:
        warn(str(warning))


def _print_trials(folder: Path, measures: list[str] | None, exclude: list[str] | None, as_json: bool) -> None:
    from vivavoce.analysis.repeated_trials import SUCCESS, repeated_trials
    from vivavoce.api.analysis_tables import repeated_trials as shown
    from vivavoce.cli.arguments import require_one_population

    if len(measures or ()) > 1:
        from vivavoce.core.errors import InputError

        raise InputError("a trial has one success measure", place="--measure", hint="Name one measure")
    found = repeated_trials(require_one_population(folder, exclude), (measures or [SUCCESS])[0])
    _print(found, as_json, shown)


def power(
    question: Annotated[
        str, typer.Argument(help="two-rates, one-rate, preference, likert; or study, with --study.")
    ] = "study",
    values: Annotated[
        list[float] | None,
        typer.Argument(help="two-rates A B; one-rate RATE [AGAINST]; preference SHARE; likert DIFF SD."),
    ] = None,
    study: Annotated[
        Path | None, typer.Option("--study", help="Study file; uses its primary comparison.")
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Statistical power.")] = 0.8,
    alpha: Annotated[float | None, typer.Option("--alpha", help="Significance level (default 0.05).")] = None,
    calls: Annotated[
        float | None, typer.Option("--calls-per-participant", help="Dialogues per participant.")
    ] = None,
    icc: Annotated[
        float | None, typer.Option("--icc", help="Intraclass correlation of one participant's dialogues.")
    ] = None,
    interaction: Annotated[
        float,
        typer.Option(
            "--interaction", help=("Share of variance from participants' own preference for a system.")
        ),
    ] = 0.0,
    design: Annotated[
        str | None, typer.Option("--design", help="between: one system per participant; within: both.")
    ] = None,
    ties: Annotated[float, typer.Option("--ties", help="Share of ties in preferences.")] = 0.0,
    half_width: Annotated[
        float | None,
        typer.Option("--half-width", help=("one-rate: plan for this half-width of the interval instead.")),
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option("--pilot", help="Pilot dataset that supplies dialogues per participant and ICC."),
    ] = None,
    agreement: Annotated[
        float | None,
        typer.Option("--judge-agreement", help="Correlation of a judge with people; shows the labels saved."),
    ] = None,
    participants: Annotated[
        int | None, typer.Option("--participants", help="Report the power of this many participants.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the simulation.")] = 1,
    engine: Engine_ = None,
    as_json: Json = False,
) -> None:
    """Compute how many dialogues and participants a question needs."""
    from vivavoce.api import analysis_tables as tables
    from vivavoce.api.planning import power_analysis

    held = None
    if pilot is not None:
        from vivavoce.cli.arguments import require_one_population

        held = require_one_population(pilot)
    found = power_analysis(
        question,
        values or [],
        study=study,
        pilot=held,
        power=wanted,
        alpha=alpha,
        calls=calls,
        icc=icc,
        interaction=interaction,
        design=design,
        ties=ties,
        half_width=half_width,
        participants=participants,
        seed=seed,
        agreement=agreement,
    )
    _print(found.facts, as_json, tables.power)


def _pair(text: str) -> tuple[str, str]:
    from vivavoce.core.errors import InputError

    first, colon, second = text.partition(":")
    if not (first and colon and second):
        raise InputError(f"cannot read the pair {text!r}", hint="write --pair A:B")
    return first, second


def _margins(words: list[str] | None) -> dict[str, float] | None:
    """Margins by measure; a bare number is that of success rates."""
    from vivavoce.analysis.declared import RATES, check_margin
    from vivavoce.core.errors import InputError
    from vivavoce.measures import MEASURES

    found: dict[str, float] = {}
    for word in words or []:
        name, equals, text = word.rpartition("=")
        measure = MEASURES.get(name, place="--margin").name if equals else RATES
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise InputError(
                f"cannot read the margin {word!r}", place="--margin", hint="Write 0.1 or turns=2, above 0"
            )
        found[measure] = check_margin(measure, value, place="--margin")
    return found or None


def _print(facts: Any, as_json: bool, draw: Any) -> None:
    if as_json:
        print_json(facts)
    else:
        print_parts(draw(facts))
