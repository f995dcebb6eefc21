"""Import of MultiWOZ, but for version 2.2: written Wizard-of-Oz dialogues with goals and acts, `data.json`.

Source  Budzianowski and others 2018, MultiWOZ; Eric and others 2020, MultiWOZ 2.1: the corpus's files
"""

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Final

from vivavoce.core.i18n import N_
from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles, LogRecord
from vivavoce_corpora.domain_acts import SEVERAL, DomainAct, DomainGoal, add_acts, add_goals, slot_name

NOTES: Final = (
    "The system under test is a person (wizard); acts are the labels of the corpus.",
    "Belief states and spans are left out; the corpus does not identify users.",
)
ACT_FILES: Final = ("system_acts", "dialogue_acts", "dialog_acts")
NOT_GOALS: Final = ("message", "topic")
BOOKED: Final = N_("{n} booking constraints were left out of goals, because venues have no such data.")
NOT_ANNOTATED: Final = N_("{n} turns have no annotation.")
NONE: Final = "No Annotation"


def read_multiwoz(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue an entry; version 2.2 lies as SGD does, and is read by that importer."""
    acts: dict[str, Any] = {}
    entries: list[tuple[LogRecord, str, Any]] = []
    for file in files:
        for record in file.records():
            if PurePosixPath(file.name).name in ACT_FILES and isinstance(record.content, Mapping):
                acts |= record.content
            elif record.problem is not None or not _is_corpus(record.content):
                problem = record.problem or "no dialogues by their names"
                yield LogItem(record.place, problem=problem)
            else:
                entries += [(record, str(name), content) for name, content in record.content.items()]
    for record, name, dialogue in entries:
        read = partial(_dialogue, name=name, content=dialogue, acts=acts.get(name.removesuffix(".json")))
        yield LogItem(f"{record.place} {name}", read)


def _is_corpus(content: Any) -> bool:
    return isinstance(content, Mapping) and bool(content)


def _dialogue(rows: ItemRows, *, name: str, content: Any, acts: Any) -> None:
    log = need(content, "log", list)
    goal = maybe(content, "goal", dict) or {}
    goals = [
        _goal(rows, domain, domain_goal)
        for domain, domain_goal in goal.items()
        if domain not in NOT_GOALS and domain_goal
    ]
    messages = goal.get("message")
    text = " ".join(map(str, messages)) if isinstance(messages, list) else as_text(messages)
    several = len(goals) != 1
    dialogue = ForeignDialogue(
        rows,
        name.removesuffix(".json"),
        study="multiwoz",
        system="wizard",
        language="en",
        task_text=text or None,
        condition="+".join(sorted(domain_goal.domain for domain_goal in goals)) or None,
    )
    for number, turn in enumerate(log):
        party = "system" if number % 2 else "user"
        index = dialogue.say(party, need(turn, "text", str).strip())
        add_acts(dialogue, index, party, list(_acts(rows, turn, number, acts)), several=several)
    add_goals(rows, dialogue, goals, several=several)
    dialogue.end()


def _goal(rows: ItemRows, domain: str, domain_goal: Any) -> DomainGoal:
    info, requested = maybe(domain_goal, "info", dict) or {}, maybe(domain_goal, "reqt", (list, dict)) or []
    rows.lose(BOOKED, len(maybe(domain_goal, "book", dict) or {}))
    return DomainGoal(
        domain,
        {slot: str(value) for slot, value in info.items()},
        [str(slot_name) for slot_name in requested],
    )


def _acts(rows: ItemRows, turn: Mapping[str, Any], number: int, record_acts: Any) -> Iterable[DomainAct]:
    """Acts of a turn, from its entry or, in version 2.0, from the file of the system's acts."""
    acts = turn.get("dialog_act")
    if acts is None and record_acts is not None and number % 2:
        acts = need(record_acts, str(number // 2 + 1), (dict, str), word="group of acts")
    if acts is None or acts == NONE:
        rows.lose(NOT_ANNOTATED)
        return
    if not isinstance(acts, Mapping):
        raise ValueError(f"'dialog_act' is {shown_value(acts)}, not a group of acts")
    for kind in acts:
        domain, _, act = str(kind).rpartition("-")
        for pair in need(acts, kind, list) or [["none", "none"]]:
            slot, value = pair
            yield DomainAct(act, domain, str(slot), as_text(value))


MULTIWOZ: Final = Importer(
    name="multiwoz",
    title="MultiWOZ 2.x, written Wizard-of-Oz dialogues with goals and acts",
    layout="data.json, for 2.0 beside system_acts.json, in folders or archives; version 2.2 by `sgd`",
    rows=read_multiwoz,
    endings=("data.json", *(f"{name}.json" for name in ACT_FILES)),
    venues=True,
    venue_slot=slot_name,
    notes=(*NOTES, SEVERAL),
)
