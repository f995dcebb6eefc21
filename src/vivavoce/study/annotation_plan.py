"""The study file's section `annotation` checked into a plan; each problem with its place."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vivavoce.core.errors import nearest
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import KeyPath
from vivavoce.study.file import Annotation, StudyFile
from vivavoce.study.judgement_kind import JUDGEMENTS
from vivavoce.study.materials import Materials, NamedFiles
from vivavoce.study.ontology import Ontology
from vivavoce.study.schemes import (
    MOST_LABELS,
    AnnotationPlan,
    Scheme,
    read_scheme,
    scheme_file,
    together,
    unknown_scheme,
)


def read_annotation(
    materials: Materials, file: StudyFile, ontology: Ontology | None
) -> AnnotationPlan | None:
    """The plan of a study's annotation; None where there is none, or where it has problems."""
    written = file.annotation
    if written is None:
        return None
    at: KeyPath = ("annotation",)
    schemes = [
        _scheme(materials, name, ontology, (*at, "schemes", place))
        for place, name in enumerate(written.schemes)
    ]
    recordings = _recordings(materials, written.recordings, (*at, "recordings"))
    sound = [scheme for scheme in schemes if scheme is not None]
    if len(sound) < len(schemes):
        return None
    for place, problem, hint in together(sound):
        materials.source.report((*at, "schemes", place), problem, hint)
    return AnnotationPlan(
        schemes=tuple(sound), double=written.double, annotators=tuple(written.annotators),
        recordings=recordings, seed=written.seed, judgements=_judgements(materials, file, written, at),
    )  # fmt: skip


def _judgements(materials: Materials, file: StudyFile, written: Annotation, at: KeyPath) -> dict[str, Any]:
    """The plans of other kinds of judgement by name."""
    plans: dict[str, Any] = {}
    for name, settings in written.judgements.items():
        place: KeyPath = (*at, name)
        if name not in JUDGEMENTS:
            known = [*Annotation.model_fields, *JUDGEMENTS.names()]
            materials.source.report(place, f"unknown key {name!r}", nearest(name, known))
            continue
        kind = JUDGEMENTS.get(name)
        try:
            checked = kind.settings.model_validate(settings)
        except ValidationError as error:
            materials.source.problems += problems_of(error, materials.source, kind.settings, place)
            continue
        plans[name] = kind.plan(checked, NamedFiles(materials, tuple(file.languages), place, name))
    return plans


def _scheme(materials: Materials, name: str, ontology: Ontology | None, at: KeyPath) -> Scheme | None:
    if materials.within(name, at) is None:
        return None
    path = scheme_file(name, materials.folder)
    if path is None:
        materials.source.report(at, *unknown_scheme(name))
        return None
    materials.keep(path, f"scheme/{name}", at)
    scheme, problems = read_scheme(path)
    materials.source.problems += problems
    return _with_slots(materials, scheme, ontology, at) if scheme and scheme.labels_from else scheme


def _with_slots(
    materials: Materials, scheme: Scheme, ontology: Ontology | None, at: KeyPath
) -> Scheme | None:
    slots = {name: slot.names for name, slot in ontology.slots.items() if slot.constraint} if ontology else {}
    if 0 < len(slots) <= MOST_LABELS:
        return scheme.with_slots(slots)
    problem = f"{scheme.scheme!r} takes its labels from the slots to search by, and there are {len(slots)}"
    hint = "add `ontology:`" if ontology is None else "write a scheme of your own with the labels that matter"
    materials.source.report(at, problem, hint)
    return None


def _recordings(materials: Materials, name: str | None, at: KeyPath) -> Path | None:
    if name is None:
        return None
    folder = materials.folder / name
    if not folder.is_dir():
        materials.source.report(at, f"no folder {name!r}", "make it, and put <dialogue_id>.wav into it")
    return folder
