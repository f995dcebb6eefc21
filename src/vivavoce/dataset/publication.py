"""Publication: a dataset with scanned texts, and a person's decision on each match.

Decisions stand in a CSV file beside the dataset, one line a find, and stay there for the next export. The
file holds what it is about: it is kept apart from what is published, readable by its owner alone.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.columns import Content
from vivavoce.dataset.copying import Row
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell, safe_csv_cell
from vivavoce.dataset.levels import Level
from vivavoce.dataset.personal_data import KINDS, PiiMatch, find_personal_data
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.reduction import reduce_dataset
from vivavoce.dataset.schema import TABLES

MASK, EVERYWHERE, KEEP = "mask", "everywhere", "keep"
DECISIONS: Final = (MASK, EVERYWHERE, KEEP)
COLUMNS: Final = ("decision", "kind", "found", "places", "where", "context")
STUDY_FILE: Final = "the study file"
_AROUND: Final = 40
_OF_THE_DOMAIN: Final = ("phone", "address", "email", "url", "handle")
_ROW: Final = ("turn_index", "source", "rank", "layer", "position", "instrument", "item_id")


@dataclass
class DecidedMatch:
    """A text that may lead to somebody, and what becomes of it.

    decision  mask: it is replaced where it was found; everywhere: wherever it stands as words of their own;
              keep; empty: nobody decided
    where     table, keys, column and first character of each place
    """

    kind: str
    found: str
    decision: str = ""
    where: list[str] = field(default_factory=list)
    context: str = ""


def publish_dataset(dataset: Dataset, into: Path, finds: Path, *, mask_all: bool = False) -> Dataset:
    """A public copy of a dataset, once of every find in its texts a person has decided.

    Input   finds: the file of decisions, which is made, or made anew with what was decided so far and what is
            found now, so that nothing stays in it of somebody who was erased; mask_all: what nobody decided
            is masked
    Raises  InputError: something is not decided, or the file is none; MissingExtra: the scan needs a package
    """
    earlier = read_findings(finds) if finds.exists() else []
    decided = {(match.kind, match.found): match.decision for match in earlier}
    matches = find_all(dataset)
    for pii_match in matches:
        pii_match.decision = decided.get((pii_match.kind, pii_match.found), "") or (MASK if mask_all else "")
    if matches or earlier:
        write_findings(finds, matches)
    if undecided := [match for match in matches if not match.decision]:
        raise InputError(
            f"{len(undecided)} of {len(matches)} possible personal data matches have no decision",
            place=str(finds),
            hint="write mask, everywhere or keep in the column `decision`, and export again; "
            "--mask-all masks what is not decided",
        )
    masks = Masks(matches)
    return reduce_dataset(
        dataset,
        into,
        Level.public,
        mend=masks.mend,
        study=masks.without(dataset.manifest["study"]),
        masked=len(masks.names),
    )


def find_all(dataset: Dataset) -> list[DecidedMatch]:
    """Find possible personal data in a dataset's texts and study file, by tables.

    Note  telephone numbers and addresses of the domain's own database are nobody's
    """
    of_domain, matches = _domain(dataset), dict[tuple[str, str], DecidedMatch]()
    for where, text in _texts(dataset):
        for find in find_personal_data(text):
            if find.kind in _OF_THE_DOMAIN and where != STUDY_FILE and of_domain.holds(find.text):
                continue
            match = matches.setdefault((find.kind, find.text), DecidedMatch(find.kind, find.text))
            match.where.append(where if where == STUDY_FILE else f"{where}:{find.start}")
            match.context = match.context or _context(text, find)
    return list(matches.values())


def _texts(dataset: Dataset) -> Iterator[tuple[str, str]]:
    """Every text that people may have typed, and where it stands."""
    for name, table in TABLES.items():
        columns = [column.name for column in table.columns if column.content is Content.words]
        if not columns:
            continue
        keys = [
            column.name for column in table.columns if column.content is Content.key or column.name in _ROW
        ]
        for row in dataset.columns(name, (*keys, *columns)):
            row_keys = " ".join(f"{k}={v}" for k, v in zip(keys, row, strict=False) if v is not None)
            for column, text in zip(columns, row[len(keys) :], strict=True):
                if text:
                    yield f"{name} {row_keys} {column}", text
    study = dataset.manifest["study"]
    for file in dict.fromkeys(
        [study.get("file"), *(revision.get("file") for revision in study.get("revisions", []))]
    ):
        if file:
            yield STUDY_FILE, file


@dataclass
class _Domain:
    """Words of the study's own database and tasks."""

    text: str

    def holds(self, found: str) -> bool:
        return re.search(rf"(?<!\w){re.escape(found.casefold())}(?!\w)", self.text) is not None


