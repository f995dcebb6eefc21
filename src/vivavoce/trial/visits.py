"""The visits that are under way in this process: their state, their events, who waits for news of them."""

import asyncio
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random, SystemRandom
from typing import Any

from vivavoce.connectors.base import Conversation
from vivavoce.core.clock import Clock
from vivavoce.log import events as log_events
from vivavoce.log.arena_events import BoutAssigned, BoutEnded
from vivavoce.log.call_events import PIN_MARK, CallAwaited
from vivavoce.log.events import ResponseGiven, StepFinished, StimuliPlanned
from vivavoce.log.history import DialogueHistory
from vivavoce.log.recording_events import RecordingRemoved
from vivavoce.log.recordings import folder_of
from vivavoce.log.stimulus_rows import StimulusVisit, stimulus_visits
from vivavoce.log.store import Conflict, Log, StoredEvent, Transaction
from vivavoce.steps.stimulus import PlanContext
from vivavoce.study.channel import TEXT, calls_out, is_spoken
from vivavoce.study.model import Limits, Study
from vivavoce.study.step_kind import kind_of
from vivavoce.trial import codes
from vivavoce.trial.allocation import choose_system, choose_task
from vivavoce.trial.arena import EndOfBout, opponents
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.quotas import dialogues_left, open_systems, turned_away
from vivavoce.trial.state import VisitState
from vivavoce.trial.system_audio import Play, SystemAudio

PIN_DIGITS = 5


@dataclass(eq=False)
class Visit:
    """One visit held in memory; `lock` makes its moves one after another.

    looked_at_s  when its participant's page last asked, on the monotonic clock
    play         hands the sound of a system's turn to the participant while it comes; None: nobody listens
    sounding     the sound of the system's turn that is coming
    """

    state: VisitState
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    news: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    conversation: Conversation | None = None
    fresh: set[tuple[str, int]] = field(default_factory=set)
    looked_at_s: float = -math.inf
    play: Play | None = None
    sounding: SystemAudio | None = None

    def take(self, state: VisitState) -> None:
        """Make a committed move visible and wake whoever waits."""
        self.state = state
        self.news.set()
        self.news = asyncio.Event()


class Draft:
    """A move being written: events go into the transaction and into a copy of the state.

    Nothing of it is visible until the transaction is committed.
    """

    def __init__(self, tx: Transaction, state: VisitState, rules: "MoveRules") -> None:
        self.tx, self.state, self.rules = tx, state, rules
        self.stored: list[StoredEvent] = []

    def add(self, event: log_events.Event, client_key: str | None = None) -> StoredEvent:
        stored = self.tx.append(
            self.state.visit_id, event, client_key=client_key, expected_seq=self.state.seq
        )
        self.state.apply(stored)
        self.stored.append(stored)
        return stored


