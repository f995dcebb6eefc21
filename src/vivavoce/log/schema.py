"""The dataset's tables: every column with its type, unit and meaning.

Changes are additive. Keys end in `_id`, instants in `_at` (UTC), units are suffixes (`_s`, `_count`);
missing is null. A turn is named by `dialogue_id` and `turn_index`, 0-based over both parties.
Times of turns are seconds since the dialogue's start, on the monotonic clock of whoever logged it.
Conditions of a study are extra columns `factor_<name>` (text) of `dialogues`.
"""

from typing import Final

from vivavoce.log.columns import FACTOR_PREFIX, Column, Table
from vivavoce.log.schema_dialogues import (
    ACTS,
    ANNOTATIONS,
    DIALOGUES,
    ENTITIES,
    EXCLUSIONS,
    GOALS,
    HYPOTHESES,
    INCIDENTS,
    PARTICIPANTS,
    RATINGS,
    TURNS,
    UTTERANCES,
    WIZARD_TURNS,
)
from vivavoce.log.schema_steps import (
    COMMANDS,
    LISTENING,
    LOOKS,
    PREFERENCES,
    READINGS,
    RECORDINGS,
    STEPS,
    STRESS,
    VOTES,
)

__all__ = ["FACTOR_PREFIX", "SCHEMA_VERSION", "STRESS", "TABLES", "Column", "Table"]

SCHEMA_VERSION: Final = 1
TABLES: Final[dict[str, Table]] = {
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
        INCIDENTS,
        WIZARD_TURNS,
        PREFERENCES,
        READINGS,
        LISTENING,
        VOTES,
        STRESS,
        COMMANDS,
        STEPS,
        RECORDINGS,
        LOOKS,
        EXCLUSIONS,
    )
}
