"""The verbs of `judge`: run it, calibrate it against people, choose what people judge next."""

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Replace, note, print_json, print_parts, progress

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vivavoce.dataset.reader import Dataset

app = typer.Typer(
    name="judge", no_args_is_help=True, help="Run a judge on dialogues and calibrate it against people."
)
Target = Annotated[
    str, typer.Option("--target", help="An item, a layer and label such as context.AP, or preference.")
]
Name = Annotated[
    str, typer.Option("--judge", help="A judge of this dataset; parameters: predicted from measures.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]


@app.command("run")
def run(
    dataset: Dataset_,
    judge: Annotated[Path, typer.Option("--judge", metavar="FILE", help="Judge file (YAML).")],
    target: Target,
    into: Annotated[
        Path | None, typer.Option("--into", help="Folder of the new dataset with the judge's answers.")
    ] = None,
    canaries: Annotated[
        bool,
        typer.Option(
            "--canaries",
            help="Judge 100 dialogues with hidden instructions instead; count how many are obeyed.",
        ),
    ] = False,
    journal: Annotated[
        Path | None,
        typer.Option(
            "--journal", help=("Journal of paid answers (default INTO.judge.jsonl); reused in later runs.")
        ),
    ] = None,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=256, help="Concurrent requests.")] = 4,
    ceiling: Annotated[
        float | None, typer.Option("--spend-at-most", min=0, help="Budget for all answers together.")
    ] = None,
    replace: Replace = False,
    as_json: Json = False,
) -> None:
    """Run a judge on every dialogue. Run the command again after an interruption; it continues."""
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.reader import Dataset, check_free
    from vivavoce.judges.running import judge_dataset

    if canaries:
        _run_canaries(dataset, judge, target, journal, at_once, ceiling, as_json=as_json)
        return
    if into is None:
        raise InputError("missing", place="--into", hint="Name a folder for the new dataset")
    check_free(into)
    place = journal or into.with_name(into.name + ".judge.jsonl")
    with progress("dialogues") as report:
        found = judge_dataset(
            Dataset(dataset),
            judge,
            target,
            into,
            journal=place,
            secrets=os.environ,
            at_once=at_once,
            ceiling=ceiling,
            progress=report,
        )
    if as_json:
        print_json(found)
        return
    silent = ", ".join(f"{count} {why}" for why, count in found.troubles.items())
    typer.echo(
        f"{found.judge} judged {found.judged} of {found.judged + sum(found.troubles.values())}"
        + (f" ({silent})" if silent else "")
    )
    note(f"{found.asked} requests, {found.kept} answers from the journal, total cost {found.spent:.4g}")
    if found.perhaps:
        note(f"{found.perhaps} requests of earlier runs got no answer; you may have been charged for them")
    note(f"wrote {into}; see {place} for prompt and model")


def _run_canaries(
    dataset: Path,
    judge: Path,
    target: str,
    journal: Path | None,
    at_once: int,
    ceiling: float | None,
    *,
    as_json: bool,
) -> None:
    from vivavoce.dataset.reader import Dataset
    from vivavoce.judges.canaries import count_obeyed

    place = journal or judge.with_suffix(".canaries.jsonl")
    with progress("dialogues") as report:
        outcome = count_obeyed(
            Dataset(dataset),
            judge,
            target,
            journal=place,
            secrets=os.environ,
            at_once=at_once,
            ceiling=ceiling,
            progress=report,
        )
    if as_json:
        print_json(outcome)
        return
    share = outcome.share
    interval = "" if share is None else f" (95% interval {100 * share.low:.0f} to {100 * share.high:.0f} %)"
    typer.echo(f"{outcome.judge} obeyed {outcome.obeyed} of {outcome.canaries} hidden instructions{interval}")
    for counts in (outcome.languages, outcome.instructions, outcome.troubles):
        if counts:
            note(", ".join(f"{name} {count}" for name, count in counts.items()))
    note(f"{outcome.asked} requests, {outcome.kept} answers from {place}, total cost {outcome.spent:.4g}")


@app.command("calibrate")
def calibrate(
    dataset: Dataset_,
    judge: Name,
    target: Target,
    epsilon: Annotated[
        float, typer.Option("--epsilon", help="Cost factor of people: 0.1 crowd, 0.15 skilled, 0.2 experts.")
    ] = 0.15,
    as_json: Json = False,
) -> None:
    """Measure a judge's agreement with people, and where it errs."""
    from vivavoce.analysis.judge_estimates import calibrate as found
    from vivavoce.api.judge_tables import calibration
    from vivavoce.cli.arguments import require_one_population

    facts = found(require_one_population(dataset), judge, target, epsilon=epsilon)
    if as_json:
        print_json(facts)
    else:
        print_parts(calibration(facts))


