"""What anybody may rely on, whoever wrote the operator: seeds, edits, filters, protected spans, reasons."""

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vivavoce.core.errors import UnknownName
from vivavoce_stress.base import Edit, LanguagePack, Substitution, Utterance, apply
from vivavoce_stress.idial_tests import CERTAIN
from vivavoce_stress.packs import pack_of
from vivavoce_stress.propose import propose

ALL = [f"ST-{number}" for number in range(1, 12)]
WORDS = {
    "it": re.split(" ", "vorrei un'altra pizza, perché po' costoso la carta qual è Milano d'accordo"),
    "en": re.split(" ", "I don't want their accommodation therefore the place's address expensive Rome four"),
}
languages = st.sampled_from(["it", "en"])
utterances = languages.flatmap(
    lambda language: st.lists(st.sampled_from(WORDS[language]), min_size=1, max_size=8).map(
        lambda words: Utterance(text=" ".join(words), language=language)
    )
)


@settings(max_examples=6, deadline=None)
@given(utterances, st.integers(0, 3))
def test_the_same_seed_gives_the_same_variants_in_the_same_order(utterance: Utterance, seed: int) -> None:
    assert propose(utterance, seed=seed) == propose(utterance, seed=seed)


@settings(max_examples=30, deadline=None)
@given(utterances)
def test_the_edits_of_a_variant_give_its_text_exactly(utterance: Utterance) -> None:
    for one in propose(utterance).variants:
        assert apply(utterance.text, one.edits) == one.text != utterance.text
        assert all(utterance.text[edit.start : edit.end] == edit.before for edit in one.edits)


@settings(max_examples=30, deadline=None)
@given(utterances, st.data())
def test_a_protected_span_is_in_every_variant_as_it_was(utterance: Utterance, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(utterance.text) - 1))
    end = data.draw(st.integers(start + 1, len(utterance.text)))
    kept = Utterance(text=utterance.text, language=utterance.language, protected=((start, end),))
    for one in propose(kept).variants:
        assert all(edit.end <= start or edit.start >= end for edit in one.edits)
        assert utterance.text[start:end] in one.text


@settings(max_examples=60, deadline=None)
@given(utterances)
def test_a_misspelling_is_no_word_that_people_know(utterance: Utterance) -> None:
    frequency = pack_of(utterance.language).get("frequency")
    for one in propose(utterance, ["ST-2", "ST-4"]).variants:
        (edit,) = one.edits
        assert not frequency.is_word(edit.after.lower())


@settings(max_examples=30, deadline=None)
@given(st.text(max_size=60), languages, st.text(max_size=60))
def test_any_text_at_all_is_taken(text: str, language: str, previous: str) -> None:
    found = propose(Utterance(text=text, language=language, previous=previous))
    assert {one.test for one in found.variants} | {one.test for one in found.not_applicable} == set(ALL)


class _Says:
    """An operator that proposes whatever it is given."""

    test, language, needs = "ST-4", "it", ()

    def __init__(self, *found: Substitution) -> None:
        self.found = found

    def propose(self, utterance: Utterance, pack: LanguagePack, rng: Random) -> Iterator[Substitution]:
        yield from self.found

    def why_not(self, utterance: Utterance, pack: LanguagePack) -> str:
        return ""


def test_filters_hold_whatever_an_operator_proposes() -> None:
    for change, reason in [
        (Edit(0, 5, "penne", "penne"), "changes nothing"),
        (Edit(0, 5, "pasta", "pesta"), "its edits do not fit the utterance"),
        (Edit(0, 99, "penne", "x"), "its edits do not fit the utterance"),
        (Edit(0, 5, "penne", "cazzo"), "puts in an offensive word"),
        (Edit(0, 5, "penne", "pene"), "the misspelling is a real word"),
        (Edit(6, 16, "al ragusano", "x"), "its edits do not fit the utterance"),
    ]:
        bad = _Says(Substitution((change,), "bad", 1.0, nonword="real word" in reason))
        found = propose(Utterance(text="penne all'arrabbiata", language="it"), ["ST-4"], operators=[bad])
        assert found.dropped == {reason: 1}
        assert all(one.rule != "bad" for one in found.variants)


