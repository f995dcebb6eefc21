"""The page on which a recording of all responses is cut: where each begins and ends."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from vivavoce.audio.files import as_float, read_sound
from vivavoce.log.stimulus_events import LoggedSegment, WholeRecorded
from vivavoce.steps.stimulus import Rejected
from vivavoce.trial.response_sound import BAD_BORDERS

PEAKS: Final = 600


def cutting_facts(
    whole: WholeRecorded, path: Path, stimuli: int, entered: Mapping[str, str] | None
) -> dict[str, Any]:
    """Variables of the page: the recording's outline and length, and the borders of each stimulus.

    path     where the recording can be read; stimuli: maximum number of pieces
    entered  rejected borders; None: those that voice activity proposes
    """
    sound = read_sound(path)
    proposed = [*whole.proposed, *[None] * stimuli][:stimuli]
    return {
        "borders": proposed if entered is None else _shown_again(entered, proposed),
        "recording": whole.recording_id, "duration": math.floor(100 * sound.duration_s) / 100,
        "outline": outline(np.abs(as_float(sound.samples))), "found": len(whole.proposed),
    }  # fmt: skip


def _shown_again(
    entered: Mapping[str, str], proposed: list[LoggedSegment | None]
) -> list[LoggedSegment | None]:
    try:
        return borders_of(entered, len(proposed))
    except Rejected:
        return proposed


def outline(loudness: Any) -> str:
    """The points of a waveform, 0..1000 to the right and 0..100 down, for an SVG polygon."""
    peaks = [float(part.max()) if len(part) else 0.0 for part in np.array_split(loudness, PEAKS)]
    loudest = max(*peaks, 0.02)
    across = [1000 * place / (PEAKS - 1) for place in range(PEAKS)]
    up = [f"{x:.1f},{50 - 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    down = [f"{x:.1f},{50 + 48 * peak / loudest:.1f}" for x, peak in zip(across, peaks, strict=True)]
    return " ".join([*up, *reversed(down)])


def borders_of(entered: Mapping[str, str], stimuli: int) -> list[LoggedSegment | None]:
    """The borders in a form, one piece a stimulus; None where nothing was said.

    Raises  Rejected: something is no number
    """
    return [_segment(entered, position) for position in range(stimuli)]


def _segment(entered: Mapping[str, str], position: int) -> LoggedSegment | None:
    if entered.get(f"absent-{position}"):
        return None
    try:
        onset, offset = (float(entered.get(f"{name}-{position}", "")) for name in ("onset", "offset"))
    except ValueError:
        raise Rejected(BAD_BORDERS) from None
    return LoggedSegment(onset_s=onset, offset_s=offset)
