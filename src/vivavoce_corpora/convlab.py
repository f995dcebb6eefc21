"""Import of ConvLab's unified format: one list of dialogues with goals and acts, whatever corpus they are of.

Source  documentation of ConvLab-3, unified data format
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles, LogRecord
from vivavoce_corpora.domain_acts import SEVERAL, DomainAct, DomainGoal, add_acts, add_goals, slot_name

NOTES: Final = (
    "Acts are the labels of the corpus; states, spans and database results are left out.",
    "The format does not identify users and systems.",
)
KINDS: Final = ("categorical", "non-categorical", "binary")


def read_convlab(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue an entry."""
    return [LogItem.of(record, _dialogue) for record in files.records()]


def _dialogue(rows: ItemRows, record: LogRecord) -> None:
    content = record.content
    goals = _goals(maybe(content, "goal", dict) or {})
    several = len(maybe(content, "domains", list) or goals) != 1
    corpus = maybe(content, "dataset", str) or "convlab"
    split = maybe(content, "data_split", str)
    dialogue = ForeignDialogue(
        rows,
        need(content, "dialogue_id", str),
        study=corpus,
        system="system",
        task_text=maybe(maybe(content, "goal", dict) or {}, "description", str),
        task_id=as_text(maybe(content, "original_id", (str, int))),
        factor_split=split,
    )
    for turn in need(content, "turns", list):
        party = need(turn, "speaker", str)
        if party not in ("user", "system"):
            raise ValueError(f"'speaker' is {shown_value(party)}, neither user nor system")
        index = dialogue.say(party, need(turn, "utterance", str))
        add_acts(
            dialogue, index, party, list(_acts(maybe(turn, "dialogue_acts", dict) or {})), several=several
        )
    add_goals(rows, dialogue, goals, several=several)
    dialogue.end()


def _goals(goal: Mapping[str, Any]) -> list[DomainGoal]:
    informs, requests = maybe(goal, "inform", dict) or {}, maybe(goal, "request", dict) or {}
    return [
        DomainGoal(
            domain,
            {slot: str(value) for slot, value in (maybe(informs, domain, dict) or {}).items()},
            list(maybe(requests, domain, dict) or {}),
        )
        for domain in dict.fromkeys([*informs, *requests])
    ]


def _acts(acts: Mapping[str, Any]) -> Iterable[DomainAct]:
    for kind in KINDS:
        for act in maybe(acts, kind, list) or []:
            domain, value = maybe(act, "domain", str) or "", as_text(act.get("value"))
            yield DomainAct(need(act, "intent", str), domain, maybe(act, "slot", str), value)


CONVLAB: Final = Importer(
    name="convlab",
    title="ConvLab's unified format of corpora with goals and acts",
    layout="dialogues.json, a list of dialogues with turns, in folders or archives",
    rows=read_convlab,
    endings=("dialogues.json",),
    venues=True,
    venue_slot=slot_name,
    notes=(*NOTES, SEVERAL),
)
