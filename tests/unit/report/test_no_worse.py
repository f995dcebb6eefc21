"""Whether one system is no worse than another by the margin that was declared: tested, and said first."""

import re
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from scipy.stats import ttest_1samp

import vivavoce as vv
from vivavoce.analysis.comparison import compare_systems
from vivavoce.analysis.declared import declared_family, with_no_worse
from vivavoce.api.analysis_tables import comparison
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.section import ReportOptions, compose
from vivavoce.stats.declared_results import AdjustedEquivalence, DeclaredComparison
from vivavoce.stats.interval import Interval

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
STUDY = """study: declared
systems: {old: {connect: http}, new: {connect: http}}
visit: [dialogue]
analysis:
  primary: {measure: subjective_success, compare: [old, new], alpha: 0.05}
"""


def trial(folder: Path, old: list[int], new: list[int], margin: str = "") -> Dataset:
    """People who talk to both systems once, and whether they succeeded."""
    file = STUDY.replace("success", "success" + (f", margin: {margin}" if margin else ""))
    study = {"name": "declared", "revision": "r", "file": file}
    study["revisions"] = [{"revision": "r", "file": file, "seen_at": "2026-02-01T12:00:00+00:00"}]
    with DatasetWriter(folder, study=study, source={"kind": "log"}) as writer:
        for person, values in enumerate(zip(old, new, strict=True)):
            key = f"p{person}"
            came = START + timedelta(hours=person)
            writer.add("participants", [{"participant_id": key, "simulated": False, "first_seen_at": came}])
            for number, (system, value) in enumerate(zip(("old", "new"), values, strict=True), start=1):
                dialogue = f"d{person}-{system}"
                writer.add(
                    "dialogues",
                    [
                        {
                            "dialogue_id": dialogue,
                            "study": "declared",
                            "system": system,
                            "condition": system,
                            "participant_id": key,
                            "simulated": False,
                            "dialogue_number": number,
                            "language": "en",
                            "channel": "text",
                        },
                    ],
                )
                writer.add(
                    "turns",
                    [
                        {
                            "dialogue_id": dialogue,
                            "turn_index": turn,
                            "party": party,
                            "text": "a table, please",
                        }
                        for turn, party in enumerate(("user", "system"))
                    ],
                )
                writer.add(
                    "ratings",
                    [
                        {
                            "dialogue_id": dialogue,
                            "instrument": "cambridge",
                            "item_id": "found_all",
                            "role": "subjective_success",
                            "value": float(value),
                            "participant_id": key,
                        },
                    ],
                )
    return Dataset(folder)


OLD = [0] * 8 + [1] * 32
BETTER = [0] * 4 + [1] * 36  # ten points above, nobody lost
LONE = [1] * 6 + [0] * 6 + [1] * 28  # two people less fail, but others


def test_b_is_not_worse_than_a_is_the_answer_where_it_is_shown(tmp_path: Path) -> None:
    dataset = trial(tmp_path / "d", OLD, LONE, "0.1")
    document = compose(dataset)
    assert document.question == (
        "Declared in advance: do old and new differ in subjective success, and is one non-inferior "
        "within 10.0 points?"
    )
    (found,) = declared_family(dataset).results
    assert (found.significant, found.equivalence.equivalent) == (False, False)
    turned = {one.system: one for one in found.no_worse}
    assert (turned["new"].shown, turned["old"].shown) == (True, False)
    apart = [new - old for old, new in zip(OLD, LONE, strict=True)]
    for name, sign in (("new", 1), ("old", -1)):
        by_scipy = ttest_1samp([sign * one for one in apart], -0.1, alternative="greater")
        assert turned[name].p == pytest.approx(by_scipy.pvalue, rel=0.1)  # ours draws signs
        assert turned[name].interval.low < turned[name].difference < turned[name].interval.high
    said = document.answer[1]
    assert said.startswith(
        "new is non-inferior to old in subjective success within the declared margin of 10.0 points: "
        "new minus old +5.0 points (90% CI "
    )
    assert ": new minus old +5.0 points (95% CI " in document.answer[0], "both say it one way"
    drawn = document.figure
    assert drawn is not None
    assert [row[1] for row in drawn.rows] == ["new", "old", "new \u2212 old"]
    assert drawn.rows[-1][2] == "+5.0" and drawn.rows[-1][3].endswith("(90%)")
    edges = re.findall(r"'edge': (-?[\d.]+)", str(drawn.spec))
    assert sorted(map(float, edges)) == pytest.approx([-10, 10])
    told = compose(dataset, ReportOptions(language="it")).answer[1]
    assert told.startswith("new è non inferiore a old in successo soggettivo")


