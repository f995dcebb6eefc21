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
CALLED: Final = "phone"  # connector of systems that are telephone numbers


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
    spoken    participants speak: the sound of systems that speak is kept, and speech may be degraded
    calls_out  a dialogue is held in a telephone call, beside the page
    uploads   its addresses to which pages send sound, which is larger than other messages
    problems  words with which an address of the channel may send a participant back to that page
    """

    name: str
    router: Any = None
    page: str = "page"
    in_chat: bool = False
    spoken: bool
    calls_out: bool
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

    def check(self, at: KeyPath, plan: DialoguePlan, file: Any, source: Source) -> None:  # noqa: B027
        """Report settings with which a dialogue cannot be held by this channel.

        Input   file: its `StudyFile`
        """

    def bridges(self, file: Any) -> bool:
        """True if systems that are called by telephone can hear participants while they speak."""
        return False

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


def _states_its_facts(made: Any) -> bool:
    facts = (getattr(made, "spoken", None), getattr(made, "calls_out", None))
    return isinstance(made, Channel) and all(isinstance(fact, bool) for fact in facts)


CHANNELS: Final[Registry[Channel]] = Registry(
    "channel", Channel, fits=_states_its_facts, needs="to be a Channel, spoken and calls_out (True or False)"
)


def check_channels(held: Iterable[tuple[KeyPath, DialoguePlan]], file: Any, source: Source) -> None:
    """Report dialogues that their channel cannot hold, and channels that no package offers.

    Input   held: those of channels other than text
    """
    for at, plan in held:
        if (channel := channel_of(plan.channel)) is not None:
            channel.check(at, plan, file, source)
        else:
            unknown = UnknownName("channel", plan.channel, [TEXT, *CHANNELS.names()])
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


def calls_out(name: str) -> bool:
    """True for a channel of telephone calls."""
    channel = channel_of(name)
    return channel is not None and channel.calls_out


def check_called_system(
    system: str, channels: Iterable[tuple[KeyPath, str]], file: Any, source: Source
) -> None:
    """Report steps where participants write or push a button to speak to a system called by telephone.

    Input   channels: of each step in which systems answer; file: the `StudyFile`
    """
    for path, name in channels:
        channel = channel_of(name)
        if channel is None or not channel.bridges(file):
            problem = f"system {system!r} is a telephone number, but this step has channel {name}"
            hint = "write channel: phone, or voice: {microphone: open}, or connect the system otherwise"
            source.report(path, problem, hint)
