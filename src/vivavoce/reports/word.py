"""The report as a Word document: real headings, tables and pictures, to be worked on by others."""

import io
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from vivavoce.core.extras import later
from vivavoce.reports.blocks import (
    Block,
    Bullets,
    Cell,
    Definition,
    Document,
    FactList,
    Fold,
    Heading,
    Paragraph,
    TableOfText,
    Transcript,
)
from vivavoce.reports.drawing import Figure
from vivavoce.reports.pdf import condensed

if TYPE_CHECKING:
    import docx
    import docx.enum.text
    import docx.oxml.ns
    import docx.shared
else:
    docx = later("docx")

PAGE_MM: Final = (210, 297)
MARGIN_MM: Final = 20
WIDEST_MM: Final = PAGE_MM[0] - 2 * MARGIN_MM
SMALL_PT: Final = 8
TABLE_PT: Final = 9
MANY_COLUMNS: Final = 7
TABLE_STYLE: Final = "Light List"
THE_DAY: Final = (1980, 1, 1, 0, 0, 0)  # of all files within, so that the same report gives the same bytes
_NOT_IN_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def word(document: Document) -> bytes:
    """A document as .docx; the same document gives the same bytes.

    Note    the mark stands in the header of every page and in every figure; signatures of all tables stand
            together at the end, as in print
    """
    return _Writer(document).written()


def _clean(words: str) -> str:
    """Words as XML may hold them."""
    return _NOT_IN_XML.sub("\ufffd", words)