def _domain(dataset: Dataset) -> _Domain:
    values = [value for row in dataset.columns("entities", ("name", "value")) for value in row]
    tasks = [text for (text,) in dataset.columns("dialogues", ("task_text",))]
    return _Domain("\n".join(dict.fromkeys(name.casefold() for name in (*values, *tasks) if name)))


def _context(text: str, find: PiiMatch) -> str:
    return text[max(0, find.start - _AROUND) : find.end + _AROUND]


class Masks:
    """Replaces what is to be masked: the same find by the same name everywhere, such as `<email-2>`."""

    def __init__(self, findings: Sequence[DecidedMatch]) -> None:
        numbers = dict.fromkeys(KINDS, 0)
        self.names: dict[tuple[str, str], str] = {}
        self._everywhere: dict[str, str] = {}
        for finding in findings:
            numbers[finding.kind] = numbers.get(finding.kind, 0) + 1
            if finding.decision != KEEP:
                name = self.names[finding.kind, finding.found] = f"<{finding.kind}-{numbers[finding.kind]}>"
                if finding.decision == EVERYWHERE:
                    self._everywhere[finding.found.casefold()] = name

    @cached_property
    def _anywhere(self) -> re.Pattern[str] | None:
        if not self._everywhere:
            return None
        longest_first = sorted(self._everywhere, key=len, reverse=True)
        return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", re.IGNORECASE)

    def masked(self, text: str) -> str:
        """A text with names in place of what is masked."""
        end, parts = 0, list[str]()
        for find in find_personal_data(text):
            if (name := self.names.get((find.kind, find.text))) is not None:
                parts += [text[end : find.start], name]
                end = find.end
        masked_text = "".join([*parts, text[end:]])
        if self._anywhere is None:
            return masked_text
        return self._anywhere.sub(
            lambda match: self._everywhere.get(match[0].casefold(), match[0]), masked_text
        )

    def mend(self, table: str, place: int, row: Row) -> Row:
        """A row of a table with its texts masked."""
        words = [column.name for column in TABLES[table].columns if column.content is Content.words]
        return row | {name: self.masked(row[name]) for name in words if row.get(name)}

    def without(self, study: dict[str, Any]) -> dict[str, Any]:
        """Study facts of a manifest, its files masked."""
        revisions = [
            revision | {"file": self.masked(revision["file"])} if revision.get("file") else revision
            for revision in study.get("revisions", [])
        ]
        file = {"file": self.masked(study["file"])} if study.get("file") else {}
        return study | file | ({"revisions": revisions} if revisions else {})


def read_findings(path: Path) -> list[DecidedMatch]:
    """The lines of a file of decisions, in their order.

    Raises  InputError: it is no such file, or a decision is none
    """
    findings = list[DecidedMatch]()
    with opened_csv(path) as file:
        lines = csv.DictReader(file)
        if missing := set(COLUMNS[:3]) - set(lines.fieldnames or ()):
            hint = "take the file that export wrote, or move it away; the export then writes a new one"
            raise InputError(f"has no column {min(missing)!r}", place=str(path), hint=hint)
        for line in lines:
            decision = (line["decision"] or "").strip().lower()
            if decision not in ("", *DECISIONS):
                at = f"{path}:{lines.line_num}"
                hint = f"write {', '.join(DECISIONS)}"
                raise InputError(f"{decision!r} is no decision", place=at, hint=hint)
            findings.append(DecidedMatch(line["kind"], read_csv_cell(line["found"]) or "", decision))
    return findings


def write_findings(path: Path, findings: Sequence[DecidedMatch]) -> None:
    """The file of decisions, readable by its owner alone; in the place of the one that is there at once."""
    beside = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    beside.unlink(missing_ok=True)
    beside.touch(mode=0o600)
    with beside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for finding in findings:
            cells = (
                finding.decision,
                finding.kind,
                finding.found,
                str(len(finding.where)),
                "; ".join(finding.where),
                finding.context,
            )
            writer.writerow([safe_csv_cell(cell or None) for cell in cells])
    beside.replace(path)
