"""`analyse --model`: a mixed model of one response, its contrasts in plain units, its terms tested."""

import json
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np
import pandas as pd
from scipy.stats import chi2 as chi_square

from vivavoce.analysis.flow import confounded, exclusion_words, together
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import later
from vivavoce.core.result import installed_version, signature, unless_none
from vivavoce.core.statement import LocalizedText, PluralCount, statement
from vivavoce.dataset.populations import POPULATION, populations
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import GROUPS, Sums, sums
from vivavoce.stats.clusters import FEW
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.distributions import t_quantile, t_tail
from vivavoce.stats.formula import ModelFormula, read_formula
from vivavoce.stats.glmm import (
    Binomial,
    Cumulative,
    FittedGlmm,
    Likelihood,
    NotFitted,
    Poisson,
    fit_mixed,
    fit_mixed_linear,
)
from vivavoce.stats.multiple_testing import holm

Family = Literal["rate", "mean", "count", "ordinal"]
FAMILIES: Final = ("rate", "mean", "count", "ordinal")
SUCCESS: Final = "success"
ORDER: Final = "order"
Floats = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFrame:
    """Data of a formula from a dataset, one row a dialogue (or an answer).

    response   what is explained, by its full name; `unit` is what a row counts
    tops, bottoms   the response: numerators and denominators (1 for values)
    variables  the columns of the formula
    measured_in     the unit of a value
    left_out   rows with a response of which some variable is unknown
    """

    response: str
    unit: str
    family: Family
    tops: Floats
    bottoms: Floats
    variables: pd.DataFrame
    left_out: int
    measured_in: str = "points of the answer"

    def groups(self, names: tuple[str, ...]) -> np.ndarray:
        """Codes of the levels of a grouping, which are those of several variables together."""
        return self.variables.groupby(list(names), sort=True).ngroup().to_numpy()


def make_frame(dataset: Dataset, formula: ModelFormula, family: str | None = None) -> ModelFrame:
    """Rows of the response with the variables of the formula.

    Input   family: rate, mean, count, ordinal; chosen from the response if None
    Raises  UnknownName: no such response, variable or family; InputError: no row is left, or nothing varies
    """
    if family is not None and family not in FAMILIES:
        raise UnknownName("family", family, list(FAMILIES), place="--family")
    parts = sums(dataset)
    dialogues = dataset.read("dialogues").to_pandas()
    frame = _responses(dataset, formula.response, parts, family)
    names = dict.fromkeys([*formula.names, *(name for group in formula.grouping for name in group)])
    columns = {name: _variable(dataset, parts, dialogues, name) for name in names}
    table = pd.DataFrame(columns, index=dialogues["dialogue_id"])
    rows = table.loc[frame.variables["dialogue_id"]].reset_index(drop=True)
    if "participant" in rows:  # nobody knows who: a participant of their own
        unknown = rows["participant"].isna()
        rows["participant"] = rows["participant"].where(~unknown, "\0" + frame.variables["dialogue_id"])
    used = rows.notna().all(axis=1).to_numpy() if len(rows.columns) else np.ones(len(rows), dtype=bool)
    if not used.any():
        raise InputError(
            f"no {frame.unit} has values for {frame.response} and all of {', '.join(names)}",
            place="--model",
            hint="remove variables that the dataset does not have",
        )
    tops, bottoms = frame.tops[used], frame.bottoms[used]
    if np.ptp(tops / bottoms) == 0:
        raise InputError(
            f"{frame.response} has a single value", place="--model", hint="choose a response that varies"
        )
    variables = rows[used].reset_index(drop=True)
    return replace(frame, tops=tops, bottoms=bottoms, variables=variables, left_out=int((~used).sum()))


