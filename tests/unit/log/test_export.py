"""A small trial, written event by event, and every row of the dataset that must come out of it."""

import csv
import zoneinfo
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from scenes.payloads import formulas, runs_as_formula
from vivavoce.analysis.summary import summarise
from vivavoce.annotation.transcripts import write_rows
from vivavoce.api.studies import export_study
from vivavoce.core.clock import ManualClock
from vivavoce.core.errors import InputError
from vivavoce.dataset.csv_files import export_csv, read_csv_cell
from vivavoce.dataset.publication import DecidedMatch, write_findings
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.events import (
    CodeIssued,
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    Event,
    LanguageChosen,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    LoggedRating,
    QuestionnaireAnswered,
    ResponseGiven,
    StimuliPlanned,
    SystemTurnFailed,
    SystemTurnReceived,
    UserTurnSent,
    VisitEnded,
    VisitOpened,
)
from vivavoce.log.export import export_dataset
from vivavoce.log.merkle_tree import short_fingerprint
from vivavoce.log.recording_events import RecordingStored
from vivavoce.log.store import Log
from vivavoce.measures import compute
from vivavoce.study.flags import FlagRules

TASK = {
    "task_id": "t1",
    "type": "restaurant",
    "constraints": {"food": "thai", "area": "dontcare"},
    "requests": ["phone"],
    "text": {"en": "Find a Thai place.", "it": "Trova un locale thai."},
    "venues": [],
    "alternative": {"constraints": {"food": "indian"}, "venues": ["e1"]},
}
ENTITIES = [
    {
        "entity_id": "e1",
        "name": "Om",
        "slot": "food",
        "value": "indian",
        "source": "database",
        "match": "exact",
    }
]


def visit_opened(participant: str, simulated: bool = False, study: str = "cities") -> VisitOpened:
    return VisitOpened(
        study=study,
        revision="r1",
        participant_id=participant,
        pool="link",
        language="en",
        simulated=simulated,
    )


def assigned(dialogue: str, system: str = "a", task: dict[str, Any] | None = TASK) -> DialogueAssigned:
    return DialogueAssigned(
        dialogue_id=dialogue,
        step=0,
        round=0,
        system=system,
        task_id="t1" if task else None,
        task=task,
        channel="text",
        spoken=False,
        calls_out=False,
        language="it",
        conversation=f"key-{dialogue}",
        condition=f"{system}/loud",
        factors={"manager": system, "noise": "loud"},
    )


class Trial:
    """Writes events with pauses between them, restarting the process where told."""

    def __init__(self, folder: Path) -> None:
        self.clock = ManualClock()
        self.url = f"sqlite:///{folder / 'log.sqlite'}"
        self.log = Log.open(self.url, self.clock)

    def write(self, visit_id: str, *events: Event, after_s: float = 0.0) -> None:
        self.clock.advance(after_s)
        for event in events:
            self.log.transact_now(lambda tx, event=event: tx.append(visit_id, event))

    def restart(self) -> None:
        self.log.close_now()
        self.log = Log.open(self.url, self.clock)


@pytest.fixture
def trial(tmp_path: Path) -> Iterator[Trial]:
    trial = Trial(tmp_path)
    yield trial
    trial.log.close_now()


def rows(dataset: Dataset, table: str) -> list[dict[str, Any]]:
    return dataset.everything.read(table).to_pylist()


