"""Activities of the Bot Framework: what a bot's message says and shows, and what pressing its buttons sends.

Source  https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-api-reference
        https://adaptivecards.io/explorer
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from vivavoce.connectors.answers import bad_answer

_PICTURE: Final = "image/"
_ADAPTIVE: Final = "application/vnd.microsoft.card.adaptive"
_SAID: Final = ("imBack", "postBack", "messageBack")  # actions that send something to the bot
_DEEPEST: Final = 20


class Action(NamedTuple):
    """A button: its title, the text that pressing it says, and what it sends besides (None: nothing)."""

    title: str
    text: str
    value: Any = None


class Activity(NamedTuple):
    """Content that a bot's message shows."""

    text: str
    images: tuple[str, ...]
    actions: tuple[Action, ...]


def read_activity(activity: dict[str, Any]) -> Activity:
    """A message's words with those of its cards, its pictures and its buttons.

    Raises  SystemUnderTestError("bad_answer"): its text is no text
    """
    text = activity.get("text") or ""
    if not isinstance(text, str):
        raise bad_answer("an activity's `text` is not text")
    suggested = activity.get("suggestedActions")
    buttons = list(_list(suggested.get("actions"))) if isinstance(suggested, dict) else []
    images, lines, actions = [], [text] if text else [], []
    for attachment in _list(activity.get("attachments")):
        content = attachment.get("content")
        if str(attachment.get("contentType", "")).startswith(_PICTURE):
            images.append(str(attachment.get("contentUrl")))
        elif isinstance(content, dict) and attachment.get("contentType") == _ADAPTIVE:
            card = _adaptive(content)
            lines += filter(None, [card.text])
            images += card.images
            actions += card.actions
        elif isinstance(content, dict):
            lines += [
                content[part] for part in ("title", "subtitle", "text") if isinstance(content.get(part), str)
            ]
            images += [str(image["url"]) for image in _list(content.get("images")) if "url" in image]
            buttons += _list(content.get("buttons"))
    pressed = (_action(button) for button in buttons if button.get("type", "imBack") in _SAID)
    lines += [
        f"{button.get('title', '')} {button.get('value')}".strip()
        for button in buttons
        if _leads_away(button)
    ]
    return Activity(
        "\n".join(lines),
        tuple(images),
        (*(action for action in pressed if action.text or action.value), *actions),
    )


def _action(action: dict[str, Any]) -> Action:
    """Text sent when pressed: its text (messageBack), else its value, else its title."""
    texts = [action.get(name) for name in ("text", "value", "title")]
    text = next((candidate for candidate in texts if isinstance(candidate, str) and candidate), "")
    postback = action.get("value") if action.get("type") == "messageBack" else None
    return Action(str(action.get("title") or text), text, postback)


def _adaptive(card: dict[str, Any]) -> Activity:
    """The words, pictures and buttons of an adaptive card, in their order; not what is typed into it."""
    lines, images, actions = [], [], []
    for part in _parts(card, 0):
        kind, words = part.get("type"), part.get("text")
        if kind == "TextBlock" and isinstance(words, str):
            lines.append(words)
        elif kind == "RichTextBlock":
            runs = part.get("inlines")
            runs = runs if isinstance(runs, list) else []
            run_texts = (run.get("text") if isinstance(run, dict) else run for run in runs)
            lines.append("".join(text for text in run_texts if isinstance(text, str)))
        elif kind == "FactSet":
            lines += [
                f"{fact.get('title', '')} {fact.get('value', '')}".strip()
                for fact in _list(part.get("facts"))
            ]
        elif kind == "Image" and isinstance(part.get("url"), str):
            images.append(part["url"])
        elif kind == "Action.Submit":
            actions.append(Action(str(part.get("title") or "OK"), "", part.get("data", {})))
        elif kind == "Action.OpenUrl":
            lines.append(f"{part.get('title', '')} {part.get('url', '')}".strip())
    return Activity("\n".join(line for line in lines if line), tuple(images), tuple(actions))


def _parts(holder: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    if depth > _DEEPEST:
        return
    for name in ("body", "items", "columns", "images", "actions"):
        for part in _list(holder.get(name)):
            yield part
            yield from _parts(part, depth + 1)


def _leads_away(action: dict[str, Any]) -> bool:
    """True if it opens a page; its address is shown with the text."""
    return action.get("type") == "openUrl" and isinstance(action.get("value"), str)


def _list(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
