"""Random selection of dialogues for annotators; each finished dialogue gets a logged probability."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from vivavoce.annotation.workplace import Workplace
from vivavoce.core.i18n import N_
from vivavoce.dashboard.background_check import BackgroundCheck
from vivavoce.dashboard.snapshot import Snapshots
from vivavoce.log.annotation_state import AnnotationState
from vivavoce.log.store import Log
from vivavoce.study.judgement_kind import JUDGEMENTS, LabelChoosing
from vivavoce.study.model import Study

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset

EVERY_S: Final = 5.0
JUDGE: Final = "parameters"
Chances = dict[str, tuple[float, float | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """State of the selection.

    new, drawn_now     dialogues that got their chance at this call, and those of them on which the lot fell
    dialogues, drawn   that have a chance, and are for annotators; judged: finished by somebody
    """

    target: str
    new: int
    drawn_now: int
    dialogues: int
    drawn: int
    judged: int


def choice_of(study: Study) -> LabelChoosing | None:
    """Selection plan of the study; None: all dialogues, or no annotation."""
    return study.annotation.choose if study.annotation is not None else None


def chances_of(dataset: "Dataset", choosing: LabelChoosing, new: set[str]) -> Chances:
    """Selection probability and uncertainty of newly finished dialogues.

    Input   a dataset of all dialogues so far; models of its labels, which never saw a dialogue's participant,
            say how unsure they are of it
    Empty   a dialogue that the dataset lacks: it gets none
    """
    import numpy as np

    from vivavoce.analysis.judged_table import doubts_by_dialogue, judged_table
    from vivavoce.stats.label_choice import live_chances

    annotations = dataset.read("annotations", ["layer", "label"]).to_pylist()
    if {"layer": choosing.layer, "label": choosing.label} not in annotations:  # no training data yet
        dialogue_ids = dataset.read("dialogues", ["dialogue_id"])["dialogue_id"].to_pylist()
        return {dialogue_id: (choosing.share, None) for dialogue_id in dialogue_ids if dialogue_id in new}
    names, doubt, strata = doubts_by_dialogue(dataset, judged_table(dataset, JUDGE, choosing.target), JUDGE)
    waits = np.array([name in new for name in names], dtype=bool)
    if not waits.any():
        return {}
    chances = live_chances(doubt, strata, waits, choosing.share, even=choosing.even)
    doubts = [None if doubt_value != doubt_value else doubt_value for doubt_value in doubt[waits].tolist()]
    waiting = [dialogue_id for dialogue_id, wait in zip(names, waits, strict=True) if wait]
    return dict(zip(waiting, zip(chances.tolist(), doubts, strict=True), strict=True))


def choose_labels(workplace: Workplace, use: "Callable[[Callable[[Dataset], Chances]], Chances]") -> Choosing:
    """Log a probability for every finished dialogue and draw.

    Input   use: runs a function on a dataset of the log as it stands; asked only where there is something new
    """
    choosing = workplace.section.choose
    assert choosing is not None
    drawn_before = set(workplace.see().draws)
    new = {dialogue.dialogue_id for dialogue in workplace.ended() if dialogue.dialogue_id not in drawn_before}
    fell = workplace.draw(use(lambda dataset: chances_of(dataset, choosing, new))) if new else []
    state = workplace.see()
    drawn_ids = [dialogue_id for dialogue_id, draw in state.draws.items() if draw.drawn]
    return Choosing(
        target=choosing.target,
        new=len(state.draws) - len(drawn_before),
        drawn_now=len(fell),
        dialogues=len(state.draws),
        drawn=len(drawn_ids),
        judged=judged_of(drawn_ids, state, choosing.layer),
    )


def judged_of(drawn: Iterable[str], state: AnnotationState, layer: str) -> int:
    """Number of these dialogues with finished annotations in a layer."""
    return sum(
        dialogue_id in state.dialogues and bool(state.dialogues[dialogue_id].finished(layer))
        for dialogue_id in drawn
    )


class LabelWatch(BackgroundCheck):
    """Select dialogues as they end; a logged probability survives restarts."""

    thread = "desk-labels"
    event = "label_choice_failed"
    failure = N_("No dialogues could be selected. See the terminal output for the reason.")

    def __init__(self, study: Study, log: Log, snapshots: Snapshots, *, every_s: float = EVERY_S) -> None:
        super().__init__(every_s)
        self.study, self.log, self.snapshots = study, log, snapshots
        self._position = -1

    @property
    def wanted(self) -> bool:
        return choice_of(self.study) is not None

    def check(self) -> Choosing | None:
        """Select once among finished dialogues; None without new ones."""
        choosing = choice_of(self.study)
        position = self.snapshots.board.see(lambda board: board.position)
        if choosing is None or position == self._position:
            return None
        self._position = position
        workplace = JUDGEMENTS.get(choosing.kind).open(self.study, self.log)
        return choose_labels(
            workplace, lambda find: self.snapshots.make(lambda snapshot: find(snapshot.dataset))
        )
