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
from typing import Final

from vivavoce.connectors.base import Heard
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log import events
from vivavoce.log.store import StoredEvent
from vivavoce.questionnaires.instrument import Scale
from vivavoce.simulation.agenda_user import Judgement, Utterance
from vivavoce.simulation.satisfaction import Held
from vivavoce.simulation.user_factory import Casting, SimulatedUser
from vivavoce.simulation.user_profile import Population
from vivavoce.study.model import DialogueStep, QuestionnaireStep
from vivavoce.study.task import Task
from vivavoce.trial.engine import SessionEngine
from vivavoce.trial.errors import Refused, Stale
from vivavoce.trial.state import DialogueState, VisitState

POOL: Final = "simulation"
JUDGING: Final = ("compare", "rate", "arena", "listen")
CALLERS_AT_ONCE: Final = 24
LONGEST_WAIT_S: Final = 60.0

Progress = Callable[[int, int], None]


async def run_trial(
    engine: SessionEngine,
    dialogues: int,
    *,
    seed: int,
    error_rate: float,
    progress: Progress | None = None,
    judged: dict[str, Judgement] | None = None,
    population: Population | None = None,
    casting: Casting | None = None,
    language: str | None = None,
) -> int:
    """Hold so many dialogues, each caller as many as he likes; returns how many came to an end.

    error_rate  expected word error rate of the noisy channel between caller and system
    judged      is filled with each caller's judgement by dialogue, for checks of the platform itself
    population  who the callers are; its own seed counts, and the seed given here draws tasks and systems
    casting     who plays them; by default what the study's tasks ask for
    language    of all visits; the study's default when left out
    Raises      InputError: the study has no dialogue step, no tasks that simulated users know, or a step in
                which people judge what they read
    """
    study = engine.study
    steps = [step for step in study.visit if isinstance(step, DialogueStep)]
    judging = next((step.kind for step in study.visit if step.kind in JUDGING), None)
    if judging is not None:
        raise InputError(
            f"simulated callers take no part in a step {judging!r}", place=f"study {study.name}",
            hint="simulate a copy of the study without it: people must choose, rate and vote",
        )  # fmt: skip
    if not steps:
        raise InputError(
            "simulated users need a dialogue step", place=f"study {study.name}", hint="add a step `dialogue`"
        )
    casting = casting or Casting.of(study)
    trial = _Trial(engine, population or Population(seed), casting, error_rate, dialogues, progress)
    trial.judged = judged if judged is not None else {}
    trial.language = study.language(language)
    if language is not None and trial.language[:2].lower() != language[:2].lower():
        raise UnknownName("language of the study", language, list(study.languages))
    if trial.language not in trial.channels:
        raise UnknownName("language of simulated users", trial.language, list(trial.channels))
    engine.rules.chance = lambda key: Random(f"{seed}:{key.removeprefix(trial.prefix)}")
    repeat = steps[0].repeat
    waiting = iter(list(_quotas(trial.population, dialogues, repeat.min, repeat.max)))
    await asyncio.gather(*(trial.work(waiting) for _ in range(CALLERS_AT_ONCE)))
    return trial.done


def _quotas(population: Population, dialogues: int, least: int, most: int) -> Iterator[tuple[int, int]]:
    """(caller, dialogues) until all are given out; nobody comes for fewer than a visit asks for."""
    caller = 0
    while dialogues > 0:
        wanted = min(max(population.traits(caller).dialogues, least), most, dialogues)
        yield caller, wanted
        dialogues -= wanted
        caller += 1


