"""Sources of participants: the registry of recruiters from installed packages, and a study's own.

A recruiter is a key of the study file's section `recruitment`. It says who may come in, and where people go
when they are done. Paying them is its package's business: the participants' pages never pay anybody.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from inspect import getfile
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel

from vivavoce.core.errors import InputError
from vivavoce.core.registry import Registry
from vivavoce.core.validation import read_part
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.study.steps import DialoguePlan, Range

AT: Final[KeyPath] = ("recruitment",)


@dataclass(frozen=True)
class Admission:
    """Somebody who may come in, as the recruiter knows them.

    ticket    one place or invitation, of which one visit comes; None: none, as by an open link
    person    the recruiter's key for the person, the same at every visit; None: it has none
    verified  whether the recruiter vouches for them: only then the ticket leads back into its visit from
              another browser
    once      whoever came before with another ticket is refused
    until     after when none of their dialogues begins; one that goes on is held to its end. None: whenever
    participant  pseudonym that they have already, of an earlier session; None: whoever the person is
    page      address of the recruiter's own page for who has begun in another browser, and does not go on in
              this one whether verified or not; None: `verified` decides
    """

    ticket: str | None = None
    person: str | None = None
    verified: bool = False
    once: bool = False
    page: str | None = None
    participant: str | None = None
    until: datetime | None = None


class NotAdmitted(Exception):
    """Somebody may not come in; `kind` is the message that the page shows them.

    page  address of the recruiter's own page that says more, in its place; None: there is none
    at    from when on they may come, or until when they might have
    """

    def __init__(
        self,
        kind: Literal["no_invitation", "not_proven", "recruiter_away", "preview", "early", "late"],
        page: str | None = None,
        at: datetime | None = None,
    ) -> None:
        self.kind, self.page, self.at = kind, page, at
        super().__init__(kind)


class NoticeRefused(Exception):
    """Rejected message to a recruiter's address; its sender sees only `reason`."""

    def __init__(self, reason: Literal["unexpected", "unsigned", "late", "unreadable"]) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class HandBack:
    """Completion details for a participant.

    code   to be shown; None: there is none
    url    where they go to say that they are done; None: nowhere
    place  what that is called
    fields what is posted there as a form; None: they just go there
    """

    code: str | None = None
    url: str | None = None
    place: str = ""
    fields: Mapping[str, str] | None = None


class Recruiter(ABC):
    """One way in which participants come, as a package offers it in the group `vivavoce.recruiters`.

    name      its key in the study file's section `recruitment`; visits have it as their pool
    settings  what may be written under that key
    summary   what it is, in a line
    router    `fastapi.APIRouter` of its pages beside the participants'; None: it has none
    """

    name: str
    settings: ClassVar[type[BaseModel]]
    summary: ClassVar[str]
    router: Any = None

    @cached_property
    def folder(self) -> Path:
        """Folder of its pages; scripts and styles are in `static`."""
        return Path(getfile(type(self))).parent

    def dialogues(self, settings: Any) -> Range | None:
        """Number of dialogues of each participant; None: as in the visit's step."""
        return None

    def words(self, settings: Any) -> Mapping[str, str | Mapping[str, str]]:
        """Texts for participants in the settings, by key: for all languages, or by language."""
        return {}

    def places(self, settings: Any, study: str, log: Any) -> int | None:
        """Number of participants to recruit; None: no limit."""
        return None

    def framed_by(self, settings: Any) -> Sequence[str]:
        """Origins whose pages may show the study in a frame, and get forms posted; most have none."""
        return ()

    def previews(self, settings: Any, query: Mapping[str, str]) -> bool:
        """True for visitors who only preview the study: they read its description, nothing more."""
        return False

    @abstractmethod
    def claims(self, settings: Any, query: Mapping[str, str]) -> bool:
        """True if a link with these parameters comes from this recruiter."""

    @abstractmethod
    def admit(self, settings: Any, study: str, log: Any, query: Mapping[str, str]) -> Admission:
        """Admit a participant with these parameters; may ask other services and wait.

        Input   log: the study's, a `Log`
        Raises  NotAdmitted: it is not proven that they come from here
        """

    @abstractmethod
    def hand_back(
        self, settings: Any, study: str, log: Any, outcome: str | None, code: str | None
    ) -> HandBack:
        """Completion details for a participant whose visit has ended.

        Input   outcome: of the visit, durably stored by now; code: the study's own completion code
        """

    def hand_back_visit(
        self, settings: Any, study: str, log: Any, visit_id: str, outcome: str | None, code: str | None
    ) -> HandBack:
        """Completion details of a participant's own visit, usually the same for each outcome."""
        return self.hand_back(settings, study, log, outcome, code)

    def receive(self, settings: Any, study: str, log: Any, headers: Mapping[str, str], body: bytes) -> None:
        """Take what the recruiter's platform tells by itself at `/recruiters/NAME/notices`; most are silent.

        Note    the same may come several times, late, and in any order, or never
        Raises  NoticeRefused: it is not from there, or says nothing
        """
        raise NoticeRefused("unexpected")


