"""The bots by name: one for each bot file that has a summary."""

from functools import partial
from pathlib import Path

from vivavoce_bots.bot import Entry
from vivavoce_bots.engine.bot_file import BOTS as FOLDER
from vivavoce_bots.engine.bot_file import read_head, read_yaml
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.engine.search_bot import SearchBot


def make_bot(
    name: str, variant: str, seed: int = 1, domain: Path | None = None, understanding: str = "rules"
) -> FileBot:
    """Make the bot of a bundled file; bots based on `venues.yaml` search the venues of a domain file."""
    searches = read_yaml(FOLDER / f"{name}.yaml").get("base") == "venues"
    return (SearchBot if searches else FileBot)(name, variant, seed, understanding, domain)


def _file_entries() -> dict[str, Entry]:
    """Entries of the bot files that are finished, which is to say that they have a summary."""
    sources = {path.stem: read_head(path) for path in sorted(FOLDER.glob("*.yaml"))}
    return {
        name: Entry(name, source["summary"], tuple(source["variants"]), partial(make_bot, name))
        for name, source in sources.items()
        if "summary" in source
    }


BOTS: dict[str, Entry] = _file_entries()
