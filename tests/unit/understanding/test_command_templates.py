"""Templates of commands: what fits, what does not, and what nobody said."""

import pytest

from vivavoce.core.errors import InputError
from vivavoce_commands.command_templates import (
    check_predicate,
    propose_implicit,
    propose_several,
    read_templates,
    shipped_templates,
    with_proposal,
)
from vivavoce_commands.notation import read_predicates, write_argument, write_predicates

KITCHEN = read_templates("kitchen-en")


def problems(text: str, templates=KITCHEN) -> list[str]:
    return [problem for each in read_predicates(text) for problem in check_predicate(each, templates)]


def proposed(before: str, text: str) -> list[str]:
    (predicate,) = read_predicates(text)
    found = propose_implicit(predicate, read_predicates(before), KITCHEN)
    return [write_argument(each.argument) for each in found]


OF_THE_FRAMES = {"kitchen-en": {"turn on", "chop"}, "kitchen-it": {"accendere", "tagliare"}}


def test_the_actions_of_the_paper_are_all_there_and_those_of_the_frames_that_ship():
    for name in shipped_templates():
        actions = set(read_templates(name).actions)
        assert OF_THE_FRAMES[name] < actions
        assert len(actions - OF_THE_FRAMES[name]) == 17


def test_the_examples_of_the_paper_fit():
    for text in [
        "[take(500 g, milk), add(milk, pot)]",
        "put(wrap, bowl)",
        "add(flowers, *oil*)",
        "separate(part, flowers)",
        "stir([yeast, water])",
        "put(pot, fire)",
        "check(180 degrees, oven)",
        "add(pinch, salt, 2, pots, slowly)",
        "#",
    ]:
        assert problems(text) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tak(milk)", "Did you mean 'take'"),
        ("put(pot)", "lacks an argument: container or appliance"),
        ("put(2, pot)", "lacks an argument"),
        ("knead(flour, bowl)", "bowl"),
        ("check(200 degrees, [milk, water])", "list"),
    ],
)
def test_what_does_not_fit_is_told_in_words(text, told):
    (problem,) = problems(text)
    assert told in problem


def test_what_nobody_said_is_proposed_from_what_was_said_before_in_the_recipe():
    assert proposed("[take(200 g, flour), put(flour, bowl)]", "cover(wrap)") == ["*bowl*"]
    assert proposed("put(pan, fire)", "cook(eggs)") == ["*pan*"]
    assert proposed("put(pan, fire)", "cook(eggs, pot)") == []
    assert proposed("take(milk)", "cook(eggs)") == []


@pytest.mark.parametrize(
    ("text", "fuller"),
    [
        ("add(milk)", ["add(milk, *bowl*)", "add(milk, *pot*)"]),
        ("add(2, milk)", ["add(2, milk, *bowl*)", "add(2, milk, *pot*)"]),
        ("add(pot)", ["add(*milk*, pot)"]),
        ("put(pot)", ["put(pot, *bowl*)"]),
        ("add(milk, pot)", []),
    ],
)
def test_what_may_have_been_meant_is_put_where_the_template_has_its_place(text, fuller):
    (predicate,), before = read_predicates(text), read_predicates("[take(milk), take(pot), take(bowl)]")
    found = propose_several(predicate, before, KITCHEN)
    assert [write_predicates((with_proposal(predicate, one, KITCHEN),)) for one in found] == fuller


def test_a_file_of_templates_names_the_place_of_a_mistake(tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_text("language: en\nactions:\n  go: {argument: [place]}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"robot\.yaml:3 actions\.go\.argument.*Did you mean 'arguments'"):
        read_templates(file)
    with pytest.raises(InputError, match="Known: kitchen-en, kitchen-it"):
        read_templates("kitchen")


def test_a_robot_of_ones_own_needs_only_a_file(tmp_path):
    file = tmp_path / "robot.yaml"
    file.write_text("language: en\nactions:\n  go: {arguments: [place, manner?]}\n", encoding="utf-8")
    robot = read_templates(file)
    assert problems("go(kitchen, slowly)", robot) == []
    assert problems("go()", robot) == ["go lacks an argument: place (between asterisks if it is implicit)"]
