"""All measures over very many dialogues: processor time and memory, beside a scan, pandas and polars.

    python benchmarks/measure_scale.py [--dialogues 10000 100000] [--engine processes:2] [--keep FOLDER]

Calls of ten turns are generated (seeded) with transcripts, recognitions, acts, goals, ratings and a database
of venues, and lie in Parquet. Each figure is of a process of its own, imports included: seconds of the
processor (of workers, too), of the clock, and its own largest memory (Linux). `scan` reads all tables bucket
by bucket and computes nothing, which is the limit. `pandas` and `polars` compute FEW measures, which `few`
computes here: what another library takes for them. `exponent` is how the processor time of all measures grows
from one number of dialogues to the next; 1 is in proportion. polars is left out where it is not installed.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

TURNS: Final = 10
CHUNK: Final = 20_000
CALLS: Final = 20
FEW: Final = ["turns", "user_words", "system_turn_duration", "dialogue_duration", "subjective_success"]
FOODS: Final = ["thai", "greek", "british", "indian", "chinese", "italian", "french", "korean"]
AREAS: Final = ["north", "south", "east", "west", "centre"]
PRICES: Final = ["cheap", "moderate", "expensive"]
TALK: Final = """i want a restaurant in the part of town please with food what is phone number address thank
you good bye uh yes no how about any kind price range looking for"""
WORDS: Final = [*FOODS, *AREAS, *PRICES, *TALK.split()]
SYSTEM: Final = [
    "What kind of food would you like?",
    "What part of town do you have in mind?",
    "You are looking for",
]
PROGRAMS: Final = {
    "scan": "from vivavoce.dataset.reader import Dataset; from vivavoce.dataset.schema import TABLES\n"
    "d = Dataset({folder!r})\n"
    "print(sum(len(d.bucket(n).read(t)) for n in range(d.buckets) for t in d.manifest['tables']))",
    "pandas": """
import pandas as pd
d, t, r = (pd.read_parquet({folder!r} + f"/{{name}}.parquet") for name in ("dialogues", "turns", "ratings"))
u, s = t[t.party == "user"], t[t.party == "system"]
found = [t.groupby("dialogue_id").size(), u.reference.str.split().str.len().groupby(u.dialogue_id).sum(),
         (s.offset_s - s.onset_s).groupby(s.dialogue_id).agg(["sum", "count"]),
         d.set_index("dialogue_id").duration_s,
         r[r.role == "subjective_success"].groupby("dialogue_id").value.sum()]
systems = d.set_index("dialogue_id").system
print([one.groupby(systems).sum() for one in found])""",
    "polars": """
import polars as pl
d, t, r = (pl.read_parquet({folder!r} + f"/{{name}}.parquet") for name in ("dialogues", "turns", "ratings"))
u, s = t.filter(pl.col("party") == "user"), t.filter(pl.col("party") == "system")
found = [t.group_by("dialogue_id").len("a"),
         u.group_by("dialogue_id").agg(a=pl.col("reference").str.split(" ").list.len().sum()),
         s.group_by("dialogue_id").agg(a=(pl.col("offset_s") - pl.col("onset_s")).sum()),
         d.select("dialogue_id", a="duration_s"),
         r.filter(pl.col("role") == "subjective_success").group_by("dialogue_id").agg(pl.col("value").sum())]
systems = d.select("dialogue_id", "system")
joined = [one.join(systems, on="dialogue_id").drop("dialogue_id") for one in found]
print([one.group_by("system").sum() for one in joined])""",
}
MEASURED: Final = """
import resource, runpy, sys, time
begun = time.perf_counter()
sys.argv = {arguments!r}
try:
    {run}
except SystemExit as end:
    assert not end.code, end.code
finally:
    every = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(one.ru_utime + one.ru_stime for one in every)
    status = dict(line.split(":") for line in open("/proc/self/status"))  # ru_maxrss has the parent's, too
    figures = cpu, time.perf_counter() - begun, int(status["VmHWM"].split()[0]) / 1024
    print("FIGURES", *(round(one, 2) for one in figures), file=sys.stderr)
