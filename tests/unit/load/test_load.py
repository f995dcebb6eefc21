"""`vivavoce load`: figures of what programs waited for, and nothing of it reaches people's data."""

import json
from pathlib import Path

import pytest

from scenes.command_line import vivavoce
from vivavoce.core.errors import InputError
from vivavoce.log.events import VisitOpened
from vivavoce.log.store import Log
from vivavoce_load import cli
from vivavoce_load.figures import Delays, Kept, Load, Waits, by_phase, delays, waits
from vivavoce_load.people import Findings, SentTurn, _Page


def a_load(
    p99_ms: float | None = 10.0, errors: dict[str, int] | None = None, kept: Kept | None = None
) -> Load:
    found = Waits(Delays(9, p99_ms, p99_ms, p99_ms, p99_ms), Delays(9, 1.0, 1.0, 1.0, 1.0))
    return Load(
        participants=5, minutes=1.0, pause_s=10.0, workers=1, database="sqlite", whole=found, phases={},
        arrival_ms=delays([]), errors=errors or {}, unanswered=0, log=kept, cores=2, load_before=0.1,
        version="1",
    )  # fmt: skip


def test_percentiles_are_of_the_nearest_rank() -> None:
    assert delays(number / 1000 for number in range(1, 201)) == Delays(200, 100.0, 190.0, 198.0, 200.0)
    assert delays([]) == Delays(0, None, None, None, None)


def test_what_was_never_acknowledged_waits_for_nothing() -> None:
    said = [SentTurn("a", "x", 1.0, 3, 1.25, 2.0), SentTurn("b", "x", 1.0, 4, 1.5), SentTurn("c", "x", 1.0)]
    found = waits(said)
    assert (found.acknowledged_ms.n, found.acknowledged_ms.longest) == (2, 500.0)
    assert (found.answered_ms.n, found.answered_ms.longest) == (1, 1000.0)


def test_a_turn_is_of_the_phase_in_which_it_was_sent() -> None:
    findings = Findings(said=[SentTurn(key, "x", at) for key, at in (("a", 1.0), ("b", 12.0), ("c", 99.0))])
    phases = by_phase(findings, {"ramp": 10.0, "steady": 20.0, "churn": 30.0})
    assert {name: [one.key for one in said] for name, said in phases.items()} == {
        "ramp": ["a"], "steady": ["b"], "churn": ["c"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "load",
    [
        a_load(p99_ms=151.0),
        a_load(p99_ms=None),
        a_load(errors={"turn: busy": 1}),
        a_load(kept=Kept(9, 1, 0, True)),
        a_load(kept=Kept(9, 0, 0, False)),
    ],
)
def test_people_are_not_served_well_who_wait_too_long_or_lose_something(load: Load) -> None:
    assert not load.within(150.0)
    assert a_load(p99_ms=150.0, kept=Kept(9, 0, 0, True)).within(150.0)


def test_the_most_is_found_by_doubling_and_halving(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    def served(_: object, participants: int) -> Load:
        tried.append(participants)
        return a_load(p99_ms=100.0 if participants <= 130 else 300.0)

    monkeypatch.setattr(cli, "_run", served)
    found = cli._most(None, 50, 150.0)  # type: ignore[arg-type]
    assert tried[:3] == [50, 100, 200]
    assert 118 <= found.participants <= 130
    assert [one.participants for one in found.runs] == [5] * len(tried)


def test_where_not_even_the_first_are_served_the_most_is_found_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_run", lambda _, many: a_load(p99_ms=1.0 if many <= 3 else 999.0))
    assert cli._most(None, 50, 150.0).participants == 3  # type: ignore[arg-type]
    monkeypatch.setattr(cli, "_run", lambda *_: a_load(p99_ms=999.0))
    assert cli._most(None, 50, 150.0).participants == 0  # type: ignore[arg-type]


def test_another_machine_is_left_alone_unless_it_is_said() -> None:
    with pytest.raises(InputError, match=r"--url: 192\.0\.2\.7 is not this machine; add --elsewhere"):
        cli.require_here("http://192.0.2.7:8000/", elsewhere=False)
    cli.require_here("http://192.0.2.7:8000/", elsewhere=True)
    cli.require_here("http://[::1]:8000/?who={number}", elsewhere=False)
    with pytest.raises(InputError, match="is no address of a page"):
        cli.require_here("127.0.0.1:8000", elsewhere=False)


def test_a_form_is_filled_in_whatever_it_asks() -> None:
    page = _Page(
        '<title>Questions</title><form action="/answers"><input type="hidden" name="step" value="2">'
        '<input type="radio" name="item-a" value="0"><input type="radio" name="item-a" value="1">'
        '<input type="hidden" name="item-b" value=""><input type="range" id="item-b" value="3">'
        '<textarea name="item-c"></textarea></form>'
    )
    assert page.forms == [("/answers", {"step": "2", "item-a": "1", "item-b": "3", "item-c": "nothing"})]
    assert (page.dialogue, page.title) == ("", "Questions")


@pytest.fixture
def city(tmp_path: Path) -> Path:
    vivavoce("init", tmp_path / "city", "--protocol", "cambridge-2011")
    return tmp_path / "city"


@pytest.mark.long
def test_a_service_is_loaded_and_its_log_has_what_was_acknowledged(city: Path) -> None:
    """The whole verb, with two people for a few seconds."""
    before = sorted(one.name for one in city.iterdir())
    words = ("--participants", "2", "--minutes", "0.1", "--pause", "2.5", "--json")
    facts = json.loads(vivavoce("load", city, *words).stdout)
    turns = sum(one["acknowledged_ms"]["n"] for one in facts["phases"].values())
    assert (facts["errors"], facts["unanswered"]) == ({}, 0)
    assert turns >= 2 and facts["arrival_ms"]["n"] == 3  # one of two left, another came
    assert facts["log"] == {"acknowledged": turns, "lost": 0, "doubled": 0, "unbroken": True}
    assert sorted(one.name for one in city.iterdir()) == before


def test_a_log_that_holds_visits_is_not_loaded(city: Path, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.sqlite'}"
    with Log.open(url) as log:
        opened = VisitOpened(study="city", revision="r", participant_id="p", pool="link", language="en")
        log.transact_now(lambda tx: tx.append("v", opened))
    told = vivavoce("load", city, "--log", url, code=2).stderr
    assert told.endswith("this log holds visits, and load is no data; name an empty database with --log\n")
