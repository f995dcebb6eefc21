"""Where the time of the slowest rows goes, by py-spy: `python -m benchmarks.speed.profiles before|after`.

What is profiled is the `vivavoce` that this interpreter imports. A sample is of the innermost of its frames
that a part names; shares of samples are shares of the processor time that the command takes without a
profiler, so that others on the machine make no part longer. Writes benchmarks/results/profiles.json.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, Final

from benchmarks.speed import peers, results
from benchmarks.speed.inputs import write_table
from benchmarks.speed.row import cost_of, vivavoce, workplace
from benchmarks.speed.rows.importing import MAPPING

PROFILES: Final = results.RESULTS.with_name("profiles.json")
RATE_HZ: Final = 200
REST: Final = "everything else"
Parts = Mapping[str, str]

IMPORT: Final[Parts] = {
    "reading lines as JSON": r"records|read_json|decode|_records|split",
    "sorting rows by dialogue, looking at their columns": r"read_table|_check_columns|named|_key",
    "making turns of rows": r"_dialogue|_messages|_say|say|turn|_instants?|_cell",
    "checking cells": r"check_rows|_plainly_fits|columns_of|_cells|_check_new",
    "hashing rows": r"sum_digests|_encoded",
    "handing rows on, naming people": r"_renamed\w*|_person|_add|_?take|_rows_of|_name_people",
    "columns and Parquet": r"_flush|_write|_set_columns|_pend|add_table|write_table|lay_in_buckets|_part|"
    r"_read \(vivavoce/log/.*|_apart|file_digest",
    "loading modules": r"_find_and_load",
}
CHECK: Final[Parts] = {
    "loading numpy and Arrow": r".*\((?:numpy|pyarrow)/.*|_find_and_load_unlocked \(numpy",
    "loading what speaks HTTP": r".*\((?:aiohttp|httpx|httpcore|yarl|multidict|rich|h11)/.*",
    "building models of settings": r".*\((?:pydantic|annotated_types)/.*|.*\(dataclasses.py.*",
    "reading catalogues of sentences": r"parse_catalogue|read_po",
    "expressions of JSONPath": r".*\(jsonpath/.*",
    "loading our modules": r"_find_and_load",
}


def profiled(command: Callable[[], list[str]], parts: Parts, rounds: int = 1) -> dict[str, float]:
    """Processor seconds of each part of a command, which is made anew each time; the mean of the rounds."""
    spent: Counter[str] = Counter()
    cpu_s = min(cost_of(command()).cpu_s for _ in range(max(2, rounds // 2)))
    sampler = peers.python("py-spy").with_name("py-spy")
    with workplace() as folder:
        for _ in range(rounds):
            raw = folder / "raw.txt"
            words = [str(sampler), "record", "-r", str(RATE_HZ), "-f", "raw", "-o", str(raw), "--"]
            subprocess.run([*words, *command()], check=True, capture_output=True)
            for line in raw.read_text(encoding="utf-8").splitlines():
                stack, _, count = line.rpartition(" ")
                spent[part_of(stack.split(";"), parts)] += int(count)
    return {part: round(cpu_s * spent[part] / spent.total(), 2) for part in (*parts, REST)}


def part_of(stack: list[str], parts: Parts) -> str:
    """The part that the innermost frame belongs to which belongs to any."""
    for frame in reversed(stack):
        name = frame.partition(" (")[0].rpartition(".")[2]
        for part, pattern in parts.items():
            if re.fullmatch(pattern, name) or re.fullmatch(pattern, frame):
                return part
    return REST


def main() -> None:
    when = sys.argv[1] if sys.argv[1:] in (["before"], ["after"]) else sys.exit(__doc__)
    found: dict[str, Any] = json.loads(PROFILES.read_text(encoding="utf-8")) if PROFILES.is_file() else {}
    with workplace() as folder:
        mapping, source = folder / "mapping.yaml", write_table(folder / "turns.jsonl", 100_000)
        mapping.write_text(MAPPING, encoding="utf-8")
        made = count()

        def words() -> list[str]:
            into = folder / f"made{next(made)}"
            return vivavoce("import", "table", source, "--mapping", mapping, "--into", into)

        told = "`import table`, a million turns"
        found.setdefault(told, {})[when] = profiled(words, IMPORT)
        cost_of(vivavoce("init", folder / "study"))
        check = vivavoce("check", folder / "study", "--no-bots")
        found.setdefault("`check`", {})[when] = profiled(lambda: check, CHECK, 10)
    PROFILES.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
