"""Import of SGD (Schema-Guided Dialogue), and of MultiWOZ 2.2, which lies alike: acts, calls of services.

Source  Rastogi and others 2020, Schema-Guided Dialogue; Zang and others 2020, MultiWOZ 2.2
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from vivavoce.core.validation import shown_value
from vivavoce.importers.base import Importer
from vivavoce.importers.domain_acts import SEVERAL, DomainAct, add_acts, slot_name
from vivavoce.importers.items import ForeignDialogue, ItemRows, LogItem, as_text, maybe, need
from vivavoce.importers.log_files import LogFiles, LogRecord
from vivavoce.importers.venues import match_of
from vivavoce.log.vocabulary import NAME

NOTES: Final = (
    "A program made the course of SGD's dialogues, and people worded it: their users are simulated.",
    "Calls of services are calls of tools; what they gave back is the database of venues.",
    "States and spans are left out; the corpus tells no goals.",
)
PARTIES: Final = {"USER": "user", "SYSTEM": "system"}


def read_sgd(files: LogFiles) -> Iterable[LogItem]:
    """One dialogue an entry."""
    return [LogItem.of(record, _dialogue) for record in files.records()]


def _dialogue(rows: ItemRows, record: LogRecord) -> None:
    content = record.content
    services = [str(one) for one in need(content, "services", list)]
    turns, several = need(content, "turns", list), len(services) != 1
    key = need(content, "dialogue_id", str)
    by_people = key.endswith(".json")  # only MultiWOZ names dialogues after files
    dialogue = ForeignDialogue(
        rows, key, study="multiwoz" if by_people else "sgd", language="en", simulated=not by_people,
        system="wizard" if by_people else "system", condition="+".join(sorted(services)) or None,
        tools_logged=None if by_people else True,
    )  # fmt: skip
    for turn in turns:
        speaker = need(turn, "speaker", str)
        if speaker not in PARTIES:
            raise ValueError(f"'speaker' is {shown_value(speaker)}, neither USER nor SYSTEM")
        party = PARTIES[speaker]
        index = dialogue.say(party, need(turn, "utterance", str))
        acts: list[DomainAct] = []
        for frame in maybe(turn, "frames", list) or []:
            acts += _acts(frame)
            _call(rows, dialogue, frame)
        add_acts(dialogue, index, party, acts, several=several)
    dialogue.end()


def _acts(frame: Any) -> Iterable[DomainAct]:
    service = need(frame, "service", str)
    for action in maybe(frame, "actions", list) or []:
        act, slot = need(action, "act", str), maybe(action, "slot", str) or None
        values = maybe(action, "canonical_values", list) or maybe(action, "values", list) or [None]
        for value in values:
            yield DomainAct(act, service, slot, as_text(value))


def _call(rows: ItemRows, dialogue: ForeignDialogue, frame: Mapping[str, Any]) -> None:
    """A call of a service, and the venues that it gave back."""
    results = maybe(frame, "service_results", list)
    if (call := maybe(frame, "service_call", dict)) is None:
        return
    given = None if results is None else as_text(results)
    dialogue.call_tool(None, need(call, "method", str), call.get("parameters"), result=given)
    for venue in results or []:
        named = {slot_name(slot): as_text(value) for slot, value in venue.items()}
        if name := named.get(NAME):
            place = {
                "entity_id": f"{frame['service']}/{name}",
                "name": name,
                "source": "database",
            }
            for slot, value in named.items():
                rows.add("entities", **place, slot=slot, value=value, match=match_of(slot))


SGD: Final = Importer(
    name="sgd",
    title="SGD, Schema-Guided Dialogue; MultiWOZ 2.2",
    layout="dialogues_<number>.json, lists of dialogues with services and turns, in folders or archives",
    rows=read_sgd,
    endings=tuple(f"{digit}.json" for digit in range(10)),
    venues=True,
    venue_slot=slot_name,
    notes=(*NOTES, SEVERAL),
)
