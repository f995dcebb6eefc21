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
    ANSWERED_AT,
    DIALOGUE,
    FACTOR_PREFIX,
    FLAG,
    INSTANT,
    INTEGER,
    KEY,
    LABEL,
    LONG,
    PARTICIPANT,
    REAL,
    TRACE,
    TURN,
    WORDS,
    Column,
    Table,
)
from vivavoce.dataset.schema_steps import CHECKS, LOOKS, NOTES, RECORDINGS, STEPS, STRESS, VOTES

DIALOGUES = Table(
    "dialogues",
    "a dialogue",
    (
        DIALOGUE,
        Column("study", LABEL, "name of the study", True),
        Column("system", LABEL, "name of the system under test", True),
        Column("condition", LABEL, "cell of the design; the system's name if the study has no factors", True),
        Column("strategy", LABEL, "strategy of the wizard"),
        PARTICIPANT,
        Column("visit_id", KEY, "visit during which it took place"),
        Column("task_id", LABEL, "assigned task"),
        Column("task_text", LABEL, "task text as shown to the participant"),
        Column("dialogue_number", INTEGER, "1-based order among this participant's dialogues"),
        Column("channel", LABEL, "text, voice, phone, multimodal, or a channel from a package", True),
        Column("spoken", FLAG, "the channel transmits participants' speech; null: unknown"),
        Column("calls_out", FLAG, "the dialogue was a telephone call; null: unknown"),
        Column("language", LABEL, "BCP 47 tag", True),
        Column("started_at", INSTANT, "start, UTC"),
        Column("ended_at", INSTANT, "end, UTC; null: not ended"),
        Column("duration_s", REAL, "end minus start on one clock: first onset to last offset"),
        Column("timing_origin", LABEL, "source of turn times: sound; null: the log"),
        Column("end_reason", LABEL, "user, system, limit, failure, abandoned; null: unknown"),
        Column("code_issued", FLAG, "an earned code was issued, so the dialogue was not trivial"),
        Column(
            "reward",
            REAL,
            ("result of an automatic check after the dialogue, such as a benchmark's; 1: task completed"),
        ),
        Column(
            "tools_logged", FLAG, "all tool calls are in `tool_calls`: no row means no call; null: unknown"
        ),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
    counted="dialogue",
)

TURNS = Table(
    "turns",
    "a turn of one party",
    (
        DIALOGUE,
        TURN,
        Column("party", LABEL, "user or system", True),
        Column("text", WORDS, "text shown or recognised (first hypothesis)"),
        Column("reference", WORDS, "true words: transcript, or the typed text"),
        Column("asr_status", LABEL, "ok, rejected or timeout; null for text"),
        Column("onset_s", REAL, "start of speech or display; null: unknown"),
        Column("offset_s", REAL, "end of speech or display; null: unknown"),
        Column("sent_s", REAL, "time of sending; null: speech"),
        Column("first_output_s", REAL, "first output of the system arrived"),
        Column("complete_s", REAL, "the system's turn was complete"),
        Column("first_shown_s", REAL, "first words of an answer were shown; null: shown whole"),
        Column("barge_in", FLAG, "the user started while the system was still speaking"),
        Column("restarted", FLAG, "the service restarted since the previous turn, so the delay is unknown"),
        Column("by_sound", FLAG, "transmitted as sound: the system itself heard or spoke it"),
        Column("played_s", REAL, "seconds played of an interrupted system turn"),
        Column("question", FLAG, "a system turn that asks for information"),
        Column("help", FLAG, "a system turn that lists the options"),
        Column("error_message", FLAG, "a system turn that says that a request is not possible"),
        Column("rejection_prompt", FLAG, "a system turn that says that it did not understand"),
        Column("timeout_prompt", FLAG, "a system turn prompted by silence"),
        Column("question_origin", LABEL, "source of the question flag: acts, rules"),
        Column("help_origin", LABEL, "source of the help flag: acts, rules"),
        Column("error_message_origin", LABEL, "source of the error flag: acts, rules"),
        Column("rejection_prompt_origin", LABEL, "source of the rejection flag: acts, rules"),
        Column("timeout_prompt_origin", LABEL, "source of the time-out flag: acts, rules"),
        Column(
            "untimed",
            LABEL,
            "reason why a dialogue timed by sound has no times for this turn; null: it has times",
        ),
    ),
)

UTTERANCES = Table(
    "utterances",
    "one segment of speech, cut or played by the service",
    (
        DIALOGUE,
        Column("party", LABEL, "user or system; system includes the platform's prompts", True),
        Column("turn_index", INTEGER, "turn of the segment; null: not a turn"),
        Column(
            "content",
            LABEL,
            (
                "turn; missed: not understood; otherwise the platform's prompts: still_there, "
                "not_heard, trouble"
            ),
            True,
        ),
        Column("onset_s", REAL, "start of speech, or of the sound", True),
        Column("offset_s", REAL, "end of speech, or of the sound", True),
        Column("source", LABEL, "endpointing: cut by the service; playback: as played", True),
    ),
)

HYPOTHESES = Table(
    "hypotheses",
    "one recognition hypothesis of a user turn",
    (
        DIALOGUE,
        TURN,
        Column("source", LABEL, "live: used in the dialogue; log: ours, only for the log; batch, ...", True),
        Column("rank", INTEGER, "0-based, best first", True),
        Column("text", WORDS, "the hypothesis", True),
        Column("score", REAL, "score of the recogniser"),
    ),
)

ACTS = Table(
    "acts",
    "one dialogue act item of a turn",
    (
        DIALOGUE,
        TURN,
        Column(
            "layer",
            LABEL,
            "system (act of the system), understood (the system's interpretation), "
            "reference (the user's meaning), proposed (act of the program, if a wizard said "
            "something else), reference_by_domain (several domains, never scored)",
            True,
        ),
        Column("source", LABEL, "source: bot, label, parser, simulator, annotator", True),
        Column("rank", INTEGER, "0-based hypothesis; 0 if there is only one", True),
        Column("position", INTEGER, "0-based order within the hypothesis", True),
        Column("act", LABEL, "inform, request, offer, confirm, negate, deny, reqalts, bye, ...", True),
        Column("slot", LABEL, "slot of the act; for request, the requested slot"),
        Column("op", LABEL, "= or !="),
        Column("value", WORDS, "value; null: request"),
        Column("score", REAL, "score of the hypothesis"),
    ),
)

GOALS = Table(
    "goals",
    "one item of an assigned goal",
    (
        DIALOGUE,
        Column("goal_index", INTEGER, "0-based; an alternative goal of the task follows its first", True),
        Column("origin", LABEL, "assigned or inferred; by_domain: several domains, never scored", True),
        Column("kind", LABEL, "type, constraint, request or exclusion", True),
        Column("slot", LABEL, "slot; null: type"),
        Column("op", LABEL, "= or !="),
        Column("value", WORDS, "value, including `dontcare`; null: request"),
    ),
)

ENTITIES = Table(
    "entities",
    "one slot of one entity of the domain database",
    (
        Column("entity_id", LABEL, "key of the entity", True),
        Column("name", LABEL, "name used by systems", True),
        Column("slot", LABEL, "slot", True),
        Column("value", LABEL, "value", True),
        Column("source", LABEL, "database, or self_reported if collected from the system's own offers", True),
        Column(
            "match",
            LABEL,
            (
                "exact; code: only letters and digits count (telephone numbers); prefix: may be "
                "shortened (postcodes)"
            ),
            True,
        ),
    ),
)

RATINGS = Table(
    "ratings",
    "one answered questionnaire item",
    (
        Column("dialogue_id", KEY, "dialogue of the answer; null: a whole visit"),
        Column("visit_id", KEY, "visit"),
        PARTICIPANT,
        Column("instrument", LABEL, "questionnaire", True),
        Column("wording", LABEL, "wording shown: project, package, or file (the study's own)"),
        Column("language", LABEL, "BCP 47 tag"),
        Column("item_id", LABEL, "item", True),
        Column("role", LABEL, "subjective_success for the item about it, otherwise null"),
        Column("value", REAL, "raw code as answered, never recoded; null: free text"),
        Column("answer", WORDS, "chosen label, or free text"),
        ANSWERED_AT,
    ),
)

PARTICIPANTS = Table(
    "participants",
    "one participant",
    (
        Column("participant_id", KEY, "pseudonymous key", True),
        Column("pool", LABEL, "source: link, prolific, simulation, corpus"),
        Column("language", LABEL, "BCP 47 tag of the interface"),
        Column("first_seen_at", INSTANT, "UTC"),
        Column(
            "outcome",
            LABEL,
            "outcome of the visit, such as completed, not_accepted, withdrew; or running",
        ),
        Column("attributes", WORDS, "further attributes as a JSON object"),
        Column("simulated", FLAG, "a program", True),
    ),
    counted="participant",
)

ANNOTATIONS = Table(
    "annotations",
    "one label by one annotator",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "turn of the label; null: the dialogue"),
        Column("layer", LABEL, "scheme layer", True),
        Column("label", LABEL, "label", True),
        Column("value", WORDS, "value of the label, if it takes one"),
        Column("annotator_id", KEY, "pseudonymous key", True),
        Column("annotated_at", INSTANT, "UTC"),
    ),
)

