"""How good variants and automatic verdicts of stress tests are, from the judged files.

`python -m benchmarks stress_quality [--write]` prints JSON: of variants, how many are valid at the first rank
and how often one is proposed, by test and language, on domains that no rule was made on; of verdicts,
agreement and share decided, by test, language and bot, before and after rules were changed; all with
intervals. `--write` also puts the tables into the two pages.
"""

import argparse
import json
import re
from pathlib import Path
from typing import Final

from benchmarks._stress_variants import HALVES, TESTS, WIDER
from benchmarks._stress_variants import run as variants
from benchmarks._stress_verdicts import Facts
from benchmarks._stress_verdicts import run as verdicts

FOLDER: Final = Path(__file__).parents[1] / "docs" / "explanation"
PAGE: Final = FOLDER / "stress-verdict-quality.md"
VARIANTS_PAGE: Final = FOLDER / "stress-test-quality.md"
MARKS: Final = "<!-- {name}: python -m benchmarks stress_quality --write -->", "<!-- end of {name} -->"


def tables() -> dict[str, str]:
    """The generated parts of the page about verdicts, by name."""
    found = verdicts()
    return {"whole": _whole(found), "groups": _groups(found), "raters": _raters(found["raters"])}


def variant_tables() -> dict[str, str]:
    """The generated part of the page about variants: the last round, unasked and from the queue."""
    found = variants()
    return {"last round": _variants(found[HALVES[-1]], found[WIDER])}


def written(page: str, made: dict[str, str] | None = None) -> str:
    """A page with its tables regenerated (default: the tables about verdicts)."""
    for name, table in (tables() if made is None else made).items():
        begin, end = (mark.format(name=name) for mark in MARKS)
        pattern = f"{re.escape(begin)}\n.*?{re.escape(end)}"
        page = re.sub(pattern, lambda _, made=f"{begin}\n{table}\n{end}": made, page, flags=re.S)
    return page


def _variants(unasked: Facts, queue: Facts) -> str:
    parts = ("unasked: valid", "proposed", "queue: valid", "proposed")
    lines = [
        row("test", *(f"{language}, {part}" for language in ("Italian", "English") for part in parts)),
        row(*["---"] * 9),
    ]
    cells = [{(one["test"], one["language"]): one for one in found["cells"]} for found in (unasked, queue)]
    for test in TESTS:
        both = [cell[test, language] for language in ("it", "en") for cell in cells]
        lines.append(row(test, *(_count(cell[name]) for cell in both for name in ("valid", "applied"))))
    both = [found["whole"][language] for language in ("it", "en") for found in (unasked, queue)]
    lines.append(row("all", *(_share(cell[name], 0) for cell in both for name in ("valid", "applied"))))
    return "\n".join(lines)


def _whole(found: Facts) -> str:
    names = ("bots", "when", "judged", "decided", "CI over bots", "agreement", "CI over bots")
    lines = [row(*names), row(*["---"] * 7)]
    for half in ("all", "blind"):
        for when in ("first", "now"):
            one = found[when][half]
            cells = [
                cell
                for name in ("decided", "agreement")
                for cell in (_share(one[name]), _over_bots(one[name]))
            ]
            lines.append(row(f"{half} ({one['decided']['bots']})", when, one["judged"], *cells))
    return "\n".join(lines)


def _groups(found: Facts) -> str:
    """Verdicts by test and by language."""
    names = ("group", "agreement, first", "decided, now", "agreement, now")
    lines = [row(*names), row(*["---"] * 4)]
    for name in ("test", "language"):
        for first, now in zip(found["first"][f"by_{name}"], found["now"][f"by_{name}"], strict=True):
            cells = [_count(one) for one in (first["agreement"], now["decided"], now["agreement"])]
            lines.append(row(first[name], *cells))
    return "\n".join(lines)


def _raters(found: Facts) -> str:
    rules = ", ".join(f"{name} {count}" for name, count in sorted(found["rules"].items()))
    return (
        f"The two passes agree on {found['same']} of {found['cases']} verdicts, Cohen's kappa "
        f"{_kappa(found['kappa'])}, and on pass or not in {found['same_on_pass']}, kappa "
        f"{_kappa(found['kappa_on_pass'])}. Settled by rule: {rules}."
    )


def row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _count(one: Facts) -> str:
    return f"{one['top']}/{one['n']}" if one["n"] else "none"


def _share(one: Facts, digits: int = 1) -> str:
    if one["share"] is None:
        return "none"
    bounds = f"{one['low']:.{digits}%} to {one['high']:.{digits}%}"
    return f"{one['top']}/{one['n']}, {one['share']:.{digits}%} ({bounds})"


def _over_bots(one: Facts) -> str:
    return "" if one["bots_low"] is None else f"{one['bots_low']:.3f} to {one['bots_high']:.3f}"


def _kappa(one: Facts) -> str:
    return f"{one['value']:.3f} ({one['low']:.3f} to {one['high']:.3f})"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks stress_quality", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    if parser.parse_args().write:
        PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        page = VARIANTS_PAGE.read_text(encoding="utf-8")
        VARIANTS_PAGE.write_text(written(page, variant_tables()), encoding="utf-8")
    print(json.dumps({"variants": variants(), "verdicts": verdicts()}, indent=1))


if __name__ == "__main__":
    main()
