"""The table of `measure --only`: a row a measure, families apart, a column a group."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.text import Text

    from vivavoce.api.rows import MeasuredValue
    from vivavoce.core.terminal import FittedTable as Table

WIDEST: Final = 12


def values_table(rows: "Sequence[MeasuredValue]", groups: list[str | None], by: str) -> "Table":
    """Under each value its interval and dialogues; beyond WIDEST groups only all dialogues together.

    Input   the values of which anything was counted; the groups in their order, all together last
    """
    from rich.box import SIMPLE_HEAD
    from rich.text import Text

    from vivavoce.core.terminal import FittedTable as Table
    from vivavoce.measures import MEASURES
    from vivavoce.report.numbers import label

    shown = groups if len(groups) <= WIDEST else groups[-1:]
    table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column(f"by {by}", overflow="fold")
    for key in shown:
        table.add_column(Text(label(key)), justify="right", overflow="fold")
    cells = {(row.measure, row.key): row for row in rows}
    titles = Counter(MEASURES.get(name).title for name in {row.measure for row in rows})
    for family in dict.fromkeys(one.family for _, one in MEASURES):
        own = dict.fromkeys(row.measure for row in rows if row.family == family)
        if own:
            table.add_section()
            table.add_row(Text(family.replace("_", " ").capitalize(), style="bold"))
        for name in own:
            one = MEASURES.get(name)
            symbol = "" if one.symbol.startswith("#") else f" {one.symbol}"
            values = [_cell(cells.get((name, key)), one.unit) for key in shown]
            title = one.title if titles[one.title] == 1 else name
            table.add_row(Text(title).append(symbol, style="dim"), *values)
    return table


def _cell(row: "MeasuredValue | None", unit: str) -> "Text":
    from rich.text import Text

    from vivavoce.report.numbers import amount, between, count, measured

    if not row:
        return Text(amount(None, unit))
    value, interval = measured(row.value, row.low, row.high, unit)
    text = Text(value)
    if row.open:
        bounds = between(row.lowest, row.highest, lambda value: amount(value, unit))
        text.append(f"\n{bounds}\n{count(row.open)} open", style="yellow")
    if (row.low or 0) >= 0:
        interval = interval.replace(" to ", "\u2013")  # as narrow as a terminal's columns are
    return text.append("".join(f"\n{one}" for one in (interval, count(row.dialogues)) if one), style="dim")
