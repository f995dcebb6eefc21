"""Counts by dialogue, each computed once for all measures, and the effect of annotators' disputes.

A label is in dispute if annotators differ, no label has a majority and nobody decided. It counts in
numerators and denominators alike. The value is the mean over the annotators, each taken at their word in
turn; the bounds are the least and the greatest value that decisions could still give, each for one of the
labels given there.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from math import isclose
from typing import TYPE_CHECKING, Final, NamedTuple

from vivavoce.dataset.annotation_layers import LAYERS, Dispute, Labels
from vivavoce.measures.base import (
    Components,
    Pair,
    Pairs,
    Tables,
    dialogue_places,
    field_of,
    number_column,
    sum_rows,
)
from vivavoce.measures.success import Outcomes, outcomes

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset


def scored(tables: Tables) -> Outcomes:
    """Outcomes of every goal, scored once."""
    return tables.remember(scored, lambda: outcomes(tables))


def labels(tables: Tables) -> Labels:
    """Labels by experts."""
    return tables.remember(labels, lambda: Labels(tables.read("annotations").to_pylist(), tables.see))


def turns_of(tables: Tables, party: str) -> Mapping[str, list[int]]:
    """The positions of a party's turns by dialogue, in order; a dialogue without turns is not there."""

    def read() -> Mapping[str, Mapping[str, list[int]]]:
        table = tables.read("turns").select(["dialogue_id", "turn_index", "party"])
        table = table.sort_by([("dialogue_id", "ascending"), ("turn_index", "ascending")])
        indices_by_party: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for dialogue_id, index, whose in zip(*table.to_pydict().values(), strict=True):
            indices_by_party[whose].setdefault(dialogue_id, []).append(index)
        return indices_by_party

    return tables.remember(turns_of, read).get(party, {})


def flags_of(tables: Tables, flag: str, party: str) -> Pairs:
    """Number of turns of a party with a flag, by dialogue, as `flag_by_turn` tells it.

    Empty   a dialogue in which the flag is neither logged nor annotated is left out
    """
    row_filter = (field_of("party") == party) & field_of(flag).is_valid()
    turns = tables.read("turns").select(["dialogue_id", "party", flag]).filter(row_filter)
    logged = sum_rows(tables, dialogue_places(tables, turns), number_column(turns, flag)).over_dialogues()
    annotated = {key: sum(flags.values()) for key, flags in flag_by_turn(tables, flag, party).items()}
    if not annotated:
        return logged
    return {**logged, **{dialogue_id: (count, 1) for dialogue_id, count in annotated.items()}}


def flag_by_turn(tables: Tables, flag: str, party: str) -> Mapping[str, Mapping[int, bool]]:
    """Flags of a party's turns, in the dialogues that experts annotated for it.

    Of a turn of which both know, the log's word counts, or the experts' where the study's `analysis.flags`
    says so; of one that the log does not know, the experts'. Experts judge all turns of a dialogue.
    """
    layer, label = ("barge_in", "yes") if flag == "barge_in" else ("system_flag", flag)
    annotated = labels(tables).of(layer)
    if not annotated:
        return {}
    of_party = (field_of("party") == party) & field_of("dialogue_id").isin(list(annotated))
    turns = tables.read("turns").filter(of_party)
    experts_first = tables.dataset.experts_first(flag)
    flags_by_dialogue: dict[str, dict[int, bool]] = {dialogue_id: {} for dialogue_id in annotated}
    labelled = {
        key: {standing.turn_index for standing in standing_labels if standing.label == label}
        for key, standing_labels in annotated.items()
    }
    columns = turns.select(["dialogue_id", "turn_index", flag]).to_pydict().values()
    for dialogue_id, index, logged in zip(*columns, strict=True):
        annotated_flag = index in labelled[dialogue_id]
        flags_by_dialogue[dialogue_id][index] = annotated_flag if logged is None or experts_first else logged
    return flags_by_dialogue


