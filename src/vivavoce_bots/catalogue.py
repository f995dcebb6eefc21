"""The bots by name, with what makes each."""

from collections.abc import Callable
from pathlib import Path

from vivavoce_bots.boris.bot import BorisBot
from vivavoce_bots.bot import Bot, Entry
from vivavoce_bots.callsteering.bot import CallSteeringBot
from vivavoce_bots.carbs.bot import CarbsBot
from vivavoce_bots.chef.bot import ChefBot
from vivavoce_bots.dialogue.domain import DomainError, read_domain
from vivavoce_bots.house.bot import HouseBot
from vivavoce_bots.house.home import read_home
from vivavoce_bots.restaurant.bot import RestaurantBot
from vivavoce_bots.telco.bot import TelcoBot


def _restaurant(variant: str, seed: int, domain: Path | None) -> Bot:
    return RestaurantBot(read_domain(domain), variant, seed)


def _boris(variant: str, seed: int, domain: Path | None) -> Bot:
    return BorisBot(read_domain(domain), seed, variant)


def _carbs(variant: str, seed: int, domain: Path | None) -> Bot:
    if domain is not None:
        raise DomainError("carbs has a food table of its own: leave out --domain")
    return CarbsBot(variant, seed)


def _house(variant: str, seed: int, domain: Path | None) -> Bot:
    return HouseBot(read_home(domain), variant, seed)


def _telco(variant: str, seed: int, domain: Path | None) -> Bot:
    if domain is not None:
        raise DomainError("telco has no domain file: leave out --domain")
    return TelcoBot(variant, seed)


def _without_domain(make: Callable[[int], Bot], name: str) -> Callable[[str, int, Path | None], Bot]:
    def made(variant: str, seed: int, domain: Path | None) -> Bot:
        if domain is not None:
            raise DomainError(f"{name} has no domain file: leave out --domain")
        return make(seed)

    return made


BOTS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            RestaurantBot.name,
            "finds restaurants, pubs and coffee shops, in English and Italian",
            RestaurantBot.variants,
            _restaurant,
        ),
        Entry(
            BorisBot.name,
            "finds restaurants by leading the caller, in English and Italian; a variant is how it confirms",
            BorisBot.variants,
            _boris,
        ),
        Entry(
            CarbsBot.name,
            "counts the carbohydrates of a meal, in English and Italian; a variant is a strategy",
            CarbsBot.variants,
            _carbs,
        ),
        Entry(
            CallSteeringBot.name,
            "identifies a bank's caller and routes the call, in English and Italian",
            CallSteeringBot.variants,
            _without_domain(CallSteeringBot, CallSteeringBot.name),
        ),
        Entry(
            TelcoBot.name,
            "self-service of a telephone company, in English and Italian; a variant is a strategy",
            TelcoBot.variants,
            _telco,
        ),
        Entry(
            HouseBot.name,
            "looks after the devices of a flat, in English and Italian; a variant is a metaphor",
            HouseBot.variants,
            _house,
        ),
        Entry(
            ChefBot.name,
            "cooking robot that obeys predicates and plain commands, in English and Italian",
            ChefBot.variants,
            _without_domain(ChefBot, ChefBot.name),
        ),
    )
}
