"""The systems by name; how one is trained, kept, loaded and asked."""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

import importlib
import json
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import install_command
from vivavoce.core.result import installed_version
from vivavoce_commands.learning.encoders import load_encoder
from vivavoce_commands.learning.examples import Recipe
from vivavoce_commands.learning.system import Answer

ROOM: Final = "vivavoce_commands.learning"
SYSTEMS: Final = {
    "majority": ("majority", "Majority", "the most frequent annotation"),
    "a": ("memory", "MemoryCopy", "memory of the recipe's commands, copying decoder"),
    "b": ("convolution", "Convolution", "convolutions; data augmented with neighbours and synonyms"),
    "c": ("hierarchy", "Hierarchy", "two recurrent layers, several heads, predicate autoencoder"),
    "d": ("pointing", "Pointing", "pointing decoder limited to valid predicates"),
}
ENCODED: Final = "d"
FACTS: Final = "system.json"
STATE: Final = "weights.pt"
HELD_OUT: Final = 9
INSTALL: Final = install_command("learn")
PROCESSORS: Final = "https://download.pytorch.org/whl/cpu"


class Trained(NamedTuple):
    """A system that has learnt, and what its training was."""

    system: Any
    facts: dict[str, Any]


def make_system(name: str, facts: dict[str, Any] | None = None) -> Any:
    """A system by name.

    Raises  UnknownName; InputError where PyTorch is needed and absent
    """
    if name not in SYSTEMS:
        raise UnknownName("system", name, list(SYSTEMS), place="--system")
    module, kind, _ = SYSTEMS[name]
    try:
        return getattr(importlib.import_module(f"{ROOM}.{module}"), kind)(facts)
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise InputError(f"system {name!r} needs PyTorch", hint=how_to_install()) from None


def how_to_install() -> str:
    """The commands that bring PyTorch's build for processors, which is enough.

    Note  for Linux on x86-64 the registry has the build for graphics cards alone, of gigabytes
    """
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return INSTALL
    return f"pip install torch --index-url {PROCESSORS} && {INSTALL}"


def train(
    name: str,
    recipes: Sequence[Recipe],
    *,
    seed: int = 1,
    epochs: int | None = None,
    progress: Any = None,
    folder: Path | None = None,
    encoder: str | None = None,
) -> Trained:
    """Train a system; every ninth speaker is held out for stopping.

    Input   annotated recipes of at least two speakers, or of one whose recipes are then split;
            a folder for checkpoints, from which an interrupted training of the same data goes on;
            an encoder of the user's, `package.module:function`, which system d reads beside the words
    Output  the system and its facts: seed, epochs, seconds, speakers
    Raises  InputError: fewer than two recipes; an encoder that does not work, or for another system
    """
    if encoder is not None and name != ENCODED:
        raise InputError(
            f"system {name!r} does not use an encoder", place="--encoder", hint=f"train {ENCODED}"
        )
    validation = held_out(recipes)
    training = [recipe for recipe in recipes if recipe not in validation]
    system = make_system(name)
    if encoder is not None:
        system.encoder = load_encoder(encoder)
    more: dict[str, Any] = {}
    if name != "majority":
        from vivavoce_commands.learning.checkpoints import Checkpoints
        from vivavoce_commands.learning.training import schedule_for

        schedule = schedule_for(sum(len(recipe.commands) for recipe in training), epochs)
        what = f"{name} {seed} {schedule} {_fingerprint(recipes)} {installed_version()}{encoder or ''}"
        more |= {"schedule": schedule, "checkpoints": Checkpoints(folder, what)}
    done = system.fit(training, validation, seed=seed, progress=progress, **more)
    facts = {
        "system": name,
        "seed": seed,
        "training": asdict(done) if done else {"seconds": 0.0},
        "recipes": len(training),
        "speakers": len({recipe.speaker for recipe in training}),
        "vivavoce": installed_version(),
    }
    return Trained(system, facts)


def _fingerprint(recipes: Sequence[Recipe]) -> str:
    """Fingerprint of this training data."""
    return sha256(repr(list(recipes)).encode()).hexdigest()[:16]


def held_out(recipes: Sequence[Recipe]) -> list[Recipe]:
    """The recipes of every ninth speaker; of every ninth recipe where there is one speaker."""
    if len(recipes) < 2:
        raise InputError(
            "one recipe is not enough for training", hint="add annotated commands of more recipes"
        )
    speakers = sorted({recipe.speaker for recipe in recipes})
    if len(speakers) == 1:
        return list(recipes[::HELD_OUT])
    chosen = set(speakers[::HELD_OUT])
    return [recipe for recipe in recipes if recipe.speaker in chosen]


def save(trained: Trained, folder: Path) -> None:
    """Keep a system in a folder: its facts as JSON, its weights beside them; checkpoints go."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {**trained.facts, "knows": trained.system.facts}
    if trained.system.network is not None:
        import torch

        from vivavoce_commands.learning.checkpoints import Checkpoints

        torch.save(trained.system.network.state_dict(), folder / STATE)
        Checkpoints(folder).remove()
    (folder / FACTS).write_text(json.dumps(facts, ensure_ascii=False, indent=1), encoding="utf-8")


def load(folder: Path) -> Trained:
    """A system from its folder.

    Raises  InputError: no system there
    """
    path = folder / FACTS
    if not path.is_file():
        raise InputError(
            "no trained system in this folder",
            place=str(folder),
            hint="train one with `vivavoce understand train`",
        )
    facts = json.loads(path.read_text(encoding="utf-8"))
    system = make_system(facts["system"], facts.pop("knows"))
    if (folder / STATE).is_file():
        import torch

        system.load(torch.load(folder / STATE, weights_only=True, map_location="cpu"))
    return Trained(system, facts)


def answer(trained: Trained, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
    """Answers to every command of every recipe, in order."""
    return trained.system.predict(recipes, repeat_below=repeat_below)