def label_counts(layer: str, label: str, *, party: str | None = None) -> Callable[[Tables], Pairs]:
    """Number of a label's uses, by dialogue annotated in the layer; of one party's turns, or of all."""

    def count(tables: Tables) -> Pairs:
        of_party = turns_of(tables, party) if party is not None else {}
        return {
            dialogue_id: (
                sum(
                    standing.label == label
                    and (party is None or standing.turn_index in of_party.get(dialogue_id, ()))
                    for standing in standing_labels
                ),
                1,
            )
            for dialogue_id, standing_labels in labels(tables).of(layer).items()
        }

    return count


def over(
    count: Callable[[Tables], Pairs], denominator: Callable[[Tables, str], float]
) -> Callable[[Tables], Pairs]:
    """Copy with the same counts over another denominator of the dialogue."""
    return lambda tables: {
        key: (number, denominator(tables, key)) for key, (number, _) in count(tables).items()
    }


def number_of_turns(party: str) -> Callable[[Tables, str], float]:
    """Number of a party's turns in a dialogue."""
    return lambda tables, dialogue_id: len(turns_of(tables, party).get(dialogue_id, ()))


Choices = dict[str, list[int]]
NOTHING: Final[Pair] = (0.0, 0.0)


class Settled(NamedTuple):
    """A measure in the dialogues with open places: how it would be, on average, at least, at most.

    open  at how many places a decision could change it
    """

    mean: Pairs
    low: Pairs
    high: Pairs
    open: Mapping[str, int]


class OpenPlaces(NamedTuple):
    """Places of a layer that were judged, or given a label, and how many of them are open."""

    layer: str
    open: int
    judged: int


def open_places(dataset: "Dataset") -> list[OpenPlaces]:
    """The layers that measures read and somebody annotated, each with what is open in it."""
    all_labels = Labels(dataset.read("annotations").to_pylist())
    counts: list[OpenPlaces] = []
    for layer in sorted(set(all_labels.layers()) & LAYERS.keys()):
        disputes = sum(map(len, all_labels.open(layer).values()))
        counts.append(OpenPlaces(layer, disputes, disputes + sum(map(len, all_labels.of(layer).values()))))
    return counts


class _Place(NamedTuple):
    layer: str
    dispute: Dispute


def settle(tables: Tables, components: Components, layers: frozenset[str], pairs: Pairs) -> Settled | None:
    """Bounds of a measure with open places in these layers; None where none is open.

    Input   known: what the measure counts without them, in all dialogues
    """
    trials = tables.remember((_Trials, layers), lambda: _Trials(tables, layers))
    if not trials.places:
        return None
    counted = _Counted(trials, components)
    mean = counted.mean()
    numerator, denominator = (sum(pair[side] for pair in {**pairs, **mean}.values()) for side in (0, 1))
    value = numerator / denominator if denominator else 0.0
    return Settled(mean, counted.extreme(value, -1), counted.extreme(value, 1), counted.touched())


class _Trials:
    """The tables as they would be if open places were decided in some way, made once for all measures.

    first   every place with its first option
    single  every place with its first option but one place of each dialogue, by its number and option
    each    every annotator in turn taken at their word
    """

    def __init__(self, tables: Tables, layers: Iterable[str]) -> None:
        self._tables = tables
        self.places: dict[str, list[_Place]] = {}
        for layer in sorted(layers):
            for dialogue_id, disputes in labels(tables).open(layer).items():
                self.places.setdefault(dialogue_id, []).extend(_Place(layer, dispute) for dispute in disputes)

    @cached_property
    def first(self) -> Tables:
        return self.decided({key: [0] * len(open_places) for key, open_places in self.places.items()})

    @cached_property
    def single(self) -> Mapping[tuple[int, int], Tables]:
        most = max(map(len, self.places.values()))
        steps = [(number, option) for number in range(most) for option in range(1, self._options(number))]
        first = {key: [0] * len(open_places) for key, open_places in self.places.items()}
        return {step: self.decided(self.changed(first, *step)) for step in steps}

    @cached_property
    def each(self) -> list[Tables]:
        return [
            self.decided(
                {
                    key: [place.dispute.said[turn % len(place.dispute.said)] for place in open_places]
                    for key, open_places in self.places.items()
                }
            )
            for turn in range(max(self.rounds.values()))
        ]

    @cached_property
    def rounds(self) -> dict[str, int]:
        """Number of annotators who differ in each dialogue."""
        return {
            key: max(len(place.dispute.said) for place in open_places)
            for key, open_places in self.places.items()
        }

    def _options(self, number: int) -> int:
        return max(
            len(place[number].dispute.options) for place in self.places.values() if number < len(place)
        )

    def changed(self, choices: Choices, number: int, option: int) -> Choices:
        """Copy of the choices with another option at one place of each dialogue that has it."""
        new_choices = {key: list(options) for key, options in choices.items()}
        for key, open_places in self.places.items():
            if number < len(open_places) and option < len(open_places[number].dispute.options):
                new_choices[key][number] = option
        return new_choices

    def decided(self, choices: Choices) -> Tables:
        decisions: dict[tuple[str, str], list[int]] = {}
        for dialogue_id, chosen in choices.items():
            for place, option in zip(self.places[dialogue_id], chosen, strict=True):
                decisions.setdefault((place.layer, dialogue_id), []).append(option)
        return self._tables.variant(
            labels, lambda variant_tables: labels(self._tables).decided(decisions, variant_tables.see)
        )


