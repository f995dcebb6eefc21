"""Nothing of the dashboard is readable without sign-in, and nothing changes from elsewhere."""

import re
from collections.abc import Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from vivavoce.dashboard.access import first_link
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.security import HEADERS
from vivavoce.log.events import TRIAL
from vivavoce.log.store import Log
from vivavoce.study.model import Study

Enter = Callable[..., TestClient]
TokenOf = Callable[..., str]

BASE = "http://desk.test"
OPEN = {"/sign-in", "/link/{token}", "/door.css", "/door.svg"}
PAGES = ("/", "/visits", "/dialogues", "/results", "/export", "/trial", "/accounts")
FOR_VIEWERS = (
    "/",
    "/overview/numbers",
    "/visits",
    "/visits/table",
    "/dialogues",
    "/results",
    "/results/state",
    "/trial",
)
FOR_RESEARCHERS = ("/export", "/export/transcripts.jsonl")
FOR_OWNERS = ("/accounts",)


def routes(app: FastAPI, method: str) -> list[str]:
    """Every path that the application answers to with this method."""
    return sorted(path for path, methods in app.openapi()["paths"].items() if method in methods)


def filled_in(path: str, log: Log, study: Study) -> str:
    dialogue = log.dialogues(study.name)[0].dialogue_id
    for name, value in (
        ("dialogue_id", dialogue),
        ("name", "dataset.zip"),
        ("account_id", "x"),
        ("token", "x"),
    ):
        path = path.replace("{" + name + "}", value)
    return path


def test_the_routes_are_found(app: FastAPI) -> None:
    pages = {"/", "/dialogues/{dialogue_id}", "/export/{name}", "/static/dashboard.js"}
    assert pages <= set(routes(app, "get"))
    assert {"/trial/pause", "/accounts/invite", "/sign-out"} <= set(routes(app, "post"))


def test_no_route_is_readable_without_sign_in(
    app: FastAPI, stranger: TestClient, log: Log, study: Study
) -> None:
    closed = [path for path in routes(app, "get") if path not in OPEN]
    assert len(closed) > 12
    for path in [filled_in(path, log, study) for path in closed]:
        assert stranger.get(path).status_code == 303, path
        assert stranger.get(path).headers["location"] == "/sign-in"
        refused = stranger.get(path, headers={"accept": "*/*"})
        assert (refused.status_code, refused.text) == (401, "Please sign in."), path
        assert stranger.head(path).status_code == 303, path


def test_addresses_that_do_not_exist_are_answered_like_those_that_do(stranger: TestClient) -> None:
    for path in (
        "/openapi.json",
        "/docs",
        "/redoc",
        "/static/../app.py",
        "/static/door.css",
        "/nothing",
        "//",
        "/%2e",
    ):
        answer = stranger.get(path)
        assert answer.status_code == 303 and not answer.content, path


def test_the_door_says_nothing_of_the_study(stranger: TestClient, study: Study) -> None:
    for path in ("/sign-in", "/link/unknown", "/door.css", "/door.svg"):
        text = stranger.get(path).text
        assert study.name not in text and "City venues" not in text, path


def test_a_made_up_cookie_is_no_sign_in(app: FastAPI, stranger: TestClient) -> None:
    stranger.cookies.set(app.state.desk.cookie, "x" * 43)
    assert stranger.get("/").status_code == 303


def test_no_change_is_possible_without_sign_in(
    app: FastAPI, stranger: TestClient, log: Log, study: Study
) -> None:
    closed = [path for path in routes(app, "post") if path not in OPEN]
    assert len(closed) >= 6
    for path in closed:
        answer = stranger.post(filled_in(path, log, study), data={"reason": "x", "role": "owner"})
        assert answer.status_code == 303 and answer.headers["location"] == "/sign-in", path
    assert log.events(TRIAL) == []


ELSEWHERE = [
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"sec-fetch-site": "none"},
    {"sec-fetch-site": "cross-site", "origin": BASE},
    {"origin": "http://evil.test"},
    {"origin": "null"},
    {},
]


def test_requests_from_elsewhere_change_nothing(
    app: FastAPI, enter: Enter, log: Log, study: Study, token_of: TokenOf
) -> None:
    owner = enter("owner")
    form = {"form_token": token_of(owner, "/trial"), "reason": "x"}
    del owner.headers["sec-fetch-site"]
    for path in routes(app, "post"):
        for sent in ELSEWHERE:
            answer = owner.post(filled_in(path, log, study), data=form, headers=sent)
            assert answer.status_code == 403, (path, sent)
    assert log.events(TRIAL) == []


def test_an_origin_of_our_own_is_accepted_from_browsers_without_fetch_metadata(
    enter: Enter, token_of: TokenOf
) -> None:
    owner = enter("owner")
    token = token_of(owner, "/trial")
    del owner.headers["sec-fetch-site"]
    sent = {"form_token": token, "reason": "maintenance"}
    assert owner.post("/trial/pause", data=sent, headers={"origin": BASE}).status_code == 303


