"""Self-description of an address, read by requests without side effects: models, agent card, OpenAPI, tools.

Every finding is a guess until a test message is answered. The test message goes only to endpoints that the
address names, or whose names suggest a conversation: another endpoint might store it or act on it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import urljoin, urlsplit

from vivavoce.connectors.base import ConnectorSettings
from vivavoce.connectors.factory import make_connector
from vivavoce.connectors.json_client import Asking
from vivavoce.connectors.secrets import Vault
from vivavoce.core.errors import SystemUnderTestError, VivavoceError

TEXTS: Final = (
    "text",
    "message",
    "query",
    "input",
    "question",
    "utterance",
    "prompt",
    "content",
    "msg",
    "user_input",
)
SESSIONS: Final = (
    "conversation",
    "conversation_id",
    "session_id",
    "session",
    "sessionId",
    "sender",
    "user_id",
    "chat_id",
)
_TALKING: Final = {
    "chat",
    "chatbot",
    "ask",
    "answer",
    "talk",
    "message",
    "messages",
    "reply",
    "query",
    "respond",
    "converse",
    "conversation",
    "completion",
    "completions",
}
_WORD: Final = re.compile(r"[A-Z]?[a-z]+")
_LONGEST_BYTES: Final = 5_000_000
_MOST_SHOWN: Final = 8
_PLATFORMS: Final = "docs/how-to/evaluate-your-bot-on-a-message-platform.md"
_BY_PATH: Final = "give the full address of one, or write the requests: docs/how-to/connect-by-kind.md"
Settings = dict[str, Any]


async def offered(url: str, more: Settings) -> list[Settings]:
    """The settings of connectors that fit what the address tells of itself, the likeliest first.

    Input   more: settings that all of them have
    """
    settings = ConnectorSettings.model_validate({"connect": "http", "connect_timeout_s": 3, **more})
    asking = Asking(settings.model_copy(update={"turn_timeout_s": 10.0}), Vault({}, {}), _LONGEST_BYTES)
    try:
        looks = (_models, _litserve, _card, _described)
        systems = [{**system, **more} for look in looks for system in await look(asking, url.rstrip("/"))]
    finally:
        await asking.close()
    return [*systems, *await _tools(url, more)]


async def recognised(url: str, more: Settings) -> tuple[str, str] | None:
    """Server recognised without a working request, with the next step; None if unknown."""
    parts = urlsplit(url)
    root = f"{parts.scheme}://{parts.netloc}"
    if parts.path.rstrip("/").endswith("/api/messages"):
        return "looks like a bot for Microsoft Teams", f"use connect: teams, {_PLATFORMS}"
    settings = ConnectorSettings.model_validate({"connect": "http", "connect_timeout_s": 3, **more})
    asking = Asking(settings, Vault({}, {}), _LONGEST_BYTES)
    try:
        if (await _told(asking, root + "/ok")).get("ok") is True and await _told(asking, root + "/info"):
            return (
                "looks like a LangGraph server",
                "use connect: sse with format: langgraph, docs/how-to/connect-a-bot.md",
            )
        description = await _told(asking, root + "/openapi.json")
    except SystemUnderTestError:
        return None
    finally:
        await asking.close()
    paths = description.get("paths")
    posts = [path for path, ways in paths.items() if _at(ways, "post")] if isinstance(paths, Mapping) else []
    if not posts:
        return None
    tried_paths = ", ".join(f"POST {path}" for path in posts[:_MOST_SHOWN]) + (
        " ..." if posts[_MOST_SHOWN:] else ""
    )
    return f"no endpoint in {root}/openapi.json answers a test message: {tried_paths}", _BY_PATH


async def web_page(url: str, more: Settings) -> bool:
    """True if the address is a page for people."""
    settings = ConnectorSettings.model_validate({"connect": "http", **more})
    asking = Asking(settings, Vault({}, {}), _LONGEST_BYTES)
    kinds: list[str] = []
    try:
        await asking.fetch(
            lambda: asking.client.build_request("GET", url),
            answered=lambda response: kinds.append(response.headers.get("content-type", "")),
        )
    except SystemUnderTestError:
        return False
    finally:
        await asking.close()
    return any(kind.startswith("text/html") for kind in kinds)


async def _told(asking: Asking, url: str) -> Mapping[str, Any]:
    """A JSON mapping at an address; an empty one where there is none."""
    try:
        answer = await asking.ask("GET", url, idempotent=True)
    except SystemUnderTestError as error:
        if not error.reached:
            raise
        return {}
    return answer if isinstance(answer, Mapping) else {}


async def _models(asking: Asking, url: str) -> list[Settings]:
    for base in dict.fromkeys((url, url + "/v1")):
        listed = (await _told(asking, base + "/models")).get("data")
        models = (
            [
                model["id"]
                for model in listed
                if isinstance(model, Mapping) and isinstance(model.get("id"), str)
            ]
            if isinstance(listed, list)
            else []
        )
        if models:
            return [{"connect": "openai", "url": base, "model": models[0]}]
    return []


async def _litserve(asking: Asking, url: str) -> list[Settings]:
    """LitServe says at its root that it runs, and lists no models."""
    try:
        text = await asking.fetch(lambda: asking.client.build_request("GET", url + "/"))
    except SystemUnderTestError as error:
        if not error.reached:
            raise
        return []
    base = {"connect": "openai", "url": url + "/v1", "model": "default"}
    return [base] if text.strip().strip(b'"').lower() == b"litserve running" else []


async def _card(asking: Asking, url: str) -> list[Settings]:
    card = await _told(asking, url + "/.well-known/agent-card.json")
    return [{"connect": "a2a", "url": url}] if isinstance(card.get("supportedInterfaces"), list) else []


async def _described(asking: Asking, url: str) -> list[Settings]:
    """The operations of an OpenAPI description that take a text and talk, at this address first."""
    parts = urlsplit(url)
    description = await _told(asking, f"{parts.scheme}://{parts.netloc}/openapi.json")
    if not isinstance(description.get("openapi"), str):
        return []
    systems = [
        operation
        for operation in _operations(description, url)
        if operation["url"] == url or _talks(operation["url"])
    ]
    return sorted(systems, key=lambda system: system["url"] != url)


def _operations(description: Mapping[str, Any], url: str) -> Iterator[Settings]:
    paths = description.get("paths")
    for path, operations in paths.items() if isinstance(paths, Mapping) else ():
        schema = _at(operations, "post", "requestBody", "content", "application/json", "schema")
        if isinstance(ref := _at(schema, "$ref"), str):
            schema = _at(description, *ref.removeprefix("#/").split("/"))
        names = list(_at(schema, "properties") or {})
        text = next((name for name in TEXTS if name in names), None)
        if text is not None and "{" not in path:
            sessions = dict.fromkeys((name for name in SESSIONS if name in names), "{{ conversation }}")
            yield {
                "connect": "http",
                "url": urljoin(url + "/", path),
                "body": {text: "{{ text }}", **sessions},
            }


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _talks(name: str) -> bool:
    """Check that a path or tool has a conversational name, in whole words; names of tasks do not count."""
    return any(word.lower() in _TALKING for word in _WORD.findall(urlsplit(name).path))


async def _tools(url: str, more: Settings) -> list[Settings]:
    """The tools of an MCP server that take a text and talk; asked where the address names the protocol."""
    if "mcp" not in urlsplit(url).path.lower():
        return []
    base: Settings = {"connect": "mcp", "url": url, **more}
    try:
        connector: Any = make_connector({**base, "tool": "-"}, place="system")
    except VivavoceError:
        return []  # the SDK is not installed
    server = getattr(connector, "inner", connector)
    try:
        tools = await server.tools()
    except SystemUnderTestError:
        return []
    finally:
        await connector.shut_down()
    taking = [(tool, _at(tool, "inputSchema", "properties") or {}) for tool in tools]
    fitting = [
        (tool, names)
        for tool, names in taking
        if any(name in names for name in TEXTS) and _talks(str(tool.get("name")))
    ]
    return [
        {**base, "tool": str(tool.get("name")), "arguments": _arguments(names)} for tool, names in fitting
    ]


def _arguments(names: Mapping[str, Any]) -> Settings:
    text = next(name for name in TEXTS if name in names)
    return {text: "{{ text }}", **{name: "{{ conversation }}" for name in SESSIONS if name in names}}
