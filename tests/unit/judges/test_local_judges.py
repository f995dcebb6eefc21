"""Judges that are here, and what a judge's file may say."""

from pathlib import Path

import pytest

from unit.judges.conftest import AT, write_trial
from vivavoce.analysis.judge_estimates import calibrate, estimate
from vivavoce.analysis.prediction.model import fit_model
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.dataset.copying import copy_dataset
from vivavoce.dataset.reader import Dataset
from vivavoce.judges.base import JUDGES
from vivavoce.judges.running import judge_dataset, read_judge


def judged(dataset: Dataset, file: Path, target: str = "found_all") -> Dataset:
    into = file.with_suffix(".judged")
    judge_dataset(dataset, file, target, into, journal=file.with_suffix(".jsonl"), secrets={})
    return Dataset(into)


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_every_judge_on_the_shelf_says_what_it_is() -> None:
    assert {"openai", "model", "python", "person"} <= set(JUDGES.names())
    assert all(kind.summary and kind.settings.model_fields["judge"] for _, kind in JUDGES)


def test_a_function_judges_what_was_said(tmp_path: Path) -> None:
    dataset, truth = write_trial(tmp_path / "data", people=8)
    code = "def judge(dialogue, question):\n    said = dialogue['turns'][-1]['text']\n"
    written(
        tmp_path / "mine.py",
        code + "    return (1, 0.9) if 'booked' in said else None if 'so on' not in said else 0\n",
    )
    rows = judged(dataset, written(tmp_path / "f.yaml", "judge: python\nfile: mine.py\n")).read("judgements")
    assert {row["dialogue_id"]: row["value"] for row in rows.to_pylist()} == truth
    written(tmp_path / "mine.py", "def judge(dialogue, question):\n    return dialogue['nothing']\n")
    with pytest.raises(InputError, match="KeyError: 'nothing', for dialogue"):
        judged(dataset, written(tmp_path / "g.yaml", "judge: python\nfile: mine.py\n"))


def test_a_model_fitted_elsewhere_judges_by_parameters(tmp_path: Path) -> None:
    dataset, _ = write_trial(tmp_path / "data")
    other, _ = write_trial(tmp_path / "other", seed=2)
    (tmp_path / "model.json").write_text(fit_model(other, "found_all").as_file())
    opened = judged(dataset, written(tmp_path / "m.yaml", "judge: model\nfile: model.json\n"))
    facts = estimate(opened, "m", "found_all")
    assert all(group.joined.low < group.joined.estimate < group.joined.high for group in facts.groups)


def test_people_are_held_to_one_another_by_the_figures_of_the_judge(tmp_path: Path) -> None:
    dataset, truth = write_trial(tmp_path / "data")
    labels = [
        {"dialogue_id": one, "layer": "found", "label": "yes" if value else "no", "annotator_id": who}
        for who, wrong in (("ann", 11), ("bob", 7))
        for number, (one, truly) in enumerate(truth.items())
        for value in [truly != (number % wrong == 0)]
    ]
    opened = copy_dataset(dataset, tmp_path / "annotated", {"annotations": lambda rows: [*rows, *labels]})
    for who in ("ann", "bob"):
        text = f"judge: person\nannotator: {who}\nlayer: found\ncodes: {{'yes': 1, 'no': 0}}\n"
        opened = judged(opened, written(tmp_path / f"{who}.yaml", text))
    code = "def judge(dialogue, question):\n    return int('booked' in dialogue['turns'][-1]['text'])\n"
    written(tmp_path / "mine.py", code)
    opened = judged(opened, written(tmp_path / "program.yaml", "judge: python\nfile: mine.py\n"))
    found = calibrate(opened, "program", "found_all")
    assert (
        found.people_with_people.n == 240 and found.people_with_people.same.value < found.agreement.same.value
    )
    assert found.alternative.annotators == 2 and found.alternative.passes


