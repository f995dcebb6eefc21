"""Import of STAR: written Wizard-of-Oz dialogues with times, workers and questionnaires, to the dataset."""

import json
import re
import tarfile
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.importers.base import Importer, ImportResult, Progress
from vivavoce.importers.items import check_rows
from vivavoce.importers.sources import first_line

Row = dict[str, Any]

PARTIES: Final = {
    ("User", "utter"): "user",
    ("Wizard", "utter"): "system",
    ("Wizard", "pick_suggestion"): "system",
}
ENDINGS: Final = {"EarlyDisconnectDuringDialogue": "abandoned", "DisconnectDuringDialogue": "abandoned"}
ASKING: Final = re.compile(r"(?:^|_)(?:ask|anything_else)(?:_|$)")
REFUSING: Final = "out_of_scope"
TASK_DONE: Final = re.compile(
    r"^(?:\.\.\.|did the .*?(?:assistant|robot|computer) )(?!.*(?:calm|say something))", re.I
)
CALM: Final = re.compile(r"stay calm and helpful", re.I)
ENJOYED: Final = re.compile(r"enjoy", re.I)


class StarDialogueRows:
    """The rows of one dialogue, by table.

    Raises  KeyError: a key is missing; TypeError, ValueError, AttributeError, IndexError: a wrong shape
    """

    def __init__(self, content: Row) -> None:
        self.dialogue_id = str(content["DialogueID"])
        times = [event["UnixTime"] for event in content["Events"] if "UnixTime" in event]
        self._start = times[0] if times else 0
        self.started_at = _instant(times[0]) if times else None
        self.turns: list[Row] = []
        self.acts: list[Row] = []
        for party, events in _stretches(content["Events"]):
            self._turn(party, events)
        self.ratings = list(self._ratings(content))
        self.annotations = list(self._annotations(content))
        self.dialogue = self._dialogue(content, _instant(times[-1]) if times else None)

    def _turn(self, party: str, events: list[Row]) -> None:
        first, last = (event["UnixTime"] - self._start for event in (events[0], events[-1]))
        text = "\n".join(event["Text"] for event in events)
        turn = {
            "dialogue_id": self.dialogue_id,
            "turn_index": len(self.turns),
            "party": party,
            "text": text,
            "reference": text,
        }
        if party == "user":
            self.turns.append({**turn, "sent_s": float(last)})
            return
        labels = [event["ActionLabel"] for event in events if event.get("ActionLabel")]
        has_labels = bool(labels)
        self.turns.append(
            {
                **turn,
                "first_output_s": float(first),
                "complete_s": float(last),
                "question": any(ASKING.search(label) for label in labels) if has_labels else None,
                "error_message": REFUSING in labels if has_labels else None,
                "question_origin": "acts" if has_labels else None,
                "error_message_origin": "acts" if has_labels else None,
            }
        )
        self.acts += [
            {
                "dialogue_id": self.dialogue_id,
                "turn_index": turn["turn_index"],
                "layer": "system",
                "source": "label",
                "rank": 0,
                "position": position,
                "act": label,
            }
            for position, label in enumerate(labels)
        ]

    def _dialogue(self, content: Row, ended_at: datetime | None) -> Row:
        scenario = content["Scenario"]
        tasks = [capability["Task"] for capability in scenario["WizardCapabilities"] if capability["Task"]]
        path = "happy" if scenario["Happy"] else "unhappy"
        several = "several" if scenario["MultiTask"] else "one"
        return {
            "dialogue_id": self.dialogue_id,
            "study": "star",
            "system": "wizard",
            "condition": f"{path}-{several}",
            "participant_id": content["AnonymizedUserWorkerID"],
            "task_id": "+".join(tasks) or None,
            "task_text": scenario["UserTask"],
            "channel": "text",
            "language": "en",
            "started_at": self.started_at,
            "ended_at": ended_at,
            "duration_s": self._duration_s(),
            "end_reason": ENDINGS.get(content["CompletionLevel"], "user"),
            "simulated": False,
            "factor_domain": "+".join(filter(None, scenario["Domains"])) or None,
            "factor_path": path,
            "factor_tasks": several,
            "factor_wizard": content["AnonymizedWizardWorkerID"],
        }

    def _duration_s(self) -> float | None:
        """From the first message to the last."""
        times = [turn.get(name) for turn in self.turns for name in ("sent_s", "first_output_s", "complete_s")]
        present = [time for time in times if time is not None]
        return max(present) - min(present) if present else None

    def _ratings(self, content: Row) -> Iterator[Row]:
        seen: Counter[str] = Counter()
        for response in content["UserQuestionnaire"] or []:
            item, role = _item(response["Question"])
            seen[item] += 1
            yield {
                "dialogue_id": self.dialogue_id,
                "participant_id": content["AnonymizedUserWorkerID"],
                "instrument": "star",
                "wording": "corpus",
                "language": "en",
                "item_id": item if seen[item] == 1 else f"{item}_{seen[item]}",
                "role": role,
                "value": float(bool(response["Answer"])),
                "answer": "yes" if response["Answer"] else "no",
            }

    def _annotations(self, content: Row) -> Iterator[Row]:
        """Wizard's annotations of the user, in a separate layer."""
        for response in content["WizardQuestionnaire"] or []:
            yield {
                "dialogue_id": self.dialogue_id,
                "layer": "wizard",
                "label": _slug(response["Question"]),
                "value": "yes" if response["Answer"] else "no",
                "annotator_id": content["AnonymizedWizardWorkerID"],
            }


