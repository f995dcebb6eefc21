"""How much is said at a time: plain, tried out, or learnt; what is said stays true."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from vivavoce_bots.acts import Reply
from vivavoce_bots.dialogue.domain import read_domain
from vivavoce_bots.restaurant.bot import RestaurantBot
from vivavoce_bots.restaurant.learning import Learner
from vivavoce_bots.restaurant.presentation import MANNERS, Exploring, Heard, Learnt, read_policy

DOMAIN = read_domain()


class Always:
    """One manner wherever it is possible."""

    def __init__(self, manner: str) -> None:
        self.manner = manner

    def choose(self, situation: str, manners: tuple[str, ...]) -> str:
        return self.manner if self.manner in manners else manners[0]


def said(manner: str, *texts: str, language: str = "en") -> Reply:
    bot = RestaurantBot(DOMAIN, chooser=Always(manner))  # type: ignore[arg-type]
    session = bot.session("c", language)
    return [bot.reply(session, [(text, None)]) for text in texts][-1]


def told(reply: Reply) -> dict[str | None, str | None]:
    return {act.slot: act.value for act in reply.acts if act.act == "inform"}


def test_an_offer_can_be_brief_plain_or_rich() -> None:
    wish = "a cheap Indian restaurant in the east"
    assert set(told(said("brief", wish))) == {"type"}
    assert set(told(said("plain", wish))) == {"type", "food", "pricerange", "area"}
    rich = said("rich", wish)
    assert set(told(rich)) == {"type", "food", "pricerange", "area", "phone", "address"}
    assert "01555 792 961" in rich.text
    assert "31 Abbey Walk" in rich.text


def test_a_brief_offer_still_answers_what_was_asked() -> None:
    reply = said("brief", "the phone number of a cheap Indian restaurant in the east")
    assert told(reply)["phone"] == "01555 792 961"


def test_a_question_can_echo_what_was_understood() -> None:
    reply = said("echo", "a pub")
    assert told(reply) == {"type": "pub"}
    assert reply.text.startswith("Very well: a pub.")
    assert reply.text.endswith("?")
    assert said("echo", "un pub", language="it").text.startswith("Va bene: un pub.")


@given(
    st.sampled_from(["plain", "brief", "rich", "echo"]),
    st.lists(
        st.sampled_from(
            [
                "a pub",
                "any",
                "north",
                "cheap",
                "the phone",
                "address",
                "anything else",
                "Chinese",
                "a restaurant",
                "not north",
                "no",
                "yes",
                "repeat",
            ]
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_every_manner_tells_the_truth_in_words(manner: str, texts: list[str]) -> None:
    reply = said(manner, *texts)
    venue = DOMAIN.venue(next((act.value for act in reply.acts if act.slot == "name"), None))
    for slot, value in told(reply).items():
        if venue is not None and slot in venue.slots:
            assert value == venue.slots[slot]
    assert reply.text.strip()
    assert "None" not in reply.text


def test_exploring_finds_the_better_manner() -> None:
    chooser = Exploring(seed=3)
    for _ in range(300):
        manner = chooser.choose("offer poor sure", MANNERS["offer"])
        chooser.learn([("offer poor sure", manner)], {"plain": 1.0, "brief": 0.0, "rich": 2.0}[manner])
    found = chooser.policy()["offer poor sure"]
    assert max(found, key=lambda manner: found[manner]["value"]) == "rich"
    assert found["rich"]["tried"] > 200
    assert min(one["tried"] for one in found.values()) > 5


def test_what_was_learnt_is_chosen_and_the_unknown_is_told_plainly() -> None:
    text = '{"policy": {"ask poor sure": {"plain": {"value": 1}, "echo": {"value": 2, "tried": 9}}}}'
    learnt = Learnt(read_policy(text))
    assert learnt.choose("ask poor sure", MANNERS["ask"]) == "echo"
    assert learnt.choose("ask clear sure", MANNERS["ask"]) == "plain"


def test_the_shipped_policy_names_known_manners_only() -> None:
    learnt = Learnt.shipped()
    assert len(learnt._values) >= 15
    for situation, known in learnt._values.items():
        kind, grade, sure = situation.split()
        assert set(known) <= set(MANNERS[kind])
        assert grade in ("clear", "fair", "poor")
        assert sure in ("sure", "unsure")


def test_how_well_a_user_is_heard_is_a_mean_over_his_turns() -> None:
    heard = Heard()
    assert heard.grade() == "clear"
    for score in (0.9, 0.1, 0.1):
        heard.add(score)
    assert heard.grade() == "fair"


def test_a_learner_credits_the_choices_of_the_dialogue_that_is_over() -> None:
    learner = Learner(seed=2)
    session = {"conversation": "c", "language": "en", "heard": []}
    asyncio.run(learner.answer("", session))
    asyncio.run(learner.answer("a pub in the north", session))
    learner.learn("c", 7.0)
    learner.learn("never held", -100.0)
    values = [one["value"] for known in learner.learnt().values() for one in known.values()]
    assert values == [7.0]