@pytest.fixture
def dataset(trial: Trial, tmp_path: Path) -> Dataset:
    """One person: a dialogue with everything in it, one broken by a restart, one that never began."""
    trial.log.transact_now(lambda tx: tx.record_study("cities", "r1", "study: cities\n", ENTITIES))
    trial.write("v1", visit_opened("p1"), LanguageChosen(language="it"), assigned("d1"))
    trial.write("v1", DialogueOpened(dialogue_id="d1"), after_s=10)
    greeting = SystemTurnReceived(
        dialogue_id="d1",
        turn_index=0,
        reply_to=None,
        messages=[LoggedMessage(text="Hello."), LoggedMessage(text="Food?")],
        sent_s=0.0,
        first_output_s=0.5,
        complete_s=0.75,
        acts=[LoggedAct(act="request", slot="food")],
    )
    trial.write("v1", greeting, after_s=1)
    said = UserTurnSent(
        dialogue_id="d1",
        turn_index=1,
        text="thai food",
        response_delay_s=3.0,
        first_key_delay_s=1.0,
        heard=[LoggedHypothesis(text="tie food", score=0.75), LoggedHypothesis(text="thai food", score=0.25)],
    )
    trial.write("v1", said, after_s=4)
    understood = [
        LoggedHypothesis(acts=[LoggedAct(act="inform", slot="food", op="=", value="tie")], score=0.5),
        LoggedHypothesis(acts=[LoggedAct(act="inform", slot="food", op="=", value="thai")], score=0.25),
    ]
    answer = SystemTurnReceived(
        dialogue_id="d1",
        turn_index=2,
        reply_to=1,
        messages=[LoggedMessage(text="None.")],
        sent_s=5.0,
        first_output_s=6.0,
        complete_s=6.5,
        understood=understood,
    )
    trial.write("v1", answer, after_s=2)
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=3, text="bye"), after_s=3)
    failed = SystemTurnFailed(dialogue_id="d1", reply_to=3, failure="timeout", detail="30 s")
    trial.write(
        "v1",
        failed,
        DialogueEnded(dialogue_id="d1", reason="user", user_turns=2, duration_s=60.0),
        after_s=30,
    )
    trial.write("v1", CodeIssued(dialogue_id="d1", code="1234"))
    ratings = [
        LoggedRating(item_id="found", value=1.0, answer="Yes", role="subjective_success"),
        LoggedRating(item_id="remarks", value=None, answer="=cmd()"),
    ]
    trial.write(
        "v1",
        QuestionnaireAnswered(
            step=1,
            round=0,
            dialogue_id="d1",
            instrument="cambridge",
            wording="project",
            language="it",
            ratings=ratings,
        ),
    )
    trial.write("v1", assigned("d2", "b", None), DialogueOpened(dialogue_id="d2"), after_s=5)
    trial.restart()
    trial.write("v1", UserTurnSent(dialogue_id="d2", turn_index=0, text="hi"), after_s=7)
    trial.write("v1", assigned("d3"), VisitEnded(outcome="withdrew"))
    trial.write("v2", visit_opened("p2", simulated=True), assigned("d4"), DialogueOpened(dialogue_id="d4"))
    meant = [LoggedAct(act="inform", slot="food", op="=", value="thai")]
    trial.write("v2", UserTurnSent(dialogue_id="d4", turn_index=0, text="thai", meant=meant))
    trial.write("v9", visit_opened("p9", study="another"), assigned("d9"), DialogueOpened(dialogue_id="d9"))
    return export_dataset(trial.log, "cities", tmp_path / "data")


def test_every_dialogue_that_began_is_a_row(dataset: Dataset) -> None:
    by_id = {row["dialogue_id"]: row for row in rows(dataset, "dialogues")}
    assert list(by_id) == ["d1", "d2", "d4"]
    first = by_id["d1"]
    assert (
        first["condition"] == "a/loud" and first["factor_manager"] == "a" and first["factor_noise"] == "loud"
    )
    assert (first["task_id"], first["task_text"], first["language"]) == ("t1", "Trova un locale thai.", "it")
    assert (first["participant_id"], first["visit_id"], first["dialogue_number"]) == ("p1", "v1", 1)
    assert (first["end_reason"], first["code_issued"], first["simulated"]) == ("user", True, False)
    assert (first["ended_at"] - first["started_at"]).total_seconds() == 40
    assert first["duration_s"] == 10.0 - 0.5
    second = by_id["d2"]
    assert (second["dialogue_number"], second["end_reason"], second["ended_at"]) == (2, "abandoned", None)
    assert second["task_text"] is None and second["code_issued"] is False
    assert by_id["d4"]["simulated"] and by_id["d4"]["end_reason"] is None
    assert dataset.simulated and dataset.factors == ["manager", "noise"]
    assert dataset.manifest["notes"] == ["1 assigned dialogues never started and are left out"]


@pytest.fixture
def no_time_zones() -> Iterator[None]:
    """The system knows no time zones, as in small containers."""
    zoneinfo.reset_tzpath(to=())
    zoneinfo.ZoneInfo.clear_cache()
    yield
    zoneinfo.reset_tzpath()
    zoneinfo.ZoneInfo.clear_cache()


