"""The ladder stops at the first rung that decides, and guards and similarity only ever suspect."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from vivavoce.core.statement import LocalizedText
from vivavoce_stress.cascade import Verdict, admit, judge, judge_texts, with_model
from vivavoce_stress.heuristics import compare, dates, filling, names, negated, numbers
from vivavoce_stress.replay import Replayed
from vivavoce_stress.runs import overall
from vivavoce_stress.scores import agree

LABELLED = YAML(typ="safe").load(
    (Path(__file__).resolve().parents[2] / "golden" / "stress-verdicts.yaml").read_text(encoding="utf-8")
)


def act(name: str, slot: str | None = None, value: str | None = None) -> dict[str, Any]:
    return {"act": name, "slot": slot, "value": value, "op": "=" if value else None}


def replayed(
    *answers: tuple[str, list[dict[str, Any]] | None], met: bool | None = None, **more: Any
) -> Replayed:
    """A replay whose first user turn is the utterance under test."""
    turns: list[dict[str, Any]] = []
    for text, acts in answers:
        turns += [
            {"party": "user", "text": "u"},
            {"party": "system", "text": text, "acts": acts, "understood": None},
        ]
    return Replayed(turns, 0, met, **more)


def test_the_goal_of_the_dialogue_decides_before_anything_else() -> None:
    clean = replayed(("Here it is.", None), met=True)
    missed = judge([clean], replayed(("Here it is.", None), met=False), "en")
    assert (missed.verdict, missed.rung) == ("fail", "task_outcome")
    longer = replayed(("Where?", None), ("Here it is.", None), met=True)
    assert judge([clean], longer, "en").verdict == "clarification"
    assert judge([clean], replayed(("Voilà!", None), met=True), "en").verdict == "pass"


def test_acts_decide_where_no_goal_is_known() -> None:
    clean = replayed(("Which area?", [act("request", "area")]))
    same = judge([clean], replayed(("What part of town?", [act("request", "area")])), "en")
    assert (same.verdict, same.rung) == ("pass", "acts")
    other = judge([clean], replayed(("Which food?", [act("request", "food")])), "en")
    assert (other.verdict, other.rung) == ("fail", "acts")
    assert "request(area) became request(food)" in str(other.reason)


def test_a_replay_in_which_the_system_told_no_acts_does_not_make_it_a_system_that_varies() -> None:
    told, silent = replayed(("Which area?", [act("request", "area")])), replayed(("Where?", None))
    other = judge([told, silent], replayed(("Which food?", [act("request", "food")])), "en")
    assert (other.verdict, other.rung) == ("fail", "acts")


@pytest.mark.parametrize(
    ("own", "alike", "speaks"),
    [(0.9, 0.36, "fail"), (0.5, 0.36, "pass"), (0.4, 0.36, "pass"), (0.9, 0.5, "pass")],
    ids=["steady", "varied", "more varied", "half alike"],
)
def test_an_answer_may_be_as_unlike_as_the_systems_own_answers_are_to_each_other(
    own: float, alike: float, speaks: str
) -> None:
    """The least alike pair of three answers to the original sets the measure; half alike is always enough."""
    known = {("b a", "c a"): 0.9, ("b a", "d a"): own, ("c a", "d a"): 0.8}
    found = judge_texts(["b a", "c a", "d a"], "e a", "en", lambda one, other: known.get((one, other), alike))
    assert (found.rung, found.suspicion, found.similarity) == ("similarity", speaks, alike)


def test_answers_are_of_one_pattern_where_they_share_at_least_half_of_their_words() -> None:
    short = "We offer cheap pizza today", "We sell fine pasta today"
    assert filling(*short, "en") is None
    longer = tuple(f"{one} to all our guests" for one in short)
    assert filling(*longer, "en") == ("offer cheap pizza", "sell fine pasta")


def test_a_system_that_asks_again_and_then_goes_on_alike_needed_clarification() -> None:
    clean = replayed(("Which area?", [act("request", "area")]))
    again = replayed(("Pardon?", [act("repeat")]), ("Which area?", [act("request", "area")]))
    assert judge([clean], again, "en").verdict == "clarification"
    lost = replayed(("Pardon?", [act("repeat")]), ("Bye.", [act("bye")]))
    assert judge([clean], lost, "en").verdict == "fail"


def test_a_system_that_asks_which_is_meant_and_then_goes_on_alike_needed_clarification() -> None:
    """A question to which the original did not lead hinders the user: no pass; but he is served: no fail."""
    clean = replayed(("Got it. Anything else?", [act("reqmore")]))
    which = (
        "Do you mean one of these: bread, rice?",
        [act("select", "food", one) for one in ("bread", "rice")],
    )
    settled = judge([clean], replayed(which, ("Got it. Anything else?", [act("reqmore")])), "en")
    assert (settled.verdict, settled.rung, settled.score) == ("clarification", "acts", 0.0)
    assert "select(food=bread)" in str(settled.reason)
    astray = judge([clean], replayed(which, ("I leave it out. Bye.", [act("bye")])), "en")
    assert (astray.verdict, astray.rung) == ("fail", "acts")


def test_a_system_that_asks_which_after_the_original_too_is_judged_by_what_it_offers() -> None:
    def which(*foods: str) -> Replayed:
        return replayed(("Which?", [act("select", "food", one) for one in foods]), ("Yes.", [act("affirm")]))

    assert judge([which("bread", "rice")], which("bread", "rice"), "en").verdict == "pass"
    assert judge([which("bread", "rice")], which("apples", "pears"), "en").verdict == "fail"
    assert admit(which("bread", "rice"), "en") is None


def test_a_system_that_varies_by_itself_is_not_failed_for_varying() -> None:
    clean = [replayed(("A", [act("request", "area")])), replayed(("B", [act("request", "food")]))]
    found = judge(clean, replayed(("C", [act("request", "price")])), "en")
    assert found.verdict == "unsure"


def test_the_same_words_pass_whatever_their_capitals_accents_and_points() -> None:
    clean = replayed(("Il caffè è chiuso.", None))
    found = judge([clean], replayed(("il caffe è CHIUSO", None)), "it")
    assert (found.verdict, found.rung) == ("pass", "exact_match")


def replayed_on(said: str, *answers: str) -> Replayed:
    """Turns of a system that only speaks: `said`, then `go on` as often as it answers."""
    whole = replayed(*((text, None) for text in answers))
    for number, turn in enumerate(whole.turns[::2]):
        turn["text"] = "go on" if number else said
    return whole


@pytest.mark.parametrize(
    ("clean", "later", "verdict"),
    [
        (["I booked you a room for Friday."], "I booked you a room for Friday.", "pass"),
        (["I booked you a room for Friday."], "I booked you a room for Monday.", "fail"),
        (["I booked you a room for Friday."], "All is arranged for two people.", "unsure"),
        (["A room for Friday.", "A room for Tuesday."], "A room for Monday.", "pass"),
        (["Fine, Friday it will be."], "Good, so it will be Friday.", "pass"),
    ],
)
def test_the_same_answer_passes_only_where_the_system_also_goes_on_alike(
    clean: list[str], later: str, verdict: str
) -> None:
    originals = [replayed_on("the fifth day", "At what time?", one) for one in clean]
    found = judge(originals, replayed_on("the fith day", "At what time?", later), "en")
    assert (found.verdict, found.suspicion) == (verdict, "fail" if verdict == "unsure" else None)


def test_a_later_answer_that_only_repeats_the_users_other_word_is_left_to_a_person() -> None:
    clean = replayed_on("I want a sofa taken", "When?", "We will take the sofa on that day.")
    variant = replayed_on("I want a settee taken", "When?", "We will take the settee on that day.")
    assert judge([clean], variant, "en").verdict == "unsure"


def test_a_failure_of_the_system_after_the_variant_is_no_pass_and_before_it_no_verdict() -> None:
    clean = replayed(("Here it is.", None))
    after = Replayed([{"party": "user", "text": "u"}], 0, failure="timeout: nothing came")
    assert judge([clean], after, "en").verdict == "fail"
    assert judge([clean], Replayed(failure="unreachable: gone"), "en").verdict == "unsure"


@pytest.mark.parametrize(
    ("clean", "why"),
    [
        (replayed(("Here.", None), met=False), "goal"),
        (replayed(("Sorry, I didn't understand.", None)), "did not understand"),
        (replayed(("x", None), failure="timeout: t"), "failed"),
        (Replayed([{"party": "system", "text": "Bye."}]), "ended the dialogue"),
    ],
)
def test_an_original_that_does_not_pass_is_not_admitted_and_told_why(clean: Replayed, why: str) -> None:
    assert why in str(admit(clean, "en"))
    assert admit(replayed(("Here.", None)), "en") is None


def test_guards_name_what_may_not_differ() -> None:
    for language, reference, answer, differs in [
        ("en", "It costs twenty-five pounds.", "It costs 25 pounds.", ""),
        ("en", "It leaves at 18:30.", "It leaves at 8:30.", "numbers"),
        ("en", "Your balance is 20 euros.", "Your balance is €20.00.", ""),
        ("it", "Costa ventotto euro.", "Costa 28 euro.", ""),
        ("it", "Il saldo è di 20 euro.", "Il saldo è di 20,00 euro.", ""),
        ("it", "Sono quarantuno.", "Sono 42.", "numbers"),
        ("en", "See you on Monday.", "See you on Tuesday.", "dates"),
        ("it", "Parte lunedì.", "Parte martedì.", "dates"),
        ("it", "La carta è bloccata.", "La carta non è bloccata.", "negation"),
        ("en", "Shall I book it?", "I have booked it.", "question"),
        ("en", "I called Anna Rossi.", "I called Marco Verdi.", "names"),
    ]:
        found = compare(reference, answer, language)
        assert bool(found.found) == bool(differs)
        assert differs in " ".join(map(str, found.found))


def test_guards_read_numbers_dates_and_names_for_themselves() -> None:
    assert sorted(numbers("Ventuno o 3,50 alle 18:30", "it").elements()) == ["18:30", "21", "3.50"]
    assert dates("domani o mercoledì", "it") == {"+1", "day 2"}
    assert names("Hello. The train to Milan stops in Lodì.") == {"milan", "lodi"}
    assert negated("It isn't there", "en") and not negated("It is there", "en")


@given(st.text(max_size=80), st.text(max_size=80), st.sampled_from(["en", "it", "de"]))
def test_guards_and_similarity_never_decide(reference: str, answer: str, language: str) -> None:
    for alike in (None, lambda one, other: 0.99, lambda one, other: -0.2):
        found = judge_texts([reference], answer, language, alike)
        assert found.verdict == "unsure" or found.rung in ("exact_match", "evidence")
        assert found.rung in ("exact_match", "evidence") or found.suspicion in (
            "pass",
            "fail",
            "clarification",
        )


def test_a_model_is_heard_only_where_the_ladder_is_unsure() -> None:
    unsure = Verdict("unsure", "guards", LocalizedText("r"), suspicion="pass")
    said = with_model(unsure, ("fail", "said {so}"))
    assert (said.verdict, said.rung, str(said.reason)) == ("fail", "model", "said {so}")
    sure = Verdict("pass", "acts", LocalizedText("r"))
    assert with_model(sure, ("fail", "said so")) is sure
    assert with_model(unsure, None) is unsure


def test_most_of_the_repetitions_decide_and_a_tie_is_no_pass() -> None:
    good, bad, again = (
        Verdict(kind, "acts", LocalizedText("r")) for kind in ("pass", "fail", "clarification")
    )  # type: ignore[arg-type]
    assert overall([good, bad, good]).verdict == "pass"
    assert overall([good, bad]).verdict == "fail"
    assert overall([again, bad, bad]).verdict == "fail"
    assert str(overall([good, bad, good]).reason) == "2 of 3 replays passed; r"


@pytest.mark.parametrize(("part", "least"), [("tuning", 0.75), ("unseen", 0.75)])
def test_ladder_and_a_person_agree_on_hand_labelled_answers(part: str, least: float) -> None:
    """Half of 100 pairs was not looked at while guards were written; the figures stand in the how-to."""
    pairs: list[tuple[bool, bool]] = []
    for language in ("en", "it"):
        assert len(LABELLED[part][language]) == 25
        for reference, answer, label in LABELLED[part][language]:
            found = judge_texts([reference], answer, language)
            said = found.suspicion if found.verdict == "unsure" else found.verdict
            pairs.append((label == "pass", said == "pass"))
    facts = agree(pairs)
    assert facts is not None and facts["low"] > least and facts["kappa_low"] > 0.5, facts
    expected = {"tuning": 46, "unseen": 45}
    assert facts["same"] == expected[part], "write the new figure into docs/how-to/stress-test-a-bot.md"
