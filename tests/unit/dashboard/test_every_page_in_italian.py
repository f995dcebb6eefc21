"""Every page of a trial read in Italian: what is the same as in English is data, never a word of ours."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from scenes.patience import eventually
from scenes.translated import same_in_italian
from vivavoce.dashboard.pairs import PairDraft, draft_of_dialogue, judge
from vivavoce.dashboard.snapshot import Snapshots
from vivavoce.dashboard.study_editor.edited_study import EditedStudy
from vivavoce.dashboard.study_editor.pages_materials import DECLARED
from vivavoce.dashboard.study_editor.pages_steps import step_names
from vivavoce.dashboard.study_editor.settings_form import fields_of
from vivavoce.log import events
from vivavoce.log.store import Log
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.model import Study

Enter = Callable[..., Any]
FILES = (".csv", ".js", ".css", ".svg", ".json", "/state", "/sign-in")


def words_of(study: Study, log: Log) -> set[str]:
    """What the study's author and its participants wrote, and names."""
    found = {study.name, study.title["en"], f"– {study.title['en']}", *study.systems, "owner", "viewer"}
    found |= {text for task in study.tasks for text in (*task.text.values(), task.type or "", *task.requests)}
    found |= {text for task in study.tasks for pair in task.constraints.items() for text in map(str, pair)}
    found |= {f"{a} – {b}" for a in study.systems for b in study.systems}
    found |= {", ".join(task.requests) for task in study.tasks}
    found |= {step.kind for step in study.visit} | keys_of_the_file(study)
    found |= {f"{number}. {step.kind}" for number, step in enumerate(study.visit, 1)}
    for instrument in ("cambridge",):
        found |= {instrument, *study.wording(instrument, "en").items.values()}
    for one in (stored.event for stored in log.all_events()):
        if isinstance(one, events.UserTurnSent | events.SystemTurnReceived):
            found.add(one.text)
        elif isinstance(one, events.QuestionnaireAnswered):
            found |= {rating.answer or "" for rating in one.ratings}
        elif isinstance(one, events.SystemTurnFailed):
            found.add(one.detail)
    return found


def keys_of_the_file(study: Study) -> set[str]:
    """Names that the study file has, which are the same in every language."""
    fields = fields_of(Analysis, {}, only=DECLARED)
    found = {text for one in fields for text in (one.label, f"{one.group}:", *one.choices)}
    found |= {*step_names(), "study.yaml", "(Markdown)", *EditedStudy.of(study.folder).texts()}
    found |= {
        f"{name} – {one['connect']} – {one['url']}" for name, one in study.systems.items() if "url" in one
    }
    return found | {"https://bot.example.org/chat"}


def findings(study: Study, log: Log, dialogue: str | None) -> set[str]:
    """What `vivavoce check` says of a pair, in English everywhere."""
    draft = draft_of_dialogue(log.dialogue_history(dialogue), "en") if dialogue else PairDraft()
    verdict = judge(draft, study.balance)
    return {f"{one.problem}; {one.hint}." for one in verdict.judged.findings}


def pages_of(app: FastAPI) -> list[str]:
    """Every address without a place in it that answers with a page."""
    found = app.openapi()["paths"].items()
    paths = (path for path, methods in found if "get" in methods and not path.startswith("/api/"))
    return sorted(path for path in paths if "{" not in path and not path.endswith(FILES))


@pytest.fixture
def computing(app: FastAPI, tmp_path: Path) -> Iterator[FastAPI]:
    """The dashboard with results that are really computed."""
    desk = app.state.desk
    desk.snapshots.close()
    desk.snapshots = Snapshots(desk.board, tmp_path / "work" / "really")
    yield app


def test_every_page_speaks_italian(computing: FastAPI, enter: Enter, log: Log, study: Study) -> None:
    browser, data = enter("owner"), words_of(study, log)
    browser.get("/results")
    eventually(lambda: not browser.get("/results/state").json()["computing"])
    held = next(one.dialogue_id for one in log.dialogues(study.name) if one.status == "completed")
    failed = next(one.dialogue_id for one in log.dialogues(study.name) if one.status == "failed")
    data |= (
        findings(study, log, None)
        | findings(study, log, held)
        | {"owner by link", "SVG", "PNG", "CSV", "Vega-Lite", "rho", "Holm", "Bonferroni"}
    )  # as the log names them
    more = (
        "/results?by=system",
        f"/dialogues/{held}",
        f"/dialogues/{failed}",
        "/dialogues?q=zzz",
        f"/pairs/edit?dialogue={held}",
        "/dialogues/none",
        "/nowhere",
    )
    left = {page: same_in_italian(browser, page, data) for page in (*pages_of(computing), *more)}
    shown = {page: sorted(same) for page, same in left.items() if same}
    assert not shown, "\n".join(f"{page}: {same}" for page, same in shown.items())
