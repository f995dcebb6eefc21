"""The picture of docs/explanation/judges.md: what a judge saves over the share that people judged."""

import json
from pathlib import Path
from typing import Any, Final

import altair as alt
import vl_convert

ITEMS: Final = {"found_all": "found all (yes or no)", "understood": "understood me (0 to 5)"}
HOW: Final = {"dstc2": "asked by lot", "live": "chosen", "apart": "chosen, callers held apart"}
COLOURS: Final = ["#6b7680", "#1f5a85", "#a4531a"]
AIM: Final = 0.3


def picture(record: Path) -> str:
    """SVG: the share of the variance that is saved against people alone with as many labels."""
    rows = [
        {"item": ITEMS[one["target"]], "how": HOW[one["part"]], "share": one["share"],
         "saved": one["variance_saved"]}
        for one in json.loads(record.read_text(encoding="utf-8"))["scenarios"] if one["part"] in HOW
    ]  # fmt: skip
    base = alt.Chart(alt.Data(values=rows))
    shares = alt.Axis(format=".0%", values=[0.1, 0.2, 0.3])
    x: Any = alt.X("share:Q", title="dialogues that people judged", axis=shares,
                   scale=alt.Scale(domain=[0.08, 0.32]))  # fmt: skip
    y: Any = alt.Y("saved:Q", title="variance saved", axis=alt.Axis(format=".0%"),
                   scale=alt.Scale(domain=[0, 0.4]))  # fmt: skip
    how = alt.Scale(domain=list(HOW.values()), range=COLOURS)
    colour = alt.Color(
        "how:N", title=None, scale=how, legend=alt.Legend(orient="bottom", symbolType="stroke")
    )
    lines = base.mark_line(point=True).encode(
        x=x, y=y, color=colour,
        strokeDash=alt.StrokeDash("how:N", legend=None, sort=list(HOW.values())),
    )  # fmt: skip
    aim = base.mark_rule(color="#1d2329", strokeDash=[2, 3]).encode(y=alt.datum(AIM))
    chart = alt.layer(aim, lines).properties(width=290, height=220).facet(
        column=alt.Column("item:N", title=None, sort=list(ITEMS.values()))
    )  # fmt: skip
    return str(vl_convert.vegalite_to_svg(chart.properties(background="#ffffff").to_json()))
