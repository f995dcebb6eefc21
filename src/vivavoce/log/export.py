"""Export: the events of a study become a dataset, with its recordings."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from sqlalchemy import Connection, select

from vivavoce.core.errors import InputError
from vivavoce.core.secrets import without_secrets
from vivavoce.core.statement import LocalizedText, statement
from vivavoce.dataset.columns import Level
from vivavoce.dataset.declaration import written_prices
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.schema import TABLES
from vivavoce.dataset.schema_steps import RECORDINGS
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.annotation_state import AnnotationState, chance_rows
from vivavoce.log.call_events import CallRouted
from vivavoce.log.dialogue_rows import DialogueRows, Parser, Readers, Row, pseudonymous
from vivavoce.log.encryption import Altered, content_of
from vivavoce.log.events import (
    TRIAL,
    ConsentDeclined,
    ConsentGiven,
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    InterimAnalysisRun,
    PageRead,
    QuestionnaireAnswered,
    ResponseGiven,
    SimulatedUserDescribed,
    StepFinished,
    VisitOpened,
)
from vivavoce.log.history import VisitHistory, fold
from vivavoce.log.merkle_tree import last_root
from vivavoce.log.models import Recording, StoredEvent, StudyRecord, scope_of, stored_event
from vivavoce.log.notes import Remarks, note_rows, remark_stream, tag_rows
from vivavoce.log.package_tables import ExportedVisits, package_rows
from vivavoce.log.queries import Reader
from vivavoce.log.stimulus_rows import check_rows, references, response_rows, with_texts
from vivavoce.log.stress_events import stress_rows, stress_stream, stress_titles
from vivavoce.log.tables import events, recordings, studies
from vivavoce.log.transaction import events_of
from vivavoce.study.flags import FlagRules
from vivavoce.study.judgement_kind import JUDGEMENTS, JudgementKind
from vivavoce.study.step_kind import STEPS

_DONE: Final = {
    ConsentGiven: "consent",
    ConsentDeclined: "consent",
    PageRead: "page",
    DialogueEnded: "dialogue",
    QuestionnaireAnswered: "questionnaire",
}


def step_rows(visit: VisitHistory) -> list[Row]:
    """One row for every step that was gone through, in order.

    Note    a step begins when the one before it is over, a dialogue when it is opened; times are those of the
            wall clock, so pauses of the participant are in them
    Empty   a dialogue that did not end, and steps that were not reached, have no row
    """
    rows: list[Row] = []
    before = visit.opened_at
    opened = {
        dialogue.dialogue_id: dialogue.opened.at
        for dialogue in visit.dialogues
        if dialogue.opened is not None
    }
    for stored in visit.events:
        event = stored.event
        kind = event.name if isinstance(event, StepFinished) else _DONE.get(type(event))
        if kind is None:
            continue
        dialogue_id = getattr(event, "dialogue_id", None)
        began = opened.get(dialogue_id or "") if isinstance(event, DialogueEnded) else before
        before = stored.at
        if began is None:
            continue
        rows.append(
            {
                "visit_id": stored.visit_id,
                "participant_id": visit.participant_id,
                "number": len(rows) + 1,
                "kind": kind,
                "name": getattr(event, "instrument", None),
                "dialogue_id": dialogue_id,
                "began_at": began,
                "ended_at": stored.at,
                "duration_s": max(0.0, (stored.at - began).total_seconds()),
            }
        )
    return rows


def vote_rows(visit: VisitHistory) -> Iterator[Row]:
    """One row a vote, in the order of voting."""
    for number, bout in enumerate(visit.bouts, 1):
        for vote in bout.votes:
            yield {
                "participant_id": visit.participant_id,
                "simulated": visit.simulated,
                "visit_id": visit.visit_id,
                "bout_id": vote.event.bout_id,
                "bout_number": number,
                "language": visit.opened.language if visit.opened else None,
                "answered_at": vote.at,
                "leaks": " ".join(vote.event.leaks),
                **bout.event.model_dump(
                    include={
                        "left_system",
                        "right_system",
                        "left_dialogue_id",
                        "right_dialogue_id",
                    }
                ),
                **vote.event.model_dump(
                    include={
                        "exchange",
                        "choice",
                        "left_turn_index",
                        "right_turn_index",
                        "response_s",
                    }
                ),
            }


SAME: Final = (
    "recording_id",
    "participant_id",
    "visit_id",
    "content",
    "step",
    "item",
    "dialogue_id",
    "turn_index",
    "started_s",
    "media_type",
    "sample_rate_hz",
    "frames",
    "duration_s",
    "byte_count",
    "sha256",
    "microphone_distance_m",
    "clips",
    "clips_placed",
    "removed_at",
    "removal",
    "simulated",
)


def recordings_of(connection: Connection, study: str) -> list[Recording]:
    """A study's recordings in the order in which they were stored, removed ones included."""
    query = select(recordings).where(recordings.c.study == study).order_by(recordings.c.position)
    return [Recording(*row) for row in connection.execute(query)]


