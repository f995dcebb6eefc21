"""What is wrong with a suite, a review file or the system's address: one line, exit code 2, nothing lost."""

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from scenes.processes import free_port
from vivavoce.cli.main import app
from vivavoce.core.errors import InputError
from vivavoce_stress.review import Reviews
from vivavoce_stress.review_file import read_review

CASE = """\
suite: town
system: {connect: http, url: "http://127.0.0.1:1/chat", allow_private: true}
cases:
  - case_id: a
    test: ST-4
    family: spelling
    language: en
    original: cheap food
    variant: cehap food
    ad_hoc: true
"""


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["stress", "run", *map(str, arguments)])


def told(result: Result) -> str:
    """The one line that a mistake is told in."""
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        assert isinstance(result.exception, InputError), result.exception
        return str(result.exception)
    assert result.exit_code == 2, result.output
    return result.output


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("ST-4", "ST-44", "suite.yaml:5 cases[0].test: unknown stress test 'ST-44'. Did you mean 'ST-4'?"),
        ("spelling", "syntax", "suite.yaml:6 cases[0].family: test ST-4 does not belong to 'syntax'"),
        ("cehap", "cheap", "suite.yaml:9 cases[0].variant: the variant 'cheap food' equals the original"),
        (CASE[CASE.index("  - ") :], "", "suite.yaml:3 cases"),
        (CASE[CASE.index("cases") :], "cases: []\n", "suite.yaml:3 cases: 'cases' has 0 of at least 1"),
        ("original: cheap food", "original: ''", "suite.yaml:8 cases[0].original"),
        ("ad_hoc", "adhoc", "suite.yaml:10 cases[0].adhoc: unknown key 'adhoc'"),
        ("- case_id", "- [case_id", "suite.yaml:5: not valid YAML"),
    ],
)
def test_a_mistake_in_a_suite_is_told_with_its_line(
    before: str, after: str, expected: str, tmp_path: Path
) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(CASE.replace(before, after, 1), encoding="utf-8")
    line = told(run(path))
    assert expected in line and "\n" not in line.strip()


@pytest.mark.parametrize("content", [None, b"", b"\x00\x01\xff\xfe", b"suite: \xff"])
def test_what_is_no_suite_is_told_in_one_line(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    if content is not None:
        path.write_bytes(content)
    line = told(run(path))
    assert "suite.yaml" in line and "\n" not in line.strip()


def test_a_report_that_could_not_be_written_is_refused_before_the_run(tmp_path: Path) -> None:
    path = tmp_path / "suite.yaml"
    path.write_text(CASE, encoding="utf-8")
    line = told(run(path, "--junit", tmp_path / "nowhere" / "junit.xml"))
    assert "junit.xml: its folder does not exist" in line
    assert not (tmp_path / "suite.stress.sqlite").exists()


def test_a_system_that_is_not_there_ends_the_run_which_goes_on_when_it_is(tmp_path: Path) -> None:
    path, port = tmp_path / "suite.yaml", free_port()
    path.write_text(CASE.replace(":1/", f":{port}/"), encoding="utf-8")
    for _ in range(2):
        line = told(run(path, "--fail-under", 0))
        assert f"unreachable: no connection to 127.0.0.1:{port}" in line
        assert "the same command" in line


@pytest.mark.parametrize("content", ["", "a,b\n1,2\n", "item_id;decision\n"])
def test_a_review_without_its_columns_is_refused(content: str, tmp_path: Path) -> None:
    path = tmp_path / "queue.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=r"queue\.csv:1: column '(item_id|choice)'"):
        read_review(path, Reviews.of([]), "anna")
    with pytest.raises(InputError, match="cannot read the file: No such file"):
        read_review(tmp_path / "none.csv", Reviews.of([]), "anna")
