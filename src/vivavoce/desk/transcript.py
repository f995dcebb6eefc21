"""One dialogue turn by turn, as a researcher reads it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal

from vivavoce.core.errors import VivavoceError
from vivavoce.core.i18n import N_
from vivavoce.desk.language import gettext, worded
from vivavoce.log import events as log_events
from vivavoce.log.call_events import CallRouted
from vivavoce.log.models import StoredEvent
from vivavoce.log.wizard_rows import WizardFacts, wizard_turn
from vivavoce.report.numbers import localised
from vivavoce.study.model import Study

DIRECTIONS: Final = (N_("sent"), N_("received"))


@dataclass(frozen=True, slots=True)
class CommandFrame:
    """One thing that went over the wire: what it was, and its content; longer_by counts what was cut off."""

    direction: Literal["sent", "received"]
    what: str
    body: str
    longer_by: int


@dataclass(slots=True)
class TranscriptLine:
    """One thing that happened in a dialogue: a turn, a failure or a silence.

    at_s     seconds since the dialogue was opened
    delay_s  how long the party let the other wait
    acts     dialogue acts in layers, each a list of hypotheses in words
    wire     what was sent to the system and what came back, with secrets replaced by their names
    """

    kind: Literal["user", "system", "failure", "silence"]
    text: str
    at_s: float | None
    turn_index: int | None = None
    delay_s: float | None = None
    first_output_s: float | None = None
    notes: list[str] = field(default_factory=list)
    acts: dict[str, list[str]] = field(default_factory=dict)
    wire: list[CommandFrame] = field(default_factory=list)


@dataclass(slots=True)
class Rated:
    """One answered item: the question as it was asked, where the wording is still known."""

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


@dataclass(slots=True)
class DialogueTranscript:
    """A dialogue's lines in order, its task, its codes, and what was said about it afterwards."""

    assigned: log_events.DialogueAssigned
    task: str
    goal: list[tuple[str, str]]
    opened_at: datetime | None
    lines: list[TranscriptLine]
    code: str | None
    entries: list[log_events.CodeEntered]
    ended: log_events.DialogueEnded | None
    forms: list[AnsweredForm]


def make_transcript(study: Study, events: Sequence[StoredEvent]) -> DialogueTranscript:
    """The transcript of a dialogue from its events (`log.transcript`), which begin with its assignment."""
    assigned = next(one.event for one in events if isinstance(one.event, log_events.DialogueAssigned))
    for routed in (one.event for one in events if isinstance(one.event, CallRouted)):
        drawn = routed.model_dump(include={"system", "condition", "factors"})
        assigned = assigned.model_copy(update=drawn)
    opened = next((one for one in events if isinstance(one.event, log_events.DialogueOpened)), None)
    made = DialogueTranscript(
        assigned=assigned, task=_task_text(assigned), goal=_goal(assigned.task or {}),
        opened_at=opened.at if opened else None, lines=[], code=None, entries=[], ended=None, forms=[],
    )  # fmt: skip
    for stored in events:
        event = stored.event
        if isinstance(event, log_events.UserTurnSent):
            made.lines.append(_user_line(event, _since(opened, stored)))
        elif isinstance(event, log_events.SystemTurnReceived):
            _fill_in(made.lines, event)
            made.lines.append(_system_line(event, _since(opened, stored)))
        elif isinstance(event, log_events.TurnRecognised):
            asked = [line for line in made.lines if line.turn_index == event.turn_index]
            for line in asked:
                line.acts[N_("our recogniser, for the log alone")] = [_hypothesis(one) for one in event.heard]
        elif isinstance(event, log_events.SystemTurnFailed):
            notes = [gettext("before that it said: %(text)s", text=event.partial)] if event.partial else []
            text = f"{worded(event.failure.replace('_', ' '))}: {event.detail}"
            line = TranscriptLine(
                "failure", text, _since(opened, stored), notes=notes, wire=_frames(event.wire)
            )
            made.lines.append(line)
        elif isinstance(event, log_events.SilenceKept):
            text = gettext("The system said nothing.")
            if event.reply_to is None:
                text = gettext("The system did not speak first.")
            made.lines.append(TranscriptLine("silence", text, _since(opened, stored)))
        elif isinstance(event, log_events.CodeIssued):
            made.code = event.code
        elif isinstance(event, log_events.CodeEntered):
            made.entries.append(event)
        elif isinstance(event, log_events.DialogueEnded):
            made.ended = event
        elif isinstance(event, log_events.QuestionnaireAnswered):
            made.forms.append(_form(study, event))
    return made


def raw_events(events: Sequence[StoredEvent]) -> list[dict[str, Any]]:
    """The events as the log holds them, ready for JSON."""
    return [
        {
            "event_id": one.event_id, "visit_id": one.visit_id, "seq": one.seq, "at": one.at.isoformat(),
            "monotonic_s": one.monotonic_s, "boot": one.boot, "kind": one.event.kind,
            "version": one.event.version, "client_key": one.client_key,
            "payload": one.event.model_dump(mode="json"),
        }
        for one in events
    ]  # fmt: skip


