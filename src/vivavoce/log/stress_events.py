"""Stress tests in the log: events, verdicts carried to later runs, and rows of the table `stress`.

The events have their own stream, `stress/<study>`: replays are no visits of participants and are counted with
none of their dialogues. A verdict holds for the same case in later runs: the same utterance of the same
dialogue with the same variant, tried on the same system, if both answers are as before (same release: the
same first words; another release: to the end of both replays). A case with another answer is judged again.
"""

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.schema import STRESS
from vivavoce.log.event import Event
from vivavoce.log.models import StoredEvent

Arm = Literal["clean", "variant"]
StressVerdict = Literal["pass", "fail", "clarification", "unsure", "invalid_variant"]
Decision = Literal["accept", "edit", "reject", "write"]


def stress_stream(study: str) -> str:
    """The stream of a study's stress tests; a suite is a study of its own name."""
    return f"stress/{study}"


class LoggedProposal(BaseModel):
    """One variant that an operator proposed, best first among its like."""

    model_config = ConfigDict(frozen=True)
    text: str
    rule: str
    confidence: float
    edits: list[dict[str, Any]] = Field(default_factory=list)


class VariantsProposed(Event):
    """An utterance with its proposals for one test, to be reviewed.

    item_id  the same for the same utterance in the same place and the same test
    double   a second person reviews it too
    """

    kind = "variants_proposed"
    item_id: str
    test: str
    language: str
    dialogue_id: str
    turn_index: int
    original: str
    previous: str | None
    proposals: list[LoggedProposal]
    double: bool = False


class VariantReviewed(Event):
    """A person's decision on an item; the same person's later one takes the place of the earlier.

    text      the approved variant; null when all were rejected
    proposal  0-based, which proposal was accepted or edited; null when written anew
    """

    kind = "variant_reviewed"
    item_id: str
    reviewer: str
    decision: Decision
    text: str | None
    proposal: int | None = None


class StressRunPlanned(Event):
    """A run begins: everything that will be replayed, so that it can be taken up again.

    plan            twelve hexadecimal digits over cases and settings: the same plan can be taken up
    not_applicable  test, dialogue (or null for all) and the reason in words
    titles          of the tests by name, as they were registered; earlier runs have none
    release         what whoever runs it calls the system's release; null where nobody said
    """

    kind = "stress_run_planned"
    run_id: str
    plan: str
    system: str
    settings: dict[str, Any]
    cases: list[dict[str, Any]]
    not_applicable: list[dict[str, Any]] = Field(default_factory=list)
    titles: dict[str, str] = Field(default_factory=dict)
    release: str | None = None


class ReplayBegun(Event):
    """A conversation with the system under test begins; one without an end was interrupted."""

    kind = "replay_begun"
    run_id: str
    case_id: str
    arm: Arm
    repetition: int
    conversation: str


class ReplayFinished(Event):
    """One conversation of a run came to its end.

    met       the task's goal was reached; null where that cannot be known
    met_at    position in `turns` of what told it, `met_words` in it; null of a goal that words do not tell.
              Of a goal that was not reached `met_words` are those with another value than the task's
    failure   why the system gave no answer; null when it answered
    injected  position in `turns` of the utterance under test; null when the system ended before it
    outage    it was the system that failed
    again     the same replay is tried again, for it was an outage, or an original that went astray; this one
              counts nowhere
    """

    kind = "replay_finished"
    run_id: str
    case_id: str
    arm: Arm
    repetition: int
    conversation: str
    turns: list[dict[str, Any]]
    injected: int | None
    met: bool | None = None
    met_at: int | None = None
    met_words: str | None = None
    failure: str | None = None
    outage: bool = False
    again: bool = False
    duration_s: float | None = None


