"""The study file's section `annotation` checked into a plan; each problem with its place."""

from pathlib import Path

from vivavoce.core.yaml_source import KeyPath
from vivavoce.study.file import StudyFile
from vivavoce.study.materials import Materials
from vivavoce.study.schemes import (
    AnnotationPlan,
    Scheme,
    read_scheme,
    scheme_file,
    together,
    unknown_scheme,
)


def read_annotation(materials: Materials, file: StudyFile) -> AnnotationPlan | None:
    """The plan of a study's annotation; None where there is none, or where it has problems."""
    written = file.annotation
    if written is None:
        return None
    at: KeyPath = ("annotation",)
    schemes = [
        _scheme(materials, name, (*at, "schemes", place)) for place, name in enumerate(written.schemes)
    ]
    recordings = _recordings(materials, written.recordings, (*at, "recordings"))
    sound = [scheme for scheme in schemes if scheme is not None]
    if len(sound) < len(schemes):
        return None
    for place, problem, cure in together(sound):
        materials.source.report((*at, "schemes", place), problem, cure)
    return AnnotationPlan(
        schemes=tuple(sound), double=written.double, annotators=tuple(written.annotators),
        recordings=recordings, seed=written.seed,
    )  # fmt: skip


def _scheme(materials: Materials, name: str, at: KeyPath) -> Scheme | None:
    path = scheme_file(name, materials.folder)
    if path is None:
        materials.source.report(at, *unknown_scheme(name))
        return None
    materials.keep(path, f"scheme/{name}", at)
    scheme, problems = read_scheme(path)
    materials.source.problems += problems
    return scheme


def _recordings(materials: Materials, name: str | None, at: KeyPath) -> Path | None:
    if name is None:
        return None
    folder = materials.folder / name
    if not folder.is_dir():
        materials.source.report(at, f"no folder {name!r}", "make it, and put <dialogue_id>.wav into it")
    return folder
