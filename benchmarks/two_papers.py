"""The tables of two papers rebuilt from counts: `python -m benchmarks two_papers` writes the docs page.

What was printed is data here; everything beside it is computed by the functions of `vivavoce.stats`.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final, NamedTuple

from vivavoce.analysis import declared
from vivavoce.analysis.populations import RankAgreement, rank_agreement
from vivavoce.stats.counts import choices, read_counts
from vivavoce.stats.difference import equivalent_proportions
from vivavoce.stats.multiple_testing import bonferroni
from vivavoce.stats.power import power_of_two_rates, two_rates
from vivavoce.stats.proportions import ZTest, newcombe, two_proportion_z, wald

PAGE: Final = Path("docs/explanation/two-papers-recomputed.md")


class Printed(NamedTuple):
    """A cell of Table 2: rate and half-width in per cent as printed; counts that give the rate."""

    rate: float
    half: float
    successes: int
    n: int


RATES: Final = ("SubSucc", "ObjSucc AG", "ObjSucc IG")
CALLS: Final = {"A/NBT": 403, "A/1BT": 390, "A/NBRL": 130, "C/NBT": 199, "C/1BT": 108, "C/NBRL": 101}
TABLE_2: Final = {
    "A/NBT": (Printed(64.3, 4.7, 259, 403), Printed(28.8, 4.4, 116, 403), Printed(44.8, 4.6, 201, 449)),
    "A/1BT": (Printed(67.4, 4.7, 263, 390), Printed(36.7, 4.7, 143, 390), Printed(51.5, 4.7, 224, 435)),
    "A/NBRL": (Printed(56.2, 8.5, 73, 130), Printed(37.7, 8.3, 49, 130), Printed(55.9, 7.7, 90, 161)),
    "C/NBT": (Printed(65.3, 6.6, 130, 199), Printed(46.7, 6.9, 93, 199), Printed(42.0, 6.5, 92, 219)),
    "C/1BT": (Printed(62.0, 9.2, 67, 108), Printed(38.9, 9.2, 42, 108), Printed(42.5, 8.6, 54, 127)),
    "C/NBRL": (Printed(60.4, 9.5, 61, 101), Printed(49.5, 9.7, 50, 101), Printed(55.7, 8.8, 68, 122)),
}
STATED: Final = {("A", "NBRL", "NBT"): "significant", ("C", "NBRL", "NBT"): "significant"}
STATED_NOT: Final = {("A", "1BT", "NBT"), ("C", "1BT", "NBT")}
TABLE_3: Final = (("AMT", 923, 140, 6.5), ("Cambridge", 408, 17, 24.4))

CONDITIONS: Final = ("ease", "satisfaction", "utility", "interaction")
PEOPLE: Final = 143
WOMEN, MEN = 50, 93
PREFERENCES: Final = {  # counts of 143, ratios as printed, marginal as printed, women, men
    "alignment": ((86, 87, 96, 93), (0.60, 0.61, 0.67, 0.65), 0.63, 0.68, 0.61),
    "empathy": ((104, 111, 104, 108), (0.73, 0.78, 0.73, 0.76), 0.75, 0.77, 0.74),
    "facing": ((91, 101, 100, 94), (0.64, 0.71, 0.70, 0.66), 0.68, 0.76, 0.64),
    "formal": ((106, 114, 104, 94), (0.74, 0.80, 0.73, 0.66), 0.73, 0.76, 0.72),
    "vocabulary": ((106, 101, 104, 110), (0.74, 0.71, 0.73, 0.77), 0.74, 0.72, 0.75),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDifference:
    """Two published rates of a system, cases taken as independent. Empty: no test, nothing varied: None."""

    key: str
    difference: float
    low: float | None
    high: float | None
    p: float | None
    p_equivalent: float | None
    equivalent: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountComparison:
    """Published counts of two populations, system by system."""

    margin: float
    by: Sequence[CountDifference]
    ranks: RankAgreement


def compare_counts(
    a: Mapping[str, tuple[int, int]], b: Mapping[str, tuple[int, int]], margin: float = 0.1
) -> CountComparison:
    """Published counts of two populations, system by system: z-test, interval, equivalence, ranks.

    Input   system -> (successes, cases); cases taken as independent, as counts do not tell callers apart
    """
    declared.check_margin(declared.RATES, margin)
    common = [name for name in a if name in b]
    rows: list[CountDifference] = []
    for name in common:
        counts = (*a[name], *b[name])
        test, interval = two_proportion_z(*counts), newcombe(*counts)
        equal = equivalent_proportions(*counts, margin)
        rows.append(
            CountDifference(
                key=name,
                difference=a[name][0] / a[name][1] - b[name][0] / b[name][1],
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                p=test.p if test else None,
                p_equivalent=equal.p if equal else None,
                equivalent=equal.equivalent if equal else None,
            )
        )
    shares = [{name: counts[name][0] / counts[name][1] for name in common} for counts in (a, b)]
    return CountComparison(margin=margin, by=rows, ranks=rank_agreement(*shares))


def page() -> str:
    """The whole page as Markdown."""
    parts = [
        _INTRODUCTION,
        _table_2(),
        _tests(),
        _populations(),
        _table_3(),
        _sizes(),
        _table_choices(),
        _marginals(),
        _LESSONS,
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _section(before: str, table: str, after: str) -> str:
    return "\n\n".join(part.strip() for part in (before, table, after))


def half_up(value: float, digits: int) -> float:
    """Rounding as papers do it: .5 goes up."""
    scale = 10**digits
    return math.floor(value * scale + 0.5 + 1e-9) / scale


def _table(headings: list[str], rows: list[list[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _agree(ours: float, printed: float, digits: int) -> str:
    return "yes" if abs(half_up(ours, digits) - printed) < 10**-digits / 2 else "**no**"


def half_width(successes: int, n: int) -> float:
    """Half of Wald's 95 % interval in points."""
    interval = wald(successes, n)
    return 50 * (interval.high - interval.low) if interval else math.nan