def test_the_declared_table_analyse_and_python_say_so_too(tmp_path: Path) -> None:
    dataset = trial(tmp_path / "d", OLD, LONE, "0.1")
    (declared,) = declared_family(dataset).results
    table = next(
        block
        for one in compose(dataset).sections
        if one.name == "declared"
        for block in one.blocks
        if getattr(block, "name", "") == "declared"
    )
    cell = table.rows[0].cells[-1]
    assert (table.columns[-1].main, cell.main) == ("Non-inferior?", "new")
    assert cell.under[1].startswith("new than old: adjusted p .0")
    printed = printed_by_analyse(dataset.folder)
    assert re.search(r"new than old +0.1 +0.050 .* yes *\n", printed), printed
    assert re.search(r"old than new +0.1 +-0.050 .* no *\n", printed), printed
    by_condition = compare_systems(dataset, by="condition", pairs=[("new", "old")])
    assert [
        one for test in by_condition.tests if test.measure == "subjective_success" for one in test.no_worse
    ] == list(declared.no_worse[::-1])
    rows = {one.measure: one for one in vv.compare(dataset.folder).rows}
    assert (rows["subjective_success"].no_worse, rows["subjective_success"].margin) == ("a", 0.1)
    asked = vv.compare(dataset.folder, "subjective_success", pair=("new", "old"), margin=0.01)
    assert [one.no_worse for one in asked.rows] == ["neither"]


def printed_by_analyse(folder: Path) -> str:
    console = Console(width=160, file=StringIO())
    for part in comparison(compare_systems(Dataset(folder))):
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_neither_is_worse_where_both_are_shown(tmp_path: Path) -> None:
    document = compose(trial(tmp_path / "d", OLD, LONE, "0.3"))
    assert (
        "Each is non-inferior to the other within the declared margin of 30.0 points" in (document.answer[1])
    )


def test_a_margin_that_could_not_be_shown_is_said_to_be_so(tmp_path: Path) -> None:
    said = compose(trial(tmp_path / "d", OLD, LONE, "0.01")).answer[1]
    assert said.startswith("Non-inferiority within the declared margin of 1.0 points was not shown")


def test_of_what_is_better_the_reverse_is_told_and_without_a_margin_nothing_is_said(
    tmp_path: Path,
) -> None:
    better = compose(trial(tmp_path / "better", [0] * 20 + [1] * 20, [0] * 4 + [1] * 36, "0.1"))
    assert better.answer[0].startswith("new performs better than old")
    assert better.answer[1].startswith("new is non-inferior to old in subjective success")
    assert better.answer[1].endswith("Non-inferiority of old to new was not shown.")
    unasked = compose(trial(tmp_path / "none", OLD, LONE))
    assert not [one for one in unasked.answer if "worse" in one]


def test_what_is_better_low_is_no_worse_from_the_other_side() -> None:
    """The first has fewer fallback prompts, 90 % interval -3 to 1: it is no worse by 2, the second may be."""
    equal = AdjustedEquivalence(
        difference=-1.0,
        se=1.0,
        margin=2.0,
        p_lower=0.2,
        p_upper=0.01,
        p=0.2,
        interval=Interval(-3, 1),
        equivalent=False,
    )
    one = DeclaredComparison(
        question="primary", measure="fallback_prompts", a="few", b="many", alpha=0.05, equivalence=equal
    )
    (found,) = with_no_worse([one], "holm")
    assert [(test.system, test.shown, test.p) for test in found.no_worse] == [
        ("few", True, 0.01),
        ("many", False, 0.2),
    ]
    assert [tuple(test.interval) for test in found.no_worse] == [(-3, 1), (-1, 3)]


def test_what_can_be_true_at_once_is_adjusted_for() -> None:
    equal = AdjustedEquivalence(
        difference=0.05,
        se=0.05,
        margin=0.1,
        p_lower=0.03,
        p_upper=0.3,
        p=0.3,
        interval=Interval(-0.03, 0.13),
        equivalent=False,
    )
    two = [
        DeclaredComparison(
            question="primary", measure="subjective_success", a="a", b=other, alpha=0.05, equivalence=equal
        )
        for other in "bc"
    ]
    (alone,), both = with_no_worse(two[:1], "holm"), with_no_worse(two, "holm")
    assert (alone.no_worse[0].shown, alone.no_worse[0].p_adjusted) == (True, 0.03)
    assert [one.no_worse[0].p_adjusted for one in both] == [0.06, 0.06]
    assert not any(test.shown for one in both for test in one.no_worse)


def test_a_system_that_is_far_ahead_and_one_far_behind_are_not_adjusted_apart() -> None:
    """b may be worse than a, c better than it: two hypotheses can be true, so each counts twice."""

    def equal(low: float, high: float) -> AdjustedEquivalence:
        return AdjustedEquivalence(
            difference=0.0,
            se=0.05,
            margin=0.1,
            p_lower=low,
            p_upper=high,
            p=max(low, high),
            interval=Interval(-0.1, 0.1),
            equivalent=False,
        )

    both = with_no_worse(
        [
            DeclaredComparison(
                question="primary", measure="subjective_success", a="a", b=other, alpha=0.05, equivalence=one
            )
            for other, one in (("b", equal(0.03, 1e-9)), ("c", equal(1e-9, 0.04)))
        ],
        "holm",
    )
    assert [test.p_adjusted for one in both for test in one.no_worse] == [0.06, 2e-9, 2e-9, 0.06]
    assert [test.shown for one in both for test in one.no_worse] == [False, True, True, False]
