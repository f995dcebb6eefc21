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

Item = TypeVar("Item")
Progress = Callable[[int, int], None]
CLIP: Final = 5.0


@dataclass(frozen=True, slots=True)
class Schedule:
    """How long and how fast to train; stops when `patience` epochs bring nothing better."""

    epochs: int = 40
    batch: int = 32
    rate: float = 2e-3
    patience: int = 6


FEW: Final = 500


def schedule_for(commands: int, epochs: int | None = None) -> Schedule:
    """What suits so many commands: few of them are seen more often, in smaller batches."""
    usual = Schedule(epochs=100, batch=8, patience=15) if commands < FEW else Schedule()
    return usual if epochs is None else replace(usual, epochs=epochs)


@dataclass(frozen=True, slots=True)
class Training:
    """What training did."""

    epochs: int
    best_epoch: int
    seconds: float
    validation_loss: float


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
) -> Training:
    """Train a network and leave it in its best state.

    Input   `loss(items, chance)`: mean loss of a batch; chance None where nothing may be varied
    Output  epochs run, the best one by the loss on what was held out, and seconds
    """
    begun, chance = time.perf_counter(), Random(seed)
    optimiser = torch.optim.Adam(network.parameters(), lr=schedule.rate)
    best, best_epoch, state = float("inf"), 0, copy.deepcopy(network.state_dict())
    epoch = 0
    for epoch in range(1, schedule.epochs + 1):
        network.train()
        order = list(items)
        chance.shuffle(order)
        for start in range(0, len(order), schedule.batch):
            value = loss(order[start : start + schedule.batch], chance)
            optimiser.zero_grad()
            value.backward()
            nn.utils.clip_grad_norm_(network.parameters(), CLIP)
            optimiser.step()
        now = evaluate(network, held_out, loss, schedule.batch)
        if now < best - 1e-4:
            best, best_epoch, state = now, epoch, copy.deepcopy(network.state_dict())
        if progress is not None:
            progress(epoch, schedule.epochs)
        if epoch - best_epoch >= schedule.patience:
            break
    network.load_state_dict(state)
    network.eval()
    return Training(epoch, best_epoch, time.perf_counter() - begun, best)


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
