"""Annotation on the dashboard: who did what, agreement as an independent package computes it, decisions."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import krippendorff as peer
import numpy as np
import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from scenes.annotating import annotated_study, hold_dialogue
from scenes.transcribing import GOLD, transcribing_study, write_down
from scenes.translated import same_in_italian
from vivavoce.annotation.dialogues import next_place
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import Workplace, annotator_key
from vivavoce.dashboard.agreement import agreement, line
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.progress import PHASES
from vivavoce.dataset.annotation_layers import ADJUDICATED
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.stats.agreement import Scale, krippendorff
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.state import Phase

SCALES: tuple[Scale, ...] = ("nominal", "ordinal", "interval", "ratio")
BASE = "http://desk.test"
CONTEXT = {"anna": ["AP", "IA", "AP", "IC", "AP", "AP"], "bruno": ["AP", "IA", "IA", "IC", "AP", "TF"]}


def annotate(workplace: Workplace, who: str, contexts: list[str]) -> None:
    """Judge every dialogue: its three contexts of the list, and one maxim where one is asked for."""
    while (key := workplace.next_dialogue(who)) is not None:
        dialogue, first = workplace.dialogue(key), 3 * int(key[-3:])
        left = contexts[first : first + 3]
        while True:
            work = workplace.see().of_annotator(who)[key]
            place = next_place(workplace.places(dialogue, work), work)
            if place is None:
                break
            name = left.pop(0) if place.scheme == "context" else "manner" if "anna" in who else "repair"
            workplace.give(who, key, place, [LoggedLabel(label=name)])
        workplace.finish(who, key)


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[Workplace]:
    """Two dialogues, annotated by both; they differ at two turns in context and at one in maxims."""
    study = annotated_study(tmp_path / "study", "schemes: [context, maxim]\n  double: 1")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for number in range(2):
            hold_dialogue(log, study, number)
        made = LABELS.open(study, log)
        for who, contexts in CONTEXT.items():
            annotate(made, annotator_key(who), contexts)
        yield made


@pytest.fixture
def app(workplace: Workplace, tmp_path: Path) -> Iterator[FastAPI]:
    made = create_desk(
        workplace.study,
        workplace.log,
        work_dir=tmp_path / "desk",
        account_optional=True,
        participant_url="http://pages.test/",
    )
    yield made
    made.state.desk.snapshots.close()


def enter(app: FastAPI, role: str) -> TestClient:
    headers = {"sec-fetch-site": "same-origin", "accept": "text/html"}
    browser = TestClient(app, base_url=BASE, headers=headers, follow_redirects=False)
    browser.post(app.state.desk.access.invite(role, BASE).removeprefix(BASE))
    return browser


def token_of(page: str) -> dict[str, str]:
    found = re.search(r'name="form_token" value="([^"]+)"', page)
    return {"form_token": found[1] if found else ""}


def matrix(rows: list[dict], layer: str) -> list[list[float]]:
    """The dataset's labels of a layer as the peer wants them: an annotator a row, a judged turn a column."""
    of_layer = [row for row in rows if row["layer"] == layer]
    who = sorted({row["annotator_id"] for row in of_layer})
    cells = {(row["annotator_id"], row["dialogue_id"], row["turn_index"]): row["label"] for row in of_layer}
    units = sorted({key[1:] for key in cells})
    names = sorted({row["label"] for row in of_layer})
    return [
        [names.index(cells[one, *unit]) if (one, *unit) in cells else np.nan for unit in units] for one in who
    ]


def test_the_page_shows_the_alpha_that_the_package_computes_from_the_dataset(
    app: FastAPI, workplace: Workplace, tmp_path: Path
) -> None:
    page = enter(app, "viewer").get("/annotation").text
    rows = export_dataset(workplace.log, "city", tmp_path / "data").read("annotations").to_pylist()
    expected = peer.alpha(reliability_data=matrix(rows, "context"), level_of_measurement="nominal")
    shown = re.search(r'data-alpha="context" data-value="([^"]+)"', page)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(expected, abs=1e-12)
    assert 0 < expected < 1
    assert f"{expected:.3f} <span" in page, "with its interval"


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 4)), min_size=3, max_size=3), min_size=2, max_size=12
    ),
    st.sampled_from(SCALES),
)
def test_alpha_equals_the_package_on_every_scale_with_judgements_missing(
    units: list[list[int | None]], scale: Scale
) -> None:
    judges = [[unit[number] for unit in units] for number in range(3)]
    ours = krippendorff(judges, scale, draws=2).value
    data = np.array([[np.nan if one is None else one for one in row] for row in judges], dtype=float)
    kept = [column for column in data.T if (~np.isnan(column)).sum() > 1]
    in_use = {value for column in kept for value in column if not np.isnan(value)}
    if len(in_use) < 2:
        assert ours is None
        return
    assert ours == pytest.approx(peer.alpha(reliability_data=data, level_of_measurement=scale), abs=1e-9)


