"""What leaves the laboratory at each level: nothing that the level leaves out, and no false number."""

import csv
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from vivavoce.analysis.description import describe
from vivavoce.analysis.stopping import monitor
from vivavoce.analysis.summary import summarise
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.codebook import levels_table, page
from vivavoce.dataset.columns import LABEL, TEXT, Column, Level, Table, columns_left_out
from vivavoce.dataset.csv_files import export_csv
from vivavoce.dataset.publication import reduce_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures.compute import compute
from vivavoce.testing.sample_dialogues import write_sample

ROOT = Path(__file__).parents[3]
CAME = datetime(2027, 3, 14, 15, 9, 26, tzinfo=UTC)
ORIGIN = datetime(2000, 1, 1, tzinfo=UTC)
SECRETS = {"detail": "refused by 10.11.12.13", "file": "recordings/c0ffee.wav", "sha256": "5ca1ab1e" * 8}
STUDY = {
    "name": "cities",
    "revision": "r1",
    "file": "study: cities\n",
    "revisions": [
        {"revision": "r1", "seen_at": (CAME - timedelta(days=2)).isoformat(), "file": "study: cities\n"},
        {"revision": "r2", "seen_at": (CAME + timedelta(days=2)).isoformat(), "file": "study: other\n"},
    ],
}


def dialogue_row(number: int, person: str, at: datetime) -> dict[str, Any]:
    return {
        "dialogue_id": f"d{number}",
        "visit_id": f"v-{person}",
        "participant_id": person,
        "study": "cities",
        "system": "ab"[number % 2],
        "condition": "ab"[number % 2],
        "channel": "text",
        "language": "en",
        "simulated": False,
        "started_at": at,
        "ended_at": at + timedelta(seconds=45.5),
        "duration_s": 45.5,
        "end_reason": "user",
    }


@pytest.fixture
def whole(tmp_path: Path) -> Dataset:
    """Two people, an hour apart, of whom the second began to answer before the first was done."""
    source = {"kind": "log", "level": "internal"}
    with DatasetWriter(tmp_path / "whole", study=STUDY, source=source, factors=["noise"]) as writer:
        for place, person in enumerate(("anna", "bruno")):
            at = CAME + timedelta(hours=place)
            writer.add(
                "participants",
                [
                    {
                        "participant_id": person,
                        "first_seen_at": at,
                        "outcome": "completed",
                        "simulated": False,
                    }
                ],
            )
            for number in (2 * place, 2 * place + 1):
                begun = at + timedelta(minutes=2 + 5 * number)
                writer.add("dialogues", [dialogue_row(number, person, begun) | {"factor_noise": "loud"}])
                said = [("system", "Hello."), ("user", f"my secret is {number}"), ("user", "and more")]
                for index, (party, text) in enumerate(said[: 3 if number else 2]):
                    writer.add(
                        "turns",
                        [
                            {
                                "dialogue_id": f"d{number}",
                                "turn_index": index,
                                "party": party,
                                "text": text,
                            }
                        ],
                    )
                writer.add(
                    "incidents",
                    [
                        {
                            "dialogue_id": f"d{number}",
                            "failure": "unreachable",
                            "detail": SECRETS["detail"],
                            "happened_at": begun + timedelta(seconds=7),
                        }
                    ],
                )
                writer.add(
                    "annotations",
                    [
                        {
                            "dialogue_id": f"d{number}",
                            "layer": "quality",
                            "label": "fine",
                            "annotator_id": "x",
                            "annotated_at": begun + timedelta(days=9),
                        }
                    ],
                )
            writer.add(
                "recordings",
                [
                    {
                        "recording_id": f"r{place}",
                        "participant_id": person,
                        "visit_id": f"v-{person}",
                        "content": "dialogue",
                        "speakers": "user system",
                        "file": SECRETS["file"],
                        "media_type": "audio/wav",
                        "channels": 2,
                        "sample_rate_hz": 8000,
                        "frames": 80,
                        "duration_s": 0.01,
                        "byte_count": 200,
                        "sha256": SECRETS["sha256"],
                        "recorded_at": at,
                        "simulated": False,
                    }
                ],
            )
        writer.add(
            "looks",
            [
                {
                    "look_number": 1,
                    "rule": "pocock",
                    "measure": "success",
                    "participants": 2,
                    "information": 1.0,
                    "a": "a",
                    "b": "b",
                    "taken_at": CAME + timedelta(hours=3),
                }
            ],
        )
        return writer.close()


def rows(dataset: Dataset, table: str) -> list[dict[str, Any]]:
    return dataset.everything.read(table).to_pylist()


