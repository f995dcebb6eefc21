"""The report as PDF: typeset by Typst from our template, with everything from outside passed as data."""

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vivavoce.core.extras import later
from vivavoce.reports.blocks import Block, Document, Fold, TableOfText
from vivavoce.reports.drawing import Figure

if TYPE_CHECKING:
    import typst
else:
    typst = later("typst")

TEMPLATE: Final = Path(__file__).parent / "templates" / "report.typ"


def pdf(document: Document) -> bytes:
    """A document as PDF; the same document gives the same bytes.

    Note    texts reach the template as JSON and are set as text, never read as markup; fonts come with the
            typesetter, none from this machine
    """
    data = json.dumps(data_of(document), ensure_ascii=False)
    content = typst.compile(
        TEMPLATE.read_bytes(), format="pdf", ignore_system_fonts=True, sys_inputs={"report": data}
    )
    if not isinstance(content, bytes):
        raise TypeError("a PDF is a single file")
    return content


def data_of(document: Document) -> dict[str, Any]:
    """Data of the template; signatures of all tables stand together at the end of the print."""
    sections = [
        {"name": section.name, "title": section.title, "blocks": [_plain(block) for block in section.blocks]}
        for section in document.sections
    ]
    frame = asdict(replace(document, sections=(), figure=None))
    signatures = [
        {"caption": table.caption, "lines": condensed(table.signatures)}
        for table in document.blocks(TableOfText)
        if table.signatures
    ]
    figure = _plain(document.figure) if document.figure else None
    return {**frame, "figure": figure, "sections": sections, "signatures": signatures}


def condensed(signatures: Sequence[tuple[str, str]]) -> list[list[str]]:
    """Signatures that differ in group and n only, as one line: what it is of, then the groups with their n.

    Nothing is lost: `n:240 (S0A0), 353 (S0A1)` stands for one signature each.
    """
    groups: dict[str, list[tuple[str, str, str]]] = {}
    for where, line in signatures:
        group = where.partition(", ")[0]
        parts = [part for part in line.split("|") if part.partition(":")[2] != group]
        cases = next((part[2:] for part in parts if part.startswith("n:")), "")
        same = "|".join("n:*" if part.startswith("n:") else part for part in parts)
        groups.setdefault(same, []).append((where, cases, line))
    lines = []
    for same, members in groups.items():
        partitions = [where.partition(", ") for where, _, _ in members]
        tails = {tail for _, _, tail in partitions}
        if len(tails) == 1 and len(members) > 1:
            counts = ", ".join(
                f"{n} ({head})" for (head, _, _), (_, n, _) in zip(partitions, members, strict=True)
            )
            lines.append([tails.pop(), same.replace("n:*", f"n:{counts}")])
        else:
            lines += [[where, line] for where, _, line in members]
    return lines


def _plain(block: Block) -> dict[str, Any]:
    """A block as JSON knows it, with its kind; a figure only as it is printed."""
    if isinstance(block, Fold):
        return {
            "kind": block.kind,
            "summary": block.summary,
            "blocks": [_plain(inner) for inner in block.blocks],
        }
    if isinstance(block, Figure):
        return {
            "kind": block.kind,
            "svg": block.printed,
            "caption": block.caption,
            "alternative": block.alternative,
        }
    return {"kind": block.kind, **asdict(block)}