def _instant(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


def _stretches(events: list[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Messages that the other party could see, those of one party in a row together."""
    party, stretch = "", list[Row]()
    for event in events:
        whose = PARTIES.get((event["Agent"], event["Action"]))
        if whose is None or not event.get("Text"):
            continue
        if stretch and whose != party:
            yield party, stretch
            stretch = []
        party = whose
        stretch.append(event)
    if stretch:
        yield party, stretch


def _item(question: str) -> tuple[str, str | None]:
    """The item that a question asks, and its role: whether the task was done is subjective success."""
    if CALM.search(question):
        return "calm_and_helpful", None
    if ENJOYED.search(question):
        return "enjoyed", None
    if TASK_DONE.search(question):
        return "task_done", "subjective_success"
    return _slug(question), None


def _slug(question: str) -> str:
    """A question as a name: its first words in lower case."""
    words = re.findall(r"[a-z]+", question.lower().partition("(")[0])
    dropped = {
        "did",
        "the",
        "user",
        "he",
        "she",
        "his",
        "her",
        "or",
        "you",
        "where",
        "any",
        "at",
        "about",
        "to",
    }
    return "_".join(word for word in words if word not in dropped)[:60]


ARCHIVES: Final = (".tar", ".tar.gz", ".tgz")
FACTORS: Final = ("domain", "path", "tasks", "wizard")
LAYOUT: Final = "dialogues/<number>.json, in folders or tar archives"
LARGEST_BYTES: Final = 64 * 2**20

NOTES: Final = (
    "The system under test is a person (wizard) who chose or wrote the answers.",
    "Consecutive messages of one party form one turn; times are in whole seconds.",
    "Typing and display times are not logged, so turn durations are missing.",
    (
        "Questions and error messages are identified by the label of the chosen answer; other turns have no "
        "flag."
    ),
)


def import_star(
    paths: list[Path],
    into: Path,
    *,
    venues: Path | None = None,
    strict: bool = False,
    progress: Progress | None = None,
) -> ImportResult:
    """Make a dataset of STAR dialogues.

    Input   folders or tar archives with one JSON file a dialogue; `venues` is of no use here
    Output  dataset, number of dialogues, and one line for each one left out
    Raises  InputError: no dialogue found, or, when `strict`, the first broken one
    """
    if venues is not None:
        raise InputError("STAR has no venue database", place="--venues", hint="leave it out")
    files = [file for path in paths for file in _files(Path(path))]
    if not files:
        raise InputError("no dialogue found", place=", ".join(map(str, paths)), hint=f"expected {LAYOUT}")
    source = {"kind": "star"}
    with DatasetWriter(into, study={"name": "star"}, source=source, factors=FACTORS) as writer:
        skipped: list[str] = []
        dialogues: dict[str, StarDialogueRows] = {}
        for number, (place, content) in enumerate(files, start=1):
            try:
                rows = _dialogue(place, content, dialogues)
                dialogues[rows.dialogue_id] = rows
            except InputError as problem:
                if strict:
                    raise
                skipped.append(str(problem))
            if progress is not None:
                progress(number, len(files))
        if not dialogues:
            raise InputError(f"none of {len(files)} dialogues could be read", place=skipped[0])
        _write(writer, dialogues)
        return ImportResult(writer.close(), len(dialogues), skipped)


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    """Every JSON file, with its place."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and file.suffix == ".json" and file.name != "dataset.json":
                yield str(file), file.read_bytes()
            elif file.is_file() and file.name.endswith(ARCHIVES):
                yield from _files(file)
    elif path.is_file() and path.name.endswith(ARCHIVES):
        try:
            with tarfile.open(path, "r:*") as archive:
                for member in archive:
                    is_json = member.isfile() and PurePosixPath(member.name).suffix == ".json"
                    stream = archive.extractfile(member) if is_json and member.size <= LARGEST_BYTES else None
                    if stream is not None:
                        yield f"{path}:{member.name}", stream.read()
        except (tarfile.TarError, OSError, EOFError) as error:
            raise InputError(f"the archive is broken: {first_line(error)}", place=str(path)) from None
    else:
        problem = "neither a folder nor a tar archive" if path.exists() else "no such file or folder"
        raise InputError(problem, place=str(path), hint="give a folder, or an archive " + ", ".join(ARCHIVES))


def _dialogue(place: str, content: bytes, dialogues: dict[str, StarDialogueRows]) -> StarDialogueRows:
    try:
        rows = StarDialogueRows(json.loads(content))
        for name in ("turns", "acts", "ratings", "annotations"):
            check_rows(name, getattr(rows, name))
        check_rows("dialogues", [rows.dialogue])
    except KeyError as error:
        raise InputError(f"no key {error}", place=place) from None
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, OSError) as error:
        raise InputError(f"unexpected content: {error}", place=place) from None
    if rows.dialogue_id in dialogues:
        raise InputError(f"dialogue {rows.dialogue_id} appears twice", place=place)
    return rows


def _order(rows: StarDialogueRows) -> tuple[bool, datetime, str]:
    """By time; dialogues that never began come last."""
    never = datetime.max.replace(tzinfo=UTC)
    return rows.started_at is None, rows.started_at or never, rows.dialogue_id


def _write(writer: DatasetWriter, dialogues: dict[str, StarDialogueRows]) -> None:
    """Number each participant's dialogues in order of time, and write everything."""
    numbers: Counter[str] = Counter()
    participants: dict[str, dict[str, Any]] = {}
    for rows in sorted(dialogues.values(), key=_order):
        worker = rows.dialogue["participant_id"]
        numbers[worker] += 1
        participants.setdefault(
            worker,
            {
                "participant_id": worker,
                "pool": "corpus",
                "language": "en",
                "first_seen_at": rows.started_at,
                "simulated": False,
            },
        )
        writer.add("dialogues", [{**rows.dialogue, "dialogue_number": numbers[worker]}])
        writer.add("turns", rows.turns)
        writer.add("acts", rows.acts)
        writer.add("ratings", rows.ratings)
        writer.add("annotations", rows.annotations)
    writer.add("participants", participants.values())
    writer.notes.extend(NOTES)


STAR: Final = Importer(
    name="star",
    title="STAR, written Wizard-of-Oz dialogues with times",
    layout=LAYOUT,
    read=import_star,
)
