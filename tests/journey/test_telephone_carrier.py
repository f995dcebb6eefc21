"""A carrier hands a call over to the running service: all by WebSocket, the bundled bot behind."""

import asyncio
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from scenes.patience import PATIENCE_S, eventually, eventually_there
from scenes.processes import free_port
from scenes.voices import voice
from scenes.websites import Running, restaurant_bot, running
from vivavoce.audio.files import pcm16
from vivavoce.audio.sound import Sound
from vivavoce.connectors.factory import make_connector
from vivavoce.log.store import Log
from vivavoce.participant.app import create_app
from vivavoce.study.load import load_study
from vivavoce.study.scaffold import write_study
from vivavoce.trial.engine import SessionEngine
from vivavoce_speech.telephony.g711 import PCMU
from vivavoce_speech.telephony.leg import FRAME, FRAME_S
from vivavoce_speech.telephony.media_streams import signature
from vivavoce_speech.telephony.switchboard import Switchboard

TOKEN = "the token of the carrier"
CALLER = "+390612345678"
WISH = "I am looking for a cheap restaurant in the city centre"
SENTENCES = f"{WISH}\nthank you goodbye\nwhat is the address\nwhat is the phone number\n"


class Laboratory:
    """A study whose calls come from a carrier, served."""

    def __init__(self, pages: Running, switchboard: Switchboard, engine: SessionEngine, log: Log) -> None:
        self.pages, self.switchboard, self.engine, self.log = pages, switchboard, engine, log
        self.visit_id = pages.call(self._opened())

    async def _opened(self) -> str:
        """A participant who has come to the page with the number to call."""
        visit_id = (await self.engine.open_visit(language="en")).visit_id
        await self.engine.give_consent(visit_id, 0, agreed=True, document="d")
        await self.engine.read_page(visit_id, 1)
        return visit_id

    def pin(self) -> str:
        dialogue = self.pages.call(self.engine.state(self.visit_id)).dialogue
        assert dialogue is not None and dialogue.pin is not None
        return dialogue.pin

    def events(self, kind: str) -> list[Any]:
        return [one.event for one in self.log.events(self.visit_id) if one.event.kind == kind]

    def order(self) -> ElementTree.Element:
        """What the service makes the carrier do with a call."""
        url = f"{self.pages.url}/telephone/voice"
        fields = {"CallSid": "CA1", "From": CALLER, "To": "+390655501"}
        signed = signature(TOKEN, url, fields.items())
        answer = httpx.post(
            url, data=fields, headers={"X-Twilio-Signature": signed}, trust_env=False, timeout=PATIENCE_S
        )
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/xml")
        stream = ElementTree.fromstring(answer.text).find("./Connect/Stream")
        assert stream is not None
        return stream


@contextmanager
def laboratory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Laboratory]:
    monkeypatch.setenv("CARRIER_TOKEN", TOKEN)
    write_study(folder, "cambridge-2011", name="carried")
    port = free_port()
    (folder / "callers.txt").write_text(SENTENCES)
    file = folder / "study.yaml"
    with restaurant_bot("--domain", str(folder / "restaurants.yaml")) as bot:
        text = file.read_text().replace(":9101/", f":{bot}/").replace(":9102/", f":{bot}/")
        text = text.replace("repeat: 3..40", "repeat: 1..2").replace("generate: 200", "generate: 5")
        file.write_text(
            re.sub("gate: code", "gate: code, channel: phone", text)
            + 'telephone:\n  number: "+39 06 55501"\n'
            + "  recogniser: {use: pocketsphinx, sentences: callers.txt}\n  silence_s: 600\n"
            + f'  media_streams: {{url: "http://127.0.0.1:{port}", token: "${{CARRIER_TOKEN}}"}}\n'
        )
        study = load_study(folder)
        connectors = {name: make_connector(raw, {}) for name, raw in study.systems.items()}
        assert study.telephone is not None
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, connectors)
            switchboard = Switchboard(engine, study.telephone)
            app = create_app(engine, lines={"phone": switchboard})
            with running(app, port) as pages:
                yield Laboratory(pages, switchboard, engine, log)


