"""Golden cases of prediction-powered means by ppi-python, the reference implementation.

`python tests/golden/make/ppi_python_cases.py > tests/golden/prediction-powered.json`, in an environment with
ppi-python 0.2.3 (`pip install ppi-python`); nothing else of the project needs it.
"""

import json
from importlib.metadata import version

import numpy as np
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

rng = np.random.default_rng(2301)


def drawn(kind: str, labels: int, others: int) -> tuple[np.ndarray, np.ndarray]:
    """True values, and what a judge says that is lenient, noisy, or knows nothing."""
    n = labels + others
    if kind == "rate":
        truth = (rng.random(n) < 0.65).astype(float)
        return truth, np.where(rng.random(n) < 0.7, truth, 1.0)
    truth = np.round(3 + rng.normal(0, 1, n)).clip(1, 5)
    noise = rng.normal(0, 1, n)
    return truth, 0.4 + 0.8 * truth + 0.5 * noise if kind == "mean" else 3 + noise


cases = []
for kind, labels, others in (("rate", 40, 160), ("rate", 25, 500), ("mean", 60, 240), ("useless", 50, 200)):
    truth, said = drawn(kind, labels, others)
    y, f, rest = truth[:labels], said[:labels], said[labels:]
    for weight in (None, 0.0, 0.5, 1.0):
        low, high = ppi_mean_ci(y, f, rest, alpha=0.05, lam=weight)
        point = ppi_mean_pointestimate(y, f, rest, lam=weight)
        cases.append(
            {
                "kind": kind,
                "labels": y.tolist(),
                "said": f.tolist(),
                "said_of_others": rest.tolist(),
                "weight": weight,
                "estimate": float(np.squeeze(point)),
                "low": float(np.squeeze(low)),
                "high": float(np.squeeze(high)),
            }
        )
print(json.dumps({"by": f"ppi-python {version('ppi-python')}", "level": 0.95, "cases": cases}))