def recording_rows(recorded: Iterable[Recording]) -> Iterator[Row]:
    """One row a recording; the name of its file stands there whether it is copied or not."""
    for recording in recorded:
        yield {
            **{name: getattr(recording, name) for name in SAME},
            "recorded_at": recording.stored_at,
            "channels": len(recording.speakers),
            "speakers": " ".join(recording.speakers),
            "file": dataset_file(recording),
        }


def dataset_file(recording: Recording) -> str | None:
    """A recording's file relative to the dataset; None for one that was removed."""
    return f"{RECORDINGS.name}/{recording.file}" if recording.removed_at is None else None


def copy_recordings(log: Reader, recorded: Iterable[Recording], into: Path) -> list[LocalizedText]:
    """Copy the audio files into a dataset in place of those of an older one; notes on what is missing there.

    A file whose hash is not the stored one is not copied; locked ones lie open in the dataset.

    Raises  WrongKey: they are locked, and their key is not at hand
    """
    folder, notes = into / RECORDINGS.name, list[LocalizedText]()
    source: Path | None = getattr(log, "recording_folder", None)
    shutil.rmtree(folder, ignore_errors=True)
    for recording in recorded:
        if recording.removed_at is not None:
            continue
        folder.mkdir(exist_ok=True)
        if source is None or not (source / recording.file).is_file():
            notes.append(statement("the file of recording {id} is missing", id=recording.recording_id))
            continue
        if not _copied(source / recording.file, folder / recording.file, recording.sha256):
            notes.append(
                statement(
                    "the file of recording {id} was modified and is left out", id=recording.recording_id
                )
            )
    return notes


def _copied(path: Path, into: Path, sha256: str) -> bool:
    try:
        content = content_of(path)
    except Altered:
        return False
    if hashlib.sha256(content).hexdigest() != sha256:
        return False
    into.write_bytes(content)
    return True


NOBODY_YET: Final = (
    "the log is empty: run the study with `vivavoce serve`, or `vivavoce simulate` for dialogues"
)


