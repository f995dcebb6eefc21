"""The kind of judgement `commands`, as the section `annotation` of a study file names it."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.log.models import StoredEvent
from vivavoce.study.judgement_kind import JudgementKind
from vivavoce.study.schemes import Scheme
from vivavoce.study.settings import Settings
from vivavoce.study.step_files import StepFiles
from vivavoce_commands.annotation.drafts import CommandDraft, read_drafts
from vivavoce_commands.annotation.standing import SCHEME, Row, annotated
from vivavoce_commands.command_templates import CommandTemplates, read_templates


class CommandAnnotation(Settings):
    """Commands to a robot that annotators turn into predicates."""

    shorthand = "templates"

    templates: str = Field(
        description="command templates of the robot: `kitchen-it`, `kitchen-en`, or a YAML file"
    )
    dataset: str | None = Field(
        None, description="folder of a dataset with commands (default: the commands elicited by the study)"
    )
    drafts: str | None = Field(
        None, description="CSV file of `understand predict --drafts`: drafts shown to annotators"
    )
    draft_share: float = Field(
        1.0,
        ge=0,
        le=1,
        description="share of each annotator's recipes that show drafts; below 1, drafts can be evaluated",
    )


class CommandPlan(BaseModel):
    """Commands that become predicates: the robot's templates, and a dataset where the study elicits none.

    drafts       by command_id, as they were when the study was read; drafts_file: where newer ones will stand
    draft_share  of the recipes of each annotator
    """

    model_config = ConfigDict(frozen=True)

    templates: CommandTemplates
    dataset: Path | None = None
    drafts: Mapping[str, CommandDraft] = Field(default_factory=dict)
    drafts_file: Path | None = None
    draft_share: float = 1.0


class CommandJudgement(JudgementKind):
    """Commands that become predicates."""

    name = "commands"
    settings = CommandAnnotation
    table = "commands"
    pages = "vivavoce_commands.annotation.pages:router"
    invitation = N_("Annotate commands")
    title = N_("Annotated commands")
    workplace = "vivavoce_commands.annotation.workplace:CommandWorkplace"

    @property
    def dashboard(self) -> str:
        return "/annotation/commands"

    def plan(self, settings: CommandAnnotation, files: StepFiles) -> CommandPlan | None:
        template_path = files.within(settings.templates, "templates")
        if template_path is None:
            return None
        if template_path.is_file():
            files.path(settings.templates, "templates")
        dataset = files.folder / settings.dataset if settings.dataset else None
        if dataset is not None and not (dataset / "dataset.json").is_file():
            hint = "set the folder of an exported or imported dataset, relative to the study file"
            files.report("dataset", f"no dataset {settings.dataset!r}", hint)
        try:
            templates = read_templates(template_path if template_path.is_file() else settings.templates)
        except InputError as error:
            files.report("templates", error.problem, error.hint or "")
            return None
        return CommandPlan(
            templates=templates,
            dataset=dataset,
            drafts=self._drafts(settings, files),
            draft_share=settings.draft_share,
            drafts_file=files.folder / settings.drafts if settings.drafts else None,
        )

    def _drafts(self, settings: CommandAnnotation, files: StepFiles) -> Mapping[str, CommandDraft]:
        path = files.path(settings.drafts, "drafts") if settings.drafts else None
        if path is None:
            return {}
        try:
            return read_drafts(path)
        except InputError as error:
            files.report("drafts", f"{error.place}: {error.problem}", error.hint or "")
            return {}

    def schemes(self, plan: CommandPlan) -> Sequence[Scheme]:
        return (PREDICATES,)

    def judged(self, rows: Sequence[Row], events: Iterable[StoredEvent]) -> Iterable[Row]:
        return annotated(rows, events)


PREDICATES: Final = Scheme.model_validate(
    {
        "scheme": SCHEME,
        "about": "user",
        "title": "Commands",
        "value": "predicates",
        "labels": [{"label": SCHEME, "key": "c", "text": "command"}],
    }
)
COMMANDS = CommandJudgement()
