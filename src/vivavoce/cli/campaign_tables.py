"""The figures of a campaign as a table for the terminal."""

from typing import Any

from rich.table import Table

from vivavoce.report.numbers import MISSING, coefficient, span


def figures_table(facts: dict[str, Any]) -> Table:
    """One row a system, in the order of their names; nothing is ranked."""
    table = Table(title=f"Campaign {facts['campaign']}")
    for name in (
        "system",
        "users",
        "task completion",
        "effectiveness",
        "satisfaction",
        "stress tests",
        "groups",
    ):
        table.add_column(name, justify="left" if name == "system" else "right")
    for one in facts["systems"]:
        means = [coefficient(aspect["mean"]) for aspect in one["aspects"]]
        table.add_row(_name(one), str(one["people"]["finished"]), *means, *_stress(one["stress"]))
    return table


def _name(one: dict[str, Any]) -> str:
    return f"{one['system']} (simulated)" if one["simulated"] else one["system"]


def _stress(stress: dict[str, Any] | None) -> tuple[str, str]:
    if stress is None or stress["ratio"] is None:
        return MISSING, MISSING
    ratio = f"{coefficient(stress['ratio'])} ({stress['passed']} of {stress['applied']}; "
    return ratio + span(stress["low"], stress["high"]) + " %)", coefficient(stress["mean_of_groups"])
