"""Kinds of judgement that annotators give, the shelf of those on offer, and what of them a study asks for."""

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from importlib import import_module
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import BaseModel, ConfigDict

from vivavoce.core.registry import Registry
from vivavoce.study.schemes import Scheme
from vivavoce.study.step_files import StepFiles

Row = dict[str, Any]


class JudgementKind(ABC):
    """One kind of judgement, as a package offers it in the group `vivavoce.judgements`.

    name        its key in the study file's section `annotation`; what is given is logged by its own stream
    settings    what may be written under that key
    table       of the dataset, in whose rows stands what was judged and how
    pages       the annotators' pages, an APIRouter as `module:name`, imported where a study asks for them;
                beside that module stand their `templates` and `static`. Below its `address`, a form to `next`
                takes from the queue, and `work` shows what is due
    invitation  the link to them, in English
    title       of its page of the dashboard, in English
    workplace   where it is judged, as `module:name`: made of the study, its log and this kind
    order       among the kinds of a study: the first is where annotators come in
    """

    name: str
    settings: ClassVar[type[BaseModel]]
    table: ClassVar[str]
    pages: ClassVar[str]
    invitation: ClassVar[str]
    title: ClassVar[str]
    workplace: ClassVar[str] = "vivavoce.annotation.workplace:Workplace"
    order: ClassVar[int] = 1000

    @abstractmethod
    def plan(self, settings: Any, files: StepFiles) -> Any:
        """Plan of the annotation, with the files it names; None if problems were reported."""

    @abstractmethod
    def schemes(self, plan: Any) -> Sequence[Scheme]:
        """Possible judgements, each with the scale for agreement."""

    @abstractmethod
    def judged(self, rows: Sequence[Row], events: Iterable[Any]) -> Iterable[Row]:
        """All rows of the table with what stands after these events of the `stream`."""

    @property
    def address(self) -> str:
        """The first of its pages."""
        return f"/annotate/{self.name}"

    @property
    def dashboard(self) -> str:
        """Its page of the dashboard: who has done how much, how far they agree, what is to be decided."""
        return f"/annotation?kind={self.name}"

    def stream(self, study: str) -> str:
        """The key under which judgements of a study are logged."""
        return f"{self.name}:{study}"

    def open(self, study: Any, log: Any) -> Any:
        """The workplace of a study: `vivavoce.annotation.workplace.Workplace`, or a subclass."""
        return pkgutil.resolve_name(self.workplace)(study, log, self)

    def router(self) -> Any:
        """The annotators' pages."""
        return pkgutil.resolve_name(self.pages)

    @cached_property
    def folder(self) -> Path:
        """Folder of its pages' `templates` and `static`."""
        return Path(getfile(import_module(self.pages.partition(":")[0]))).parent


JUDGEMENTS: Final[Registry[JudgementKind]] = Registry("judgement", JudgementKind)


def kinds_in_order(names: Iterable[str]) -> list[JudgementKind]:
    """The kinds of these names by their `order`; those of one order as they are named."""
    return sorted((JUDGEMENTS.get(name) for name in names), key=lambda kind: kind.order)


class LabelChoosing(BaseModel):
    """Of which dialogues annotators are asked, where not of all: chosen as they end, by logged chances.

    layer, label  what is to be estimated
    kind          the kind of judgement to which the layer belongs
    """

    model_config = ConfigDict(frozen=True)

    layer: str
    label: str
    kind: str
    share: float
    even: float

    @property
    def target(self) -> str:
        return f"{self.layer}.{self.label}"


class AnnotationPlan(BaseModel):
    """Annotation plan of a study: kinds of judgement and annotators.

    judgements  what each kind of judgement asks of them, by name
    double      share of dialogues that two annotate
    annotators  names of the accounts that may annotate; empty: every annotator's
    recordings  folder of recordings, `<dialogue_id>.wav` and the like
    choose      of which dialogues they are asked; None: of all
    """

    model_config = ConfigDict(frozen=True)

    judgements: dict[str, Any]
    double: float = 0.0
    annotators: tuple[str, ...] = ()
    recordings: Path | None = None
    seed: int = 1
    choose: LabelChoosing | None = None

    @property
    def kinds(self) -> list[JudgementKind]:
        """The kinds of judgement that the study asks for."""
        return kinds_in_order(self.judgements)

    @property
    def layers(self) -> list[tuple[JudgementKind, Scheme]]:
        """Every scheme that is a layer of the table `annotations`, with its kind of judgement."""
        return [
            (kind, scheme)
            for kind in self.kinds
            if kind.table == "annotations"
            for scheme in kind.schemes(self.judgements[kind.name])
        ]
