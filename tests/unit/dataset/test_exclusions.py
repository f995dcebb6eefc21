"""Dialogues that the study's rules leave out: of every table and measure, of copies never."""

import csv
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from vivavoce.analysis.declared import declaration
from vivavoce.analysis.flow import exclusion_words, flow, later_rules_words
from vivavoce.analysis.summary import summarise
from vivavoce.annotation.files import with_annotations
from vivavoce.annotation.reading import read_turns
from vivavoce.annotation.transcripts import TranscriptSaid, with_transcripts
from vivavoce.dataset.csv_files import export_csv
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.timing import time_from_sound
from vivavoce.dataset.turn_flags import flag_again
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import compute
from vivavoce.measures.values import values
from vivavoce.reports.language import speaking, stated
from vivavoce.reports.rate_tables import success_table
from vivavoce.sections.dialogues.section import measures_table
from vivavoce.sections.participants.section import participants_table
from vivavoce.study.exclusion import read_rules

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
STUDY = """study: shops
systems: {one: {connect: http}, two: {connect: http}}
visit:
  - dialogue: {nontrivial: {user_turns: 2}}
analysis:
  primary: {measure: subjective_success}
"""
SPOKEN = [("system", "hello"), ("user", "a cheap place"), ("system", "which?"), ("user", "any")]


def shops(
    folder: Path, *dialogues: dict[str, Any], file: str | None = STUDY, later: str | None = None
) -> Dataset:
    """Dialogues of a study: `said` (turns), `participant`, `outcome`, `answers`, `incidents`, columns."""
    served = [{"revision": "r1", "file": file, "seen_at": (START - timedelta(hours=1)).isoformat()}]
    if later is not None:
        served.append({"revision": "r2", "file": later, "seen_at": (START + timedelta(hours=1)).isoformat()})
    study: dict[str, Any] = {"name": "shops"}
    if file is not None:
        study |= {"revision": "r1", "file": later or file, "revisions": served}
    with DatasetWriter(folder, study=study, source={"kind": "log"}, factors=["noise"]) as writer:
        for number, one in enumerate(dialogues):
            person = one.get("participant", f"p{number}")
            key, base = {"dialogue_id": f"d{number}"}, {"participant_id": person}
            row = {
                "study": "shops",
                "system": "one",
                "condition": "one",
                "channel": "text",
                "language": "en",
                "simulated": False,
                "end_reason": "user",
                "duration_s": 30.0,
            }
            told = {
                name: value
                for name, value in one.items()
                if name in (*row, "dialogue_number", "factor_noise", "ended_at")
            }
            writer.add("dialogues", [key | base | row | told])
            writer.add(
                "participants",
                [
                    base
                    | {
                        "simulated": False,
                        "first_seen_at": START,
                        "pool": "link",
                        "outcome": one.get("outcome", "completed"),
                    }
                ],
            )
            writer.add(
                "turns",
                [
                    key | {"turn_index": index, "party": party, "text": text, "reference": text}
                    for index, (party, text) in enumerate(one.get("said", SPOKEN))
                ],
            )
            writer.add(
                "ratings",
                [
                    key
                    | base
                    | {
                        "instrument": "cambridge",
                        "item_id": "found_all",
                        "role": "subjective_success",
                        "value": 1.0,
                    }
                ],
            )
            writer.add(
                "ratings",
                [
                    base | {"instrument": "own", "item_id": item, "value": value}
                    for item, value in one.get("answers", {}).items()
                ],
            )
            writer.add("incidents", [key | {"failure": failure} for failure in one.get("incidents", ())])
    return Dataset(folder)


def kept(dataset: Dataset) -> list[str]:
    return dataset.read("dialogues").column("dialogue_id").to_pylist()


