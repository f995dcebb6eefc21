"""All built-in measures over datasets of 1,000 dialogues and more, and a few of them by pandas and polars.

A million dialogues (ten million turns) are measured where the size before lets one expect that it takes no
more than PATIENCE_S; else the largest that was measured is scaled up, and the row says so.
"""

import json
from pathlib import Path

from benchmarks.speed import peers
from benchmarks.speed.inputs import write_dataset
from benchmarks.speed.row import (
    Measured,
    Points,
    Row,
    compared,
    cost_of,
    in_turns,
    limited,
    point,
    vivavoce,
    workplace,
)

SIZES = (1_000, 10_000, 100_000, 1_000_000)
LIMIT_CPU_S, LIMIT_MB, PATIENCE_S = 180.0, 2000.0, 300.0
COMPARED = 100_000
PROGRAM = Path(__file__).parents[1] / "programs" / "few_measures.py"
FEW = (
    "turns",
    "user_turns",
    "system_turns",
    "words_per_user_turn",
    "words_per_system_turn",
    "user_turn_duration",
    "system_turn_duration",
    "system_response_delay",
)
EXACT = 1e-6


def _few(found: Path) -> list[str]:
    return vivavoce("measure", found, *(word for name in FEW for word in ("--only", name)), "--json")


def measure(quick: bool) -> Measured:
    tables, result = peers.python("tables"), Measured()
    compared_at = SIZES[0] if quick else COMPARED
    points: Points = []
    with workplace() as folder:
        for size in SIZES[:1] if quick else SIZES:
            if points and points[-1]["cpu_s"] * size / points[-1]["size"] > PATIENCE_S:
                break
            dataset = write_dataset(folder / str(size), size)
            words = ("--only", "all", "--parquet", folder / f"{size}.parquet")
            points.append(point(size, cost_of(vivavoce("measure", dataset, *words))))
            if size == compared_at:
                result.figures += _against_peers(tables, dataset, 1 if quick else 3)
    last = points[-1]
    scale = SIZES[-1] / last["size"]
    note = "" if scale == 1 else f"{last['size']:,.0f} dialogues, scaled up to a million"
    result.figures += [
        limited(
            "all measures, a million dialogues", [last["cpu_s"] * scale], LIMIT_CPU_S, unit="CPU s", note=note
        ),
        limited(
            "peak memory", [last["peak_mb"]], LIMIT_MB, unit="MB", note=f"at {last['size']:,.0f} dialogues"
        ),
    ]
    result.growth["dialogues"] = points
    return result


def _against_peers(tables: Path, dataset: Path, rounds: int) -> list:
    found: dict[str, dict[str, float]] = {}

    def peer(name: str) -> float:
        cost = cost_of([tables, PROGRAM, name, dataset])
        found[name] = json.loads(cost.stdout)
        return cost.cpu_s

    works = {"ours": lambda: cost_of(_few(dataset)).cpu_s}
    works |= {name: lambda name=name: peer(name) for name in ("pandas", "polars", "scan")}
    spent = in_turns(works, rounds)
    apart = [name for name in FEW if abs(found["pandas"][name] / found["polars"][name] - 1) > EXACT]
    assert not apart, f"pandas and polars do not agree on {apart}"
    what = f"{len(FEW)} measures with intervals"
    common = {"unit": "CPU s", "direction": "at least"}
    return [
        compared(what, spent["ours"], spent["pandas"], against="pandas", aim=1, **common),
        compared(what, spent["ours"], spent["polars"], against="polars", **common),
        compared(what, spent["ours"], spent["scan"], against="plain scan", unit="CPU s"),
    ]


ROW = Row(
    "measures",
    "all interaction parameters of a million dialogues",
    "limit; pandas, polars, plain scan",
    measure,
    ("tables",),
    limit_s=600,
    why=(
        "the goals of dialogues are still walked one by one in Python, and facts about all dialogues take a "
        "first pass"
    ),
)
