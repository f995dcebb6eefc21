"""The offer and answer of a call's sound: which codec, which address, how key presses travel.

Source  RFC 4566 (session description), RFC 3264 (offer and answer)
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from vivavoce_speech.telephony.g711 import CODECS, Codec

_AUDIO: Final = re.compile(r"^m=audio (\d{1,5})(?:/\d+)? RTP/AVPF? ([\d ]+)$", re.MULTILINE)
_CONNECTION: Final = re.compile(r"^c=IN IP([46]) (\S+)$", re.MULTILINE)
_EVENT: Final = re.compile(r"^a=rtpmap:(\d{1,3}) telephone-event/8000\s*$", re.MULTILINE | re.IGNORECASE)
_DIRECTION: Final = re.compile(r"^a=(sendrecv|sendonly|recvonly|inactive)\s*$", re.MULTILINE)
_ANSWERED: Final = {
    "sendrecv": "sendrecv",
    "sendonly": "recvonly",
    "recvonly": "sendonly",
    "inactive": "inactive",
}


class NoCommonSound(ValueError):
    """The offer has no telephone speech in it that we can send and receive."""


@dataclass(frozen=True, slots=True)
class SoundOffer:
    """Address and codec of the caller's offer; key_type: payload type of key presses, if any."""

    host: str
    port: int
    codec: Codec
    key_type: int | None
    direction: str = "sendrecv"


def read_offer(body: str) -> SoundOffer:
    """Read a caller's offer.

    Raises  NoCommonSound: no audio, no address, neither PCMU nor PCMA
    """
    lines = body.replace("\r\n", "\n")
    audio = _AUDIO.search(lines)
    if audio is None or not 0 < int(audio[1]) < 65536:
        raise NoCommonSound("the offer has no audio")
    section = lines[audio.start() :].split("\nm=", 1)[0]
    connection = _CONNECTION.search(section) or _CONNECTION.search(lines)
    if connection is None:
        raise NoCommonSound("the offer has no address")
    try:
        host = str(ipaddress.ip_address(connection[2].split("/")[0]))
    except ValueError:
        raise NoCommonSound("the offer has an invalid address") from None
    types = [int(number) for number in audio[2].split()]
    codec = next((CODECS[type_] for type_ in types if type_ in CODECS), None)
    if codec is None:
        raise NoCommonSound("the offer has neither PCMU nor PCMA")
    event, direction = _EVENT.search(section), _DIRECTION.search(section)
    return SoundOffer(
        host,
        int(audio[1]),
        codec,
        int(event[1]) if event else None,
        direction[1] if direction else "sendrecv",
    )


def write_offer(host: str, port: int, session: int, key_type: int) -> str:
    """Write our offer: both codecs, and key presses."""
    types = [str(codec) for codec in CODECS] + [str(key_type)]
    lines = [*_head(host, session), f"m=audio {port} RTP/AVP {' '.join(types)}"]
    lines += [f"a=rtpmap:{number} {codec.name}/8000" for number, codec in CODECS.items()]
    lines += [f"a=rtpmap:{key_type} telephone-event/8000", f"a=fmtp:{key_type} 0-15"]
    return "\r\n".join([*lines, "a=ptime:20", "a=sendrecv"]) + "\r\n"


def write_answer(offer: SoundOffer, host: str, port: int, session: int) -> str:
    """Our answer: the chosen codec, and key presses under the caller's own number."""
    types = [str(offer.codec.payload_type), *([str(offer.key_type)] if offer.key_type is not None else [])]
    lines = [
        *_head(host, session),
        f"m=audio {port} RTP/AVP {' '.join(types)}",
        f"a=rtpmap:{offer.codec.payload_type} {offer.codec.name}/8000",
    ]
    if offer.key_type is not None:
        lines += [f"a=rtpmap:{offer.key_type} telephone-event/8000", f"a=fmtp:{offer.key_type} 0-15"]
    lines += ["a=ptime:20", f"a={_ANSWERED[offer.direction]}"]
    return "\r\n".join(lines) + "\r\n"


def _head(host: str, session: int) -> list[str]:
    family = 6 if ":" in host else 4
    return [
        "v=0",
        f"o=vivavoce {session} {session} IN IP{family} {host}",
        "s=call",
        f"c=IN IP{family} {host}",
        "t=0 0",
    ]
