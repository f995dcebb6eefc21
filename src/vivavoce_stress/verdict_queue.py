"""Cases that wait for a person's verdict: all unsure ones, and a sample of the others."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import (
    CaseJudged,
    ReplayFinished,
    StressRunPlanned,
    StressVerdict,
    VerdictGiven,
    VerdictsOfPeople,
    answer_in,
    verdict_of,
)
from vivavoce_stress.case import Case
from vivavoce_stress.failures import KINDS
from vivavoce_stress.waiting import Asked, WaitingCases, asked_of_people, waiting_in

VERDICTS: Final[tuple[StressVerdict, ...]] = ("pass", "fail", "clarification", "unsure", "invalid_variant")


@dataclass(slots=True)
class JudgedCase:
    """A case of a run with what is shown of it: the first replay of either arm, and the verdicts."""

    run_id: str
    case: Case
    automatic: CaseJudged | None = None
    clean: ReplayFinished | None = None
    variant: ReplayFinished | None = None
    people: dict[str, VerdictGiven] = field(default_factory=dict)

    @property
    def pattern(self) -> tuple[str, str, str]:
        """Traits shared by similar cases: the test, and the answers to both utterances."""
        return self.case.test, _answer(self.clean), _answer(self.variant)

    @property
    def decided(self) -> bool:
        """True if there is something to judge: the original passed, and the variant was played."""
        return self.automatic is not None and self.automatic.admitted and self.variant is not None

    @property
    def verdict(self) -> str | None:
        """The one that counts: people's, else that of the rules."""
        by_rules = self.automatic and self.automatic.verdict
        return verdict_of(list(self.people.values())) or by_rules

    @property
    def asked(self) -> Asked | None:
        """Reason to ask people about it; None if there is none."""
        if self.automatic is None or not self.decided:
            return None
        return asked_of_people(self.run_id, self.case.case_id, self.automatic.verdict)


@dataclass(slots=True)
class VerdictQueue:
    """The cases of each system's last run, in the order of planning."""

    cases: dict[tuple[str, str], JudgedCase] = field(default_factory=dict)
    systems: dict[str, str] = field(default_factory=dict)  # by run

    @property
    def runs(self) -> set[str]:
        """The runs whose cases these are."""
        return {run_id for run_id, _ in self.cases}

    @classmethod
    def of(cls, stream: Iterable[StoredEvent]) -> "VerdictQueue":
        stream = list(stream)
        queue, last = cls(), dict[str, str]()
        for stored in stream:
            event = stored.event
            if isinstance(event, StressRunPlanned):
                last[event.system] = event.run_id
                for facts in event.cases:
                    case = Case.model_validate(facts)
                    queue.cases[event.run_id, case.case_id] = JudgedCase(event.run_id, case)
            elif isinstance(event, ReplayFinished | CaseJudged):
                _take(queue.cases[event.run_id, event.case_id], event)
        queue.systems = {run_id: system for system, run_id in last.items()}
        runs = set(queue.systems)
        queue.cases = {key: judged for key, judged in queue.cases.items() if key[0] in runs}
        people = VerdictsOfPeople.of(stream).by_case
        for key, judged_case in queue.cases.items():
            judged_case.people = people.get(key, {})
        return queue

    def waiting(self, judge: str) -> list[JudgedCase]:
        """Cases that this person may still judge: fresh ones first, undecided before checks."""
        mine = [case for case in self.cases.values() if case.asked and judge not in case.people]
        return sorted(mine, key=lambda one: (bool(one.people), one.asked != "undecided"))

    def fresh(self, judge: str) -> list[JudgedCase]:
        """Unjudged cases among these, grouped by pattern."""
        mine = [judged for judged in self.waiting(judge) if not judged.people]
        order = list(dict.fromkeys(judged.pattern for judged in mine))
        return sorted(mine, key=lambda one: order.index(one.pattern))

    def judged_by(self, judge: str) -> list[JudgedCase]:
        """Cases that this person has judged."""
        return [case for case in self.cases.values() if judge in case.people]

    def counts(self) -> WaitingCases:
        """Number of unjudged and judged cases: the same numbers as of a dataset's rows."""
        return waiting_in(
            {
                "run_id": case.run_id,
                "case_id": case.case.case_id,
                "status": "applied",
                "verdict_automatic": case.automatic.verdict,
                "verdict_of_person": verdict_of(list(case.people.values())),
            }
            for case in self.cases.values()
            if case.automatic is not None and case.decided
        )


def _answer(replay: ReplayFinished | None) -> str:
    return "" if replay is None else answer_in(replay)


def _take(judged: JudgedCase, event: ReplayFinished | CaseJudged) -> None:
    if isinstance(event, CaseJudged):
        judged.automatic = event
    elif event.repetition == 0 and not event.again:
        setattr(judged, event.arm, event)


def given(one: JudgedCase, judge: str, verdict: str, remark: str = "", instead: str = "") -> VerdictGiven:
    """A person's verdict, checked.

    instead  a kind of failure, where the system did not serve the user as before; "": nothing is said of it
    Raises   InputError: no such verdict, or no such kind
    """
    valid_verdict: StressVerdict | None = next((name for name in VERDICTS if name == verdict), None)
    if valid_verdict is None:
        raise InputError(
            f"unknown verdict {verdict!r}", place="verdict", hint=f"known: {', '.join(VERDICTS)}"
        )
    if instead and instead not in KINDS:
        raise InputError(f"unknown kind {instead!r}", place="instead", hint=f"known: {', '.join(KINDS)}")
    before = one.people.get(judge)
    return VerdictGiven(
        run_id=one.run_id,
        case_id=one.case.case_id,
        judge=judge,
        verdict=valid_verdict,
        remark=remark,
        instead=instead or None if valid_verdict in ("fail", "clarification") else None,
        chosen=one.asked is None if before is None else before.chosen,
    )
