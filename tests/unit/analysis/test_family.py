"""One pair and measure has one adjusted p, whoever prints it, and its family is named."""

import numpy as np
import pytest
from benchmarks._assumed_sums import assume_sums
from typer.testing import CliRunner

from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.declared import _differences
from vivavoce.analysis.summary import summarise
from vivavoce.cli.main import app
from vivavoce.dataset.declaration import written_analysis
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.measures import MEASURES
from vivavoce.reports.language import p_value, speaking, with_words
from vivavoce.reports.section import SECTIONS
from vivavoce.reports.table import comparisons
from vivavoce.sections.results.answer import answer
from vivavoce.stats.declared_results import HEADLINES, is_rate
from vivavoce.stats.multiple_testing import holm

DECLARED = """study: shops
systems: {a: {connect: http}, b: {connect: http}, c: {connect: http}}
visit: [dialogue]
analysis:
  primary: {measure: subjective_success, compare: [a, b]}
  secondary: [{measure: dialogue_duration, compare: [a, b, c], alpha: 0.01}]
  exclude: []
"""


def shop_trial(
    folder, *, file: str | None = None, people: int = 14, known: bool = True, levels: dict | None = None
) -> Dataset:
    """Three shop assistants who sell without a goal that anybody wrote down; a is liked best, c is slow."""
    rng = np.random.default_rng(4)
    study = {"name": "shops"} | ({"file": file} if file else {})
    factors = ["length"] if levels else []
    with DatasetWriter(folder, study=study, source={"kind": "log"}, factors=factors) as writer:
        for person in range(people):
            for system, chance, slow in (("a", 0.85, 0), ("b", 0.6, 2), ("c", 0.55, 40)):
                for turn in range(3):
                    key = {"dialogue_id": f"{system}{person}-{turn}"}
                    who = f"p{person}" if known else None
                    level = {"factor_length": levels[system]} if levels else {}
                    writer.add(
                        "dialogues",
                        [
                            {
                                **key,
                                **level,
                                "study": "shops",
                                "system": system,
                                "participant_id": who,
                                "condition": levels[system] if levels else system,
                                "channel": "text",
                                "language": "it",
                                "simulated": False,
                                "duration_s": float(60 + slow + rng.integers(0, 20)),
                            }
                        ],
                    )
                    writer.add(
                        "ratings",
                        [
                            {
                                **key,
                                "instrument": "own",
                                "item_id": "bought",
                                "role": "subjective_success",
                                "value": float(rng.random() < chance),
                                "participant_id": who,
                            }
                        ],
                    )
    return Dataset(folder)


def adjusted_p(tests: list[dict], measure: str) -> dict[tuple[str, str], float | None]:
    return {(one.a, one.b): one.clustered.p_adjusted for one in tests if one.measure == measure}


def test_without_a_declaration_all_headline_comparisons_are_one_explored_family(dialogues_with_goals):
    summary = summarise(dialogues_with_goals)
    own = [one for one in summary.tests if one.measure in HEADLINES]
    assert {one.measure for one in own} == set(HEADLINES)
    found = [one.clustered.p_adjusted for one in own]
    assert found == pytest.approx(holm([one.clustered.p for one in own]))
    (family,) = summary.families
    assert (family.name, family.tests) == ("explored", 9)
    assert str(family.why) == (
        "Exploratory, not declared: p is adjusted (Holm) over 9 comparisons (measures: 3, pairs: 3)."
    )


def test_variants_of_a_rate_are_in_no_family(dialogues_with_goals):
    others = [one for one in summarise(dialogues_with_goals).tests if one.measure not in HEADLINES]
    assert others
    assert {(one.family, one.clustered.p_adjusted) for one in others} == {(None, None)}


