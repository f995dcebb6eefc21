"""One dialogue turn by turn for researchers."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.dashboard.domain_words import KIND, DomainWords
from vivavoce.dashboard.language import gettext, worded
from vivavoce.log import events as log_events
from vivavoce.log.dialogue_rows import WizardFacts, wizard_turn
from vivavoce.log.events import AgentWork, LoggedToolCall, LoggedUsage
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.log.models import StoredEvent
from vivavoce.reports.language import localised
from vivavoce.study.model import Study

HEARD: Final = ("heard by the channel", "heard by the system")
DIRECTIONS: Final = (N_("sent"), N_("received"))


@dataclass(frozen=True, slots=True)
class CommandFrame:
    """One message on the wire: name and content; longer_by: number of characters cut off."""

    direction: Literal["sent", "received"]
    what: str
    body: str
    longer_by: int


@dataclass(frozen=True, slots=True)
class WorkShown:
    """Activity of the system besides talking: a short title and named contents."""

    what: str
    contents: list[tuple[str, str]]


@dataclass(slots=True)
class TranscriptLine:
    """One line of a dialogue: a turn, a failure or a silence.

    at_s     seconds since the dialogue was opened
    delay_s  how long the party let the other wait; first_output_s: of a system, until its first words
    took_s   of a system's delay what passed from handing the user's turn over to it until its whole answer
    acts     dialogue acts in layers, each a list of hypotheses in words
    heard, understood  of a user turn the best of what was heard, and of what the system took it to mean
    wire     what was sent to the system and what came back, with secrets replaced by their names
    work     calls of tools, tokens of models, documents looked up
    """

    kind: Literal["user", "system", "failure", "silence"]
    text: str
    at_s: float | None
    turn_index: int | None = None
    delay_s: float | None = None
    first_output_s: float | None = None
    took_s: float | None = None
    heard: str = ""
    understood: str = ""
    notes: list[str] = field(default_factory=list)
    acts: dict[str, list[str]] = field(default_factory=dict)
    wire: list[CommandFrame] = field(default_factory=list)
    work: list[WorkShown] = field(default_factory=list)


@dataclass(slots=True)
class Rated:
    """One answered item, with the question as asked if the wording is known."""

    question: str
    answer: str
    value: float | None
    success: bool


@dataclass(slots=True)
class AnsweredForm:
    """One filled-in questionnaire."""

    instrument: str
    wording: str
    ratings: list[Rated]


@dataclass(frozen=True, slots=True)
class DialogueTranscript:
    """Lines of a dialogue in order, its task, and later remarks."""

    dialogue: DialogueHistory
    task: str
    goal: list[tuple[str, str]]
    lines: list[TranscriptLine]
    forms: list[AnsweredForm]


def make_transcript(study: Study, dialogue: DialogueHistory) -> DialogueTranscript:
    return DialogueTranscript(
        dialogue=dialogue,
        task=dialogue.task_text or "",
        goal=_goal(DomainWords(study.ontology), dialogue.task or {}),
        lines=[_line(dialogue, line) for line in dialogue.lines],
        forms=[_form(study, form) for form in dialogue.of(log_events.QuestionnaireAnswered)],
    )


def _line(dialogue: DialogueHistory, one: Turn | StoredEvent) -> TranscriptLine:
    if isinstance(one, Turn):
        at_s = dialogue.elapsed_s(one.stored)
        if isinstance(one.event, log_events.UserTurnSent):
            return _user_line(dialogue, one.event, one.text, at_s)
        return _system_line(one.event, at_s, _said_at_s(dialogue, one.event.reply_to))
    at_s = dialogue.elapsed_s(one)
    match one.event:
        case log_events.SystemTurnFailed() as event:
            notes = [gettext("previously: %(text)s", text=event.partial)] if event.partial else []
            text = f"{worded(event.failure.replace('_', ' '))}: {event.detail}"
            return TranscriptLine(
                "failure", text, at_s, notes=notes, wire=_frames(event.wire), work=_work(event.agent)
            )
        case event:
            text = gettext("No answer from the system.")
            if getattr(event, "reply_to", None) is None:
                text = gettext("The system did not speak first.")
            return TranscriptLine("silence", text, at_s, work=_work(getattr(event, "agent", None)))


@dataclass(frozen=True, slots=True)
class RawEvent:
    """Event as stored in the log; `at` in ISO 8601, `monotonic_s` in seconds since the process `boot`."""

    event_id: str
    visit_id: str
    seq: int
    at: str
    monotonic_s: float
    boot: str
    kind: str
    version: int
    client_key: str | None
    payload: Mapping[str, Any]


def raw_events(events: Sequence[StoredEvent]) -> list[RawEvent]:
    return [
        RawEvent(
            event.event_id,
            event.visit_id,
            event.seq,
            event.at.isoformat(),
            event.monotonic_s,
            event.boot,
            event.event.kind,
            event.event.version,
            event.client_key,
            event.event.model_dump(mode="json"),
        )
        for event in events
    ]


def _user_line(
    dialogue: DialogueHistory, event: log_events.UserTurnSent, text: str, at_s: float | None
) -> TranscriptLine:
    line = TranscriptLine("user", text, at_s, event.turn_index, event.response_delay_s)
    if event.payload is not None:
        line.notes.append(gettext("button pressed: %(what)s", what=event.payload))
    if event.barge_in:
        line.notes.append(_barge_in(event.played_s))
    if event.sound is not None:
        line.notes.append(gettext("sent to the system as audio, without text"))
    if event.heard:
        line.acts[N_("recognised by the channel")] = [_hypothesis(hypothesis) for hypothesis in event.heard]
    if event.meant is not None:
        line.acts[N_("meant")] = [_acts(event.meant)]
    for answer in dialogue.of(log_events.SystemTurnReceived):
        if answer.heard and answer.reply_to == event.turn_index:
            line.acts[N_("recognised by the system")] = [
                _hypothesis(hypothesis) for hypothesis in answer.heard
            ]
        if answer.understood and answer.reply_to == event.turn_index:
            line.understood = _hypothesis(answer.understood[0])
    hypotheses = [hypothesis for layer in HEARD for hypothesis in line.acts.get(layer, ())]
    line.heard = next(
        (hypothesis for hypothesis in hypotheses if hypothesis.rpartition(" (")[0].strip() != text), ""
    )
    for recognised in dialogue.of(log_events.TurnRecognised):
        if recognised.turn_index == event.turn_index:
            line.acts[N_("our recogniser (log only)")] = [
                _hypothesis(hypothesis) for hypothesis in recognised.heard
            ]
    return line


def _barge_in(played_s: float | None) -> str:
    if played_s is None:
        return gettext("started while the system was speaking")
    seconds = localised(f"{played_s:.1f}")
    return gettext("started while the system was speaking, %(seconds)s s into its turn", seconds=seconds)


def _said_at_s(dialogue: DialogueHistory, reply_to: int | None) -> float | None:
    """End of a user turn: its last sound, or else its sending."""
    for turn in dialogue.turns:
        if turn.turn_index == reply_to and isinstance(turn.event, log_events.UserTurnSent):
            offset_s = turn.event.offset_s
            return offset_s if offset_s is not None else dialogue.elapsed_s(turn.stored)
    return None


def _system_line(
    event: log_events.SystemTurnReceived, at_s: float | None, said_at_s: float | None
) -> TranscriptLine:
    came_at = event.complete_s if event.complete_s is not None else at_s
    waited = event.sent_s is not None and event.complete_s is not None and event.reply_to is not None
    line = TranscriptLine("system", event.text, came_at, event.turn_index, wire=_frames(event.wire))
    line.work = _work(event.agent)
    if waited:
        sent_s, complete_s = event.sent_s or 0.0, event.complete_s or 0.0
        since_s = sent_s if said_at_s is None else min(said_at_s, complete_s)
        line.delay_s, line.took_s = complete_s - since_s, complete_s - sent_s
        if event.first_output_s is not None:
            line.first_output_s = event.first_output_s - since_s
    for message in event.messages:
        if message.choices:
            titles = (choice.get("title", "") for choice in message.choices)
            line.notes.append(gettext("buttons: %(titles)s", titles=", ".join(titles)))
        line.notes.extend(gettext("picture: %(image)s", image=image) for image in message.images)
    played = wizard_turn(event)
    if played is not None:
        line.notes.append(_wizard(played.facts))
    if event.sound is not None:
        line.notes.append(gettext("audio generated by the system"))
    if event.ends_dialogue:
        line.notes.append(gettext("ended by the system"))
    acts = played.acts if played is not None else event.acts
    if acts is not None:
        line.acts[N_("said")] = [_acts(acts)]
    if played is not None and played.proposed:
        line.acts[N_("actions suggested by the program")] = [_acts(played.proposed)]
    if event.understood:
        line.acts[N_("understood from the previous turn")] = [
            _hypothesis(hypothesis) for hypothesis in event.understood
        ]
    return line


def _wizard(facts: WizardFacts) -> str:
    """Description of a wizard's turn: part played, source of the words, and program suggestion."""
    part = gettext("the system")
    if facts.replaces != "system":
        part = gettext("module %(module)s of the system", module=facts.replaces)
    how = f"{facts.source} {facts.label or ''}".strip()
    parts = [gettext("%(wizard)s played %(part)s (%(how)s)", wizard=facts.wizard, part=part, how=how)]
    if facts.gave is not None:
        parts.append(gettext("result: %(what)s", what=facts.gave))
    if facts.proposed is not None and facts.source != "proposal":
        parts.append(gettext("program suggestion: %(text)s", text=facts.proposed))
    return "; ".join(parts)


