"""How often a system apologises."""

from vivavoce.measures.base import Measure, Pair, Tables


def count_apologies(tables: Tables) -> dict[str, Pair]:
    """Of each dialogue, the system's turns that say sorry, and all of its turns."""
    found: dict[str, Pair] = {}
    for turn in tables.read("turns").to_pylist():
        if turn["party"] == "system":
            sorry, turns = found.get(turn["dialogue_id"], (0.0, 0.0))
            found[turn["dialogue_id"]] = (sorry + ("sorry" in (turn["text"] or "").lower()), turns + 1)
    return found


APOLOGIES = Measure(
    name="apologies",
    title="Apologies",
    meaning="Share of the system's turns that say sorry.",
    unit="ratio",
    level="turn",
    family="communication",
    origin="instrumental",
    direction="lower",
    source="this package",
    empty="no turn of the system: missing",
    analysis_unit="turn",
    components=count_apologies,
)