def test_what_is_declared_is_one_family_and_the_rest_is_explored(tmp_path):
    summary = summarise(shop_trial(tmp_path / "d", file=DECLARED))
    declared = summary.declared.results
    assert [(one.measure, one.a, one.b) for one in declared] == [
        ("subjective_success", "a", "b"),
        ("dialogue_duration", "a", "b"),
        ("dialogue_duration", "a", "c"),
        ("dialogue_duration", "b", "c"),
    ]
    assert [one.p_adjusted for one in declared] == pytest.approx(holm([one.p for one in declared]))
    assert [one.significant for one in declared] == [one.p_adjusted < one.alpha for one in declared]
    names = {(one.a, one.b): one.family for one in summary.tests if one.measure == HEADLINES[0]}
    assert names == {("a", "b"): "declared", ("a", "c"): "explored", ("b", "c"): "explored"}
    assert str(summary.families[0].why) == (
        "Declared in advance: p is adjusted (Holm) over 4 declared comparisons."
    )
    tested = adjusted_p(summary.tests, HEADLINES[0])
    assert tested["a", "b"] == declared[0].p_adjusted
    rest = [one.clustered.p for one in summary.tests if one.family == "explored"]
    assert [tested["a", "c"], tested["b", "c"]] == pytest.approx(holm(rest))


ASKED = (
    (["subjective_success"], [("a", "b")]),
    (["dialogue_duration", "subjective_success"], [("b", "c"), ("a", "b")]),
    (None, None),
)


@pytest.mark.parametrize(
    ("file", "asked"),
    [
        (DECLARED, ASKED[:1]),
        pytest.param(DECLARED, ASKED[1:], marks=pytest.mark.long),
        pytest.param(None, ASKED, marks=pytest.mark.long),
    ],
)
def test_analyse_and_the_summary_never_differ_on_a_pair_whatever_is_asked_for(tmp_path, file, asked):
    dataset = shop_trial(tmp_path / "d", file=file)
    summary = summarise(dataset)
    for measures, pairs in asked:
        facts = compare_systems(dataset, measures=measures, pairs=pairs)
        known = adjusted_p(summary.tests, HEADLINES[0])
        for pair, p in adjusted_p(facts.tests, HEADLINES[0]).items():
            assert p == known[pair]
        assert all(one.why in [family.why for family in facts.families] for one in facts.tests)


def test_a_measure_that_no_report_tests_keeps_its_p_whatever_is_asked_beside_it(tmp_path):
    dataset = shop_trial(tmp_path / "d")
    alone = compare_systems(dataset, measures=["dialogue_duration"], pairs=[("a", "b")])
    beside = compare_systems(dataset, measures=["dialogue_duration", "subjective_success"])
    pair = adjusted_p(alone.tests, "dialogue_duration")
    assert pair["a", "b"] == adjusted_p(beside.tests, "dialogue_duration")["a", "b"]
    assert alone.families[0].tests == 3


def test_declared_measures_that_are_no_rates_have_the_declared_p_in_analyse(tmp_path):
    dataset = shop_trial(tmp_path / "d", file=DECLARED)
    declared = {(one.measure, one.a, one.b): one for one in summarise(dataset).declared.results}
    for test in compare_systems(dataset, measures=["dialogue_duration"]).tests:
        one = declared[test.measure, test.a, test.b]
        assert test.clustered.p_adjusted == one.p_adjusted
        assert (test.alpha, test.significant) == (0.01, one.significant)


def test_what_a_declaration_leaves_of_a_measure_is_explored_without_it(tmp_path):
    file = DECLARED.replace("compare: [a, b, c], alpha", "compare: [a, b], alpha")
    facts = compare_systems(shop_trial(tmp_path / "d", file=file), measures=["dialogue_duration"])
    declared, *rest = facts.tests
    assert str(declared.why).startswith("Declared in advance")
    assert [one.clustered.p_adjusted for one in rest] == pytest.approx(
        holm([one.clustered.p for one in rest])
    )
    assert str(rest[0].why) == (
        "Exploratory, not declared: p is adjusted (Holm) over 2 comparisons of dialogue duration."
    )


def test_another_correction_is_used_where_it_is_asked_for_and_named(tmp_path):
    dataset = shop_trial(tmp_path / "d", file=DECLARED)
    facts = compare_systems(dataset, correction="bonferroni")
    (test, *_) = facts.tests
    assert test.clustered.p_adjusted == pytest.approx(min(1, 4 * test.clustered.p))
    assert "(Bonferroni) over 4 declared comparisons" in str(test.why)


