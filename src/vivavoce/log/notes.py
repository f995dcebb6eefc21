"""Researchers' tags, notes and saved views of dialogues: their events and rows.

The events have their own stream, `remarks/<study>`, because they belong to no participant's visit. Nothing
in it is changed or deleted: taking something back is an event as well.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import uuid4

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.log.event import Event
from vivavoce.log.models import StoredEvent
from vivavoce.log.transaction import Transaction, events_of


def remark_stream(study: str) -> str:
    """The stream of what researchers of a study say of its dialogues."""
    return f"remarks/{study}"


class DialogueTagged(Event):
    """A tag put on a dialogue; `account_id` is null for people who came by a link."""

    kind = "dialogue_tagged"
    dialogue_id: str
    tag: str
    by: str
    account_id: str | None = None


class DialogueUntagged(Event):
    """A tag was taken off a dialogue."""

    kind = "dialogue_untagged"
    dialogue_id: str
    tag: str
    by: str
    account_id: str | None = None


class NoteWritten(Event):
    """A note on a dialogue."""

    kind = "note_written"
    note_id: str
    dialogue_id: str
    text: str
    by: str
    account_id: str | None = None


class NoteRemoved(Event):
    """A note was taken away; it stays in the log, and shows nowhere."""

    kind = "note_removed"
    note_id: str
    dialogue_id: str
    by: str
    account_id: str | None = None


class NoteRestored(Event):
    """A note that had been taken away stands again."""

    kind = "note_restored"
    note_id: str
    dialogue_id: str
    by: str
    account_id: str | None = None


class ViewSaved(Event):
    """A view of the list of dialogues got a name; one of the same name is replaced.

    query  as in the address of the list, without its page
    """

    kind = "view_saved"
    name: str
    query: str
    by: str
    account_id: str | None = None


class ViewRemoved(Event):
    """A view of this name is offered no longer."""

    kind = "view_removed"
    name: str
    by: str
    account_id: str | None = None


ON_DIALOGUES: Final[tuple[type[Event], ...]] = (
    DialogueTagged,
    DialogueUntagged,
    NoteWritten,
    NoteRemoved,
    NoteRestored,
)


LONGEST_TAG: Final = 40
LONGEST_NOTE: Final = 4000
LONGEST_VIEW_NAME: Final = 80
MOST_AT_ONCE: Final = 10_000
Row = dict[str, Any]


class RemarkRefused(InputError):
    """A tag, note or name that is not taken; `values` fills the places of `template`."""

    def __init__(self, template: str, hint: str, **values: object) -> None:
        self.template, self.hint_template, self.values = template, hint, values
        super().__init__(template % values, hint=hint % values)


@dataclass(frozen=True, slots=True)
class Author:
    """The author; `account_id` None: a person who came by a link."""

    name: str
    account_id: str | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag on one dialogue."""

    name: str
    by: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class DialogueNote:
    """A note on one dialogue; `removed`: it was taken away, and may be brought back."""

    note_id: str
    text: str
    by: Author
    at: datetime
    removed: bool = False


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view of the list of dialogues by its name; `query` as in an address."""

    name: str
    query: str
    by: Author
    at: datetime


@dataclass(slots=True)
class Remarks:
    """All that stands after the events applied so far.

    tags    by dialogue, then by name, in the order in which they were put
    notes   by dialogue, then by key, those that were taken away included
    views   by name
    """

    tags: dict[str, dict[str, Tag]] = field(default_factory=dict)
    notes: dict[str, dict[str, DialogueNote]] = field(default_factory=dict)
    views: dict[str, SavedView] = field(default_factory=dict)

    @classmethod
    def after(cls, events: Iterable[StoredEvent]) -> "Remarks":
        """State after these events."""
        state = cls()
        for stored in events:
            state.apply(stored)
        return state

    def apply(self, stored: StoredEvent) -> str | None:
        """Carry on by one event; the dialogue of which it says something."""
        match stored.event:
            case DialogueTagged() as event:
                tag = Tag(event.tag, Author(event.by, event.account_id), stored.at)
                self.tags.setdefault(event.dialogue_id, {}).setdefault(event.tag, tag)
            case DialogueUntagged() as event:
                self.tags.get(event.dialogue_id, {}).pop(event.tag, None)
            case NoteWritten() as event:
                note = DialogueNote(event.note_id, event.text, Author(event.by, event.account_id), stored.at)
                self.notes.setdefault(event.dialogue_id, {})[event.note_id] = note
            case NoteRemoved() | NoteRestored() as event:
                dialogue_notes = self.notes.get(event.dialogue_id, {})
                if (note_state := dialogue_notes.get(event.note_id)) is not None:
                    dialogue_notes[event.note_id] = replace(
                        note_state, removed=isinstance(event, NoteRemoved)
                    )
            case ViewSaved() as event:
                view = SavedView(event.name, event.query, Author(event.by, event.account_id), stored.at)
                self.views[event.name] = view
            case ViewRemoved() as event:
                self.views.pop(event.name, None)
            case _:
                pass
        return getattr(stored.event, "dialogue_id", None)

    def tag_names(self) -> list[str]:
        """Every tag that some dialogue has, in alphabetical order."""
        return sorted({name for tag in self.tags.values() for name in tag}, key=str.casefold)

    def standing_notes(self, dialogue_id: str) -> list[DialogueNote]:
        """The notes on a dialogue that were not taken away."""
        return [note for note in self.notes.get(dialogue_id, {}).values() if not note.removed]


class WrittenEvents(NamedTuple):
    """The places in the stream of the events that a change made."""

    first: int
    last: int


Change = Callable[[Remarks, list[StoredEvent]], list[Event]]
"""Function that computes the events to write from the current state and earlier events."""


def read_tag(text: str) -> str:
    """A tag as it was typed, its blanks made single.

    Raises  RemarkRefused: empty, too long, or with a comma
    """
    tag = " ".join(text.split())
    if not tag:
        raise RemarkRefused(N_("the tag is empty"), N_("enter a tag name"))
    if len(tag) > LONGEST_TAG or "," in tag:
        raise RemarkRefused(
            N_("invalid tag %(tag)r"),
            N_("use at most %(most)s characters, without a comma"),
            tag=tag[:LONGEST_TAG],
            most=LONGEST_TAG,
        )
    return tag


def tagging(tag: str, dialogues: Collection[str], by: Author, *, off: bool = False) -> Change:
    """Put a tag on those dialogues that lack it, or take it off those that have it.

    Raises  RemarkRefused: no dialogue, or too many at once
    """
    if not dialogues:
        raise RemarkRefused(N_("no dialogues selected"), N_("select dialogues, or select all results"))
    if len(dialogues) > MOST_AT_ONCE:
        raise RemarkRefused(
            N_("%(n)s dialogues are too many for one action"),
            N_("narrow the filters to at most %(most)s dialogues"),
            n=len(dialogues),
            most=MOST_AT_ONCE,
        )
    kind = DialogueUntagged if off else DialogueTagged

    def change(now: Remarks, _: list[StoredEvent]) -> list[Event]:
        changed = [dialogue for dialogue in dialogues if (tag in now.tags.get(dialogue, {})) == off]
        return [kind(dialogue_id=dialogue_id, tag=tag, **_who(by)) for dialogue_id in changed]

    return change


def _who(by: Author) -> dict[str, Any]:
    """The author's fields, as events have them."""
    return {"by": by.name, "account_id": by.account_id}