def export_dataset(
    log: Reader,
    study_name: str,
    into: Path | str,
    *,
    domain_entities: Iterable[Mapping[str, Any]] | None = None,
    parse: Parser | None = None,
    flags: Mapping[str, FlagRules] | None = None,
    simulated: bool | None = None,
    audio: bool = False,
) -> Dataset:
    """Write a study's dataset, from its events alone and from one snapshot of them.

    domain_entities  rows of `entities`; left out, those that were stored when the study was served
    parse            reads the dialogue acts of a typed turn: (text, language, acts of the system before it)
    flags            rules by system that tell questions, help, errors, rejections and time-outs
    simulated        only the visits of programs, or only those of people; null: all
    audio            copy the recordings into the dataset, too
    Note             its level is internal: pseudonymous keys, nothing that leads to a person outside, and all
                     that was said; `dataset/publication` derives the other levels
    Note             a dialogue that was assigned but never began is none; the manifest's notes count them
    Raises           InputError: the log knows no such study
    """
    with log.reading() as connection:
        outline = _Outline.of(connection, study_name, simulated)
        served = _served(connection, study_name)
        if not outline.visits and not served:
            raise InputError(
                f"the log has no study {study_name!r}",
                place="export",
                hint=f"known: {names}" if (names := ", ".join(_studies(connection))) else NOBODY_YET,
            )
        stressed = list(events_of(connection, stress_stream(study_name)))
        titles = {"stress_tests": stress_names} if (stress_names := stress_titles(stressed)) else {}
        stored_entities = served[-1].entities if served else None
        with DatasetWriter(
            into,
            study=_described(study_name, served) | titles,
            source=_source(connection, simulated),
            factors=outline.factors,
        ) as writer:
            writer.add("entities", domain_entities if domain_entities is not None else stored_entities or ())
            people = People()
            prices = written_prices(served[-1].file) if served else None
            readers = Readers(parse, flags or {}, references(connection), outline.salt, prices)
            waiting: dict[str, list[Row]] = {}
            for visit_id in outline.visits:
                visit = fold(events_of(connection, visit_id))
                export_visit(writer, visit, outline.numbers, people, readers, waiting)
            for table, rows in waiting.items():
                writer.add(table, _completed(connection, study_name, table, rows))
            writer.add("participants", people.rows())
            judged = _completed(connection, study_name, "annotations", [])
            writer.add("annotations", (row for row in judged if row["dialogue_id"] in outline.numbers))
            if chances := list(_chance_rows(connection, study_name, outline.numbers)):
                writer.add("label_chances", chances)
                writer.notes += _chosen(chances)
            recorded = [
                recording
                for recording in recordings_of(connection, study_name)
                if recording.visit_id in outline.visits
            ]
            writer.add("recordings", recording_rows(recorded))
            writer.notes += copy_recordings(log, recorded, writer.folder) if audio else []
            remarks = Remarks.after(events_of(connection, remark_stream(study_name)))
            writer.add("tags", tag_rows(remarks, outline.numbers))
            writer.add("dialogue_notes", note_rows(remarks, outline.numbers))
            writer.add("stress", stress_rows(stressed))
            if looks := list(look_rows(events_of(connection, TRIAL), study_name)):
                writer.add("looks", looks)
            exported = ExportedVisits(study_name, outline.visits, simulated, outline.salt)
            for table, stress_names in package_rows(connection, exported):
                writer.add(table, stress_names)
            writer.notes += _unread(connection, outline.visits)
            if outline.never_began:
                not_started = outline.never_began
                writer.notes.append(
                    statement("{n} assigned dialogues never started and are left out", n=not_started)
                )
            return writer.close()


def _judging(table: str) -> list[JudgementKind]:
    return [kind for _, kind in JUDGEMENTS if kind.table == table]


def _said_by_others(table: str) -> bool:
    """True if rows of a table get transcripts of other visits, or judgements."""
    return TABLES[table].spoken or bool(_judging(table))


def _completed(connection: Connection, study_name: str, table: str, rows: list[Row]) -> Iterable[Row]:
    """All rows of a table with the texts that others wrote of their recordings, and what was judged."""
    completed = with_texts(connection, rows) if TABLES[table].spoken else rows
    for kind in _judging(table):
        completed = list(kind.judged(completed, events_of(connection, kind.stream(study_name))))
    return completed


def _chance_rows(connection: Connection, study_name: str, dialogue_ids: Container[str]) -> Iterator[Row]:
    """The chances with which annotators were to judge dialogues, of every kind of judgement with labels."""
    for kind in _judging("annotations"):
        state = AnnotationState.after(events_of(connection, kind.stream(study_name)))
        yield from (row for row in chance_rows(state) if row["dialogue_id"] in dialogue_ids)


def _chosen(chances: list[Row]) -> list[LocalizedText]:
    """Notes on weighting of label figures, where dialogues were drawn with unequal chances."""
    if len({row["chance"] for row in chances}) < 2:
        return []
    return [
        statement(
            "dialogues had unequal selection probabilities: figures of {layers} use inverse-probability "
            "weights",
            layers=", ".join(sorted({row["layer"] for row in chances})),
        )
    ]


