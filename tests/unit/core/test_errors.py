"""Errors say value, place and next step."""

import pytest

from vivavoce.core.errors import DuplicateName, InputError, UnknownName
from vivavoce.core.registry import Registry


def test_an_unknown_name_is_answered_with_the_nearest_and_all_known() -> None:
    error = UnknownName("gate", "cod", ["none", "code", "dialogue"], place="study.yaml:14 visit[2].gate")
    assert str(error) == (
        "study.yaml:14 visit[2].gate: unknown gate 'cod'. Did you mean 'code'? Known: code, dialogue, none"
    )


def test_a_name_like_no_other_gets_the_list_alone() -> None:
    assert "Did you mean" not in str(UnknownName("gate", "zzz", ["code"]))


def test_an_error_without_place_and_cure_is_the_problem_alone() -> None:
    assert str(InputError("no dialogues")) == "no dialogues"


def test_a_registry_names_the_holder_of_a_name_that_is_taken() -> None:
    shelf: Registry[str] = Registry("ring")
    shelf.add("http", "the first")
    with pytest.raises(DuplicateName, match="'http' is already registered by 'the first'"):
        shelf.add("http", "the second")
    assert shelf.get("http") == "the first"


def test_a_registry_is_listed_in_order_and_knows_its_size() -> None:
    shelf: Registry[int] = Registry("tune")
    shelf.add("b", 2)
    shelf.add("a", 1)
    assert list(shelf) == [("a", 1), ("b", 2)]
    assert len(shelf) == 2 and "a" in shelf and "c" not in shelf
    with pytest.raises(UnknownName, match="unknown tune 'c'"):
        shelf.get("c")
