"""A private panel that shows the study in a frame: preview, start, end, and who may do so."""

import asyncio
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from scenes.patience import eventually_there
from scenes.visits import Parrot
from vivavoce.log.erasure import erase_participant
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import check_study, load_study
from vivavoce.testing.pages import PageForms
from vivavoce.trial.engine import SessionEngine
from vivavoce_recruitment.panel import Assignments

STUDY = """\
study: library
languages: [en, it]
systems: {desk: {connect: scripted, otherwise: a}}
recruitment: {panel: {origins: ["https://panel.example"], submit: /done, title: Our panel}}
visit: [{dialogue: {gate: none}}]
"""
LAB = "http://lab.example"
CAME = {"assignmentId": "A1", "hitId": "H1", "workerId": "W1", "turkSubmitTo": "https://panel.example"}
PREVIEW = {**CAME, "assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "workerId": ""}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.yaml").write_text(STUDY, "utf-8")
    return tmp_path


def walk(folder: Path, steps) -> None:
    """Let `steps(log, engine, browser)` happen, where browser makes a client of the pages."""
    study = load_study(folder)

    async def scenario(log: Log) -> None:
        engine = SessionEngine(study, log, {name: Parrot() for name in study.systems})
        app = create_app(engine)

        def browser() -> httpx.AsyncClient:
            return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=LAB)

        await steps(log, engine, browser)
        await engine.stop()

    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        asyncio.run(scenario(log))


def start(client: httpx.AsyncClient, came: dict[str, str], key: str = "k"):
    data = {"language": "en", "key": key, "sent": urlencode(came)}
    return client.post("/start", data=data, headers={"origin": LAB})


def test_a_preview_tells_what_it_is_about_and_begins_nothing(folder: Path) -> None:
    async def steps(log: Log, engine: SessionEngine, browser) -> None:
        page = await browser().get("/", params=PREVIEW)
        assert page.status_code == 200 and "What you do" in page.text
        assert "This is a preview" in page.text and "/start" not in PageForms(page.text).forms
        assert "Questa è un'anteprima" in (await browser().get("/", params={**PREVIEW, "lang": "it"})).text
        assert (await start(browser(), PREVIEW)).status_code == 403
        assert log.visits("library") == [] and "set-cookie" not in page.headers

    walk(folder, steps)


def test_only_the_panel_may_frame_what_participants_see(folder: Path) -> None:
    async def steps(log: Log, engine: SessionEngine, browser) -> None:
        page = await browser().get("/", params=CAME)
        policy = page.headers["content-security-policy"]
        assert "frame-ancestors https://panel.example" in policy
        assert "form-action 'self' https://panel.example" in policy
        assert "x-frame-options" not in page.headers
        for apart in ("/annotate/sign-in", "/wizard"):
            headers = (await browser().get(apart)).headers
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-frame-options"] == "DENY"

    walk(folder, steps)


def test_the_end_posts_a_form_back_to_the_panel_that_sent_them(folder: Path) -> None:
    async def steps(log: Log, engine: SessionEngine, browser) -> None:
        client = browser()
        begun = await start(client, CAME)
        assert begun.headers["location"] == "/visit"
        cookie = begun.headers["set-cookie"]
        assert all(one in cookie for one in ("SameSite=none", "Secure", "HttpOnly", "Partitioned"))
        client.headers["cookie"] = cookie.partition(";")[0]  # Secure, and this client speaks http
        [visit] = log.visits("library")

        async def greeted() -> bool:
            dialogue = (await engine.state(visit.visit_id)).dialogue
            return dialogue is not None and dialogue.greeted

        await eventually_there(greeted)
        state = await engine.state(visit.visit_id)
        await engine.end_dialogue(visit.visit_id, state.dialogues[-1].dialogue_id)
        page = (await client.get("/visit")).text
        form = PageForms(page).forms["https://panel.example/done"]
        state = await engine.state(visit.visit_id)
        assert form == {"assignmentId": "A1", "outcome": "completed", "code": state.completion_code}
        assert "Submit to Our panel" in page
        assert "started in another browser" in (await start(browser(), CAME, "other")).text
        again = await start(browser(), {**CAME, "assignmentId": "A2"}, "third")
        assert "You have already taken part" in again.text
        erase_participant(log, "library", visit.participant_id, by="Kim")
        assert Assignments(log, "library").of_visit(visit.visit_id) is None

    walk(folder, steps)


WRONG = [
    {"turkSubmitTo": "https://elsewhere.example"},
    {"turkSubmitTo": "https://panel.example.elsewhere.example"},
    {"turkSubmitTo": "https://panel.example@elsewhere.example"},
    {"turkSubmitTo": ""},
    {"workerId": ""},
    {"assignmentId": "\x00"},
    {"workerId": "w" * 300},
]


def test_whose_link_leads_elsewhere_begins_nothing(folder: Path) -> None:
    async def steps(log: Log, engine: SessionEngine, browser) -> None:
        for wrong in WRONG:
            refused = await start(browser(), {**CAME, **wrong})
            assert refused.status_code == 403 and "where you came from" in refused.text, wrong
        assert log.visits("library") == []

    walk(folder, steps)


@pytest.mark.parametrize(
    "settings, problem",
    [
        ("{origins: []}", "origins"),
        ("{origins: ['https://panel.example/tasks']}", "is not a bare origin"),
        ("{origins: ['http://panel.example']}", "is not an https address"),
        ("{origins: ['https://panel.example'], submit: //elsewhere.example}", "is not a path"),
    ],
)
def test_settings_that_would_open_a_door_are_named(folder: Path, settings: str, problem: str) -> None:
    text = STUDY.replace('{origins: ["https://panel.example"], submit: /done, title: Our panel}', settings)
    (folder / "study.yaml").write_text(text, "utf-8")
    found = "\n".join(map(str, check_study(folder)))
    assert "recruitment.panel" in found and problem in found, found
