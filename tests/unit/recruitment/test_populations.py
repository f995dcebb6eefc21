"""Populations side by side: planted differences are found, none invented; costs, and what precision costs."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copyfile
from typing import Any

import numpy as np
import pytest

import vivavoce as vv
import vivavoce.study
from scenes.crowds import CROWD, LABORATORY, PLANTED, Crowd, differing, drawn
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.summary import summarise
from vivavoce.api.opening import open_dataset
from vivavoce.core.errors import InputError
from vivavoce.dataset.populations import populations
from vivavoce.dataset.reader import Dataset
from vivavoce.reports.blocks import DocumentSection, TableOfText
from vivavoce.reports.language import speaking
from vivavoce.reports.section import SECTIONS, AnalysisContext, ReportOptions, fill
from vivavoce.stats.clusters import ClusterSums, clustered_rate
from vivavoce.stats.precision import required_people
from vivavoce.study.load import check_study

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
STUDY = """
study: town
recruitment:
  prolific:
    {token: "${TOKEN}", description: Talk to it., site: "https://lab.example", reward: 2.00 GBP, places: 40,
     minutes: 15, fee_percent: 25, per_dialogue: {pay: 0.10 GBP, max_dialogues: 3}}
  links: {open: true}
"""
SIMULATED = """
study: simulated
systems:
  nbest: {connect: python, call: "vivavoce_bots.calling:restaurant_nbest", in_process: true, greeting: true}
ontology: restaurants.yaml
tasks: {generate: 60, seed: 7}
visit:
  - dialogue: {repeat: 1..60, gate: none}
  - questionnaire: cambridge
"""
COSTS = """
populations:
  crowd: {recruiters: [prolific]}
  laboratory:
    recruiters: [links]
    cost: {currency: GBP, participant: 6, dialogue: 0.80, minute: 0.10, fixed: 60}