def _unread(connection: Connection, visits: Mapping[str, str]) -> list[LocalizedText]:
    """Responses without rows, because no installed package offers their step."""
    query = select(events.c.visit_id, events.c.payload["name"].as_string())
    responses = connection.execute(query.where(events.c.kind == ResponseGiven.kind)).all()
    step_names = {name for name, _ in STEPS}
    counts = Counter(name for visit_id, name in responses if visit_id in visits and name not in step_names)
    return [
        statement(
            "responses to the step {name} are left out ({n}): no installed package provides it",
            name=repr(name),
            n=number,
        )
        for name, number in sorted(counts.items())
    ]


def _source(connection: Connection, simulated: bool | None) -> dict[str, Any]:
    scope = "both" if simulated is None else scope_of(simulated=simulated)
    root = last_root(connection)
    log = {"fingerprint": root.fingerprint, "events": root.size, "root": root.root} if root else {}
    return {"kind": "log", "level": Level.internal.value, "scope": scope, "log": log}


def _belongs(event: VisitOpened, study_name: str, simulated: bool | None) -> bool:
    return event.study == study_name and simulated in (None, event.simulated)


@dataclass
class _Outline:
    """Facts needed before the first row: visits in order, factors, each dialogue's number.

    salt  the key of the study's first event: the same in every export, and in none of them
    """

    visits: dict[str, str] = field(default_factory=dict)
    factors: tuple[str, ...] = ()
    numbers: dict[str, int] = field(default_factory=dict)
    never_began: int = 0
    salt: str = ""

    @classmethod
    def of(cls, connection: Connection, study_name: str, simulated: bool | None = None) -> "_Outline":
        outline, factors = cls(), dict[str, None]()
        counts: dict[str, int] = {}
        assigned = 0
        for stored in _events_of_kinds(connection, VisitOpened, DialogueAssigned, CallRouted, DialogueOpened):
            event = stored.event
            if isinstance(event, VisitOpened) and event.study == study_name:
                outline.salt = outline.salt or stored.event_id
            if isinstance(event, VisitOpened) and _belongs(event, study_name, simulated):
                outline.visits[stored.visit_id] = event.participant_id
            participant = outline.visits.get(stored.visit_id)
            if participant is None:
                continue
            if isinstance(event, DialogueAssigned):
                assigned += 1
                factors |= dict.fromkeys(event.factors)
            elif isinstance(event, CallRouted):
                factors |= dict.fromkeys(event.factors)
            elif isinstance(event, DialogueOpened) and event.dialogue_id not in outline.numbers:
                counts[participant] = counts.get(participant, 0) + 1
                outline.numbers[event.dialogue_id] = counts[participant]
        outline.factors, outline.never_began = tuple(factors), assigned - len(outline.numbers)
        return outline


class People:
    """The participants, one row each however many visits they made."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}

    def take(self, visit: VisitHistory) -> None:
        first = {
            "participant_id": visit.participant_id,
            "pool": visit.pool,
            "first_seen_at": visit.opened_at,
            "simulated": visit.simulated,
        }
        row = self._rows.setdefault(visit.participant_id, first)
        row["language"], row["outcome"] = visit.language, visit.outcome or "running"
        described = [event for event in visit.of(SimulatedUserDescribed) if event.dialogue_id is None]
        row["attributes"] = described[-1].model_dump_json(exclude_none=True) if described else None

    def rows(self) -> list[Row]:
        return list(self._rows.values())


class RowsTaker(Protocol):
    """Receiver of rows of the dataset's tables."""

    def add(self, table: str, rows: Iterable[Row]) -> None: ...


