"""The page of figures and its pictures, made of what the rows found."""

import math
from collections.abc import Sequence
from html import escape
from typing import Any, Final

from benchmarks.speed import results

DOCS: Final = results.ROOT / "docs"
PAGE: Final = DOCS / "explanation" / "speed.md"
AIMS, GROWTH = DOCS / "images" / "speed-aims.svg", DOCS / "images" / "speed-growth.svg"
Found = dict[str, Any]

INTRODUCTION: Final = """# Speed

Each row does the same work twice in one run, ours and a peer's, in turns, and reports the ratio. `make bench`
measures all rows and installs the peers with pinned versions into `~/.cache/vivavoce/bench`;
`make bench ARGS="--only pages relay"` runs some. Ratios are medians of the rounds (lowest to highest).
`at least`: how many times as fast as the peer. `at most`: the cost relative to the peer or limit.
"""
ABOUT_LIMITS: Final = """Absolute limits hold for this machine only. Inputs are generated from a seed
(`benchmarks/speed/inputs.py`).
"""
# Last figures of guides and of scripts that became rows, as measured before.
BESIDE: Final = """## Other loads

Measured beside other work on 2 cores (load in brackets), not by `make bench`. CPU marks processor time.

| what | result |
| --- | --- |
| people at once with 99% of turns acknowledged within 150 ms (load 14 to 18) | 50 |
| acknowledged, 50 people, SQLite (14 to 18): p50, p95, p99 | 14, 71, 142 ms |
| 100 people, SQLite | 17, 153, 265 ms |
| 200 people, SQLite | 44, 8472, 11926 ms |
| 200 people, PostgreSQL, 1 worker | 190, 3036, 7076 ms |
| 200 people, PostgreSQL, 3 workers | 100, 834, 1453 ms |
| 500 people, SQLite | 1216, 8855, 11011 ms |
| lost or doubled turns in all these runs, and with 1000 people | 0 |
| events a second, 200 writers to one, SQLite; PostgreSQL | 3 to 15 times; 3 times |
| an event, 200 writers, SQLite; PostgreSQL | 0.2; 0.4 ms CPU |
| commitment to an event; its leaf in the tree, once | 1; 4 µs CPU |
| a turn against a minimal application with the same commits (13) | 1.61 times the CPU |
| visit of 12 turns without aiohttp; short routes; compiled SQL; all | 1.10; 1.10; 1.05; 1.21 times the CPU |
| `check` of a new study, YAML read in Python rather than in C | 1.18 times the CPU |
| reads of a participant or caller, 1,000 and 10,000 participants | 0.1 to 0.4 ms CPU |
| dialogues by system; bouts; calls by system, 10,000 participants | 1.9; 1.0; 10 ms CPU |
| streamed answer of 200 words; whole (20) | 49 to 51; 4 to 7 ms CPU |
| a streamed word until it is seen, 10 and 50 answers at once (20): median | 48; 157 ms |
| simulated turns, word error rate 0 and 0.30 | 4,596; 2,891 a CPU second |
| dashboard list of 100,000 dialogues: first page; two words; slowest bare SQL | 41; 114; 1,474 ms CPU |
| 50 calls of SIPp: packet to packet, median and p99 | 20.0; 38 ms |
| ten utterances recognised at once: delay of the sound of others | 5 ms at most |
| from an empty folder to the first answered turn (11 to 20): typed; scripted | 146; 16 s |
| variants of ST-4 a CPU second, English; nlpaug (13 to 20) | 47,544; 23,166 |
| an answer of a bundled bot: half; 99 of 100; longest | 1.1; 147; 383 ms CPU |
| a page that the `browser` connector holds open | 80 MB |
| an utterance of up to 30 s with Whisper's base model | about 2 s |
"""
HEADS: Final = ("work", "ours", "other", "ratio", "aim")


def text(found: Found) -> str:
    """The whole page."""
    known = results.rows()
    parts = [
        INTRODUCTION,
        _machine(found),
        ABOUT_LIMITS,
        "![Distance of each row from its aim](../images/speed-aims.svg)\n",
        "## Rows\n",
        "\n".join(_table(found)) + "\n",
    ]
    if missed := [known[name] for name in results.missed(found, known) if known[name].why]:
        lines = [f"- **{row.work}**: {row.why}" for row in missed]
        parts += ["## Missed aims\n", "\n".join(lines) + "\n"]
    parts += [
        "## Growth\n",
        _growth(found),
        "![Cost at each size, relative to the smallest](../images/speed-growth.svg)\n",
        BESIDE,
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
    others = f" Other work used {number(min(busy))} to {number(max(busy))} cores." if busy else ""
    return f"Machine: {told['cores']} cores, {told['memory_gb']} GB, {system}.{others}\n"


def _table(found: Found) -> list[str]:
    lines, never = _heads(HEADS), []
    for name, row in results.rows().items():
        one = found["rows"][name]
        if one.get("failed") == results.NOT_MEASURED:
            never.append(name)
            continue
        failed = f"failed: {one['failed']}" if "failed" in one else ""
        lines.append(_line(f"**{row.work}** (load {one.get('load', '')})", "", row.peer, "", failed))
        for figure in one.get("figures", ()):
            ours, other = (f"{number(figure[side])} {figure['unit']}" for side in ("ours", "other"))
            aim = f"{aimed(figure)}: {verdict(figure)}" if aimed(figure) else ""
            lines.append(_line(figure["what"], ours, f"{other} ({figure['against']})", ratio(figure), aim))
    return [*lines, "", f"Rows not measured yet: {', '.join(never)}."] if never else lines


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


def _growth(found: Found) -> str:
    known = [grown["exponent"] for _, _, grown in _series(found) if grown["exponent"] is not None]
    spread = f"They lie between {min(known):.2f} and {max(known):.2f}." if known else ""
    return (
        "Each work is measured at sizes that grow by ten; `benchmarks/results/speed.json` has the exponents "
        f"of the processor time without start-up (1 is proportional). {spread}\n"
    )


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
