"""The section `telephone` of a study file: incoming calls, recognition and synthesis."""

import os
from ipaddress import ip_address
from typing import ClassVar, Final, Literal

from pydantic import Field

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import Source
from vivavoce.study.outbound import Outbound, outbound_warnings
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.voice import RECOGNISE_FOR_LOG, Speech


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


class Telephone(Settings):
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
    recogniser: Speech = Field("pocketsphinx", description="recogniser: a name, or `use` and its settings")
    recognisers: dict[str, Speech] = Field({}, description="recogniser of one language, such as {it: ...}")
    synthesiser: Speech = Field("flite", description="synthesiser: a name, or `use` and its settings")
    synthesisers: dict[str, Speech] = Field({}, description="synthesiser of one language: {it: espeak-ng}")
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


def check_telephone(telephone: Telephone, source: Source) -> None:
    """Report incomplete settings of the telephone."""
    if telephone.asterisk is not None:
        _check_ports(telephone.asterisk, source)
    if telephone.number is None and telephone.outbound is None:
        hint = "write the number to dial, or outbound: {allowed: [...]} for calls from the laboratory"
        source.report(("telephone", "number"), "'number' is missing", hint)


def _check_ports(asterisk: AsteriskSettings, source: Source) -> None:
    """Report duplicate addresses and invalid ports."""
    for name in ("agi", "audio"):
        address: str = getattr(asterisk, name)
        if int(address.rpartition(":")[2]) > 65_535:
            path = ("telephone", "asterisk", name)
            source.report(path, f"{address!r}: invalid port", "write one from 1 to 65535")
    if asterisk.agi == asterisk.audio:
        problem = f"{asterisk.audio!r} is where Asterisk asks for the route"
        source.report(("telephone", "asterisk", "audio"), problem, "write another port")


def telephone_warnings(telephone: Telephone | None) -> list[str]:
    """Warnings about reachable ports and impossible calls, one line each."""
    if telephone is None:
        return []
    found = outbound_warnings(telephone.outbound, os.environ) if telephone.outbound is not None else []
    if telephone.asterisk is None:
        return found
    for name in ("agi", "audio"):
        address: str = getattr(telephone.asterisk, name)
        if not _on_loopback(address):
            problem = f"{address} is reachable from other machines, which could then make calls"
            hint = "write 127.0.0.1, or admit only Asterisk in the firewall"
            found.append(str(InputError(problem, place=f"telephone.asterisk.{name}", hint=hint)))
    return found


def _on_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
