"""The report on one system of a campaign: figures from raw answers and verdicts, parts as IDIAL had them."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from scenes.campaigns import campaign_dataset
from vivavoce.core.errors import InputError
from vivavoce.log.dataset import DatasetWriter
from vivavoce.report.blocks import Document, Heading, TableOfText
from vivavoce.report.drawing import Figure
from vivavoce.report.html import page
from vivavoce.report.pdf import pdf
from vivavoce_campaign.document.campaign import compose_campaign
from vivavoce_campaign.document.evaluation import Evaluation, evaluate, figures

ITEMS = [f"q{number}" for number in range(1, 11)]

# Ten users. Items 3, 7 and 10 as answered, item 4 mirrored (4 - code), give 81 over 40: 2.025, printed 2.03.
EFFECTIVE = [
    (3, 2, 2, 1),
    (2, 2, 2, 2),
    (3, 1, 2, 2),
    (2, 2, 2, 2),
    (2, 2, 3, 2),
    (2, 2, 2, 2),
    (1, 2, 2, 3),
    (2, 2, 2, 2),
    (2, 3, 1, 2),
    (2, 2, 2, 2),
]
ANSWERS = [
    {**dict.fromkeys(ITEMS, 3), "q1": 4, "q2": 2, "q3": three, "q4": 4 - four, "q7": seven, "q10": ten}
    for three, four, seven, ten in EFFECTIVE
]
# Groups: 7 of 11, 4 of 7 and 5 of 9 passed; their mean is .5878, and 16 of 27 are .5926.
VERDICTS = {
    1: "ppf",
    2: "ppf",
    3: "ppf",
    4: "pf",
    5: "ppf",
    6: "pf",
    7: "pf",
    8: "ppf",
    9: "pf",
    10: "pc",
    11: "pf",
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return evaluate(campaign_dataset(tmp_path_factory.mktemp("d"), ANSWERS, VERDICTS))


def text(document: Document) -> str:
    """Every word of the document; figures are not drawn for it."""
    return "\n".join(_words((document.lead, document.answer, document.before, document.sections)))


def _words(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, Figure):
        yield from (part.alternative, part.caption)
    elif is_dataclass(part):
        yield from _words([getattr(part, one.name) for one in fields(part)])
    elif isinstance(part, tuple | list):
        for one in part:
            yield from _words(one)


def table(document: Document, name: str) -> TableOfText:
    return next(one for one in document.blocks(TableOfText) if one.name == name)


def test_effectiveness_comes_from_raw_answers_and_is_rounded_half_up_as_in_the_paper(
    found: Evaluation,
) -> None:
    assert sum(sum(user) for user in EFFECTIVE) == 81
    assert [one.mean for one in found.aspects] == [3.0, pytest.approx(81 / 40), 3.0]
    assert "2.03 of 4 on average" in text(compose_campaign(found))
    assert "in media 2,03 su 4" in text(compose_campaign(found, words="it"))


def test_stress_tests_are_given_both_ways_and_stand_under_effectiveness_alone(found: Evaluation) -> None:
    stress = figures(found).stress
    assert (stress.passed, stress.applied) == (16, 27)
    assert stress.mean_of_groups == pytest.approx((7 / 11 + 4 / 7 + 5 / 9) / 3)
    summary = compose_campaign(found).sections[0]
    headings = [block.text for block in summary.blocks if block.kind == "heading"]
    assert headings == ["Task completion", "Effectiveness of the dialogue", "User satisfaction"]
    lines = [block.items for block in summary.blocks if block.kind == "bullets"]
    assert [len(one) for one in lines] == [1, 3, 1]
    assert (
        "16 of 27 passed, 0.59 of 1" in lines[1][1] and lines[1][2] == "Mean of 3 groups of tests: 0.59 of 1."
    )


def test_the_other_reading_and_item_four_as_it_stands_change_the_figure(tmp_path: Path) -> None:
    defined = campaign_dataset(
        tmp_path / "a", ANSWERS, {}, settings={"questionnaire": {"mapping": "definition"}}
    )
    effect = sum(three + four + 6 for three, four, _, _ in EFFECTIVE) / 40
    assert evaluate(defined).aspects[1].mean == pytest.approx(effect)
    plain = campaign_dataset(
        tmp_path / "b", ANSWERS, {}, settings={"questionnaire": {"reverse_item_4": False}}
    )
    naive = sum(three + (4 - four) + seven + ten for three, four, seven, ten in EFFECTIVE) / 40
    assert evaluate(plain).aspects[1].mean == pytest.approx(naive)
    assert "Item 4 is taken as it stands" in text(compose_campaign(evaluate(plain)))


def test_the_figures_of_the_paper_have_their_counterparts(found: Evaluation) -> None:
    drawn = [one.name for one in compose_campaign(found).blocks(Figure)]
    assert drawn == ["campaign-aspects", "likert-1", "likert-2", "likert-3", "campaign-stress"]


def test_each_failure_is_told_in_words_with_both_transcripts(found: Evaluation) -> None:
    document = compose_campaign(found)
    tables = [one for one in document.blocks(TableOfText) if re.fullmatch(r"stress_\d+", one.name)]
    assert len(tables) == 27 - 16
    assert [cell.main for cell in tables[0].rows[0].cells] == ["due mele", "due meel"]
    told = text(document)
    headings = [one.text for one in document.blocks(Heading)]
    assert any(re.fullmatch("1. ST-[0-9]+: “due mele” became “due meel”.", one) for one in headings)
    assert "The system did not serve the user as before." in told
    assert "only after another turn" in told


def test_expected_and_actual_time_and_intents_that_nobody_tried(found: Evaluation) -> None:
    document = compose_campaign(found)
    meal, day = table(document, "campaign_time").rows
    assert [cell.main for cell in meal.cells] == ["30", "2:00", "2:00", "3:00", "66.7%"]
    assert [cell.main for cell in day.cells] == ["0", "5:00", "–", "–", "–"]
    told = text(document)
    assert "1 of 2 declared intents were tried." in told and "Never tried: day." in told


def test_users_and_how_long_each_part_took(found: Evaluation) -> None:
    rows = table(compose_campaign(found), "campaign_durations").rows
    assert [(row.heading, row.cells[0].main) for row in rows] == [
        ("Briefing", "5:00"),
        ("Tasks", "5:00"),
        ("Feedback and questionnaire", "5:00"),
        ("Whole visit", "15:00"),
    ]


def test_a_report_of_programs_says_so_and_one_of_too_few_users_too(tmp_path: Path) -> None:
    document = compose_campaign(evaluate(campaign_dataset(tmp_path, ANSWERS[:4], VERDICTS, simulated=True)))
    assert document.mark == "SIMULATED"
    assert any("Programs played the users" in one for one in document.before)
    assert "4 of 10 planned users finished." in document.before


def test_words_of_teams_are_never_markup_and_the_address_of_the_system_stays_out(found: Evaluation) -> None:
    document = compose_campaign(found)
    written = page(document)
    assert "Team &amp; &lt;Co&gt;" in written and "<Co>" not in written
    assert "bot.example" not in written


def test_systems_of_the_same_domain_stand_side_by_side_unranked(tmp_path: Path, found: Evaluation) -> None:
    better = campaign_dataset(
        tmp_path / "b", [dict.fromkeys(ITEMS, 4)] * 10, VERDICTS, submission="zeta", title="Zeta"
    )
    document = compose_campaign(evaluate(better), beside=[found])
    beside = table(document, "campaign_beside")
    assert [cell.main for cell in beside.columns] == ["Aspect", "Counter", "Zeta"]
    alone = compose_campaign(found)
    assert "beside" not in [one.name for one in alone.sections]


def test_without_answers_and_tests_the_report_says_what_is_missing(tmp_path: Path) -> None:
    told = text(compose_campaign(evaluate(campaign_dataset(tmp_path, [], {}))))
    assert (
        "Nobody answered the questionnaire." in told and "No stress test was decided for this system." in told
    )
    assert "No user answered all items of this aspect." in told


def test_it_is_printed_in_both_languages(found: Evaluation) -> None:
    for words in ("en", "it"):
        assert pdf(compose_campaign(found, words=words)).startswith(b"%PDF")


def test_a_dataset_of_no_campaign_is_refused(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        other = writer.close()
    with pytest.raises(InputError, match="no dataset of a campaign"):
        evaluate(other)


def test_while_verdicts_wait_the_first_page_says_so_and_no_share_stands_there(tmp_path: Path) -> None:
    found = evaluate(campaign_dataset(tmp_path, ANSWERS, {2: "ppuf", 5: "pu"}))
    stress = figures(found).stress
    assert stress is not None and stress.ratio is None
    assert (stress.worst, stress.best) == (3 / 6, 5 / 6)
    document = compose_campaign(found)
    assert any("2 stress tests wait for a person's verdict" in line for line in document.before)
    assert "3 passed, 1 did not, 2 have no verdict yet: between 0.50 and 0.83 of 1." in document.answer[1]
    assert (
        "Mean of 2 groups of tests: 0.50 to 0.88 of 1." in document.answer[2]
    )  # (.5 + .5) / 2; (.75 + 1) / 2
    italian = compose_campaign(found, words="it")
    assert "2 ancora senza verdetto: fra 0,50 e 0,83 su 1." in italian.answer[1]
    assert any("2 stress test aspettano il verdetto" in line for line in italian.before)