LABEL_CHANCES = Table(
    "label_chances",
    "the sampling probability of one dialogue for annotation in one scheme",
    (
        DIALOGUE,
        Column("layer", LABEL, "scheme layer", True),
        Column("target", LABEL, "target of the sampling: a layer and one of its labels", True),
        Column(
            "chance",
            REAL,
            "sampling probability, above 0, at most 1; labels are weighted by its inverse",
            True,
        ),
        Column("drawn", FLAG, "drawn: annotators get it", True),
        Column("doubt", REAL, "uncertainty of a judge before the draw; null: unknown"),
    ),
)

TAGS = Table(
    "tags",
    "one tag on a dialogue",
    (
        DIALOGUE,
        Column("tag", WORDS, "the tag as typed", True),
        Column("author_id", KEY, "pseudonymous key of the author; null: no account"),
        Column("tagged_at", INSTANT, "UTC"),
    ),
)

REMARKS = Table(
    "dialogue_notes",
    "one note on a dialogue",
    (
        DIALOGUE,
        Column("note_id", KEY, "key of the note", True),
        Column("text", WORDS, "text of the note"),
        Column("author_id", KEY, "pseudonymous key of the author; null: no account"),
        Column("written_at", INSTANT, "UTC"),
    ),
)

INCIDENTS = Table(
    "incidents",
    "one failure of a system under test",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "user turn without an answer; null: at the opening"),
        Column(
            "failure",
            LABEL,
            "unreachable, timeout, bad_answer, refused, closed; of our own service: interrupted, internal",
            True,
        ),
        Column("detail", TRACE, "details, without secrets"),
        Column("happened_at", INSTANT, "UTC"),
        Column("shown", WORDS, "part of the answer shown before the failure, for streamed answers"),
    ),
)

