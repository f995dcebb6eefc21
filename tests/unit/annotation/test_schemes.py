"""Schemes: ours say what the dataset's layers define; mistakes in a user's own are named with their place."""

from pathlib import Path
from typing import Any

import pytest

from scenes.annotating import annotated_study
from vivavoce.core.errors import InputError
from vivavoce.dataset.annotation_layers import LAYERS
from vivavoce.study.load import check_study, load_study
from vivavoce.study.scaffold import write_study
from vivavoce.study.schemes import (
    RESERVED_KEYS,
    Scheme,
    SchemeLabel,
    bundled,
    read_scheme,
    said,
    scheme_names,
    together,
)

OWN = """scheme: politeness
about: system
scale: ordinal
title: Politeness
labels:
  - {label: rude, key: 1, text: Rude}
  - {label: plain, key: 2, text: Plain}
  - {label: kind, key: 3, text: {en: Kind, it: Gentile}}
"""


def test_a_bundled_scheme_says_what_its_layer_defines() -> None:
    for name in scheme_names():
        scheme, layer = bundled(name), LAYERS[name]
        assert [one.label for one in scheme.labels] == list(layer.labels)
        assert (scheme.about, scheme.exclusive) == (layer.about, layer.exclusive)
        assert bool(scheme.value) == bool(layer.value)


def test_a_bundled_scheme_speaks_english_and_italian() -> None:
    for name in scheme_names():
        scheme = bundled(name)
        words = [scheme.title, scheme.question, *(one.text for one in scheme.labels)]
        words += [one.help for one in scheme.labels if one.help] + [scheme.value or {"en": "", "it": ""}]
        assert [one for one in words if set(one) != {"en", "it"}] == []
        assert set(scheme.decision) in (set(), {"en", "it"})


def test_every_layer_that_the_workplace_promises_has_a_scheme() -> None:
    assert set(LAYERS) == set(scheme_names())


def test_the_values_held_at_the_end_are_labelled_by_the_slots_of_the_study(tmp_path: Path) -> None:
    write_study(tmp_path / "s", "cambridge-2011")
    file = tmp_path / "s" / "study.yaml"
    file.write_text(file.read_text() + "\nannotation: {schemes: [avm]}\n", encoding="utf-8")
    study = load_study(tmp_path / "s")
    assert study.annotation is not None and study.ontology is not None
    scheme = study.annotation.judgements["schemes"].schemes[0]
    constraints = [name for name, slot in study.ontology.slots.items() if slot.constraint]
    assert [one.label for one in scheme.labels] == constraints and scheme.needs_value(constraints[0])
    keys = [one.key for one in scheme.labels]
    assert len(set(keys)) == len(keys) and set(keys).isdisjoint(RESERVED_KEYS)


def test_labels_from_slots_need_slots(tmp_path: Path) -> None:
    write_study(tmp_path / "s", "guerini-2018")
    file = tmp_path / "s" / "study.yaml"
    file.write_text(file.read_text() + "\nannotation: {schemes: [avm]}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"annotation\.schemes\[0\]: 'avm' takes its labels .*`ontology:`"):
        load_study(tmp_path / "s")


def test_a_scheme_lists_its_labels_or_says_where_they_come_from(tmp_path: Path) -> None:
    head = "scheme: own\nabout: dialogue\ntitle: Own\n"
    for body, expected in (
        ("", "scheme without labels. List its labels, or write labels_from: slots"),
        ("labels_from: slots\nlabels: [{label: a, key: a, text: A}]\n", "both labels and labels_from"),
    ):
        (tmp_path / "own.yaml").write_text(head + body, encoding="utf-8")
        scheme, problems = read_scheme(tmp_path / "own.yaml")
        assert scheme is None and expected in "\n".join(map(str, problems))


def test_a_scheme_of_one_s_own_numbers_its_labels_and_speaks_one_language_for_all(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(OWN, encoding="utf-8")
    scheme, problems = read_scheme(tmp_path / "mine.yaml")
    assert scheme is not None and problems == []
    assert [scheme.code(one.label) for one in scheme.labels] == [1, 2, 3]
    assert said(scheme.title, "it") == "Politeness"
    assert said(scheme.labels[2].text, "it-CH") == "Gentile"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("key: 2", "key: 1", "the key '1' is given twice"),
        ("key: 2", "key: 0", "the key '0' is reserved: no label"),
        ("key: 2", "key: ab", "'ab' is not a key"),
        ("label: plain", "label: rude", "the label 'rude' is given twice"),
        ("label: plain", "label: none", "'none' is not a valid label"),
        ("scale: ordinal", "scale: ordinary", "unknown scale 'ordinary'. Did you mean 'ordinal'?"),
        ("about: system", "about: robot", "unknown about 'robot'"),
        ("title: Politeness", "titel: Politeness", "unknown key 'titel'"),
    ],
)
def test_a_mistake_in_a_scheme_is_named_with_its_place(
    tmp_path: Path, before: str, after: str, expected: str
) -> None:
    (tmp_path / "mine.yaml").write_text(OWN.replace(before, after, 1), encoding="utf-8")
    scheme, problems = read_scheme(tmp_path / "mine.yaml")
    shown = "\n".join(map(str, problems))
    assert scheme is None
    assert expected in shown
    assert "mine.yaml:" in shown


def test_reserved_keys_are_used_by_no_scheme() -> None:
    used = {one.key for name in scheme_names() for one in bundled(name).labels}
    assert used.isdisjoint(RESERVED_KEYS)


