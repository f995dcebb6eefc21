"""One dialogue's events as rows of the dataset's tables, with a wizard's work."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ConfigDict, ValidationError

from vivavoce.dataset.turn_flags import turn_flags
from vivavoce.log.call_events import SpeechHeard, SpeechMissed
from vivavoce.log.events import (
    AgentRows,
    LoggedAct,
    LoggedHypothesis,
    NoAnswer,
    SystemTurnFailed,
    SystemTurnReceived,
    TurnRecognised,
    UserTurnSent,
    WordsShown,
)
from vivavoce.log.history import DialogueHistory
from vivavoce.log.models import StoredEvent
from vivavoce.log.overheard_turns import heard_turns
from vivavoce.log.playback_events import SoundPlayed, WordsPlayed
from vivavoce.log.queries import Reader
from vivavoce.study.flags import FlagRules
from vivavoce.study.prices import Prices

Row = dict[str, Any]
AS_IT_WAS: Final = ("proposal", "greeting")
RECOGNITION: Final = "recognition"
MANAGEMENT: Final = "management"


class WizardFacts(BaseModel):
    """Parts that the wizard played; `proposed` is the text, acts and end from the program behind."""

    model_config = ConfigDict(frozen=True)
    wizard: str
    replaces: str
    source: str = "free"
    label: str | None = None
    strategy: str | None = None
    gave: str | None = None
    proposed: str | None = None
    proposed_acts: list[LoggedAct] | None = None
    proposed_end: bool | None = None


class WizardTurn(NamedTuple):
    """A system turn by the side of which a wizard stood.

    acts      what was really done: null where a person spoke in place of the program
    proposed  what the program would have done instead
    """

    facts: WizardFacts
    acts: list[LoggedAct] | None
    proposed: list[LoggedAct]


def wizard_turn(event: SystemTurnReceived) -> WizardTurn | None:
    """The wizard's part in a system turn; None where there was none.

    Note  older logs hold the acts of a proposal as those of the turn, whatever the wizard said: they are told
          apart by the source of the words
    """
    facts = next((parsed for raw in event.raw or [] if (parsed := _facts(raw)) is not None), None)
    if facts is None:
        return None
    if facts.replaces != MANAGEMENT or facts.source in AS_IT_WAS:
        return WizardTurn(facts, event.acts, [])
    return WizardTurn(facts, None, facts.proposed_acts or event.acts or [])


def _facts(raw: Any) -> WizardFacts | None:
    try:
        return WizardFacts.model_validate(raw)
    except ValidationError:
        return None  # a fact of the bot's own


def wizard_row(event: SystemTurnReceived, facts: WizardFacts) -> Row:
    """The row of `wizard_turns`; `wizard` is the name, which `pseudonymous` replaces."""
    columns = facts.model_dump(exclude={"proposed_acts"})
    return {"dialogue_id": event.dialogue_id, "turn_index": event.turn_index, **columns}


def pseudonymous(rows: Iterable[Row], salt: str) -> Iterable[Row]:
    """The rows with a pseudonym in the place of each wizard's name; the salt is in no export."""
    for row in rows:
        name = row.pop("wizard")
        yield row | {"wizard_id": "wizard-" + hashlib.sha256(f"{salt}:{name}".encode()).hexdigest()[:12]}


LIVE: Final = "live"
FOR_LOG: Final = "log"
Parser = Callable[[str, str, list[LoggedAct]], list[LoggedAct]]


