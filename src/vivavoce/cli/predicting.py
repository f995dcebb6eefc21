"""The verbs of `predict`: judgements of quality from interaction parameters."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce.cli.progress import note

app = typer.Typer(
    name="predict", no_args_is_help=True, help="Predict judgements from interaction parameters."
)

Dataset_ = Annotated[Path, typer.Argument(metavar="DATASET", help="Folder with dataset.json.")]
Target = Annotated[
    str, typer.Option("--target", help="A score or item that was answered, such as satisfaction.")
]
Judgements = Annotated[
    bool, typer.Option("--judgements", help="Admit what users judged among the predictors.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]


@app.command("evaluate")
def evaluate(
    dataset: Dataset_, target: Target, judgements: Judgements = False, as_json: Json = False
) -> None:
    """How well a judgement is predicted for people and systems that the model has not seen."""
    from vivavoce.analysis.prediction import evaluate as found
    from vivavoce.log.dataset import Dataset

    facts = found(Dataset(dataset), target, judgements=judgements)
    if as_json:
        typer.echo(json.dumps(facts, indent=2))
    else:
        _show(facts)


@app.command("correlate")
def correlate(
    dataset: Dataset_,
    target: Annotated[str | None, typer.Option("--target", help="One target only.")] = None,
    as_json: Json = False,
) -> None:
    """Every interaction parameter with every judgement, by rank."""
    from vivavoce.analysis.prediction import correlate as found
    from vivavoce.log.dataset import Dataset

    rows = found(Dataset(dataset), target)
    if as_json:
        typer.echo(json.dumps({"correlations": rows}, indent=2))
        return
    for row in rows:
        mark = "  a judgement itself" if row["judgement"] else ""
        typer.echo(f"{row['target']:24}{row['measure']:36}{row['rho']:7.2f}  n {row['n']}{mark}")


@app.command("fit")
def fit(
    dataset: Dataset_,
    target: Target,
    out: Annotated[Path, typer.Option("--out", help="The model's JSON file.")] = Path("model.json"),
    judgements: Judgements = False,
) -> None:
    """Fit a model and write it as JSON."""
    from vivavoce.analysis.prediction.model import fit_model
    from vivavoce.log.dataset import Dataset

    model = fit_model(Dataset(dataset), target, judgements=judgements)
    out.write_text(json.dumps(model, indent=2) + "\n", encoding="utf-8")
    note(f"wrote {out}")


@app.command("score")
def score(
    dataset: Dataset_, model: Annotated[Path, typer.Option("--model", help="What `fit` wrote.")]
) -> None:
    """Score the dialogues of a dataset by a model; JSON on stdout."""
    from vivavoce.analysis.prediction.model import read_model
    from vivavoce.analysis.prediction.model import score as found
    from vivavoce.log.dataset import Dataset

    fitted = read_model(model)
    typer.echo(json.dumps({"target": fitted["target"], "scores": found(fitted, Dataset(dataset))}, indent=2))


def _show(facts: dict[str, Any]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    title = f"{facts['target']}: {facts['n']} dialogues of {facts['participants']} people"
    table = Table("held out", "model", "R2", "95%", "RMSE", "rho", title=title, title_justify="left",
                  box=SIMPLE_HEAD, show_edge=False)  # fmt: skip
    for by, models in facts["by"].items():
        for kind, one in (models or {}).items():
            span = f"{one['r2_low']:.2f} to {one['r2_high']:.2f}"
            rho = "" if one["spearman"] is None else f"{one['spearman']:.2f}"
            r2 = "" if one["r2"] is None else f"{one['r2']:.2f}"
            table.add_row(by, kind.replace("_", " "), r2, span, f"{one['rmse']:.2f}", rho)
    console = Console()
    console.print(table)
    for weight in facts["weights"][:10]:
        console.print(f"{weight['measure']:36}{weight['weight']:7.2f}", highlight=False)
    if facts["judgements"]:
        note(f"judgements among the predictors: {', '.join(facts['judgements'])}")
