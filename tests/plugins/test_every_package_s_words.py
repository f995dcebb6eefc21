"""What packages beside the dashboard and the report say, they say in every language that ours speak."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir

from vivavoce.languages.base import language_name, package_words, words
from vivavoce.languages.coverage import CONTEXT, messages, misfits

LOOK_UP = ("gettext", "ngettext", "N_", "say", "statement")
SAME = {"Test", "no", "{said}", "{said}; {outcome}", "{share} ({n}; {interval})"}
OPTIONS = {"jinja2": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}}
CATALOGUES = sorted(file for folder in package_words().values() for file in folder.glob("*.po"))
FILES = pytest.mark.parametrize("file", CATALOGUES, ids=lambda file: file.parts[-3])


def trees(package: Path) -> Iterator[ast.Module]:
    """Of its modules but those with words of their own: a section, a step."""
    files = (file for file in package.rglob("*.py") if file.parent == package or not own_words(file))
    return (ast.parse(file.read_text("utf-8")) for file in files)


def own_words(file: Path) -> bool:
    return (file.parent / "locale").is_dir()


def said(package: Path) -> set[str]:
    """What stands in calls that look words up and in importers' notes, in code and on pages; of plural forms
    the first.
    """
    calls = (one for tree in trees(package) for one in ast.walk(tree) if isinstance(one, ast.Call))
    first = (one.args[0] for one in calls if isinstance(one.func, ast.Name) and one.func.id in LOOK_UP)
    in_code = {one.value for one in first if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    nodes = (one for tree in trees(package) for one in ast.walk(tree) if isinstance(one, ast.AnnAssign))
    noted = (one.value for one in nodes if ast.unparse(one.target) == "NOTES" and one.value)
    in_code |= {note for notes in noted for note in ast.literal_eval(notes)}
    pages = extract_from_dir(package, [("**.html", "jinja2")], OPTIONS)
    shown = (one for file, _, one, _, _ in pages if not own_words(package / file))
    return in_code | {one[0] if isinstance(one, tuple) else one for one in shown}


def written(package: Path) -> set[str]:
    """Every text in code: what may be looked up from a table."""
    texts = (one.value for tree in trees(package) for one in ast.walk(tree) if isinstance(one, ast.Constant))
    return {text for text in texts if isinstance(text, str)}


@FILES
def test_nothing_that_a_package_says_stays_in_english(file: Path) -> None:
    known = words(file.stem, "participant", "dashboard", "report", "measures")
    found = said(file.parents[1])
    assert language_name(file.stem) != file.stem and len(found) > 20
    assert {message for message in found if known.gettext(message) == message} == SAME & found


@FILES
def test_a_package_has_no_words_that_it_does_not_say(file: Path) -> None:
    every = said(file.parents[1]) | written(file.parents[1])
    ids = (key if isinstance(key, str) else key[0] for key in messages(file))
    assert {one for one in (key.rpartition(CONTEXT)[2] for key in ids) if one not in every} == set()


@FILES
def test_a_translation_has_the_places_and_the_marks_of_its_message(file: Path) -> None:
    assert misfits(file) == []
    for key, one in messages(file).items():
        for form in [one.string] if isinstance(one.string, str) else one.string:
            wanted = key if isinstance(key, str) else key[0]
            assert sorted(re.findall(r"<[^>]+>", wanted)) == sorted(re.findall(r"<[^>]+>", form)), wanted
