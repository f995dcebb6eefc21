"""Sampling: one test an interaction, spread over tests; what cannot be applied, and why."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unit.stress.test_review import reviews_of
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.study.model import Study
from vivavoce_stress.base import TOLD_BEFORE, Utterance
from vivavoce_stress.content_words import changed_words, kind_changed
from vivavoce_stress.courtesies import is_courtesy
from vivavoce_stress.planning import RunChoice, approved_cases, plan_run, to_review
from vivavoce_stress.review import Reviews, proposed, reviewed
from vivavoce_stress.sampling import (
    TRIED,
    Interaction,
    ItemsTried,
    SampledItem,
    SampledTurn,
    interactions_of,
    item_of,
    proposing,
    sample,
    told_before,
)

SPELLING = ("ST-2", "ST-3", "ST-4")


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    """Twelve dialogues in two languages, the last of them spoken."""
    said = {"en": "I don't want a Greek restaurant in the centre, please", "it": "dov'è un ristorante greco?"}
    with DatasetWriter(tmp_path, study={"name": "s"}, source={"kind": "test"}) as writer:
        for number in range(12):
            language = "it" if number % 2 else "en"
            of = {"dialogue_id": f"d{number}"}
            dialogue: dict[str, Any] = {
                **of,
                "study": "s",
                "system": "bot",
                "condition": "bot",
                "language": language,
                "channel": "phone" if number >= 10 else "text",
                "simulated": False,
            }
            writer.add("dialogues", [dialogue])
            turns = [("system", "Hello."), ("user", said[language]), ("system", "Where?"), ("user", "42")]
            writer.add(
                "turns",
                [
                    {**of, "turn_index": place, "party": party, "text": text, "reference": text}
                    for place, (party, text) in enumerate(turns)
                ],
            )
            act = {**of, "turn_index": 1, "layer": "reference", "source": "label", "rank": 0, "position": 0}
            writer.add("acts", [{**act, "act": "inform", "slot": "food", "value": "greek", "op": "="}])
    return Dataset(tmp_path)


def plan(dataset: Dataset, reviews: Reviews | None = None, **choice: Any) -> Any:
    study: Any = Study.model_construct(name="s", tasks=())
    return plan_run(study, dataset, reviews or Reviews(), RunChoice(**choice), None)


def test_every_interaction_is_used_once_and_tests_get_equal_numbers(dataset: Dataset) -> None:
    made = plan(dataset, tests=SPELLING)
    assert len({case.dialogue_id for case in made.cases}) == len(made.cases) == 12
    assert max(Counter(case.test for case in made.cases).values()) <= 5
    assert {case.test for case in made.cases} == set(SPELLING)


def test_each_test_uses_an_interaction_again_with_one_substitution_each(dataset: Dataset) -> None:
    made = plan(dataset, tests=SPELLING, each_test=True)
    assert len(made.cases) == len({(case.dialogue_id, case.test) for case in made.cases})
    assert len({case.case_id for case in made.cases}) == len(made.cases)
    left = Counter(one["reason"] for one in made.not_applicable)
    assert left.pop("it does not apply to voice") == 2
    assert len(made.cases) + left.pop(TRIED) == 12 * len(SPELLING) - 2
    assert not left
    for case in made.cases:
        assert case.variant != case.original and case.turn_index == 1
        assert [one.text for one in case.after] == ["42"]
        assert {act.slot for act in case.original_acts} == {"food"}


def test_the_same_variant_of_the_same_words_is_tried_once(dataset: Dataset) -> None:
    """All dialogues of a language say the same here, and ST-2 runs out of variants of it."""
    for made in (plan(dataset, tests=SPELLING), plan(dataset, tests=SPELLING, each_test=True)):
        pairs = [(case.language, case.original, case.variant) for case in made.cases]
        assert len(set(pairs)) == len(pairs)
    reasons = Counter((one["test"], one["reason"]) for one in made.not_applicable)
    held = sum(case.test == "ST-2" for case in made.cases)
    assert held + reasons["ST-2", "its variants are tried in other interactions"] == 12
    assert 0 < held < 12


def test_what_asks_for_nothing_is_not_chosen_unless_it_was_listed() -> None:
    for language, said in [
        ("en", "Thanks, bye!"),
        ("en", "yes that is correct"),
        ("en", "Thank you so much, have a nice day"),
        ("en", "no, nothing else"),
        ("en", "Good morning"),
        ("en", "this does not work bye"),
        ("it", "Grazie mille, arrivederci"),
        ("it", "sì, è giusto"),
        ("it", "No grazie, nient'altro"),
        ("it", "buongiorno"),
        ("it", "va bene grazie arrivederci"),
    ]:
        turns = [SampledTurn(0, "user", said), SampledTurn(1, "system", "?")]
        made = proposing(1)
        logged = Interaction("d", "bot", language, "text", None, turns)
        reasons = {item_of(logged, test, made, 1) for test in SPELLING}
        assert reasons == {"the utterance contains only greetings, thanks, farewells, yes or no"}
        listed = Interaction("d", "", language, "text", None, turns, listed=True)
        assert any(isinstance(item_of(listed, test, made, 1), SampledItem) for test in SPELLING)


def test_what_asks_or_tells_something_is_a_request() -> None:
    for language, said in [
        ("en", "yes, the cheap one"),
        ("en", "thanks for the table"),
        ("en", "is it for you"),
        ("en", "no, Rome"),
        ("it", "sì, quello a Roma"),
        ("it", "grazie, e per domani"),
        ("it", "va bene"),
    ]:
        assert is_courtesy(said, language) == (said == "va bene")


@pytest.mark.parametrize(
    ("language", "first", "lost", "again", "asks", "value", "other"),
    [
        (
            "it",
            "vorrei prenotare un campo da tennis per sabato alle 16",
            "Non ho capito. Può ripetere?",
            "voglio prenotare un campo da tennis per sabato alle 16, per favore",
            "Per quale sport?",
            "tennis",
            "voglio prenotare un campo da tennis per sabato alle 18",
        ),
        (
            "en",
            "I'd like to book a tennis court on Monday at 4",
            "Sorry, I did not understand that.",
            "I want to book a tennis court on Monday at 4, please",
            "For which sport?",
            "tennis",
            "I want to book a tennis court on Monday at 5",
        ),
    ],
)
def test_what_only_repeats_what_the_system_was_told_is_no_place_to_vary(
    language: str, first: str, lost: str, again: str, asks: str, value: str, other: str
) -> None:
    def repeats(*texts: str) -> bool:
        turns = [SampledTurn(at, ("user", "system")[at % 2], text) for at, text in enumerate(texts)]
        return told_before(turns, len(turns) - 1, language)

    assert repeats(first, "18?", "16", lost, again)
    assert repeats(first, "Tennis, 16?", again)
    assert not repeats(first, lost, again), "what was not understood was not told"
    assert not repeats(first, asks, value), "the answer to a question is new"
    assert not repeats(first, "18?", "16", lost, other)

    made = proposing(1)
    texts = enumerate(("18?", first, "16?", "ok", lost, again))
    turns = [SampledTurn(at, ("system", "user")[at % 2], text) for at, text in texts]
    logged = Interaction("d", "bot", language, "text", None, turns)
    drawn = [item_of(logged, test, made, seed) for test in SPELLING for seed in range(6)]
    found = {one.turn.text for one in drawn if isinstance(one, SampledItem)}
    assert first in found
    assert again not in found
    fits_the_repetition = [
        made(Utterance(text=again if said == again else "", language=language), "ST-2")
        for said in (first, again)
    ]
    assert item_of(logged, "ST-2", lambda said, _: fits_the_repetition[said.text == again], 1) == TOLD_BEFORE


@pytest.mark.parametrize("said", ["please recommend a different story", "thanks, recommend another story"])
def test_a_word_of_courtesy_is_changed_only_where_no_other_is(said: str) -> None:
    logged = Interaction("d", "bot", "en", "text", None, [SampledTurn(0, "user", said)])
    for test in SPELLING:
        found = item_of(logged, test, proposing(1), 1)
        assert isinstance(found, str) or found.text.startswith(said.split()[0]), found


def test_of_several_languages_as_many_interactions_are_drawn(dataset: Dataset) -> None:
    drawn = Counter(case.language for case in plan(dataset, size=6).cases)
    assert drawn == {"en": 3, "it": 3}


def test_character_replacement_is_not_applied_to_speech(dataset: Dataset) -> None:
    made = plan(dataset, tests=("ST-3",))
    spoken = {"d10", "d11"}
    assert not spoken & {case.dialogue_id for case in made.cases}
    reasons = {one["dialogue_id"]: one["reason"] for one in made.not_applicable}
    assert {reasons[one] for one in spoken} == {"it does not apply to voice"}


def test_replays_that_will_be_spoken_use_other_tests_for_every_interaction(dataset: Dataset) -> None:
    made = plan(dataset, tests=SPELLING, spoken=True)
    assert len(made.cases) == 12
    assert {(case.test, case.channel) for case in made.cases} == {("ST-2", "voice"), ("ST-4", "voice")}
    assert {one["reason"] for one in made.not_applicable if one["test"] == "ST-3"} == {
        "it does not apply to voice"
    }


def test_the_same_seed_draws_the_same_sample_and_another_another(dataset: Dataset) -> None:
    drawn = [{case.case_id for case in plan(dataset, size=4, seed=seed).cases} for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert {case.language for case in plan(dataset, languages=("it",)).cases} == {"it"}


def test_a_test_that_needs_review_runs_only_what_a_person_approved(dataset: Dataset) -> None:
    assert plan(dataset, tests=("ST-1",)).cases == []
    (item, *_) = to_review(interactions_of(dataset), RunChoice(tests=("ST-1",), languages=("en",))).items
    event = proposed(item)
    waiting = plan(dataset, reviews_of(event), tests=("ST-1",))
    assert waiting.cases == []
    assert "its variants wait for a person's review" in {one["reason"] for one in waiting.not_applicable}
    approved = reviews_of(event, decided=(reviewed(event, "anna", "write", "some Greek diner"),))
    (case,) = plan(dataset, approved, tests=("ST-1",)).cases
    assert (case.variant, case.approval, case.approved_by) == ("some Greek diner", "write", "anna")
    rejected = reviews_of(event, decided=(reviewed(event, "anna", "reject"),))
    assert plan(dataset, rejected, tests=("ST-1",)).cases == []


def test_to_review_offers_nothing_of_the_tests_that_run_as_proposed(dataset: Dataset) -> None:
    tests = {
        item.test
        for item in to_review(
            interactions_of(dataset), RunChoice(tests=("ST-1", "ST-6", *SPELLING), each_test=True)
        ).items
    }
    assert tests and not tests & set(SPELLING)


def test_what_people_were_shown_is_proposed_to_nobody_again(dataset: Dataset) -> None:
    """All dialogues of a language say the same here; two of one choice would be run as one case."""
    interactions, choice = interactions_of(dataset), RunChoice(tests=("ST-1", "ST-6"), each_test=True)
    asked = [proposed(item) for item in to_review(interactions, choice).items]
    shown = [(one.language, each.text) for one in asked for each in one.proposals]
    assert asked and len(set(shown)) == len(shown)
    more = [replace(one, dialogue_id=f"later {one.dialogue_id}") for one in interactions]
    for each_test in (True, False):
        again = to_review([*interactions, *more], replace(choice, each_test=each_test), reviews_of(*asked))
        repeated = {(one.interaction.language, each.text) for one in again.items for each in one.variants}
        assert not repeated & set(shown)
        assert not {one.interaction.dialogue_id for one in again.items} & {one.dialogue_id for one in asked}


def test_every_approved_variant_has_a_case_or_a_reason(dataset: Dataset) -> None:
    """Also the one that a person wrote alike for two dialogues, and those that the sample left out."""
    asked = [
        proposed(item)
        for test in ("ST-1", "ST-6")
        for item in to_review(interactions_of(dataset), RunChoice(tests=(test,))).items
    ]
    alike = tuple(reviewed(one, "anna", "write", f"in {one.language}") for one in asked)
    decided = reviews_of(*asked, decided=alike)
    for choice in ({"each_test": True}, {}, {"size": 2}):
        made = plan(dataset, decided, tests=("ST-1", "ST-6"), **choice)
        held = [case.case_id for case in made.cases]
        assert len({case.variant for case in made.cases}) == len(held) > 0
        told = {(one["dialogue_id"], one["test"]) for one in made.not_applicable}
        missing = [one for one in asked if one.item_id not in held]
        assert missing and {(one.dialogue_id, one.test) for one in missing} <= told, choice
    suite = approved_cases(Study.model_construct(name="s", tasks=()), dataset, decided)
    assert len(suite.cases) + len(suite.not_applicable) == len(asked) > len(suite.cases)


def test_interactions_come_with_their_channel_and_meaning(dataset: Dataset) -> None:
    found = interactions_of(dataset)
    assert [one.channel for one in found] == ["text"] * 10 + ["voice"] * 2
    assert found[0].turns[1].acts[0].value == "greek"


@pytest.mark.parametrize(
    ("language", "said", "frame"),
    [
        (
            "it",
            ("vorrei prendere in prestito un libro di storia", "vorrei segnalare un guasto"),
            {"vorrei", "prendere"},
        ),
        (
            "en",
            ("I would like to borrow a paperback please", "could you please renew my membership"),
            {"would", "like", "please", "could"},
        ),
    ],
)
def test_spelling_tests_change_what_is_asked_for_and_one_word_after_the_other(
    language: str, said: tuple[str, ...], frame: set[str]
) -> None:
    """Misspelt frames of requests would make a share that says nothing of the system."""
    held = [
        Interaction(f"d{number}", "bot", language, "text", None, [SampledTurn(0, "user", said[number % 2])])
        for number in range(8)
    ]
    made = proposing(1)

    def choose(interaction: Interaction, test: str, tried: ItemsTried) -> SampledItem | str:
        return item_of(interaction, test, made, 1, tried)

    for test in ("ST-2", "ST-3"):
        drawn = [changed_words(one.turn.text, one.text)[0] for one in sample(held, [test], choose).items]
        assert drawn
        assert frame.isdisjoint(drawn), (test, drawn)
    swapped = [changed_words(one.turn.text, one.text)[0] for one in sample(held, ["ST-4"], choose).items]
    assert frame.isdisjoint(swapped)
    assert max(Counter(swapped).values()) <= 3


def test_the_same_words_are_put_before_a_person_once_for_a_test(dataset: Dataset) -> None:
    asked = [
        (one.interaction.language, one.turn.text, one.test)
        for one in to_review(interactions_of(dataset), RunChoice()).items
    ]
    assert asked
    assert len(set(asked)) == len(asked)


@pytest.mark.parametrize(
    ("language", "original", "variant", "kind"),
    [
        ("it", "vorrei fissare un incontro", "vorei fissare un incontro", "frame"),
        ("it", "vorrei fissare un incontro", "vorrei fisare un incontro", "content"),
        ("it", "quando parte l'ultimo treno", "quando parte lultimo treno", "content"),
        ("en", "I would like to borrow a book", "I would liek to borrow a book", "frame"),
        ("en", "I would like to borrow a book", "I would like to borow a book", "content"),
    ],
)
def test_a_changed_word_carries_the_request_or_frames_it(
    language: str, original: str, variant: str, kind: str
) -> None:
    assert kind_changed(original, variant, language) == kind


def test_what_is_asked_of_a_reviewer_is_run_once_it_is_approved(dataset: Dataset) -> None:
    """A third of what was approved was given to other tests, and the reviewer had worked for nothing."""
    interactions = [
        replace(
            one,
            dialogue_id=f"{one.dialogue_id}-{at}",
            channel="text",
            turns=[replace(turn, text=f"{turn.text} {at}") for turn in one.turns],
        )
        for one in interactions_of(dataset)
        for at in range(3)
    ]
    asked = [proposed(item) for item in to_review(interactions, RunChoice()).items]
    named = {one.dialogue_id for one in asked}
    assert 0 < len(named) <= len(interactions) * 8 // 11 + 1  # 3 of 11 tests need no review
    assert (
        not {
            item.interaction.dialogue_id
            for item in to_review(interactions, RunChoice(), reviews_of(*asked)).items
        }
        - named
    )
    here = [proposed(item) for item in to_review(interactions_of(dataset), RunChoice()).items]
    decided = tuple(reviewed(one, "anna", "accept", proposal=0) for one in here)
    made = plan(dataset, reviews_of(*here, decided=decided))
    held = {case.case_id for case in made.cases}
    assert here and {one.item_id for one in here} <= held
    assert {case.test for case in made.cases} & set(SPELLING)
