"""One kind of judgement in a study as it goes on: every move is an event, and sees all moves before it."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

from vivavoce.annotation.dialogues import ShownDialogue, next_place, places, shown_dialogue
from vivavoce.annotation.queue import Waiting, chance_of, choose
from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.log.annotation_events import (
    AnnotationAssigned,
    AnnotationReleased,
    DialogueAnnotated,
    DialogueDrawn,
    Draft,
    LabelsAdjudicated,
    LabelsGiven,
    LoggedLabel,
)
from vivavoce.log.annotation_state import AnnotationState, Place, Work
from vivavoce.log.event import Event
from vivavoce.log.models import Scope
from vivavoce.log.store import Conflict, Log, Transaction
from vivavoce.study.judgement_kind import AnnotationPlan, JudgementKind
from vivavoce.study.model import Study
from vivavoce.study.schemes import Scheme

if TYPE_CHECKING:
    from vivavoce.log.exclusion_monitor import LeftOut

TRIES = 50
LONGEST_VALUE = 200

Decide = Callable[[AnnotationState], Sequence[Event]]
Origin = Literal["page", "file"]


class JudgementRefused(InputError):
    """This cannot be done now, for instance because the dialogue is no longer this annotator's."""


def annotator_key(account_id: str) -> str:
    """The pseudonym by which the log and the dataset know an account."""
    return f"annotator-{account_id[:12]}"


