"""`init` writes a study that runs, agrees with the published schema, and overwrites nothing."""

import json

import jsonschema
import pytest
from ruamel.yaml import YAML

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.study.load import check_study, load_study
from vivavoce.study.presets import protocol_file, protocol_names
from vivavoce.study.scaffold import example_warnings, study_schema, write_study

VALIDATOR = jsonschema.Draft202012Validator(study_schema())


def plain(path):
    return YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("protocol", protocol_names())
def test_a_written_study_runs_as_it_stands(tmp_path, protocol):
    files = write_study(tmp_path / "my study", protocol)
    assert all(file.is_file() for file in files)
    assert check_study(tmp_path / "my study") == []
    study = load_study(tmp_path / "my study")
    assert study.name == "my-study"
    assert study.protocol == protocol
    for step in study.visit:
        for language in study.languages:
            assert study.text(step, language) or step.kind in (
                "dialogue",
                "questionnaire",
                "compare",
                "elicit",
            )


def test_the_cambridge_study_has_two_systems_and_two_hundred_tasks(tmp_path):
    write_study(tmp_path, "cambridge-2011", name="city")
    study = load_study(tmp_path)
    assert len(study.systems) == 2
    assert len(study.tasks) == 200
    assert all(system["allow_private"] for system in study.systems.values())


@pytest.mark.parametrize("protocol", protocol_names())
def test_a_written_study_agrees_with_its_schema(tmp_path, protocol):
    write_study(tmp_path, protocol)
    written = json.loads((tmp_path / "study.schema.json").read_text(encoding="utf-8"))
    assert written == study_schema()
    jsonschema.Draft202012Validator.check_schema(written)
    assert [error.message for error in VALIDATOR.iter_errors(plain(tmp_path / "study.yaml"))] == []


@pytest.mark.parametrize("protocol", protocol_names())
def test_a_protocol_is_only_a_study_file_without_systems(protocol):
    whole = {"study": "x", "systems": {"a": {"connect": "http"}}, **plain(protocol_file(protocol))}
    assert [error.message for error in VALIDATOR.iter_errors(whole)] == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"studi": "x"},
        {"visit": [{"consent": "a", "debrief": "b"}]},
        {"visit": [{"dialogue": {"gate": "cod"}}]},
        {"visit": [{"dialogue": {"repeat": "3-4"}}]},
        {"visit": [{"screen": "x"}]},
        {"visit": [{"annotate": "x"}]},
        {"limits": {"max_chars": "2"}},
        {"protocol": "unknown"},
        {"systems": {"a": {}}},
    ],
)
def test_the_schema_refuses_what_the_loader_refuses(wrong):
    whole = {"study": "x", "systems": {"a": {"connect": "http"}}, "visit": [{"consent": "a.md"}]}
    assert VALIDATOR.is_valid(whole)
    assert not VALIDATOR.is_valid({**whole, **wrong})


def test_a_study_needs_steps_or_a_protocol():
    systems = {"a": {"connect": "http"}}
    assert not VALIDATOR.is_valid({"study": "x", "systems": systems})
    assert VALIDATOR.is_valid({"study": "x", "systems": systems, "protocol": "cambridge-2011"})


def test_existing_files_are_named_and_nothing_is_written(tmp_path):
    (tmp_path / "consent.md").write_text("mine", encoding="utf-8")
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=r"consent.md already there. Choose another folder"):
        write_study(tmp_path, "cambridge-2011")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["consent.md", "notes.txt"]
    assert (tmp_path / "consent.md").read_text(encoding="utf-8") == "mine"


def test_an_unknown_protocol_is_answered_with_the_nearest(tmp_path):
    with pytest.raises(UnknownName, match="Did you mean 'cambridge-2011'"):
        write_study(tmp_path / "s", "cambridge-2012")
    assert not (tmp_path / "s").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "s").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be written"):
        write_study(tmp_path / "s", "cambridge-2011", name="s")


@pytest.mark.parametrize("name", ["2026", "true", "city", "x.y_z"])
def test_any_good_name_is_written_so_that_it_stays_text(tmp_path, name):
    write_study(tmp_path, "cambridge-2011", name=name)
    assert load_study(tmp_path).name == name


@pytest.mark.parametrize("name", ["", "a b", "a: b", "-x", "x" * 65])
def test_a_bad_name_is_refused(tmp_path, name):
    with pytest.raises(InputError, match="study name"):
        write_study(tmp_path, "cambridge-2011", name=name)


def test_texts_that_still_speak_of_our_example_are_named_where_the_study_is_about_something_else(tmp_path):
    write_study(tmp_path, "cambridge-2011")
    assert example_warnings(load_study(tmp_path)) == []
    domain = tmp_path / "restaurants.yaml"
    domain.write_text(domain.read_text().replace("ontology: marlowe", "ontology: harbour"), encoding="utf-8")
    told = example_warnings(load_study(tmp_path))
    assert sorted(line.split(":")[0] for line in told) == [
        "debrief.it.md",
        "debrief.md",
        "instructions.it.md",
        "instructions.md",
    ]
    assert all("marlowe" in line and "harbour" in line for line in told)
    (tmp_path / "debrief.md").write_text("Thank you.", encoding="utf-8")
    assert len(example_warnings(load_study(tmp_path))) == 3
