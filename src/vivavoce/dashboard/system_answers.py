"""Response statistics of one system, updated by the board turn by turn."""

from array import array
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from vivavoce.dataset.declaration import written_prices
from vivavoce.log.events import AgentWork, SystemTurnReceived
from vivavoce.log.models import StoredEvent
from vivavoce.study.model import Study
from vivavoce.study.prices import Prices


@dataclass(slots=True)
class SystemAnswers:
    """Response statistics of one system.

    waits_s   seconds from when a user's turn was handed over to its whole answer, one an answer
    failed    turns that it failed to give; in_a_row: since it last answered
    last_at   when it last answered; None: never
    model_calls  calls of models that it told of; spent: their cost by the study's prices; unpriced: those of
                 which the cost is not known
    """

    waits_s: "array[float]" = field(default_factory=lambda: array("d"))
    answered: int = 0
    failed: int = 0
    in_a_row: int = 0
    last_at: datetime | None = None
    model_calls: int = 0
    spent: float = 0.0
    unpriced: int = 0

    def charge(self, work: AgentWork | None, prices: Prices | None) -> None:
        """Add the cost of the model calls of a turn."""
        for usage in work.usage if work is not None else ():
            cost = prices.charge(usage.model_dump())["cost"] if prices is not None else None
            self.model_calls, self.unpriced = self.model_calls + 1, self.unpriced + (cost is None)
            self.spent += cost or 0.0

    def take(self, stored: StoredEvent, event: SystemTurnReceived) -> None:
        """Add an answer."""
        self.answered, self.in_a_row, self.last_at = self.answered + 1, 0, stored.at
        if event.reply_to is not None and event.sent_s is not None and event.complete_s is not None:
            self.waits_s.append(max(0.0, event.complete_s - event.sent_s))


def prices_of(study: Study) -> Prices | None:
    """Model prices of a study; None without any."""
    return _prices(study.file_text)


_prices = lru_cache(maxsize=8)(written_prices)
