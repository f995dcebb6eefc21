"""Results of linguistic stress tests: per test, family and language, beside IDIAL's plain ratio.

Unit of analysis is the case: one substitution in one logged interaction. A case counts as passed when its
verdict is pass, and as decided when it is pass, fail or clarification. While some are open (unsure, hit by an
outage, not held to their end) no share is told, only between which two it lies.
"""

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import product
from typing import Any, Final

import numpy as np

from vivavoce.analysis.repeated_trials import pass_power as chances_of_all
from vivavoce.core.errors import InputError
from vivavoce.core.result import as_json, signature
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import STRESS
from vivavoce.stats.agreement import cohen
from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.multiple_testing import holm
from vivavoce.stats.proportions import Interval, wilson
from vivavoce.stats.word_errors import word_error_rate
from vivavoce_stress.base import LEFT_OUT
from vivavoce_stress.content_words import by_word
from vivavoce_stress.heuristics import plain
from vivavoce_stress.waiting import waiting_in

Row = dict[str, Any]
DECIDED: Final = ("pass", "fail", "clarification")
DRAWS: Final = 4999
_EXACT: Final = 12


def stress_results(dataset: Dataset, *, run_id: str | None = None, level: float = 0.95) -> dict[str, Any]:
    """Everything that is reported of stress tests.

    run_id  one run; when left out the last one of each system
    Output  runs: what `score` gives, with the titles of tests (null where a dataset was written without)
    Empty   no stress test in the dataset: `runs` is empty
    Raises  InputError: no run of this name
    """
    rows = _rows_in(dataset)
    runs = list(dict.fromkeys(row["run_id"] for row in rows))
    if run_id is not None and run_id not in runs:
        raise InputError(
            f"run {run_id!r} not found", place="stress score", hint=f"known: {', '.join(runs) or 'none'}"
        )
    last = {row["system"]: row["run_id"] for row in rows}
    chosen = [run_id] if run_id is not None else list(last.values())
    of_run = {run_id: [row for row in rows if row["run_id"] == run_id] for run_id in chosen}
    scored = [score(of_run[run_id], dataset.hash, level) for run_id in chosen]
    titles = dataset.manifest["study"].get("stress_tests", {})
    for test in (test for run in scored for test in run["tests"]):
        test["title"] = titles.get(test["name"])
    return {"runs": scored}


def last_run_of(dataset: Dataset, system: str) -> list[Row]:
    """The rows of a system's last run. Empty: none was held: []"""
    rows = [row for row in _rows_in(dataset) if row["system"] == system]
    return [row for row in rows if row["run_id"] == rows[-1]["run_id"]]


def _rows_in(dataset: Dataset) -> list[Row]:
    empty = dict.fromkeys(column.name for column in STRESS.columns)
    return [empty | row for row in dataset.read("stress").to_pylist()]  # older datasets lack columns


def score(rows: Sequence[Row], data: str, level: float = 0.95) -> dict[str, Any]:
    """One run's figures: whole, by test, family and language, with reasons and agreement."""
    tests = _groups(rows, "test", data, level)
    adjusted = holm([test["p"] for test in tests])
    for row, p in zip(tests, adjusted, strict=True):
        row["p_holm"] = p
    families = _groups(rows, "family", data, level)
    return {
        "run_id": rows[0]["run_id"],
        "system": rows[0]["system"],
        "repeats": rows[0]["repeats"],
        "continuation": rows[0]["continuation"],
        "whole": figures(rows, "all", data, level),
        "tests": tests,
        "families": families,
        "languages": _groups(rows, "language", data, level),
        **_macro("macro_tests", tests),
        **_macro("macro_families", families),
        "agreement": agreement(rows),
        "agreement_by_rung": _by_rung(rows),
        "rungs": _rungs(rows),
        "failures": _failures(rows),
        "spoken": _spoken(rows, data, level),
        "open_cases": _open(rows),
        "pairs": _pairs(rows),
        "words": _by_word(rows),
    }