def export_visit(
    writer: RowsTaker,
    visit: VisitHistory,
    numbers: Mapping[str, int],
    people: People,
    readers: Readers,
    waiting: dict[str, list[Row]] | None = None,
) -> None:
    """Hand on the rows of one visit; `numbers` of the dialogues that began, `people` gathers its person.

    waiting  gathers, by table, rows to which what others said of them is added; None: nobody wants them
    """
    if visit.opened is None:
        return
    people.take(visit)
    of_visit = {
        "study": visit.opened.study,
        "participant_id": visit.participant_id,
        "visit_id": visit.visit_id,
        "simulated": visit.simulated,
    }
    for dialogue in visit.dialogues:
        number = numbers.get(dialogue.dialogue_id)
        if number is not None:
            rows = DialogueRows(dialogue, readers)
            facts = {"dialogue_number": number, "end_reason": visit.end_reason(dialogue)}
            _add_dialogue(writer, rows, rows.dialogue(**of_visit, **facts))
    writer.add("ratings", _ratings(visit))
    writer.add("votes", vote_rows(visit))
    writer.add("checks", check_rows(visit))
    for table, rows in response_rows(visit):
        if not _said_by_others(table):
            writer.add(table, rows)
        elif waiting is not None:
            waiting.setdefault(table, []).extend(rows)
    writer.add("steps", step_rows(visit))


def _add_dialogue(writer: RowsTaker, dialogue: DialogueRows, row: Row) -> None:
    writer.add("dialogues", [row])
    writer.add("turns", sorted(dialogue.turns, key=lambda turn: turn["turn_index"]))
    writer.add(
        "utterances",
        sorted(dialogue.utterances, key=lambda utterance: (utterance["onset_s"], utterance["party"])),
    )
    writer.add("hypotheses", dialogue.hypotheses)
    writer.add("acts", dialogue.acts)
    writer.add("goals", dialogue.goals())
    writer.add("incidents", dialogue.incidents)
    for table, rows in dialogue.agent.tables.items():
        writer.add(table, rows)
    writer.add("wizard_turns", pseudonymous(dialogue.wizard_turns, dialogue.readers.salt))


def _ratings(visit: VisitHistory) -> Iterator[Row]:
    for stored, event in visit.stored(QuestionnaireAnswered):
        for rating in event.ratings:
            yield {
                "dialogue_id": event.dialogue_id,
                "visit_id": visit.visit_id,
                "participant_id": visit.participant_id,
                "instrument": event.instrument,
                "wording": event.wording,
                "language": event.language,
                "answered_at": stored.at,
                **rating.model_dump(include={"item_id", "role", "value", "answer"}),
            }


def _described(study_name: str, served: list[StudyRecord]) -> dict[str, Any]:
    """Study facts for the manifest: the file that was last served, and all its revisions."""
    if not served:
        return {"name": study_name}
    last = served[-1]
    files = [without_secrets(revision.file) for revision in served]
    revisions = [
        {"revision": revision.revision, "seen_at": revision.seen_at.isoformat(), "file": file}
        for revision, file in zip(served, files, strict=True)
    ]
    return {"name": study_name, "revision": last.revision, "file": files[-1], "revisions": revisions}


def _served(connection: Connection, study_name: str) -> list[StudyRecord]:
    query = select(studies).where(studies.c.study == study_name).order_by(studies.c.seen_at)
    return [StudyRecord(*row) for row in connection.execute(query)]


def _studies(connection: Connection) -> list[str]:
    opened = _events_of_kinds(connection, VisitOpened)
    return sorted({stored.event.study for stored in opened if isinstance(stored.event, VisitOpened)})


def _events_of_kinds(connection: Connection, *kinds: type[Any]) -> Iterator[StoredEvent]:
    query = select(events).where(events.c.kind.in_([kind.kind for kind in kinds]))
    for row in connection.execute(query.order_by(events.c.position)):
        yield stored_event(row)


def look_rows(trial: Iterable[StoredEvent], study: str) -> Iterator[Row]:
    """One row for each look and pair of systems, in the order of the looks.

    Empty  the study has no rule that is watched, or no look was due yet
    """
    for stored in trial:
        look = stored.event
        if not isinstance(look, InterimAnalysisRun) or look.study != study:
            continue
        same = look.model_dump(include={"rule", "measure", "participants", "information", "stop"})
        for verdict in look.verdicts:
            pair = verdict.model_dump(exclude={"stop", "why"})
            yield {
                **same,
                **pair,
                "look_number": look.number,
                "looks_planned": look.of,
                "verdict": verdict.stop,
                "taken_at": stored.at,
            }
