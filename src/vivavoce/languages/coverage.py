"""Coverage of a language: translated messages; the rest falls back to English.

The total is the messages of our own complete languages and of the `locale` folders of steps, sections and
packages.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog, Message

from vivavoce.core.i18n import parse_catalogue
from vivavoce.languages.base import LANGUAGES, OURS, Language, language_name, locale_of, package_words

CONTEXT: Final = "\x04"
Id = str | tuple[str, ...]
Reader = Callable[[Path], dict[Id, Message]]
Beside = Mapping[str, Iterable[Path]]
_PLACES: Final = re.compile(r"%\((\w+)\)|\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Coverage:
    """One domain of a language, such as `participant`.

    said        sentences of the domain, whatever the language
    translated  those of them that the language has
    strange     sentences of its catalogue that nobody says
    """

    domain: str
    said: int
    translated: int
    strange: tuple[str, ...]

    @property
    def in_english(self) -> int:
        """Number of sentences that fall back to English."""
        return self.said - self.translated


def domains() -> list[str]:
    """The catalogues that a language may bring: those of ours, and one for each package with words."""
    files = (
        file
        for _, language in LANGUAGES
        if language.folder.parent == OURS
        for file in language.folder.glob("*.po")
    )
    return sorted({*(file.stem for file in files), *package_words()})


def messages(file: Path) -> dict[Id, Message]:
    """Messages of a catalogue by source text; empty without a file."""
    if not file.is_file():
        return {}
    return {_key(message): message for message in parse_catalogue(file) if message.id}


def said(domain: str, beside: Iterable[Path] = (), read: Reader = messages) -> dict[Id, Message]:
    """All sentences of a domain, as some language has them.

    Input   beside: folders of steps or sections with catalogues of their own
            read: what reads a catalogue, where some were read before
    """
    ours = (language.catalogue(domain) for _, language in LANGUAGES if language.folder.parent == OURS)
    catalogues = (file for folder in _folders(domain, beside) for file in sorted(folder.glob("*.po")))
    return {key: message for file in (*ours, *catalogues) for key, message in read(file).items()}


def coverage(language: Language, beside: Beside, only: Collection[str] | None = None) -> list[Coverage]:
    """Domain by domain, what a language says itself.

    Input   beside: by domain, folders of steps or sections with catalogues of their own
            only: these domains; all when left out
    """
    coverages, read = [], cache(messages)  # each file is asked for twice
    for domain in (name for name in domains() if only is None or name in only):
        folders = _folders(domain, beside.get(domain, ()))
        source_messages, translations = said(domain, folders, read), read(language.catalogue(domain))
        with_own = translations | {
            key: message
            for folder in folders
            for key, message in read(folder / f"{language.name}.po").items()
        }
        translated = sum(key in with_own and _whole(with_own[key]) for key in source_messages)
        strange = tuple(sorted(str(key) for key in translations if key not in source_messages))
        coverages.append(Coverage(domain, len(source_messages), translated, strange))
    return coverages


def _folders(domain: str, beside: Iterable[Path]) -> list[Path]:
    """The folders of words of a domain: those beside it, and its package's where it is one's."""
    return list({*beside, *(folder for name, folder in package_words().items() if name == domain)})


def places(text: str) -> list[str]:
    """The places of a sentence that are filled in: `%(num)s`, `{name}`."""
    return sorted("".join(place) for place in _PLACES.findall(text))


def misfits(file: Path) -> list[str]:
    """Source sentences with a translation that lacks or adds placeholders."""
    problems = []
    for key, message in messages(file).items():
        forms = [key] if isinstance(key, str) else list(key)
        forms[0] = forms[0].rpartition(CONTEXT)[2]
        known_places = {place for form in forms for place in places(form)}
        strings = [message.string] if isinstance(message.string, str) else list(message.string or ())
        for form in filter(None, strings):
            lost = set(places(forms[0])) - set(places(form)) if len(forms) == 1 else set[str]()
            if lost or not set(places(form)) <= known_places:
                problems.append(forms[0])
    return problems


def empty_catalogue(domain: str, language: str, beside: Iterable[Path] = ()) -> Catalog:
    """All sentences of a domain, to be translated."""
    title = f"# {language_name(language)}: {domain}. Empty entries are shown in English."
    catalogue = Catalog(str(locale_of(language)), domain, title, "Vivavoce", charset="utf-8", fuzzy=False)
    for message in said(domain, beside).values():
        catalogue.add(message.id, flags=set(message.flags), context=message.context)
    return catalogue


def _key(message: Message) -> Id:
    """Key of a message in gettext: its context before it."""
    before = f"{message.context}{CONTEXT}" if message.context else ""
    if isinstance(message.id, str):
        return before + message.id
    singular, *several = message.id
    return (before + singular, *several)


def _whole(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)
