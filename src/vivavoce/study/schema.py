"""The JSON Schema of study files, by which editors complete keys and mark mistakes."""

from typing import Any, Final

from vivavoce.study.file import StudyFile
from vivavoce.study.presets import protocol_names

SCHEMA_FILE: Final = "study.schema.json"


def study_schema() -> dict[str, Any]:
    """The schema of a study file as written: `visit` may be left to a protocol."""
    schema = StudyFile.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Vivavoce study file"
    schema["required"] = [key for key in schema["required"] if key != "visit"]
    schema["anyOf"] = [{"required": ["visit"]}, {"required": ["protocol"]}]
    schema["properties"]["protocol"] = {
        "description": schema["properties"]["protocol"]["description"],
        "anyOf": [{"enum": protocol_names()}, {"type": "null"}],
    }
    return schema
