"""The editor of pairs: what it begins with, what it marks, and that its lines are what the study reads."""

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from starlette.testclient import TestClient

from scenes.comparing import comparing_study
from scenes.translated import same_in_italian
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.pairs import PairDraft, draft_of_pair, judge
from vivavoce.log.store import Log
from vivavoce.study.load import check_study, load_study
from vivavoce.study.model import Study
from vivavoce.study.pairs_check import Balance
from vivavoce.study.pairs_file import read_pairs

Enter = Callable[..., TestClient]
CONTROL = "System: Where to?\nUser: To Lindwood.\nSystem: The train leaves at 18:05 from platform 3.\n"
EXPERIMENTAL = CONTROL.replace("The train", "Lovely! The train")


def test_what_is_typed_is_marked_and_judged(enter: Enter, token_of: Callable[..., str]) -> None:
    browser = enter("viewer")
    form = {
        "form_token": token_of(browser, "/pairs/edit"),
        "control": CONTROL,
        "experimental": EXPERIMENTAL,
        "change": "insertion",
        "variable": "warmth",
        "outcome": "18:05",
    }
    live = browser.post("/pairs/difference", data=form)
    assert live.status_code == 200
    assert "<ins>Lovely! </ins>" in live.text
    assert "Balanced pair." in live.text
    assert "<html" not in live.text
    whole = browser.post("/pairs/edit", data=form)
    assert "<ins>Lovely! </ins>" in whole.text
    assert "<html" in whole.text
    broken = browser.post("/pairs/difference", data={**form, "experimental": "Bot: hello"})
    assert "unknown speaker &#39;Bot&#39;" in broken.text
    unfair = browser.post("/pairs/difference", data={**form, "outcome": "19:05"})
    assert "is missing in the control transcript" in unfair.text
    empty = browser.get("/pairs/edit").text
    assert "Write both versions" in empty and "Not a fair pair" not in empty


def test_markup_that_is_typed_stays_text(enter: Enter, token_of: Callable[..., str]) -> None:
    browser = enter("viewer")
    form = {
        "form_token": token_of(browser, "/pairs/edit"),
        "control": "System: <script>x</script>",
        "experimental": "System: <img src=x>",
    }
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
    assert "no transcript comparison" in browser.get("/pairs").text


@pytest.fixture
def authors(tmp_path: Path) -> Iterator[Callable[[str], TestClient]]:
    """Who is signed in with a role at the dashboard of a study that compares, in `tmp_path / "study"`."""
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        app = create_desk(comparing_study(tmp_path / "study"), log, work_dir=tmp_path, account_optional=True)
        headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}

        def author(role: str) -> TestClient:
            browser = TestClient(app, base_url="http://desk.test", headers=headers, follow_redirects=False)
            link = app.state.desk.access.invite(role, "http://desk.test")
            browser.post(link.removeprefix("http://desk.test"))
            return browser

        yield author
        app.state.desk.snapshots.close()


@pytest.fixture
def comparing(authors: Callable[[str], TestClient]) -> TestClient:
    return authors("viewer")


def test_the_study_s_own_pairs_are_listed_and_opened(comparing: TestClient) -> None:
    listed = comparing.get("/pairs").text
    assert listed.count("/pairs/edit?pair=") == 22, "in both languages"
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


def opened(browser: TestClient, pair_id: str, language: str = "en") -> dict[str, str]:
    """The form of the editor as a browser would send it."""
    page = browser.get("/pairs/edit", params={"pair": pair_id, "language": language}).text
    fields = dict(re.findall(r'<input[^>]*name="(\w+)" value="([^"]*)"', page))
    fields |= dict(re.findall(r'<textarea[^>]*name="(\w+)"[^>]*>(.*?)</textarea>', page, flags=re.S))
    chosen = re.findall(
        r'<select[^>]*name="(\w+)">.*?<option(?: value="\w+")? selected>(\w+)', page, flags=re.S
    )
    return (
        {name: html.unescape(value) for name, value in fields.items()} | dict(chosen) | {"language": language}
    )


