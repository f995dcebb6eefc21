"""Questionnaires in the page: what is asked, what comes back, what is kept when something is missing."""

import re

from hypothesis import given
from hypothesis import strategies as st

from scenes.browsing import Visitor, events_of
from vivavoce.log.store import Log
from vivavoce.questionnaires.instrument import INSTRUMENTS, load_wording
from vivavoce.steps.form import Form, Question, filled_form


def form_of(name: str) -> Form:
    instrument, wording = INSTRUMENTS.get(name), load_wording(INSTRUMENTS.get(name), "en")
    questions = [
        Question(
            item,
            wording.items[item.item_id],
            [(code, wording.label(item.scale, code)) for code in instrument.scale_of(item).codes],
        )
        for item in instrument.asked()
    ]
    return Form(instrument, wording, 2, 0, 0, "en", questions)


def at_the_form(visitor: Visitor, language: str = "en") -> None:
    visitor.into_dialogue(language)
    visitor.hold_dialogue()
    visitor.press("/code")


def test_answers_are_logged_with_their_code_label_and_role(visitor: Visitor, log: Log) -> None:
    at_the_form(visitor, "it")
    visitor.press(
        "/answers",
        **{"item-found_all": "1", "item-understood": "0", "item-phrasing": "5", "item-comment": " bene "},
    )
    answered = events_of(log, "questionnaire_answered")[0].event
    wording = load_wording(INSTRUMENTS.get("cambridge"), "it")
    assert (answered.instrument, answered.wording, answered.language, answered.round) == (
        "cambridge",
        "project",
        "it",
        0,
    )
    assert [(one.item_id, one.value, one.answer, one.role) for one in answered.ratings] == [
        ("found_all", 1.0, wording.label("yes_no", 1), "subjective_success"),
        ("understood", 0.0, wording.label("agreement", 0), None),
        ("phrasing", 5.0, wording.label("agreement", 5), None),
        ("comment", None, "bene", None),
    ]


def test_a_missing_answer_keeps_the_others_and_points_at_the_first_gap(visitor: Visitor, log: Log) -> None:
    at_the_form(visitor)
    visitor.press("/answers", **{"item-understood": "3", "item-comment": "so & so"})
    assert "2 questions are still open" in visitor.html
    assert re.search(r'name="item-understood" value="3" checked', visitor.html)
    assert "so &amp; so</textarea>" in visitor.html
    assert re.findall(r'name="([\w-]+)" value="\d" required autofocus', visitor.html) == ["item-found_all"]
    assert events_of(log, "questionnaire_answered") == []
    visitor.give_feedback()
    assert len(events_of(log, "questionnaire_answered")) == 1


def test_a_code_outside_the_scale_counts_as_no_answer(visitor: Visitor, log: Log) -> None:
    at_the_form(visitor)
    visitor.press("/answers", **{"item-found_all": "7", "item-understood": "1", "item-phrasing": "1"})
    assert events_of(log, "questionnaire_answered") == []


def test_answers_to_labels_in_another_language_are_shown_again_first(visitor: Visitor, log: Log) -> None:
    at_the_form(visitor)
    english = visitor.html
    visitor.press("/language", language="it")
    visitor.html = english
    visitor.press("/answers", **{"item-found_all": "1", "item-understood": "4", "item-phrasing": "5"})
    assert '<html lang="it">' in visitor.html
    assert 'name="item-understood" value="4" checked' in visitor.html
    assert events_of(log, "questionnaire_answered") == []


def test_every_question_has_a_legend_or_a_label(visitor: Visitor) -> None:
    at_the_form(visitor)
    assert visitor.html.count("<fieldset") == visitor.html.count("<legend") == 3
    assert '<label for="item-comment"' in visitor.html and 'id="item-comment"' in visitor.html
    assert visitor.html.count("<h1") == 1


@given(
    entered=st.dictionaries(
        st.sampled_from([f"item-q{number}" for number in range(1, 11)]),
        st.one_of(st.sampled_from(["1", "2", "3", "4", "5"]), st.text(max_size=3)),
    )
)
def test_a_filled_form_rates_each_item_once_by_a_code_of_its_scale_or_null(
    entered: dict[str, str],
) -> None:
    form = filled_form(form_of("sus"), entered)
    assert [one.item_id for one in form.ratings] == [f"q{number}" for number in range(1, 11)]
    for rating in form.ratings:
        given = entered.get(f"item-{rating.item_id}", "").strip()
        assert rating.value == (float(given) if given in {"1", "2", "3", "4", "5"} else None)
        assert (rating.answer is None) == (rating.value is None)
    assert {one.item.item_id for one in form.missing} == {
        one.item_id for one in form.ratings if one.value is None
    }


def continuous_form() -> Form:
    instrument, wording = INSTRUMENTS.get("p851_overall"), load_wording(INSTRUMENTS.get("p851_overall"), "en")
    item = instrument.item("overall")
    scale = instrument.scale_of(item)
    points = [(code, wording.label(item.scale, code)) for code in scale.codes]
    question = Question(item, wording.items["overall"], points, low=scale.low, high=scale.high)
    return Form(instrument, wording, 2, None, 0, "en", [question])


@given(st.floats(0, 6))
def test_any_place_on_a_continuous_line_is_stored_as_it_was_marked(place: float) -> None:
    filled = filled_form(continuous_form(), {"item-overall": str(place)})
    assert not filled.missing and filled.ratings[0].value == place and filled.ratings[0].answer is None


@given(st.sampled_from(["", "fair", "nan", "inf", "-0.1", "6.1", "3,5,1"]))
def test_what_lies_off_the_line_is_asked_again(entered: str) -> None:
    assert filled_form(continuous_form(), {"item-overall": entered}).missing


def test_a_decimal_comma_is_understood() -> None:
    assert filled_form(continuous_form(), {"item-overall": "3,5"}).ratings[0].value == 3.5
