"""A language model behind an OpenAI-compatible address, asked for one message at a time: judges, drafts."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, field_validator

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.validation import mistake

LONGEST_BYTES: Final = 2_000_000
MILLION: Final = 1_000_000
OURS: Final = ("messages", "model", "n", "stream")


class ChatModelSettings(BaseModel):
    """Address and prices of a model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: WebAddress = Field(description="base address, such as https://host/v1")
    model: str = Field(min_length=1, description="model name, preferably with a date")
    key: str | None = Field(None, description="${NAME} of the environment variable with the key")
    parameters: dict[str, Any] = Field(
        default_factory=lambda: {"temperature": 0}, description="temperature, max_tokens, seed, ..."
    )
    input_price: float | None = Field(None, ge=0, description="price per million input tokens")
    output_price: float | None = Field(None, ge=0, description="price per million output tokens")
    timeout_s: float = Field(120.0, gt=0, le=3600, description="timeout for a complete answer, in seconds")
    allow_private: bool = Field(False, description="allow addresses on this computer or a private network")

    @field_validator("parameters")
    @classmethod
    def _not_ours(cls, parameters: dict[str, Any]) -> dict[str, Any]:
        reserved = sorted(set(parameters) & set(OURS))
        if reserved:
            raise mistake(f"parameter {reserved[0]!r} is reserved", "leave it out")
        return parameters


class ChatModel:
    """A model behind an OpenAI-compatible address, asked for one message at a time."""

    def __init__(self, settings: ChatModelSettings, secrets: Mapping[str, str]) -> None:
        self._settings = settings
        vault = Vault.of(settings.model_dump(include={"url", "key"}), secrets)
        self._address = vault.expand(settings.url).rstrip("/") + "/chat/completions"
        self._headers = {"authorization": f"Bearer {vault.expand(settings.key)}"} if settings.key else {}
        wire = ConnectorSettings.model_validate(
            {
                "connect": "openai",
                "allow_private": settings.allow_private,
                "turn_timeout_s": settings.timeout_s,
                "first_output_timeout_s": min(settings.timeout_s, 600.0),
            }
        )
        self._client = Asking(wire, vault, LONGEST_BYTES)

    async def post(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The model's answer as the journal keeps it; what could not be had is `failed`, and asked again."""
        try:
            response = await self._client.ask("POST", self._address, json=body, headers=self._headers)
        except SystemUnderTestError as error:
            return {"failed": str(error)}
        answer, choices = mapping(response), mapping(response).get("choices")
        choice = mapping(choices[0]) if isinstance(choices, list) and choices else {}
        message, usage = mapping(choice.get("message")), mapping(answer.get("usage"))
        return {
            "text": str(message.get("content") or ""),
            "refusal": message.get("refusal"),
            "finish": choice.get("finish_reason"),
            "model": answer.get("model") if choice else None,
            "input_tokens": usage.get("prompt_tokens"),
            "output_tokens": usage.get("completion_tokens"),
            "cost": self._cost(usage),
        }

    def _cost(self, usage: Mapping[str, Any]) -> float | None:
        prices = self._settings.input_price, self._settings.output_price
        tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if prices == (None, None) or None in tokens:
            return None
        return sum(
            (price or 0.0) * int(count or 0) / MILLION for price, count in zip(prices, tokens, strict=True)
        )

    async def close(self) -> None:
        await self._client.close()


def mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
