"""Clips to listen to: the step `listen` as written, and its CSV file of short recordings."""

from collections import Counter
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.audio.files import SOUND_TYPES, probe_sound
from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import Problem
from vivavoce.steps.base import StepFiles
from vivavoce.study.csv_lines import csv_lines
from vivavoce.study.settings import Flag, Settings, Whole

COLUMNS: Final = ("audio", "condition", "pair")
LONGEST_S: Final = 60.0
Method = Literal["opinion", "pairs"]
Hearing = Literal["tones", "none"]


class ListenSettings(Settings):
    """Short clips, rated one at a time or compared in pairs, after complete playback."""

    shorthand = "clips"

    clips: str = Field(
        description="CSV file: audio, condition, and the pair of each clip if clips are paired"
    )
    audio: str = Field(description="folder of the clips, .wav or .flac")
    method: Method = Field(
        "opinion", description="opinion: rate one clip from 1 to 5; pairs: choose the better of two clips"
    )
    per_participant: Whole = Field(20, ge=1, le=500, description="clips or pairs per participant")
    ties: Flag = Field(True, description="allow `no difference` between two clips")
    hearing: Hearing = Field(
        "tones",
        description=(
            "hearing check; tones: count short tones first, and exclude participants "
            "after three failures; or none"
        ),
    )
    seed: Whole = Field(
        1, ge=0, description=("random seed; the same seed gives each participant the same order")
    )


class Clip(BaseModel):
    """One clip.

    audio       file in the step's folder; it is the clip's key
    condition   what is compared, such as a codec or a voice
    pair        clips with the same pair are compared, one of each of two conditions
    """

    model_config = ConfigDict(frozen=True)

    audio: str
    condition: str
    pair: str | None = None
    duration_s: float


def clips_of(settings: ListenSettings, files: StepFiles) -> tuple[Clip, ...]:
    """The clips that a step plays; what is wrong with them is reported."""
    audio = files.folder / settings.audio
    if not audio.is_dir():
        files.report("audio", f"no folder {settings.audio!r}", "create it with the clips")
        return ()
    hint = "write a line for every clip: audio, condition"
    path = files.path(settings.clips, "clips", hint=hint, known_as=f"clips/{settings.clips}")
    if path is None:
        return ()
    clips, problems = read_clips(path, audio, settings.method)
    for problem in problems:
        files.report("", problem.problem, problem.hint, file=problem.place)
    for clip in clips if not problems else ():
        files.keep(audio / clip.audio, f"clip/{settings.audio}/{clip.audio}", "audio")
    return clips


def read_clips(path: Path, audio: Path, method: Method) -> tuple[tuple[Clip, ...], list[Problem]]:
    """The clips of a CSV file, and what is wrong with it."""
    read = csv_lines(path)
    if isinstance(read, Problem):
        return (), [read]
    names, lines = read
    missing = [name for name in COLUMNS[: 3 if method == "pairs" else 2] if name not in names]
    if missing:
        return (), [Problem(path.name, f"column {missing[0]!r} is missing", f"columns: {', '.join(COLUMNS)}")]
    clips: dict[str, Clip] = {}
    problems: list[Problem] = []
    for place, line in lines:
        cells = {name: (line.get(name) or "").strip() or None for name in COLUMNS}
        clip = _clip(cells, audio, set(clips))
        if isinstance(clip, Clip):
            clips[clip.audio] = clip
        else:
            problems.append(Problem(place, *clip))
    if not clips and not problems:
        problems.append(Problem(path.name, "contains no clips", "write a line for every clip"))
    if method == "pairs" and not problems:
        problems += _pair_problems(path.name, list(clips.values()))
    return tuple(clips.values()), problems


def _clip(cells: dict[str, str | None], audio: Path, earlier: set[str]) -> Clip | tuple[str, str]:
    """The clip of a line, or what is wrong with it and its hint."""
    name, condition = cells["audio"] or "", cells["condition"]
    path = audio / name
    if not name or path.suffix.lower() not in SOUND_TYPES:
        return f"{name!r} is not a clip", "name a .wav or .flac file"
    if path.resolve().parent != audio.resolve() or not path.is_file():
        return f"no file {name!r} in {audio.name}", "add the file, or remove the line"
    if name in earlier:
        return f"{name!r} is listed twice", "keep one of the lines"
    if condition is None:
        return f"{name!r} has no condition", "write the compared condition, such as the name of a voice"
    try:
        duration_s = probe_sound(path, place=name).duration_s
    except InputError as error:
        return f"{name!r} {error.problem}", error.hint
    if not 0 < duration_s <= LONGEST_S:
        return f"{name!r} lasts {duration_s:.0f} s", f"cut it to {LONGEST_S:.0f} s at most"
    return Clip(audio=name, condition=condition, pair=cells["pair"], duration_s=duration_s)


def _pair_problems(name: str, clips: list[Clip]) -> list[Problem]:
    members = Counter(clip.pair for clip in clips)
    kinds = Counter(pair for pair, _ in {(clip.pair, clip.condition) for clip in clips})
    return [
        Problem(
            name,
            f"pair {pair or ''!r} has {count} clips of {kinds[pair]} conditions",
            "give every pair two clips of two conditions",
        )
        for pair, count in members.items()
        if pair is None or count != 2 or kinds[pair] != 2
    ]