def test_instants_are_read_where_the_system_knows_no_time_zones(
    dataset: Dataset, no_time_zones: None
) -> None:
    assert {str(row["started_at"].tzinfo) for row in dataset.read("dialogues").to_pylist()} == {"UTC"}


def test_times_of_turns_count_from_the_opening_also_across_a_restart(dataset: Dataset) -> None:
    names = ("party", "text", "reference", "onset_s", "offset_s", "sent_s", "first_output_s", "complete_s")
    turns = {
        (row["dialogue_id"], row["turn_index"]): tuple(row[name] for name in names)
        for row in rows(dataset, "turns")
    }
    assert turns == {
        ("d1", 0): ("system", "Hello.\nFood?", "Hello.\nFood?", 0.5, 0.75, None, 0.5, 0.75),
        ("d1", 1): ("user", "tie food", "thai food", 3.0, 5.0, 5.0, None, None),
        ("d1", 2): ("system", "None.", "None.", 6.0, 6.5, None, 6.0, 6.5),
        ("d1", 3): ("user", "bye", "bye", None, 10.0, 10.0, None, None),
        ("d2", 0): ("user", "hi", "hi", None, 7.0, 7.0, None, None),
        ("d4", 0): ("user", "thai", "thai", None, 0.0, 0.0, None, None),
    }
    assert [(row["rank"], row["text"], row["score"]) for row in rows(dataset, "hypotheses")] == [
        (0, "tie food", 0.75),
        (1, "thai food", 0.25),
    ]


def test_acts_say_who_says_so(dataset: Dataset) -> None:
    names = ("dialogue_id", "turn_index", "layer", "source", "rank", "act", "slot", "value", "score")
    assert [tuple(row[name] for name in names) for row in rows(dataset, "acts")] == [
        ("d1", 0, "system", "bot", 0, "request", "food", None, None),
        ("d1", 1, "understood", "bot", 0, "inform", "food", "tie", 0.5),
        ("d1", 1, "understood", "bot", 1, "inform", "food", "thai", 0.25),
        ("d4", 0, "reference", "simulator", 0, "inform", "food", "thai", None),
    ]


def test_goals_ratings_incidents_people_and_entities(dataset: Dataset) -> None:
    goals = [row for row in rows(dataset, "goals") if row["dialogue_id"] == "d1"]
    assert [(row["goal_index"], row["kind"], row["slot"], row["op"], row["value"]) for row in goals] == [
        (0, "type", None, "=", "restaurant"),
        (0, "constraint", "food", "=", "thai"),
        (0, "constraint", "area", "=", "dontcare"),
        (0, "request", "phone", None, None),
        (1, "type", None, "=", "restaurant"),
        (1, "constraint", "food", "=", "indian"),
        (1, "request", "phone", None, None),
    ]
    found, remark = rows(dataset, "ratings")
    assert (found["role"], found["value"], found["answer"], found["dialogue_id"]) == (
        "subjective_success",
        1.0,
        "Yes",
        "d1",
    )
    assert (remark["value"], remark["answer"], remark["wording"]) == (None, "=cmd()", "project")
    (incident,) = rows(dataset, "incidents")
    assert (incident["turn_index"], incident["failure"], incident["detail"]) == (3, "timeout", "30 s")
    people = {row["participant_id"]: row for row in rows(dataset, "participants")}
    assert (people["p1"]["language"], people["p1"]["outcome"], people["p1"]["simulated"]) == (
        "it",
        "withdrew",
        False,
    )
    assert (people["p2"]["outcome"], people["p2"]["simulated"]) == ("running", True)
    assert "p9" not in people
    assert rows(dataset, "entities") == ENTITIES


def test_the_manifest_carries_the_study_as_it_was_served(dataset: Dataset) -> None:
    study = dataset.manifest["study"]
    assert (study["name"], study["revision"], study["file"]) == ("cities", "r1", "study: cities\n")
    source = dict(dataset.manifest["source"])
    log = source.pop("log")
    assert source == {"kind": "log", "level": "internal", "scope": "both"}
    assert log["fingerprint"] == short_fingerprint(log["root"]) and log["events"] > 0


