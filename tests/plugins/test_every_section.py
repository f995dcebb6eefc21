"""One suite that every registered section of the report must pass, ours and those of installed packages."""

import ast
import re
from dataclasses import replace
from inspect import getfile
from pathlib import Path
from typing import Any, get_args

import pytest
from babel.messages.pofile import read_po

from scenes.before_shelves import DATASETS, FIXTURES
from scenes.crowds import differing, drawn
from unit.judges.conftest import write_judged
from unit.stress.test_scores import ROWS as STRESSED
from vivavoce.core import registry
from vivavoce.core.errors import InputError
from vivavoce.core.registry import EntryPoint
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.languages.base import LANGUAGES, package_words
from vivavoce.reports.blocks import Block, DocumentSection, Figure, Fold, TableOfText
from vivavoce.reports.html import page
from vivavoce.reports.language import DOMAIN, say, speaking, with_words
from vivavoce.reports.pdf import data_of
from vivavoce.reports.reference import sections_reference
from vivavoce.reports.section import (
    SECTIONS,
    AnalysisContext,
    FilledSection,
    ReportOptions,
    Section,
    compose,
    fill,
    sections_in_order,
)
from vivavoce.testing.section import SectionContract

EVERY = sections_in_order()
CONTRACT = [name for name in dir(SectionContract) if name.startswith("test_")]
Fills = dict[str, list[tuple[AnalysisContext, FilledSection]]]
named = pytest.mark.parametrize("section", EVERY, ids=lambda section: section.name)


@pytest.fixture(scope="module")
def materials(tmp_path_factory: pytest.TempPathFactory) -> list[AnalysisContext]:
    """Datasets in which all kinds of steps were gone through, by people and by programs, with all options."""
    folder = tmp_path_factory.mktemp("stressed")
    with DatasetWriter(folder, study={"name": "s"}, source={"kind": "test"}) as writer:
        writer.add("stress", STRESSED)
    known = [FIXTURES / "datasets" / name for name in DATASETS]
    asked = ReportOptions(transcripts=1, against=Dataset(known[-1]))
    crowds = drawn(tmp_path_factory.mktemp("crowds") / "data", differing("word_error_rate"), 1)
    judged = write_judged(tmp_path_factory.mktemp("judged"))
    return [AnalysisContext(one, asked) for one in (*map(Dataset, (*known, folder)), crowds, judged)]


@pytest.fixture(scope="module")
def fills(materials: list[AnalysisContext]) -> Fills:
    """What each section finds, with the dataset in which it finds it."""
    found: Fills = {section.name: [] for section in EVERY}
    for material in materials:
        for one in fill(material, EVERY):
            found[one.section.name].append((material, one))
    return found


def constants(section: Section[Any], *, said: bool = False) -> set[str]:
    """The texts in the code of a section; `said`: only its titles and what it hands to `say` as it stands."""
    found = {section.title, section.menu} - {""}
    for file in Path(getfile(type(section))).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if said and isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say":
                node = node.args[0]
            elif said:
                continue
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def words_of(file: Path) -> dict[str, Any]:
    with file.open("rb") as written:
        return {
            one.id[0] if isinstance(one.id, tuple) else one.id: one.string
            for one in read_po(written)
            if one.id
        }


def test_each_section_stands_in_a_place_of_its_own() -> None:
    assert len({one.order for one in EVERY}) == len(EVERY) == len(SECTIONS.names())
    assert [one.order for one in EVERY] == sorted(one.order for one in EVERY)


@named
def test_a_section_of_ours_keeps_the_contract_to_which_packages_are_held(
    section: Section[Any], fills: Fills
) -> None:
    contract = SectionContract()
    contract.name, contract.languages = section.name, ("en", "it")
    material = next(one for one, found in fills[section.name] if found.written(""))
    contract.dataset, contract.options = material.dataset, material.options
    for test in CONTRACT:
        getattr(contract, test)()


def test_the_name_of_a_section_can_be_typed() -> None:
    for section in EVERY:
        assert re.fullmatch(r"[a-z][a-z_-]*", section.name)


@named
def test_what_a_section_finds_is_written_in_blocks_that_every_renderer_knows(
    section: Section[Any], fills: Fills
) -> None:
    shown = [found.written("SIMULATED") for _, found in fills[section.name]]
    written: list[DocumentSection] = [one for one in shown if one is not None]
    assert written, "the datasets above hold nothing that it would show"
    for shown in written:
        blocks = [one for each in shown.blocks for one in (each.blocks if isinstance(each, Fold) else [each])]
        assert all(isinstance(one, get_args(Block)) for one in blocks)
        assert all("SIMULATED" in one.title for one in blocks if isinstance(one, Figure))
        for table in blocks:
            if isinstance(table, TableOfText):
                assert all(len(row.cells) < len(table.columns) for row in table.rows), table.name


@named
def test_what_a_section_finds_is_without_words_so_that_each_reader_gets_their_own(
    section: Section[Any], fills: Fills
) -> None:
    material, found = fills[section.name][0]
    with speaking("it"):
        (again,) = fill(material, [section])
    assert repr(again.results) == repr(found.results)


