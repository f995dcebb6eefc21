"""Logs that are cut, shuffled, of wrong types, enormous or in other encodings, for every importer."""

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from unit.importers.samples import SAMPLES, mapping_of
from vivavoce.core.errors import InputError
from vivavoce.importers.base import IMPORTERS, ImportResult

WRONG: list[Any] = [None, True, -1, 10**30, 1e308, "", "\ud800", "x", [], {}, [[]], {"a": {"b": []}}, [None]]
HUGE = "z" * 300_000


def cut(data: bytes, draw: random.Random) -> bytes:
    return data[: draw.randrange(len(data))]


def shuffled(data: bytes, draw: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def scrambled(data: bytes, draw: random.Random) -> bytes:
    """A stretch of bytes in another order."""
    start = draw.randrange(len(data))
    part = list(data[start : start + 60])
    draw.shuffle(part)
    return data[:start] + bytes(part) + data[start + 60 :]


def mistyped(data: bytes, draw: random.Random) -> bytes:
    """JSON with a value of another kind somewhere, or one line of it; other files with other bytes."""
    lines = data.splitlines()
    whole = len(lines) < 2 or not lines[0].rstrip().endswith(b"}")
    place = 0 if whole else draw.randrange(len(lines))
    try:
        content = json.loads(data if whole else lines[place])
    except ValueError:
        return scrambled(data, draw)
    changed = json.dumps(_changed(content, draw)).encode()
    return changed if whole else b"\n".join([*lines[:place], changed, *lines[place + 1 :]])


def _changed(content: Any, draw: random.Random) -> Any:
    keys = (
        list(content)
        if isinstance(content, dict)
        else list(range(len(content)))
        if isinstance(content, list)
        else []
    )
    if not keys or draw.random() < 0.15:
        return draw.choice(WRONG)
    chosen = draw.choice(keys)
    pairs = [(key, _changed(content[key], draw) if key == chosen else content[key]) for key in keys]
    return dict(pairs) if isinstance(content, dict) else [value for _, value in pairs]


def enormous(data: bytes, draw: random.Random) -> bytes:
    """A text within it that is 300,000 characters long, or brackets nested as deeply."""
    quotes = [place for place, byte in enumerate(data) if byte in b'"']
    place = draw.choice(quotes) + 1 if quotes else draw.randrange(len(data))
    return data[:place] + draw.choice((HUGE.encode(), b"[" * 100_000, b'"' * 7)) + data[place:]


def recoded(data: bytes, draw: random.Random) -> bytes:
    text = data.decode("utf-8", errors="replace")
    return text.encode(draw.choice(("utf-16", "utf-16-le", "utf-32", "cp037")), errors="replace")


def stained(data: bytes, draw: random.Random) -> bytes:
    place = draw.randrange(len(data))
    return data[:place] + bytes([draw.choice((0, 0xE9, 0xFF, 10, 34))]) + data[place + 1 :]


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    cut,
    shuffled,
    scrambled,
    mistyped,
    mistyped,
    enormous,
    recoded,
    stained,
]


def check(name: str, folder: Path, seed: int) -> None:
    """One mutated log: read or refused in one line, and what is read and skipped adds up to what is there."""
    _, write = SAMPLES[name]
    folder.mkdir()
    draw = random.Random(f"{name} {seed}")
    log = write(folder)
    files = sorted(one for one in folder.rglob("*") if one.is_file() and one.name != "mapping.yaml")
    chosen = draw.choice(files)
    mutate = draw.choice(MUTATIONS)
    mutated = mutate(chosen.read_bytes(), draw)
    chosen.write_bytes(mutated)
    told: list[tuple[int, int]] = []
    about = f"{name}, seed {seed}: {mutate.__name__} of {chosen.name}"
    try:
        made: ImportResult = IMPORTERS.get(name).make_dataset(
            [log], folder / "D", mapping=mapping_of(folder), progress=lambda done, of: told.append((done, of))
        )
    except InputError as refusal:
        assert "\n" not in str(refusal) and len(str(refusal)) < 2000, about
        assert not (folder / "D" / "dataset.json").exists(), about
    except Exception as error:
        raise AssertionError(f"{about} ends in {type(error).__name__}: {error}") from error
    else:
        done, of = told[-1]
        assert done == of == made.calls + len(made.skipped), about
        assert made.calls > 0 and not any("\n" in line for line in made.skipped), about
        if mutate in (mistyped, stained, scrambled) and name in LINES:
            assert of == sum(bool(line.strip()) for line in _lines(mutated)), about
    shutil.rmtree(folder)


LINES = ("openai", "chatbot-arena")


def _lines(data: bytes) -> list[bytes]:
    return data.split(b"\n")


@pytest.mark.parametrize("name", IMPORTERS.names())
def test_a_broken_log_is_read_or_refused_and_nothing_is_lost_unsaid(name: str, tmp_path: Path) -> None:
    for seed in range(5):
        check(name, tmp_path / str(seed), seed)


@pytest.mark.long
@pytest.mark.parametrize("name", IMPORTERS.names())
def test_two_hundred_broken_logs_are_read_or_refused(name: str, tmp_path: Path) -> None:
    for seed in range(100, 300):
        check(name, tmp_path / str(seed), seed)
