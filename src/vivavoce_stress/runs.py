"""A run of stress tests: every case replayed clean and as variant, judged, and written down at once.

What is written down is never done again: a run that was killed goes on where it stood. The system's own
settings bound the pace (`at_once`, `turns_per_minute`).
"""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from vivavoce.connectors.base import Connector
from vivavoce.core.errors import InputError, LogError
from vivavoce.log.store import Log
from vivavoce.log.stress_events import (
    Arm,
    CaseJudged,
    ReplayBegun,
    ReplayFinished,
    StressRunFinished,
    StressRunPlanned,
    StressVerdict,
    stress_stream,
)
from vivavoce.study.ontology import Ontology
from vivavoce_stress.base import STRESS_TESTS
from vivavoce_stress.cascade import Similarity, Verdict, admit, judge, with_model
from vivavoce_stress.case import Case, plan_key
from vivavoce_stress.continuation import Continuation
from vivavoce_stress.rejection import asks_which
from vivavoce_stress.replay import Replayed, Say, replay, written

AT_ONCE: Final = 16
Progress = Callable[[int, int], None]
Asked = Callable[[Case, str, str], Awaitable[tuple[StressVerdict, str] | None]]
Key = tuple[str, Arm, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """How a run is held.

    repeats       replays of the variant of each case. With more than one, the original is replayed as often
                  beside them, and once before to admit the interaction
    continuation  logged or simulated: who goes on after the utterance
    at_once       replays at the same time; the system's own limits bound it further
    speech        who speaks and listens, and the damage, as settings; null: turns are written
    """

    repeats: int = 1
    continuation: Continuation = "logged"
    seed: int = 1
    at_once: int = AT_ONCE
    speech: Mapping[str, Any] | None = None

    def facts(self) -> dict[str, Any]:
        """What two runs must share to be the same plan; the pace is not of it."""
        facts = {name: value for name, value in asdict(self).items() if name not in ("at_once", "speech")}
        return facts if self.speech is None else facts | {"speech": dict(self.speech)}


@dataclass(frozen=True, slots=True)
class CaseDone:
    """What a run came to: replays held now, taken over from before, begun once more after an interruption."""

    run_id: str
    cases: int
    held: int
    taken_over: int
    begun_again: int


@dataclass
class Run:
    """One run of cases on one system; `hold` takes it to its end.

    study       the study's or suite's name, whose stream it is written to
    similarity  of two sentences, -1 to 1; null: that rung is left out
    ask_model   asks a language model about two answers; null: that rung is left out
    say         how an utterance is said: as typed text, unless a channel has another way
    """

    study: str
    system: str
    connector: Connector
    log: Log
    cases: Sequence[Case]
    settings: RunSettings = RunSettings()
    ontology: Ontology | None = None
    not_applicable: Sequence[dict[str, Any]] = ()
    similarity: Similarity | None = None
    ask_model: Asked | None = None
    fresh: bool = False
    say: Say = written
    run_id: str = ""
    _replays: dict[Key, Replayed] = field(default_factory=dict)
    _judged: set[str] = field(default_factory=set)
    _begun: int = 0
    _held: int = 0

    @property
    def replays_at_most(self) -> int:
        each = 2 if self.settings.repeats == 1 else 1 + 2 * self.settings.repeats
        return each * len(self.cases)

    async def hold(self, progress: Progress | None = None) -> CaseDone:
        """Replay and judge whatever is not yet; an interrupted run of the same plan is taken up.

        Raises  InputError: no case; or the system is not there, so that nothing can be said of it
        """
        if not self.cases:
            raise InputError("no case to run", place=f"stress run {self.study}", hint=_NO_CASES)
        await self._take_up()
        taken, begun_before = len(self._replays), self._begun
        waiting = iter([case for case in self.cases if case.case_id not in self._judged])
        workers = [asyncio.create_task(self._work(waiting, progress)) for _ in range(self.settings.at_once)]
        try:
            await asyncio.gather(*workers)
        finally:
            for one in workers:
                one.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        await self._append(StressRunFinished(run_id=self.run_id), "finished")
        return CaseDone(self.run_id, len(self.cases), self._held, taken, begun_before - taken)

    async def _take_up(self) -> None:
        plan = plan_key(self.cases, {**self.settings.facts(), "system": self.system})
        planned: StressRunPlanned | None = None
        over: set[str] = set()
        for stored in self.log.events(stress_stream(self.study)):
            event = stored.event
            if isinstance(event, StressRunPlanned) and event.plan == plan:
                planned = event
            elif isinstance(event, StressRunFinished):
                over.add(event.run_id)
        if planned is not None and planned.run_id not in over and not self.fresh:
            self.run_id = planned.run_id
            self._read()
            return
        self.run_id = f"{plan}-{uuid.uuid4().hex[:6]}"
        await self._append(
            StressRunPlanned(
                run_id=self.run_id, plan=plan, system=self.system, settings=self.settings.facts(),
                cases=[case.model_dump(mode="json") for case in self.cases],
                not_applicable=list(self.not_applicable), titles=self._titles(),
            ),
            "planned",
        )  # fmt: skip

    def _titles(self) -> dict[str, str]:
        """What the tests are called, for readers who lack the packages that offer them."""
        names = {case.test for case in self.cases} | {one["test"] for one in self.not_applicable}
        return {name: STRESS_TESTS.get(name).title for name in sorted(names) if name in STRESS_TESTS}

    def _read(self) -> None:
        """What was done before the interruption."""
        for stored in self.log.events(stress_stream(self.study)):
            event = stored.event
            if getattr(event, "run_id", None) != self.run_id:
                continue
            if isinstance(event, ReplayBegun):
                self._begun += 1
            elif isinstance(event, ReplayFinished):
                self._replays[(event.case_id, event.arm, event.repetition)] = _replayed(event)
            elif isinstance(event, CaseJudged):
                self._judged.add(event.case_id)

    async def _work(self, waiting: Iterator[Case], progress: Progress | None) -> None:
        for case in waiting:
            await self._case(case)
            self._judged.add(case.case_id)
            if progress:
                progress(len(self._judged), len(self.cases))

    async def _case(self, case: Case) -> None:
        """Clean first; the variant of an original that does not pass is run once, for IDIAL's plain ratio."""
        first = await self._replay(case, "clean", 0)
        problem = admit(first, case.language)
        repeats = 1 if problem else self.settings.repeats
        settles = not asks_which((first.answer or {}).get("acts"))
        clean, variants = [first], list[Replayed]()
        for repetition in range(repeats):
            if repeats > 1:
                clean.append(await self._replay(case, "clean", repetition + 1))
            variants.append(await self._replay(case, "variant", repetition, settles))
        if problem:
            await self._append(
                _not_admitted(self.run_id, case, problem, variants[0]), f"{case.case_id}/judged"
            )
            return
        await self._judge(case, clean, variants)

    async def _judge(self, case: Case, clean: list[Replayed], variants: list[Replayed]) -> None:
        """Either arm by the same ladder against as many other clean replays, so that they can be compared."""
        replays: list[dict[str, Any]] = []
        for place, one in enumerate(clean[1:], 1):
            others = [other for other in clean if other is not one]
            found = await self._verdict(case, others, one)
            replays.append(_entry("clean", place, found))
        verdicts: list[Verdict] = []
        references = clean[:-1] if len(clean) > 1 else clean
        for place, one in enumerate(variants):
            verdicts.append(await self._verdict(case, references, one))
            replays.append(_entry("variant", place, verdicts[-1]))
        whole = overall(verdicts)
        judged = CaseJudged(
            run_id=self.run_id, case_id=case.case_id, admitted=True, verdict=whole.verdict, rung=whole.rung,
            suspicion=whole.suspicion, reason=whole.reason, similarity=whole.similarity, replays=replays,
        )  # fmt: skip
        await self._append(judged, f"{case.case_id}/judged")

    async def _verdict(self, case: Case, clean: Sequence[Replayed], one: Replayed) -> Verdict:
        sound = [other for other in clean if admit(other, case.language) is None]
        if not sound:
            return Verdict("unsure", None, "no other replay of the original passed")
        found = judge(sound, one, case.language, self.similarity)
        answers = sound[0].answer, one.answer
        if found.verdict == "unsure" and self.ask_model and answers[0] and answers[1]:
            return with_model(found, await self.ask_model(case, answers[0]["text"], answers[1]["text"]))
        return found

    async def _replay(self, case: Case, arm: Arm, repetition: int, settles: bool = False) -> Replayed:
        """A replay that is on record, else a new one, on record before anything follows from it."""
        key: Key = (case.case_id, arm, repetition)
        if key in self._replays:
            return self._replays[key]
        conversation = uuid.uuid4().hex
        facts: dict[str, Any] = {
            "run_id": self.run_id, "case_id": case.case_id, "arm": arm, "repetition": repetition,
            "conversation": conversation,
        }  # fmt: skip
        await self._append(ReplayBegun(**facts), None)
        held = await replay(
            self.connector, case, arm, conversation, continuation=self.settings.continuation,
            ontology=self.ontology, seed=self.settings.seed, say=self.say, settles=settles,
        )  # fmt: skip
        if held.unreached:
            raise InputError(held.failure or "unreachable", place=f"system {self.system}", hint=_NOT_THERE)
        finished = ReplayFinished(
            **facts, turns=held.turns, injected=held.injected, met=held.met, failure=held.failure,
            duration_s=held.duration_s,
        )  # fmt: skip
        await self._append(finished, f"{case.case_id}/{arm}/{repetition}")
        self._held += 1
        return held

    async def _append(self, event: Any, key: str | None) -> None:
        """Durable when it returns; a key that is known writes nothing: two processes cannot both count."""
        stream = stress_stream(self.study)
        client_key = None if key is None else f"{self.run_id}/{key}"
        stored = await self.log.transact(lambda tx: tx.append(stream, event, client_key=client_key))
        if stored.replayed and stored.event != event and not isinstance(event, StressRunFinished):
            raise LogError(f"run {self.run_id} is being held by another process, too")


_NOT_THERE: Final = "start it, or mend its address; the same command then goes on where this one stopped"
_NO_CASES: Final = "approve variants with `vivavoce stress review`, or take more interactions with --sample"


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over repetitions: passed when more than half of all passed, and so for the others."""
    if len(verdicts) == 1:
        return verdicts[0]
    kinds: list[StressVerdict] = [one.verdict for one in verdicts]
    most: StressVerdict = max(dict.fromkeys(kinds), key=kinds.count)
    if kinds.count(most) * 2 <= len(kinds):
        most = "unsure" if "unsure" in kinds else ("fail" if "fail" in kinds else "clarification")
    first = next(one for one in verdicts if one.verdict == most)
    reason = f"{kinds.count('pass')} of {len(kinds)} replays passed; {first.reason}"
    return Verdict(most, first.rung, reason, first.suspicion, first.similarity)


def _not_admitted(run_id: str, case: Case, problem: str, variant: Replayed) -> CaseJudged:
    """No verdict; but what IDIAL, who admitted every logged interaction, would have counted."""
    passed: float | None = None if variant.met is None else float(variant.met)
    if variant.failure or variant.injected is None or admit(variant, case.language):
        passed = 0.0
    entry = {"arm": "variant", "repetition": 0, "score": passed, "verdict": None, "reason": problem}
    return CaseJudged(
        run_id=run_id, case_id=case.case_id, admitted=False, verdict=None, rung=None, reason=problem,
        replays=[entry],
    )  # fmt: skip


def _entry(arm: Literal["clean", "variant"], repetition: int, found: Verdict) -> dict[str, Any]:
    return {
        "arm": arm, "repetition": repetition, "score": found.score, "verdict": found.verdict,
        "rung": found.rung, "reason": found.reason,
    }  # fmt: skip


def _replayed(event: ReplayFinished) -> Replayed:
    return Replayed(
        turns=event.turns, injected=event.injected, met=event.met, failure=event.failure,
        duration_s=event.duration_s,
    )  # fmt: skip
