"""What a system tells, and that two versions of a conversation tell the same."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.pairs import Pair, PairText, PairTurn, read_transcript
from vivavoce.study.pairs_check import Balance, judge_pair
from vivavoce.study.pairs_facts import facts_of
from vivavoce.study.pairs_meaning import disagreements

CONVERSATIONS = Path(__file__).parents[3] / "benchmarks" / "pair_check" / "building.yaml"


@pytest.mark.parametrize(("language", "one", "other"), [
    ("en", "It costs €80.", "It costs eighty euros."),
    ("en", "We close at 6:30 pm.", "We close at half past six in the evening."),
    ("en", "Come on 3 May.", "Come on May 3rd."),
    ("en", "It takes two hours.", "It takes 120 minutes."),
    ("en", "Twenty-five people.", "25 people."),
    ("en", "Take it twice a day.", "Take it two times per day."),
    ("it", "Costa 7,50 euro.", "Costa 7 euro e 50."),
    ("it", "Alle otto meno un quarto.", "Alle 7:45."),
    ("it", "Dura mezz'ora.", "Dura trenta minuti."),
    ("it", "Sono 1.200 metri.", "Sono 1,2 km."),
])  # fmt: skip
def test_one_fact_is_read_alike_however_it_is_written(language: str, one: str, other: str) -> None:
    found = [[told.value for told in facts_of(text, language).values] for text in (one, other)]
    assert found[0] and found[0] == found[1]


@pytest.mark.parametrize(("language", "one", "other"), [
    ("en", "Come at 6 am.", "Come at 6 pm."),
    ("en", "Come on Tuesday.", "Come on Thursday."),
    ("en", "It takes 5 minutes.", "It takes 5 hours."),
    ("it", "Vieni domani.", "Vieni dopodomani."),
    ("it", "Al terzo piano.", "Al quarto piano."),
])  # fmt: skip
def test_other_facts_are_others(language: str, one: str, other: str) -> None:
    found = [[told.value for told in facts_of(text, language).values] for text in (one, other)]
    assert found[0] != found[1]


def test_the_six_of_italian_is_no_verb() -> None:
    values = [told.value for told in facts_of("Se sei pronto, ci vediamo alle sei.", "it").values]
    assert values == ["6"]


def pair(control: str, experimental: str, *equivalent: tuple[str, str]) -> PairText:
    both = (read_transcript(one) for one in (control, experimental))
    return PairText(control=next(both), experimental=next(both), equivalent=equivalent)


BOOKED = "User: Please book it.\nSystem: Booked, 80 euros."


def test_a_price_in_what_was_not_done_is_another_outcome() -> None:
    text = pair(BOOKED, "User: Please book it.\nSystem: Not booked: it would have been 80 euros.")
    assert disagreements(text.model_copy(update={"outcome": ("80 euros",)}), "en")


@pytest.mark.parametrize("said", [
    "Do not worry, booked, 80 euros.", "How nice, a trip! Booked, 80 euros.",
    "Reserved, €80.", "No problem at all. Booked, eighty euros.",
])  # fmt: skip
def test_a_strategy_changes_no_fact(said: str) -> None:
    assert disagreements(pair(BOOKED, f"User: Please book it.\nSystem: {said}"), "en") == []


def test_a_thing_that_was_not_asked_for_is_another() -> None:
    asked = "System: We have tea and cocoa.\nUser: Then cocoa, please.\nSystem: Here is your {}."
    assert disagreements(pair(asked.format("cocoa"), asked.format("tea")), "en")
    assert disagreements(pair(asked.format("cocoa"), asked.format("cocoa, enjoy it")), "en") == []


def test_phrases_that_the_author_calls_the_same_are_the_same() -> None:
    versions = ("System: It is open until midnight.", "System: It is never closed before midnight.")
    assert disagreements(pair(*versions), "en")
    assert disagreements(pair(*versions, ("open until", "never closed before")), "en") == []


TURNS = st.lists(
    st.builds(PairTurn, party=st.sampled_from(["system", "user"]), text=st.text(min_size=1, max_size=40)),
    max_size=4,
).map(tuple)


@given(TURNS, TURNS, st.sampled_from(["en", "it", "de"]))
def test_any_text_is_read_and_a_transcript_agrees_with_itself(one, other, language) -> None:
    disagreements(PairText(control=one, experimental=other), language)
    assert disagreements(PairText(control=one, experimental=one), language) == []


DIGITS = st.text("0123456789:.,-/ €$%°pmaè'’", min_size=1, max_size=30)


@given(DIGITS, st.sampled_from(["en", "it"]))
def test_figures_of_any_kind_are_read(text: str, language: str) -> None:
    facts_of(text, language)


def variants(which: str) -> list[tuple[str, Pair]]:
    found = []
    for one in read_yaml(CONVERSATIONS).data["conversations"]:
        for variant in one[which]:
            written = one["control"]
            for old, new in variant["edit"]:
                written = written.replace(old, new)
            text = {one["language"]: pair(one["control"], written)}
            found.append((one["language"], Pair(pair_id=one["id"], variable="v", text=text)))
    return found


def test_pairs_that_are_broken_on_purpose_are_unfit_and_fair_ones_are_not() -> None:
    broken = [judge_pair(one, language, Balance()).word for language, one in variants("broken")]
    assert set(broken) == {"unfit"} and len(broken) > 30
    fair = [judge_pair(one, language, Balance()).word for language, one in variants("fair")]
    assert "unfit" not in fair and len(fair) > 20
