"""Contract of every language."""

from datetime import UTC, datetime

from babel.numbers import get_decimal_symbol

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import SOURCE_LANGUAGE
from vivavoce.languages.base import LANGUAGES, Language, language_name, locale_of
from vivavoce.languages.coverage import Coverage, coverage, misfits
from vivavoce.languages.data import FILES
from vivavoce.questionnaires.instrument import INSTRUMENTS, check_wording
from vivavoce.reports.language import instant, percent, report_languages, speaking
from vivavoce.reports.section import words_of_sections
from vivavoce.study.presets import protocol_names
from vivavoce.study.step_kind import words_of_steps


def coverage_of(language: Language) -> dict[str, Coverage]:
    """By catalogue, how much a language says itself; the words of steps and sections are counted in."""
    beside = {"steps": words_of_steps(), "report": words_of_sections()}
    return {covered.domain: covered for covered in coverage(language, beside)}


class LanguageContract:
    """Contract of every language; missing texts fall back to English.

    name      its tag, as studies name it
    complete  catalogues in which nothing may fall back, such as `participant`
    """

    name: str
    complete: tuple[str, ...] = ()

    def test_it_is_found_by_its_tag_and_says_what_it_calls_itself(self) -> None:
        language = self._language()
        assert language.name == self.name and language.folder.is_dir()
        assert language.title and language_name(self.name) == language.title, (
            "title must be the name of the language"
        )

    def test_it_speaks_to_participants(self) -> None:
        if self.name != SOURCE_LANGUAGE:
            covered = coverage_of(self._language())["participant"]
            assert covered.translated, f"none of the {covered.said} messages is translated"

    def test_catalogues_translate_what_is_said_and_fill_in_the_same_values(self) -> None:
        language = self._language()
        for domain, covered in coverage_of(language).items():
            assert not covered.strange, f"{domain}.po: unused message {covered.strange[0]!r}"
            assert not (lost := misfits(language.catalogue(domain))), f"{domain}.po: {lost[0]!r}"

    def test_what_is_called_complete_leaves_nothing_in_english(self) -> None:
        covered = coverage_of(self._language())
        assert set(self.complete) <= set(covered), f"unknown catalogue; catalogues: {', '.join(covered)}"
        untranslated = {domain: covered[domain].in_english for domain in self.complete}
        assert not any(untranslated.values()), f"untranslated messages: {untranslated}"

    def test_its_files_of_words_are_read_and_known(self) -> None:
        for kind in FILES:
            kind.of(self.name)  # refuses what does not fit, with its line
        file_names = {kind.file for kind in FILES}
        strange = [
            file.name for file in self._language().folder.glob("*.yaml") if file.name not in file_names
        ]
        assert not strange, f"unused files: {strange}. Known: {', '.join(sorted(file_names))}"

    def test_its_wordings_and_texts_belong_to_something(self) -> None:
        folder = self._language().folder
        for file in folder.glob("wordings/*"):
            name = file.name.removesuffix(f".{self.name}.yaml")
            assert name in INSTRUMENTS, (
                f"{file.name}: use NAME.{self.name}.yaml with the name of a questionnaire"
            )
            _, problems = check_wording(INSTRUMENTS.get(name), self.name, None)
            assert not problems, str(problems[0])
        for file in (path for path in folder.glob("texts/**/*") if path.is_file()):
            protocol = file.relative_to(folder / "texts").parts[0]
            assert protocol in protocol_names(), f"no protocol {protocol}"
            assert file.name.endswith(f".{self.name}.md") and file.read_text("utf-8").strip()

    def test_reports_write_dates_and_numbers_as_its_people_do(self) -> None:
        if self.name not in report_languages():
            return
        with speaking(self.name):
            day = instant(datetime(2026, 3, 1, tzinfo=UTC))
            assert "2026" in day and percent(0.5).startswith(f"50{get_decimal_symbol(locale_of(self.name))}0")

    def _language(self) -> Language:
        try:
            return LANGUAGES.get(self.name)
        except InputError as error:
            raise AssertionError(str(error)) from None
