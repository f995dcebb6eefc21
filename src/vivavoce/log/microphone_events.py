"""Events of a microphone that stays open in the page of a dialogue: opened, lost and found again, closed."""

from typing import Literal

from vivavoce.log.event import Event

MicrophoneEnd = Literal["over", "left", "gone", "stopped", "failure"]


class MicrophoneOpened(Event):
    """A page's microphone is open, and the program speaks to it.

    again   it was open in this dialogue before, and closed since
    lost_s  seconds since then; what was said in them was not heard
    """

    kind = "microphone_opened"
    dialogue_id: str
    recording_id: str
    again: bool = False
    lost_s: float = 0.0


class MicrophoneLost(Event):
    """The connection to an open microphone was lost and came back; what was said meanwhile was not heard.

    at_s    seconds from the opening of the microphone to the last that was heard
    lost_s  seconds until it was heard again; they are silence in the recording
    """

    kind = "microphone_lost"
    dialogue_id: str
    at_s: float
    lost_s: float


class MicrophoneStalled(Event):
    """The page of an open microphone got no sound for a moment, though it was connected: its machine was busy
    or asleep. What was said meanwhile was not heard.

    at_s    seconds from the opening of the microphone to the moment
    lost_s  how long it was; they are silence in the recording
    """

    kind = "microphone_stalled"
    dialogue_id: str
    at_s: float
    lost_s: float


class MicrophoneClosed(Event):
    """An open microphone was closed.

    reason  over: the dialogue is; left: the participant goes on by button or in writing; gone: the page did
            not come back; stopped: the service was; failure: the service died, and found the recording later
    lost_s  of duration_s, seconds in which nothing was heard: the connection was lost or too slow, or the
            page got no sound
    """

    kind = "microphone_closed"
    dialogue_id: str
    recording_id: str
    reason: MicrophoneEnd
    duration_s: float
    lost_s: float = 0.0
