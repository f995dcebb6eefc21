"""One suite that every registered language must pass: ours, and those of installed packages."""

from pathlib import Path
from typing import get_args

import pytest

from vivavoce.core.errors import InputError
from vivavoce.languages.base import LANGUAGES, OURS, Language, language_name, words
from vivavoce.languages.coverage import coverage, misfits
from vivavoce.languages.data import FILES, Phrase, SimulatedSpeech, Spoken, TaskSentences, phrase
from vivavoce.testing.language import LanguageContract, coverage_of

NAMES = LANGUAGES.names()
BARE = "\n".join(["msgid {0}", "msgstr {1}", ""])


@pytest.fixture(params=NAMES)
def contract(request: pytest.FixtureRequest) -> LanguageContract:
    """Ours but English leave nothing in English; a package's may."""
    found, language = LanguageContract(), LANGUAGES.get(request.param)
    found.name = request.param
    ours = language.folder.parent == OURS and request.param != "en"
    found.complete = tuple(coverage_of(language)) if ours else ()
    return found


@pytest.mark.parametrize("test", [name for name in vars(LanguageContract) if name.startswith("test_")])
def test_a_language_keeps_its_contract(contract: LanguageContract, test: str) -> None:
    getattr(contract, test)()


def test_english_says_everything_that_others_fall_back_to() -> None:
    for kind in FILES:
        assert kind.in_english()
    assert set(Spoken.in_english().phrases) == set(get_args(Phrase))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Language:
    """A language with an empty folder, which is installed until the end of the test."""
    found = Language("eo", "Esperanto", tmp_path)
    monkeypatch.setitem(LANGUAGES._entries, "eo", found)
    return found


def test_what_a_language_lacks_is_said_in_english(made: Language) -> None:
    (made.folder / "participant.po").write_text(BARE.format('"Language"', '"Lingvo"'), "utf-8")
    (made.folder / "spoken.yaml").write_text("phrases: {over: Dankon.}\n", "utf-8")
    found = words("eo-XX", "participant")
    assert [found.gettext(one) for one in ("Language", "Stop taking part")] == ["Lingvo", "Stop taking part"]
    assert (phrase("over", "eo"), phrase("still_there", "eo")) == ("Dankon.", "Are you still there?")
    told = coverage_of(made)["participant"]
    assert (told.translated, told.in_english) == (1, told.said - 1) and told.said > 80
    assert SimulatedSpeech.of("eo") is None and TaskSentences.languages() == ["en", "it"]


def test_a_plural_that_lacks_a_form_is_said_in_english(made: Language) -> None:
    lines = [
        'msgid "%(num)s bot"',
        'msgid_plural "%(num)s bots"',
        'msgstr[0] "%(num)s roboto"',
        'msgstr[1] ""',
    ]
    (made.folder / "participant.po").write_text("\n".join(lines), "utf-8")
    assert words("eo", "participant").ngettext("%(num)s bot", "%(num)s bots", 2) == "%(num)s bots"


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        (
            "spoken.yaml",
            "phrases:\n  code: Jen.\n",
            "phrase 'code' lacks a placeholder or has a wrong one. Use {code} in `code`",
        ),
        ("spoken.yaml", "phrases:\n  ended: Jen.\n", "eo/spoken.yaml:2 phrases.ended"),
        ("spoken.yaml", "digits: [nul, unu]\n", "2 digits. Write ten"),
        ("tasks.yaml", "openings: [Vi serĉas.]\n", "'Vi serĉas.' lacks a placeholder"),
        ("simulation.yaml", "say: {hello: [saluton]}\n", "eo/simulation.yaml"),
    ],
)
def test_a_mistake_in_a_file_of_words_is_told_with_its_place(
    made: Language, file: str, text: str, told: str
) -> None:
    (made.folder / file).write_text(text, "utf-8")
    kind = next(one for one in FILES if one.file == file)
    with pytest.raises(InputError) as refused:
        kind.of("eo")
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'msgid "a"\nmsgstr "b"\nnonsense\n', "participant.po:3: not a gettext catalogue"),
        (b"\xff\xfe", "participant.po: not a gettext catalogue"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_told_with_its_line(
    made: Language, text: bytes, told: str
) -> None:
    made.catalogue("participant").write_bytes(text)
    for read in (lambda: words("eo", "participant"), lambda: coverage(made, {})):
        with pytest.raises(InputError, match=told):
            read()


def test_a_rule_that_is_no_pattern_is_told_with_its_line(made: Language) -> None:
    tasks = (OURS / "it" / "tasks.yaml").read_text("utf-8")
    (made.folder / "tasks.yaml").write_text(tasks.replace("['uno ', ", "['uno(', "), "utf-8")
    with pytest.raises(InputError, match=r"tasks.yaml:\d+ definite\[2\]: .*'uno\('"):
        TaskSentences.of("eo")


def test_a_translation_that_forgets_or_invents_a_value_is_found(made: Language) -> None:
    pairs = [
        ('"%(num)s of %(all)s"', '"%(num)s el %(all)s"'),
        ('"{n} bots"', '"robotoj"'),
        ('"Yes"', '"{jes}"'),
    ]
    (made.folder / "report.po").write_text("\n".join(BARE.format(*pair) for pair in pairs), "utf-8")
    assert misfits(made.catalogue("report")) == ["{n} bots", "Yes"]
    (found,) = [one for one in coverage(made, {}) if one.domain == "report"]
    assert set(found.strange) == {"%(num)s of %(all)s", "{n} bots", "Yes"}


def test_languages_are_called_by_their_own_names() -> None:
    names = [language_name(tag) for tag in ("en", "it", "it-CH", "zz-strange")]
    assert names == ["English", "Italiano", "Italiano (Svizzera)", "zz-strange"]
