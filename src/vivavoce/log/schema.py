"""The dataset's tables: every column with its type, unit and meaning.

Changes are additive. Keys end in `_id`, instants in `_at` (UTC), units are suffixes (`_s`, `_count`);
missing is null. A turn is named by `dialogue_id` and `turn_index`, 0-based over both parties.
Times of turns are seconds since the dialogue's start, on the monotonic clock of whoever logged it.
Conditions of a study are extra columns `factor_<name>` (text) of `dialogues`.
"""

from typing import Final, NamedTuple

import pyarrow as pa

SCHEMA_VERSION: Final = 1
FACTOR_PREFIX: Final = "factor_"

TEXT, INTEGER, REAL, FLAG = pa.string(), pa.int32(), pa.float64(), pa.bool_()
INSTANT = pa.timestamp("us", tz="UTC")


class Column(NamedTuple):
    """One column of a dataset table; `required` columns are never null."""

    name: str
    type: pa.DataType
    meaning: str
    required: bool = False


class Table(NamedTuple):
    """One dataset table: what a row is, and its columns in order."""

    name: str
    row: str
    columns: tuple[Column, ...]

    def arrow(self, factors: tuple[str, ...] = ()) -> pa.Schema:
        """The Arrow schema; `factors` are names without prefix, for `dialogues` only."""
        fields = [pa.field(c.name, c.type, nullable=not c.required) for c in self.columns]
        fields += [pa.field(FACTOR_PREFIX + name, TEXT) for name in factors]
        return pa.schema(fields)


DIALOGUE = Column("dialogue_id", TEXT, "key of the dialogue", True)
TURN = Column("turn_index", INTEGER, "0-based position over both parties", True)
PARTICIPANT = Column("participant_id", TEXT, "pseudonymous key of the participant; null when unknown")

