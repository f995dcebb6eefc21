"""A telephone exchange over loopback connections: it asks for the route and carries sound as Asterisk does.

Written after Asterisk's documentation and what Asterisk 22 was seen to send; the real one is tried by
`make telephony`.
"""

import asyncio
from collections.abc import Awaitable, Callable

import numpy as np

from vivavoce.audio.sound import Samples, Sound
from vivavoce_speech.telephony.asterisk import Asterisk
from vivavoce_speech.telephony.audio_socket import (
    HANG_UP,
    KEY,
    SOUND,
    TICKET,
    Frame,
    frames,
    sound_frame,
    written,
)
from vivavoce_speech.telephony.leg import FRAME, FRAME_S, PhoneLeg

VARIABLE = 'SET VARIABLE VIVAVOCE_TICKET "'


def facts(caller: str, called: str, **more: str) -> bytes:
    """What Asterisk tells of a call before it asks."""
    told = {
        "network": "yes",
        "network_script": f"route,{called}",
        "request": "agi://127.0.0.1/route",
        "channel": "PJSIP/desk-00000001",
        "language": "en",
        "type": "PJSIP",
        "uniqueid": "1790000000.1",
        "version": "22.10.1",
        "callerid": caller or "unknown",
        "calleridname": "unknown",
        "callingpres": "0",
        "callingani2": "0",
        "callington": "0",
        "callingtns": "0",
        "dnid": "unknown",
        "rdnis": "unknown",
        "context": "vivavoce",
        "extension": called,
        "priority": "2",
        "enhanced": "0.0",
        "accountcode": "",
        "threadid": "140000000000000",
        "arg_1": called,
        **more,
    }
    return "".join(f"agi_{name}: {value}\n" for name, value in told.items()).encode() + b"\n"


async def asked(port: int, caller: str, called: str, **more: str) -> str:
    """The ticket that the route's answer gives; "" where every line is taken."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(facts(caller, called, **more))
    command = (await reader.readline()).decode()
    assert command.startswith(VARIABLE) and command.endswith('"\n'), command
    writer.write(b"200 result=1\n")
    assert await reader.read() == b"", "the connection is closed after the answer"
    writer.close()
    await writer.wait_closed()
    return command.removeprefix(VARIABLE)[:-2]


class Call:
    """A call that has been answered: what the caller says goes out, what they hear is kept."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self.heard: list[Samples] = []
        self.hung_up_on = asyncio.Event()
        self._listening = asyncio.create_task(self._listen(reader))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        async for frame in frames(reader):
            if frame.kind == HANG_UP:
                break
            assert frame.kind == SOUND and len(frame.payload) == 2 * FRAME
            self.heard.append(frame.samples)
        self.hung_up_on.set()

    @property
    def heard_sounds(self) -> int:
        """How many frames were not silent."""
        return sum(bool(frame.any()) for frame in self.heard)

    def send(self, data: bytes) -> None:
        """Anything at all."""
        self._writer.write(data)

    def press(self, keys: str) -> None:
        for key in keys:
            self.send(written(Frame(KEY, key.encode())))

    async def say(self, sound: Sound) -> None:
        """Speak at the speed of speech, then be silent for as long as ends a turn."""
        samples = np.concatenate([sound.at(8000).samples, np.zeros(8000, np.int16)])
        clock = asyncio.get_running_loop()
        due = clock.time()
        for start in range(0, len(samples), FRAME):
            self.send(sound_frame(samples[start : start + FRAME]))
            due += FRAME_S
            await asyncio.sleep(max(0.0, due - clock.time()))

    async def break_off(self) -> None:
        """Say no more: what was sent so far arrives, and then the end."""
        self._writer.write_eof()
        await self.hung_up_on.wait()
        await self.hang_up()

    async def hang_up(self) -> None:
        """The caller puts the receiver down: Asterisk closes the connection without a word."""
        self._listening.cancel()
        self._writer.close()
        await asyncio.gather(self._listening, self._writer.wait_closed(), return_exceptions=True)


async def answered(port: int, ticket: bytes) -> Call:
    """A call whose connection begins with a ticket."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(written(Frame(TICKET, ticket)))
    return Call(reader, writer)


def with_asterisk(
    on_call: Callable[[PhoneLeg], Awaitable[None]],
    work: Callable[[Asterisk], Awaitable[None]],
    at_once: int = 5,
) -> None:
    """Run some work while calls are taken on two free ports."""

    async def run() -> None:
        asterisk = Asterisk(on_call, agi="127.0.0.1:0", audio="127.0.0.1:0", at_once=at_once)
        await asterisk.start()
        try:
            await work(asterisk)
        finally:
            await asterisk.stop()

    asyncio.run(run())