def test_typed_turns_are_read_by_the_parser_that_is_given(trial: Trial, tmp_path: Path) -> None:
    asked = [LoggedAct(act="request", slot="area")]
    system = SystemTurnReceived(
        dialogue_id="d1", turn_index=0, reply_to=None, messages=[LoggedMessage(text="Where?")], acts=asked
    )
    typed = UserTurnSent(dialogue_id="d1", turn_index=1, text="north")
    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"), system, typed)
    calls = []

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        calls.append((text, language, before))
        return [LoggedAct(act="inform", slot="area", op="=", value=text)]

    dataset = export_dataset(trial.log, "cities", tmp_path / "data", parse=parse, domain_entities=())
    assert calls == [("north", "it", asked)]
    reference = [row for row in rows(dataset, "acts") if row["layer"] == "reference"]
    assert [(row["turn_index"], row["source"], row["value"]) for row in reference] == [(1, "parser", "north")]
    assert rows(dataset, "entities") == []


def test_a_clock_set_back_across_a_restart_leaves_the_time_missing(trial: Trial, tmp_path: Path) -> None:
    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"))
    trial.clock.step_wall(-3600)
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=0, text="hi"), after_s=4)
    trial.restart()
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=1, text="there"), after_s=4)
    dataset = export_dataset(trial.log, "cities", tmp_path / "data")
    assert [row["sent_s"] for row in rows(dataset, "turns")] == [4.0, None]


def test_what_passed_while_our_service_was_away_is_nobodys_delay(trial: Trial, tmp_path: Path) -> None:
    def answer(turn: int, at_s: float) -> SystemTurnReceived:
        return SystemTurnReceived(
            dialogue_id="d1",
            turn_index=turn,
            reply_to=turn - 1,
            messages=[LoggedMessage(text="Yes?")],
            sent_s=at_s - 1,
            first_output_s=at_s,
            complete_s=at_s,
        )

    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"))
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=0, text="hi"), after_s=4)
    trial.write("v1", answer(1, 5.0), after_s=1)
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=2, text="food"), after_s=3)
    trial.restart()
    trial.write("v1", answer(3, 608.0), after_s=600)  # the answer was owed all the time
    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=4, text="bye"), after_s=2)
    failed = SystemTurnFailed(dialogue_id="d1", reply_to=4, failure="internal", detail="our own")
    trial.write("v1", failed, DialogueEnded(dialogue_id="d1", reason="failure", user_turns=3))
    dataset = export_dataset(trial.log, "cities", tmp_path / "data")
    assert [row["restarted"] for row in rows(dataset, "turns")] == [False, False, False, True, False]
    found = compute(dataset, ["system_response_delay", "user_response_delay", "dialogue_duration"])
    values = found.set_index("measure")[["value", "denominator"]].to_dict("index")
    assert values["system_response_delay"] == {"value": 1.0, "denominator": 1.0}
    assert values["user_response_delay"] == {"value": 2.5, "denominator": 2.0}
    assert values["dialogue_duration"]["denominator"] == 0.0
    warnings = " ".join(map(str, summarise(dataset).warnings))
    assert "In 1 dialogues a turn failed because of Vivavoce, not the system (a 1)." in warnings
    assert "restarted during 1 dialogues" in warnings


def test_the_same_log_gives_the_same_hash(trial: Trial, dataset: Dataset, tmp_path: Path) -> None:
    assert export_dataset(trial.log, "cities", tmp_path / "again").hash == dataset.hash


