"""Rules that exclude dialogues and participants from an analysis: `analysis.exclude`, or `--exclude`.

A rule maps facts of a dialogue to conditions, or is the same as text:
`{user_turns: "< 2"}` is `user_turns < 2`. All conditions of a rule must hold; one rule of several is enough.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import isfinite
from operator import ge, gt, le, lt
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BeforeValidator,
    Field,
    GetJsonSchemaHandler,
    ValidationError,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.validation import mistake, shown_value
from vivavoce.study.settings import Settings

TRIVIAL: Final = "trivial"
NONE: Final = "none"
NESTED: Final = ("factor", "answer")
OF_WORK: Final = ("gold", "pace", "fast_answers", "goal_pursued", "copies")
"""Signs of the quality of a participant's work (`dataset/exclusions`)."""
OF_PEOPLE: Final = frozenset({"participant", "outcome", "pool", "answer", *OF_WORK})
OF_OUTCOMES: Final = "disagreement"
COMPARED: Final = {"<=": le, ">=": ge, "<": lt, ">": gt}
END_REASONS: Final = ("user", "system", "limit", "failure", "abandoned")
OUTCOMES: Final = (
    "completed",
    "screened_out",
    "no_place",
    "no_consent",
    "withdrew",
    "timed_out",
    "running",
)
FAILURES: Final = ("unreachable", "timeout", "bad_answer", "refused", "closed", "interrupted", "internal")
_CONDITION: Final = re.compile(r"\s*(<=|>=|!=|<|>|=)?\s*(.*?)\s*", re.DOTALL)
_PART: Final = re.compile(r"\s*([a-z_]+)(?:\.(\S+?))?\s*(<=|>=|!=|<|>|=)\s*(.+?)\s*", re.DOTALL)
_AND: Final = re.compile(r"\s+and\s+(?=trivial\b|[a-z_]+(?:\.\S+?)?\s*[<>!=])")

Known = Callable[[str], Any]


def _condition(given: Any, *, numbers: bool = False, known: Sequence[str] = ()) -> str:
    """A condition as it is written in signatures: an operator, then values."""
    items = given if isinstance(given, list) else [given]
    if not items or any(isinstance(item, dict | list | bool) or item is None for item in items):
        raise mistake(
            f"{shown_value(given)} is not a condition", 'write a value, a list, or a comparison such as "< 2"'
        )
    operator, text = _split(", ".join(str(item) for item in items))
    values = [one.strip() for one in text.split(",") if one.strip()]
    if not values:
        raise mistake(f"{shown_value(given)} has no value to compare with", "write a value after the sign")
    if numbers:
        _check_numbers(given, operator, values)
    elif operator not in ("=", "!="):
        raise mistake(f"{operator} needs a number", "write = or !=, or no operator")
    strange = next((value for value in values if known and value not in known), None)
    if strange is not None:
        raise mistake(f"unknown value {strange!r}", nearest(strange, list(known)))
    return f"{operator} {', '.join(values)}"


def _check_numbers(given: Any, operator: str, values: Sequence[str]) -> None:
    several = len(values) > 1 and operator not in ("=", "!=")
    if several or any(_number(value) is None for value in values):
        raise mistake(
            f"{shown_value(given)} does not compare with a number",
            'write numbers, or a comparison such as "< 2"',
        )


def _split(text: str) -> tuple[str, str]:
    found = _CONDITION.fullmatch(text)
    return ((found[1] or "="), found[2]) if found else ("=", text)


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if isfinite(found) else None


def _each(given: Any) -> Any:
    if not isinstance(given, dict) or not given:
        raise mistake(f"{shown_value(given)} names nothing", 'write, for example, {attention: "!= 4"}')
    return {
        str(name): _condition(one) if _worded(one) else _condition(one, numbers=True)
        for name, one in given.items()
    }


def _worded(given: Any) -> bool:
    first = given[0] if isinstance(given, list) and given else given
    return _split(str(first))[0] in ("=", "!=")


_PLAIN: Final = {"type": ["string", "number"]}
_SCHEMA: Final = {"anyOf": [_PLAIN, {"type": "array", "items": _PLAIN}]}
_ANY: Final = WithJsonSchema(_SCHEMA)
_BY_NAME: Final = WithJsonSchema({"type": "object", "additionalProperties": _SCHEMA})

