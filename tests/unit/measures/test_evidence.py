"""What measures need, and whether a study and its systems' answers to a hello will give it."""

from dataclasses import replace

import pytest

from vivavoce.core.errors import UnknownName
from vivavoce.measures import MEASURES
from vivavoce.measures.evidence import GivenEvidence, check_needs, lacking
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.scaffold import write_study

GIVEN = GivenEvidence({"one": ["acts", "usage"], "two": ["usage"], "three": [], "shy": None})
EVERY = ("one", "two", "three", "shy")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    folder = tmp_path_factory.mktemp("study")
    write_study(folder / "s", "cambridge-2011")
    file = folder / "s" / "study.yaml"
    file.write_text(file.read_text(encoding="utf-8") + "\nannotation: {schemes: [avm]}\n", encoding="utf-8")
    return load_study(folder / "s")


def needing(*ways: tuple[str, ...]):
    return replace(MEASURES.get("word_error_rate"), needs=ways)


def test_systems_whose_answers_show_nothing_of_it_are_named_and_who_was_not_asked_is_trusted():
    assert GIVEN.without("acts", EVERY) == ["two", "three"]
    assert GIVEN.without("usage", ("one", "two", "shy")) == []
    assert GIVEN.without("tools", ("one", "unknown")) == ["one"]


@pytest.mark.parametrize(
    ("ways", "systems", "whose"),
    [
        ((("usage",),), ("one", "two"), None),
        ((("acts",),), ("one", "two"), ["two"]),
        ((("acts", "usage"),), EVERY, ["two", "three"]),
        ((("acts",), ("usage",)), ("one", "two"), None),
        ((("tools",), ("acts",)), ("one", "three"), ["one", "three"]),
        ((), EVERY, None),
        ((("checked",),), EVERY, []),
        ((("tasks",),), EVERY, None),
        ((("layer:nothing",),), EVERY, []),
        ((("layer:avm",),), EVERY, None),
    ],
)
def test_one_way_to_count_a_measure_will_do(study: Study, ways, systems, whose):
    found = lacking(study, needing(*ways), systems, GIVEN)
    assert (found.systems if found else None) == whose


@pytest.mark.parametrize(
    ("changes", "meant", "venues"),
    [
        ({}, True, True),
        ({"ontology": None}, False, False),
        ({"parser": "a.b:c"}, True, True),
        ({"ontology": None, "parser": "a.b:c"}, True, False),
    ],
)
def test_what_users_meant_takes_an_ontology_or_a_parser(study: Study, changes, meant: bool, venues: bool):
    own = study.model_copy(update=changes)
    for name, there in (("meant", meant), ("venues", venues)):
        assert (lacking(own, needing((name,)), ("one",), GIVEN) is None) == there


def test_a_study_without_tasks_prices_or_questions_lacks_them(study: Study):
    bare = study.model_copy(
        update={"tasks": (), "wordings": {}, "annotation": None, "file_text": "study: s\n"}
    )
    for name in ("tasks", "prices", "answer:subjective_success", "layer:success"):
        found = lacking(bare, needing((name,)), EVERY, GIVEN)
        assert found is not None and found.systems == []
    assert lacking(study, needing(("answer:subjective_success",)), EVERY, GIVEN) is None
    assert lacking(study, needing(("answer:no_such_role",)), EVERY, GIVEN) is not None


def test_why_and_what_to_do_are_told_in_one_line(study: Study):
    found = lacking(study, needing(("tools", "acts"), ("checked",)), ("one", "two"), GIVEN)
    assert found is not None
    said = found.of("cost")
    assert said.startswith("cost could not be counted for one, two: it needs the system's calls of tools")
    assert " and acts of the system" in said and ", or an automatic check" in said
    assert said.endswith("declare another measure")


def test_a_need_that_nobody_knows_is_refused_with_those_there_are():
    with pytest.raises(UnknownName, match="layer:NAME"):
        check_needs(needing(("speach",)))
    check_needs(needing(("speech", "layer:any", "answer:any")))