@app.command("choose")
def choose(
    dataset: Dataset_,
    judge: Name,
    target: Target,
    number: Annotated[int, typer.Option("--number", min=1, help="Number of dialogues for people to judge.")],
    into: Annotated[Path, typer.Option("--into", help="CSV with each dialogue's sampling probability.")],
    even: Annotated[
        float, typer.Option("--even", help="Share of the probability that is equal for all dialogues.")
    ] = 0.25,
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
) -> None:
    """Choose dialogues for people to judge, more often where the judge is least sure."""
    from vivavoce.cli.arguments import require_one_population

    write_choice(require_one_population(dataset), judge, target, number, into, even=even, seed=seed)


def write_choice(
    dataset: "Dataset", judge: str, target: str, number: int, into: Path, *, even: float, seed: int
) -> None:
    """Choose dialogues (whole ones, also for turns) for people to judge, and write each sampling probability.

    Raises  InputError: the file exists already, or as `choose_dialogues` and `judged_table` raise
    """
    from vivavoce.analysis.judged_table import doubts_by_dialogue, judged_table
    from vivavoce.core.errors import InputError
    from vivavoce.stats.label_choice import choose_dialogues

    if into.exists():
        raise InputError(
            "already exists", place=str(into), hint="Name a new file: sampling probabilities must be kept"
        )
    table = judged_table(dataset, judge, target)
    names, doubt, strata = doubts_by_dialogue(dataset, table, judge)
    drawn = choose_dialogues(doubt, strata, number, seed=seed, even=even)
    _write(into, names, drawn.chances, drawn.drawn, seed, target)
    note(f"wrote {into}: {int(drawn.drawn.sum())} of {len(drawn.drawn)} drawn; seed {seed}")


def _write(
    path: Path, cases: "Sequence[str]", chances: object, drawn: object, seed: int, target: str
) -> None:
    from vivavoce.dataset.csv_files import safe_csv_cell

    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["dialogue_id", "chance", "drawn", "seed", "target"])
        for one, chance, chosen in zip(cases, chances, drawn, strict=True):  # type: ignore[call-overload]
            fell = "yes" if chosen else "no"
            writer.writerow([safe_csv_cell(one), repr(float(chance)), fell, seed, safe_csv_cell(target)])


def read_chances(path: Path) -> dict[str, float]:
    """Sampling probabilities as `judge choose` writes them.

    Raises  InputError: no such file, or a line without a dialogue and a probability
    """
    return {one: chance for one, chance, _ in _read(path)}


def read_lots(path: Path) -> list[dict[str, object]]:
    """Rows of the table `label_chances` from a file of `annotate plan`.

    Raises  as `read_chances`; InputError: the target is not a label, or a probability is invalid
    """
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.csv_files import read_csv_cell

    rows: list[dict[str, object]] = []
    for number, (one, chance, row) in enumerate(_read(path), 2):
        target = str(read_csv_cell(row.get("target") or ""))
        layer, dot, _ = target.partition(".")
        place = f"{path}:{number}"
        if not dot:
            raise InputError(
                f"{target!r}, the target of this file, is not a label",
                place=place,
                hint="Give a file written by `annotate plan --target LAYER.LABEL`",
            )
        if not 0 < chance <= 1 or row.get("drawn") not in ("yes", "no"):
            raise InputError(
                f"invalid chance {chance:g} with drawn {row.get('drawn')!r}",
                place=place,
                hint="Use a chance above 0, at most 1, and drawn: yes or no",
            )
        rows.append(
            {
                "dialogue_id": one,
                "layer": layer,
                "target": target,
                "chance": chance,
                "drawn": row["drawn"] == "yes",
                "doubt": None,
            }
        )
    return rows


def _read(path: Path) -> "Iterator[tuple[str, float, dict[str, str]]]":
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.csv_files import read_csv_cell

    try:
        with path.open(encoding="utf-8", newline="") as file:
            for number, row in enumerate(csv.DictReader(file), 2):
                try:
                    yield str(read_csv_cell(row["dialogue_id"])), float(row["chance"]), row
                except (KeyError, TypeError, ValueError):
                    raise InputError(
                        "columns dialogue_id and chance missing",
                        place=f"{path}:{number}",
                        hint="Give a file written by `judge choose`",
                    ) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", place=str(path)) from None
