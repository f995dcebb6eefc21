"""Rules that leave dialogues and people out of an analysis: `analysis.exclude`, or after `--exclude`.

A rule is a mapping of what is known of a dialogue to a condition, or the same in words:
`{user_turns: "< 2"}` is `user_turns < 2`. All conditions of a rule must hold; of several rules one is enough.
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
"""Signs of the quality of a participant's work (`log/work_signs`)."""
OF_PEOPLE: Final = frozenset({"participant", "outcome", "pool", "answer", *OF_WORK})
OF_OUTCOMES: Final = "disagreement"
COMPARED: Final = {"<=": le, ">=": ge, "<": lt, ">": gt}
END_REASONS: Final = ("user", "system", "limit", "failure", "abandoned")
OUTCOMES: Final = (
    "completed", "screened_out", "no_place", "no_consent", "withdrew", "timed_out", "running",
)  # fmt: skip
FAILURES: Final = ("unreachable", "timeout", "bad_answer", "refused", "closed", "interrupted", "internal")
_CONDITION: Final = re.compile(r"\s*(<=|>=|!=|<|>|=)?\s*(.*?)\s*", re.DOTALL)
_PART: Final = re.compile(r"\s*([a-z_]+)(?:\.(\S+?))?\s*(<=|>=|!=|<|>|=)\s*(.+?)\s*", re.DOTALL)
_AND: Final = re.compile(r"\s+and\s+(?=trivial\b|[a-z_]+(?:\.\S+?)?\s*[<>!=])")

Known = Callable[[str], Any]


def _condition(given: Any, *, numbers: bool = False, known: Sequence[str] = ()) -> str:
    """A condition as it is written in signatures: an operator, then values."""
    items = given if isinstance(given, list) else [given]
    if not items or any(isinstance(one, dict | list | bool) or one is None for one in items):
        raise mistake(f"{shown_value(given)} is no condition", 'write a value, a list, or such as "< 2"')
    operator, text = _split(", ".join(str(one) for one in items))
    values = [one.strip() for one in text.split(",") if one.strip()]
    if not values:
        raise mistake(f"{shown_value(given)} compares with nothing", "write a value after the sign")
    if numbers:
        _check_numbers(given, operator, values)
    elif operator not in ("=", "!="):
        raise mistake(f"{operator} compares numbers, and this is none", "write = or !=, or nothing")
    strange = next((one for one in values if known and one not in known), None)
    if strange is not None:
        raise mistake(f"unknown value {strange!r}", nearest(strange, list(known)))
    return f"{operator} {', '.join(values)}"


