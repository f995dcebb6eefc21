"""Writes a study that runs as it stands, for a researcher to edit."""

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.study.file import NAME_CURE, StudyFile, is_name
from vivavoce.study.judgement_kind import JUDGEMENTS
from vivavoce.study.model import Study
from vivavoce.study.presets import PROTOCOLS, ROOM, protocol_names, shipped_texts
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import ConsentFile

DOMAINS: Final = ROOM / "domains"


def write_study(folder: Path, protocol: str, *, name: str | None = None) -> list[Path]:
    """Write a study file with everything that it reads into a folder; returns the files.

    Input   protocol: a preset; name: the study's name, made from the folder's name when left out
    Raises  UnknownName: no such preset
            InputError: its package is not there, the name will not do, or files would be overwritten;
                        nothing is written
    """
    PROTOCOLS.get(protocol)
    study = name if name is not None else study_name_of(folder)
    if not is_name(study):
        raise InputError(f"{study!r} is not a valid study name", hint=NAME_CURE)
    return write_contents(folder, study_contents(protocol, study))


def write_contents(folder: Path, contents: Mapping[str, str]) -> list[Path]:
    """Write texts by file name into a folder; returns the files.

    Raises  InputError: one of them is there already, and nothing is written; or they cannot be written
    """
    held = [file for file in contents if (folder / file).exists()]
    if held:
        raise InputError(
            f"{', '.join(held)} already there",
            place=str(folder),
            hint="choose another folder, or move these files away",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in contents.items():
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror})",
            place=str(error.filename or folder),
            hint="choose another folder",
        ) from None
    return [folder / file for file in contents]


def example_warnings(study: Study) -> list[str]:
    """Texts that are still our example of another domain than the study's, one line each."""
    other = "an ontology is missing" if study.ontology is None else f"the ontology is {study.ontology.name}"
    return [
        f"{file}: still the example text about {domain}, but {other}. Write your own"
        for file, domain in example_texts(study)
    ]


def example_texts(study: Study) -> list[tuple[str, str]]:
    """Texts that are still our example of another domain than the study's: the file, and that domain.

    Without an ontology the domain is nowhere named: then those texts are meant that a study of an own domain
    has others for.
    """
    if study.protocol is None:
        return []
    domains = _example_domains(study.protocol)
    about = [name for name in domains if study.ontology is None or name != study.ontology.name]
    replaced = {file.name for file in shipped_texts(study.protocol, own_domain=True)}
    ours = {text.read_text(encoding="utf-8"): text.name for text in shipped_texts(study.protocol)}
    found = [
        (ours[text].replace(".en.md", ".md"), name)
        for texts in study.documents.values()
        for text in texts.values()
        for name in about
        if text in ours and (ours[text] in replaced or name in text.casefold())
    ]
    return list(dict.fromkeys(found))


CONTACT: Final = re.compile(r"\S@\S+\.\w|https?://|www\.|\+?\d[\d ()/.-]{6,}\d")


def nameless_consents(study: Study) -> list[tuple[str, bool]]:
    """Consents that tell nobody whom to turn to: the file, and whether it is still our example, unchanged.

    Note  an example names neither person nor institution; of others only is seen whether an address is in it
    """
    named = {getattr(one, "file", "") for one in study.visit if isinstance(one, ConsentFile)}
    places = (False, True) if study.protocol is not None else ()
    shipped = [
        shipped_text
        for place in places
        for shipped_text in shipped_texts(str(study.protocol), own_domain=place)
    ]
    ours = {text.read_text(encoding="utf-8") for text in shipped}
    found: dict[str, bool] = {}
    for file in (document for document in study.documents if document in named):
        for text in study.documents[file].values():
            if text in ours or not CONTACT.search(text):
                found[file] = found.get(file, False) or text in ours
    return list(found.items())


def _example_domains(protocol: str) -> list[str]:
    """Names of the ontologies that a preset's example reads."""
    scaffold = PROTOCOLS.get(protocol).scaffold
    read = [file for file in DOMAINS.glob("*.yaml") if f"ontology: {file.name}" in scaffold]
    heads = (re.search(r"^ontology: (\S+)", file.read_text(encoding="utf-8"), flags=re.M) for file in read)
    return [head[1] for head in heads if head]


def study_contents(protocol: str, name: str, *, own_domain: bool = False) -> dict[str, str]:
    """Files of a new study of a protocol: `consent.en.md` of the texts becomes `consent.md`.

    Input   own_domain: the study has another domain than the example, so that no text may speak of that
    """
    study = PROTOCOLS.get(protocol).scaffold
    plain = name[0].isalpha() and name.lower() not in ("true", "false", "null")
    contents = {"study.yaml": study.replace("STUDY_NAME", name if plain else json.dumps(name))}
    for domain in sorted(DOMAINS.glob("*.yaml")):
        if f"ontology: {domain.name}" in study:
            contents[domain.name] = domain.read_text(encoding="utf-8")
    for file in sorted((PROTOCOLS.get(protocol).folder / "files").glob("*")):
        contents[file.name] = file.read_text(encoding="utf-8")
    own = shipped_texts(protocol, own_domain=True) if own_domain else []
    for text in (*shipped_texts(protocol), *own):
        contents[text.name.replace(".en.md", ".md")] = text.read_text(encoding="utf-8")
    contents[SCHEMA_FILE] = json.dumps(study_schema(), indent=1, ensure_ascii=False) + "\n"
    return contents


def study_name_of(folder: Path) -> str:
    """A study's name from a folder's: letters, digits, dots, dashes; `study` when nothing is left."""
    return _allowed(folder.resolve().name) or "study"


def name_of_title(title: str) -> str:
    """A study's name from what somebody calls it: `Officina Pedàle` is officina-pedale; "" of no letter."""
    bare = unicodedata.normalize("NFKD", title)
    return _allowed("".join(one for one in bare if not unicodedata.combining(one)).lower())


def _allowed(said: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", said).strip("-._")[:64]


SCHEMA_FILE: Final = "study.schema.json"


def study_schema() -> dict[str, Any]:
    """The schema of a study file as written: `visit` may be left to a protocol."""
    schema = StudyFile.model_json_schema(by_alias=True)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "Vivavoce study file"
    schema["required"] = [key for key in schema["required"] if key != "visit"]
    schema["anyOf"] = [{"required": ["visit"]}, {"required": ["protocol"]}]
    for model, shelf in (("StepEntry", STEPS), ("Annotation", JUDGEMENTS)):
        known = schema["$defs"][model]
        known["additionalProperties"] = False
        for name, kind in shelf:
            if name in known["properties"]:
                continue
            offered = kind.settings.model_json_schema(ref_template="#/$defs/{model}")
            schema["$defs"] |= offered.pop("$defs", {})
            known["properties"][name] = offered
    schema["properties"]["protocol"] = {
        "description": schema["properties"]["protocol"]["description"],
        "anyOf": [{"enum": protocol_names()}, {"type": "null"}],
    }
    return schema
