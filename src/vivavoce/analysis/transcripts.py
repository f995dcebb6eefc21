"""Comparison of transcripts: shares that prefer the experimental version, with intervals.

A preference is a share of the decided choices; ties are counted beside it. Everything over several questions
or variables has the participant as its unit, because the same people answered everything.

Source  Guerini et al. 2018, section 4.4 and tables 2 and 3; tests/golden/statistics-transcripts.json
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.core.errors import InputError
from vivavoce.core.result import widened
from vivavoce.dataset.reader import Dataset
from vivavoce.stats.bounded import bounded_share
from vivavoce.stats.clusters import clustered_rate, sum_by_participant
from vivavoce.stats.contingency import cochran_q
from vivavoce.stats.difference import compare_clusters, interval_facts
from vivavoce.stats.multiple_testing import holm, with_holm
from vivavoce.stats.preference_models import people_of
from vivavoce.stats.preferences import (
    GroupDifference,
    GroupPreference,
    PooledPreference,
    PreferenceByPlace,
    QuestionPreference,
    ResponseCounts,
    SamePreference,
    SideLeaning,
    TranscriptComparison,
    VariableDifference,
    VariablePreference,
)
from vivavoce.stats.proportions import one_proportion_p, wilson

Choice = Mapping[str, Any]
QUALITIES: Final = ("service", "experience")


class PreferenceCell(NamedTuple):
    """One variable and question: how many preferred the experimental version, the control, neither.

    chi_square  against an even split, one degree of freedom, with its p; `p_exact` by the binomial
    """

    experimental: int
    control: int
    ties: int
    ratio: float | None
    low: float | None
    high: float | None
    chi_square: float | None
    p: float | None
    p_exact: float | None


def cell(experimental: int, control: int, ties: int = 0, level: float = 0.95) -> PreferenceCell:
    """The facts of one cell; one person gives one choice, so these are independent.

    Empty   nothing decided: no ratio, no test
    """
    decided = experimental + control
    if not decided:
        return PreferenceCell(0, 0, ties, None, None, None, None, None, None)
    interval = wilson(experimental, decided, level)
    return PreferenceCell(
        experimental,
        control,
        ties,
        experimental / decided,
        *(interval or (None, None)),
        (2 * experimental - decided) ** 2 / decided,
        one_proportion_p(experimental, decided, method="chi_square"),
        one_proportion_p(experimental, decided),
    )


def marginal(cells: Sequence[PreferenceCell]) -> float | None:
    """A variable's marginal as the paper computes it: the mean of its cells' ratios."""
    ratios = [preference.ratio for preference in cells if preference.ratio is not None]
    return sum(ratios) / len(ratios) if ratios else None


def compare_transcripts(
    dataset: Dataset, *, level: float = 0.95, groups: Mapping[str, str] | None = None
) -> TranscriptComparison:
    """Everything that the method reports.

    groups  an attribute by participant; then `by_group` compares its groups with the person as the unit
    Note    attention pairs, repeats and responses that were not accepted are left out of the results and
            counted under `responses`; choices of responses that were not finished stay in
    Raises  InputError: the dataset has no choices between transcripts
    """
    all_rows = dataset.read("preferences").to_pylist()
    if not all_rows:
        raise InputError(
            "no choices between transcripts",
            place=str(dataset.folder),
            hint="export a study with a step `compare`",
        )
    used = [row for row in all_rows if row["role"] == "main" and row["accepted"] is not False]
    if not used:
        raise InputError(
            "no accepted choices between transcripts",
            place=str(dataset.folder),
            hint="see `accept_fast` in the study's step `compare`",
        )
    return TranscriptComparison(
        study=dataset.study,
        simulated=any(row["simulated"] for row in used),
        data=dataset.hash,
        responses=_responses(all_rows),
        cells=_cells(used, level),
        variables=_variables(used, level),
        differences=_differences(used, level),
        same_preference=_cochran(used),
        position=_position(used, level),
        places=_places(used),
        by_group=None if groups is None else _by_group(used, groups, level),
    )


def _keys(rows: Iterable[Choice], name: str) -> list[str]:
    return list(dict.fromkeys(row[name] for row in rows))


def _count(rows: Sequence[Choice], level: float) -> PreferenceCell:
    choices = [row["choice"] for row in rows]
    return cell(choices.count("experimental"), choices.count("control"), choices.count("tie"), level)


def _cells(rows: Sequence[Choice], level: float) -> list[QuestionPreference]:
    """One entry a variable and question, the decisive p adjusted by Holm over all of them.

    Note    chi-square and binomial take choices as independent; where a person decided twice they are missing
    """
    question_preferences: list[QuestionPreference] = []
    for variable in sorted(_keys(rows, "variable")):
        for question in _keys(rows, "question"):
            of_cell = [row for row in rows if (row["variable"], row["question"]) == (variable, question)]
            if not of_cell:
                continue
            counted = _count(of_cell, level)
            alone = QuestionPreference(
                variable=variable,
                question=question,
                quality=of_cell[0]["quality"],
                **counted._asdict(),
                preferred=_winner(counted.ratio),
                method="wilson",
                participants=counted.experimental + counted.control,
            )
            question_preferences.append(_over_people(alone, _pooled(of_cell, level)))
    adjusted = holm([question_preference.decisive for question_preference in question_preferences])
    return [
        replace(preference, p_adjusted=p)
        for preference, p in zip(question_preferences, adjusted, strict=True)
    ]


def _over_people(preference: QuestionPreference, pooled: PooledPreference) -> QuestionPreference:
    """With interval and p over people where one of them decided more than once, and how many decided."""
    if pooled.participants == pooled.decided:
        return preference
    return replace(
        preference,
        low=pooled.low,
        high=pooled.high,
        p=pooled.p,
        method=pooled.method or preference.method,
        participants=pooled.participants,
        chi_square=None,
        p_exact=None,
    )


def _winner(ratio: float | None) -> str | None:
    """The version that more of the decided choices fell on; the experimental one where they are even."""
    return None if ratio is None else "experimental" if ratio >= 0.5 else "control"


def _variables(rows: Sequence[Choice], level: float) -> list[VariablePreference]:
    variable_preferences: list[VariablePreference] = []
    for variable in sorted(_keys(rows, "variable")):
        variable_rows = [row for row in rows if row["variable"] == variable]
        cells = [
            _count([row for row in variable_rows if row["question"] == question], level)
            for question in _keys(variable_rows, "question")
        ]
        mean = marginal(cells)
        qualities = {
            quality: _pooled([row for row in variable_rows if row["quality"] == quality], level)
            for quality in QUALITIES
            if any(row["quality"] == quality for row in variable_rows)
        }
        variable_preferences.append(
            widened(
                VariablePreference,
                _pooled(variable_rows, level),
                variable=variable,
                marginal=mean,
                preferred=_winner(mean),
                **qualities,
            )
        )
    return with_holm(variable_preferences)


def _flags(rows: Sequence[Choice], test: Callable[[Choice], bool]) -> np.ndarray:
    return np.array([float(test(row)) for row in rows])


def _pooled(rows: Sequence[Choice], level: float) -> PooledPreference:
    """The share over several questions, with interval and test over participants."""
    decided = [row for row in rows if row["choice"] != "tie"]
    ties = len(rows) - len(decided)
    if not decided:
        return PooledPreference(choices=len(rows), decided=0, ties=ties, participants=0)
    won = [float(row["choice"] == "experimental") for row in decided]
    share = bounded_share(people_of(decided), won, level)
    return PooledPreference(
        choices=len(rows),
        decided=len(decided),
        ties=ties,
        participants=share.participants,
        ratio=share.mean,
        low=share.low,
        high=share.high,
        method=share.method,
        p=share.p,
    )


def _differences(rows: Sequence[Choice], level: float) -> list[VariableDifference]:
    """Every two variables, within the people who compared both."""
    decided = [row for row in rows if row["choice"] != "tie"]
    variable_choices = {
        name: [row for row in decided if row["variable"] == name]
        for name in sorted(_keys(decided, "variable"))
    }
    differences = [
        VariableDifference(**_between(a, b, variable_choices, level))
        for a, b in combinations(variable_choices, 2)
    ]
    return with_holm(differences)


def _between(a: str, b: str, parts: Mapping[str, Sequence[Choice]], level: float) -> dict[str, Any]:
    """The fields of a difference of two shares, the same people possibly in both."""
    first, second = parts[a], parts[b]
    _, codes = np.unique(np.concatenate([people_of(first), people_of(second)]), return_inverse=True)
    won = [_flags(rows, lambda row: row["choice"] == "experimental") for rows in (first, second)]
    comparison = compare_clusters(
        codes[: len(first)],
        codes[len(first) :],
        (won[0], np.ones(len(first))),
        (won[1], np.ones(len(second))),
        level=level,
    )
    return {"a": a, "b": b, "difference": float(won[0].mean() - won[1].mean()), **interval_facts(comparison)}


def _cochran(rows: Sequence[Choice]) -> list[SamePreference]:
    """Cochran's Q by question: whether the variables are preferred alike, by people who decided on all."""
    variables, tests = sorted(_keys(rows, "variable")), []
    rows = [row for row in rows if row["participant_id"] or row["comparison_number"]]
    for question in _keys(rows, "question"):
        answers: dict[str, dict[str, int]] = {}
        for row in rows:
            if row["question"] == question and row["choice"] != "tie":
                person = row["participant_id"] or row["visit_id"]
                answers.setdefault(person, {})[row["variable"]] = int(row["choice"] == "experimental")
        complete = [
            [answer[name] for name in variables]
            for answer in answers.values()
            if len(answer) == len(variables)
        ]
        q = cochran_q(complete) if len(complete) > 1 else None
        value, df, p = q or (None, None, None)
        tests.append(SamePreference(question=question, participants=len(complete), q=value, df=df, p=p))
    return tests


