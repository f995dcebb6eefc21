"""Training checkpoints, saved after every epoch, so that interrupted training can resume."""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from pathlib import Path
from typing import Any, Final

import torch

FOLDER: Final = "checkpoints"


class Checkpoint:
    """One file; whatever was kept for another training is no checkpoint of this one."""

    def __init__(self, path: Path, training: str) -> None:
        self.path, self.training = path, training

    def read(self) -> dict[str, Any] | None:
        """Return the checkpoint; None without one of this training."""
        if not self.path.is_file():
            return None
        state = torch.load(self.path, weights_only=True)
        return state if state.pop("training", None) == self.training else None

    def keep(self, state: dict[str, Any]) -> None:
        """Replace what was kept, whole or not at all."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        beside = self.path.with_suffix(".part")
        torch.save({**state, "training": self.training}, beside)
        beside.replace(self.path)


class Checkpoints:
    """The checkpoints of one training, in a folder; none of them where there is no folder.

    Input   training: what tells this training from others, such as its seed, schedule and data
    """

    def __init__(self, folder: Path | None, training: str = "") -> None:
        self.folder, self.training = folder, training

    def of(self, part: str) -> Checkpoint | None:
        if self.folder is None:
            return None
        return Checkpoint(self.folder / FOLDER / f"{part}.pt", self.training)

    def remove(self) -> None:
        """The training is over."""
        folder = self.folder / FOLDER if self.folder else None
        if folder is not None and folder.is_dir():
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
