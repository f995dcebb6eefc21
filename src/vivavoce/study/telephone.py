"""The section `telephone` of a study file: incoming calls, recognition and synthesis."""

from typing import ClassVar, Final, Literal

from pydantic import Field

from vivavoce.study.outbound import Outbound
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.voice import RECOGNISE_FOR_LOG, Speaking


class MediaStreamSettings(Settings):
    """Calls that a carrier hands over as a WebSocket: Twilio Media Streams, and others of the same shape."""

    url: str = Field(
        pattern=r"^(https://[^\s?#]+|http://(127\.0\.0\.1|localhost)(:\d+)?(/[^\s?#]*)?)$",
        description="https address of the participants' pages, as seen by the carrier",
    )
    token: str = Field(
        pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
        description="${NAME} of the environment variable with the carrier's signing token",
    )


_ADDRESS: Final = r"^(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+):\d{1,5}$"


class AsteriskSettings(Settings):
    """Calls from an Asterisk beside us, which owns trunk, encryption and the world outside."""

    agi: str = Field(
        "127.0.0.1:4573", pattern=_ADDRESS, description="HOST:PORT where its dial plan requests the route"
    )
    audio: str = Field("127.0.0.1:9092", pattern=_ADDRESS, description="HOST:PORT for the sound of calls")


class Routing(Settings):
    """Assignment of a system when a call comes, in place of when the task is shown."""

    shorthand: ClassVar[str | None] = "rule"

    rule: Literal["least-called-by-caller", "random", "balanced"] = Field(
        description=(
            "least-called-by-caller: system with the fewest calls from this number; balanced: "
            "fewest calls by all"
        )
    )
    seed: Whole | None = Field(
        None, ge=0, description="random seed for ties; the same caller gets the same draw (default: random)"
    )


class Telephone(Speaking):
    """Settings of dialogues with `channel: phone`."""

    number: str | None = Field(
        None,
        description="number to dial; {pin} becomes the participant's dialogue PIN",
    )
    outbound: Outbound | None = Field(
        None, description="calls from the laboratory to participants who request one on their page"
    )
    listen: str = Field(
        "127.0.0.1:5060",
        pattern=r"^[^\s:]+:\d{1,5}$",
        description="HOST:PORT for incoming SIP calls; beside another entry only if set",
    )
    asterisk: AsteriskSettings | None = Field(
        None, description="calls from an Asterisk on this machine; {}: usual ports"
    )
    media_streams: MediaStreamSettings | None = Field(
        None, description="calls from a carrier, on the server of the pages"
    )
    advertised: str | None = Field(
        None, description="address announced to callers, if different from the listening address"
    )
    max_concurrency: Whole = Field(
        20, ge=1, le=500, description=("maximum simultaneous calls; others get the busy signal")
    )
    routing: Routing | None = Field(
        None, description="assignment of a system to a call (default: by `allocation`, with the task)"
    )
    recognise_for_log: Flag = Field(False, description=RECOGNISE_FOR_LOG)
    pause_s: Number = Field(0.8, ge=0.2, le=5, description="silence that ends a caller's turn")
    silence_s: Number = Field(8, ge=2, le=3600, description="silence before the system prompts the caller")
    silence_prompts: Whole = Field(
        2, ge=0, le=10, description="number of prompts to a silent caller before the call ends"
    )

    def shown_number(self, pin: str) -> str:
        """The number as the page shows it; "" for outbound calls."""
        return (self.number or "").replace("{pin}", pin)

    @property
    def by_sip(self) -> bool:
        """True if the SIP endpoint listens."""
        others = (self.asterisk, self.media_streams)
        alone = self.number is not None and all(one is None for one in others)
        return alone or "listen" in self.model_fields_set

    @property
    def asks_for_pin(self) -> bool:
        """True if participants must key in a PIN because all dial the same number."""
        return self.number is not None and "{pin}" not in self.number