def noting(text: str, dialogue_id: str, by: Author) -> Change:
    """Write a note. Raises RemarkRefused: it is empty or too long"""
    text = text.strip()
    if not text or len(text) > LONGEST_NOTE:
        raise RemarkRefused(
            N_("the note has %(n)s characters"),
            N_("use 1 to %(most)s characters"),
            n=len(text),
            most=LONGEST_NOTE,
        )
    note = NoteWritten(note_id=uuid4().hex, dialogue_id=dialogue_id, text=text, **_who(by))
    return lambda now, before: [note]


def removing_note(note_id: str, dialogue_id: str, by: Author) -> Change:
    """Take a note away, where it still stands."""

    def change(now: Remarks, _: list[StoredEvent]) -> list[Event]:
        exists = any(standing_note.note_id == note_id for standing_note in now.standing_notes(dialogue_id))
        return [NoteRemoved(note_id=note_id, dialogue_id=dialogue_id, **_who(by))] if exists else []

    return change


def saving_view(name: str, query: str, by: Author) -> Change:
    """Give a view a name; one of this name that shows something else is not replaced.

    Raises  RemarkRefused: the name is empty, too long, or taken
    """
    name = " ".join(name.split())
    if not 0 < len(name) <= LONGEST_VIEW_NAME:
        raise RemarkRefused(
            N_("the view has no name"), N_("use at most %(most)s characters"), most=LONGEST_VIEW_NAME
        )

    def change(now: Remarks, _: list[StoredEvent]) -> list[Event]:
        if (view := now.views.get(name)) is not None and view.query != query:
            raise RemarkRefused(
                N_("a view named %(name)r already exists"),
                N_("choose another name, or delete that view first"),
                name=name,
            )
        return [] if view is not None else [ViewSaved(name=name, query=query, **_who(by))]

    return change


