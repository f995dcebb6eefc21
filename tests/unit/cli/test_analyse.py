"""The verbs analyse and power: what a user types, what comes out as JSON and as text, what mistakes cost."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.api.analysis_tables import chance, points, span
from vivavoce.api.analysis_tables import number as written
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.reports.language import p_value


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words), catch_exceptions=False, env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.output
    return result.stdout


def dataset(folder: Path, name: str, people: int, *, scale: bool = False) -> Path:
    with DatasetWriter(folder / name, study={"name": name}, source={"kind": "log"}) as writer:
        for place, (person, system) in enumerate((p, s) for p in range(people) for s in "abab"):
            row = {
                "dialogue_id": f"d{place}",
                "study": name,
                "system": system,
                "condition": system,
                "participant_id": f"p{person}",
                "channel": "text",
                "language": "en",
                "simulated": False,
                "duration_s": 30.0 + place % 7,
            }
            writer.add("dialogues", [row])
            rating = {
                "dialogue_id": f"d{place}",
                "participant_id": f"p{person}",
                "instrument": "cambridge",
                "item_id": "found_all",
                "role": "subjective_success",
                "value": float((person + place) % (4 if system == "a" else 3) > 0),
            }
            writer.add("ratings", [rating])
            if scale:
                answer = {"item_id": "clear", "role": None, "value": float(1 + (person + place) % 5)}
                writer.add("ratings", [rating | answer])
    return folder / name


def test_where_nobody_is_known_dialogues_are_compared_all_the_same(tmp_path: Path):
    with DatasetWriter(tmp_path / "D", study={"name": "D"}, source={"kind": "log"}) as writer:
        for place in range(16):
            key, system = {"dialogue_id": f"d{place}"}, "ab"[place % 2]
            row = {"study": "D", "system": system, "condition": system, "channel": "text", "language": "en"}
            writer.add("dialogues", [{**key, **row, "simulated": False}])
            turns = range(1 + place % 2 + place // 4)
            writer.add("turns", [{**key, "turn_index": n, "party": "user", "text": "hello"} for n in turns])
    words = ("analyse", str(tmp_path / "D"), "--measure", "turns")
    (test,) = json.loads(run(*words, "--json"))["tests"]
    assert test["unit"] == "case" and test["naive"]["difference"] == -1
    assert "turns, per dialogue" in " ".join(run(*words).split())


def test_published_rates_are_calculated_with():
    facts = json.loads(run("analyse", "rates", "A=259/403", "B=263/390", "--json"))
    assert facts["rates"][0]["intervals"]["wilson"] == pytest.approx([0.594748, 0.687917], abs=5e-7)
    assert {"a", "b", "method", "z", "p", "p_holm"} <= facts["tests"][0].keys()
    assert "59.5 to 68.8" in run("analyse", "rates", "A=259/403", "B=263/390")


def test_no_p_of_published_counts_stands_unadjusted_beside_adjusted_ones():
    facts = json.loads(run("analyse", "rates", "A=30/60", "B=40/60", "C=50/60", "--json"))
    given = [one["p_fisher"] for one in facts["differences"]]
    smallest = min(range(3), key=given.__getitem__)
    assert facts["differences"][smallest]["p_fisher_holm"] == pytest.approx(3 * given[smallest])
    picked = json.loads(run("analyse", "choices", "a=50/80", "b=60/80", "--json"))["choices"]
    assert picked[1]["p_exact_holm"] == pytest.approx(2 * picked[1]["p_exact"])
    assert run("analyse", "rates", "A=30/60", "B=40/60").count("(Holm)") == 2


def test_the_terminal_rounds_as_the_report_does():
    for p in (0.0625, 0.0005, 0.0125, 0.00051, 0.99951, 0.9996, 1.0, 1e-9):
        assert chance(p) == p_value(p)
    assert chance(0.0625) == ".063"  # half up; to even it would be .062
    assert (written(0.0625, 3), span([0.0625, -0.0625]), points(0.00125)) == (
        "0.063",
        "0.063 to -0.063",
        "0.1%",
    )


def test_every_family_stands_under_the_table_whose_rows_carry_its_letter(tmp_path: Path):
    folder = dataset(tmp_path, "shops", 8, scale=True)
    shown = run("analyse", str(folder), "--measure", "subjective_success")
    words, items = shown.index("a  Exploratory, not declared"), shown.index("b  Questionnaire items")
    assert words < shown.index("The same differences") < items
    (row,) = [line for line in shown.splitlines() if "cambridge clear" in line]
    assert " b " in row and shown.index(row) < items


def test_published_choices_are_calculated_with():
    (choice,) = json.loads(run("analyse", "choices", "empathy=104/143", "--json"))["choices"]
    assert {"name", "k", "n", "ratio", "chi2", "p", "p_exact", "p_holm", "interval"} <= choice.keys()
    assert choice["chi2"] == pytest.approx(29.5455, abs=5e-5)
    assert "72.7%" in run("analyse", "choices", "empathy=104/143")


@pytest.mark.long
def test_power_prints_both_sizes_of_the_claim():
    text = run("power", "two-rates", ".45", ".50")
    for number in ("767", "806", "810", "1565", "x 3.99", "x 3.89"):
        assert number in text


def test_a_dataset_is_analysed_with_participants_as_the_unit(tmp_path):
    folder = str(dataset(tmp_path, "crowd", 24))
    text = run("analyse", folder, "--margin", "0.3")
    assert "24 participants held 96 dialogues" in text
    assert "p is adjusted (Holm) over 1 comparison" in text
    words = ["--measure", "subjective_success", "--measure", "dialogue_duration", "--pair", "b:a", "--json"]
    facts = json.loads(run("analyse", folder, *words))
    assert [(test["a"], test["b"]) for test in facts["tests"]] == [("b", "a")] * 2
    assert facts["tests"][0]["clustered"]["clusters"] == 24
    assert "Holm" not in run("analyse", folder, "--by", "participant")


def test_a_margin_is_for_success_rates_or_for_the_measure_that_it_names(tmp_path):
    folder = str(dataset(tmp_path, "crowd", 24))
    asked = ["--measure", "subjective_success", "--measure", "dialogue_duration"]
    both = json.loads(run("analyse", folder, *asked, "--margin", "0.3", "--json"))
    rate, duration = both["tests"]
    assert rate["equivalence"]["margin"] == 0.3
    assert duration["equivalence"] is None
    assert any("--margin dialogue_duration=VALUE" in one for one in both["warnings"])
    assert any("subjective_success was not declared" in one for one in both["warnings"])
    named = json.loads(run("analyse", folder, *asked, "--margin", "dialogue_duration=2.5", "--json"))
    assert [one["equivalence"] and one["equivalence"]["margin"] for one in named["tests"]] == [None, 2.5]


@pytest.mark.parametrize("word", ["much", "-1", "turns=", "0", "nan"])
def test_a_margin_that_is_none_is_refused(tmp_path, word):
    with pytest.raises(InputError, match="margin"):
        CliRunner().invoke(app, ["analyse", str(tmp_path), "--margin", word], catch_exceptions=False)


def test_every_row_of_analyse_is_of_one_estimand(tmp_path):
    """Users of 20 words and of 2: per word, per dialogue and per participant are three numbers."""
    folder = tmp_path / "words"
    with DatasetWriter(folder, study={"name": "words"}, source={"kind": "log"}) as writer:
        for person in range(12):
            for place, system in enumerate("ab"):
                for turn in range(1 + person % 3):
                    key = {"dialogue_id": f"{system}{person}-{turn}"}
                    writer.add(
                        "dialogues",
                        [
                            {
                                **key,
                                "study": "words",
                                "system": system,
                                "condition": system,
                                "channel": "voice",
                                "participant_id": f"p{person}",
                                "language": "en",
                                "simulated": False,
                            }
                        ],
                    )
                    said = ["word"] * (2 + 6 * (person % 4))
                    heard = ["wrong" if one < person % (3 + place) else word for one, word in enumerate(said)]
                    writer.add(
                        "turns",
                        [
                            {
                                **key,
                                "turn_index": 0,
                                "party": "user",
                                "text": " ".join(heard),
                                "reference": " ".join(said),
                            }
                        ],
                    )
    facts = json.loads(run("analyse", str(folder), "--measure", "word_error_rate", "--json"))
    (test,) = facts["tests"]
    assert test["estimand"] == "per word"
    assert test["naive"]["difference"] == pytest.approx(test["clustered"]["difference"])
    assert test["models"]["bootstrap"]["estimand"] == "per word"
    own, weighted = {}, {one["estimand"]: one for one in test["weighted"]}
    for system, place in (("a", 0), ("b", 1)):
        wrong = [person % (3 + place) for person in range(12)]
        words = [2 + 6 * (person % 4) for person in range(12)]
        calls = [1 + person % 3 for person in range(12)]
        rates = [min(w, n) / n for w, n in zip(wrong, words, strict=True)]
        own[system] = {
            "per word": sum(min(w, n) * c for w, n, c in zip(wrong, words, calls, strict=True))
            / sum(n * c for n, c in zip(words, calls, strict=True)),
            "per dialogue": sum(r * c for r, c in zip(rates, calls, strict=True)) / sum(calls),
            "per participant": sum(rates) / 12,
        }
    expected = {name: own["a"][name] - own["b"][name] for name in own["a"]}
    assert test["clustered"]["difference"] == pytest.approx(expected["per word"])
    for name in ("per dialogue", "per participant"):
        one = weighted[name]
        assert one["difference"] == pytest.approx(expected[name])
        assert (one["low"] <= 0 <= one["high"]) == (one["p"] >= 0.05)
    assert len({round(value, 6) for value in expected.values()}) == 3
    text = run("analyse", str(folder), "--measure", "word_error_rate")
    assert "word error rate, per word" in text and "per participant" in text and "p is not adjusted" in text


def test_two_trials_are_compared(tmp_path):
    crowd, lab = dataset(tmp_path, "crowd", 24), dataset(tmp_path, "lab", 11)
    text = run("analyse", str(crowd), "--against", str(lab), "--cost", "48")
    assert "crowd: 96 dialogues, 24 people, 4.00 dialogues per participant, 0.50 per dialogue" in text
    assert "same order" in text and "different order" not in text  # 36 and 32 of 48; 16 and 14 of 22


@pytest.mark.parametrize(
    "words",
    [
        ("analyse", "rates", "A=5/3"),
        ("analyse", "nowhere"),
        ("analyse", "one", "two"),
        ("power",),
        ("power", "two-rates", ".4"),
    ],
)
def test_mistakes_are_told_with_a_cure(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as refused:
        CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert refused.value.hint


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["CROWD", "--margin", "10"], "margin 10."),
        (["CROWD", "--measure", "word_error_rate", "--margin", "word_error_rate=1"], "of word_error_rate."),
        (["CROWD", "--margin", "word_error_rate=0.1"], "not compared"),
        (["CROWD", "--measure", "turns", "--margin", "0.1"], "margin for success rates"),
        (["CROWD", "--against", "CROWD", "--margin", "turns=2"], "not compared"),
        (["rates", "A=5/9", "B=6/9", "--margin", "0.1"], "published counts"),
        (["CROWD", "--model", "success ~ system", "--margin", "0.1"], "a model"),
    ],
)
def test_a_margin_that_nothing_can_miss_or_nobody_asked_for_is_refused(words, told, tmp_path):
    crowd = str(dataset(tmp_path, "crowd", 6))
    with pytest.raises(InputError, match=told) as refused:
        run("analyse", *[crowd if word == "CROWD" else word for word in words])
    assert refused.value.place == "--margin" and refused.value.hint


def test_a_clustered_interval_that_is_narrower_says_why(tmp_path: Path):
    """Of everybody's three dialogues one succeeds: people are more alike than chance would have them."""
    with DatasetWriter(tmp_path / "D", study={"name": "D"}, source={"kind": "log"}) as writer:
        for place in range(36):
            key = {"dialogue_id": f"d{place}", "participant_id": f"p{place // 6}"}
            system = "ab"[place % 2]
            row = {"study": "D", "system": system, "condition": system, "channel": "text", "language": "en"}
            writer.add("dialogues", [{**key, **row, "simulated": False}])
            lucky = place % 6 < (4 if place < 6 and system == "a" else 2)
            rating = {"instrument": "cambridge", "item_id": "found_all", "role": "subjective_success"}
            writer.add("ratings", [{**key, **rating, "value": float(lucky)}])
    facts = json.loads(run("analyse", str(tmp_path / "D"), "--measure", "subjective_success", "--json"))
    first = facts["rates"][0]
    naive, clustered = first["naive"], first["clustered"]
    assert clustered["high"] - clustered["low"] < naive["high"] - naive["low"]
    assert clustered["icc"] < 0 and clustered["design_effect"] < 1 and clustered["n_effective"] == first["n"]
    said = " ".join(run("analyse", str(tmp_path / "D"), "--measure", "subjective_success").split())
    assert "Clustered narrower than naive: subjective success, a (6 participants, ICC -" in said
    assert f"{clustered['design_effect']:.2f}" in said
