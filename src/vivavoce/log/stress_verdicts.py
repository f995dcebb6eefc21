"""Verdicts of people on cases of stress tests, carried to the same case in later runs.

The same case is the same utterance of the same dialogue with the same variant, tried on the same system,
which answered both as before: of the same release with the same first words, of another one to the end of
both replays. Where it answers otherwise, there is something new to judge.
"""

from collections import defaultdict
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
    carried  how many of these are in the run and are answered as before, by run
    changed  how many are in the run and are answered otherwise, so that nothing is carried, by run
    """

    by_case: dict[Key, ByJudge] = field(default_factory=dict)
    earlier: dict[str, int] = field(default_factory=dict)
    carried: dict[str, int] = field(default_factory=dict)
    changed: dict[str, int] = field(default_factory=dict)
    _judged: defaultdict[str, set[Hashable]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, stream: Iterable[StoredEvent]) -> "VerdictsOfPeople":
        """Verdicts of a study's stream of stress tests."""
        runs, judged, answers = (
            list[StressRunPlanned](),
            dict[Key, ByJudge](),
            dict[tuple[str, str, str], list[str]](),
        )
        for stored in stream:
            event = stored.event
            if isinstance(event, StressRunPlanned):
                runs.append(event)
            elif isinstance(event, VerdictGiven):
                judged.setdefault((event.run_id, event.case_id), {})[event.judge] = event
            elif isinstance(event, ReplayFinished) and event.repetition == 0 and not event.again:
                answers[event.run_id, event.case_id, event.arm] = answers_in(event)
        verdicts, by_key = cls(), dict[Hashable, ByJudge]()
        for run in runs:
            verdicts._take(run, judged, answers, by_key)
        return verdicts

    def _take(
        self,
        run: StressRunPlanned,
        by_case: dict[Key, ByJudge],
        answers: dict[tuple[str, str, str], list[str]],
        by_key: dict[Hashable, ByJudge],
    ) -> None:
        """One run, after those before it; `known` has what was given so far, by either way to be the same."""
        judged = self._judged[run.system]
        self.earlier[run.run_id], earlier = len(judged), frozenset(judged)
        self.carried[run.run_id] = self.changed[run.run_id] = 0
        for case in run.cases:
            key = run.run_id, case["case_id"]
            of, heard_answers = (
                (run.system, *(case.get(name) for name in _SAME)),
                [answers.get((*key, arm), []) for arm in ("clean", "variant")],
            )
            ways = (
                (
                    of,
                    run.release,
                    *(heard_answer[0] if heard_answer else "" for heard_answer in heard_answers),
                ),
                (of, *map(tuple, heard_answers)),
            )
            before = next((by_key[way] for way in ways if way in by_key), {})
            self.carried[run.run_id] += bool(before)
            self.changed[run.run_id] += not before and of in earlier
            people = before | by_case.get(key, {})
            if people:
                self.by_case[key] = people
                by_key |= dict.fromkeys(ways, people)
                judged.add(of)


def answers_in(replay: ReplayFinished) -> list[str]:
    """Answers of the system after the utterance under test; [] if the replay ended before it."""
    if replay.injected is None:
        return []
    return [turn["text"] or "" for turn in replay.turns[replay.injected + 1 :] if turn["party"] == "system"]


def answer_in(replay: ReplayFinished) -> str:
    """The system's first words after the utterance under test; "" where there are none."""
    return next(iter(answers_in(replay)), "")
