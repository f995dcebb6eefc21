"""One run of stress tests against the one before it, case by case: what passed before and fails now.

Only cases with the same utterance and the same variant are compared, so that nothing but the system differs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import STRESS
from vivavoce.stats.proportions import one_proportion_p
from vivavoce_stress.failures import answer_to, overruled
from vivavoce_stress.heuristics import compare
from vivavoce_stress.scores import bounds_of

Row = dict[str, Any]
Came = Literal["passed", "failed", "original_lost"]
WhyLeft = Literal["invalid_before", "invalid_now", "open_before", "open_now", "person_before", "person_now"]


@dataclass(frozen=True, slots=True)
class CaseCompared:
    """One case in two runs.

    before, now  passed; failed (a clarification, too); original_lost: even the unchanged utterance is not
                 served as it was; None: no verdict, or the variant is invalid; or a person decided otherwise
                 than the rules in the other run, and nobody has judged this one
    otherwise    the unchanged utterance is answered with other numbers, dates, names or kind of turn than
                 before, so that passing says less: the variant is held against the new answer
    rows         of the table `stress`, of the run before and of this one
    left         why it is not compared: a person called the variant invalid in one of the runs, or it has no
                 verdict there, or a person decided otherwise
                 than the rules in the one that is named, and nobody judged it in the other; None: it is
    """

    case_id: str
    before: Came | None
    now: Came | None
    otherwise: bool
    rows: tuple[Row, Row]
    left: WhyLeft | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsCompared:
    """Changes between two runs of one system.

    fell, rose  passed before and not now, and the reverse
    otherwise   passes now, but the unchanged utterance is answered otherwise than before: a person must see
    originals_otherwise  the same of all that came out, passed or not
    originals_lost  not even the unchanged utterance is served now, so that no share holds them
    passed_both, failed_both  came out alike
    worse, better  of those that failed in both: a fail now where it was a clarification, and the reverse
    not_compared  cases of both runs that cannot be held against each other: see `CaseCompared.left`
    common      cases of both runs
    only_one    cases that stand in one run alone, of those whose original passed; where there are any, the
                shares of the two runs, in `shares`, differ by the cases, too
    shares      passed and all of the cases of the run before, and of this one
    p           that as many fell and rose, by chance: exact, two-sided (McNemar). Empty: none did: None
    """

    run_before: str
    run_now: str
    release_before: str | None
    release_now: str | None
    fell: tuple[CaseCompared, ...]
    rose: tuple[CaseCompared, ...]
    otherwise: tuple[CaseCompared, ...]
    originals_otherwise: tuple[CaseCompared, ...]
    originals_lost: tuple[CaseCompared, ...]
    passed_both: int
    failed_both: int
    worse: tuple[CaseCompared, ...]
    better: tuple[CaseCompared, ...]
    not_compared: tuple[CaseCompared, ...]
    common: int
    only_one: int
    shares: tuple[tuple[int, int], tuple[int, int]]
    p: float | None


def releases_of(dataset: Dataset, system: str) -> list[str | None]:
    """Release of each run of a system, in order; null if nobody named it."""
    rows = [row for row in dataset.read("stress").to_pylist() if row["system"] == system]
    return list({row["run_id"]: row.get("release") for row in rows}.values())


def compare_last_runs(dataset: Dataset, system: str) -> RunsCompared | None:
    """The last run of a system against the last before it in which anything came out: a run throughout which
    the system was down is nothing to compare with.

    Empty  no such run: None
    """
    empty = dict.fromkeys(column.name for column in STRESS.columns)
    rows = [empty | row for row in dataset.read("stress").to_pylist() if row["system"] == system]
    runs: dict[str, list[Row]] = {}
    for row in rows:
        runs.setdefault(row["run_id"], []).append(row)
    *earlier, now = runs.values() if runs else [[]]
    before = next((run for run in reversed(earlier) if any(map(_came, run))), None)
    return None if before is None else compare_runs(before, now)


def compare_runs(before: Sequence[Row], now: Sequence[Row]) -> RunsCompared:
    """Two runs of one system by their rows."""
    then, now_by_case = _by_case(before), _by_case(now)
    common = [key for key in now_by_case if key in then]
    alone = [
        of[key]
        for of, opposite in ((then, now_by_case), (now_by_case, then))
        for key in of
        if key not in opposite
    ]
    cases = [_compared(then[key], now_by_case[key]) for key in common]
    decided = [case for case in cases if case.before is not None and case.now is not None]
    fell = tuple(case for case in decided if case.before == "passed" != case.now)
    otherwise = tuple(case for case in decided if case.now == "passed" and case.otherwise)
    rose = tuple(case for case in decided if case.now == "passed" != case.before and not case.otherwise)
    passed = sum(case.before == case.now == "passed" and not case.otherwise for case in decided)
    return RunsCompared(
        run_before=before[0]["run_id"],
        run_now=now[0]["run_id"],
        release_before=before[0]["release"],
        release_now=now[0]["release"],
        fell=fell,
        rose=rose,
        otherwise=otherwise,
        passed_both=passed,
        originals_otherwise=tuple(case for case in decided if case.otherwise and case.now != "original_lost"),
        originals_lost=tuple(case for case in decided if case.now == "original_lost" != case.before),
        failed_both=len(decided) - passed - len(fell) - len(rose) - len(otherwise),
        worse=tuple(case for case in decided if _verdicts(case) == ("clarification", "fail")),
        better=tuple(case for case in decided if _verdicts(case) == ("fail", "clarification")),
        not_compared=tuple(case for case in cases if case.before is None or case.now is None),
        common=len(common),
        only_one=sum(row["status"] != "not_admitted" for row in alone),
        shares=(_share(before), _share(now)),
        p=one_proportion_p(len(fell), len(fell) + len(rose)),
    )


def _compared(before: Row, now: Row) -> CaseCompared:
    then, new_answer = (answer_to(row["clean_transcript"]) or "" for row in (before, now))
    otherwise = bool(then and new_answer and compare(then, new_answer, now["language"]).found)
    then, new_answer = _came(before, now), _came(now, before)
    why_left: WhyLeft | None = None
    if then is None or new_answer is None:
        why_left = _left(before, now) or ("person_now" if then is None else "person_before")
    return CaseCompared(now["case_id"], then, new_answer, otherwise, (before, now), why_left)


def _verdicts(one: CaseCompared) -> tuple[str | None, str | None]:
    before, now = one.rows
    return before["verdict"], now["verdict"]


def _left(before: Row, now: Row) -> WhyLeft | None:
    if before["status"] == "invalid" or now["status"] == "invalid":
        return "invalid_before" if before["status"] == "invalid" else "invalid_now"
    return "open_before" if _came(before) is None else "open_now" if _came(now) is None else None


def _share(rows: Sequence[Row]) -> tuple[int, int]:
    passed, decided, undecided = bounds_of(rows)
    return passed, decided + undecided


def _by_case(rows: Sequence[Row]) -> dict[tuple[str, str, str], Row]:
    return {(row["case_id"], row["original"], row["text"]): row for row in rows if row["case_id"]}


def _came(row: Row, other: Row | None = None) -> Came | None:
    """Outcome of a case beside the other run; None if people corrected the rules only there."""
    if row["status"] == "not_admitted":
        return "original_lost"
    set_right = other is not None and other["verdict_automatic"] != "unsure" and overruled(other)
    if row["status"] != "applied" or (set_right and row.get("verdict_of_person") is None):
        return None
    return {"pass": "passed", "fail": "failed", "clarification": "failed"}.get(row["verdict"])  # pyright: ignore[reportReturnType]