Count = Annotated[str | None, BeforeValidator(partial(_condition, numbers=True)), _ANY]
Words = Annotated[str | None, BeforeValidator(_condition), _ANY]
Reason = Annotated[str | None, BeforeValidator(partial(_condition, known=END_REASONS)), _ANY]
Incident = Annotated[str | None, BeforeValidator(partial(_condition, known=FAILURES)), _ANY]
Outcome = Annotated[str | None, BeforeValidator(partial(_condition, known=OUTCOMES)), _ANY]
Each = Annotated[dict[str, str] | None, BeforeValidator(_each), _BY_NAME]


class Exclusion(Settings):
    """Exclude a dialogue if all conditions of a rule hold; an unknown value never matches.

    A rule only about `participant`, `outcome`, `pool`, `answer` or signs of work quality (`gold`, `pace`,
    `fast_answers`, `goal_pursued`, `copies`) excludes all data of the participant.
    """

    trivial: Literal[True] | None = Field(
        None,
        description=(
            "true for dialogues with fewer user turns than `nontrivial` of the step `dialogue`, "
            "unless the system ended it or failed"
        ),
    )
    user_turns: Count = Field(None, description='number of user turns, such as "< 2"')
    system_turns: Count = Field(None, description="number of system turns")
    duration_s: Count = Field(None, description="seconds from first onset to last offset")
    dialogue_number: Count = Field(None, description="position among this participant's dialogues, from 1")
    end_reason: Reason = Field(None, description=f"end reason: {', '.join(END_REASONS)}")
    incident: Incident = Field(
        None, description=f"failures: {', '.join(FAILURES)} (the last two are our own errors)"
    )
    system: Words = Field(None, description="system name")
    condition: Words = Field(None, description="cell of the design")
    task: Words = Field(None, description="key of the assigned task")
    channel: Words = Field(None, description="text, voice, phone or multimodal")
    language: Words = Field(None, description="BCP 47 tag")
    factor: Each = Field(None, description="levels by factor, such as {noise: high}")
    participant: Words = Field(None, description="pseudonymous key of the participant")
    outcome: Outcome = Field(None, description=f"outcome of the participant's visit: {', '.join(OUTCOMES)}")
    pool: Words = Field(None, description="source of the participant: link, prolific, ...")
    answer: Each = Field(
        None, description='answers by item, of the dialogue or its visit, such as {attention: "!= 4"}'
    )
    gold: Count = Field(None, description='share of checks answered correctly, "< 0.8"')
    pace: Count = Field(None, description="participant's time relative to the usual time in this study")
    fast_answers: Count = Field(
        None, description="share of the participant's answers faster than `quality.min_answer_s`"
    )
    goal_pursued: Count = Field(
        None, description=("share of the task's requirements that the participant attempted")
    )
    copies: Count = Field(
        None, description=("number of long free texts copied word for word from earlier ones")
    )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        full = super().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [{"type": "string", "description": "a rule as text, such as trivial"}, full]}

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        names = _AND.split(value.strip()) if isinstance(value, str) else value
        if isinstance(names, list | dict) and any(str(name).startswith(OF_OUTCOMES) for name in names):
            hint = "use quality.thresholds, which flags the dialogue for manual review"
            raise mistake(f"{OF_OUTCOMES} depends on the outcome that the analysis measures", hint)
        return _parsed(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _something(self) -> "Exclusion":
        if not self.fields:
            raise mistake("rule without a condition", "write trivial, or a rule such as {user_turns: '< 2'}")
        return self

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the facts that the rule uses."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @property
    def of_people(self) -> bool:
        """True for a rule about participants, which excludes all their data."""
        return OF_PEOPLE.issuperset(self.fields)

    @property
    def text(self) -> str:
        """The rule as text, as in signatures and `--exclude`."""
        return " and ".join(self._texts())

    def __str__(self) -> str:
        return self.text

    @model_serializer
    def _as_text(self) -> str:
        return self.text

    def _texts(self) -> Iterable[str]:
        for name in self.fields:
            told = getattr(self, name)
            if name == TRIVIAL:
                yield TRIVIAL
            elif isinstance(told, dict):
                yield from (f"{name}.{key} {one}" for key, one in told.items())
            else:
                yield f"{name} {told}"

    def met_by(self, known: Known) -> bool:
        """Check all conditions; `known` gives the value of a name: a value, several, or by name."""
        return all(self._met(name, known) for name in self.fields)

    def _met(self, name: str, known: Known) -> bool:
        told = getattr(self, name)
        if name == TRIVIAL:
            return bool(known(TRIVIAL))
        if isinstance(told, dict):
            values: Mapping[str, Any] = known(name) or {}
            return all(holds(one, values.get(key)) for key, one in told.items())
        return holds(told, known(name))


def holds(condition: str, value: Any) -> bool:
    """Check a condition on a value or any of several; a missing value never matches."""
    operator, text = _split(condition)
    wanted = text.split(", ")
    given = [one for one in (value if isinstance(value, list | tuple | set) else [value]) if one is not None]
    if operator == "!=":
        return bool(given) and not any(_same(one, two) for one in given for two in wanted)
    if operator == "=":
        return any(_same(one, two) for one in given for two in wanted)
    number = float(wanted[0])
    return any(COMPARED[operator](float(one), number) for one in given if _number(str(one)) is not None)


def _same(value: Any, wanted: str) -> bool:
    number = _number(wanted)
    return value == number if isinstance(value, int | float) else str(value) == wanted


Names = Mapping[str, Sequence[str]]


def unknown_names(
    rule: Exclusion, names: Names, factors: Names, items: Sequence[str]
) -> Iterable[tuple[tuple[str, ...], str, str]]:
    """Conditions of a rule on unknown names, which never hold or always hold.

    Input   names: known values by field (system, language); factors: levels by factor; items: questions asked
    Output  place in the rule, problem, hint
    """
    for field, known in names.items():
        for strange in _strange(getattr(rule, field), known):
            yield (field,), f"unknown {field} {strange!r}", nearest(strange, sorted(known))
    for name, condition in (rule.factor or {}).items():
        if name not in factors:
            yield ("factor", name), f"unknown factor {name!r}", nearest(name, sorted(factors))
            continue
        for strange in _strange(condition, factors[name]):
            yield (
                ("factor", name),
                f"{name} has no level {strange!r}",
                nearest(strange, sorted(factors[name])),
            )
    for name in rule.answer or {}:
        if name not in items:
            yield ("answer", name), f"there is no question {name!r}", nearest(name, sorted(items))


def _strange(condition: str | None, known: Sequence[str]) -> list[str]:
    operator, text = _split(condition or "")
    if not condition or operator not in ("=", "!="):
        return []
    return [one for one in text.split(", ") if one not in known]


def _parsed(text: str) -> dict[str, Any]:
    """The mapping of a rule given as text."""
    found: dict[str, Any] = {}
    for part in _AND.split(text.strip()):
        if part == TRIVIAL:
            found[TRIVIAL] = True
            continue
        match = _PART.fullmatch(part)
        if match is None or match[1] not in Exclusion.model_fields:
            name = match[1] if match else part
            raise mistake(f"unknown rule {name!r}", nearest(name, list(Exclusion.model_fields)))
        name, key, condition = match[1], match[2], f"{match[3]} {match[4]}"
        if (name in NESTED) != (key is not None):
            hint = f"write {name}.NAME {condition}" if name in NESTED else f"write {name} {condition}"
            raise mistake(f"{part!r} names {'no' if name in NESTED else 'a'} part of {name}", hint)
        if key is None:
            found[name] = condition
        else:
            found.setdefault(name, {})[key] = condition
    return found


def read_rules(texts: "Iterable[str | Exclusion] | str") -> tuple[Exclusion, ...]:
    """Rules given after `--exclude`; `none` alone excludes nothing.

    Raises  InputError: an unreadable rule, or `none` beside others
    """
    listed = [texts] if isinstance(texts, str) else texts
    given = [one.strip() if isinstance(one, str) else one for one in listed]
    if given == [NONE]:
        return ()
    if NONE in given:
        raise InputError("none beside other rules", place="--exclude", hint="write none alone, or only rules")
    rules: list[Exclusion] = []
    for text in given:
        try:
            rules.append(text if isinstance(text, Exclusion) else Exclusion.model_validate(text))
        except ValidationError as error:
            told = error.errors(include_url=False)[0].get("ctx", {})
            problem, hint = (
                told.get("problem", "not a rule"),
                told.get("hint", "write a rule such as trivial"),
            )
            raise InputError(f"{text!r}: {problem}", place="--exclude", hint=str(hint)) from None
    return tuple(rules)
