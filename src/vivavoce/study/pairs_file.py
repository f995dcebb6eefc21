"""Pairs of transcripts as files: one YAML file, or a folder with one text file a pair and language."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from vivavoce.core.validation import problems_of, read_model
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml
from vivavoce.study.pairs import (
    Attention,
    Change,
    ComparisonQuestion,
    Pair,
    PairText,
    Quality,
    Transcript,
    UnreadableTranscript,
    read_transcript,
)

QUESTIONS: Final = Path(__file__).parent / "pairs_questions.yaml"
_TEXT_FILE = re.compile(r"(?P<pair>.+)\.(?P<language>[a-z]{2,3}(-[A-Za-z0-9]{2,8})*)\.txt")
Model = TypeVar("Model", bound=BaseModel)
_KEYS: Final = (
    "variable",
    "change",
    "attention",
    "control_level",
    "experimental_level",
    "outcome",
    "equivalent",
)


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")


class WrittenLevels(_Written):
    """Names of the two versions, for a strategy with several levels."""

    control: str = Field("control", description="level of the control transcript")
    experimental: str = Field("experimental", description="level of the experimental transcript")


class WrittenText(_Written):
    """Both transcripts in one language."""

    outcome: list[str] | str = Field([], description="outcome words that the system says in both versions")
    equivalent: list[tuple[str, str]] = Field(
        [], description="phrases with the same meaning in both versions, for the automatic check"
    )
    control: str = Field(description="`System: ...` and `User: ...` lines")
    experimental: str = Field(description="the same dialogue with the strategy in the system's lines")


class WrittenPair(_Written):
    """A pair as written."""

    pair_id: str = Field(alias="id", min_length=1, description="identifier")
    variable: str = Field(min_length=1, description="interaction strategy under test")
    change: Change = Field(
        "substitution", description=("type of change to the system's lines: substitution or insertion")
    )
    levels: WrittenLevels = Field(WrittenLevels(), description="names of the two levels")  # pyright: ignore[reportCallIssue]
    attention: Attention | None = Field(
        None,
        description=(
            "attention check; broken: the experimental version is nonsense; identical: both are the same"
        ),
    )
    text: dict[str, WrittenText] = Field(description="the transcripts, by language")


class PairsFile(_Written):
    """A file of pairs: `pairs:` and a list."""

    pairs: list[WrittenPair] = Field(min_length=1, description="the pairs")


class WrittenQuestion(_Written):
    """A question as written."""

    question_id: str = Field(alias="id", min_length=1, description="identifier")
    quality: Quality | None = Field(None, description="service or experience")
    text: dict[str, str] = Field(description="the question, by language")


class QuestionsFile(_Written):
    """A file of questions: `questions:` and a list."""

    questions: list[WrittenQuestion] = Field(min_length=1, description="the questions")


class Written:
    """Pairs read from files with their places, and the problems of the files."""

    def __init__(self) -> None:
        self.pairs: list[tuple[str, Pair]] = []
        self.problems: list[Problem] = []


def read_pairs(path: Path) -> Written:
    """The pairs of a YAML file, or of all text files `<pair>.<language>.txt` in a folder."""
    written = Written()
    if path.is_dir():
        _read_folder(path, written)
    else:
        _read_yaml(path, written)
    seen: set[str] = set()
    for place, pair in written.pairs:
        if pair.pair_id in seen:
            problem = Problem(place, f"pair {pair.pair_id!r} is listed twice", "give each its own id")
            written.problems.append(problem)
        seen.add(pair.pair_id)
    return written


def pair_files(path: Path) -> list[Path]:
    """Files that `read_pairs` reads."""
    return sorted(path.glob("*.txt")) if path.is_dir() else [path]


def _read_yaml(path: Path, written: Written) -> None:
    source = read_yaml(path)
    file = read_model(source, PairsFile, empty={})
    for index, one in enumerate(file.pairs if file is not None else ()):
        at: KeyPath = ("pairs", index)
        texts = {
            language: PairText(
                control=_transcript(text.control, source, (*at, "text", language, "control")),
                experimental=_transcript(text.experimental, source, (*at, "text", language, "experimental")),
                outcome=tuple([text.outcome] if isinstance(text.outcome, str) else text.outcome),
                equivalent=tuple(text.equivalent),
            )
            for language, text in one.text.items()
        }
        pair = Pair(
            pair_id=one.pair_id,
            variable=one.variable,
            change=one.change,
            attention=one.attention,
            control_level=one.levels.control,
            experimental_level=one.levels.experimental,
            text=texts,
        )
        written.pairs.append((source.place(at), pair))
    written.problems += source.problems


def _transcript(text: str, source: Source, at: KeyPath) -> Transcript:
    try:
        return read_transcript(text)
    except UnreadableTranscript as error:
        source.report(at, f"line {error.line}: {error.problem}", error.hint)
        return ()


def _read_folder(folder: Path, written: Written) -> None:
    """Text files of one pair each are joined over languages; their heads must agree."""
    heads: dict[str, tuple[str, dict[str, Any]]] = {}
    texts: dict[str, dict[str, PairText]] = {}
    files = pair_files(folder)
    if not files:
        problem = Problem(folder.name, "contains no pairs", "write files such as empathy-1.en.txt")
        written.problems.append(problem)
    for file in files:
        named = _TEXT_FILE.fullmatch(file.name)
        shown = f"{folder.name}/{file.name}"
        if named is None:
            hint = "name it PAIR.LANGUAGE.txt, such as empathy-1.en.txt"
            written.problems.append(Problem(shown, "its name has no language", hint))
            continue
        head, text, problems = _read_text(file, shown)
        written.problems += problems
        pair_id = named["pair"]
        outcome, equivalent = phrases(head.pop("outcome", "")), equivalents(head.pop("equivalent", ""))
        if text is None:
            continue
        if heads.setdefault(pair_id, (shown, head))[1] != head:
            first = heads[pair_id][0]
            problem = f"its first lines differ from those of {first}"
            written.problems.append(Problem(shown, problem, "write the same variable and change in both"))
        texts.setdefault(pair_id, {})[named["language"]] = text.model_copy(
            update={"outcome": outcome, "equivalent": equivalent}
        )
    for pair_id, (shown, head) in heads.items():
        try:
            written.pairs.append(
                (shown, Pair.model_validate({"pair_id": pair_id, "text": texts[pair_id], **head}))
            )
        except ValidationError as error:
            written.problems += problems_of(error, Source(shown), Pair)


def phrases(written: str) -> tuple[str, ...]:
    """The phrases of a line, with a bar between them."""
    return tuple(phrase.strip() for phrase in written.split("|") if phrase.strip())


def equivalents(written: str) -> tuple[tuple[str, str], ...]:
    """Equivalent phrases, `a = b | c = d`; incomplete entries are dropped."""
    both = (tuple(map(str.strip, phrase.partition("=")[::2])) for phrase in phrases(written))
    return tuple((one, other) for one, other in both if one and other)


def _read_text(file: Path, shown: str) -> tuple[dict[str, str], PairText | None, list[Problem]]:
    """A text file: `key: value` lines, then `== control` and `== experimental` with their turns."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}, None, [Problem(shown, "cannot be read as UTF-8 text", "save it as UTF-8")]
    head: dict[str, str] = {}
    parts: dict[str, tuple[int, list[str]]] = {}
    problems: list[Problem] = []
    part: list[str] | None = None
    for number, line in enumerate(lines, 1):
        if line.startswith("=="):
            name = line.strip("= ").lower()
            part = parts.setdefault(name, (number, []))[1]
        elif part is not None:
            part.append(line)
        elif line.strip():
            key, _, value = (piece.strip() for piece in line.partition(":"))
            if key not in _KEYS or not value:
                hint = f"write `key: value` with one of: {', '.join(_KEYS)}"
                problems.append(Problem(f"{shown}:{number}", f"unknown line {line.strip()[:40]!r}", hint))
            head[key] = value
    if set(parts) != {"control", "experimental"}:
        hint = "write the lines `== control` and `== experimental`, each with its turns below"
        return head, None, [*problems, Problem(shown, "does not contain two transcripts", hint)]
    if "variable" not in head:
        return (
            head,
            None,
            [*problems, Problem(shown, "'variable' is missing", "add `variable: NAME` at the top")],
        )
    made: dict[str, Transcript] = {}
    for name, (start, said) in parts.items():
        try:
            made[name] = read_transcript("\n".join(said))
        except UnreadableTranscript as error:
            problems.append(Problem(f"{shown}:{start + error.line}", error.problem, error.hint))
    if problems:
        return head, None, problems
    return head, PairText(control=made["control"], experimental=made["experimental"]), []


def read_questions(
    path: Path, languages: tuple[str, ...]
) -> tuple[tuple[ComparisonQuestion, ...], list[Problem]]:
    """Questions of a file in all these languages, and the file's problems."""
    source = read_yaml(path)
    file = read_model(source, QuestionsFile, empty={})
    questions = tuple(_questions(file, source, languages)) if file is not None else ()
    return questions, source.problems


def _questions(
    file: QuestionsFile, source: Source, languages: tuple[str, ...]
) -> Iterator[ComparisonQuestion]:
    seen: set[str] = set()
    for index, one in enumerate(file.questions):
        if one.question_id in seen:
            source.report(
                ("questions", index, "id"), f"question {one.question_id!r} is listed twice", "rename it"
            )
        seen.add(one.question_id)
        for language in languages:
            if not one.text.get(language, "").strip():
                source.report(("questions", index, "text"), f"no text in {language!r}", f"add `{language}:`")
        yield ComparisonQuestion(question_id=one.question_id, quality=one.quality, text=one.text)
