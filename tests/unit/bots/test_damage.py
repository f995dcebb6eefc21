"""Known damage: the amount that was asked for, the same for the same seed."""

from itertools import pairwise

import pytest

from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.damage import Damage, DamagedBot, DamageError, damaged
from vivavoce_bots.engine.search_bot import SearchBot

BOT = SearchBot("restaurant", "nbest")
VENUES = BOT.engine("en").bot.table
WISH = "an Italian restaurant, any area, any price range"


class Echo:
    """Says what it heard, with the number of turns that it remembers."""

    name = "echo"

    def session(self, conversation: str, language: str = "en") -> list[str]:
        return []

    def greet(self, session: list[str]) -> Reply:
        return Reply("hello", (Act("hello"),), (), False)

    def reply(self, session: list[str], texts: object) -> Reply:
        ((text, _),) = texts  # type: ignore[misc]
        session.append(text)
        return Reply(f"{len(session)}: {text}", (Act("inform"),), (), False)


def say(bot: DamagedBot, turns: int, text: str = "one two three four five") -> list[str]:
    session = bot.session("c")
    return [bot.reply(session, [(f"{text} {number}", None)]).text for number in range(turns)]


def test_a_bot_that_is_only_slow_is_the_bot_itself() -> None:
    assert damaged(BOT, Damage(delay_s=1, fail_rate=0.5)) is BOT
    assert damaged(BOT, Damage(forget=0.1)) is not BOT


def test_as_many_words_are_misheard_as_asked_for() -> None:
    heard = say(DamagedBot(Echo(), Damage(wer=0.3)), 1000)
    kept = sum(word in line.split() for line in heard for word in ("one", "two", "three", "four", "five"))
    assert 0.67 < kept / 5000 < 0.73


def test_as_many_turns_begin_afresh_as_asked_for() -> None:
    heard = say(DamagedBot(Echo(), Damage(forget=0.25)), 2000)
    assert 0.22 < sum(line.startswith("1:") for line in heard) / 2000 < 0.28


def test_as_many_turns_are_repeated_as_asked_for() -> None:
    heard = say(DamagedBot(Echo(), Damage(repeat=0.25)), 2000)
    repeated = sum(one == other for one, other in pairwise(heard))
    assert 0.22 < repeated / 2000 < 0.28


def test_the_same_seed_and_conversation_give_the_same_damage() -> None:
    damage = Damage(wer=0.3, forget=0.2, repeat=0.2)
    assert say(DamagedBot(Echo(), damage, 4), 50) == say(DamagedBot(Echo(), damage, 4), 50)
    assert say(DamagedBot(Echo(), damage, 4), 50) != say(DamagedBot(Echo(), damage, 5), 50)


def test_a_wrong_venue_is_of_another_kind_and_keeps_its_name() -> None:
    bot = DamagedBot(BOT, Damage(wrong_venue=1.0))
    session = bot.session("c")
    offer, told = bot.reply(session, [(WISH, None)]), bot.reply(session, [("the phone number", None)])
    names = {act.value for reply in (offer, told) for act in reply.acts if act.slot == "name"}
    (name,) = names
    assert name is not None and VENUES[name]["type"] != "restaurant"
    assert name in offer.text and name in told.text


def test_as_many_conversations_are_misnamed_as_asked_for() -> None:
    bot = DamagedBot(BOT, Damage(wrong_venue=0.2))
    assert 0.17 < sum(bot.session(str(number)).misnames for number in range(2000)) / 2000 < 0.23


def test_a_bot_without_venues_cannot_name_wrong_ones() -> None:
    with pytest.raises(DamageError, match="offers no venues"):
        DamagedBot(Echo(), Damage(wrong_venue=0.1))