def everything(folder: Path) -> str:
    """What anybody finds in the files of a dataset, in its CSV too."""
    export_csv(folder, folder / "csv", raw=True)
    found = [
        path.read_text("utf-8")
        for path in [*folder.glob("csv/*"), *folder.glob("*.json"), *folder.glob("*.md")]
    ]
    found += [path.read_bytes().decode("latin-1") for path in folder.glob("*.parquet")]
    return "\n".join(found)


def measured(dataset: Dataset) -> dict[str, float | None]:
    found = compute(dataset).to_dict("records")
    return {one["measure"]: one["value"] if one["denominator"] else None for one in found}


def test_every_column_says_what_it_holds_those_of_packages_too() -> None:
    silent = [
        f"{t}.{one.name}" for t, table in TABLES.items() for one in table.columns if one.content is None
    ]
    assert silent == []
    assert {"commands", "preferences", "listening"} <= set(TABLES)


def test_a_column_of_which_nobody_says_what_it_holds_leaves_in_no_dataset() -> None:
    table = Table("moods", "a mood", (Column("mood", TEXT, "in words"), Column("page", LABEL, "shown on")))
    assert columns_left_out(table, Level.internal) == []
    assert columns_left_out(table, Level.shareable) == columns_left_out(table, Level.public) == ["mood"]


@pytest.mark.parametrize("level", [Level.shareable, Level.public])
def test_nothing_is_found_in_any_file_of_what_a_level_leaves_out(
    whole: Dataset, level: Level, tmp_path: Path
) -> None:
    before = everything(whole.folder)
    assert all(secret in before for secret in SECRETS.values()) and "2027-03-1" in before
    reduced = reduce_dataset(whole, tmp_path / "out", level)
    told = everything(reduced.folder)
    assert not [secret for secret in SECRETS.values() if secret in told]
    assert "2027-03" not in told
    assert "my secret is 1" in told
    assert len(rows(reduced, "recordings")) == 2, "what was recorded stays known"


def test_shareable_instants_lie_as_far_apart_as_they_did(whole: Dataset, tmp_path: Path) -> None:
    reduced = reduce_dataset(whole, tmp_path / "out", Level.shareable)
    back = CAME - ORIGIN
    for table in ("participants", "dialogues", "incidents", "annotations", "recordings", "looks"):
        instants = [one.name for one in TABLES[table].columns if str(one.content) == "instant"]
        assert instants
        for old, new in zip(rows(whole, table), rows(reduced, table), strict=True):
            assert {n: new[n] for n in instants} == {n: old[n] and old[n] - back for n in instants}
    assert reduced.first_participant == ORIGIN
    assert reduced.declaration == whole.declaration, "the revision that the first participant met"
    seen = [datetime.fromisoformat(one["seen_at"]) for one in reduced.manifest["study"]["revisions"]]
    assert seen == [ORIGIN - timedelta(days=2), ORIGIN + timedelta(days=2)]


def test_public_instants_count_from_each_participants_own_beginning(whole: Dataset, tmp_path: Path) -> None:
    reduced = reduce_dataset(whole, tmp_path / "out", Level.public)
    assert [row["first_seen_at"] for row in rows(reduced, "participants")] == [ORIGIN, ORIGIN]
    began = {row["dialogue_id"]: row["started_at"] - ORIGIN for row in rows(reduced, "dialogues")}
    assert [began[f"d{n}"] for n in range(4)] == [timedelta(minutes=2 + 5 * n) for n in range(4)]
    failed = {row["dialogue_id"]: row["happened_at"] - ORIGIN for row in rows(reduced, "incidents")}
    assert failed == {key: at + timedelta(seconds=7) for key, at in began.items()}, "by their dialogue"
    assert len(reduced.read("dialogues")) == len(whole.read("dialogues")) == 4


@pytest.mark.parametrize("level", [Level.shareable, Level.public])
def test_what_stays_is_measured_alike_and_what_is_lost_is_said(level: Level, tmp_path: Path) -> None:
    whole = write_sample(tmp_path / "whole")
    reduced = reduce_dataset(whole, tmp_path / "out", level)
    old, new = measured(whole), measured(reduced)
    differing = {one for one in old if old[one] != new.get(one) and new.get(one) is not None}
    assert old and not differing, "what cannot be told is missing, not another number"
    if level is Level.shareable:
        assert old == new
    said = [str(one) for one in summarise(reduced).warnings]
    assert any(f"level {level}" in one for one in said)
    assert not any("level" in str(one) and "dates" in str(one) for one in summarise(whole).warnings)


def test_reports_of_reduced_datasets_give_no_dates(whole: Dataset, tmp_path: Path) -> None:
    for level in (Level.shareable, Level.public):
        told = describe(reduce_dataset(whole, tmp_path / level, level))
        assert (told.started_at, told.ended_at) == (None, None)
    assert describe(whole).started_at == CAME + timedelta(minutes=2)


