"""The page of figures and its pictures, made of what the rows found."""

import json
import math
from collections.abc import Sequence
from html import escape
from typing import Any, Final

from benchmarks.speed import peers, results

DOCS: Final = results.ROOT / "docs"
PAGE: Final = DOCS / "explanation" / "speed.md"
PROFILES: Final = results.RESULTS.with_name("profiles.json")
AIMS, GROWTH = DOCS / "images" / "speed-aims.svg", DOCS / "images" / "speed-growth.svg"
Found = dict[str, Any]

INTRODUCTION: Final = """# How fast it is

Each row does the same work twice in one run, ours and a peer's, in turns, and gives the ratio: seconds of a
machine say little on another, ratios hold. Made by `make bench`, which installs the peers, with pinned
versions, into environments of their own below `~/.cache/vivavoce/bench`; Vivavoce imports none of them.
`make bench ARGS="--only pages relay"` runs some rows, `ARGS="--quick"` looks whether all goes.

Ratios are medians of the rounds, in brackets the lowest and the highest. Where the aim is `at least`, a ratio
says how many times as fast we are; where it is `at most`, how many times what the peer, or a limit, takes.
"""
ABOUT_LIMITS: Final = """Limits in seconds and megabytes are met or missed on this machine alone; beside
other work they say little. The inputs are generated from a seed (`benchmarks/speed/inputs.py`); every
sentence in them occurs four times or so.
"""
GROWING: Final = """Each work is measured at several sizes, each ten times the one before. The exponent says
with what power of the size the processor time grows, once a start is paid: 1 is in proportion.
"""
PROFILED: Final = """Processor seconds of each part, sampled by py-spy, before and after what the profile
showed was mended (`python -m benchmarks.speed.profiles`).
"""
HEADS: Final = ("work", "against", "ours", "other", "ratio", "aim", "", "load")
GROWTH_HEADS: Final = ("row", "of", "processor time at each size", "peak memory", "exponent")
NOTHING: Final = "Nothing was measured yet."


def text(found: Found) -> str:
    """The whole page."""
    known = results.rows()
    parts = [
        INTRODUCTION,
        _machine(found),
        ABOUT_LIMITS,
        "![How far each row is from its aim](../images/speed-aims.svg)\n",
        "## The rows\n",
        "\n".join(_table(found)) + "\n",
    ]
    if missed := [known[name] for name in results.missed(found, known) if known[name].why]:
        lines = [f"- **{row.work}**: {row.why}" for row in missed]
        parts += ["## Where an aim is missed, and why\n", "\n".join(lines) + "\n"]
    parts += [
        "## When the work grows\n",
        GROWING,
        "![Cost at each size, relative to the smallest](../images/speed-growth.svg)\n",
        "\n".join(_growth(found)) + "\n",
        "## Where the time of two slow ones goes\n",
        PROFILED,
        "\n".join(_profiles()) + "\n",
        "## What else was seen\n",
        "\n".join(_notes(found)) + "\n",
        "## What was compared\n",
        "\n".join(f"- {name}: {', '.join(pins)}" for name, pins in peers.PINNED.items()) + "\n",
    ]
    return "\n".join(parts)


def line(figure: Found) -> str:
    """A figure in one line, for the terminal."""
    aim = f" ({aimed(figure)}: {verdict(figure)})" if aimed(figure) else ""
    ours, other = (f"{number(figure[name])} {figure['unit']}" for name in ("ours", "other"))
    return f"{figure['what']}: {ratio(figure)}{aim}; ours {ours}, {figure['against']} {other}"


def number(value: float) -> str:
    """Three digits that say something."""
    if value == 0:
        return "0"
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    written = f"{value:,.{min(decimals, 4)}f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def ratio(figure: Found) -> str:
    spread = "" if figure["low"] is None else f" ({number(figure['low'])} to {number(figure['high'])})"
    return number(figure["ratio"]) + spread


def aimed(figure: Found) -> str:
    return "" if figure["aim"] is None else f"{figure['direction']} {number(figure['aim'])}"


