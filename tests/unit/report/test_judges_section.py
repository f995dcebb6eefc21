"""What a report says of judges: what rests on people, and how wrong the judge alone would have been."""

import re
from pathlib import Path

import pytest

from unit.judges.conftest import write_judged, write_trial
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.blocks import Bullets, Heading, Paragraph, TableOfText
from vivavoce.reports.section import ReportOptions, compose


@pytest.fixture(scope="module")
def lenient(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    """A judge who takes most failures of one system for good."""
    return write_judged(tmp_path_factory.mktemp("lenient"), right=0.95, lenient=0.8)


def section_of(dataset: Dataset, language: str = "en") -> tuple:
    (found,) = compose(dataset, ReportOptions(by="system", sections=["judges"], language=language)).sections
    return found.blocks


def test_a_lenient_judge_is_corrected_and_shown_beside_people_and_never_as_a_result(
    lenient: Dataset, tmp_path: Path
) -> None:
    _, truth = write_trial(tmp_path / "same")
    rows = lenient.read("dialogues").to_pylist()
    plain = [truth[row["dialogue_id"]] for row in rows if row["system"] == "plain"]
    table = next(one for one in section_of(lenient) if isinstance(one, TableOfText))
    limits = {
        row.heading: tuple(float(one) / 100 for one in re.findall(r"[\d.]+", row.cells[1].main))
        for row in table.rows
        if row.group == "plain"
    }
    true = sum(plain) / len(plain)
    low, high = limits["Judge alone, uncorrected"]
    assert not low <= true <= high
    low, high = limits["People and judge"]
    assert low <= true <= high
    worth = {row.group: row.cells[4].main for row in table.rows if row.heading == "People and judge"}
    labels = {row.group: row.cells[2].main for row in table.rows if row.heading == "People alone"}
    assert int(worth["kind"]) > 1.5 * int(labels["kind"]), "this judge is right of that system"
    whole = compose(lenient, ReportOptions(by="system"))
    assert "clerk" not in " ".join((whole.lead, *whole.answer)), "the opening words rest on people"
    lines = [line for one in section_of(lenient) if isinstance(one, Bullets) for line in one.items]
    assert any("mean error, measured on the human ratings, is subtracted" in line for line in lines)


def test_what_nobody_was_asked_gets_no_figure(lenient: Dataset) -> None:
    blocks = section_of(lenient)
    heading = next(
        at for at, one in enumerate(blocks) if getattr(one, "text", "") == "clerk on nobody_was_asked"
    )
    assert isinstance(blocks[heading + 1], Paragraph) and "no figure uses it" in blocks[heading + 1].text
    assert heading + 2 == len(blocks)


def test_it_is_said_in_italian(lenient: Dataset) -> None:
    blocks = section_of(lenient, "it")
    assert blocks[0] == Heading("clerk su found_all")
    assert {row.heading for row in blocks[1].rows} == {
        "Solo persone",
        "Persone e giudice",
        "Solo giudice, non corretto",
    }
    bullets = next(one for one in blocks if isinstance(one, Bullets))
    assert any(line.startswith("Le persone hanno giudicato") for line in bullets.items)


def test_a_person_who_judges_is_no_judge_of_people(lenient: Dataset, tmp_path: Path) -> None:
    people = copy_dataset(
        lenient, tmp_path / "people", {"judgements": lambda rows: [{**row, "kind": "person"} for row in rows]}
    )
    assert "judges" not in {one.name for one in compose(people, ReportOptions()).sections}
