"""Draws what `benchmarks/command_systems.py` printed: learning curves, and what each system fails on.

python benchmarks/command_curves.py benchmarks/results/command_systems.jsonl docs/images/commands
"""

import json
import sys
from pathlib import Path
from typing import Any

import altair as alt
from benchmarks._command_phenomena import PHENOMENA

from vivavoce.report.drawing import PRINT_FONT, Figure, figure

COMMANDS = {  # learnt from, by corpus and size that was asked for; whole recipes are drawn
    "it": {"100": 106, "400": 405, "all": 1667}, "en": {"100": 100, "400": 411, "all": 1688},
}  # fmt: skip
NAMES = {
    "majority": "majority", "a": "a: memory", "b": "b: convolutions", "c": "c: hierarchy", "d": "d: pointing",
}  # fmt: skip


def curves(records: list[dict[str, Any]]) -> Figure:
    """Exact utterances over the size of training, with intervals."""
    rows = [
        {"system": NAMES[one["system"]], "commands": COMMANDS[one["corpus"]][one["size"]],
         "exact": one["exact_utterances"][0], "low": one["exact_utterances"][1],
         "high": one["exact_utterances"][2]}
        for one in records
    ]  # fmt: skip

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=rows)).encode(
            x=alt.X(
                "commands:Q",
                scale=alt.Scale(type="log", domain=[90, 2000], nice=False),
                title="commands to learn from",
            ),
            color=alt.Color("system:N", title="system"),
        )
        line = base.mark_line(point=True).encode(
            y=alt.Y("exact:Q", title="utterances exact", scale=alt.Scale(domain=[0, 1])),
            shape=alt.Shape("system:N", legend=None),
        )
        return (base.mark_rule().encode(y="low:Q", y2="high:Q") + line).properties(
            width=width - 160, height=260
        )

    told = "; ".join(f"{row['system']}, {row['commands']} commands: {row['exact']:.2f}" for row in rows)
    return figure("curves", "Utterances exact, by commands to learn from", told, draw)


def failures(records: list[dict[str, Any]], size: str) -> Figure:
    """Exact utterances by phenomenon and system."""
    rows = [
        {"system": NAMES[one["system"]], "phenomenon": f"{name} ({facts['commands']})",
         "exact": facts["exact_utterances"][0]}
        for one in records if one["size"] == size and "phenomena" in one
        for name, facts in ((name, one["phenomena"][name]) for name in PHENOMENA)
    ]  # fmt: skip
    order = list(dict.fromkeys(row["phenomenon"] for row in rows))

    def draw(width: int) -> Any:
        base = alt.Chart(alt.Data(values=rows)).encode(
            x=alt.X("system:N", title=None, axis=alt.Axis(labelAngle=-30)),
            y=alt.Y("phenomenon:N", sort=order, title=None, axis=alt.Axis(labelLimit=240)),
        )
        cells = base.mark_rect().encode(
            color=alt.Color("exact:Q", scale=alt.Scale(domain=[0, 1], scheme="blues"), title="exact")
        )
        text = base.mark_text().encode(
            text=alt.Text("exact:Q", format=".2f"),
            color=alt.condition("datum.exact > 0.5", alt.value("white"), alt.value("black")),
        )
        return (cells + text).properties(width=width - 300, height=300)

    told = "; ".join(f"{row['system']}, {row['phenomenon']}: {row['exact']:.2f}" for row in rows)
    learnt_from = "all" if size == "all" else f"about {size}"
    title = f"Utterances exact, by what is hard (learnt from {learnt_from} commands)"
    return figure("failures", title, told, draw)


def drawn(one: Figure) -> str:
    """SVG in whatever letters without serifs the reader has."""
    return one.printed.replace(f'"{PRINT_FONT}"', '"sans-serif"')


def main() -> None:
    source, into = Path(sys.argv[1]), Path(sys.argv[2])
    records = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    for corpus in COMMANDS:
        ours = [one for one in records if one["corpus"] == corpus]
        (into / f"command-curves-{corpus}.svg").write_text(drawn(curves(ours)), encoding="utf-8")
        for size in dict.fromkeys(one["size"] for one in ours if "phenomena" in one):
            path = into / f"command-failures-{corpus}-{size}.svg"
            path.write_text(drawn(failures(ours, size)), encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main()
