"""Better resources that are used only when they are named: separate programs, and data under other licences.

Named, not found: the same command gives the same variants on every machine, or says what to install.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.extras import install_command
from vivavoce_stress.capability import Capability
from vivavoce_stress.italian import apertium
from vivavoce_stress.italian.analysis import analyse
from vivavoce_stress.italian.phrases import agreement
from vivavoce_stress.italian.pointing import gender_of_phrase
from vivavoce_stress.known_misspellings import known_misspellings, misspellings_file
from vivavoce_stress.thesaurus import PACKAGES, Thesaurus, thesaurus_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """A resource of some languages that a user may name.

    installed  whether it is here, for a language
    hint       what to install where it is not, by language
    make       what a language pack can do with it
    """

    name: str
    what: str
    licence: str
    hint: Mapping[str, str]
    installed: Callable[[str], bool]
    make: Callable[[str], dict[str, Capability]]


def _apertium(language: str) -> dict[str, Capability]:
    words = apertium.ApertiumMorphology()
    return {
        "morphology": Capability(lambda: words),
        "analysis": Capability(lambda: partial(analyse, words=words)),
        "agreement": Capability(lambda: partial(agreement, words=words)),
        "gender_of_phrase": Capability(lambda: partial(gender_of_phrase, words=words)),
    }


def _thesaurus(language: str) -> dict[str, Capability]:
    path = thesaurus_file(language)
    return {"thesaurus": Capability(lambda: Thesaurus(path))} if path else {}


def _misspellings(language: str) -> dict[str, Capability]:
    path = misspellings_file()
    return {"known_misspellings": Capability(lambda: known_misspellings(path))} if path else {}


BACKENDS: Final = (
    Backend(
        name="apertium",
        what="Italian genders, irregular forms and tenses",
        licence="GPL-2+, a program",
        hint={"it": apertium.MISSING},
        installed=lambda _: apertium.apertium_installed(),
        make=_apertium,
    ),
    Backend(
        name="thesaurus",
        what="more synonyms (ST-5)",
        licence="GPL-3 (it), WordNet's (en); files",
        hint={language: f"apt-get install {package}" for language, package in PACKAGES.items()},
        installed=lambda language: thesaurus_file(language) is not None,
        make=_thesaurus,
    ),
    Backend(
        name="misspellings",
        what="misspellings that people made (ST-2)",
        licence="CC BY-SA 3.0, a file",
        hint={"en": install_command("misspellings")},
        installed=lambda _: misspellings_file() is not None,
        make=_misspellings,
    ),
)


def backend_of(name: str, language: str, place: str = "--backend") -> Backend:
    """The backend of this name, checked: it serves the language, and is installed.

    Raises  UnknownName: there is none; InputError: it does not serve the language, or is not installed
    """
    chosen = _named(name, place)
    if language not in chosen.hint:
        hint = f"remove it; it supports {', '.join(chosen.hint)}"
        raise InputError(f"backend {name!r} does not support language {language!r}", place=place, hint=hint)
    if not chosen.installed(language):
        raise InputError(f"backend {name!r} is not installed", place=place, hint=chosen.hint[language])
    return chosen


def backends_for(names: Sequence[str], language: str) -> tuple[str, ...]:
    """Those of the names that serve a language, where utterances of several languages are looked at.

    Raises  UnknownName: there is no such backend
    """
    return tuple(name for name in names if language in _named(name, "--backend").hint)


def _named(name: str, place: str) -> Backend:
    match = next((backend for backend in BACKENDS if backend.name == name), None)
    if match is None:
        raise UnknownName("backend", name, [backend.name for backend in BACKENDS], place=place)
    return match


def capabilities_with(names: Sequence[str], language: str) -> dict[str, Capability]:
    """Capabilities of these backends in the language; later backends replace earlier ones."""
    capabilities: dict[str, Capability] = {}
    for name in names:
        capabilities |= backend_of(name, language).make(language)
    return capabilities