class Carrier:
    """The other end of the stream: it plays what it is sent, in real time, and sends marks back after it."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket, self._sequence = socket, 1
        self.events: list[str] = []
        self.heard_bytes = 0
        self._turns, self._heard_before = 0, 0

    async def tell(self, event: str, **content: Any) -> None:
        message = {"event": event, "sequenceNumber": str(self._sequence), "streamSid": "MZ1", **content}
        self._sequence += 1
        await self._socket.send(json.dumps(message))

    async def begin(self, ticket: str) -> None:
        await self._socket.send(json.dumps({"event": "connected", "protocol": "Call", "version": "1.0.0"}))
        form = {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
        own = {"ticket": ticket}
        await self.tell(
            "start",
            start={
                "accountSid": "AC1",
                "streamSid": "MZ1",
                "callSid": "CA1",
                "tracks": ["inbound"],
                "mediaFormat": form,
                "customParameters": own,
            },
        )

    def speaks_of(self, turn: int, lab: "Laboratory") -> bool:
        """Whether a turn of the system's is being played; more is heard than before it came."""
        if len(lab.events("system_turn_received")) < turn:
            return False
        if self._turns < turn:
            self._turns, self._heard_before = turn, self.heard_bytes
        return self.heard_bytes > self._heard_before + 4 * FRAME

    async def press(self, keys: str) -> None:
        for key in keys:
            await self.tell("dtmf", dtmf={"track": "inbound_track", "digit": key})

    async def say(self, sound: Sound) -> None:
        """Speak, then be silent for as long as ends a turn."""
        samples = PCMU.encode(sound.at(8000).samples) + bytes([0xFF]) * 8_000
        clock = asyncio.get_running_loop()
        due = clock.time()
        for chunk, start in enumerate(range(0, len(samples), FRAME), 1):
            payload = b64encode(samples[start : start + FRAME]).decode()
            await self.tell(
                "media",
                media={
                    "track": "inbound",
                    "chunk": str(chunk),
                    "timestamp": str(20 * chunk),
                    "payload": payload,
                },
            )
            due += FRAME_S
            await asyncio.sleep(max(0.0, due - clock.time()))

    async def listen(self) -> None:
        """Take what the service sends until it closes the stream."""
        try:
            async for text in self._socket:
                message = json.loads(text)
                assert message["streamSid"] == "MZ1"
                self.events.append(message["event"])
                if message["event"] == "media":
                    self.heard_bytes += len(b64decode(message["media"]["payload"]))
                elif message["event"] == "mark":
                    await self.tell("mark", mark=message["mark"])
        except ConnectionClosed:
            pass


async def call_by_carrier(lab: Laboratory, stream: ElementTree.Element) -> Carrier:
    """Dial, key in the number of the page, say a wish, hear the answer, hang up."""
    (parameter,) = stream
    url = stream.attrib["url"]
    headers = {"X-Twilio-Signature": signature(TOKEN, url)}
    wish = Sound(
        pcm16(voice(WISH, "slt")), 16_000
    )  # made now: the greeting that it interrupts waits for nobody
    async with connect(url, additional_headers=headers, proxy=None) as socket:
        carrier = Carrier(socket)
        listening = asyncio.create_task(carrier.listen())
        await carrier.begin(parameter.attrib["value"])
        await eventually_there(lambda: carrier.heard_bytes, "no welcome")
        await carrier.press(f"{await asyncio.to_thread(lab.pin)}#")

        await eventually_there(lambda: carrier.speaks_of(1, lab), "the bot did not greet")
        await carrier.say(wish)
        await eventually_there(lambda: carrier.speaks_of(2, lab), "the bot did not answer")
        await carrier.tell("stop", stop={"accountSid": "AC1", "callSid": "CA1"})
        await asyncio.wait_for(listening, PATIENCE_S)
    return carrier


async def refused(url: str, headers: dict[str, str]) -> int:
    with pytest.raises(InvalidStatus) as caught:
        async with connect(url, additional_headers=headers, proxy=None):
            raise AssertionError("let in")
    return caught.value.response.status_code


def test_a_call_from_a_carrier_reaches_the_bot_and_what_is_not_signed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with laboratory(tmp_path / "study", monkeypatch) as lab:
        stream = lab.order()
        carrier = asyncio.run(call_by_carrier(lab, stream))
        eventually(lambda: lab.events("call_ended"), "the call was not ended")
        (connected,), (ended,) = lab.events("call_connected"), lab.events("call_ended")
        assert (connected.adapter, connected.joined_by) == ("media_streams", "pin")
        assert (ended.by, ended.keys[-1]) == ("caller", "#")
        (turn,) = lab.events("user_turn_sent")
        assert turn.barge_in and "clear" in carrier.events, "the bot went on while it was spoken to"
        heard, wanted = set(turn.text.split()), set(WISH.lower().split())
        assert len(heard & wanted) / len(wanted) > 0.6, turn.text
        (recording,) = lab.log.recordings()
        assert recording.dialogue_id == connected.dialogue_id
        stored = [one.event.model_dump_json() for one in lab.log.events(lab.visit_id)]
        assert not any(CALLER.lstrip("+") in one for one in stored)

        webhook, url = f"{lab.pages.url}/telephone/voice", stream.attrib["url"]
        wrong = {"X-Twilio-Signature": signature("another token", webhook, [("From", CALLER)])}
        for headers in (wrong, {}):
            answer = httpx.post(
                webhook, data={"From": CALLER}, headers=headers, trust_env=False, timeout=PATIENCE_S
            )
            assert answer.status_code == 403 and "Stream" not in answer.text
        for headers in ({"X-Twilio-Signature": signature("another token", url)}, {}):
            assert asyncio.run(refused(url, headers)) == 403
