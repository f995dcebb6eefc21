"""What the report says was run, also where nobody held a dialogue."""

from scenes.summaries import made_group, made_summary
from vivavoce.analysis.description import DatasetDescription
from vivavoce.sections.run.section import what_was_run


def told(dialogues: int, participants: int) -> dict[str, str]:
    description = DatasetDescription(
        study="clips",
        systems={},
        conditions={},
        factors={},
        source={"kind": "log", "log": {"fingerprint": "ABCD-EFGH-IJKL", "events": 144}},
        started_at=None,
        ended_at=None,
        simulated_dialogues=0,
        pools={"link": 12},
        tasks=0,
        channels={},
        languages={},
        tables={"participants": 12, "listening": 144},
        created_at="2026-11-21T10:00:00",
        notes=[],
        outcomes={},
        end_reasons=[],
        durations=[],
        incidents=[],
        questionnaires=[],
    )
    summary = made_summary([], made_group("all", {}, dialogues=dialogues, participants=participants))
    return dict(what_was_run(summary, description))


def test_those_who_only_listened_are_participants_and_no_dates_of_dialogues_are_missed() -> None:
    listened = told(0, 0)
    assert (listened["Dialogues"], listened["Participants"]) == ("0", "12")
    assert "Period" not in listened
    assert listened["Log"] == "fingerprint ABCD-EFGH-IJKL after 144 events"


def test_where_dialogues_were_held_those_who_held_them_are_counted() -> None:
    assert told(30, 10)["Participants"] == "10"
