"""What of an exchange OpenAI's own definitions do not allow, one problem a line: `openai_judge.py < LINES`.

Each line is {"way": "sent" or "received", "what": "realtime" or "chat", "body": ...}. Knows nothing of ours;
it needs the package openai, which has an environment of its own.
"""

import json
import sys
import typing
from typing import Any

from openai.types import chat, realtime
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import get_type_hints, is_typeddict

PARAMS = chat.completion_create_params.CompletionCreateParamsStreaming
SENT = {"realtime": realtime.RealtimeClientEventParam, "chat": PARAMS}
RECEIVED = {"realtime": realtime.RealtimeServerEvent, "chat": chat.ChatCompletionChunk}


def forbidding(definition: Any) -> Any:
    """The same mappings, in which no other name is allowed."""
    if is_typeddict(definition):
        with_config(ConfigDict(extra="forbid"))(definition)
    for inner in (*typing.get_args(definition), *_fields(definition)):
        if inner not in seen:
            seen.append(inner)
            forbidding(inner)
    return definition


def _fields(definition: Any) -> list[Any]:
    return list(get_type_hints(definition).values()) if is_typeddict(definition) else []


seen: list[Any] = []
SENDING = {what: TypeAdapter(forbidding(definition)) for what, definition in SENT.items()}
RECEIVING = {what: TypeAdapter(definition) for what, definition in RECEIVED.items()}

for line in sys.stdin:
    one = json.loads(line)
    judge = (SENDING if one["way"] == "sent" else RECEIVING)[one["what"]]
    try:
        judge.validate_python(one["body"])
    except ValidationError as error:
        kind = one["body"].get("type", one["what"])
        for problem in error.errors():
            print(one["way"], kind, ".".join(map(str, problem["loc"])), problem["msg"])
