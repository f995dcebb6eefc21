"""Old results of Mechanical Turk as a dataset: workers without names, answers, and what is broken."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce_corpora.mechanical_turk import import_mechanical_turk

HEAD = (
    "HITId,AssignmentId,WorkerId,AssignmentStatus,AcceptTime,SubmitTime,Input.bot,Answer.success,Answer.why"
)
FIRST = "H1,A1,WANNA,Approved,Tue Mar 10 12:00:00 PDT 2015,Tue Mar 10 12:05:30 PDT 2015,one,4,It was quick"
SECOND = "H1,A2,WBETH,Rejected,Tue Mar 10 23:30:00 PST 2015,Tue Mar 10 23:31:00 PST 2015,one,1,"
THIRD = "H2,A3,WANNA,Submitted,Mon Mar 09 12:00:00 PDT 2015,Mon Mar 09 12:01:00 PDT 2015,two,nan,No"


def results(folder: Path, *rows: str) -> Path:
    file = folder / "Batch_1_batch_results.csv"
    file.write_text("\n".join([HEAD, *rows, ""]), encoding="utf-8")
    return file


def test_workers_become_participants_without_their_identifiers(tmp_path: Path) -> None:
    found = import_mechanical_turk([results(tmp_path, FIRST, SECOND, THIRD)], tmp_path / "D")
    assert (found.calls, found.skipped) == (3, [])
    people = found.dataset.read("participants").to_pylist()
    assert [(one["participant_id"], one["outcome"]) for one in people] == [
        ("worker-1", "completed"),
        ("worker-2", "not_accepted"),
    ]
    assert people[0]["first_seen_at"].isoformat() == "2015-03-09T19:00:00+00:00", "12:00 in UTC-7"
    everything = b"".join(one.read_bytes() for one in (tmp_path / "D").rglob("*") if one.is_file())
    assert b"WANNA" not in everything


def test_answers_and_times_are_kept_as_they_were_sent(tmp_path: Path) -> None:
    found = import_mechanical_turk([results(tmp_path, FIRST, SECOND, THIRD)], tmp_path / "D")
    rows = [
        (one["participant_id"], one["item_id"], one["value"], one["answer"])
        for one in found.dataset.read("ratings").to_pylist()
    ]
    assert rows == [
        ("worker-1", "success", 4.0, "4"),
        ("worker-1", "why", None, "It was quick"),
        ("worker-2", "success", 1.0, "1"),
        ("worker-1", "success", None, "nan"),
        ("worker-1", "why", None, "No"),
    ]
    assert [one["duration_s"] for one in found.dataset.read("steps").to_pylist()] == [330.0, 60.0, 60.0]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (FIRST, "assignment A1 appears twice"),
        (SECOND.replace("Rejected", "Lost"), "unknown AssignmentStatus 'Lost' (known: Approved"),
        (SECOND.replace("PST", "XYZ"), "is not a time of Mechanical Turk"),
        (SECOND.replace("Mar", "Xyz"), "not a valid time"),
    ],
)
def test_a_broken_row_is_left_out_with_its_place(tmp_path: Path, row: str, told: str) -> None:
    file = results(tmp_path, FIRST, row)
    found = import_mechanical_turk([file], tmp_path / "D")
    assert found.calls == 1 and len(found.skipped) == 1
    assert found.skipped[0].startswith(f"{file}:3") and told.partition(" (")[0] in found.skipped[0]
    with pytest.raises(InputError, match=":3"):
        import_mechanical_turk([file], tmp_path / "strict", strict=True)


def test_a_file_of_something_else_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="column 'HITId'"):
        import_mechanical_turk([file], tmp_path / "D")
