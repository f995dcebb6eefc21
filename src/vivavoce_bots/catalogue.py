"""The bots by name, with what makes each."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from vivavoce_bots.restaurant.bot import RestaurantBot
from vivavoce_bots.restaurant.domain import read_domain


@dataclass(frozen=True)
class Entry:
    """One bot: its name, what it does, its variants (the first is the default), and its maker."""

    name: str
    summary: str
    variants: tuple[str, ...]
    make: Callable[[str, int, Path | None], RestaurantBot]


def _restaurant(variant: str, seed: int, domain: Path | None) -> RestaurantBot:
    return RestaurantBot(read_domain(domain), variant, seed)


BOTS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            RestaurantBot.name,
            "finds restaurants, pubs and coffee shops, in English and Italian",
            RestaurantBot.variants,
            _restaurant,
        ),
    )
}
