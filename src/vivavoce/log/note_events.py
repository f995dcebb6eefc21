"""Events of what researchers say of dialogues: tags, notes, and views of the list that have a name.

They stand in a stream of their own, `remarks/<study>`: they belong to no participant's visit. Nothing is
changed or deleted in it: what is taken back is an event as well.
"""

from typing import Final

from vivavoce.log.event import Event


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