@named
def test_a_section_says_every_phrase_in_each_language_of_its_catalogues(section: Section[Any]) -> None:
    for file in section.locale.glob("*.po"):
        own, shared = words_of(file), words_of(LANGUAGES.get(file.stem).catalogue(DOMAIN))
        for folder in package_words().values():
            shared |= words_of(folder / file.name)
        known = {phrase for words in (own, shared) for phrase, said in words.items() if said}
        assert constants(section, said=True) <= known
        assert set(own) <= constants(section), "a phrase that the section says no more"
        assert not set(own) & set(shared), "a phrase that several say stands in the report's own catalogue"
        for phrase, said in own.items():
            for form in said if isinstance(said, tuple) else (said,):
                assert set(re.findall(r"\{\w+\}", form)) == set(re.findall(r"\{\w+\}", phrase)), phrase


def test_a_report_has_every_section_that_finds_something_in_its_place(
    materials: list[AnalysisContext], fills: Fills
) -> None:
    for material in (materials[0], materials[-1]):
        has = {
            name
            for name, places in fills.items()
            if any(one is material and found.written("") is not None for one, found in places)
        }
        document = compose(material.dataset, replace(material.options, language="it"))
        assert [one.name for one in document.sections] == [one.name for one in EVERY if one.name in has]


def test_a_report_of_chosen_sections_asks_no_others(
    materials: list[AnalysisContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, material: AnalysisContext) -> None:
        raise AssertionError("nobody chose it")

    monkeypatch.setattr(type(SECTIONS.get("participants")), "results", refuse)
    document = compose(materials[0].dataset, ReportOptions(sections=["cite"]))
    assert [one.name for one in document.sections] == ["cite"]


class Weather(Section[str]):
    """A section of somebody else's, with words of its own."""

    name, order, title, needs = "weather", 150, "Weather of the day", ("dialogues",)

    def results(self, material: AnalysisContext) -> str:
        return "rain"

    def blocks(self, results: str) -> list[Block]:
        return []


class Broken(Weather):
    def results(self, material: AnalysisContext) -> str:
        raise KeyError("rain")


class Puzzled(Weather):
    def blocks(self, results: str) -> list[Block]:
        raise InputError("no such cloud", hint="look up")


@pytest.mark.parametrize(
    ("section", "told"),
    [
        (Broken(), "section 'weather' of test_every_section fails: KeyError: 'rain'. Update or uninstall"),
        (Puzzled(), "no such cloud. Look up"),
    ],
)
def test_a_section_of_a_package_that_fails_is_named_in_one_line(
    section: Section[str], told: str, materials: list[AnalysisContext], monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (Broken, Puzzled):
        monkeypatch.setattr(kind, "__module__", "test_every_section")
    monkeypatch.setattr(Weather, "locale", Path("nowhere"))
    with pytest.raises(InputError, match=re.escape(told)):
        [one.written("") for one in fill(materials[0], [section])]


class Untitled(Section[str]):
    name, order, needs = "weather", 150, ()

    def results(self, material: AnalysisContext) -> str:
        return ""

    def blocks(self, results: str) -> list[Block]:
        return []


class Silent(Section[str]):
    name, order, title, needs = "weather", 150, "Weather", ()

    def results(self, material: AnalysisContext) -> str:
        return ""


@pytest.mark.parametrize(
    ("offered", "why"),
    [(Untitled, "needs to be a Section with order, title, needs"), (Silent, "has no blocks")],
)
def test_a_section_that_does_not_say_everything_of_itself_is_refused(
    offered: type, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("weather", f"{__name__}:Weather", "vivavoce.sections", named="skies")
    monkeypatch.setattr(EntryPoint, "load", lambda self: offered)
    monkeypatch.setattr(registry, "installed_points", lambda group: (point,))
    with pytest.raises(InputError, match=why):
        registry.Registry("section", Section, fits=SECTIONS.fits, needs=SECTIONS.needs).get("weather")


def test_a_section_finds_its_own_words_first_and_then_those_of_the_report(tmp_path: Path) -> None:
    (tmp_path / "it.po").write_text('msgid "Weather of the day"\nmsgstr "Tempo che fa"\n', "utf-8")
    with speaking("it"):
        assert say("Weather of the day") == "Weather of the day"
        with with_words(tmp_path):
            assert (say("Weather of the day"), say("Sections")) == ("Tempo che fa", "Sezioni")
    with with_words(tmp_path):
        assert say("Weather of the day") == "Weather of the day"


def test_the_page_has_not_drifted_from_the_sections() -> None:
    """Mend it with: python -m vivavoce.reports.reference > docs/reference/sections.md"""
    page = Path(__file__).parents[2] / "docs" / "reference" / "sections.md"
    assert page.read_text("utf-8") == sections_reference()


def test_pages_and_prints_know_no_section(materials: list[AnalysisContext]) -> None:
    known = compose(materials[0].dataset, ReportOptions(sections=["cite"]))
    weather = replace(known.sections[0], name="weather", title="Weather of the day")
    document = replace(known, sections=[weather])
    assert '<h2 id="weather">' in page(document)
    assert [one["title"] for one in data_of(document)["sections"]] == ["Weather of the day"]