EXCLUSIONS = Table(
    "exclusions",
    "a dialogue, or all data of a participant, excluded from every measure by the study's rules",
    (
        Column("dialogue_id", KEY, "key of the dialogue; null: all rows of the participant"),
        PARTICIPANT,
        Column("rule", LABEL, "first matching rule of the study file", True),
    ),
)

WIZARD_TURNS = Table(
    "wizard_turns",
    "a system turn by a wizard, for the whole system or a module",
    (
        DIALOGUE,
        TURN,
        Column("wizard_id", KEY, "pseudonymous key of the wizard", True),
        Column("replaces", LABEL, "system, recognition, understanding or management", True),
        Column(
            "source",
            LABEL,
            "source of the words: free, prompt, script, proposal (the program's, "
            "unchanged), edited (at least half of the words of both are the same), silence "
            "(no words), greeting (the first message, sent automatically)",
            True,
        ),
        Column("label", LABEL, "label of the prompt or script"),
        Column("strategy", LABEL, "strategy of the dialogue"),
        Column("gave", WORDS, "input that the system behind got in place of the user's words or meaning"),
        Column("proposed", WORDS, "reply of the program; its acts are in the layer `proposed`"),
        Column("proposed_end", FLAG, "the program would have ended the dialogue; null: not stopped"),
    ),
)


