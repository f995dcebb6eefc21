"""The pairs of a study as several authors write them: saved whole, with every version kept.

Beside `pairs.yaml` stand `pairs.drafts.yaml`, with pairs that are not yet fit in all languages of the study,
and the folder `pairs.versions`, with both files after every change. The rest of `pairs.yaml` stays as it is.
"""

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from shutil import copyfile
from threading import Lock
from typing import Final, NamedTuple

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.study.pairs import Pair, write_transcript
from vivavoce.study.pairs_check import Balance, judge_pair
from vivavoce.study.pairs_file import read_pairs

_WRITING: Final = Lock()
EMPTY: Final = "pairs:\n"


class KeptPair(NamedTuple):
    """A pair, and whether it is a draft that the study does not read yet."""

    pair: Pair
    is_draft: bool


@dataclass(frozen=True, slots=True)
class PairsVersion:
    """A state of the files.

    number  from 0, the state before the first change
    at      ISO 8601, UTC
    pair    that was saved; "" where a version was brought back, which `restored` then names
    """

    number: int
    by: str
    at: str
    pair: str = ""
    language: str = ""
    restored: int | None = None


class PairChanged(InputError):
    """The pair is not the one that was opened; `by`: who saved it last, "" where nobody did here."""

    def __init__(self, pair_id: str, by: str) -> None:
        super().__init__(
            f"pair {pair_id!r} was changed by someone else", hint="compare both versions and save again"
        )
        self.by = by


