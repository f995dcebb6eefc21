"""What the report says of questionnaires: published means as printed, and the reliability of scores."""

import html
import json
import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import vl_convert

from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.questionnaires import INSTRUMENTS
from vivavoce.questionnaires.instrument import load_wording
from vivavoce.reports.drawing import NARROW, Figure
from vivavoce.reports.html import render
from vivavoce.reports.language import say, speaking
from vivavoce.reports.section import ReportOptions, compose

GOLDEN = Path(__file__).parents[2] / "golden"


LEGEND = re.compile(
    r'translate\((\d+),(\d+)\)"><path class="background"[^>]*/><g><g class="mark-symbol role-legend-symbol"'
    r".*?role-legend-label.*?>([^<]+)</text>"
)


def shown(
    folder: Path, instrument: str, forms: list[dict[str, float]], *, drawn: bool = False, language: str = "en"
) -> str:
    """The report's text on a dataset of these forms, one a dialogue."""
    writer = DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"})
    for number, form in enumerate(forms):
        about = {"dialogue_id": f"d{number}", "participant_id": f"p{number}"}
        writer.add(
            "dialogues",
            [
                about
                | {
                    "study": "s",
                    "system": "x",
                    "condition": "x",
                    "channel": "text",
                    "language": "en",
                    "simulated": False,
                }
            ],
        )
        writer.add(
            "ratings",
            [
                about
                | {
                    "instrument": instrument,
                    "wording": "project",
                    "language": "en",
                    "item_id": item,
                    "value": value,
                }
                for item, value in form.items()
            ],
        )
    page = render(writer.close(), options=ReportOptions(language=language))
    if not drawn:
        page = re.sub(r"<svg.*?</svg>", "", page, flags=re.S)
    page = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.S)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", page)))


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("Disagree strongly", "Neither agree nor disagree")),
        ("it", ("Molto in disaccordo", "Né d'accordo né in disaccordo")),
    ],
)
def test_a_figure_tells_the_answers_in_the_report_s_language(
    language: str, said: Sequence[str], tmp_path: Path
):
    forms = [{f"q{number}": 3.0 for number in range(1, 11)} for _ in range(3)]
    text = shown(tmp_path, "sus", forms, drawn=True, language=language)
    assert all(f" {one} " in text for one in said)


def test_items_that_are_answered_otherwise_have_figures_of_their_own(tmp_path: Path) -> None:
    forms = [{"usage": 1.0, "age": 6.0, "experience": 0.0}, {"usage": 4.0, "age": 1.0, "experience": 4.0}]
    text = shown(tmp_path, "p851_background", forms, drawn=True)
    assert re.findall(r"Codes as given: ([^.]*)\.", text) == [
        "1 = Under 20, 6 = 60 or older",
        "0 = Not at all, 4 = Very well",
        "0 = Never, 4 = Every day",
    ]


def test_answers_that_are_names_are_counted_and_have_no_mean_and_no_figure(tmp_path: Path) -> None:
    forms = [{"gender": 1.0, "age": 6.0}, {"gender": 2.0, "age": 7.0}, {"gender": 4.0, "age": 7.0}]
    text = shown(tmp_path, "demographics", forms, drawn=True)
    assert "from the middle of the scale" not in text
    assert (
        "gender Which of these describes you? – n = 3 –" in text and "6.67" not in text and "2.33" not in text
    )


@pytest.mark.parametrize("language", ["en", "it"])
def test_no_answer_in_a_legend_is_cut_or_runs_into_the_next(language: str, tmp_path: Path) -> None:
    """Drawn as wide as a telephone; a letter is taken to be 6.6 pixels wide, as browsers draw it."""
    shown(tmp_path, "sus", [{f"q{number}": 3.0 for number in range(1, 11)}] * 3)
    found = compose(Dataset(tmp_path), ReportOptions(language=language, sections=("questionnaires",)))
    (figure,) = (one for part in found.sections for one in part.blocks if isinstance(one, Figure))
    spec, signs = figure.make(NARROW)
    drawn = vl_convert.vegalite_to_svg(spec, format_locale=signs)
    places = [(int(x), int(y), 16 + 6.6 * len(words)) for x, y, words in LEGEND.findall(drawn)]
    assert len(places) == 5
    for (x, y, wide), (after, below, _) in pairwise([*places, (0, 999, 0)]):
        assert x + wide <= (after if below == y else NARROW)


def test_the_mean_of_81_over_40_answers_prints_2_03(tmp_path: Path) -> None:
    idial = INSTRUMENTS.get("idial")
    rest = {item.item_id: 2.0 for item in idial.items}
    forms = [rest | {"q5": 2.0, "q6": 2.0, "q8": 2.0, "q9": 2.0}] * 9 + [rest | {"q5": 3.0}]
    text = shown(tmp_path / "D", "idial", forms)
    assert all(one in text for one in load_wording(idial, "en").items.values()), "what was asked is printed"
    satisfaction = text[text.index(idial.scores["satisfaction"].meaning) :][:80]
    assert "2.03" in satisfaction
    assert "2.02" not in satisfaction


def test_alpha_of_the_reference_answers_stands_beside_the_score_and_omega_says_it_lacks_forms(
    tmp_path: Path,
) -> None:
    """The first two columns of the reference matrix, as answers to UMUX-LITE; alpha by its formula."""
    answers = np.array(
        json.loads((GOLDEN / "reliability.json").read_text(encoding="utf-8"))["cronbach_alpha"][0]["input"],
        dtype=float,
    )
    umux = INSTRUMENTS.get("umux_lite")
    names = [item.item_id for item in umux.items]
    forms = [dict(zip(names, row[: len(names)], strict=True)) for row in answers.tolist()]
    pair = answers[:, : len(names)]
    between = pair.var(axis=0, ddof=1).sum() / pair.sum(axis=1).var(ddof=1)
    text = shown(tmp_path / "D", "umux_lite", forms)
    row = text[text.index("McDonald") :][:250]
    assert f"{len(names) / (len(names) - 1) * (1 - between):.2f}" in row
    assert "n = 6" in row
    assert "30 forms" in text


def test_every_score_has_a_meaning_in_italian() -> None:
    for name in INSTRUMENTS.names():
        with speaking("it"):
            for score in INSTRUMENTS.get(name).scores.values():
                if score.meaning:
                    assert say(score.meaning) != score.meaning
