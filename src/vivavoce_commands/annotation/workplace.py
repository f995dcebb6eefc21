"""The workplace of those who turn commands into predicates: one recipe of one speaker after another."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from vivavoce.annotation.dialogues import ShownDialogue, ShownTurn
from vivavoce.annotation.queue import Waiting, chance_of
from vivavoce.annotation.workplace import JudgementRefused, Origin, Workplace
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.dataset.reader import Dataset
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Judged, Place, Work
from vivavoce.log.encryption import Altered, WrongKey
from vivavoce.log.models import Scope, scope_of
from vivavoce.log.recordings import ENDINGS, RecordingFolder
from vivavoce.log.store import Log
from vivavoce_commands.annotation.drafts import CommandDraft, TimedCommand, drafts_at, spent
from vivavoce_commands.annotation.kind import COMMANDS, CommandPlan
from vivavoce_commands.annotation.standing import (
    CommandSaid,
    CommandSequence,
    Row,
    annotation_of,
    labels_of,
    place_of,
    sequences,
)
from vivavoce_commands.notation import Predicate, read_predicates, write_predicates

MEDIA_TYPES: Final = {ending: media_type for media_type, ending in ENDINGS.items()}


class CommandWorkplace(Workplace):
    """As the workplace of dialogues: blind, balanced, decided on the state; a sequence is a dialogue."""

    @property
    def commands(self) -> CommandPlan:
        """Raises  InputError: the study annotates no commands"""
        return self.plan

    @cached_property
    def _of_dataset(self) -> dict[str, CommandSequence]:
        folder = self.commands.dataset
        return sequences(Dataset(folder).read("commands").to_pylist()) if folder else {}

    @property
    def drafts(self) -> Mapping[str, CommandDraft]:
        """The drafts as their file has them now; those that were read before where it cannot be read."""
        file = self.commands.drafts_file
        try:
            return drafts_at(file, file.stat().st_mtime_ns) if file is not None else self.commands.drafts
        except (OSError, InputError):
            return self.commands.drafts

    def sequences(self, scope: Scope | None = None) -> dict[str, CommandSequence]:
        """Commands to annotate: of the plan's dataset, else the elicited ones.

        scope  whose were elicited; None: everybody's
        """
        if self.commands.dataset is not None:
            return self._of_dataset
        return sequences(elicited(self.log, self.study.name, scope))

    def sequence(self, key: str) -> CommandSequence:
        """Raises  Refused: there is no such sequence"""
        sequence = self.sequences().get(key)
        if sequence is None:
            raise JudgementRefused(N_("recipe not found"), hint=N_("open the current recipe"))
        return sequence

    def sound(self, said: CommandSaid) -> tuple[Path, str] | None:
        """From where a spoken command's recording is read, and its media type; None where there is none."""
        if said.recording is None:
            return None
        media_type = MEDIA_TYPES.get(Path(said.recording).suffix, "application/octet-stream")
        dataset, recorded = self.commands.dataset, self.log.recording_folder
        if dataset is not None:
            path = (dataset / said.recording).resolve()
            inside = path.is_relative_to(dataset.resolve())
            return (path, media_type) if inside and path.is_file() else None
        try:
            path = RecordingFolder(recorded).file(Path(said.recording).name) if recorded else None
        except (LookupError, WrongKey, Altered):
            return None
        return (path, media_type) if path is not None else None

    def waiting(self, scope: Scope | None = None) -> list[Waiting]:
        sequences = self.sequences(scope or self.log.usual_scope(self.study.name))
        return [Waiting(key, "", self._certainty(sequence)) for key, sequence in sequences.items()]

    def _certainty(self, sequence: CommandSequence) -> float:
        """Mean confidence in the drafts of a recipe; a command without one counts as 0."""
        all_drafts = self.drafts
        drafts = [all_drafts.get(command.command_id) for command in sequence.commands]
        return sum(draft.confidence or 0.0 for draft in drafts if draft is not None) / len(drafts)

    def draft(self, annotator_id: str, key: str, number: int) -> CommandDraft | None:
        """Draft shown to an annotator; None without one, or in a recipe without drafts."""
        commands = self.sequence(key).commands
        plan, lot = self.commands, chance_of(self.section.seed, "draft", annotator_id, key)
        if number >= len(commands) or lot >= plan.draft_share:
            return None
        return self.drafts.get(commands[number].command_id)

    def dialogue(self, dialogue_id: str) -> ShownDialogue:
        sequence = self.sequence(dialogue_id)
        turns = (
            ShownTurn(at, "user", command.text, None, None) for at, command in enumerate(sequence.commands)
        )
        return ShownDialogue(sequence.key, sequence.commands[0].language, "", tuple(turns))

    def check(self, place: Place, labels: Sequence[LoggedLabel], *, done: bool) -> None:
        """Check nothing: an annotation is read before it is given."""

    def times(self) -> list[TimedCommand]:
        """Annotation time of each command and annotator, of all recipes."""
        return list(spent(self.log.events(self.stream)))

    def annotate(
        self, annotator_id: str, key: str, number: int, annotation: str | None, *, origin: Origin = "page"
    ) -> None:
        """Say what a command means, None that it is none; replaces what this annotator said before.

        Whether a draft was kept is logged.

        Raises  Refused: it is not this annotator's, or there is no such command; NotationError: unreadable
        """
        annotated, draft_use = _normal(annotation), None
        if origin == "page" and (proposed := self.draft(annotator_id, key, number)) is not None:
            draft_use = "kept" if annotated == proposed.annotation else "changed"
        self.give(annotator_id, key, place_of(number), labels_of(annotated), origin=origin, draft=draft_use)

    def settle(self, key: str, number: int, annotation: str | None, by: str) -> None:
        """Decide what a command means where annotators differ.

        Raises  Refused: they do not differ there; NotationError: unreadable
        """
        self.adjudicate(key, place_of(number), labels_of(_normal(annotation)), by)


def _normal(annotation: str | None) -> str | None:
    """An annotation as it is logged. Raises  NotationError: unreadable"""
    return None if annotation is None else write_predicates(read_predicates(annotation))


def elicited(log: Log, study: str, scope: Scope | None = None) -> list[Row]:
    """The commands that participants of a study gave so far, as rows of the table `commands`."""
    from vivavoce.log.stimulus_rows import response_rows, with_texts

    visits = [visit for visit in log.visits(study) if scope in (None, scope_of(simulated=visit.simulated))]
    responses = (response_rows(log.history(visit.visit_id), COMMANDS.table) for visit in visits)
    rows = [row for of_visit in responses for _, response in of_visit for row in response]
    with log.reading() as connection:
        return with_texts(connection, rows)


def next_command(work: Work, count: int) -> int | None:
    """The first command that is not annotated yet; None when all are."""
    return next((number for number in range(count) if place_of(number) not in work.judged), None)


def predicates_of(judged: Judged | None) -> tuple[Predicate, ...]:
    """Predicates of an annotator's judgement; () without an annotation."""
    annotation = annotation_of(judged.labels) if judged is not None else None
    return read_predicates(annotation) if annotation else ()
