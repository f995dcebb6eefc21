"""The pages of a campaign: the organiser sees all, a team its own; nothing of a form reaches this machine."""

import re
import warnings
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest

from scenes.patience import eventually
from scenes.processes import example_bot
from scenes.translated import page_texts, same_in_italian
from vivavoce.connectors.discovery import NotFound
from vivavoce.core.yaml_source import read_yaml
from vivavoce.log.store import Log
from vivavoce_campaign.answers import read_all
from vivavoce_campaign.campaign_file import load_campaign
from vivavoce_campaign.pages import create_campaign_desk
from vivavoce_campaign.setup import write_campaign
from vivavoce_campaign.submissions import CONNECTORS, submissions_in

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # starlette would rather have httpx2, which nothing else here needs
    from starlette.testclient import TestClient

BASE = "http://desk.test"
OURS = {"sec-fetch-site": "same-origin", "accept": "text/html"}
FORM = {
    "submission": "mybot",
    "team": "Team <b>",
    "title": "",
    "domain": "trains",
    "channel": "written",
    "intents": "ticket; buy a ticket; 2\ntime; ask when a train leaves; 1,5",
    "interface": "own page",
    "access": "on-line",
    "languages": "it, en",
    "connect": "http",
    "url": "https://bot.example/chat",
}
Enter = Callable[[str, str], TestClient]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_campaign(tmp_path / "c", "trial")
    return tmp_path / "c"


@pytest.fixture
def enter(folder: Path) -> Iterator[Enter]:
    with Log.open(f"sqlite:///{folder / 'accounts.sqlite'}") as log:
        app = create_campaign_desk(folder, log)

        def come_in(role: str, name: str) -> TestClient:
            """A browser of somebody with an account."""
            browser = TestClient(app, base_url=BASE, headers=OURS)
            path = app.state.desk.access.invite(role, BASE).removeprefix(BASE)
            browser.post(path)
            secret = {"password": "a long enough sentence", "again": "a long enough sentence"}
            browser.post("/account", data={"name": name, **secret, "form_token": token(browser, "/account")})
            return browser

        yield come_in


def token(browser: TestClient, page: str) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', browser.get(page).text)
    assert found is not None
    return found[1]


def submit(browser: TestClient, **changes: str):
    return browser.post("/submit", data={**FORM, **changes, "form_token": token(browser, "/submit")})


def test_a_submitted_system_becomes_a_file_and_shows_its_state(enter: Enter, folder: Path) -> None:
    team = enter("team", "Alice")
    page = submit(team)
    assert page.status_code == 200 and "0 of 10 users" in page.text
    assert "Team &lt;b&gt;" in page.text and "Team <b>" not in page.text
    waits = set(re.findall(r"<td>([^<]+)</td></tr>", page.text))
    assert waits == {"the organiser", "users"}, "nobody judges before there are cases"
    written = read_yaml(folder / "submissions" / "mybot.yaml").data
    assert [one["minutes"] for one in written["intents"]] == [2, 1.5]
    assert written["connector"] == {"connect": "http", "url": "https://bot.example/chat"}
    assert "mybot" in team.get("/").text
    submit(team, domain="trains of Italy")
    assert read_yaml(folder / "submissions" / "mybot.yaml").data["domain"] == "trains of Italy"


def test_a_team_sees_nothing_of_others_and_the_organiser_sees_all(enter: Enter) -> None:
    alice, bob, organiser = enter("team", "Alice"), enter("team", "Bob"), enter("owner", "Olga")
    submit(alice)
    assert "mybot" not in bob.get("/").text and "telco" not in bob.get("/").text
    for page in ("/systems/mybot", "/systems/telco", "/submit?name=mybot", "/systems/mybot/it.html"):
        assert bob.get(page).status_code == 404
    assert "is taken" in submit(bob).text
    assert "is taken" in submit(bob, submission="telco").text
    assert all(name in organiser.get("/").text for name in ("mybot", "telco", "carbs", "callsteering"))
    assert bob.post("/invite", data={"form_token": token(bob, "/")}).status_code == 403
    invited = organiser.post("/invite", data={"form_token": token(organiser, "/")})
    assert "/link/" in invited.text


def test_a_form_that_will_not_do_is_shown_again_with_what_was_typed(enter: Enter, folder: Path) -> None:
    before, team = sorted((folder / "submissions").iterdir()), enter("team", "Alice")
    for changes, named in (
        ({"connect": "python"}, "Connector: "),
        ({"url": "https://bot.example/${SECRET}"}, "Address: "),
        ({"url": "file:///etc/passwd"}, "Address: "),
        ({"intents": "buy a ticket"}, "Intents, line 1"),
        ({"intents": "a; b; 0"}, "minutes"),
        ({"submission": "../evil"}, "../evil"),
        ({"channel": "sung"}, "sung"),
    ):
        page = submit(team, **changes)
        assert page.status_code == 422 and named in page.text and "trains" in page.text, changes
    assert sorted((folder / "submissions").iterdir()) == before