class PairsLaboratory:
    """The files of a study's pairs."""

    def __init__(self, path: Path, languages: tuple[str, ...], balance: Balance) -> None:
        self.path, self.languages, self.balance = path, languages, balance
        self.drafts = path.with_name(f"{path.stem}.drafts.yaml")
        self.folder = path.with_name(f"{path.stem}.versions")

    def pairs(self) -> list[KeptPair]:
        """All pairs as the files have them, those of the study first.

        Raises  InputError: a file cannot be read as pairs; its first problem
        """
        return [KeptPair(pair, path == self.drafts) for path in self._files() for pair in _pairs(path)]

    def pair(self, pair_id: str) -> Pair | None:
        """A pair by its name; of one that is also a draft, the draft."""
        return next((one.pair for one in reversed(self.pairs()) if one.pair.pair_id == pair_id), None)

    def digest(self, pair_id: str) -> str:
        """By which a page notices that somebody else has saved a pair; "" of one that is not there."""
        found = self.pair(pair_id)
        return sha256(found.model_dump_json().encode()).hexdigest()[:16] if found else ""

    def save(self, pair: Pair, *, by: str, base: str) -> bool:
        """Write a pair in its languages, others of it stay; True: the study reads it, False: it is a draft.

        Input   base: its `digest` when the page was opened
        Raises  PairChanged: somebody else saved it since; nothing is written
        """
        with _WRITING:
            if self.digest(pair.pair_id) != base:
                last = next((version for version in self.versions() if version.pair == pair.pair_id), None)
                raise PairChanged(pair.pair_id, last.by if last else "")
            known = self.pair(pair.pair_id)
            whole = pair.model_copy(update={"text": {**(known.text if known else {}), **pair.text}})
            is_fit = self._is_fit(whole)
            texts = {path: _text(path) for path in (self.path, self.drafts)}
            if is_fit:
                texts[self.path] = _put(texts[self.path], whole)
                texts[self.drafts] = _put(texts[self.drafts], whole, remove=True)
            else:
                texts[self.drafts] = _put(texts[self.drafts], whole)
            self._keep_first()
            self._write(texts, whole)
            (language, *_) = pair.text
            self._keep(by, pair=pair.pair_id, language=language)
        return is_fit

    def versions(self) -> list[PairsVersion]:
        """All versions, the latest first."""
        history = self.folder / "history.jsonl"
        lines = history.read_text("utf-8").splitlines() if history.exists() else []
        return [PairsVersion(**json.loads(line)) for line in reversed(lines)]

    def restore(self, number: int, *, by: str) -> None:
        """Bring a version back, as a new version: nothing is lost.

        Raises  InputError: there is no such version
        """
        with _WRITING:
            kept = self.folder / f"{number:04}"
            if not (kept / self.path.name).exists():
                raise InputError(
                    f"no version {number}", place=self.folder.name, hint="choose one from the list"
                )
            self._write({path: _text(kept / path.name) for path in (self.path, self.drafts)})
            self._keep(by, restored=number)

    def _files(self) -> list[Path]:
        return [path for path in (self.path, self.drafts) if path.exists()]

    def _is_fit(self, pair: Pair) -> bool:
        """True if the study can use it: written in all its languages, and fair or doubtful in each."""
        languages = self.languages
        return all(
            language in pair.text and judge_pair(pair, language, self.balance).word != "unfit"
            for language in languages
        )

    def _write(self, texts: dict[Path, str], saved: Pair | None = None) -> None:
        """Replace the files: each is the old one or the new one, also after a power cut.

        Raises  InputError: the pair that is saved would not be read as it is; nothing is written
        """
        made = {path: text for path, text in texts.items() if text.strip() != EMPTY.strip()}
        beside = {path: path.with_name(f".{path.name}.new") for path in made}
        try:
            for path, text in made.items():
                _write_through(beside[path], text)
            read = [pair for path in beside.values() for pair in _pairs(path)]
            if saved is not None and saved not in read:
                raise InputError(
                    f"pair {saved.pair_id!r} could not be saved unchanged",
                    place=self.path.name,
                    hint="remove unusual characters",
                )
            for path in made:
                beside[path].replace(path)
        finally:
            for path in beside.values():
                path.unlink(missing_ok=True)
        for path in texts.keys() - made.keys() - {self.path}:
            path.unlink(missing_ok=True)

    def _keep_first(self) -> None:
        if not self.versions():
            self._keep("")

    def _keep(self, by: str, **about: object) -> None:
        """Both files as they are now; the history comes last, so that a version it names is whole."""
        versions = self.versions()
        number = versions[0].number + 1 if versions else 0
        kept = self.folder / f"{number:04}"
        kept.mkdir(parents=True, exist_ok=True)
        for path in self._files():
            copyfile(path, kept / path.name)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps(asdict(PairsVersion(number, by, now, **about)), ensure_ascii=False)  # pyright: ignore[reportArgumentType]
        with (self.folder / "history.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())


def _pairs(path: Path) -> list[Pair]:
    pairs = read_pairs(path)
    if pairs.problems:
        first = pairs.problems[0]
        raise InputError(first.problem, place=first.place, hint=first.hint)
    return [pair for _, pair in pairs.pairs]


def _text(path: Path) -> str:
    return path.read_text("utf-8-sig") if path.exists() else EMPTY


def _write_through(path: Path, text: str) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _put(text: str, pair: Pair, *, remove: bool = False) -> str:
    """The text of a file with the lines of one pair replaced, added at its end, or removed."""
    lines = text.splitlines()
    start, end, indent = _lines_of(text, lines, pair.pair_id)
    written = [] if remove else [f"{' ' * indent}{line}" if line else "" for line in _written(pair)]
    lines[start:end] = written
    return "".join(f"{line}\n" for line in lines)


def _lines_of(text: str, lines: list[str], pair_id: str) -> tuple[int, int, int]:
    """The first line of a pair, that behind its last, and its indent; of a new one, the end of the file."""
    source = parse_yaml(text, "pairs")
    listed = (source.data or {}).get("pairs") or []
    starts = [source.lines["pairs", place] - 1 for place in range(len(listed))]
    indent = len(lines[starts[0]]) - len(lines[starts[0]].lstrip()) if starts else 2
    place = next((at for at, one in enumerate(listed) if one.get("id") == pair_id), None)
    if place is None:
        return len(lines), len(lines), indent
    end = starts[place + 1] if place + 1 < len(starts) else len(lines)
    while _stands_outside(lines[end - 1], indent):  # the pair itself does not
        end -= 1
    return starts[place], end, indent


def _stands_outside(line: str, indent: int) -> bool:
    """A blank line, or a comment about the next pair."""
    bare = line.lstrip()
    return not bare or (bare.startswith("#") and len(line) - len(bare) <= indent)


def _written(pair: Pair) -> list[str]:
    """A pair as YAML: what `read_pairs` reads."""

    def quoted(value: object) -> str:
        return json.dumps(value, ensure_ascii=False)

    lines = [
        f"- id: {quoted(pair.pair_id)}",
        f"  variable: {quoted(pair.variable)}",
        f"  change: {pair.change}",
    ]
    levels = {"control": pair.control_level, "experimental": pair.experimental_level}
    lines.append(
        f"  levels: {{control: {quoted(levels['control'])}, experimental: {quoted(levels['experimental'])}}}"
    )
    if pair.attention:
        lines.append(f"  attention: {pair.attention}")
    lines.append("  text:")
    for language, text in pair.text.items():
        lines += [f"    {language}:", f"      outcome: {quoted(list(text.outcome))}"]
        if text.equivalent:
            lines.append(f"      equivalent: {quoted([list(both) for both in text.equivalent])}")
        for name, transcript in (("control", text.control), ("experimental", text.experimental)):
            lines.append(f"      {name}: |")
            lines += [f"        {line}" for line in write_transcript(transcript).splitlines()]
    return lines
