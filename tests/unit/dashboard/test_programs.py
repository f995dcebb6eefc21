"""Programs of researchers: what a token opens, for how long; and the trail of what anybody did."""

import csv
import re
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from vivavoce.core.clock import ManualClock
from vivavoce.dashboard.security import OF_PROGRAMS, READS_A_MINUTE, WRONG_TOKENS_A_MINUTE
from vivavoce.log.events import ACTIONS
from vivavoce.log.store import Log
from vivavoce.participant.accounts import SCOPES, Access

BASE = "http://desk.test"
Enter = Callable[..., TestClient]
TokenOf = Callable[..., str]
ADDRESSES = {
    "progress": "/api/progress",
    "results": "/api/results",
    "export": "/api/export/transcripts.jsonl",
}


def program(app: FastAPI, token: str) -> TestClient:
    return TestClient(
        app, base_url=BASE, headers={"authorization": f"Bearer {token}"}, follow_redirects=False
    )


def make_token(owner: TestClient, word: str, *scopes: str, days: str = "30") -> str:
    form = {"form_token": word, "name": "nightly job", "days": days, "scope": list(scopes)}
    page = owner.post("/accounts/tokens", data=form)
    assert page.status_code == 200, page.text
    found = re.search(r'id="token">(vivavoce_[\w-]{43})<', page.text)
    assert found is not None
    return found[1]


def test_a_token_is_shown_once_reads_its_scopes_and_is_stored_as_a_hash(
    app: FastAPI, enter: Enter, token_of: TokenOf, tmp_path: Path
) -> None:
    owner = enter("owner")
    token = make_token(owner, token_of(owner), "progress", "export")
    page = owner.get("/accounts").text
    assert token not in page and "nightly job" in page and "never" in page
    reads = program(app, token)
    numbers = reads.get("/api/progress").json()
    assert numbers["all"]["dialogues"] > 30
    assert numbers["flow"]["arrived"] > 9 and numbers["health"][0]["turns"] > 30
    assert "participant-" not in str(numbers), "numbers name nobody"
    first, *_ = reads.get("/api/export/transcripts.jsonl").text.splitlines()
    assert '"turns"' in first
    refused = reads.get("/api/results")
    assert (refused.status_code, refused.text) == (403, "This token may read: progress, export.")
    assert "never" not in owner.get("/accounts").text
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("log.sqlite*"))
    assert token.encode() not in stored


@pytest.mark.parametrize("scope", SCOPES)
def test_a_token_opens_the_addresses_of_its_scope_and_no_other_of_the_dashboard(
    scope: str, app: FastAPI, log: Log
) -> None:
    access: Access = app.state.desk.access
    opened = set()
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            reads = program(app, access.make_token("job", [scope], 1, "Ada"))
            if reads.request(method, path.replace("{name}", "transcripts.jsonl")).status_code != 403:
                opened.add((method, path))
    assert opened == {("get", path.replace("transcripts.jsonl", "{name}")) for path in [ADDRESSES[scope]]}
    assert {ADDRESSES[one].startswith(path) for path, one in OF_PROGRAMS.items()} == {True}


def test_an_expired_revoked_or_unknown_token_and_one_of_another_study_open_nothing(
    app: FastAPI, enter: Enter, token_of: TokenOf, log: Log, clock: ManualClock
) -> None:
    access: Access = app.state.desk.access
    owner = enter("owner")
    kept, short = access.make_token("kept", SCOPES, 366, "Ada"), access.make_token("short", SCOPES, 1, "Ada")
    elsewhere = Access(log, "another-study").make_token("elsewhere", SCOPES, 1, "Eve")
    wrong = (elsewhere, "vivavoce_" + "x" * 43, "")
    assert [program(app, one).get("/api/progress").status_code for one in wrong] == [401] * 3
    assert program(app, short).get("/api/progress").status_code == 200
    (number,) = [one.token_id for one in access.tokens() if one.name == "kept"]
    pressed = owner.post(f"/accounts/tokens/{number}/revoke", data={"form_token": token_of(owner)})
    assert pressed.status_code == 303 and program(app, kept).get("/api/progress").status_code == 401
    again = owner.post(f"/accounts/tokens/{number}/revoke", data={"form_token": token_of(owner)})
    assert again.status_code == 409 and "token not found" in again.text
    clock.advance(24 * 3600)
    assert program(app, short).get("/api/progress").status_code == 401
    owner.cookies.set(app.state.desk.cookie, short)
    assert owner.get("/").status_code == 303, "a token is no sign-in"


