"""Events of OpenAI's Realtime interface."""

import base64
import binascii
import math
from typing import Any, Final

from vivavoce.connectors.agent_work import model_usage, read_tools
from vivavoce.connectors.answers import bad_answer
from vivavoce.connectors.base import Audio, Heard, SystemOutput

RATE_HZ: Final = 24_000
INTERRUPTING: Final = "interrupting-"
_TEXT: Final = {
    "response.output_text.delta",
    "response.output_audio_transcript.delta",
    "response.text.delta",
    "response.audio_transcript.delta",
}
_SPEECH: Final = {"response.output_audio.delta", "response.audio.delta"}
_WRITTEN_DOWN: Final = "conversation.item.input_audio_transcription."


class RealtimeAnswer:
    """One response of the model as its events come in.

    complete     the response has ended
    awaiting     what the participant said is still being written down
    interrupted  we asked for its end, so that it may be cancelled
    item         the message that is being spoken, or was last; spoken_bytes: how much of it came
    """

    def __init__(self, *, awaiting: bool = False) -> None:
        self.complete, self.awaiting = False, awaiting
        self.interrupted = False
        self.item, self.spoken_bytes = "", 0
        self._text, self._given = "", False
        self._facts: dict[str, Any] = {}
        self._calls: list[dict[str, Any]] = []

    def take(self, event: dict[str, Any]) -> list[SystemOutput]:
        """Outputs of one event; none for events without meaning here.

        Raises  SystemUnderTestError("bad_answer"): the server reports an error, or the response failed
        """
        kind = event.get("type")
        if kind == "error":
            if _asked_by(event.get("error")).startswith(INTERRUPTING):
                return []  # it had ended already
            raise bad_answer(f"the server reports: {_said(event.get('error'))}")
        if kind in _TEXT and isinstance(event.get("delta"), str):
            self._text += event["delta"]
            return [SystemOutput(kind="delta", text=event["delta"])]
        if kind in _SPEECH:
            return self._speech(event)
        if kind in (_WRITTEN_DOWN + "completed", _WRITTEN_DOWN + "failed"):
            self.awaiting = False
            return self._heard(event)
        elif kind == "response.output_item.done" and isinstance(event.get("item"), dict):
            return self._item(event["item"])
        elif kind == "response.done":
            return self._done(event.get("response"))
        return []

    def _speech(self, event: dict[str, Any]) -> list[SystemOutput]:
        samples = _decoded(event.get("delta"))
        if event.get("item_id") != self.item:
            self.item, self.spoken_bytes = str(event.get("item_id") or ""), 0
        self.spoken_bytes += len(samples)
        self._given = True
        return [SystemOutput(kind="audio", audio=Audio(samples, RATE_HZ))]

    def _heard(self, event: dict[str, Any]) -> list[SystemOutput]:
        """The server's transcript, with token probabilities if it gives them."""
        words = event.get("transcript")
        if not isinstance(words, str) or not words.strip():
            return []
        self._facts["heard"] = words
        return [
            SystemOutput(kind="extras", heard=(Heard(words.strip(), _probability(event.get("logprobs"))),))
        ]

    def interruption(self, played_s: float) -> list[dict[str, Any]]:
        """Events that stop this response and remove its unheard part from the model's memory."""
        events: list[dict[str, Any]] = []
        if not self.complete:
            self.interrupted = True
            events.append({"type": "response.cancel", "event_id": f"{INTERRUPTING}cancel"})
        if self.item:
            heard_ms = min(round(played_s * 1000), self.spoken_bytes * 1000 // (2 * RATE_HZ))
            events.append(
                {
                    "type": "conversation.item.truncate",
                    "event_id": f"{INTERRUPTING}truncate",
                    "item_id": self.item,
                    "content_index": 0,
                    "audio_end_ms": heard_ms,
                }
            )
        return events

    def _item(self, item: dict[str, Any]) -> list[SystemOutput]:
        if item.get("type") == "function_call":
            self._calls.append({"id": item.get("call_id")} | _part(item, "name", "arguments"))
            return []
        text, self._text = self._text or _words(item.get("content")), ""
        self._given = self._given or bool(text.strip())
        return [SystemOutput(kind="message", text=text)] if text.strip() else []

    def _done(self, response: Any) -> list[SystemOutput]:
        """The end, and what is still open; a response that only calls tools is silent."""
        if not isinstance(response, dict):
            raise bad_answer("the end of the response is not a mapping")
        status = response.get("status", "completed")
        cancelled = status == "cancelled" and self.interrupted
        if status not in ("completed", "incomplete") and not cancelled:
            details = response.get("status_details")
            why = _said(details.get("error") or details.get("reason")) if isinstance(details, dict) else ""
            raise bad_answer(f"the response ended as {status}{': ' + why if why else ''}")
        self.complete = True
        remainder = self._item({"content": None}) if self._text else []
        if not self._given and not self._calls and not cancelled:
            raise bad_answer("the reply contains no text")
        self._facts |= _part(response, "id", "status", "usage")
        return remainder

    def facts(self, held_s: float) -> SystemOutput:
        """Facts of the response besides its text, after waiting held_s seconds for more."""
        calls = {"tool_calls": self._calls} if self._calls else {}
        return SystemOutput(
            kind="extras",
            raw=self._facts | calls,
            held_s=held_s,
            tools=read_tools(self._calls or None),
            usage=model_usage(self._facts),
        )


def without_audio(event: dict[str, Any]) -> dict[str, Any]:
    """An event to be written down, with how much speech it held instead of the speech."""
    payloads = {name: value for name in ("audio", "delta") if isinstance(value := event.get(name), str)}
    speech = event.get("type") in _SPEECH or event.get("type") == "input_audio_buffer.append"
    return event | {name: f"{len(value)} characters of base64" for name, value in payloads.items() if speech}


def _asked_by(error: Any) -> str:
    """The key of our event that an error is about."""
    return str(error.get("event_id") or "") if isinstance(error, dict) else ""


def _probability(pieces: Any) -> float | None:
    tokens = pieces if isinstance(pieces, list) else []
    logs = [token.get("logprob") for token in tokens if isinstance(token, dict)]
    numbers = [log for log in logs if isinstance(log, (int, float)) and not isinstance(log, bool)]
    return min(1.0, math.exp(sum(numbers) / len(numbers))) if numbers else None


def _decoded(encoded: Any) -> bytes:
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise bad_answer("a piece of speech is not base64") from None


def _words(content: Any) -> str:
    """The text of a message's parts: written, or the transcript of what is spoken."""
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    words = [part.get("text") or part.get("transcript") for part in parts]
    return "".join(word for word in words if isinstance(word, str))


def _part(event: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: event[name] for name in names if event.get(name) is not None}


def _said(error: Any) -> str:
    message = error.get("message") or error.get("code") if isinstance(error, dict) else error
    return str(message or "no reason given")