def test_a_pair_that_is_saved_is_in_the_file_with_a_version_and_who_it_was(
    authors: Callable[[str], TestClient], tmp_path: Path
) -> None:
    browser, file = authors("researcher"), tmp_path / "study" / "pairs.yaml"
    before = file.read_text("utf-8")
    form = opened(browser, "empathy-plant")
    form["experimental"] = form["experimental"].replace("it happens!", "it happens to all of us!")
    answer = browser.post("/pairs/save", data={**form, "change": "insertion"})
    assert answer.status_code == 303 and answer.headers["location"] == "/pairs?saved=empathy-plant"
    assert "it happens to all of us!" in file.read_text("utf-8")
    assert check_study(tmp_path / "study") == []
    assert "# Formality: the control is formal" in file.read_text("utf-8"), "comments stay"
    listed = browser.get("/pairs").text
    assert "take effect after a restart" in listed
    assert "empathy-plant (en)" in listed and "Before the first change" in listed
    token = {"form_token": form["form_token"]}
    assert browser.post("/pairs/restore", data={**token, "number": "0"}).status_code == 303
    assert file.read_text("utf-8") == before
    assert browser.post("/pairs/restore", data={**token, "number": "1"}).status_code == 303
    assert "it happens to all of us!" in file.read_text("utf-8"), "what was undone is not lost"
    done = [one.event for one in browser.app.state.desk.access.actions()]  # type: ignore[attr-defined]
    saved = next(one for one in done if one.action == "POST /pairs/save")
    assert saved.about == {"pair": "empathy-plant", "language": "en", "version": "1"}


def test_a_pair_that_is_not_fair_or_lacks_a_language_is_a_draft(
    authors: Callable[[str], TestClient], tmp_path: Path
) -> None:
    browser, folder = authors("researcher"), tmp_path / "study"
    before = (folder / "pairs.yaml").read_text("utf-8")
    form = opened(browser, "empathy-train") | {"change": "insertion"}
    other = {**form, "experimental": form["experimental"].replace("18:05", "19:05")}
    assert browser.post("/pairs/save", data=other).status_code == 303
    assert (folder / "pairs.yaml").read_text("utf-8") == before
    assert "19:05" in (folder / "pairs.drafts.yaml").read_text("utf-8")
    listed = browser.get("/pairs?saved=empathy-train").text
    assert listed.count(">draft<") == 2, "one row a language"
    assert "Saved as a draft" in listed and "study: en, it." in listed
    again = opened(browser, "empathy-train") | {"change": "insertion"}
    mended = {**again, "experimental": form["experimental"].replace("upsetting", "annoying")}
    assert browser.post("/pairs/save", data=mended).status_code == 303
    assert "annoying!" in (folder / "pairs.yaml").read_text("utf-8")
    assert "It stays a draft" not in browser.get("/pairs?saved=empathy-train").text
    assert not (folder / "pairs.drafts.yaml").exists()


def test_of_two_authors_the_second_is_told_and_keeps_what_they_typed(
    authors: Callable[[str], TestClient], tmp_path: Path
) -> None:
    one, other = authors("researcher"), authors("owner")
    first, second = (opened(who, "empathy-plant") | {"change": "insertion"} for who in (one, other))
    first["experimental"] = first["experimental"].replace("it happens!", "that happens!")
    second["experimental"] = second["experimental"].replace("it happens!", "such things happen!")
    assert one.post("/pairs/save", data=first).status_code == 303
    refused = other.post("/pairs/save", data=second)
    assert refused.status_code == 409 and "such things happen!" in refused.text
    assert "that happens!" in (tmp_path / "study" / "pairs.yaml").read_text("utf-8")
    base = re.search(r'name="base" value="(\w+)"', refused.text)
    assert base is not None
    assert other.post("/pairs/save", data={**second, "base": base[1]}).status_code == 303
    taken = other.post("/pairs/save", data={**second, "pair_id": "empathy-train"})
    assert taken.status_code == 409 and "A pair with this name already exists." in taken.text


def test_who_only_looks_saves_nothing(comparing: TestClient, tmp_path: Path) -> None:
    form = opened(comparing, "empathy-plant")
    assert "/pairs/save" not in comparing.get("/pairs/edit?pair=empathy-plant").text
    assert comparing.post("/pairs/save", data=form).status_code == 403
    assert comparing.post("/pairs/restore", data={**form, "number": "0"}).status_code == 403
    assert comparing.post("/pairs/save", data={**form, "form_token": "x"}).status_code == 403
    assert not (tmp_path / "study" / "pairs.versions").exists()


