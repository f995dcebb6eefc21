"""What measures count dialogue by dialogue in Python, each kind once for all measures that need it."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from vivavoce.log.layers import Labels
from vivavoce.measures.base import Pairs, Tables, field_of
from vivavoce.measures.success import Outcomes, outcomes


def scored(tables: Tables) -> Outcomes:
    """What became of every goal, scored once."""
    return tables.remember(scored, lambda: outcomes(tables))


def labels(tables: Tables) -> Labels:
    """What the experts say."""
    return tables.remember(labels, lambda: Labels(tables.read("annotations").to_pylist()))


def turns_of(tables: Tables, party: str) -> Mapping[str, list[int]]:
    """The positions of a party's turns by dialogue, in order; a dialogue without turns is not there."""

    def read() -> Mapping[str, Mapping[str, list[int]]]:
        table = tables.read("turns").select(["dialogue_id", "turn_index", "party"])
        table = table.sort_by([("dialogue_id", "ascending"), ("turn_index", "ascending")])
        found: dict[str, dict[str, list[int]]] = defaultdict(dict)
        for dialogue_id, index, whose in zip(*table.to_pydict().values(), strict=True):
            found[whose].setdefault(dialogue_id, []).append(index)
        return found

    return tables.remember(turns_of, read).get(party, {})


def flags_of(tables: Tables, flag: str, party: str) -> Pairs:
    """How often a flag of a party's turns is set, by dialogue; where the log does not know, by the experts.

    Empty   a dialogue in which the flag is neither logged nor annotated is left out
    """
    turns = tables.read("turns").filter(field_of("party") == party).select(["dialogue_id", flag])
    sums = turns.drop_null().group_by("dialogue_id").aggregate([(flag, "sum")])
    logged = dict(zip(sums["dialogue_id"].to_pylist(), sums[f"{flag}_sum"].to_pylist(), strict=True))
    layer, wanted = ("barge_in", "yes") if flag == "barge_in" else ("system_flag", flag)
    annotated = {
        dialogue_id: sum(label.label == wanted for label in found)
        for dialogue_id, found in labels(tables).of(layer).items()
    }
    return {dialogue_id: (count, 1) for dialogue_id, count in (annotated | logged).items()}


def label_counts(layer: str, wanted: str, *, party: str | None = None) -> Callable[[Tables], Pairs]:
    """How often a label stands, by dialogue annotated in the layer; of one party's turns, or of all."""

    def count(tables: Tables) -> Pairs:
        of_party = turns_of(tables, party) if party is not None else {}
        return {
            dialogue_id: (
                sum(
                    one.label == wanted and (party is None or one.turn_index in of_party.get(dialogue_id, ()))
                    for one in found
                ),
                1,
            )
            for dialogue_id, found in labels(tables).of(layer).items()
        }

    return count


def over(
    count: Callable[[Tables], Pairs], whole: Callable[[Tables, str], float]
) -> Callable[[Tables], Pairs]:
    """The same counts over another denominator of the dialogue."""
    return lambda tables: {key: (number, whole(tables, key)) for key, (number, _) in count(tables).items()}


def number_of_turns(party: str) -> Callable[[Tables, str], float]:
    """How many turns a party has in a dialogue."""
    return lambda tables, dialogue_id: len(turns_of(tables, party).get(dialogue_id, ()))
