"""YAML with lines: places, duplicate keys, syntax, and nothing executed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce
from vivavoce.core.yaml_source import dotted, parse_yaml, read_yaml


def only(text: str) -> str:
    problems = parse_yaml(text, "s.yaml").problems
    assert len(problems) == 1
    return str(problems[0])


def test_places_name_line_and_path():
    source = parse_yaml("a: 1\nb:\n  - x: {y: 2}\n  - z\n", "s.yaml")
    assert source.place(("b", 0, "x", "y")) == "s.yaml:3 b[0].x.y"
    assert source.place(("b", 1)) == "s.yaml:4 b[1]"
    assert source.place(("b", 0, "missing")) == "s.yaml:3 b[0].missing"
    assert source.place(("missing",)) == "s.yaml:1 missing"


def test_a_key_given_twice_is_reported_with_both_lines():
    assert only("a: 1\nb: 2\na: 3\n") == (
        "s.yaml:3 a: key 'a' appears twice, on lines 1 and 3. Keep one of them"
    )


def test_every_duplicate_is_reported():
    assert len(parse_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n", "s.yaml").problems) == 2


def test_bad_syntax_names_its_line():
    for text, said in [
        ("a:\n\tb: 1\n", "s.yaml:2: a tab in the indentation. Indent with spaces"),
        ("a: b: c\n", "s.yaml:1: not valid YAML: mapping values are not allowed here"),
        ("a: [1, 2\nb: 3\n", "s.yaml:2: not valid YAML"),
        ("a: 1\n---\nb: 2\n", "s.yaml:2: a second YAML document begins here"),
        ("a: *x\n", "s.yaml:1: not valid YAML: found undefined alias"),
        ("a: \x01\n", "s.yaml: not valid YAML"),
    ]:
        assert only(text).startswith(said)


@pytest.mark.parametrize(
    "text",
    [
        "a: !!python/object/apply:os.system [ls]\n",
        "a: !!python/name:os.system\n",
        "a: !run ls\n",
        "a: !!set {x, y}\n",
    ],
)
def test_tags_are_refused_and_nothing_is_executed(text):
    assert "is not allowed. Remove the tag" in only(text)


def test_an_alias_of_itself_ends():
    assert "infinite" in only("a: &x [*x]\n")


def test_aliases_that_multiply_end():
    lines = ["a0: &a0 [x, x]"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    source = parse_yaml("\n".join(lines), "s.yaml")
    assert any("infinite" in problem.problem for problem in source.problems)


def test_words_that_yaml_1_1_takes_for_booleans_stay_words():
    assert parse_yaml("a: yes\nb: no\nc: on\nno: 1\nd: 2..3\ne: 2026-01-02\n", "s").data == {
        "a": "yes",
        "b": "no",
        "c": "on",
        "no": 1,
        "d": "2..3",
        "e": "2026-01-02",
    }


def test_numbers_and_booleans_have_their_types():
    assert parse_yaml("a: 1\nb: 0.5\nc: true\nd: null\ne: '1'\n1: x\n", "s").data == {
        "a": 1,
        "b": 0.5,
        "c": True,
        "d": None,
        "e": "1",
        "1": "x",
    }


def test_a_missing_file_is_a_problem_and_no_exception(tmp_path):
    assert "cannot be read" in str(read_yaml(tmp_path / "none.yaml").problems[0])


def test_text_that_is_not_utf_8_is_a_problem(tmp_path):
    (tmp_path / "s.yaml").write_bytes("a: è".encode("latin-1"))
    assert "not UTF-8" in str(read_yaml(tmp_path / "s.yaml").problems[0])


def test_a_byte_order_mark_is_no_key():
    assert parse_yaml(b"\xef\xbb\xbfa: 1\n", "s").data == {"a": 1}


@given(st.text(alphabet=st.sampled_from("ab:-[]{}&*!|>'\"#%@,?\n\t 1.~<="), max_size=60))
def test_any_text_gives_data_or_problems_and_never_an_exception(text):
    source = parse_yaml(text, "s.yaml")
    assert all(str(problem).startswith("s.yaml") for problem in source.problems)


def test_deep_nesting_is_a_problem_and_no_exception():
    assert parse_yaml("[" * 3000 + "]" * 3000, "s.yaml").problems


def test_paths_are_written_with_dots_and_brackets():
    assert dotted(("visit", 2, "dialogue", "gate")) == "visit[2].dialogue.gate"


def test_bundled_files_are_read_without_problems():
    for file in sorted(Path(vivavoce.__file__).parent.rglob("*.yaml")):
        assert read_yaml(file).problems == []


def test_a_number_without_digits_is_no_crash():
    assert parse_yaml("a: !!int ''\n", "s.yaml").data == {"a": ""}


def test_a_text_nested_as_deeply_as_it_is_long_is_a_problem():
    assert "nested too deeply" in only("[" * 200_000)
    assert "nested too deeply" in only("- " * 100_000 + "x")
