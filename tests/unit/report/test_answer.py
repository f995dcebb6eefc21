"""The opening sentences agree with the table, whatever the summary."""

import re
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from scenes.summaries import made_group, made_rate, made_summary, made_test
from vivavoce.analysis.declared import FamilyMember, describe_family
from vivavoce.core.statement import statement
from vivavoce.reports import rate_tables as content
from vivavoce.reports.language import speaking, with_words
from vivavoce.reports.section import SECTIONS
from vivavoce.sections.results.answer import answer
from vivavoce.stats.declared_results import DeclaredComparison, DeclaredFamily, Family
from vivavoce.stats.multiple_testing import adjusted
from vivavoce.stats.summary_results import GroupSummary, GroupTest, Summary

MEASURES = ("subjective_success", "objective_success_assigned", "objective_success_inferred")
BETTER = re.compile(r"\bbetter\b|\bmeglio\b|\bbest\b|\bmiglior")
NO_DIFFERENCE = re.compile(
    r"not differ|no declared pair|none of|not significant|non differiscono|nessuna coppia"
    r"|nessuno significativo|non è significativo",
    re.IGNORECASE,
)
DIFFERENT = re.compile(
    r"(?<!\d)[1-9]\d* of \d+ .*?significant|(?<!\d)[1-9]\d* significativi su"
    r"|differ in|performs better|è migliore di|differiscono in"
)


@st.composite
def summaries(draw: Any) -> Summary:
    """Two to five groups, one to three measures, p values from anywhere, declared or not."""
    groups = [f"g{number}" for number in range(draw(st.integers(2, 5)))]
    measures = MEASURES[: draw(st.integers(1, 3))]
    known, is_declared = draw(st.booleans()), draw(st.booleans())
    ratio = st.integers(0, 20).map(lambda k: k / 20)
    rates = {name: {key: draw(ratio) for key in groups} for name in measures}
    chance = st.one_of(st.none(), st.floats(0, 1), st.floats(0, 0.01))
    tests = []
    for name in measures:
        for place, a in enumerate(groups):
            for b in groups[place + 1 :]:
                kind = "declared" if is_declared and name == measures[0] else "explored"
                unit = "participant" if known else "case"
                difference = rates[name][a] - rates[name][b]
                tests.append(made_test(name, a, b, difference, draw(chance), unit=unit, family=kind))
    settled, families, results = [], [], []
    for kind in ("declared", "explored"):
        own = [one for one in tests if one.family == kind]
        if not own:
            continue
        own = [settle(one, p) for one, p in zip(own, adjusted([one.p for one in own], "holm"), strict=True)]
        settled += own
        told = family(kind, own)
        if kind == "declared":
            told = replace(told, why=statement("Declared in advance: no tests were possible."))
            results = [declared(one) for one in own]
        families.append(told)
    return made_summary(
        [_row(key, {name: rates[name][key] for name in measures}) for key in groups],
        _row("all", dict.fromkeys(measures, 0.5)),
        settled,
        families,
        DeclaredFamily(family=families[0], results=results, choices=[]) if results else None,
    )


def settle(one: GroupTest, p: float | None) -> GroupTest:
    """The test with its adjusted p on the side that counts."""
    told = replace(one, significant=None if p is None else p < 0.05)
    if one.unit == "participant":
        return replace(told, clustered=replace(one.clustered, p_adjusted=p))
    return replace(told, p_adjusted=p)


def family(kind: str, own: list[GroupTest]) -> Family:
    return describe_family(kind, [FamilyMember(one.measure, one.a, one.b, one.p) for one in own], "holm")


def declared(one: GroupTest) -> DeclaredComparison:
    return DeclaredComparison(
        question="primary",
        measure=one.measure,
        a=str(one.a),
        b=str(one.b),
        alpha=0.05,
        difference=one.difference,
        low=one.low,
        high=one.high,
        p=one.p,
        significant=one.significant,
        p_adjusted=one.decisive.p_adjusted,
    )


def _row(key: str, rates: dict[str, float]) -> GroupSummary:
    return made_group(key, {name: made_rate(ratio) for name, ratio in rates.items()})


@given(summary=summaries(), language=st.sampled_from(["en", "it"]))
def test_the_opening_never_contradicts_its_table(summary, language):
    with speaking(language), with_words(SECTIONS.get("results").locale):
        table = content.tests_table(summary)
        said = [one for one in answer(summary) if not one.startswith(("It rests", "Si basa"))]
    assert table is not None
    bold = sum(cell.strong for row in table.rows for cell in row.cells)
    assert bold == sum(bool(one.significant) for one in summary.tests)
    told = " ".join(said)
    if bold:
        assert DIFFERENT.search(told)
    else:
        assert not DIFFERENT.search(told)
        assert not BETTER.search(told)
    declared = {one.significant for one in summary.tests if one.family == "declared"}
    assert (True in declared) == bool(BETTER.search(told)), "only what was declared is called better"
    if language == "en" and any(one.significant for one in summary.tests if one.family == "explored"):
        (sentence,) = [one for one in said if one.startswith("Exploratory")]
        assert not NO_DIFFERENCE.search(sentence)


@given(summary=summaries())
def test_how_many_differ_is_counted_over_every_pair(summary):
    own = [one for one in summary.tests if one.family == "explored"]
    differing = sum(bool(one.significant) for one in own)
    tested = sum(one.significant is not None for one in own)
    said = [one for one in answer(summary) if one.startswith("Exploratory")]
    if differing:
        comparisons = f"{tested} comparison{'' if tested == 1 else 's'}"
        assert f"{differing} of {comparisons} significant" in said[0]
    elif said:
        assert DIFFERENT.search(said[0]) is None


def test_four_conditions_of_which_middle_pairs_differ_are_not_called_alike():
    """The largest gap may be between small groups: what differs may be any pair."""
    keys = {"S0A0": 0.766, "S0A1": 0.80, "S1A0": 0.778, "S1A1": 0.852}
    p_of = {("S0A1", "S1A0"): 0.0004, ("S1A0", "S1A1"): 0.0003}
    pairs = [(a, b) for a in keys for b in keys if a < b]
    tests = [made_test(MEASURES[0], a, b, keys[a] - keys[b], p_of.get((a, b), 0.4)) for a, b in pairs]
    p_values = adjusted([one.p for one in tests], "holm")
    tests = [settle(one, p) for one, p in zip(tests, p_values, strict=True)]
    summary = made_summary(
        [_row(key, {MEASURES[0]: one}) for key, one in keys.items()],
        _row("all", {MEASURES[0]: 0.8}),
        tests,
        [family("explored", tests)],
        by_what="condition",
    )
    (said, *_) = answer(summary)
    assert "2 of 6 comparisons significant" in said
    assert "S1A1 85.2%, S1A0 77.8%" in said
    assert "no difference" not in said.lower()
