"""Many simulated callers at once, through the session engine that people use.

The same seed gives the same callers with the same tasks, systems and words, in whatever order they happen to
run, as long as the allocation looks only at the caller's own history.
"""

import asyncio
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from inspect import isawaitable
from random import Random
from typing import Final, NamedTuple

from vivavoce.connectors.base import Heard
from vivavoce.core.errors import UnknownName
from vivavoce.log import events
from vivavoce.log.follow_ups import invited_people
from vivavoce.log.history import DialogueHistory
from vivavoce.log.store import StoredEvent
from vivavoce.questionnaires.instrument import Scale
from vivavoce.simulation.agenda_user import Judgement, UserUtterance
from vivavoce.simulation.satisfaction import HeldDialogue
from vivavoce.simulation.user_factory import SimulatedUser, UserSimulator
from vivavoce.simulation.user_profile import Population
from vivavoce.steps.stimulus import StimulusStep
from vivavoce.study.model import Step, Study
from vivavoce.study.planted_preferences import PlantedPreferences
from vivavoce.study.step_kind import battles_of, dialogues_in, kind_of
from vivavoce.study.steps import QuestionnaireStep
from vivavoce.study.task import Task
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import VisitState

POOL: Final = "simulation"
CALLERS_AT_ONCE: Final = 24
LONGEST_WAIT_S: Final = 60.0

Progress = Callable[[int, int], None]


class Callers(NamedTuple):
    """Some of a trial's callers: number and dialogues of each, and what their pseudonyms begin with."""

    quotas: Sequence[tuple[int, int]]
    prefix: str


def counts_dialogues(study: Study) -> bool:
    """True if simulations of a study are counted in dialogues; else in participants, one visit each."""
    return bool(dialogues_in(study.visit))


async def run_trial(
    engine: SessionEngine,
    amount: int,
    *,
    seed: int,
    error_rate: float = 0.25,
    progress: Progress | None = None,
    judged: dict[str, Judgement] | None = None,
    population: Population | None = None,
    casting: UserSimulator | None = None,
    language: str | None = None,
    callers: Callers | None = None,
) -> int:
    """Let simulated participants go through visits; returns how many dialogues, or visits, came to an end.

    amount      dialogues to hold, each participant as many as they like; where the study has no dialogue
                step, visits
    error_rate  expected word error rate of the noisy channel between caller and system
    judged      is filled with each caller's judgement by dialogue, for checks of the platform itself
    population  who the callers are; its own seed counts, and the seed given here draws tasks and systems
    casting     who plays them; by default what the study's tasks ask for
    language    of all visits; the study's default when left out
    callers     of a trial of which other parts go on elsewhere; all of them when left out
    Raises      InputError: the study has no tasks that simulated users know, or a step in which nobody can
                be simulated
    """
    study = engine.study
    spoken = study.language(language)
    if language is not None and spoken[:2].lower() != language[:2].lower():
        raise UnknownName("language of the study", language, list(study.languages))
    for step in study.visit:
        kind_of(step).check_simulation(step, study, spoken)
    dialogues = dialogues_in(study.visit)
    casting = (casting or UserSimulator.of(study)) if dialogues else None
    trial = _Trial(engine, population or Population(seed), casting, error_rate, amount, progress)
    if callers is not None:
        trial.prefix = callers.prefix
    trial.judged, trial.language = judged if judged is not None else {}, spoken
    if dialogues and spoken not in trial.channels:
        raise UnknownName("language of simulated users", spoken, list(trial.channels))
    engine.rules.chance = lambda key: Random(f"{seed}:{trial.anonymous(key)}")
    quotas = callers_of(study, trial.population, amount) if callers is None else callers.quotas
    if casting is not None:
        casting.check((trial.population.traits(caller) for caller, _ in quotas), spoken)
    waiting = iter(quotas)
    await asyncio.gather(*(trial.work(waiting) for _ in range(CALLERS_AT_ONCE)))
    return trial.done