def test_abandoned_dialogues_count_and_every_table_tells_how_many_they_are(tmp_path: Path) -> None:
    left = {"end_reason": "abandoned", "said": [*SPOKEN, ("system", "here is one"), ("user", "any")]}
    dataset = shops(tmp_path / "d", {}, left, {"system": "two"}, {"system": "two", "end_reason": "failure"})
    summary = summarise(dataset)
    assert dataset.abandoned == {"d1"} and flow(dataset).abandoned == 1
    assert [(row.key, row.dialogues, row.abandoned) for row in summary.by] == [("one", 2, 1), ("two", 2, 0)]
    assert summary.all.measures["user_turns"].numerator == 2 + 3 + 2 + 2
    assert [row.rates["subjective_success"].abandoned for row in (*summary.by, summary.all)] == [1, 0, 1]
    told = "1 of 4 dialogues were abandoned: the participant left before the end."
    assert any(str(one).startswith(told) for one in summary.warnings)
    with speaking("en"):
        drawn = [success_table(summary), measures_table(summary), participants_table(summary)]
    for table in drawn:
        assert "of these abandoned: 1" in str(table)
    without = Dataset(tmp_path / "d", exclude=read_rules(["end_reason = abandoned"]))
    assert (kept(without), without.abandoned) == (["d0", "d2", "d3"], frozenset())
    unknown = shops(tmp_path / "unknown", {"end_reason": None})
    assert unknown.abandoned is None and summarise(unknown).all.abandoned is None


def test_a_dialogue_that_ended_before_it_counted_is_in_no_measure(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, {}, {"said": SPOKEN[:1]})
    found = compute(dataset).set_index("measure")
    assert found.loc["dialogue_duration", "dialogues"] == 2
    assert found.loc["subjective_success", "denominator"] == 2
    assert found.loc["user_turns", "dialogues"] == 2
    summary = summarise(dataset)
    assert summary.all.dialogues == 2
    assert summary.excluded["rules"] == [{"rule": "trivial", "dialogues": 1, "people": 0}]
    assert any("1 of 3 dialogues (trivial: 1)" in str(warning) for warning in summary.warnings)


@pytest.mark.parametrize(
    "broken", [{"end_reason": "system"}, {"end_reason": "failure"}, {"incidents": ["unreachable"]}]
)
def test_a_system_that_ends_a_dialogue_or_fails_in_it_is_not_excused(tmp_path: Path, broken: dict) -> None:
    assert kept(shops(tmp_path / "d", {}, {"said": SPOKEN[:1], **broken})) == ["d0", "d1"]


def test_our_own_faults_do_not_keep_a_trivial_dialogue(tmp_path: Path) -> None:
    assert kept(shops(tmp_path / "d", {}, {"said": [], "incidents": ["interrupted"]})) == ["d0"]


def test_where_no_turn_is_logged_as_in_a_chat_elsewhere_none_is_trivial(tmp_path: Path) -> None:
    assert kept(shops(tmp_path / "d", {"said": []}, {"said": []})) == ["d0", "d1"]


def test_a_user_whom_the_system_never_answers_counts(tmp_path: Path) -> None:
    said = [("user", "hello?"), ("user", "is anybody there?")]
    assert kept(shops(tmp_path / "d", {}, {"said": said})) == ["d0", "d1"]


@pytest.mark.parametrize(
    ("rule", "left"),
    [
        ("duration_s < 31", ["d1", "d2"]),
        ("dialogue_number = 1", ["d1", "d2"]),
        ("factor.noise = high", ["d0", "d2"]),
        ("incident = internal", ["d0", "d1"]),
        ("system_turns = 1 and user_turns = 2", ["d0", "d1"]),
        ("outcome != completed", ["d0", "d2"]),
        ("answer.attention != 4", ["d0", "d2"]),
        ("participant = q", ["d0", "d2"]),
        ("answer.attention != 4 and duration_s > 31", ["d0", "d2"]),
        ("answer.attention = 4 and duration_s > 31", ["d0", "d1", "d2"]),
    ],
)
def test_each_rule_leaves_out_what_it_names(tmp_path: Path, rule: str, left: list[str]) -> None:
    shops(
        tmp_path / "d",
        {"dialogue_number": 1, "answers": {"attention": 4.0}},
        {
            "duration_s": 40.0,
            "factor_noise": "high",
            "participant": "q",
            "outcome": "withdrew",
            "answers": {"attention": 2.0},
        },
        {"duration_s": None, "incidents": ["internal"], "said": [SPOKEN[1], SPOKEN[2], SPOKEN[3]]},
    )
    assert kept(Dataset(tmp_path / "d", exclude=read_rules([rule]))) == left


