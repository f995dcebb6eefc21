"""Information for participants about a study, before they consent."""

from typing import NamedTuple


class Message(NamedTuple):
    """A sentence in English, which the step's own catalogues have in other languages.

    many    the same for other numbers than one, with %(num)s in it; "" where nothing is counted
    values  further values that the sentence names
    """

    one: str
    many: str = ""
    number: int = 1
    values: tuple[tuple[str, int], ...] = ()


class Information(NamedTuple):
    """Information about a step for participants before they consent; sentences in English.

    lead   what the study is about, shown where no other step takes longer; None: nothing of its own
    does   what the participant does; none where a step is only read or filled in
    needs  what it takes beside a browser
    keeps  what is kept of what the participant does
    """

    lead: Message | None = None
    does: tuple[Message, ...] = ()
    needs: tuple[Message, ...] = ()
    keeps: tuple[Message, ...] = ()
