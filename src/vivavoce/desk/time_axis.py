"""Timeline of one dialogue: spans on an axis, and a summary in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from vivavoce.desk.language import gettext
from vivavoce.log import events as log_events
from vivavoce.log.history import DialogueHistory, Turn
from vivavoce.report.numbers import duration

Lane = Literal["user", "system", "tools"]


class AxisSpan(NamedTuple):
    """Span on the axis; begin and length in per cent.

    kind  turn; wait: before the first word of it; failure; tool
    """

    lane: Lane
    kind: Literal["turn", "wait", "failure", "tool"]
    begin: float
    length: float


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Spans of a dialogue with its duration in seconds, ticks of the scale, and a summary."""

    length_s: float
    spans: list[AxisSpan]
    marks: list[tuple[float, float]]
    words: str

    @property
    def lanes(self) -> list[Lane]:
        """Lanes with spans."""
        met = {one.lane for one in self.spans}
        lanes: tuple[Lane, ...] = ("user", "system", "tools")
        return [one for one in lanes if one in met]


STEPS_S: Final = (
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 86400,
)  # fmt: skip
_Raw = tuple[Lane, Literal["turn", "wait", "failure", "tool"], float, float]


def time_axis(dialogue: DialogueHistory) -> TimeAxis | None:
    """Timeline of a dialogue; None if its times are unknown."""
    raw = [one for line in dialogue.lines for one in _spans(dialogue, line) if one[2] is not None]
    length_s = max([one[3] for one in raw] + [dialogue.duration_s or 0.0], default=0.0)
    if not raw or length_s <= 0:
        return None
    spans = [
        AxisSpan(
            lane, kind, round(100 * begin / length_s, 2), round(max(100 * (end - begin) / length_s, 0.4), 2)
        )
        for lane, kind, begin, end in raw
    ]
    step = next((one for one in STEPS_S if length_s / one <= 8), STEPS_S[-1])
    marks = [(n * step, round(100 * n * step / length_s, 2)) for n in range(int(length_s / step) + 1)]
    return TimeAxis(length_s, spans, marks[:200], _words(raw, length_s))


def _words(raw: list[_Raw], length_s: float) -> str:
    def total(lane: Lane, kind: str) -> tuple[int, str]:
        own = [end - begin for of, what, begin, end in raw if of == lane and what == kind]
        return len(own), duration(sum(own))

    waits = [end - begin for _, what, begin, end in raw if what == "wait"]
    turns, typed = total("user", "turn")
    answers, spoken = total("system", "turn")
    found = gettext(
        "Total: %(length)s. Participant turns: %(turns)s, %(typed)s. System turns: %(answers)s, "
        "%(spoken)s.",
        length=duration(length_s), turns=turns, typed=typed, answers=answers, spoken=spoken,
    )  # fmt: skip
    if waits:
        longest = duration(max(waits))
        found += " " + gettext("Longest wait for first output: %(longest)s.", longest=longest)
    return found


def _spans(dialogue: DialogueHistory, line: "Turn | object") -> Iterator[_Raw]:
    stored = getattr(line, "stored", line)
    event, at_s = stored.event, dialogue.elapsed_s(stored)  # type: ignore[attr-defined]
    if isinstance(event, log_events.UserTurnSent):
        if event.onset_s is not None and event.offset_s is not None:
            yield "user", "turn", event.onset_s, event.offset_s
        elif at_s is not None:
            shown = at_s - (event.response_delay_s or 0.0)
            first = shown + (event.first_key_delay_s or 0.0)
            if event.first_key_delay_s:
                yield "user", "wait", max(0.0, shown), max(0.0, first)
            yield "user", "turn", max(0.0, first), at_s
    elif isinstance(event, log_events.SystemTurnReceived):
        end = event.complete_s if event.complete_s is not None else at_s
        if end is not None:
            sent = event.sent_s if event.sent_s is not None else end
            first = event.first_output_s if event.first_output_s is not None else end
            if first > sent:
                yield "system", "wait", max(0.0, sent), first
            yield "system", "turn", max(0.0, first), max(first, end)
    elif isinstance(event, log_events.SystemTurnFailed) and at_s is not None:
        yield "system", "failure", at_s, at_s
    for call in getattr(getattr(event, "agent", None), "tools", None) or ():
        if call.started_s is not None:
            yield "tools", "tool", call.started_s, call.started_s + (call.duration_s or 0.0)