class CaseJudged(Event):
    """Outcome of one case: its admission, and the verdict with the rung that decided.

    rung       task_outcome, acts, exact_match, evidence, guards, similarity, model, person; null when nothing
               could
    outage     the system failed whenever it was tried: no verdict; a later event of the case may have one
    suspicion  what a rung that may not decide thinks: pass, fail or clarification
    why        the reason as `LocalizedText.facts` writes it, with its values; null: see `reason`
    reason     an English sentence, of logs before `why`
    replays    one entry a repetition of either arm, judged by the same ladder against the other clean ones
    """

    kind = "case_judged"
    run_id: str
    case_id: str
    admitted: bool
    verdict: StressVerdict | None
    rung: str | None
    suspicion: str | None = None
    reason: str = ""
    why: dict[str, Any] | None = None
    similarity: float | None = None
    replays: list[dict[str, Any]] = Field(default_factory=list)
    outage: bool = False


class VerdictGiven(Event):
    """A person's verdict on a case; it stands above every automatic one.

    instead  what the system did instead of serving the user as before; null: the person said nothing of it
    chosen   the person chose the case among all, where it may be seen what the rules had said: such verdicts
             count, but say nothing of how far rules and people agree
    """

    kind = "verdict_given"
    run_id: str
    case_id: str
    judge: str
    verdict: StressVerdict
    remark: str = ""
    instead: str | None = None
    chosen: bool = False


class StressRunFinished(Event):
    """Every case of a run was judged."""

    kind = "stress_run_finished"
    run_id: str


STRESS_EVENTS: Final[tuple[type[Event], ...]] = (
    VariantsProposed,
    VariantReviewed,
    StressRunPlanned,
    ReplayBegun,
    ReplayFinished,
    CaseJudged,
    VerdictGiven,
    StressRunFinished,
)


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


Row = dict[str, Any]
_OF_CASE = (
    "test",
    "family",
    "language",
    "channel",
    "dialogue_id",
    "turn_index",
    "original",
    "rule",
    "confidence",
    "approval",
    "ad_hoc",
)


@dataclass
class _Run:
    planned: StressRunPlanned
    judged: dict[str, CaseJudged] = field(default_factory=dict)
    verdicts: dict[str, dict[str, VerdictGiven]] = field(default_factory=dict)
    replays: dict[tuple[str, str], dict[int, ReplayFinished]] = field(default_factory=dict)


def stress_rows(stream: Iterable[StoredEvent]) -> Iterator[Row]:
    """One row a case of every run, and one for every test that did not apply, in the order of planning."""
    stream = list(stream)
    runs: dict[str, _Run] = {}
    people = VerdictsOfPeople.of(stream).by_case
    for stored in stream:
        event = stored.event
        if isinstance(event, StressRunPlanned):
            runs[event.run_id] = _Run(event)
        elif isinstance(event, ReplayFinished):
            if not event.again:
                of = runs[event.run_id].replays.setdefault((event.case_id, event.arm), {})
                of[event.repetition] = event
        elif isinstance(event, CaseJudged):
            runs[event.run_id].judged[event.case_id] = event
    for (run_id, case_id), by_judge in people.items():
        runs[run_id].verdicts[case_id] = by_judge
    empty = dict.fromkeys(column.name for column in STRESS.columns)
    last = {run.planned.system: run_id for run_id, run in runs.items()}.values()
    for run_id, run in runs.items():
        for row in _rows(run):
            yield empty | row | {"last_run": run_id in last}


def stress_titles(stream: Iterable[StoredEvent]) -> dict[str, str]:
    """Titles of the stress tests of all runs, by name; the last run's title counts."""
    titles: dict[str, str] = {}
    for stored in stream:
        if isinstance(stored.event, StressRunPlanned):
            titles |= stored.event.titles
    return titles


def _rows(run: _Run) -> Iterator[Row]:
    speech = run.planned.settings.get("speech")
    of_run = {
        "run_id": run.planned.run_id,
        "system": run.planned.system,
        "release": run.planned.release,
        "repeats": run.planned.settings.get("repeats"),
        "continuation": run.planned.settings.get("continuation"),
        "speech": json.dumps(speech, ensure_ascii=False) if speech else None,
    }
    for case in run.planned.cases:
        row = {**of_run, "case_id": case["case_id"], "text": case["variant"]}
        row |= {name: case.get(name) for name in _OF_CASE}
        yield row | _outcome(run, case["case_id"])
    for untested in run.planned.not_applicable:
        yield {
            **of_run,
            "case_id": None,
            "test": untested["test"],
            "family": untested["family"],
            "language": untested["language"],
            "dialogue_id": untested.get("dialogue_id"),
            "status": "not_applicable",
            "reason": untested["reason"],
        }


