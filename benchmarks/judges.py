"""How often estimates from people and a judge hold, and how many labels by people they save.

`python -m benchmarks judges [--trials 10000] [--seed 1] [--dstc2 FOLDER] [--part live] [--out FILE]`: JSON.

calls   simulated trials: callers as unequal as crowd callers are (few call very often), each with both
        systems; a judge that knows nothing, something, or much, and is lenient to one system
chosen  the same calls, with labels of dialogues that look bad: to the judge, with and without their chances,
        or to the callers themselves
dstc2   resampled callers of DSTC2 (FOLDER: its archives, or what `vivavoce import dstc2` made of them): 70,
        80 or 90 % of the answers to an item are hidden and predicted from interaction parameters and
        objective success, cross-fitted
live    the same, but which answers are asked for is chosen as callers come, where the model is unsure
tried   live with other penalties and other even shares of the chances, on one half of the callers alone
apart   live with what was taken after that, on the other half

Each beside people alone, and beside the judge alone as if its words were labels.
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, Final

import numpy as np
from benchmarks._judged_trials import Trials, differences, means
from benchmarks.inference import draw_sizes, own_rate
from threadpoolctl import threadpool_limits

from vivavoce.analysis.prediction import prediction_table
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.label_choice import EVEN, doubt_of, learned_spread, live_chances
from vivavoce.stats.prediction.cross_fitting import Learner, cross_fitted
from vivavoce.stats.prediction.logistic import penalised
from vivavoce_corpora.dstc2 import import_dstc2

Facts = dict[str, Any]
Make = Callable[[int, np.random.Generator], dict[str, np.ndarray]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
RATE, ICC, ALPHA = 0.65, 0.15, 0.05
PENALTIES: Final = {"found_all": 30.0, "understood": 100.0}  # the first chosen by `tried`, the other was not
SHARES: Final = (0.1, 0.2, 0.3)
SPLIT: Final = 7
AT_ONCE: Final = 500
WAVES: Final = 4
WAYS = ("people", "joined", "judge")


def judged(trials: Trials, first: np.ndarray) -> dict[str, tuple[Trials, Trials, Trials]]:
    """All dialogues, those with the first and with the second system; by people, people and judge, judge."""
    ways = {
        "joined": trials,
        "people": trials._replace(said=None),
        "judge": Trials(trials.shape, trials.caller, None, np.asarray(trials.said)),
    }
    return {way: (one, one.only(first), one.only(~first)) for way, one in ways.items()}


def outcome(
    trials: Trials, first: np.ndarray, truth: float, difference: float, *, rate: bool
) -> dict[str, Floats]:
    """Of every trial: whether intervals miss and the test alarms, errors, widths; NaN where none is said."""
    seen: dict[str, Floats] = {}
    for way, (every, one, other) in judged(trials, first).items():
        mean = means(every, rate=rate and way != "judge")
        two = differences(one, other)
        said = ~(np.isnan(mean.low) | np.isnan(two.low))
        columns = {
            "n": said,
            "misses": (truth < mean.low) | (truth > mean.high),
            "off": mean.estimate - truth,
            "square": mean.se**2,
            "width": mean.high - mean.low,
            "difference_misses": (difference < two.low) | (difference > two.high),
            "alarms": two.p < ALPHA,
            "difference_off": two.estimate - difference,
            "difference_square": two.se**2,
        }
        seen |= {f"{way}_{name}": np.where(said, value, np.nan) for name, value in columns.items()}
    return seen


def called(law: str, callers: int, trials: int, rng: np.random.Generator) -> tuple[np.ndarray, Floats]:
    """The caller of each simulated dialogue, and whether it succeeded."""
    caller = np.repeat(np.arange(trials * callers), draw_sizes(law, trials * callers, rng))
    own = own_rate(RATE, ICC)(rng.standard_normal(trials * callers))
    return caller, (rng.random(len(caller)) < own[caller]).astype(float)


def calls(
    law: str, callers: int, share: float, right: float, trials: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Simulated trials without a difference, and a judge that is lenient to the first system."""
    caller, truth = called(law, callers, trials, rng)
    first = rng.random(len(caller)) < 0.5
    guess = rng.random(len(caller)) < np.where(first, 0.9, RATE)
    said = np.where(rng.random(len(caller)) < right, truth, guess).astype(float)
    labels = np.where(chosen(caller // callers, share, rng), truth, np.nan)
    return outcome(Trials((trials, callers), caller, said, labels), first, RATE, 0.0, rate=True)


def by_looks(
    law: str, callers: int, by: str, logged: bool, trials: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Labels of dialogues that look bad to the judge (or to their callers), four times as often."""
    caller, truth = called(law, callers, trials, rng)
    said = np.where(rng.random(len(caller)) < 0.6, truth, rng.random(len(caller)) < 0.8).astype(float)
    chances = np.where((said if by == "judge" else truth) > 0.5, 0.15, 0.6)
    labels = np.where(rng.random(len(caller)) < chances, truth, np.nan)
    first = rng.random(len(caller)) < 0.5
    made = Trials((trials, callers), caller, said, labels, chances if logged else None)
    return outcome(made, first, RATE, 0.0, rate=True)


def chosen(trial: np.ndarray, share: float | Floats, rng: np.random.Generator) -> np.ndarray:
    """A simple random sample of the dialogues of each trial (one share, or one a trial), of four or more."""
    starts, sizes = np.unique(trial, return_index=True, return_counts=True)[1:]
    order = np.lexsort((rng.random(len(trial)), trial))
    places = np.arange(len(trial)) - np.repeat(starts, sizes)
    asked = np.zeros(len(trial), dtype=bool)
    asked[order] = places < np.repeat(np.maximum(4, np.round(share * sizes)), sizes)
    return asked


def ridge(penalty: float, values: Floats, answers: Floats, _: Sequence[str]) -> Callable[[Floats], Floats]:
    """Least squares with a penalty, in closed form: a predictor that can be trained ten thousand times."""
    middle = answers.mean()
    weights = np.linalg.solve(
        values.T @ values + penalty * np.eye(values.shape[1]), values.T @ (answers - middle)
    )
    return lambda new: middle + new @ weights


def chance(penalty: float, values: Floats, answers: Floats, _: Sequence[str]) -> Callable[[Floats], Floats]:
    """The same for yes and no: a logistic model with the same penalty."""
    return penalised(values, answers, penalty).predict


def trainer(corpus: Facts) -> Learner:
    """What predicts the answers of a corpus: of yes and no their chances."""
    return partial(chance if corpus["rate"] else ridge, corpus["penalty"])


def drawn_callers(
    corpus: Facts, callers: int, trials: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Callers drawn with replacement for each trial: the caller of each dialogue, and its row there."""
    drawn = rng.integers(0, len(corpus["members"]), trials * callers)
    members = [corpus["members"][one] for one in drawn.tolist()]
    caller = np.repeat(np.arange(trials * callers), [len(one) for one in members])
    return caller, np.concatenate(members)


def resampled(
    corpus: Facts, share: float, callers: int, trials: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Callers of the corpus drawn with replacement; answers hidden; two halves by lot, so no difference."""
    caller, rows = drawn_callers(corpus, callers, trials, rng)
    labels = np.where(chosen(caller // callers, share, rng), corpus["answers"][rows], np.nan)
    ends = np.searchsorted(caller, np.arange(trials + 1) * callers)
    said = np.concatenate(
        [
            cross_fitted(
                corpus["values"][rows[start:end]],
                labels[start:end],
                caller[start:end].tolist(),
                train=trainer(corpus),
                seed=int(rng.integers(1 << 30)),
            )
            for start, end in pairwise(ends.tolist())
        ]
    )
    first = rng.random(len(caller)) < 0.5
    made = Trials((trials, callers), caller, said, labels)
    return outcome(made, first, corpus["mean"], 0.0, rate=corpus["rate"])


def doubted(corpus: Facts, values: Floats, answers: Floats, who: Sequence[int], new: Floats) -> Floats:
    """How unsure a model of the answers so far is of new dialogues; on a scale how far off one expects it."""
    if corpus["rate"]:
        return doubt_of(trainer(corpus)(values, answers, [])(new), answers)
    said = cross_fitted(values, answers, who, train=trainer(corpus))
    off = np.abs(answers - np.where(np.isnan(said), answers.mean(), said))
    return learned_spread(off, lambda known: trainer(corpus)(values, known, [])(new))


def chosen_live(
    corpus: Facts, share: float, callers: int, even: float, trials: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """As `resampled`, but people judge what a model of the labels so far is unsure of; chances are logged.

    Callers come in four waves; all dialogues of the first have the same chance. People alone judge a random
    sample of as many.
    """
    caller, rows = drawn_callers(corpus, callers, trials, rng)
    wave, lots = WAVES * (caller % callers) // callers, rng.random(len(rows))
    labels, said = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    chances, answers = np.full(len(rows), share), corpus["answers"][rows]
    ends = np.searchsorted(caller, np.arange(trials + 1) * callers)
    for start, end in pairwise(ends.tolist()):
        values, mine, own = corpus["values"][rows[start:end]], wave[start:end], labels[start:end]
        for number in range(WAVES):
            now, before = mine == number, (mine < number) & ~np.isnan(own)
            if number and np.ptp(own[before]) > 0:
                seen = mine <= number
                who = caller[start:end][before].tolist()
                doubt = doubted(corpus, values[before], own[before], who, values[seen])
                chances[start:end][now] = live_chances(
                    doubt, np.zeros(seen.sum()), now[seen], share, even=even
                )
            drawn = now & (lots[start:end] < chances[start:end])
            own[drawn] = answers[start:end][drawn]
        said[start:end] = cross_fitted(
            values, own, caller[start:end].tolist(), train=trainer(corpus), seed=int(rng.integers(1 << 30))
        )
    trial, first = caller // callers, rng.random(len(caller)) < 0.5
    asked = np.bincount(trial, ~np.isnan(labels)) / np.bincount(trial)
    alone = np.where(chosen(trial, asked, rng), answers, np.nan)
    made = Trials((trials, callers), caller, said, labels, chances)
    by_chance = made._replace(labels=alone, chances=None)
    weighed, plain = (
        outcome(one, first, corpus["mean"], 0.0, rate=corpus["rate"]) for one in (made, by_chance)
    )
    people = {name: value for name, value in plain.items() if name.startswith("people_")}
    return weighed | people | {"labelled": asked}


def imported(folder: Path, into: Path) -> Dataset:
    """A dataset as it is; archives of DSTC2 are read into another folder first."""
    if (folder / "dataset.json").is_file():
        return Dataset(folder)
    return import_dstc2([folder], into).dataset


def corpus_of(dataset: Dataset, target: str) -> Facts:
    """Standardised parameters, answers and callers of a dataset."""
    table = prediction_table(dataset, target)
    values = np.where(np.isnan(table.values), np.nanmean(table.values, axis=0), table.values)
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    people = np.array(table.participants)
    return {
        "answers": table.answers,
        "values": values,
        "mean": float(table.answers.mean()),
        "rate": bool(np.isin(table.answers, (0, 1)).all()),
        "predictors": len(table.predictors),
        "penalty": PENALTIES[target],
        "members": [np.flatnonzero(people == one) for one in np.unique(people)],
    }


def halved(corpus: Facts, *, first: bool) -> Facts:
    """The same of one half of the callers, drawn by lot."""
    order = np.random.default_rng(SPLIT).permutation(len(corpus["members"]))
    size = len(order) // 2
    members = [corpus["members"][one] for one in sorted((order[:size] if first else order[size:]).tolist())]
    mean = float(corpus["answers"][np.concatenate(members)].mean())
    return corpus | {"members": members, "mean": mean}


def measured(make: Make, trials: int, seed: int) -> Facts:
    """Shares and errors over trials; variance saved against people alone with the same labels."""
    rng = np.random.default_rng(seed)
    sizes = [min(AT_ONCE, trials - done) for done in range(0, trials, AT_ONCE)]
    with threadpool_limits(1):  # products this small wait longer for each other than they take
        return summed([make(size, rng) for size in sizes])


def summed(batches: Sequence[Mapping[str, Floats]]) -> Facts:
    """Shares and errors over the trials of all batches."""
    seen = {name: np.concatenate([one[name] for one in batches]) for name in batches[0]}
    facts: Facts = {"trials": len(seen["people_n"])}
    for way in WAYS:
        facts[way] = {
            "counted": int(np.nansum(seen[f"{way}_n"])),
            "coverage": 1 - float(np.nanmean(seen[f"{way}_misses"])),
            "difference_coverage": 1 - float(np.nanmean(seen[f"{way}_difference_misses"])),
            "type_one_error": float(np.nanmean(seen[f"{way}_alarms"])),
            "bias": float(np.nanmean(seen[f"{way}_off"])),
            "deviation": float(np.nanstd(seen[f"{way}_off"])),
            "mean_error": float(np.nanmean(seen[f"{way}_square"])) ** 0.5,
            "difference_deviation": float(np.nanstd(seen[f"{way}_difference_off"])),
            "difference_mean_error": float(np.nanmean(seen[f"{way}_difference_square"])) ** 0.5,
            "width": float(np.nanmean(seen[f"{way}_width"])),
        }
    if "labelled" in seen:
        facts["labelled"] = float(seen["labelled"].mean())
    for name, share in (
        ("deviation", "variance_saved"),
        ("difference_deviation", "variance_saved_in_differences"),
    ):
        facts[share] = 1 - (facts["joined"][name] / facts["people"][name]) ** 2
    return facts


def plans(dataset: Dataset | None) -> list[tuple[Facts, Any]]:
    """What is simulated, by its description."""
    corpora = {} if dataset is None else {one: corpus_of(dataset, one) for one in ("found_all", "understood")}
    found: list[tuple[Facts, Any]] = []
    for law, callers, share in (
        ("poisson", 20, 0.3),
        ("pareto", 40, 0.2),
        ("pareto", 140, 0.1),
        ("poisson", 60, 0.2),
    ):
        for right in (0.0, 0.6, 0.9):
            facts = {"part": "calls", "law": law, "callers": callers, "share": share, "judge_right": right}
            found.append((facts, partial(calls, law, callers, share, right)))
    for logged in (True, False):
        facts = {"part": "chosen", "law": "pareto", "callers": 140, "by": "judge", "chances_logged": logged}
        found.append((facts, partial(by_looks, "pareto", 140, "judge", logged)))
    for target, corpus in corpora.items():
        for share in SHARES:
            facts = {
                "part": "dstc2",
                "target": target,
                "callers": 113,
                "share": share,
                "penalty": corpus["penalty"],
                "truth": corpus["mean"],
                "predictors": corpus["predictors"],
            }
            found.append((facts, partial(resampled, corpus, share, 113)))
    facts = {"part": "chosen", "law": "pareto", "callers": 140, "by": "callers", "chances_logged": False}
    found.append((facts, partial(by_looks, "pareto", 140, "callers", False)))
    for target, corpus in corpora.items():
        found += [_live("live", target, corpus, EVEN, share) for share in SHARES]
    for target, corpus in corpora.items():
        found += [_live("apart", target, halved(corpus, first=False), EVEN, share) for share in SHARES]
    if corpora:
        half = halved(corpora["found_all"], first=True)
        for penalty, even in product((30.0, 100.0), (1.0, 0.5, 0.25, 0.1)):
            made = half | {"penalty": penalty}
            found += [_live("tried", "found_all", made, even, share) for share in SHARES]
    return found


def _live(part: str, target: str, corpus: Facts, even: float, share: float) -> tuple[Facts, Any]:
    facts = {
        "part": part,
        "target": target,
        "callers": 113,
        "of": len(corpus["members"]),
        "share": share,
        "even": even,
        "penalty": corpus["penalty"],
        "truth": corpus["mean"],
        "predictors": corpus["predictors"],
    }
    return facts, partial(chosen_live, corpus, share, 113, even)


def saved(rows: list[Facts]) -> Facts:
    """Labels saved at an equal error, from errors at several shares: squared they are a + b / share.

    What callers differ by (a) no label and no judge makes smaller; b is what labels are for.
    """
    inverse = np.array([1 / one.get("labelled", one["share"]) for one in rows])
    slopes = [
        np.polyfit(inverse, np.array([one[way]["deviation"] ** 2 for one in rows]), 1)[0]
        for way in ("people", "joined")
    ]
    return {name: rows[0][name] for name in ("target", "part", "even", "penalty") if name in rows[0]} | {
        "labels_saved": 1 - float(slopes[1] / slopes[0])
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Coverage and labels saved by judges.")
    parser.add_argument("--trials", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--dstc2", type=Path)
    parser.add_argument("--part", action="append", help="calls, chosen, dstc2, live, tried or apart alone")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        dataset = None if given.dstc2 is None else imported(given.dstc2, Path(scratch) / "dstc2")
        planned = [
            (given.seed + place, facts, make)
            for place, (facts, make) in enumerate(plans(dataset))
            if not given.part or facts["part"] in given.part
        ]
    rows: list[Facts] = []
    for seed, facts, make in planned:
        start = perf_counter()
        rows.append(facts | {"seed": seed} | measured(make, given.trials, seed))
        print(f"{len(rows)} of {len(planned)}: {perf_counter() - start:.0f} s, {facts}", file=sys.stderr)
        if given.out is not None:
            given.out.write_text(_json(given.seed, rows) + "\n", encoding="utf-8")
    print(_json(given.seed, rows))


def _json(seed: int, rows: list[Facts]) -> str:
    alike: dict[tuple[Any, ...], list[Facts]] = {}
    for one in rows:
        if "target" in one:
            alike.setdefault((one["target"], one["part"], one.get("even"), one["penalty"]), []).append(one)
    labels = [saved(own) for own in alike.values() if len(own) > 1]
    return json.dumps({"seed": seed, "scenarios": rows, "labels_saved": labels}, indent=1)


if __name__ == "__main__":
    main()
