"""The dataset's tables: every column with its type, unit and meaning.

Changes are additive. Keys end in `_id`, instants in `_at` (UTC), units are suffixes (`_s`, `_count`);
missing is null. A turn is named by `dialogue_id` and `turn_index`, 0-based over both parties.
Times of turns are seconds since the dialogue's start, on the monotonic clock of whoever logged it.
Conditions of a study are extra columns `factor_<name>` (text) of `dialogues`.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.log.columns import FACTOR_PREFIX, Column, Table
from vivavoce.log.schema_agents import JUDGEMENTS, RETRIEVALS, TOOL_CALLS, USAGE
from vivavoce.log.schema_dialogues import (
    ACTS,
    ANNOTATIONS,
    DIALOGUES,
    ENTITIES,
    EXCLUSIONS,
    GOALS,
    HYPOTHESES,
    INCIDENTS,
    LABEL_CHANCES,
    PARTICIPANTS,
    RATINGS,
    REMARKS,
    TAGS,
    TURNS,
    UTTERANCES,
    WIZARD_TURNS,
)
from vivavoce.log.schema_steps import (
    CHECKS,
    LOOKS,
    NOTES,
    RECORDINGS,
    STEPS,
    STRESS,
    VOTES,
)

__all__ = ["FACTOR_PREFIX", "SCHEMA_VERSION", "STRESS", "TABLES", "Column", "Table"]

SCHEMA_VERSION: Final = 1
_OWN: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        DIALOGUES,
        TURNS,
        UTTERANCES,
        HYPOTHESES,
        ACTS,
        GOALS,
        ENTITIES,
        RATINGS,
        PARTICIPANTS,
        ANNOTATIONS,
        LABEL_CHANCES,
        TAGS,
        REMARKS,
        INCIDENTS,
        WIZARD_TURNS,
        TOOL_CALLS,
        USAGE,
        RETRIEVALS,
        JUDGEMENTS,
        VOTES,
        STRESS,
        STEPS,
        CHECKS,
        RECORDINGS,
        LOOKS,
        NOTES,
        EXCLUSIONS,
    )
}


class _Tables(Mapping[str, Table]):
    """Our tables, and those of all steps that present stimuli: after ours, or `before` one of them."""

    @cached_property
    def _all(self) -> dict[str, Table]:
        from vivavoce.log.stimulus_rows import responded_kinds

        found = dict(_OWN)
        for kind in responded_kinds():
            if (table := kind.table) is None:
                continue
            if found.setdefault(table.name, table) is not table:
                hint = "mend or uninstall the package that offers it"
                raise InputError(f"step {kind.name!r} has another's table {table.name!r}", hint=hint)
        places = {name: place for place, name in enumerate(found)}
        in_order = sorted(
            found.values(), key=lambda one: (places.get(one.before, places[one.name]), not one.before)
        )
        return {table.name: table for table in in_order}

    def __getitem__(self, name: str) -> Table:
        return _OWN.get(name) or self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


TABLES: Final[Mapping[str, Table]] = _Tables()
