"""A call by SIP: its sound in RTP packets, its keys as telephone events."""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, Final

from vivavoce_speech.telephony.dtmf import COMMA_S
from vivavoce_speech.telephony.leg import FRAME, FRAME_S, PhoneLeg
from vivavoce_speech.telephony.rtp import KEYS, KeyPresses, Sender, read_packet
from vivavoce_speech.telephony.sdp import SoundOffer

GAP_FRAMES: Final = 3  # of sound between two keys


class SipLeg(PhoneLeg):
    """A call that was taken by the SIP answerer or made by the SIP caller, which end it by `on_bye`.

    offer        what the other end agreed on: where it hears, in which codec
    next_number  of our next request within the call
    """

    def __init__(
        self,
        offer: SoundOffer,
        *,
        caller_id: str,
        called: str,
        local_tag: str,
        sip_call_id: str,
        on_bye: Callable[["SipLeg"], Awaitable[None]],
    ) -> None:
        super().__init__(f"call-{secrets.token_hex(8)}", caller_id, called, "sip")
        self.offer, self.local_tag, self.sip_call_id = offer, local_tag, sip_call_id
        self.session = secrets.randbelow(1 << 31)
        self.confirmed, self.bye_answered, self.gone = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.bye_to: tuple[Any, ...] = ()
        self.bye_headers: tuple[Any, ...] = ()
        self.next_number = 1
        self.port = 0
        self._on_bye = on_bye
        self._peer: tuple[Any, ...] | None = None
        self._sender, self._presses = Sender(), KeyPresses()
        self._to_press: deque[str] = deque()
        self._pressing: deque[bytes | None] = deque()
        self._transport: asyncio.DatagramTransport | None = None

    async def open(self, host: str) -> None:
        """Take a port for the sound."""
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(lambda: _Sound(self), local_addr=(host, 0))
        self._transport, self.port = transport, transport.get_extra_info("sockname")[1]

    def agreed(self, offer: SoundOffer) -> None:
        """The call was answered: what came before, such as a ringing tone, belongs to no party."""
        self.offer, self._peer = offer, None
        self._coming.clear()
        self.dropped_frames = 0

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    def send_frame(self) -> None:
        """On the beat: one frame each way."""
        payload = self.offer.codec.encode(self.beat())
        if self._transport is None or self.offer.direction not in ("sendrecv", "recvonly"):
            return
        packet = self._pressed() or self._sender.packet(self.offer.codec.payload_type, payload, FRAME)
        self._transport.sendto(packet, self._peer or (self.offer.host, self.offer.port))

    def press(self, keys: str) -> None:
        """Press keys, beside what is being played; as tones where the other end knows no key events."""
        if self.offer.key_type is None:
            super().press(keys)
        else:
            self._to_press.extend(key for key in keys if key in KEYS or key == ",")

    def _pressed(self) -> bytes | None:
        """The next packet of a key press; None where sound is to be sent."""
        if not self._pressing and self._to_press and self.offer.key_type is not None:
            key = self._to_press.popleft()
            if key == ",":
                self._pressing.extend([None] * round(COMMA_S / FRAME_S))
            else:
                self._pressing.extend(self._sender.key_packets(self.offer.key_type, key, FRAME))
                self._pressing.extend([None] * GAP_FRAMES)
        return self._pressing.popleft() if self._pressing else None

    def take_packet(self, data: bytes, source: tuple[Any, ...]) -> None:
        """A datagram; what is no packet of this call's is dropped.

        The first packet of a codec or key that was agreed on says where the caller's sound comes from and
        goes to: behind address translation that is not the address offered. Later ones must come
        from the same machine; key presses may have a port of their own.
        """
        packet = read_packet(data)
        if packet is None or packet.payload_type not in (self.offer.codec.payload_type, self.offer.key_type):
            return
        self._peer = self._peer or source
        if source[0] != self._peer[0]:
            return
        if packet.payload_type == self.offer.codec.payload_type:
            self.take_sound(self.offer.codec.decode(packet.payload))
        else:
            key = self._presses.key(packet)
            if key is not None:
                self.take_key(key)

    async def disconnect(self) -> None:
        await self._on_bye(self)


class _Sound(asyncio.DatagramProtocol):
    def __init__(self, leg: SipLeg) -> None:
        self._leg = leg

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        self._leg.take_packet(data, addr)

    def error_received(self, exc: Exception) -> None:
        """The caller's port is closed: the call will be told to be over by SIP."""