"""


def generate(folder: Path, dialogues: int, seed: int = 1) -> None:
    """A dataset of so many calls, with participants who hold CALLS each."""
    from vivavoce.dataset.writer import DatasetWriter

    draw = np.random.default_rng(seed)
    words = np.array(WORDS, dtype=object)
    texts = [" ".join(words[draw.integers(0, len(words), n)]) for n in draw.integers(1, 9, 100_000)]
    heard = [_noisy(text, draw) for _ in range(3) for text in texts]
    with DatasetWriter(folder, study={"name": "generated"}, source={"kind": "generated"}) as writer:
        writer.add("entities", _venues())
        writer.add(
            "participants",
            ({"participant_id": f"p{one}", "simulated": False} for one in range(-(-dialogues // CALLS))),
        )
        for begin in range(0, dialogues, CHUNK):
            count = min(CHUNK, dialogues - begin)
            for name, columns in _calls(np.arange(begin, begin + count), texts, heard, draw).items():
                writer.add_table(name, pa.table(columns))


def _noisy(text: str, draw: np.random.Generator) -> str:
    words = text.split()
    chances, others = draw.random(len(words)).tolist(), draw.integers(0, len(WORDS), len(words)).tolist()
    pairs = zip(words, chances, others, strict=True)
    return " ".join(WORDS[n] if chance < 0.15 else word for word, chance, n in pairs if chance < 0.95)


def _venues() -> list[dict[str, str]]:
    return [
        {
            "entity_id": f"v{n}",
            "name": f"venue {n}",
            "slot": slot,
            "value": value,
            "source": "database",
            "match": "exact",
        }
        for n in range(60)
        for slot, value in {
            "food": FOODS[n % len(FOODS)],
            "area": AREAS[n // len(FOODS) % len(AREAS)],
            "pricerange": PRICES[n // 50 % len(PRICES)],
            "phone": f"01223 {n:06d}",
        }.items()
    ]


def _of(values: Sequence[str | None], places: np.ndarray) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(values)).dictionary_decode()


def _calls(
    numbers: np.ndarray, texts: list[str], heard: list[str], draw: np.random.Generator
) -> dict[str, dict[str, Any]]:
    many = len(numbers)
    keys = [f"call-{one:08d}" for one in numbers]
    index = np.tile(np.arange(TURNS, dtype=np.int32), many)
    own, user = np.repeat(np.arange(many), TURNS), np.tile(np.arange(TURNS) % 2 == 1, many)
    lasts = draw.uniform(0.5, 5, many * TURNS).round(2)
    ends = np.cumsum((lasts + 0.4).reshape(many, TURNS), axis=1).ravel().round(2)
    said = (draw.zipf(1.2, many * TURNS) - 1) % len(texts)
    recognised = said + len(texts) * draw.integers(0, 3, many * TURNS)
    reference = pa.array(_of(texts, said).to_pylist(), mask=~user)
    prompts = _of(SYSTEM, draw.integers(0, len(SYSTEM), many * TURNS))
    text = np.where(user, _of(heard, recognised).to_numpy(False), prompts.to_numpy(False))
    turn = {"dialogue_id": _of(keys, own), "turn_index": index}
    dialogues = {
        "dialogue_id": keys,
        "participant_id": [f"p{one // CALLS}" for one in numbers],
        "system": _of(["bot0", "bot1"], numbers % 2),
        "condition": _of(["bot0", "bot1"], numbers % 2),
        "channel": _of(["phone"], numbers * 0),
        "language": _of(["en"], numbers * 0),
        "study": _of(["generated"], numbers * 0),
        "simulated": np.zeros(many, bool),
        "duration_s": ends.reshape(many, TURNS)[:, -1],
    }
    turns = {
        **turn,
        "party": _of(["system", "user"], user.astype(int)),
        "text": pa.array(text),
        "reference": reference,
        "onset_s": (ends - lasts).round(2),
        "offset_s": ends,
        "barge_in": pa.array(draw.random(len(user)) < 0.1, mask=~user),
        **{flag: pa.array(draw.random(len(user)) < 0.3, mask=user) for flag in ("question", "help")},
    }
    of_users = {name: pa.array(values).filter(pa.array(user)) for name, values in turn.items()}
    spoken = np.flatnonzero(user)
    hypotheses = {
        **of_users,
        "source": _of(["live"], spoken * 0),
        "rank": np.zeros(len(spoken), np.int32),
        "text": _of(heard, recognised[spoken]),
        "score": draw.uniform(0, 1, len(spoken)).round(3),
    }
    wishes = draw.integers(0, [[len(FOODS), len(AREAS)]] * many)
    return {
        "dialogues": dialogues,
        "turns": turns,
        "hypotheses": hypotheses,
        "acts": _acts(keys, wishes, draw),
        "goals": {
            "dialogue_id": _of(keys, np.repeat(np.arange(many), 3)),
            "goal_index": np.zeros(3 * many, np.int32),
            "origin": _of(["assigned"], np.zeros(3 * many, int)),
            "kind": _of(["constraint", "request"], np.tile([0, 0, 1], many)),
            "slot": _of(["food", "area", "phone"], np.tile([0, 1, 2], many)),
            "op": _of(["=", None], np.tile([0, 0, 1], many)),
            "value": _of(
                [*FOODS, *AREAS, None],
                np.column_stack(
                    [wishes[:, 0], len(FOODS) + wishes[:, 1], np.full(many, len(FOODS) + len(AREAS))]
                ).ravel(),
            ),
        },
        "ratings": {
            "dialogue_id": keys,
            "participant_id": dialogues["participant_id"],
            "instrument": _of(["cambridge"], numbers * 0),
            "wording": _of(["corpus"], numbers * 0),
            "item_id": _of(["found_all"], numbers * 0),
            "role": _of(["subjective_success"], numbers * 0),
            "value": (draw.random(many) < 0.7).astype(float),
        },
    }


def _acts(keys: list[str], wishes: np.ndarray, draw: np.random.Generator) -> dict[str, Any]:
    """The user wants food, then area, and asks for the phone; the system offers venues and tells of them."""
    many = len(keys)
    offered = draw.integers(0, 60, (many, 2))
    offered[:, 1] = np.where(draw.random(many) < 0.6, wishes @ (1, len(FOODS)), offered[:, 1])
    foods = np.where(draw.random(many) < 0.85, wishes[:, 0], draw.integers(0, len(FOODS), many))
    values: list[str | None] = [*FOODS, *AREAS, *(f"venue {n}" for n in range(60))]
    values += [*(f"01223 {n:06d}" for n in range(60)), None]
    area, venue = len(FOODS), len(FOODS) + len(AREAS)
    phone, nothing = venue + 60, len(values) - 1
    rows = [  # turn, layer, act, slot, value
        (0, "system", "welcomemsg", None, np.full(many, nothing)),
        (1, "reference", "inform", "food", wishes[:, 0]),
        (1, "understood", "inform", "food", foods),
        (2, "system", "request", "area", np.full(many, nothing)),
        (3, "reference", "inform", "area", area + wishes[:, 1]),
        (3, "understood", "inform", "area", area + wishes[:, 1]),
        (4, "system", "offer", "name", venue + offered[:, 0]),
        (5, "reference", "reqalts", None, np.full(many, nothing)),
        (5, "understood", "reqalts", None, np.full(many, nothing)),
        (6, "system", "offer", "name", venue + offered[:, 1]),
        (7, "reference", "request", "phone", np.full(many, nothing)),
        (7, "understood", "request", "phone", np.full(many, nothing)),
        (8, "system", "inform", "phone", phone + offered[:, 1]),
        (9, "reference", "bye", None, np.full(many, nothing)),
        (9, "understood", "bye", None, np.full(many, nothing)),
    ]
    width = len(rows)
    words = {name: [row[place] for row in rows] for name, place in (("layer", 1), ("act", 2), ("slot", 3))}
    sources = [{"reference": "label"}.get(row[1], "system") for row in rows]
    every, zero = np.tile(np.arange(width), many), np.zeros(many * width, np.int32)
    told = [row[4] == nothing for row in rows]
    return {
        "dialogue_id": _of(keys, np.repeat(np.arange(many), width)),
        "turn_index": np.tile(np.array([row[0] for row in rows], np.int32), many),
        **{name: _of(column, every) for name, column in words.items()},
        "source": _of(sources, every),
        "rank": zero,
        "position": zero,
        "value": _of(values, np.column_stack([row[4] for row in rows]).ravel()),
        "op": _of(["=", None], np.column_stack(told).ravel().astype(int)),
    }


def measured(run: str, arguments: Sequence[str] = ()) -> dict[str, float]:
    """Figures of a program in a process of its own."""
    body = "\n    ".join(run.strip().splitlines())
    program = MEASURED.format(arguments=["vivavoce", *arguments], run=body)
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    cpu, clock, memory = map(float, done.stderr.split("FIGURES")[1].split()[:3])
    return {"processor_s": cpu, "seconds": clock, "memory_mb": memory}


def verb(folder: Path, *more: str) -> dict[str, float]:
    arguments = ["measure", str(folder), "--json", *more]
    return measured("runpy.run_module('vivavoce', run_name='__main__')", arguments)


def figures(folder: Path, engine: str | None) -> dict[str, Any]:
    only = [word for name in FEW for word in ("--only", name)]
    found = {"all measures": verb(folder, "--only", "all"), "few": verb(folder, *only)}
    if engine:
        found[f"all measures, {engine}"] = verb(folder, "--only", "all", "--engine", engine)
    for name, program in PROGRAMS.items():
        if name == "scan" or find_spec(name):
            found[name] = measured(program.format(folder=str(folder)))
    for name in ("pandas", "polars"):
        if name in found:
            found["few"][f"of_{name}"] = round(found["few"]["processor_s"] / found[name]["processor_s"], 2)
    whole = found["all measures"]
    whole["of_scan"] = round(whole["processor_s"] / found["scan"]["processor_s"], 1)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dialogues", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--engine", help="also with this engine")
    parser.add_argument("--keep", type=Path, help="where generated datasets lie from one run to the next")
    options = parser.parse_args()
    found: dict[str, Any] = {"load": round(os.getloadavg()[0], 1), "processors": os.cpu_count()}
    before: tuple[int, float] | None = None
    with tempfile.TemporaryDirectory() as temporary:
        for dialogues in options.dialogues:
            folder = (options.keep or Path(temporary)) / f"calls-{dialogues}"
            if not (folder / "dataset.json").is_file():
                generate(folder, dialogues)
            found[str(dialogues)] = own = figures(folder, options.engine)
            cpu = own["all measures"]["processor_s"]
            if before is not None:
                exponent = math.log(cpu / before[1]) / math.log(dialogues / before[0])
                own["all measures"]["exponent"] = round(exponent, 2)
            before = dialogues, cpu
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
