"""Verdicts of people on cases of stress tests, carried to the same case in later runs.

The same case is the same utterance of the same dialogue with the same variant, tried on the same release
of the system, which answered both as before; where it answers otherwise, there is something new to judge.
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import ReplayFinished, StressRunPlanned, VerdictGiven

Key = tuple[str, str]  # run, case
ByJudge = dict[str, VerdictGiven]
_SAME = ("test", "language", "channel", "dialogue_id", "turn_index", "original", "variant")


@dataclass(slots=True)
class VerdictsOfPeople:
    """by_case  on each case that has any, by judge: those given in its run, and those carried to it
    earlier  how many cases of its earlier runs people had judged, by run
    carried  how many of these are in the run, by run
    """

    by_case: dict[Key, ByJudge] = field(default_factory=dict)
    earlier: dict[str, int] = field(default_factory=dict)
    carried: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, stream: Iterable[StoredEvent]) -> "VerdictsOfPeople":
        """Of a study's stream of stress tests."""
        runs, given, answers = (
            list[StressRunPlanned](),
            dict[Key, ByJudge](),
            dict[tuple[str, str, str], str](),
        )
        for stored in stream:
            event = stored.event
            if isinstance(event, StressRunPlanned):
                runs.append(event)
            elif isinstance(event, VerdictGiven):
                given.setdefault((event.run_id, event.case_id), {})[event.judge] = event
            elif isinstance(event, ReplayFinished) and event.repetition == 0 and not event.again:
                answers[event.run_id, event.case_id, event.arm] = answer_in(event)
        found, known = cls(), dict[Hashable, ByJudge]()
        for run in runs:
            found._take(run, given, answers, known)
        return found

    def _take(
        self, run: StressRunPlanned, given: dict[Key, ByJudge], answers: dict[tuple[str, str, str], str],
        known: dict[Hashable, ByJudge],
    ) -> None:  # fmt: skip
        """One run, after those before it; `known` has what was given to each case so far."""
        self.earlier[run.run_id] = sum(of[0] == run.system for of in known)  # type: ignore[index]
        self.carried[run.run_id] = 0
        for case in run.cases:
            key = run.run_id, case["case_id"]
            same = (
                run.system, run.release, *(case.get(name) for name in _SAME),
                answers.get((*key, "clean")), answers.get((*key, "variant")),
            )  # fmt: skip
            self.carried[run.run_id] += same in known
            people = known.get(same, {}) | given.get(key, {})
            if people:
                self.by_case[key] = known[same] = people


def answer_in(replay: ReplayFinished) -> str:
    """The system's first words after the utterance under test; "" where there are none."""
    if replay.injected is None:
        return ""
    said = (turn["text"] for turn in replay.turns[replay.injected + 1 :] if turn["party"] == "system")
    return next(said, "") or ""