def test_every_form_needs_the_word_of_its_own_sign_in(
    app: FastAPI, enter: Enter, log: Log, study: Study, token_of: TokenOf
) -> None:
    owner, other = enter("owner"), enter("owner", "second")
    for wrong in ("", "0" * 64, token_of(other, "/trial")):
        for path in [path for path in routes(app, "post") if path not in OPEN]:
            answer = owner.post(filled_in(path, log, study), data={"form_token": wrong, "reason": "x"})
            assert answer.status_code == 403, path
    assert log.events(TRIAL) == []


def test_large_forms_are_refused(enter: Enter) -> None:
    owner = enter("owner")
    assert owner.post("/trial/pause", data={"reason": "x" * 70_000}).status_code == 413


def test_roles_reach_as_far_as_they_should(enter: Enter, token_of: TokenOf, log: Log) -> None:
    reach = {
        "viewer": (FOR_VIEWERS, FOR_RESEARCHERS + FOR_OWNERS),
        "researcher": (FOR_VIEWERS + FOR_RESEARCHERS, FOR_OWNERS),
        "owner": (FOR_VIEWERS + FOR_RESEARCHERS + FOR_OWNERS, ()),
    }
    dialogue = log.dialogues("city-venues")[0].dialogue_id
    for role, (may, may_not) in reach.items():
        browser = enter(role)
        assert {path: browser.get(path).status_code for path in may} == dict.fromkeys(may, 200)
        assert {path: browser.get(path).status_code for path in may_not} == dict.fromkeys(may_not, 403)
        raw = browser.get(f"/dialogues/{dialogue}/events.json").status_code
        assert raw == (403 if role == "viewer" else 200)
    viewer = enter("viewer", "another")
    sent = {"form_token": token_of(viewer, "/trial"), "reason": "x", "role": "owner"}
    assert viewer.post("/trial/pause", data=sent).status_code == 403
    assert viewer.post("/trial/resume", data=sent).status_code == 403
    researcher = enter("researcher", "third")
    sent = {"form_token": token_of(researcher, "/trial"), "role": "owner"}
    assert researcher.post("/accounts/invite", data=sent).status_code == 403
    assert log.events(TRIAL) == []


def test_every_answer_carries_the_security_headers(enter: Enter, stranger: TestClient) -> None:
    owner = enter("owner")
    answers = [owner.get(path) for path in PAGES]
    answers += [
        stranger.get("/"),
        stranger.get("/sign-in"),
        owner.get("/nothing"),
        stranger.post("/trial/pause"),
    ]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    assert "unsafe-inline" not in HEADERS["Content-Security-Policy"]


def test_pages_have_no_inline_script_or_style(enter: Enter, log: Log) -> None:
    owner = enter("owner")
    dialogue = log.dialogues("city-venues")[0].dialogue_id
    for path in (*PAGES, f"/dialogues/{dialogue}", "/account"):
        text = owner.get(path, follow_redirects=True).text
        assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", text), path
        scripts = {f'<script type="module" src="/static/{name}.js">' for name in ("dashboard", "lab")}
        assert set(re.findall(r"<script[^>]*>", text)) <= scripts, path
        assert 'href="#main"' in text and '<main id="main"' in text


def test_a_link_in_the_browser_is_not_used_up_by_previews(stranger: TestClient, log: Log) -> None:
    link = first_link(log, BASE)
    for _ in range(3):
        shown = stranger.get(link)
        assert shown.status_code == 200 and "<button>Sign in</button>" in shown.text
    answer = stranger.post(link)
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=lax" in cookie and "Path=/" in cookie and "Secure" not in cookie
    assert stranger.post(link).status_code == 410
    assert "no longer valid" in stranger.get(link).text


def test_whoever_comes_by_a_link_makes_an_account_first(stranger: TestClient, log: Log) -> None:
    stranger.post(first_link(log, BASE))
    for path in (*PAGES, "/export/dataset.zip", "/results/state"):
        answer = stranger.get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/account"), path
    assert stranger.get("/account").status_code == 200


def test_in_a_demonstration_the_account_is_offered_but_optional(
    study: Study, log: Log, tmp_path: Path
) -> None:
    app = create_desk(
        study, log, work_dir=tmp_path / "work", simulated_notice="SIMULATED: callers are programs"
    )
    browser = TestClient(app, base_url=BASE, headers={"sec-fetch-site": "same-origin", "accept": "text/html"})
    browser.post(first_link(log, BASE))
    page = browser.get("/")
    assert page.status_code == 200 and 'href="/account"' in page.text
    simulated = browser.get("/simulated/").text
    assert "<strong>SIMULATED</strong>callers are programs" in simulated
    assert 'href="/simulated/account"' in simulated
    app.state.desk.snapshots.close()


