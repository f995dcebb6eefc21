"""Kinds of judgement that annotators give beside labels of dialogues, and the shelf of those on offer.

Beside a kind, in its folder, stand `templates` and `static` of the annotators' pages.
"""

import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cached_property
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Final

from vivavoce.core.shelf import Shelf
from vivavoce.study.settings import Settings
from vivavoce.study.step_files import StepFiles

Row = dict[str, Any]


class JudgementKind(ABC):
    """One kind of judgement, as a package offers it in the group `vivavoce.judgements`.

    name        its key in the study file's section `annotation`; what is given is logged by its own stream
    settings    what may be written under that key
    table       of the dataset, in whose rows stands what was judged and how
    pages       the annotators' pages, an APIRouter as `module:name`, imported where a study asks for them;
                the first is `/annotate/<name>`
    invitation  the link to them, in English
    title       of its page of the dashboard, `/annotation/<name>`, in English
    """

    name: str
    settings: ClassVar[type[Settings]]
    table: ClassVar[str]
    pages: ClassVar[str]
    invitation: ClassVar[str]
    title: ClassVar[str]

    @abstractmethod
    def plan(self, settings: Any, files: StepFiles) -> Any:
        """What the study asks of annotators, with the files that it names; None: something was reported."""

    @abstractmethod
    def judged(self, rows: Sequence[Row], events: Iterable[Any]) -> Iterable[Row]:
        """All rows of the table with what stands after these events of the `stream`."""

    def stream(self, study: str) -> str:
        """The key under which judgements of a study are logged."""
        return f"{self.name}:{study}"

    def router(self) -> Any:
        """The annotators' pages."""
        return pkgutil.resolve_name(self.pages)

    @cached_property
    def folder(self) -> Path:
        """Where its pages' `templates` and `static` stand."""
        return Path(getfile(type(self))).parent


JUDGEMENTS: Final[Shelf[JudgementKind]] = Shelf("judgement", JudgementKind)
