"""Messages of a Rasa bot, over REST or Socket.IO: texts, buttons, images, cards, custom content."""

from typing import Any, Final, TypeVar

from vivavoce.connectors.answers import bad_answer, read_choices, read_images, read_texts
from vivavoce.connectors.base import SystemOutput

SESSION_START: Final = "/session_start"
Said = TypeVar("Said")


def greeting_once(messages: list[Said], start: str) -> list[Said]:
    """The messages that open a conversation, without their repetition.

    Rasa starts a session of its own before it takes the first message, and that message starts another one:
    a bot whose action_session_start greets says everything twice.
    """
    half = len(messages) // 2
    twice = start.strip() == SESSION_START and messages[:half] == messages[half:]
    return messages[:half] if twice else messages


def read_message(message: Any) -> list[SystemOutput]:
    """The outputs in one message. Raises SystemUnderTestError("bad_answer")."""
    if not isinstance(message, dict):
        raise bad_answer("a message of the answer is not a mapping")
    texts = read_texts(message.get("text"))
    choices = read_choices(message.get("buttons") or message.get("quick_replies"))
    images = read_images(message.get("image") or _attached(message.get("attachment")))
    outputs = []
    if texts or choices or images:
        text = "\n".join(texts)
        outputs.append(SystemOutput(kind="message", text=text, choices=choices, images=images))
    outputs += [_card(element) for element in _elements(message.get("attachment"))]
    return [*outputs, SystemOutput(kind="extras", raw=message)]


def _attached(attachment: Any) -> str | None:
    """The address of an attached image."""
    address = _payload(attachment, "image").get("src")
    return address if isinstance(address, str) else None


def _elements(attachment: Any) -> list[dict[str, Any]]:
    """The cards of an attached carousel; over REST Rasa writes them out as texts with buttons by itself."""
    elements = _payload(attachment, "template").get("elements")
    listed = elements if isinstance(elements, list) else [elements]  # Rasa sends one at a time
    return [element for element in listed if isinstance(element, dict)]


def _card(element: dict[str, Any]) -> SystemOutput:
    texts = [text for part in ("title", "subtitle") for text in read_texts(element.get(part))]
    pressed = [
        button for button in element.get("buttons") or [] if isinstance(button, dict) and "payload" in button
    ]
    return SystemOutput(
        kind="message",
        text="\n".join(texts),
        choices=read_choices(pressed),
        images=read_images(element.get("image_url")),
    )


def _payload(attachment: Any, kind: str) -> dict[str, Any]:
    if not isinstance(attachment, dict) or attachment.get("type") != kind:
        return {}
    payload = attachment.get("payload")
    return payload if isinstance(payload, dict) else {}