class Workplace:
    """One kind of judgement in a study: read the state, or change it by events.

    What is judged is called a dialogue; a kind may put other things in its place (`waiting`, `dialogue`).
    Several processes may work on one log: a move is written only where nothing came between it and the state
    that it was decided on, else it is decided again.
    """

    def __init__(self, study: Study, log: Log, kind: JudgementKind) -> None:
        self.study, self.log, self.kind = study, log, kind
        self.stream = kind.stream(study.name)
        self._state = AnnotationState()
        self._lock = threading.RLock()

    @property
    def section(self) -> AnnotationPlan:
        """Raises  InputError: the study annotates nothing"""
        if self.study.annotation is None:
            hint = "add a section `annotation` to the study file"
            raise InputError("nothing to annotate", place=f"study {self.study.name}", hint=hint)
        return self.study.annotation

    @property
    def plan(self) -> Any:
        """Settings of the kind. Raises  InputError: the study does not use it"""
        name, judgements = self.kind.name, self.section.judgements
        if name not in judgements:
            hint = f"add `{name}` to its section `annotation`"
            raise InputError(f"{name} has nothing to annotate", place=f"study {self.study.name}", hint=hint)
        return judgements[name]

    @property
    def schemes(self) -> Sequence[Scheme]:
        return self.kind.schemes(self.plan)

    def scheme(self, name: str) -> Scheme | None:
        return next((scheme for scheme in self.schemes if scheme.scheme == name), None)

    def see(self) -> AnnotationState:
        """The state with everything that is in the log."""
        with self._lock:
            for stored in self.log.events(self.stream, after=self._state.seq):
                self._state.apply(stored)
            return self._state

    def write(self, decide: Decide) -> AnnotationState:
        """Append what `decide` makes of the state, all of it or nothing; the state afterwards.

        Raises  Conflict: others kept coming between
        """
        for _ in range(TRIES):
            with self._lock:
                state = self.see()
                seq, new_events = state.seq, list(decide(state))
                if not new_events:
                    return state
                try:
                    self.log.transact_now(partial(self._append, new_events, seq))
                except Conflict:
                    continue
                return self.see()
        raise Conflict(f"{self.stream}: other processes kept writing")

    def _append(self, new_events: Sequence[Event], seq: int, tx: Transaction) -> None:
        for number, event in enumerate(new_events):
            tx.append(self.stream, event, expected_seq=seq + number)

    @cached_property
    def _left_out(self) -> "LeftOut":
        from vivavoce.annotation.parsers import parser_of
        from vivavoce.log.exclusion_monitor import LeftOut  # it loads what the export does: not at the start

        return LeftOut(self.log, self.study.name, self.study.file_text, partial(parser_of, self.study))

    # --- annotators ---------------------------------------------------------------------------------

    def waiting(self, scope: Scope | None = None) -> list[Waiting]:
        """The dialogues that may be annotated, in the order in which they were held.

        Where the study chooses (`choose`), those alone on which the lot fell.

        scope  whose they are; None: people's, as soon as somebody has come
        """
        ended_dialogues = self.ended(scope)
        if not self.chooses:
            return ended_dialogues
        draws = self.see().draws
        return [
            waiting_dialogue
            for waiting_dialogue in ended_dialogues
            if waiting_dialogue.dialogue_id in draws and draws[waiting_dialogue.dialogue_id].drawn
        ]

    @property
    def chooses(self) -> bool:
        """True if some dialogues get a single annotator, as the study's section `choose` says."""
        choosing = self.study.annotation and self.study.annotation.choose
        return choosing is not None and choosing.kind == self.kind.name

    def draw(self, chances: Mapping[str, tuple[float, float | None]]) -> list[str]:
        """Log each dialogue's chance and cast the lot; those that have a chance keep it.

        Input   chance and doubt by dialogue
        Output  dialogues on which the lot fell now. Who has begun one already has it with certainty
        """
        choosing, drawn_ids = self.section.choose, list[str]()
        if choosing is None:
            return drawn_ids

        def decide(state: AnnotationState) -> list[Event]:
            drawn_ids.clear()
            events: list[Event] = []
            for dialogue_id, (chance, doubt) in chances.items():
                if dialogue_id in state.draws:
                    continue
                has_begun = dialogue_id in state.dialogues and bool(state.dialogues[dialogue_id].work)
                fell = has_begun or chance_of(self.section.seed, "label", dialogue_id) < chance
                drawn_ids.extend([dialogue_id] if fell else [])
                events.append(
                    DialogueDrawn(
                        dialogue_id=dialogue_id,
                        schemes=[scheme.scheme for scheme in self.schemes],
                        target=choosing.target,
                        chance=1.0 if has_begun else chance,
                        drawn=fell,
                        doubt=doubt,
                    )
                )
            return events

        self.write(decide)
        return drawn_ids

    def ended(self, scope: Scope | None = None) -> list[Waiting]:
        """The dialogues that are over, but for those that the study's rules leave out of its measures."""
        chosen_scope = scope or self.log.usual_scope(self.study.name)
        records, left_out = (
            self.log.dialogues(self.study.name, scope=chosen_scope),
            self._left_out.dialogues(),
        )
        return [
            Waiting(record.dialogue_id, record.system)
            for record in records
            if record.status != "running"
            and record.started_at is not None
            and record.dialogue_id not in left_out
        ]

    def current(self, annotator_id: str) -> str | None:
        """The dialogue that an annotator is at."""
        mine = self.see().of_annotator(annotator_id)
        return next((key for key, work in mine.items() if work.finished_at is None), None)

    def next_dialogue(self, annotator_id: str) -> str | None:
        """The dialogue that an annotator is at, else a new one; None when nothing is left for them."""
        waiting = self.waiting()

        def decide(state: AnnotationState) -> list[Event]:
            if self.current(annotator_id) is not None:
                return []
            chosen = choose(waiting, state, annotator_id, share=self.section.double, seed=self.section.seed)
            if chosen is None:
                return []
            return [AnnotationAssigned(dialogue_id=chosen[0], annotator_id=annotator_id, double=chosen[1])]

        self.write(decide)
        return self.current(annotator_id)

    def dialogue(self, dialogue_id: str) -> ShownDialogue:
        """Raises  Refused: there is no such dialogue"""
        visible = shown_dialogue(self.log, dialogue_id)
        if visible is None:
            raise JudgementRefused(N_("dialogue not found"), hint=N_("continue with the next dialogue"))
        return visible

    def places(self, dialogue: ShownDialogue, work: Work) -> list[Place]:
        """Places for this annotator to judge in a dialogue, in order, including conditional ones."""
        return places(self.schemes, dialogue, work)

    def check(self, place: Place, labels: Sequence[LoggedLabel], *, done: bool) -> None:
        """Raises  Refused: the labels cannot stand at a place"""
        scheme = self.scheme(place.scheme)
        if scheme is not None:
            check_labels(scheme, labels, done=done)

    def give(
        self,
        annotator_id: str,
        dialogue_id: str,
        place: Place,
        labels: Iterable[LoggedLabel],
        *,
        done: bool = True,
        origin: Origin = "page",
        draft: Draft | None = None,
    ) -> None:
        """Say what stands at a place; replaces what this annotator said of it before.

        Raises  Refused: the dialogue is not this annotator's, the place is not to be judged, or the labels
                do not fit the scheme
        """
        unique_labels = list(dict.fromkeys(labels))
        dialogue = self.dialogue(dialogue_id)

        def decide(state: AnnotationState) -> list[Event]:
            work = self._open(state, annotator_id, dialogue_id)
            if place not in self.places(dialogue, work):
                raise JudgementRefused(N_("not to be judged"), hint=N_("reload the page"))
            self.check(place, unique_labels, done=done)
            judgement = work.judged.get(place)
            if judgement is not None and list(judgement.labels) == unique_labels and judgement.done == done:
                return []
            return [
                LabelsGiven(
                    dialogue_id=dialogue_id,
                    annotator_id=annotator_id,
                    scheme=place.scheme,
                    turn_index=place.turn_index,
                    labels=unique_labels,
                    done=done,
                    origin=origin,
                    draft=draft,
                )
            ]

        self.write(decide)

    def finish(self, annotator_id: str, dialogue_id: str, *, origin: Origin = "page") -> None:
        """The annotator has done with a dialogue; doing so twice is the same.

        Raises  Refused: it is not this annotator's, or something in it was not judged
        """
        dialogue = self.dialogue(dialogue_id)

        def decide(state: AnnotationState) -> list[Event]:
            work = state.of_annotator(annotator_id).get(dialogue_id)
            if work is not None and work.finished_at is not None:
                return []
            work = self._open(state, annotator_id, dialogue_id)
            if next_place(self.places(dialogue, work), work) is not None:
                raise JudgementRefused(
                    N_("some places have no judgement yet"), hint=N_("continue where the page leads")
                )
            return [
                DialogueAnnotated(
                    dialogue_id=dialogue_id,
                    annotator_id=annotator_id,
                    origin=origin,
                    schemes=[scheme.scheme for scheme in self.schemes],
                )
            ]

        self.write(decide)

    def _open(self, state: AnnotationState, annotator_id: str, dialogue_id: str) -> Work:
        work = state.of_annotator(annotator_id).get(dialogue_id)
        if work is None or work.finished_at is not None:
            raise JudgementRefused(
                N_("this dialogue is assigned to another annotator"),
                hint=N_("continue with your next dialogue"),
            )
        return work

    # --- researchers --------------------------------------------------------------------------------

    def release(self, annotator_id: str, dialogue_id: str, by: str) -> None:
        """Take an unfinished dialogue back, so that another annotator gets it."""

        def decide(state: AnnotationState) -> list[Event]:
            self._open(state, annotator_id, dialogue_id)
            return [AnnotationReleased(dialogue_id=dialogue_id, annotator_id=annotator_id, by=by)]

        self.write(decide)

    def adjudicate(self, dialogue_id: str, place: Place, labels: Iterable[LoggedLabel], by: str) -> None:
        """Decide what shall stand where annotators disagreed.

        Raises  Refused: they do not disagree there, or the labels do not fit the scheme
        """
        unique_labels = list(dict.fromkeys(labels))

        def decide(state: AnnotationState) -> list[Event]:
            annotated = state.dialogues.get(dialogue_id)
            if annotated is None or place not in annotated.disagreements(place.scheme):
                raise JudgementRefused(N_("the annotators agree there"), hint=N_("reload the page"))
            self.check(place, unique_labels, done=True)
            return [
                LabelsAdjudicated(
                    dialogue_id=dialogue_id,
                    scheme=place.scheme,
                    turn_index=place.turn_index,
                    labels=unique_labels,
                    by=by,
                )
            ]

        self.write(decide)


def check_labels(scheme: Scheme, labels: Sequence[LoggedLabel], *, done: bool) -> None:
    """Raises  Refused: unknown labels, too many, without the value they need, or none where one is needed"""
    for given_label in labels:
        if scheme.label(given_label.label) is None:
            label_names = ", ".join(label.label for label in scheme.labels)
            raise JudgementRefused(
                f"{scheme.scheme!r} has no label {given_label.label!r}", hint=f"known: {label_names}"
            )
        if given_label.value is not None and (scheme.value is None or len(given_label.value) > LONGEST_VALUE):
            raise JudgementRefused(f"this value does not fit {scheme.scheme!r}", hint="remove or shorten it")
        if given_label.value is None and scheme.needs_value(given_label.label):
            raise JudgementRefused(
                f"{given_label.label!r} needs a value", hint="write the value, then give the label again"
            )
    values = [label.value for label in labels]
    if scheme.exclusive and len(set(values)) < len(values):
        raise JudgementRefused(f"{scheme.scheme!r} takes only one label", hint="remove one of them")
    if done and scheme.required and not labels:
        raise JudgementRefused(f"{scheme.scheme!r} needs a label", hint="choose one")
