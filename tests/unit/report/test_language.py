"""The report in another language: nothing forgotten, numbers written as people there write them."""

import ast
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel.messages.catalog import Message
from babel.messages.pofile import read_po

import vivavoce
from vivavoce.analysis.declared import FamilyMember, describe_family
from vivavoce.analysis.flow import together
from vivavoce.core.errors import UnknownName
from vivavoce.core.statement import FormattedNumber, statement
from vivavoce.languages.base import language_of, package_words
from vivavoce.measures import MEASURES
from vivavoce.reports import rate_tables as content
from vivavoce.reports.declaration import SETTINGS
from vivavoce.reports.html import render
from vivavoce.reports.language import (
    amount,
    by_sentence,
    count,
    instant,
    p_value,
    percent,
    plural,
    points,
    report_languages,
    say,
    span,
    speaking,
    stated,
)
from vivavoce.reports.section import ReportOptions, sections_in_order
from vivavoce.sections.arena.section import COVARIATES
from vivavoce.sections.effort.section import ARMS
from vivavoce.sections.flow.section import OUTCOMES
from vivavoce.sections.preferences.section import FLAGS, MODELS
from vivavoce.sections.questionnaires.section import WORDINGS
from vivavoce.stats.multiple_testing import NAMES
from vivavoce.stats.summary_results import ClusteredDifference, choose_model, reach_warning
from vivavoce.stats.usage_skew import concentration, dominance_warning

ROOMS = [
    Path(vivavoce.__file__).parent / room for room in ("reports", "sections", "stats", "importers", "log")
]
LANGUAGES = [language for language in report_languages() if language != "en"]
SAME_EVERYWHERE = {"Holm", "Bonferroni"}
NO_WORDS = re.compile(r"(?:\{\w+\}|[^a-z])*")
COUNTING = ("plural", "PluralCount")
SHOWN_WITHOUT_EXPERTS = ("communication", "task_success", "recognition")


