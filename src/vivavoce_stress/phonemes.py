"""Pronunciation of words by eSpeak NG in this process; optional because of its licence (GPL)."""

import ctypes
import re
import threading
from collections import defaultdict
from functools import cached_property
from typing import Any, Final

from vivavoce.core.extras import install_command

MISSING: Final = f"the speech synthesiser is not installed: {install_command('phonetic')}"
_VOICES: Final = {"en": "en-us"}
_UTF8, _IPA, _RETRIEVAL = 1, 2, 2
_COMMON: Final = 20_000
_LOCK = threading.Lock()


class Phonemes:
    """The common words of a language by their sound; made in about a second, when first asked for."""

    def __init__(self, language: str) -> None:
        import espeakng_loader  # pyright: ignore[reportMissingImports]

        self._language = language
        self._library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
        self._library.espeak_Initialize(_RETRIEVAL, 0, str(espeakng_loader.get_data_path()).encode(), 0)
        self._library.espeak_TextToPhonemes.restype = ctypes.c_char_p

    def ipa(self, text: str) -> str:
        """The phonemes of a text, without stress, length and spaces."""
        with _LOCK:  # the voice is one for the whole library
            self._library.espeak_SetVoiceByName(_VOICES.get(self._language, self._language).encode())
            remaining, spoken = ctypes.c_char_p(text.encode()), []
            while remaining.value:
                part = self._library.espeak_TextToPhonemes(ctypes.byref(remaining), _UTF8, _IPA)
                spoken.append((part or b"").decode())
        return re.sub(r"[ˈˌː\s‿\-]", "", "".join(spoken))

    @cached_property
    def _index(self) -> dict[str, list[str]]:
        from simplemma import is_known
        from wordfreq import top_n_list

        index: dict[str, list[str]] = defaultdict(list)
        for word in top_n_list(self._language, _COMMON):
            if word.isalpha() and len(word) > 1 and is_known(word, lang=self._language):
                index[self.ipa(word)].append(word)
        return index

    def alike(self, word: str) -> list[str]:
        """Other common words that are spoken like it."""
        return [homophone for homophone in self._index.get(self.ipa(word), []) if homophone != word]
