"""Two sessions of one study: who completed the first comes again in time, as the same participant."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from typer.testing import CliRunner

from scenes.patience import eventually_there
from scenes.recruiting import platform
from scenes.visits import Parrot
from vivavoce.core.clock import ManualClock
from vivavoce.log.erasure import erase_participant
from vivavoce.log.follow_ups import Invited, invited_people, note_invited
from vivavoce.log.store import Log
from vivavoce.log.verification import verify
from vivavoce.participant.app import create_app
from vivavoce.study.load import check_study, load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine
from vivavoce_recruitment import session_links as following
from vivavoce_recruitment.cli.app import app
from vivavoce_recruitment.ledger import Ledger, Listing
from vivavoce_recruitment.personal_links import make_links
from vivavoce_recruitment.prolific import Prolific

DAY_S = 86_400.0
SYSTEMS = "systems: {robot: {connect: scripted, otherwise: a}, desk: {connect: scripted, otherwise: b}}\n"
FIRST = (
    f"study: library\n{SYSTEMS}allocation: balanced\nidentity: {{anonymous: false}}\n"
    "visit: [{dialogue: {gate: none}}]\n"
)
LATER = (
    f"study: library-later\nlanguages: [en, it]\n{SYSTEMS}"
    "follow_up: {of: ../first, after_days: 7, within_days: 3, condition: CONDITION}\n"
    "recruitment: {personal_links: {}}\nvisit: [{dialogue: {gate: none}}]\n"
)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 1, 1, 9, 30, tzinfo=UTC))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name, text in (("first", FIRST), ("later", LATER.replace("CONDITION", "cross"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "study.yaml").write_text(text, "utf-8")
    yield tmp_path


def log_of(folder: Path, name: str, clock: ManualClock) -> Log:
    return Log.open(f"sqlite:///{folder / name / 'log.sqlite'}", clock)


def engine_of(study: Study, log: Log, clock: ManualClock) -> SessionEngine:
    return SessionEngine(study, log, {name: Parrot() for name in study.systems}, clock=clock)


async def hold(engine: SessionEngine, visit_id: str) -> str:
    """Hold the only dialogue of a visit; the system that it was with."""

    async def greeted() -> bool:
        dialogue = (await engine.state(visit_id)).dialogue
        return dialogue is not None and dialogue.greeted

    await eventually_there(greeted)
    dialogue = (await engine.state(visit_id)).dialogues[-1]
    await engine.end_dialogue(visit_id, dialogue.dialogue_id)
    assert (await engine.state(visit_id)).outcome == "completed"
    return dialogue.system


def first_session(folder: Path, clock: ManualClock, people: int = 4) -> dict[str, str]:
    """The system that each participant of the first session met."""
    study = load_study(folder / "first")

    async def scenario(log: Log) -> dict[str, str]:
        engine, met = engine_of(study, log, clock), {}
        for number in range(people):
            opened = await engine.open_visit(language="en", person=f"person-{number}")
            clock.advance(60)
            met[(await engine.state(opened.visit_id)).participant_id] = await hold(engine, opened.visit_id)
        await engine.open_visit(language="en", person="who-left")
        await engine.stop()
        return met

    with log_of(folder, "first", clock) as log:
        return asyncio.run(scenario(log))


def stands(folder: Path, clock: ManualClock) -> dict[str, str]:
    study = load_study(folder / "later")
    assert study.follow_up is not None
    with log_of(folder, "first", clock) as first, log_of(folder, "later", clock) as log:
        following.take_over(first, "library", log, study.name)
        found = following.returns(log, study.name, study.follow_up)
    return {one.invited.participant_id: one.stand for one in found}


@pytest.mark.parametrize("condition", ["keep", "cross"])
def test_the_same_people_come_again_and_keep_or_cross_their_condition(
    folder: Path, clock: ManualClock, condition: str
) -> None:
    (folder / "later" / "study.yaml").write_text(LATER.replace("CONDITION", condition), "utf-8")
    met = first_session(folder, clock)
    assert set(met.values()) == {"robot", "desk"}, "a fair share of both, else nothing is shown"
    assert stands(folder, clock) == dict.fromkeys(met, "waits")
    clock.advance(8 * DAY_S)
    assert stands(folder, clock) == dict.fromkeys(met, "due")
    study = load_study(folder / "later")

    async def scenario(log: Log) -> None:
        engine = engine_of(study, log, clock)
        for who in list(met)[:3]:
            opened = await engine.open_visit(language="en", participant_id=who, once=True)
            state = await engine.state(opened.visit_id)
            assert state.participant_id == who and state.opened is not None
            assert state.opened.earlier is not None and state.opened.earlier.conditions == [met[who]]
            system = await hold(engine, opened.visit_id)
            assert (system == met[who]) == (condition == "keep")
        await engine.stop()

    with log_of(folder, "later", clock) as log:
        asyncio.run(scenario(log))
    clock.advance(3 * DAY_S)
    assert list(stands(folder, clock).values()) == ["came"] * 3 + ["late"]


def test_a_personal_link_works_in_its_time_and_for_one_person(folder: Path, clock: ManualClock) -> None:
    met = first_session(folder, clock, people=2)
    stands(folder, clock)
    study = load_study(folder / "later")

    async def scenario(log: Log) -> None:
        people = invited_people(log, study.name)
        links = make_links(log, study.name, people, "http://lab.example")
        tokens = {who: parse_qs(urlsplit(link).query)["again"][0] for who, link in links.items()}
        ada, eve = tokens
        engine = engine_of(study, log, clock)

        def browser() -> httpx.AsyncClient:
            transport = httpx.ASGITransport(create_app(engine))
            return httpx.AsyncClient(transport=transport, base_url="http://lab.example")

        async def start(token: str, language: str = "en", client: Any = None) -> httpx.Response:
            client = client or browser()
            data = {"language": language, "key": "k", "sent": f"again={token}"}
            return await client.post("/start", data=data, headers={"origin": "http://lab.example"})

        early = await start(tokens[ada])
        assert early.status_code == 403 and "starts for you on 8 January 2026, 09:31 UTC" in early.text
        assert "comincia per te in questa data: 8 gennaio 2026" in (await start(tokens[ada], "it")).text
        assert "Please use your own link" in (await start("guessed")).text
        assert log.visits(study.name) == []
        clock.advance(7 * DAY_S)
        at_home = browser()
        assert (await start(tokens[ada], client=at_home)).headers["location"] == "/visit"
        clock.advance(4 * DAY_S)
        again = await start(tokens[ada])
        assert again.headers["location"] == "/visit", "who has begun goes on, also after its time"
        late = await start(tokens[eve])
        assert late.status_code == 403 and "until 11 January 2026, 09:32 UTC" in late.text
        [visit] = log.visits(study.name)
        assert visit.participant_id == ada and visit.pool == "personal_links"
        await engine.stop()

    with log_of(folder, "later", clock) as log:
        asyncio.run(scenario(log))
        who = next(iter(met))
        erase_participant(log, study.name, who, by="Kim")
        assert [one.participant_id for one in invited_people(log, study.name)] == list(met)[1:]
        assert verify(log).problems == []


def test_the_verb_lists_people_and_makes_links_once(folder: Path, clock: ManualClock) -> None:
    met = first_session(folder, clock, people=2)
    later = str(folder / "later")
    told = CliRunner().invoke(app, ["returns", later, "--links", "https://lab.example", "--json"])
    assert told.exit_code == 0, told.output
    facts = json.loads(told.stdout)
    assert [one["participant_id"] for one in facts] == list(met)
    assert {one["known_as"] for one in facts} == {"person-0", "person-1"}
    assert all(one["stand"] == "late" for one in facts), "it is long past 2026-01-11"
    assert all(one["link"] is None for one in facts), "too late for a link"
    alone = CliRunner().invoke(app, ["returns", str(folder / "first")])
    assert alone.exit_code == 1 and "this study has no earlier session" in str(alone.exception)


@pytest.mark.parametrize(
    "written, problem",
    [
        ("{of: ../nowhere, after_days: 7}", "follow_up.of: no study '../nowhere'"),
        ("{of: ../first, after_days: 7, within_days: 0}", "follow_up.within_days: 0"),
        ("{of: ../first}", "'after_days' is missing"),
    ],
)
def test_a_follow_up_that_cannot_be_is_named(folder: Path, written: str, problem: str) -> None:
    text = LATER.replace("{of: ../first, after_days: 7, within_days: 3, condition: CONDITION}", written)
    (folder / "later" / "study.yaml").write_text(text, "utf-8")
    assert problem in "\n".join(map(str, check_study(folder / "later")))


def test_without_a_recruiter_nobody_would_be_known_again(folder: Path) -> None:
    text = LATER.replace("recruitment: {personal_links: {}}\n", "").replace("CONDITION", "any")
    (folder / "later" / "study.yaml").write_text(text, "utf-8")
    assert "returning participants could not be recognised" in "\n".join(
        map(str, check_study(folder / "later"))
    )


PROLIFIC = """\
study: library-later
systems: {robot: {connect: scripted, otherwise: a}}
follow_up: {of: ../first, after_days: 0}
recruitment:
  prolific: {reward: 2.00 GBP, places: 3, minutes: 10, description: Again., site: "https://lab.example",
             workspace: 5f0000000000000000000001, proof: api,
             filters: [{filter_id: age, selected_range: {lower: 18, upper: 65}}]}
