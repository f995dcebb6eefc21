"""What a page of the dialogue list costs the dashboard's server, beside bare SQL queries over the same facts.

    python benchmarks/lab.py [--dialogues N] [--repeat 5] [--limit-ms 300] [--seed 1]

Dialogues are invented, put on the dashboard's board, and asked for as a browser asks: sign-in, query, page
and all. Beside it the same questions to a SQLite file with an index on every column and one of words, where
each facet is one GROUP BY. All in processor time, so that a busy machine changes little. Exit code 1: a page
took more than the limit.
"""

import argparse
import json
import random
import re
import sqlite3
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from vivavoce.desk.app import create_desk
from vivavoce.desk.board import TURN_END, Board, DialogueCard
from vivavoce.desk.snapshot import Snapshots
from vivavoce.desk.verdicts import Verdicts
from vivavoce.log.scope import Scope
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

WORDS = (
    "cheap", "pub", "north", "river", "table", "booking", "music", "late",
    "open", "phone", "postcode", "garden", "please", "thanks", "wrong", "again",
    "near", "station", "museum", "walk", "quiet", "vegetarian", "price", "area",
    "coffee", "french", "italian", "indian", "tonight", "tomorrow", "children",
)  # fmt: skip
BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
PAGES = {
    "first page": "",
    "facet: system": "system=onebest",
    "facet: task": "task=t0007",
    "facets: three": "status=completed&tools=search&turns=6",
    "facet: success": "success.objective_success_assigned=no",
    "facet: participant": "participant=p00042",
    "words": "q=vegetarian+museum",
    "phrase of one side": "q=%22cheap+pub%22&side=user",
    "a rare word": "q=xylophone",
    "sorted by length": "sort=-length",
    "last page": "page=999999",
}


def invented(number: int, chance: random.Random) -> DialogueCard:
    """One dialogue of ten turns."""

    def said() -> str:
        turns = (" ".join(chance.choices(WORDS, k=8)) for _ in range(5))
        return TURN_END.join(turns) + (" xylophone" if number % 5000 == 17 else "")

    failed = chance.random() < 0.05
    return DialogueCard(
        dialogue_id=f"dialogue-{number:08x}", visit_id=f"v{number // 4}", participant_id=f"p{number // 4:05}",
        simulated=False, system=chance.choice(("nbest", "onebest")), condition=None,
        task_id=f"t{chance.randrange(200):04}", assigned_at=BEGIN + timedelta(minutes=3 * number / 4),
        status="failed" if failed else chance.choices(("completed", "abandoned"), (9, 1))[0],
        duration_s=chance.expovariate(1 / 120), user_turns=chance.randrange(12), system_turns=5,
        failures=int(failed), errors=("timeout",) if failed else (), success=float(chance.random() < 0.7),
        language=chance.choice(("en", "it")), user_words=said(), system_words=said(),
        tools=tuple(chance.sample(("search", "book", "route", "weather"), chance.randrange(3))),
    )  # fmt: skip


class Prepared(Snapshots):
    """Snapshots whose verdicts are known."""

    known: Verdicts

    def verdicts(self) -> tuple[Verdicts | None, bool]:
        return self.known, False

    def _judge(self, scope: Scope) -> None:
        pass


def fill(board: Board, cards: list[DialogueCard]) -> float:
    """Put the dialogues on a board as its fold of the log does; how long the index took, in seconds."""
    begin = time.process_time()
    for card in cards:
        board.index.put(card)
    took = time.process_time() - begin
    for part in (board._parts[None], board._parts["people"]):
        part.dialogues.update({card.dialogue_id: card for card in cards})
    for number, card in enumerate(cards):
        if number % 50 == 0:
            board.index.tag(card.dialogue_id, ("look again",))
    return took


