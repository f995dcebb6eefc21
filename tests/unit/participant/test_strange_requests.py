"""What schemathesis makes of the description of every address: whatever is sent, nothing breaks."""

import copy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, Phase, given, settings
from starlette.testclient import TestClient

from scenes.addresses import routes_of
from scenes.browsing import Visitor, serve, study_with_texts
from scenes.visits import Parrot
from vivavoce.dashboard.app import create_desk
from vivavoce.log.store import Log
from vivavoce.participant.site import RateLimits
from vivavoce.study.model import Study

pytestmark = pytest.mark.reliability
SOME = pytest.mark.parametrize("examples", [1, pytest.param(60, marks=pytest.mark.long)])
BASE = "http://desk.test"


def described(app: FastAPI) -> dict[str, Any]:
    """The description of every address of an application, also of those that it keeps to itself."""
    routes = []
    for found in routes_of(app):
        if isinstance(found.original_route, APIRoute):
            route = copy.copy(found.original_route)
            route.path, route.path_format, route.include_in_schema = found.path, found.path, True
            routes.append(route)
    return get_openapi(title="addresses", version="1", routes=routes)


def send_everything(schema: dict[str, Any], send: Callable[..., Any], examples: int) -> tuple[int, int]:
    """Ask for every address with what its description allows; how many there are, and requests."""
    sent = operations = 0
    for found in schemathesis.openapi.from_dict(schema).get_all_operations():
        operation = found.ok()
        operations += 1

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            nonlocal sent
            sent += 1
            body = case.body if isinstance(case.body, dict) else {}
            answer = send(case.method, case.formatted_path, body, params=dict(case.query or {}))
            assert answer.status_code < 500, (case.method, case.formatted_path, case.query, case.body)

        ask()
    return operations, sent


@SOME
@pytest.mark.parametrize("place", [pytest.param("nowhere", marks=pytest.mark.long), "dialogue"])
def test_participants_pages_take_whatever_is_sent(
    examples: int, place: str, study: Study, log: Log, parrot: Parrot, note_figures: Callable[..., None]
) -> None:
    rates = RateLimits(turns_per_minute=100_000, visits_per_hour=100_000)
    with serve(study, log, parrot, rates=rates) as open_browser:
        visitor: Visitor = open_browser()
        if place == "dialogue":
            visitor.into_dialogue()

        def send(method: str, path: str, body: dict[str, Any], **more: Any) -> Any:
            form = {name: str(value) for name, value in body.items()}
            answers = [visitor.client.request(method, path, data=form, follow_redirects=False, **more)]
            answers.append(visitor.client.request(method, path, json=body, follow_redirects=False, **more))
            return max(answers, key=lambda one: one.status_code)

        operations, sent = send_everything(described(visitor.server.config.app), send, examples)
    assert operations > 40
    note_figures(
        "whatever is sent, by the description of each address",
        pages="participants'",
        somebody_is=place,
        addresses=operations,
        requests=2 * sent,
        broken=0,
    )


@pytest.fixture
def dashboard(tmp_path: Path, log: Log) -> Iterator[TestClient]:
    """The dashboard of a study without dialogues, as its owner has it."""
    app = create_desk(study_with_texts(tmp_path), log, work_dir=tmp_path / "work", account_optional=True)
    headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
    browser = TestClient(
        app, base_url=BASE, headers=headers, follow_redirects=False, raise_server_exceptions=False
    )
    browser.post(app.state.desk.access.invite("owner", BASE).removeprefix(BASE))
    yield browser
    app.state.desk.snapshots.close()


@SOME
def test_the_dashboard_takes_whatever_is_sent(
    examples: int, dashboard: TestClient, note_figures: Callable[..., None]
) -> None:
    from vivavoce.dashboard.security import csrf_token

    app: Any = dashboard.app
    token = csrf_token(dashboard.cookies[app.state.desk.cookie])

    def send(method: str, path: str, body: dict[str, Any], **more: Any) -> Any:
        if path == "/sign-out":
            path = "/sign-in"  # who signs out asks for nothing more
        form = {name: str(value) for name, value in body.items()} | {"form_token": token}
        return dashboard.request(method, path, data=form if method != "GET" else None, **more)

    operations, sent = send_everything(described(app), send, examples)
    assert operations > 50
    note_figures(
        "whatever is sent, by the description of each address",
        pages="the dashboard's",
        somebody_is="owner",
        addresses=operations,
        requests=sent,
        broken=0,
    )
