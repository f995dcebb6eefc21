"""A domain known only by lists: which values each slot has, and which slots one can ask for."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.study.ontology import Ontology, Rendering, Slot

CURE: Final = 'give {"informable": {"food": ["thai", ...]}, "requestable": ["phone", ...]}'
RENAMED: Final = {"address": "addr"}


def read_lists(path: Path, words: Ontology, *, language: str = "en") -> Ontology:
    """The slots and values of a JSON file, with the words that another ontology has for them.

    Input   an object with `informable` (values by slot) and `requestable` (slots); leading lines that begin
            with `#` are skipped; `words` lends synonyms, names and ways of asking to slots and values that it
            knows by the same name
    Output  an ontology without venues, good for reading turns; other values stand for themselves
    Raises  InputError: not such a file
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the file: {error.strerror}", place=str(path), hint=CURE) from None
    while lines and (not lines[0].strip() or lines[0].startswith("#")):
        lines.pop(0)
    try:
        written: Any = json.loads("\n".join(lines))
    except ValueError as error:
        raise InputError(f"not JSON: {error}", place=str(path), hint=CURE) from None
    return _ontology(path, _lists(path, written), _requestable(path, written), words, language)


def _lists(path: Path, written: Any) -> Mapping[str, list[str]]:
    found = written.get("informable") if isinstance(written, dict) else None
    sound = isinstance(found, dict) and all(
        isinstance(values, list) and all(isinstance(value, str) for value in values)
        for values in found.values()
    )
    if not sound or not found:
        raise InputError("values by slot missing", place=f"{path} informable", hint=CURE)
    return found


def _requestable(path: Path, written: Mapping[str, Any]) -> list[str]:
    found = written.get("requestable", [])
    names = list(found) if isinstance(found, list | dict) else [None]
    if not all(isinstance(name, str) for name in names):
        raise InputError("list of slots missing", place=f"{path} requestable", hint=CURE)
    return [str(name) for name in names]


def _ontology(
    path: Path, values: Mapping[str, list[str]], requestable: list[str], words: Ontology, language: str
) -> Ontology:
    renamed = {RENAMED.get(name, name): slot for name, slot in words.slots.items()}
    asked = {RENAMED.get(name, name) for name in requestable}
    slots: dict[str, Slot] = {}
    for name in dict.fromkeys([*values, *sorted(asked)]):
        known = renamed.get(name) or Slot.model_validate({})
        renderings = {
            value: known.values.get(value, {}) or {language: Rendering(text=value)}
            for value in values.get(name, ())
        }
        update = {
            "constraint": name in values,
            "requestable": name in asked,
            "values": renderings,
            "types": None,
        }
        slots[name] = known.model_copy(update=update)
    return Ontology(ontology=path.stem, types=words.types, slots=slots, dontcare=words.dontcare, venues=())