def _responses(dataset: Dataset, name: str, parts: Sums, family: str | None) -> ModelFrame:
    """Every row of the response; its only variable is the dialogue."""
    if "." in name:
        return _item(dataset, name, family)
    if name == SUCCESS:
        name = next(
            (headline for headline in HEADLINES if parts.denominators[parts.measures.index(headline)].any()),
            HEADLINES[0],
        )
    if name not in MEASURES.names():
        raise UnknownName("measure", name, [SUCCESS, *MEASURES.names()], place="--model")
    place = parts.measures.index(name)
    used = np.flatnonzero(parts.denominators[place] > 0)
    tops, bottoms = parts.numerators[place, used], parts.denominators[place, used]
    if not len(used):
        raise InputError(f"no dialogue has cases of {name}", place="--model", hint="see `vivavoce measure`")
    integral = not (tops % 1).any() and not (bottoms % 1).any()
    counted = integral and bool(((tops >= 0) & (tops <= bottoms)).all())
    chosen: Any = family or ("rate" if counted else "mean")
    if chosen == "rate" and not counted:
        raise InputError(f"{name} is not a rate", place="--family", hint="use mean or count")
    if chosen != "rate":
        tops, bottoms = tops / bottoms, np.ones_like(bottoms)
    _check(chosen, tops, name)
    ids = pd.DataFrame({"dialogue_id": np.array(parts.dialogue_ids, dtype=object)[used]})
    return ModelFrame(
        response=name,
        unit="dialogue",
        family=chosen,
        tops=tops,
        bottoms=bottoms,
        variables=ids,
        left_out=0,
        measured_in=MEASURES.get(name).unit,
    )


def _item(dataset: Dataset, name: str, family: str | None) -> ModelFrame:
    instrument, _, item = name.partition(".")
    ratings = dataset.read("ratings").to_pandas()
    item_rows = ratings[(ratings["instrument"] == instrument) & (ratings["item_id"] == item)]
    item_rows = item_rows[item_rows["value"].notna() & item_rows["dialogue_id"].notna()].drop_duplicates(
        "dialogue_id", keep="last"
    )
    if item_rows.empty:
        about = ratings[ratings["dialogue_id"].notna() & ratings["value"].notna()]
        item_names = sorted(
            {
                f"{item_instrument}.{two}"
                for item_instrument, two in zip(about["instrument"], about["item_id"], strict=True)
            }
        )
        raise UnknownName("item", name, item_names, place="--model")
    tops = item_rows["value"].to_numpy(dtype=float)
    chosen: Any = family or ("ordinal" if len(np.unique(tops)) > 2 else "rate")
    _check(chosen, tops, name)
    ids = item_rows[["dialogue_id"]].reset_index(drop=True)
    return ModelFrame(
        response=name,
        unit="answer",
        family=chosen,
        tops=tops,
        bottoms=np.ones(len(item_rows)),
        variables=ids,
        left_out=0,
    )


def _check(family: str, tops: Floats, name: str) -> None:
    if family == "count" and ((tops < 0) | (tops % 1 != 0)).any():
        raise InputError(f"{name} is not a count", place="--family", hint="use mean")
    if family == "rate" and "." in name and not np.isin(tops, (0, 1)).all():
        raise InputError(f"answers to {name} are not 0 and 1", place="--family", hint="use ordinal or mean")
    if family == "ordinal" and len(np.unique(tops)) > 20:
        raise InputError(f"{name} has more than 20 different values", place="--family", hint="use mean")


def _variable(dataset: Dataset, parts: Sums, dialogues: pd.DataFrame, name: str) -> np.ndarray:
    """One value a dialogue: a category as text, or a number; None where unknown."""
    if name in dataset.factors:
        return _texts(dialogues["factor_" + name])
    if name == POPULATION:
        names = populations(dataset)
        return np.array([names.get(person) for person in dialogues["participant_id"]], dtype=object)
    if name in GROUPS:
        return _texts(dialogues[GROUPS[name]])
    if name == "visit":
        return _texts(dialogues["visit_id"])
    if name == ORDER:
        return _order(dialogues)
    attributes = _attributes(dataset)
    if name in attributes:
        value_of = attributes[name]
        return np.array([value_of(person) for person in dialogues["participant_id"]])
    if name in MEASURES.names():
        place = parts.measures.index(name)
        with np.errstate(divide="ignore", invalid="ignore"):
            return parts.numerators[place] / parts.denominators[place]
    variables = [*dataset.factors, *GROUPS, POPULATION, "visit", ORDER, *attributes]
    raise UnknownName("variable", name, variables, place="--model")


def _texts(column: Any) -> np.ndarray:
    return column.astype(object).where(column.notna(), None).to_numpy()


