"""The leaderboard of an arena: its order, its intervals, who may read it."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from scenes.fighting import arena_engine, arena_study, fight_all
from scenes.judgements import made, vote_rows
from scenes.translated import same_in_italian
from vivavoce.analysis.arena import rank_systems
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.pages_leaderboard import standings
from vivavoce.log.store import Log

WORTH = {"beryl-9": 1.2, "cobalt": 0.0, "topaz": -1.2}
HTML = {"accept": "text/html"}


@contextmanager
def desk(folder: Path, more: str, people: int = 30) -> Iterator[tuple[TestClient, TestClient]]:
    """A stranger, and a viewer with a link."""
    study = arena_study(folder / "study", more=more)
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        if people:
            asyncio.run(fight_all(arena_engine(study, log), people, WORTH))
        app = create_desk(study, log, work_dir=folder / "work", account_optional=True)
        base = "http://desk.test"
        stranger, viewer = (
            TestClient(app, base_url=base, headers=HTML, follow_redirects=False) for _ in range(2)
        )
        link = app.state.desk.access.invite("viewer", base)
        viewer.post(link, headers={"sec-fetch-site": "same-origin"})
        yield stranger, viewer
        app.state.desk.snapshots.close()


def there(client: TestClient, address: str) -> str:
    """The page once its figures are there: the worker of results makes them aside."""
    client.get(address)
    client.app.state.desk.snapshots.of("people").make(lambda made: None)
    return client.get(address).text


def test_a_public_leaderboard_is_read_without_an_account_and_nothing_else(tmp_path: Path) -> None:
    with desk(tmp_path, ", leaderboard: public") as (stranger, viewer):
        page = there(stranger, "/leaderboard/public")
        rows = re.findall(r'data-head="Rank">([\d–]+)</td><th [^>]*data-head="System">([^<]+)</th>', page)
        assert [name for _, name in rows] == ["beryl-9", "cobalt", "topaz"]
        assert rows[0][0] == "1" and rows[-1][0] == "3"
        assert "30 voters" in page and "Sign in" not in page
        assert "Adjusted for length and style" not in page, "all answers are alike, so nothing is fixed"
        for closed in ("/leaderboard", "/leaderboard/state", "/results", "/"):
            assert stranger.get(closed).headers["location"] == "/sign-in", closed
        assert stranger.post("/leaderboard/public").status_code in (403, 405)
        assert "no account needed" in viewer.get("/leaderboard").text
        italian = stranger.get("/leaderboard/public", headers={"accept-language": "it"}).text
        assert "30 persone hanno votato" in italian and "Classifica" in italian
        assert same_in_italian(stranger, "/leaderboard/public", {"city", *WORTH}) == set()


def test_a_private_leaderboard_is_for_accounts_alone(tmp_path: Path) -> None:
    with desk(tmp_path, "", people=0) as (stranger, viewer):
        assert stranger.get("/leaderboard/public").headers["location"] == "/sign-in"
        page = viewer.get("/leaderboard").text
        assert "No votes yet." in page and "leaderboard: public" in page
        assert ">Leaderboard<" in page, "it stands in the menu"


@pytest.mark.parametrize("length", [0.0, 2.0])
def test_ranks_count_who_is_certainly_better_with_length_and_style_fixed(
    tmp_path: Path, length: float
) -> None:
    worths = {"amber": 1.5, "beryl": 0.05, "coral": 0.0, "dusk": -1.5}
    facts = rank_systems(made(tmp_path / "data", **vote_rows(80, worths, length=length)))
    rows = standings(facts)
    assert rows[0].name == "amber" and rows[-1].name == "dusk"
    assert rows[0].rank == 1 and rows[-1].rank == 4
    assert rows[1].rank == rows[2].rank == 2, "between these two nothing was found"
    assert all(0 <= one.left <= one.dot <= one.right <= 1 for one in rows if one.left is not None)