def test_the_organiser_checks_a_system_and_a_private_address_is_refused(enter: Enter) -> None:
    organiser, team = enter("owner", "Olga"), enter("team", "Alice")
    said = organiser.post("/systems/telco/check", data={"form_token": token(organiser, "/systems/telco")})
    assert "The system replied" in said.text
    submit(team, url="http://127.0.0.1:9/chat")
    said = team.post("/systems/mybot/check", data={"form_token": token(team, "/systems/mybot")})
    assert "The system did not reply" in said.text and "private" in said.text


def test_reports_are_handed_out_as_files(enter: Enter, folder: Path) -> None:
    organiser = enter("owner", "Olga")
    assert organiser.get("/systems/telco/it.html").status_code == 404
    (folder / "reports").mkdir()
    (folder / "reports" / "telco.it.html").write_text("<h1>r</h1>", encoding="utf-8")
    answer = organiser.get("/systems/telco/it.html")
    assert answer.text == "<h1>r</h1>" and "sandbox" in answer.headers["content-security-policy"]
    assert "attachment" in answer.headers["content-disposition"]
    assert organiser.get("/systems/telco/xx.html").status_code == 404


def test_a_study_that_the_organiser_broke_does_not_take_the_pages_down(enter: Enter, folder: Path) -> None:
    place = folder / "systems" / "telco"
    (place / "study.yaml").write_text("study: [", encoding="utf-8")
    (place / "log.sqlite").write_bytes(b"")
    organiser = enter("owner", "Olga")
    assert "telco" in organiser.get("/").text
    assert "0 of 10 users" in organiser.get("/systems/telco").text


def test_strangers_see_nothing(enter: Enter) -> None:
    enter("owner", "Olga").cookies.clear()
    stranger = TestClient(enter("team", "T").app, base_url=BASE, headers=OURS, follow_redirects=False)
    for page in ("/", "/submit", "/systems/telco"):
        assert stranger.get(page).headers["location"] == "/sign-in"


def test_every_page_of_a_campaign_speaks_italian(enter: Enter, folder: Path) -> None:
    team, owner = enter("team", "alice"), enter("owner", "boss")
    submit(team, team="Delta", languages="it")
    (folder / "submissions" / "broken.yaml").write_text("submission: [")
    names = {
        *CONNECTORS,
        "trial",
        "– trial",
        "alice",
        "boss",
        "mybot",
        "– mybot",
        "Delta",
        "own page",
        "ticket",
        "time",
    }
    system = "/systems/mybot"
    for page in (
        "/",
        "/submit",
        "/submit?name=mybot",
        system,
        f"{system}/answers",
        "/systems/none",
        "/account",
    ):
        assert same_in_italian(team, page, names) == set(), page
    told = {text for text in page_texts(owner.get("/").text) if "broken" in text or "yaml" in text}
    submitted = [made for made, _ in submissions_in(folder).values() if made]
    known = names | told | {text for one in submitted for text in (one.submission, one.team)}
    assert same_in_italian(owner, "/", known) == set()
    answer = team.post("/submit", data={**FORM, "form_token": "0" * 64}, headers={"accept-language": "it"})
    assert answer.status_code == 403 and "Questo modulo è scaduto" in answer.text


SAID = {"questionnaire": "3", "stress_tests": "1", "again": "with_changes", "why": "7 <b>accents</b>"}


def test_a_team_answers_on_a_page_and_the_organiser_reads_it(enter: Enter, folder: Path) -> None:
    alice, bob, organiser = enter("team", "Alice"), enter("team", "Bob"), enter("owner", "Olga")
    submit(alice)
    page = "/systems/mybot/answers"
    unfinished = alice.post(page, data={"why": "so", "form_token": token(alice, page)})
    assert (
        unfinished.status_code == 422
        and "every scale question" in unfinished.text
        and ">so<" in unfinished.text
    )
    assert not (folder / "answers").exists()
    kept = alice.post(page, data={**SAID, "form_token": token(alice, page)})
    assert kept.status_code == 200 and "Your answers are saved" in kept.text
    assert re.search(r'id="stress_tests".*?value="1" selected', kept.text)
    assert bob.get(page).status_code == 404 and bob.get("/answers").status_code == 403
    told = organiser.get("/answers").text
    assert "1 of 4 teams answered" in told and "7 &lt;b&gt;accents&lt;/b&gt;" in told
    (read,) = read_all(load_campaign(folder))
    assert (read.system, read.questionnaire, read.stress_tests, read.again) == ("mybot", 3, 1, "with_changes")
    alice.post(page, data={**SAID, "stress_tests": "4", "form_token": token(alice, page)})
    assert read_all(load_campaign(folder))[0].stress_tests == 4


