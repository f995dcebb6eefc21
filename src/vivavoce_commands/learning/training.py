"""Training of a network: epochs, early stopping, and the best state kept."""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, TypeVar

import torch
from torch import Tensor, nn

from vivavoce_commands.learning.checkpoints import Checkpoint

Item = TypeVar("Item")
Progress = Callable[[int, int], None]
CLIP: Final = 5.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """Length and speed of training; stops after `patience` epochs without improvement."""

    epochs: int = 40
    batch: int = 32
    rate: float = 2e-3
    patience: int = 6


FEW: Final = 500


def schedule_for(commands: int, epochs: int | None = None) -> Schedule:
    """Schedule for this number of commands: few are seen more often, in smaller batches."""
    usual = Schedule(epochs=100, batch=8, patience=15) if commands < FEW else Schedule()
    return usual if epochs is None else replace(usual, epochs=epochs)


@dataclass(frozen=True, slots=True)
class Training:
    """Summary of a training."""

    epochs: int
    best_epoch: int
    seconds: float
    validation_loss: float

    def behind(self, before: "Training | None") -> "Training":
        """This training with the seconds of what was learnt before it."""
        return self if before is None else replace(self, seconds=self.seconds + before.seconds)


def device() -> torch.device:
    """An accelerator where there is one; never needed."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def fit(
    network: nn.Module,
    items: Sequence[Item],
    held_out: Sequence[Item],
    loss: Callable[[list[Item], Random | None], Tensor],
    schedule: Schedule,
    *,
    seed: int,
    progress: Progress | None = None,
    checkpoint: Checkpoint | None = None,
) -> Training:
    """Train a network and leave it in its best state.

    Input   `loss(items, chance)`: mean loss of a batch; chance None where nothing may be varied
    Output  epochs run, the best one by the loss on what was held out, and seconds
    Note    goes on behind the checkpoint's epoch, and comes to what an uninterrupted training comes to
    """
    started_at, chance = time.perf_counter(), Random(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=schedule.rate)
    at = _Standing(copy.deepcopy(network.state_dict()))
    if checkpoint is not None and (saved := checkpoint.read()) is not None:
        at = _taken_up(saved, network, optimiser, chance)
        started_at -= at.seconds
    while at.epoch < schedule.epochs and at.epoch - at.best_epoch < schedule.patience:
        at.epoch += 1
        _epoch(network, optimiser, items, loss, schedule.batch, chance)
        now = evaluate(network, held_out, loss, schedule.batch)
        if now < at.best - 1e-4:
            at.best, at.best_epoch, at.state = now, at.epoch, copy.deepcopy(network.state_dict())
        if checkpoint is not None:
            at.seconds = time.perf_counter() - started_at
            checkpoint.keep(_kept(at, network, optimiser, chance))
        if progress is not None:
            progress(at.epoch, schedule.epochs)
    network.load_state_dict(at.state)
    network.eval()
    return Training(at.epoch, at.best_epoch, time.perf_counter() - started_at, at.best)


@dataclass(slots=True)
class _Standing:
    """State of a training: best parameters so far with epoch and loss, and the current epoch."""

    state: dict[str, Tensor]
    epoch: int = 0
    best_epoch: int = 0
    best: float = float("inf")
    seconds: float = 0.0


def _epoch(
    network: nn.Module,
    optimiser: torch.optim.Optimizer,
    items: Sequence[Item],
    loss: Callable[[list[Item], Random | None], Tensor],
    batch: int,
    chance: Random,
) -> None:
    network.train()
    order = list(items)
    chance.shuffle(order)
    for start in range(0, len(order), batch):
        value = loss(order[start : start + batch], chance)
        optimiser.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(network.parameters(), CLIP)
        optimiser.step()


def _kept(
    at: _Standing, network: nn.Module, optimiser: torch.optim.Optimizer, chance: Random
) -> dict[str, Any]:
    """Everything that the next epoch depends on, both sources of chance included."""
    version, numbers, gauss = chance.getstate()
    return {
        "best": at.state,
        "epoch": at.epoch,
        "best_epoch": at.best_epoch,
        "loss": at.best,
        "seconds": at.seconds,
        "network": network.state_dict(),
        "optimiser": optimiser.state_dict(),
        "chance": [version, list(numbers), gauss],
        "torch": torch.get_rng_state(),
    }


def _taken_up(
    saved: dict[str, Any], network: nn.Module, optimiser: torch.optim.Optimizer, chance: Random
) -> _Standing:
    network.load_state_dict(saved["network"])
    optimiser.load_state_dict(saved["optimiser"])
    version, numbers, gauss = saved["chance"]
    chance.setstate((version, tuple(numbers), gauss))
    torch.set_rng_state(saved["torch"])
    return _Standing(saved["best"], saved["epoch"], saved["best_epoch"], saved["loss"], saved["seconds"])


@torch.no_grad()
def evaluate(
    network: nn.Module,
    items: Sequence[Item],
    loss: Callable[[list[Item], Random | None], Tensor],
    batch: int,
) -> float:
    """The mean loss, batch by batch."""
    network.eval()
    total = 0.0
    for start in range(0, len(items), batch):
        part = list(items[start : start + batch])
        total += float(loss(part, None)) * len(part)
    return total / max(1, len(items))


def padded(rows: Sequence[Sequence[Any]], filler: int = 0) -> Tensor:
    """Rows of different lengths as one tensor (rows, longest)."""
    width = max(map(len, rows), default=1)
    return torch.tensor([[*row, *[filler] * (width - len(row))] for row in rows], device=device())
