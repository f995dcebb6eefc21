"""Speech recognition behind one small protocol: sound in, hypotheses with confidences out.

A kind of recogniser is offered by an installed package, ours like any other, under an entry point
`vivavoce.recognisers`.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.audio.factory import MadeBySettings, is_made_by_settings
from vivavoce.audio.sound import Sound
from vivavoce.core.errors import VivavoceError
from vivavoce.core.registry import Registry


class RecognitionError(VivavoceError):
    """A recogniser failed on a piece of sound; the message says which and how."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A possible transcript; confidence from 0 to 1, None if the recogniser has none."""

    text: str
    confidence: float | None = None


class RecogniserSettings(BaseModel):
    """What every recogniser may set."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    files: ClassVar[tuple[str, ...]] = ()  # settings that are files, relative to the study's folder

    use: str = Field(description="name of the recogniser")
    hypotheses: int = Field(5, ge=1, le=100, description="most hypotheses for one piece of speech")


class Recogniser(Protocol):
    """Turns speech into words. One object serves all who speak at once."""

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        """The hypotheses for one utterance, best first; empty where nothing was understood.

        Raises  RecognitionError: it could not be tried, or the recogniser failed
        """
        ...

    async def close(self) -> None:
        """Free what is held."""
        ...


RECOGNISERS: Final[Registry[MadeBySettings[RecogniserSettings, Recogniser]]] = Registry(
    "recogniser", fits=is_made_by_settings, needs="settings, make"
)