def callers_of(study: Study, population: Population, amount: int) -> list[tuple[int, int]]:
    """Callers by number, each with their dialogues, until all are given out; visits without any have 0.

    Note  nobody comes for fewer than a visit asks for
    """
    dialogues = dialogues_in(study.visit)
    if not dialogues:
        return [(number, 0) for number in range(amount)]
    repeat, callers = dialogues[0].repeat, list[tuple[int, int]]()
    while amount > 0:
        traits = population.traits(len(callers))
        callers.append((len(callers), min(max(traits.dialogues, repeat.min), repeat.max, amount)))
        amount -= callers[-1][1]
    return callers


def new_prefix() -> str:
    """Prefix of the pseudonyms of one trial's simulated users."""
    return f"simulated-{uuid.uuid4().hex[:6]}-"


def looks_at_others(study: Study) -> str:
    """Parts of a study that depend on others' assignments or answers, in words; "": none."""
    kinds = [(kind_of(step), step) for step in study.visit]
    if study.allocation == "balanced":
        return "systems are balanced over everybody's dialogues"
    if study.quotas is not None:
        return "quotas count everybody's places"
    if study.follow_up is not None:
        return "participants of an earlier session come again"
    if any(kind.quotas(step) for kind, step in kinds):
        return "a questionnaire has quotas"
    if any(isinstance(kind, StimulusStep) or battles_of(step) is not None for kind, step in kinds):
        return "what is presented is balanced over participants"
    return ""


def _returning(engine: SessionEngine) -> list[str]:
    """Simulated users of the session that this study follows who have not come again, by pseudonym."""
    log, study = engine.log, engine.study.name
    if engine.study.follow_up is None:
        return []
    visitors = {visit.participant_id for visit in log.visits(study)}
    invited = (invited_person for invited_person in invited_people(log, study) if invited_person.simulated)
    return [person.participant_id for person in invited if person.participant_id not in visitors]


class _Trial:
    """State that the participants of one run share."""

    def __init__(
        self,
        engine: SessionEngine,
        population: Population,
        casting: UserSimulator | None,
        error_rate: float,
        total: int,
        progress: Progress | None,
    ) -> None:
        self.engine, self.population, self.casting = engine, population, casting
        self.error_rate, self.total, self.progress, self.done = error_rate, total, progress, 0
        self.judged: dict[str, Judgement] = {}
        self.last_said: dict[str, events.SystemTurnReceived] = {}
        self.language = engine.study.default_language
        self.prefix = new_prefix()
        self.returning = _returning(engine)
        self.channels = {
            language: casting.channel(language, error_rate)
            for language in engine.study.languages
            if casting is not None and casting.speaks(language)
        }

    async def work(self, waiting: Iterator[tuple[int, int]]) -> None:
        for caller, dialogues in waiting:
            await self._visit(caller, dialogues)

    async def _visit(self, caller: int, dialogues: int) -> None:
        """One participant's whole visit: every step in its turn, then the end or a leave-taking."""
        opened = await self.engine.open_visit(
            language=self.language,
            pool=POOL,
            simulated=True,
            participant_id=self.name(caller),
        )
        await self.engine.describe_user(opened.visit_id, self._description(caller))
        participant = _Participant(self, opened.visit_id, caller, dialogues)
        while (step := await participant.look()) is not None:
            await kind_of(step).simulate(step, participant)
        if self.casting is None:
            self.count()

    def name(self, caller: int) -> str:
        """A caller's pseudonym: that of an earlier session for as many as have one."""
        return self.returning[caller] if caller < len(self.returning) else f"{self.prefix}{caller}"

    def anonymous(self, key: str) -> str:
        """The name of a draw by the caller's number, not the pseudonym, so that it can be repeated."""
        who, mark, suffix = key.partition(":")
        number = self.returning.index(who) if who in self.returning else who.removeprefix(self.prefix)
        return f"{number}{mark}{suffix}"

    def _description(self, caller: int) -> events.SimulatedUserDescribed:
        people, casting = self.population, self.casting
        return events.SimulatedUserDescribed(
            user=casting.kind if casting else "agenda",
            caller=caller,
            population=people.name,
            group=people.group(caller),
            seed=people.seed,
            habits={
                name: round(value, 4)
                for name, value in asdict(people.traits(caller)).items()
                if value is not None
            }
            | (people.planted.facts() if people.planted else {}),
            word_error_rate=round(people.error_rate(caller, self.error_rate), 4) if casting else None,
            model=casting.model if casting else None,
        )

    def count(self) -> None:
        """One more dialogue, or visit, has come to an end."""
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)


