"""What a channel says of itself, and the shelf of those that installed packages offer.

The participants' pages carry what is typed and what is said into a microphone. Another way, such as the
telephone, is a channel: it opens a line that runs while the pages do, and shows its own page meanwhile.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from vivavoce.core.errors import UnknownName
from vivavoce.core.shelf import Shelf
from vivavoce.core.yaml_source import Source
from vivavoce.study.step_kind import Information

if TYPE_CHECKING:
    from vivavoce.study.model import Study

CARRIED_BY_PAGES: Final = ("text", "voice")


class Line(Protocol):
    """What carries the dialogues of one study while its pages are served."""

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    def announced(self) -> list[str]:
        """What whoever serves the study is told of it, such as addresses; one line each."""
        ...


class Channel(ABC):
    """One way in which dialogues are held.

    name      as `channel` of a dialogue step has it
    router    `fastapi.APIRouter` of its routes beside the pages; None: it has none
    page      template in its folder of the page that stands while a dialogue is held
    problems  words with which an address of the channel may send a participant back to that page
    """

    name: str
    router: Any = None
    page: str = "page"
    problems: frozenset[str] = frozenset()

    @cached_property
    def folder(self) -> Path:
        """Where its page stands."""
        return Path(getfile(type(self))).parent

    @abstractmethod
    def told(self, study: "Study") -> Information:
        """What participants are told beside what they do: the lead, what it takes, what of them is kept."""

    @abstractmethod
    def course(self) -> str:
        """The channel in a line of the preregistration: `by telephone`."""

    @abstractmethod
    def require(self, study: "Study") -> None:
        """Look, before anything is started, whether the study's dialogues can be held.

        Raises  InputError: an address is taken, a setting lacks what it needs
        """

    @abstractmethod
    def open(self, engine: Any) -> Line:
        """The line for one study, not started yet.

        Input   engine: its `SessionEngine`
        Raises  InputError: it cannot be made
        """

    @abstractmethod
    def facts(
        self, study: "Study", line: Line | None, visit_id: str, problem: str | None
    ) -> Mapping[str, object]:
        """What the page shows beside the task.

        Input   line: as it was opened for the study; None where nothing is carried here, as in a preview
                problem: one of its `problems`, or of the pages'; None: there is none
        """


CHANNELS: Final[Shelf[Channel]] = Shelf("channel", Channel)


def check_channels(visit: list[tuple[int, Any]], source: Source) -> None:
    """Reports dialogues by a channel that no package offers."""
    known = [*CARRIED_BY_PAGES, *CHANNELS.names()]
    for index, entry in visit:
        if entry.dialogue is not None and (name := entry.dialogue.channel) not in known:
            unknown = UnknownName("channel", name, known)
            source.report(("visit", index, "dialogue", "channel"), unknown.problem, unknown.hint)


def channel_of(name: str) -> Channel | None:
    """The channel of this name; None for what the pages carry themselves.

    Raises  InputError: its package cannot be loaded
    """
    return CHANNELS.get(name) if name in CHANNELS else None


def channels_of(study: "Study") -> list[Channel]:
    """The channels that steps of a study name."""
    names = dict.fromkeys(getattr(step, "channel", "") for step in study.visit)
    return [channel for channel in map(channel_of, names) if channel is not None]
