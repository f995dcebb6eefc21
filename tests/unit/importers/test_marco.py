"""MarCo's judged pairs as a dataset: three raters an item, the shares that were published, what is broken."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from vivavoce.analysis.preference_results import agreement_of_choices, preference_results
from vivavoce.core.errors import InputError
from vivavoce.importers.base import IMPORTERS
from vivavoce.reports.html import render
from vivavoce_corpora.marco import import_marco


def judged(turn: int, *outcomes: str) -> dict[str, Any]:
    """One turn; what its raters said of MarCo against HDSA."""
    return {
        "turn_num": turn,
        "user": "=cmd()",
        "MarCo": "two words",
        "HDSA": "one more word",
        "MarCo vs. HDSA": {"Completion": list(outcomes)},
    }


def written(folder: Path, *items: Any) -> Path:
    file = folder / "human_annotation.json"
    file.write_text(json.dumps([{"file": "PMUL1", "info": list(items)}]), encoding="utf-8")
    return file


def test_every_judgement_is_a_row_that_names_its_item(tmp_path: Path) -> None:
    file = written(tmp_path, judged(0, "MarCo", "Tie", "HDSA"), judged(1, "Tie", "Tie", "Tie"))
    result = import_marco([file], tmp_path / "D")
    rows = result.dataset.read("preferences").to_pylist()
    assert (result.calls, result.skipped) == (2, [])
    assert [row["choice"] for row in rows] == ["experimental", "tie", "control", "tie", "tie", "tie"]
    assert {row["pair_id"] for row in rows} == {"PMUL1-0", "PMUL1-1"}
    assert rows[0]["participant_id"] is None and rows[0]["experimental_side"] is None
    assert (rows[0]["experimental_tokens"], rows[0]["control_tokens"]) == (2, 3)


def test_a_broken_item_is_named_and_left_out_or_stops_the_import(tmp_path: Path) -> None:
    good = judged(0, "MarCo", "Tie", "HDSA")
    written(tmp_path, good, judged(1, "Both"), {"user": "x"}, judged(0, "Tie"), {"turn_num": 9})
    result = import_marco([tmp_path], tmp_path / "D")
    assert result.calls == 1
    said = "\n".join(result.skipped)
    for problem in ("unknown judgement 'Both'", "not a judged turn", "appears twice", "no judgement"):
        assert problem in said
    assert "[0].info[1]" in result.skipped[0] and "Known: MarCo, Tie, HDSA" in result.skipped[0]
    with pytest.raises(InputError, match="unknown judgement"):
        import_marco([tmp_path], tmp_path / "E", strict=True)


@pytest.mark.parametrize("content", ["[", "{}", "[]", '[{"file": "x", "info": [1]}]', '["x"]'])
def test_what_is_no_such_file_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "human_annotation.json"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError):
        import_marco([file], tmp_path / "D")
    with pytest.raises(InputError, match="no such file"):
        import_marco([tmp_path / "elsewhere"], tmp_path / "D")
    with pytest.raises(InputError, match="venue"):
        import_marco([file], tmp_path / "D", venues=file)


def test_the_published_shares_and_agreement_come_out(shared: Path, tmp_path: Path) -> None:
    """742 turns, three raters each; shares and kappa of completion as published with the data."""
    result = IMPORTERS.get("marco").read([shared / "data" / "marco"], tmp_path / "D")
    rows = result.dataset.read("preferences").to_pylist()
    assert result.calls == 742 and not result.skipped
    own = [row for row in rows if (row["variable"], row["question"]) == ("MarCo against HDSA", "completion")]
    assert len(own) == 3 * 742 and set(Counter(row["pair_id"] for row in own).values()) == {3}
    shares = {name: round(100 * n / len(own), 2) for name, n in Counter(row["choice"] for row in own).items()}
    assert shares == {"experimental": 20.98, "tie": 68.28, "control": 10.74}
    agreed = {(one.variable, one.question): one for one in agreement_of_choices(rows)}
    found = agreed["MarCo against HDSA", "completion"]
    assert (found.method, found.judges, found.pairs) == ("fleiss", 3, 742)
    assert round(found.value, 3) == 0.450
    assert len(agreed) == 4
    assert round(100 * found.experimental, 2) == 20.98
    results = preference_results(result.dataset)
    assert results.agreement == list(agreed.values())
    assert results.responses.people_known is False
    assert results.position.left is None, "nobody recorded the sides"
    assert not results.same_preference, "nobody can be followed over comparisons"
    page = render(result.dataset)
    assert "742 judged pairs" in page and "Fleiss&#39; kappa" in page and "742 participants" not in page


def test_pairs_with_unequal_numbers_of_judges_get_the_coefficient_that_allows_it() -> None:
    def row(pair: str, choice: str) -> dict[str, Any]:
        return {"variable": "v", "question": "q", "pair_id": pair, "choice": choice}

    rows = [row("1", "tie"), row("1", "tie"), row("2", "control"), row("2", "control"), row("2", "control")]
    (found,) = agreement_of_choices([*rows, row("3", "tie")])
    assert (found.method, found.judges, found.pairs, found.value) == (
        "krippendorff",
        None,
        2,
        1.0,
    )
    assert agreement_of_choices([row("1", "tie"), row("2", "control")]) == []
