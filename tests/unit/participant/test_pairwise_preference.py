"""Comparing transcripts in the page: what is shown, what comes back, what is kept."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from scenes.browsing import Forms, Visitor, events_of, serve
from scenes.comparing import choose, comparing_study, into_comparison, open_questions
from scenes.visits import Parrot
from vivavoce.log.store import Log
from vivavoce.steps.pairwise_preference.models import PairChoice
from vivavoce.study.model import Study


@pytest.fixture
def open_site(tmp_path: Path, log: Log) -> Iterator[Callable[..., tuple[Visitor, Study]]]:
    with ExitStack() as stack:

        def opened(**settings: object) -> tuple[Visitor, Study]:
            study = comparing_study(tmp_path / "study", **{"attention": False, **settings})
            return stack.enter_context(serve(study, log, Parrot()))(), study

        yield opened


def rate_the_study(visitor: Visitor) -> None:
    """The forms behind the comparison: rather not say, rather not say, good."""
    visitor.press("/answers", **{"item-gender": "4", "item-age": "7"})
    visitor.press("/answers", **{"item-experience": "5"})
    visitor.press("/answers", **{"item-study": "4"})


def test_a_whole_comparison_is_logged_pair_by_pair(open_site, log: Log) -> None:
    visitor, study = open_site()
    into_comparison(visitor)
    for number in range(5):
        assert f"Pair {number + 1} of 5" in visitor.html
        assert open_questions(visitor.html) == [
            "item-ease",
            "item-satisfaction",
            "item-utility",
            "item-interaction",
        ]
        choose(visitor, "right")
    assert "About you" in visitor.html, "sex and age, as the paper compares them"
    rate_the_study(visitor)
    assert "Thank you" in visitor.html
    answers = [one.event for one in events_of(log, "response_given")]
    (drawn,) = [one.event for one in events_of(log, "stimuli_planned")]
    assert [one.response["pair_id"] for one in answers] == [one["pair_id"] for one in drawn.stimuli]
    for answer, compared in zip((one.response for one in answers), drawn.stimuli, strict=True):
        expected = "experimental" if compared["experimental_side"] == "right" else "control"
        assert {choice["choice"] for choice in answer["choices"]} == {expected}
        assert answer["digest"] == study.pair(answer["pair_id"]).text["en"].digest
    (end,) = [one.event for one in events_of(log, "step_finished")]
    assert end.flags == ["fast", "one_side"]
    assert end.accepted
    assert events_of(log, "visit_ended") == []
    visitor.press("/read")
    assert events_of(log, "visit_ended")[0].event.outcome == "completed"


def test_left_and_right_are_what_was_drawn(open_site, log: Log) -> None:
    visitor, study = open_site()
    into_comparison(visitor, "it")
    compared = events_of(log, "stimuli_planned")[0].event.stimuli[0]
    text = study.pair(compared["pair_id"]).text["it"]
    left, right = re.findall(r"<section.*?</section>", visitor.html, flags=re.S)
    on_left = text.experimental if compared["experimental_side"] == "left" else text.control
    said = re.findall(r"</span><p>(.*?)</p>", left)
    assert said == [turn.text.replace("'", "&#39;") for turn in on_left]
    assert left != right
    assert "Conversazione A" in left
    assert "Conversazione B" in right
    assert "empath" not in visitor.html.lower()  # nothing tells what it is about
    assert "experimental" not in visitor.html
    assert "control" not in visitor.html


def test_a_gap_keeps_the_other_choices_and_logs_nothing(open_site, log: Log) -> None:
    visitor, _ = open_site()
    into_comparison(visitor)
    visitor.press("/respond", **{"item-ease": "left", "item-satisfaction": "tie"})
    assert "3 questions are still open" in visitor.html
    assert re.search(r'name="item-ease" value="left" required checked', visitor.html)
    assert re.findall(r'name="([\w-]+)" value="\w+" required autofocus', visitor.html) == [
        "item-satisfaction"
    ]
    assert events_of(log, "response_given") == []
    choose(visitor)
    assert len(events_of(log, "response_given")) == 1


def test_a_form_sent_twice_counts_once_and_leads_to_the_pair_that_is_due(open_site, log: Log) -> None:
    visitor, _ = open_site()
    into_comparison(visitor)
    form = Forms(visitor.html).forms["/respond"] | dict.fromkeys(open_questions(visitor.html), "left")
    for _ in range(2):
        response = visitor.client.post("/respond", data=form)
        assert "Pair 2 of 5" in response.text
    assert len(events_of(log, "response_given")) == 1


def test_a_change_of_language_shows_the_same_pair_again(open_site, log: Log) -> None:
    visitor, _ = open_site()
    into_comparison(visitor)
    form = Forms(visitor.html).forms["/respond"] | dict.fromkeys(open_questions(visitor.html), "left")
    visitor.client.post("/language", data={"language": "it"})
    response = visitor.client.post("/respond", data=form)
    assert "Coppia 1 di 5" in response.text
    assert 'value="left" required checked' in response.text
    assert events_of(log, "response_given") == []


def test_ties_and_strengths_are_asked_where_the_study_wants_them(open_site, log: Log) -> None:
    visitor, _ = open_site(ties=True, strength=True)
    into_comparison(visitor)
    fields = dict.fromkeys(open_questions(visitor.html), "tie") | {"item-ease": "left"}
    visitor.press("/respond", **fields)
    assert "Please say how much." in visitor.html
    visitor.press("/respond", **fields, **{"item-ease-strength": "3"})
    (answer,) = [one.event for one in events_of(log, "response_given")]
    given = [PairChoice.model_validate(one) for one in answer.response["choices"]]
    assert [(one.question, one.choice == "tie", one.side, one.strength) for one in given] == [
        ("ease", False, "left", 3),
        ("satisfaction", True, None, None),
        ("utility", True, None, None),
        ("interaction", True, None, None),
    ]


def test_in_turn_the_questions_come_after_both(open_site, log: Log) -> None:
    visitor, _ = open_site(presentation="in-turn")
    into_comparison(visitor)
    assert open_questions(visitor.html) == []
    assert "Conversation A" in visitor.html
    assert "Conversation B" not in visitor.html.replace("Show conversation B", "")
    visitor.look("/visit?view=right")
    assert ">Conversation B<" in visitor.html
    visitor.look("/visit?view=both")
    choose(visitor)
    assert events_of(log, "response_given")[0].event.response["presentation"] == "in-turn"


def test_a_response_that_is_too_short_is_not_accepted_where_the_study_says_so(open_site, log: Log) -> None:
    visitor, _ = open_site(accept_fast=False, attention=True)
    into_comparison(visitor)
    for _ in range(6):
        choose(visitor)
    end = events_of(log, "step_finished")[0].event
    assert not end.accepted
    assert "fast" in end.flags
    rate_the_study(visitor)
    visitor.press("/read")
    ended = events_of(log, "visit_ended")[0].event
    assert (ended.outcome, ended.completion_code) == ("not_accepted", None)
    assert "did not pass this study" in visitor.html
    assert "Your completion code" not in visitor.html


def test_a_study_may_pay_for_responses_that_it_does_not_accept(open_site, log: Log) -> None:
    visitor, _ = open_site(accept_fast=False, code_if_not_accepted=True)
    into_comparison(visitor)
    for _ in range(5):
        choose(visitor)
    assert not events_of(log, "step_finished")[0].event.accepted
    rate_the_study(visitor)
    visitor.press("/read")
    ended = events_of(log, "visit_ended")[0].event
    assert ended.outcome == "completed"
    assert ended.completion_code in visitor.html


def test_the_first_page_says_what_there_is_to_do(open_site) -> None:
    visitor, _ = open_site()
    visitor.look("/")
    assert "You read 5 pairs of conversations" in visitor.html
    assert "What you type" not in visitor.html
