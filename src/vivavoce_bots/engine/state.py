"""State of one conversation and draft of one system turn."""

from dataclasses import dataclass, field
from typing import Any

from vivavoce_bots.engine.commands import Act, Command, Item, Reply


@dataclass(frozen=True)
class Question:
    """Open question: its kind (slot, value, choice, quantity, task, approve, ...) and what it is about."""

    kind: str
    slot: str = ""
    value: Any = None


@dataclass
class State:
    """State of one conversation."""

    task: str = ""
    frame: dict[str, Any] = field(default_factory=dict)
    denied: dict[str, set[Any]] = field(default_factory=dict)
    waiting: list[tuple[Command, ...]] = field(default_factory=list)  # frames of the sentence still to do
    question: Question | None = None
    answered: str = ""  # slot whose question was answered last
    alternatives: tuple[str, list[Any]] = ("", [])  # values of a slot of which one is meant
    asked: int = 0  # times that lasting slots were asked for in vain
    interrupted: Question | None = None  # by the offer to start again
    approved: bool = False
    misunderstood: int = 0
    times_asked: int = 0
    turns: int = 0
    done: bool = False
    called: dict[str, str] = field(default_factory=dict)  # the user's words for things
    last_reply: Reply | None = None
    memory: dict[str, Any] = field(default_factory=dict)
    unknown: list[tuple[str, Item]] = field(default_factory=list)  # slot and item of each unknown name
    history: list[dict[str, Any]] = field(default_factory=list)  # memory before each call that changed it
    closed: tuple[str, dict[str, Any]] = ("", {})  # task and frame of the last call
    recent: dict[str, Any] = field(default_factory=dict)  # last value of each slot, the latest at the end


@dataclass
class Turn:
    """Sentences and acts of the system turn that is being built."""

    state: State
    sentences: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    end: bool = False
    leaving: bool = False  # the user says goodbye besides something else
    added: list[Item] = field(default_factory=list)  # to lists
    removed: list[Item] = field(default_factory=list)
    doubted: Item | None = None  # whose quantity was asked for, denied together with something else

    def say(self, sentence: str, *acts: Act) -> None:
        if sentence:
            self.sentences.append(sentence[:1].upper() + sentence[1:])
        self.acts.extend(acts)
