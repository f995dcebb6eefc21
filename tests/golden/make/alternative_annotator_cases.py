"""Golden cases of the alternative annotator test, by the program of those who proposed it.

`python tests/golden/make/alternative_annotator_cases.py alt_test_example.ipynb` prints what is
tests/golden/alternative-annotator.json, with the notebook of github.com/nitaytech/AltTest, whose functions
are run here and not kept. The judgements are drawn, so that no data of others are kept either.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np


def reference(notebook: Path) -> Any:
    """Their function, from the cells that import and define."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in code:
        if cell.startswith("import json") or "def alt_test(" in cell:
            exec(cell, names)  # noqa: S102 (the notebook that was asked for)
    return names["alt_test"]


def main() -> None:
    test, rng, cases = reference(Path(sys.argv[1])), np.random.default_rng(2501), []
    for kind, right, people in (
        ("accuracy", 0.9, 0.8),
        ("accuracy", 0.7, 0.8),
        ("neg_rmse", 0.5, 0.9),
        ("neg_rmse", 1.1, 0.8),
    ):
        truth = rng.integers(1, 6, 90)

        def judged(skill: float, truth: np.ndarray = truth, kind: str = kind) -> list[int]:
            if kind == "accuracy":
                return np.where(rng.random(90) < skill, truth, rng.integers(1, 6, 90)).tolist()
            return np.round(truth + rng.normal(0, skill, 90)).astype(int).tolist()

        judge = {f"d{one}": value for one, value in enumerate(judged(right))}
        humans = {
            f"person {name}": {
                f"d{one}": value for one, value in enumerate(judged(people)) if rng.random() < 0.7
            }
            for name in range(5)
        }
        for epsilon in (0.1, 0.2):
            with contextlib.redirect_stdout(io.StringIO()):
                rate, advantage = test(judge, humans, kind, epsilon=epsilon)
            alignment = "same" if kind == "accuracy" else "distance"
            cases.append(
                {
                    "alignment": alignment,
                    "epsilon": epsilon,
                    "judge": judge,
                    "people": humans,
                    "winning_rate": rate,
                    "advantage": advantage,
                }
            )
    print(json.dumps({"by": "alt_test of github.com/nitaytech/AltTest", "cases": cases}))


if __name__ == "__main__":
    main()