def verdict(figure: Found) -> str:
    return {True: "met", False: "missed", None: ""}[figure["met"]]


def _machine(found: Found) -> str:
    told, worked = found["machine"], [one.get("others_cores") for one in found["rows"].values()]
    busy = [one for one in worked if one is not None]
    system = f"{told['system']} {told['architecture']}, Python {told['python']}"
    others = (
        f"While rows were measured, {number(min(busy))} to {number(max(busy))} cores worked for others."
        if busy
        else NOTHING
    )
    return f"Machine: {told['cores']} cores, {told['memory_gb']} GB, {system}. {others}\n"


def _table(found: Found) -> list[str]:
    lines = _heads(HEADS)
    for name, row in results.rows().items():
        one = found["rows"][name]
        whole, empty = (f"**{row.work}**", row.peer), [""] * 4
        if "failed" in one:
            never = one["failed"] == results.NOT_MEASURED
            failed = one["failed"] if never else f"failed: {one['failed']}"
            lines.append(_line(*whole, *empty, failed, str(one.get("load", ""))))
            continue
        lines.append(_line(*whole, *empty, "", str(one["load"])))
        for figure in one["figures"]:
            what = figure["what"] + (f"; {figure['note']}" if figure["note"] else "")
            both = (f"{number(figure[side])} {figure['unit']}" for side in ("ours", "other"))
            told = ratio(figure), aimed(figure), verdict(figure), ""
            lines.append(_line(what, figure["against"], *both, *told))
    return lines


