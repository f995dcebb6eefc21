"""Commands annotated by two, blind: what is led through, what is refused, which annotation stands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.annotating_commands import ANNA, BRUNO, annotate_all, commanding_study
from vivavoce.annotation.workplace import JudgementRefused
from vivavoce.core.errors import InputError
from vivavoce.dataset.annotation_layers import ADJUDICATED
from vivavoce.log.events import ResponseGiven, StimuliPlanned, VisitOpened
from vivavoce.log.export import export_dataset
from vivavoce.log.recording_events import RecordingRemoved
from vivavoce.log.recordings import RecordedSound, RecordingFolder
from vivavoce.log.store import Log
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import standing
from vivavoce_commands.annotation.workplace import CommandWorkplace
from vivavoce_commands.notation import NotationError


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[CommandWorkplace]:
    study = commanding_study(tmp_path / "study")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield COMMANDS.open(study, log)


def test_an_annotator_gets_a_whole_recipe_of_one_speaker_and_keeps_it_until_it_is_finished(workplace):
    key = workplace.next_dialogue("anna")
    assert key in ("ada/soup", "ben/soup") and workplace.next_dialogue("anna") == key
    with pytest.raises(JudgementRefused, match="some places have no judgement yet"):
        workplace.finish("anna", key)
    with pytest.raises(JudgementRefused, match="another annotator"):
        workplace.annotate("bruno", key, 0, "take(pot)")
    with pytest.raises(JudgementRefused, match="not to be judged"):
        workplace.annotate("anna", key, 9, "take(pot)")
    with pytest.raises(NotationError, match="column 9"):
        workplace.annotate("anna", key, 0, "take(pot")
    annotate_all(workplace, "anna", ANNA)
    assert workplace.next_dialogue("anna") is None


def test_what_both_say_stands_what_they_differ_in_waits_for_a_decision(workplace):
    annotate_all(workplace, "anna", ANNA)
    annotate_all(workplace, "bruno", BRUNO)
    found = standing(workplace.see(), workplace.sequences())
    assert {key: one.annotation for key, one in found.items()} == {
        "ada-1": "[take(pot), put(pot, fire)]",
        "ada-3": "stir(*onion*)",
        "ben-2": None,
    }
    assert found["ada-1"].annotator_id == "anna bruno"
    with pytest.raises(JudgementRefused, match="annotators agree"):
        workplace.settle("ada/soup", 0, "take(pot)", by="vera")
    workplace.settle("ada/soup", 1, "add(onion, *pot*)", by="vera")
    decided = standing(workplace.see(), workplace.sequences())["ada-2"]
    assert decided == ("add(onion, *pot*)", ADJUDICATED)


def test_the_study_file_says_what_is_wrong_with_its_commands(tmp_path):
    for section, problem in (
        ("double: 1", "nothing to annotate"),
        ("commands: kitchen-fr", "kitchen-fr"),
        ("commands: kitchen-e", "Did you mean 'kitchen-en'"),
        ("commands: {templates: kitchen-en, dataset: nowhere}", "no dataset 'nowhere'"),
    ):
        with pytest.raises(InputError, match=problem):
            commanding_study(tmp_path / problem.replace(" ", "").replace("'", ""), section)
    with pytest.raises(InputError, match="commands has nothing to annotate"):
        study = commanding_study(tmp_path / "schemes", "schemes: [context]")
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            COMMANDS.open(study, log).sequences()


PLANNED = StimuliPlanned(
    step=1, name="elicit", stimuli=[{"recipe": "tea", "stimulus_id": f"s{position}"} for position in range(2)]
)


def command(position: int, **response: object) -> ResponseGiven:
    return ResponseGiven(
        step=1, name="elicit", position=position, language="en", response=response, response_s=1.0
    )


def test_commands_that_a_study_elicits_are_annotated_and_exported_with_what_stands(tmp_path):
    study = commanding_study(tmp_path / "study", "commands: kitchen-en\n  double: 1")
    opened = VisitOpened(
        study=study.name, revision=study.revision, participant_id="p1", pool="link", language="en"
    )
    given = [
        command(position, by="text", text=text)
        for position, text in enumerate(("take the pot", "put it on the fire"))
    ]
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        log.transact_now(lambda tx: [tx.append("visit-1", event) for event in (opened, PLANNED, *given)])
        workplace = COMMANDS.open(study, log)
        annotate_all(workplace, "anna", {"p1/tea": ["take(pot)", "put(*pot*, fire)"]})
        rows = export_dataset(log, study.name, tmp_path / "data").read("commands").to_pylist()
    assert [(row["text"], row["annotation"], row["annotator_id"]) for row in rows] == [
        ("take the pot", "take(pot)", "anna"),
        ("put it on the fire", "put(*pot*, fire)", "anna"),
    ]


def test_spoken_commands_wait_for_no_transcript_and_keep_their_places(tmp_path):
    study = commanding_study(tmp_path / "study", "commands: kitchen-en\n  double: 1")
    opened = VisitOpened(
        study=study.name, revision=study.revision, participant_id="p1", pool="link", language="en"
    )
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        folder = RecordingFolder(log.recording_folder)
        events = [opened, PLANNED]
        for position in range(2):
            kept = folder.keep(f"r{position}", b"RIFF", "audio/wav")
            sound = RecordedSound("audio/wav", 1, 8000, 8000)
            events.append(kept.event(f"r{position}", sound, "command", ["user"], step=1, position=position))
            events.append(command(position, by="speech", recording_id=f"r{position}"))
        log.transact_now(lambda tx: [tx.append("visit-1", event) for event in events])
        workplace = COMMANDS.open(study, log)
        first, second = workplace.sequence("p1/tea").commands
        assert [workplace.sound(one)[0].read_bytes() for one in (first, second)] == [b"RIFF", b"RIFF"]
        assert workplace.sound(first)[1] == "audio/wav"
        annotate_all(workplace, "anna", {"p1/tea": ["take(pot)", "put(*pot*, fire)"]})
        removed = RecordingRemoved(recording_id="r0", reason="retention")
        log.transact_now(lambda tx: tx.append("visit-1", removed))
        after = COMMANDS.open(study, log)
        assert [after.sound(one) is None for one in after.sequence("p1/tea").commands] == [True, False]
        stands = standing(after.see(), after.sequences())
        assert [one.annotation for one in stands.values()] == ["take(pot)", "put(*pot*, fire)"]
