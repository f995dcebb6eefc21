"""Search bots: bots whose slots, values, questions and venues come from a domain file.

A search bot has `base: venues` (`bots/venues.yaml` has its settings and prompts) and no back end: slots,
questions and table come from a domain file.

    search:
      slot: {ask: ..., any: ..., indifferent: [...]}  # of each slot, with {name}; sentences for any value
      wordings: {area: {ask: ...}}       # of slots with certain names
      question:                          # about each slot that can be asked for
        examples: [...]                  # with {asked_as}
        others: {phone: [...]}           # further sentences for slots with certain names
        detail: ...                      # answer, with {name}, {label} and {value}
"""

from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from ruamel.yaml.error import YAMLError

from vivavoce_bots.engine.bot_file import BOTS, BotFile, DomainError, bot_of, localise, parse_yaml
from vivavoce_bots.engine.file_bot import FileBot
from vivavoce_bots.engine.manners import Chooser
from vivavoce_bots.engine.ontology import with_ontology
from vivavoce_bots.engine.search import SearchEngine
from vivavoce_bots.engine.understandings import Understands
from vivavoce_bots.engine.venues import Venues

TOWN = BOTS.parent / "data" / "restaurants.yaml"


class SearchBot(FileBot):
    """Bot that finds venues of a domain file, by default those of a small town.

    `chooser` is another way to choose how much is said, for learning.
    """

    def __init__(self, *arguments: Any, chooser: Chooser | None = None, **options: Any) -> None:
        self.chooser = chooser
        super().__init__(*arguments, **options)

    def prepare(self, domain: Path | None) -> None:
        path = domain or TOWN
        self.ontology = read_ontology(path)
        try:
            self.read_bot("en")
        except KeyError as error:
            raise DomainError(f"{path.name}: {error} is missing") from None
        except (TypeError, AttributeError, ValueError) as error:
            raise DomainError(f"{path.name}: is no domain: {error}") from None

    def read_bot(self, language: str) -> BotFile:
        data = with_ontology(localise(self.source, language), self.ontology, language)
        return bot_of(self.name, data, language)

    def make_engine(self, bot: BotFile, understanding: Understands) -> SearchEngine:
        return SearchEngine(bot, understanding, self.chooser)

    def stand_in(self, venue: str, random: Random) -> str:
        """Name of a venue of another kind."""
        return Venues(self.engine("en").bot).stand_in(venue, random)


def read_ontology(path: Path) -> dict[str, Any]:
    """Read a domain file."""
    try:
        domain = _parsed(path, path.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise DomainError(f"{path.name}: cannot be read: {' '.join(str(error).split())}") from None
    if not isinstance(domain, dict):
        raise DomainError(f"{path.name}: is no domain")
    return domain


@lru_cache(maxsize=8)
def _parsed(path: Path, changed: int) -> Any:
    """Content of a file, as it was when it last changed."""
    return parse_yaml(path.read_text("utf-8"))