class _Writer:
    """One report on its way into a file of Word."""

    def __init__(self, document: Document) -> None:
        self.document, self.file = document, docx.Document()
        self._put: dict[type, Callable[[Any], None]] = {
            TableOfText: self._table,
            Figure: self._figure,
            Paragraph: self._paragraph,
            Heading: lambda block: self._heading(block.text, 2),
            Bullets: lambda block: self._bullets(block.items),
            FactList: self._facts,
            Definition: self._definition,
            Transcript: self._transcript,
            Fold: self._fold,
        }

    def written(self) -> bytes:
        self._page()
        self._front()
        for section in self.document.sections:
            self._heading(section.title, 1)
            for block in section.blocks:
                self._block(block)
        self._signatures()
        generated = self.document.words["made"].format(version=self.document.version, data=self.document.data)
        again = f" {self.document.words['again']} {self.document.command}." if self.document.command else ""
        self._small(f"{generated}.{again}")
        buffer = io.BytesIO()
        self.file.save(buffer)
        return _undated(buffer)

    def _page(self) -> None:
        """Paper, language, header, and who made it."""
        section, shared = self.file.sections[0], docx.shared
        section.page_width, section.page_height = map(shared.Mm, PAGE_MM)
        section.left_margin = section.right_margin = shared.Mm(MARGIN_MM)
        for lang in self.file.styles.element.xpath("//w:rPrDefault//w:lang"):
            lang.set(docx.oxml.ns.qn("w:val"), self.document.language)
        if self.document.mark:
            header = section.header.paragraphs[0]
            header.add_run(self.document.mark).bold = True
            header.add_run(f" \u00b7 {self.document.words['programs']}")
            header.alignment = docx.enum.text.WD_ALIGN_PARAGRAPH.CENTER
        facts = self.file.core_properties
        facts.title = _clean(f"{self.document.study} \u2013 {self.document.title}")[:255]
        facts.author, facts.comments = f"vivavoce {self.document.version}", ""
        facts.created = facts.modified = datetime(*THE_DAY, tzinfo=UTC)

    def _front(self) -> None:
        document, words = self.document, self.document.words
        self.file.add_paragraph(_clean(document.study), style="Title")
        self.file.add_paragraph(_clean(document.lead), style="Subtitle")
        if document.question:
            self._heading(words["question"], 2)
            self._words(document.question)
        if document.answer:
            self._heading(words["answer"], 2)
            self._words(document.answer[0], strong=True)
            for sentence in document.answer[1:]:
                self._words(sentence)
        if document.figure:
            self._figure(document.figure)
        for heading, sentences in (
            (words["before"], document.before),
            (words["meanings"], document.meanings),
        ):
            if sentences:
                self._heading(heading, 2)
                self._bullets(sentences)
        self._facts(FactList(document.cover))

    def _signatures(self) -> None:
        signed = [table for table in self.document.blocks(TableOfText) if table.signatures]
        if signed:
            self._heading(self.document.words["all_signatures"], 1)
            self._small(self.document.words["signatures_note"])
        for table in signed:
            self._heading(table.caption, 2)
            for where, line in condensed(table.signatures):
                self._small(f"{where}: {line}")

    def _block(self, block: Block) -> None:
        self._put[type(block)](block)

    def _heading(self, words: str, level: int) -> None:
        self.file.add_heading(_clean(words), level)

    def _words(self, words: str, *, strong: bool = False) -> None:
        self.file.add_paragraph().add_run(_clean(words)).bold = strong

    def _small(self, words: str) -> None:
        self.file.add_paragraph().add_run(_clean(words)).font.size = docx.shared.Pt(SMALL_PT)

    def _paragraph(self, block: Paragraph) -> None:
        (self._small if block.small else self._words)(block.text)

    def _bullets(self, items: Sequence[str]) -> None:
        for item in items:
            self.file.add_paragraph(_clean(item), style="List Bullet")

    def _facts(self, block: FactList) -> None:
        for term, words in block.pairs:
            line = self.file.add_paragraph()
            line.add_run(_clean(f"{term}: ")).bold = True
            line.add_run(_clean(words))

    def _definition(self, block: Definition) -> None:
        self._words(f"{block.title} {block.symbol}".strip(), strong=True)
        self._words(block.meaning)
        self._small(" \u00b7 ".join(f"{term}: {words}" for term, words in block.facts))

    def _transcript(self, block: Transcript) -> None:
        self._heading(block.title, 2)
        self._small(f"{block.why} {block.goal}".strip())
        for party, who, words in block.turns:
            line = self.file.add_paragraph()
            line.paragraph_format.left_indent = docx.shared.Mm(0 if party == "system" else 10)
            line.add_run(_clean(f"{who}: ")).font.size = docx.shared.Pt(SMALL_PT)
            line.add_run(_clean(words))

    def _fold(self, block: Fold) -> None:
        self._heading(block.summary, 2)
        for inner in block.blocks:
            self._block(inner)

    def _figure(self, block: Figure) -> None:
        shape = self.file.add_picture(io.BytesIO(block.png), width=docx.shared.Mm(WIDEST_MM))
        height = docx.shared.Mm(PAGE_MM[1] - 4 * MARGIN_MM)
        if shape.height > height:
            shape.width, shape.height = docx.shared.Length(shape.width * height // shape.height), height
        described = f"{block.title}. {block.alternative}"
        shape._inline.docPr.set("descr", _clean(described))  # pyright: ignore[reportPrivateUsage]
        if block.caption:
            self.file.add_paragraph(_clean(block.caption), style="Caption")

    def _table(self, block: TableOfText) -> None:
        self.file.add_paragraph(_clean(block.caption), style="Caption").paragraph_format.keep_with_next = True
        table = self.file.add_table(rows=0, cols=len(block.columns), style=TABLE_STYLE)
        size = docx.shared.Pt(SMALL_PT if len(block.columns) > MANY_COLUMNS else TABLE_PT)
        wordy = {place for row in block.rows for place, cell in enumerate(row.cells, start=1) if cell.words}
        right = {place for place in range(1, len(block.columns)) if block.numeric and place not in wordy}

        def fill(cells: Sequence[Cell]) -> Any:
            row = table.add_row()
            for place, (into, cell) in enumerate(zip(row.cells, cells, strict=False)):
                _fill(into.paragraphs[0], cell, size, right=place in right)
            return row

        head = fill(block.columns)
        head._tr.get_or_add_trPr().append(docx.oxml.OxmlElement("w:tblHeader"))  # pyright: ignore[reportPrivateUsage]
        for group, rows in block.groups():
            if group:
                group_cells = table.add_row().cells
                _fill(
                    group_cells[0].merge(group_cells[-1]).paragraphs[0],
                    Cell(group, strong=True),
                    size,
                    right=False,
                )
            for row in rows:
                fill((Cell(row.heading, row.under, strong=True), *row.cells))
        if block.note:
            self._small(block.note)


def _fill(paragraph: Any, cell: Cell, size: Any, *, right: bool) -> None:
    """A cell's number or words, and in smaller type what stands under it."""
    main = paragraph.add_run(_clean(cell.main))
    main.bold, main.font.size = cell.strong, size
    for line in cell.under:
        main.add_break() if line is cell.under[0] else paragraph.runs[-1].add_break()
        under = paragraph.add_run(_clean(line))
        under.bold, under.font.size = False, docx.shared.Pt(SMALL_PT - 1)
    if right:
        paragraph.alignment = docx.enum.text.WD_ALIGN_PARAGRAPH.RIGHT


def _undated(archive: io.BytesIO) -> bytes:
    """The archive without its creation time."""
    buffer = io.BytesIO()
    with ZipFile(archive) as source, ZipFile(buffer, "w", ZIP_DEFLATED) as target:
        for name in source.namelist():
            entry = ZipInfo(name, THE_DAY)
            entry.compress_type = ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return buffer.getvalue()