def test_labels_that_are_no_random_sample_are_doubted(tmp_path: Path) -> None:
    dataset, truth = write_trial(tmp_path / "data", share=1.0)
    kept = {one for number, (one, value) in enumerate(truth.items()) if value or number % 9 == 0}
    chosen = copy_dataset(
        dataset,
        tmp_path / "chosen",
        {
            "ratings": lambda rows: [row for row in rows if row["dialogue_id"] in kept],
        },
    )
    written(tmp_path / "mine.py", "def judge(d, q):\n    return int('booked' in d['turns'][-1]['text'])\n")
    opened = judged(chosen, written(tmp_path / "f.yaml", "judge: python\nfile: mine.py\n"))
    facts = estimate(opened, "f", "found_all")
    assert "not a random sample" in str(facts.warnings[0])
    with pytest.raises(InputError, match="no selection probability"):
        estimate(opened, "f", "found_all", chances={})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("judge: opnai\n", "unknown judge 'opnai'. Did you mean 'openai'"),
        ("model: x\n", "'judge' is missing"),
        ("judge: python\n", "'file' is missing"),
        ("judge: openai\nurl: https://h/v1\nmodel: m\nsamples: 0\n", "samples"),
        ("judge: openai\nurl: https://h/v1\nmodel: m\nparameters: {n: 3}\n", "'n' is reserved"),
    ],
)
def test_a_wrong_file_is_answered_in_a_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InputError) as raised:
        read_judge(written(tmp_path / "judge.yaml", text))
    assert problem in str(raised.value)


def test_what_nobody_was_asked_and_who_never_judged_is_named(tmp_path: Path) -> None:
    dataset, _ = write_trial(tmp_path / "data", people=4)
    written(tmp_path / "mine.py", "def judge(d, q):\n    return 1\n")
    file = written(tmp_path / "f.yaml", "judge: python\nfile: mine.py\n")
    with pytest.raises(UnknownName, match="found_al"):
        judged(dataset, file, "found_al")
    with pytest.raises(InputError, match="not compare answers"):
        judged(dataset, file, "preference")
    with pytest.raises(UnknownName, match="Known: parameters"):
        estimate(dataset, "nobody", "found_all")


def test_what_is_no_number_is_a_reason_and_not_a_value(tmp_path: Path) -> None:
    dataset, _ = write_trial(tmp_path / "data", people=4)
    written(
        tmp_path / "mine.py", "def judge(d, q):\n    return float('nan' if 'booked' in str(d) else 'inf')\n"
    )
    rows = judged(dataset, written(tmp_path / "f.yaml", "judge: python\nfile: mine.py\n")).read("judgements")
    assert {(row["value"], row["trouble"], row["unreadable"]) for row in rows.to_pylist()} == {
        (None, "unreadable", 1)
    }


def test_a_function_judges_single_turns_in_the_words_of_the_scheme(tmp_path: Path) -> None:
    dataset, truth = write_trial(tmp_path / "data", people=4)
    context = [
        {
            "dialogue_id": one,
            "turn_index": 1,
            "layer": "context",
            "label": "AP" if value else "IA",
            "annotator_id": "ann",
            "annotated_at": AT,
        }
        for one, value in list(truth.items())[::2]
    ]
    labelled = copy_dataset(dataset, tmp_path / "labelled", {"annotations": lambda rows: [*rows, *context]})
    written(
        tmp_path / "mine.py",
        "def judge(dialogue, question):\n"
        "    assert question['labels'][1.0].startswith('Appropriate') and 'fit' in question['text']\n"
        "    turn = dialogue['turns'][dialogue['judged']]\n"
        "    assert (turn['party'], dialogue['turn_index']) == ('system', 1)\n"
        "    return float('booked' in turn['text'])\n",
    )
    opened = judged(labelled, written(tmp_path / "f.yaml", "judge: python\nfile: mine.py\n"), "context.AP")
    rows = opened.read("judgements").to_pylist()
    assert {(row["dialogue_id"], row["turn_index"]): row["value"] for row in rows} == {
        (one, 1): value for one, value in truth.items()
    }
    facts = estimate(opened, "f", "context.AP")
    assert sum(one.people.labels for one in facts.groups) == len(context)
    assert calibrate(opened, "f", "context.AP").agreement.same.value == 1.0
    with pytest.raises(InputError, match="not judge single turns"):
        judged(labelled, written(tmp_path / "m.yaml", "judge: model\nfile: model.json\n"), "context.AP")
