"""A linguist reviews variants and gives verdicts in a real browser: keys alone, and on a small screen."""

from typing import Any

import pytest

from journey.test_researcher_desk import Trial, context, fits, sign_in, trial
from unit.dashboard.test_stress import judged_case, queue
from vivavoce.log.stress_events import VariantReviewed, VerdictGiven, stress_stream

__all__ = ["context", "trial"]  # fixtures
pytestmark = pytest.mark.browser


def test_variants_are_reviewed_and_verdicts_given_by_keyboard_alone(trial: Trial, context: Any) -> None:
    stream = stress_stream(trial.study.name)
    queue(trial.log, stream, "i1", "i2", "i3", "i4")
    judged_case(trial.log, stream)
    page = context.new_page()
    sign_in(page, trial)
    page.goto(f"{trial.address}/stress")
    page.get_by_role("link", name="Review variants").press("Enter")
    page.get_by_text("4 left").wait_for()
    press(page, "2", "a")
    page.get_by_text("3 left").wait_for()
    press(page, "1", "e")
    page.keyboard.press("End")
    page.keyboard.type(" near the park")
    page.keyboard.press("Control+Enter")
    page.get_by_text("2 left").wait_for()
    press(page, "w")
    page.keyboard.type("a raw bar")  # the keys r, a, w mean nothing inside the field
    page.keyboard.press("Control+Enter")
    page.get_by_text("1 left").wait_for()
    press(page, "r")
    page.get_by_text("No variants left to review").wait_for()
    stored = [one.event for one in trial.log.events(stream) if isinstance(one.event, VariantReviewed)]
    assert [one.decision for one in stored] == ["accept", "edit", "write", "reject"]
    assert [one.proposal for one in stored] == [1, 0, None, None]
    assert (stored[1].text or "").endswith(" near the park") and stored[2].text == "a raw bar"

    page.goto(f"{trial.address}/stress/verdicts")
    page.get_by_role("heading", name="With the variant").wait_for()
    press(page, "c")
    page.get_by_text("No cases to judge").wait_for()
    given = [one.event for one in trial.log.events(stream) if isinstance(one.event, VerdictGiven)]
    assert [(one.verdict, one.judge) for one in given] == [("clarification", "Ada")]


@pytest.mark.long
def test_the_pages_fit_a_small_screen_and_keep_nobody_out(trial: Trial, context: Any) -> None:
    stream = stress_stream(trial.study.name)
    queue(trial.log, stream, "i1")
    judged_case(trial.log, stream)
    page = context.new_page()
    page.set_viewport_size({"width": 320, "height": 640})
    sign_in(page, trial)
    boxes, turns = [], []
    for place in ("/stress", "/stress/review", "/stress/verdicts"):
        page.goto(trial.address + place)
        page.get_by_role("heading", level=1).wait_for()
        fits(page, place)
        boxes += [box.bounding_box() for box in page.locator("input[type=radio]").all()]
        turns += [said.bounding_box() for said in page.locator(".said").all()]
    assert boxes and all(box and box["width"] < 40 for box in boxes)
    assert turns and all(said and said["width"] > 80 for said in turns), "a turn is squeezed"


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)