def by_sql(path: Path, cards: list[DialogueCard]) -> dict[str, Callable[[], Any]]:
    """The bare queries: a first page, all facets of it, and words."""
    base = sqlite3.connect(path)
    facets = ("system", "task", "status", "participant", "language", "day", "length", "turns", "errors")
    base.execute(f"CREATE TABLE d (id TEXT PRIMARY KEY, begun REAL, {', '.join(facets)})")
    base.executemany(
        f"INSERT INTO d VALUES ({', '.join('?' * (2 + len(facets)))})",  # noqa: S608
        [(one.dialogue_id, one.assigned_at.timestamp(), one.system, one.task_id, one.status,
          one.participant_id, one.language, one.assigned_at.date().isoformat(),
          int(one.duration_s or 0) // 60, one.user_turns // 3, one.failures) for one in cards],
    )  # fmt: skip
    for name in ("begun", *facets):
        base.execute(f"CREATE INDEX i_{name} ON d ({name})")
    base.execute("CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, said)")
    base.executemany(
        "INSERT INTO words VALUES (?, ?)",
        [(one.dialogue_id, f"{one.user_words} {one.system_words}".replace(TURN_END, " ")) for one in cards],
    )
    base.execute("ANALYZE")

    def counted(where: str) -> None:
        base.execute(f"SELECT * FROM d WHERE {where} ORDER BY begun DESC LIMIT 50").fetchall()  # noqa: S608
        for name in facets:
            base.execute(f"SELECT {name}, count(*) FROM d WHERE {where} GROUP BY {name}").fetchall()  # noqa: S608

    return {
        "first page": lambda: counted("1"),
        "facet: system": lambda: counted("system = 'onebest'"),
        "facet: task": lambda: counted("task = 't0007'"),
        "words": lambda: counted("id IN (SELECT id FROM words WHERE words MATCH 'vegetarian museum')"),
        "a rare word": lambda: counted("id IN (SELECT id FROM words WHERE words MATCH 'xylophone')"),
    }


def median_ms(ask: Callable[[], Any], repeat: int) -> float:
    took = []
    for _ in range(repeat):
        begin = time.process_time()
        ask()
        took.append(1000 * (time.process_time() - begin))
    return round(statistics.median(took), 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dialogues", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit-ms", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    cards = [invented(number, chance) for number in range(options.dialogues)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_study(folder / "study", "cambridge-2011", name="lab")
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            app = create_desk(
                load_study(folder / "study"), log, work_dir=folder / "work", account_optional=True
            )
            desk = app.state.desk
            desk.snapshots.close()
            desk.snapshots = Prepared(desk.board, folder / "snapshot")
            draw = np.random.default_rng(options.seed)
            success, ones = draw.integers(0, 2, len(cards)).astype(float), np.ones(len(cards))
            desk.snapshots.known = Verdicts(
                "people", 0, BEGIN, [one.dialogue_id for one in cards],
                {f"objective_success_{name}": (success, ones) for name in ("assigned", "inferred")},
            )  # fmt: skip
            index_s = fill(desk.board, cards)
            headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
            browser = TestClient(app, base_url="http://desk.test", headers=headers)
            link = desk.access.invite("researcher", "http://desk.test")
            browser.post(link.removeprefix("http://desk.test"))

            def found(query: str) -> int:
                page = browser.get(f"/people/dialogues?{query}").text
                told = re.search(r"<p>([\d\u202f]+) dialogues? found", page)
                return int(told[1].replace("\u202f", "")) if told else -1

            numbers = {name: found(query) for name, query in PAGES.items()}
            pages = {name: median_ms(lambda query=query: browser.get(f"/people/dialogues?{query}"),
                                     options.repeat) for name, query in PAGES.items()}  # fmt: skip
            bare = {name: median_ms(ask, options.repeat)
                    for name, ask in by_sql(folder / "bare.sqlite", cards).items()}  # fmt: skip
            desk.snapshots.close()
    print(json.dumps({
        "benchmark": "lab", "dialogues": len(cards), "seed": options.seed,
        "index_built_s": round(index_s, 2), "found": numbers, "page_ms": pages, "bare_sql_ms": bare,
        "ratio": {name: round(pages[name] / bare[name], 2) for name in bare}, "limit_ms": options.limit_ms,
    }, indent=1))  # fmt: skip
    return int(max(pages.values()) > options.limit_ms)


if __name__ == "__main__":
    sys.exit(main())