def _check_numbers(given: Any, operator: str, values: Sequence[str]) -> None:
    if _number(values[0]) is None or (len(values) > 1 and operator not in ("=", "!=")):
        raise mistake(f"{shown_value(given)} compares with no number", 'write such as "< 2"')
    if any(_number(one) is None for one in values):
        raise mistake(f"{shown_value(given)} compares with no number", "write numbers")


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
        raise mistake(f"{shown_value(given)} names nothing", 'write such as {attention: "!= 4"}')
    return {str(name): _condition(one) if _worded(one) else _condition(one, numbers=True)
            for name, one in given.items()}  # fmt: skip


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
    """A dialogue for which all of a rule holds is left out; what is not known of it never holds.

    A rule about `participant`, `outcome`, `pool`, `answer` or signs of the quality of work (`gold`, `pace`,
    `fast_answers`, `goal_pursued`, `copies`) alone leaves out all that the participant did.
    """

    trivial: Literal[True] | None = Field(
        None,
        description="fewer user turns than the step `dialogue` counts as not trivial (`nontrivial`), and "
        "the system neither ended it nor failed in it",
    )
    user_turns: Count = Field(None, description='number of user turns, such as "< 2"')
    system_turns: Count = Field(None, description="number of system turns")
    duration_s: Count = Field(None, description="seconds from first onset to last offset")
    dialogue_number: Count = Field(None, description="order among this participant's dialogues, from 1")
    end_reason: Reason = Field(None, description=f"why it ended: {', '.join(END_REASONS)}")
    incident: Incident = Field(
        None, description=f"what went wrong in it: {', '.join(FAILURES)} (the last two are our own faults)"
    )
    system: Words = Field(None, description="name of the system")
    condition: Words = Field(None, description="cell of the design")
    task: Words = Field(None, description="key of the assigned task")
    channel: Words = Field(None, description="text, voice, phone or multimodal")
    language: Words = Field(None, description="BCP 47 tag")
    factor: Each = Field(None, description="levels by factor, such as {noise: high}")
    participant: Words = Field(None, description="pseudonymous key of the participant")
    outcome: Outcome = Field(None, description=f"how the participant's visit ended: {', '.join(OUTCOMES)}")
    pool: Words = Field(None, description="where the participant came from: link, prolific, ...")
    answer: Each = Field(
        None, description='answers by item, of the dialogue or its visit, such as {attention: "!= 4"}'
    )
    gold: Count = Field(None, description='share of checks that the participant answered right, "< 0.8"')
    pace: Count = Field(None, description="the participant's time, as a share of what is usual here")
    fast_answers: Count = Field(
        None, description="share of the participant's answers below `quality.answer_at_least_s`"
    )
    goal_pursued: Count = Field(None, description="share of what the tasks asked for that was tried")
    copies: Count = Field(None, description="long free texts that had been given before, word for word")

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        full = super().__get_pydantic_json_schema__(schema, handler)
        return {"anyOf": [{"type": "string", "description": "a rule in words, such as trivial"}, full]}

    @model_validator(mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        names = _AND.split(value.strip()) if isinstance(value, str) else value
        if isinstance(names, list | dict) and any(str(one).startswith(OF_OUTCOMES) for one in names):
            hint = "mark it under quality.mark: a person looks at it"
            raise mistake(f"{OF_OUTCOMES} is made of the outcomes that are to be measured", hint)
        return _parsed(value) if isinstance(value, str) else value

    @model_validator(mode="after")
    def _something(self) -> "Exclusion":
        if not self.fields:
            raise mistake("a rule without any condition", "write trivial, or such as {user_turns: '< 2'}")
        return self

    @property
    def fields(self) -> tuple[str, ...]:
        """What the rule looks at."""
        return tuple(name for name in type(self).model_fields if getattr(self, name) is not None)

    @property
    def of_people(self) -> bool:
        """Whether it is about people: it leaves out all that they did, not dialogues alone."""
        return OF_PEOPLE.issuperset(self.fields)

    @property
    def text(self) -> str:
        """The rule in words, as signatures and `--exclude` have it."""
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
        """Whether all of it holds; `known` gives what is known under a name: a value, several, or by name."""
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
    """Whether a condition holds of a value, or of any of several; never of what is missing."""
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
    """What a rule asks for that there is not, so that it can never hold, or holds always.

    Input   names: what there is by field (system, language); factors: levels by factor; items: what is asked
    Output  where in the rule, the problem, the hint
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
            yield ("answer", name), f"no question {name!r} is asked", nearest(name, sorted(items))


def _strange(condition: str | None, known: Sequence[str]) -> list[str]:
    operator, text = _split(condition or "")
    if not condition or operator not in ("=", "!="):
        return []
    return [one for one in text.split(", ") if one not in known]


def _parsed(text: str) -> dict[str, Any]:
    """The mapping that a rule in words stands for."""
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
    """The rules that words after `--exclude` stand for; `none` alone is no rule.

    Raises  InputError: a rule that nobody knows, or `none` beside others
    """
    listed = [texts] if isinstance(texts, str) else texts
    given = [one.strip() if isinstance(one, str) else one for one in listed]
    if given == [NONE]:
        return ()
    if NONE in given:
        raise InputError("none, and something else", place="--exclude", hint="say none alone, or only rules")
    rules: list[Exclusion] = []
    for text in given:
        try:
            rules.append(text if isinstance(text, Exclusion) else Exclusion.model_validate(text))
        except ValidationError as error:
            told = error.errors(include_url=False)[0].get("ctx", {})
            problem, hint = told.get("problem", "this is no rule"), told.get("hint", "write such as trivial")
            raise InputError(f"{text!r}: {problem}", place="--exclude", hint=str(hint)) from None
    return tuple(rules)