class _Participant:
    """One simulated participant in their visit; what the steps ask of them."""

    def __init__(self, trial: _Trial, visit_id: str, caller: int, dialogues: int) -> None:
        self._trial, self.visit_id, self._caller, self._wanted = trial, visit_id, caller, dialogues
        self.engine, self.study = trial.engine, trial.engine.study
        self.population, self.state = trial.population, VisitState(self.study, visit_id)
        self._held = 0

    async def look(self) -> Step | None:
        """Read the visit's state; return the step that is due, or None once it has ended."""
        self.state = await self.engine.state(self.visit_id)
        return None if self.state.phase == "ended" else self.state.current_step

    @property
    def planted(self) -> PlantedPreferences | None:
        return self.population.planted

    def chance(self, purpose: str) -> Random:
        return self.population.random(self._caller, purpose)

    async def converse(self) -> None:
        engine, visit_id, state = self.engine, self.visit_id, self.state
        if state.phase == "chat":
            await self._dialogue()
            self._held += 1
            self._trial.count()
        elif state.phase == "code" and state.dialogue is not None:
            await engine.enter_code(visit_id, state.dialogue.code or "")
        elif state.phase == "feedback":
            step = state.dialogue_plan.feedback[state.position]
            wording, ratings = self.ratings(step.name, f"form {state.step} {state.round} {step.name}", step)
            await engine.forms.answer(
                visit_id,
                step=state.step,
                round=state.round,
                position=state.position,
                instrument=step.name,
                wording=wording,
                ratings=ratings,
            )
        elif self._held < self._wanted:
            await engine.next_dialogue(visit_id, state.step, state.round)
        elif state.may_finish:
            await engine.finish_dialogues(visit_id, state.step)
        else:
            await engine.withdraw(visit_id)

    async def _dialogue(self) -> None:
        """One dialogue, from the greeting to either party's end."""
        trial, visit_id, dialogue = self._trial, self.visit_id, self.state.dialogues[-1]
        casting = trial.casting
        if casting is None:
            raise LookupError("a visit with dialogues has somebody to hold them")
        traits = self.population.traits(self._caller)
        task = Task.model_validate(dialogue.task)
        person = casting.user(task, traits, self.state.language, self.chance(f"dialogue {self._held}"))
        if (prompt := casting.prompt(person)) is not None:
            description = events.SimulatedUserDescribed(
                user=casting.kind, dialogue_id=dialogue.dialogue_id, model=casting.model, prompt=prompt
            )
            await self.engine.describe_user(visit_id, description)
        noise = self.chance(f"noise {self._held}")
        seq = 0
        while True:
            seq, incoming = await self._heard(visit_id, dialogue.dialogue_id, seq)
            if incoming is None:
                self._overhear(person, dialogue.dialogue_id)
                break
            self._trial.last_said.pop(dialogue.dialogue_id, None)
            answer = await _reply(person, incoming)
            rate = self.population.error_rate(self._caller, trial.error_rate)
            heard_as = trial.channels[dialogue.language].hear(answer.text, noise, rate)
            await self._say(visit_id, dialogue, answer, heard_as, seq)
            if answer.hangs_up:
                await self._heard(visit_id, dialogue.dialogue_id, seq)
                self._overhear(person, dialogue.dialogue_id)
                await self._hang_up(visit_id, dialogue.dialogue_id)
                break
        self._trial.judged[dialogue.dialogue_id] = person.judge()

    async def _hang_up(self, visit_id: str, dialogue_id: str) -> None:
        try:
            await self.engine.end_dialogue(visit_id, dialogue_id)
        except Stale:
            pass  # the system was quicker

    def _overhear(self, person: SimulatedUser, dialogue_id: str) -> None:
        """Pass on the system's words after the user's last ones, or as it ended the dialogue."""
        last_turn = self._trial.last_said.pop(dialogue_id, None)
        if last_turn is not None:
            person.feed_audio(last_turn.acts, last_turn.text)

    async def _heard(self, visit_id: str, dialogue_id: str, seq: int) -> tuple[int, StoredEvent | None]:
        """The next thing the system did in this dialogue, with its seq; None once the dialogue is over."""
        spoken = (events.SystemTurnReceived, events.SystemTurnFailed, events.NoAnswer)
        async with asyncio.timeout(LONGEST_WAIT_S):
            while True:
                for stored in await self.engine.updates(visit_id, seq, wait_s=5):
                    seq = stored.seq
                    if getattr(stored.event, "dialogue_id", None) != dialogue_id:
                        continue
                    if isinstance(stored.event, events.DialogueEnded):
                        return seq, None
                    if isinstance(stored.event, events.SystemTurnReceived):
                        self._trial.last_said[dialogue_id] = stored.event
                    if isinstance(stored.event, spoken) and not await self._over(visit_id, dialogue_id):
                        return seq, stored

    async def _over(self, visit_id: str, dialogue_id: str) -> bool:
        state = await self.engine.state(visit_id)
        return not state.dialogue_by_id(dialogue_id).running

    async def _say(
        self,
        visit_id: str,
        dialogue: DialogueHistory,
        answer: UserUtterance,
        heard_as: Sequence[Heard],
        seq: int,
    ) -> None:
        hypotheses = [
            events.LoggedHypothesis(text=hypothesis.text, score=hypothesis.score) for hypothesis in heard_as
        ]
        try:
            await self.engine.say(
                visit_id,
                dialogue.dialogue_id,
                key=f"{dialogue.dialogue_id}-{seq}",
                text=answer.text,
                heard=hypotheses,
                meant=list(answer.acts) or None,
            )
        except Refused as refusal:
            if refusal.reason != "not_running":
                raise  # else its time was up while the user thought; the end is heard next

    def ratings(
        self, form: str, purpose: str, step: QuestionnaireStep | None = None
    ) -> tuple[str, list[events.LoggedRating]]:
        """As the population's model of satisfaction has it."""
        instrument, wording = self.study.instrument(form), self.study.wording(form, self.state.language)
        dialogue, model = self.state.dialogue, self.population.satisfaction
        about = [dialogue] if dialogue is not None else self.state.dialogues
        judged = self._trial.judged
        held_dialogues = [
            _held(dialogue, judged[dialogue.dialogue_id])
            for dialogue in about
            if dialogue.dialogue_id in judged
        ]
        content = model.content(held_dialogues, model.lenient(self.chance("leniency")))
        verdict = all(dialogue.rated for dialogue in held_dialogues)
        chance = self.chance(purpose)
        ratings = []
        for item in instrument.asked(dialogue.channel if dialogue else "text"):
            scale = instrument.scale_of(item)
            if scale is None or item.scale is None:
                ratings.append(events.LoggedRating(item_id=item.item_id, value=None, answer=None))
                continue
            code = _drawn(step, item.item_id, scale, chance) if step is not None else None
            if code is None:
                code = model.code(item, scale, content, verdict, chance)
            label = wording.label(item.scale, code)
            ratings.append(
                events.LoggedRating(item_id=item.item_id, value=float(code), answer=label, role=item.role)
            )
        return wording.origin, ratings


def _held(dialogue: DialogueHistory, judged: Judgement) -> HeldDialogue:
    return HeldDialogue(judged.rated, dialogue.user_turns, judged.unhelpful)


def _drawn(step: QuestionnaireStep, item_id: str, scale: Scale, chance: Random) -> int | None:
    """A simulated user's answer about themselves on a screen: any that it admits, as of people who fit."""
    if not step.admit:
        return None
    admitted = step.admit.get(item_id)
    return chance.choice(
        [code for code in scale.codes if admitted is None or admitted.min <= code <= admitted.max]
    )


async def _reply(person: SimulatedUser, stored_event: StoredEvent) -> UserUtterance:
    event = stored_event.event
    if not isinstance(event, events.SystemTurnReceived):
        return person.after_failure()
    answer = person.reply(event.acts, event.text)
    return await answer if isawaitable(answer) else answer
