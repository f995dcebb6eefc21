"""A run of stress tests: every case replayed clean and as variant, judged, and written down at once.

What is written down is never done again: a run that was killed goes on where it stood. Cases that stay unsure
are judged last, when all that the system said in the run is known. The system's own settings bound the pace
(`at_once`, `turns_per_minute`).
"""

import asyncio
import uuid
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal, NamedTuple

from vivavoce.connectors.base import Connector
from vivavoce.core.errors import InputError, LogError
from vivavoce.core.i18n import N_
from vivavoce.core.statement import LocalizedText, statement
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
from vivavoce_stress.stock_replies import StockReplies

AT_ONCE: Final = 16
Progress = Callable[[int, int], None]
Asked = Callable[[Case, str, str], Awaitable[tuple[StressVerdict, str] | None]]
Of = tuple[Arm, int]
Key = tuple[str, Arm, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Settings of a run.

    attempts      how often a replay at which the system fails is tried, each time after the other cases;
                  and an original that goes astray, at once
    retry_wait_s  seconds between two rounds of attempts
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
    attempts: int = 3
    retry_wait_s: float = 15.0
    speech: Mapping[str, Any] | None = None

    def facts(self) -> dict[str, Any]:
        """Settings that two runs of the same plan share; pace and attempts are left out."""
        facts = {name: value for name, value in asdict(self).items() if name not in _NOT_OF_THE_PLAN}
        return facts if self.speech is None else facts | {"speech": dict(self.speech)}

    def declared(self) -> dict[str, Any]:
        """Settings for the log, including the limits of attempts."""
        return self.facts() | {"attempts": self.attempts, "retry_wait_s": self.retry_wait_s}


_NOT_OF_THE_PLAN: Final = ("at_once", "speech", "attempts", "retry_wait_s")


class _Later(Exception):
    """The system failed at a replay, which is tried again after the other cases."""


class _Outage(Exception):
    """The system failed at a replay in every attempt."""


@dataclass(frozen=True, slots=True)
class CaseDone:
    """Result of a run: new replays, replays of an earlier part, and repeats after an interruption.

    tried_again  replays at which the system failed, so that they were tried again later
    outages      cases without a verdict, for the system failed in every attempt
    """

    run_id: str
    cases: int
    held: int
    taken_over: int
    begun_again: int
    tried_again: int = 0
    outages: int = 0


class _Open(NamedTuple):
    """A case of which a replay is unsure until the whole run is known.

    replays  the entries of its clean replays
    """

    case: Case
    clean: list[Replayed]
    variants: list[Replayed]
    verdicts: list[Verdict]
    replays: list[dict[str, Any]]


@dataclass
class Run:
    """One run of cases on one system; `hold` takes it to its end.

    study       the study's or suite's name, whose stream it is written to
    similarity  of two sentences, -1 to 1; null: that rung is left out
    ask_model   asks a language model about two answers; null: that rung is left out
    release     what the system's release is called
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
    release: str | None = None
    say: Say = written
    run_id: str = ""
    _replays: defaultdict[str, dict[Of, Replayed]] = field(default_factory=lambda: defaultdict(dict))
    _judged: set[str] = field(default_factory=set)
    _tried: Counter[Key] = field(default_factory=Counter)
    _lost: Counter[str] = field(default_factory=Counter)
    _later: list[Case] = field(default_factory=list)
    _outages: set[str] = field(default_factory=set)
    _stock: StockReplies = field(default_factory=StockReplies)
    _open: list["_Open"] = field(default_factory=list)
    _begun: int = 0
    _finished: int = 0
    _held: int = 0
    _again: int = 0

    async def hold(self, progress: Progress | None = None) -> CaseDone:
        """Replay and judge whatever is not yet; an interrupted run of the same plan is taken up.

        A case at which the system fails is tried again after the others, within the limits of the settings.
        What it fails at then, too, is noted as an outage; the next run of the same plan tries that again.

        Raises  InputError: no case; or the system is not there, so that nothing can be said of it
        """
        if not self.cases:
            raise InputError("no cases to run", place=f"stress run {self.study}", hint=_NO_CASES)
        await self._take_up()
        finished_before, begun_before = self._finished, self._begun
        waiting = [case for case in self.cases if case.case_id not in self._judged]
        while waiting:
            self._later = []
            await self._through(iter(waiting), progress)
            waiting = self._later
            if waiting:
                await asyncio.sleep(self.settings.retry_wait_s)
        await self._settle()
        await self._append(StressRunFinished(run_id=self.run_id), "finished")
        return CaseDone(
            self.run_id,
            len(self.cases),
            self._held,
            finished_before,
            begun_before - finished_before,
            self._again,
            len(self._outages),
        )

    async def _through(self, waiting: Iterator[Case], progress: Progress | None) -> None:
        """All these cases, several at once."""
        workers = [asyncio.create_task(self._work(waiting, progress)) for _ in range(self.settings.at_once)]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def _take_up(self) -> None:
        plan = plan_key(self.cases, {**self.settings.facts(), "system": self.system})
        planned: StressRunPlanned | None = None
        over: set[str] = set()
        outages: set[tuple[str, str]] = set()
        for stored in self.log.events(stress_stream(self.study)):
            event = stored.event
            if isinstance(event, StressRunPlanned) and event.plan == plan:
                planned = event
            elif isinstance(event, StressRunFinished):
                over.add(event.run_id)
            elif isinstance(event, CaseJudged):
                place = event.run_id, event.case_id
                (outages.add if event.outage else outages.discard)(place)
        over -= {run_id for run_id, _ in outages}
        if planned is not None and planned.run_id not in over and not self.fresh:
            self.run_id = planned.run_id
            self._read()
            self._hear_again()
            return
        self.run_id = f"{plan}-{uuid.uuid4().hex[:6]}"
        await self._append(
            StressRunPlanned(
                run_id=self.run_id,
                plan=plan,
                system=self.system,
                settings=self.settings.declared(),
                cases=[case.model_dump(mode="json") for case in self.cases],
                not_applicable=list(self.not_applicable),
                titles=self._titles(),
                release=self.release,
            ),
            "planned",
        )

    def _titles(self) -> dict[str, str]:
        """Titles of the tests, for readers without the packages of those tests."""
        names = {case.test for case in self.cases} | {unfit["test"] for unfit in self.not_applicable}
        return {name: STRESS_TESTS.get(name).title for name in sorted(names) if name in STRESS_TESTS}

    def _read(self) -> None:
        """Read the log of the run before the interruption."""
        for stored in self.log.events(stress_stream(self.study)):
            event = stored.event
            if getattr(event, "run_id", None) != self.run_id:
                continue
            if isinstance(event, ReplayBegun):
                self._begun += 1
            elif isinstance(event, ReplayFinished):
                key: Key = (event.case_id, event.arm, event.repetition)
                self._finished += 1
                if event.again:
                    self._tried[key] += 1
                else:
                    self._replays[event.case_id][key[1:]] = _replayed(event)
            elif isinstance(event, CaseJudged) and event.outage:
                self._try_anew(event.case_id)
            elif isinstance(event, CaseJudged):
                self._judged.add(event.case_id)

    def _hear_again(self) -> None:
        """Learn the system's earlier answers in judged cases; the others are judged again from the record."""
        for case in self.cases:
            if case.case_id not in self._judged:
                continue
            by_arm = self._replays.pop(case.case_id, {})
            clean, variants = (
                [
                    replayed
                    for (arm, _), replayed in sorted(by_arm.items(), key=lambda of: of[0])
                    if arm == side
                ]
                for side in ("clean", "variant")
            )
            if clean and admit(clean[0], case.language) is None:
                self._stock.hear(clean, variants, case.language)

    def _try_anew(self, case_id: str) -> None:
        """A case that an outage left without a verdict: what failed is not on record any more."""
        self._lost[case_id] += 1
        self._tried = Counter({key: n for key, n in self._tried.items() if key[0] != case_id})
        sound = {of: replayed for of, replayed in self._replays[case_id].items() if not replayed.outage}
        self._replays[case_id] = sound

    async def _work(self, waiting: Iterator[Case], progress: Progress | None) -> None:
        for case in waiting:
            try:
                await self._case(case)
            except _Later:
                self._later.append(case)
                continue
            except _Outage as outage:
                self._outages.add(case.case_id)
                why = statement(
                    N_("the system failed in {n} attempts: {failure}"),
                    n=self.settings.attempts,
                    failure=str(outage),
                )
                await self._judged_as(
                    case,
                    CaseJudged(
                        run_id=self.run_id,
                        case_id=case.case_id,
                        admitted=False,
                        verdict=None,
                        rung=None,
                        why=why.facts(),
                        outage=True,
                    ),
                )
            self._replays.pop(case.case_id, None)
            self._judged.add(case.case_id)
            if progress:
                progress(len(self._judged), len(self.cases))

    async def _case(self, case: Case) -> None:
        """Clean first; the variant of an original that does not pass is run once, for IDIAL's plain ratio."""
        first = await self._answered(case, "clean", 0)
        problem = admit(first, case.language)
        repeats = 1 if problem else self.settings.repeats
        settles = not asks_which((first.answer or {}).get("acts"))
        clean, variants = [first], list[Replayed]()
        for repetition in range(repeats):
            if repeats > 1:
                clean.append(await self._answered(case, "clean", repetition + 1))
            variants.append(
                await self._answered(case, "variant", repetition, settles, None if problem else first)
            )
        if problem:
            await self._judged_as(case, _not_admitted(self.run_id, case, problem, variants[0]))
            return
        await self._judge(case, clean, variants)

    async def _judge(self, case: Case, clean: list[Replayed], variants: list[Replayed]) -> None:
        """Either arm by the same ladder against as many other clean replays, so that they can be compared."""
        replays: list[dict[str, Any]] = []
        for place, original in enumerate(clean[1:], 1):
            other_originals = [other_original for other_original in clean if other_original is not original]
            judged = await self._verdict(case, other_originals, original)
            replays.append(_entry("clean", place, judged))
        references = clean[:-1] if len(clean) > 1 else clean
        verdicts = [await self._verdict(case, references, variant) for variant in variants]
        self._stock.hear(clean, variants, case.language)
        if any(verdict.verdict == "unsure" for verdict in verdicts):
            self._open.append(_Open(case, references, variants, verdicts, replays))
        else:
            await self._tell(case, verdicts, replays)

    async def _settle(self) -> None:
        """Settle unsure verdicts by the system's other answers in this run."""
        for case, clean, variants, verdicts, replays in self._open:
            settled = [
                (verdict.verdict == "unsure" and self._stock.verdict(clean, variant)) or verdict
                for verdict, variant in zip(verdicts, variants, strict=True)
            ]
            await self._tell(case, settled, replays)

    async def _tell(self, case: Case, verdicts: list[Verdict], clean: list[dict[str, Any]]) -> None:
        combined = overall(verdicts)
        replays = clean + [_entry("variant", place, verdict) for place, verdict in enumerate(verdicts)]
        judged = CaseJudged(
            run_id=self.run_id,
            case_id=case.case_id,
            admitted=True,
            verdict=combined.verdict,
            rung=combined.rung,
            suspicion=combined.suspicion,
            why=combined.reason.facts(),
            similarity=combined.similarity,
            replays=replays,
        )
        await self._judged_as(case, judged)

    async def _judged_as(self, case: Case, judged: CaseJudged) -> None:
        await self._append(judged, self._key(case, "judged"))

    def _key(self, case: Case, of: str) -> str:
        """Unique for each time that a case is tried anew after an outage."""
        lost = self._lost[case.case_id]
        return f"{case.case_id}/{of}" + (f"/anew{lost}" if lost else "")

    async def _verdict(self, case: Case, clean: Sequence[Replayed], one: Replayed) -> Verdict:
        sound = [original for original in clean if admit(original, case.language) is None]
        if not sound:
            return Verdict("unsure", None, LocalizedText(N_("no other replay of the original passed")))
        verdict = judge(clean, one, case.language, self.similarity)
        answers = sound[0].answer, one.answer
        if verdict.verdict == "unsure" and self.ask_model and answers[0] and answers[1]:
            return with_model(verdict, await self.ask_model(case, answers[0]["text"], answers[1]["text"]))
        return verdict

    async def _answered(
        self, case: Case, arm: Arm, repetition: int, settles: bool = False, original: Replayed | None = None
    ) -> Replayed:
        """A replay that was no outage: one of the variant only counts as the system's fault while it answers
        the original."""
        replayed = await self._replay(case, arm, repetition, settles, original)
        if replayed.outage:
            if arm == "clean" or replayed.injected is None:
                raise _Outage(replayed.failure)
            await self._answered(case, "clean", self.settings.repeats + 1)
        return replayed

    async def _replay(
        self, case: Case, arm: Arm, repetition: int, settles: bool = False, original: Replayed | None = None
    ) -> Replayed:
        """A replay that is on record, else a new one, on record before anything follows from it.

        An original that does not reach what its team declared as done is tried again at once: the user said
        what is in the log, and a system that varies may serve them the next time.
        """
        key: Key = (case.case_id, arm, repetition)
        if key[1:] in self._replays[case.case_id]:
            return self._replays[case.case_id][key[1:]]
        conversation = uuid.uuid4().hex
        facts: dict[str, Any] = {
            "run_id": self.run_id,
            "case_id": case.case_id,
            "arm": arm,
            "repetition": repetition,
            "conversation": conversation,
        }
        await self._append(ReplayBegun(**facts), None)
        replayed = await replay(
            self.connector,
            case,
            arm,
            conversation,
            continuation=self.settings.continuation,
            ontology=self.ontology,
            seed=self.settings.seed,
            say=self.say,
            settles=settles,
            original=original,
        )
        if replayed.unreached:
            raise InputError(
                replayed.failure or "unreachable", place=f"system {self.system}", hint=_NOT_THERE
            )
        astray = arm == "clean" and not repetition and case.goal is not None and replayed.met is False
        again = (replayed.outage or astray) and self._tried[key] + 1 < self.settings.attempts
        finished = ReplayFinished(
            **facts,
            turns=replayed.turns,
            injected=replayed.injected,
            met=replayed.met,
            met_at=replayed.met_at,
            met_words=replayed.met_words,
            failure=replayed.failure,
            outage=replayed.outage,
            again=again,
            duration_s=replayed.duration_s,
        )
        tried = f"/try{self._tried[key]}" if again else ""
        await self._append(finished, self._key(case, f"{arm}/{repetition}{tried}"))
        self._held += 1
        if again:
            self._tried[key] += 1
            if not replayed.outage:
                return await self._replay(case, arm, repetition, settles, original)
            self._again += 1
            raise _Later
        self._replays[case.case_id][key[1:]] = replayed
        return replayed

    async def _append(self, event: Any, key: str | None) -> None:
        """Durable when it returns; a key that is known writes nothing: two processes cannot both count."""
        stream = stress_stream(self.study)
        client_key = None if key is None else f"{self.run_id}/{key}"
        stored = await self.log.transact(lambda tx: tx.append(stream, event, client_key=client_key))
        if stored.replayed and stored.event != event and not isinstance(event, StressRunFinished):
            raise LogError(f"another process is running {self.run_id}")


_NOT_THERE: Final = "start the system or correct its address; then run the same command to resume"
_NO_CASES: Final = "approve variants with `vivavoce stress review`, or sample more interactions with --sample"


def overall(verdicts: Sequence[Verdict]) -> Verdict:
    """One verdict over repetitions: passed when more than half of all passed, and so for the others."""
    if len(verdicts) == 1:
        return verdicts[0]
    kinds: list[StressVerdict] = [verdict.verdict for verdict in verdicts]
    most: StressVerdict = max(dict.fromkeys(kinds), key=kinds.count)
    if kinds.count(most) * 2 <= len(kinds):
        most = "unsure" if "unsure" in kinds else ("fail" if "fail" in kinds else "clarification")
    first = next(verdict for verdict in verdicts if verdict.verdict == most)
    template, k = N_("{k} of {n} replays passed; {reason}"), kinds.count("pass")
    reason = statement(template, k=k, n=len(kinds), reason=first.reason)
    return Verdict(most, first.rung, reason, first.suspicion, first.similarity)


def _not_admitted(run_id: str, case: Case, problem: LocalizedText, variant: Replayed) -> CaseJudged:
    """No verdict; but what IDIAL, who admitted every logged interaction, would have counted."""
    passed: float | None = None if variant.met is None else float(variant.met)
    if variant.failure or variant.injected is None or admit(variant, case.language):
        passed = 0.0
    entry = {"arm": "variant", "repetition": 0, "score": passed, "verdict": None, "why": problem.facts()}
    return CaseJudged(
        run_id=run_id,
        case_id=case.case_id,
        admitted=False,
        verdict=None,
        rung=None,
        why=problem.facts(),
        replays=[entry],
    )


def _entry(arm: Literal["clean", "variant"], repetition: int, found: Verdict) -> dict[str, Any]:
    return {
        "arm": arm,
        "repetition": repetition,
        "score": found.score,
        "verdict": found.verdict,
        "rung": found.rung,
        "why": found.reason.facts(),
    }


def _replayed(event: ReplayFinished) -> Replayed:
    return Replayed(
        turns=event.turns,
        injected=event.injected,
        met=event.met,
        met_at=event.met_at,
        met_words=event.met_words,
        failure=event.failure,
        outage=event.outage,
        duration_s=event.duration_s,
    )
