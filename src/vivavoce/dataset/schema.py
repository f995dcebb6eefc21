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
from vivavoce.dataset.columns import (
    DIALOGUE,
    FACTOR_PREFIX,
    FLAG,
    INSTANT,
    INTEGER,
    KEY,
    LABEL,
    LONG,
    REAL,
    TRACE,
    WORDS,
    Column,
    Table,
)
from vivavoce.dataset.schema_dialogues import (
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
from vivavoce.dataset.schema_steps import CHECKS, LOOKS, NOTES, RECORDINGS, STEPS, STRESS, VOTES

TOOL_CALLS: Final = Table(
    "tool_calls",
    "one call of a tool by the system",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn in which it was called; null where no turn came of it"),
        Column("call_index", INTEGER, "0-based order within the dialogue", True),
        Column("name", LABEL, "name of the tool", True),
        Column("arguments", WORDS, "arguments as JSON, or as the model wrote them where that is none"),
        Column("result", WORDS, "what the tool gave back; null where it failed, or nobody logged it"),
        Column("failed", FLAG, "the tool or its caller reported an error; null: not logged"),
        Column("error", TRACE, "the error as it was reported"),
        Column("started_s", REAL, "when it was called"),
        Column("duration_s", REAL, "from the call to its result"),
    ),
)

USAGE: Final = Table(
    "usage",
    "what one call of a model took, or several that a log sums up",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn that it was for; null for the dialogue"),
        Column("usage_index", INTEGER, "0-based order within the dialogue", True),
        Column("model", LABEL, "model that answered, else the one asked for; null where not logged"),
        Column("input_tokens", LONG, "tokens read, cached ones included"),
        Column("cached_tokens", LONG, "those of them that came from a cache"),
        Column("output_tokens", LONG, "tokens written, reasoning included"),
        Column("reasoning_tokens", LONG, "those of them that nobody sees"),
        Column("cost", REAL, "by the study's price list; null where the model has no price there"),
        Column("currency", LABEL, "of the price list; null without one"),
    ),
)

RETRIEVALS: Final = Table(
    "retrievals",
    "a document that the system looked up for its answer",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn that it was for; null where no turn came of it"),
        Column("retrieval_index", INTEGER, "0-based order within the dialogue", True),
        Column("rank", INTEGER, "0-based place among those of one answer, best first", True),
        Column("query", WORDS, "what was looked for; null where not told"),
        Column("document", WORDS, "the text that was found; null where not told"),
        Column("source", LABEL, "where it stands: address, title or key, as the system tells it"),
        Column("score", REAL, "the system's own score for it"),
    ),
)

JUDGEMENTS: Final = Table(
    "judgements",
    "what a judge said of one dialogue or turn, or of two answers to one message; no person said it",
    (
        Column("judge", LABEL, "name of the judge", True),
        Column("kind", LABEL, "kind of judge: openai, model, python, person or a package's own", True),
        Column("target", LABEL, "item that it answered, layer.label that it gave, or preference", True),
        DIALOGUE._replace(meaning="the dialogue, or that of the first of two answers"),
        Column("turn_index", INTEGER, "the turn; null for a dialogue, or of two answers"),
        Column("other_dialogue_id", KEY, "that of the second of two answers; null for one dialogue"),
        Column("exchange", INTEGER, "1-based number of the message that both answer; null for one dialogue"),
        Column(
            "value",
            REAL,
            "code on the item's scale, a mean of several; of two answers 1: the first is "
            "better, 0: the second, 0.5: neither; null: it said nothing",
        ),
        Column("confidence", REAL, "how sure it is, 0 to 1; null: it does not say"),
        Column("trouble", LABEL, "why it said nothing: refused, unreadable, unreachable or unknown"),
        Column("first_chosen", REAL, "share of its answers for what it read first, asked in both orders"),
        Column("asked", INTEGER, "how often it was asked", True),
        Column("refused", INTEGER, "how often it refused, or could not tell", True),
        Column("unreadable", INTEGER, "how often its answer could not be read", True),
        Column("input_tokens", LONG, "tokens read; null: not told"),
        Column("output_tokens", LONG, "tokens written; null: not told"),
        Column("cost", REAL, "what it cost, in the currency of its prices; null: no price"),
        Column("frozen", LABEL, "first digits of the digest of prompt, model and settings", True),
        Column("judged_at", INSTANT, "when the dataset with it was written, UTC", True),
    ),
    counted="judgement",
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
        from vivavoce.dataset.responded_kinds import responded_kinds

        tables = dict(_OWN)
        for kind in responded_kinds():
            if (table := kind.table) is None:
                continue
            if tables.setdefault(table.name, table) is not table:
                hint = "repair or uninstall the package that offers it"
                raise InputError(f"step {kind.name!r} has another's table {table.name!r}", hint=hint)
        places = {name: place for place, name in enumerate(tables)}
        in_order = sorted(
            tables.values(),
            key=lambda listed_table: (
                places.get(listed_table.before, places[listed_table.name]),
                not listed_table.before,
            ),
        )
        return {table.name: table for table in in_order}

    def __getitem__(self, name: str) -> Table:
        return _OWN.get(name) or self._all[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


TABLES: Final[Mapping[str, Table]] = _Tables()
