"""An annotation while it is written: places of mistakes, what the templates miss, what the context offers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vivavoce.core.errors import InputError
from vivavoce_commands.annotation.draft import Filled, examine, with_predicate
from vivavoce_commands.command_templates import check_predicate, read_templates
from vivavoce_commands.notation import NotationError, read_predicates

KITCHEN = read_templates("kitchen-en")


def test_a_mistake_is_told_with_its_column():
    draft = examine("[take(pot), put(pot fire]", (), KITCHEN)
    assert draft.mistake is not None
    assert (draft.mistake.column, draft.mistake.expected) == (25, "',' or ')' after an argument")


def test_what_the_robot_does_not_know_is_remarked_upon():
    assert examine("fry(flowers)", (), KITCHEN).remarks[0].startswith("unknown action 'fry'")
    assert "lacks an argument" in examine("put(wrap)", (), KITCHEN).remarks[0]


@pytest.mark.parametrize(
    "annotation",
    ["add(flowers, *oil*)", "put(wrap, bowl)", "separate(part, flowers)", "stir([yeast, water])"],
)
def test_the_conventions_of_the_paper_fit_the_templates(annotation):
    draft = examine(annotation, (), KITCHEN)
    assert (draft.mistake, draft.remarks) == (None, ())


def test_the_context_offers_what_nobody_said_in_its_place():
    before = read_predicates("[take(bowl), put(100 g, flour, bowl), put(bowl, hob)]")
    offer, other, *_ = examine("add(milk)", before, KITCHEN).offers
    assert other.argument == "*hob*"
    assert (offer.action, offer.argument) == ("add", "*bowl*")
    assert offer.annotation.startswith("add(milk, *bowl*")


def test_an_offer_may_come_from_an_earlier_predicate_of_the_same_command():
    (offer,) = examine("[take(pot), add(onion)]", (), KITCHEN).offers
    assert offer.annotation == "[take(pot), add(onion, *pot*)]"


def test_a_template_becomes_a_predicate_behind_those_there_are():
    fields = [Filled(""), Filled("yeast, water"), Filled("spoon", unsaid=True)]
    assert (
        with_predicate("take(pot)", "stir", fields, KITCHEN) == "[take(pot), stir([yeast, water], *spoon*)]"
    )
    assert with_predicate("", "stir", [Filled("")], KITCHEN, unsaid=True) == "*stir*()"


def test_what_cannot_be_added_is_refused_and_told():
    with pytest.raises(InputError, match="unknown action 'fry'"):
        with_predicate("", "fry", [], KITCHEN)
    with pytest.raises(NotationError):
        with_predicate("take(pot", "stir", [], KITCHEN)
    with pytest.raises(NotationError):
        with_predicate("", "stir", [Filled("milk)")], KITCHEN)


@given(st.text(alphabet="()[]*,;/#{} abc1'=<", max_size=40))
def test_any_text_is_a_mistake_with_a_place_or_predicates_and_never_more(text):
    draft = examine(text, read_predicates("take(pot)"), KITCHEN)
    if draft.mistake is not None:
        assert 1 <= draft.mistake.column <= len(text) + 1
    else:
        assert bool(draft.predicates) == bool(text.strip())


@given(
    st.sampled_from(sorted(KITCHEN.actions)),
    st.lists(st.sampled_from(["onion", "pot", "fire", "100 g", "slowly", "spoon"]), max_size=3, unique=True),
)
def test_every_offer_brings_the_predicate_nearer_to_its_template(action, things):
    before = read_predicates("[put(flour, pot), put(pot, fire), cover(bowl, lid), separate(peel, onion)]")
    text = f"{action}({', '.join(things)})"
    draft = examine(text, before, KITCHEN)
    for offer in draft.offers:
        fuller = read_predicates(offer.annotation)[0]
        assert [one for one in fuller.arguments if one in draft.predicates[0].arguments] == list(
            draft.predicates[0].arguments
        )
        assert len(fuller.arguments) == len(things) + 1
        fewer = [one for one in check_predicate(draft.predicates[0], KITCHEN) if "lacks" in one]
        assert len([one for one in check_predicate(fuller, KITCHEN) if "lacks" in one]) <= len(fewer)
