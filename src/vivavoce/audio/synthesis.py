"""Speech synthesis behind one small protocol: words and a language in, sound out.

A kind of synthesiser is offered by an installed package, ours like any other, under an entry point
`vivavoce.synthesisers`.
"""

from typing import ClassVar, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.audio.factory import MadeBySettings, is_made_by_settings
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import VivavoceError
from vivavoce.core.registry import Registry


class SynthesisError(VivavoceError):
    """A synthesiser failed on a text; the message says which and how."""


class SynthesiserSettings(BaseModel):
    """What every synthesiser may set."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    files: ClassVar[tuple[str, ...]] = ()  # settings that are files, relative to the study's folder

    use: str = Field(description="name of the synthesiser")


class Synthesiser(Protocol):
    """Speaks texts. One object serves all calls.

    One whose `reads_ssml` is true is given what a system marked up for a synthesiser (SSML) as it came, a
    text in `<speak>`; others its words alone.
    """

    async def speak(self, text: str, *, language: str) -> Sound:
        """The text as speech, at the synthesiser's own rate. Empty text gives no sound.

        Raises  SynthesisError: the language is not spoken, or the synthesiser failed
        """
        ...

    async def close(self) -> None:
        """Free what is held."""
        ...


def reads_ssml(synthesiser: Synthesiser) -> bool:
    """True if a synthesiser reads SSML."""
    return bool(getattr(synthesiser, "reads_ssml", False))


SYNTHESISERS: Final[Registry[MadeBySettings[SynthesiserSettings, Synthesiser]]] = Registry(
    "synthesiser", fits=is_made_by_settings, needs="settings, make"
)
