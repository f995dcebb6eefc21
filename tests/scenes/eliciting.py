"""A study in which a robot is commanded, and sounds for a microphone that is none."""

import array
import io
import math
import wave
from pathlib import Path

from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.trial.engine import SessionEngine

FRAME = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><rect width="30" height="9"/></svg>'
STIMULI = """
recipes:
  - recipe: tea
    title: {en: A cup of tea, it: Una tazza di tè}
    frames:
      - {id: fill, file: frame.svg, shows: {en: A kettle under a tap., it: Un bollitore sotto il rubinetto.},
         say: {en: [fill the kettle, put water in], it: [riempi il bollitore]}}
      - {id: boil, file: frame.svg, shows: {en: A kettle with steam., it: Un bollitore fumante.},
         say: {en: [boil the water], it: [fai bollire]}}
      - {id: pour, text: {en: The cup is empty., it: La tazza è vuota.},
         say: {en: [fill the cup], it: [riempi la tazza]}}
"""


def commanding_study(folder: Path, **settings: object) -> Study:
    """Three stimuli: two pictures and one in words."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "frame.svg").write_text(FRAME, encoding="utf-8")
    (folder / "stimuli.yaml").write_text(STIMULI, encoding="utf-8")
    chosen = {"stimuli": "stimuli.yaml"} | settings
    written = "\n".join(f"      {key}: {str(value).lower()}" for key, value in chosen.items())
    (folder / "study.yaml").write_text(
        f"study: tea\nlanguages: [en, it]\nvisit:\n  - elicit:\n{written}\n", encoding="utf-8"
    )
    return load_study(folder)


async def typed(
    engine: SessionEngine, visit_id: str, *, position: int, key: str, text: str, pointed: str = ""
) -> int:
    """Give a command in writing, as the page does."""
    state = await engine.state(visit_id)
    response = state.asking.read(state.presented(position), {"text": text, "pointed": pointed})
    return await engine.forms.respond(visit_id, step=0, position=position, key=key, response=response)


def wav(seconds: float, rate: int = 16_000, channels: int = 1) -> bytes:
    """A tone."""
    frames = round(seconds * rate)
    tone = (
        round(9000 * math.sin(2 * math.pi * 440 * n / rate)) for n in range(frames) for _ in range(channels)
    )
    return packed(array.array("h", tone), rate, channels)


def beeps(at_s: list[float], total_s: float, rate: int = 48_000, length_s: float = 0.2) -> bytes:
    """Short tones that begin at these times, and silence elsewhere."""
    sound = array.array("h", bytes(2 * round(total_s * rate)))
    for begin in at_s:
        for n in range(round(length_s * rate)):
            sound[round(begin * rate) + n] = round(16_000 * math.sin(2 * math.pi * 1000 * n / rate))
    return packed(sound, rate)


def packed(sound: array.array, rate: int, channels: int = 1) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((channels, 2, rate, 0, "NONE", "not compressed"))
        writer.writeframes(sound.tobytes())
    return file.getvalue()


def onsets(audio: bytes, apart_s: float = 0.1) -> list[float]:
    """When tones begin in a recording of one channel, in seconds: the first loud frame after silence."""
    with wave.open(io.BytesIO(audio)) as file:
        rate, sound = file.getframerate(), array.array("h", file.readframes(file.getnframes()))
    found, last = [], -1e9
    for place, value in enumerate(sound):
        if abs(value) > 3000:
            if place - last > apart_s * rate:
                found.append(place / rate)
            last = place
    return found
