"""Schemes of expert annotation: units, labels and keys; bundled, or from a user's file.

A scheme is one layer of the dataset's table `annotations` and carries its name. Bundled schemes match
`vivavoce.dataset.annotation_layers`, with texts for annotators in English and Italian.
"""

import string
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from vivavoce.core.errors import nearest
from vivavoce.core.validation import as_key, load_model, mistake, read_model, shown_value
from vivavoce.core.yaml_source import Problem, read_yaml
from vivavoce.languages.base import lookup_tags

FOLDER: Final = Path(__file__).parent / "annotation_schemes"
NONE_KEY: Final = "0"
RESERVED_KEYS: Final = {NONE_KEY: "no label", ".": "play the recording"}
NO_LABEL: Final = {
    "none": "leave it out: the key 0 means that no label applies",
    "undecided": "leave it out: it marks undecided places",
}
MOST_LABELS: Final = 30
_KEYS: Final = string.ascii_lowercase + string.digits

About = Literal["user", "system", "turn", "dialogue"]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]


Words = Annotated[dict[str, str], BeforeValidator(as_key(""))]


def said(words: dict[str, str], language: str) -> str:
    """Text in a language, else in a wider one, else in the first written; "" without any."""
    for tag in (*lookup_tags(language), ""):
        if tag in words:
            return words[tag]
    return next(iter(words.values()), "")


