"""Overlap of users between a campaign's systems, as far as their identifiers tell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from vivavoce.analysis.idial import IdialPeople
from vivavoce.dataset.reader import Dataset
from vivavoce.log.persons import identifiers
from vivavoce.log.store import Log
from vivavoce.study.load import load_study
from vivavoce_campaign.campaign_file import Campaign
from vivavoce_campaign.places import SystemPlace, place_of


class UsersMet(NamedTuple):
    """Users of one system, as far as identifiers tell.

    identified  users with a known identifier
    elsewhere   users whose identifier was used with another system, too
    uninvited   users whose identifier is not in the system's `users.txt`
    Empty       elsewhere and uninvited are None where no identifier is known: only the log knows them, so a
                dataset that came alone does not tell; uninvited also where there is no `users.txt`
    """

    identified: int = 0
    elsewhere: int | None = None
    uninvited: int | None = None


@dataclass(frozen=True, slots=True)
class PeopleApart(IdialPeople):
    """Users of the systems, and whether they are different people, as in `UsersMet`."""

    identified: int
    elsewhere: int | None
    uninvited: int | None


class IdentityOverlap(NamedTuple):
    """Overlap by system, and number of people who used several systems (None: unknown)."""

    systems: dict[str, UsersMet]
    of_several: int | None


def users_apart(campaign: Campaign, datasets: Mapping[str, Dataset]) -> IdentityOverlap:
    """For each system, how many of its users are seen to be the same person as a user of another system.

    Note    simulated users are made for one system and are told apart by their pseudonyms; who comes with
            two identifiers is taken for two
    """
    users = {name: _users(place_of(campaign, name), dataset) for name, dataset in datasets.items()}
    met = Counter(key for keys in users.values() for key in set(keys.values()))
    systems = {
        name: _users_met(place_of(campaign, name), dataset, users[name], met)
        for name, dataset in datasets.items()
    }
    several = sum(count > 1 for count in met.values())
    return IdentityOverlap(systems, several if all(users.values()) else None)


def _users(place: SystemPlace, dataset: Dataset) -> dict[str, str]:
    """The identifier of each participant of whom one is known."""
    rows = dataset.read("participants").to_pylist()
    identifiers = _in_log(place)
    simulated = {row["participant_id"]: row["participant_id"] for row in rows if row["simulated"]}
    return simulated | {
        row["participant_id"]: identifiers[row["participant_id"]]
        for row in rows
        if row["participant_id"] in identifiers
    }


def _in_log(place: SystemPlace) -> dict[str, str]:
    if not Path(place.log_url.removeprefix("sqlite:///")).is_file() or not place.study.is_file():
        return {}
    with Log.open(place.log_url) as log:
        return identifiers(log, load_study(place.study).name)


def _users_met(place: SystemPlace, dataset: Dataset, users: dict[str, str], met: Counter[str]) -> UsersMet:
    if not users:
        return UsersMet()
    people = {
        row["participant_id"] for row in dataset.read("participants").to_pylist() if not row["simulated"]
    }
    invited = _invited(place)
    strange = (
        None
        if invited is None
        else sum(key not in invited for person, key in users.items() if person in people)
    )
    return UsersMet(len(users), sum(met[key] > 1 for key in users.values()), strange)


def _invited(place: SystemPlace) -> set[str] | None:
    """The identifiers of `users.txt`, written as `?participant=KEY` or bare; None without that file."""
    path = place.folder / "users.txt"
    if not path.is_file():
        return None
    return {line.strip().rpartition("=")[2] for line in path.read_text("utf-8").splitlines() if line.strip()}