@dataclass
class MoveRules:
    """Automatic consequences of a move: a code after a dialogue, the first assignment, the visit's end.

    chance gives the generator for an allocation, named by participant and number, so that a simulation can
    be repeated. suspended names systems that get no new dialogue for now; when all are, none is spared.
    elapsed_s tells how long a dialogue has lasted.
    """

    study: Study
    clock: Clock
    chance: Callable[[str], Random] = lambda _: SystemRandom()
    suspended: Callable[[], set[str]] = set
    elapsed_s: Callable[[DialogueHistory], float | None] = lambda _: None

    def settle(self, draft: Draft) -> None:
        """Write everything that follows, in the same transaction, until nothing more does."""
        state = draft.state
        if state.outcome in ("withdrew", "no_consent"):
            for recording_id in list(state.recordings):
                draft.add(RecordingRemoved(recording_id=recording_id, reason="withdrawal"))
        count = -1
        while count != len(draft.stored):
            count = len(draft.stored)
            self._follow(draft)

    def _follow(self, draft: Draft) -> None:
        """Write what follows from the state as it is."""
        state = draft.state
        match state.phase:
            case "code" if state.dialogues[-1].code is None:
                self.issue_code(draft, state.dialogues[-1])
            case "chat" if state.dialogues[-1].awaits_call and state.dialogues[-1].pin is None:
                self.await_call(draft, state.dialogues[-1])
            case "stimulus":
                self.present(draft)
            case "battle":
                self.settle_battle(draft)
            case "ready":
                first = state.round == 0 and state.fruitless == 0
                if self.time_over(state):
                    draft.add(log_events.DialoguesFinished(step=state.step, time_over=True))
                elif first and not paused(draft.tx):
                    self.assign_next(draft)
            case "page" if state.current_step is None:
                self.end(draft)
            case _:
                pass

    def left_s(self, state: VisitState) -> float | None:
        """Seconds in which dialogues may still begin, 0 when that is over; None: there is no such time."""
        if state.until is None:
            return None
        return max(0.0, (state.until - self.clock.now()).total_seconds())

    def time_over(self, state: VisitState) -> bool:
        """Between dialogues: whether the time for them is over."""
        return state.phase == "ready" and self.left_s(state) == 0

    def end(self, draft: Draft) -> None:
        """The outcome first; the completion code only for a visit that was gone through and accepted."""
        if draft.state.refused:
            draft.add(log_events.VisitEnded(outcome="not_accepted"))
            return
        outcome = "technical_failure" if draft.state.shortfall else "completed"
        draft.add(log_events.VisitEnded(outcome=outcome, completion_code=codes.completion_code()))

    def answer(self, draft: Draft, event: log_events.QuestionnaireAnswered) -> None:
        """An answered form; whom it does not admit leaves in the same transaction."""
        step = self.study.visit[event.step]
        codes = {rating.item_id: rating.value for rating in event.ratings}
        full = self.is_full(draft, event.instrument, kind_of(step).quotas(step), codes)
        draft.add(event)
        if full or not kind_of(step).admits(step, codes):
            draft.add(log_events.VisitEnded(outcome="screened_out"))

    def is_full(
        self,
        draft: Draft,
        instrument: str,
        quotas: Mapping[str, Mapping[int, int]],
        codes: Mapping[str, float | None],
    ) -> bool:
        """True if the study's quota of this answer is filled by people who take part or have done so."""
        open_counts = [
            (item, int(code), quotas[item].get(int(code)))
            for item in quotas
            if (code := codes.get(item)) is not None
        ]
        return any(
            places is not None
            and draft.tx.answered_count(
                draft.state.logged_study, instrument, item, code, simulated=draft.state.simulated
            )
            >= places
            for item, code, places in open_counts
        )

    def turn_away(self, draft: Draft) -> None:
        """End a visit that has just begun where the study's quotas leave it no place."""
        cap = turned_away(draft.tx, self.study, draft.state, self.clock.now())
        if cap is not None:
            draft.add(log_events.VisitEnded(outcome="no_place", cap=cap))

    def _end_for_want(self, draft: Draft, cap: log_events.Cap) -> None:
        """No dialogue more: the step is over where enough were held, else the visit."""
        state = draft.state
        if state.dialogues_due is not None and state.may_finish:
            draft.add(log_events.DialoguesFinished(step=state.step))
        else:
            draft.add(log_events.VisitEnded(outcome="no_place", cap=cap))

    def _assign(self, draft: Draft, systems: list[str]) -> None:
        """Allocate a system and a task by the study's rule, on the counts of this very transaction."""
        study, state, tx = self.study, draft.state, draft.tx
        allocation_counts = tx.allocation_counts(state.logged_study, simulated=state.simulated)
        counts = {system: running + completed for system, running, completed in allocation_counts}
        mine = tx.participant_counts(state.logged_study, state.participant_id)
        chance = self.chance(f"{state.participant_id}:{len(state.dialogues)}")
        resting = self.suspended()
        systems = [system for system in systems if system not in resting] or systems
        system = choose_system(study.allocation, systems, mine, counts, chance)
        tasks = {task.task_id: task for task in study.tasks}
        task_id = choose_task(list(tasks), tx.used_tasks(state.logged_study, state.participant_id), chance)
        task = tasks[task_id].model_dump(mode="json") if task_id is not None else None
        draft.add(
            log_events.DialogueAssigned(
                dialogue_id=codes.new_key("dialogue"),
                step=state.step,
                round=state.round,
                system=system,
                task_id=task_id,
                task=task,
                channel=state.dialogue_plan.channel,
                spoken=is_spoken(state.dialogue_plan.channel),
                calls_out=calls_out(state.dialogue_plan.channel),
                language=state.language,
                conversation=codes.new_key("conversation"),
                condition=study.condition(system),
                factors=dict(study.factors.get(system, {})),
            )
        )

    def assign_next(self, draft: Draft) -> None:
        """The next dialogue or battle; else what the quotas leave. Raises Refused: `paused`."""
        study, state, tx = self.study, draft.state, draft.tx
        if paused(tx):
            raise Refused("paused")
        remaining, needed = (
            dialogues_left(tx, study, state),
            1 if state.battles_due is None else 2,
        )
        systems = open_systems(tx, study, state, self.clock.now())
        if remaining is not None and remaining < needed:
            self._end_for_want(draft, "participant")
        elif len(systems) < needed:
            self._end_for_want(draft, "places")
        elif needed == 1:
            self._assign(draft, systems)
        else:
            self._assign_bout(draft, systems)

    def _assign_bout(self, draft: Draft, systems: list[str]) -> None:
        """Two systems that met least so far, as this very transaction sees it."""
        study, state, tx = self.study, draft.state, draft.tx
        resting = self.suspended()
        awake = [system for system in systems if system not in resting]
        systems = awake if len(awake) > 1 else systems
        chance = self.chance(f"{state.participant_id}:bout:{state.round}")
        met = opponents(
            systems,
            tx.bouts(state.logged_study, simulated=state.simulated),
            tx.bouts(state.logged_study, state.participant_id),
            chance,
            widest=state.battle_plan.matchmaking == "widest",
        )
        keys = [codes.new_key("dialogue") for _ in met]
        for key, system in zip(keys, met, strict=True):
            draft.add(
                log_events.DialogueAssigned(
                    dialogue_id=key,
                    step=state.step,
                    round=state.round,
                    system=system,
                    task_id=None,
                    task=None,
                    channel=TEXT,
                    spoken=False,
                    calls_out=False,
                    language=state.language,
                    conversation=codes.new_key("conversation"),
                    condition=study.condition(system),
                    factors=dict(study.factors.get(system, {})),
                )
            )
        draft.add(
            BoutAssigned(
                bout_id=codes.new_key("bout"),
                step=state.step,
                round=state.round,
                left_dialogue_id=keys[0],
                right_dialogue_id=keys[1],
                left_system=met[0],
                right_system=met[1],
            )
        )

    def settle_battle(self, draft: Draft) -> None:
        """End a bout that is over by itself; who was there for its end goes on to the next one."""
        state = draft.state
        if state.bout is None:
            return
        reason = state.bout.over(state.battle_plan.turns)
        if reason is not None:
            self.end_bout(draft, reason)

    def end_bout(self, draft: Draft, reason: EndOfBout) -> None:
        """End both dialogues and the bout; begin the next one unless its participant is gone."""
        state, bout = draft.state, draft.state.bout
        if bout is None:
            return
        step = state.step
        for dialogue in bout.sides:
            if dialogue.running:
                self.end_dialogue(draft, dialogue, reason, self.elapsed_s(dialogue))
        event = BoutEnded(bout_id=bout.event.bout_id, step=step, reason=reason, votes=len(bout.votes))
        draft.add(event)
        stays = draft.state.phase == "ready" and reason != "abandoned" and not paused(draft.tx)
        if stays and draft.state.step == step:
            self.assign_next(draft)

    def present(self, draft: Draft) -> None:
        """Plan the stimuli of a step by the first free slot; end the step after the last response."""
        state, kind = draft.state, draft.state.stimulus_kind
        step = self.study.visit[state.step]
        if state.planned is None:
            slots = self._taken(draft, StimuliPlanned, StepFinished, kind.name)
            slot = next(number for number in range(len(slots) + 1) if number not in slots)
            chance = self.chance(f"{state.participant_id}:{kind.name}:{state.step}")

            def others(idle: timedelta) -> list[StimulusVisit[Any, Any]]:
                return stimulus_visits(
                    draft.tx.connection,
                    kind.name,
                    kind.stimulus,
                    kind.response,
                    study=state.logged_study,
                    since=self.clock.now() - idle,
                    simulated=state.simulated,
                )

            draw, check = (
                PlanContext(state.participant_id, slot, chance, state.step, others),
                kind.qualification,
            )
            stimuli = [stimulus.model_dump(mode="json") for stimulus in kind.plan(step, self.study, draw)]
            tries = check.tries(step, self.study, draw) if check is not None else []
            draft.add(
                StimuliPlanned(
                    step=state.step,
                    name=kind.name,
                    slot=slot,
                    stimuli=stimuli,
                    tries=[sound_check.model_dump(mode="json") for sound_check in tries],
                )
            )
        state = draft.state
        over = state.planned is not None and state.position >= len(state.planned.stimuli)
        if over or kind.over(step, self.study, state.responses):
            events = [stored.event for stored in state.given]
            total_s = sum(event.response_s for event in events if isinstance(event, ResponseGiven))
            judged_s = math.inf if state.simulated else total_s  # a program's time says nothing
            outcome = kind.finish(step, self.study, state.responses, judged_s)
            draft.add(
                StepFinished(
                    step=state.step,
                    name=kind.name,
                    total_s=total_s,
                    accepted=outcome.accepted,
                    flags=list(outcome.flags),
                )
            )

    def _taken(
        self,
        draft: Draft,
        start_event: type[log_events.Event],
        end_event: type[log_events.Event],
        name: str | None = None,
    ) -> set[int]:
        since = self.clock.now() - timedelta(minutes=self.study.limits.visit_minutes)
        state = draft.state
        return draft.tx.plan_slots(
            state.logged_study, start_event, end_event, simulated=state.simulated, since=since, name=name
        )

    def issue_code(self, draft: Draft, dialogue: DialogueHistory) -> None:
        """A code that no dialogue of this study had."""
        code = self.free_code(draft, dialogue, self.study.limits.code_digits)
        draft.add(log_events.CodeIssued(dialogue_id=dialogue.dialogue_id, code=code))

    def await_call(self, draft: Draft, dialogue: DialogueHistory) -> None:
        """A PIN by which the participant's call is known."""
        pin = self.free_code(draft, dialogue, PIN_DIGITS, PIN_MARK)
        draft.add(CallAwaited(dialogue_id=dialogue.dialogue_id, pin=pin))

    def free_code(self, draft: Draft, dialogue: DialogueHistory, digits: int, mark: str = "") -> str:
        """Digits that nobody had, reserved for this dialogue."""
        tx, visit_id = draft.tx, draft.state.visit_id
        return codes.free_code(
            digits, lambda code: tx.reserve_code(mark + code, dialogue.dialogue_id, visit_id)
        )

    def end_dialogue(
        self,
        draft: Draft,
        dialogue: DialogueHistory,
        reason: log_events.EndReason,
        duration_s: float | None,
        limit: log_events.ReachedLimit | None = None,
    ) -> None:
        draft.add(
            log_events.DialogueEnded(
                dialogue_id=dialogue.dialogue_id,
                reason=reason,
                user_turns=dialogue.user_turns,
                duration_s=duration_s,
                limit=limit,
            )
        )

    def reached_limit(self, dialogue: DialogueHistory) -> log_events.ReachedLimit | None:
        """Limit of the study that a dialogue has reached."""
        limits = self.study.limits
        if dialogue.user_turns >= limits.user_turns:
            return "turns"
        lasted_s = self.elapsed_s(dialogue) or 0.0
        return "minutes" if lasted_s >= 60 * limits.dialogue_minutes else None


