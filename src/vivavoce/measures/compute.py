"""From measures to numbers: groups of dialogues, components of each dialogue, and their exact pooling.

Rows of components are kept in the smallest type that holds them exactly. Labels of dialogues that were
chosen at random count by their inverse chance.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from weakref import WeakKeyDictionary

from vivavoce.core.errors import UnknownName
from vivavoce.core.exact_sums import exact_sum
from vivavoce.core.executor import in_pieces, uncollected
from vivavoce.core.extras import later
from vivavoce.dataset.populations import POPULATION, populations
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import FACTOR_PREFIX
from vivavoce.measures.base import MEASURES, Facts, Measure, PairColumns, Pairs, Tables, dialogue_ids
from vivavoce.measures.counting import labels, settle

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from vivavoce.dataset.reader import Dataset

    Floats = np.ndarray[Any, np.dtype[np.float64]]
    Packed = np.ndarray[Any, Any]
else:
    np = later("numpy")
    Floats = Any
    Packed = Any


WHOLE: Final = ("uint8", "int16", "int32")


def pack(rows: Iterable[Floats]) -> list[Packed]:
    """Each row in the smallest type; rows that are the same are one object, which goes to others once."""
    unique_rows: dict[tuple[str, bytes], Packed] = {}
    small = [_smallest(row) for row in rows]
    return [unique_rows.setdefault((packed.dtype.str, packed.tobytes()), packed) for packed in small]


def _smallest(row: Floats) -> Packed:
    low, high = (row.min(), row.max()) if len(row) else (0.0, 0.0)
    fitting = [dtype for dtype in WHOLE if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max]
    small = (row.astype(dtype) for dtype in (*fitting, "float32"))
    return next((packed for packed in small if np.array_equal(packed, row)), row.copy())


class PackedRows:
    """Rows along all dialogues, built bucket by bucket and read as floats.

    Input   what `pack` makes of the rows of each bucket, in their order
    """

    def __init__(self, buckets: Sequence[Sequence[Packed]]) -> None:
        self._rows: list[Sequence[Packed]] = [*zip(*buckets, strict=True)]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Floats]:
        return (self._row(number) for number in range(len(self)))

    def __getitem__(self, place: Any) -> Any:
        """A row by its number, some rows, packed as they are, by a list of numbers, or places of all rows."""
        if isinstance(place, int):
            return self._row(place)
        if isinstance(place, list):
            subset = PackedRows(())
            subset._rows = [self._rows[index] for index in place]
            return subset
        return np.asarray(self)[place]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.vstack(list(self)).astype(dtype or float, copy=False)

    def _row(self, number: int) -> Floats:
        return np.concatenate(self._rows[number], dtype=float)

    def replace(self, number: int, row: Floats) -> None:
        """Put another row in the place of one."""
        self._rows[number] = (row,)


TABLE: Final = "label_chances"
INVERSE: Final = "inverse chance"


def logged_chances(dataset: Dataset, layer: str) -> dict[str, tuple[float, bool]]:
    """The chance of each dialogue to be judged in a layer, and whether the lot fell on it.

    Empty   no chances were logged: everything was to be judged, or nobody knows what
    """
    rows = dataset.read(TABLE, ["dialogue_id", "layer", "chance", "drawn"]).to_pylist()
    return {row["dialogue_id"]: (row["chance"], row["drawn"]) for row in rows if row["layer"] == layer}


def chosen_layers(dataset: Dataset) -> set[str]:
    """Layers in which dialogues were judged by chances that differ."""
    chances: dict[str, set[float]] = {}
    for row in dataset.read(TABLE, ["layer", "chance"]).to_pylist():
        chances.setdefault(row["layer"], set()).add(row["chance"])
    return {layer for layer, layer_chances in chances.items() if len(layer_chances) > 1}


def label_weights(
    dataset: Dataset,
    looked_at: Mapping[str, Collection[str]],
    dialogues: Sequence[str],
) -> dict[str, Floats]:
    """The inverse chance of each dialogue, 0 where no lot fell on it, by measure of a chosen layer.

    Input   the layers of annotation that each measure looks at
    Empty   measures that look at no layer in which dialogues were chosen by chances that differ: left out
    Source  Horvitz and Thompson (1952), A generalization of sampling without replacement from a finite
            universe, JASA 47; a measure is a ratio of two such sums (Hajek 1971)
    """
    chosen = chosen_layers(dataset)
    weights = {layer: np.fromiter(_weights(dataset, layer, dialogues), float) for layer in chosen}
    layers = {name: sorted(chosen.intersection(layer_names)) for name, layer_names in looked_at.items()}
    return {name: weights[layer_names[0]] for name, layer_names in layers.items() if layer_names}


def _weights(dataset: Dataset, layer: str, dialogues: Sequence[str]) -> Iterator[float]:
    drawn_chances = logged_chances(dataset, layer)
    for chance, selected in (drawn_chances.get(dialogue, (1.0, False)) for dialogue in dialogues):
        yield 1 / chance if selected else 0.0


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


class Open(NamedTuple):
    """Bounds of one measure with open disputes, one entry a dialogue; numerators, then denominators.

    places   at how many places of the dialogue a decision could change it
    """

    low: Floats
    high: Floats
    places: Floats

    def among(self, positions: Sequence[int]) -> Open:
        return Open(self.low[:, positions], self.high[:, positions], self.places[positions])


class Sums(NamedTuple):
    """Components of measures in dialogues; a measure that is missing in a dialogue has denominator 0 there.

    numerators, denominators   measures x dialogues; with open disputes the mean over annotators. Of a dataset
                               in buckets packed: a row at a time is unpacked
    open                       by measure, where annotators dispute what it counts
    weights                    by measure, where annotators judged dialogues by chances that differ: what each
                               dialogue weighs; those that no lot fell on count nothing there
    """

    measures: list[str]
    dialogue_ids: list[str]
    numerators: Floats | PackedRows
    denominators: Floats | PackedRows
    open: Mapping[str, Open] = MappingProxyType({})
    weights: Mapping[str, Floats] = MappingProxyType({})

    def of(self, names: Sequence[str]) -> Sums:
        """Sums of these measures alone, in this order."""
        places = [self.measures.index(name) for name in names]
        open_ = {name: self.open[name] for name in names if name in self.open}
        weights = {name: self.weights[name] for name in names if name in self.weights}
        components = self.numerators[places], self.denominators[places]
        return Sums(list(names), self.dialogue_ids, *components, open_, weights)

    def among(self, dialogues: Collection[str]) -> Sums:
        """Sums of these dialogues alone."""
        positions = [place for place, dialogue_id in enumerate(self.dialogue_ids) if dialogue_id in dialogues]
        ids = [self.dialogue_ids[place] for place in positions]
        open_ = {name: bounds.among(positions) for name, bounds in self.open.items()}
        weights = {name: weight[positions] for name, weight in self.weights.items()}
        return Sums(
            self.measures, ids, self.numerators[:, positions], self.denominators[:, positions], open_, weights
        )


Asked = tuple[tuple[str, ...], frozenset[str] | None]
_COMPUTED: WeakKeyDictionary[Dataset, dict[Asked, Sums]] = WeakKeyDictionary()
_FRAMES: WeakKeyDictionary[Dataset, pd.DataFrame] = WeakKeyDictionary()


def components(
    dataset: Dataset, names: Iterable[str] | None = None, *, keywords: Collection[str] | None = None
) -> pd.DataFrame:
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
    dataset: Dataset,
    names: Iterable[str] | None = None,
    *,
    keywords: Collection[str] | None = None,
) -> Sums:
    """The result of `components` as arrays; the buckets of a large dataset are counted in pieces.

    Note    the same is computed once for an opened dataset
    """
    measure_names = tuple(MEASURES.names() if names is None else names)
    cache = _COMPUTED.setdefault(dataset, {})
    key = measure_names, None if keywords is None else frozenset(keywords)
    if key not in cache:
        if names is not None and keywords is None and (everything := cache.get((_all(), None))) is not None:
            return everything.of(measure_names)
        cache[key] = _sums(dataset, list(measure_names), keywords)
    return cache[key]


def _all() -> tuple[str, ...]:
    return tuple(MEASURES.names())


def _sums(dataset: Dataset, names: list[str], keywords: Collection[str] | None) -> Sums:
    measures = [MEASURES.get(name) for name in names]
    if getattr(dataset, "buckets", 1) > 1:  # what is no dataset, but read like one, has none
        return _sums_of_buckets(dataset, measures, keywords)
    tables = Tables(dataset, keywords=keywords)
    counted = _counted(tables, measures)
    components, open_ = counted.both, {}
    for number, measure in enumerate(measures):
        measure_pairs, layers = counted.found[number], counted.layers[number]
        settled = _settled(tables, measure, layers, measure_pairs, counted.dialogues, components[:, number])
        if settled is not None:
            components[:, number], open_[measure.name] = settled
    return _as_drawn(
        dataset, Sums(names, counted.dialogues, components[0], components[1], open_), counted.layers
    )


def _as_drawn(dataset: Dataset, unweighted: Sums, layers: Sequence[Collection[str]]) -> Sums:
    """Sums weighted by the chances of labels; 0 for dialogues that were not drawn."""
    looked_at = dict(zip(unweighted.measures, layers, strict=True))
    weights = label_weights(dataset, looked_at, unweighted.dialogue_ids)
    for name, weight in weights.items():
        place = unweighted.measures.index(name)
        for rows in (unweighted.numerators, unweighted.denominators):
            row = np.where(weight > 0, rows[place], 0.0)
            if isinstance(rows, PackedRows):
                rows.replace(place, row)
            else:
                rows[place] = row
    return unweighted._replace(weights=weights)


class _Counted(NamedTuple):
    """Components in some dialogues, disputed or not; numerators, then denominators."""

    dialogues: list[str]
    both: Floats
    found: list[Pairs]
    layers: list[frozenset[str]]


def _counted(tables: Tables, measures: Sequence[Measure]) -> _Counted:
    dialogues = dialogue_ids(tables)
    places = {dialogue: place for place, dialogue in enumerate(dialogues)}
    zeros = np.zeros((2, len(measures), len(dialogues)))
    with uncollected():
        counts = [tables.counted(measure.components) for measure in measures]
    for number, (pairs, _) in enumerate(counts):
        if isinstance(pairs, PairColumns) and len(pairs.dialogue_ids) == len(dialogues):
            zeros[:, number] = np.nan_to_num(pairs.both)
        else:
            _place(pairs, places, zeros[:, number])
    return _Counted(dialogues, zeros, [pairs for pairs, _ in counts], [layers for _, layers in counts])


def _place(pairs: Pairs, places: Mapping[str, int], into: Floats) -> Floats:
    where = np.array([places.get(dialogue, -1) for dialogue in pairs], dtype=int)
    values = np.array(list(pairs.values()), dtype=float).reshape(-1, 2)
    into[:, where[where >= 0]] = np.nan_to_num(values[where >= 0]).T
    return into


def _settled(
    tables: Tables,
    measure: Measure,
    layers: frozenset[str],
    measure_pairs: Pairs,
    dialogues: Sequence[str],
    components: Floats,
) -> tuple[Floats, Open] | None:
    """Both rows of a measure with the mean over annotators, and what is open; None where nothing is."""
    settled = settle(tables, measure.components, layers, measure_pairs)
    if settled is None:
        return None
    places = {dialogue: place for place, dialogue in enumerate(dialogues)}
    mean = _place(settled.mean, places, components.copy())
    low, high = (_place(bound, places, mean.copy()) for bound in (settled.low, settled.high))
    counts = np.array([settled.open.get(dialogue, 0) for dialogue in dialogues], dtype=float)
    return mean, Open(low, high, counts)


@dataclass(frozen=True, slots=True)
class _Bucket:
    """A bucket to be counted, wherever that is done; the measures go by their names."""

    dataset: Dataset
    names: Sequence[str]
    keywords: Collection[str] | None
    facts: Facts

    def tables(self) -> Tables:
        return Tables(self.dataset, keywords=self.keywords, facts=dict(self.facts))


class _Bundle(NamedTuple):
    """Components in a bucket; `open` has its disputed dialogues, by layer."""

    dialogues: list[str]
    numerators: list[Packed]
    denominators: list[Packed]
    layers: list[frozenset[str]]
    open: dict[str, list[str]]


def _sums_of_buckets(dataset: Dataset, measures: Sequence[Measure], keywords: Collection[str] | None) -> Sums:
    names = [measure.name for measure in measures]
    facts = _overall_facts(dataset, measures, keywords)
    buckets = [_Bucket(dataset.bucket(n), names, keywords, facts) for n in range(dataset.buckets)]
    bundles = list(in_pieces(_count_bucket, buckets))
    dialogues = [dialogue for bundle in bundles for dialogue in bundle.dialogues]
    numerators = PackedRows([bundle.numerators for bundle in bundles])
    denominators = PackedRows([bundle.denominators for bundle in bundles])
    open_: dict[str, Open] = {}
    disputed = {
        dialogue
        for bundle in bundles
        for open_dialogues in bundle.open.values()
        for dialogue in open_dialogues
    }
    layers = [
        frozenset[str]().union(*layer_sets)
        for layer_sets in zip(*(bundle.layers for bundle in bundles), strict=True)
    ]
    if disputed:
        tables = Tables(dataset, keywords=keywords, facts=facts, only=disputed)
        for number, measure in enumerate(measures):
            if not layers[number] & {layer for bundle in bundles for layer in bundle.open}:
                continue
            components = np.vstack([numerators[number], denominators[number]])
            pairs = dict(zip(dialogues, zip(*components.tolist(), strict=True), strict=True))
            settled = _settled(tables, measure, layers[number], pairs, dialogues, components)
            if settled is not None:
                (top, bottom), open_[measure.name] = settled
                numerators.replace(number, top)
                denominators.replace(number, bottom)
    return _as_drawn(dataset, Sums(names, dialogues, numerators, denominators, open_), layers)


def _count_bucket(bucket: _Bucket) -> _Bundle:
    tables = bucket.tables()
    counted = _counted(tables, [MEASURES.get(name) for name in bucket.names])
    all_labels = labels(tables)
    open_ = {layer: list(disputes) for layer in all_labels.layers() if (disputes := all_labels.open(layer))}
    _release_memory(tables)
    return _Bundle(counted.dialogues, pack(counted.both[0]), pack(counted.both[1]), counted.layers, open_)


def _release_memory(tables: Tables) -> None:
    """Give back what a bucket that is done would keep: results refer to tables, and Arrow is thrifty."""
    import pyarrow as pa

    tables.forget()
    pa.default_memory_pool().release_unused()


def _overall_facts(dataset: Dataset, measures: Sequence[Measure], keywords: Collection[str] | None) -> Facts:
    """Facts of the whole dataset that these measures need, also over tables without rows; found in buckets.

    Note  what one asks for only where there are rows is found where that is asked
    """
    nothing = Tables(dataset, keywords=keywords, only=())
    for measure in measures:
        with suppress(Exception):  # of whoever needs rows: it is told when there are some
            measure.components(nothing)
    facts = list(nothing.facts)
    if not facts:
        return {}
    names = [measure.name for measure in measures]
    buckets = [_Bucket(dataset.bucket(n), names, keywords, {}) for n in range(dataset.buckets)]
    piece_facts = list(in_pieces(partial(_find_facts, facts), buckets))
    return {fact: fact[1]([values[place] for values in piece_facts]) for place, fact in enumerate(facts)}


def _find_facts(facts: Sequence[Any], bucket: _Bucket) -> list[Any]:
    tables = bucket.tables()
    values = [find(tables, *parameters) for find, _, parameters in facts]
    _release_memory(tables)
    return values


def _frame(all_sums: Sums) -> pd.DataFrame:
    import pandas as pd

    measures, dialogues = len(all_sums.measures), len(all_sums.dialogue_ids)
    measure_names: Any = pd.Series(all_sums.measures, dtype="str").array
    keys: Any = pd.Series(all_sums.dialogue_ids, dtype="str").array
    return pd.DataFrame(
        {
            "measure": measure_names.take(np.repeat(np.arange(measures), dialogues)),
            "dialogue_id": keys.take(np.tile(np.arange(dialogues), measures)),
            "numerator": np.asarray(all_sums.numerators).ravel(),
            "denominator": np.asarray(all_sums.denominators).ravel(),
        }
    )


def compute(
    dataset: Dataset,
    names: Iterable[str] | None = None,
    by: str | None = None,
    *,
    keywords: Collection[str] | None = None,
) -> pd.DataFrame:
    """The value of each measure, over the whole dataset or by group.

    Input   by: system, condition, participant, population, task, channel, language, tag:NAME,
            or the name of a factor
    Output  key, measure, value (sum of numerators over sum of denominators), macro (mean of the values of the
            single dialogues), numerator, denominator, dialogues (those in which it is not missing), open (at
            how many places annotators differ and nobody decided), lowest and highest (the value that
            decisions there could give); keys in alphabetical order, null last, `all` without `by`
    Empty   denominator 0: value and macro are missing; nothing open: lowest and highest are missing
    Note    with open places the value is the mean over annotators. Where annotators judged dialogues by
            chances that differ, value, macro, lowest and highest weigh each by the inverse of its chance;
            numerator and denominator are what was counted
    Raises  UnknownName: an unknown measure or grouping
    """
    measure_names = MEASURES.names() if names is None else list(names)
    return pool(sums(dataset, measure_names, keywords=keywords), group_keys(dataset, by))


def group_keys(dataset: Dataset, by: str | None) -> list[str | None]:
    """The key of each dialogue under a grouping, in the dataset's order; `all` where `by` is None.

    Input   by: also `tag:NAME`, of which the keys are `with` and `without` that tag
    Raises  UnknownName: names the groupings and factors that there are
    """
    names = dataset.column_names("dialogues")
    if by is not None and by.startswith(TAG_PREFIX):
        return _tag_keys(dataset, by.removeprefix(TAG_PREFIX))
    column = GROUPS.get(by, FACTOR_PREFIX + by) if by is not None else None
    if by == POPULATION and column not in names:
        of = populations(dataset)
        people = dataset.read("dialogues", ["participant_id"]).column(0).to_pylist()
        return [of.get(person) for person in people]
    if column is not None and column not in names:
        plain_groups = [column for column in GROUPS if GROUPS[column] in names]
        groupings = [*plain_groups, POPULATION, *dataset.factors]
        raise UnknownName("grouping", by, groupings, place=str(dataset.folder))
    keys = dataset.read("dialogues", [column or "dialogue_id"]).column(0)
    return [ALL] * len(keys) if column is None else keys.to_pylist()


def _tag_keys(dataset: Dataset, tag: str) -> list[str | None]:
    """`with` or `without` the tag, of each dialogue."""
    columns = (dataset.read("tags")[name].to_pylist() for name in ("dialogue_id", "tag"))
    tagged: dict[str, set[str]] = {}
    for dialogue_id, name in zip(*columns, strict=True):
        tagged.setdefault(name, set()).add(dialogue_id)
    if tag not in tagged:
        raise UnknownName("tag", tag, sorted(tagged), place=str(dataset.folder))
    ids = dataset.read("dialogues")["dialogue_id"].to_pylist()
    return ["with" if id_ in tagged[tag] else "without" for id_ in ids]


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


def pooled(all_sums: Sums, keys: Sequence[Any]) -> list[Pooled]:
    """Sum components by key and divide; sums are exact, whatever the order of the dialogues."""
    members: dict[Hashable, list[int]] = {}
    for place, key in enumerate(keys):
        members.setdefault(key, []).append(place)
    places = {key: np.array(positions) for key, positions in members.items()}
    rows = {
        (key, name): _pooled(
            key,
            name,
            top[members_at],
            bottom[members_at],
            all_sums.open.get(name),
            members_at,
            all_sums.weights.get(name),
        )
        for name, top, bottom in zip(
            all_sums.measures, all_sums.numerators, all_sums.denominators, strict=True
        )
        for key, members_at in places.items()
    }
    order = sorted(members, key=lambda key: (key is None, key if key is not None else ""))
    return [rows[key, name] for key in order for name in all_sums.measures]


def _pooled(
    key: Any,
    name: str,
    tops: Floats,
    bottoms: Floats,
    open_: Open | None,
    members: np.ndarray,
    weights: Floats | None,
) -> Pooled:
    cases = bottoms > 0
    count = int(cases.sum())
    numerator, denominator = exact_sum(tops), exact_sum(bottoms)
    value = numerator / denominator if denominator > 0 else None
    macro = exact_sum(tops[cases] / bottoms[cases]) / count if count else None
    bounds, open_shown = (open_.low[:, members], open_.high[:, members]) if open_ else (), slice(None)
    if weights is not None:
        member_weights = weights[members]
        value = _ratio(np.stack([tops, bottoms]) * member_weights)
        macro = _ratio(np.stack([tops[cases] / bottoms[cases], np.ones(count)]) * member_weights[cases])
        bounds, open_shown = [bound * member_weights for bound in bounds], member_weights > 0
    places, lowest, highest = 0, None, None
    if open_ is not None and (places := round(open_.places[members][open_shown].sum())):
        lowest, highest = map(_ratio, bounds)
    return Pooled(key, name, value, macro, numerator, denominator, count, places, lowest, highest)


def _ratio(pairs: Floats) -> float | None:
    below = exact_sum(pairs[1])
    return exact_sum(pairs[0]) / below if below > 0 else None


def pool(all_sums: Sums, keys: Sequence[Any]) -> pd.DataFrame:
    """The result of `pooled` as a frame, in the shape that `compute` describes."""
    import pandas as pd

    frame = pd.DataFrame(pooled(all_sums, keys), columns=list(Pooled._fields))
    for name in ("value", "macro", "numerator", "denominator", "lowest", "highest"):
        frame[name] = frame[name].astype("float64")
    frame["key"] = frame["key"].astype(object).where(frame["key"].notna(), None)
    return frame


@dataclass(slots=True)
class Group:
    """The dialogues of one key: their ids, and the participant of each (None where unknown)."""

    key: str | None
    dialogue_ids: list[str] = field(default_factory=list)
    participants: list[str | None] = field(default_factory=list)


def groups(dataset: Dataset, by: str) -> list[Group]:
    """The groups of a dataset in the order of their keys; dialogues without the attribute have key None.

    Raises  UnknownName: neither a grouping nor a factor of this dataset
    """
    keys = group_keys(dataset, by)
    table = dataset.read("dialogues", ["dialogue_id", "participant_id"])
    members: defaultdict[str | None, list[tuple[str, str | None]]] = defaultdict(list)
    for key, dialogue_id, person in zip(keys, *table.to_pydict().values(), strict=True):
        members[key].append((dialogue_id, person))
    return [
        Group(key, [dialogue_id for dialogue_id, _ in members[key]], [person for _, person in members[key]])
        for key in sorted(members, key=lambda key: (key is None, key or ""))
    ]


def natural_grouping(dataset: Dataset) -> str:
    """`condition` where the design has factors or more conditions than systems, else `system`."""
    table = dataset.read("dialogues")
    systems, conditions = (set(table.column(name).to_pylist()) for name in ("system", "condition"))
    return "condition" if dataset.factors or len(conditions) > len(systems) else "system"
