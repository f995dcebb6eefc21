"""Work of an agent beside its turns, as events hold it, and its rows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict

from vivavoce.study.prices import Prices


class LoggedToolCall(BaseModel):
    """One call of a tool. Seconds count from the opening of the dialogue; null where nobody told them."""

    model_config = ConfigDict(frozen=True)
    name: str
    arguments: str | None = None
    result: str | None = None
    failed: bool | None = None
    error: str | None = None
    started_s: float | None = None
    duration_s: float | None = None


class LoggedUsage(BaseModel):
    """Usage of one model call."""

    model_config = ConfigDict(frozen=True)
    model: str | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


class LoggedRetrieval(BaseModel):
    """One document that was looked up; rank: 0-based, best first."""

    model_config = ConfigDict(frozen=True)
    rank: int
    document: str | None = None
    source: str | None = None
    query: str | None = None
    score: float | None = None


class AgentWork(BaseModel):
    """All that a system told of one turn; `tools` is null where it tells nothing of its tools."""

    model_config = ConfigDict(frozen=True)
    tools: list[LoggedToolCall] | None = None
    usage: list[LoggedUsage] = []
    retrievals: list[LoggedRetrieval] = []


@dataclass
class AgentRows:
    """The rows that the turns of one dialogue add to the tables of agents, in the order of the turns.

    all_told  whether every answer told its calls of tools; None before the first
    """

    dialogue_id: str
    prices: Prices | None = None
    all_told: bool | None = None
    tables: dict[str, list[dict[str, Any]]] = field(
        default_factory=lambda: {"tool_calls": [], "usage": [], "retrievals": []}
    )

    def take(self, work: AgentWork | None, turn_index: int | None, *, answers: bool) -> None:
        """Add what was done for one turn; null: no turn came of it."""
        work = work or AgentWork()
        if answers:
            self.all_told = self.all_told is not False and work.tools is not None
        self._add("tool_calls", "call_index", turn_index, work.tools or ())
        self._add("usage", "usage_index", turn_index, work.usage)
        self._add("retrievals", "retrieval_index", turn_index, work.retrievals)

    def _add(self, table: str, index: str, turn_index: int | None, done: Sequence[BaseModel]) -> None:
        rows = self.tables[table]
        for entry in done:
            place = {"dialogue_id": self.dialogue_id, "turn_index": turn_index, index: len(rows)}
            price = self.prices.charge(entry.model_dump()) if self.prices and table == "usage" else {}
            rows.append(place | entry.model_dump() | price)
