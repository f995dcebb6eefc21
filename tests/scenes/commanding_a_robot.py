"""Speakers of the generated kitchen who command the same recipes, so that they can come to a served study.

What they say, and what it means, is the grammar's; what they go through is what people would.
"""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

from ruamel.yaml import YAML

from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study
from vivavoce_commands.kitchen.lexicon import read_lexicon
from vivavoce_commands.kitchen.recipes import Step, make_recipe
from vivavoce_commands.kitchen.speaking import Speaker, SpokenCommand, make_habits

TOGETHER = 4  # every so many frames two steps are seen at once
MOST_FRAMES = 8


class Frames(NamedTuple):
    """The recipes as frames, each with what is to be done, and what every speaker says to them."""

    recipes: list[list[list[Step]]]
    said: list[list[SpokenCommand]]


def _frames(steps: list[Step]) -> list[list[Step]]:
    found: list[list[Step]] = []
    for step in steps:
        if found and len(found) % TOGETHER == 0 and len(found[-1]) == 1:
            found[-1].append(step)
        else:
            found.append([step])
    return found


def speakers_and_frames(language: str, *, speakers: int, recipes: int, seed: int) -> Frames:
    """Speakers with habits of their own; half of what the recipes need never occurs in training."""
    lexicon, chance = read_lexicon(language), Random(seed)
    frames = [_frames(make_recipe(lexicon, chance, unseen=True))[:MOST_FRAMES] for _ in range(recipes)]
    said = []
    for _ in range(speakers):
        speaker = Speaker(lexicon, replace(make_habits(lexicon, chance), joining=0), chance)
        said.append([command for recipe in frames for command in speaker.frames(recipe)])
    return Frames(frames, said)


def commanded_study(folder: Path, frames: Frames, language: str) -> Study:
    """The protocol of the paper with these recipes, typed, and its commands annotated by two."""
    write_study(folder, "sugar-2018", name="robot")
    file = folder / "study.yaml"
    text = file.read_text("utf-8").replace("by: speech", "by: text")
    file.write_text(
        f"{text}\nannotation:\n  commands: {{templates: kitchen-{language}}}\n  double: 1\n", encoding="utf-8"
    )
    words = {one: f"Frame {{}} of recipe {{}} ({one})" for one in ("en", "it")}
    recipes = [
        {
            "recipe": f"recipe-{at + 1}",
            "title": dict.fromkeys(words, f"Recipe {at + 1}"),
            "frames": [
                {
                    "id": f"frame-{number + 1}",
                    "text": {one: text.format(number + 1, at + 1) for one, text in words.items()},
                }
                for number in range(len(recipe))
            ],
        }
        for at, recipe in enumerate(frames.recipes)
    ]
    YAML(typ="safe").dump({"recipes": recipes}, folder / "stimuli.yaml")
    return load_study(file)
