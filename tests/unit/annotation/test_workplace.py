"""An annotator's work as events: what is judged, what is refused, what the dataset says of it."""

from pathlib import Path
from threading import Thread

import pytest

from scenes.annotating import annotated_study, hold_dialogue
from vivavoce.annotation.dialogues import next_place, recording_of
from vivavoce.annotation.files import read_annotations, write_annotations
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.queue import doubled
from vivavoce.annotation.taking_in import take_in
from vivavoce.annotation.workplace import JudgementRefused, Workplace
from vivavoce.core.errors import InputError
from vivavoce.dataset.annotation_layers import ADJUDICATED, Labels
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.log.export import export_dataset
from vivavoce.log.stimulus_rows import transcriptions
from vivavoce.log.store import Log
from vivavoce.log.verification import rebuild
from vivavoce.study.load import load_study
from vivavoce.study.model import Study


def label(name: str, value: str | None = None) -> list[LoggedLabel]:
    return [LoggedLabel(label=name, value=value)]


def annotate(workplace: Workplace, who: str, dialogue_id: str, **said: str) -> None:
    """Judge every place that is due, `context_2="IA"` where one is named, else AP and no maxim; finish."""
    dialogue = workplace.dialogue(dialogue_id)
    while True:
        work = workplace.see().of_annotator(who)[dialogue_id]
        place = next_place(workplace.places(dialogue, work), work)
        if place is None:
            break
        default = "AP" if place.scheme == "context" else ""
        given = said.get(f"{place.scheme}_{place.turn_index}", default)
        workplace.give(who, dialogue_id, place, label(given) if given else [])
    workplace.finish(who, dialogue_id)


def rows(study: Study, log: Log, folder: Path) -> list[dict]:
    return export_dataset(log, study.name, folder).read("annotations").to_pylist()


def test_an_annotator_is_led_through_the_places_and_what_depends_on_a_label_comes_with_it(
    workplace: Workplace,
) -> None:
    key = workplace.next_dialogue("anna")
    assert key is not None
    assert workplace.next_dialogue("anna") == key, "the same dialogue until it is finished"
    dialogue = workplace.dialogue(key)
    work = workplace.see().of_annotator("anna")[key]
    assert workplace.places(dialogue, work) == [Place("context", index) for index in (0, 2, 4)]
    workplace.give("anna", key, Place("context", 2), label("IA"))
    assert workplace.places(dialogue, work)[-1] == Place("maxim", 2)
    assert next_place(workplace.places(dialogue, work), work) == Place("context", 0)
    with pytest.raises(JudgementRefused, match="some places have no judgement yet"):
        workplace.finish("anna", key)


def test_the_annotator_sees_words_times_and_task_but_not_the_system(
    workplace: Workplace, study: Study
) -> None:
    key = workplace.next_dialogue("anna")
    dialogue = workplace.dialogue(key or "")
    assert [turn.party for turn in dialogue.turns] == ["system", "user", "system", "user", "system"]
    assert dialogue.turns[2].onset_s == 2.0
    assert dialogue.task
    assert not any(system in repr(dialogue) for system in study.systems)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (label("XX"), "has no label 'XX'"),
        (label("AP", "why"), "this value does not fit"),
        (label("AP") + label("IA"), "takes only one label"),
        ([], "needs a label"),
    ],
)
def test_labels_that_do_not_fit_the_scheme_are_refused(
    workplace: Workplace, given: list[LoggedLabel], expected: str
) -> None:
    key = workplace.next_dialogue("anna") or ""
    with pytest.raises(JudgementRefused, match=expected):
        workplace.give("anna", key, Place("context", 0), given)


def test_nobody_judges_what_was_given_to_another_or_is_no_place(workplace: Workplace) -> None:
    key = workplace.next_dialogue("anna") or ""
    with pytest.raises(JudgementRefused, match="assigned to another annotator"):
        workplace.give("bruno", key, Place("context", 0), label("AP"))
    with pytest.raises(JudgementRefused, match="not to be judged"):
        workplace.give("anna", key, Place("context", 1), label("AP"))
    annotate(workplace, "anna", key)
    with pytest.raises(JudgementRefused, match="assigned to another annotator"):
        workplace.give("anna", key, Place("context", 0), label("IA"))