def test_an_unknown_study_is_named(trial: Trial, tmp_path: Path) -> None:
    trial.write("v1", visit_opened("p1"))
    with pytest.raises(InputError, match=r"the log has no study 'towns'. Known: cities"):
        export_dataset(trial.log, "towns", tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_csv_is_safe_in_a_spreadsheet_and_raw_csv_is_exact(dataset: Dataset, tmp_path: Path) -> None:
    export_csv(dataset.folder, tmp_path / "safe")
    export_csv(dataset.folder, tmp_path / "raw", raw=True)

    def answers(folder: str) -> list[str]:
        with (tmp_path / folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
            return [row["answer"] for row in csv.DictReader(file)]

    assert answers("safe") == ["Yes", "'=cmd()"]
    assert answers("raw") == ["Yes", "=cmd()"]
    with (tmp_path / "safe" / "codebook.csv").open(encoding="utf-8", newline="") as file:
        codebook = {(row["table"], row["column"]): row for row in csv.DictReader(file)}
    assert codebook["ratings", "answer"]["cells"] == "apostrophes before formulas removed on reading"
    assert codebook["ratings", "value"]["cells"] == "exact"
    assert codebook["dialogues", "factor_noise"]["meaning"] == "condition of the study: noise"
    with (tmp_path / "safe" / "dialogues.csv").open(encoding="utf-8", newline="") as file:
        first = next(csv.DictReader(file))
    assert first["simulated"] == "false" and first["started_at"] == "2026-01-01T00:00:10Z"
    assert not (tmp_path / "safe" / "annotations.csv").exists()


def test_an_export_reads_one_snapshot_while_the_trial_goes_on(trial: Trial, tmp_path: Path) -> None:
    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"))

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        trial.write("v2", visit_opened("p2"), assigned("d2"), DialogueOpened(dialogue_id="d2"))
        return []

    trial.write("v1", UserTurnSent(dialogue_id="d1", turn_index=0, text="hi"))
    dataset = export_dataset(trial.log, "cities", tmp_path / "data", parse=parse)
    assert [row["dialogue_id"] for row in rows(dataset, "dialogues")] == ["d1"]
    assert len(trial.log.dialogues("cities")) == 2


def test_flags_of_system_turns_come_from_acts_where_logged_and_from_rules_elsewhere(
    trial: Trial, tmp_path: Path
) -> None:
    rules = FlagRules.model_validate({"question": [{"pattern": "[?]"}], "help": ["you can say"]})
    said = [
        SystemTurnReceived(
            dialogue_id="d1", turn_index=0, reply_to=None, messages=[LoggedMessage(text="Where?")]
        ),
        SystemTurnReceived(
            dialogue_id="d1",
            turn_index=1,
            reply_to=None,
            acts=[LoggedAct(act="offer")],
            messages=[LoggedMessage(text="You can say north?")],
        ),
    ]
    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"), *said)
    bare = rows(export_dataset(trial.log, "cities", tmp_path / "bare"), "turns")
    system = rows(export_dataset(trial.log, "cities", tmp_path / "again"), "dialogues")[0]["system"]
    told = rows(export_dataset(trial.log, "cities", tmp_path / "told", flags={system: rules}), "turns")
    assert [(row["question"], row["question_origin"]) for row in bare] == [(None, None), (False, "acts")]
    assert [(row["question"], row["question_origin"]) for row in told] == [(True, "rules"), (False, "acts")]
    assert [(row["help"], row["help_origin"]) for row in told] == [(False, "rules"), (True, "rules")]
    assert [row["timeout_prompt"] for row in told] == [None, None]


def test_a_study_is_exported_by_the_parser_and_the_flags_that_it_names(trial: Trial, tmp_path: Path) -> None:
    module = "def parse(text, language, system_acts):\n    return [{'act': 'bye', 'slot': language}]\n"
    (tmp_path / "parser_of_one_study.py").write_text(module, encoding="utf-8")
    asked = SystemTurnReceived(
        dialogue_id="d1", turn_index=0, reply_to=None, messages=[LoggedMessage(text="Where?")]
    )
    typed = UserTurnSent(dialogue_id="d1", turn_index=1, text="north")
    trial.write("v1", visit_opened("p1"), assigned("d1"), DialogueOpened(dialogue_id="d1"), asked, typed)
    system = rows(export_dataset(trial.log, "cities", tmp_path / "bare"), "dialogues")[0]["system"]
    rules = FlagRules.model_validate({"question": [{"pattern": "[?]"}]})
    study: Any = SimpleNamespace(
        name="cities",
        parser="parser_of_one_study:parse",
        ontology=None,
        folder=tmp_path,
        flags={system: rules},
        entities=list,
    )
    dataset = export_study(study, trial.log, tmp_path / "data")
    acts = [row for row in rows(dataset, "acts") if row["layer"] == "reference"]
    assert [(row["act"], row["slot"], row["source"]) for row in acts] == [("bye", "it", "parser")]
    assert rows(dataset, "turns")[0]["question_origin"] == "rules"


def test_responses_to_a_step_that_is_installed_no_more_are_counted_among_the_notes(
    trial: Trial, tmp_path: Path
) -> None:
    planned = StimuliPlanned(step=0, name="gone", slot=0, stimuli=[{"a": 1}, {"a": 2}])
    given = [
        ResponseGiven(step=0, name="gone", position=at, language="en", response={"b": at}, response_s=1)
        for at in range(2)
    ]
    trial.write("v1", visit_opened("p1"), planned, *given)
    notes = export_dataset(trial.log, "cities", tmp_path / "data").manifest["notes"]
    assert "responses to the step 'gone' are left out (2): no installed package provides it" in notes


@pytest.mark.reliability
def test_no_formula_of_anybody_is_one_in_any_file_for_spreadsheets(
    tmp_path: Path, note_figures: Callable[..., None]
) -> None:
    texts, files = formulas(), list[Path]()
    with DatasetWriter(tmp_path / "data", study={"name": "s"}, source={"kind": "test"}) as writer:
        said = [
            {"dialogue_id": "d", "turn_index": n, "party": "user", "text": text}
            for n, text in enumerate(texts)
        ]
        writer.add("turns", said)
        writer.add(
            "ratings",
            [
                {
                    "dialogue_id": "d",
                    "participant_id": text,
                    "instrument": text,
                    "item_id": text,
                    "answer": text,
                }
                for text in texts
            ],
        )
    files += export_csv(tmp_path / "data", tmp_path / "csv").glob("*.csv")
    files.append(write_rows(tmp_path / "rows.csv", [{"audio": one, "transcript": one} for one in texts]))
    write_findings(tmp_path / "found.csv", [DecidedMatch("name", one, "mask", [one], one) for one in texts])
    files.append(tmp_path / "found.csv")
    cells = 0
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.reader(file):
                dangerous = [cell for cell in row if runs_as_formula(cell)]
                assert dangerous == [], path.name
                cells += len(row)
    with (tmp_path / "csv" / "turns.csv").open(encoding="utf-8", newline="") as file:
        assert [read_csv_cell(row["text"]) for row in csv.DictReader(file)] == texts
    note_figures("formulas in CSV", formulas=len(texts), files=len(files), cells=cells, run=0)
    assert len(texts) >= 100 and all(map(runs_as_formula, texts)) and cells > 4 * len(texts)


def test_people_and_programs_are_exported_each_with_their_recordings(trial: Trial, tmp_path: Path) -> None:
    for visit, simulated, study in (("v1", False, "cities"), ("v2", True, "cities"), ("v3", False, "other")):
        stored = RecordingStored(
            recording_id=f"r-{visit}",
            file=f"{visit}.flac",
            sha256="0",
            byte_count=1,
            media_type="audio/flac",
            content="turn",
            speakers=["user"],
            sample_rate_hz=8000,
            frames=8000,
            duration_s=1.0,
            dialogue_id=f"d-{visit}",
        )
        trial.write(visit, visit_opened(visit, simulated, study), assigned(f"d-{visit}"))
        trial.write(visit, DialogueOpened(dialogue_id=f"d-{visit}"), stored)
    for simulated, found in ((None, ["v1", "v2"]), (False, ["v1"]), (True, ["v2"])):
        exported = export_dataset(trial.log, "cities", tmp_path / f"{simulated}", simulated=simulated)
        for table in ("recordings", "dialogues"):
            assert [row["dialogue_id"] for row in rows(exported, table)] == [f"d-{one}" for one in found]
        assert [row["participant_id"] for row in rows(exported, "participants")] == found


def test_a_wizard_is_known_in_one_study_by_one_pseudonym_and_in_another_by_another(
    trial: Trial, tmp_path: Path
) -> None:
    for visit, study in (("v1", "cities"), ("v2", "cities"), ("v3", "other")):
        said = SystemTurnReceived(
            dialogue_id=f"d-{visit}",
            turn_index=0,
            reply_to=None,
            messages=[LoggedMessage(text="Hello.")],
            sent_s=0.0,
            first_output_s=0.5,
            complete_s=0.75,
            raw=[{"wizard": "Merlin", "replaces": "system"}],
        )
        trial.write(visit, visit_opened(visit, study=study), assigned(f"d-{visit}"))
        trial.write(visit, DialogueOpened(dialogue_id=f"d-{visit}"), said)
    known = [
        [row["wizard_id"] for row in rows(export_dataset(trial.log, study, tmp_path / study), "wizard_turns")]
        for study in ("cities", "other")
    ]
    assert [len(one) for one in known] == [2, 1] and known[0][0] == known[0][1] != known[1][0]
