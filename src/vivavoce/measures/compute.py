"""From measures to numbers: components of each dialogue, and their exact pooling over any grouping."""

import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from vivavoce.core.errors import UnknownName
from vivavoce.log.populations import POPULATION, populations
from vivavoce.log.schema import FACTOR_PREFIX
from vivavoce.measures.base import Pairs, Tables
from vivavoce.measures.disputes import settle
from vivavoce.measures.shelf import MEASURES

if TYPE_CHECKING:
    import pandas as pd

    from vivavoce.log.dataset import Dataset

GROUPS: Final = {
    "system": "system",
    "condition": "condition",
    "participant": "participant_id",
    "task": "task_id",
    "strategy": "strategy",
    "channel": "channel",
    "language": "language",
}
ALL: Final = "all"
TAG_PREFIX: Final = "tag:"
Floats = np.ndarray[Any, np.dtype[np.float64]]


class Open(NamedTuple):
    """What open disputes leave open in one measure, one entry a dialogue; numerators, then denominators.

    places   at how many places of the dialogue a decision could change it
    """

    low: Floats
    high: Floats
    places: Floats

    def among(self, kept: Sequence[int]) -> "Open":
        return Open(self.low[:, kept], self.high[:, kept], self.places[kept])


class Sums(NamedTuple):
    """Components of measures in dialogues; a measure that is missing in a dialogue has denominator 0 there.

    numerators, denominators   measures x dialogues; with open disputes the mean over annotators
    open                       by measure, where annotators dispute what it counts
    """

    measures: list[str]
    dialogue_ids: list[str]
    numerators: Floats
    denominators: Floats
    open: Mapping[str, Open] = MappingProxyType({})

    def among(self, dialogues: Collection[str]) -> "Sums":
        """The same of these dialogues alone."""
        kept = [place for place, one in enumerate(self.dialogue_ids) if one in dialogues]
        ids = [self.dialogue_ids[place] for place in kept]
        open_ = {name: one.among(kept) for name, one in self.open.items()}
        return Sums(self.measures, ids, self.numerators[:, kept], self.denominators[:, kept], open_)


_COMPUTED: "WeakKeyDictionary[Dataset, Sums]" = WeakKeyDictionary()
_FRAMES: "WeakKeyDictionary[Dataset, pd.DataFrame]" = WeakKeyDictionary()


def components(
    dataset: "Dataset", names: Iterable[str] | None = None, *, keywords: Collection[str] | None = None
) -> "pd.DataFrame":
    """Numerator and denominator of each measure in each dialogue.

    Input   keywords: what the measures of isolated words look at; None: the words of the domain's values

    Output  measure, dialogue_id, numerator, denominator: one row a measure and dialogue, measures in the
            order asked for (all, by name, when `names` is None), dialogues in the dataset's order
    Empty   a measure that is missing in a dialogue has denominator 0; its numerator still counts when pooled
            (words inserted where nothing was said)
    Note    all measures of one opened dataset are computed once; take the frame as it is, never change it
    Raises  UnknownName: a measure that nobody registered
    """
    if names is not None or keywords is not None:
        return _frame(sums(dataset, names, keywords=keywords))
    if dataset not in _FRAMES:
        _FRAMES[dataset] = _frame(sums(dataset))
    return _FRAMES[dataset]


def sums(
    dataset: "Dataset", names: Iterable[str] | None = None, *, keywords: Collection[str] | None = None
) -> Sums:
    """What `components` gives, as arrays."""
    if names is not None or keywords is not None:
        return _sums(dataset, list(MEASURES.names() if names is None else names), keywords)
    if dataset not in _COMPUTED:
        _COMPUTED[dataset] = _sums(dataset, MEASURES.names(), None)
    return _COMPUTED[dataset]


def assume_sums(dataset: "Dataset", numerators: Floats, denominators: Floats) -> None:
    """Take these as what the measures of a dataset counted: simulated trials have outcomes and no turns.

    Input   measures x dialogues, in the order of the registry and of the dataset
    """
    dialogues = dataset.read("dialogues")["dialogue_id"].to_pylist()
    _COMPUTED[dataset] = Sums(MEASURES.names(), dialogues, numerators, denominators)


def _sums(dataset: "Dataset", names: list[str], keywords: Collection[str] | None) -> Sums:
    measures = [MEASURES.get(name) for name in names]
    tables = Tables(dataset, keywords=keywords)
    known = tables.read("dialogues")["dialogue_id"].to_pylist()
    places = {dialogue: place for place, dialogue in enumerate(known)}
    both = np.zeros((2, len(measures), len(known)))
    open_: dict[str, Open] = {}

    def place(pairs: Pairs, into: Floats) -> Floats:
        where = np.array([places.get(dialogue, -1) for dialogue in pairs], dtype=int)
        values = np.array(list(pairs.values()), dtype=float).reshape(-1, 2)
        into[:, where[where >= 0]] = np.nan_to_num(values[where >= 0]).T
        return into

    for number, measure in enumerate(measures):
        found, layers = tables.counted(measure.components)
        place(found, both[:, number])
        settled = settle(tables, measure.components, layers, found)
        if settled is None:
            continue
        place(settled.mean, both[:, number])
        low, high = (place(one, both[:, number].copy()) for one in (settled.low, settled.high))
        counts = np.array([settled.open.get(dialogue, 0) for dialogue in known], dtype=float)
        open_[measure.name] = Open(low, high, counts)
    return Sums(names, known, both[0], both[1], open_)


