"""What measures count dialogue by dialogue in Python, each kind once for all measures that need it."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from vivavoce.dataset.annotation_layers import Labels
from vivavoce.measures.base import Pairs, Tables, field_of
from vivavoce.measures.columns import dialogue_places, number_column, sum_rows
from vivavoce.measures.success import Outcomes, outcomes


def scored(tables: Tables) -> Outcomes:
    """What became of every goal, scored once."""
    return tables.remember(scored, lambda: outcomes(tables))


def labels(tables: Tables) -> Labels:
    """What the experts say."""
    return tables.remember(labels, lambda: Labels(tables.read("annotations").to_pylist(), tables.see))


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
    """How often a flag of a party's turns is set, by dialogue, as `flag_by_turn` tells it.

    Empty   a dialogue in which the flag is neither logged nor annotated is left out
    """
    wanted = (field_of("party") == party) & field_of(flag).is_valid()
    turns = tables.read("turns").select(["dialogue_id", "party", flag]).filter(wanted)
    logged = sum_rows(tables, dialogue_places(tables, turns), number_column(turns, flag)).over_dialogues()
    annotated = {key: sum(own.values()) for key, own in flag_by_turn(tables, flag, party).items()}
    if not annotated:
        return logged
    return {**logged, **{dialogue_id: (count, 1) for dialogue_id, count in annotated.items()}}


def flag_by_turn(tables: Tables, flag: str, party: str) -> Mapping[str, Mapping[int, bool]]:
    """Whether each of a party's turns has a flag, in the dialogues that experts annotated for it.

    Of a turn of which both know, the log's word counts, or the experts' where the study's `analysis.flags`
    says so; of one that the log does not know, the experts'. Experts judge all turns of a dialogue.
    """
    layer, wanted = ("barge_in", "yes") if flag == "barge_in" else ("system_flag", flag)
    annotated = labels(tables).of(layer)
    if not annotated:
        return {}
    of_party = (field_of("party") == party) & field_of("dialogue_id").isin(list(annotated))
    turns = tables.read("turns").filter(of_party)
    experts_first = tables.dataset.experts_first(flag)
    found: dict[str, dict[int, bool]] = {dialogue_id: {} for dialogue_id in annotated}
    labelled = {key: {one.turn_index for one in own if one.label == wanted} for key, own in annotated.items()}
    columns = turns.select(["dialogue_id", "turn_index", flag]).to_pydict().values()
    for dialogue_id, index, logged in zip(*columns, strict=True):
        told = index in labelled[dialogue_id]
        found[dialogue_id][index] = told if logged is None or experts_first else logged
    return found


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