def _work(agent: AgentWork | None) -> list[WorkShown]:
    """Reported activity of a system for one turn."""
    if agent is None:
        return []
    work = [_tool(call) for call in agent.tools or ()]
    work += [WorkShown(_tokens(usage), []) for usage in agent.usage]
    for retrieval in agent.retrievals:
        parts = {gettext("query"): retrieval.query, gettext("document"): retrieval.document}
        what = gettext("document: %(source)s", source=retrieval.source or gettext("a document"))
        work.append(WorkShown(what, [(name, text) for name, text in parts.items() if text]))
    return work


def _tool(call: LoggedToolCall) -> WorkShown:
    what = gettext("tool call: %(tool)s", tool=call.name)
    if call.duration_s is not None:
        what += f" ({localised(f'{call.duration_s:.2f}')} s)"
    if call.failed:
        what = f"{what}, " + gettext("failed")
    parts = {
        gettext("arguments"): call.arguments,
        gettext("result"): call.result,
        gettext("error"): call.error,
    }
    return WorkShown(what, [(name, _laid_out(text)) for name, text in parts.items() if text])


def _tokens(used: LoggedUsage) -> str:
    return gettext(
        "%(model)s: %(read)s input tokens, %(written)s output tokens",
        model=used.model or gettext("a model"),
        read=_known(used.input_tokens),
        written=_known(used.output_tokens),
    )