def phrases() -> set[str]:
    """What the rooms say: what `say`, `statement` and `N_` are given, counted nouns, words of tables,
    and what importers note.
    """
    found: set[str] = set()
    for file in (file for room in ROOMS for file in room.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "NOTES" and node.value:
                found |= set(ast.literal_eval(node.value))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                said = node.args[1 if node.func.id in COUNTING and len(node.args) > 1 else 0]
                if node.func.id in ("say", "statement", "N_", *COUNTING) and isinstance(said, ast.Constant):
                    found.add(said.value)
    tables = (
        WORDINGS,
        OUTCOMES,
        NAMES,
        SETTINGS,
        content.UNIT_NAMES,
        MODELS,
        FLAGS,
        COVARIATES,
        ARMS,
    )
    found |= {words for table in tables for words in table.values()}
    found |= {word for section in sections_in_order() for word in (section.title, section.menu)} - {""}
    phrases = {phrase for phrase in found if isinstance(phrase, str) and not NO_WORDS.fullmatch(phrase)}
    return phrases - SAME_EVERYWHERE


def read_words_of(file: Path, language: str) -> list[Message]:
    with file.open("rb") as words:
        return list(read_po(words, locale=language))


def catalogue(language: str, domain: str) -> dict[str, str | tuple[str, ...]]:
    words = list(read_words_of(language_of(language).catalogue(domain), language))
    if domain == "report":
        folders = [*package_words().values(), *(one.locale for one in sections_in_order())]
        for file in (folder / f"{language}.po" for folder in folders):
            words += read_words_of(file, language)
    return {one.id[0] if isinstance(one.id, tuple) else one.id: one.string for one in words if one.id}


def test_every_phrase_of_the_report_and_its_sections_is_translated():
    for language in LANGUAGES:
        known = catalogue(language, "report")
        assert not {phrase for phrase in phrases() if not known.get(phrase)}


def test_a_translation_has_the_places_of_its_phrase():
    for domain in ["report", "measures"]:
        for language in LANGUAGES:
            for phrase, words in catalogue(language, domain).items():
                for form in words if isinstance(words, tuple) else (words,):
                    assert set(re.findall(r"\{\w+\}", form)) == set(re.findall(r"\{\w+\}", phrase)), phrase


def test_every_measure_has_a_name_and_a_meaning_in_every_language():
    for language in LANGUAGES:
        with speaking(language):
            for _, measure in MEASURES:
                family = measure.family.replace("_", " ").capitalize()
                sentences = re.split(r"(?<=[.!?]) (?=[A-Z0-9])", measure.meaning)
                for text in (measure.title, family, *({measure.unit} - {"s", "ms"}), *sentences):
                    assert say(text) != text, f"{measure.name}: {text}"
                assert by_sentence(measure.meaning) == " ".join(map(say, sentences))


def test_the_reasons_for_a_model_are_translated_sentence_by_sentence():
    for shared in [True, False]:
        for people in [0, 4, 20, 60]:
            one = [f"p{number}" for number in range(people)] or [None]
            other = one if shared else [f"q{number}" for number in range(people)] or [None]
            why = choose_model([one, other]).why
            with speaking("it"):
                english, italian = (
                    re.split(r"(?<=[.!?]) (?=[A-Z0-9])", text) for text in (str(why), stated(why))
                )
                assert len(english) == len(italian) and not set(english) & set(italian)
                assert not re.search(r"\b(the|and|of|participants|dialogues)\b", stated(why))


def test_italian_numbers_have_a_comma():
    with speaking("it"):
        assert percent(0.8461) == "84,6%"
        assert span(0.795, 0.886) == "da 79,5 a 88,6"
        assert points(-0.0123) == "\u22121,2"
        assert p_value(0.0123) == "0,012"
        assert p_value(0.0001) == "< 0,001"
        assert amount(3.14159, "s") == "3,14\u202fs"
        assert count(1234) == "1\u202f234"
        assert instant(datetime(2026, 3, 1, tzinfo=UTC)) == "1\u00a0marzo\u00a02026"
        assert plural(1, "goal") == "1 obiettivo"
        assert plural(2, "goal") == "2 obiettivi"


def test_a_statement_is_worded_with_its_parts_and_english_by_itself():
    spread = concentration([f"p{number}" for number in (*range(30), *[0] * 16, *[1] * 7, *[2] * 7)])
    warning = dominance_warning(spread)
    assert warning is not None
    assert str(warning).startswith(
        "Few participants dominate: the 3 most active of 30 participants had 55% of the 60 dialogues and one "
        "participant had 17 of 60 (28%). Use the intervals"
    )
    with speaking("it"):
        assert stated(warning).startswith(
            "Pochi partecipanti dominano: i 3 partecipanti più attivi su 30 hanno avuto il 55% "
            "dei 60 dialoghi e un partecipante ne ha avuti 17 su 60 (28%). Si usino"
        )


def test_numbers_in_a_statement_have_the_sign_of_the_language_and_names_are_left_alone():
    told = statement("{k} of {n}", k=FormattedNumber(0.5, ".2f"), n=statement("{n}", n="v1.2"))
    with speaking("it"):
        assert (str(told), stated(told)) == ("0.50 of v1.2", "0,50 su v1.2")


def test_how_p_was_adjusted_is_said_in_italian_for_every_correction():
    for number in [0, 1, 3]:
        for correction in [*NAMES]:
            told = describe_family(
                "explored", [FamilyMember("turns", "a", f"b{n}", 0.1) for n in range(number)], correction
            ).why
            with speaking("it"):
                assert not re.search(r"\b(not|is|by|over|could|comparisons?)\b", stated(told)), stated(told)


def test_warnings_of_designs_that_cannot_show_anything_are_translated():
    few = ClusteredDifference(smallest_p=0.1, clusters=6, method="permutation_between")
    many = ClusteredDifference(smallest_p=None, clusters=40, method="cluster_robust_t")
    within = ClusteredDifference(smallest_p=0.25, clusters=3, method="permutation_within")
    told = [reach_warning(tests, 0.05) for tests in ([few], [few, few], [few, many, many], [within])]
    told.append(reach_warning([replace(few, smallest_p=0.04)] * 3, 0.05, adjusted_by=3))
    told += [together("room", "aaabbb", "noise", other) for other in ("xxyyyy", "xxxyyy")]
    with speaking("it"):
        for warning in told:
            assert warning
            assert not re.search(r"\b(the|and|of|with|participants|dialogues)\b", stated(warning))


def test_braces_in_what_users_wrote_are_no_places():
    with speaking("it"):
        same = statement("The same applies within {groups}.", groups="{x} {0}")
        assert stated(same) == "Lo stesso vale entro {x} {0}."
        assert say("and {n} more", n="{secret}") == "e {secret} in più"


def test_the_language_ends_with_its_report(plain):
    page = render(plain.dataset, options=ReportOptions(language="it"))
    assert '<html lang="it">' in page
    assert "Rapporto di valutazione" in page
    assert percent(0.5) == "50.0%"
    assert render(plain.dataset) == plain.html


def test_no_english_sentence_is_left_in_an_italian_report(make):
    from html import unescape

    page = unescape(
        render(make(people=2, simulated=True), options=ReportOptions(language="it", transcripts=1))
    )
    english = [phrase for phrase in phrases() if len(phrase) > 25 and "{" not in phrase and phrase in page]
    assert english == []
    assert "SIMULATO" in page
    assert "SIMULATED" not in page


def test_an_unknown_language_is_refused_with_those_that_there_are(plain):
    with pytest.raises(UnknownName, match=r"unknown language 'xx'.*Known: en, it"):
        render(plain.dataset, options=ReportOptions(language="xx"))
