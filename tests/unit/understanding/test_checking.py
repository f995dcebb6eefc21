"""Checking annotated commands against templates."""

import subprocess

import pytest

from scenes.command_line import vivavoce
from vivavoce.core.yaml_source import read_yaml
from vivavoce_commands.checking import check_file
from vivavoce_commands.command_file import read_command_file
from vivavoce_commands.command_templates import check_predicate, read_templates
from vivavoce_commands.notation import read_predicates
from vivavoce_commands.protocols import SUGAR_2018


def test_context_does_not_cross_the_end_of_a_recipe(tmp_path):
    file = tmp_path / "AbF20.csv"
    file.write_text("1; put(pan, fire)\n2; cook(eggs)\n---\n3; cook(eggs)\n", encoding="utf-8")
    found = list(check_file(read_command_file(file), read_templates("kitchen-en"), propose=True))
    assert [(each.line, each.kind) for each in found] == [(2, "problem"), (2, "proposal"), (4, "problem")]
    assert found[1].text == "cook: *pan* as container or tool? from put(pan, fire)"


def test_every_remark_names_file_line_and_column_in_one_form(tmp_path):
    file = tmp_path / "AbF20.csv"
    file.write_text("1; [put(pan, fire), tak(milk), cook(eggs)]\n", encoding="utf-8")
    found = check_file(read_command_file(file), read_templates("kitchen-en"), propose=True)
    assert [str(one).split(": ")[0] for one in found] == [
        "AbF20.csv:1:21",
        "AbF20.csv:1:32",
        "AbF20.csv:1:32",
    ]


def test_everything_is_a_thing_and_no_quantity(tmp_path):
    said = {
        "kitchen-it": "1; mescolare(tutto)\n2; mettere(tutto, pentola)\n3; prendere(300 g, farina)\n",
        "kitchen-en": "1; stir(all)\n2; put(all, pot)\n3; stir(all the eggs)\n",
    }
    for templates, text in said.items():
        file = tmp_path / f"{templates}.csv"
        file.write_text(text, encoding="utf-8")
        assert list(check_file(read_command_file(file), read_templates(templates))) == []


def test_every_frame_that_ships_can_be_annotated_with_the_actions_that_ship():
    """In every language one of a frame's wordings begins with an action, as far as verbs are inflected."""
    file = SUGAR_2018.folder / "files" / "stimuli.yaml"
    frames = [frame for recipe in read_yaml(file).data["recipes"] for frame in recipe["frames"]]
    assert len(frames) == 33
    for language, letters in (("en", 99), ("it", 4)):
        stems = [action[:letters] for action in read_templates(f"kitchen-{language}").actions]
        for frame in frames:
            said = frame["say"][language]
            assert any(one.startswith(stem) for one in said for stem in stems), (language, frame["id"])


@pytest.mark.parametrize("language", ["en", "it"])
def test_what_every_frame_that_ships_shows_fits_the_templates_that_ship(language):
    templates = read_templates(f"kitchen-{language}")
    recipes = read_yaml(SUGAR_2018.folder / "files" / "stimuli.yaml").data["recipes"]
    for frame in (frame for recipe in recipes for frame in recipe["frames"]):
        (predicate,) = read_predicates(frame["does"][language])
        assert list(check_predicate(predicate, templates)) == [], (language, frame["id"])


def test_the_verb_answers_no_when_something_does_not_fit(tmp_path):
    file = tmp_path / "AbF20.csv"

    def check(text: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        file.write_text(text, encoding="utf-8")
        return vivavoce("understand", "check", file, "--templates", "kitchen-en", code=code)

    check("1; take(milk)\n")
    wrong = check("1; take(milk\n2; tak(milk)\n", code=1)
    assert "AbF20.csv:1:13: a ')' is missing at the end" in wrong.stdout
    assert "AbF20.csv:2:4: unknown action 'tak'" in wrong.stdout
