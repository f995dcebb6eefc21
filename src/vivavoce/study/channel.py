"""Interface of a channel, and the registry of channels from installed packages.

The participants' pages carry typed text. Another way, such as a microphone or a telephone, is a channel:
it opens a line that runs while the pages do, and brings its own page, or additions to the chat.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from functools import cached_property
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.core.registry import Registry
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.study.information import Information
from vivavoce.study.steps import DialoguePlan

if TYPE_CHECKING:
    from vivavoce.study.model import Study

TEXT: Final = "text"  # what the pages carry themselves


class Line(Protocol):
    """Carrier of one study's dialogues while its pages are served."""

    async def start(self) -> None: ...
    async def stop(self) -> None: ...

    def announced(self) -> list[str]:
        """Lines for the person who serves the study, such as addresses."""
        ...


class Channel(ABC):
    """One way in which dialogues are held.

    name      as `channel` of a dialogue step has it
    router    `fastapi.APIRouter` of its routes beside the pages; None: it has none
    page      template in its folder of the page that stands while a dialogue is held; scripts are in `static`
    in_chat   the page is the chat's, to which the template adds: it extends `chat.html`
    spoken    people are heard: the sound of systems that speak is kept, and speech may be degraded
    uploads   its addresses to which pages send sound, which is larger than other messages
    problems  words with which an address of the channel may send a participant back to that page
    """

    name: str
    router: Any = None
    page: str = "page"
    in_chat: bool = False
    spoken: bool = False
    uploads: tuple[str, ...] = ()
    problems: frozenset[str] = frozenset()

    @cached_property
    def folder(self) -> Path:
        """Path of the page's template."""
        return Path(getfile(type(self))).parent

    @abstractmethod
    def participant_info(self, study: "Study") -> Information:
        """Information for participants: introduction, requirements, recorded data."""

    @abstractmethod
    def preregistration_line(self) -> str:
        """The channel in a line of the preregistration: `by telephone`."""

    def missing(self, study: "Study") -> list[InputError]:
        """Requirements of the study's dialogues that this machine lacks, such as a synthesiser; [] if none.

        Note  `check` reports all of it; `serve` does not start
        """
        return []

    def doubts(self, study: "Study") -> list[str]:
        """Warnings for `check`, one line each."""
        return []

    @abstractmethod
    def require(self, study: "Study") -> None:
        """Check before the start that the study's dialogues can be held.

        Raises  InputError: an address is taken, or a setting is incomplete
        """

    @abstractmethod
    def open(self, engine: Any) -> Line:
        """The line for one study, not started yet.

        Input   engine: its `SessionEngine`
        Raises  InputError: it cannot be made
        """

    @abstractmethod
    def facts(self, study: "Study", line: Any, state: Any, problem: str | None) -> Mapping[str, object]:
        """Content that the page shows beside the task.

        Input   line: as opened for the study; None where nothing is carried, as in a preview
            state: the visit's, a `VisitState`
            problem: one of its `problems`, or of the pages'; None without one
        """


CHANNELS: Final[Registry[Channel]] = Registry("channel", Channel)


def check_channels(held: Iterable[tuple[KeyPath, DialoguePlan]], source: Source) -> None:
    """Report dialogues by a channel that no package offers."""
    known = [TEXT, *CHANNELS.names()]
    for at, plan in held:
        if plan.channel not in known:
            unknown = UnknownName("channel", plan.channel, known)
            source.report((*at, "channel"), unknown.problem, unknown.hint)


def channel_of(name: str) -> Channel | None:
    """The channel of this name; None for text, and for one that no package offers now.

    Raises  InputError: its package cannot be loaded
    """
    return CHANNELS.get(name) if name in CHANNELS else None


def is_spoken(name: str) -> bool:
    """True for a channel with speech from participants."""
    channel = channel_of(name)
    return channel is not None and channel.spoken
