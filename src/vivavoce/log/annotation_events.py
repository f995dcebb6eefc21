"""Events of expert annotation: who was given which dialogue, what was said of it, what settled a dispute.

They stand in a stream of their own, one a study and kind of judgement, because an annotator's work belongs to
no participant's visit.
"""

from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.log.event import Event

Draft = Literal["kept", "changed"]


class LoggedLabel(BaseModel):
    """One label, with the value that it names where it takes one."""

    model_config = ConfigDict(frozen=True)
    label: str
    value: str | None = None


class AnnotationAssigned(Event):
    """An annotator was given a dialogue; `double` when it is one of those that two annotate."""

    kind = "annotation_assigned"
    dialogue_id: str
    annotator_id: str
    double: bool = False


class AnnotationReleased(Event):
    """A dialogue was taken back from an annotator; what was said of it stays, and counts no more."""

    kind = "annotation_released"
    dialogue_id: str
    annotator_id: str
    by: str


class LabelsGiven(Event):
    """Labels of an annotator for a turn or dialogue in one scheme; they replace earlier ones.

    labels  none: the annotator looked, and no label applies
    done    the annotator went on; false while labels with values are still being gathered
    draft   what became of a program's draft that was on the page; None: there was none
    """

    kind = "labels_given"
    dialogue_id: str
    annotator_id: str
    scheme: str
    turn_index: int | None
    labels: list[LoggedLabel] = Field(default_factory=list)
    done: bool = True
    origin: Literal["page", "file"] = "page"
    draft: Draft | None = None


class DialogueAnnotated(Event):
    """An annotator has finished a dialogue in these schemes; only now does the work count."""

    kind = "dialogue_annotated"
    dialogue_id: str
    annotator_id: str
    schemes: list[str]
    origin: Literal["page", "file"] = "page"


class LabelsAdjudicated(Event):
    """Final labels of a turn or dialogue in one scheme, where annotators disagreed."""

    kind = "labels_adjudicated"
    dialogue_id: str
    scheme: str
    turn_index: int | None
    labels: list[LoggedLabel] = Field(default_factory=list)
    by: str


class DialogueDrawn(Event):
    """With what chance annotators are to judge a dialogue, and how the lot fell; before anybody sees it.

    schemes  in which they judge it
    doubt    how unsure a judge was of it before; None: nothing was known
    """

    kind = "dialogue_drawn"
    dialogue_id: str
    schemes: list[str]
    target: str
    chance: float = Field(gt=0, le=1)
    drawn: bool
    doubt: float | None = None


ANNOTATION_EVENTS: Final = (
    DialogueDrawn,
    AnnotationAssigned,
    AnnotationReleased,
    LabelsGiven,
    DialogueAnnotated,
    LabelsAdjudicated,
)
