"""Publication: a dataset reduced to a level, with scanned texts and a decision on each match.

Decisions are rows of a CSV file beside the dataset and are kept for the next export. The file holds personal
data: keep it apart from what is published; only its owner can read it. Names and addresses are found only
after words of a language that announce them (`personal.yaml`), because a list of names would match cities
and flowers. docs/explanation/personal-data-quality.md has the recall.
"""

import copy
import csv
import ipaddress
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require
from vivavoce.core.secrets import Replacements, replace_values
from vivavoce.core.yaml_source import KeyPath
from vivavoce.dataset.columns import (
    HOLDS,
    ORIGIN,
    Content,
    Level,
    Table,
    Treatment,
    columns_left_out,
    level_of,
    treatment,
)
from vivavoce.dataset.copying import Change, Row, copy_dataset
from vivavoce.dataset.csv_files import opened_csv, read_csv_cell, safe_csv_cell
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.languages.data import PersonalWords

README: Final = "README.md"
_OWNERS: Final = ("participant_id", "visit_id", "dialogue_id")
_START: Final = datetime.fromisoformat(ORIGIN)
Mend = Callable[[str, int, Row], Row]
"""A row of a table, by its place there, with its texts as they may be published."""


def reduce_dataset(
    dataset: Dataset,
    into: Path,
    level: Level,
    *,
    mend: Mend | None = None,
    study: Mapping[str, Any] | None = None,
    masked: int = 0,
) -> Dataset:
    """A copy of a dataset at a level, with a README that says what is in it.

    Input   mend: what becomes of the texts of a row; study: what the manifest says of the study, where it is
            not what it said; masked: places that `mend` replaced
    Note    what the study's rules exclude is taken over, as found on the whole dataset
    Raises  InputError: the dataset is of a lower level already, or lies in this folder
    """
    before = level_of(dataset.manifest)
    if before not in (Level.internal, level):
        hint = "use the dataset that it was made from"
        raise InputError(f"already has level {before}", place=str(dataset.folder), hint=hint)
    moves = _Moves.of(dataset.everything, level)
    changes: dict[str, Change] = {
        name: partial(_reduced, table=table, level=level, moves=moves, mend=mend)
        for name, table in TABLES.items()
    }
    reduced = copy_dataset(
        dataset,
        into,
        changes,
        source={"level": level.value, "masked": masked},
        study=_moved_study(study or dataset.manifest["study"], moves),
    )
    (reduced.folder / README).write_text(readme(reduced), encoding="utf-8")
    return reduced


@dataclass
class _Moves:
    """Shift of instants: the same for all, or one for each participant."""

    everybody: timedelta
    each: dict[str, timedelta] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset, level: Level) -> "_Moves":
        owners: dict[str, str] = {}
        first: dict[str | None, datetime] = {}
        rows = [(row, names) for row, names in _rows_with_instants(dataset)]
        for row, _ in rows:
            if (person := row.get("participant_id")) is not None:
                owners |= {key: person for name in _OWNERS if (key := row.get(name)) is not None}
        for row, names in rows:
            owner = _owner(row, owners)
            for at in (row[name] for name in names):
                if at is not None:
                    first[owner] = min(at, first.get(owner, at))
        start = dataset.first_participant or min(first.values(), default=_START)
        apart = treatment(Content.instant, level) is Treatment.apart
        starts = {who: at - _START for who, at in first.items() if who is not None} if apart else {}
        return cls(start - _START, starts, owners)

    def moved(self, row: Row, at: datetime) -> datetime:
        return at - self.each.get(_owner(row, self.owners) or "", self.everybody)


def _owner(row: Mapping[str, Any], owners: Mapping[str, str]) -> str | None:
    found_owners = (owners.get(row.get(name) or "") for name in _OWNERS)
    return next((owner for owner in found_owners if owner is not None), None)


