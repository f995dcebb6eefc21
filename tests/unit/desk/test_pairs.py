"""The editor of pairs: what it begins with, what it marks, and that its lines are what the study reads."""

import html
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from scenes.comparing import comparing_study
from scenes.translated import same_in_italian
from vivavoce.desk.app import create_desk
from vivavoce.desk.pairs import PairDraft, draft_of_pair, judge
from vivavoce.log.store import Log
from vivavoce.study.model import Study
from vivavoce.study.pairs_check import Balance
from vivavoce.study.pairs_file import read_pairs

Enter = Callable[..., TestClient]
CONTROL = "System: Where to?\nUser: To Lindwood.\nSystem: The train leaves at 18:05 from platform 3.\n"
EXPERIMENTAL = CONTROL.replace("The train", "Lovely! The train")


def test_what_is_typed_is_marked_and_judged(enter: Enter, token_of: Callable[..., str]) -> None:
    browser = enter("viewer")
    form = {
        "form_token": token_of(browser, "/pairs/edit"), "control": CONTROL, "experimental": EXPERIMENTAL,
        "change": "insertion", "variable": "warmth", "outcome": "18:05",
    }  # fmt: skip
    live = browser.post("/pairs/difference", data=form)
    assert live.status_code == 200
    assert "<ins>Lovely! </ins>" in live.text
    assert "A fair pair." in live.text
    assert "<html" not in live.text
    whole = browser.post("/pairs/edit", data=form)
    assert "<ins>Lovely! </ins>" in whole.text
    assert "<html" in whole.text
    broken = browser.post("/pairs/difference", data={**form, "experimental": "Bot: hello"})
    assert "unknown speaker &#39;Bot&#39;" in broken.text
    unfair = browser.post("/pairs/difference", data={**form, "outcome": "19:05"})
    assert "is not told in the control transcript" in unfair.text


def test_markup_that_is_typed_stays_text(enter: Enter, token_of: Callable[..., str]) -> None:
    browser = enter("viewer")
    form = {"form_token": token_of(browser, "/pairs/edit"), "control": "System: <script>x</script>",
            "experimental": "System: <img src=x>"}  # fmt: skip
    text = browser.post("/pairs/edit", data=form).text
    assert "<script>x" not in text
    assert "<img src=x" not in text


def test_a_dialogue_of_the_log_is_a_control_to_begin_with(enter: Enter, log: Log, study: Study) -> None:
    browser = enter("viewer")
    dialogue = next(one for one in log.dialogues(study.name) if one.user_turns > 1)
    page = browser.get(f"/pairs/edit?dialogue={dialogue.dialogue_id}").text
    control, experimental = re.findall(r"<textarea.*?>(.*?)</textarea>", page, flags=re.S)
    assert control == experimental
    assert control.count("User: ") == dialogue.user_turns
    assert (
        f"/pairs/edit?dialogue={dialogue.dialogue_id}"
        in browser.get(f"/dialogues/{dialogue.dialogue_id}").text
    )


def test_what_is_not_there_is_said(enter: Enter) -> None:
    browser = enter("viewer")
    assert browser.get("/pairs/edit?dialogue=none").status_code == 404
    assert browser.get("/pairs/edit?pair=none").status_code == 404
    assert "compares no transcripts" in browser.get("/pairs").text


@pytest.fixture
def comparing(tmp_path: Path) -> Iterator[TestClient]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        app = create_desk(comparing_study(tmp_path / "study"), log, work_dir=tmp_path, account_optional=True)
        headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
        browser = TestClient(app, base_url="http://desk.test", headers=headers, follow_redirects=False)
        link = app.state.desk.access.invite("viewer", "http://desk.test")
        browser.post(link.removeprefix("http://desk.test"))
        yield browser
        app.state.desk.snapshots.close()


def test_the_study_s_own_pairs_are_listed_and_opened(comparing: TestClient) -> None:
    listed = comparing.get("/pairs").text
    assert listed.count("/pairs/edit?pair=") == 11
    opened = html.unescape(comparing.get("/pairs/edit?pair=empathy-train&language=it").text)
    assert "<ins>Oh no, mi dispiace, che brutto momento! </ins>" in opened
    assert comparing.get("/").status_code == 200


def test_the_lines_for_the_file_are_what_the_study_reads(tmp_path: Path) -> None:
    study = comparing_study(tmp_path / "study")
    for pair in study.pairs:
        draft = draft_of_pair(pair, "en")
        (tmp_path / "pairs.yaml").write_text("pairs:\n" + judge(draft, Balance()).yaml, encoding="utf-8")
        ((_, read),) = read_pairs(tmp_path / "pairs.yaml").pairs
        assert read.text["en"] == pair.text["en"]
        assert (read.pair_id, read.variable) == (pair.pair_id, pair.variable)


def test_an_empty_draft_says_what_is_missing() -> None:
    verdict = judge(PairDraft(), Balance()).judged
    assert verdict.word == "unfit" and "has no turns" in str(verdict.findings[0].problem)


def test_the_study_s_own_pairs_are_listed_in_italian(comparing: TestClient) -> None:
    study = comparing.app.state.desk.study  # type: ignore[attr-defined]
    data = {study.name, *(pair.pair_id for pair in study.pairs), *(pair.variable for pair in study.pairs)}
    for page in ("/", "/pairs", "/export"):
        assert same_in_italian(comparing, page, data) == set()
