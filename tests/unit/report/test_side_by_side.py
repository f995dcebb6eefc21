"""The report on rated transcripts, on an arena, and on what a judgement takes."""

from pathlib import Path

import pytest

from scenes.judgements import judge_rows, made, person_row, vote_rows
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.blocks import TableOfText
from vivavoce.reports.html import render
from vivavoce.reports.section import ReportOptions, compose

WORTH = {"beryl": 0.8, "cobalt": 0.0, "topaz": -0.8}


@pytest.fixture
def arena(tmp_path: Path) -> Dataset:
    return made(tmp_path / "votes", **vote_rows(80, WORTH, length=1.5))


def table(dataset: Dataset, name: str, **options: object) -> TableOfText:
    document = compose(dataset, ReportOptions(**options))  # pyright: ignore[reportArgumentType]
    return next(one for one in document.blocks(TableOfText) if one.name == name)


def readings(tmp_path: Path) -> Dataset:
    rows = [
        {
            "participant_id": f"p{person}",
            "visit_id": f"v{person}",
            "reading_number": number,
            "pair_id": "one",
            "variable": "empathy",
            "version": version,
            "level": version,
            "instrument": "reading",
            "item_id": "ease",
            "value": value + person % 2,
            "response_s": 20.0,
            "simulated": False,
        }
        for person in range(20)
        for number, (version, value) in enumerate((("control", 2.0), ("experimental", 3.5)), 1)
    ]
    return made(tmp_path / "readings", readings=rows)


def test_an_arena_makes_a_report_with_its_ranking_first(arena: Dataset) -> None:
    document = compose(arena)
    assert document.answer[:2] == (
        "Voters prefer beryl.",
        "Ranks with 95% joint confidence: beryl 1, cobalt 2 and topaz 3.",
    )
    assert document.answer[2] == "3 of 3 pairs of systems differ significantly (adjusted p)."
    assert document.mark == "SIMULATED"
    assert [one.name for one in document.sections] == ["arena", "effort", "run"]
    ranking = table(arena, "arena")
    assert [row.heading for row in ranking.rows] == ["beryl", "cobalt", "topaz"]
    assert ranking.signatures[0][1].startswith("arena_worth|unit:participant")
    terms = [row.heading for row in table(arena, "arena_terms").rows]
    assert terms == ["left position", "length in words"]


def test_an_order_that_is_not_certain_is_said_to_be_so(tmp_path: Path) -> None:
    even = made(tmp_path / "even", **vote_rows(20, dict.fromkeys(WORTH, 0.0), votes=3))
    assert "Voters prefer" not in " ".join(compose(even).answer)
    assert "beryl 1–3" in compose(even).answer[0]
    close = made(tmp_path / "close", **vote_rows(60, {"beryl": 0.5, "cobalt": 0.5, "topaz": -1.0}))
    assert "cobalt 1–2, beryl 1–2 and topaz 3" in compose(close).answer[0]


def test_an_arena_without_finite_worths_says_so_and_prints_the_votes(tmp_path: Path) -> None:
    tables = vote_rows(10, {"beryl": 0.0, "topaz": 0.0})
    for vote in tables["votes"]:
        vote["choice"] = "left" if vote["left_system"] == "beryl" else "right"
    dataset = made(tmp_path / "data", **tables)
    assert compose(dataset).answer[0].startswith("No ranking")
    (beryl, _) = table(dataset, "arena").rows
    assert [cell.main for cell in beryl.cells[-4:]] == ["60", "0", "0", "0"]


def test_rated_transcripts_are_printed_with_their_difference(tmp_path: Path) -> None:
    dataset = readings(tmp_path)
    document = compose(dataset)
    assert document.lead == "40 ratings of single transcripts by 20 participants."
    row = table(dataset, "readings").rows[0]
    assert (row.heading, [cell.main for cell in row.cells[:3]]) == ("ease", ["2.50", "4.00", "1.50"])


def test_time_and_cost_stand_beside_each_other(tmp_path: Path) -> None:
    compared = made(tmp_path / "pairs", preferences=judge_rows(10, {"empathy": 0.7}))
    shown = table(compared, "effort", against=readings(tmp_path), hourly=18.0)
    found = {row.heading: [cell.main for cell in row.cells] for row in shown.rows}
    assert found["Transcripts compared"] == ["40", "10", "1", "10.0", "0.7", "0.050"]
    assert found["Transcripts rated one at a time"] == ["40", "20", "1", "20.0", "0.7", "0.100"]
    assert len(table(compared, "effort").columns) == 6  # no cost without a price


def test_preferences_are_grouped_by_what_is_known_of_people(tmp_path: Path) -> None:
    people = [person_row(number, gender=("woman", "man")[number % 2]) for number in range(20)]
    dataset = made(tmp_path / "data", preferences=judge_rows(20, {"empathy": 0.7}), participants=people)
    grouped = table(dataset, "preference_by_empathy", by="gender")
    assert [row.heading for row in grouped.rows] == ["man", "woman", "man – woman"]


def test_the_report_on_an_arena_is_written_in_italian_too(arena: Dataset) -> None:
    page = render(arena, options=ReportOptions(language="it"))
    for phrase in ("Classifica", "Lato, lunghezza e stile", "Secondi per giudizio"):
        assert phrase in page


@pytest.mark.parametrize("programs", [True, False])
def test_votes_without_dialogues_are_what_the_report_begins_with(tmp_path: Path, programs: bool) -> None:
    rows = vote_rows(12, {"a": 1.0, "b": 0.0})
    votes = [row | {"simulated": programs} for row in rows["votes"]]
    document = compose(made(tmp_path, votes=votes, turns=rows["turns"]), ReportOptions(sections=["run"]))
    assert document.lead == "12 participants cast 72 votes on two anonymous answers to the same message."
    assert not any("no dialogue" in sentence for sentence in document.before)
    assert (document.mark == "SIMULATED") is programs and document.answer
