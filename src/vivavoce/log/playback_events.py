"""Events of what a participant hears in the browser, turn by turn: what was offered, and what was played."""

from typing import Any

from vivavoce.log.event import Event


class SoundOffered(Event):
    """A page asked for the sound of a system's turn and got it; noted once for each turn.

    recording_id  the sound: what the system spoke by itself, or what was spoken for it
    at_s          seconds from the opening of the dialogue
    """

    kind = "sound_offered"
    dialogue_id: str
    turn_index: int
    recording_id: str
    at_s: float


class SoundPlayed(Event):
    """The sound of a system's turn was heard, or as much of it as was played: in a page, in a call.

    started_s  seconds from the opening of the dialogue; of a page that plays clips by its clock set after
               ours, of an open line counted in the frames of its recording
    played_s   seconds of it that were played
    again      the participant asked to hear it once more
    """

    kind = "sound_played"
    dialogue_id: str
    turn_index: int
    started_s: float
    played_s: float
    again: bool = False


class WordsPlayed(Event):
    """The platform's own words were heard in a dialogue with an open line: it asked, or said what went wrong.

    words      still_there, not_heard, trouble
    started_s  seconds from the opening of the dialogue; played_s: so many seconds of it were heard
    """

    kind = "words_played"
    dialogue_id: str
    words: str
    started_s: float
    played_s: float


class SoundDamaged(Event):
    """A system turn was damaged for the participant, as the study asks; its recording is clean.

    damage    settings of the damage; drawn: the seed of its noise and losses
    streamed  it was damaged while it came, so that its noise went by how loud the speech was until then
    packets   of the network, and how many of them were lost; 0 where none could be lost
    """

    kind = "sound_damaged"
    dialogue_id: str
    turn_index: int
    damage: dict[str, Any]
    drawn: str
    streamed: bool = False
    packets: int = 0
    packets_lost: int = 0
