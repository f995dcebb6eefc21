"""A fitted model as a JSON file that scores new dialogues."""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.analysis.prediction.linear import Kind, Linear, fit
from vivavoce.analysis.prediction.table import parameters, prediction_table
from vivavoce.core.errors import InputError
from vivavoce.core.signature import signature
from vivavoce.log.dataset import Dataset

FORMAT: Final = "vivavoce-quality-model"


def fit_model(
    dataset: Dataset, target: str, *, kind: Kind = "elastic_net", judgements: bool = False
) -> dict[str, Any]:
    """A model of all dialogues with an answer, ready for JSON."""
    table = prediction_table(dataset, target, judgements=judgements)
    model = fit(kind, table.values, table.answers, table.participants)
    return {
        "format": FORMAT,
        "target": target,
        "kind": kind,
        "intercept": model.intercept,
        "predictors": [
            {"measure": name, "mean": float(mean), "deviation": float(spread), "weight": float(weight)}
            for name, mean, spread, weight in zip(
                table.predictors, model.centre, model.spread, model.weights, strict=True
            )
        ],
        "judgements": list(table.judgements),
        "signature": signature(
            "quality_model",
            unit="dialogue",
            n=len(table.answers),
            data=dataset.hash,
            target=target,
            kind=kind,
        ),
    }


def read_model(path: Path) -> dict[str, Any]:
    """A model from its file.

    Raises  InputError: no such file, or not a model
    """
    try:
        model = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", place=str(path)) from None
    except ValueError:
        model = None
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        cure = "make one with `vivavoce predict fit`"
        raise InputError("not a model of quality", place=str(path), cure=cure)
    return model


def score(model: dict[str, Any], dataset: Dataset) -> dict[str, float]:
    """The predicted judgement of each dialogue; a measure that is missing is taken as the training mean."""
    found = parameters(dataset)
    parts = model["predictors"]
    names = [part["measure"] for part in parts]
    linear = Linear(
        np.array([part["mean"] for part in parts]),
        np.array([part["deviation"] for part in parts]),
        np.array([part["weight"] for part in parts]),
        model["intercept"],
    )
    said = linear.predict(found.reindex(columns=names).to_numpy(dtype="float64"))
    return {str(key): float(value) for key, value in zip(found.index, said, strict=True)}
