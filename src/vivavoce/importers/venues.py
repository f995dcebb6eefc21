"""The entities of a domain: read from a venue database, or collected from what a system said of them."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.text import normalise_value
from vivavoce.dataset.vocabulary import DONTCARE, NAME

CAMBRIDGE_SLOTS: Final[dict[str, str]] = {"address": "addr"}
CODES: Final = {
    "phone": "code",
    "telephone": "code",
    "reference": "code",
    "trainid": "code",
    "postcode": "prefix",
}
NOT_SLOTS: Final = ("id", NAME, "location")


def cambridge_slot(slot: str) -> str:
    """A slot's name in the corpora of the Cambridge restaurant domain."""
    return CAMBRIDGE_SLOTS.get(slot, slot)


def match_of(slot: str) -> str:
    """Matching rule for values of a slot, by its name: phone numbers and references match as codes."""
    return next((CODES[word] for word in re.split(r"[\W_]+", slot.lower()) if word in CODES), "exact")


def read_venues(path: Path, *, rename: Callable[[str], str] = cambridge_slot) -> list[dict[str, Any]]:
    """Rows of `entities` from a JSON list of venues; leading lines that begin with `#` are skipped.

    Input   objects with `name`, optionally `id`, and one text per slot; `rename` gives slots the dataset's
            names
    Empty   a slot without value has no row
    Raises  InputError: names file, venue and hint
    """
    hint = "use a JSON list of venues, each with a name and its slots"
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        while lines and (not lines[0].strip() or lines[0].startswith("#")):
            lines.pop(0)
        venues = json.loads("\n".join(lines))
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror}", place=str(path), hint=hint) from None
    except ValueError as error:
        raise InputError(f"not JSON: {error}", place=str(path), hint=hint) from None
    if not isinstance(venues, list) or not venues:
        raise InputError("not a list of venues", place=str(path), hint=hint)
    rows: list[dict[str, Any]] = []
    seen: set[str] = set()
    for number, venue in enumerate(venues):
        if not isinstance(venue, dict) or not isinstance(venue.get(NAME), str) or not venue[NAME].strip():
            raise InputError("a venue has no name", place=f"{path} [{number}]", hint=hint)
        key = str(venue.get("id") or normalise_value(venue[NAME]))
        if key in seen:
            raise InputError(
                f"duplicate venue key {key!r}", place=f"{path} [{number}]", hint="give each venue its own key"
            )
        seen.add(key)
        for slot, value in venue.items():
            if (
                slot in NOT_SLOTS
                or value is None
                or isinstance(value, (list, dict))
                or not str(value).strip()
            ):
                continue
            rows.append(
                {
                    "entity_id": key,
                    "name": venue[NAME],
                    "slot": rename(slot),
                    "value": str(value),
                    "source": "database",
                    "match": match_of(rename(slot)),
                }
            )
    return rows


SELF_REPORTED: Final = N_(
    "Venue data are self-reported: the values that the system stated most often for each venue."
)


class SelfReported:
    """Collects what a system says about the entities it offers; the most frequent value of a slot stands."""

    def __init__(self) -> None:
        self._names: dict[str, Counter[str]] = defaultdict(Counter)
        self._values: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))

    @property
    def names(self) -> list[str]:
        """Normalised names of all entities offered."""
        return sorted(self._names)

    def add_turns(self, acts: Iterable[dict[str, Any]]) -> None:
        """Take in the system's acts of a whole dialogue."""
        by_turn: dict[tuple[str, int], list[dict[str, Any]]] = defaultdict(list)
        for act in acts:
            if act["layer"] == "system":
                by_turn[act["dialogue_id"], act["turn_index"]].append(act)
        for turn_acts in by_turn.values():
            self.add(turn_acts)

    def add(self, acts: list[dict[str, Any]]) -> None:
        """Take in the act rows of one system turn: its last offer and the values told beside it."""
        name = None
        for act in acts:
            if act["act"] == "offer" and act.get("value"):
                name = normalise_value(act["value"])
                self._names[name][act["value"]] += 1
        for act in acts:
            informs = act["act"] == "inform" and act.get("slot") and act["slot"] != NAME
            if name and informs and act.get("value") and act["value"] != DONTCARE:
                self._values[name][act["slot"]][act["value"]] += 1

    def rows(self) -> list[dict[str, Any]]:
        """Rows of `entities`; equal counts are decided by the alphabet."""
        return [
            {
                "entity_id": key,
                "name": _majority(self._names[key]),
                "slot": slot,
                "value": _majority(counts),
                "source": "self_reported",
                "match": match_of(slot),
            }
            for key in self.names
            for slot, counts in sorted({NAME: self._names[key], **self._values[key]}.items())
        ]


def _majority(counts: Counter[str]) -> str:
    return min(counts, key=lambda value: (-counts[value], value))
