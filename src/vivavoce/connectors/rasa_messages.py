"""What a Rasa bot says, over REST or Socket.IO: texts, buttons, images, whatever it calls custom."""

from typing import Any

from vivavoce.connectors.answers import bad_answer, read_choices, read_images, read_texts
from vivavoce.connectors.base import SystemOutput


def read_message(message: Any) -> list[SystemOutput]:
    """The outputs in one message. Raises SystemUnderTestError("bad_answer")."""
    if not isinstance(message, dict):
        raise bad_answer("a message of the answer is no mapping")
    texts = read_texts(message.get("text"))
    choices = read_choices(message.get("buttons") or message.get("quick_replies"))
    images = read_images(message.get("image") or _attached(message.get("attachment")))
    outputs = []
    if texts or choices or images:
        text = "\n".join(texts)
        outputs.append(SystemOutput(kind="message", text=text, choices=choices, images=images))
    return [*outputs, SystemOutput(kind="extras", raw=message)]


def _attached(attachment: Any) -> str | None:
    """The address of an attached image."""
    if not isinstance(attachment, dict) or attachment.get("type") != "image":
        return None
    payload = attachment.get("payload")
    return payload.get("src") if isinstance(payload, dict) else None
