"""Examples of properties: the same in every run, so that none fails now and then."""

import importlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st


def test_the_examples_of_a_property_are_the_same_whatever_other_tests_have_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[list[int]] = []

    @given(st.lists(st.integers()))
    def look(numbers: list[int]) -> None:
        tried.append(numbers)

    look()
    before = tried.copy()
    tried.clear()
    (tmp_path / "source_of_numbers.py").write_text("\n".join(f"N{n} = {n**5}" for n in range(10, 110)))
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("source_of_numbers")
    look()
    assert len(before) > 50 and tried == before