def _position(rows: Sequence[Choice], level: float) -> SideLeaning:
    """Share of choices of the left one, whatever stands there, with each variable's effect held fixed.

    Output  left: share of decided choices; log_odds: intercept of a logistic model of `left` on the side of
            every variable's experimental version, with errors clustered by participant
    Empty   nothing decided, or nobody recorded the sides: all missing
    """
    decided = [row for row in rows if row["choice"] != "tie" and row["experimental_side"] is not None]
    if not decided:
        return SideLeaning()
    people = people_of(decided)
    flags = _flags(decided, lambda row: row["side"] == "left")
    rate = clustered_rate(sum_by_participant(people, flags, np.ones(len(flags))), level)
    leaning = SideLeaning(left=float(flags.mean()), low=rate.low, high=rate.high)
    return _with_log_odds(leaning, decided, flags, people)


def _with_log_odds(
    leaning: SideLeaning, rows: Sequence[Choice], left_chosen: np.ndarray, people: np.ndarray
) -> SideLeaning:
    """With the position term; without, where a variable was always, or never, preferred, or kept one side."""
    variables = sorted(_keys(rows, "variable"))
    design = np.zeros((len(rows), 1 + len(variables)))
    design[:, 0] = 1
    for place, row in enumerate(rows):
        sign = 1 if row["experimental_side"] == "left" else -1
        design[place, 1 + variables.index(row["variable"])] = sign
    settled = any(
        len({row["choice"] for row in rows if row["variable"] == variable}) < 2 for variable in variables
    )
    _, codes = np.unique(people, return_inverse=True)
    fixed = np.linalg.matrix_rank(design) < design.shape[1]
    if settled or fixed or len(set(codes.tolist())) < 2 or len(set(left_chosen.tolist())) < 2:
        return leaning
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    model: Any = GLM(left_chosen, design, family=Binomial())
    fitted = model.fit(cov_type="cluster", cov_kwds={"groups": codes})
    return replace(
        leaning,
        log_odds=float(fitted.params[0]),
        se=float(fitted.bse[0]),
        p=float(fitted.pvalues[0]),
        effects={name: float(value) for name, value in zip(variables, fitted.params[1:], strict=True)},
    )