@dataclass(frozen=True)
class Readers:
    """Readers of meaning in bare text: a parser of user turns, and rules for the turns of each system.

    references  accepted transcripts by dialogue and turn; without one a turn is what was typed, and null
                where it was spoken
    salt        what keeps wizards' pseudonyms from being guessed
    prices      what models cost; None: nobody says
    """

    parse: Parser | None = None
    flags: Mapping[str, FlagRules] = field(default_factory=dict[str, FlagRules])
    references: Mapping[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    salt: str = ""
    prices: Prices | None = None


@dataclass
class DialogueRows:
    """The rows that one dialogue adds to the dataset, in the order of its events.

    Times of turns count from DialogueOpened: on the monotonic clock while one process ran, by the wall clock
    across a restart of it; a wall clock that was set back in between leaves the time missing. The turn after
    a restart is marked `restarted`, so that nobody takes our absence for a delay of system or user.
    """

    history: DialogueHistory
    readers: Readers = field(default_factory=Readers)
    turns: list[Row] = field(default_factory=list)
    hypotheses: list[Row] = field(default_factory=list)
    acts: list[Row] = field(default_factory=list)
    incidents: list[Row] = field(default_factory=list)
    utterances: list[Row] = field(default_factory=list)
    wizard_turns: list[Row] = field(default_factory=list)
    agent: AgentRows = field(init=False)
    _said_before: list[LoggedAct] = field(default_factory=list)
    _heard: list[SpeechHeard] = field(default_factory=list)
    _played: dict[int, SoundPlayed] = field(default_factory=dict)
    _shown_s: float | None = None
    _boot: str | None = None

    def __post_init__(self) -> None:
        self.agent = AgentRows(self.history.dialogue_id, self.readers.prices)
        played = self.history.of(SoundPlayed)  # a page may play one once more
        self._played = {event.turn_index: event for event in reversed(played) if not event.again}
        for stored in self.history.events:
            self._take(stored)

    def _take(self, stored: StoredEvent) -> None:
        match stored.event:
            case UserTurnSent() as event:
                self._user_turn(stored, event)
            case SystemTurnReceived() as event:
                self._system_turn(stored, event)
                self.agent.take(event.agent, event.turn_index, answers=event.reply_to is not None)
            case WordsShown():
                self._shown_s = self.history.elapsed_s(stored) if self._shown_s is None else self._shown_s
            case NoAnswer() as event:
                self._shown_s = None
                self.agent.take(event.agent, None, answers=event.reply_to is not None)
            case TurnRecognised() as event:
                self._add_hypotheses(event.turn_index, FOR_LOG, event.heard)
            case SpeechMissed() as event:
                self._add_utterance("user", None, "missed", event.onset_s, event.offset_s)
            case SoundPlayed() as event if event is self._played.get(event.turn_index):
                self._add_utterance("system", event.turn_index, "turn", *_span(event))
            case WordsPlayed() as event:
                self._add_utterance("system", None, event.words, *_span(event))
            case SystemTurnFailed() as event:
                self._incident(stored, event)
                self.agent.take(event.agent, None, answers=False)
            case SpeechHeard() as event:
                self._heard.append(event)
                self.turns = heard_turns(event.dialogue_id, self._heard)
            case _:
                pass

    def dialogue(self, **facts: Any) -> Row:
        """The row of `dialogues`; facts are the columns that the visit knows."""
        history = self.history
        factors = {f"factor_{name}": value for name, value in history.factors.items()}
        return (
            facts
            | factors
            | {
                "dialogue_id": history.dialogue_id,
                "system": history.system,
                "condition": history.condition or history.system,
                "strategy": next((row["strategy"] for row in self.wizard_turns if row["strategy"]), None),
                "task_id": history.task_id,
                "task_text": history.task_text,
                "channel": history.channel,
                "spoken": history.spoken,
                "calls_out": history.calls_out,
                "language": history.language,
                "started_at": history.opened.at if history.opened else None,
                "ended_at": history.ended.at if history.ended else None,
                "duration_s": self._duration_s(),
                "code_issued": history.code is not None,
                "tools_logged": self.agent.all_told or None,
            }
        )

    def goals(self) -> Iterable[Row]:
        """The rows of `goals`: the assigned goal, and the alternative after it."""
        task = self.history.task
        if not task:
            return
        goal_constraints = [task.get("constraints") or {}]
        if task.get("alternative"):
            goal_constraints.append(task["alternative"].get("constraints") or {})
        for index, constraints in enumerate(goal_constraints):
            goal = {"dialogue_id": self.history.dialogue_id, "goal_index": index, "origin": "assigned"}
            if task.get("type"):
                yield goal | {"kind": "type", "op": "=", "value": task["type"]}
            for slot, value in constraints.items():
                yield goal | {"kind": "constraint", "slot": slot, "op": "=", "value": value}
            for slot in task.get("requests") or ():
                yield goal | {"kind": "request", "slot": slot}

    def _turn(self, turn_index: int) -> Row:
        return {"dialogue_id": self.history.dialogue_id, "turn_index": turn_index}

    def _user_turn(self, stored: StoredEvent, event: UserTurnSent) -> None:
        turn = self._turn(event.turn_index)
        hypotheses = [hypothesis for hypothesis in event.heard if hypothesis.text is not None]
        words = self.readers.references.get((event.dialogue_id, event.turn_index), self._known_words(event))
        sent_s = self.history.elapsed_s(stored)
        times = {"onset_s": _typing_began(event, sent_s), "offset_s": sent_s, "sent_s": sent_s}
        if self._was_spoken(event):
            times = {"onset_s": event.onset_s, "offset_s": event.offset_s, "sent_s": None}
            if event.onset_s is not None and event.offset_s is not None:
                self._add_utterance("user", event.turn_index, "turn", event.onset_s, event.offset_s)
        self.turns.append(
            turn
            | {
                "party": "user",
                "text": hypotheses[0].text
                if hypotheses
                else (event.text or None if event.sound else event.text),
                "reference": words,
                "barge_in": event.barge_in,
                "by_sound": event.sound is not None,
                "restarted": self._restarted(stored),
            }
            | times
        )
        self._add_hypotheses(event.turn_index, LIVE, hypotheses)
        self._note_played(event)
        if event.meant is not None:
            self._add_meaning(turn, "simulator", event.meant)
        elif self.readers.parse is not None and words is not None:
            acts = self.readers.parse(words, self.history.language, list(self._said_before))
            self._add_meaning(turn, "parser", acts)

    def _add_hypotheses(self, turn_index: int, source: str, hypotheses: Sequence[LoggedHypothesis]) -> None:
        self.hypotheses += [
            self._turn(turn_index)
            | {"source": source, "rank": rank, "text": hypothesis.text, "score": hypothesis.score}
            for rank, hypothesis in enumerate(hypotheses)
            if hypothesis.text is not None
        ]

    def _note_played(self, event: UserTurnSent) -> None:
        """Note how much was heard of the system turn that this one cut off."""
        before = next((row for row in reversed(self.turns) if row["party"] == "system"), None)
        if event.played_s is not None and before is not None:
            before["played_s"] = event.played_s

    def _note_heard(self, event: SystemTurnReceived) -> None:
        """Note the system's own recognition where no other words are known."""
        user_turn = next((row for row in self.turns if row["turn_index"] == event.reply_to), None)
        if event.heard and user_turn is not None:
            self._add_hypotheses(user_turn["turn_index"], LIVE, event.heard)
            user_turn["text"] = user_turn["text"] or event.heard[0].text

    def _note_gave(self, event: SystemTurnReceived, facts: WizardFacts) -> None:
        """Note a wizard's text in place of a recogniser: the dialogue went by that alone."""
        user_turn = next((row for row in self.turns if row["turn_index"] == event.reply_to), None)
        if facts.replaces != RECOGNITION or facts.gave is None or user_turn is None:
            return
        for row in self.hypotheses:
            if row["turn_index"] == user_turn["turn_index"] and row["source"] == LIVE:
                row["source"] = FOR_LOG
        self._add_hypotheses(user_turn["turn_index"], LIVE, [LoggedHypothesis(text=facts.gave)])
        user_turn["text"] = facts.gave

    def _restarted(self, stored: StoredEvent) -> bool:
        """True if another process logs this turn than the one before: the time between is our absence."""
        before, self._boot = self._boot or (self.history.opened or stored).boot, stored.boot
        return before != stored.boot

    def _known_words(self, event: UserTurnSent) -> str | None:
        """Words of the turn; null where a person spoke, for the log then holds only the recognised text."""
        if event.sound is not None:
            return None
        return None if self._was_spoken(event) else event.text

    def _was_spoken(self, event: UserTurnSent) -> bool:
        """True if the person spoke the turn: a dialogue by voice also allows writing."""
        has_speech = bool(event.heard) or event.sound is not None
        return self.history.spoken is not False and has_speech and event.meant is None

    def _add_utterance(
        self, party: str, turn_index: int | None, content: str, onset_s: float, offset_s: float
    ) -> None:
        self.utterances.append(
            {
                "dialogue_id": self.history.dialogue_id,
                "party": party,
                "turn_index": turn_index,
                "content": content,
                "onset_s": onset_s,
                "offset_s": offset_s,
                "source": "endpointing" if party == "user" else "playback",
            }
        )

    def _system_turn(self, stored: StoredEvent, event: SystemTurnReceived) -> None:
        turn = self._turn(event.turn_index)
        played, playback = wizard_turn(event), self._played.get(event.turn_index)
        onset_s, offset_s = _span(playback) if playback else (event.first_output_s, event.complete_s)
        acts = played.acts if played else event.acts
        self._said_before = acts or []
        self._note_heard(event)
        words = event.text if event.messages or event.sound is None else None
        self.turns.append(
            turn
            | {
                "party": "system",
                "text": words,
                "reference": words,
                "by_sound": event.sound is not None,
                "onset_s": onset_s,
                "offset_s": offset_s,
                "first_output_s": event.first_output_s,
                "complete_s": event.complete_s,
                "first_shown_s": self._shown_s,
                "restarted": self._restarted(stored),
            }
            | turn_flags(words, _names(acts), self.readers.flags.get(self.history.system))
        )
        self._shown_s = None
        self._add_acts(turn, "system", "bot", self._said_before)
        if played:
            self.wizard_turns.append(wizard_row(event, played.facts))
            self._add_acts(turn, "proposed", "bot", played.proposed)
            self._note_gave(event, played.facts)
        if event.reply_to is not None:
            answered = self._turn(event.reply_to)
            for rank, understanding in enumerate(event.understood):
                self._add_acts(answered, "understood", "bot", understanding.acts, rank, understanding.score)

    def _add_acts(
        self,
        turn: Row,
        layer: str,
        source: str,
        acts: Sequence[LoggedAct],
        rank: int = 0,
        score: float | None = None,
    ) -> None:
        origin = {"layer": layer, "source": source, "rank": rank, "score": score}
        self.acts += [
            turn | origin | {"position": position} | act.model_dump(include={"act", "slot", "op", "value"})
            for position, act in enumerate(acts)
        ]

    def _add_meaning(self, turn: Row, source: str, acts: Sequence[LoggedAct]) -> None:
        """Add the user's meaning; a turn without one has the act `null`, not to be read as missing."""
        self._add_acts(turn, "reference", source, acts or [LoggedAct(act="null")])

    def _incident(self, stored: StoredEvent, event: SystemTurnFailed) -> None:
        self._shown_s = None
        self.incidents.append(
            {
                "dialogue_id": event.dialogue_id,
                "turn_index": event.reply_to,
                "failure": event.failure,
                "detail": event.detail,
                "happened_at": stored.at,
                "shown": event.shown or None,
            }
        )

    def _duration_s(self) -> float | None:
        """First onset to last offset; without turns the time until the end, as far as it is known."""
        times = [row[name] for row in self.turns for name in ("onset_s", "offset_s") if row[name] is not None]
        if times:
            return max(times) - min(times)
        return self.history.duration_s


def _span(played: SoundPlayed | WordsPlayed) -> tuple[float, float]:
    return played.started_s, played.started_s + played.played_s


def _names(acts: Sequence[LoggedAct] | None) -> list[str] | None:
    return None if acts is None else [act.act for act in acts]


def _typing_began(event: UserTurnSent, sent_s: float | None) -> float | None:
    """Time of the first key press: the browser's own difference, subtracted from the moment of sending."""
    if sent_s is None or event.response_delay_s is None or event.first_key_delay_s is None:
        return None
    return sent_s - (event.response_delay_s - event.first_key_delay_s)


def logged_dialogue(log: Reader, dialogue_id: str) -> DialogueRows | None:
    """The rows of one dialogue as the log holds it now; None where it was never assigned."""
    history = log.dialogue_history(dialogue_id)
    return DialogueRows(history) if history is not None else None
