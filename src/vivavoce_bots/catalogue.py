"""The bots by name: one for each bot file that has a summary."""

from functools import partial
from pathlib import Path

from vivavoce_bots.bot import Bot, Entry
from vivavoce_bots.dialogue.domain import read_domain
from vivavoce_bots.engine.bot_file import BOTS as FOLDER
from vivavoce_bots.engine.bot_file import read_head
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.restaurant.bot import RestaurantBot


def _restaurant(variant: str, seed: int, domain: Path | None) -> Bot:
    return RestaurantBot(read_domain(domain), variant, seed)


_CLASSES: dict[str, Entry] = {
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


def _make(name: str, variant: str, seed: int, domain: Path | None, understanding: str = "rules") -> Bot:
    return FileBot(name, variant, seed, understanding, domain)


def _file_entries() -> dict[str, Entry]:
    """Entries of the bot files that are finished, which is to say that they have a summary."""
    sources = {path.stem: read_head(path) for path in sorted(FOLDER.glob("*.yaml"))}
    return {
        name: Entry(name, source["summary"], tuple(source["variants"]), partial(_make, name))
        for name, source in sources.items()
        if "summary" in source
    }


BOTS: dict[str, Entry] = {**_CLASSES, **_file_entries()}
