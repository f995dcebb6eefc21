"""Recognition and synthesis by an OpenAI-compatible service, which stands on this machine."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from vivavoce.audio.files import encode_sound
from vivavoce.audio.recognition import Hypothesis, RecognitionError
from vivavoce.audio.sound import Sound
from vivavoce.audio.speech import make_recogniser, make_synthesiser
from vivavoce.audio.synthesis import SynthesisError
from vivavoce.core.errors import InputError

TONE = Sound((8000 * np.sin(np.arange(8000) / 5)).astype(np.int16), 8000)


class Service(BaseHTTPRequestHandler):
    """Answers as such services do; keeps what it was asked."""

    asked: list[tuple[str, str, bytes]] = []
    said: bytes = b""
    status = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        Service.asked.append((self.path, self.headers.get("authorization", ""), body))
        self.send_response(Service.status)
        self.send_header("content-length", str(len(Service.said)))
        self.end_headers()
        self.wfile.write(Service.said)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def service() -> Iterator[str]:
    Service.asked, Service.status = [], 200
    server = ThreadingHTTPServer(("127.0.0.1", 0), Service)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    thread.join()
    server.server_close()


def recognised(url: str) -> tuple[Hypothesis, ...]:
    async def run() -> tuple[Hypothesis, ...]:
        settings = {"use": "openai", "url": url, "model": "m", "key": "${KEY}", "allow_private": True}
        recogniser = make_recogniser(settings, secrets={"KEY": "hunter2secret"})
        try:
            return await recogniser.recognise(TONE, language="it-CH")
        finally:
            await recogniser.close()

    return asyncio.run(run())


def spoken(url: str, **more: object) -> Sound:
    async def run() -> Sound:
        settings = {"use": "openai", "url": url, "model": "m", "allow_private": True, **more}
        synthesiser = make_synthesiser(settings, secrets={})
        try:
            return await synthesiser.speak("ciao", language="it")
        finally:
            await synthesiser.close()

    return asyncio.run(run())


def test_speech_is_sent_as_a_file_and_the_text_comes_back_with_a_confidence(service: str) -> None:
    Service.said = json.dumps({"text": " due pizze ", "segments": [{"avg_logprob": -0.6931472}]}).encode()
    (found,) = recognised(service)
    assert found.text == "due pizze"
    assert found.confidence == pytest.approx(0.5)
    path, key, body = Service.asked[0]
    assert path == "/v1/audio/transcriptions"
    assert key == "Bearer hunter2secret"
    assert b'name="language"\r\n\r\nit\r\n' in body
    assert b"RIFF" in body


def test_a_service_without_confidences_tells_none(service: str) -> None:
    Service.said = b'{"text": "due pizze"}'
    assert recognised(service) == (Hypothesis("due pizze", None),)
    Service.said = b'{"text": ""}'
    assert recognised(service) == ()


def test_failures_are_told_without_the_key(service: str) -> None:
    Service.status, Service.said = 401, b"the key hunter2secret is wrong"
    with pytest.raises(RecognitionError, match="HTTP 401") as caught:
        recognised(service)
    assert "hunter2" not in str(caught.value)
    Service.status, Service.said = 200, b'{"words": []}'
    with pytest.raises(RecognitionError, match="no `text`"):
        recognised(service)


def test_a_text_is_spoken_by_the_voice_of_its_language(service: str) -> None:
    Service.said = encode_sound(TONE)
    assert np.array_equal(spoken(service, voices={"it": "giulia"}).samples, TONE.samples)
    path, _, body = Service.asked[0]
    assert path == "/v1/audio/speech"
    assert json.loads(body)["voice"] == "giulia"
    Service.said = b"no sound at all"
    with pytest.raises(SynthesisError, match="cannot be read as sound"):
        spoken(service)


def test_a_private_address_needs_permission() -> None:
    with pytest.raises(InputError, match="allow_private"):
        make_recogniser({"use": "openai", "url": "http://127.0.0.1:1/v1", "model": "m"}, secrets={})