def removing_view(name: str, by: Author) -> Change:
    """Offer a view no longer."""
    return lambda now, _: [ViewRemoved(name=name, **_who(by))] if name in now.views else []


def undoing(first: int, last: int, by: Author) -> Change:
    """Take back what the events of these places in the stream did, as far as it still stands."""

    def change(now: Remarks, before: list[StoredEvent]) -> list[Event]:
        done = [stored.event for stored in before if first <= stored.seq <= last]
        earlier = Remarks.after(stored for stored in before if stored.seq < first)
        return [opposite for event in done if (opposite := _opposite(event, now, earlier, by)) is not None]

    return change


def _opposite(event: Event, now: Remarks, earlier: Remarks, by: Author) -> Event | None:
    who = _who(by)
    match event:
        case DialogueTagged() if event.tag in now.tags.get(event.dialogue_id, {}):
            return DialogueUntagged(dialogue_id=event.dialogue_id, tag=event.tag, **who)
        case DialogueUntagged() if event.tag not in now.tags.get(event.dialogue_id, {}):
            return DialogueTagged(dialogue_id=event.dialogue_id, tag=event.tag, **who)
        case NoteWritten() | NoteRestored():
            return NoteRemoved(note_id=event.note_id, dialogue_id=event.dialogue_id, **who)
        case NoteRemoved():
            return NoteRestored(note_id=event.note_id, dialogue_id=event.dialogue_id, **who)
        case ViewSaved() if event.name in now.views:
            return ViewRemoved(name=event.name, **who)
        case ViewRemoved() if event.name not in now.views and event.name in earlier.views:
            return ViewSaved(name=event.name, query=earlier.views[event.name].query, **who)
        case _:
            return None


def written(change: Change, study: str) -> Callable[[Transaction], WrittenEvents | None]:
    """A transaction that makes a change; None where nothing had to be changed."""

    def write(tx: Transaction) -> WrittenEvents | None:
        before = events_of(tx.connection, remark_stream(study))
        seqs = [tx.append(remark_stream(study), event).seq for event in change(Remarks.after(before), before)]
        return WrittenEvents(seqs[0], seqs[-1]) if seqs else None

    return write


def tag_rows(remarks: Remarks, dialogues: Collection[str]) -> Iterator[Row]:
    """Rows of the dataset's table `tags`, of these dialogues."""
    for dialogue_id, dialogue_tags in remarks.tags.items():
        for tag in dialogue_tags.values() if dialogue_id in dialogues else ():
            yield {
                "dialogue_id": dialogue_id,
                "tag": tag.name,
                "author_id": tag.by.account_id,
                "tagged_at": tag.at,
            }


def note_rows(remarks: Remarks, dialogues: Collection[str]) -> Iterator[Row]:
    """Rows of the dataset's table `dialogue_notes`, of these dialogues; none of notes taken away."""
    for dialogue_id in remarks.notes:
        for note in remarks.standing_notes(dialogue_id) if dialogue_id in dialogues else ():
            yield {
                "dialogue_id": dialogue_id,
                "note_id": note.note_id,
                "text": note.text,
                "author_id": note.by.account_id,
                "written_at": note.at,
            }
