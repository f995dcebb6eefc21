"""The section `annotation` of a study file checked into a plan; each problem with its place."""

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vivavoce.core.errors import nearest
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import KeyPath
from vivavoce.study.file import Annotation, Choose, StudyFile
from vivavoce.study.judgement_kind import JUDGEMENTS, AnnotationPlan, LabelChoosing
from vivavoce.study.materials import Materials, NamedFiles

AT: KeyPath = ("annotation",)


def read_annotation(materials: Materials, file: StudyFile) -> AnnotationPlan | None:
    """The plan of a study's annotation; None without one."""
    written = file.annotation
    if written is None:
        return None
    judgements = {
        name: _plan(materials, file, name, settings)
        for name, settings in written.judgements.items()
        if _known(materials, name)
    }
    plan = AnnotationPlan(
        judgements=judgements, double=written.double, annotators=tuple(written.annotators),
        recordings=_recordings(materials, written.recordings, (*AT, "recordings")), seed=written.seed,
    )  # fmt: skip
    if None not in judgements.values():  # else something was reported
        _check_layers(materials, plan)
        if written.choose is not None:
            return plan.model_copy(update={"choose": _choose(materials, plan, written.choose)})
    return plan


def _choose(materials: Materials, plan: AnnotationPlan, written: Choose) -> LabelChoosing | None:
    """The dialogues that annotators judge; None if problems were reported."""
    layer, _, label = written.target.partition(".")
    known = {scheme.scheme: (kind, scheme) for kind, scheme in plan.layers}
    place = (*AT, "choose", "target")
    if layer not in known:
        materials.source.report(place, f"the scheme {layer!r} is not annotated", nearest(layer, list(known)))
        return None
    kind, scheme = known[layer]
    if scheme.label(label) is None:
        labels = [one.label for one in scheme.labels]
        materials.source.report(place, f"{layer!r} has no label {label!r}", nearest(label, labels))
        return None
    return LabelChoosing(layer=layer, label=label, kind=kind.name, share=written.share, even=written.even)


def _check_layers(materials: Materials, plan: AnnotationPlan) -> None:
    """Report kinds of judgement that write the same layer of the table `annotations`."""
    owners: dict[str, str] = {}
    for kind, scheme in plan.layers:
        owner = owners.setdefault(scheme.scheme, kind.name)
        if owner != kind.name:
            problem = f"{scheme.scheme!r} is also judged under `{owner}`"
            materials.source.report((*AT, kind.name), problem, "keep one of them, or rename the scheme")


def _known(materials: Materials, name: str) -> bool:
    if name not in JUDGEMENTS:
        known = [*Annotation.model_fields, *JUDGEMENTS.names()]
        materials.source.report((*AT, name), f"unknown key {name!r}", nearest(name, known))
    return name in JUDGEMENTS


def _plan(materials: Materials, file: StudyFile, name: str, settings: Any) -> Any:
    """The plan that a kind of judgement makes of its settings; None if problems were reported."""
    kind, place = JUDGEMENTS.get(name), (*AT, name)
    try:
        checked = kind.settings.model_validate(settings)
    except ValidationError as error:
        materials.source.problems += problems_of(error, materials.source, kind.settings, place)
        return None
    return kind.plan(checked, NamedFiles(materials, tuple(file.languages), place, name))


def _recordings(materials: Materials, name: str | None, at: KeyPath) -> Path | None:
    if name is None:
        return None
    folder = materials.folder / name
    if not folder.is_dir():
        materials.source.report(at, f"no folder {name!r}", "create it with files <dialogue_id>.wav")
    return folder