def test_where_no_participant_is_known_the_naive_side_is_adjusted(tmp_path):
    summary = summarise(shop_trial(tmp_path / "d", known=False))
    own = [one for one in summary.tests if one.family]
    assert [one.p_adjusted for one in own] == pytest.approx(holm([one.p for one in own]))
    assert {one.clustered.p_adjusted for one in own} == {None}


def test_a_comparison_of_other_groups_is_not_the_declared_one(tmp_path):
    summary = summarise(shop_trial(tmp_path / "d", file=DECLARED), "channel")
    assert {one.groups for one in summary.declared.results} == {None}
    assert summary.declared.results[0].p_adjusted is not None


@pytest.mark.parametrize("by", ["condition", "length"])
def test_groups_of_the_same_dialogues_are_the_declared_pair_whatever_they_are_called(tmp_path, by):
    levels = {"a": "short", "b": "long", "c": "middling"}  # in another order than the systems
    dataset = shop_trial(tmp_path / "d", file=DECLARED, levels=levels)
    declared = {
        (one.measure, frozenset(levels[getattr(one, side)] for side in "ab")): (one.p, one.p_adjusted)
        for one in summarise(dataset).declared.results
    }
    pair = ("subjective_success", frozenset(("short", "long")))
    summary = summarise(dataset, by)
    own = [one for one in summary.tests if one.family == "declared"]
    assert [(one.measure, frozenset((one.a, one.b))) for one in own] == [pair]
    assert own[0].clustered.p_adjusted == declared[pair][1]
    measures = ["subjective_success", "dialogue_duration"]
    found = {
        (one.measure, frozenset((one.a, one.b))): one.clustered
        for one in compare_systems(dataset, by=by, measures=measures).tests
    }
    assert {key: found[key].p_adjusted for key in declared} == {key: p[1] for key, p in declared.items()}
    for key, (p, _) in declared.items():
        assert found[key].p == pytest.approx(p)


def test_a_level_that_two_systems_share_is_not_the_declared_system(tmp_path):
    levels = {"a": "short", "b": "long", "c": "long"}
    summary = summarise(shop_trial(tmp_path / "d", file=DECLARED, levels=levels), "condition")
    assert {one.groups for one in summary.declared.results} == {None}
    assert {one.family for one in summary.tests if one.measure in HEADLINES} == {"explored"}


UNTESTED = {
    "en": (
        "1 of 3 secondary comparisons significant; 2 not testable.",
        "1 of 4 declared comparisons could not be tested: no cases in a, b.",
        "1 of 4 declared comparisons could not be tested: the dataset has no z.",
    ),
    "it": (
        "1 significativi su 3 confronti secondari; non verificabili: 2.",
        "Non verificabili 1 su 4 confronti dichiarati: nessun caso in a, b.",
        "Non verificabili 1 su 4 confronti dichiarati: il dataset non ha z.",
    ),
}


@pytest.mark.parametrize("language", UNTESTED)
def test_what_was_declared_and_could_not_be_tested_is_counted_with_its_reason(tmp_path, language):
    secondary = (
        "secondary: [{measure: dialogue_duration, compare: [a, c]}, {measure: word_error_rate, "
        "compare: [a, b]}, {measure: dialogue_duration, compare: [a, z]}]"
    )
    lines = DECLARED.replace("c: {connect: http}}", "c: {connect: http}, z: {connect: http}}").split("\n")
    file = "\n".join(f"  {secondary}" if "secondary" in one else one for one in lines)
    dataset = shop_trial(tmp_path / "d", file=file)
    summary = summarise(dataset)
    assert summary.declared.family.untested == 2
    (why,) = [str(one.why) for one in summary.declared.results if one.measure == "word_error_rate"]
    rule = "no spoken turn with a transcript, or only empty transcripts: missing"
    assert why == f"No cases in a, b. Rule of the measure: {rule}."
    (told,) = [one for one in map(str, compare_systems(dataset).warnings) if "word_error_rate" in one]
    assert told == f"Declared but not testable: word_error_rate, a - b. {why}"
    with speaking(language), with_words(SECTIONS.get("results").locale):
        said = " ".join(answer(summary))
    assert [one for one in UNTESTED[language] if one not in said] == [], said


