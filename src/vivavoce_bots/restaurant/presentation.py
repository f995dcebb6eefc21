"""How much is said at a time: the part of generation that can be learnt.

A turn that offers, answers or asks can be told in several ways; which pays depends on how well the user is
heard. A `Chooser` picks a manner for a situation: always the plain one, or what a policy has learnt.

offer   brief: the name and the kind; plain: what was asked for, too; rich: phone and address, too
answer  plain: what was asked; rich: all that one asks of a venue
ask     plain: the question; echo: what was understood so far, then the question
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import Any, Final, Protocol

from vivavoce_bots.acts import DONTCARE, Act, stating
from vivavoce_bots.dialogue.domain import NAME, TYPE, Domain

MANNERS: Final = {
    "offer": ("plain", "brief", "rich"),
    "answer": ("plain", "rich"),
    "ask": ("plain", "echo"),
}
POLICY_FILE: Final = "restaurant-generation.json"
_ANTICIPATED: Final = 2
_CLEAR, _FAIR = 0.5, 0.35


@dataclass
class Heard:
    """How well this user has been heard so far."""

    total: float = 0.0
    turns: int = 0
    chosen: list[tuple[str, str]] = field(default_factory=list)

    def add(self, score: float) -> None:
        self.total, self.turns = self.total + score, self.turns + 1

    def grade(self) -> str:
        mean = self.total / self.turns if self.turns else 1.0
        return "clear" if mean >= _CLEAR else "fair" if mean >= _FAIR else "poor"


class Chooser(Protocol):
    """Picks one of the manners for a situation such as `offer poor sure`."""

    def choose(self, situation: str, manners: Sequence[str]) -> str: ...


class Plain:
    """Always the first manner: templates as they stand."""

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        return manners[0]


class Learnt:
    """The manner of the highest learnt value; situations never met are told plainly."""

    def __init__(self, values: Mapping[str, Mapping[str, float]]) -> None:
        self._values = values

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        known = self._values.get(situation, {})
        return max(manners, key=lambda manner: known.get(manner, float("-inf"))) if known else manners[0]

    @classmethod
    def shipped(cls) -> "Learnt":
        """The policy of this package; its file names the command that learnt it."""
        return cls(read_policy(files("vivavoce_bots").joinpath("data", POLICY_FILE).read_text("utf-8")))


class Exploring:
    """Learns by trying: mostly the best manner so far, else any; a value is a mean reward of dialogues."""

    def __init__(self, seed: int, exploration: float = 0.2) -> None:
        self._random, self._exploration = Random(f"exploring:{seed}"), exploration
        self.means: dict[str, dict[str, tuple[float, int]]] = {}

    def choose(self, situation: str, manners: Sequence[str]) -> str:
        known = self.means.get(situation, {})
        untried = [manner for manner in manners if manner not in known]
        if untried:
            return untried[0]
        if self._random.random() < self._exploration:
            return self._random.choice(list(manners))
        return max(manners, key=lambda manner: known[manner][0])

    def learn(self, chosen: Sequence[tuple[str, str]], reward: float) -> None:
        """Every choice of a dialogue is credited with its reward, once."""
        for situation, manner in dict.fromkeys(chosen):
            mean, count = self.means.setdefault(situation, {}).get(manner, (0.0, 0))
            self.means[situation][manner] = mean + (reward - mean) / (count + 1), count + 1

    def policy(self) -> dict[str, Any]:
        """Values and how often each was tried, for the policy's file."""
        return {
            situation: {
                manner: {"value": round(mean, 3), "tried": count} for manner, (mean, count) in known.items()
            }
            for situation, known in sorted(self.means.items())
        }


def read_policy(text: str) -> dict[str, dict[str, float]]:
    """The values of a policy file."""
    situations = json.loads(text)["policy"]
    return {
        situation: {manner: float(one["value"]) for manner, one in known.items()}
        for situation, known in situations.items()
    }


def presented(
    domain: Domain,
    acts: tuple[Act, ...],
    constraints: Mapping[str, str],
    sure: bool,
    heard: Heard,
    chooser: Chooser,
) -> tuple[Act, ...]:
    """The acts in the manner that the chooser picks; acts that leave no choice stay as they are."""
    kind = _kind(acts)
    if kind is None:
        return acts
    situation = f"{kind} {heard.grade()} {'sure' if sure else 'unsure'}"
    manner = chooser.choose(situation, MANNERS[kind])
    heard.chosen.append((situation, manner))
    if manner == "brief":
        return tuple(act for act in acts if act.act != "inform" or _is_kept(domain, act))
    if manner == "rich":
        return _rich(domain, acts, most=_ANTICIPATED if kind == "offer" else len(domain.slots))
    if manner == "echo":
        real = [stating("inform", slot, value) for slot, value in constraints.items() if value != DONTCARE]
        return (*real, *acts)
    return acts


def _kind(acts: Sequence[Act]) -> str | None:
    kinds = {act.act for act in acts}
    if kinds & {"ack", "help"}:
        return None
    if "offer" in kinds:
        return "offer"
    if any(act.act == "inform" and act.slot == NAME for act in acts):
        return "answer"
    return "ask" if "request" in kinds else None


def _is_kept(domain: Domain, act: Act) -> bool:
    """What even a brief offer tells: the kind, and what was asked."""
    known = domain.slots.get(act.slot or "")
    return act.slot == TYPE or (known is not None and known.requestable and not known.constraint)


def _rich(domain: Domain, acts: tuple[Act, ...], most: int) -> tuple[Act, ...]:
    name = next((act.value for act in acts if act.slot == NAME and act.act in ("offer", "inform")), None)
    venue, told = domain.venue(name), {act.slot for act in acts}
    if venue is None:
        return acts
    open_slots = [slot.name for slot in domain.slots.values() if slot.requestable and not slot.constraint]
    order = sorted(open_slots, key=lambda slot: slot not in ("phone", "address"))
    more = [stating("inform", slot, venue.slots[slot]) for slot in order if slot in venue.slots]
    more = [act for act in more if act.slot not in told][:most]
    ending = tuple(act for act in acts if act.act == "reqmore")
    return (*(act for act in acts if act.act != "reqmore"), *more, *ending)