def _table_2() -> str:
    rows: list[list[str]] = []
    for system, cells in TABLE_2.items():
        for name, cell in zip(RATES, cells, strict=True):
            rate, half = 100 * cell.successes / cell.n, half_width(cell.successes, cell.n)
            rows.append(
                [
                    f"{system} {name}",
                    f"{cell.rate:.1f}±{cell.half:.1f}",
                    f"{cell.successes}/{cell.n}",
                    f"{rate:.3f}±{half:.3f}",
                    _agree(half, cell.half, 1),
                ]
            )
    heading = ["system, rate", "printed", "counts", "ours", "half-width agrees"]
    return _section(_TABLE_2, _table(heading, rows), _TABLE_2_NOTES)


def _tests() -> str:
    rows: list[list[str]] = []
    for population in "AC":
        for a, b in combinations(("NBRL", "1BT", "NBT"), 2):
            first, second = (TABLE_2[f"{population}/{one}"][2] for one in (a, b))
            counts = (first.successes, first.n, second.successes, second.n)
            goals = two_proportion_z(*counts)
            corrected = two_proportion_z(*counts, method="z_pooled_continuity")
            calls = _z_of_rates(
                first.rate, CALLS[f"{population}/{a}"], second.rate, CALLS[f"{population}/{b}"]
            )
            stated = STATED.get((population, a, b), "")
            stated = stated or ("not significant" if (population, a, b) in STATED_NOT else "not stated")
            rows.append(
                [
                    f"{population}/{a} - {b}",
                    f"{calls.z:.3f}",
                    f"{calls.p:.4f}",
                    f"{goals.p:.4f}" if goals else "",
                    f"{corrected.p:.4f}" if corrected else "",
                    stated,
                ]
            )
    heading = ["pair", "z (calls)", "p", "p (goals)", "p (goals, corrected)", "paper"]
    return _section(_TESTS, _table(heading, rows), _TESTS_NOTES)


def _z_of_rates(rate_a: float, n_a: int, rate_b: float, n_b: int) -> ZTest:
    """A z-test of rates in per cent that are no whole counts: scaled up, and z back by the root."""
    scale = 1000
    test = two_proportion_z(
        round(rate_a * n_a * scale / 100), n_a * scale, round(rate_b * n_b * scale / 100), n_b * scale
    )
    z = (test.z if test else math.nan) / math.sqrt(scale)
    return ZTest(z, math.erfc(abs(z) / math.sqrt(2)))