BEGINNING = {
    "name": "own",
    "languages": "en, it",
    "team": "",
    "domain": "",
    "channel": "written",
    "intents": "book a {visit} / fissare {visit}",
    "entities": "visit / visita: cleaning / una pulizia; check-up / un controllo",
}


def begin(browser: TestClient, **changes: str):
    return browser.post("/begin", data={**BEGINNING, **changes, "form_token": token(browser, "/begin")})


@pytest.fixture
def dentist() -> Iterator[str]:
    with example_bot("dentist") as address:
        yield address


def test_a_campaign_begins_on_the_pages_and_is_tried_there(tmp_path: Path, dentist: str) -> None:
    """From an empty folder: the bot is greeted, its study drafted, and simulated users try it."""
    place = tmp_path / "new"
    place.mkdir()
    with Log.open(f"sqlite:///{tmp_path / 'accounts.sqlite'}") as log:
        app = create_campaign_desk(place, log)
        browser = TestClient(app, base_url=BASE, headers=OURS)
        browser.post(app.state.desk.access.invite("owner", BASE).removeprefix(BASE))
        secret = {"password": "a long enough sentence", "again": "a long enough sentence"}
        browser.post("/account", data={"name": "Olga", **secret, "form_token": token(browser, "/account")})
        assert "Connect and draft" in browser.get("/").text
        refused = begin(browser, url="http://127.0.0.1:9/chat")
        assert refused.status_code == 422 and "check-up" in refused.text
        assert list(place.iterdir()) == []
        begun = begin(browser, url=dentist)
        assert begun.status_code == 200 and "What do you need" in begun.text
        assert "submissions/own.yaml" in begun.text and "systems/own/tasks.yaml" in begun.text
        system = "/systems/own"
        assert "Try with simulated users" in browser.get(system).text
        again = browser.post(f"{system}/try", data={"form_token": token(browser, system)})
        assert "Simulated users are running" in again.text or "Latest trial" in again.text
        eventually(lambda: "Latest trial" in browser.get(system).text, "the try never came to its end")
        tried = browser.get(system).text
        assert "Which day would suit you?" in tried, "the bot asks for what the submission lacks"
        assert "TryOut(" not in tried, "the strip above every page is the frame's"
        names = {"own", "– own", "own – new", "new", "– new", "Olga", "own page", "book"}
        names |= {
            text
            for text in page_texts(tried)
            if "?" in text or "{" in text or "check-up" in text or "cleaning" in text
        }
        for page in ("/begin", system, "/answers", f"{system}/answers"):
            known = names | (
                {text for text in page_texts(browser.get(page).text) if text in tried_said(tried)}
            )
            assert same_in_italian(browser, page, known) == set(), page
        assert begin(browser, url=dentist).status_code == 422, "nothing is written over"


def tried_said(page: str) -> set[str]:
    """What bot and simulated users said in the dialogue that a page shows."""
    return {
        " ".join(unescape(one).split()) for one in re.findall(r'<span class="text">(.*?)</span>', page, re.S)
    }


def test_a_team_begins_and_tries_nothing(enter: Enter) -> None:
    team = enter("team", "Alice")
    submit(team)
    assert team.get("/begin").status_code == 403
    posted = team.post("/systems/mybot/try", data={"form_token": token(team, "/systems/mybot")})
    assert posted.status_code == 403


def test_where_no_request_was_answered_the_page_asks_for_its_fields(
    enter: Enter, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object) -> None:
        raise NotFound('HTTP 400: {"errore":"manca frase"}', place="http://127.0.0.1:9", names=["frase"])

    monkeypatch.setattr("vivavoce_campaign.pages.begin_at", refused)
    organiser = enter("researcher", "Olga")
    page = begin(organiser, url="http://127.0.0.1:9/chat")
    assert page.status_code == 422 and "Message field" in page.text
    assert 'name="ask-text" value="frase"' in page.text and 'formaction="/begin"' in page.text
    assert "check-up" in page.text, "nothing that was typed is lost"
    again = begin(organiser, url="http://127.0.0.1:9/chat", **{"with": "these", "ask-text": "frase"})
    assert again.status_code == 422 and "not reachable" in again.text
    assert 'name="ask-text" value="frase"' in again.text