def test_a_pilot_says_what_the_plan_would_find_and_keeps_nothing(
    comparing: TestClient, token_of: Callable[..., str]
) -> None:
    assert 'href="/pairs/pilot"' in comparing.get("/pairs").text
    form = {
        "form_token": token_of(comparing, "/pairs/pilot"),
        "judges": "60",
        "alike": "0,2",
        "share-empathy": "0.9",
    }
    page = comparing.post("/pairs/pilot", data=form).text
    assert "60 simulated judges, 200 simulated trials." in page and "SIMULATED" in page
    rows = re.findall(r'<th scope="row">(\w+)</th><td>(\w+)</td>.*?<strong>([\d.]+)%</strong>', page)
    power = {(variable, question): float(share) for variable, question, share in rows}
    assert len(power) == 20
    assert power["empathy", "ease"] > 99 and power["facing", "ease"] < 5
    for wrong, told in (
        ({"judges": "0"}, "number of judges"),
        ({"alike": "1"}, "below 1"),
        ({"share-empathy": "1.5"}, "1.5"),
    ):
        refused = comparing.post("/pairs/pilot", data={**form, **wrong})
        assert refused.status_code == 422 and told in html.unescape(refused.text)
    study = comparing.app.state.desk.study  # type: ignore[attr-defined]
    words = {study.name, *(pair.variable for pair in study.pairs)}
    assert same_in_italian(comparing, "/pairs/pilot", words) == set()


@contextmanager
def language_model(answer: str) -> Iterator[tuple[str, list[dict]]]:
    """An OpenAI-compatible address that gives one answer, and what it was asked."""
    asked: list[dict] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = json.dumps({"model": "m", "choices": [{"message": {"content": answer}}]}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", asked
    server.shutdown()
    server.server_close()
    thread.join()


KIND = {
    "0": "Where would you like to go, dear?",
    "1": "I never said this",
    "2": "So sorry! The train leaves at 18:05 from platform 3.",
}


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (KIND, "Balanced pair."),
        ({"2": "The train leaves at 18:50 from platform 3."}, "Unbalanced pair."),
    ],
)
def test_a_model_drafts_the_system_s_turns_alone_and_is_judged_as_anybody(
    tmp_path: Path, token_of: Callable[..., str], answer: dict[str, str], verdict: str
) -> None:
    control = "System: Where do you want to go?\nUser: To Lindwood, please.\n" + CONTROL.splitlines()[2]
    with language_model("Of course: " + json.dumps({"turns": answer})) as (url, asked):
        study = comparing_study(tmp_path / "study")
        (study.folder / "model.yaml").write_text(f"url: {url}\nmodel: m\nallow_private: true\n", "utf-8")
        file = study.folder / "study.yaml"
        named = file.read_text("utf-8").replace(
            "changed: 0.25}", "changed: 0.8}\n      drafts_by: model.yaml"
        )
        file.write_text(named, "utf-8")
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            app = create_desk(load_study(file), log, work_dir=tmp_path, account_optional=True)
            headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
            browser = TestClient(app, base_url="http://desk.test", headers=headers, follow_redirects=False)
            link = app.state.desk.access.invite("researcher", "http://desk.test")
            browser.post(link.removeprefix("http://desk.test"))
            form = {
                "form_token": token_of(browser, "/pairs/edit"),
                "control": control,
                "brief": "be kind",
                "variable": "empathy",
                "language": "en",
            }
            page = html.unescape(browser.post("/pairs/draft-by-model", data=form).text)
            app.state.desk.snapshots.close()
    assert f"<strong>{verdict}</strong>" in page
    experimental = re.findall(r"<textarea.*?>(.*?)</textarea>", page, flags=re.S)[1]
    assert "User: To Lindwood, please." in experimental and "never said" not in experimental
    told = json.loads(asked[0]["messages"][1]["content"])
    assert told["strategy"] == "be kind"
    assert [one["party"] for one in told["turns"]] == ["system", "user", "system"]


def test_a_model_is_asked_only_where_the_study_names_one(
    authors: Callable[[str], TestClient], token_of: Callable[..., str]
) -> None:
    browser = authors("researcher")
    page = browser.get("/pairs/edit").text
    assert "draft-by-model" not in page
    form = {"form_token": token_of(browser, "/pairs/edit"), "control": CONTROL}
    assert browser.post("/pairs/draft-by-model", data=form).status_code == 404