def _order(dialogues: pd.DataFrame) -> Floats:
    """Number of the dialogue among those of its participant, from 1."""
    numbers: Any = dialogues["dialogue_number"] if "dialogue_number" in dialogues else pd.Series([None])
    if numbers.notna().all():
        return numbers.to_numpy(dtype=float)
    placed = dialogues.sort_values(["started_at", "dialogue_id"])
    return (placed.groupby("participant_id").cumcount() + 1.0).reindex(dialogues.index).to_numpy()


def _attributes(dataset: Dataset) -> dict[str, Callable[[Any], Any]]:
    """Attributes of participants by name: all numbers, or texts."""
    people = dataset.read("participants").select(["participant_id", "attributes"]).to_pydict()
    values_of_name: dict[str, dict[str, Any]] = {}
    for person, text in zip(*people.values(), strict=True):
        for name, value in (json.loads(text) if text else {}).items():
            if isinstance(value, str | int | float):
                values_of_name.setdefault(name, {})[person] = value
    getters: dict[str, Callable[[str | None], Any]] = {}
    for name, values in values_of_name.items():
        if all(isinstance(value, int | float) for value in values.values()):
            getters[name] = lambda person, numbers=values: float(numbers.get(str(person), np.nan))
        else:
            getters[name] = lambda person, texts=values: str(texts[person]) if person in texts else None
    return getters


if TYPE_CHECKING:
    import formulaic
    import formulaic.errors
    from formulaic import ModelSpec
else:
    formulaic = later("formulaic")

