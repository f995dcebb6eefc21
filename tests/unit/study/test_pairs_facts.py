"""What a system tells, and that two versions of a conversation tell the same."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.pairs import Pair, PairText, PairTurn, read_transcript
from vivavoce.study.pairs_check import Balance, judge_pair
from vivavoce.study.pairs_facts import facts_of
from vivavoce.study.pairs_meaning import disagreements, tells_facts

CONVERSATIONS = Path(__file__).parents[3] / "benchmarks" / "pair_check" / "building.yaml"


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
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
    ],
)
def test_one_fact_is_read_alike_however_it_is_written(language: str, one: str, other: str) -> None:
    found = [[told.value for told in facts_of(text, language).values] for text in (one, other)]
    assert found[0] and found[0] == found[1]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "Come at 6 am.", "Come at 6 pm."),
        ("en", "Come on Tuesday.", "Come on Thursday."),
        ("en", "It takes 5 minutes.", "It takes 5 hours."),
        ("it", "Vieni domani.", "Vieni dopodomani."),
        ("it", "Al terzo piano.", "Al quarto piano."),
    ],
)
def test_other_facts_are_others(language: str, one: str, other: str) -> None:
    found = [[told.value for told in facts_of(text, language).values] for text in (one, other)]
    assert found[0] != found[1]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Se sei pronto, ci vediamo alle sei.", ["6"]),
        ("Se sei pronto.", []),
        ("Sei pronto?", []),
        ("Ci vediamo alle sei.", ["6"]),
        ("Bene, sei pronto.", []),
    ],
)
def test_the_six_of_italian_is_no_verb(text: str, values: list[str]) -> None:
    assert [told.value for told in facts_of(text, "it").values] == values


def pair(control: str, experimental: str, *equivalent: tuple[str, str]) -> PairText:
    both = (read_transcript(one) for one in (control, experimental))
    return PairText(control=next(both), experimental=next(both), equivalent=equivalent)


BOOKED = "User: Please book it.\nSystem: Booked, 80 euros."


def test_a_price_in_what_was_not_done_is_another_outcome() -> None:
    text = pair(BOOKED, "User: Please book it.\nSystem: Not booked: it would have been 80 euros.")
    assert disagreements(text.model_copy(update={"outcome": ("80 euros",)}), "en")


@pytest.mark.parametrize(
    "said",
    [
        "Do not worry, booked, 80 euros.",
        "How nice, a trip! Booked, 80 euros.",
        "Reserved, €80.",
        "No problem at all. Booked, eighty euros.",
    ],
)
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


@pytest.mark.parametrize(
    ("language", "text", "values"),
    [
        (
            "en",
            "It costs 80 $ or £5, 7.50 euros or €7,000.",
            ["80 dollar", "5 pound", "7.5 euro", "7000 euro"],
        ),
        ("en", "At 11 pm, at 12:30 pm or at 6:05.", ["23", "12:30", "6:05"]),
        ("en", "At 6:00 am, at 1 pm.", ["6", "13"]),
        ("en", "1,200 metres, 1.5 km, 2 hours.", ["1200 metre", "1500 metre", "120 minute"]),
        ("en", "An hour, one hour, one of them.", ["60 minute", "60 minute"]),
        ("en", "Two hundred, twenty five, twenty-five, ninety nine.", ["200", "25", "25", "99"]),
        ("en", "Two thousand three hundred forty five euros.", ["2345 euro"]),
        ("en", "Twenty three hundred, two thousand, two thousand five.", ["2300", "2000", "2005"]),
        ("en", "Five two, two five, ten ten.", ["5", "2", "2", "5", "10", "10"]),
        ("en", "On the 3rd of May, on May 3, on 3 May.", ["3 may"] * 3),
        ("en", "3 euros in July, 5 mostly boring July days.", ["3 euro", "july", "5", "july"]),
        ("en", "Order 12345678901, order 123456789012.5.", ["12345678901", "123456789012.5"]),
        ("en", "After two minutes 5 people came.", ["2 minute", "5"]),
        ("en", "May I come on Monday or tomorrow?", ["monday", "tomorrow"]),
        ("en", "It takes 3 more minutes.", ["3 minute"]),
        ("it", "Costa ventotto euro, ventuno, cento.", ["28 euro", "21", "100"]),
        ("it", "Un'ora, un euro, uno.", ["60 minute", "1 euro"]),
    ],
)
def test_quantities_and_times_are_read_with_what_they_count(
    language: str, text: str, values: list[str]
) -> None:
    assert [told.value for told in facts_of(text, language).values] == values


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("It is 80 euros.", ["told"]),
        ("It is not 80 euros.", ["denied"]),
        ("80 euros, it is not free.", ["told"]),
        ("80 euros it is not.", ["told"]),
        ("Is it 80 euros?", ["asked"]),
        ("It is 80 euros, is it 90 euros?", ["told", "asked"]),
        ("If it were 80 euros, it would be fine.", ["supposed"]),
    ],
)
def test_a_value_is_told_denied_asked_or_supposed_in_its_own_clause(text: str, states: list[str]) -> None:
    assert [told.state for told in facts_of(text, "en").values] == states


@pytest.mark.parametrize(
    ("text", "known", "names"),
    [
        ("Ask Mary. Mary knows.", (), ["mary"]),
        ("Ask Mary. Mary knows.", ("mary",), ["mary", "mary"]),
        ("We meet at Om, in Al, with Bob.", (), ["bob"]),
        ("I think: Maria, on Monday.", (), []),
        ("Take Lantern Street.", (), ["lantern", "street"]),
        ("“Giulia” is here, says “Marta”.", (), ["marta"]),
    ],
)
def test_names_are_capitalised_words_within_a_sentence(text: str, known: tuple, names: list[str]) -> None:
    assert facts_of(text, "en", known).names == names


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Yes.", {1}),
        ("No. It is closed.", {-1}),
        ("Yes, it is.", {1}),
        ("Yes it is.", set()),
        ("Yes! No?", {1, -1}),
    ],
)
def test_a_yes_or_no_that_stands_alone_is_an_answer(text: str, answers: set[int]) -> None:
    assert facts_of(text, "en").answers == answers


@pytest.mark.parametrize(
    ("text", "word", "form"),
    [
        ("The room is booked.", "booked", "done"),
        ("The room is not booked.", "booked", "denied"),
        ("The room is available.", "available", "plain"),
        ("The room would be available.", "available", "supposed"),
        ("Is the room available?", "available", "supposed"),
    ],
)
def test_a_word_is_told_in_the_form_in_which_it_stands(text: str, word: str, form: str) -> None:
    assert facts_of(text, "en").words[word, form] == 1  # type: ignore[index]


def test_words_that_carry_nothing_are_none_nor_are_numbers_and_short_ones() -> None:
    found = facts_of("The room with 12345 and a bed is at Om and was not booked.", "en").words
    assert found == {("room", "plain"): 1, ("bed", "plain"): 1, ("booked", "denied"): 1}


@pytest.mark.parametrize(
    ("said", "told"),
    [("It costs 80 euros.", True), ("Ask Mary.", True), ("It is open.", True), ("How nice of you.", False)],
)
def test_an_outcome_can_be_compared_by_a_value_a_name_or_an_opposite(said: str, told: bool) -> None:
    assert tells_facts(pair(f"System: {said}", "System: Hello."), "en") is told


ASKED = "User: Is it open?\nSystem: {}"


@pytest.mark.parametrize(
    ("control", "experimental", "problem"),
    [
        ("It is 80 euros.", "Good news: it is 80 euros.", None),
        ("It is 80 euros.", "It is 90 euros.", "says 80 euro where the experimental version says 90 euro"),
        ("It is 80 euros.", "It is cheap.", "where the experimental version says nothing"),
        ("At 5, then at 6.", "At 6, then at 5.", "are in a different order: 5, 6 and 6, 5"),
        ("It is 80 euros.", "Is it 80 euros?", "80 euro is stated as true in the control and asked"),
        ("Ask Mary.", "Ask Al or Mary.", None),
        ("Ask Mary.", "Ask Mary or Thomas.", "only the experimental version names thomas"),
        ("Ask Mary or Thomas.", "Ask Mary.", "only the control names thomas"),
        ("Ask Mary.", "Ask Thomas.", "says mary where the experimental version says thomas"),
        ("Ask Mary or Thomas.", "Ask Thomas or Mary.", "names are in a different order"),
        ("Yes, it is.", "No, it is.", "one version says yes and the other no"),
        ("Yes, it is.", "It is.", None),
        ("It is booked.", "It is not booked.", "only the experimental version denies “booked”"),
        ("It is not booked.", "It is booked.", "only the control denies “booked”"),
        ("The table is available.", "The table is unavailable.", "only the experimental version denies"),
        ("The table is available.", "The table might be available.", "as uncertain"),
    ],
)
def test_what_both_versions_do_not_tell_alike_is_named(
    control: str, experimental: str, problem: str | None
) -> None:
    found = [
        str(one.problem)
        for one in disagreements(pair(ASKED.format(control), ASKED.format(experimental)), "en")
    ]
    if problem is None:
        assert found == []
    else:
        assert any(problem in one for one in found), found


CANNOT = "says that it cannot help or does not know"
ELSEWHERE, TROUBLE = "refers the user elsewhere", "reports a problem"


@pytest.mark.parametrize(
    ("control", "experimental", "version", "said"),
    [
        ("I reserved a seat.", "I reserve a seat.", "the control", "states “reserved” as done"),
        ("I reserve a seat.", "I reserved a seat.", "the experimental version", "states “reserve” as done"),
        ("I can not help you.", "Here it is.", "the control", CANNOT),
        ("Here it is.", "I can not help you.", "the experimental version", CANNOT),
        ("Please speak to an operator.", "Here it is.", "the control", ELSEWHERE),
        ("Here it is.", "Please speak to an operator.", "the experimental version", ELSEWHERE),
        ("An error occurred.", "Here it is.", "the control", TROUBLE),
        ("Here it is.", "An error occurred.", "the experimental version", TROUBLE),
        ("The seat might be free.", "The seat is free.", "the control", "states “free” as uncertain"),
    ],
)
def test_what_only_one_version_does_or_says_against_itself_is_named_with_the_version(
    control: str, experimental: str, version: str, said: str
) -> None:
    text = pair(ASKED.format(control), ASKED.format(experimental))
    found = [str(one.problem) for one in disagreements(text, "en")]
    assert any(one == f"only {version} {said}" for one in found), found


@pytest.mark.parametrize(
    ("control", "experimental"),
    [
        ("I can not help you.", "I am not able to help you."),
        ("I can not help you.", "I did not understand."),
        ("I did not understand.", "I can not help you."),
        ("An error occurred.", "There is a server problem."),
    ],
)
def test_what_both_versions_say_against_themselves_is_no_difference(control: str, experimental: str) -> None:
    text = pair(ASKED.format(control), ASKED.format(experimental))
    found = [str(one.problem) for one in disagreements(text, "en")]
    assert not any(kind in one for one in found for kind in (CANNOT, ELSEWHERE, TROUBLE)), found