class _Counted:
    """One measure over the trials."""

    def __init__(self, trials: _Trials, components: Components) -> None:
        self._trials, self._components = trials, components
        self._first = self._count(trials.first)
        self._single = {step: self._count(tables) for step, tables in trials.single.items()}

    def _count(self, tables: Tables) -> Pairs:
        pairs = tables.pairs(self._components(tables))
        return {key: pairs.get(key, NOTHING) for key in self._trials.places}

    def mean(self) -> Pairs:
        """Each annotator taken at their word at all open places of a dialogue, then the mean over them."""
        rounds, sums = self._trials.rounds, dict.fromkeys(self._trials.places, NOTHING)
        for turn, tables in enumerate(self._trials.each):
            for key, pair in self._count(tables).items():
                if turn < rounds[key]:
                    sums[key] = sums[key][0] + pair[0], sums[key][1] + pair[1]
        return {key: (pair[0] / rounds[key], pair[1] / rounds[key]) for key, pair in sums.items()}

    def touched(self) -> dict[str, int]:
        """At how many places of each dialogue a decision changes anything."""
        touched_keys = {
            (key, step[0])
            for step, pairs in self._single.items()
            for key, pair in pairs.items()
            if pair != self._first[key]
        }
        return Counter(key for key, _ in touched_keys)

    def extreme(self, value: float, sign: int) -> Pairs:
        """The least (-1) or greatest (1) that decisions give.

        The option that moves the pooled value furthest is taken at every place; where places do not add up,
        place after place, with the places before it decided.
        """
        choices: Choices = {key: [0] * len(open_places) for key, open_places in self._trials.places.items()}
        worth = dict.fromkeys(choices, 0.0)
        gains: dict[tuple[str, int], float] = {}
        for (number, option), pairs in self._single.items():
            for key, pair in pairs.items():
                gain = sign * (_worth(pair, value) - _worth(self._first[key], value))
                if gain > gains.get((key, number), 0.0):
                    gains[key, number], choices[key][number] = gain, option
        for (key, _), gain in gains.items():
            worth[key] += gain
        if not gains:
            return self._first
        counted = self._count(self._trials.decided(choices))
        moved = {
            key: sign * (_worth(counted[key], value) - _worth(self._first[key], value)) for key in counted
        }
        if all(isclose(moved[key], worth[key], abs_tol=1e-9) for key in counted):
            return counted
        return self._one_by_one(value, sign)

    def _one_by_one(self, value: float, sign: int) -> Pairs:
        choices: Choices = {key: [0] * len(open_places) for key, open_places in self._trials.places.items()}
        best = dict(self._first)
        for number, option in self._single:
            trial = self._trials.changed(choices, number, option)
            for key, pair in self._count(self._trials.decided(trial)).items():
                if sign * _worth(pair, value) > sign * _worth(best[key], value):
                    best[key], choices[key] = pair, trial[key]
        return best


def _worth(pair: Pair, value: float) -> float:
    """Influence of a dialogue's components on the pooled value."""
    return pair[0] - value * pair[1]
