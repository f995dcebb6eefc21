"""How BoRIS confirms, and how it was made to hear: what length and corrections of a call owe to both."""

from functools import cache
from random import Random

import pytest

from scenes.boris_callers import TOWN, means
from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.boris.bot import BorisBot
from vivavoce_bots.damage import Damage, DamageError, damaged

CALLERS = 40


@cache
def mean(variant: str, errors: float, *, checks: bool = True) -> tuple[float, float, float]:
    """Means over the callers: turns, corrections, share of calls with the right venue."""
    return means(variant, errors, CALLERS, checks=checks)


def test_with_a_wizards_transcription_nothing_is_corrected_and_explicit_confirmation_costs_turns() -> None:
    explicit, implicit, none = (mean(one, 0.0) for one in ("explicit", "implicit", "none"))
    assert explicit[1] == implicit[1] == none[1] == 0
    assert explicit[0] > implicit[0] == none[0]
    assert explicit[2] == implicit[2] == none[2] == 1


@pytest.mark.long
@pytest.mark.parametrize("variant", ["explicit", "implicit", "none"])
def test_recognition_errors_make_calls_longer_and_are_corrected(variant: str) -> None:
    without, some, many = (mean(variant, errors) for errors in (0.0, 0.2, 0.4))
    assert without[0] < some[0] < many[0]
    assert without[1] < some[1] < many[1]


@pytest.mark.long
def test_the_less_is_confirmed_the_more_wrong_venues_a_trusting_caller_takes() -> None:
    right = [mean(one, 0.3, checks=False)[2] for one in ("explicit", "implicit", "none")]
    assert right[0] > right[2] and right[1] > right[2]


def say(bot: BorisBot, *said: str, language: str = "en") -> list[Reply]:
    session = bot.session("c", language)
    return [bot.greet(session), *(bot.reply(session, [(text, None)]) for text in said)]


@pytest.mark.parametrize(
    ("language", "said", "echo"),
    [
        ("en", "Italian food", "Very well: serving Italian food."),
        ("it", "cucina italiana", "Va bene: di cucina italiana."),
    ],
)
def test_implicit_confirmation_says_a_value_with_the_next_question_and_no_takes_it_back(
    language: str, said: str, echo: str
) -> None:
    bot, then = BorisBot(TOWN, variant="implicit"), {"en": "greek", "it": "greca"}[language]
    _, told, asked, other = say(bot, said, "no", then, language=language)
    assert told.text.startswith(echo) and Act("request", "area") in told.acts
    assert Act("request", "food") in asked.acts
    assert Act("inform", "food", "greek", "=") in other.acts


def test_guided_prompts_tell_what_there_is_to_choose_and_plain_ones_do_not() -> None:
    plain, guided = (
        say(BorisBot(TOWN, variant=one), "Italian food")[1].text for one in ("none", "none-guided")
    )
    assert "centre, north, south, east and west" in guided
    assert "centre" not in plain


def test_values_are_misheard_as_others_of_their_slot_and_nothing_else_is() -> None:
    bot = BorisBot(TOWN)
    assert bot.mishear("a cheap pub please", "en", 0.0, Random(1)) == "a cheap pub please"
    heard = {bot.mishear("yes a pub please", "en", 1.0, Random(seed)) for seed in range(30)}
    assert heard == {"yes a please", "yes a restaurant please", "yes a coffee shop please"}
