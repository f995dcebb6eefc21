"""Of which dialogues annotators are asked: chances logged first, lots, and what the dataset knows."""

from pathlib import Path

import pytest

from scenes.annotating import annotated_study, hold_dialogue
from unit.annotation.test_workplace import annotate
from unit.dashboard.test_annotation import enter
from vivavoce.annotation.judgement import LABELS
from vivavoce.api.studies import choose_now
from vivavoce.core.errors import InputError
from vivavoce.dashboard.app import create_desk
from vivavoce.dashboard.label_choosing import Choosing
from vivavoce.log.annotation_events import DialogueDrawn, LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.study.model import Study

TONE = """
scheme: tone
about: dialogue
title: Tone
labels: [{label: warm, key: w, text: Warm}, {label: cold, key: c, text: Cold}]
"""
CHOOSE = "schemes: [context, maxim]\n  choose: {target: context.AP, share: 0.5}"


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return annotated_study(tmp_path / "study", CHOOSE)


def test_annotators_get_the_dialogues_on_which_the_lot_fell_and_chances_are_logged_first(
    study: Study, log: Log, tmp_path: Path
) -> None:
    workplace = LABELS.open(study, log)
    assert workplace.next_dialogue("anna") is None, "before anything has a chance, nobody gets anything"
    found = choose_now(study, log, tmp_path / "first")
    assert (found.new, found.dialogues, found.judged) == (6, 6, 0) and 0 < found.drawn < 6
    draws = workplace.see().draws
    assert {one.chance for one in draws.values()} == {0.5}, "nothing is known yet: all have the same chance"
    while (key := workplace.next_dialogue("anna")) is not None:
        assert draws[key].drawn
        annotate(workplace, "anna", key)
    hold_dialogue(log, study, 6)
    again = choose_now(study, log, tmp_path / "again")
    assert again == Choosing(
        target="context.AP",
        new=1,
        drawn_now=again.drawn - found.drawn,
        dialogues=7,
        drawn=again.drawn,
        judged=found.drawn,
    )
    assert choose_now(study, log, tmp_path / "third").new == 0, "a chance that was logged stays"
    dataset = export_dataset(log, study.name, tmp_path / "data")
    rows = dataset.read("label_chances").to_pylist()
    assert {(row["dialogue_id"], row["layer"]) for row in rows} == {
        (one, layer) for one in workplace.see().draws for layer in ("context", "maxim")
    }
    assert {row["dialogue_id"] for row in rows if row["drawn"]} == {
        one for one, draw in workplace.see().draws.items() if draw.drawn
    }


def test_what_somebody_has_begun_is_theirs_with_certainty_and_a_second_lot_changes_nothing(
    study: Study, log: Log, tmp_path: Path
) -> None:
    everything = annotated_study(tmp_path / "before", "schemes: [context, maxim]")
    begun = LABELS.open(everything, log).next_dialogue("anna")
    workplace = LABELS.open(study, log)
    names = [one.dialogue_id for one in workplace.ended()]
    fell = workplace.draw(dict.fromkeys(names, (1e-9, 0.2)))
    assert begun is not None and fell == [begun]
    assert workplace.see().draws[begun].chance == 1.0
    assert workplace.draw(dict.fromkeys(names, (1.0, None))) == []
    assert [one.dialogue_id for one in workplace.waiting()] == [begun]


def test_the_dashboard_chooses_by_itself_and_says_how_many(study: Study, log: Log, tmp_path: Path) -> None:
    app = create_desk(study, log, work_dir=tmp_path / "desk", account_optional=True)
    desk = app.state.desk
    try:
        found = desk.labels.check()
        assert found is not None and found.dialogues == 6
        assert desk.labels.check() is not None, "the chances themselves came since"
        assert desk.labels.check() is None
        drawn = sum(one.drawn for one in LABELS.open(study, log).see().draws.values())
        shown = enter(app, "viewer").get("/annotation")
        assert f'<dd class="figure">{drawn}</dd><dd>{drawn} waiting' in shown.text
    finally:
        desk.snapshots.close()


def test_a_choice_names_a_label_that_is_annotated(tmp_path: Path) -> None:
    for target, problem in (
        ("contxt.AP", "the scheme 'contxt' is not annotated"),
        ("context.XX", "has no label 'XX'"),
    ):
        folder = tmp_path / target
        with pytest.raises(InputError, match=problem):
            annotated_study(folder, f"schemes: [context]\n  choose: {{target: {target}}}")
    with pytest.raises(InputError, match="share"):
        annotated_study(tmp_path / "share", "schemes: [context]\n  choose: {target: context.AP, share: 0}")


def test_an_erased_participants_chances_go_with_them(study: Study, log: Log, tmp_path: Path) -> None:
    from vivavoce.log.erasure import erase_participant

    choose_now(study, log, tmp_path / "now")
    row = export_dataset(log, study.name, tmp_path / "data").read("dialogues").to_pylist()[0]
    erase_participant(log, study.name, row["participant_id"], by="owner")
    kept = {
        stored.event.dialogue_id
        for stored in log.events(LABELS.stream(study.name))
        if isinstance(stored.event, DialogueDrawn)
    }
    assert row["dialogue_id"] not in kept and len(kept) == 5


def test_a_scheme_of_the_studys_own_is_chosen_by_before_and_after_its_label_was_given(
    log: Log, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "tone.yaml").write_text(TONE, encoding="utf-8")
    study = annotated_study(folder, "schemes: [tone.yaml]\n  choose: {target: tone.warm, share: 0.5}")
    workplace = LABELS.open(study, log)
    for number, said in enumerate(("cold", "warm")):
        found = choose_now(study, log, tmp_path / f"at-{number}")
        assert found.dialogues == 6 + number
        key = workplace.next_dialogue("anna")
        assert key is not None
        workplace.give("anna", key, Place("tone", None), [LoggedLabel(label=said)])
        workplace.finish("anna", key)
        hold_dialogue(log, study, 6 + number)
    assert choose_now(study, log, tmp_path / "last").dialogues == 8
