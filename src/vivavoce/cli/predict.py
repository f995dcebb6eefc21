"""The verbs of `predict`: judgements of quality from interaction parameters."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vivavoce.cli.arguments import Dataset_, Engine_, note, print_json, progress

if TYPE_CHECKING:
    from vivavoce.analysis.prediction.evaluation import QualityEvaluation
    from vivavoce.analysis.prediction.explanation import QualityExplanation
    from vivavoce.analysis.prediction.model import QualityModel
    from vivavoce.stats.prediction.fitting import Kind

app = typer.Typer(
    name="predict", no_args_is_help=True, help="Predict quality judgements from interaction parameters."
)

Target = Annotated[str, typer.Option("--target", help="Score or item to predict, such as satisfaction.")]
Predictors = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="MEASURE", help="Predictors: names, symbols or families (default: all)."),
]
Judgements = Annotated[bool, typer.Option("--judgements", help="Allow users' own judgements as predictors.")]
Kind_ = Annotated[
    str, typer.Option("--model", help="mean, stepwise, elastic_net, tree, boosting or ordinal.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]


@app.command("evaluate")
def evaluate(
    dataset: Dataset_,
    target: Target,
    predictors: Predictors = None,
    judgements: Judgements = False,
    engine: Engine_ = None,
    as_json: Json = False,
) -> None:
    """Evaluate predictions of a judgement for people and systems unseen by the model."""
    from vivavoce.analysis.prediction import evaluate as found
    from vivavoce.cli.arguments import require_one_population

    with progress("models") as report:
        facts = found(
            require_one_population(dataset),
            target,
            _names(predictors),
            judgements=judgements,
            progress=report,
        )
    if as_json:
        print_json(facts)
    else:
        _show(facts)


@app.command("correlate")
def correlate(
    dataset: Dataset_,
    target: Annotated[str | None, typer.Option("--target", help="Only this target.")] = None,
    as_json: Json = False,
) -> None:
    """Rank all interaction parameters by correlation with a judgement."""
    from vivavoce.analysis.prediction import correlate as found
    from vivavoce.cli.arguments import require_one_population
    from vivavoce.core.result import signature

    opened = require_one_population(dataset)
    rows = found(opened, target)
    n = max((row.found.n for row in rows), default=0)
    line = signature("correlation", unit="dialogue", n=n, data=opened.hash, method="spearman")
    if as_json:
        print_json({"correlations": rows, "signature": line})
        return
    for row in rows:
        mark, one = "  a judgement itself" if row.judgement else "", row.found
        span = "" if one.low is None else f" ({one.low:5.2f} to {one.high:5.2f})"
        typer.echo(f"{row.target:24}{row.measure:40}{one.rho:6.2f}{span}  n {one.n}{mark}")
    note(line)


@app.command("explain")
def explain(
    dataset: Dataset_,
    target: Target,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for figures (SVG, Vega-Lite) and explanation.json.")
    ] = None,
    model: Kind_ = "elastic_net",
    predictors: Predictors = None,
    judgements: Judgements = False,
    engine: Engine_ = None,
    as_json: Json = False,
) -> None:
    """Explain a model: weights, importance of predictors, their curves, calibration."""
    from vivavoce.analysis.prediction.explanation import explain as found
    from vivavoce.cli.arguments import require_one_population

    with progress("models") as report:
        facts = found(
            require_one_population(dataset),
            target,
            _names(predictors),
            kind=_kind(model),
            judgements=judgements,
            progress=report,
        )
    if out is not None:
        _write_figures(facts, out)
    if as_json:
        print_json(facts)
    else:
        _show_explanation(facts)


@app.command("fit")
def fit(
    dataset: Dataset_,
    target: Target,
    out: Annotated[Path, typer.Option("--out", help="The model's JSON file.")] = Path("model.json"),
    model: Kind_ = "elastic_net",
    predictors: Predictors = None,
    judgements: Judgements = False,
) -> None:
    """Fit a model and write it as JSON."""
    from vivavoce.analysis.prediction.model import fit_model
    from vivavoce.cli.arguments import require_one_population

    fitted = fit_model(
        require_one_population(dataset), target, _names(predictors), kind=_kind(model), judgements=judgements
    )
    out.write_text(fitted.as_file(), encoding="utf-8")
    _named(fitted)
    note(f"wrote {out}")


@app.command("score")
def score(
    dataset: Dataset_, model: Annotated[Path, typer.Option("--model", help="Model file written by `fit`.")]
) -> None:
    """Score the dialogues of a dataset with a model; JSON to stdout."""
    from vivavoce.analysis.prediction.model import read_model, unknown_predictors
    from vivavoce.analysis.prediction.model import score as found
    from vivavoce.cli.arguments import require_one_population
    from vivavoce.core.result import signature

    fitted, opened = read_model(model), require_one_population(dataset)
    scores, unknown = found(fitted, opened), unknown_predictors(fitted, opened)
    facts = {
        "target": fitted.target,
        "scores": scores,
        "unknown_predictors": unknown,
        "model": fitted.signature,
        "signature": signature("quality_score", unit="dialogue", n=len(scores), data=opened.hash),
    }
    print_json(facts)
    if unknown:
        note(f"missing in every dialogue, replaced by the training mean: {', '.join(unknown)}")


def _names(written: list[str] | None) -> list[str] | None:
    """Measures that the words name; judgements only if named individually."""
    from vivavoce.analysis.prediction.table import JUDGEMENTS
    from vivavoce.measures.values import chosen

    if not written:
        return None
    found = {word: chosen([word], place="--with") for word in written}
    return [name for own in found.values() for name in own if len(own) == 1 or name not in JUDGEMENTS]


def _kind(written: str) -> "Kind":
    from vivavoce.core.errors import UnknownName
    from vivavoce.stats.prediction.fitting import KINDS

    for kind in KINDS:
        if kind == written.replace("-", "_"):
            return kind
    raise UnknownName("model", written, list(KINDS), place="--model")


def _show(found: "QualityEvaluation") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    title = f"{found.target}: {found.n} dialogues of {found.participants} people"
    table = Table(
        "held out",
        "model",
        "R2",
        "95%",
        "RMSE",
        "rho",
        "kappa",
        "recall",
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
    )
    for by, models in found.by.items():
        for kind, one in (models or {}).items():
            span = "" if one.r2_low is None else f"{one.r2_low:.2f} to {one.r2_high:.2f}"
            r2, *figures = (
                "" if value is None else f"{value:.2f}"
                for value in (one.r2, one.rmse, one.spearman, one.weighted_kappa, one.macro_recall)
            )
            table.add_row(by, kind.replace("_", " "), r2, span, *figures)
        table.add_section()
    console = Console()
    console.print(table)
    for kind, one in found.in_sample.items():
        adjusted = "" if one.adjusted_r2 is None else f", adjusted {one.adjusted_r2:.2f}"
        fit = f"R2 {one.r2:.2f}{adjusted}, {one.predictors} predictors"
        console.print(f"{kind.replace('_', ' ')} on its training dialogues: {fit}", highlight=False)
    for weight in found.weights[:10]:
        console.print(f"{weight.measure:36}{weight.weight:7.2f}", highlight=False)
    _named(found)
    note(found.signature)


def _show_explanation(found: "QualityExplanation") -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console

    from vivavoce.core.terminal import FittedTable as Table

    title = f"{found.target} by {found.kind.replace('_', ' ')}: {found.n} dialogues"
    table = Table(
        "parameter",
        "weight",
        "95%",
        "kept",
        "R2 lost",
        title=title,
        title_justify="left",
        box=SIMPLE_HEAD,
        show_edge=False,
    )
    weights = {row.measure: row for row in found.coefficients or ()}
    for row in found.importance[:15]:
        own = weights.get(row.measure)
        cells = (
            ("", "", "")
            if own is None
            else (f"{own.weight:z.2f}", f"{own.low:z.2f} to {own.high:z.2f}", f"{100 * own.kept:.0f}%")
        )
        table.add_row(row.measure, *cells, "" if row.r2_lost is None else f"{row.r2_lost:.3f}")
    console = Console()
    console.print(table)
    if found.collinear:
        named = ", ".join(f"{row.measure} {row.vif:.0f}" for row in found.collinear[:8])
        note(f"{len(found.collinear)} predictors are collinear (variance inflation above 5): {named}")
    _named(found)
    note(found.signature)


def _named(found: "QualityEvaluation | QualityExplanation | QualityModel") -> None:
    for warning in found.warnings:
        note(f"warning: {warning}")
    if found.judgements:
        note(f"judgements used as predictors: {', '.join(found.judgements)}")


def _write_figures(found: "QualityExplanation", out: Path) -> None:
    from vivavoce.core.result import as_json
    from vivavoce.reports.prediction import prediction_figures

    out.mkdir(parents=True, exist_ok=True)
    told = json.dumps(as_json(found), indent=2, allow_nan=False) + "\n"
    (out / "explanation.json").write_text(told, encoding="utf-8")
    for prediction_figure in prediction_figures(found):
        (out / f"{prediction_figure.name}.svg").write_text(prediction_figure.printed, encoding="utf-8")
        spec = json.dumps(
            prediction_figure.spec | {"description": prediction_figure.alternative},
            indent=2,
            ensure_ascii=False,
        )
        (out / f"{prediction_figure.name}.vl.json").write_text(spec + "\n", encoding="utf-8")
    note(f"wrote {out}")
