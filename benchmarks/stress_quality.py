"""How far the automatic verdicts of stress tests agree with people, from the judged files.

`python -m benchmarks stress_quality [--write]` prints JSON: agreement and share decided, with intervals, by
test, language and bot, before and after rules were changed; `--write` also puts the tables into the page.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Final

from benchmarks._stress_verdicts import Facts
from benchmarks._stress_verdicts import run as verdicts

PAGE: Final = Path(__file__).parents[1] / "docs" / "explanation" / "stress-verdict-quality.md"
MARKS: Final = "<!-- {name}: python -m benchmarks stress_quality --write -->", "<!-- end of {name} -->"
NAMES: Final = {"test": "test", "language": "language", "bot": "bot", "origin": "variant"}


def tables() -> dict[str, str]:
    """The generated parts of the page, by name."""
    found = verdicts()
    parts = {f"by {name}": _by(found, name) for name in NAMES}
    return {
        "whole": _whole(found),
        **parts,
        "confusion": _confusion(found),
        "raters": _raters(found["raters"]),
    }


def written(page: str) -> str:
    """The page with its tables made anew."""
    for name, table in tables().items():
        begin, end = (mark.format(name=name) for mark in MARKS)
        pattern = f"{re.escape(begin)}\n.*?{re.escape(end)}"
        page = re.sub(pattern, lambda _, made=f"{begin}\n{table}\n{end}": made, page, flags=re.S)
    return page


def _whole(found: Facts) -> str:
    lines = [_row("bots", "when", "judged cases", "decided", "interval over bots", "agreement where decided",
                  "interval over bots"), _row(*["---"] * 7)]  # fmt: skip
    for half in ("all", "development", "blind"):
        for when in ("first", "now"):
            one = found[when][half]
            cells = [
                cell
                for name in ("decided", "agreement")
                for cell in (_share(one[name]), _over_bots(one[name]))
            ]
            lines.append(_row(f"{half} ({one['decided']['bots']})", when, one["judged"], *cells))
    return "\n".join(lines)


def _by(found: Facts, name: str) -> str:
    lines = [_row(NAMES[name], "judged cases", "decided, first", "agreement, first", "decided, now",
                  "agreement, now"), _row(*["---"] * 6)]  # fmt: skip
    for first, now in zip(found["first"][f"by_{name}"], found["now"][f"by_{name}"], strict=True):
        cells = [_share(one[part]) for one in (first, now) for part in ("decided", "agreement")]
        lines.append(_row(first[name], first["judged"], *cells))
    return "\n".join(lines)


def _confusion(found: Facts) -> str:
    parts = []
    for when in ("first", "now"):
        table = found[when]["confusion"]
        said = list(table["pass"])
        lines = [
            _row(f"people, {when}", *(f"program: {one}" for one in said)),
            _row(*["---"] * (len(said) + 1)),
        ]
        parts.append("\n".join(lines + [_row(person, *counts.values()) for person, counts in table.items()]))
    return "\n\n".join(parts)


def _raters(found: Facts) -> str:
    rules = ", ".join(f"{name} {count}" for name, count in sorted(found["rules"].items()))
    return "\n".join((
        "| two passes | same | Cohen's kappa |", "| --- | --- | --- |",
        _row("all four verdicts", f"{found['same']} of {found['cases']}", _kappa(found["kappa"])),
        _row("pass or not", f"{found['same_on_pass']} of {found['cases']}", _kappa(found["kappa_on_pass"])),
        "", f"Settled by rule: {rules}.",
    ))  # fmt: skip


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _share(one: Facts) -> str:
    if one["share"] is None:
        return "none decided"
    return f"{one['top']} of {one['n']}, {one['share']:.1%} ({one['low']:.3f} to {one['high']:.3f})"


def _over_bots(one: Facts) -> str:
    return "" if one["bots_low"] is None else f"{one['bots_low']:.3f} to {one['bots_high']:.3f}"


def _kappa(one: Facts) -> str:
    return f"{one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks stress_quality", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    if parser.parse_args().write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(json.dumps({"verdicts": verdicts()}, indent=1))


if __name__ == "__main__":
    main()