TOOL_CALLS: Final = Table(
    "tool_calls",
    "one tool call by the system",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn of the call; null: no turn followed"),
        Column("call_index", INTEGER, "0-based order within the dialogue", True),
        Column("name", LABEL, "tool name", True),
        Column("arguments", WORDS, "arguments as JSON, or the model's text if it is not JSON"),
        Column("result", WORDS, "result of the tool; null: it failed, or the result was not logged"),
        Column("failed", FLAG, "the tool or its caller reported an error; null: not logged"),
        Column("error", TRACE, "error message"),
        Column("started_s", REAL, "time of the call"),
        Column("duration_s", REAL, "seconds from the call to its result"),
    ),
)

USAGE: Final = Table(
    "usage",
    "usage of one model call, or of several that a log sums up",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn of the call; null: the whole dialogue"),
        Column("usage_index", INTEGER, "0-based order within the dialogue", True),
        Column("model", LABEL, "model that answered, otherwise the requested model; null: not logged"),
        Column("input_tokens", LONG, "input tokens, including cached ones"),
        Column("cached_tokens", LONG, "cached input tokens"),
        Column("output_tokens", LONG, "output tokens, including reasoning"),
        Column("reasoning_tokens", LONG, "reasoning tokens"),
        Column("cost", REAL, "cost by the study's price list; null: no price for the model"),
        Column("currency", LABEL, "currency of the price list; null: no price list"),
    ),
)

RETRIEVALS: Final = Table(
    "retrievals",
    "a document that the system looked up for its answer",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "system turn of the retrieval; null: no turn followed"),
        Column("retrieval_index", INTEGER, "0-based order within the dialogue", True),
        Column("rank", INTEGER, "0-based rank among the documents of one answer", True),
        Column("query", WORDS, "query; null: not logged"),
        Column("document", WORDS, "retrieved text; null: not logged"),
        Column("source", LABEL, "source as reported by the system: address, title or key"),
        Column("score", REAL, "the system's own score for it"),
    ),
)

JUDGEMENTS: Final = Table(
    "judgements",
    "an automatic judgement of one dialogue or turn, or of two answers to one message",
    (
        Column("judge", LABEL, "name of the judge", True),
        Column("kind", LABEL, "kind of judge: openai, model, python, person, or from a package", True),
        Column("target", LABEL, "judged item, layer.label, or preference", True),
        DIALOGUE._replace(meaning="judged dialogue, or the one of the first answer"),
        Column("turn_index", INTEGER, "judged turn; null: a dialogue, or two answers"),
        Column("other_dialogue_id", KEY, "dialogue of the second answer; null: a single dialogue"),
        Column(
            "exchange", INTEGER, "1-based number of the message that both answer; null: a single dialogue"
        ),
        Column(
            "value",
            REAL,
            "code on the item's scale, a mean if repeated; for two answers 1: the first is "
            "better, 0: the second, 0.5: neither; null: no answer",
        ),
        Column("confidence", REAL, "confidence, 0 to 1; null: not reported"),
        Column("trouble", LABEL, "reason for a missing answer: refused, unreadable, unreachable or unknown"),
        Column(
            "first_chosen",
            REAL,
            "share of answers for the candidate presented first, when both orders were requested",
        ),
        Column("asked", INTEGER, "number of requests", True),
        Column("refused", INTEGER, "number of refusals, or of answers that it cannot tell", True),
        Column("unreadable", INTEGER, "number of unreadable answers", True),
        Column("input_tokens", LONG, "input tokens; null: not reported"),
        Column("output_tokens", LONG, "output tokens; null: not reported"),
        Column("cost", REAL, "cost in the currency of its prices; null: no price"),
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
