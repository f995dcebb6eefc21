"""Judgements of dialogues by schemes: the base of such kinds, and ours, labels by the study's schemes."""

from collections.abc import Iterable, Sequence

from pydantic import BaseModel, ConfigDict, Field, RootModel

from vivavoce.core.i18n import N_
from vivavoce.log.annotation_state import AnnotationState, annotation_rows
from vivavoce.log.models import StoredEvent
from vivavoce.study.judgement_kind import JudgementKind, Row
from vivavoce.study.schemes import (
    MOST_LABELS,
    Scheme,
    read_scheme,
    scheme_file,
    together,
    unknown_scheme,
)
from vivavoce.study.step_files import StepFiles


class DialogueJudgement(JudgementKind):
    """Judgements about a dialogue or its turns: rows of `annotations`, in the layers of its schemes."""

    table = "annotations"

    def judged(self, rows: Sequence[Row], events: Iterable[StoredEvent]) -> Iterable[Row]:
        return [*rows, *annotation_rows(AnnotationState.after(events))]


class SchemeNames(RootModel[list[str]]):
    """Schemes of labels, in their order."""

    model_config = ConfigDict(frozen=True)

    root: list[str] = Field(description="names of bundled schemes, or YAML files next to the study")


class LabelPlan(BaseModel):
    """The schemes by which dialogues and turns are labelled, in their order."""

    model_config = ConfigDict(frozen=True)

    schemes: tuple[Scheme, ...]

    def scheme(self, name: str) -> Scheme | None:
        return next((scheme for scheme in self.schemes if scheme.scheme == name), None)


class LabelJudgement(DialogueJudgement):
    """Labels of dialogues and turns, by schemes of ours or of the study's own."""

    name = "schemes"
    settings = SchemeNames
    pages = "vivavoce.participant.annotation:router"
    invitation = "Annotate dialogues"
    title = N_("Annotation")
    order = 0

    @property
    def address(self) -> str:
        return "/annotate"

    @property
    def dashboard(self) -> str:
        return "/annotation"

    def plan(self, settings: SchemeNames, files: StepFiles) -> LabelPlan | None:
        schemes = [_scheme(name, place, files) for place, name in enumerate(settings.root)]
        sound = [scheme for scheme in schemes if scheme is not None]
        if len(sound) < len(schemes):
            return None
        for place, problem, hint in together(sound):
            files.report(place, problem, hint)
        return LabelPlan(schemes=tuple(sound))

    def schemes(self, plan: LabelPlan) -> Sequence[Scheme]:
        return plan.schemes

    def stream(self, study: str) -> str:
        return f"annotation:{study}"


LABELS = LabelJudgement()


def _scheme(name: str, place: int, files: StepFiles) -> Scheme | None:
    if files.within(name, place) is None:
        return None
    path = scheme_file(name, files.folder)
    if path is None:
        files.report(place, *unknown_scheme(name))
        return None
    files.keep(path, f"scheme/{name}", place)
    scheme, problems = read_scheme(path)
    for problem in problems:
        files.report("", problem.problem, problem.hint, file=problem.place)
    return _with_slots(scheme, place, files) if scheme and scheme.labels_from else scheme


def _with_slots(scheme: Scheme, place: int, files: StepFiles) -> Scheme | None:
    slot_types = files.ontology.slots if files.ontology else {}
    slots = {name: slot.names for name, slot in slot_types.items() if slot.constraint}
    if 0 < len(slots) <= MOST_LABELS:
        return scheme.with_slots(slots)
    problem = f"{scheme.scheme!r} takes its labels from the searchable slots, but there are {len(slots)}"
    hint = "add `ontology:`" if files.ontology is None else "write your own scheme with the relevant labels"
    files.report(place, problem, hint)
    return None
