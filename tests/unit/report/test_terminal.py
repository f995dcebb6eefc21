"""The report on the terminal: the same content as on the page, in words, at any width."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from vivavoce.cli.main import app
from vivavoce.cli.report import complete_sections
from vivavoce.reports.blocks import Document, TableOfText
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.reports.terminal import terminal_lines


def printed(document: Document, width: int = 300) -> str:
    console = Console(file=StringIO(), width=width, color_system=None, force_terminal=True)
    for line in terminal_lines(document):
        console.print(line, markup=False, highlight=False)
    return console.file.getvalue()  # type: ignore[attr-defined]


def squeezed(text: str) -> str:
    """Without what differs where lines break: spaces, and the thin ones between thousands."""
    return "".join(text.split())


def test_the_terminal_has_the_sections_tables_and_figures_of_the_page(plain) -> None:
    document = compose(plain.dataset, ReportOptions(transcripts=2))
    text = squeezed(printed(document))
    assert all(squeezed(one.title) in text for one in document.sections)
    assert all(squeezed(sentence) in text for sentence in (*document.answer, *document.before))
    for table in document.blocks(TableOfText):
        assert squeezed(table.caption) in text and squeezed(table.note) in text
        for row in table.rows:
            assert all(squeezed(cell.main) in text for cell in row.cells), row.heading
    for kind in {type(block) for section in document.sections for block in section.blocks}:
        (block, *_) = document.blocks(kind) or [None]
        for name in ("alternative", "meaning", "why", "summary"):
            assert squeezed(getattr(block, name, "")) in text


@pytest.mark.parametrize("width", [32, 80])
def test_nothing_is_cut_or_wider_than_the_terminal(plain, width: int) -> None:
    document = plain.document
    text = printed(document, width)
    assert "…" not in text and max(map(len, text.splitlines())) <= width
    for table in document.blocks(TableOfText):
        assert all(squeezed(row.cells[0].main) in squeezed(text) for row in table.rows if row.cells)


def test_every_section_of_simulated_dialogues_is_marked(simulated, plain) -> None:
    document = simulated.document
    heads = [line for line in printed(document).splitlines() if line.rstrip().endswith("──")]
    heads = [line for line in heads if not line.startswith(("─", "Signatures"))]
    assert len(heads) == len(document.sections) and all("SIMULATED" in line for line in heads)
    assert "SIMULATED" not in printed(plain.document)


def test_what_users_wrote_is_neither_markup_nor_a_command_to_the_terminal(make) -> None:
    dataset = make(text="[bold]x[/bold] \x1b[2J\x9b31m\rgone", systems=("[red]a", "b\x07"))
    text = printed(compose(dataset, ReportOptions(transcripts=2)))
    assert "[bold]x[/bold] \ufffd[2J" in text and "[red]a" in text
    assert not {"\x1b", "\x9b", "\r", "\x07"} & set(text)


def test_the_verb_prints_the_report_and_writes_no_file(
    plain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["report", str(plain.dataset.folder), "--out", "-", "--sections", "results,cite"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0 and "Success rates" in done.stdout
    assert "Sources and how to cite" in done.stdout and "Flow of the trial" not in done.stdout
    assert "wrote" not in done.output and not list(tmp_path.iterdir())


def test_names_of_sections_are_completed_one_after_another() -> None:
    assert complete_sections("")[:2] == ["results", "preferences"]
    assert complete_sections("flow,re") == ["flow,results", "flow,readings", "flow,recognition"]
    assert "flow,flow" not in complete_sections("flow,")
