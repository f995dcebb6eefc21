"""Base of the systems with a network: learning from recipes, saving and loading, checkpoints."""

# PyTorch is an optional extra.
# pyright: reportMissingImports=false

from abc import ABC, abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn

from vivavoce.core.errors import InputError
from vivavoce_commands.learning.checkpoints import Checkpoints
from vivavoce_commands.learning.examples import Recipe
from vivavoce_commands.learning.system import Answer, answer_of, confident
from vivavoce_commands.learning.training import Progress, Schedule, Training, fit

Item = TypeVar("Item")
Network = TypeVar("Network", bound=nn.Module)
Written = tuple[list[str], list[float]]


class Learner(ABC, Generic[Item, Network]):
    """A system with a network; a subclass says what it learns from, what it is built of, and what it answers.

    facts  what `build` needs besides the weights: vocabularies and the like, as JSON
    """

    name: ClassVar[str]

    def __init__(self, facts: dict[str, Any] | None = None) -> None:
        self.facts: dict[str, Any] = facts or {}
        self.network: Network | None = None

    @property
    def net(self) -> Network:
        assert self.network is not None  # built by fit or load
        return self.network

    def fit(
        self,
        training: Sequence[Recipe],
        held_out: Sequence[Recipe],
        *,
        seed: int,
        schedule: Schedule | None = None,
        progress: Progress | None = None,
        checkpoints: Checkpoints | None = None,
    ) -> Training:
        """Learn from annotated recipes; stop by what was held out.

        Note  with checkpoints an interrupted training goes on, and comes to the same system
        """
        schedule, checkpoints = schedule or Schedule(), checkpoints or Checkpoints(None)
        torch.manual_seed(seed)
        items, held_out_items = self.learn_from(training, seed), self.read(held_out)
        self.build()
        before = self.prepare(training, held_out, seed, schedule, progress, checkpoints)
        done = fit(
            self.net,
            items,
            held_out_items,
            self.loss,
            self.pace(schedule),
            seed=seed,
            progress=progress,
            checkpoint=checkpoints.of("network"),
        )
        return done.behind(before)

    @abstractmethod
    def read(self, recipes: Sequence[Recipe]) -> Sequence[Item]:
        """Recipes as the items of a batch."""

    @abstractmethod
    def learn_from(self, training: Sequence[Recipe], seed: int) -> Sequence[Item]:
        """The items of training; sets the facts."""

    @abstractmethod
    def build(self) -> None:
        """Make what the facts describe: vocabularies, and the network with random weights."""

    @abstractmethod
    def loss(self, items: list[Item], chance: Random | None) -> Tensor:
        """The mean loss of a batch; chance None where nothing may be varied."""

    @abstractmethod
    def predict(self, recipes: Sequence[Recipe], *, repeat_below: float = 0.0) -> list[list[Answer]]:
        """The answers to every command of every recipe."""

    def prepare(
        self,
        training: Sequence[Recipe],
        held_out: Sequence[Recipe],
        seed: int,
        schedule: Schedule,
        progress: Progress | None,
        checkpoints: Checkpoints,
    ) -> Training | None:
        """State to learn before the network itself; None without any."""

    def pace(self, schedule: Schedule) -> Schedule:
        """The schedule for items of this system's size."""
        return schedule

    def load(self, state: dict[str, Tensor]) -> None:
        """Weights that were kept, into what the facts describe.

        Raises  InputError: they are those of another network
        """
        self.build()
        try:
            self.net.load_state_dict(state)
        except RuntimeError:
            problem = f"system {self.name!r} was trained by another version with a different network"
            raise InputError(problem, hint="train it again with `vivavoce understand train`") from None
        self.net.eval()


def told(written: Written, repeat_below: float) -> Answer:
    """The answer that tokens with their chances mean, `#` where they are too unlikely."""
    tokens, chances = written
    return answer_of(tokens, confident(tokens, chances, repeat_below), chances)