def test_only_finished_work_is_in_the_dataset_and_who_found_nothing_says_none(
    workplace: Workplace, study: Study, log: Log, tmp_path: Path
) -> None:
    key = workplace.next_dialogue("anna") or ""
    workplace.give("anna", key, Place("context", 0), label("IA"))
    assert rows(study, log, tmp_path / "early") == []
    annotate(workplace, "anna", key)
    found = rows(study, log, tmp_path / "late")
    said = [(row["layer"], row["turn_index"], row["label"]) for row in found]
    assert said == [("context", 0, "IA"), ("context", 2, "AP"), ("context", 4, "AP"), ("maxim", None, "none")]
    assert {row["annotator_id"] for row in found} == {"anna"}


def test_a_decision_wins_over_both_annotators_and_what_they_agreed_on_stays(log: Log, tmp_path: Path) -> None:
    study = annotated_study(tmp_path / "double", "schemes: [context, maxim]\n  double: 1")
    workplace = LABELS.open(study, log)
    key = workplace.next_dialogue("anna") or ""
    annotate(workplace, "anna", key, context_4="IC")
    assert workplace.next_dialogue("bruno") == key, "what another has begun comes first"
    annotate(workplace, "bruno", key, context_2="IA", context_4="IC", maxim_2="manner")
    place = Place("context", 2)
    annotated = workplace.see().dialogues[key]
    assert list(annotated.disagreements("context")) == [place]
    assert 2 not in [one.turn_index for one in Labels(rows(study, log, tmp_path / "0")).of("context")[key]]
    workplace.adjudicate(key, place, label("TF"), by="ada")
    found = rows(study, log, tmp_path / "1")
    assert {row["annotator_id"] for row in found} == {"anna", "bruno", ADJUDICATED}
    decided = [(one.turn_index, one.label) for one in Labels(found).of("context")[key]]
    assert decided == [(0, "AP"), (2, "TF"), (4, "IC")]
    with pytest.raises(JudgementRefused, match="annotators agree"):
        workplace.adjudicate(key, Place("context", 0), label("TF"), by="ada")


def test_a_dialogue_taken_back_goes_to_another(workplace: Workplace) -> None:
    key = workplace.next_dialogue("anna") or ""
    workplace.release("anna", key, by="ada")
    assert key not in workplace.see().of_annotator("anna")
    with pytest.raises(JudgementRefused, match="assigned to another annotator"):
        workplace.give("anna", key, Place("context", 0), label("AP"))


