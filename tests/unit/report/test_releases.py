"""A new version against the last one: no worse, the same, better; by the interval that decides it."""

import shlex
from pathlib import Path

import pytest

from vivavoce.analysis.releases import ReleaseRow, against
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.html import page
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.sections.against.section import against_blocks, release_verdict


def version(folder: Path, said: dict[str, list[bool]]) -> Dataset:
    """One dialogue a person; what each said of their success, by system."""
    with DatasetWriter(folder, study={"name": "shop"}, source={"kind": "log"}) as writer:
        for system, answers in said.items():
            for person, success in enumerate(answers):
                key = {"dialogue_id": f"{system}-{person}", "participant_id": f"{system}-p{person}"}
                what = {"study": "shop", "system": system, "condition": system, "language": "en"}
                asked = {"instrument": "cambridge", "item_id": "found_all", "role": "subjective_success"}
                writer.add("dialogues", [{**key, **what, "channel": "text", "simulated": False}])
                writer.add("ratings", [{**key, **asked, "value": float(success)}])
        return writer.close()


def answers(n: int, successes: int) -> list[bool]:
    return [place < successes for place in range(n)]


def rate_of(new: Dataset, old: Dataset, margin: float = 0.1) -> ReleaseRow:
    rows = against(new, old, margin=margin).rows
    return next(row for row in rows if row.measure == "subjective_success" and row.key is None)


@pytest.fixture
def pair(tmp_path: Path):
    def made(new: int, old: int, n: int = 200) -> tuple[Dataset, Dataset]:
        return (
            version(tmp_path / f"new{new}", {"bot": answers(n, new)}),
            version(tmp_path / f"old{old}", {"bot": answers(n, old)}),
        )

    return made


def test_a_version_that_gained_is_no_worse_though_it_is_not_the_same(pair) -> None:
    row = rate_of(*pair(164, 150))
    assert row.no_worse.shown
    assert not row.equivalent.shown
    assert row.low_90 > -0.1
    assert row.high_90 > 0.1
    said = release_verdict(row, "10.0")
    assert said.startswith("Subjective success is non-inferior within 10.0 points: +7.0 (90% CI ")


@pytest.mark.parametrize("new", [120, 128, 135, 140, 150, 160, 175])
def test_the_interval_of_ninety_percent_decides_both(pair, new: int) -> None:
    row = rate_of(*pair(new, 150))
    assert (row.no_worse.p < 0.05) == (row.low_90 > -0.1)
    assert (row.equivalent.p < 0.05) == (row.low_90 > -0.1 and row.high_90 < 0.1)
    assert -1 <= row.low < row.low_90 < row.high_90 < row.high <= 1


def test_a_sentence_on_sameness_shows_the_interval_that_decides_it(pair) -> None:
    row = rate_of(*pair(151, 150))
    said = release_verdict(row, "10.0")
    low, high = (f"{100 * getattr(row, end):+.1f}".replace("-", "\u2212") for end in ("low_90", "high_90"))
    assert f"(90% CI {low} to {high})" in said


def test_a_small_loss_that_is_sure_is_told_as_one_within_the_margin(pair) -> None:
    row = rate_of(*pair(930, 960, n=1000))
    assert release_verdict(row, "10.0").startswith(
        "Subjective success got worse, but is non-inferior within 10.0 points"
    )


def test_no_worse_and_the_same_are_adjusted_over_their_family(tmp_path: Path) -> None:
    said = {name: answers(60, 48) for name in ("a", "b", "c")}
    new, old = version(tmp_path / "new", said), version(tmp_path / "old", said)
    rows = [row for row in against(new, old).rows if row.measure == "subjective_success"]
    whole, *parts = rows
    assert (whole.tested, whole.equivalent.p_holm) == (1, whole.equivalent.p)
    assert [row.tested for row in parts] == [3, 3, 3]
    for row in parts:
        assert row.equivalent.p_holm == pytest.approx(min(1, 3 * row.equivalent.p))
        assert row.no_worse.p_holm == pytest.approx(min(1, 3 * row.no_worse.p))


def test_versions_in_which_nobody_failed_are_non_inferior_and_equivalent(pair) -> None:
    row = rate_of(*pair(180, 180, n=180))
    assert row.no_worse.shown and row.equivalent.shown
    assert row.p == 1 and row.low < row.low_90 < 0 < row.high_90 < row.high


def test_too_few_people_for_a_margin_are_named(pair) -> None:
    said = release_verdict(rate_of(*pair(12, 12, n=12)), "10.0")
    assert "too few people (24)" in said


def test_the_table_of_a_release_is_signed(pair) -> None:
    new, old = pair(160, 150)
    (row,) = [one for one in against_blocks(against(new, old))[2].signatures if "Subjective" in one[0]]
    assert "|n:400|" in row[1]
    assert f"against:{old.hash}" in row[1]
    assert "margin:0.1" in row[1]


def test_the_footer_names_the_whole_command(pair) -> None:
    new, old = pair(160, 150)
    document = compose(
        new, ReportOptions(against=old, margin=0.05, language="it", sections=["against", "flow"])
    )
    assert shlex.split(document.command) == [
        "vivavoce",
        "report",
        "DATASET",
        "--against",
        "LAST",
        "--language",
        "it",
        "--margin",
        "0.05",
        "--sections",
        "against,flow",
    ]
    assert f"<code>{document.command}</code>" in page(document)
    assert compose(new).command == "vivavoce report DATASET"