def test_what_is_left_out_is_told_in_the_language_of_the_report(tmp_path: Path) -> None:
    shops(tmp_path / "d", {}, {"outcome": "withdrew"})
    told = exclusion_words(Dataset(tmp_path / "d", exclude=read_rules(["outcome = withdrew"])))
    assert told is not None
    with speaking("it"):
        assert stated(told) == (
            "Esclusi da tutte le cifre: 1 dialoghi su 2 (outcome = withdrew: 1, tutti quelli "
            "di 1 partecipante). "
            "Con `--exclude none` si includono."
        )


def test_whoever_is_left_out_is_left_out_of_every_table(tmp_path: Path) -> None:
    shops(tmp_path / "d", {}, {"outcome": "withdrew"})
    dataset = Dataset(tmp_path / "d", exclude=read_rules(["outcome = withdrew"]))
    assert dataset.read("participants").column("participant_id").to_pylist() == ["p0"]
    assert set(dataset.read("ratings").column("participant_id").to_pylist()) == {"p0"}
    assert set(dataset.read("turns").column("dialogue_id").to_pylist()) == {"d0"}
    assert dataset.excluded["people"] == 1
    assert dataset.excluded["dialogues"] == 1


def test_the_rules_that_count_are_those_of_the_first_participant_and_later_ones_are_told(
    tmp_path: Path,
) -> None:
    later = STUDY + "  exclude: [{user_turns: '> 1'}]\n"
    dataset = shops(tmp_path / "d", {}, {"said": []}, later=later)
    assert kept(dataset) == ["d0"]
    told = declaration(dataset)
    assert told is not None
    assert told.analysis.model_dump()["exclude"] == ["trivial"]
    assert "exclude" in told.changed


def test_without_a_study_file_nothing_is_left_out_unless_asked(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, {"said": []}, file=None)
    assert kept(dataset) == ["d0", "d1"]
    assert "exclude" not in dataset.hash
    asked = Dataset(tmp_path / "d", exclude=read_rules(["trivial"]))
    assert kept(asked) == ["d0"]
    assert asked.hash == f"{dataset.hash}|exclude:trivial"


def test_a_study_may_leave_nothing_out(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, {"said": []}, file=STUDY + "  exclude: []\n")
    assert kept(dataset) == ["d0", "d1"]
    assert dataset.hash.endswith("|exclude:none")


def test_every_signature_names_what_was_left_out(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, {"said": []})
    assert all("|exclude:trivial|" in line for line in values(dataset)["signature"])
    both = Dataset(tmp_path / "d", exclude=())
    assert all("|exclude:none|" in line for line in values(both)["signature"])


