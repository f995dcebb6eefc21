"""Tables of the dataset: what a system that is an agent did besides talking, and what its models took."""

from typing import Final

from vivavoce.log.columns import (
    DIALOGUE,
    FLAG,
    INTEGER,
    LABEL,
    LONG,
    REAL,
    TRACE,
    WORDS,
    Column,
    Table,
)

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
        Column("failed", FLAG, "the tool, or whoever called it, reported an error; null: not logged"),
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