class _Trial:
    """What the callers of one run share."""

    def __init__(
        self, engine: SessionEngine, population: Population, casting: Casting, error_rate: float, total: int,
        progress: Progress | None,
    ) -> None:  # fmt: skip
        self.engine, self.population, self.casting = engine, population, casting
        self.error_rate, self.total, self.progress, self.done = error_rate, total, progress, 0
        self.judged: dict[str, Judgement] = {}
        self.last_said: dict[str, events.SystemTurnReceived] = {}
        self.language = engine.study.default_language
        self.prefix = f"simulated-{uuid.uuid4().hex[:6]}-"
        self.channels = {
            language: casting.channel(language, error_rate)
            for language in engine.study.languages
            if casting.speaks(language)
        }

    async def work(self, waiting: Iterator[tuple[int, int]]) -> None:
        for caller, dialogues in waiting:
            await self._visit(caller, dialogues)

    async def _visit(self, caller: int, dialogues: int) -> None:
        """One caller's whole visit: every step in its turn, then the end or a leave-taking."""
        engine = self.engine
        opened = await engine.open_visit(
            language=self.language, pool=POOL, simulated=True,
            participant_id=f"{self.prefix}{caller}",
        )  # fmt: skip
        visit_id, held = opened.visit_id, 0
        await engine.describe_user(visit_id, self._description(caller))
        while True:
            state = await engine.state(visit_id)
            if state.phase == "ended":
                return
            if state.phase == "chat":
                await self._dialogue(visit_id, caller, held)
                held += 1
                self._moved()
            elif state.phase == "ready" and held >= dialogues and not state.may_finish:
                await engine.withdraw(visit_id)
                return
            elif state.phase == "ready" and held >= dialogues:
                await engine.finish_dialogues(visit_id, state.step)
            elif state.phase == "ready":
                await engine.next_dialogue(visit_id, state.step, state.round)
            else:
                await self._page(visit_id, caller, state)

    def _description(self, caller: int) -> events.SimulatedUserDescribed:
        people = self.population
        return events.SimulatedUserDescribed(
            user=self.casting.kind, population=people.name, group=people.group(caller), seed=people.seed,
            habits={name: round(value, 4) for name, value in asdict(people.traits(caller)).items()},
            word_error_rate=round(people.error_rate(caller, self.error_rate), 4), model=self.casting.model,
        )  # fmt: skip

    async def _page(self, visit_id: str, caller: int, state: VisitState) -> None:
        """A page other than a dialogue: agreed to, read, unlocked or filled in."""
        engine, step = self.engine, state.current_step
        if state.phase == "code" and state.dialogue is not None:
            await engine.enter_code(visit_id, state.dialogue.code or "")
        elif state.phase == "feedback":
            await self._answer(
                visit_id, caller, state, state.dialogue_step.feedback[state.position], state.round
            )
        elif step is not None and step.kind == "consent":
            await engine.give_consent(visit_id, state.step, agreed=True, document="simulated")
        elif isinstance(step, QuestionnaireStep):
            await self._answer(visit_id, caller, state, step, None)
        else:
            await engine.read_page(visit_id, state.step)

    def _moved(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)

    async def _dialogue(self, visit_id: str, caller: int, number: int) -> None:
        """One dialogue, from the greeting to either party's end."""
        state = await self.engine.state(visit_id)
        dialogue = state.dialogues[-1]
        chance = self._chance(caller, f"dialogue {number}")
        traits = self.population.traits(caller)
        task = Task.model_validate(dialogue.task)
        person = self.casting.user(task, traits, state.language, chance)
        if (prompt := self.casting.prompt(person)) is not None:
            said = events.SimulatedUserDescribed(
                user=self.casting.kind,
                dialogue_id=dialogue.dialogue_id,
                model=self.casting.model,
                prompt=prompt,
            )
            await self.engine.describe_user(visit_id, said)
        noise = self._chance(caller, f"noise {number}")
        seq = 0
        while True:
            seq, heard = await self._heard(visit_id, dialogue.dialogue_id, seq)
            if heard is None:
                self._overhear(person, dialogue.dialogue_id)
                break
            self.last_said.pop(dialogue.dialogue_id, None)
            answer = await _reply(person, heard)
            rate = self.population.error_rate(caller, self.error_rate)
            heard_as = self.channels[dialogue.language].hear(answer.text, noise, rate)
            await self._say(visit_id, dialogue, answer, heard_as, seq)
            if answer.hangs_up:
                await self._heard(visit_id, dialogue.dialogue_id, seq)
                self._overhear(person, dialogue.dialogue_id)
                await self._hang_up(visit_id, dialogue.dialogue_id)
                break
        self.judged[dialogue.dialogue_id] = person.judge()

    async def _hang_up(self, visit_id: str, dialogue_id: str) -> None:
        try:
            await self.engine.end_dialogue(visit_id, dialogue_id)
        except Stale:
            pass  # the system was quicker

    def _overhear(self, person: SimulatedUser, dialogue_id: str) -> None:
        """What the system said after the user's last words, or as it ended the dialogue."""
        said = self.last_said.pop(dialogue_id, None)
        if said is not None:
            person.overhear(said.acts, said.text)

    async def _heard(self, visit_id: str, dialogue_id: str, seq: int) -> tuple[int, StoredEvent | None]:
        """The next thing the system did in this dialogue, with its seq; None once the dialogue is over."""
        spoken = (events.SystemTurnReceived, events.SystemTurnFailed, events.SilenceKept)
        async with asyncio.timeout(LONGEST_WAIT_S):
            while True:
                for stored in await self.engine.updates(visit_id, seq, wait_s=5):
                    seq = stored.seq
                    if getattr(stored.event, "dialogue_id", None) != dialogue_id:
                        continue
                    if isinstance(stored.event, events.DialogueEnded):
                        return seq, None
                    if isinstance(stored.event, events.SystemTurnReceived):
                        self.last_said[dialogue_id] = stored.event
                    if isinstance(stored.event, spoken) and not await self._over(visit_id, dialogue_id):
                        return seq, stored

    async def _over(self, visit_id: str, dialogue_id: str) -> bool:
        state = await self.engine.state(visit_id)
        return not state.dialogue_by_id(dialogue_id).running

    async def _say(
        self, visit_id: str, dialogue: DialogueState, answer: Utterance, heard_as: Sequence[Heard], seq: int
    ) -> None:
        heard = [events.LoggedHypothesis(text=one.text, score=one.score) for one in heard_as]
        try:
            await self.engine.say(
                visit_id, dialogue.dialogue_id, key=f"{dialogue.dialogue_id}-{seq}", text=answer.text,
                heard=heard, meant=list(answer.acts) or None,
            )  # fmt: skip
        except Refused as refusal:
            if refusal.reason != "not_running":
                raise  # else its time was up while the user thought; the end is heard next

    async def _answer(
        self, visit_id: str, caller: int, state: VisitState, step: QuestionnaireStep, round: int | None
    ) -> None:
        """Fill in a form as the population's model of satisfaction has it."""
        study = self.engine.study
        instrument, wording = study.instrument(step.name), study.wording(step.name, state.language)
        dialogue, model = state.dialogue, self.population.satisfaction
        about = [dialogue] if dialogue is not None else state.dialogues
        held = [_held(one, self.judged[one.dialogue_id]) for one in about if one.dialogue_id in self.judged]
        content = model.content(held, model.lenient(self._chance(caller, "leniency")))
        verdict = all(one.rated for one in held)
        chance = self._chance(caller, f"form {state.step} {round} {step.name}")
        ratings = []
        for item in instrument.asked(dialogue.channel if dialogue else "text"):
            scale = instrument.scale_of(item)
            if scale is None or item.scale is None:
                ratings.append(events.LoggedRating(item_id=item.item_id, value=None, answer=None))
                continue
            code = _drawn(step, item.item_id, scale, chance)
            if code is None:
                code = model.code(item, scale, content, verdict, chance)
            label = wording.label(item.scale, code)
            ratings.append(
                events.LoggedRating(item_id=item.item_id, value=float(code), answer=label, role=item.role)
            )
        await self.engine.forms.answer(
            visit_id, step=state.step, round=round, position=state.position, instrument=step.name,
            wording=wording.origin, ratings=ratings,
        )  # fmt: skip

    def _chance(self, caller: int, purpose: str) -> Random:
        return self.population.random(caller, purpose)


def _held(dialogue: DialogueState, judged: Judgement) -> Held:
    user_turns = sum(turn.party == "user" for turn in dialogue.turns)
    return Held(judged.rated, user_turns, judged.unhelpful)


def _drawn(step: QuestionnaireStep, item_id: str, scale: Scale, chance: Random) -> int | None:
    """What a simulated user says of himself on a screen: anything that it admits, as of people who fit."""
    if not step.admit:
        return None
    admitted = step.admit.get(item_id)
    return chance.choice([code for code in scale.codes
                          if admitted is None or admitted.min <= code <= admitted.max])  # fmt: skip


async def _reply(person: SimulatedUser, heard: StoredEvent) -> Utterance:
    event = heard.event
    if not isinstance(event, events.SystemTurnReceived):
        return person.after_failure()
    answer = person.reply(event.acts, event.text)
    return await answer if isawaitable(answer) else answer