def figures(rows: Sequence[Row], name: str, data: str, level: float = 0.95) -> dict[str, Any]:
    """The figures of one group of cases.

    not_applicable  interactions in which the test found nothing to change; those that were given to another
                 test or variant, or wait for approval, are `left_out`
    open         cases without a verdict: unsure, hit by an outage, or not held to their end
    waiting      unsure ones on which no person has said anything yet
    checks, settled, judged, overruled  what else people have to do with: see `WaitingCases`
    worst, best  passed over decided and open cases, should none or all of the open ones pass
    ratio        the same where none is open, else null
    low, high    limits: the lower one of the worst case, the upper one of the best; by Wilson, or over the
                 `originals` (different utterances) where several variants share one: see `interval`
    clustered    the same ratio's interval over dialogues; null where no dialogue has two cases
    idial        first replays that passed over all: one run each, admitted or not, but for ad hoc cases,
                 whose clean utterance IDIAL verified, too; bounds and ratio likewise
    pass_all     share of cases all of whose k replays of the variant passed: pass^k; cases of which a replay
                 was not decided are in no pass^k, for fewer chances to fail would flatter it
    pass_power   the same for 1 to k replays, without bias: the mean chance that so many of a case's replays,
                 drawn without putting back, all passed (Yao and others 2024, tau-bench)
    p            paired permutation of variant against original, one-sided; null for one repetition, where the
                 original was admitted by the very run that it would be compared by
    """
    of = Counter(row["status"] for row in rows)
    without = _reasons(rows, "not_applicable")
    left_out = {why: n for why, n in without.items() if why in LEFT_OUT}
    unfit = {why: n for why, n in without.items() if why not in LEFT_OUT}
    applied = [row for row in rows if row["status"] == "applied"]
    verdicts = Counter(row["verdict"] for row in applied)
    passed, decided, undecided = bounds_of(rows)
    people, by_original = waiting_in(rows), _over_originals(rows, level)
    first = [row["first_score"] for row in rows if _counted_by_idial(row)]
    comparable = [outcome for outcome in first if outcome is not None]
    clustered = (
        None if undecided else _clustered([row for row in applied if row["verdict"] in DECIDED], level)
    )
    repeated = [
        row for row in applied if row["variant_count"] and row["variant_count"] >= (row["repeats"] or 1)
    ]
    return {
        "name": name,
        "cases": sum(row["case_id"] is not None for row in rows),
        "applied": of["applied"],
        "not_applicable": sum(unfit.values()),
        "left_out": sum(left_out.values()),
        "not_admitted": of["not_admitted"],
        "invalid": of["invalid"],
        "outage": of["outage"],
        "unfinished": of["unfinished"],
        "open": undecided,
        "waiting": people.undecided,
        "checks": people.checks,
        "settled": people.settled,
        "judged": people.judged,
        "overruled": people.overruled,
        "decided": decided,
        "passed": passed,
        "failed": verdicts["fail"],
        "clarification": verdicts["clarification"],
        "unsure": verdicts["unsure"],
        **_bounds("", passed, decided, undecided, level),
        **by_original,
        "originals": len({_original(row) for row in rows if _decided(row) or _is_open(row)}),
        "clusters": len({row["dialogue_id"] for row in applied if row["dialogue_id"]}),
        **_ends("clustered_", clustered),
        "idial_passed": int(sum(comparable)),
        "idial_n": len(comparable),
        **_bounds(
            "idial_",
            int(sum(comparable)),
            len(comparable),
            len(first) - len(comparable) + of["outage"],
            level,
        ),
        "pass_all": _mean([row["variant_passed_count"] == row["variant_count"] for row in repeated]),
        "pass_all_n": len(repeated),
        "pass_power": pass_power(repeated),
        **_paired(applied),
        "why_not_applicable": unfit,
        "why_left_out": left_out,
        "why_not_admitted": _reasons(rows, "not_admitted"),
        "signature": signature(
            "stress_pass_ratio",
            unit="case",
            n=decided + undecided,
            data=data,
            group=name,
            interval=by_original["interval"],
            **({"open": undecided} if undecided else {}),
        ),
    }


