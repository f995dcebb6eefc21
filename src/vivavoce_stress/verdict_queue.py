"""Which cases wait for a person's verdict: all that stayed unsure, and a sample of the others."""

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
)
from vivavoce.log.stress_rows import verdict_of
from vivavoce.log.stress_verdicts import VerdictsOfPeople, answer_in
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
        """What cases of the same kind share: the test, and what the system answered to either utterance."""
        return self.case.test, _answer(self.clean), _answer(self.variant)

    @property
    def decided(self) -> bool:
        """Whether there is something to judge: the original passed, and the variant was played."""
        return self.automatic is not None and self.automatic.admitted and self.variant is not None

    @property
    def verdict(self) -> str | None:
        """The one that counts: people's, else that of the rules."""
        by_rules = self.automatic and self.automatic.verdict
        return verdict_of(list(self.people.values())) or by_rules

    @property
    def asked(self) -> Asked | None:
        """Why people are asked about it; None: they are not."""
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
        found, last = cls(), dict[str, str]()
        for stored in stream:
            event = stored.event
            if isinstance(event, StressRunPlanned):
                last[event.system] = event.run_id
                for facts in event.cases:
                    case = Case.model_validate(facts)
                    found.cases[event.run_id, case.case_id] = JudgedCase(event.run_id, case)
            elif isinstance(event, ReplayFinished | CaseJudged):
                _take(found.cases[event.run_id, event.case_id], event)
        found.systems = {run_id: system for system, run_id in last.items()}
        runs = set(found.systems)
        found.cases = {key: one for key, one in found.cases.items() if key[0] in runs}
        people = VerdictsOfPeople.of(stream).by_case
        for key, one in found.cases.items():
            one.people = people.get(key, {})
        return found

    def waiting(self, judge: str) -> list[JudgedCase]:
        """What this person may still judge: what nobody has judged first, and of that the undecided."""
        mine = [case for case in self.cases.values() if case.asked and judge not in case.people]
        return sorted(mine, key=lambda one: (bool(one.people), one.asked != "undecided"))

    def fresh(self, judge: str) -> list[JudgedCase]:
        """Of these what nobody has judged yet, cases of the same pattern after each other."""
        mine = [one for one in self.waiting(judge) if not one.people]
        order = list(dict.fromkeys(one.pattern for one in mine))
        return sorted(mine, key=lambda one: order.index(one.pattern))

    def judged_by(self, judge: str) -> list[JudgedCase]:
        """What this person has judged."""
        return [case for case in self.cases.values() if judge in case.people]

    def counts(self) -> WaitingCases:
        """What nobody has judged yet, and what people have: the same numbers as of a dataset's rows."""
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
    known: StressVerdict | None = next((name for name in VERDICTS if name == verdict), None)
    if known is None:
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
        verdict=known,
        remark=remark,
        instead=instead or None if known in ("fail", "clarification") else None,
        chosen=one.asked is None if before is None else before.chosen,
    )
