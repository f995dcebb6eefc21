"""Manners: how much is said at a time, the part of a search bot that can be learnt.

offer   brief: name and kind; plain: what was asked for, too; rich: phone and address, too
answer  plain: what was asked; rich: all that people ask for
ask     plain: the question; echo: what was understood so far, then the question
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from vivavoce_bots.engine.bot_file import BOTS

MANNERS: Final = {"offer": ("plain", "brief", "rich"), "answer": ("plain", "rich"), "ask": ("plain", "echo")}
POLICY: Final = BOTS.parent / "data" / "restaurant-generation.json"
_CLEAR, _FAIR = 0.5, 0.35


class Chooser(Protocol):
    """Chooses a manner for a situation such as `offer poor sure`."""

    def choose(self, situation: str, manners: Sequence[str]) -> str: ...


@dataclass
class Heard:
    """Mean score of what the user said, and the manners that were chosen."""

    total: float = 0.0
    turns: int = 0
    chosen: list[tuple[str, str]] = field(default_factory=list)

    def add(self, score: float) -> None:
        self.total, self.turns = self.total + score, self.turns + 1

    def grade(self) -> str:
        mean = self.total / self.turns if self.turns else 1.0
        return "clear" if mean >= _CLEAR else "fair" if mean >= _FAIR else "poor"

    def choose(self, chooser: Chooser, kind: str, sure: bool) -> str:
        situation = f"{kind} {self.grade()} {'sure' if sure else 'unsure'}"
        manner = chooser.choose(situation, MANNERS[kind])
        self.chosen.append((situation, manner))
        return manner


class Plain:
    """Always the first manner."""

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        return manners[0]


class Learnt:
    """Manner of the highest learnt value; the first one in a situation that was never met."""

    def __init__(self, values: Mapping[str, Mapping[str, float]]) -> None:
        self.values = values

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        values = self.values.get(situation, {})
        return max(manners, key=lambda manner: values.get(manner, float("-inf"))) if values else manners[0]

    @classmethod
    def shipped(cls) -> "Learnt":
        """Policy of the package; its file names the command that learnt it."""
        policy = json.loads(POLICY.read_text(encoding="utf-8"))["policy"]
        return cls(
            {
                key: {manner: entry["value"] for manner, entry in values.items()}
                for key, values in policy.items()
            }
        )


class Exploring:
    """Learns by trying: mostly the best manner so far, else any; a value is a mean reward of dialogues."""

    def __init__(self, seed: int, exploration: float = 0.2) -> None:
        self.random, self.exploration = Random(f"exploring:{seed}"), exploration
        self.means: dict[str, dict[str, tuple[float, int]]] = {}

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        means = self.means.get(situation, {})
        untried = [manner for manner in manners if manner not in means]
        if untried:
            return untried[0]
        if self.random.random() < self.exploration:
            return self.random.choice(list(manners))
        return max(manners, key=lambda manner: means[manner][0])

    def learn(self, chosen: Sequence[tuple[str, str]], reward: float) -> None:
        """Credit every choice of a dialogue with its reward, once."""
        for situation, manner in dict.fromkeys(chosen):
            means = self.means.setdefault(situation, {})
            mean, count = means.get(manner, (0.0, 0))
            means[manner] = mean + (reward - mean) / (count + 1), count + 1

    def policy(self) -> dict[str, Any]:
        """Values and how often each was tried, for the policy's file."""
        return {
            situation: {
                manner: {"value": round(mean, 3), "tried": count} for manner, (mean, count) in means.items()
            }
            for situation, means in sorted(self.means.items())
        }