def _over_originals(rows: Sequence[Row], level: float) -> dict[str, Any]:
    """Limits over the utterances that were changed, where several variants are of one; else Wilson's stay.

    The lower limit is of the worst case, the upper one of the best. Where the utterances cannot tell how far
    they differ, for they are one or all alike, each counts once. Where cases of one utterance differ more
    than those of several, so that this interval would be narrower than Wilson's of as many independent cases,
    that one stays: no sample of clusters is worth more than its cases.

    Source  Korn and Graubard 1998, Survey Methodology 24 (effective cases are no more than the cases)
    """
    counted = [(row, row["verdict"] == "pass") for row in rows if _decided(row)]
    open_ = [row for row in rows if _is_open(row)]
    if len({_original(row) for row in [*open_, *(row for row, _ in counted)]}) == len(counted) + len(open_):
        return {"interval": "wilson"}
    limits = [_limits([*counted, *((row, passed) for row in open_)], level) for passed in (False, True)]
    passed, n = sum(outcome for _, outcome in counted), len(counted) + len(open_)
    worst, best = wilson(passed, n, level), wilson(passed + len(open_), n, level)
    if worst and best and limits[1].high - limits[0].low < best.high - worst.low:
        return {"interval": "wilson"}
    return {"interval": "clustered", "low": limits[0].low, "high": limits[1].high}


def _limits(counted: Sequence[tuple[Row, bool]], level: float) -> Interval:
    sums: dict[Any, list[int]] = {}
    for row, passed in counted:
        tally = sums.setdefault(_original(row), [0, 0])
        tally[0] += passed
        tally[1] += 1
    table = np.array(list(sums.values()), dtype=float)
    rate = clustered_rate(ClusterSums(table[:, 0], table[:, 1]), level)
    if rate.low is not None and rate.high is not None:
        return Interval(rate.low, rate.high)
    passed = table[:, 0].sum() * len(table) / table[:, 1].sum()
    low, high = (wilson(round_(passed), len(table), level) for round_ in (math.floor, math.ceil))
    assert low is not None and high is not None
    return Interval(low.low, high.high)


def _original(row: Row) -> tuple[str, str]:
    return row["language"], plain(row["original"])


def _decided(row: Row) -> bool:
    return row["status"] == "applied" and row["verdict"] in DECIDED


def _is_open(row: Row) -> bool:
    return row["status"] in ("outage", "unfinished") or (
        row["status"] == "applied" and row["verdict"] == "unsure"
    )


def bounds_of(rows: Sequence[Row]) -> tuple[int, int, int]:
    """Number of cases passed, decided, and open."""
    verdicts = Counter(row["verdict"] for row in rows if row["status"] == "applied")
    undecided = sum(row["status"] in ("outage", "unfinished") for row in rows) + verdicts["unsure"]
    return verdicts["pass"], sum(verdicts[verdict] for verdict in DECIDED), undecided


def ends_of(found: Mapping[str, Any], name: str) -> tuple[float | None, float | None]:
    """The worst and best case of a share, such as `ratio`, `idial_ratio` or `macro_tests`."""
    before = name.removesuffix("ratio") if name.endswith("ratio") else f"{name}_"
    return found[f"{before}worst"], found[f"{before}best"]


def pass_power(repeated: Sequence[Row]) -> list[dict[str, Any]]:
    """pass^k for every k up to the replays that all cases have, averaged over cases.

    Output  k, ratio, n (cases)
    Empty   no case: []
    Source  Yao and others 2024, tau-bench, section 3.3
    """
    chances = chances_of_all([(row["variant_passed_count"], row["variant_count"]) for row in repeated])
    return [{"k": k, "ratio": _mean(values), "n": len(values)} for k, values in chances]


def _counted_by_idial(row: Row) -> bool:
    """Every case that was run; of ad hoc ones only those whose clean utterance was verified first."""
    return row["status"] == "applied" or (row["status"] == "not_admitted" and not row["ad_hoc"])


def permutation_p(differences: Sequence[float], *, draws: int = DRAWS, seed: int = 1) -> float | None:
    """One-sided p that originals pass more often than variants: signs of paired differences are turned.

    Input   original's share of passed replays minus the variant's, one a cluster
    Empty   no pair: None; all differences 0: 1
    Note    exact up to 12 differences other than 0, else drawn; the observed one counts as drawn
    Source  Fisher 1935; Phipson and Smyth 2010; held against counting all signs in the tests
    """
    if not len(differences):
        return None
    moving = np.array([difference for difference in differences if difference], dtype=float)
    if not len(moving):
        return 1.0
    observed = moving.sum()
    if len(moving) <= _EXACT:
        signs = np.array(list(product((-1, 1), repeat=len(moving))), dtype=float).reshape(-1, len(moving))
        return float(((signs * abs(moving)).sum(axis=1) >= observed - 1e-9).mean())
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (draws, len(moving)))
    return float((1 + ((signs * moving).sum(axis=1) >= observed - 1e-9).sum()) / (1 + draws))


