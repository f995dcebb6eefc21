"""Counts dialogue by dialogue in Python, each kind once for all measures that need it."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from vivavoce.dataset.annotation_layers import Labels
from vivavoce.measures.base import Pairs, Tables, field_of
from vivavoce.measures.columns import dialogue_places, number_column, sum_rows
from vivavoce.measures.success import Outcomes, outcomes


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
