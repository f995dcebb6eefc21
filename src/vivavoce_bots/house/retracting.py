"""What is taken back in the same breath: of `the sport one, no wait, channel two` only the second holds.

What names the same as something before the mark, a channel, a side or a room, takes its place there.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from vivavoce_bots.dialogue.spotting import LONGEST_TEXT

_MARKS: Final = {
    "en": re.compile(
        r"[,.;…\s–—-]+(?:(?:oh|um|uh|er|or|well)[,\s]+)*(?:no[,.\s]+(?:wait|sorry|hang on|hold on|not that)"
        r"|wait[,.\s]+no|scratch that|actually no|no actually|make that|i mean|or rather|sorry[,\s]+i meant?"
        r"|no(?=,))\b[,.\s…]*",
        re.I,
    ),
    "it": re.compile(
        r"[,.;…\s–—-]+(?:(?:oh|ehm|eh|o|ma)[,\s]+)*(?:no[,.\s]+(?:aspett\w|scus\w|anzi|cioè)"
        r"|aspett\w[,.\s]+(?:no|anzi)|anzi(?:[,\s]+no)?|volevo dire|cioè no|macché|no(?=,))\b[,.\s…]*",
        re.I,
    ),
}
_CHANNELS: Final = {
    "en": r"(?:the )?channel (?:one|two|\d)|(?:the )?sports?(?: channel| one)?|\b(?:two|\d)",
    "it": r"(?:il |sul |quello |lo |sullo )?"
    r"(?:(?:canale |rete )(?:uno|due|\d|sportivo|sport)|sport\b|due\b|\d)",
}
_UNWANTED: Final = re.compile(r"\b(?:not|no|don't|hates?|never|non|odi\w|mai|niente)\b", re.I)


def corrected(text: str, language: str, places: Sequence[str], programmes: Mapping[str, str]) -> str:
    """A turn without what is taken back in it.

    places      the words for sides and rooms
    programmes  the channel of each programme, as it is spoken of
    """
    mark = _MARKS[language].search(text[:LONGEST_TEXT])
    if mark is None or len(text) > LONGEST_TEXT:
        return text
    start = max(text.rfind(one, 0, mark.start()) for one in ".!?") + 1
    before, after = text[start : mark.start()], text[mark.end() :]
    end = re.search(r"[.!?]", after)
    after, behind = (after[: end.start()], after[end.start() :]) if end else (after, "")
    sides = "|".join(map(re.escape, places[:3]))
    rooms = "|".join(map(re.escape, places[3:]))
    about_channel = re.search(r"\b(?:channel|canale|rete|sports?|sportivo)\b", f"{before} {after}", re.I)
    for kind in ([_CHANNELS[language]] if about_channel else []) + [sides, rooms]:
        form = re.compile(rf"\b(?:{kind})\b", re.I)
        old = [*form.finditer(before)]
        if kind == _CHANNELS[language] and old and not form.search(after):
            shown = next((one for one in re.findall(r"\w+", after.lower()) if one in programmes), None)
            if shown:
                put = _named(programmes[shown], language)
                return f"{text[:start]}{before[: old[-1].start()]}{put}{before[old[-1].end() :]}{behind}"
        new = [one for one in form.finditer(after) if not _unwanted(after[: one.start()])]
        if old and new and old[-1][0].lower() != new[0][0].lower():
            put = _named(new[0][0], language) if kind == _CHANNELS[language] else new[0][0]
            rest = _loose(after[new[0].end() :])
            kept = f"{before[: old[-1].start()]}{put}{before[old[-1].end() :]}"
            return f"{text[:start]}{kept}{rest}{behind}"
    return text


def _unwanted(before: str) -> bool:
    return _UNWANTED.search(before.rsplit(",", 1)[-1]) is not None


def _loose(rest: str) -> str:
    """What follows what was put right, where it says something of its own."""
    return f", {rest.lstrip(' ,')}" if len(rest.split()) > 2 else ""


def _named(channel: str, language: str) -> str:
    if "sport" in channel.lower():
        return {"en": "the sports channel", "it": "sul canale sportivo"}[language]
    return {"en": "channel ", "it": "sul canale "}[language] + channel.split()[-1]
