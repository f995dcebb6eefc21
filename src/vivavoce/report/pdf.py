"""The report as PDF: typeset by Typst from our template, with everything from outside passed as data."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import typst

from vivavoce.report.blocks import Document, TableOfText, plain

TEMPLATE: Final = Path(__file__).parent / "templates" / "report.typ"


def pdf(document: Document) -> bytes:
    """A document as PDF; the same document gives the same bytes.

    Note    texts reach the template as JSON and are set as text, never read as markup; fonts come with the
            typesetter, none from this machine
    """
    data = json.dumps(data_of(document), ensure_ascii=False)
    made = typst.compile(
        TEMPLATE.read_bytes(), format="pdf", ignore_system_fonts=True, sys_inputs={"report": data}
    )
    if not isinstance(made, bytes):
        raise TypeError("a PDF is one file")
    return made


def data_of(document: Document) -> dict[str, Any]:
    """What the template reads; signatures of all tables stand together at the end of the print."""
    sections = [
        {"name": one.name, "title": one.title, "blocks": [plain(block) for block in one.blocks]}
        for one in document.sections
    ]
    frame = {name: value for name, value in asdict(_frame(document)).items() if name != "sections"}
    signatures = [
        {"caption": table.caption, "lines": [list(one) for one in table.signatures]}
        for table in document.blocks(TableOfText)
        if table.signatures
    ]
    return {**frame, "sections": sections, "signatures": signatures}


def _frame(document: Document) -> Document:
    return replace(document, sections=())
