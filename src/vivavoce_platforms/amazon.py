"""Services of Amazon by boto3, which signs and reads: settings, client, and what went wrong in our words."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

import httpx
from pydantic import Field, model_validator

from vivavoce.connectors.base import ConnectorSettings, Conversation
from vivavoce.connectors.secrets import Vault
from vivavoce.connectors.system_connector import SystemConnector, name_of
from vivavoce.connectors.transport import checked_addresses
from vivavoce.connectors.urls import WebAddress
from vivavoce.core.errors import SystemUnderTestError
from vivavoce.core.extras import require
from vivavoce.core.validation import mistake


class AmazonSettings(ConnectorSettings):
    """Settings of every Amazon service."""

    region: str = Field("us-east-1", description="AWS region")
    url: WebAddress | None = Field(None, description="service address, if different from Amazon's")
    access_key: str | None = Field(
        None, description=("${NAME} of the access key (default: the credentials of AWS tools)")
    )
    secret_key: str | None = Field(None, description="${NAME} of the secret key")

    @model_validator(mode="after")
    def _both_keys(self) -> "AmazonSettings":
        if (self.access_key is None) != (self.secret_key is None):
            missing = "access_key" if self.access_key is None else "secret_key"
            raise mistake(f"{missing!r} is missing, but the other key is set", "set both or neither")
        return self


SettingsOf = TypeVar("SettingsOf", bound=AmazonSettings)


class AmazonConnector(SystemConnector[SettingsOf], Generic[SettingsOf]):
    """A system behind one of Amazon's services; its calls block, and belong into a thread."""

    service: str

    def __init__(self, settings: SettingsOf, vault: Vault) -> None:
        super().__init__(settings, vault)
        self._client = _client(self.service, settings, vault)

    async def _check_address(self) -> None:
        settings = self._settings
        if settings.url is not None:
            try:
                host = urlsplit(settings.url).hostname or ""
                await checked_addresses(host, allow_private=settings.allow_private)
            except httpx.ConnectError as error:
                raise SystemUnderTestError("unreachable", str(error), reached=False) from None

    @contextmanager
    def _failures(self) -> Iterator[None]:
        """Raises  SystemUnderTestError: for all that goes wrong between boto3 and the service"""
        from botocore import exceptions

        try:
            yield
        except (exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError) as error:
            raise self._failed("unreachable", error, reached=False) from None
        except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
            raise self._failed("refused", error, reached=False) from None
        except exceptions.ReadTimeoutError as error:
            raise self._failed("timeout", error) from None
        except exceptions.EventStreamError as error:
            raise self._failed("bad_answer", error) from None
        except exceptions.ClientError as error:
            status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
            raise self._failed("refused" if status < 500 else "bad_answer", error) from None
        except (exceptions.ConnectionClosedError, exceptions.HTTPClientError) as error:
            raise self._failed("closed", error) from None
        except (exceptions.BotoCoreError, ValueError) as error:
            raise self._failed("bad_answer", error) from None

    def _failed(self, failure: Any, error: Exception, reached: bool = True) -> SystemUnderTestError:
        return SystemUnderTestError(failure, self._vault.redact(str(error)), reached=reached)

    async def shut_down(self) -> None:
        self._client.close()


def _client(service: str, settings: AmazonSettings, vault: Vault) -> Any:
    require("boto3", extra=settings.connect, place="connect")
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=settings.connect_timeout_s,
        read_timeout=settings.turn_timeout_s,
        retries={"total_max_attempts": 1},
        max_pool_connections=100,
        proxies={},
    )
    keys = {}
    if settings.access_key and settings.secret_key:
        keys["aws_access_key_id"] = vault.expand(settings.access_key)
        keys["aws_secret_access_key"] = vault.expand(settings.secret_key)
    url = vault.expand(settings.url) if settings.url else None
    return boto3.client(service, region_name=settings.region, endpoint_url=url, config=config, **keys)


def session_of(conversation: Conversation) -> str:
    """The name under which a service knows a conversation, in letters that all of them take."""
    return hashlib.sha256(name_of(conversation).encode()).hexdigest()