def _heads(names: Sequence[str]) -> list[str]:
    return [_line(*names), _line(*["---"] * len(names))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _series(found: Found) -> list[tuple[str, str, Found]]:
    return [
        (name, what, grown)
        for name, row in found["rows"].items()
        for what, grown in row.get("growth", {}).items()
        if len(grown["points"]) > 1
    ]


def _growth(found: Found) -> list[str]:
    lines = _heads(GROWTH_HEADS)
    for name, what, grown in _series(found):
        points = grown["points"]
        spent = ", ".join(f"{number(one['size'])}: {number(one['cpu_s'])} s" for one in points)
        memory = ", ".join(f"{one['peak_mb']:,.0f}" for one in points if "peak_mb" in one)
        exponent = "" if grown["exponent"] is None else f"{grown['exponent']:.2f}"
        lines.append(_line(name, what, spent, f"{memory} MB" if memory else "", exponent))
    return lines


def _profiles() -> list[str]:
    profiles = json.loads(PROFILES.read_text(encoding="utf-8")) if PROFILES.is_file() else {}
    lines = _heads(("", "part", "before", "after"))
    for command, one in profiles.items():
        before, after = one.get("before", {}), one.get("after", {})
        whole = (f"{number(sum(own.values()))} s" if own else "" for own in (before, after))
        lines.append(_line(f"**{command}**", "all", *whole))
        for part in before or after:
            spent = (f"{number(own[part])} s" if part in own else "" for own in (before, after))
            lines.append(_line("", part, *spent))
    return lines if profiles else [NOTHING]


def _notes(found: Found) -> list[str]:
    notes = [f"- {name}: {note}" for name, row in found["rows"].items() for note in row.get("notes", ())]
    return notes or [NOTHING]


STYLE: Final = """<style>
text { font: 12px sans-serif; fill: #333 } .axis { stroke: #888 } .line { stroke-dasharray: 4 4 }
.met { fill: #2b7a78 } .missed { fill: #b5533c } .grown { fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) {
  text { fill: #ddd } .met { fill: #5fb3b0 } .missed { fill: #e08a73 }
}
</style>"""
WIDTH, NAMES, ROW_PX = 760, 330, 22


def aims_picture(found: Found) -> str:
    """A bar a figure that has an aim: right of the middle it is met, and so many times over."""
    bars = [
        (f"{name}: {figure['what']}", "met" if figure["met"] else "missed", _times_met(figure))
        for name, row in found["rows"].items()
        for figure in row.get("figures", ())
        if figure["aim"] is not None
    ]
    reach = max([10.0, *(max(times, 1 / times) for _, _, times in bars)])
    middle, height = NAMES + (WIDTH - NAMES) / 2, ROW_PX * (len(bars) + 2)
    scale = (WIDTH - NAMES - 90) / 2 / math.log10(reach)
    parts = []
    for place, (what, kind, times) in enumerate(bars):
        y, length = ROW_PX * (place + 1), scale * math.log10(times)
        x, side = min(middle, middle + length), 1 if length >= 0 else -1
        parts += [
            _words(NAMES - 8, y + 13, "end", what),
            f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{abs(length):.1f}" height="15"/>',
            _words(middle + length + 4 * side, y + 13, "start" if side > 0 else "end", number(times)),
        ]
    parts += [
        f'<line class="axis" x1="{middle}" x2="{middle}" y1="{ROW_PX - 6}" y2="{height - ROW_PX}"/>',
        _words(middle, height - 6, "middle", "missed  ·  the aim  ·  met so many times over"),
    ]
    return _svg(parts, height, "How far each row is from its aim")


def _times_met(figure: Found) -> float:
    worth = figure["ratio"] / figure["aim"]
    return worth if figure["direction"] == "at least" else 1 / worth


COLOURS: Final = ("#2b7a78", "#b5533c", "#6a5acd", "#c28f00", "#3b7dd8", "#8a4f7d", "#5b8c2a", "#777777")
SIDE, LEFT, TOP = 300.0, 60.0, 20.0


def growth_picture(found: Found) -> str:
    """Cost over size, both relative to the smallest, on scales of powers of ten."""
    series, bottom = _series(found), TOP + SIDE
    times = [one["size"] / grown["points"][0]["size"] for _, _, grown in series for one in grown["points"]]
    step = SIDE / (decades := max(2, math.ceil(math.log10(max(times, default=100.0)))))
    parts = [
        f'<line class="axis line" x1="{LEFT}" y1="{bottom}" x2="{LEFT + SIDE}" y2="{TOP}"/>',
        f'<line class="axis" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{bottom}"/>',
        f'<line class="axis" x1="{LEFT}" x2="{LEFT + SIDE}" y1="{bottom}" y2="{bottom}"/>',
        _words(LEFT + SIDE / 2, bottom + 36, "middle", "work; dashed: cost in proportion"),
    ]
    for power in range(decades + 1):
        parts += [
            _words(LEFT + power * step, bottom + 18, "middle", f"{10**power:,} x"),
            _words(LEFT - 6, bottom + 4 - power * step, "end", f"{10**power:,} x"),
        ]
    for place, (name, what, grown) in enumerate(series):
        first, key, y = grown["points"][0], LEFT + SIDE + 24, 26 + place * 18
        stroke = f'stroke="{COLOURS[place % len(COLOURS)]}"'
        if place >= len(COLOURS):
            stroke += ' stroke-dasharray="2 2"'
        path = " ".join(
            f"{LEFT + step * math.log10(one['size'] / first['size']):.1f},"
            f"{bottom - step * max(0.0, math.log10(one['cpu_s'] / first['cpu_s'])):.1f}"
            for one in grown["points"]
        )
        parts += [
            f'<polyline class="grown" {stroke} points="{path}"/>',
            f'<line {stroke} stroke-width="3" x1="{key}" x2="{key + 20}" y1="{y}" y2="{y}"/>',
            _words(key + 26, y + 4, "start", f"{name}: {what}"),
        ]
    return _svg(parts, max(bottom + 50, 40 + 18 * len(series)), "Cost at each size")


def _words(x: float, y: float, anchor: str, words: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _svg(parts: list[str], height: float, title: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {height:g}" width="{WIDTH}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return "\n".join([head, f"<title>{escape(title)}</title>", STYLE, *parts, "</svg>"]) + "\n"


def write(found: Found) -> None:
    for path, made in ((PAGE, text(found)), (AIMS, aims_picture(found)), (GROWTH, growth_picture(found))):
        path.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    write(results.read())
