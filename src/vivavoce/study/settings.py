"""The base of every mapping in a study file, and the plain values in it."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, Strict, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from vivavoce.core.validation import as_key

Whole = Annotated[int, Strict()]
Number = Annotated[float, Strict()]
Flag = Annotated[bool, Strict()]


class Settings(BaseModel):
    """Base of every mapping in a study file: unknown keys are errors. A shorthand value fills one key."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    shorthand: ClassVar[str | None] = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if (key := vars(cls).get("shorthand")) is not None:
            cls._expand = model_validator(mode="before")(as_key(key))

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        full = handler(schema)
        if cls.shorthand is None:
            return full
        return {"anyOf": [{"type": "string", "description": f"short for `{cls.shorthand}`"}, full]}