def _populations() -> str:
    rows: list[list[str]] = []
    ranks: list[str] = []
    for place, name in enumerate(RATES):
        sides = [
            {one: TABLE_2[f"{side}/{one}"][place][2:] for one in ("NBT", "1BT", "NBRL")} for side in "AC"
        ]
        facts = compare_counts(sides[0], sides[1], margin=0.1)
        for one in facts.by:
            rows.append(
                [
                    f"{one.key} {name}",
                    f"{100 * one.difference:.1f}",
                    f"{100 * (one.low or 0):.1f} to {100 * (one.high or 0):.1f}",
                    _p(one.p),
                    f"{_p(one.p_equivalent)} ({'yes' if one.equivalent else 'no'})",
                ]
            )
        order = "the same order" if facts.ranks.same_order else "another order"
        ranks.append(f"{name}: tau {facts.ranks.tau or 0:.2f}, {order}")
    heading = ["system", "crowd - lab, points", "95% CI (Newcombe)", "p", "equivalent within 10 points"]
    said = f"Ranks: {'; '.join(ranks)}. {_closer()}"
    return _section(_POPULATIONS, _table(heading, rows), said)


def _closer() -> str:
    """The one claim that the paper makes, within ten and within five points."""
    first, second = TABLE_2["A/NBT"][0], TABLE_2["C/NBT"][0]
    found = [
        equivalent_proportions(first.successes, first.n, second.successes, second.n, margin)
        for margin in (0.1, 0.05)
    ]
    ten, five = (_p(one.p) if one else "" for one in found)
    return f"SubSucc of NBT is equivalent within 10 points (p {ten}), but not within 5 (p {five})."


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def _table_3() -> str:
    rows = [
        [name, f"{calls} / {users}", f"{calls / users:.2f}", f"{printed}", _agree(calls / users, printed, 1)]
        for name, calls, users, printed in TABLE_3
    ]
    table = _table(["trial", "calls / users", "ours", "printed", "agree"], rows)
    return _section(_TABLE_3, table, _TABLE_3_NOTES)


def _sizes() -> str:
    found = two_rates(0.45, 0.50)
    critical, half = found.critical_difference, found.half_the_difference
    assert critical is not None and half is not None
    corrected = critical.continuity_corrected
    sizes = {
        "critical difference, pooled": critical.pooled,
        "critical difference, unpooled": critical.unpooled,
        "critical difference, with continuity correction": corrected,
        "the same by steps of ten": critical.steps_of_ten,
        "80 % power": found.per_group,
        "90 % power": two_rates(0.45, 0.50, power=0.9).per_group,
    }
    rows = [[name, str(n), f"{power_of_two_rates(0.45, 0.50, n):.1%}"] for name, n in sizes.items()]
    cost = (
        f"Half the difference costs {half.continuity_corrected:.2f} times with and {half.pooled:.2f} times "
        'without correction, as the paper says ("approximately 4 times").'
    )
    return _section(_SIZES, _table(["calls per system by", "n", "power"], rows), cost)


def _table_choices() -> str:
    cells = [
        (f"{name} {condition}", k, printed)
        for name, (counts, ratios, *_) in PREFERENCES.items()
        for condition, k, printed in zip(CONDITIONS, counts, ratios, strict=True)
    ]
    found = choices(read_counts([f"{name}={k}/{PEOPLE}" for name, k, _ in cells])).choices
    agreeing = sum(
        _agree(one.ratio, printed, 2) == "yes" for one, (_, _, printed) in zip(found, cells, strict=True)
    )
    strict = sum(p is not None and p >= 0.05 for p in bonferroni([one.p_exact for one in found]))
    told = iter(
        f"{k} ({printed:.2f}), {_p(one.p_holm)}" for one, (_, k, printed) in zip(found, cells, strict=True)
    )
    rows = [[name, *(next(told) for _ in CONDITIONS)] for name in PREFERENCES]
    counts = f"{agreeing} of {len(cells)} printed ratios agree. Bonferroni leaves out {strict} cells."
    notes = f"{counts} {_CHOICES_NOTES.strip()}"
    return _section(_CHOICES, _table(["variable", *CONDITIONS], rows), notes)