def test_who_signs_in_to_another_study_of_this_machine_stays_signed_in_here(
    app: FastAPI, study: Study, log: Log, empty_log: Log, tmp_path: Path
) -> None:
    other = create_desk(study, empty_log, work_dir=tmp_path / "other")
    browser = TestClient(app, base_url=BASE, headers={"sec-fetch-site": "same-origin", "accept": "text/html"})
    assert browser.post(first_link(log, BASE).removeprefix(BASE), follow_redirects=False).status_code == 303
    there = TestClient(other, base_url=BASE, headers=browser.headers, cookies=browser.cookies)
    assert (
        there.post(first_link(empty_log, BASE).removeprefix(BASE), follow_redirects=False).status_code == 303
    )
    browser.cookies = there.cookies
    assert browser.get("/account", follow_redirects=False).status_code == 200


def test_behind_https_the_cookie_is_bound_to_this_host(study: Study, log: Log, tmp_path: Path) -> None:
    app = create_desk(study, log, work_dir=tmp_path / "work", secure_cookies=True)
    browser = TestClient(
        app, base_url="https://desk.test", headers={"sec-fetch-site": "same-origin", "accept": "text/html"}
    )
    answer = browser.post(first_link(log, "https://desk.test"), follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-vivavoce-desk-") and "Secure" in cookie and "Domain" not in cookie
    assert answer.headers["strict-transport-security"]
    assert browser.get("/").status_code == 200
    app.state.desk.snapshots.close()


def test_signing_in_and_out_through_the_forms(enter: Enter, stranger: TestClient, token_of: TokenOf) -> None:
    enter("owner", "Ada")
    wrong = stranger.post("/sign-in", data={"name": "Ada", "password": "nothing of the kind"})
    assert wrong.status_code == 403 and "wrong name or password" in wrong.text and 'value="Ada"' in wrong.text
    right = stranger.post("/sign-in", data={"name": "Ada", "password": "a long enough sentence"})
    assert right.status_code == 303 and stranger.get("/").status_code == 200
    assert stranger.post("/sign-out", data={"form_token": token_of(stranger, "/")}).status_code == 303
    assert stranger.get("/").status_code == 303


def test_an_owner_invites_and_removes(enter: Enter, stranger: TestClient, token_of: TokenOf) -> None:
    owner = enter("owner", "Ada")
    token = token_of(owner, "/accounts")
    page = owner.post("/accounts/invite", data={"form_token": token, "role": "viewer"}).text
    link = re.search(r"http://desk\.test/link/[\w-]+", page)
    assert link is not None
    stranger.post(link[0])
    made = {"name": "Vi", "password": "another long sentence", "again": "another long sentence"}
    answer = stranger.post("/account", data={**made, "form_token": token_of(stranger)})
    assert answer.status_code == 303 and stranger.get("/").status_code == 200
    remove = re.findall(
        r'action="(/accounts/\w+/remove)" data-asks="Remove the account of Vi\?"', owner.get("/accounts").text
    )
    assert owner.post(remove[0], data={"form_token": token}).status_code == 303
    assert stranger.get("/").status_code == 303
    assert "Vi</th>" not in owner.get("/accounts").text
    bad = owner.post("/accounts/invite", data={"form_token": token, "role": "emperor"})
    assert bad.status_code == 409


def test_whoever_has_an_account_changes_its_password_on_its_page(
    enter: Enter, stranger: TestClient, token_of: TokenOf
) -> None:
    here, new = enter("viewer", "Vi <b>"), "another long sentence"
    stranger.post("/sign-in", data={"name": "Vi <b>", "password": "a long enough sentence"})
    assert "Vi &lt;b&gt;</a>" in here.get("/").text and stranger.get("/").status_code == 200
    assert "Your account" in here.get("/account").text
    form = {"old": "a long enough sentence", "password": new, "again": new, "form_token": token_of(here)}
    for changed, status, told in (
        ({"form_token": "0" * 64}, 403, "expired"),
        ({"old": "something else"}, 422, "the old password is wrong"),
        ({"again": new + "."}, 422, "the two passwords differ"),
        ({"password": "short", "again": "short"}, 422, "the password has 5 characters"),
    ):
        refused = here.post("/account/password", data={**form, **changed})
        assert refused.status_code == status and told in refused.text, changed
        assert new not in refused.text and stranger.get("/").status_code == 200
    foreign = here.post("/account/password", data=form, headers={"sec-fetch-site": "cross-site"})
    assert foreign.status_code == 403
    done = here.post("/account/password", data=form)
    assert (done.status_code, done.headers["location"]) == (303, "/account?ended=1")
    shown = here.get(done.headers["location"]).text
    assert "Password changed. 1 other session was signed out." in shown
    assert stranger.get("/").headers["location"] == "/sign-in"
    assert stranger.post("/sign-in", data={"name": "Vi <b>", "password": new}).status_code == 303
    assert here.get("/").status_code == 200, "whoever changed it stays signed in"


def test_by_a_link_alone_there_is_no_password_to_change(stranger: TestClient, log: Log) -> None:
    stranger.post(first_link(log, BASE))
    answer = stranger.post("/account/password", data={"old": "", "password": "x", "again": "x"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/account")
