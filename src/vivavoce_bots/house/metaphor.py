"""The metaphors in which the house speaks: what it does is the same in all, nothing but the manner differs.

invisible-servant   a voice from nowhere speaks for the whole house
intelligent-device  the device that is concerned speaks for itself
talking-head        a face on a screen speaks, described in words
Source  the three agents of the INSPIRE experiments: intelligent device, invisible servant, talking head
"""

from collections.abc import Mapping
from typing import Any, Final

from vivavoce_bots.dialogue.talk import Answer

METAPHORS: Final = ("invisible-servant", "intelligent-device", "talking-head")
_MIMICKED: Final = ("bye", "canthelp", "repeat", "inform", "request")


def in_metaphor(answer: Answer, metaphor: str, words: Mapping[str, Any], speaker: str | None) -> Answer:
    """An answer as it is said in a metaphor; `speaker` is the device that it is about, if there is one."""
    acts = {act.act for act in answer.acts}
    if metaphor == "intelligent-device" and speaker and "inform" in acts:
        return answer._replace(text=words["device"].format(name=speaker, said=answer.text))
    if metaphor == "talking-head" and "hello" not in acts:
        mood = next((one for one in _MIMICKED if one in acts), "other")
        return answer._replace(text=words[mood].format(said=answer.text))
    return answer
