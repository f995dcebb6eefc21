"""`stress score`: the results of stress tests, from a dataset or a log."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.arguments import note

_COLUMNS = ("test", "applied", "n/a", "passed", "ratio (95%)", "IDIAL", "pass^k", "p")


def score(
    dataset: Annotated[Path, typer.Argument(metavar="DATASET", help="Folder with dataset.json.")],
    run: Annotated[
        str | None, typer.Option("--run", help="Run ID (default: last run of each system).")
    ] = None,
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.999, help="Confidence level of the intervals.")
    ] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON to stdout.")] = False,
) -> None:
    """Results of linguistic stress tests per test, family and language, with reasons."""
    from vivavoce.dataset.reader import Dataset
    from vivavoce_stress.scores import stress_results

    facts = stress_results(Dataset(dataset), run_id=run, level=level)
    if as_json:
        typer.echo(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))
        return
    if not facts["runs"]:
        note(f"no stress tests in {dataset}; run `vivavoce stress run`, then `vivavoce export`")
    for run_facts in facts["runs"]:
        show(run_facts)


def show(facts: dict[str, Any], suite: Path | None = None) -> None:
    """One run as a table, then what failed in words; of a suite, which has no dashboard, by its path."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape

    from vivavoce.core.terminal import FittedTable as Table

    title = f"{facts['system']}, {facts['repeats']} x, continued by the {facts['continuation']} user"
    table = Table(*_COLUMNS, title=escape(title), title_justify="left", box=SIMPLE_HEAD, show_edge=False)
    total = facts["whole"]
    for row in [*facts["tests"], *facts["families"], *facts["languages"], total]:
        table.add_row(*_row(row))
    console = Console(highlight=False)
    console.print(table)
    console.print(
        f"macro mean over tests {_share(facts, 'macro_tests')}, over groups {_share(facts, 'macro_families')}"
    )
    console.print(
        f"not admitted {total['not_admitted']}, invalid {total['invalid']}, needed clarification "
        f"{total['clarification']}, unsure {total['unsure']}, outages {total['outage']}, "
        f"unfinished {total['unfinished']}"
    )
    for line in open_lines(total, suite):
        console.print(line, markup=False)
    if len(total["pass_power"]) > 1:
        shares = ", ".join(f"pass^{power['k']} {_number(power['ratio'])}" for power in total["pass_power"])
        console.print(f"{shares}, of {total['pass_all_n']} cases")
    if facts["spoken"]:
        console.print(_heard(facts["spoken"]))
    agreed = facts["agreement"]
    if agreed:
        console.print(
            f"rules and people agree on {agreed['same']} of {agreed['n']} "
            f"({_span(agreed['low'], agreed['high'])}), kappa {_number(agreed['kappa'])}"
        )
    for row in facts["failures"][:10]:
        console.print(
            f"{row['test']} {row['verdict']}: {row['original']} -> {row['text']}: {row['reason']}",
            markup=False,
        )
    if len(facts["failures"]) > 10:
        console.print(f"{len(facts['failures']) - 10} more; see --json or the report")
    console.print(total["signature"], markup=False, style="dim")


def open_lines(whole: dict[str, Any], suite: Path | None = None) -> list[str]:
    """Cases without a verdict, and the command that gives one."""
    lines = []
    if whole["open"]:
        ends = f"between {whole['worst']:.2f} and {whole['best']:.2f}"
        lines.append(f"{whole['open']} cases are open, so the share passed is a range: {ends}")
    if whole["waiting"]:
        lines.append(
            (f"{whole['waiting']} wait for a human verdict on the study's dashboard, page /stress/verdicts")
            + (f"; add the cases to a study: vivavoce stress run STUDY --ad-hoc {suite}" if suite else "")
        )
    if whole["outage"]:
        lines.append(
            f"{whole['outage']} have no verdict because the system failed every time; repeat "
            "the run to retry them"
        )
    return lines


def _heard(spoken: dict[str, Any]) -> str:
    """Word error rates of both arms in a line."""
    rates = [
        f"{name} {rate['word_error_rate']:.2f} ({_span(rate['low'], rate['high'])}), {rate['words']} words"
        for arm, name in (("clean", "originals"), ("variant", "variants"))
        if (rate := spoken[arm]) is not None
    ]
    return f"by voice, word error rate of {'; '.join(rates) or 'no utterance known'}"


def _row(one: dict[str, Any]) -> list[str]:
    ratio = f"{_share(one, 'ratio')} ({_span(one['low'], one['high'])})" if one["worst"] is not None else ""
    idial = f"{_share(one, 'idial_ratio')} ({one['idial_passed']}/{one['idial_n']})" if one["idial_n"] else ""
    return [
        one["name"],
        str(one["applied"]),
        str(one["not_applicable"]),
        f"{one['passed']}/{one['decided']}",
        ratio,
        idial,
        _number(one["pass_all"]),
        _number(one.get("p_holm")),
    ]


def _share(one: dict[str, Any], name: str) -> str:
    """A share, or between which two it lies while cases are open."""
    from vivavoce_stress.scores import ends_of

    worst, best = ends_of(one, name)
    return f"{worst:.2f} to {best:.2f}" if one[name] is None and worst is not None else _number(one[name])


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{low:.2f}-{high:.2f}"
