"""A dataset as rows that a model can be fitted to: a response, and the variables of a formula."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.populations import POPULATION, populations
from vivavoce.dataset.reader import Dataset
from vivavoce.measures import MEASURES
from vivavoce.measures.compute import GROUPS, Sums, sums
from vivavoce.stats.declared_results import HEADLINES
from vivavoce.stats.formula import ModelFormula

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
            f"no {frame.unit} has {frame.response} and all of {', '.join(names)}",
            place="--model",
            hint="leave out what the dataset does not know",
        )
    tops, bottoms = frame.tops[used], frame.bottoms[used]
    if np.ptp(tops / bottoms) == 0:
        raise InputError(
            f"{frame.response} is the same everywhere", place="--model", hint="there is nothing to explain"
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
        raise InputError(f"no dialogue has a case of {name}", place="--model", hint="see `vivavoce measure`")
    integral = not (tops % 1).any() and not (bottoms % 1).any()
    counted = integral and bool(((tops >= 0) & (tops <= bottoms)).all())
    chosen: Any = family or ("rate" if counted else "mean")
    if chosen == "rate" and not counted:
        raise InputError(f"{name} is no rate", place="--family", hint="say mean, or count")
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
        raise InputError(f"{name} is no count", place="--family", hint="say mean")
    if family == "rate" and "." in name and not np.isin(tops, (0, 1)).all():
        raise InputError(f"{name} is not answered by 0 and 1", place="--family", hint="say ordinal, or mean")
    if family == "ordinal" and len(np.unique(tops)) > 20:
        raise InputError(f"{name} has more than 20 different values", place="--family", hint="say mean")


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
