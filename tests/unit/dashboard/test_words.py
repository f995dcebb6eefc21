"""The dashboard in other languages: nothing forgotten, nothing put together, every page read."""

import ast
import re
from pathlib import Path

import pytest
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir, extract_from_file
from babel.messages.pofile import read_po

import vivavoce
from vivavoce.dashboard import language as words
from vivavoce.dashboard.app_shell import FOLDER
from vivavoce.dashboard.language import DOMAIN, page_languages, reading, step_noun, step_words, worded
from vivavoce.dashboard.study_editor.pages import about_protocol
from vivavoce.dashboard.study_editor.pages_materials import analysis_words
from vivavoce.dashboard.study_editor.pages_steps import form_words
from vivavoce.dashboard.work_items import works
from vivavoce.languages import base as languages
from vivavoce.languages.base import LANGUAGES
from vivavoce.study.presets import protocol_names
from vivavoce.study.step_kind import STEPS

KEYWORDS = {**DEFAULT_KEYWORDS, "NP_": ((1, "c"), 2)}
OPTIONS = {"jinja2": {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}}
ROOMS = Path(vivavoce.__file__).parent
OTHERS = [language for language in page_languages() if language != "en"]
Key = tuple[str | None, str]


def messages() -> set[Key]:
    """Everything that the dashboard says, as (context, message): on its pages, and marked in any room."""
    templates = extract_from_dir(FOLDER / "templates", [("**.html", "jinja2")], OPTIONS)
    found = [*templates, *extract_from_dir(FOLDER, [("**.py", "python")], keywords=KEYWORDS)]
    for file in ROOMS.rglob("*.py"):
        if FOLDER not in file.parents and "N_(" in file.read_text(encoding="utf-8"):
            marked = extract_from_file("python", file, keywords={"N_": None})
            found += [("", line, message, [], context) for line, message, _, context in marked]
    said = {
        (context, message[0] if isinstance(message, tuple) else message)
        for _, _, message, _, context in found
    }
    said |= {
        (None, text or "(a field or value without a title)")
        for text in (*form_words(), *analysis_words(), *map(about_protocol, protocol_names()))
    }
    said |= {("step", name) for name, kind in STEPS if type(kind).__module__.startswith("vivavoce.")}
    return said | {
        (None, text) for work in works().values() for text in (work.counted, work.item_label) if text
    }


def catalogue(language: str) -> dict[Key, tuple[str, ...]]:
    with LANGUAGES.get(language).catalogue(DOMAIN).open("rb") as file:
        known = read_po(file, locale=language)
    strings = {
        (one.context, one.id[0] if isinstance(one.id, tuple) else one.id): one.string
        for one in known
        if one.id
    }
    return {key: string if isinstance(string, tuple) else (string,) for key, string in strings.items()}


def test_no_message_stands_in_an_f_string_where_no_catalogue_would_learn_of_it() -> None:
    files = [file for file in FOLDER.rglob("*.py") if "gettext(" in file.read_text(encoding="utf-8")]
    strings = [
        one
        for file in files
        for one in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(one, ast.JoinedStr)
    ]
    calls = [call for one in strings for call in ast.walk(one) if isinstance(call, ast.Call)]
    names = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    assert len(files) > 10 and not {"gettext", "ngettext"} & {*names}


def named(step: str, word: str) -> bool:
    return {step_noun(step, word, 1), step_words(step, word)} != {word}


def test_the_dashboard_speaks_italian() -> None:
    assert page_languages()[:2] == ("en", "it")


@pytest.mark.parametrize("language", OTHERS)
def test_everything_that_the_dashboard_says_is_said_in_every_language(language: str) -> None:
    known, report = catalogue(language), languages.words(language, "report", "measures")
    said = messages()
    assert len(said) > 400
    lacking = {
        (context, message)
        for context, message in said
        if not all(known.get((context, message), ("",))) and report.gettext(message) == message
    }
    with reading(language):
        steps = {
            one
            for step, work in works().items()
            for one in (work.counted, work.item_label)
            if named(step, one)
        }
    lacking -= {(None, word) for word in steps}
    assert lacking == set(), f"{language} lacks words"
    assert set(known) - said == set(), f"{language} has words that no page says"


@pytest.mark.parametrize("language", OTHERS)
def test_a_translation_has_the_places_and_the_marks_of_its_message(language: str) -> None:
    for (_, message), forms in catalogue(language).items():
        for form in forms:
            for pattern in (r"%\(\w+\)", r"%%", r"<[^>]+>"):
                wanted, found = (sorted(re.findall(pattern, text)) for text in (message, form))
                if pattern == r"%\(\w+\)":
                    wanted, found = sorted(set(wanted)), sorted(set(found))
                assert found == wanted, message


@pytest.mark.parametrize("language", OTHERS)
def test_every_piece_of_work_has_a_name_in_every_language(language: str) -> None:
    with reading(language):
        for step, work in works().items():
            assert (
                step_noun(step, work.counted, 1) != work.counted
                and step_noun(step, work.counted, 2) != f"{work.counted}s"
            ), step
            assert not work.item_label or step_words(step, work.item_label) != work.item_label, step


def test_scripts_say_nothing_by_themselves() -> None:
    for file in (FOLDER / "static").glob("*.js"):
        said = re.findall(r'(?:textContent|title|ariaLabel|innerHTML)\s*=\s*["`\'][^"`\']', file.read_text())
        assert said == [], file.name


def test_words_of_a_table_are_looked_up_and_names_stay() -> None:
    with reading("it"):
        assert worded("completed", "visit") != worded("completed")
        assert worded("city-venues 100%") == "city-venues 100%" and worded("") == ""
        assert str(words.Later("All judgements are “%(category)s”.", {"category": "a"})) != (
            "All judgements are “a”."
        )
    assert worded("completed", "visit") == "completed"
