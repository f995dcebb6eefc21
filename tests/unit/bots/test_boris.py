"""The system-directed bot: one question at a time, confirmed in the manner of its variant."""

from functools import cache
from pathlib import Path
from random import Random

import pytest

import vivavoce.study
from scenes.boris_callers import means
from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.damage import Damage, DamageError, damaged
from vivavoce_bots.engine.search_bot import SearchBot

CALLERS = 40
MARLOWE = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"


class Silent:
    """A bot without slots."""

    name = "silent"

    def session(self, conversation: str, language: str = "en") -> None:
        return None

    def greet(self, session: None) -> Reply:
        return Reply("hello", (), (), False)

    def reply(self, session: None, texts: object) -> Reply:
        return self.greet(session)


@cache
def bot(variant: str, domain: Path | None = None) -> SearchBot:
    return SearchBot("boris", variant, domain=domain)


def talk(variant: str, *texts: str, language: str = "en", domain: Path | None = None) -> list[Reply]:
    speaker = bot(variant, domain)
    session = speaker.session("c", language)
    return [speaker.greet(session), *(speaker.reply(session, [(text, None)]) for text in texts)]


def asked(reply: Reply) -> list[tuple[str, str | None, str | None]]:
    return [(act.act, act.slot, act.value) for act in reply.acts if act.act in ("confirm", "request")]


def offered(reply: Reply) -> list[str | None]:
    return [act.value for act in reply.acts if act.act == "offer"]


@cache
def mean(variant: str, errors: float, *, checks: bool = True) -> tuple[float, float, float]:
    """Means over the callers: turns, corrections, share of calls with the right venue."""
    return means(variant, errors, CALLERS, checks=checks)


def test_with_a_wizards_transcription_nothing_is_corrected_and_explicit_confirmation_costs_turns() -> None:
    explicit, implicit, none = (mean(variant, 0.0) for variant in ("explicit", "implicit", "none"))
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
    right = [mean(variant, 0.3, checks=False)[2] for variant in ("explicit", "implicit", "none")]
    assert right[0] > right[2] and right[1] > right[2]


def test_the_explicit_bot_leads_from_the_first_question_to_a_venue() -> None:
    said = ("a restaurant", "yes", "Italian, in the south", "yes", "yes", "moderate", "that is correct")
    said += ("on Saturday at half past eight", "yes", "yes", "what is the phone number", "goodbye")
    replies = talk("explicit", *said)
    assert [asked(reply) for reply in replies[:10]] == [
        [("request", "type", None)],
        [("confirm", "type", "restaurant")],
        [("request", "food", None)],
        [("confirm", "food", "italian")],
        [("confirm", "area", "south")],
        [("request", "pricerange", None)],
        [("confirm", "pricerange", "moderate")],
        [("request", "day", None)],
        [("confirm", "day", "saturday")],
        [("confirm", "time", "20:30")],
    ]
    offer, told, farewell = replies[10:]
    assert offered(offer) == ["Kingfisher"]
    assert "on Saturday" in offer.text and "at 20:30" in offer.text
    assert "01555 321 873" in told.text
    assert farewell.end


def test_what_was_not_confirmed_does_not_count() -> None:
    assert asked(talk("explicit", "a pub", "no")[-1]) == [("request", "type", None)]
    assert asked(talk("explicit", "a restaurant", "no, a pub")[-1]) == [("confirm", "type", "pub")]


def test_nothing_matches_alternatives_and_a_changed_mind() -> None:
    nothing, *_, offer, other = talk(
        "none",
        "an expensive Indian restaurant in the north",
        "in the east",
        "any day",
        "any time",
        "another one",
    )[1:]
    assert "canthelp" in {act.act for act in nothing.acts}
    assert "Greek" in nothing.text, "there is that instead"
    assert offered(offer) == ["Paper Moon Terrace"]
    assert ("canthelp", "name", "Paper Moon Terrace") in [act[:3] for act in other.acts]


def test_a_venue_that_is_closed_then_is_not_offered() -> None:
    """Silver Birch opens from Tuesday to Sunday; it alone is Chinese and in the south."""
    none, offer = talk("none", "Chinese food in the south", "on Monday at noon", "on Tuesday then")[-2:]
    assert {("canthelp", "day", "monday"), ("canthelp", "time", "12:00")} <= {act[:3] for act in none.acts}
    assert offered(offer) == ["Silver Birch"]


@pytest.mark.parametrize(
    ("language", "text", "time"),
    [
        ("en", "at eight", "20:00"),
        ("en", "half past seven", "19:30"),
        ("en", "quarter to nine", "20:45"),
        ("en", "9 am", "09:00"),
        ("en", "20:15", "20:15"),
        ("en", "noon", "12:00"),
        ("it", "alle otto e mezza", "20:30"),
        ("it", "alle venti", "20:00"),
        ("it", "alle nove meno un quarto", "20:45"),
    ],
)
def test_a_time_is_understood_as_people_say_it(language: str, text: str, time: str) -> None:
    understood = talk("none", "pub", text, language=language)[-1].understood[0].acts
    assert [act.value for act in understood if act.slot == "time"] == [time]


def test_where_nothing_tells_when_venues_are_open_day_and_time_are_not_asked() -> None:
    replies = talk("implicit", *["any"] * 12, domain=MARLOWE)
    assert not {act.slot for reply in replies for act in reply.acts} & {"day", "time"}


@pytest.mark.parametrize(
    ("language", "said", "echo", "other"),
    [
        ("en", "Italian food", "Very well: serving Italian food.", "greek"),
        ("it", "cucina italiana", "Va bene: di cucina italiana.", "greca"),
    ],
)
def test_implicit_confirmation_repeats_a_value_with_the_next_question_and_no_takes_it_back(
    language: str, said: str, echo: str, other: str
) -> None:
    _, first, again, changed = talk("implicit", said, "no", other, language=language)
    assert first.text.startswith(echo) and Act("request", "area") in first.acts
    assert Act("request", "food") in again.acts
    assert Act("inform", "food", "greek", "=") in changed.acts


def test_guided_questions_name_the_values_and_plain_ones_do_not() -> None:
    plain, guided = (talk(variant, "Italian food")[1].text for variant in ("none", "none-guided"))
    assert "centre, north, south, east or west" in guided
    assert "centre" not in plain


def test_values_are_misheard_as_others_of_their_slot_and_nothing_else_is() -> None:
    speaker = bot("implicit")
    assert speaker.mishear("a cheap pub please", "en", 0.0, Random(1)) == "a cheap pub please"
    heard = {speaker.mishear("yes a pub please", "en", 1.0, Random(seed)) for seed in range(30)}
    assert heard == {"yes a please", "yes a restaurant please", "yes a coffee shop please"}
    with pytest.raises(DamageError, match="cannot mishear values"):
        damaged(Silent(), Damage(values=0.1))
