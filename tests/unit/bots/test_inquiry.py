"""Questions about where a conversation stands are answered from the state."""

import pytest

from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.dialogue.gist import pertinent
from vivavoce_bots.dialogue.inquiry import inquired


@pytest.mark.parametrize(
    ("language", "text", "asked", "rest"),
    [
        ("en", "Yes. Is it booked now or not?", "done", "Yes."),
        ("en", "What have you got so far?", "noted", ""),
        ("en", "Tell me whether it is done.", "done", ""),
        ("en", "No, Friday, is that today?", None, None),
        ("en", "Is tomorrow Saturday? Then yes.", "today", "Then yes."),
        ("en", "Do I have to do anything else?", "next", ""),
        ("it", "Ma l'avete rinnovato o no?", "done", ""),
        ("it", "Che cosa ha capito finora?", "noted", ""),
        ("it", "E adesso cosa devo fare?", "next", ""),
        # how something is done, what there is, and wishes ask of the matter
        ("en", "How is it booked?", None, None),
        ("en", "Have you got plasters?", None, None),
        ("en", "Could I have it reserved?", None, None),
        ("it", "Si può rinnovare?", None, None),
    ],
)
def test_a_question_about_the_state_is_told_apart(
    language: str, text: str, asked: str | None, rest: str | None
) -> None:
    found = inquired(text, language, lambda *_: True)
    assert (found.asked if found else None, found.rest if found else None) == (asked, rest)


@pytest.mark.parametrize(
    ("bot", "language", "said", "has", "has_not"),
    [
        ("restaurant", "it", ("un pub a nord", "altro?", "l'indirizzo del primo?"), "Crooked", "Ferryman"),
        ("boris", "en", ("a Greek restaurant", "yes", "what have you noted so far?"), "Greek", "cannot tell"),
    ],
)
def test_where_things_stand_is_told(
    bot: str, language: str, said: tuple[str, ...], has: str, has_not: str
) -> None:
    talks = BOTS[bot].make(BOTS[bot].variants[0], 1, None)
    session = talks.session("inquiry", language)
    talks.greet(session)
    last = [talks.reply(session, [(one, None)]).text for one in said][-1]
    assert has in last and has_not not in last


def test_reasons_are_passed_over_but_for_what_only_they_tell() -> None:
    def days(text: str) -> set[str]:
        return {"day"} if "Sunday" in text or "Saturday" in text else set()

    reason = "On Sunday would be nice, because on Saturday she has her hair done."
    assert "Saturday" not in pertinent(reason, "en", days)
    assert (
        pertinent("Please, because on Saturday I leave.", "en", days)
        == "Please, because on Saturday I leave."
    )