def _rows_with_instants(dataset: Dataset) -> Iterator[tuple[Row, list[str]]]:
    for name, table in TABLES.items():
        instants = [column.name for column in table.columns if column.content is Content.instant]
        keys = [column.name for column in table.columns if column.name in _OWNERS]
        if instants:
            for row in dataset.columns(name, (*keys, *instants)):
                yield dict(zip((*keys, *instants), row, strict=True)), instants


def _reduced(
    rows: Iterator[Row], *, table: Table, level: Level, moves: _Moves, mend: Mend | None
) -> Iterator[Row]:
    nothing = dict.fromkeys(columns_left_out(table, level))
    instants = [column.name for column in table.columns if column.content is Content.instant]
    for place, row in enumerate(rows):
        at = {name: moves.moved(row, row[name]) for name in instants if row.get(name) is not None}
        mended = mend(table.name, place, row) if mend is not None else row
        yield {**mended, **at, **{name: None for name in nothing if name in row}}


def _moved_study(study: Mapping[str, Any], moves: _Moves) -> dict[str, Any]:
    """Study facts of the manifest, with the dates of its revisions shifted like all others."""
    moved = copy.deepcopy(dict(study))
    for revision in moved.get("revisions", []):
        if revision.get("seen_at"):
            revision["seen_at"] = (datetime.fromisoformat(revision["seen_at"]) - moves.everybody).isoformat()
    return moved


_README: Final = """# {study}: dataset, level {level}

`{level}` is one of the levels at which this study's data may be passed on; at this one

{treated}

Null everywhere, because the level leaves them out: {columns}.

{lost}

{rows}
"""


def readme(dataset: Dataset) -> str:
    """Readme of a reduced dataset, as Markdown."""
    level = level_of(dataset.manifest)
    out = [
        f"`{name}.{column}`" for name, table in TABLES.items() for column in columns_left_out(table, level)
    ]
    return _README.format(
        study=dataset.study,
        level=level,
        columns=", ".join(out),
        treated="\n".join(
            f"- {holds}: {treatment(content, level)};" for content, holds in HOLDS.items() if content
        ),
        lost="\n".join(f"- {sentence}" for sentence in dataset.what_is_lost),
        rows="\n".join(
            f"- `{name}.parquet`: {facts['rows']} rows, each {TABLES[name].row}"
            for name, facts in dataset.manifest["tables"].items()
            if name in TABLES
        ),
    )


class PiiMatch(NamedTuple):
    """Possible personal data: its kind, and its span in a text (characters, 0-based, half open)."""

    kind: str
    start: int
    end: int
    text: str


class _Form(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    part: Callable[[str], str]


_SEPARATORS: Final = re.compile(r"[\s.-]")
_PLATFORMS: Final = (
    r"(?:facebook|instagram|linkedin|twitter|x|tiktok|github|t|wa|threads|youtube|reddit|telegram|vk)"
)
_PERSONS: Final = (
    r"(?:user(?:name|_?id)?|e?mail|login|uid|account|token|session(?:id)?|sid|pid|prolific_pid|name|phone)"
)
_ODD: Final = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)


def find_personal_data(text: str) -> list[PiiMatch]:
    """Find possible personal data in a text, in order, no two overlapping; kinds are in `KINDS`.

    Empty   nothing is found: []
    Raises  MissingExtra: the package that knows telephone numbers is not installed
    """
    return list(_found(text))


@lru_cache(maxsize=100_000)
def _found(text: str) -> tuple[PiiMatch, ...]:
    finds: list[PiiMatch] = []
    for candidate in _candidates(text):
        if candidate.text and not any(
            candidate.start < find.end and find.start < candidate.end for find in finds
        ):
            finds.append(candidate)
    return tuple(sorted(finds, key=lambda match: match.start))


