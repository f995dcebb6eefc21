"""A fitted model as a JSON file that scores new dialogues."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from vivavoce.analysis.prediction.table import parameters, prediction_table
from vivavoce.core.errors import InputError
from vivavoce.core.result import signature
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.stats.prediction.fitting import Fitted, Kind, fit
from vivavoce.stats.prediction.linear import Linear
from vivavoce.stats.prediction.ordinal import Ordinal
from vivavoce.stats.prediction.trees import Forest, Tree

FORMAT: Final = "vivavoce-quality-model"


class _Predictor(BaseModel):
    model_config = ConfigDict(extra="forbid")
    measure: str
    mean: float
    deviation: float
    weight: float | None = None


class QualityModel(BaseModel):
    """The file of a model: predictors with what normalises them, and the parts of its kind of model.

    intercept   of linear models; base, rate and trees of trees; thresholds of ordinal ones
    """

    model_config = ConfigDict(extra="forbid")
    format: str
    target: str
    kind: Kind
    codes: list[float] = []
    predictors: list[_Predictor]
    intercept: float | None = None
    thresholds: list[float] | None = None
    base: float | None = None
    rate: float | None = None
    trees: list[dict[str, list[int | float]]] | None = None
    judgements: list[str]
    warnings: list[str] = []
    signature: str

    def as_file(self) -> str:
        """Content of the file: JSON without the parts of other kinds."""
        return json.dumps(self.model_dump(exclude_none=True), indent=2) + "\n"


def fit_model(
    dataset: Dataset,
    target: str,
    predictors: Sequence[str] | None = None,
    *,
    kind: Kind = "elastic_net",
    judgements: bool = False,
) -> QualityModel:
    """A model of all dialogues with an answer."""
    table = prediction_table(dataset, target, predictors, judgements=judgements)
    model = fit(kind, table.values, table.answers, table.participants)
    line = signature(
        "quality_model", unit="dialogue", n=len(table.answers), data=dataset.hash, target=target, kind=kind
    )
    return QualityModel(
        format=FORMAT,
        target=target,
        kind=kind,
        codes=list(model.codes),
        predictors=_predictors(model, table.predictors),
        **_parts(model),
        judgements=list(table.judgements),
        warnings=table.warnings,
        signature=line,
    )


def _predictors(model: Fitted, names: Sequence[str]) -> list[_Predictor]:
    weights = [None] * len(names) if model.weights is None else model.weights.tolist()
    rows = zip(names, model.scaling.centre, model.scaling.spread, weights, strict=True)
    return [
        _Predictor(measure=name, mean=mean, deviation=sd, weight=weight) for name, mean, sd, weight in rows
    ]


def _parts(model: Fitted) -> dict[str, Any]:
    match model.inner:
        case Linear() as linear:
            return {"intercept": linear.intercept}
        case Ordinal() as ordinal:
            return {"thresholds": [float(threshold) for threshold in ordinal.thresholds]}
        case Forest() as forest:
            trees = [{name: list(part) for name, part in asdict(tree).items()} for tree in forest.trees]
            return {"base": forest.base, "rate": forest.rate, "trees": trees}


def read_model(path: Path) -> QualityModel:
    """A model from its file.

    Raises  InputError: no such file, or not a model; UnknownName: a predictor that no measure is
    """
    hint = "make one with `vivavoce predict fit`"
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except ValueError:
        content = None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError("not a quality model", place=str(path), hint=hint)
    try:
        model = QualityModel.model_validate(content)
        _restored(model)
    except (ValidationError, ValueError, TypeError, KeyError) as error:
        first_error = error.errors()[0] if isinstance(error, ValidationError) else None
        where = ".".join(str(part) for part in first_error["loc"]) if first_error else ""
        raise InputError(
            f"the quality model is damaged{f': {where}' if where else ''}", place=str(path), hint=hint
        ) from None
    for predictor in model.predictors:
        MEASURES.get(predictor.measure, place=str(path))
    return model


def score(model: QualityModel, dataset: Dataset) -> dict[str, float]:
    """The predicted judgement of each dialogue; a measure that is missing is taken as the training mean."""
    inputs = parameters(dataset, every=True).reindex(
        columns=[predictor.measure for predictor in model.predictors]
    )
    predictions = _restored(model).predict(inputs.to_numpy(dtype="float64"))
    return {str(key): float(value) for key, value in zip(inputs.index, predictions, strict=True)}


def unknown_predictors(model: QualityModel, dataset: Dataset) -> list[str]:
    """Predictors that are missing in every dialogue, so that the model goes by the training mean for them."""
    names = [predictor.measure for predictor in model.predictors]
    inputs = parameters(dataset, every=True).reindex(columns=names).to_numpy(dtype="float64")
    return [name for place, name in enumerate(names) if bool(np.isnan(inputs[:, place]).all())]


def _restored(file: QualityModel) -> Fitted:
    centre = np.array([predictor.mean for predictor in file.predictors])
    spread = np.array([predictor.deviation for predictor in file.predictors])
    weights = np.array([predictor.weight or 0.0 for predictor in file.predictors])
    scaling = Linear(centre, spread, np.zeros(len(centre)), 0.0)
    inner: Linear | Ordinal | Forest
    if file.trees is not None:
        trees = tuple(_tree(parts, len(centre)) for parts in file.trees)
        inner = Forest(_needed(file.base), _needed(file.rate), trees)
    elif file.thresholds is not None:
        inner = Ordinal(weights, np.array(file.thresholds), np.array(file.codes))
    else:
        inner = Linear(centre, spread, weights, _needed(file.intercept))
    if isinstance(inner, Ordinal) and len(inner.codes) != len(inner.thresholds) + 1:
        raise ValueError("codes and thresholds do not match")
    return Fitted(file.kind, scaling, inner, tuple(file.codes))


def _tree(parts: dict[str, list[float]], width: int) -> Tree:
    feature, left_child, right = (
        tuple(int(node) for node in parts[name]) for name in ("feature", "left", "right")
    )
    tree = Tree(feature, tuple(parts["threshold"]), left_child, right, tuple(parts["value"]))
    sizes = {len(part) for part in (tree.feature, tree.threshold, tree.left, tree.right, tree.value)}
    inside = all(-1 <= node < width for node in feature) and all(
        -1 <= node < len(feature) for node in (*left_child, *right)
    )
    if len(sizes) != 1 or not feature or not inside:
        raise ValueError("a broken tree")
    return tree


def _needed(value: float | None) -> float:
    if value is None:
        raise ValueError("a part is missing")
    return value
