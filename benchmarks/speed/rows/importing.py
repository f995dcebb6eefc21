"""Foreign dialogues into a dataset, beside parsing the same files as JSON and doing nothing with it.

100,000 dialogues are imported where the size before lets one expect that it takes no more than PATIENCE_S.
"""

import sys
from pathlib import Path

from benchmarks.speed.inputs import write_messages, write_table
from benchmarks.speed.row import Measured, Row, compared, cost_of, in_turns, point, vivavoce, workplace

SIZES, PATIENCE_S = (1_000, 10_000, 100_000), 90.0
PARSE = "import json, sys\nfor line in open(sys.argv[1], encoding='utf-8'): json.loads(line)"
MAPPING = """rows: turn
columns: {dialogue: conversation, speaker: speaker, text: text, time: start, system: bot, participant: user,
  language: lang, leave_out: [turn, end]}
fixed: {simulated: false}
parties: {bot: system, user: user}
time_unit: s
"""


def measure(quick: bool) -> Measured:
    result = Measured()
    formats = (
        ("table", "turns as JSON lines", write_table),
        ("openai", "messages as JSON lines", write_messages),
    )
    with workplace() as folder:
        mapping = folder / "mapping.yaml"
        mapping.write_text(MAPPING, encoding="utf-8")
        for format_, told, write in formats:
            points, figure = [], None
            for size in SIZES[:1] if quick else SIZES if format_ == "table" else SIZES[:2]:
                if points and points[-1]["cpu_s"] * size / points[-1]["size"] > PATIENCE_S:
                    break
                source = write(folder / f"{format_}{size}.jsonl", size)
                costs, rounds = {}, 1 if quick or size == SIZES[-1] else 3
                how = ["--mapping", mapping] if format_ == "table" else []

                def work(source: Path = source, costs: dict = costs, rest: tuple = (format_, *how)) -> float:
                    into = folder / "made" / str(len(list((folder / "made").glob("*"))))
                    costs["ours"] = cost_of(vivavoce("import", rest[0], source, *rest[1:], "--into", into))
                    return costs["ours"].cpu_s

                (folder / "made").mkdir(exist_ok=True)
                works = {
                    "ours": work,
                    "json": lambda source=source: cost_of([sys.executable, "-c", PARSE, source]).cpu_s,
                }
                spent = in_turns(works, rounds)
                points.append(point(size, costs["ours"]))
                figure = compared(
                    f"{told}, {size:,} dialogues",
                    spent["ours"],
                    spent["json"],
                    against="plain parsing",
                    unit="CPU s",
                    aim=5,
                )
            result.figures += [figure] if figure else []
            result.growth[f"dialogues, {told}"] = points
    return result


ROW = Row(
    "import",
    "import of 100,000 foreign dialogues",
    "plain JSON parsing of the same files",
    measure,
    limit_s=600,
    why="every row is checked, hashed and written as Parquet; small logs are mostly start-up",
)
