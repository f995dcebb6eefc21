"""A shared task on understood commands: a blind test set, answers of teams, standings, an archive.

A folder: `shared-task.yaml`, `test/` (commands without their predicates, for the teams), `reference/` (the
predicates, one file a speaker, kept by the organiser) and `answers/TEAM/` (likewise, as each team sends
them).
Source  SUGAR (EVALITA 2018) for the scoring; see `understanding.scoring`
"""

import json
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from vivavoce.core.errors import InputError
from vivavoce.core.validation import load_model, mistake
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.study.file import NAME_CURE, is_name
from vivavoce_commands.command_file import CommandFile, command_files, read_command_file
from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.scoring import score_commands

SHARED_FILE: Final = "shared-task.yaml"
TEST, REFERENCE, ANSWERS = "test", "reference", "answers"
HIDDEN: Final = ("annotation", "annotation_written", "annotator_id")
Figure = Literal["correct_actions", "correct_arguments_of_all", "exact_utterances", "slot_f1"]
FIGURES: Final = ("correct_actions", "correct_arguments_of_all", "exact_utterances", "slot_f1")


class SharedTask(BaseModel):
    """What the organiser settled."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shared_task: str = Field(description="short name: letters, digits, dot, dash, underscore")
    ranked_by: Figure = Field("exact_utterances", description="figure that orders the leaderboard")
    mode: Literal["strict", "official"] = Field(
        "strict", description="scoring mode: strict, or official (the 2018 script)"
    )
    seed: int = Field(1, ge=0, description="random seed of the intervals")

    @field_validator("shared_task")
    @classmethod
    def _plain_name(cls, name: str) -> str:
        if not is_name(name):
            raise mistake(f"invalid name of a shared task: {name!r}", NAME_CURE)
        return name


def begin(folder: Path, source: Dataset, name: str) -> int:
    """Make the folder of a shared task from annotated commands; returns how many commands it has.

    Raises  InputError: a shared task is there already; the dataset has no annotated command
    """
    if (folder / SHARED_FILE).exists():
        raise InputError(
            "the folder already contains a shared task", place=str(folder), hint="choose another folder"
        )
    rows = [row for row in source.read("commands").to_pylist() if row["annotation"]]
    if not rows:
        raise InputError(
            "the dataset has no annotated commands",
            place=str(source.folder),
            hint="annotate commands, or generate them",
        )
    settings = SharedTask.model_validate({"shared_task": name})
    with DatasetWriter(folder / TEST, study={"name": name}, source={"kind": "blind"}) as writer:
        writer.add("commands", [row | dict.fromkeys(HIDDEN) for row in rows])
        writer.close()
    (folder / REFERENCE).mkdir(parents=True, exist_ok=True)
    for speaker, lines in _files(rows).items():
        (folder / REFERENCE / f"{speaker}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / ANSWERS).mkdir(exist_ok=True)
    text = f"shared_task: {json.dumps(name)}\nranked_by: {settings.ranked_by}\nmode: strict\nseed: 1\n"
    (folder / SHARED_FILE).write_text(text, encoding="utf-8")
    return len(rows)


def _files(rows: list[dict[str, Any]]) -> dict[str, list[str]]:
    """Annotated commands as lines of one file a speaker; a rule stands between recipes."""
    lines: dict[str, list[str]] = {}
    recipe: dict[str, Any] = {}
    for row in rows:
        speaker = row["participant_id"] or "unknown"
        if not is_name(speaker):
            speaker = sha256(speaker.encode()).hexdigest()[:12]
        file = lines.setdefault(speaker, [])
        if recipe.setdefault(speaker, row["recipe"]) != row["recipe"]:
            file.append("---")
        recipe[speaker] = row["recipe"]
        file.append(f"{row['utterance']}; {row['annotation']}")
    return lines


def load(folder: Path) -> SharedTask:
    """The settings of a shared task. Raises InputError: they are wrong, or its test set is not blind."""
    settings = load_model(folder / SHARED_FILE, SharedTask)
    test = Dataset(folder / TEST).read("commands")
    if any(value is not None for name in HIDDEN for value in test.column(name).to_pylist()):
        hint = f"empty the columns {', '.join(HIDDEN)}"
        raise InputError("the test set contains answers", place=f"{folder.name}/{TEST}", hint=hint)
    return settings


def standings(folder: Path) -> dict[str, Any]:
    """Every team's figures, best first by the chosen one; a team that left speakers out is not ranked.

    Output  name, ranked_by, mode, teams: {team, rank, corpus, intervals, counts, speakers, missing_speakers,
            problems, signature}
    Note    teams whose figures are equal share a rank; intervals draw speakers
    Raises  InputError: files that cannot be read
    """
    settings = load(folder)
    truth = _read(folder / REFERENCE)
    teams = [_team(path, truth, settings) for path in sorted(_answers(folder))]
    teams.sort(
        key=lambda team: (
            bool(team["missing_speakers"]),
            -(team["corpus"][settings.ranked_by] or 0.0),
            team["team"],
        )
    )
    for team in teams:
        better = sum(
            rival["corpus"][settings.ranked_by] > team["corpus"][settings.ranked_by]
            for rival in teams
            if not rival["missing_speakers"] and not team["missing_speakers"]
        )
        team["rank"] = None if team["missing_speakers"] else better + 1
    return {
        "name": settings.shared_task,
        "ranked_by": settings.ranked_by,
        "mode": settings.mode,
        "teams": teams,
    }


def _answers(folder: Path) -> list[Path]:
    place = folder / ANSWERS
    return [path for path in place.iterdir() if path.is_dir()] if place.is_dir() else []


def _team(path: Path, truth: dict[str, CommandFile], settings: SharedTask) -> dict[str, Any]:
    answers = _read(path)
    scores = score_commands(truth, answers, settings.mode)
    data = sha256(
        "".join(file.read_text("utf-8", "replace") for file in command_files(path).values()).encode()
    )
    corpus = corpus_figures(scores, seed=settings.seed, data=data.hexdigest()[:8])
    return {
        "team": path.name,
        "missing_speakers": scores.missing_speakers,
        "problems": [str(problem) for file in answers.values() for problem in file.problems],
        **{name: corpus[name] for name in ("corpus", "intervals", "counts", "speakers", "signature")},
    }


def _read(path: Path) -> dict[str, CommandFile]:
    return {speaker: read_command_file(file) for speaker, file in command_files(path).items()}


def export_all(folder: Path, into: Path, standing: dict[str, Any]) -> list[str]:
    """Write the whole shared task as one archive, once it is over."""
    files = {
        f"{name}/{path.relative_to(folder / name)}": path.read_bytes()
        for name in (TEST, REFERENCE, ANSWERS)
        for path in sorted((folder / name).rglob("*"))
        if path.is_file()
    }
    files[SHARED_FILE] = (folder / SHARED_FILE).read_bytes()
    files["standings.json"] = (json.dumps(standing, indent=1, ensure_ascii=False) + "\n").encode()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(f"{standing['name']}/{name}", (1980, 1, 1, 0, 0, 0)), content)
    return list(files)
