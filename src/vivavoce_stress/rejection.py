"""Whether a system turn asks about what was just said: to be told again, or which of several is meant."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

_WORDS: Final = {
    "en": r"did ?n[o']t (quite )?(get|understand|catch|hear)|do(es)? ?n[o']t understand|not understood"
    r"|(can|could) (you|not) (please )?(repeat|rephrase|understand)|please (repeat|rephrase)|say that again"
    r"|did you mean|what (do|did) you mean|pardon\b|come again"
    r"|i('m| am) (not sure i understand|confused|lost)",
    "it": r"non (ho|abbiamo|riesco a|l'ho) (ben )?(capi|compre|senti|afferra)\w*|non capisco|ripet\w+"
    r"|riformul\w+|pu(ò|oi) ridir\w*|intendev[ia]|intende(va)? dire|come,? scus[ai]|in altre parole"
    r"|non (mi )?è chiaro",
}
_FORMS: Final = {language: re.compile(form, re.IGNORECASE) for language, form in _WORDS.items()}


def rejects(text: str, acts: Sequence[Mapping[str, Any]] | None, language: str) -> bool:
    """Whether the system asks to be told again; a system that tells its acts is believed."""
    if acts is not None:
        return any(act["act"] in ("repeat", "reject") for act in acts)
    form = _FORMS.get(language.split("-")[0])
    return form is not None and form.search(text.replace("’", "'")) is not None


def asks_which(acts: Sequence[Mapping[str, Any]] | None) -> bool:
    """Whether the system asks which of several values is meant; never of a system that tells no acts."""
    return any(act["act"] == "select" for act in acts or ())