def test_a_scheme_that_depends_on_another_comes_after_it() -> None:
    context, maxim = bundled("context"), bundled("maxim")
    assert together([context, maxim]) == []
    ((place, problem, _),) = together([maxim, context])
    assert place == 0 and "'maxim' must come after 'context'" in problem
    assert "listed twice" in together([context, context])[0][1]


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("schemes: [contxt]", "annotation.schemes[0]: unknown scheme 'contxt'. Did you mean 'context'?"),
        ("schemes: [mine.yaml]", "annotation.schemes[0]: no file 'mine.yaml'"),
        ("schemes: [maxim, context]", "List 'context' before 'maxim'"),
        ("schemes: [context]\n  double: 2", "annotation.double: 2"),
        ("schemes: [context]\n  recordings: audio", "annotation.recordings: no folder 'audio'"),
    ],
)
def test_a_mistake_in_the_section_is_named(tmp_path: Path, section: str, expected: str) -> None:
    annotated_study(tmp_path, "schemes: [context]")
    path = tmp_path / "study.yaml"
    path.write_text(
        path.read_text().replace("annotation:\n  schemes: [context]", f"annotation:\n  {section}")
    )
    assert expected in "\n".join(map(str, check_study(path)))


def test_a_changed_scheme_is_another_revision_of_the_study(tmp_path: Path) -> None:
    tmp_path.joinpath("mine.yaml").write_text(OWN)
    first = annotated_study(tmp_path, "schemes: [mine.yaml]").revision
    tmp_path.joinpath("mine.yaml").write_text(OWN.replace("Plain", "Neutral"))
    assert load_study(tmp_path).revision != first


def scheme(**facts: Any) -> Scheme:
    labels = [{"label": name, "key": key, "text": name} for name, key in (("low", "1"), ("high", "2"))]
    return Scheme.model_validate({"scheme": "own", "about": "turn", "title": "Own", "labels": labels} | facts)


@pytest.mark.parametrize(
    ("about", "judged"),
    [
        ("user", ["user"]),
        ("system", ["system"]),
        ("turn", ["user", "system"]),
        ("dialogue", []),
    ],
)
def test_a_scheme_judges_turns_of_the_party_that_it_is_about(about: str, judged: list[str]) -> None:
    assert [party for party in ("user", "system") if scheme(about=about).judges(party)] == judged


def test_several_labels_need_several_to_choose_from() -> None:
    one = [{"label": "low", "key": "1", "text": "low"}]
    assert not scheme().several and scheme(exclusive=False).several
    assert not scheme(exclusive=False, labels=one).several


def test_a_label_needs_a_value_as_the_scheme_or_the_label_itself_says() -> None:
    labels = [
        {"label": "low", "key": "1", "text": "low", "value": False, "code": -3},
        {"label": "high", "key": "2", "text": "high"},
    ]
    asked = scheme(labels=labels, value="of what")
    assert (asked.needs_value("low"), asked.needs_value("high"), asked.needs_value("none")) == (
        False,
        True,
        False,
    )
    assert not scheme(labels=labels).needs_value("high")
    assert not scheme(labels=labels, value="of what", value_needed=False).needs_value("high")
    assert (asked.code("low"), asked.code("high"), asked.code("none")) == (-3, 2, None)


@pytest.mark.parametrize(
    ("key", "read"),
    [
        (7, "7"),
        ("B", "b"),
        ("z", "z"),
        (True, None),
        (0, None),
        (".", None),
        ("-", None),
        ("\u00e9", None),
        ("ab", None),
        (12, None),
        (None, None),
        ("", None),
    ],
)
def test_a_key_is_one_small_letter_or_a_digit(key: object, read: str | None) -> None:
    facts = {"label": "low", "key": key, "text": "Low"}
    if read is not None:
        assert SchemeLabel.model_validate(facts).key == read
        return
    with pytest.raises(ValueError, match="key"):
        SchemeLabel.model_validate(facts)


def test_slots_get_the_first_letter_of_their_name_that_is_free_else_any() -> None:
    names = {"area": {"en": "where"}, "address": {}, "aaa": {}, "Zoo": {}}
    made = scheme(labels=[], labels_from="slots").with_slots(names)
    assert [(one.label, one.key) for one in made.labels] == [
        ("area", "a"),
        ("address", "d"),
        ("aaa", "b"),
        ("Zoo", "z"),
    ]
    assert [one.text for one in made.labels[:2]] == [{"en": "where"}, {"": "address"}]
    own = scheme()
    assert own.with_slots(names) is own


@pytest.mark.parametrize(
    ("asked", "place", "problem"),
    [
        ({"one": ["low", "high"]}, None, ""),
        ({"one": ["low", "hihg"]}, 1, "'one' has no label 'hihg'"),
        ({"three": ["low"]}, 1, "must come after 'three'"),
        ({"two": ["low"]}, 1, "must come after 'two'"),
    ],
)
def test_what_a_scheme_depends_on_stands_before_it_with_these_labels(
    asked: dict[str, list[str]], place: int | None, problem: str
) -> None:
    found = together([scheme(scheme="one"), scheme(scheme="two", only_where=asked), scheme(scheme="three")])
    assert [(at, problem in told) for at, told, _ in found] == ([] if place is None else [(place, True)])
    thrice = together([scheme(scheme="one"), scheme(scheme="two"), scheme(scheme="one")])
    assert [at for at, _, _ in thrice] == [2]