def test_cohen_fleiss_and_the_share_of_same_judgements_by_hand(workplace: Workplace) -> None:
    lines = agreement(workplace.see(), workplace.schemes, data="x")
    context = lines["context"][0]
    assert (context.units, context.annotators) == (6, 2)
    assert context.same == pytest.approx(4 / 6)
    # by hand: AP 4 and 2 of 6, IA 1 and 2, IC 1 and 1, TF 0 and 1: chance 8/36 + 2/36 + 1/36 = 11/36
    assert context.cohen.value == pytest.approx((4 / 6 - 11 / 36) / (1 - 11 / 36))
    # pooled AP 6/12, IA 3/12, IC 2/12, TF 1/12: chance 50/144
    assert context.fleiss.value == pytest.approx((4 / 6 - 50 / 144) / (1 - 50 / 144))
    assert context.alpha.interval is not None


def test_what_was_not_asked_of_both_is_no_unit_and_every_label_of_several_has_its_line(
    workplace: Workplace,
) -> None:
    lines = agreement(workplace.see(), workplace.schemes, data="x")["maxim"]
    assert lines[0].units == 1, "turn 2 of one dialogue: only there both said inappropriate"
    assert [one.name for one in lines[1:3]] == ["maxim: quality", "maxim: quantity"]
    quality = lines[1]
    assert quality.alpha.value is None
    assert "“no”" in str(quality.why[0])
    assert "maxim: manner" in [one.name for one in lines if one.alpha.value is not None]


def test_nothing_judged_twice_is_explained() -> None:
    made = line("context", [{"anna": "AP"}], "nominal", "x")
    assert (made.units, made.alpha.value, made.cohen.value) == (0, None, None)
    assert tuple(map(str, made.why)) == ("No units have been judged by two annotators yet.",)
    three: list = [{"a": "x", "b": "y", "c": "x"}, {"a": "x", "b": "x"}]
    why = [str(one) for one in line("context", three, "nominal", "x").why]
    assert "there are 3" in why[0] and "same number of judgements" in why[1]


def test_a_researcher_decides_one_dispute_after_another_and_the_decision_wins(
    app: FastAPI, workplace: Workplace, tmp_path: Path
) -> None:
    browser = enter(app, "researcher")
    due = re.search(r'<a href="([^"]+)">4 [^<]+</a>', browser.get("/").text)
    assert due is not None
    page = browser.get(due[1]).text
    assert "1 of 4, 4 open" in page
    assert "anna" not in page and "bruno" not in page
    presses = {
        "context": [{"choice": "TF"}, {"side": "1"}],
        "maxim": [{"tick": ["quantity\t", "manner\t"]}, {"side": "0"}],
    }
    for _ in range(4):
        page = browser.get("/annotation/decide").text
        fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
        answer = browser.post("/annotation/decide", data={**fields, **presses[fields["scheme"]].pop(0)})
        assert answer.status_code == 303, answer.text
    assert "All disagreements are decided" in browser.get("/annotation/decide").text
    assert "disagreement" not in browser.get("/").text
    rows = export_dataset(workplace.log, "city", tmp_path / "data").read("annotations").to_pylist()
    settled = [row for row in rows if row["annotator_id"] == ADJUDICATED]
    labels = [sorted(row["label"] for row in settled if row["layer"] == name) for name in presses]
    assert "TF" in labels[0]
    assert {"manner", "quantity"} <= set(labels[1])
    assert len([row for row in rows if row["annotator_id"] != ADJUDICATED]) >= 12


def test_a_decision_that_fits_no_dispute_or_no_label_is_refused(app: FastAPI, workplace: Workplace) -> None:
    browser = enter(app, "researcher")
    page = browser.get("/annotation/decide").text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    before = workplace.see().seq
    assert browser.post("/annotation/decide", data={**fields, "choice": "XX"}).status_code == 409
    assert browser.post("/annotation/decide", data={**fields, "turn": "1", "choice": "AP"}).status_code == 409
    assert workplace.see().seq == before


def test_viewers_see_the_figures_and_decide_nothing(app: FastAPI) -> None:
    viewer = enter(app, "viewer")
    assert viewer.get("/annotation").status_code == 200
    assert re.search(r'<a href="/annotation">4 annotator disagreements', viewer.get("/").text)
    assert viewer.get("/annotation/decide").status_code == 403


def test_an_annotator_is_shown_no_page_of_the_dashboard(app: FastAPI) -> None:
    access = app.state.desk.access
    link = access.invite("annotator", BASE).removeprefix(BASE)
    browser = TestClient(app, base_url=BASE, headers={"sec-fetch-site": "same-origin", "accept": "text/html"})
    assert browser.post(link).status_code == 410
    token = access.use_link(link.removeprefix("/link/"))
    browser.cookies.set(app.state.desk.cookie, token)
    for path in ("/", "/dialogues", "/annotation", "/results"):
        assert browser.get(path).status_code == 403


