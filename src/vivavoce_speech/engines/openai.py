"""Recognisers and synthesisers behind the OpenAI-compatible `/audio/transcriptions` and `/audio/speech`.

They share the guarded transport of the connectors: checked addresses, no redirects, answers of bounded size,
secrets out of every message.
"""

import asyncio
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final, Protocol

from pydantic import BaseModel, Field

from vivavoce.audio.files import encode_sound, read_sound
from vivavoce.audio.recognition import Hypothesis, Recogniser, RecogniserSettings, RecognitionError
from vivavoce.audio.sound import Sound
from vivavoce.audio.synthesis import Synthesiser, SynthesisError, SynthesiserSettings
from vivavoce.connectors.answers import read_json
from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.transport import check_status, make_client, reported
from vivavoce.connectors.urls import WebAddress, check_address
from vivavoce.core.errors import InputError, SystemUnderTestError

LONGEST_ANSWER: Final = 20_000_000
RECOGNITION_RATE: Final = 16_000


class _Endpoint(BaseModel):
    """Where the service is, and how long it may take."""

    url: WebAddress = Field(description="base address, such as https://host/v1")
    model: str = Field(min_length=1, description="name of the model")
    key: str | None = Field(None, description="API key as ${NAME} of an environment variable")
    allow_private: bool = Field(False, description="allow addresses on this computer or a private network")
    timeout_s: float = Field(30.0, gt=0, le=600, description="maximum seconds until the answer is complete")


class OpenAIRecogniserSettings(RecogniserSettings, _Endpoint):
    """Settings of the recogniser `openai`."""

    prompt: str | None = Field(None, description="words of the domain, to improve recognition")


class OpenAISynthesiserSettings(SynthesiserSettings, _Endpoint):
    """Settings of the synthesiser `openai`."""

    voice: str = Field("alloy", description="voice name, for all languages; per language: see `voices`")
    voices: dict[str, str] = Field({}, description="voice of each language, such as {it: giulia}")


class _EndpointSettings(Protocol):
    url: str
    model: str
    key: str | None
    allow_private: bool
    timeout_s: float


class _Service:
    """One request at a time to the service, each with its deadline."""

    def __init__(self, settings: _EndpointSettings, vault: Vault, path: str) -> None:
        check_address(settings.url, allow_private=settings.allow_private, place="url")
        self._vault, self._limit_s = vault, settings.timeout_s
        transport = ConnectorSettings(
            connect="speech", allow_private=settings.allow_private, turn_timeout_s=settings.timeout_s
        )  # pyright: ignore[reportCallIssue]
        self._client = make_client(transport, LONGEST_ANSWER, vault)
        self._address = vault.expand(settings.url).rstrip("/") + path
        self._headers = {"authorization": f"Bearer {vault.expand(settings.key)}"} if settings.key else {}

    async def post(self, **content: Any) -> bytes:
        """The body of the answer. Raises SystemUnderTestError for everything that goes wrong."""
        try:
            with reported(self._vault):
                async with asyncio.timeout(self._limit_s):
                    response = await self._client.post(self._address, headers=self._headers, **content)
                check_status(response, response.content)
                return response.content
        except TimeoutError:
            raise SystemUnderTestError("timeout", f"no complete answer within {self._limit_s:g} s") from None

    async def close(self) -> None:
        await self._client.aclose()


class OpenAIRecogniser:
    """A recogniser that understands `POST /audio/transcriptions` (Whisper servers, OpenAI)."""

    name: ClassVar[str] = "openai"
    summary: ClassVar[str] = "OpenAI-compatible /audio/transcriptions at any address"
    settings: ClassVar[type[RecogniserSettings]] = OpenAIRecogniserSettings

    def __init__(self, settings: OpenAIRecogniserSettings, vault: Vault) -> None:
        self._settings = settings
        self._service = _Service(settings, vault, "/audio/transcriptions")

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Recogniser:
        return cls(settings, Vault.of(settings.model_dump(), secrets))

    async def recognise(self, sound: Sound, *, language: str) -> tuple[Hypothesis, ...]:
        if not len(sound.samples):
            return ()
        form = {
            "model": self._settings.model,
            "language": language.split("-")[0],
            "response_format": "verbose_json",
        }
        if self._settings.prompt:
            form["prompt"] = self._settings.prompt
        audio = encode_sound(sound.at(RECOGNITION_RATE))
        try:
            body = await self._service.post(data=form, files={"file": ("speech.wav", audio, "audio/wav")})
            answer = read_json(body)
        except SystemUnderTestError as error:
            raise RecognitionError(f"recogniser {self._settings.url}: {error}") from error
        if not isinstance(answer, dict) or not isinstance(answer.get("text"), str):
            raise RecognitionError(f"recogniser {self._settings.url}: the answer has no `text`")
        text = answer["text"].strip()
        return (Hypothesis(text, _confidence(answer)),) if text else ()

    async def close(self) -> None:
        await self._service.close()


class OpenAISynthesiser:
    """A synthesiser that understands `POST /audio/speech`."""

    name: ClassVar[str] = "openai"
    summary: ClassVar[str] = "OpenAI-compatible /audio/speech at any address"
    settings: ClassVar[type[SynthesiserSettings]] = OpenAISynthesiserSettings

    def __init__(self, settings: OpenAISynthesiserSettings, vault: Vault) -> None:
        self._settings = settings
        self._service = _Service(settings, vault, "/audio/speech")

    @classmethod
    def make(cls, settings: Any, secrets: Mapping[str, str]) -> Synthesiser:
        return cls(settings, Vault.of(settings.model_dump(), secrets))

    async def speak(self, text: str, *, language: str) -> Sound:
        voice = self._settings.voices.get(language, self._settings.voice)
        request = {"model": self._settings.model, "input": text, "voice": voice, "response_format": "wav"}
        try:
            body = await self._service.post(json=request)
            return read_sound(body, place=self._settings.url)
        except (SystemUnderTestError, InputError) as error:
            raise SynthesisError(f"synthesiser {self._settings.url}: {error}") from error

    async def close(self) -> None:
        await self._service.close()


def _confidence(answer: Mapping[str, Any]) -> float | None:
    """The mean probability of a word piece, where the server tells it by segment."""
    segments = answer.get("segments")
    logs = [
        segment["avg_logprob"]
        for segment in (segments if isinstance(segments, list) else [])
        if isinstance(segment, dict) and isinstance(segment.get("avg_logprob"), (int, float))
    ]
    return min(1.0, math.exp(sum(logs) / len(logs))) if logs else None