DIALOGUES = Table(
    "dialogues",
    "a dialogue",
    (
        DIALOGUE,
        Column("study", TEXT, "name of the study", True),
        Column("system", TEXT, "name of the system under test", True),
        Column(
            "condition", TEXT, "cell of the design; the system's name where the study has no factors", True
        ),
        PARTICIPANT,
        Column("visit_id", TEXT, "visit during which it took place"),
        Column("task_id", TEXT, "assigned task"),
        Column("task_text", TEXT, "the task as the participant read it"),
        Column("dialogue_number", INTEGER, "1-based order among this participant's dialogues"),
        Column("channel", TEXT, "text, voice, phone or multimodal", True),
        Column("language", TEXT, "BCP 47 tag", True),
        Column("started_at", INSTANT, "start, UTC"),
        Column("ended_at", INSTANT, "end, UTC; null when it never ended"),
        Column("duration_s", REAL, "end minus start on one clock: first onset to last offset"),
        Column("timing_origin", TEXT, "who says when turns began and ended: sound; null: the log"),
        Column("end_reason", TEXT, "user, system, limit, failure, abandoned; null when unknown"),
        Column("code_issued", FLAG, "an earned code was issued, that is, the dialogue was not trivial"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

TURNS = Table(
    "turns",
    "a turn of one party",
    (
        DIALOGUE,
        TURN,
        Column("party", TEXT, "user or system", True),
        Column("text", TEXT, "what was shown or recognised (first hypothesis)"),
        Column("reference", TEXT, "what was really said: transcript, or the typed text itself"),
        Column("asr_status", TEXT, "ok, rejected or timeout; null for text"),
        Column("onset_s", REAL, "start of speech or of display"),
        Column("offset_s", REAL, "end of speech or of display"),
        Column("sent_s", REAL, "the participant pressed send; null for speech"),
        Column("first_output_s", REAL, "first output of the system arrived"),
        Column("complete_s", REAL, "the system's turn was complete"),
        Column("barge_in", FLAG, "the user started while the system was still speaking"),
        Column("by_sound", FLAG, "it went over as sound: the system itself heard it, or spoke it"),
        Column("played_s", REAL, "of a system turn that was spoken into: seconds of it that were played"),
        Column("question", FLAG, "a system turn that asks for information"),
        Column("help", FLAG, "a system turn that tells the options"),
        Column("error_message", FLAG, "a system turn that says it cannot do a thing"),
        Column("rejection_prompt", FLAG, "a system turn that says it did not understand"),
        Column("timeout_prompt", FLAG, "a system turn prompted by silence"),
        Column("question_origin", TEXT, "who says whether it is a question: acts, rules"),
        Column("help_origin", TEXT, "who says whether it is help: acts, rules"),
        Column("error_message_origin", TEXT, "who says whether it is an error message: acts, rules"),
        Column("rejection_prompt_origin", TEXT, "who says whether it is a rejection: acts, rules"),
        Column("timeout_prompt_origin", TEXT, "who says whether it is a time-out prompt: acts, rules"),
    ),
)

HYPOTHESES = Table(
    "hypotheses",
    "one recognition hypothesis of a user turn",
    (
        DIALOGUE,
        TURN,
        Column(
            "source", TEXT, "live: what the dialogue went by; log: ours, for the log alone; batch, ...", True
        ),
        Column("rank", INTEGER, "0-based, best first", True),
        Column("text", TEXT, "the hypothesis", True),
        Column("score", REAL, "as the recogniser gave it"),
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
            TEXT,
            "system (what the system did), understood (what it took the user to mean), "
            "reference (what the user meant)",
            True,
        ),
        Column("source", TEXT, "who says so: bot, label, parser, simulator, annotator", True),
        Column("rank", INTEGER, "0-based hypothesis, 0 where there is only one", True),
        Column("position", INTEGER, "0-based order within the hypothesis", True),
        Column("act", TEXT, "inform, request, offer, confirm, negate, deny, reqalts, bye, ...", True),
        Column("slot", TEXT, "slot the act is about; for request the slot asked for"),
        Column("op", TEXT, "= or !="),
        Column("value", TEXT, "value; null for a request"),
        Column("score", REAL, "of the hypothesis"),
    ),
)

GOALS = Table(
    "goals",
    "one item of an assigned goal",
    (
        DIALOGUE,
        Column("goal_index", INTEGER, "0-based; an alternative goal of the task comes after its first", True),
        Column("origin", TEXT, "assigned or inferred", True),
        Column("kind", TEXT, "type, constraint, request or exclusion", True),
        Column("slot", TEXT, "slot; null for type"),
        Column("op", TEXT, "= or !="),
        Column("value", TEXT, "value, `dontcare` included; null for a request"),
    ),
)

ENTITIES = Table(
    "entities",
    "one slot of one entity of the domain database",
    (
        Column("entity_id", TEXT, "key of the entity", True),
        Column("name", TEXT, "its name as systems say it", True),
        Column("slot", TEXT, "slot", True),
        Column("value", TEXT, "value", True),
        Column(
            "source", TEXT, "database, or self_reported when collected from the system's own offers", True
        ),
        Column("match", TEXT, "exact, or prefix where a spoken form may be cut short (postcodes)", True),
    ),
)

RATINGS = Table(
    "ratings",
    "one answered questionnaire item",
    (
        Column("dialogue_id", TEXT, "dialogue it is about; null for a whole visit"),
        Column("visit_id", TEXT, "visit"),
        PARTICIPANT,
        Column("instrument", TEXT, "questionnaire", True),
        Column("wording", TEXT, "which wording was shown: project, or the user's file"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("item_id", TEXT, "item", True),
        Column("role", TEXT, "subjective_success for the item that asks it, else null"),
        Column("value", REAL, "raw code as answered, never recoded; null for free text"),
        Column("answer", TEXT, "label chosen, or free text"),
        Column("answered_at", INSTANT, "UTC"),
    ),
)

PARTICIPANTS = Table(
    "participants",
    "one participant",
    (
        Column("participant_id", TEXT, "pseudonymous key", True),
        Column("pool", TEXT, "where they came from: link, prolific, simulation, corpus"),
        Column("language", TEXT, "BCP 47 tag of the interface"),
        Column("first_seen_at", INSTANT, "UTC"),
        Column("outcome", TEXT, "completed, screened_out, no_consent, withdrew, timed_out, running"),
        Column("attributes", TEXT, "further attributes as a JSON object"),
        Column("simulated", FLAG, "a program", True),
    ),
)

ANNOTATIONS = Table(
    "annotations",
    "one label by one annotator",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "turn it is about; null for the dialogue"),
        Column("layer", TEXT, "scheme layer", True),
        Column("label", TEXT, "label", True),
        Column("value", TEXT, "value of a label that takes one"),
        Column("annotator_id", TEXT, "pseudonymous key", True),
        Column("annotated_at", INSTANT, "UTC"),
    ),
)

INCIDENTS = Table(
    "incidents",
    "one thing that went wrong with a system under test",
    (
        DIALOGUE,
        Column("turn_index", INTEGER, "user turn that went unanswered; null at the opening"),
        Column("failure", TEXT, "unreachable, timeout, bad_answer, refused, closed, interrupted", True),
        Column("detail", TEXT, "what was seen, secrets removed"),
        Column("happened_at", INSTANT, "UTC"),
    ),
)

PREFERENCES = Table(
    "preferences",
    "one question answered about one pair of transcripts",
    (
        PARTICIPANT,
        Column("visit_id", TEXT, "visit", True),
        Column("comparison_number", INTEGER, "1-based place of the pair in what this participant saw"),
        Column("role", TEXT, "main, attention or repeat", True),
        Column("pair_id", TEXT, "pair of transcripts", True),
        Column("variable", TEXT, "interaction strategy in which the two differ", True),
        Column("change", TEXT, "substitution or insertion"),
        Column("control_level", TEXT, "level of the control transcript", True),
        Column("experimental_level", TEXT, "level of the experimental transcript", True),
        Column("question", TEXT, "question", True),
        Column("quality", TEXT, "service or experience"),
        Column("choice", TEXT, "control, experimental or tie", True),
        Column("side", TEXT, "side of the one preferred: left (or first), right; null for a tie"),
        Column("experimental_side", TEXT, "side of the experimental transcript; null when not recorded"),
        Column("strength", INTEGER, "1 slightly, 2 clearly, 3 very much; null where not asked, or for a tie"),
        Column("presentation", TEXT, "together or in-turn"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("control_tokens", INTEGER, "length of the control transcript"),
        Column("experimental_tokens", INTEGER, "length of the experimental transcript"),
        Column("response_s", REAL, "from when the pair was due to its answers"),
        Column("total_s", REAL, "the participant's whole response; null when it was not finished"),
        Column("accepted", FLAG, "the whole response counts; null when it was not finished"),
        Column("flags", TEXT, "what is odd about the whole response, joined by spaces"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

STRESS = Table(
    "stress",
    "one application of one linguistic stress test, or one test that did not apply",
    (
        Column("run_id", TEXT, "run of stress tests", True),
        Column("case_id", TEXT, "application within the run; null for a test that did not apply"),
        Column("system", TEXT, "system under test", True),
        Column("test", TEXT, "ST-1 to ST-11, or a test of one's own", True),
        Column("family", TEXT, "spelling, lexical or syntactic", True),
        Column("language", TEXT, "BCP 47 tag", True),
        Column("channel", TEXT, "text or voice"),
        Column("dialogue_id", TEXT, "logged interaction that was replayed; null for one made ad hoc"),
        Column("turn_index", INTEGER, "user turn that was substituted, 0-based over both parties"),
        Column("original", TEXT, "the utterance as it was logged"),
        Column("text", TEXT, "the utterance with its one substitution"),
        Column("rule", TEXT, "what was substituted"),
        Column("confidence", REAL, "of the operator that proposed it, 0 to 1"),
        Column("approval", TEXT, "none, accept, edit or write: how a person approved the variant"),
        Column("ad_hoc", FLAG, "made for the test; the log had no fitting utterance"),
        Column("status", TEXT, "applied, not_applicable, not_admitted, invalid or unfinished", True),
        Column(
            "verdict", TEXT, "pass, fail, clarification, unsure, invalid_variant; a person's stands above"
        ),
        Column("verdict_automatic", TEXT, "verdict of the ladder without people"),
        Column("verdict_of_person", TEXT, "the majority of people's verdicts, the last one's without one"),
        Column("judges", INTEGER, "people who gave a verdict"),
        Column("rung", TEXT, "what decided: task_outcome, acts, exact_match, model, person"),
        Column("rung_automatic", TEXT, "what decided or, where nothing could, suspects, without people"),
        Column("suspicion", TEXT, "what guards or similarity, which may not decide, speak for"),
        Column("reason", TEXT, "why, in words; why a test did not apply, or an interaction was not admitted"),
        Column("similarity", REAL, "of the answers to variant and original, -1 to 1"),
        Column("repeats", INTEGER, "replays of original and of variant that were planned"),
        Column("continuation", TEXT, "logged or simulated: who goes on after the utterance"),
        Column("first_score", REAL, "1 the first replay of the variant passed, 0 not; null unsure"),
        Column("clean_count", INTEGER, "replays of the original, admission left out, that were decided"),
        Column("clean_passed_count", INTEGER, "those of them that passed"),
        Column("variant_count", INTEGER, "replays of the variant that were decided"),
        Column("variant_passed_count", INTEGER, "those of them that passed"),
        Column("clean_transcript", TEXT, "first replay of the original: JSON of party, text, injected"),
        Column("transcript", TEXT, "first replay of the variant: JSON of party, text, injected"),
        Column("speech", TEXT, "JSON of who spoke, who listened, and the damage; null in writing"),
        Column("clean_heard", TEXT, "what was recognised of the original, first replay; null in writing"),
        Column("heard", TEXT, "what was recognised of the variant, first replay; null in writing"),
    ),
)

STEPS = Table(
    "steps",
    "one step that a participant went through",
    (
        Column("visit_id", TEXT, "visit", True),
        PARTICIPANT,
        Column("number", INTEGER, "1-based order within the visit", True),
        Column("kind", TEXT, "dialogue, or the step's: consent, page, questionnaire, elicit, ...", True),
        Column("name", TEXT, "the questionnaire's name; null for other kinds"),
        Column("dialogue_id", TEXT, "dialogue that it was, or that the form is about"),
        Column("began_at", INSTANT, "end of the step before it, or start of the dialogue, UTC"),
        Column("ended_at", INSTANT, "UTC"),
        Column("duration_s", REAL, "from begin to end by the wall clock, pauses included"),
    ),
)

COMMANDS = Table(
    "commands",
    "one spoken or typed command with its predicates",
    (
        Column("command_id", TEXT, "key of the command", True),
        PARTICIPANT,
        Column("recipe", TEXT, "recipe, or other sequence, in which earlier commands are context"),
        Column("utterance", INTEGER, "its number within the recipe or speaker"),
        Column("frame", TEXT, "stimulus after which it was given"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("text", TEXT, "what was said: typed, or transcribed"),
        Column("recording", TEXT, "audio file, relative to the dataset"),
        Column("duration_s", REAL, "length of the recording"),
        Column("microphone_distance_m", REAL, "between mouth and microphone"),
        Column("annotation", TEXT, "predicates in the final notation; null when none, or unreadable"),
        Column("annotation_written", TEXT, "the annotation as it was found, where it may differ"),
        Column("annotator_id", TEXT, "pseudonymous key; adjudicated where annotators differed"),
        Column("given_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "given by a program", True),
    ),
)

RECORDINGS = Table(
    "recordings",
    "one audio file, or the stone of one that was removed",
    (
        Column("recording_id", TEXT, "key of the recording", True),
        PARTICIPANT,
        Column("visit_id", TEXT, "visit", True),
        Column("content", TEXT, "command, commands, dialogue, turn or check: what it holds", True),
        Column("speakers", TEXT, "who is heard on each channel, in order, joined by spaces", True),
        Column("step", INTEGER, "0-based step of the visit"),
        Column("item", INTEGER, "0-based stimulus within the step"),
        Column("dialogue_id", TEXT, "dialogue that it holds, or a turn of it"),
        Column("turn_index", INTEGER, "turn, where it holds a single one"),
        Column("started_s", REAL, "from the opening of the dialogue to the first frame"),
        Column("file", TEXT, "audio file, relative to the dataset, if it was copied; null when removed"),
        Column("media_type", TEXT, "such as audio/wav", True),
        Column("channels", INTEGER, "channels", True),
        Column("sample_rate_hz", INTEGER, "frames a second", True),
        Column("frames", pa.int64(), "frames in each channel", True),
        Column("duration_s", REAL, "length: frames by sample rate", True),
        Column("byte_count", pa.int64(), "size of the file", True),
        Column("sha256", TEXT, "of the file's bytes, hexadecimal", True),
        Column("microphone_distance_m", REAL, "between mouth and microphone"),
        Column("clips", INTEGER, "clips that it was laid out of; null: recorded as it is"),
        Column("clips_placed", INTEGER, "of these, how many lie where they were offered: untimed"),
        Column("recorded_at", INSTANT, "when it was stored, UTC", True),
        Column("removed_at", INSTANT, "when its file was deleted, UTC"),
        Column("removal", TEXT, "redone, withdrawal, erasure or retention: why"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

READINGS = Table(
    "readings",
    "one item answered about one transcript that was read",
    (
        PARTICIPANT,
        Column("visit_id", TEXT, "visit", True),
        Column("reading_number", INTEGER, "1-based place in what this participant read", True),
        Column("pair_id", TEXT, "pair of transcripts that it belongs to", True),
        Column("variable", TEXT, "interaction strategy in which the two of the pair differ", True),
        Column("change", TEXT, "substitution or insertion"),
        Column("version", TEXT, "control or experimental", True),
        Column("level", TEXT, "level of the strategy in it", True),
        Column("role", TEXT, "main, or attention: a broken transcript; null in older datasets: main"),
        Column("instrument", TEXT, "questionnaire", True),
        Column("wording", TEXT, "which wording was shown: project, or the user's file"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("item_id", TEXT, "item", True),
        Column("value", REAL, "raw code as answered, never recoded; null for free text"),
        Column("answer", TEXT, "label chosen, or free text"),
        Column("tokens", INTEGER, "length of the transcript"),
        Column("response_s", REAL, "from when the transcript was due to its answers"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

LISTENING = Table(
    "listening",
    "one clip that was rated, or one pair of clips that was compared, by ear",
    (
        PARTICIPANT,
        Column("visit_id", TEXT, "visit", True),
        Column("trial_number", INTEGER, "1-based place in what this participant judged", True),
        Column("method", TEXT, "opinion (one clip) or pairs (two)", True),
        Column("pair_id", TEXT, "pair of clips; null for one clip"),
        Column("clip", TEXT, "file of the clip, or of the first of two", True),
        Column("condition", TEXT, "its condition", True),
        Column("other_clip", TEXT, "file of the second clip"),
        Column("other_condition", TEXT, "its condition"),
        Column("value", REAL, "of one clip: 1 bad, 2 poor, 3 fair, 4 good, 5 excellent"),
        Column("choice", TEXT, "of two: first, second or tie"),
        Column("plays", INTEGER, "how often clips were played to their end, as the page says"),
        Column("hearing", FLAG, "the participant counted the tones right; null where none were played"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("response_s", REAL, "from when the trial was due to its answer"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

VOTES = Table(
    "votes",
    "one vote on two answers to the same message",
    (
        PARTICIPANT,
        Column("visit_id", TEXT, "visit", True),
        Column("bout_id", TEXT, "two systems side by side", True),
        Column("bout_number", INTEGER, "1-based order among this visit's bouts", True),
        Column("exchange", INTEGER, "1-based number of the message in the bout", True),
        Column("left_system", TEXT, "system on the left", True),
        Column("right_system", TEXT, "system on the right", True),
        Column("left_dialogue_id", TEXT, "its dialogue", True),
        Column("right_dialogue_id", TEXT, "its dialogue", True),
        Column("left_turn_index", INTEGER, "its answer", True),
        Column("right_turn_index", INTEGER, "its answer", True),
        Column("choice", TEXT, "left, right, tie or both_bad", True),
        Column("leaks", TEXT, "sides whose answer named a system (masked on the page), joined by spaces"),
        Column("response_s", REAL, "from when both answers were there to the vote"),
        Column("language", TEXT, "BCP 47 tag"),
        Column("answered_at", INSTANT, "UTC"),
        Column("simulated", FLAG, "the participant was a program", True),
    ),
)

LOOKS = Table(
    "looks",
    "one pair of systems at one look of the declared stopping rule",
    (
        Column("look_number", INTEGER, "1-based; with `anytime` at which participant it was decided", True),
        Column("looks_planned", INTEGER, "how many were planned; null for `anytime`"),
        Column("rule", TEXT, "obrien_fleming, pocock or anytime", True),
        Column("measure", TEXT, "the primary comparison's", True),
        Column("participants", INTEGER, "with a finished visit by then", True),
        Column("information", REAL, "share of the planned information, by which boundaries go", True),
        Column("a", TEXT, "system", True),
        Column("b", TEXT, "system that it is compared with", True),
        Column("difference", REAL, "a minus b"),
        Column("low", REAL, "lower limit that holds at all looks together"),
        Column("high", REAL, "upper limit that holds at all looks together"),
        Column("statistic", REAL, "|z|, or the e-value with `anytime`"),
        Column("bar", REAL, "what the statistic must reach"),
        Column("verdict", TEXT, "of this pair: effect, equal, futility, end; null: go on"),
        Column("stop", TEXT, "what the look as a whole led to; null: the trial went on"),
        Column("taken_at", INSTANT, "UTC", True),
    ),
)

TABLES: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        DIALOGUES,
        TURNS,
        HYPOTHESES,
        ACTS,
        GOALS,
        ENTITIES,
        RATINGS,
        PARTICIPANTS,
        ANNOTATIONS,
        INCIDENTS,
        PREFERENCES,
        READINGS,
        LISTENING,
        VOTES,
        STRESS,
        COMMANDS,
        STEPS,
        RECORDINGS,
        LOOKS,
    )
}
