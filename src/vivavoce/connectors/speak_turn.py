"""Saying a line to a system, as it takes lines: in writing, or spoken where it listens by itself."""

from collections.abc import Awaitable, Callable

from vivavoce.audio.sound import Sound
from vivavoce.audio.synthesis import SynthesisError
from vivavoce.connectors.base import Audio, Capabilities, UserTurn
from vivavoce.core.errors import InputError, SystemUnderTestError

Speak = Callable[[str], Awaitable[Sound]]


async def said(
    turn: UserTurn, capabilities: Capabilities, speak: Speak | None, *, by_voice: bool = True
) -> UserTurn:
    """The turn as this system takes it.

    Input   speak: who says a line; by_voice: speak also to a system that takes writing besides
    Raises  SystemUnderTestError("refused"): it only hears, and nobody can speak
    """
    if not capabilities.audio or (capabilities.writing and not (by_voice and speak)):
        return turn
    try:
        if speak is None:
            raise SynthesisError("no synthesiser available")
        sound = (await speak(turn.text)).at(capabilities.audio_rate_hz)
    except (SynthesisError, InputError) as error:
        if capabilities.writing:
            return turn
        problem = f"the system accepts only speech, and no synthesiser is available: {error}"
        raise SystemUnderTestError("refused", problem, reached=False) from None
    return UserTurn(key=turn.key, number=turn.number, text="", audio=Audio(sound.pcm, sound.rate_hz))
