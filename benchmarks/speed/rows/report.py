"""The report of 5,000 dialogues, from the shell to the file, as HTML and as PDF."""

from benchmarks.speed.inputs import write_dataset
from benchmarks.speed.row import Measured, Row, cost_of, limited, point, vivavoce, workplace

SIZES, LIMIT_S = (50, 500, 5_000), 5.0


def measure(quick: bool) -> Measured:
    result = Measured()
    with workplace() as folder:
        for shape in ("html", "pdf"):
            points = []
            for size in SIZES[:1] if quick else SIZES:
                dataset = folder / str(size)
                if not dataset.is_dir():
                    write_dataset(dataset, size)
                words = vivavoce("report", dataset, "--out", folder / f"{size}.{shape}")
                costs = [cost_of(words) for _ in range(3 if size == SIZES[-1] else 1)]
                points.append(point(size, min(costs, key=lambda cost: cost.cpu_s)))
                if size == (SIZES[0] if quick else SIZES[-1]):
                    spent, clock = [one.cpu_s for one in costs], [one.seconds for one in costs]
                    what = f"{shape.upper()}, {size:,} dialogues"
                    result.figures.append(limited(what, clock, LIMIT_S, unit="s"))
                    result.figures.append(
                        limited(f"{what}, by the processor", spent, LIMIT_S, unit="CPU s", aim=None)
                    )
            result.growth[f"dialogues, {shape.upper()}"] = points
    return result


ROW = Row(
    "report",
    "report of 5,000 dialogues",
    "limit: 5 s",
    measure,
    why="a third is measures, a quarter start-up, a sixth resampling for intervals of confidences",
)
