"""The session engine: what a page, a simulated caller or a telephone leg can do in a visit.

Every method is idempotent or compares before it sets: a repeated request changes nothing, one that belongs
to an earlier page raises `Stale`. Whatever a method has returned is on disk.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from vivavoce.connectors.base import Connector
from vivavoce.core.clock import Clock, SystemClock
from vivavoce.log import events as log_events
from vivavoce.log.follow_ups import invited_as
from vivavoce.log.history import DialogueHistory
from vivavoce.log.models import team_study
from vivavoce.log.recordings import finish_removals
from vivavoce.log.store import Log, StoredEvent, Transaction
from vivavoce.study.model import Study
from vivavoce.study.step_kind import consent_of, form_of
from vivavoce.trial import codes
from vivavoce.trial.battle_relay import ArenaRelay
from vivavoce.trial.battles import BattleMoves
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.forms import Forms, expect_page
from vivavoce.trial.maintenance import Upkeep
from vivavoce.trial.relay import Relay
from vivavoce.trial.state import VisitState
from vivavoce.trial.visits import (
    Draft,
    MoveRules,
    Visit,
    check_text,
    judged_code,
    move,
    paused,
    replayed,
)

WRONG_CODES_WINDOW = timedelta(minutes=10)
TOKENS_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class Opened:
    """A visit that was opened or found again; the token is known only at the first opening.

    same_page  it was opened with the same key: the Start button of one page was pressed twice
    """

    visit_id: str
    token: str | None
    resumed: bool = False
    same_page: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """The acknowledgement of a user turn: it is on disk under this number."""

    seq: int
    turn_index: int
    replayed: bool


class SessionEngine:
    """All visits to one study that this process leads.

    Start it inside a running event loop; `stop` leaves everything such that another process can go on.
    leads  whether this process leads the visit with this key; of several with one log, one does
    """

    def __init__(
        self,
        study: Study,
        log: Log,
        connectors: Mapping[str, Connector],
        *,
        clock: Clock | None = None,
        leads: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.study, self.log, self.clock, self._leads = study, log, clock or SystemClock(), leads
        self.rules = MoveRules(study, self.clock)
        self.relay = Relay(log, self.rules, connectors, self.clock)
        self.arena = ArenaRelay(log, self.rules, connectors, self.clock)
        self.rules.suspended, self.rules.elapsed_s = self.relay.suspended, self.relay.elapsed_s
        self.forms = Forms(self.visit, self.move, self.rules, log)
        self.bouts = BattleMoves(self.visit, self.move, self.rules)
        self._visits: dict[str, Visit] = {}
        self._tokens: dict[str, str] = {}
        self._loading: dict[str, asyncio.Lock] = {}
        self._upkeep = Upkeep(log, self.relay, self.rules, self._visits, self.visit, self.move, leads)

    async def start(self) -> None:
        """Note the study's revision, let systems that call us find us, and end dialogues that were left."""
        study = self.study
        await self.log.transact(
            lambda tx: tx.record_study(study.name, study.revision, study.file_text, study.entities())
        )
        await asyncio.to_thread(finish_removals, self.log)
        await self.relay.start()
        self._upkeep.start()

    async def stop(self) -> None:
        """Stop working and free the connectors; everything that was acknowledged is on disk."""
        tasks = [visit.task for visit in self._visits.values() if visit.task]
        tasks += self._upkeep.tasks
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.arena.stop()
        await self.relay.stop()
        for connector in self.relay.connectors.values():
            await connector.shut_down()

    # --- visits -------------------------------------------------------------------------------------

    async def open_visit(
        self,
        *,
        language: str,
        pool: str = "link",
        person: str | None = None,
        ticket: str | None = None,
        key: str | None = None,
        participant_id: str | None = None,
        simulated: bool = False,
        verified: bool | None = None,
        once: bool = False,
        until: datetime | None = None,
        team: bool = False,
    ) -> Opened:
        """Open a visit, or find the one that this ticket opened before.

        A ticket may be known to others, too: who comes with it alone must not be shown what it finds. A key
        is known only to the page from which the visit was opened.

        person is a recruiter's key for somebody; the log's events know only the pseudonym that stands for it.

        participant_id: a pseudonym that they have already, of a simulated user or of an earlier session.

        once: whoever this recruiter sent before, with another ticket, is refused.

        until: after when no dialogue of the visit begins.

        team: the team tries the study out; the log keeps the visit apart, and no number of people counts it.

        Raises  Refused: `paused` while the trial is paused, `came_before`
        """
        token, hashed = codes.new_token()
        visit_id = codes.new_key("visit")
        pseudonym = participant_id or codes.new_key("participant")
        ticket_hash = codes.token_hash(ticket) if ticket else None
        key_hash = codes.token_hash(key) if key else None
        visit = Visit(VisitState(self.study, visit_id))
        study = team_study(self.study.name) if team else self.study.name

        def run(tx: Transaction) -> Draft | Opened:
            if ticket_hash and (open_visit := tx.visit_by_ticket(study, pool, ticket_hash)):
                same = key_hash is not None and tx.opened_by(open_visit.visit_id, key_hash)
                return Opened(open_visit.visit_id, None, resumed=True, same_page=same)
            if paused(tx):
                raise Refused("paused")
            earlier = self._earlier(tx, participant_id, simulated=simulated)
            if earlier is not None:
                known_id = pseudonym
                has_come = bool(tx.visits_of_participant(study, known_id))
            else:
                known_id = tx.participant_of(study, pool, person, pseudonym) if person else pseudonym
                has_come = known_id != pseudonym
            if once and has_come:
                raise Refused("came_before")
            if team:
                tx.record_study(study, self.study.revision, self.study.file_text, self.study.entities())
            tx.bind_visit(visit_id, study, known_id, pool, hashed, ticket_hash, key_hash)
            draft = Draft(tx, visit.state.copy(), self.rules)
            draft.add(
                log_events.VisitOpened(
                    study=study,
                    revision=self.study.revision,
                    participant_id=known_id,
                    pool=pool,
                    language=language,
                    simulated=simulated,
                    verified=verified,
                    earlier=earlier,
                    until=until,
                )
            )
            self.rules.turn_away(draft)
            self.rules.settle(draft)
            return draft

        result = await self.log.transact(run)
        if isinstance(result, Opened):
            return result
        visit.take(result.state)
        if self._leads(visit_id):
            self._visits[visit_id] = visit
            self._tend(visit)
        return Opened(visit_id, token)

    def _earlier(
        self, tx: Transaction, participant_id: str | None, *, simulated: bool
    ) -> log_events.LoggedEarlier | None:
        """The earlier session of somebody who comes again; None: there is none, or they were not there."""
        follow_up = self.study.follow_up
        if follow_up is None or participant_id is None:
            return None
        invited = invited_as(tx.connection, self.study.name, participant_id)
        if invited is None or invited.simulated != simulated:
            return None
        return log_events.LoggedEarlier(
            study=follow_up.of, completed_at=invited.completed_at, conditions=list(invited.conditions)
        )

    async def new_token(self, visit_id: str) -> str:
        """A new token for a visit in place of the old one, for a participant who comes back by ticket."""
        token, hashed = codes.new_token()
        await self.log.transact(lambda tx: tx.replace_token(visit_id, hashed))
        return token

    async def visit_of_token(self, token: str) -> str | None:
        """The visit that a bearer token stands for; None for a token that is not ours."""
        hashed = codes.token_hash(token)
        visit_id = self._tokens.get(hashed)
        if visit_id is None:
            visit_id = await asyncio.to_thread(self.log.visit_by_token, self.study.name, hashed)
            if visit_id is not None:  # it stands for the same visit for ever, so it is looked up once
                self._tokens[hashed] = visit_id
                if len(self._tokens) > TOKENS_REMEMBERED:
                    del self._tokens[next(iter(self._tokens))]
        return visit_id

    async def state(self, visit_id: str) -> VisitState:
        """State of the visit; resumes after a restart."""
        visit = await self.visit(visit_id)
        self._tend(visit)
        return visit.state

    async def updates(self, visit_id: str, after: int, wait_s: float = 0.0) -> list[StoredEvent]:
        """Events after a seq, in order; waits up to `wait_s` seconds for the first. Empty when none came."""
        visit = await self.visit(visit_id)
        self._tend(visit)
        news = visit.news
        new_events = visit.state.events[after:]
        if not new_events and wait_s > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await news.wait()
            new_events = visit.state.events[after:]
        return new_events

    def wake(self) -> None:
        """Answer everybody who waits for news: the server closes. Who asks again waits again."""
        for visit in self._visits.values():
            visit.news.set()
            visit.news = asyncio.Event()

    def answering(self, visit_id: str) -> bool:
        """True if the system's answer is awaited in this visit."""
        visit = self._visits.get(visit_id)
        return bool(visit and ((visit.task and not visit.task.done()) or self.arena.working(visit)))

    async def describe_user(self, visit_id: str, described: log_events.SimulatedUserDescribed) -> None:
        """Log what kind of program this simulated participant is.

        Raises  Refused: the visit is a person's
        """
        visit = await self.visit(visit_id)
        async with visit.lock:
            if not visit.state.simulated:
                raise Refused("empty", "a person is not described as a program")
            await self.move(visit, lambda d: d.add(described))

    async def choose_language(self, visit_id: str, language: str) -> None:
        """Raises Refused when the study does not speak it."""
        if language not in self.study.languages:
            raise Refused("empty", f"language {language!r}")
        visit = await self.visit(visit_id)
        async with visit.lock:
            if visit.state.language != language:
                await self.move(visit, lambda d: d.add(log_events.LanguageChosen(language=language)))

    # --- steps --------------------------------------------------------------------------------------

    async def give_consent(self, visit_id: str, step: int, *, agreed: bool, document: str) -> None:
        """Consent or decline; `document` is the SHA-256 of the text shown.

        Raises  Stale: the visit is not at this consent step
        """
        visit = await self.visit(visit_id)
        async with visit.lock:
            expect_page(visit.state, step, lambda due: consent_of(due) is not None)
            language = visit.state.language

            def write(draft: Draft) -> None:
                if agreed:
                    draft.add(log_events.ConsentGiven(step=step, document=document, language=language))
                    return
                draft.add(log_events.ConsentDeclined(step=step, document=document, language=language))
                draft.add(log_events.VisitEnded(outcome="no_consent"))

            await self.move(visit, write)

    async def read_page(self, visit_id: str, step: int) -> None:
        """Leave a page of text forwards. Raises Stale when the visit is elsewhere."""
        visit = await self.visit(visit_id)
        async with visit.lock:
            expect_page(visit.state, step, lambda due: consent_of(due) is None and form_of(due) is None)
            await self.move(visit, lambda d: d.add(log_events.PageRead(step=step)))

    async def next_dialogue(self, visit_id: str, step: int, round: int) -> None:
        """Begin the next dialogue, or bout. Raises Stale when it is not due, Refused: `paused`."""
        visit = await self.visit(visit_id)
        async with visit.lock:
            state = visit.state
            if state.phase in ("chat", "battle") and (state.step, state.round) == (step, round):
                return
            if (state.phase, state.step, state.round) != ("ready", step, round):
                raise Stale(f"dialogue {round} is not due")
            await self.move(visit, self._begin_next)

    def _begin_next(self, draft: Draft) -> None:
        """The next dialogue, or bout; none where the time for them is over, which the rules settle."""
        if not self.rules.time_over(draft.state):
            self.rules.assign_next(draft)

    async def finish_dialogues(self, visit_id: str, step: int) -> None:
        """Ask for no further task. Raises Stale, or Refused while too few were held and there is time."""
        visit = await self.visit(visit_id)
        async with visit.lock:
            if visit.state.dialogues_due is None or visit.state.step != step:
                raise Stale("the dialogues are over")
            if visit.state.may_finish:
                await self.move(visit, lambda d: d.add(log_events.DialoguesFinished(step=step)))
            elif self.rules.time_over(visit.state):
                await self.move(visit, lambda _: None)
            else:
                raise Refused("too_short", "more dialogues are asked for")

    async def withdraw(self, visit_id: str) -> None:
        """End the visit at the participant's wish; recordings go, the rest stays till erasure."""
        visit = await self.visit(visit_id)
        async with visit.lock:
            if visit.state.phase == "ended":
                return

            def write(draft: Draft) -> None:
                dialogue = draft.state.dialogue
                if dialogue is not None and dialogue.running:
                    self.rules.end_dialogue(draft, dialogue, "abandoned", self.relay.elapsed_s(dialogue))
                if draft.state.bout is not None:
                    self.rules.end_bout(draft, "abandoned")
                draft.add(log_events.VisitEnded(outcome="withdrew"))

            await self.move(visit, write)
        self.relay.close_if_over(visit)

    # --- dialogue -----------------------------------------------------------------------------------

    async def say(
        self,
        visit_id: str,
        dialogue_id: str,
        *,
        key: str,
        text: str,
        payload: str | None = None,
        response_delay_s: float | None = None,
        first_key_delay_s: float | None = None,
        heard: list[log_events.LoggedHypothesis] | None = None,
        meant: list[log_events.LoggedAct] | None = None,
        sound: str | None = None,
        played_s: float | None = None,
        spoken: tuple[float, float] | None = None,
    ) -> Said:
        """Take a user turn. When this returns it is on disk, and the system is being asked.

        With `sound`, the key of a recording, the system gets that, and there are no words; `spoken` says from
        when to when somebody spoke, in seconds from the opening of the dialogue.
        The same key again gives the same acknowledgement and writes nothing.

        Raises  Refused: empty, too_long, not_running, or busy while the system is still answering
        """
        visit = await self.visit(visit_id)
        async with visit.lock:
            if (logged_turn := _by_key(visit, key)) is not None:
                self._tend(visit)
                return logged_turn
            dialogue = self.speakable(visit.state, dialogue_id, None if sound else text)
            turn = log_events.UserTurnSent(
                dialogue_id=dialogue_id,
                turn_index=len(dialogue.turns),
                text=text,
                payload=payload,
                response_delay_s=response_delay_s,
                first_key_delay_s=first_key_delay_s,
                heard=heard or [],
                meant=meant,
                sound=sound,
                played_s=played_s,
                barge_in=played_s is not None,
                onset_s=spoken[0] if spoken else None,
                offset_s=spoken[1] if spoken else None,
            )
            visit.fresh.add((dialogue_id, turn.turn_index))
            stored = await self.move(visit, lambda d: d.add(turn, client_key=key))
        return Said(stored[0].seq, turn.turn_index, replayed=stored[0].replayed)

    def speakable(self, state: VisitState, dialogue_id: str, text: str | None) -> DialogueHistory:
        """The dialogue in which this text (None: sound) may be said now. Raises Refused, as `say` does."""
        dialogue = state.dialogues[-1] if state.phase == "chat" else None
        if dialogue is None or dialogue.dialogue_id != dialogue_id or not dialogue.running:
            raise Refused("not_running")
        if text is not None:
            check_text(text, self.study.limits)
        if dialogue.unanswered is not None or not dialogue.greeted:
            raise Refused("busy")
        return dialogue

    async def end_dialogue(self, visit_id: str, dialogue_id: str, user_turns: int | None = None) -> None:
        """The participant ends the dialogue; `user_turns` is how many turns the page has created.

        Raises  Stale: it was not the current dialogue
                Refused: `unsent_turns` while the page holds turns that did not arrive
        """
        visit = await self.visit(visit_id)
        async with visit.lock:
            dialogue = visit.state.dialogue
            if dialogue is None or dialogue.dialogue_id != dialogue_id:
                raise Stale("this dialogue is over")
            if not dialogue.running:
                return
            if user_turns is not None and user_turns > dialogue.user_turns:
                raise Refused("unsent_turns", f"{user_turns} sent, {dialogue.user_turns} arrived")
            duration_s = self.relay.elapsed_s(dialogue)
            await self.move(visit, lambda d: self.rules.end_dialogue(d, dialogue, "user", duration_s))
        self.relay.close_if_over(visit)

    async def enter_code(self, visit_id: str, entered: str) -> log_events.CodeEntered:
        """Check an earned code; wrong ones are counted and when there were too many in ten minutes, refused.

        Raises  Stale: no code is being asked for
        """
        visit = await self.visit(visit_id)
        async with visit.lock:
            dialogue = visit.state.dialogue
            if visit.state.phase != "code" or dialogue is None:
                raise Stale("no code is being asked for")
            digits, since = codes.digits_of(entered), self.clock.now() - WRONG_CODES_WINDOW
            verdict: list[log_events.CodeEntered] = []

            def write(draft: Draft) -> None:
                verdict[:] = [judged_code(draft, dialogue, digits, since, self.study.limits.code_attempts)]
                draft.add(verdict[0])

            await self.move(visit, write)
        return verdict[0]

    # --- inside -------------------------------------------------------------------------------------

    async def visit(self, visit_id: str) -> Visit:
        """The visit as it stands, read from the log where this process does not know it yet."""
        visit = self._visits.get(visit_id)
        if visit is not None:
            return visit
        lock = self._loading.setdefault(visit_id, asyncio.Lock())
        async with lock:
            if visit_id not in self._visits:
                visit = await asyncio.to_thread(replayed, self.log, self.study, visit_id)
                self._visits[visit_id] = visit
            self._loading.pop(visit_id, None)
            return self._visits[visit_id]

    def _tend(self, visit: Visit) -> None:
        """See that what is owed to the participant is being worked on."""
        visit.looked_at_s = self.clock.monotonic_s()
        self.relay.tend(visit)
        if visit.state.bouts:
            self.arena.tend(visit)

    async def move(self, visit: Visit, write: Callable[[Draft], object]) -> list[StoredEvent]:
        """Log what `write` adds and take it in; the caller holds the lock of the visit."""
        stored = await move(self.log, self.rules, visit, write)
        self._tend(visit)
        return stored

    async def sweep(self) -> int:
        """End dialogues that nobody touched for the study's idle time; returns how many."""
        return await self._upkeep.sweep()

    async def end_overdue(self) -> int:
        """End dialogues that have lasted as long as the study allows; returns how many."""
        return await self._upkeep.end_overdue()


def _by_key(visit: Visit, key: str) -> Said | None:
    stored = visit.state.with_key(key)
    if stored is None or not isinstance(stored.event, log_events.UserTurnSent):
        return None
    return Said(stored.seq, stored.event.turn_index, replayed=True)
