"""Validation of wire data: JSON, texts, choices, dialogue acts."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from vivavoce.audio.ssml import SsmlText, apart_from_markup
from vivavoce.connectors.base import Act, Choice, SystemOutput, Understood
from vivavoce.core.errors import SystemUnderTestError


def bad_answer(detail: str) -> SystemUnderTestError:
    return SystemUnderTestError("bad_answer", detail)


def clean_text(text: str) -> str:
    """Text that any database can store: no NUL, lone surrogates replaced."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def clean(value: Any) -> Any:
    """JSON that any database can store; numbers that are not finite become null."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {clean_text(key): clean(item) for key, item in value.items()}
    if isinstance(value, list):
        return [clean(item) for item in value]
    return value


def read_json(body: bytes | str) -> Any:
    """The JSON value of a body. Raises SystemUnderTestError("bad_answer")."""
    try:
        text = body if isinstance(body, str) else body.decode("utf-8-sig")
        return clean(json.loads(text))
    except UnicodeDecodeError:
        raise bad_answer("the answer is not UTF-8 text") from None
    except (ValueError, RecursionError):
        start = body[:120] if isinstance(body, str) else body[:120].decode("utf-8", "replace")
        raise bad_answer(f"the answer is not JSON: {' '.join(start.split())!r}") from None


def read_texts(value: Any) -> list[str]:
    """Message texts without markup: one text or a list; empty ones are dropped. Else a bad answer."""
    return [text.text for text in read_written(value)]


def read_written(value: Any) -> list[SsmlText]:
    """Message texts as `read_texts` has them, with the markup that they came in."""
    if value is None:
        return []
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if not isinstance(text, str):
            raise bad_answer(f"the answer's text is {_shown(text)} where text is expected")
    return [text for text in map(apart_from_markup, texts) if text.text.strip()]


def read_choices(value: Any) -> tuple[Choice, ...]:
    """Buttons: texts, or mappings with title (or label, text) and payload (or value)."""
    return tuple(_choice(item) for item in _items(value, "choices"))


def _choice(item: Any) -> Choice:
    if isinstance(item, str):
        return Choice(item, item)
    if isinstance(item, dict):
        title = next(
            (item[key] for key in ("title", "label", "text") if isinstance(item.get(key), str)), None
        )
        payload = next((item[key] for key in ("payload", "value") if isinstance(item.get(key), str)), title)
        if title is not None and payload is not None:
            return Choice(title, payload)
    raise bad_answer(
        f"a choice of the answer is {_shown(item)} where a text or title and payload are expected"
    )


def read_images(value: Any) -> tuple[str, ...]:
    images = _items([value] if isinstance(value, str) else value, "images")
    if not all(isinstance(image, str) for image in images):
        raise bad_answer("an image of the answer is not an address")
    return tuple(images)


def read_acts(value: Any) -> tuple[Act, ...]:
    """Dialogue act items: mappings with act and, where they apply, slot, op and value."""
    return tuple(_act(item) for item in _items(value, "acts"))


def _act(item: Any) -> Act:
    if not isinstance(item, dict) or not isinstance(item.get("act"), str):
        raise bad_answer(f"an act of the answer is {_shown(item)} where a mapping with 'act' is expected")
    return Act(item["act"], *(_part(name, item.get(name)) for name in ("slot", "value", "op")))


def _part(name: str, part: Any) -> str | None:
    if part is None or isinstance(part, str):
        return part
    if isinstance(part, (int, float)) and not isinstance(part, bool):
        return str(part)
    raise bad_answer(f"{name} of an act of the answer is {_shown(part)} where text is expected")


def read_understood(value: Any) -> tuple[Understood, ...]:
    """Hypotheses of what the user meant, best first: mappings with acts and score."""
    return tuple(_understood(item) for item in _items(value, "understood"))


def _understood(item: Any) -> Understood:
    if not isinstance(item, dict):
        raise bad_answer(f"a hypothesis of the answer is {_shown(item)} where acts and score are expected")
    score = item.get("score")
    if score is not None and (isinstance(score, bool) or not isinstance(score, (int, float))):
        raise bad_answer(f"the score of a hypothesis is {_shown(score)} where a number is expected")
    return Understood(read_acts(item.get("acts")), None if score is None else float(score))


def read_flag(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise bad_answer(f"the end flag of the answer is {_shown(value)} where true or false is expected")


def outputs(
    texts: Sequence[SsmlText | str],
    *,
    choices: tuple[Choice, ...] = (),
    images: tuple[str, ...] = (),
    extras: SystemOutput | None = None,
    ends: bool = False,
) -> list[SystemOutput]:
    """A whole system turn; choices and images belong to its last message."""
    messages = [SsmlText(text) if isinstance(text, str) else text for text in texts]
    shown_messages = messages or ([SsmlText("")] if choices or images else [])
    turn = [SystemOutput(kind="message", text=message.text, ssml=message.ssml) for message in shown_messages]
    turn[-1:] = [replace(last, choices=choices, images=images) for last in turn[-1:]]
    if extras is not None:
        turn.append(extras)
    if ends:
        turn.append(SystemOutput(kind="end"))
    return turn


def _items(value: Any, what: str) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise bad_answer(f"{what} of the answer are {_shown(value)} where a list is expected")
    return value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
