"""Rows of the dataset's table `stress`, from the stream of a study's stress tests."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from vivavoce.core.statement import LocalizedText
from vivavoce.dataset.schema import STRESS
from vivavoce.log.models import StoredEvent
from vivavoce.log.stress_events import (
    CaseJudged,
    ReplayFinished,
    StressRunPlanned,
    VerdictGiven,
)
from vivavoce.log.stress_verdicts import VerdictsOfPeople

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