def test_an_owner_invites_annotators_to_the_pages_and_not_to_the_dashboard(app: FastAPI) -> None:
    owner = enter(app, "owner")
    form = token_of(owner.get("/accounts").text) | {"role": "annotator"}
    assert "http://pages.test/annotate/link/" in owner.post("/accounts/invite", data=form).text


def test_unfinished_work_can_be_taken_back(app: FastAPI, workplace: Workplace) -> None:
    hold_dialogue(workplace.log, workplace.study, 5)
    key = workplace.next_dialogue(annotator_key("anna"))
    browser = enter(app, "researcher")
    page = browser.get("/annotation").text
    assert f"Release {key}" in page
    form = token_of(page) | {"annotator": annotator_key("anna"), "dialogue": key or ""}
    assert browser.post("/annotation/release", data=form).status_code == 303
    assert workplace.current(annotator_key("anna")) is None


def test_a_scheme_that_nobody_met_twice_is_explained_on_the_page(tmp_path: Path) -> None:
    study = annotated_study(tmp_path / "study", "schemes: [context, maxim]\n  double: 1")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        app = create_desk(study, log, work_dir=tmp_path / "desk", account_optional=True)
        page = enter(app, "viewer").get("/annotation").text
        app.state.desk.snapshots.close()
    assert page.count("No units have been judged by two annotators yet.") == 2
    assert "Maxims violated" in page
    assert "maxim: manner" not in page, "a label's own line only where there is something to count"


def test_a_study_that_annotates_nothing_says_so(tmp_path: Path, workplace: Workplace) -> None:
    study = workplace.study.model_copy(update={"annotation": None})
    app = create_desk(study, workplace.log, work_dir=tmp_path / "other", account_optional=True)
    assert "has no annotation" in enter(app, "viewer").get("/annotation").text
    app.state.desk.snapshots.close()


def test_an_ordinal_scheme_counts_with_its_scale(tmp_path: Path) -> None:
    own = "scheme: politeness\nabout: system\nscale: ordinal\ntitle: P\nlabels:\n"
    own += "".join(f"  - {{label: l{n}, key: {n}, text: L{n}}}\n" for n in range(1, 5))
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.yaml").write_text(own)
    study = annotated_study(tmp_path / "study", "schemes: [mine.yaml]\n  double: 1")
    given = {"anna": [1, 2, 3, 4, 4, 2], "bruno": [1, 3, 3, 4, 3, 1]}
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        for number in range(2):
            hold_dialogue(log, study, number)
        workplace = LABELS.open(study, log)
        for who, codes in given.items():
            while (key := workplace.next_dialogue(who)) is not None:
                for place, turn in enumerate((0, 2, 4)):
                    label = LoggedLabel(label=f"l{codes[3 * int(key[-3:]) + place]}")
                    workplace.give(who, key, Place("politeness", turn), [label])
                workplace.finish(who, key)
        found = agreement(workplace.see(), workplace.schemes, data="x")["politeness"][0]
    by_dialogue = list(given.values())
    expected = peer.alpha(reliability_data=by_dialogue, level_of_measurement="ordinal")
    assert found.scale == "ordinal"
    assert found.alpha.value == pytest.approx(expected)


def test_every_phase_of_a_visit_has_words_on_the_dashboard() -> None:
    assert set(get_args(Phase)) - {"stimulus"} <= set(PHASES)  # which its step words


def test_transcribers_are_listed_with_their_accuracy(tmp_path: Path) -> None:
    study = transcribing_study(tmp_path / "study", unknown=3)

    async def write(log: Log) -> None:
        engine = SessionEngine(study, log, {})
        for person in ("well", "badly"):
            visit_id = (await engine.open_visit(language="en", person=person)).visit_id
            while (state := await engine.state(visit_id)).phase == "stimulus":
                audio = state.shown.stimulus.audio
                text = GOLD.get(audio, "words") if person == "well" else "la la la la la la"
                await write_down(engine, visit_id, text)
        await engine.stop()

    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        asyncio.run(write(log))
        app = create_desk(study, log, work_dir=tmp_path / "desk", account_optional=True)
        browser = enter(app, "viewer")
        page = browser.get("/annotation").text
        assert same_in_italian(browser, "/annotation", {study.name}) == set()
        app.state.desk.snapshots.close()
    assert "3 of 3 accepted, 0 in progress" in page
    assert "100 %</td><td>accepted" in page


def test_the_pages_of_annotation_speak_italian(app: FastAPI, workplace: Workplace) -> None:
    browser, known = enter(app, "researcher"), workplace.study
    data = {
        known.name,
        *(f"{one.scheme}: {label.label}" for one in workplace.schemes for label in one.labels),
    }
    for page in ("/annotation", "/annotation/decide"):
        assert same_in_italian(browser, page, data) == set()