def test_who_came_first_is_refused_of_a_public_dataset(whole: Dataset, tmp_path: Path) -> None:
    public = reduce_dataset(whole, tmp_path / "public", Level.public)
    with pytest.raises(InputError, match="order of participants"):
        monitor(public, "user_turns", ("a", "b"), planned=10)
    with pytest.raises(InputError, match="order of participants"):
        Dataset(public.folder, exclude=["copies > 0"]).read("dialogues")
    assert Dataset(whole.folder, exclude=["copies > 0"]).read("dialogues").num_rows == 4


def test_what_is_excluded_is_taken_over_as_it_was_found(tmp_path: Path) -> None:
    """By words that a public dataset does not hold."""
    study = {"name": "s", "file": "study: s\nanalysis:\n  exclude: [{copies: '> 0'}]\n"}
    text = "exactly the same long answer, word for word, as somebody gave before"
    with DatasetWriter(tmp_path / "whole", study=study, source={"level": "internal"}) as writer:
        for number in range(2):
            at = CAME + timedelta(minutes=number)
            person = {"participant_id": f"p{number}", "simulated": False}
            writer.add("participants", [person | {"first_seen_at": at, "outcome": "completed"}])
            writer.add("dialogues", [dialogue_row(number, f"p{number}", at)])
            writer.add(
                "ratings",
                [
                    {
                        "participant_id": f"p{number}",
                        "visit_id": f"v{number}",
                        "instrument": "q",
                        "item_id": "why",
                        "answer": text,
                        "answered_at": at,
                    }
                ],
            )
        whole = writer.close()
    assert {row["participant_id"] for row in whole.exclusions} == {"p1"}
    for level in (Level.shareable, Level.public):
        reduced = Dataset(reduce_dataset(whole, tmp_path / level, level).folder)
        assert reduced.exclusions == whole.exclusions
        assert reduced.read("dialogues").column("dialogue_id").to_pylist() == ["d0"]


def test_a_reduced_dataset_says_what_it_is_and_is_not_raised_again(whole: Dataset, tmp_path: Path) -> None:
    public = reduce_dataset(whole, tmp_path / "public", Level.public)
    manifest = json.loads((public.folder / "dataset.json").read_text("utf-8"))
    assert manifest["source"]["level"] == "public"
    readme = (public.folder / "README.md").read_text("utf-8")
    assert (
        "level public" in readme and "`incidents.detail`" in readme and "no order of participants" in readme
    )
    with (export_csv(public.folder, tmp_path / "csv") / "codebook.csv").open(newline="") as file:
        codebook = {(row["table"], row["column"]): row for row in csv.DictReader(file)}
    detail = codebook["incidents", "detail"]
    assert (detail["content"], detail["level"], detail["treatment"]) == ("trace", "public", "left out")
    assert codebook["dialogues", "factor_noise"]["treatment"] == "kept"
    with pytest.raises(InputError, match="level public"):
        reduce_dataset(public, tmp_path / "again", Level.shareable)
    assert not (tmp_path / "again").exists()


def test_the_documentation_tells_the_levels_as_they_are() -> None:
    guide = (ROOT / "docs/how-to/pass-on-a-dataset.md").read_text("utf-8")
    assert all(row in guide for row in levels_table().splitlines() if not row.startswith("|-"))
    assert (ROOT / "docs/reference/dataset.md").read_text("utf-8") == page()


def test_the_verb_makes_a_level_and_says_of_each_what_it_holds(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        found = CliRunner().invoke(app, list(map(str, words)), catch_exceptions=False)
        assert found.exit_code == 0, found.output
        return found.stderr

    study, out = str(tmp_path / "demo"), str(tmp_path / "out")
    run("init", study)
    run("simulate", study, "--dialogues", "4")
    assert "use `--level shareable` before sharing" in run("export", study, "--into", out)
    shared = str(tmp_path / "shared")
    assert "level shareable" in run("export", study, "--into", shared, "--level", "shareable")
    assert Dataset(shared).level is Level.shareable and Dataset(out).level is Level.internal
    assert "level shareable" in run("measure", shared)
    with pytest.raises(InputError, match="contain no recordings"):
        run("export", study, "--into", str(tmp_path / "x"), "--level", "public", "--audio")
    with pytest.raises(UnknownName, match="'secret'"):
        run("export", study, "--into", str(tmp_path / "x"), "--level", "secret")
    with pytest.raises(InputError, match="contains the dataset"):
        run("export", study, "--into", shared, "--level", "public")
    assert not (tmp_path / "x").exists()
