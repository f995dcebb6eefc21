"""Figures of simulated users beside the real ones that they were fitted to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from vivavoce.analysis.calibration import ComparedFeature
from vivavoce.core.extras import later
from vivavoce.reports.drawing import ACCENT, NARROW, WARM, Figure, figure

if TYPE_CHECKING:
    import altair as alt
else:
    alt = later("altair")

MARK: Final = "SIMULATED beside real"
_TAIL: Final = 0.005


def distribution_figure(compared: ComparedFeature) -> Figure:
    """One feature: the share of each value among real and simulated calls."""
    rows = _rows(compared)
    order = list(dict.fromkeys(row["value"] for row in rows))

    def draw(width: int) -> Any:
        room = 70 if width == NARROW else 90
        chart = (
            alt.Chart(alt.Data(values=rows))
            .mark_bar()
            .encode(
                x=alt.X("value:N", sort=order, title=compared.meaning, axis=alt.Axis(labelAngle=0)),
                xOffset=alt.XOffset("who:N", sort=["real", "simulated"]),
                y=alt.Y("share:Q", title="share", axis=alt.Axis(format="%", tickCount=5)),
                color=alt.Color(
                    "who:N",
                    scale=alt.Scale(domain=["real", "simulated"], range=[ACCENT, WARM]),
                    legend=alt.Legend(title=None, orient="top"),
                ),
            )
        )
        return chart.properties(width=width - room, height=180)

    words = "; ".join(
        f"{row['value']} {row['who']} {row['share']:.1%}" for row in rows if row["share"] >= 0.01
    )
    return figure(f"calibration-{compared.feature}", compared.meaning, words, draw, mark=MARK)


def _rows(compared: ComparedFeature) -> list[dict[str, Any]]:
    """The shares by value and party; the rare values above the common ones are taken together."""
    values = list(dict.fromkeys([*compared.real, *compared.simulated]))
    numbers = compared.mean_real is not None
    if numbers:
        values.sort(key=float)
        common = [value for value in values if max(_share(compared, who, value) for who in _WHO) >= _TAIL]
        last = values.index(common[-1]) if common else len(values) - 1
        values, beyond = values[: last + 1], values[last + 1 :]
    else:
        values.sort(key=lambda answer: -_share(compared, "real", answer))
        beyond = []
    rows = [
        {"value": value, "who": who, "share": _share(compared, who, value)}
        for value in values
        for who in _WHO
    ]
    if beyond:
        rows += [
            {"value": "more", "who": who, "share": sum(_share(compared, who, answer) for answer in beyond)}
            for who in _WHO
        ]
    return rows


_WHO: Final = ("real", "simulated")


def _share(compared: ComparedFeature, who: str, value: str) -> float:
    return (compared.real if who == "real" else compared.simulated).get(value, 0.0)