def _places(rows: Sequence[Choice]) -> list[PreferenceByPlace]:
    """The share that prefers the experimental version by place in the response: an effect of order."""
    decided = [row for row in rows if row["choice"] != "tie"]
    preference_by_places: list[PreferenceByPlace] = []
    for number in sorted({row["comparison_number"] for row in decided}):
        experimental = [
            row["choice"] == "experimental" for row in decided if row["comparison_number"] == number
        ]
        share = sum(experimental) / len(experimental)
        preference_by_places.append(
            PreferenceByPlace(comparison_number=number, decided=len(experimental), ratio=share)
        )
    return preference_by_places


def _responses(rows: Sequence[Choice]) -> ResponseCounts:
    """Numbers of people who answered, finished, were fast or odd, and the time of a judgement."""
    people = {row["visit_id"]: row for row in rows}.values()
    flags = [flag for row in people for flag in (row["flags"] or "").split()]
    times = [row["total_s"] for row in people if row["total_s"] is not None]
    complete = [row for row in rows if row["total_s"] is not None]
    return ResponseCounts(
        participants=len({row["participant_id"] or row["visit_id"] for row in rows}),
        people_known=any(row["participant_id"] for row in rows),
        finished=sum(row["accepted"] is not None for row in people),
        not_accepted=sum(row["accepted"] is False for row in people),
        flags={flag: flags.count(flag) for flag in sorted(set(flags))},
        judgements=sum(row["role"] == "main" for row in rows),
        checks=sum(row["role"] != "main" for row in rows),
        median_s=float(np.median(times)) if times else None,
        seconds_per_judgement=sum(times) / len(complete) if complete else None,
    )


def _by_group(rows: Sequence[Choice], groups: Mapping[str, str], level: float) -> list[GroupPreference]:
    """Each variable's share by group of people, and the difference of every two groups."""
    group_preferences: list[GroupPreference] = []
    decided = [row for row in rows if row["choice"] != "tie" and row["participant_id"] in groups]
    for variable in sorted(_keys(decided, "variable")):
        variable_rows = [row for row in decided if row["variable"] == variable]
        parts = {
            name: [row for row in variable_rows if groups[row["participant_id"]] == name]
            for name in sorted({groups[row["participant_id"]] for row in variable_rows})
        }
        tests = [GroupDifference(**_between(a, b, parts, level)) for a, b in combinations(parts, 2)]
        shares = {name: _pooled(part, level) for name, part in parts.items()}
        group_preferences.append(GroupPreference(variable=variable, groups=shares, differences=tests))
    return group_preferences