def test_two_processes_on_one_log_never_give_a_single_dialogue_twice(
    study: Study, log: Log, tmp_path: Path
) -> None:
    for number in range(6, 30):
        hold_dialogue(log, study, number)
    places_of_work = [LABELS.open(study, log), LABELS.open(study, log)]

    def take(place: Workplace, who: str) -> None:
        while (key := place.next_dialogue(who)) is not None:
            annotate(place, who, key)

    threads = [Thread(target=take, args=pair) for pair in zip(places_of_work, ("anna", "bruno"), strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    given = {key: len(one.work) for key, one in LABELS.open(study, log).see().dialogues.items()}
    twice = doubled(places_of_work[0].waiting(), 0.5, 1)
    assert len(twice) in (14, 15, 16)
    assert given == {f"dialogue-{n:03}": 2 if f"dialogue-{n:03}" in twice else 1 for n in range(30)}


def test_the_recording_is_found_by_the_dialogue_s_key(tmp_path: Path) -> None:
    (tmp_path / "audio").mkdir()
    assert recording_of(None, "dialogue-001") is None
    assert recording_of(tmp_path / "audio", "dialogue-001") is None
    (tmp_path / "audio" / "dialogue-001.flac").write_bytes(b"fLaC")
    found = recording_of(tmp_path / "audio", "dialogue-001")
    assert found is not None and found.name == "dialogue-001.flac"


def test_a_study_without_the_section_has_nothing_to_annotate(tmp_path: Path, log: Log) -> None:
    study = annotated_study(tmp_path / "other").model_copy(update={"annotation": None})
    with pytest.raises(InputError, match="nothing to annotate"):
        LABELS.open(study, log).next_dialogue("anna")


def test_annotation_is_the_same_on_both_databases_and_after_a_rebuild(log_url: str, tmp_path: Path) -> None:
    study = annotated_study(tmp_path / "both")
    with Log.open(log_url) as log:
        for number in range(2):
            hold_dialogue(log, study, number)
        workplace = LABELS.open(study, log)
        while (key := workplace.next_dialogue("anna")) is not None:
            annotate(workplace, "anna", key)
        before = rows(study, log, tmp_path / "before")
        assert len(before) == 2 * (3 + 1)
        rebuild(log)
        assert rows(study, log, tmp_path / "after") == before
        with log.reading() as connection:
            assert transcriptions(connection, study.name).accepted() == []


def test_nobody_is_given_a_dialogue_that_the_rules_leave_out(
    workplace: Workplace, study: Study, log: Log
) -> None:
    hold_dialogue(log, study, 7, said=(("system", "Hello, what are you looking for?"),))
    hold_dialogue(log, study, 8, said=(("system", "Hello?"), ("user", "a thai place"), ("system", "Yes.")))
    hold_dialogue(log, study, 9)
    hold_dialogue(log, study, 10, said=())
    waiting = {one.dialogue_id for one in workplace.waiting()}
    assert waiting == {f"dialogue-{number:03}" for number in (0, 1, 2, 3, 4, 5, 9)}


def test_rules_of_the_study_keep_their_dialogues_from_annotators(tmp_path: Path, log: Log) -> None:
    study = annotated_study(tmp_path / "own")
    path = study.folder / "study.yaml"
    rule = "\nanalysis:\n  exclude: [{participant: participant-3}]\n"
    path.write_text(path.read_text(encoding="utf-8").replace("\nanalysis:\n", rule), encoding="utf-8")
    study = load_study(path)
    workplace = LABELS.open(study, log)
    held = [one.dialogue_id for one in log.dialogues(study.name)]
    assert [one.dialogue_id for one in workplace.waiting()] == [key for key in held if key != "dialogue-003"]
    for number in (20, 21):
        hold_dialogue(log, study, number)
    assert {"dialogue-020", "dialogue-021"} <= {one.dialogue_id for one in workplace.waiting()}


def test_disputes_that_are_still_due_are_exported_as_undecided_and_taken_in_again_as_such(
    log: Log, tmp_path: Path
) -> None:
    study = annotated_study(tmp_path / "double", "schemes: [context]\n  double: 1")
    workplace = LABELS.open(study, log)
    key = workplace.next_dialogue("anna") or ""
    annotate(workplace, "anna", key)
    while workplace.next_dialogue("bruno") != key:
        annotate(workplace, "bruno", workplace.next_dialogue("bruno") or "")
    annotate(workplace, "bruno", key, context_0="IA", context_2="IA")
    workplace.adjudicate(key, Place("context", 0), label("IA"), by="ada")
    dataset = export_dataset(log, study.name, tmp_path / "d")
    found = [row for row in dataset.read("annotations").to_pylist() if row["dialogue_id"] == key]
    decided = [(row["turn_index"], row["label"]) for row in found if row["annotator_id"] == ADJUDICATED]
    assert decided == [(0, "IA"), (2, "undecided"), (4, "AP")]
    (open_,) = Labels(found).open("context")[key]
    assert open_.turn_index == 2
    files = write_annotations(dataset, tmp_path / "files", "csv")
    assert take_in(workplace, read_annotations(files, dataset), by="file") == 0
    assert Place("context", 2) not in workplace.see().dialogues[key].adjudicated