def _candidates(text: str) -> Iterator[PiiMatch]:
    """All finds, the surest kinds first."""
    for form in _FORMS:
        for match in form.pattern.finditer(text):
            if part := form.part(match[0]):
                yield PiiMatch(form.kind, match.start(), match.start() + len(part), part)
    yield from _numbers(text)
    for kind, pattern in _announced():
        for match in pattern.finditer(text):
            group = "found" if "found" in pattern.groupindex else 0
            start, end = match.span(group)
            yield PiiMatch(kind, start, end, match[group])


def _numbers(text: str) -> Iterator[PiiMatch]:
    if sum(map(str.isdigit, text)) < 6:
        return
    require("phonenumbers")
    from phonenumbers import Leniency, PhoneNumberMatcher

    for region in _regions():
        for match in PhoneNumberMatcher(text, region, leniency=Leniency.VALID):
            yield PiiMatch("phone", match.start, match.end, match.raw_string)


@cache
def _regions() -> tuple[str, ...]:
    words = (PersonalWords.of(tag) for tag in PersonalWords.languages())
    return tuple(dict.fromkeys(region for word in words if word is not None for region in word.regions))


@cache
def _announced() -> tuple[tuple[str, re.Pattern[str]], ...]:
    words = [
        vocabulary for tag in PersonalWords.languages() if (vocabulary := PersonalWords.of(tag)) is not None
    ]
    return tuple(
        (kind, re.compile(pattern))
        for kind in ("email", "phone", "address", "birth", "name")
        for word in words
        for pattern in getattr(word, kind)
    )


def _iban(text: str) -> str:
    """The longest beginning, by words, that is one."""
    while text and not _is_iban(text):
        text = text.rpartition(" ")[0]
    return text


def _is_iban(text: str) -> bool:
    """ISO 13616: the check digits of the whole, letters as 10 to 35, are 1 modulo 97."""
    code = _SEPARATORS.sub("", text).upper()
    return (
        15 <= len(code) <= 34
        and int("".join(str(int(character, 36)) for character in code[4:] + code[:4])) % 97 == 1
    )


def _is_card(text: str) -> bool:
    """ISO/IEC 7812: the sum of Luhn is a multiple of 10."""
    digits = [int(character) for character in text if character.isdigit()]
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_tax_code(text: str) -> bool:
    """The Italian codice fiscale: its last letter checks the fifteen before (decree of 23 December 1976)."""
    code = text.upper()
    odd = sum(_ODD[_place(character)] for character in code[0:15:2])
    return (odd + sum(_place(character) for character in code[1:15:2])) % 26 == _place(code[15])


def _place(character: str) -> int:
    return int(character) if character.isdigit() else ord(character) - ord("A")