def _since(opened: StoredEvent | None, stored: StoredEvent) -> float | None:
    """Seconds since the opening; by the monotonic clock unless the server was started anew in between."""
    if opened is None:
        return None
    if opened.boot == stored.boot:
        return stored.monotonic_s - opened.monotonic_s
    return (stored.at - opened.at).total_seconds()


def _user_line(event: log_events.UserTurnSent, at_s: float | None) -> TranscriptLine:
    line = TranscriptLine("user", event.text, at_s, event.turn_index, event.response_delay_s)
    if event.payload is not None:
        line.notes.append(gettext("pressed a button that sends %(what)s", what=event.payload))
    if event.barge_in:
        line.notes.append(_barge_in(event.played_s))
    if event.sound is not None:
        line.notes.append(gettext("went to the system as sound, without words"))
    if event.heard:
        line.acts[N_("heard by the channel")] = [_hypothesis(one) for one in event.heard]
    if event.meant is not None:
        line.acts[N_("meant")] = [_acts(event.meant)]
    return line


def _barge_in(played_s: float | None) -> str:
    if played_s is None:
        return gettext("began while the system was speaking")
    heard = localised(f"{played_s:.1f}")
    return gettext("began while the system was speaking, after %(seconds)s s of its turn", seconds=heard)


def _fill_in(lines: list[TranscriptLine], answer: log_events.SystemTurnReceived) -> None:
    """What a system that listens by itself says that it heard."""
    for line in lines:
        if answer.heard and line.kind == "user" and line.turn_index == answer.reply_to:
            line.text = line.text or answer.heard[0].text or ""
            line.acts[N_("heard by the system")] = [_hypothesis(one) for one in answer.heard]


def _system_line(event: log_events.SystemTurnReceived, at_s: float | None) -> TranscriptLine:
    came_at = event.complete_s if event.complete_s is not None else at_s
    waited = event.sent_s is not None and event.complete_s is not None and event.reply_to is not None
    line = TranscriptLine("system", event.text, came_at, event.turn_index, wire=_frames(event.wire))
    if waited:
        line.delay_s = (event.complete_s or 0.0) - (event.sent_s or 0.0)
        if event.first_output_s is not None:
            line.first_output_s = event.first_output_s - (event.sent_s or 0.0)
    for message in event.messages:
        if message.choices:
            titles = (choice.get("title", "") for choice in message.choices)
            line.notes.append(gettext("buttons: %(titles)s", titles=", ".join(titles)))
        line.notes.extend(gettext("picture: %(image)s", image=image) for image in message.images)
    played = wizard_turn(event)
    if played is not None:
        line.notes.append(_wizard(played.facts))
    if event.sound is not None:
        line.notes.append(gettext("spoken by the system itself"))
    if event.ends_dialogue:
        line.notes.append(gettext("the system ended the dialogue"))
    acts = played.acts if played is not None else event.acts
    if acts is not None:
        line.acts[N_("said")] = [_acts(acts)]
    if played is not None and played.proposed:
        line.acts[N_("what the program would have done")] = [_acts(played.proposed)]
    if event.understood:
        line.acts[N_("understood from the turn before")] = [_hypothesis(one) for one in event.understood]
    return line


def _wizard(facts: WizardFacts) -> str:
    """Who played the system or a module of it, where the words came from, and what the program proposed."""
    part = gettext("the system")
    if facts.replaces != "system":
        part = gettext("the system's %(module)s", module=facts.replaces)
    how = f"{facts.source} {facts.label or ''}".strip()
    told = [gettext("%(wizard)s played %(part)s (%(how)s)", wizard=facts.wizard, part=part, how=how)]
    if facts.gave is not None:
        told.append(gettext("gave: %(what)s", what=facts.gave))
    if facts.proposed is not None and facts.source != "proposal":
        told.append(gettext("the program would have said: %(text)s", text=facts.proposed))
    return "; ".join(told)


def _frames(wire: list[dict[str, Any]] | None) -> list[CommandFrame]:
    """The raw exchange; JSON laid out so that it can be read."""
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


def _hypothesis(one: log_events.LoggedHypothesis) -> str:
    words = one.text if one.text is not None else _acts(one.acts)
    return words if one.score is None else f"{words} ({localised(f'{one.score:.2f}')})"


def _acts(acts: Sequence[log_events.LoggedAct]) -> str:
    return ", ".join(_act(act) for act in acts) or gettext("nothing")


def _act(act: log_events.LoggedAct) -> str:
    inside = act.slot or ""
    if act.value is not None:
        inside += f"{act.op or '='}{act.value}" if act.slot else act.value
    return f"{act.act}({inside})"


def _task_text(assigned: log_events.DialogueAssigned) -> str:
    texts = (assigned.task or {}).get("text") or {}
    return texts.get(assigned.language) or next(iter(texts.values()), "")


def _goal(task: dict[str, Any]) -> list[tuple[str, str]]:
    constraints = dict(task.get("constraints") or {})
    goal = [(gettext("type"), str(task["type"]))] if task.get("type") else []
    goal += [
        (slot, gettext("any") if value == "dontcare" else str(value)) for slot, value in constraints.items()
    ]
    requests = task.get("requests") or ()
    return [*goal, (gettext("ask for"), ", ".join(requests))] if requests else goal


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