@pytest.mark.parametrize(
    ("name", "scopes", "days"),
    [
        ("", ["export"], "9"),
        ("job", [], "9"),
        ("job", ["all"], "9"),
        ("job", ["export"], "0"),
        ("job", ["export"], "367"),
        ("job", ["export"], "²"),
    ],
)
def test_a_token_without_name_scope_or_end_is_not_made(
    name: str, scopes: list[str], days: str, app: FastAPI, enter: Enter, token_of: TokenOf
) -> None:
    owner = enter("owner")
    form = {"form_token": token_of(owner), "name": name, "days": days, "scope": scopes}
    page = owner.post("/accounts/tokens", data=form)
    assert page.status_code == 422 and 'role="alert"' in page.text and app.state.desk.access.tokens() == []


def test_programs_that_ask_too_often_and_strangers_who_guess_are_told_to_wait(app: FastAPI) -> None:
    reads = program(app, app.state.desk.access.make_token("job", ["progress"], 1, "Ada"))
    statuses = [reads.get("/api/progress").status_code for _ in range(READS_A_MINUTE + 1)]
    assert statuses == [200] * READS_A_MINUTE + [429]
    guesses = [program(app, f"guess {n}").get("/api/progress") for n in range(WRONG_TOKENS_A_MINUTE + 1)]
    assert [one.status_code for one in guesses] == [401] * WRONG_TOKENS_A_MINUTE + [429]
    assert guesses[-1].headers["retry-after"] == "60"


def test_what_is_changed_or_taken_out_stands_in_the_log_and_secrets_do_not(
    app: FastAPI, enter: Enter, token_of: TokenOf, log: Log, tmp_path: Path
) -> None:
    researcher, owner = enter("researcher", "Grace"), enter("owner", "Ada")
    position = app.state.desk.board.see(lambda board: board.position)
    token = make_token(owner, token_of(owner), "export")
    program(app, token).get("/api/export/transcripts.jsonl")
    word = token_of(researcher)
    researcher.post("/trial/pause", data={"form_token": word, "reason": "the secret reason"})
    researcher.post("/trial/pause", data={"form_token": "0" * 64, "reason": "refused"})
    researcher.get("/export/transcripts.jsonl")
    researcher.get("/dialogues")
    owner.post("/accounts/invite", data={"form_token": token_of(owner), "role": "viewer"})
    found: list[Any] = [one.event for one in app.state.desk.access.actions()]
    done = [(one.by, one.action, one.about) for one in found]
    assert done[:5] == [
        ("Ada", "POST /accounts/invite", {"role": "viewer", "studies": "city-venues"}),
        ("Grace", "GET /export/transcripts.jsonl", {}),
        ("Grace", "POST /trial/pause", {}),
        ("nightly job", "GET /api/export/transcripts.jsonl", {}),
        ("Ada", "POST /accounts/tokens", {"name": "nightly job", "scopes": "export", "days": "30"}),
    ]
    stored = " ".join(repr(one.event) for one in log.events(ACTIONS))
    assert not any(
        secret in stored for secret in (token, "the secret reason", "a long enough sentence", word)
    )
    page = owner.get("/accounts/actions").text
    assert "POST /trial/pause" in page and page.index("/accounts/invite") < page.index("/trial/pause")
    rows = list(csv.DictReader(StringIO(owner.get("/accounts/actions.csv").text)))
    assert rows[0]["by"] == "Ada" and [row["action"] for row in rows].count("POST /trial/pause") == 1
    assert researcher.get("/accounts/actions").status_code == 403
    paused = [one.position for one in log.trial_events()]
    assert app.state.desk.board.see(lambda board: board.position) == paused[-1] > position


def test_what_researchers_do_makes_no_result_out_of_date(
    app: FastAPI, enter: Enter, token_of: TokenOf
) -> None:
    owner = enter("owner")
    before = app.state.desk.board.see(lambda board: board.position)
    owner.post("/accounts/invite", data={"form_token": token_of(owner), "role": "viewer"})
    assert app.state.desk.board.see(lambda board: board.position) == before