def agreement(rows: Sequence[Row], level: float = 0.95) -> dict[str, Any] | None:
    """Agreement of ladder and people on pass or not, for cases with both; suspicions count as verdicts.

    Cases that people chose to judge themselves, and not by lot, say nothing of how often the two agree.

    Empty   no case with both: None
    """
    pairs = [
        (row["verdict_of_person"] == "pass", automatic == "pass")
        for row in rows
        if row["verdict_of_person"] in DECIDED
        and not row.get("chosen")
        and (automatic := _said(row)) is not None
    ]
    return agree(pairs, level)


def _by_rung(rows: Sequence[Row]) -> dict[str, Any]:
    """Agreement of people with each rung, including the language model."""
    rungs = dict.fromkeys(row["rung_automatic"] for row in rows if row["rung_automatic"])
    by_rung = {rung: agreement([row for row in rows if row["rung_automatic"] == rung]) for rung in rungs}
    return {rung: facts for rung, facts in by_rung.items() if facts is not None}


def agree(pairs: Sequence[tuple[bool, bool]], level: float = 0.95) -> dict[str, Any] | None:
    """Raw agreement with Wilson's interval, and Cohen's kappa, of two judges of pass or not."""
    if not pairs:
        return None
    same = sum(first == second for first, second in pairs)
    table = [
        [sum(pair == (first, second) for pair in pairs) for second in (True, False)]
        for first in (True, False)
    ]
    kappa = cohen(table)
    return {
        "n": len(pairs),
        "same": same,
        "rate": same / len(pairs),
        **_ends("", wilson(same, len(pairs), level)),
        "kappa": kappa.value,
        **_ends("kappa_", kappa.interval),
        "person_pass_ladder_not": table[0][1],
        "ladder_pass_person_not": table[1][0],
    }


def _said(row: Row) -> str | None:
    automatic = row["verdict_automatic"]
    return automatic if automatic in DECIDED else row["suspicion"]


def _paired(applied: Sequence[Row]) -> dict[str, Any]:
    """Variant against original over cases that were repeated; a dialogue turns its signs together."""
    sums: dict[str, float] = {}
    clean: list[float] = []
    variant: list[float] = []
    for row in applied:
        if row["clean_count"] and row["variant_count"]:
            clean.append(row["clean_passed_count"] / row["clean_count"])
            variant.append(row["variant_passed_count"] / row["variant_count"])
            key = row["dialogue_id"] or row["case_id"]
            sums[key] = sums.get(key, 0.0) + clean[-1] - variant[-1]
    return {
        "pairs": len(clean),
        "clean_rate": _mean(clean),
        "variant_rate": _mean(variant),
        "p": permutation_p(list(sums.values())),
    }


def _clustered(decided: Sequence[Row], level: float) -> Interval | None:
    """Interval of the ratio with dialogues as the unit; drawing them would be too narrow for few."""
    sums: dict[str, list[int]] = {}
    for row in decided:
        tally = sums.setdefault(row["dialogue_id"] or row["case_id"], [0, 0])
        tally[0] += row["verdict"] == "pass"
        tally[1] += 1
    if len(sums) < 2 or len(sums) == len(decided):
        return None
    table = np.array(list(sums.values()), dtype=float)
    rate = clustered_rate(ClusterSums(table[:, 0], table[:, 1]), level)
    return None if rate.low is None or rate.high is None else Interval(rate.low, rate.high)


def _groups(rows: Sequence[Row], by: str, data: str, level: float) -> list[dict[str, Any]]:
    names = sorted({row[by] for row in rows}, key=_order)
    return [figures([row for row in rows if row[by] == name], name, data, level) for name in names]


_FAMILIES: Final = ("spelling", "lexical", "syntactic")


def _order(name: str) -> tuple[int, str]:
    if name in _FAMILIES:
        return _FAMILIES.index(name), name
    number = name.removeprefix("ST-")
    return (int(number) if number.isdigit() else 0), name


