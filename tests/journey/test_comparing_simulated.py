"""A whole study of transcripts by simulated judges through the real service: what they like comes out."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from scenes.browsing import Forms, Visitor
from scenes.comparing import comparing_study, judged, open_questions
from scenes.websites import Running, running
from vivavoce.analysis.transcripts import compare_transcripts
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.participant.site import RateLimits
from vivavoce.trial.engine import SessionEngine

LIKES = {"alignment": 0.63, "empathy": 0.75, "facing": 0.68, "formality": 0.27, "vocabulary": 0.74}


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        yield opened


def judge(server: Running, log: Log, chance: Random) -> None:
    """One judge, in a browser of their own, who decides every question anew by what they like."""
    visitor = Visitor(server)
    visitor.look("/")
    visitor.press("/start")
    visit_id = log.visits("city")[-1].visit_id
    while "/respond" in Forms(visitor.html).forms:
        state = server.call(visitor.engine.state(visit_id))
        visitor.press(
            "/respond", **{one: judged(state, LIKES, chance) for one in open_questions(visitor.html)}
        )
    assert re.search(r'class="completion"|completed|Thank you', visitor.html)
    visitor.client.close()


def run_study(folder: Path, log: Log, people: int):
    study = comparing_study(folder / "study", steps=False, attention=False)
    engine = SessionEngine(study, log, {})
    with running(create_app(engine, rates=RateLimits(visits_per_hour=10_000))) as server:
        chance = Random(2018)
        for _ in range(people):
            judge(server, log, chance)
    return export_dataset(log, "city", folder / "data")


def check_balance(rows: list[dict]) -> None:
    """Sides and places of every variable differ by at most one over people."""
    shown = {(row["visit_id"], row["variable"]): row for row in rows}.values()
    for variable in LIKES:
        own = [row for row in shown if row["variable"] == variable]
        for fact, kinds in (("experimental_side", 2), ("comparison_number", 5), ("pair_id", 2)):
            counts = [*Counter(row[fact] for row in own).values()]
            counts += [0] * (kinds - len(counts))
            assert max(counts) - min(counts) <= 1, (variable, fact, counts)


def test_a_dozen_judges_make_a_balanced_study_with_results(tmp_path: Path, log: Log) -> None:
    dataset = run_study(tmp_path, log, 12)
    rows = dataset.read("preferences").to_pylist()
    assert len(rows) == 12 * 20
    check_balance(rows)
    facts = compare_transcripts(dataset)
    assert facts.responses.participants == 12
    assert [one.variable for one in facts.variables] == sorted(LIKES)


@pytest.mark.long
def test_143_judges_give_their_known_preferences_back(tmp_path: Path, log: Log) -> None:
    """As many as in the paper; 99 % intervals, since five must hold at once."""
    dataset = run_study(tmp_path, log, 143)
    rows = dataset.read("preferences").to_pylist()
    assert len(rows) == 2860
    check_balance(rows)
    facts = compare_transcripts(dataset, level=0.99)
    for one in facts.variables:
        assert one.low < LIKES[one.variable] < one.high, one
        assert one.preferred == ("control" if one.variable == "formality" else "experimental")
    assert abs(facts.position.left - 0.5) < 0.05
