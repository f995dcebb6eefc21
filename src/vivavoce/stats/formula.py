"""The formula of a mixed model as R users write it: `success ~ manager * acoustics + (1|participant)`.

The fixed part is read by formulaic, which evaluates code; so only names and operators get there.
"""

import re
from dataclasses import dataclass
from typing import Final

from vivavoce.core.errors import InputError

EXAMPLE: Final = "success ~ manager * acoustics + order + (1|participant) + (1|task)"
_NAME: Final = r"[^\W\d]\w*"
_EFFECT: Final = re.compile(r"\(([^()|]*)\|([^()|]*)\)")
_LEVELS: Final = re.compile(rf"\s*{_NAME}(\s*:\s*{_NAME})*\s*")
_TOKEN: Final = re.compile(rf"\s*({_NAME}|\*\*|[-+*:/^()]|[0-9]+)")
_RESPONSE: Final = re.compile(rf"{_NAME}(\.[\w-]+)*")


@dataclass(frozen=True, slots=True)
class ModelFormula:
    """A formula taken apart.

    response   a measure, `success`, or a questionnaire's item as instrument.item
    fixed      what stands for the fixed effects, for formulaic
    names      the variables in it
    grouping   variables of each random intercept: ("participant",), or ("participant", "manager")
    """

    text: str
    response: str
    fixed: str
    names: tuple[str, ...]
    grouping: tuple[tuple[str, ...], ...]


def read_formula(text: str) -> ModelFormula:
    """Take a formula apart.

    Raises  InputError: names what cannot be read, and how it is written
    """
    response, tilde, right = text.partition("~")
    response = response.strip()
    if not tilde or not _RESPONSE.fullmatch(response):
        raise InputError(f"cannot read the formula {text!r}", place="--model", hint=f'write "{EXAMPLE}"')
    if "|" in _EFFECT.sub("", right):
        raise InputError(f"cannot read {right.strip()!r}", place="--model", hint="write (1|participant)")
    grouping = tuple(_grouping(*match.groups()) for match in _EFFECT.finditer(right))
    if not grouping:
        raise InputError(
            "no random effect in the formula",
            place="--model",
            hint="add (1|participant): dialogues of one person are alike",
        )
    fixed = re.sub(r"^(\s*\+)+|(\+\s*)+$", "", re.sub(r"\+\s*(?=\+)", "", _EFFECT.sub("", right))).strip()
    return ModelFormula(text.strip(), response, fixed or "1", _names(fixed), tuple(dict.fromkeys(grouping)))


def _grouping(effect: str, levels: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in levels.split(":"))
    if effect.strip() != "1":
        slope = re.sub(r"^\s*1\s*\+", "", effect).strip()
        raise InputError(
            f"a random slope ({effect.strip()}|{levels.strip()}) is not fitted",
            place="--model",
            hint=f"write (1|{levels.strip()}) + (1|{levels.strip()}:{slope}) for a factor",
        )
    if not _LEVELS.fullmatch(levels):
        raise InputError(f"cannot read (1|{levels.strip()})", place="--model", hint="write (1|participant)")
    return names


def _names(fixed: str) -> tuple[str, ...]:
    """The variables of the fixed part, all of whose words are names, numbers or operators."""
    names: list[str] = []
    place = 0
    while fixed[place:].strip():
        match = _TOKEN.match(fixed, place)
        if match is None:
            raise InputError(
                f"cannot read {fixed[place:].strip()!r}",
                place="--model",
                hint="use names joined by + * : / - ( )",
            )
        if re.fullmatch(_NAME, match[1]):
            names.append(match[1])
        place = match.end()
    return tuple(dict.fromkeys(names))
