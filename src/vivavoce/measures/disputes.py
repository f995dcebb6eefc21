"""What open disputes of annotators leave open in a measure: the mean over annotators, and the bounds.

A place at which annotators differ, no label has most of them, and nobody decided counts in numerators and
denominators alike. The value is the mean over the annotators, each of whom is taken at their word in turn;
the bounds are the least and the greatest value that decisions could still give, each for one of the labels
that were given there.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from vivavoce.log.layers import LAYERS, Dispute, Labels
from vivavoce.measures.base import Components, Pair, Pairs, Tables
from vivavoce.measures.counting import labels

if TYPE_CHECKING:
    from vivavoce.log.dataset import Dataset

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
    """How many places of a layer were judged, or given a label, and at how many of them that is open."""

    layer: str
    open: int
    judged: int


def open_places(dataset: "Dataset") -> list[OpenPlaces]:
    """The layers that measures read and somebody annotated, each with what is open in it."""
    found = Labels(dataset.read("annotations").to_pylist())
    counts: list[OpenPlaces] = []
    for layer in sorted(set(found.layers()) & LAYERS.keys()):
        disputes = sum(map(len, found.open(layer).values()))
        counts.append(OpenPlaces(layer, disputes, disputes + sum(map(len, found.of(layer).values()))))
    return counts


class _Place(NamedTuple):
    layer: str
    dispute: Dispute


def settle(tables: Tables, components: Components, layers: Iterable[str], known: Pairs) -> Settled | None:
    """What open places in these layers leave open in a measure; None where none is.

    Input   known: what the measure counts without them, in all dialogues
    """
    places = _places(tables, sorted(layers))
    if not places:
        return None

    def count(choices: Choices) -> Pairs:
        decisions: dict[tuple[str, str], list[int]] = {}
        for dialogue_id, chosen in choices.items():
            for place, option in zip(places[dialogue_id], chosen, strict=True):
                decisions.setdefault((place.layer, dialogue_id), []).append(option)
        made = tables.variant(labels, lambda own: labels(tables).decided(decisions, own.see))
        found = made.pairs(components(made))
        return {dialogue_id: found.get(dialogue_id, NOTHING) for dialogue_id in places}

    mean = _mean(places, count)
    numerator, denominator = (sum(pair[side] for pair in {**known, **mean}.values()) for side in (0, 1))
    value = numerator / denominator if denominator else 0.0
    low, touched = _extreme(places, count, value, -1)
    high, _ = _extreme(places, count, value, 1)
    return Settled(mean, low, high, touched)


def _places(tables: Tables, layers: Iterable[str]) -> dict[str, list[_Place]]:
    found: dict[str, list[_Place]] = {}
    for layer in layers:
        for dialogue_id, disputes in labels(tables).open(layer).items():
            found.setdefault(dialogue_id, []).extend(_Place(layer, one) for one in disputes)
    return found


def _mean(places: Mapping[str, list[_Place]], count: Callable[[Choices], Pairs]) -> Pairs:
    """Each annotator taken at their word at all open places of a dialogue, and then the mean over them."""
    rounds = {key: max(len(place.dispute.said) for place in own) for key, own in places.items()}
    sums = dict.fromkeys(places, NOTHING)
    for turn in range(max(rounds.values())):
        choices = {
            key: [place.dispute.said[turn % len(place.dispute.said)] for place in own]
            for key, own in places.items()
        }
        for key, pair in count(choices).items():
            if turn < rounds[key]:
                sums[key] = sums[key][0] + pair[0], sums[key][1] + pair[1]
    return {key: (pair[0] / rounds[key], pair[1] / rounds[key]) for key, pair in sums.items()}


def _extreme(
    places: Mapping[str, list[_Place]], count: Callable[[Choices], Pairs], value: float, sign: int
) -> tuple[Pairs, dict[str, int]]:
    """The least (-1) or greatest (1) that decisions give, and at how many places they change anything.

    Place after place, of all dialogues at once, the option stays that moves the pooled value furthest.
    """
    choices = {key: [0] * len(own) for key, own in places.items()}
    best = dict(count(choices))
    touched = dict.fromkeys(places, 0)
    for number in range(max(map(len, places.values()))):
        options = {key: len(own[number].dispute.options) for key, own in places.items() if number < len(own)}
        start, moved = dict(best), set[str]()
        for option in range(1, max(options.values())):
            tried = [key for key, many in options.items() if option < many]
            trial = {key: list(own) for key, own in choices.items()}
            for key in tried:
                trial[key][number] = option
            found = count(trial)
            moved |= {key for key in tried if found[key] != start[key]}
            for key in tried:
                if sign * _worth(found[key], value) > sign * _worth(best[key], value):
                    best[key], choices[key][number] = found[key], option
        for key in moved:
            touched[key] += 1
    return best, touched


def _worth(pair: Pair, value: float) -> float:
    """How far a dialogue's components move the pooled value away from where it stands."""
    return pair[0] - value * pair[1]