def test_an_edit_that_changes_nothing_spoils_none_that_does() -> None:
    both = Substitution((Edit(0, 5, "penne", "penne"), Edit(18, 19, "t", "d")), "good", 1.0)
    found = propose(Utterance(text="penne all'arrabbiata", language="it"), ["ST-4"], operators=[_Says(both)])
    assert "penne all'arrabbiada" in [one.text for one in found.variants] and not found.dropped


def test_one_letter_never_turns_a_dish_into_a_rude_word() -> None:
    found = propose(Utterance(text="vorrei le penne", language="it"), ["ST-1", "ST-2", "ST-4"])
    assert found.variants
    assert not any("pene" in one.text.split() for one in found.variants)


def test_what_the_speaker_said_himself_is_not_held_against_a_variant() -> None:
    found = propose(Utterance(text="che cazzo di ristorante", language="it"), ["ST-4"])
    assert any(one.text.startswith("che cazzo di ") for one in found.variants)


def test_two_things_are_never_substituted_in_one_utterance() -> None:
    for one in propose(
        Utterance(text="l'etto, l'ultimo e l'uva perché è l'ora", language="it"), ["ST-3"]
    ).variants:
        assert len(one.edits) == 1


@pytest.mark.parametrize(
    ("text", "test", "channel", "reason"),
    [
        ("va bene", "ST-3", "voice", "it does not apply to voice"),
        ("grazie", "ST-10", "text", "it needs the previous system turn"),
        ("...", "ST-4", "text", "the utterance has no words"),
        ("sì", "ST-4", "text", "no word has two different inner letters"),
    ],
)
def test_why_a_test_does_not_apply_is_said_in_words(text: str, test: str, channel: str, reason: str) -> None:
    found = propose(Utterance(text=text, language="it"), [test], channel=channel)
    assert [one.reason for one in found.not_applicable] == [reason]


def test_unknown_tests_and_languages_are_answered_with_what_is_known() -> None:
    with pytest.raises(UnknownName, match="ST-4"):
        propose(Utterance(text="ciao", language="it"), ["ST-44"])
    with pytest.raises(UnknownName, match="en, it"):
        propose(Utterance(text="hola", language="../en"), ["ST-4"])


def test_at_most_so_many_variants_a_test_and_the_most_trusted_first() -> None:
    found = propose(
        Utterance(text="vorrei l'indirizzo del ristorante", language="it"), ["ST-2", "ST-4"], limit=2
    )
    assert [one.test for one in found.variants] == ["ST-2", "ST-2", "ST-4", "ST-4"]
    assert found.variants[0].confidence >= found.variants[1].confidence


def test_an_answer_points_back_with_whole_alternatives_only() -> None:
    for language, previous, said, variant in [
        ("en", "Would you like modern European or Greek food?", "modern European", "the first"),
        ("en", "Walk, fly, or use night trains?", "night trains, I guess", "the third, I guess"),
        ("en", "Do you want to walk, drive or fly?", "I'll walk there", None),
        ("en", "May I go on or do you need more help?", "please go on", None),
        ("en", "Do you want to try a different town or hour?", "the same hour", None),
        ("en", "Shall I tell the number for one or both of those?", "your number for me", None),
        ("en", "Something salty or something sweet?", "nothing sweet", None),
        (
            "it",
            "La zona est o la zona ovest?",
            "Un ristorante nella zona ovest",
            "Un ristorante nella seconda",
        ),
        ("it", "Alberghi cari o alberghi vicini?", "Ci sono altri alberghi vicini?", None),
    ]:
        found = propose(
            Utterance(text=said, language=language, previous=previous), ["ST-10"], certainty=CERTAIN
        ).variants
        assert (found[0].text if found else None) == variant