def _marginals() -> str:
    rows: list[list[str]] = []
    for name, (_, ratios, printed, women, men) in PREFERENCES.items():
        cells, weighted = sum(ratios) / 4, (WOMEN * women + MEN * men) / PEOPLE
        judged = _z_of_rates(100 * women, WOMEN * 4, 100 * men, MEN * 4)
        persons = _z_of_rates(100 * women, WOMEN, 100 * men, MEN)
        rows.append(
            [
                name,
                f"{printed:.2f}",
                f"{cells:.4f}",
                f"{weighted:.4f}",
                f"{_agree(cells, printed, 2)}, {_agree(weighted, printed, 2)}",
                f"{women:.2f}, {men:.2f}",
                _p(judged.p),
                _p(persons.p),
            ]
        )
    heading = [
        "variable",
        "printed",
        "mean of cells",
        "weighted",
        "agree",
        "women, men",
        "p (judgements)",
        "p (persons)",
    ]
    return _section(_MARGINALS, _table(heading, rows), _MARGINALS_NOTES)


_INTRODUCTION: Final = """
# Two papers, recomputed

<!-- Made by `python -m benchmarks two_papers`; edit that script, not this page. -->

The functions behind `vivavoce analyse` and `vivavoce power` recompute two published trials from counts. Where
they differ from the printed values, the table says so.
"""

_TABLE_2: Final = """
## Jurčíček et al. 2011, Table 2: success rates with 95% intervals

Callers: crowd (A) and Cambridge (C). Intervals are Wald's. The counts are those that give the printed rates;
for ObjSucc IG of A/NBT, A/1BT and C/NBT several pairs do.
"""

_TABLE_2_NOTES: Final = """
Two half-widths do not reproduce. ObjSucc IG reproduces only with n counting **inferred goals**; n = calls
misses all six. The claim that assigned goals give lower rates than inferred ones fails for C/NBT (46.7
against 42.0).
"""

_TESTS: Final = """
## Jurčíček et al. 2011, section 4: z-tests of ObjSucc IG

Two-tailed, pooled. The paper states neither the unit of n nor a correction.
"""

_TESTS_NOTES: Final = """
With goals and the continuity correction every stated result follows. These tests ignore that one caller made
several calls ([statistics](statistics.md)).
"""

_POPULATIONS: Final = """
## Crowd against laboratory

The paper calls the populations indistinguishable. A p above .05 does not show that; an equivalence test does
(margin 10 points, two one-sided tests).
"""

_TABLE_3: Final = """
## Jurčíček et al. 2011, Table 3: calls per user
"""

_TABLE_3_NOTES: Final = """
Neither follows from Table 2.
"""

_SIZES: Final = """
## "About 810 calls per system"

For rates of 45% and 50%. The claim is the n at which an *observed* difference of 5 points reaches p < .05
with continuity correction; the power is then about one half.
"""

_CHOICES: Final = """
## Guerini et al. 2018, Table 2: preferences of 143 people

Each cell has the count (printed ratio) and p (Holm over 20 exact p). Of two possible counts
the smaller is shown.
"""

_CHOICES_NOTES: Final = """
"All significant" holds at 5% and after Holm. The smallest significant count is 84.
"""

_MARGINALS: Final = """
## Guerini et al. 2018, Tables 2 and 3: marginals

Means of four cells, and of women and men weighted 50 to 93.
"""

_MARGINALS_NOTES: Final = """
Treating 4 judgements of a person as independent makes the gender difference of *facing* significant; counting
persons does not. Use McNemar's test or a mixed model on the raw answers.

Whole counts of 50 women and 93 men give all cells and marginals at once. 143 programs that answer so in a
browser reproduce both tables through pages, export and `analyse --by gender`
(`tests/journey/test_judges_of_a_paper.py`).
"""

_LESSONS: Final = """
## Lessons

- A rate needs its unit of analysis and its n; an interval needs its method.
- "Not significantly different" is not "the same": use `--margin`.
- A sample size needs a power: `vivavoce power two-rates .45 .50`.
"""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
