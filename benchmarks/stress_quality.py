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

from benchmarks._stress_variants import TESTS
from benchmarks._stress_variants import run as variants
from benchmarks._stress_verdicts import Facts
from benchmarks._stress_verdicts import run as verdicts

FOLDER: Final = Path(__file__).parents[1] / "docs" / "explanation"
PAGE: Final = FOLDER / "stress-verdict-quality.md"
VARIANTS_PAGE: Final = FOLDER / "stress-test-quality.md"
MARKS: Final = "<!-- {name}: python -m benchmarks {command} --write -->", "<!-- end of {name} -->"
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


def variant_tables() -> dict[str, str]:
    """The generated parts of the page of variants, by name: a table and its raters for each half."""
    parts: dict[str, str] = {}
    for half, found in variants().items():
        parts |= {half: _variants(found), f"{half} raters": _two_passes(found)}
    return parts


def written(page: str, made: dict[str, str] | None = None, command: str = "stress_quality") -> str:
    """A page with the tables that a command makes made anew: those of verdicts where none are given."""
    for name, table in (tables() if made is None else made).items():
        begin, end = (mark.format(name=name, command=command) for mark in MARKS)
        pattern = f"{re.escape(begin)}\n.*?{re.escape(end)}"
        page = re.sub(pattern, lambda _, made=f"{begin}\n{table}\n{end}": made, page, flags=re.S)
    return page


def _variants(found: Facts) -> str:
    lines = [row("test", *(f"{name}, {what}" for name in ("Italian", "English") for what in (
        "valid at rank 1", "proposed where a linguist finds one"))), row(*["---"] * 5)]  # fmt: skip
    cells = {(one["test"], one["language"]): one for one in found["cells"]}
    rows = [(test, [cells[test, language] for language in ("it", "en")]) for test in TESTS]
    for name, both in [*rows, ("all", [found["whole"][language] for language in ("it", "en")])]:
        told = [against(one[what]) for one in both for what in ("valid", "applied")]
        lines.append(row(name, *told))
    return "\n".join(lines)


def against(one: Facts) -> str:
    """A share with its interval, and whether the goal is missed."""
    if one["share"] is None:
        return "none"
    missed = "" if one["reached"] else ", **missed**"
    return f"{one['top']} of {one['n']}, {one['share']:.0%} ({one['low']:.2f} to {one['high']:.2f}){missed}"


def _two_passes(found: Facts) -> str:
    raters, domains = found["raters"], ", ".join(one.replace("_", " ") for one in found["domains"])
    return (
        f"{found['utterances']} utterances of {len(found['domains'])} domains ({domains}). Two passes agree "
        f"on {raters['same']} of {raters['judged']} variants, Cohen's kappa {_kappa(raters['kappa'])}."
    )


def _whole(found: Facts) -> str:
    lines = [row("bots", "when", "judged cases", "decided", "interval over bots", "agreement where decided",
                  "interval over bots"), row(*["---"] * 7)]  # fmt: skip
    for half in ("all", "development", "blind"):
        for when in ("first", "now"):
            one = found[when][half]
            cells = [
                cell
                for name in ("decided", "agreement")
                for cell in (_share(one[name]), _over_bots(one[name]))
            ]
            lines.append(row(f"{half} ({one['decided']['bots']})", when, one["judged"], *cells))
    return "\n".join(lines)


def _by(found: Facts, name: str) -> str:
    lines = [row(NAMES[name], "judged cases", "decided, first", "agreement, first", "decided, now",
                  "agreement, now"), row(*["---"] * 6)]  # fmt: skip
    for first, now in zip(found["first"][f"by_{name}"], found["now"][f"by_{name}"], strict=True):
        cells = [_share(one[part]) for one in (first, now) for part in ("decided", "agreement")]
        lines.append(row(first[name], first["judged"], *cells))
    return "\n".join(lines)


def _confusion(found: Facts) -> str:
    parts = []
    for when in ("first", "now"):
        table = found[when]["confusion"]
        said = list(table["pass"])
        lines = [
            row(f"people, {when}", *(f"program: {one}" for one in said)),
            row(*["---"] * (len(said) + 1)),
        ]
        parts.append("\n".join(lines + [row(person, *counts.values()) for person, counts in table.items()]))
    return "\n\n".join(parts)


def _raters(found: Facts) -> str:
    rules = ", ".join(f"{name} {count}" for name, count in sorted(found["rules"].items()))
    return "\n".join((
        "| two passes | same | Cohen's kappa |", "| --- | --- | --- |",
        row("all four verdicts", f"{found['same']} of {found['cases']}", _kappa(found["kappa"])),
        row("pass or not", f"{found['same_on_pass']} of {found['cases']}", _kappa(found["kappa_on_pass"])),
        "", f"Settled by rule: {rules}.",
    ))  # fmt: skip


def row(*cells: object) -> str:
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
        page = VARIANTS_PAGE.read_text(encoding="utf-8")
        VARIANTS_PAGE.write_text(written(page, variant_tables()), encoding="utf-8")
    print(json.dumps({"variants": variants(), "verdicts": verdicts()}, indent=1))


if __name__ == "__main__":
    main()
