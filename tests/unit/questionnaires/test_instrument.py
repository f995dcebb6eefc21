"""Scoring keys: golden values, and the properties that every instrument has."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.questionnaires import INSTRUMENTS, Instrument
from vivavoce.questionnaires.instrument import FOLDER, read_instrument

GOLDEN = json.loads(
    (Path(__file__).parents[2] / "golden" / "questionnaires.json").read_text(encoding="utf-8")
)
NAMES = INSTRUMENTS.names()
SCORED = [name for name in NAMES if INSTRUMENTS.get(name).scores]  # one asks for words alone


def filled(instrument: Instrument, codes: list[float]) -> dict[str, float]:
    chosen = [item.item_id for item in instrument.items if item.kind != "comment"]
    return dict(zip(chosen, codes, strict=True))


@st.composite
def forms(draw: st.DrawFn, name: str) -> dict[str, float]:
    instrument = INSTRUMENTS.get(name)
    scales = [instrument.scale_of(item) for item in instrument.items if item.kind != "comment"]
    return filled(instrument, [draw(st.sampled_from(scale.codes)) for scale in scales if scale])


def test_scores_agree_with_values_worked_from_the_sources():
    for case in GOLDEN:
        instrument = INSTRUMENTS.get(case["instrument"])
        scores = instrument.score(filled(instrument, case["input"]))
        assert scores[case["score"]] == pytest.approx(case["expected"], abs=case["tolerance"])


def test_the_instruments_of_the_field_are_shipped():
    shipped = {
        "attrakdiff",
        "bus11",
        "bus15",
        "cambridge",
        "communicator",
        "cuq",
        "godspeed",
        "idial",
        "nasa_tlx",
        "opinion_score",
        "paradise",
        "recommendation",
        "sassi",
        "satisfaction",
        "single_ease",
        "sus",
        "ueq",
        "ueq_s",
        "umux_lite",
        "p851_background",
        "p851_dialogue",
        "p851_overall",
        "reading",
        "study_rating",
        "idial_background",
        "idial_feedback",
        "demographics",
        "chatbot_experience",
        "native_language",
    }
    assert set(NAMES) == shipped


def test_an_instrument_has_as_many_items_as_its_source():
    for name, items in [
        ("sassi", 34),
        ("ueq", 26),
        ("ueq_s", 8),
        ("attrakdiff", 28),
        ("cuq", 16),
        ("bus11", 11),
        ("bus15", 15),
        ("godspeed", 24),
        ("paradise", 8),
        ("communicator", 5),
        ("nasa_tlx", 6),
        ("umux_lite", 2),
    ]:
        assert len(INSTRUMENTS.get(name).items) == items


def test_the_index_of_promoters_is_the_mean_over_people():
    recommendation = INSTRUMENTS.get("recommendation")
    answers = [9, 9, 10, 10, 9, 7, 8, 8, 0, 6]
    scores = [recommendation.score({"recommend": answer})["promoters"] for answer in answers]
    assert sum(score for score in scores if score is not None) / len(scores) == 30


def test_a_continuous_item_takes_every_position_on_its_line():
    quality = INSTRUMENTS.get("p851_dialogue")
    assert quality.score({"overall": 4.37})["overall_quality"] == 4.37
    for outside in (-0.1, 6.1, "4", float("nan")):
        with pytest.raises(InputError, match="from 0 to 6"):
            quality.score({"overall": outside})


def test_a_scale_in_steps_refuses_what_lies_between():
    with pytest.raises(InputError, match="from 0 to 100 in steps of 5"):
        INSTRUMENTS.get("nasa_tlx").score({"mental": 52})


def test_sassi_can_keep_the_direction_of_its_names():
    sassi = INSTRUMENTS.get("sassi")
    form = filled(sassi, [4] * 34) | {f"annoyance{number}": 7 for number in range(1, 6)}
    assert sassi.score(form)["annoyance"] == 1
    assert sassi.score(form, mapping="nominal")["annoyance_nominal"] == 7


def test_an_unknown_instrument_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'idial'"):
        INSTRUMENTS.get("idail")


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_scores_stay_in_their_range(name, data):
    instrument = INSTRUMENTS.get(name)
    for score, value in instrument.score(data.draw(forms(name))).items():
        assert value is not None
        slack = 1e-9  # a rescaled sum may miss its end by a binary fraction
        assert instrument.scores[score].low - slack <= value <= instrument.scores[score].high + slack


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_reversing_a_code_twice_gives_it_back(name, data):
    for scale in INSTRUMENTS.get(name).scales.values():
        code = data.draw(st.integers(scale.low, scale.high))
        assert scale.reversed(scale.reversed(code)) == code
        assert scale.low <= scale.reversed(code) <= scale.high


@pytest.mark.parametrize("name", SCORED)
@given(data=st.data())
def test_each_item_moves_its_scores_in_its_direction(name, data):
    instrument = INSTRUMENTS.get(name)
    form = data.draw(forms(name))
    item = instrument.item(data.draw(st.sampled_from(sorted(form))))
    scale = instrument.scale_of(item)
    assert scale is not None
    low = instrument.score({**form, item.item_id: scale.low})
    high = instrument.score({**form, item.item_id: scale.high})
    for score, key in instrument.scores.items():
        if score not in low:
            continue
        if item.item_id not in key.items:
            assert low[score] == high[score]
        elif key.rule == "banded":
            assert low[score] <= high[score]
        elif item.reverse:
            assert low[score] > high[score]
        else:
            assert low[score] < high[score]


@pytest.mark.parametrize("name", SCORED)
@given(data=st.data())
def test_an_unanswered_item_leaves_its_scores_missing_and_no_others(name, data):
    instrument = INSTRUMENTS.get(name)
    form = data.draw(forms(name))
    gone = data.draw(st.sampled_from(sorted(form)))
    absent = {item: code for item, code in form.items() if item != gone}
    for answers in (absent, {**absent, gone: None}):
        for score, value in instrument.score(answers).items():
            assert (value is None) == (gone in instrument.scores[score].items)


def test_an_answer_outside_the_scale_fails_loudly():
    for value in [0, 6, 2.5, -1, 100, "4", True, float("nan")]:
        with pytest.raises(InputError, match=r"(?i)questionnaire sus item q1: answer .* from 1 to 5"):
            INSTRUMENTS.get("sus").score({"q1": value})


def test_an_unknown_item_is_named():
    with pytest.raises(InputError, match=r"unknown item 'Q1'.*Known: q1"):
        INSTRUMENTS.get("sus").score({"Q1": 3})


def test_item_four_of_idial_can_be_taken_as_it_stands():
    idial = INSTRUMENTS.get("idial")
    form = filled(idial, [0, 0, 4, 4, 0, 0, 4, 0, 0, 4])
    assert idial.score(form)["effectiveness"] == 3
    assert idial.score(form, unreversed=["q4"])["effectiveness"] == 4
    with pytest.raises(InputError, match="'q5' is fixed"):
        idial.score(form, unreversed=["q5"])


def test_the_mapping_decides_which_groups_are_computed():
    idial = INSTRUMENTS.get("idial")
    form = filled(idial, [2, 2, 4, 0, 4, 4, 0, 0, 0, 0])
    assert set(idial.score(form)) == {"overall", "task_completion", "effectiveness", "satisfaction"}
    defined = idial.score(form, mapping="definition")
    assert defined["effectiveness_by_definition"] == 4
    assert defined["satisfaction_by_definition"] == 0
    with pytest.raises(InputError, match=r"unknown mapping .guess.. Known: published, definition"):
        idial.score(form, mapping="guess")


def test_polarity_follows_the_sources():
    assert [i.item_id for i in INSTRUMENTS.get("sus").items if i.reverse] == ["q2", "q4", "q6", "q8", "q10"]
    assert [i.item_id for i in INSTRUMENTS.get("idial").items if i.reverse] == ["q4"]
    assert not any(i.reverse for i in INSTRUMENTS.get("cambridge").items)


def test_the_first_question_of_the_cambridge_form_is_subjective_success():
    cambridge = INSTRUMENTS.get("cambridge")
    assert cambridge.subjective_success == cambridge.items[0]
    assert INSTRUMENTS.get("sus").subjective_success is None


def test_the_voice_is_not_asked_about_in_text():
    cambridge = INSTRUMENTS.get("cambridge")
    assert [item.item_id for item in cambridge.asked("text")] == [
        "found_all",
        "understood",
        "phrasing",
        "comment",
    ]
    assert "voice" in [item.item_id for item in cambridge.asked("phone")]


def test_a_comment_has_no_code():
    assert INSTRUMENTS.get("cambridge").check("comment", "lovely") is None


def test_a_scoring_key_that_calls_itself_otherwise_than_its_file_is_refused(tmp_path: Path) -> None:
    key = (FOLDER / "instruments" / "umux_lite.yaml").read_text("utf-8")
    (tmp_path / "umux.yaml").write_text(key, "utf-8")
    with pytest.raises(InputError, match=r"'umux_lite'.*'umux'"):
        read_instrument(tmp_path / "umux.yaml")


def test_no_score_is_made_of_answers_that_are_names() -> None:
    facts = {
        "name": "x",
        "title": "X",
        "about": "visit",
        "role": "r",
        "source": "s",
        "permission": "p",
        "scales": {"trade": {"low": 1, "high": 3, "nominal": True}},
        "items": [{"id": "q", "scale": "trade"}],
        "scores": {"skill": {"rule": "mean", "items": ["q"], "low": 1, "high": 3, "meaning": "m"}},
    }
    with pytest.raises(ValidationError, match=r"nominal items have no numeric score: \['q'\]"):
        Instrument.model_validate(facts)
    assert Instrument.model_validate(facts | {"scores": {}}).is_nominal("q")
