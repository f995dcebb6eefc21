"""Questionnaires as scales: how each code of each item was chosen, the scores, and their reliability."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any, Final, NamedTuple

import numpy as np

from vivavoce.dataset.reader import Dataset
from vivavoce.questionnaires.instrument import INSTRUMENTS, Instrument
from vivavoce.stats.bootstrap import ends
from vivavoce.stats.clusters import ALIKE, FEW
from vivavoce.stats.interval import Interval

DRAWS: Final = 1000
FEWEST_FOR_ALPHA: Final = 3
FEWEST_FOR_OMEGA: Final = 30
LEAST_UNIQUE: Final = 0.005
MOST_STEPS: Final = 5000
Matrix = np.ndarray[Any, np.dtype[np.float64]]


class Reliability(NamedTuple):
    """Alpha with its bootstrap interval over people, omega of one factor, and how many forms and items."""

    alpha: float | None
    interval: Interval | None
    omega: float | None
    n: int
    items: int


def reliability(
    answers: Matrix, people: Sequence[str] | None = None, *, level: float = 0.95, seed: int = 1
) -> Reliability:
    """Reliability of the sum of some items.

    Input   one row a form, one column an item, reversed items turned round; no missing values. Whose each
            form is, where somebody may have filled in several; else every form is a person's own
    Empty   fewer than 3 forms or 2 items, or a sum that never varies: alpha missing; fewer than 10 people, or
            forms that are all alike in it: interval missing; fewer than 30 forms or 3 items, or an item that
            never varies: omega missing
    """
    forms, items = answers.shape
    alpha = cronbach_alpha(answers) if forms >= FEWEST_FOR_ALPHA else None
    _, codes = np.unique(np.arange(forms) if people is None else np.array(people), return_inverse=True)
    enough = alpha is not None and len(set(codes.tolist())) >= FEW
    interval = _bootstrap(answers, codes, level, seed) if enough else None
    return Reliability(alpha, interval, _omega(answers), forms, items)


def cronbach_alpha(answers: Matrix) -> float | None:
    """k / (k - 1) x (1 - sum of item variances / variance of the sum), variances over n - 1.

    Empty   fewer than 2 forms or items, or a sum that never varies: None
    Source  Cronbach 1951; golden case 34 in tests/golden/reliability.json
    """
    forms, items = answers.shape
    total = float(answers.sum(axis=1).var(ddof=1)) if forms > 1 else 0.0
    if items < 2 or total <= 1e-12:
        return None
    return items / (items - 1) * (1 - float(answers.var(axis=0, ddof=1).sum()) / total)


def omega_of_loadings(loadings: Sequence[float]) -> float:
    """(sum of loadings) squared over itself plus the unique variances, loadings standardised.

    Source  McDonald 1999; golden case 34 in tests/golden/reliability.json
    """
    common = sum(loadings) ** 2
    return common / (common + sum(1 - loading**2 for loading in loadings))


def _omega(answers: Matrix) -> float | None:
    """Omega of the one-factor model, fitted by maximum likelihood to the correlations."""
    forms, items = answers.shape
    if forms < FEWEST_FOR_OMEGA or items < 3 or (np.ptp(answers, axis=0) == 0).any():
        return None
    correlations: Matrix = np.asarray(np.corrcoef(answers, rowvar=False), dtype=float)
    if np.linalg.eigvalsh(correlations)[0] < 1e-6:
        return None
    return omega_of_loadings(_one_factor(correlations).tolist())


def _one_factor(correlations: Matrix) -> Matrix:
    """Loadings of the one-factor model by maximum likelihood (expectation maximisation).

    Source  Rubin and Thayer 1982; started from the first principal component, so always the same
    """
    values, vectors = np.linalg.eigh(correlations)
    loadings = vectors[:, -1] * np.sqrt(values[-1])
    unique = np.maximum(1 - loadings**2, LEAST_UNIQUE)
    for _ in range(MOST_STEPS):
        weights = np.linalg.solve(np.outer(loadings, loadings) + np.diag(unique), loadings)
        crossed = correlations @ weights
        updated = crossed / (1 - weights @ loadings + weights @ crossed)
        unique = np.maximum(1 - updated * crossed, LEAST_UNIQUE)
        moved = float(np.abs(updated - loadings).max())
        loadings = updated
        if moved < 1e-9:
            break
    return loadings * np.sign(loadings.sum() or 1)


def _bootstrap(answers: Matrix, codes: np.ndarray, level: float, seed: int) -> Interval | None:
    """Percentile interval over people drawn with all their forms, all draws at once."""
    items, people = answers.shape[1], int(codes.max()) + 1
    draws = np.random.default_rng(seed).multinomial(people, np.full(people, 1 / people), DRAWS)
    weights = draws[:, codes].astype(float)
    totals = _variances(weights, answers.sum(axis=1)[:, None])[:, 0]
    parts = _variances(weights, answers).sum(axis=1)
    varied = totals > 1e-12
    if not varied.any():
        return None
    alphas = items / (items - 1) * (1 - parts[varied] / totals[varied])
    low, high = np.quantile(alphas, ends(level, people))
    return Interval(float(low), float(high)) if high - low > ALIKE else None


def _variances(weights: Matrix, values: Matrix) -> Matrix:
    n = weights.sum(axis=1, keepdims=True)
    means = weights @ values / n
    return (weights @ values**2 - n * means**2) / (n - 1)


Row = Mapping[str, Any]
Form = dict[str, float]
Key = tuple[str | None, str | None, str | None]
FEWEST_CODES: Final = 3
MOST_CODES: Final = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class LikertItem:
    """Counts of each code from low to high; labels: code -> the text most often seen."""

    item_id: str
    low: int
    high: int
    reverse: bool
    counts: Mapping[int, int]
    labels: Mapping[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupScore:
    """Mean score of the n complete forms of a group. Empty: none, no mean; one, no deviation."""

    key: str | None
    n: int
    mean: float | None
    deviation: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleScore:
    """A score from low to high over so many items, of complete forms, with its reliability.

    Empty  as `GroupScore`; alpha, its limits and omega None where `reliability` gives none
    """

    name: str
    meaning: str
    low: float
    high: float
    items: int
    n: int
    mean: float | None
    deviation: float | None
    alpha: float | None
    alpha_low: float | None
    alpha_high: float | None
    omega: float | None
    by: Sequence[GroupScore]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredScale:
    """A questionnaire: its Likert items, and its scores; a foreign one has no source and no scores."""

    instrument: str
    title: str
    source: str
    items: Sequence[LikertItem]
    scores: Sequence[ScaleScore]


def answered_scales(dataset: Dataset, keys: dict[str, str | None]) -> list[AnsweredScale]:
    """Every questionnaire that was answered.

    Input   the group of each dialogue
    Empty   items with fewer than 3 codes, or more than 11, are no Likert items and are left out;
            so are items whose codes are names
    """
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for row in dataset.read("ratings").to_pylist():
        if row["value"] is not None:
            rows[row["instrument"]].append(row)
    sheets = [_sheet(name, answers, keys) for name, answers in sorted(rows.items())]
    return [sheet for sheet in sheets if sheet.items or sheet.scores or sheet.source]


def _sheet(name: str, rows: list[Row], keys: dict[str, str | None]) -> AnsweredScale:
    instrument = INSTRUMENTS.get(name) if name in INSTRUMENTS else None
    by_item: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_item[row["item_id"]].append(row)
    items = [_item(item_id, answers, instrument) for item_id, answers in by_item.items()]
    order = [item.item_id for item in instrument.items] if instrument else list(by_item)
    likert = [item for item in items if item is not None]
    likert.sort(key=lambda item: order.index(item.item_id) if item.item_id in order else len(order))
    return AnsweredScale(
        instrument=name,
        title=instrument.title if instrument else name,
        source=instrument.source if instrument else "",
        items=likert,
        scores=_scores(instrument, rows, keys) if instrument else [],
    )


def _item(item_id: str, rows: list[Row], instrument: Instrument | None) -> LikertItem | None:
    codes = Counter(row["value"] for row in rows)
    names = instrument is not None and instrument.is_nominal(item_id)
    if names or any(not float(code).is_integer() for code in codes):
        return None
    low, high, reverse = int(min(codes)), int(max(codes)), False
    definition = (
        next((item for item in instrument.items if item.item_id == item_id), None) if instrument else None
    )
    scale = instrument.scale_of(definition) if instrument and definition else None
    if scale is not None and definition is not None and scale.low <= low and high <= scale.high:
        low, high, reverse = scale.low, scale.high, definition.reverse
    if not FEWEST_CODES <= high - low + 1 <= MOST_CODES:
        return None
    labels = Counter((int(row["value"]), row["answer"]) for row in rows if row["answer"])
    return LikertItem(
        item_id=item_id,
        low=low,
        high=high,
        reverse=reverse,
        counts={code: codes.get(float(code), 0) for code in range(low, high + 1)},
        labels={code: text for (code, text), _ in reversed(labels.most_common())},
    )


def _scores(instrument: Instrument, rows: list[Row], keys: dict[str, str | None]) -> list[ScaleScore]:
    """The scores of an instrument that rest on two items or more."""
    forms: defaultdict[Key, Form] = defaultdict(dict)
    item_ids = {item.item_id for item in instrument.items}
    for row in rows:
        if row["item_id"] in item_ids:
            forms[_form_of(row)][row["item_id"]] = row["value"]
    scores = []
    for name, score in instrument.scores.items():
        usual = score.mapping in (None, instrument.chosen_mapping(None))
        complete = {key: form for key, form in forms.items() if all(item in form for item in score.items)}
        if usual and len(score.items) > 1 and complete:
            scores.append(_score(instrument, name, complete, keys))
    return scores


def _form_of(row: Row) -> Key:
    """Key of a form; some foreign logs give only its person."""
    return row["dialogue_id"], row["visit_id"], row["participant_id"]


def _score(
    instrument: Instrument,
    name: str,
    forms: dict[Key, Form],
    keys: dict[str, str | None],
) -> ScaleScore:
    score = instrument.scores[name]
    values: list[float] = []
    by: defaultdict[str | None, list[float]] = defaultdict(list)
    for (dialogue_id, *_), form in sorted(forms.items(), key=lambda entry: tuple(map(str, entry[0]))):
        value = instrument.score({item: form[item] for item in score.items})[name]
        if value is None:
            continue
        values.append(value)
        if dialogue_id in keys:
            by[keys[dialogue_id]].append(value)
    ordered = sorted(forms, key=lambda key: tuple(map(str, key)))
    answers = np.array(
        [[_turned(instrument, item, forms[key][item]) for item in score.items] for key in ordered]
    )
    sound = reliability(
        answers, [str(next((person for person in key[::-1] if person), None)) for key in ordered]
    )
    return ScaleScore(
        name=name,
        meaning=score.meaning or name,
        low=score.low,
        high=score.high,
        items=len(score.items),
        **_spread(values),
        alpha=sound.alpha,
        alpha_low=sound.interval.low if sound.interval else None,
        alpha_high=sound.interval.high if sound.interval else None,
        omega=sound.omega,
        by=[GroupScore(key=key, **_spread(by[key])) for key in dict.fromkeys(keys.values()) if by[key]],
    )


def _turned(instrument: Instrument, item_id: str, code: float) -> float:
    item = instrument.item(item_id)
    scale = instrument.scale_of(item)
    return scale.reversed(code) if scale is not None and item.reverse else code


def _spread(values: list[float]) -> dict[str, Any]:
    return {
        "n": len(values),
        "mean": mean(values) if values else None,
        "deviation": stdev(values) if len(values) > 1 else None,
    }