LEVEL: Final = 0.95
MOST_LEVELS: Final = 12
RATIOS: Final = {"rate": "odds_ratio", "ordinal": "odds_ratio", "count": "rate_ratio", "mean": None}
SCALES: Final = {"rate": "probability", "ordinal": "points of the answer", "count": "expected count"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRatio:
    """A ratio of odds or counts; p against 1. Empty: of fewer than 10 participants no limits and no p."""

    value: float
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContrast:
    """a minus b, on the response's scale; b None: one more of a number. Empty: as `ModelRatio`."""

    variable: str
    a: str
    b: str | None
    n: int
    difference: float
    se: float
    low: float | None
    high: float | None
    p: float | None
    odds_ratio: ModelRatio | None = unless_none()
    rate_ratio: ModelRatio | None = unless_none()
    p_adjusted: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCoefficient:
    """One of R's treatment contrasts, on the scale of the link. Empty: as `ModelRatio`."""

    name: str
    estimate: float
    se: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TermTest:
    """A term dropped: twice the gain in log likelihood."""

    term: str
    chi2: float
    df: int
    p: float
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomIntercept:
    """A grouping, its levels, and the standard deviation of their intercepts on the scale of the link."""

    name: str
    levels: int
    deviation: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaModel:
    """A mixed model of one response; see `fit_model`.

    n           cases: dialogues or answers; of a rate the sum of its denominators
    residual    standard deviation, of a mean alone
    thresholds  of ordered answers
    """

    study: str
    simulated: bool
    data: str
    excluded: Mapping[str, Any]
    vivavoce: str
    level: float
    formula: str
    response: str
    family: str
    scale: str
    unit: str
    n: float
    rows: int
    participants: int
    groupings: Sequence[RandomIntercept]
    residual: float | None
    coefficients: Sequence[ModelCoefficient]
    thresholds: Sequence[float]
    log_likelihood: float
    method: str
    contrasts: Sequence[ModelContrast]
    terms: Sequence[TermTest]
    family_of_tests: str
    warnings: Sequence[LocalizedText]


def fit_model(dataset: Dataset, text: str, family: str | None = None, level: float = LEVEL) -> FormulaModel:
    """Fit a formula to a dataset.

    Output  contrasts of two levels of a factor, or one more of a number, are averaged over the other
            variables as they occur and over participants and tasks; terms are those that can be dropped
    Empty   of fewer than 10 participants errors say too little: no interval and no p
    Note    t with participants - 1 degrees of freedom; p of contrasts and of terms each adjusted by Holm
    Raises  InputError: what cannot be read or fitted, and why; UnknownName: a name that there is not
    """
    formula = read_formula(text)
    frame = make_frame(dataset, formula, family)
    design = _design(formula, frame)
    model = _Model(frame, design, [frame.groups(names) for names in formula.grouping])
    try:
        fitted = model.fit()
        terms = _terms(model, fitted)
    except NotFitted as problem:
        raise InputError(
            f"the model cannot be fitted: {problem}",
            place="--model",
            hint="remove a term, or collect more data",
        ) from None
    people = _people(formula, frame)
    judge = _Judge(people, level)
    contrasts = _contrasts(model, fitted, judge)
    contrasts = [
        replace(
            contrast, p_adjusted=p, signature=_signature(frame, formula, dataset, fitted, people, contrast)
        )
        for contrast, p in zip(contrasts, holm([contrast.p for contrast in contrasts]), strict=True)
    ]
    deviations = zip(formula.grouping, model.grouping, fitted.deviations, strict=True)
    n = len(frame.tops) if frame.family != "rate" else float(frame.bottoms.sum())
    return FormulaModel(
        study=dataset.study,
        simulated=dataset.simulated,
        data=dataset.hash,
        excluded=dataset.excluded,
        vivavoce=installed_version(),
        level=level,
        formula=formula.text,
        response=frame.response,
        family=frame.family,
        scale=SCALES.get(frame.family) or frame.measured_in,
        unit=frame.unit,
        n=n,
        rows=len(frame.tops),
        participants=people,
        groupings=[
            RandomIntercept(name=":".join(names), levels=int(codes.max()) + 1, deviation=float(deviation))
            for names, codes, deviation in deviations
        ],
        residual=fitted.residual,
        coefficients=[
            judge.interval(float(value), float(error), name)
            for name, value, error in zip(design.names, fitted.effects, fitted.errors, strict=True)
        ],
        thresholds=fitted.extra.tolist(),
        log_likelihood=fitted.log_likelihood,
        method=fitted.method,
        contrasts=contrasts,
        terms=terms,
        family_of_tests=_family(len(contrasts), len(terms)),
        warnings=_warnings(formula, frame, fitted, people, dataset),
    )


@dataclass(frozen=True, slots=True)
class _Design:
    """The fixed effects: a matrix, the names of its columns, and the columns of each term."""

    matrix: Floats
    names: list[str]
    terms: dict[frozenset[str], slice]
    spec: "ModelSpec"
    constant: bool

    def of(self, variables: pd.DataFrame) -> Floats:
        """Columns of the design for other values of the variables."""
        matrix = np.asarray(self.spec.get_model_matrix(variables), dtype=float)
        return matrix if self.constant else matrix[:, 1:]


def _design(formula: ModelFormula, frame: ModelFrame) -> _Design:
    variables = frame.variables
    for name in formula.names:
        if len(set(variables[name])) < 2:
            raise InputError(
                f"{name} is {variables[name].iloc[0]} in every {frame.unit} with data",
                place="--model",
                hint="remove it from the formula",
            )
    try:
        matrix: Any = formulaic.model_matrix(formula.fixed, variables)
    except (formulaic.errors.FormulaicError, SyntaxError, ValueError) as problem:
        raise InputError(
            f"cannot read {formula.fixed!r}: {str(problem).splitlines()[0]}",
            place="--model",
            hint="use names joined by + * : / - ( )",
        ) from None
    spec: Any = matrix.model_spec
    names = [_plain(str(name)) for name in matrix.columns]
    if names[:1] != ["Intercept"]:
        raise InputError("the model has no intercept", place="--model", hint="remove `- 1` or `0`")
    values = np.asarray(matrix, dtype=float)
    _refuse_confounded(formula, frame, values, names)
    constant = frame.family != "ordinal"  # thresholds are its constants
    first = 0 if constant else 1
    terms = {
        frozenset(str(factor) for factor in term.factors): slice(columns.start - first, columns.stop - first)
        for term, columns in spec.term_slices.items()
        if str(term) != "1"
    }
    return _Design(values[:, first:], names[first:], terms, spec, constant)


def _plain(name: str) -> str:
    """`manager[T.S1]:order` as `manager S1 : order`."""
    return name.replace("[T.", " ").replace("]", "").replace(":", " : ")


def _refuse_confounded(formula: ModelFormula, frame: ModelFrame, values: Floats, names: list[str]) -> None:
    rank = np.linalg.matrix_rank
    if rank(values) == values.shape[1]:
        return
    extra = [
        names[at] for at in range(1, values.shape[1]) if rank(values[:, : at + 1]) == rank(values[:, :at])
    ]
    warnings = [
        f" ({a} and {b} are confounded)"
        for a, b in _categories(formula, frame)
        if confounded(list(frame.variables[a]), list(frame.variables[b]))
    ]
    raise InputError(
        f"{', '.join(extra)} cannot be separated from the other terms: some combinations have no data"
        + "".join(warnings[:1]),
        place="--model",
        hint="remove it, or use + instead of *",
    )


def _pairs(formula: ModelFormula, frame: ModelFrame) -> list[LocalizedText]:
    """Warnings on confounded or unbalanced categories of the formula."""
    return [
        warning
        for a, b in _categories(formula, frame)
        if (warning := together(a, list(frame.variables[a]), b, list(frame.variables[b]), modelled=True))
    ]


def _categories(formula: ModelFormula, frame: ModelFrame) -> Iterable[tuple[str, str]]:
    return combinations([name for name in formula.names if _is_text(frame, name)], 2)


def _is_text(frame: ModelFrame, name: str) -> bool:
    return not pd.api.types.is_numeric_dtype(frame.variables[name])


class _Model:
    """A response with its design and groupings, which can be fitted with fewer columns."""

    def __init__(self, frame: ModelFrame, design: _Design, grouping: list[np.ndarray]) -> None:
        self.frame, self.design, self.grouping = frame, design, grouping
        self.likelihood = _likelihood(frame)

    def fit(self, columns: np.ndarray | None = None, *, restricted: bool = True) -> FittedGlmm:
        """By REML for means unless fits are compared."""
        matrix = self.design.matrix if columns is None else self.design.matrix[:, columns]
        if self.likelihood is None:
            return fit_mixed_linear(self.frame.tops, matrix, self.grouping, restricted=restricted)
        with warnings.catch_warnings(), np.errstate(over="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)  # steps of a search that lead nowhere
            return fit_mixed(self.likelihood, matrix, self.grouping)


def _likelihood(frame: ModelFrame) -> Likelihood | None:
    if frame.family == "mean":
        return None
    if frame.family == "count":
        return Poisson(frame.tops)
    if frame.family == "rate":
        return Binomial(frame.tops, frame.bottoms)
    scale, answers = np.unique(frame.tops, return_inverse=True)
    return Cumulative(answers, scale)


@dataclass(frozen=True, slots=True)
class _Judge:
    """Intervals and p by t over participants; none of too few of them."""

    people: int
    level: float

    def interval(self, value: float, error: float, name: str = "") -> ModelCoefficient:
        coefficient = ModelCoefficient(name=name, estimate=value, se=error)
        if self.people < FEW or error <= 0:
            return coefficient
        reach = t_quantile((1 + self.level) / 2, self.people - 1) * error
        p = 2 * t_tail(abs(value) / error, self.people - 1)
        return replace(coefficient, low=value - reach, high=value + reach, p=p)


def _contrasts(model: _Model, fitted: FittedGlmm, judge: _Judge) -> list[ModelContrast]:
    """Every pair of levels of each category, and one more of each number."""
    variables, contrasts = model.frame.variables, []
    names_in_terms = dict.fromkeys(name for term in model.design.terms for name in sorted(term))
    for name in [variable for variable in variables if variable in names_in_terms]:
        if not _is_text(model.frame, name):
            more = variables.assign(**{name: variables[name] + 1})
            contrasts.append(_contrast(model, fitted, judge, name, ("+1", None), (more, variables)))
            continue
        levels = sorted(variables[name].unique())
        for a, b in combinations(levels, 2) if len(levels) <= MOST_LEVELS else ():
            sides = tuple(variables.assign(**{name: level}) for level in (a, b))
            contrasts.append(_contrast(model, fitted, judge, name, (a, b), sides))
    return contrasts


def _contrast(
    model: _Model,
    fitted: FittedGlmm,
    judge: _Judge,
    name: str,
    levels: tuple[str, str | None],
    sides: Sequence[pd.DataFrame],
) -> ModelContrast:
    """a minus b: the difference of mean responses, and the ratio at the same participant and task."""
    first, second = (model.design.of(side) for side in sides)
    at = np.concatenate([fitted.effects, fitted.extra, fitted.deviations])

    def difference(parameters: Floats) -> float:
        return fitted.marginal_at(first, parameters) - fitted.marginal_at(second, parameters)

    slope = np.array(
        [(difference(at + step) - difference(at - step)) / 2e-4 for step in 1e-4 * np.eye(len(at))]
    )
    error = math.sqrt(max(0.0, float(slope @ fitted.covariance @ slope)))
    estimate = judge.interval(difference(at), error)
    contrast = ModelContrast(
        variable=name,
        a=levels[0],
        b=levels[1],
        n=len(model.frame.tops),
        difference=estimate.estimate,
        se=estimate.se,
        low=estimate.low,
        high=estimate.high,
        p=estimate.p,
    )
    ratio = RATIOS[model.frame.family]
    if ratio is not None:
        weights = (first - second).mean(axis=0)
        width = len(fitted.effects)
        spread = math.sqrt(max(0.0, float(weights @ fitted.covariance[:width, :width] @ weights)))
        logs = judge.interval(float(weights @ fitted.effects), spread)
        low, high = (None if end is None else math.exp(end) for end in (logs.low, logs.high))
        ratio_value = ModelRatio(value=math.exp(logs.estimate), low=low, high=high, p=logs.p)
        return replace(contrast, **{ratio: ratio_value})
    return contrast


def _terms(model: _Model, fitted: FittedGlmm) -> list[TermTest]:
    """Each term that no other one contains, dropped: interactions first of all."""
    terms = model.design.terms
    full = fitted if model.likelihood is not None else model.fit(restricted=False)
    tests = []
    for term, columns in terms.items():
        if any(term < wider for wider in terms):
            continue
        included = np.ones(model.design.matrix.shape[1], dtype=bool)
        included[columns] = False
        chi2 = max(0.0, 2 * (full.log_likelihood - model.fit(included, restricted=False).log_likelihood))
        df = int((~included).sum())
        p = float(chi_square.sf(chi2, df))
        tests.append(TermTest(term=" : ".join(sorted(term)), chi2=chi2, df=df, p=p))
    adjusted = holm([test.p for test in tests])
    return [replace(test, p_adjusted=p) for test, p in zip(tests, adjusted, strict=True)]


def _people(formula: ModelFormula, frame: ModelFrame) -> int:
    """Participants; where the formula does not know them, the levels of its smallest grouping."""
    if "participant" in frame.variables:
        return len(set(frame.variables["participant"]))
    return min(int(frame.groups(names).max()) + 1 for names in formula.grouping)


def _signature(
    frame: ModelFrame,
    formula: ModelFormula,
    dataset: Dataset,
    fitted: FittedGlmm,
    people: int,
    contrast: ModelContrast,
) -> str:
    return signature(
        f"{frame.response}_difference",
        unit="participant",
        n=people,
        data=dataset.hash,
        model=formula.text.replace("|", "/"),
        by=contrast.variable,
        a=contrast.a,
        b=contrast.b,
        rows=contrast.n,
        method=f"mixed_{frame.family}_{fitted.method}",
    )


def _family(contrasts: int, terms: int) -> str:
    return (
        f"Adjusted p (Holm) over {contrasts} contrast{'s'[: contrasts != 1]} above, and separately over "
        f"{terms} term{'s'[: terms != 1]}. A model chosen after looking at the data is exploratory only."
    )


def _warnings(
    formula: ModelFormula, frame: ModelFrame, fitted: FittedGlmm, people: int, dataset: Dataset
) -> list[LocalizedText]:
    excluded = exclusion_words(dataset)
    warnings = [excluded] if excluded else []
    if frame.left_out:
        warnings.append(
            statement(
                "{k} of {of} are left out: a variable of the formula is missing.",
                k=frame.left_out,
                of=PluralCount(frame.left_out + len(frame.tops), frame.unit),
            )
        )
    if ("participant",) not in formula.grouping:
        warnings.append(
            statement(
                "The formula has no (1|participant), so dialogues are treated as independent and intervals "
                "are too narrow."
            )
        )
    elif people < FEW:
        warnings.append(
            statement(
                "Only {people} participants (minimum {few}), too few for standard errors of the model: "
                "contrasts have no intervals or p.",
                people=people,
                few=FEW,
            )
        )
    gone = [
        ":".join(names)
        for names, deviation in zip(formula.grouping, fitted.deviations, strict=True)
        if deviation == 0
    ]
    if gone:
        warnings.append(
            statement(
                "The estimated standard deviation of {which} is 0.",
                which=", ".join(gone),
            )
        )
    return warnings + _pairs(formula, frame)