def _known(count: int | None) -> str:
    return "?" if count is None else str(count)


def _frames(wire: list[dict[str, Any]] | None) -> list[CommandFrame]:
    """Raw exchange, with JSON indented."""
    frames = []
    for frame in wire or []:
        direction = "sent" if "sent" in frame else "received"
        body = str(frame.get("body", ""))
        longer_by = max(0, int(frame.get("characters", 0)) - len(body))
        frames.append(CommandFrame(direction, str(frame.get(direction, "")), _laid_out(body), longer_by))
    return frames


def _laid_out(body: str) -> str:
    try:
        return json.dumps(json.loads(body), ensure_ascii=False, indent=1)
    except (ValueError, RecursionError):
        return body


def _hypothesis(hypothesis: log_events.LoggedHypothesis) -> str:
    words = hypothesis.text if hypothesis.text is not None else _acts(hypothesis.acts)
    return words if hypothesis.score is None else f"{words} ({localised(f'{hypothesis.score:.2f}')})"


def _acts(acts: Sequence[log_events.LoggedAct]) -> str:
    return ", ".join(_act(act) for act in acts) or gettext("nothing")


def _act(act: log_events.LoggedAct) -> str:
    inside = act.slot or ""
    if act.value is not None:
        inside += f"{act.op or '='}{act.value}" if act.slot else act.value
    return f"{act.act}({inside})"


def _goal(domain: DomainWords, task: dict[str, Any]) -> list[tuple[str, str]]:
    kind = domain.ontology is not None and task.get(KIND)  # tasks without a domain have no kind of venue
    constraints = {**({KIND: task[KIND]} if kind else {}), **(task.get("constraints") or {})}
    goal = [(domain.slot(slot), domain.value(slot, value)) for slot, value in constraints.items()]
    requests = [domain.slot(slot) for slot in task.get("requests") or ()]
    return [*goal, (gettext("required information"), ", ".join(requests))] if requests else goal


def _form(study: Study, event: log_events.QuestionnaireAnswered) -> AnsweredForm:
    try:
        questions = study.wording(event.instrument, event.language).items
    except VivavoceError:
        questions = {}
    ratings = [
        Rated(
            question=questions.get(rating.item_id, rating.item_id),
            answer=rating.answer if rating.answer is not None else "",
            value=rating.value,
            success=rating.role == "subjective_success",
        )
        for rating in event.ratings
    ]
    return AnsweredForm(event.instrument, event.wording, ratings)
