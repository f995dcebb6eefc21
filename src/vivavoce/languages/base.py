"""Files of a language, and the registry of languages from installed packages.

English stands in the code and is what everything falls back to; its folder holds data only. Every file of
another language is optional, and what lacks is said in English:

    participant.po   the pages of participants and annotators
    steps.po         what steps say, ours and those of packages that lack the language themselves
    report.po        the report, its sections likewise; without it there is no report in the language
    measures.po      names and meanings of measures
    dashboard.po     the researcher's dashboard
    <package>.po     what a package says that has pages or reports of its own, such as `campaign.po`
    spoken.yaml      what the platform says aloud in a spoken dialogue
    simulation.yaml  how simulated users talk, and what a noisy channel makes of it
    tasks.yaml       sentences of generated tasks
    turns.yaml       what user turns mean, whatever the ontology
    personal.yaml    by which words people tell who and where they are
    facts.yaml       by which words systems tell facts
    replies.yaml     what system turns say against themselves, whatever the system is about
    campaign.yaml    instructions and questions of a campaign
    wordings/        sentences of questionnaires: `<questionnaire>.<language>.yaml`
    help/            short help of the dashboard's pages, named as in the documentation
    texts/           of protocols: `<protocol>/consent.<language>.md`, ...
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from gettext import NullTranslations
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Final, Self, TypeVar

from babel import Locale, UnknownLocaleError
from pydantic import BaseModel, ConfigDict

from vivavoce.core.errors import UnknownName
from vivavoce.core.i18n import SOURCE_LANGUAGE, read_words
from vivavoce.core.registry import EntryPoint, Registry, installed_points
from vivavoce.core.validation import load_model, mistake

OURS: Final = Path(__file__).parent
Data = TypeVar("Data", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Language:
    """One language.

    name    BCP 47 tag, such as `it` or `pt-BR`, as studies name it
    title   what it calls itself
    folder  of its files
    """

    name: str
    title: str
    folder: Path

    def catalogue(self, domain: str) -> Path:
        """The file with the words of a domain, such as `participant`; it may be missing."""
        return self.folder / f"{domain}.po"


LANGUAGES: Final[Registry[Language]] = Registry("language", Language)


def lookup_tags(tag: str) -> list[str]:
    """A language tag and the wider ones that serve in its place, the most exact first.

    Source  RFC 4647, section 3.4 (lookup): `zh-Hant-TW`, `zh-Hant`, `zh`
    """
    parts = tag.split("-")
    return ["-".join(parts[:end]) for end in range(len(parts), 0, -1) if len(parts[end - 1]) > 1 or end == 1]


def language_of(tag: str) -> Language | None:
    """The language of a tag: by the whole tag, else by a wider one; None: no package offers it."""
    names = [*lookup_tags(tag), tag.split("-")[0].lower()]
    return next((LANGUAGES.get(name) for name in names if name in LANGUAGES), None)


def languages_with(file: str) -> list[str]:
    """The languages that bring a file, by name; English first, which is always there."""
    names = (
        name for name, language in LANGUAGES if name != SOURCE_LANGUAGE and (language.folder / file).is_file()
    )
    return [SOURCE_LANGUAGE, *names]


def folders(name: str) -> Iterator[Path]:
    """The folder of this name of every language that has one."""
    return (language.folder / name for _, language in LANGUAGES if (language.folder / name).is_dir())


def package_words() -> dict[str, Path]:
    """By domain, the folder of catalogues `<language>.po` that a package brings for all that it says.

    The folder is the `locale` of a package that the group `vivavoce.locales` names: `<domain> = "<package>"`.
    """
    return _locales(installed_points("vivavoce.locales"))


@lru_cache
def _locales(points: tuple[EntryPoint, ...]) -> dict[str, Path]:
    specs = ((point.name, find_spec(point.module)) for point in points)
    return {name: Path(spec.origin).parent / "locale" for name, spec in specs if spec and spec.origin}


def words(tag: str, *domains: str, own: Path | None = None) -> NullTranslations:
    """The words of a language: of the folder `own` (`<language>.po`), else of its catalogues, in their order.

    What these lack is looked up among the words of packages.

    Empty  no such language, or no such file: English, as it stands in the code
    """
    return _words(language_of(tag), tag, domains, own, tuple(package_words().items()))


@lru_cache  # a report says thousands of phrases
def _words(
    language: Language | None,
    tag: str,
    domains: tuple[str, ...],
    own: Path | None,
    packages: tuple[tuple[str, Path], ...],
) -> NullTranslations:
    name = language.name if language is not None else tag
    files = [own / f"{name}.po"] if own is not None else []
    files += [language.catalogue(domain) for domain in domains] if language is not None else []
    for domain, folder in packages:
        files += [folder / f"{name}.po"]
        files += [language.catalogue(domain)] if language is not None else []
    return read_words(tuple(files), name)


def locale_of(tag: str) -> Locale:
    """By whose customs dates and numbers are written; English ones where nobody knows those of a tag."""
    try:
        return Locale.parse(tag, sep="-")
    except (UnknownLocaleError, ValueError):
        return Locale.parse(SOURCE_LANGUAGE)


def language_name(tag: str) -> str:
    """Name of a language in itself, such as Italiano, with its region; the tag if unknown."""
    language = language_of(tag)
    if language is not None and language.name == tag:
        return language.title
    try:
        name = Locale.parse(tag, sep="-").get_display_name(tag.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return tag
    return name[:1].upper() + name[1:] if name else tag


class LanguageData(BaseModel):
    """One file of a language.

    file  its name, in the folder of the language
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: ClassVar[str]

    @classmethod
    def of(cls, tag: str) -> Self | None:
        """Content for a tag's language; None: it lacks the file, or is not installed.

        Raises  InputError: the first mistake in the file
        """
        language = language_of(tag)
        path = language.folder / cls.file if language is not None else None
        if language is None or path is None or not path.is_file():
            return None
        return _read(path, f"{language.name}/{cls.file}", cls)

    @classmethod
    def or_english(cls, tag: str) -> Self:
        """Content for a tag's language, else the English one."""
        return cls.of(tag) or cls.in_english()

    @classmethod
    def in_english(cls) -> Self:
        return _read(LANGUAGES.get(SOURCE_LANGUAGE).folder / cls.file, cls.file, cls)

    @classmethod
    def languages(cls) -> list[str]:
        """The languages that bring the file, by name."""
        return [name for name, language in LANGUAGES if (language.folder / cls.file).is_file()]


@lru_cache
def _read(path: Path, shown: str, kind: type[Data]) -> Data:
    return load_model(path, kind, shown)


def require_installed(tag: str, place: str) -> str:
    """The tag, of an installed language, be it without its region.

    Raises  UnknownName: names those that are
    """
    if language_of(tag) is None:
        raise UnknownName("language", tag, LANGUAGES.names(), place=place)
    return tag


def check_installed(tags: list[str]) -> list[str]:
    """A validator: every tag is of an installed language, with or without its region."""
    for tag in tags:
        if language_of(tag) is None:
            installed = ", ".join(LANGUAGES.names())
            name = tag.split("-")[0].lower()
            hint = f"install its package, or write one: vivavoce new language {name}"
            raise mistake(f"language {tag!r} is not installed. Installed: {installed}", hint)
    return tags
