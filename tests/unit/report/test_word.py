"""The report as a Word document, read again by the library that others write such documents with."""

import io
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile

import pytest

from vivavoce.reports.blocks import DocumentSection, Paragraph, TableOfText
from vivavoce.reports.drawing import Figure
from vivavoce.reports.html import save
from vivavoce.reports.word import word

docx = pytest.importorskip("docx", reason="the extra docx is not installed")


@pytest.fixture(scope="module")
def written(simulated):
    document = simulated.document
    return document, word(document)


def test_it_has_the_sections_tables_and_figures_of_the_report(written):
    document, made = written
    read = docx.Document(io.BytesIO(made))
    headings = [one.text for one in read.paragraphs if one.style.name == "Heading 1"]
    assert headings == [*(one.title for one in document.sections), "Signatures"]
    tables = document.blocks(TableOfText)
    assert len(read.tables) == len(tables)
    success = next(place for place, one in enumerate(tables) if one.name == "success")
    cells = [cell.text for cell in read.tables[success].rows[1].cells]
    assert cells[0].startswith("alpha") and cells[1].startswith("75.0%\n")
    assert len(read.inline_shapes) == len(document.blocks(Figure))
    told = [shape._inline.docPr.get("descr") for shape in read.inline_shapes]
    assert all("SIMULATED" in one and len(one) > 40 for one in told), "who sees no pictures is told of them"


def test_the_mark_stands_on_every_page_and_the_answer_comes_first(written):
    document, made = written
    read = docx.Document(io.BytesIO(made))
    assert read.sections[0].header.paragraphs[0].text.startswith("SIMULATED")
    texts = [one.text for one in read.paragraphs]
    assert 0 < texts.index(document.question) < texts.index(document.answer[0]) < texts.index("Results")


def test_the_same_report_gives_the_same_bytes(written):
    document, made = written
    assert word(document) == made
    assert {entry.date_time[0] for entry in ZipFile(io.BytesIO(made)).infolist()} == {1980}


def test_what_users_wrote_is_text_whatever_it_holds(written):
    document, _ = written
    hostile = "<w:p/> \x00\x07 & ]]> {{ 7 }}"
    section = DocumentSection("own", hostile, hostile, (Paragraph(hostile),))
    read = docx.Document(io.BytesIO(word(replace(document, sections=(section,), study=hostile))))
    assert "<w:p/> \ufffd\ufffd & ]]> {{ 7 }}" in [one.text for one in read.paragraphs]


def test_its_name_says_that_it_is_word(plain, tmp_path: Path):
    path = save(plain.document, tmp_path / "report.docx")
    assert not docx.Document(path).sections[0].header.paragraphs[0].text, "people's trial has no mark"
