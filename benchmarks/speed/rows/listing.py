"""Pages of a list of 100,000 dialogues on the dashboard, beside bare SQL queries over the same facts."""

import random
import sqlite3
import statistics
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.speed.row import Measured, Row, compared, limited, workplace

from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.board import TURN_END, Board, DialogueCard
from vivavoce.dashboard.snapshot import Snapshots
from vivavoce.dashboard.verdicts import Verdicts
from vivavoce.log.models import Scope
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

DIALOGUES, LIMIT_MS, REPEAT = 100_000, 300.0, 5
WORDS = (
    *("cheap", "pub", "north", "river", "table", "booking", "music", "late", "open", "phone", "postcode"),
    *("garden", "please", "thanks", "wrong", "again", "near", "station", "museum", "walk", "quiet", "price"),
    *("vegetarian", "area", "coffee", "french", "italian", "indian", "tonight", "tomorrow", "children"),
)
BEGIN = datetime(2026, 1, 5, 8, tzinfo=UTC)
PAGES = {
    "first page": "",
    "filter: system": "system=onebest",
    "filter: task": "task=t0007",
    "three filters": "status=completed&tools=search&turns=6",
    "filter: success": "success.objective_success_assigned=no",
    "filter: participant": "participant=p00042",
    "two words": "q=vegetarian+museum",
    "a phrase of one side": "q=%22cheap+pub%22&side=user",
    "a rare word": "q=xylophone",
    "sorted by length": "sort=-length",
    "last page": "page=999999",
}
QUERIES = {
    "first page": "1",
    "filter: system": "system = 'onebest'",
    "filter: task": "task = 't0007'",
    "two words": "id IN (SELECT id FROM words WHERE words MATCH 'vegetarian museum')",
    "a rare word": "id IN (SELECT id FROM words WHERE words MATCH 'xylophone')",
}


def _card(number: int, chance: random.Random) -> DialogueCard:
    """An invented dialogue of ten turns."""

    def words() -> str:
        turns = (" ".join(chance.choices(WORDS, k=8)) for _ in range(5))
        return TURN_END.join(turns) + (" xylophone" if number % 5000 == 17 else "")

    failed = chance.random() < 0.05
    return DialogueCard(
        dialogue_id=f"dialogue-{number:08x}",
        visit_id=f"v{number // 4}",
        participant_id=f"p{number // 4:05}",
        simulated=False,
        system=chance.choice(("nbest", "onebest")),
        condition=None,
        task_id=f"t{chance.randrange(200):04}",
        assigned_at=BEGIN + timedelta(minutes=3 * number / 4),
        status="failed" if failed else chance.choices(("completed", "abandoned"), (9, 1))[0],
        duration_s=chance.expovariate(1 / 120),
        user_turns=chance.randrange(12),
        system_turns=5,
        failures=int(failed),
        errors=("timeout",) if failed else (),
        success=float(chance.random() < 0.7),
        language=chance.choice(("en", "it")),
        user_words=words(),
        system_words=words(),
        tools=tuple(chance.sample(("search", "book", "route", "weather"), chance.randrange(3))),
    )


class Prepared(Snapshots):
    """Snapshots with known verdicts."""

    known: Verdicts

    def verdicts(self) -> tuple[Verdicts | None, bool]:
        return self.known, False

    def _judge(self, scope: Scope) -> None:
        pass


def _fill(board: Board, cards: list[DialogueCard]) -> None:
    for card in cards:
        board.index.put(card)
    for part in (board._parts[None], board._parts["people"]):
        part.dialogues.update({card.dialogue_id: card for card in cards})
    for card in cards[::50]:
        board.index.tag(card.dialogue_id, ("look again",))


def _by_sql(path: Path, cards: list[DialogueCard]) -> dict[str, Callable[[], Any]]:
    """A first page and a count of every facet, with an index on every column and one of words."""
    base = sqlite3.connect(path)
    facets = ("system", "task", "status", "participant", "language", "day", "length", "turns", "errors")
    base.execute(f"CREATE TABLE d (id TEXT PRIMARY KEY, begun REAL, {', '.join(facets)})")
    base.executemany(
        f"INSERT INTO d VALUES ({', '.join('?' * (2 + len(facets)))})",  # noqa: S608
        [
            (
                one.dialogue_id,
                one.assigned_at.timestamp(),
                one.system,
                one.task_id,
                one.status,
                one.participant_id,
                one.language,
                one.assigned_at.date().isoformat(),
                int(one.duration_s or 0) // 60,
                one.user_turns // 3,
                one.failures,
            )
            for one in cards
        ],
    )
    for name in ("begun", *facets):
        base.execute(f"CREATE INDEX i_{name} ON d ({name})")
    base.execute("CREATE VIRTUAL TABLE words USING fts5(id UNINDEXED, said)")
    base.executemany(
        "INSERT INTO words VALUES (?, ?)",
        [(one.dialogue_id, f"{one.user_words} {one.system_words}".replace(TURN_END, " ")) for one in cards],
    )
    base.execute("ANALYZE")

    def ask(where: str) -> None:
        base.execute(f"SELECT * FROM d WHERE {where} ORDER BY begun DESC LIMIT 50").fetchall()  # noqa: S608
        for name in facets:
            base.execute(f"SELECT {name}, count(*) FROM d WHERE {where} GROUP BY {name}").fetchall()  # noqa: S608

    return {name: lambda where=where: ask(where) for name, where in QUERIES.items()}


def _median_ms(ask: Callable[[], Any], repeat: int) -> float:
    spent = []
    for _ in range(repeat):
        begun = time.process_time()
        ask()
        spent.append(1000 * (time.process_time() - begun))
    return statistics.median(spent)


def measure(quick: bool) -> Measured:
    number, repeat, chance = 2_000 if quick else DIALOGUES, 1 if quick else REPEAT, random.Random(1)
    cards = [_card(place, chance) for place in range(number)]
    with workplace() as folder:
        write_study(folder / "study", "cambridge-2011", name="lab")
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            study = load_study(folder / "study")
            app = create_desk(study, log, work_dir=folder / "work", account_optional=True)
            desk = app.state.desk
            desk.snapshots.close()
            desk.snapshots = Prepared(desk.board, folder / "snapshot")
            success, cases = random.Random(1).choices((0.0, 1.0), k=number), [1.0] * number
            sums = {f"objective_success_{name}": (success, cases) for name in ("assigned", "inferred")}
            ids = [one.dialogue_id for one in cards]
            desk.snapshots.known = Verdicts("people", 0, BEGIN, ids, sums)
            _fill(desk.board, cards)
            headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
            browser = TestClient(app, base_url="http://desk.test", headers=headers)
            link = desk.access.invite("researcher", "http://desk.test")
            browser.post(link.removeprefix("http://desk.test"))
            pages = {
                name: _median_ms(lambda query=query: browser.get(f"/people/dialogues?{query}"), repeat)
                for name, query in PAGES.items()
            }
            queries = _by_sql(folder / "bare.sqlite", cards)
            bare = {name: _median_ms(ask, repeat) for name, ask in queries.items()}
            desk.snapshots.close()
    slowest = max(pages, key=lambda name: pages[name])
    return Measured(
        [
            limited(f"slowest page ({slowest})", [pages[slowest]], LIMIT_MS, unit="CPU ms"),
            *(
                compared(name, [pages[name]], [bare[name]], against="bare SQL", unit="CPU ms")
                for name in bare
            ),
        ]
    )


ROW = Row("listing", "list of 100,000 dialogues", "limit: 300 ms; bare SQL", measure, limit_s=240)