def _spoken(rows: Sequence[Row], data: str, level: float) -> Row | None:
    """Word error rate of the utterances under test in their first replays; None where turns were written.

    Interval over the dialogues from which the utterances come, an ad hoc case being one of its own.
    """
    if not any(row["speech"] for row in rows):
        return None
    rates: Row = {}
    for arm, text_column, heard_column in (
        ("clean", "original", "clean_heard"),
        ("variant", "text", "heard"),
    ):
        heard_rows = [row for row in rows if row["case_id"] and row[heard_column] is not None]
        rate = as_json(
            word_error_rate(
                (
                    (row["dialogue_id"] or row["case_id"], row[text_column], row[heard_column])
                    for row in heard_rows
                ),
                level,
            )
        )
        if rate is not None:
            signed_facts = {"unit": "word", "n": rate["words"], "data": data, "arm": arm}
            rate["signature"] = signature(
                "stress_word_error_rate", **signed_facts, dialogues=rate["speakers"]
            )
            rate["dialogues"] = rate.pop("speakers")
        rates[arm] = rate
    return rates | {"speech": json.loads(next(row["speech"] for row in rows if row["speech"]))}


def _failures(rows: Iterable[Row]) -> list[Row]:
    """Cases that failed or needed clarification, with both transcripts."""
    columns = (
        "case_id",
        "test",
        "family",
        "language",
        "dialogue_id",
        "original",
        "text",
        "rule",
        "verdict",
        "verdict_automatic",
        "verdict_of_person",
        "instead",
        "remark",
        "rung",
        "reason",
        "why",
        "clean_transcript",
        "transcript",
    )
    return [
        {name: row.get(name) for name in columns}
        for row in rows
        if row["status"] == "applied" and row["verdict"] in ("fail", "clarification")
    ]


def _pairs(rows: Iterable[Row]) -> list[Row]:
    """Every case that was held, be it passed or not: what was said in place of what, and what came of it."""
    columns = (
        "case_id",
        "test",
        "language",
        "original",
        "text",
        "status",
        "verdict",
        "verdict_of_person",
        "remark",
        "rung",
    )
    return [{name: row[name] for name in columns} for row in rows if row["case_id"]]


def _by_word(rows: Sequence[Row]) -> list[Row]:
    """Results of a language's spelling tests by the kind of changed word."""
    decided = [row for row in rows if row["family"] == "spelling" and _decided(row)]
    languages = sorted({row["language"] for row in decided})
    return [
        asdict(by_word([row for row in decided if row["language"] == language], language))
        for language in languages
    ]


def _open(rows: Iterable[Row]) -> list[Row]:
    """Cases without a verdict, with the reason: unsure, an outage, or unfinished."""
    columns = ("case_id", "test", "language", "original", "text", "status", "suspicion", "reason", "why")
    return [{name: row[name] for name in columns} for row in rows if _is_open(row)]


def _rungs(rows: Iterable[Row]) -> dict[str, int]:
    counts = Counter(row["rung"] for row in rows if row["status"] == "applied" and row["verdict"] in DECIDED)
    return dict(counts.most_common())


def _reasons(rows: Iterable[Row], status: str) -> dict[str, int]:
    return dict(Counter(row["reason"] for row in rows if row["status"] == status).most_common())


def _mean(values: Sequence[float]) -> float | None:
    return float(sum(values) / len(values)) if values else None


def _macro(name: str, groups: Sequence[Row]) -> Row:
    """Mean of the groups' ratios where all of them are known, and between which two it lies."""
    complete = [group for group in groups if group["worst"] is not None]
    means = {end: _mean([group[end] for group in complete]) for end in ("worst", "best")}
    mean_ratio = None if any(group["open"] for group in complete) else means["worst"]
    return {name: mean_ratio, **{f"{name}_{end}": mean for end, mean in means.items()}}


def _bounds(prefix: str, passed: int, decided: int, undecided: int, level: float) -> Row:
    """A share whose open cases may all fail or all pass, and the outer limits of the intervals of the two."""
    n = decided + undecided
    worst, best = wilson(passed, n, level), wilson(passed + undecided, n, level)
    return {
        f"{prefix}ratio": passed / n if n and not undecided else None,
        f"{prefix}worst": passed / n if n else None,
        f"{prefix}best": (passed + undecided) / n if n else None,
        f"{prefix}low": worst.low if worst else None,
        f"{prefix}high": best.high if best else None,
    }


def _ends(prefix: str, interval: Interval | None) -> dict[str, float | None]:
    return {
        f"{prefix}low": interval.low if interval else None,
        f"{prefix}high": interval.high if interval else None,
    }