"""


def found(dataset: Dataset) -> set[str]:
    return {one.measure for one in summarise(dataset, "population").tests if one.significant}


@pytest.mark.long
@pytest.mark.parametrize("measure", PLANTED)
def test_a_planted_difference_is_found_and_no_other(measure: str, tmp_path: Path) -> None:
    told = [found(drawn(tmp_path / f"{seed}", differing(measure), seed)) for seed in (1, 2)]
    assert told == [{measure}, {measure}]


def test_all_planted_differences_are_found_together(tmp_path: Path) -> None:
    assert found(drawn(tmp_path / "d", differing(*PLANTED), 3)) == set(PLANTED)


@pytest.mark.long
def test_no_difference_is_invented_beyond_what_is_declared(tmp_path: Path) -> None:
    """At 5 % for all figures together, 3 or more of 12 would come by chance in 2 % of such tests."""
    told = [found(drawn(tmp_path / f"{seed}", [CROWD, LABORATORY], seed)) for seed in range(12)]
    assert sum(map(bool, told)) < 3


def simulated(folder: Path, *populations: str) -> Dataset:
    """The dataset of a study that simulated crowds of these populations went through."""
    folder.mkdir()
    (folder / "study.yaml").write_text(SIMULATED, encoding="utf-8")
    copyfile(DOMAIN, folder / "restaurants.yaml")
    for number, written in enumerate(populations):
        file = folder / f"{number}.yaml"
        file.write_text(written, encoding="utf-8")
        vv.simulate(folder, population=file, dialogues=40)
    return vv.export_log(folder, folder / "data")


@pytest.mark.long
def test_simulated_crowds_are_told_apart_by_what_was_planted_in_them(tmp_path: Path) -> None:
    crowd = (
        "population: {name}\nsimulated: true\nseed: {seed}\nword_error_rate: {rate}\n"
        "habits: {{dialogues: {calls}}}\n"
    )
    usual = crowd.format(name="crowd", seed=1, rate=0.3, calls="2..4")
    other = crowd.format(name="laboratory", seed=2, rate=0.05, calls="9..11")
    alike = crowd.format(name="laboratory", seed=2, rate=0.3, calls="2..4")
    planted = {"word_error_rate", "dialogues_per_participant"}
    assert planted <= found(simulated(tmp_path / "planted", usual, other))
    assert not found(simulated(tmp_path / "alike", usual, alike))


def test_all_figures_of_populations_are_one_family_whoever_prints_them(tmp_path: Path) -> None:
    dataset = drawn(tmp_path / "d", differing("word_error_rate"), 4)
    summary = summarise(dataset, "population")
    (family,) = summary.families
    assert set(family.measures) == set(PLANTED) and family.tests == 4
    sides = [one.decisive for one in summary.tests if one.family]
    assert min(side.p_adjusted for side in sides) == pytest.approx(4 * min(side.p for side in sides))
    compared = compare_systems(dataset, by="population", measures=["word_error_rate"])
    (test,) = compared.tests
    (same,) = (one for one in summary.tests if one.measure == "word_error_rate")
    assert test.clustered.p_adjusted == same.decisive.p_adjusted


def section_of(dataset: Dataset, language: str = "en", **options: Any) -> DocumentSection | None:
    material = AnalysisContext(dataset, ReportOptions(**options))
    with speaking(language):
        filled = fill(material, [SECTIONS.get("populations")])
        return filled[0].written(material.mark) if filled else None


def tables(section: DocumentSection | None) -> dict[str, TableOfText]:
    assert section is not None
    return {one.name: one for one in section.blocks if isinstance(one, TableOfText)}


def row(table: TableOfText, heading: str) -> list[str]:
    (one,) = (row for row in table.rows if row.heading == heading)
    return [cell.main for cell in one.cells]


def test_costs_are_those_of_the_study_file_or_of_the_terms_of_recruiting(tmp_path: Path) -> None:
    crowds = [replace(CROWD, people=4, calls=8.0), replace(LABORATORY, people=3, calls=8.0)]
    dataset = drawn(tmp_path / "d", crowds, 5, file=STUDY + COSTS)
    dialogues = dataset.read("dialogues").to_pylist()
    lab = [one for one in dialogues if one["participant_id"].startswith("links")]
    each = 4 * (2.00 + 3 * 0.10) * 1.25
    minutes = sum(one["duration_s"] for one in lab) / 60
    expected = 60 + 3 * 6 + len(lab) * 0.80 + minutes * 0.10
    known = tables(section_of(dataset))["populations"]
    assert [cell.main for cell in known.columns] == ["Measure", "crowd", "laboratory"]
    assert row(known, "Total cost") == [f"{each:.2f} GBP", f"{expected:.2f} GBP"]
    assert row(known, "Cost per participant") == [f"{each / 4:.2f} GBP", f"{expected / 3:.2f} GBP"]
    assert row(known, "People") == ["4", "3"]


def test_what_nobody_said_is_unknown_and_what_was_told_counts(tmp_path: Path) -> None:
    dataset = drawn(tmp_path / "d", [replace(CROWD, people=5), replace(LABORATORY, people=5)], 6)
    assert row(tables(section_of(dataset))["populations"], "Total cost") == ["\u2013", "\u2013"]
    assert row(tables(section_of(dataset))["populations"], "Cost per dialogue") == ["\u2013", "\u2013"]
    told = tables(section_of(dataset, population_costs={"links": 50.0}))["populations"]
    assert row(told, "Total cost") == ["50.00", "\u2013"]


def test_half_the_width_takes_four_times_as_many_people(tmp_path: Path) -> None:
    dataset = drawn(tmp_path / "d", [CROWD, LABORATORY], 7, file=STUDY + COSTS)
    wide, narrow = (tables(section_of(dataset, half_width=width))["precision"] for width in (0.04, 0.02))
    assert "\u00b14.0" in wide.columns[2].main
    for first, second in zip(wide.rows, narrow.rows, strict=True):
        people = [int(one.cells[1].main.replace("\u202f", "")) for one in (first, second)]
        assert people[1] == pytest.approx(4 * people[0], abs=4)


def clustered(each: int, people: int = 400, rate: float = 0.5) -> Any:
    """Half of the people succeed in all of their dialogues, the others in none."""
    cases = np.full(people, float(each))
    return clustered_rate(ClusterSums(np.where(np.arange(people) < rate * people, cases, 0.0), cases))


def test_people_who_always_do_the_same_are_one_case_each_however_often_they_call() -> None:
    """385 independent cases take a rate of one half to 5 points: 1.96^2 times .25, over .05^2."""
    for each in (1, 5, 20):
        needed = required_people(clustered(each), 400, 0.05)
        assert needed is not None and needed.people == pytest.approx(385, abs=2)
        assert needed.low < needed.people < needed.high


def test_where_there_is_no_interval_nobody_says_what_it_takes() -> None:
    assert required_people(clustered(3, people=1, rate=1.0), 1, 0.05) is None
    assert required_people(clustered(3, people=8, rate=1.0), 8, 0.05) is None


def test_people_and_programs_are_never_one_population(tmp_path: Path) -> None:
    crowds = [replace(CROWD, pool="crowd", people=3), Crowd("crowd-programs", people=3, simulated=True)]
    dataset = drawn(tmp_path / "d", crowds, 8, file="study: town\npopulations: {crowd-programs: {}}\n")
    assert set(populations(dataset).values()) == {"crowd", "crowd-programs (simulated)"}
    with pytest.raises(InputError, match="people and"):
        open_dataset(dataset)


def test_programs_are_marked_and_how_long_they_take_is_not_compared(tmp_path: Path) -> None:
    slow = Crowd("laboratory", people=20, seconds=400, simulated=True)
    dataset = drawn(tmp_path / "d", [Crowd("crowd", people=20, simulated=True), slow], 9)
    section = section_of(dataset)
    known = tables(section)
    assert [cell.main for cell in known["populations"].columns[1:]] == [
        "crowd (simulated)",
        "laboratory (simulated)",
    ]
    assert "Dialogue duration" not in {one.group for one in known["population-tests"].rows}
    assert "depend on the computer" in str(section)


def test_it_is_left_out_where_all_are_of_one_population(tmp_path: Path) -> None:
    assert section_of(drawn(tmp_path / "d", [replace(CROWD, people=4)], 10)) is None


def test_the_order_of_systems_is_told_where_chance_alone_would_seldom_give_it(tmp_path: Path) -> None:
    two, three = (drawn(tmp_path / f"{n}", [CROWD, LABORATORY], 13, systems=n) for n in (2, 3))
    assert "Kendall" not in str(section_of(two)) and "Kendall" in str(section_of(three))


def test_people_with_one_dialogue_each_are_no_rate_with_an_interval(tmp_path: Path) -> None:
    once = [replace(crowd, people=12, calls=0.0) for crowd in (CROWD, LABORATORY)]
    known = tables(section_of(drawn(tmp_path / "d", once, 14)))["populations"]
    (calls,) = (one for one in known.rows if one.heading == "Dialogues per participant")
    assert [cell.main for cell in calls.cells] == ["1.00", "1.00"]
    assert all(" to " not in line for cell in calls.cells for line in cell.under)


def test_names_of_populations_are_data(tmp_path: Path) -> None:
    from vivavoce.reports.html import page
    from vivavoce.reports.section import compose

    crowds = [replace(CROWD, pool="<b>x</b>", people=4), replace(LABORATORY, people=4)]
    shown = page(compose(drawn(tmp_path / "d", crowds, 11), ReportOptions(by="population")))
    assert "<b>x</b>" not in shown and "&lt;b&gt;x" in shown


def test_it_speaks_italian(tmp_path: Path) -> None:
    dataset = drawn(tmp_path / "d", differing("word_error_rate"), 12, file=STUDY + COSTS)
    section = section_of(dataset, "it")
    assert section is not None and section.title == "Confronto fra popolazioni"
    known = tables(section)
    assert "Costo totale" in {one.heading for one in known["populations"].rows}
    assert "Cost" not in str([one.heading for one in known["populations"].rows]).replace("Costo", "")


def problems(folder: Path, written: str) -> Iterator[str]:
    begin = "study: town\nsystems: {a: {connect: scripted, script: [hello]}}\nvisit:\n  - debrief: bye.md\n"
    (folder / "study.yaml").write_text(begin + written, encoding="utf-8")
    (folder / "bye.md").write_text("Thank you.", encoding="utf-8")
    return (str(one) for one in check_study(folder))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("populations: {crowd: {nonsense: 1}}", "unknown key 'nonsense'"),
        ("populations: {crowd: {recruiters: [prolifc]}}", "unknown recruiter 'prolifc'"),
        ("populations: {a: {recruiters: [link]}, b: {recruiters: [link]}}", "belongs to population 'a'"),
        ("populations: {'a (simulated)': {}}", "population name"),
        ("populations: {a: {cost: {dialogue: 1}}}", "'currency' is missing"),
        ("populations: {a: {cost: {currency: pounds}}}", "is not a currency"),
        ("populations: {a: {cost: {currency: GBP, dialogue: -1}}}", "dialogue"),
    ],
)
def test_a_study_file_says_what_is_wrong_with_its_populations(
    written: str, said: str, tmp_path: Path
) -> None:
    assert any(said in one and "populations" in one for one in problems(tmp_path, written))


def test_sound_populations_are_taken(tmp_path: Path) -> None:
    assert not list(problems(tmp_path, "populations: {crowd: {recruiters: [link]}, lab: {}}"))
