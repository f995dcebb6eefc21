"""Table of a search bot: which rows meet what is wanted, and what could be given up."""

from itertools import combinations
from random import Random
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import DONTCARE
from vivavoce_bots.engine.ontology import HOURS, TIMED, TYPE
from vivavoce_bots.engine.opening_hours import is_open

Wanted = dict[str, Any]
Refused = dict[str, set[Any]]


class Venues:
    """Rows of a bot file's table by name."""

    def __init__(self, bot: BotFile) -> None:
        self.bot = bot
        self.rows: dict[str, dict[str, Any]] = bot.table

    def kind(self, wanted: Wanted) -> str | None:
        """Kind that is wanted, or the only one that has a wanted value."""
        kinds = list(self.bot.slots[TYPE].values)
        only = [self.bot.slots[slot].types for slot, value in wanted.items() if value != DONTCARE]
        implied = [types[0] for types in only if len(types) == 1]
        return wanted.get(TYPE) or next(iter(implied), kinds[0] if len(kinds) == 1 else None)

    def slots_of(self, kind: str | None) -> list[str]:
        """Slots that rows of a kind are searched by, the kind itself first."""
        slots = [self.bot.slots[name] for name in self.bot.tasks["find"].slots]
        return [
            slot.name for slot in slots if kind in (None, DONTCARE) or not slot.types or kind in slot.types
        ]

    def usable(self, wanted: Wanted) -> Wanted:
        """Wanted values, without slots that the kind does not have."""
        slots = self.slots_of(wanted.get(TYPE))
        return {slot: value for slot, value in wanted.items() if slot in slots}

    def matching(self, wanted: Wanted, refused: Refused, without: list[str] | None = None) -> list[str]:
        return [
            name
            for name, row in self.rows.items()
            if name not in (without or []) and meets(row, wanted) and misses(row, refused)
        ]

    def alternatives(
        self, wanted: Wanted, refused: Refused, without: list[str]
    ) -> list[dict[str, list[Any]]]:
        """Values of the fewest slots that can be given up; what leaves most rows first, kinds last."""
        real = [slot for slot, value in wanted.items() if value != DONTCARE]
        for count in range(1, len(real) + 1):
            ways = [self._alternative(wanted, refused, without, slots) for slots in combinations(real, count)]
            possible = sorted((way for way in ways if way[1]), key=lambda way: (TYPE in way[2], -way[1]))
            if possible:
                return [values for _, _, values in possible]
        return []

    def _alternative(
        self, wanted: Wanted, refused: Refused, without: list[str], slots: tuple[str, ...]
    ) -> tuple[tuple[str, ...], int, dict[str, list[Any]]]:
        rest = {slot: value for slot, value in wanted.items() if slot not in slots}
        rows = [self.rows[name] for name in self.matching(rest, refused, without)]
        values = {
            slot: [value for value in dict.fromkeys(row.get(slot) for row in rows) if value] for slot in slots
        }
        return slots, len(rows), values

    def stand_in(self, name: str, random: Random) -> str:
        """Name of a row of another kind; of any other row where there is but one kind."""
        kind = self.rows.get(name, {}).get(TYPE)
        others = [other for other, row in self.rows.items() if row[TYPE] != kind]
        others = others or [other for other in self.rows if other != name]
        return random.choice(others) if others else name


def meets(row: dict[str, Any], wanted: Wanted) -> bool:
    values = {slot: value for slot, value in wanted.items() if value != DONTCARE}
    timely = is_open(row.get(HOURS, ""), values.get("day"), values.get("time"))
    return timely and all(row.get(slot) == value for slot, value in values.items() if slot not in TIMED)


def misses(row: dict[str, Any], refused: Refused) -> bool:
    return not any(row.get(slot) in values for slot, values in refused.items())