def _frame(found: Sums) -> "pd.DataFrame":
    import pandas as pd

    measures, dialogues = len(found.measures), len(found.dialogue_ids)
    each: Any = pd.Series(found.measures, dtype="str").array
    keys: Any = pd.Series(found.dialogue_ids, dtype="str").array
    return pd.DataFrame({
        "measure": each.take(np.repeat(np.arange(measures), dialogues)),
        "dialogue_id": keys.take(np.tile(np.arange(dialogues), measures)),
        "numerator": found.numerators.ravel(),
        "denominator": found.denominators.ravel(),
    })  # fmt: skip


def compute(
    dataset: "Dataset",
    names: Iterable[str] | None = None,
    by: str | None = None,
    *,
    keywords: Collection[str] | None = None,
) -> "pd.DataFrame":
    """The value of each measure, over the whole dataset or by group.

    Input   by: system, condition, participant, population, task, channel, language, tag:NAME,
            or the name of a factor
    Output  key, measure, value (sum of numerators over sum of denominators), macro (mean of the values of the
            single dialogues), numerator, denominator, dialogues (those in which it is not missing), open (at
            how many places annotators differ and nobody decided), lowest and highest (the value that
            decisions there could give); keys in alphabetical order, null last, `all` without `by`
    Empty   denominator 0: value and macro are missing; nothing open: lowest and highest are missing
    Note    with open places the value is the mean over annotators
    Raises  UnknownName: an unknown measure or grouping
    """
    asked = MEASURES.names() if names is None else list(names)
    return pool(sums(dataset, asked, keywords=keywords), group_keys(dataset, by))


def group_keys(dataset: "Dataset", by: str | None) -> list[str | None]:
    """The key of each dialogue under a grouping, in the dataset's order; `all` where `by` is None.

    Input   by: also `tag:NAME`, of which the keys are `with` and `without` that tag
    Raises  UnknownName: names the groupings and factors that there are
    """
    table = dataset.read("dialogues")
    if by is not None and by.startswith(TAG_PREFIX):
        return _tag_keys(dataset, by.removeprefix(TAG_PREFIX))
    column = GROUPS.get(by, FACTOR_PREFIX + by) if by is not None else None
    if by == POPULATION and column not in table.column_names:
        names = populations(dataset)
        return [names.get(person) for person in table.column("participant_id").to_pylist()]
    if column is not None and column not in table.column_names:
        held = [one for one in GROUPS if GROUPS[one] in table.column_names]
        known = [*held, POPULATION, *dataset.factors]
        raise UnknownName("grouping", by, known, place=str(dataset.folder))
    return [ALL] * len(table) if column is None else table.column(column).to_pylist()


def _tag_keys(dataset: "Dataset", tag: str) -> list[str | None]:
    """`with` or `without` the tag, of each dialogue."""
    columns = (dataset.read("tags")[name].to_pylist() for name in ("dialogue_id", "tag"))
    tagged: dict[str, set[str]] = {}
    for dialogue_id, name in zip(*columns, strict=True):
        tagged.setdefault(name, set()).add(dialogue_id)
    if tag not in tagged:
        raise UnknownName("tag", tag, sorted(tagged), place=str(dataset.folder))
    ids = dataset.read("dialogues")["dialogue_id"].to_pylist()
    return ["with" if one in tagged[tag] else "without" for one in ids]


class Pooled(NamedTuple):
    """One measure over one group of dialogues; the columns that `compute` describes."""

    key: Any
    measure: str
    value: float | None
    macro: float | None
    numerator: float
    denominator: float
    dialogues: int
    open: int = 0
    lowest: float | None = None
    highest: float | None = None


def pooled(found: Sums, keys: Sequence[Any]) -> list[Pooled]:
    """Sum components by key and divide; sums are exact, whatever the order of the dialogues."""
    members: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        members.setdefault(key, []).append(place)
    with np.errstate(divide="ignore", invalid="ignore"):
        own = found.numerators / found.denominators
    return [
        _pooled(key, found, own, number, np.array(members[key]))
        for key in sorted(members, key=lambda key: (key is None, key if key is not None else ""))
        for number in range(len(found.measures))
    ]


def _pooled(key: Any, found: Sums, own: Floats, number: int, members: np.ndarray) -> Pooled:
    bottoms = found.denominators[number, members]
    cases = members[bottoms > 0]
    numerator = math.fsum(found.numerators[number, members])
    denominator = math.fsum(bottoms)
    own_open = found.open.get(found.measures[number])
    places, lowest, highest = 0, None, None
    if own_open is not None and (places := round(own_open.places[members].sum())):
        lowest, highest = (_pooled_bound(one[:, members]) for one in (own_open.low, own_open.high))
    return Pooled(
        key,
        found.measures[number],
        numerator / denominator if denominator > 0 else None,
        math.fsum(own[number, cases]) / len(cases) if len(cases) else None,
        numerator,
        denominator,
        len(cases),
        places,
        lowest,
        highest,
    )


def _pooled_bound(pairs: Floats) -> float | None:
    below = math.fsum(pairs[1])
    return math.fsum(pairs[0]) / below if below > 0 else None


def pool(found: Sums, keys: Sequence[Any]) -> "pd.DataFrame":
    """What `pooled` gives as a frame; the shape that `compute` describes."""
    import pandas as pd

    frame = pd.DataFrame(pooled(found, keys), columns=list(Pooled._fields))
    for name in ("value", "macro", "numerator", "denominator", "lowest", "highest"):
        frame[name] = frame[name].astype("float64")
    frame["key"] = frame["key"].astype(object).where(frame["key"].notna(), None)
    return frame
