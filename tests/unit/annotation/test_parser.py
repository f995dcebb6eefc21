"""What typed turns mean, in the domain that we ship."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.annotation.parsers import make_parser
from vivavoce.log.events import LoggedAct
from vivavoce.study.ontology import load_ontology

DOMAIN = Path(__file__).resolve().parents[3] / "src/vivavoce/study/domains/restaurants.yaml"
ONTOLOGY = load_ontology(DOMAIN)
parse = make_parser(ONTOLOGY)


def said(text: str, language: str = "en", *before: LoggedAct) -> set[str]:
    acts = parse(text, language, list(before))
    return {f"{act.act}({act.slot or ''}{act.op or ''}{act.value or ''})" for act in acts}


def test_values_kinds_and_requests_are_found_in_one_turn() -> None:
    assert said("I want a cheap chinese restaurant, what is the phone number?") >= {
        "inform(type=restaurant)",
        "inform(food=chinese)",
        "inform(pricerange=cheap)",
        "request(phone)",
    }


def test_the_same_goal_is_found_in_italian() -> None:
    assert said("Cerco un ristorante cinese economico. Qual è il numero di telefono?", "it") >= {
        "inform(type=restaurant)",
        "inform(food=chinese)",
        "inform(pricerange=cheap)",
        "request(phone)",
    }


def test_indifference_is_about_what_was_just_asked() -> None:
    asked = LoggedAct(act="request", slot="area")
    assert said("I don't care", "en", asked) == {"inform(area=dontcare)"}


def test_a_negated_value_is_an_exclusion() -> None:
    assert "inform(food!=chinese)" in said("not chinese please")


def test_yes_to_a_confirmation_is_a_yes_and_the_system_said_to_what() -> None:
    asked = LoggedAct(act="confirm", slot="food", value="thai", op="=")
    assert said("yes", "en", asked) == {"affirm()"}


def test_turns_are_read_by_the_rules_that_the_parser_states() -> None:
    for text, language, expected in [
        ("dont care about the price range", "en", {"inform(pricerange=dontcare)"}),
        ("and is it thai food", "en", {"confirm(food=thai)"}),
        ("how about greek", "en", {"reqalts()", "inform(food=greek)"}),
        ("price range please", "en", {"request(pricerange)"}),
        ("a cheap price range", "en", {"inform(pricerange=cheap)"}),
        ("vegatarian food", "en", {"inform(food=vegetarian)"}),
        ("start over", "en", {"restart()"}),
        ("è greco?", "it", {"confirm(food=greek)"}),
        ("e se fosse greco?", "it", {"reqalts()", "inform(food=greek)"}),
        ("non m'importa la zona", "it", {"inform(area=dontcare)"}),
        ("ristorante vegeterrano", "it", {"inform(type=restaurant)"}),
    ]:
        assert said(text, language) == expected


def test_asking_for_another_place_is_a_request_for_alternatives() -> None:
    assert "reqalts()" in said("is there anything else?") and "reqalts()" in said("ce ne sono altri?", "it")


def test_words_inside_other_words_are_not_found() -> None:
    assert not any("chinese" in act for act in said("indochinese pricey"))


def test_a_language_that_the_domain_does_not_speak_means_nothing() -> None:
    assert parse("billiges chinesisches Restaurant", "de", []) == []


@given(st.text(max_size=200), st.sampled_from(["en", "it"]))
def test_any_text_gives_acts_of_the_domain_and_never_fails(text: str, language: str) -> None:
    for act in parse(text, language, []):
        assert act.slot in {None, "type", *ONTOLOGY.slots}


@pytest.mark.parametrize("language", ["en", "it"])
def test_every_value_is_found_by_its_own_words(language: str) -> None:
    missed = [
        (slot, value)
        for slot, facts in ONTOLOGY.slots.items()
        for value in facts.values
        if f"inform({slot}={value})" not in said(ONTOLOGY.rendering(slot, value, language).text, language)
    ]
    assert missed == []