class _Written(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SchemeLabel(_Written):
    """One label: its name in the dataset, its text for the annotator, and its key."""

    label: str = Field(min_length=1, max_length=80, description="label in the dataset")
    key: str = Field(description="key on the keyboard: one lower-case letter, or a digit other than 0")
    text: Words = Field(description="label for the annotator, by language or one for all")
    help: Words = Field({}, description="instruction for its use, by language or one for all")
    code: float | None = Field(None, description="position on a scale (default: position in the list)")
    value: bool | None = Field(None, description="requires a value (default: the scheme's setting)")

    @field_validator("key", mode="before")
    @classmethod
    def _one_key(cls, key: Any) -> Any:
        text = str(key) if isinstance(key, int) else key
        if not isinstance(text, str) or len(text) != 1 or not (text.isascii() and text.isalnum()):
            raise mistake(
                f"{shown_value(key)} is not a key", "write one lower-case letter or a digit from 1 to 9"
            )
        if text in RESERVED_KEYS:
            raise mistake(f"the key {text!r} is reserved: {RESERVED_KEYS[text]}", "choose another key")
        return text.lower()

    @field_validator("label")
    @classmethod
    def _not_none(cls, label: str) -> str:
        if label in NO_LABEL:
            raise mistake(f"{label!r} is not a valid label", NO_LABEL[label])
        return label


class Scheme(_Written):
    """A scheme of annotation."""

    scheme: str = Field(
        pattern=r"^[a-z][a-z0-9_]{0,40}$", description="scheme name: lower-case letters, digits, _"
    )
    about: About = Field(
        description=("unit of annotation: every user turn, system turn, turn of both, or the dialogue")
    )
    title: Words = Field(description="title for the annotator, by language or one for all")
    question: Words = Field({}, description="question about every unit")
    exclusive: bool = Field(True, description="one label per unit; otherwise several are allowed")
    required: bool = Field(False, description="every unit needs a label: the key 0 is disabled")
    scale: Scale = Field("nominal", description="scale of the labels, for agreement")
    value: Words | None = Field(None, description="meaning of a label's value, if labels have values")
    value_needed: bool = Field(True, description="every label needs a value")
    only_where: dict[str, list[str]] = Field(
        {}, description="condition: ask only after one of these labels in another scheme"
    )
    documents: bool = Field(
        False, description="show the annotator what the system says it looked up for the turn"
    )
    decision: dict[str, list[str]] = Field({}, description="decision steps in order, by language")
    labels: list[SchemeLabel] = Field([], max_length=MOST_LABELS, description="labels in order")
    labels_from: Literal["slots"] | None = Field(
        None, description="labels from the slots of the study's searchable ontology"
    )

    @model_validator(mode="after")
    def _sound(self) -> "Scheme":
        if not self.labels and self.labels_from is None:
            raise mistake("scheme without labels", "list its labels, or write labels_from: slots")
        if self.labels and self.labels_from is not None:
            raise mistake("both labels and labels_from", "keep one of the two")
        for what in ("label", "key"):
            values = [getattr(one, what) for one in self.labels]
            twice = next((value for value in values if values.count(value) > 1), None)
            if twice is not None:
                raise mistake(f"the {what} {twice!r} is given twice", f"give each label its own {what}")
        return self

    def with_slots(self, names: Mapping[str, Words]) -> "Scheme":
        """This scheme with one label per slot; unchanged if it lists its own labels.

        Input   at most 30 slots and their names by language
        Note    a slot's key is the first free letter of its name, else any free letter
        """
        if self.labels_from != "slots":
            return self
        free = [one for one in _KEYS if one not in RESERVED_KEYS]
        labels: list[SchemeLabel] = []
        for name, words in names.items():
            key = next((one for one in (*name.lower(), *free) if one in free), free[0])
            free.remove(key)
            facts = {"label": name, "key": key, "text": words or {"": name}}
            labels.append(SchemeLabel.model_validate(facts))
        return self.model_copy(update={"labels": labels, "labels_from": None})

    def label(self, name: str) -> SchemeLabel | None:
        return next((one for one in self.labels if one.label == name), None)

    @property
    def several(self) -> bool:
        """True if a unit can have several labels."""
        return not self.exclusive and len(self.labels) > 1

    def needs_value(self, name: str) -> bool:
        """True if a label requires a value."""
        found = self.label(name)
        if self.value is None or found is None:
            return False
        return self.value_needed if found.value is None else found.value

    def code(self, name: str) -> float | None:
        """A label's number on the scheme's scale: as written, else its 1-based place."""
        for place, one in enumerate(self.labels, 1):
            if one.label == name:
                return float(place) if one.code is None else one.code
        return None

    def judges(self, party: str) -> bool:
        """True if the scheme judges turns of this party."""
        return self.about in (party, "turn")


def scheme_names() -> list[str]:
    """Bundled schemes."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def scheme_file(name: str, folder: Path) -> Path | None:
    """Path of a scheme: a file beside the study, else a bundled one; None if neither exists."""
    beside = folder / name
    if beside.suffix in (".yaml", ".yml") and beside.is_file():
        return beside
    ours = FOLDER / f"{name}.yaml"
    return ours if name in scheme_names() else None


def unknown_scheme(name: str) -> tuple[str, str]:
    """Problem and hint for a missing scheme."""
    if name.endswith((".yaml", ".yml")):
        return f"no file {name!r}", "put it next to the study file"
    return f"unknown scheme {name!r}", f"{nearest(name, scheme_names())}. Or name a file, such as mine.yaml"


def read_scheme(path: Path) -> tuple[Scheme | None, list[Problem]]:
    """Scheme of a file, with all its problems."""
    source = read_yaml(path)
    return read_model(source, Scheme, empty={}), source.problems


def bundled(name: str) -> Scheme:
    """A bundled scheme."""
    return load_model(FOLDER / f"{name}.yaml", Scheme)


def together(schemes: Iterable[Scheme]) -> list[tuple[int, str, str]]:
    """Conflicts between schemes: position, problem, hint."""
    listed = list(schemes)
    names = [one.scheme for one in listed]
    found: list[tuple[int, str, str]] = []
    for place, one in enumerate(listed):
        if one.scheme in names[:place]:
            found.append((place, f"scheme {one.scheme!r} is listed twice", "keep one of them"))
        for other, labels in one.only_where.items():
            if other not in names[:place]:
                hint = f"list {other!r} before {one.scheme!r}"
                found.append((place, f"{one.scheme!r} must come after {other!r}", hint))
                continue
            known = [label.label for label in listed[names.index(other)].labels]
            strange = next((label for label in labels if label not in known), None)
            if strange is not None:
                found.append((place, f"{other!r} has no label {strange!r}", nearest(strange, known)))
    return found
