"""The section `telephone` of a study file: where calls come in, who listens, who speaks."""

import os
from collections.abc import Iterable
from ipaddress import ip_address
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from vivavoce.core.errors import InputError
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.study.outbound import Outbound, outbound_warnings
from vivavoce.study.settings import Flag, Number, Settings, Whole
from vivavoce.study.steps_file import DialogueSettings
from vivavoce.study.voice import RECOGNISE_FOR_LOG, Speech


class MediaStreamSettings(Settings):
    """Calls that a carrier hands over as a WebSocket: Twilio Media Streams, and others of the same shape."""

    url: str = Field(
        pattern=r"^(https://[^\s?#]+|http://(127\.0\.0\.1|localhost)(:\d+)?(/[^\s?#]*)?)$",
        description="https address of the participants' pages, as the carrier reaches it",
    )
    token: str = Field(
        pattern=r"^\$\{[A-Za-z_][A-Za-z0-9_]*\}$",
        description="${NAME} of the environment variable with the token that the carrier signs with",
    )


_ADDRESS: Final = r"^(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]]+):\d{1,5}$"


class AsteriskSettings(Settings):
    """Calls from an Asterisk beside us, which owns trunk, encryption and the world outside."""

    agi: str = Field(
        "127.0.0.1:4573", pattern=_ADDRESS, description="HOST:PORT where its dial plan asks for the route"
    )
    audio: str = Field(
        "127.0.0.1:9092", pattern=_ADDRESS, description="HOST:PORT where it brings the sound of calls"
    )


class Routing(Settings):
    """Which system takes a call, drawn when the call comes instead of when the task is shown."""

    shorthand: ClassVar[str | None] = "rule"

    rule: Literal["least-called-by-caller", "random", "balanced"] = Field(
        description="the system that was called least from this number, any, or the one called least by all"
    )
    seed: Whole | None = Field(
        None, ge=0, description="the same seed draws the same of equals for the same caller; none: by chance"
    )


class Telephone(Settings):
    """How dialogues with `channel: phone` are held."""

    number: str | None = Field(
        None,
        description="what participants dial; {pin} in it becomes the number that leads to their own dialogue",
    )
    outbound: Outbound | None = Field(
        None, description="the laboratory calls participants who ask for it on their page"
    )
    listen: str = Field(
        "127.0.0.1:5060",
        pattern=r"^[^\s:]+:\d{1,5}$",
        description="HOST:PORT where calls come in by SIP; beside another way in only where it is written",
    )
    asterisk: AsteriskSettings | None = Field(
        None, description="calls from an Asterisk beside us; {}: usual ports"
    )
    media_streams: MediaStreamSettings | None = Field(
        None, description="calls from a carrier, beside the pages"
    )
    advertised: str | None = Field(
        None, description="address that callers are told, where it is another than the one listened on"
    )
    at_once: Whole = Field(20, ge=1, le=500, description="calls at the same time; one more finds it busy")
    routing: Routing | None = Field(
        None, description="which system takes a call; none: as the study's `allocation` drew it with the task"
    )
    recogniser: Speech = Field("pocketsphinx", description="who listens: a name, or `use` and its settings")
    recognisers: dict[str, Speech] = Field({}, description="who listens in one language, such as {it: ...}")
    synthesiser: Speech = Field("flite", description="who speaks: a name, or `use` and its settings")
    synthesisers: dict[str, Speech] = Field({}, description="who speaks one language: {it: espeak-ng}")
    recognise_for_log: Flag = Field(False, description=RECOGNISE_FOR_LOG)
    pause_s: Number = Field(0.8, ge=0.2, le=5, description="silence that ends what a caller says")
    silence_s: Number = Field(8, ge=2, le=3600, description="silence after which a caller is spoken to")
    silence_prompts: Whole = Field(
        2, ge=0, le=10, description="how often a silent caller is spoken to; then the call ends"
    )

    def shown_number(self, pin: str) -> str:
        """The number as the page shows it; "" where participants call none."""
        return (self.number or "").replace("{pin}", pin)

    @property
    def by_sip(self) -> bool:
        """Whether the SIP answerer listens."""
        others = (self.asterisk, self.media_streams)
        alone = self.number is not None and all(one is None for one in others)
        return alone or "listen" in self.model_fields_set

    @property
    def asks_for_pin(self) -> bool:
        """Whether participants must key in their number, because all dial the same."""
        return self.number is not None and "{pin}" not in self.number


def check_telephone(
    telephone: Telephone | None, held: Iterable[tuple[KeyPath, DialogueSettings]], source: Source
) -> None:
    """Reports dialogues by telephone that nobody could hold."""
    if telephone is not None and telephone.asterisk is not None:
        _check_ports(telephone.asterisk, source)
    if telephone is not None and telephone.number is None and telephone.outbound is None:
        hint = "write what participants dial, or outbound: {allowed: [...]} for whom the laboratory calls"
        source.report(("telephone", "number"), "'number' is missing", hint)
    for path, dialogue in held:
        if dialogue.channel != "phone":
            continue
        if telephone is None:
            problem = "a dialogue by telephone, but no section `telephone`"
            source.report((*path, "channel"), problem, "add telephone: {number: ...}")
        if dialogue.gate != "code":
            problem = f"gate {dialogue.gate!r}: the page does not see when a call is over"
            source.report((*path, "gate"), problem, "write gate: code")
        if dialogue.elsewhere is not None:
            problem = "a telephone number is shown already"
            source.report((*path, "elsewhere"), problem, "remove it, or write channel: text")


def check_called_systems(
    systems: Any, channels: Iterable[tuple[KeyPath, str]], source: Source, *, open_microphone: bool = False
) -> None:
    """Reports systems that are telephone numbers where participants write, or press a button to speak.

    Input   channels: of each step in which systems answer
    """
    raw = systems if isinstance(systems, dict) else {}
    called = [name for name, one in raw.items() if isinstance(one, dict) and one.get("connect") == "phone"]
    for path, channel in channels:
        if called and channel != "phone" and not (channel == "voice" and open_microphone):
            problem = f"system {called[0]!r} is a telephone number, and this step has channel {channel}"
            opening = " or voice: {microphone: open}," if channel == "voice" else ""
            hint = f"write channel: phone,{opening} or connect the system by another connector"
            source.report(path, problem, hint)


def _check_ports(asterisk: AsteriskSettings, source: Source) -> None:
    """Reports two addresses that are one, and ports that there are not."""
    for name in ("agi", "audio"):
        address: str = getattr(asterisk, name)
        if int(address.rpartition(":")[2]) > 65_535:
            path = ("telephone", "asterisk", name)
            source.report(path, f"{address!r}: there is no such port", "write one from 1 to 65535")
    if asterisk.agi == asterisk.audio:
        problem = f"{asterisk.audio!r} is where Asterisk asks for the route"
        source.report(("telephone", "asterisk", "audio"), problem, "write another port")


def telephone_warnings(telephone: Telephone | None) -> list[str]:
    """What others reach of our ports and why nobody can be called, one line each; [] where all is well."""
    if telephone is None:
        return []
    found = outbound_warnings(telephone.outbound, os.environ) if telephone.outbound is not None else []
    if telephone.asterisk is None:
        return found
    for name in ("agi", "audio"):
        address: str = getattr(telephone.asterisk, name)
        if not _on_loopback(address):
            problem = f"{address} can be reached from other machines, and whoever reaches it can make calls"
            hint = "write 127.0.0.1, or let a firewall admit Asterisk alone"
            found.append(str(InputError(problem, place=f"telephone.asterisk.{name}", hint=hint)))
    return found


def _on_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