def test_the_dataset_keeps_all_rows_and_a_table_says_which_are_left_out(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, {"said": []})
    assert dataset.read("exclusions").to_pylist() == [
        {"dialogue_id": "d1", "participant_id": "p1", "rule": "trivial"}
    ]
    assert dataset.manifest["tables"]["dialogues"]["rows"] == 2
    with export_csv(dataset.folder, tmp_path / "csv").joinpath("dialogues.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 2


COPIES: dict[str, Callable[[Dataset, Path], object]] = {
    "flags": lambda dataset, into: flag_again(dataset, {}, into),
    "times": lambda dataset, into: time_from_sound(dataset, {}, into),
    "transcripts": lambda dataset, into: with_transcripts(dataset, TranscriptSaid({}, {}), into),
    "annotations": lambda dataset, into: with_annotations(dataset, [], into, START),
    "readings": lambda dataset, into: read_turns(dataset, lambda *_: [], into, parser="own"),
}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_loses_nothing_and_leaves_out_the_same(tmp_path: Path, how: str) -> None:
    dataset = shops(tmp_path / "d", {}, {"said": SPOKEN[:1]})
    COPIES[how](dataset, tmp_path / "copy")
    copy = Dataset(tmp_path / "copy")
    assert copy.everything.read("dialogues").num_rows == 2
    assert copy.everything.read("turns").num_rows == len(SPOKEN) + 1
    assert kept(copy) == ["d0"]
    assert copy.read("exclusions").num_rows == 1


def test_the_flow_lists_each_rule_with_its_count(tmp_path: Path) -> None:
    file = STUDY + "  exclude: [trivial, {outcome: withdrew}, {duration_s: '< 1'}]\n"
    dataset = shops(tmp_path / "d", {}, {}, {"said": []}, {"outcome": "withdrew"}, file=file)
    facts = flow(dataset)
    assert facts.dialogues == 4
    assert facts.arrived == 4
    assert [(one["rule"], one["dialogues"], one["people"]) for one in facts.excluded["rules"]] == [
        ("trivial", 1, 0),
        ("outcome = withdrew", 1, 1),
        ("duration_s < 1", 0, 0),
    ]
    assert facts.analysed == facts.counted["subjective_success"] == 2


def test_a_dataset_of_an_older_version_is_read_with_its_sentences(tmp_path: Path) -> None:
    dataset = shops(tmp_path / "d", {}, file=STUDY + "  exclusions: [Whoever writes nothing.]\n")
    told = declaration(dataset)
    assert told is not None
    assert told.analysis.notes == ["Whoever writes nothing."]


def test_a_dialogue_under_way_is_neither_analysed_nor_excluded(tmp_path: Path) -> None:
    begun = {"said": SPOKEN[:1], "outcome": "running"}
    dataset = shops(
        tmp_path / "d", {}, {"said": SPOKEN[:1]}, begun | {"end_reason": None}, begun | {"end_reason": "user"}
    )
    assert kept(dataset) == ["d0"] and dataset.running == {"d2"}
    assert dataset.excluded["dialogues"] == 2 and dataset.excluded["of"] == 3
    assert dataset.read("turns").column("dialogue_id").unique().to_pylist() == ["d0"]
    assert kept(Dataset(tmp_path / "d", exclude=())) == ["d0", "d1", "d3"]
    assert kept(dataset.everything) == ["d0", "d1", "d2", "d3"]
    found = flow(dataset)
    assert (found.dialogues, found.running, found.analysed) == (4, 1, 1)
    warnings = [str(one) for one in summarise(dataset, "system").warnings]
    assert "In progress, not in the figures: 1 dialogue." in warnings
    left = "Excluded from all figures: 2 of 3 dialogues (trivial: 2). Use `--exclude none` to include them."
    assert left in warnings


CHECKED = STUDY + "  exclude: [trivial, {gold: '< 0.5'}]\nquality: {checks: {attention: 4}}\n"


def test_a_rule_about_the_quality_of_work_leaves_out_people_before_every_measure(tmp_path: Path) -> None:
    dataset = shops(
        tmp_path / "d",
        {"answers": {"attention": 4.0}},
        {"answers": {"attention": 1.0}},
        {"said": [], "answers": {"attention": 1.0}},
        {},
        file=CHECKED,
    )
    assert kept(dataset) == ["d0", "d3"], "of whom nothing is known nothing is said"
    assert summarise(dataset).all.dialogues == 2
    rules = {one["rule"]: (one["dialogues"], one["people"]) for one in flow(dataset).excluded["rules"]}
    assert rules == {"trivial": (1, 0), "gold < 0.5": (1, 2)}
    assert kept(Dataset(tmp_path / "d", exclude=["gold > 0.9"])) == ["d1", "d2", "d3"]


def test_what_was_right_is_what_was_said_before_the_first_participant_came(tmp_path: Path) -> None:
    later = CHECKED.replace("attention: 4", "attention: 1")
    answers = [{"answers": {"attention": value}} for value in (4.0, 1.0)]
    dataset = shops(tmp_path / "d", *answers, file=CHECKED, later=later)
    assert kept(dataset) == ["d0"]
    told = declaration(dataset)
    assert told is not None and told.changed == ["quality"]
    late = "Exclusion rules changed after the first participant; the earlier rules apply."
    assert late in [str(one) for one in summarise(dataset).warnings]
    asked = Dataset(tmp_path / "d", exclude=["trivial"])
    assert late not in [str(one) for one in summarise(asked).warnings]


def test_rules_changed_later_are_told_also_where_no_comparison_was_declared(tmp_path: Path) -> None:
    file = STUDY.partition("analysis:")[0]
    later = file + "analysis: {exclude: [{user_turns: '> 1'}]}\n"
    dataset = shops(tmp_path / "d", {}, {"said": []}, file=file, later=later)
    assert kept(dataset) == ["d0"] and declaration(dataset) is None
    assert later_rules_words(dataset) is not None
    marked = file + "quality: {thresholds: {pace: '< 0.5'}}\n"
    late = later_rules_words(shops(tmp_path / "e", {}, file=file, later=marked))
    assert late is None, "a mark leaves nobody out"
