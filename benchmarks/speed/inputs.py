"""Large inputs, generated from a seed: datasets as an older version wrote them, and foreign logs.

Columns are drawn as whole arrays, some dialogues at a time, so that a million dialogues are written in a
minute and in little memory.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vivavoce.dataset.schema import TABLES

SEED: Final = 24
CHUNK: Final = 20_000
TURNS: Final = 10
EACH: Final = 20
"""Dialogues of a participant."""
WORDS: Final = np.array(
    """
    i want cheap food in the north of town please a pub that serves italian chinese indian british what
    is phone number address and postcode thank you goodbye yes no moderate expensive south east west
    centre anything else do you have something near river with garden for tonight
    """.split()  # noqa: SIM905  as sentences are written
)
FOODS: Final = np.array(["chinese", "italian", "indian", "british"])
AREAS: Final = np.array(["north", "south", "east", "west", "centre"])
Columns = dict[str, Any]


def write_dataset(folder: Path, dialogues: int, *, seed: int = SEED, only_speech: bool = False) -> Path:
    """A dataset of spoken dialogues of ten turns with transcripts, hypotheses, acts, goals and ratings.

    Each table lies in buckets of so many whole dialogues, a row group each, by the order of their keys.

    only_speech  every turn is the user's, and there is nothing but what was said and what was heard
    """
    folder.mkdir(parents=True)
    random, writers, counts = np.random.default_rng(seed), {}, {}
    for start in range(0, dialogues, CHUNK):
        numbers = np.arange(start, min(start + CHUNK, dialogues))
        parts: dict[str, list[pa.Table]] = {}
        for name, columns in _chunk(numbers, random, only_speech):
            parts.setdefault(name, []).append(_table(name, columns))
        for name, several in parts.items():
            rows = pa.concat_tables(several)
            order = [(key, "ascending") for key in ("dialogue_id", "turn_index") if key in rows.column_names]
            if name not in writers:
                path = folder / f"{name}.parquet"
                writers[name] = pq.ParquetWriter(path, rows.schema, compression="zstd")
            writers[name].write_table(rows.sort_by(order) if order else rows, row_group_size=len(rows))
            counts[name] = counts.get(name, 0) + len(rows)
    for writer in writers.values():
        writer.close()
    manifest = {
        "format": "vivavoce-dataset",
        "schema_version": 1,
        "vivavoce": "0.1.0",
        "hash": f"{seed:04x}{dialogues:08x}",
        "created_at": "2026-01-01T00:00:00+00:00",
        "study": {"name": "generated"},
        "source": {"kind": "generated", "seed": seed},
        "notes": [],
        "buckets": -(-dialogues // CHUNK),
        "tables": {name: {"rows": rows, "sha256": ""} for name, rows in sorted(counts.items())},
    }
    (folder / "dataset.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def _table(name: str, columns: Columns) -> pa.Table:
    schema, size = TABLES[name].arrow(), len(next(iter(columns.values())))
    arrays = [
        pa.array(columns[one.name], one.type) if one.name in columns else pa.nulls(size, one.type)
        for one in schema
    ]
    return pa.Table.from_arrays(arrays, schema=schema)


def _chunk(
    numbers: np.ndarray, random: np.random.Generator, only_speech: bool
) -> Iterator[tuple[str, Columns]]:
    size = len(numbers)
    keys = np.char.add("d", np.char.zfill(numbers.astype(str), 8))
    people = np.unique(numbers // EACH) if numbers[0] % EACH == 0 else np.unique(numbers // EACH)[1:]
    system, channel = np.where(numbers % 2, "beta", "alpha"), np.full(size, "phone")
    yield "participants", {"participant_id": _person(people), "simulated": np.zeros(len(people), bool)}
    yield (
        "dialogues",
        {
            "dialogue_id": keys,
            "study": np.full(size, "generated"),
            "system": system,
            "condition": system,
            "participant_id": _person(numbers // EACH),
            "dialogue_number": numbers % EACH + 1,
            "channel": channel,
            "language": np.full(size, "en"),
            "duration_s": 40 + random.gamma(4, 10, size),
            "end_reason": np.full(size, "user"),
            "simulated": np.zeros(size, bool),
        },
    )
    dialogue, index = np.repeat(np.arange(size), TURNS), np.tile(np.arange(TURNS), size)
    user = np.ones(size * TURNS, bool) if only_speech else index % 2 == 1
    said, heard = _sentences(len(index), random)
    onset = index * 5.0 + random.random(len(index))
    yield (
        "turns",
        {
            "dialogue_id": keys[dialogue],
            "turn_index": index,
            "party": np.where(user, "user", "system"),
            "text": heard,
            "reference": pa.array(said, mask=~user),
            "onset_s": onset,
            "offset_s": onset + 1 + random.gamma(4, 0.4, len(index)),
            "barge_in": pa.array(random.random(len(index)) < 0.05, mask=~user),
        },
    )
    place = np.flatnonzero(user)
    yield (
        "hypotheses",
        {
            "dialogue_id": keys[dialogue[place]],
            "turn_index": index[place],
            "text": heard[place],
            "source": np.full(len(place), "live"),
            "rank": np.zeros(len(place), int),
            "score": random.random(len(place)),
        },
    )
    if not only_speech:
        yield from _meant(numbers, keys, dialogue, index, user, random)


def _meant(numbers, keys, dialogue, index, user, random) -> Iterator[tuple[str, Columns]]:
    """Acts of both parties, goals and ratings."""
    size = len(numbers)
    food, area = FOODS[numbers % 4], AREAS[numbers % 5]
    place, slot = np.flatnonzero(user), np.where(index[user] % 4 == 1, "food", "area")
    meant = np.where(slot == "food", food[dialogue[place]], area[dialogue[place]])
    wrong = random.random(len(place)) < 0.15
    understood = np.where(wrong, np.where(slot == "food", FOODS[0], AREAS[0]), meant)
    told = np.flatnonzero(~user)
    sides = (
        ("reference", "label", place, "inform", slot, meant),
        ("understood", "bot", place, "inform", slot, understood),
        ("system", "bot", told, "offer", np.full(len(told), "name"), _venue(numbers[dialogue[told]])),
    )
    for layer, source, of, act, about, value in sides:
        yield (
            "acts",
            {
                "dialogue_id": keys[dialogue[of]],
                "turn_index": index[of],
                "layer": np.full(len(of), layer),
                "source": np.full(len(of), source),
                "rank": np.zeros(len(of), int),
                "slot": about,
                "value": value,
                "position": np.zeros(len(of), int),
                "act": np.full(len(of), act),
                "op": np.full(len(of), "="),
            },
        )
    for name, value in (("food", food), ("area", area)):
        yield (
            "goals",
            {
                "dialogue_id": keys,
                "goal_index": np.zeros(size, int),
                "origin": np.full(size, "assigned"),
                "kind": np.full(size, "constraint"),
                "slot": np.full(size, name),
                "op": np.full(size, "="),
                "value": value,
            },
        )
    items = ("found_all", "understood", "again")
    for number, item in enumerate(items):
        role = "subjective_success" if number == 0 else None
        answers = random.integers(0, 2 if number == 0 else 6, size).astype(float)
        yield (
            "ratings",
            {
                "dialogue_id": keys,
                "participant_id": _person(numbers // EACH),
                "value": answers,
                "instrument": np.full(size, "cambridge"),
                "item_id": np.full(size, item),
                "role": [role] * size,
            },
        )


def _person(numbers: np.ndarray) -> np.ndarray:
    return np.char.add("p", np.char.zfill(numbers.astype(str), 7))


def _venue(numbers: np.ndarray) -> np.ndarray:
    return np.char.add("venue ", (numbers % 100).astype(str))


def _sentences(size: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """What was said, and what was heard: in a third a word is wrong or missing; each four times or so."""
    pool = max(size // 4, 1)
    lengths, drawn = random.integers(3, 14, pool), WORDS[random.integers(0, len(WORDS), (pool, 15))]
    places = random.integers(0, lengths)
    said, heard = np.empty(pool, object), np.empty(pool, object)
    together = zip(drawn.tolist(), lengths.tolist(), places.tolist(), strict=True)
    for number, (words, length, place) in enumerate(together):
        said[number] = heard[number] = " ".join(words[:length])
        if number % 3 == 0:
            wrong = [] if number % 2 else [words[-1]]
            heard[number] = " ".join([*words[:place], *wrong, *words[place + 1 : length]])
    which = random.integers(0, pool, size)
    return said[which], heard[which]


def write_table(path: Path, dialogues: int, *, seed: int = SEED) -> Path:
    """A foreign log: one JSON line a turn, as anybody's logging writes them."""
    random = np.random.default_rng(seed)
    said, _ = _sentences(dialogues * TURNS, random)
    with path.open("w", encoding="utf-8") as file:
        for number in range(dialogues):
            for index in range(TURNS):
                turn = {
                    "conversation": f"c{number:08}",
                    "bot": ("alpha", "beta")[number % 2],
                    "user": f"u{number // EACH:07}",
                    "turn": index,
                    "speaker": ("bot", "user")[index % 2],
                    "text": said[number * TURNS + index],
                    "start": 5.0 * index,
                    "end": 5.0 * index + 3,
                    "lang": "en",
                }
                file.write(json.dumps(turn) + "\n")
    return path


def write_messages(path: Path, dialogues: int, *, seed: int = SEED) -> Path:
    """Conversations of a model as its makers log them: one JSON line a dialogue, with all its messages."""
    random = np.random.default_rng(seed)
    said, _ = _sentences(dialogues * TURNS, random)
    with path.open("w", encoding="utf-8") as file:
        for number in range(dialogues):
            own = said[number * TURNS : (number + 1) * TURNS]
            roles = ("user", "assistant")
            messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(own)]
            file.write(json.dumps({"id": f"c{number:08}", "model": "alpha", "messages": messages}) + "\n")
    return path
