"""The bots by name, with what makes each."""

from pathlib import Path

from vivavoce_bots.bot import Bot, Entry
from vivavoce_bots.restaurant.bot import RestaurantBot
from vivavoce_bots.restaurant.domain import read_domain


def _restaurant(variant: str, seed: int, domain: Path | None) -> Bot:
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
