"""Schemes of annotation: labels, keys, codes and values, alone and beside each other."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from vivavoce.study.schemes import Scheme, said, scheme_file, scheme_names, together, unknown_scheme


def label(name: str, key: str, **more: Any) -> dict[str, Any]:
    return {"label": name, "key": key, "text": name, **more}


def scheme(name: str = "mood", *labels: dict[str, Any], **more: Any) -> Scheme:
    listed = {"labels": list(labels or (label("calm", "c"), label("angry", "a")))}
    if "labels_from" in more:
        listed = {"labels": list(labels)}
    return Scheme.model_validate({"scheme": name, "about": "user", "title": "Mood", **listed, **more})


@pytest.mark.parametrize(("key", "kept"), [("a", "a"), ("Z", "z"), ("9", "9"), (7, "7"), ("1", "1")])
def test_a_key_is_a_small_letter_or_a_digit(key: Any, kept: str) -> None:
    assert scheme("s", label("x", key)).labels[0].key == kept


@pytest.mark.parametrize("key", ["", "ab", "é", "-", " ", "٣", True, 12, None, ["a"]])
def test_anything_else_is_no_key(key: Any) -> None:
    with pytest.raises(ValidationError, match="is not a key"):
        scheme("s", label("x", key))


@pytest.mark.parametrize(("key", "means"), [("0", "no label"), (0, "no label")])
def test_a_reserved_key_says_what_it_means(key: Any, means: str) -> None:
    with pytest.raises(ValidationError, match=means):
        scheme("s", label("x", key))


@pytest.mark.parametrize(
    ("labels", "more", "told"),
    [
        ([label("none", "n")], {}, "'none' is not a valid label"),
        ([label("undecided", "u")], {}, "'undecided' is not a valid label"),
        ([label("x", "a"), label("y", "b"), label("x", "c")], {}, "the label 'x' is given twice"),
        ([label("x", "a"), label("y", "A")], {}, "the key 'a' is given twice"),
        ([label("x", "a")], {"labels_from": "slots"}, "both labels and labels_from"),
    ],
)
def test_labels_that_cannot_be_are_refused(labels: list[Any], more: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        scheme("s", *labels, **more)


def test_a_scheme_has_labels_or_says_where_they_come_from() -> None:
    with pytest.raises(ValidationError, match="scheme without labels"):
        Scheme.model_validate({"scheme": "s", "about": "user", "title": "S"})
    assert scheme("s", labels_from="slots").labels == []


def test_slots_get_the_first_free_letter_of_their_name_as_key() -> None:
    words = {"food": {"en": "kind"}, "area": {}, "foo": {}, "oof": {}, "f o": {}, "ofo": {}}
    made = scheme("s", labels_from="slots").with_slots(words)
    keys = {one.label: one.key for one in made.labels}
    assert keys == {"food": "f", "area": "a", "foo": "o", "oof": "b", "f o": "c", "ofo": "d"}
    assert (made.labels[0].text, made.labels[1].text) == ({"en": "kind"}, {"": "area"})
    assert made.labels_from is None
    assert [one.label for one in scheme().with_slots(words).labels] == ["calm", "angry"]


def test_thirty_slots_have_thirty_keys_and_none_is_reserved() -> None:
    made = scheme("s", labels_from="slots").with_slots({f"0{number:02}": {} for number in range(30)})
    keys = [one.key for one in made.labels]
    assert len(set(keys)) == 30 and "0" not in keys and {*keys} >= set("123")


def test_codes_are_as_written_or_the_place() -> None:
    made = scheme("s", label("low", "l"), label("mid", "m", code=7.5), label("high", "h"))
    assert [made.code(one) for one in ("low", "mid", "high", "other")] == [1.0, 7.5, 3.0, None]
    assert made.label("mid") == made.labels[1] and made.label("other") is None


@pytest.mark.parametrize(
    ("value", "needed", "own", "needs"),
    [
        (None, True, None, False),
        (None, True, True, False),
        ("which", True, None, True),
        ("which", False, None, False),
        ("which", True, False, False),
        ("which", False, True, True),
    ],
)
def test_a_label_needs_a_value_as_it_says_itself_else_as_its_scheme_does(
    value: str | None, needed: bool, own: bool | None, needs: bool
) -> None:
    made = scheme("s", label("x", "a", value=own), value=value, value_needed=needed)
    assert made.needs_value("x") is needs and made.needs_value("y") is False


@pytest.mark.parametrize(
    ("count", "exclusive", "several"), [(1, False, False), (2, False, True), (2, True, False)]
)
def test_only_what_does_not_exclude_each_other_stands_together(
    count: int, exclusive: bool, several: bool
) -> None:
    assert scheme("s", *[label(one, one) for one in "ab"[:count]], exclusive=exclusive).several is several


@pytest.mark.parametrize(
    ("about", "user", "system"),
    [("user", True, False), ("system", False, True), ("turn", True, True), ("dialogue", False, False)],
)
def test_turns_are_judged_as_the_scheme_is_about_them(about: str, user: bool, system: bool) -> None:
    made = scheme("s", about=about)
    assert (made.judges("user"), made.judges("system")) == (user, system)


def test_words_are_said_in_the_language_a_wider_one_or_what_there_is() -> None:
    words = {"it": "umore", "": "mood", "pt": "humor"}
    assert [said(words, tag) for tag in ("it", "pt-BR", "de")] == ["umore", "humor", "mood"]
    assert said({"it": "umore", "fr": "humeur"}, "de") == "umore" and said({}, "en") == ""


def test_a_scheme_is_a_file_beside_the_study_or_one_of_ours(tmp_path: Path) -> None:
    for name in ("mine.yaml", "mine.yml", "mine.txt", "context"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    (tmp_path / "folder.yaml").mkdir()
    assert scheme_file("mine.yaml", tmp_path) == tmp_path / "mine.yaml"
    assert scheme_file("mine.yml", tmp_path) == tmp_path / "mine.yml"
    assert [scheme_file(one, tmp_path) for one in ("mine.txt", "folder.yaml", "no.yaml", "nothing")] == [
        None
    ] * 4
    ours = scheme_file("context", tmp_path)
    assert ours is not None and ours.parent != tmp_path and "context" in scheme_names()


@pytest.mark.parametrize(
    ("name", "problem", "hint"),
    [
        ("my.yaml", "no file 'my.yaml'", "next to"),
        ("my.yml", "no file 'my.yml'", "next to"),
        ("contxt", "unknown scheme 'contxt'", "Did you mean 'context'"),
    ],
)
def test_a_scheme_that_is_not_there_is_named_with_what_to_do(name: str, problem: str, hint: str) -> None:
    found = unknown_scheme(name)
    assert found[0] == problem and hint in found[1]


def test_schemes_side_by_side_are_listed_once_and_after_what_they_depend_on() -> None:
    asked = {"only_where": {"mood": ["calm", "sad"]}}
    assert together([scheme("mood"), scheme("tone"), scheme("why", only_where={"mood": ["calm"]})]) == []
    found = together(
        [
            scheme("late", only_where={"mood": ["calm"]}),
            scheme("mood"),
            scheme("why", **asked),
            scheme("mood"),
            scheme("self", only_where={"self": ["calm"]}),
        ]
    )
    named = [(0, "'mood'"), (2, "'sad'"), (3, "'mood'"), (4, "'self'")]
    assert [place for place, *_ in found] == [place for place, _ in named]
    assert all(name in problem for (_, problem, _), (_, name) in zip(found, named, strict=True))
