"""The figures of a campaign as a table for the terminal."""

from typing import Any

from vivavoce.core.terminal import FittedTable as Table
from vivavoce.report.numbers import MISSING, coefficient, span


def figures_table(facts: dict[str, Any]) -> Table:
    """One row a system, in the order of their names; nothing is ranked. Eighty columns hold it whole."""
    table = Table(title=f"Campaign {facts['campaign']}", box=None, padding=(0, 1, 1, 0))
    for name in (
        "system",
        "users",
        "task completion",
        "effectiveness",
        "satisfaction",
        "stress tests",
        "groups",
    ):
        table.add_column(name, justify="left" if name == "system" else "right", overflow="fold")
    for one in facts["systems"]:
        means = [coefficient(aspect["mean"]) for aspect in one["aspects"]]
        table.add_row(_name(one), str(one["people"]["finished"]), *means, *_stress(one["stress"]))
    return table


def _name(one: dict[str, Any]) -> str:
    return f"{one['system']}\n(simulated)" if one["simulated"] else one["system"]


def _stress(stress: dict[str, Any] | None) -> tuple[str, str]:
    if stress is None or stress["ratio"] is None:
        return MISSING, MISSING
    limits = span(stress["low"], stress["high"]).replace(" to ", " to\n")
    told = f"{coefficient(stress['ratio'])}\n{stress['passed']} of {stress['applied']}\n{limits} %"
    return told, coefficient(stress["mean_of_groups"])