def _is_address(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _bare_page(text: str) -> str:
    return text.rstrip(".,;:!?)")


def _checked(holds: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda text: text if holds(text) else ""


_FORMS: Final = tuple(
    _Form(kind, re.compile(pattern, re.IGNORECASE), part)
    for kind, pattern, part in (
        ("url", r"https?://[^\s/@]{1,200}@[^\s<>\"]{1,300}", _bare_page),
        (
            "url",
            rf"(?:https?://|www\.)[^\s<>\"?]{{1,300}}\?(?:[^\s<>\"]{{0,300}}&)?{_PERSONS}=[^\s<>\"]{{1,300}}",
            _bare_page,
        ),
        (
            "url",
            rf"(?:https?://)?(?:www\.|m\.)?\b{_PLATFORMS}\.(?:com|me|org|net)/@?[\w./-]{{1,100}}\w",
            _bare_page,
        ),
        ("url", r"https?://[^\s<>\"]{1,300}/(?:~|users?/|profiles?/|u/)[^\s<>\"]{1,300}", _bare_page),
        ("email", r"(?<![\w.+'-])[\w.+'-]{0,63}[\w+]@[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,24}\b", str),
        ("handle", r"(?<![\w@.])@[a-z_][\w.]{2,29}\b", str),
        ("iban", r"\b[a-z]{2}\d{2}(?:[ -]?[a-z0-9]){11,30}\b", _iban),
        (
            "tax_code",
            r"\b[a-z]{6}[\dl-np-v]{2}[a-ehlmprst][\dl-np-v]{2}[a-z][\dl-np-v]{3}[a-z]\b",
            _checked(_is_tax_code),
        ),
        ("card", r"(?<![\d+])[2-6]\d{3}(?:[ -]?\d){9,15}(?!\d)", _checked(_is_card)),
        ("ip", r"(?<![\w.:])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)", _checked(_is_address)),
        ("ip", r"(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{1,4}(?![\w:])", _checked(_is_address)),
    )
)
KINDS: Final = (*dict.fromkeys(form.kind for form in _FORMS), "phone", "address", "birth", "name")
"""What is looked for, the surest first."""


MASK, EVERYWHERE, KEEP = "mask", "everywhere", "keep"
DECISIONS: Final = (MASK, EVERYWHERE, KEEP)
COLUMNS: Final = ("decision", "kind", "found", "places", "where", "context")
STUDY_FILE: Final = "the study file"
_WEB_ADDRESS: Final = re.compile(
    r"\b(?:[a-z][a-z0-9+.-]*://|sips?:)(?:\{\{.*?\}\}|[^\s\"'<>])+"
    r"|(?<![\w.-])(?:localhost|\[[0-9a-f:.]+\]|[\w-]+(?:\.[\w-]+)+):\d{2,5}\b",
    re.IGNORECASE,
)
_HOST: Final = re.compile(r"^(?:[\w+.-]+://|sips?:)?(?:[^\s/@]*@)?([^\s/?#]+)")
_SHOWN_KEY: Final = "visit"  # the key whose addresses participants see
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
            hint="write mask, everywhere or keep in the column `decision`, then export again; "
            "--mask-all masks undecided entries",
        )
    masks = Masks(matches)
    return reduce_dataset(
        dataset,
        into,
        Level.public,
        mend=masks.mend,
        study=masks.without(_with_files(dataset.manifest["study"], without_addresses)),
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
            yield STUDY_FILE, without_addresses(file)


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
        return _with_files(study, self.masked)


def _with_files(study: dict[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Study facts of a manifest with their files changed."""
    file = {"file": change(study["file"])} if study.get("file") else {}
    revisions = [_with_files(revision, change) for revision in study.get("revisions", [])]
    return study | file | ({"revisions": revisions} if revisions else {})


def without_addresses(text: str) -> str:
    """A study file's text with names such as `<address-2>` in place of addresses; all else stays."""
    return replace_values(text, _named_addresses)


def _named_addresses(texts: Mapping[KeyPath, str]) -> Replacements:
    addresses = {
        path: _WEB_ADDRESS.findall(text) for path, text in texts.items() if path[:1] != (_SHOWN_KEY,)
    }
    hosts = dict.fromkeys(_host(address) for listed in addresses.values() for address in listed)
    names = {host: f"<address-{number}>" for number, host in enumerate(hosts, 1)}
    return {
        path: {part: names[_host(address)] for address in listed for part in (address, _host(address))}
        for path, listed in addresses.items()
        if listed
    }


def _host(address: str) -> str:
    match = _HOST.match(address)
    return match[1] if match else address


def read_findings(path: Path) -> list[DecidedMatch]:
    """The lines of a file of decisions, in their order.

    Raises  InputError: it is no such file, or a decision is none
    """
    findings = list[DecidedMatch]()
    with opened_csv(path) as file:
        lines = csv.DictReader(file)
        if missing := set(COLUMNS[:3]) - set(lines.fieldnames or ()):
            hint = "use the file written by export, or move it away to get a new one"
            raise InputError(f"column {min(missing)!r} is missing", place=str(path), hint=hint)
        for line in lines:
            decision = (line["decision"] or "").strip().lower()
            if decision not in ("", *DECISIONS):
                at = f"{path}:{lines.line_num}"
                hint = f"write {', '.join(DECISIONS)}"
                raise InputError(f"invalid decision {decision!r}", place=at, hint=hint)
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