RECRUITERS: Final[Registry[Recruiter]] = Registry("recruiter", Recruiter)


def read_recruitment(written: Mapping[str, Any], source: Source) -> dict[str, BaseModel]:
    """The settings of each recruiter of a study, by name; what does not fit is reported and left out."""
    found = {name: _settings(name, settings, source) for name, settings in written.items()}
    return {name: one for name, one in found.items() if one is not None}


def _settings(name: str, written: Any, source: Source) -> BaseModel | None:
    try:
        model = RECRUITERS.get(name).settings
    except InputError as error:
        source.report((*AT, name), error.problem, error.hint)
        return None
    return read_part(source, model, {} if written is None else written, (*AT, name))


def check_recruitment(
    recruitment: Mapping[str, BaseModel],
    held: Iterable[tuple[KeyPath, DialoguePlan]],
    languages: Sequence[str],
    source: Source,
) -> None:
    """Recruiters' words are in the study's languages, their dialogues fit the visit; else it is reported."""
    plans = list(held)
    for name, settings in recruitment.items():
        for key, words in RECRUITERS.get(name).words(settings).items():
            check_words(words, (*AT, name, key), languages, source)
        wanted, at = RECRUITERS.get(name).dialogues(settings), (*AT, name, "dialogues")
        if wanted is None:
            continue
        if len(plans) != 1:
            problem = f"dialogues {wanted} in a visit with {len(plans)} steps that hold dialogues"
            source.report(at, problem, "use one such step in the visit, or leave this key out")
            continue
        plan = plans[0][1]
        if wanted.max < 1:
            source.report(at, "no dialogue", "write, for example, 15..40, or leave this key out")
        elif not plan.repeat.min <= wanted.min <= wanted.max <= plan.repeat.max:
            wider = f"{min(wanted.min, plan.repeat.min)}..{max(wanted.max, plan.repeat.max)}"
            problem = f"dialogues {wanted} exceed the visit's repeat: {plan.repeat}"
            source.report(at, problem, f"write repeat: {wider} in the visit, or fewer dialogues here")


def check_words(
    words: str | Mapping[str, str], at: KeyPath, languages: Sequence[str], source: Source
) -> None:
    """Words by language are there in each language of the study, and in no other; else it is reported."""
    if isinstance(words, str):
        return
    known = ", ".join(languages)
    for language in words:
        if language not in languages:
            source.report((*at, language), f"{language!r} is not a language of this study", f"known: {known}")
    lacking = [one for one in languages if one not in words]
    if lacking:
        hint = f"add `{lacking[0]}: ...`, or write one text for all languages"
        source.report(at, f"no text in {' and '.join(lacking)}", hint)


def repeat_of(recruitment: Mapping[str, BaseModel], pool: str, plan: DialoguePlan) -> Range:
    """Number of dialogues in a step for a participant of this recruiter."""
    if pool not in recruitment:
        return plan.repeat
    return RECRUITERS.get(pool).dialogues(recruitment[pool]) or plan.repeat


def framing_origins(recruitment: Mapping[str, BaseModel]) -> list[str]:
    """Origins that may show a study in a frame."""
    found = (RECRUITERS.get(name).framed_by(settings) for name, settings in recruitment.items())
    return sorted({origin for origins in found for origin in origins})


def recruiter_for(
    recruitment: Mapping[str, BaseModel], query: Mapping[str, str]
) -> tuple[Recruiter, BaseModel] | None:
    """The recruiter of a study that somebody says to come from, with its settings; None: there is none.

    Note  one that takes everybody, as an open link does, comes after those that know the link's parameters
    """
    each = [(RECRUITERS.get(name), settings) for name, settings in recruitment.items()]
    found = [(one, settings) for one, settings in each if one.claims(settings, query)]
    return min(found, key=lambda one: one[0].claims(one[1], {}), default=None)
