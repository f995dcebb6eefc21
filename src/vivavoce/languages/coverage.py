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
    files = (file for _, one in LANGUAGES if one.folder.parent == OURS for file in one.folder.glob("*.po"))
    return sorted({*(file.stem for file in files), *package_words()})


def messages(file: Path) -> dict[Id, Message]:
    """The messages of a catalogue by what they translate; none where there is no file."""
    if not file.is_file():
        return {}
    return {_key(one): one for one in parse_catalogue(file) if one.id}


def said(domain: str, beside: Iterable[Path] = (), read: Reader = messages) -> dict[Id, Message]:
    """All sentences of a domain, as some language has them.

    Input   beside: folders of steps or sections with catalogues of their own
            read: what reads a catalogue, where some were read before
    """
    ours = (one.catalogue(domain) for _, one in LANGUAGES if one.folder.parent == OURS)
    own = (file for folder in _folders(domain, beside) for file in sorted(folder.glob("*.po")))
    return {key: one for file in (*ours, *own) for key, one in read(file).items()}


def coverage(language: Language, beside: Beside, only: Collection[str] | None = None) -> list[Coverage]:
    """Domain by domain, what a language says itself.

    Input   beside: by domain, folders of steps or sections with catalogues of their own
            only: these domains; all when left out
    """
    found, read = [], cache(messages)  # each file is asked for twice
    for domain in (one for one in domains() if only is None or one in only):
        folders = _folders(domain, beside.get(domain, ()))
        every, own = said(domain, folders, read), read(language.catalogue(domain))
        with_own = own | {
            key: one for folder in folders for key, one in read(folder / f"{language.name}.po").items()
        }
        translated = sum(key in with_own and _whole(with_own[key]) for key in every)
        strange = tuple(sorted(str(key) for key in own if key not in every))
        found.append(Coverage(domain, len(every), translated, strange))
    return found


def _folders(domain: str, beside: Iterable[Path]) -> list[Path]:
    """The folders of words of a domain: those beside it, and its package's where it is one's."""
    return list({*beside, *(folder for name, folder in package_words().items() if name == domain)})


def places(text: str) -> list[str]:
    """The places of a sentence that are filled in: `%(num)s`, `{name}`."""
    return sorted("".join(found) for found in _PLACES.findall(text))


def misfits(file: Path) -> list[str]:
    """Sentences of a catalogue whose translation fills in other values than they do."""
    found = []
    for key, one in messages(file).items():
        forms = [key] if isinstance(key, str) else list(key)
        forms[0] = forms[0].rpartition(CONTEXT)[2]
        known = {place for form in forms for place in places(form)}
        told = [one.string] if isinstance(one.string, str) else list(one.string or ())
        for form in filter(None, told):
            lost = set(places(forms[0])) - set(places(form)) if len(forms) == 1 else set[str]()
            if lost or not set(places(form)) <= known:
                found.append(forms[0])
    return found


def empty_catalogue(domain: str, language: str, beside: Iterable[Path] = ()) -> Catalog:
    """All sentences of a domain, to be translated."""
    title = f"# {language_name(language)}: {domain}. Empty entries are shown in English."
    made = Catalog(str(locale_of(language)), domain, title, "Vivavoce", charset="utf-8", fuzzy=False)
    for one in said(domain, beside).values():
        made.add(one.id, flags=set(one.flags), context=one.context)
    return made


def _key(message: Message) -> Id:
    """Key of a message in gettext: its context before it."""
    before = f"{message.context}{CONTEXT}" if message.context else ""
    if isinstance(message.id, str):
        return before + message.id
    one, *several = message.id
    return (before + one, *several)


def _whole(message: Message) -> bool:
    return all(message.string) if isinstance(message.string, tuple) else bool(message.string)