def check_text(text: str, limits: Limits) -> None:
    """Raises Refused: `empty`, or `too_long` for what is longer than the study allows."""
    if not text.strip():
        raise Refused("empty")
    if len(text) > limits.max_chars:
        raise Refused("too_long", f"{len(text)} of {limits.max_chars} characters")


def paused(tx: Transaction) -> bool:
    """True if the researcher or a stopping rule has paused the trial."""
    return tx.paused()


async def move(
    log: Log, rules: MoveRules, visit: Visit, write: Callable[[Draft], object]
) -> list[StoredEvent]:
    """Write one move and what follows from it, in one transaction; the caller holds the visit's lock.

    Raises  Stale: the log has moved on without this process; the visit is then as the log has it
    """

    def run(tx: Transaction) -> Draft:
        draft = Draft(tx, visit.state.copy(), rules)
        write(draft)
        rules.settle(draft)
        return draft

    try:
        draft = await log.transact(run)
    except Conflict:
        again = await asyncio.to_thread(replayed, log, rules.study, visit.state.visit_id)
        visit.state = again.state
        raise Stale("the visit was changed elsewhere") from None
    removed = [
        stored.event.recording_id for stored in draft.stored if isinstance(stored.event, RecordingRemoved)
    ]
    for name in [
        visit.state.recordings[recording_id]
        for recording_id in removed
        if recording_id in visit.state.recordings
    ]:
        await asyncio.to_thread(folder_of(log).remove, name)
    visit.take(draft.state)
    return draft.stored


def replayed(log: Log, study: Study, visit_id: str) -> Visit:
    """A visit as its events in the log say it is.

    Raises  Refused: `unknown_visit`
    """
    stored = log.events(visit_id)
    if not stored:
        raise Refused("unknown_visit", visit_id)
    state = VisitState(study, visit_id)
    for stored_event in stored:
        state.apply(stored_event)
    return Visit(state)


def judged_code(
    draft: Draft, dialogue: DialogueHistory, digits: str, since: datetime, attempts: int
) -> log_events.CodeEntered:
    """The verdict on a code, in the transaction that uses it up; after too many wrong ones it is unread."""
    if sum(at > since for at in draft.state.wrong_codes) >= attempts:
        return log_events.CodeEntered(entered=digits, accepted=False, problem="too_many")
    code = draft.tx.find_code(digits)
    problem = None
    if code is None:
        problem = "unknown"
    elif code.visit_id != draft.state.visit_id:
        problem = "other_visit"
    elif code.dialogue_id != dialogue.dialogue_id or not draft.tx.use_code(digits):
        problem = "reused"
    return log_events.CodeEntered(
        entered=digits,
        accepted=problem is None,
        problem=problem,
        dialogue_id=dialogue.dialogue_id if problem is None else None,
    )
