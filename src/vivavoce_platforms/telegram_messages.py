"""Messages between a Telegram bot and its users in the Bot API: updates in, messages out."""

import html
import json
import re
import time
from typing import Any, Final

from vivavoce.connectors.base import Choice

LONGEST_TEXT: Final = 4096
LONGEST_DATA: Final = 64
_COMMAND: Final = re.compile(r"(?<!\S)/[A-Za-z0-9_]{1,32}(?:@\w+)?")
_TAG: Final = re.compile(r"<[^<>]*>")
_LINK: Final = re.compile(r'<a\s[^>]*href="([^"]*)"[^>]*>(.*?)</a>', re.S)
_MARKER: Final = re.compile(r"(?<!\\)(?:\|\||__|[*_~`])")


class BotApiError(Exception):
    """Errors of the Bot API for rejected requests."""

    def __init__(self, code: int, description: str) -> None:
        self.code, self.description = code, description
        super().__init__(description)


def user_of(chat_id: int, language: str) -> dict[str, Any]:
    return {"id": chat_id, "is_bot": False, "first_name": "Participant", "language_code": language}


def chat_of(chat_id: int) -> dict[str, Any]:
    return {"id": chat_id, "type": "private", "first_name": "Participant"}


def text_message(chat_id: int, language: str, message_id: int, text: str) -> dict[str, Any]:
    """A participant's message; commands are marked, for bots do not look for them otherwise."""
    message = {
        "message_id": message_id,
        "from": user_of(chat_id, language),
        "chat": chat_of(chat_id),
        "date": int(time.time()),
        "text": text,
    }
    entities = [
        {"type": "bot_command", "offset": _units(text[: match.start()]), "length": _units(match[0])}
        for match in _COMMAND.finditer(text)
    ]
    return {**message, "entities": entities} if entities else message


def _units(text: str) -> int:
    """The length of a text as Telegram counts it: in units of UTF-16."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def markup_of(params: dict[str, Any]) -> dict[str, Any]:
    markup = params.get("reply_markup")
    if isinstance(markup, str) and markup:
        try:
            markup = json.loads(markup)
        except ValueError:
            raise BotApiError(400, "Bad Request: can't parse reply keyboard markup JSON object") from None
    return markup if isinstance(markup, dict) else {}


def choices_of(markup: dict[str, Any]) -> tuple[list[Choice], list[str]]:
    """The buttons of a keyboard, and lines for those that are links.

    Raises  BotApiError: a button's data is empty or longer than Telegram takes
    """
    choices, links = [], []
    for button in _buttons(markup.get("inline_keyboard")):
        title, data = str(button.get("text", "")), button.get("callback_data")
        if isinstance(data, str):
            if not 1 <= len(data.encode()) <= LONGEST_DATA:
                raise BotApiError(400, "Bad Request: BUTTON_DATA_INVALID")
            choices.append(Choice(title, data))
        elif isinstance(button.get("url"), str):
            links.append(f"{title}: {button['url']}")
    for button in _buttons(markup.get("keyboard")):
        title = button if isinstance(button, str) else str(button.get("text", ""))
        choices.append(Choice(title, title))
    return choices, links


def _buttons(rows: Any) -> list[Any]:
    rows = rows if isinstance(rows, list) else []
    return [button for row in rows if isinstance(row, list) for button in row]


def shown(text: str, parse_mode: Any) -> str:
    """A text without the marks of its format."""
    mode = str(parse_mode or "").lower()
    if mode == "html":
        linked = _LINK.sub(lambda match: f"{match[2]} ({match[1]})", text)
        return html.unescape(_TAG.sub("", linked))
    if mode in ("markdown", "markdownv2"):
        return re.sub(r"\\([_*\[\]()~`>#+\-=|{}.!\\])", r"\1", _MARKER.sub("", text))
    return text