def test_measure_prints_the_pairs_with_the_adjusted_p_and_family_of_the_report(tmp_path):
    summary = summarise(shop_trial(tmp_path / "d", file=DECLARED))
    result = CliRunner().invoke(app, ["measure", str(tmp_path / "d")], env={"COLUMNS": "160"})
    lines = result.stdout.splitlines()
    for one in summary.declared.results:
        name = MEASURES.get(one.measure).title
        (row,) = [line for line in lines if name in line and f"{one.a} \u2013 {one.b}" in line]
        assert row.split()[-2:] == [p_value(one.p_adjusted).split()[-1], "a"]
        assert p_value(one.p) in row
    explored = [line for line in lines if line.rstrip().endswith(" b")]
    assert len(explored) == 2 and all("Subjective success" in line for line in explored)
    for letter, family in zip("ab", summary.families, strict=True):
        assert f"{letter}  {family.why}" in lines
    alone = CliRunner().invoke(app, ["measure", str(tmp_path / "d"), "--by", "channel"])
    assert "b  Explored" not in alone.stdout and "a  Declared in advance" in alone.stdout


def test_of_many_pairs_measure_prints_those_that_differ_and_counts_the_rest(tmp_path):
    summary = summarise(shop_trial(tmp_path / "d", file=DECLARED))
    differing = sum(bool(one.significant) for one in summary.declared.results)
    table, *said = comparisons(summary, most=5)
    assert 0 < differing < 4 and table.row_count == differing
    assert any(f"{6 - differing} more show no difference" in str(one) for one in said)
    assert comparisons(summary, most=6)[0].row_count == 6


@pytest.fixture
def dialogues_with_goals(tmp_path) -> Dataset:
    """Three systems of which a is best by each of the headline rates; 36 dialogues each, of 12 people."""
    rng = np.random.default_rng(9)
    with DatasetWriter(tmp_path / "goals", study={"name": "goals"}, source={"kind": "log"}) as writer:
        systems = [system for _ in range(36) for system in "abc"]
        writer.add(
            "dialogues",
            [
                {
                    "dialogue_id": f"d{place}",
                    "study": "goals",
                    "system": system,
                    "condition": system,
                    "participant_id": f"p{place % 12}",
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                }
                for place, system in enumerate(systems)
            ],
        )
    dataset = Dataset(tmp_path / "goals")
    chances = np.array([{"a": 0.8, "b": 0.5, "c": 0.45}[system] for system in systems])
    rates = [name for name in MEASURES.names() if is_rate(name)]
    hits = np.array([(rng.random(len(systems)) < chances) * (name in rates) for name in MEASURES.names()])
    cases = np.array([np.full(len(systems), name in rates) for name in MEASURES.names()])
    assume_sums(dataset, hits.astype(float), cases.astype(float))
    return dataset


def test_a_declared_margin_that_nothing_can_miss_costs_nothing_else_of_the_declaration():
    file = "study: toy\nanalysis:\n  margin: 10\n  exclude: [{user_turns: '< 5'}]\n"
    found = written_analysis(file)
    assert found is not None and found.margin is None and found.exclude[0].text == "user_turns < 5"


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        (DECLARED, DECLARED, []),
        (DECLARED, DECLARED.replace("alpha: 0.01", "alpha: 0.02"), ["secondary"]),
        (DECLARED, DECLARED.replace("exclude: []", "correction: bonferroni"), ["correction", "exclude"]),
        (DECLARED, DECLARED.partition("analysis:")[0], ["primary"]),
        (DECLARED.partition("analysis:")[0], DECLARED, ["primary"]),
    ],
)
def test_what_was_declared_otherwise_later_is_named(before: str, after: str, changed: list[str]) -> None:
    assert sorted(_differences(before, after)) == changed
