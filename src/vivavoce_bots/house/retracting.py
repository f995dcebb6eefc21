"""What is taken back in the same breath, `the sport one, no wait, channel two`: only what stands behind it holds."""

import re
from functools import cache
from typing import Final

from vivavoce_bots.dialogue.spotting import LONGEST_TEXT
from vivavoce_bots.house.snippets import forms

_TAKES_BACK: Final = {
    "en": re.compile(
        r"[,.;…\s–—-]+(?:(?:oh|um|uh|er|or|well)[,\s]+)*(?:no[,.\s]+(?:wait|sorry|hang on|hold on|not that)"
        r"|wait[,.\s]+no|scratch that|actually no|no actually|make that|i mean|or rather|sorry[,\s]+i meant?)\b[,.\s…]*",
        re.I,
    ),
    "it": re.compile(
        r"[,.;…\s–—-]+(?:(?:oh|ehm|eh|o|ma)[,\s]+)*(?:no[,.\s]+(?:aspett\w|scus\w|anzi|cioè)|aspett\w[,.\s]+(?:no|anzi)"
        r"|anzi(?:[,\s]+no)?|volevo dire|cioè no|macché)\b[,.\s…]*",
        re.I,
    ),
}
_SAID: Final = {
    "en": re.compile(r"\b(?:(?:the )?channel (?:one|two|\d)|(?:the )?(?:two|\d)\b|(?<=on )one\b|(?:the )?sports?(?: channel| one)?)\b", re.I),
    "it": re.compile(r"\b(?:(?:il |sul |quello )?(?:canale |rete )?(?:uno|due|\d|primo|secondo)|(?:il |lo |sullo |quello )?(?:canale )?sport(?:ivo)?)\b", re.I),
}


def corrected(text: str, language: str) -> str:
    """A turn without the channel that is taken back in it; the snippet that named it names the other."""
    if len(text) > LONGEST_TEXT:
        return text
    mark = _TAKES_BACK[language].search(text)
    if mark is None:
        return text
    before, after = text[: mark.start()], text[mark.end() :]
    end = re.search(r"[.!?]", after)
    after, behind = (after[: end.start()], after[end.start() :]) if end else (after, "")
    old = [*_SAID[language].finditer(before)]
    new = [one for one in _SAID[language].finditer(after) if not _unwanted(after[: one.start()], language)]
    about = forms(language)["channel"].search(text) or re.search(r"\bsport", text, re.I)
    if not (old and new and about):
        return text
    name = _channel(new[-1][0], language)
    return f"{before[: old[-1].start()]}{name}{before[old[-1].end() :]}. {after[: new[-1].start()]} {after[new[-1].end() :]}{behind}"


def _unwanted(before: str, language: str) -> bool:
    return forms(language)["unwanted"].search(before.rsplit(",", 1)[-1]) is not None


@cache
def _channel(name: str, language: str) -> str:
    if "sport" in name.lower():
        return {"en": "the sports channel", "it": "sul canale sportivo"}[language]
    return {"en": "channel ", "it": "sul canale "}[language] + name.split()[-1]
