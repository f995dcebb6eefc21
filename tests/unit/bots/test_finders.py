"""What the finders of venues hold in mind: when a place is open, what is not wanted, what was offered."""

import pytest

from vivavoce_bots.catalogue import BOTS


def last(name: str, language: str, said: tuple[str, ...]) -> str:
    bot = BOTS[name].make(BOTS[name].variants[0], 1, None)
    session = bot.session("c", language)
    bot.greet(session)
    return [bot.reply(session, [(text, None)]).text for text in said][-1]


@pytest.mark.parametrize(
    ("name", "language", "said", "told", "not_told"),
    [
        # a day is a constraint, also of another place where the one on offer is closed then
        ("restaurant", "en", ("a Chinese place, open on Mondays",), "no restaurant", "Spoon is"),
        ("restaurant", "it", ("un pub a est", "il lunedì è aperto?", "un altro"), "lunedì", "Badger è"),
        ("restaurant", "en", ("an Italian place, centre, open Sunday", "White Heron"), "Monday-", "on S"),
        # what is not wanted is enough, and is not asked for
        ("restaurant", "en", ("an Italian place, nothing too posh", "north"), "Quince", "would"),
        ("restaurant", "it", ("un pub a nord", "qualcosa di meno caro?"), "Ferryman", "Mi dispiace"),
        # what there is, and which of it
        ("restaurant", "en", ("cheap, in the centre, what is there?", "the second one"), "Anchor", "Amber"),
        ("boris", "en", ("a restaurant", "what have you got?"), "Chinese, French", "cannot"),
        # what nobody knows, in one sentence, not said back
        ("restaurant", "en", ("cheap Italian near the river",), "what is nearby; I", "river"),
        ("restaurant", "en", ("a pub, centre", "the one with the red door?"), "not know that", "Tulip"),
        ("boris", "it", ("un ristorante", "il pub fa da mangiare?"), "non lo so", "Va bene: un pub"),
        # values of one turn are taken and said together
        ("boris", "en", ("table for four tonight at 7, Italian, centre",), "White Heron", "?"),
        ("boris", "it", ("indiano, domani alle 20, zona est",), "zona est per sabato alle 20:00", "Ha detto"),
        ("boris", "en", ("a pub in the west. Today. 8.",), "at 20:00", "?"),
        ("boris", "en", ("Italian, in the south", "no, the north"), "north", "which cuisine"),
        # who is called dear wants nothing dear; who gives up has left
        ("restaurant", "it", ("buonasera cara, un pub in centro",), "Anchor", "prezzo"),
        ("restaurant", "en", ("a cheap pub", "not that. Forget it, I'm ordering pizza"), "oodbye", "Italian"),
    ],
)  # fmt: skip
def test_a_finder_keeps_in_mind_what_was_said(
    name: str, language: str, said: tuple[str, ...], told: str, not_told: str
) -> None:
    text = last(name, language, said)
    assert told in text
    assert not_told not in text
