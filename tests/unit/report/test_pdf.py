"""The printed report: the same content, marked on every page, and nothing of what users wrote is markup."""

import shutil
import subprocess
from pathlib import Path

import pytest

from vivavoce.reports.html import save, write_report
from vivavoce.reports.pdf import condensed, data_of, pdf
from vivavoce.reports.section import ReportOptions, compose

HOSTILE = '#panic() = *x* _y_ $z$ `c` <a> @b \\ #[#read("/etc/passwd")] "quoted" {{ 7 }}'


def text_of(path: Path) -> list[str]:
    """The words of each page."""
    if shutil.which("pdftotext") is None:
        pytest.skip("no pdftotext on this machine (apt install poppler-utils)")
    run = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, check=True)
    pages = run.stdout.decode("utf-8").split("\f")
    return [" ".join(page.split()) for page in pages if page.strip()]


def test_every_page_of_a_simulated_report_is_marked(simulated, tmp_path):
    pages = text_of(write_report(simulated.dataset, tmp_path / "report.pdf"))
    assert len(pages) > 3
    assert all("SIMULATED" in page for page in pages)


def test_a_report_of_people_is_marked_nowhere(plain, tmp_path):
    assert not any(
        "SIMULATED" in page for page in text_of(write_report(plain.dataset, tmp_path / "report.pdf"))
    )


def test_the_print_has_the_sections_and_tables_of_the_page(plain, tmp_path):
    document = plain.document
    whole = " ".join(text_of(save(document, tmp_path / "report.pdf")))
    for section in document.sections:
        assert section.title in whole
    assert "alpha" in whole
    assert "75.0%" in whole
    data = data_of(document)
    assert [one["title"] for one in data["sections"]] == [one.title for one in document.sections]
    assert sum(len(one["lines"]) for one in data["signatures"]) > 3


def test_signatures_of_several_groups_stand_in_one_line_that_loses_nothing():
    lines = condensed(
        (
            ("a, turns", "turns|unit:dialogue|n:3|system:a|data:9"),
            ("b, turns", "turns|unit:dialogue|n:4|system:b|data:9"),
            ("all, turns", "turns|unit:dialogue|n:7|data:9"),
            ("a, words", "words|unit:turn|n:5|system:a|data:9"),
        )
    )
    assert lines == [
        ["turns", "turns|unit:dialogue|n:3 (a), 4 (b), 7 (all)|data:9"],
        ["a, words", "words|unit:turn|n:5|system:a|data:9"],
    ]


def test_hostile_text_is_set_as_text(make, tmp_path):
    systems = (f"alpha {HOSTILE}", "b" * 70)
    dataset = make(study=HOSTILE, text=HOSTILE, systems=systems, wording=HOSTILE)
    path = write_report(dataset, tmp_path / "report.pdf", options=ReportOptions(transcripts=2))
    whole = " ".join(text_of(path))
    assert "#panic()" in whole
    assert "root:" not in whole


def test_the_same_dataset_gives_the_same_print(plain):
    assert pdf(plain.document) == pdf(compose(plain.dataset))


def test_an_italian_print_names_its_language_and_writes_commas(plain, tmp_path):
    path = write_report(plain.dataset, tmp_path / "report.pdf", options=ReportOptions(language="it"))
    whole = " ".join(text_of(path))
    assert "75,0%" in whole
    assert "Rapporto di valutazione" in whole


def test_an_empty_dataset_is_printed_too(make, tmp_path):
    whole = " ".join(text_of(write_report(make(dialogues=0), tmp_path / "report.pdf")))
    assert "has no dialogues yet" in whole