def _outcome(run: _Run, case_id: str) -> Row:
    judged, people = run.judged.get(case_id), run.verdicts.get(case_id, {})
    clean, variant = (list(run.replays.get((case_id, arm), {}).values()) for arm in ("clean", "variant"))
    person = verdict_of(list(people.values()))
    row: Row = {
        "status": "unfinished",
        "verdict_of_person": person,
        "judges": len(people),
        "instead": _instead(list(people.values()), person),
        "remark": " / ".join(verdict.remark.strip() for verdict in people.values() if verdict.remark.strip())
        or None,
        "chosen": all(verdict.chosen for verdict in people.values()) if people else None,
        "clean_transcript": _transcript(clean),
        "transcript": _transcript(variant),
        "clean_heard": _heard(clean),
        "heard": _heard(variant),
        "duration_s": _duration([*clean, *variant]),
    }
    if judged is None:
        return row
    row["status"] = "applied" if judged.admitted else "not_admitted"
    verdict = person if person and judged.admitted else judged.verdict
    if judged.outage:
        row["status"] = "outage"
    elif verdict == "invalid_variant":
        row["status"] = "invalid"
    scores = {
        arm: [replay["score"] for replay in judged.replays if replay["arm"] == arm]
        for arm in ("clean", "variant")
    }
    return row | {
        "verdict": verdict,
        "verdict_automatic": judged.verdict,
        "suspicion": judged.suspicion,
        "rung": "person" if person and judged.admitted else judged.rung,
        "rung_automatic": judged.rung,
        **_reason(judged),
        "similarity": judged.similarity,
        "first_score": next(iter(scores["variant"]), None),
        **_scored("clean", scores["clean"]),
        **_scored("variant", scores["variant"]),
    }


def _reason(judged: CaseJudged) -> Row:
    """In English, and as the code with values of which other languages make their sentence."""
    if judged.why is None:
        return {"reason": judged.reason, "why": None}
    return {"reason": str(LocalizedText.read(judged.why)), "why": json.dumps(judged.why, ensure_ascii=False)}


def _scored(arm: str, scores: list[float | None]) -> Row:
    """Number of replays of an arm that the ladder decided, and number that passed."""
    values = [score for score in scores if score is not None]
    return {f"{arm}_count": len(values), f"{arm}_passed_count": int(sum(values))}


def verdict_of(given: list[VerdictGiven]) -> str | None:
    """The verdict of people: the majority's, the last one's where there is none."""
    if not given:
        return None
    verdicts = [judgement.verdict for judgement in given]
    return max(reversed(verdicts), key=verdicts.count)


def _instead(judgements: list[VerdictGiven], verdict: str | None) -> str | None:
    """The system's actual behaviour, from the judges of the verdict that stands; the last one's text."""
    texts = [
        judgement.instead for judgement in judgements if judgement.verdict == verdict and judgement.instead
    ]
    return texts[-1] if texts else None


def _heard(replays: list[ReplayFinished]) -> str | None:
    """The first hypothesis of the utterance under test, "" for none; None where no recogniser listened."""
    if not replays or replays[0].injected is None:
        return None
    hypotheses = replays[0].turns[replays[0].injected].get("heard")
    return None if hypotheses is None else hypotheses[0]["text"] if hypotheses else ""


def _duration(replays: list[ReplayFinished]) -> float | None:
    """Duration of all replays together; None where nothing was replayed."""
    return sum(replay.duration_s or 0.0 for replay in replays) if replays else None


def _transcript(replays: list[ReplayFinished]) -> str | None:
    """The first replay of an arm, as JSON: party, text, and which utterance was under test.

    Of a spoken turn also what was heard, and its damage.
    """
    if not replays:
        return None
    first = replays[0]
    turns = [
        {"party": turn["party"], "text": turn["text"], "injected": place == first.injected}
        | {name: turn[name] for name in ("heard", "speech") if name in turn}
        for place, turn in enumerate(first.turns)
    ]
    return json.dumps(turns, ensure_ascii=False)