visit: [{dialogue: {gate: none}}]
"""
WORKSPACE = "workspace: 5f0000000000000000000001, "
ADA, EVE, STUDY_ID = "a" * 24, "e" * 24, "f" * 24


def test_prolific_offers_it_to_them_alone_and_they_are_known_again(
    folder: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "x")
    (folder / "later" / "study.yaml").write_text(PROLIFIC, "utf-8")
    study = load_study(folder / "later")
    before = Invited("participant-ada", "prolific", ADA, ("robot",), clock.now())
    other = Invited("participant-zoe", "links", None, ("robot",), clock.now())
    proven = {"STUDY_ID": STUDY_ID}
    monkeypatch.setattr(Prolific, "_proven_by_api", lambda self, settings, said: {**said, **proven})

    async def scenario(log: Log) -> None:
        engine = engine_of(study, log, clock)
        transport = httpx.ASGITransport(create_app(engine))

        async def arrive(person: str, ticket: str) -> httpx.Response:
            sent = f"PROLIFIC_PID={person}&STUDY_ID={STUDY_ID}&SESSION_ID={ticket * 24}"
            data = {"language": "en", "key": ticket, "sent": sent}
            async with httpx.AsyncClient(transport=transport, base_url="http://lab.example") as client:
                return await client.post("/start", data=data, headers={"origin": "http://lab.example"})

        assert (await arrive(EVE, "1")).status_code == 403
        assert (await arrive(ADA, "2")).headers["location"] == "/visit"
        assert "You have already taken part" in (await arrive(ADA, "3")).text
        [visit] = log.visits(study.name)
        assert visit.participant_id == "participant-ada"
        await engine.stop()

    with log_of(folder, "later", clock) as log:
        note_invited(log, study.name, [before, other])
        assert study.follow_up is not None
        keys = following.keys_due(following.returns(log, study.name, study.follow_up), "prolific")
        assert keys == [ADA], "who came another way has no identifier there"
        listing = Listing(study.name, "prolific", "mark", STUDY_ID, 200, "GBP", 3, {"completed": "C0"})
        Ledger(log, study.name).begin_listing(listing)
        asyncio.run(scenario(log))


def test_those_who_may_come_again_alone_see_the_study_on_prolific(
    folder: Path, clock: ManualClock, tmp_path: Path
) -> None:
    with platform(tmp_path) as there:
        written = PROLIFIC.replace("proof: api", f"proof: api, api: {there.url}")
        (folder / "later" / "study.yaml").write_text(written, "utf-8")
        first_session(folder, clock, people=1)
        with log_of(folder, "later", clock) as log:
            note_invited(log, "library-later", [Invited("p", "prolific", ADA, (), clock.now())])
        told = CliRunner().invoke(app, ["publish", str(folder / "later"), "--confirm"])
        assert told.exit_code == 0, told.exception
        [offered] = there.ask("studies")
        assert {"filter_id": "age", "selected_range": {"lower": 18, "upper": 65}} in offered["filters"]
        assert there.tell("take", participant=EVE) == 404
        assert there.tell("take", participant=ADA)["participant"] == ADA


def test_without_a_workspace_publishing_says_what_is_missing_before_it_offers_anything(
    folder: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "x")
    (folder / "later" / "study.yaml").write_text(PROLIFIC.replace(WORKSPACE, ""), "utf-8")
    first_session(folder, clock, people=1)
    with log_of(folder, "later", clock) as log:
        note_invited(log, "library-later", [Invited("p", "prolific", ADA, (), clock.now())])
    told = CliRunner().invoke(app, ["publish", str(folder / "later")])
    assert told.exit_code == 1 and "workspace is not set" in str(told.exception)


def test_publishing_says_for_how_many_before_it_does(
    folder: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", "x")
    (folder / "later" / "study.yaml").write_text(PROLIFIC, "utf-8")
    first_session(folder, clock, people=1)
    told = CliRunner().invoke(app, ["publish", str(folder / "later")])
    assert told.exit_code == 1 and "no participant recruited through Prolific can come again" in str(
        told.exception
    )
    with log_of(folder, "later", clock) as log:
        note_invited(log, "library-later", [Invited("p", "prolific", ADA, (), clock.now())])
    told = CliRunner().invoke(app, ["publish", str(folder / "later")])
    assert "3 places at 2.00 GBP on Prolific for 1 people of the earlier session" in told.stdout
