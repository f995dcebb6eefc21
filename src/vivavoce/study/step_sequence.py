"""Steps as written turned into steps as walked: forms about a dialogue join the dialogues before them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Final, NamedTuple, get_args

from pydantic import ValidationError

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.questionnaires.instrument import INSTRUMENTS, About
from vivavoce.study.pairs_study import TranscriptPairs
from vivavoce.study.recordings import CURE
from vivavoce.study.step_kind import STEPS, StepKind, consent_of, dialogues_of, form_of, kind_of
from vivavoce.study.steps import (
    BattlePlan,
    DialoguePlan,
    FormSettings,
    OfferedStep,
    OwnStep,
    QuestionnaireStep,
    Range,
    ScreenSettings,
    Step,
    StepEntry,
)

Entries = Sequence[tuple[int, StepEntry]]
OWN: Final[dict[str, type[Any]]] = {
    kind.model_fields["kind"].default: kind for kind in get_args(get_args(OwnStep)[0])
}


class PlacedStep(NamedTuple):
    """A step, its kind and its place in the study file, with what is done in it."""

    at: KeyPath
    step: Step
    kind: StepKind[Any]
    dialogues: DialoguePlan | None
    battles: BattlePlan | None


class Walk:
    """The steps of a visit, and where each stands in the study file.

    Input   entries: with their positions in the file; offered: the steps of other packages by their place
    placed      the steps, in order
    held        the dialogues of each step that holds some, with its place
    answering   the channel of each step in which systems answer; battles are written
    """

    def __init__(self, entries: Entries, offered: Mapping[int, OfferedStep]) -> None:
        self._indices = [index for index, _ in entries]
        self._written = [entry.written for _, entry in entries]
        self._forms = [entry.questionnaire for _, entry in entries]
        self.paths: list[KeyPath] = [
            ("visit", index, name) for index, (name, _) in zip(self._indices, self._written, strict=True)
        ]
        self._placed: dict[int, PlacedStep] = {}
        for place, (name, settings) in enumerate(self._written):
            step = offered.get(place) or _made(name, settings)
            if step is not None:
                self._placed[place] = self._place(place, step)
        self.placed = list(self._placed.values())
        self.visit = tuple(placed.step for placed in self.placed)
        self.held = [(placed.at, placed.dialogues) for placed in self.placed if placed.dialogues is not None]
        self.answering = [(placed.at, "text") for placed in self.placed if placed.battles is not None]
        self.answering += [(at, plan.channel) for at, plan in self.held]

    def _place(self, place: int, step: Step) -> PlacedStep:
        kind = STEPS.get(step.kind)
        plan = kind.dialogues(step)
        if plan is not None:
            step = step.model_copy(update={"feedback": self._feedback(place)})
            plan = dialogues_of(step)
        return PlacedStep(self.paths[place], step, kind, plan, kind.battles(step))

    @property
    def presented(self) -> list[tuple[KeyPath, TranscriptPairs]]:
        """The pairs of transcripts of each step that presents some."""
        pairs = ((placed.at, placed.kind.transcript_pairs(placed.step)) for placed in self.placed)
        return [(at, presented) for at, presented in pairs if presented is not None]

    @property
    def forms(self) -> dict[str, KeyPath]:
        """The questionnaires that are asked, and where each is named first."""
        named: dict[str, KeyPath] = {}
        for at, (_, settings) in zip(self.paths, self._written, strict=True):
            if isinstance(settings, FormSettings):
                named.setdefault(settings.use, at)
        for at, (_, settings) in zip(self.paths, self._written, strict=True):
            if isinstance(settings, ScreenSettings):
                named.setdefault(settings.use, (*at, "use"))
        for placed in self.placed:
            for name in placed.kind.forms(placed.step):
                named.setdefault(name, placed.at)
        return named

    @property
    def unasked(self) -> list[KeyPath]:
        """The steps that record before participants have agreed to be recorded."""
        return [self.placed[number].at for number in _unasked(self.visit)]

    def check(self, source: Source) -> None:
        """Report steps that do not fit together."""
        seen = set[str]()
        for placed in self.placed:
            if placed.kind.once and placed.step.kind in seen:
                source.report(placed.at, f"there are two steps {placed.step.kind!r}", placed.kind.once)
            seen.add(placed.step.kind)
        for at, plan in self.held:
            if plan.external is not None and plan.gate != "code":
                problem = f"gate {plan.gate!r} cannot see a dialogue outside the page"
                source.report((*at, "gate"), problem, "write gate: code")
        for place, (_, settings) in enumerate(self._written):
            if isinstance(settings, ScreenSettings) and settings.use in INSTRUMENTS:
                _check_screen(settings, self.paths[place], source)
            elif isinstance(settings, FormSettings) and settings.use in INSTRUMENTS:
                self._check_form(place, settings, source)
        self._check_systems(source)

    def _check_form(self, place: int, form: FormSettings, source: Source) -> None:
        if about(form) == "dialogue" and not self._follows_dialogue(place):
            hint = f"put it right after a dialogue step, or write {{use: {form.use}, about: visit}}"
            source.report(self.paths[place], f"{form.use!r} is about a dialogue but follows none", hint)
        elif any(form.use == other.use for other in self._forms[self._run(place) : place] if other):
            source.report(self.paths[place], f"{form.use!r} is asked twice in a row", "remove one of them")

    def _run(self, place: int) -> int:
        """Start of the unbroken run of questionnaires that ends just before this place."""
        while place > 0 and self._forms[place - 1] is not None:
            place -= 1
        return place

    def _follows_dialogue(self, place: int) -> bool:
        """True if only questionnaires stand between it and dialogues; invalid steps may hide some."""
        first = self._run(place)
        before = self._indices[first - 1] if first else -1
        if self._indices[place] - before != place - first + 1:
            return True
        return first > 0 and (first - 1 not in self._placed or self._placed[first - 1].dialogues is not None)

    def _feedback(self, place: int) -> tuple[QuestionnaireStep, ...]:
        """The forms right after a step of dialogues that are about a dialogue."""
        return tuple(
            QuestionnaireStep(name=form.use, about="dialogue")
            for form in takewhile(bool, self._forms[place + 1 :])
            if form and form.use in INSTRUMENTS and about(form) == "dialogue"
        )

    def _check_systems(self, source: Source) -> None:
        """Report missing systems; a visit in which something else is done needs none."""
        systems, visit = source.data.get("systems"), source.data.get("visit")
        if visit is None and "protocol" in source.data:
            return  # nobody knows what is done in it
        if not self.answering:
            sound = sum(form is not None or place in self._placed for place, form in enumerate(self._forms))
            if (isinstance(visit, list) and len(visit) > sound) or any(map(_does_something, self.visit)):
                return
        if "systems" not in source.data:
            source.report(("systems",), "'systems' is missing", "add it")
        elif systems == {}:
            source.report(("systems",), "no system is defined", "write `NAME: {connect: ...}`")
        elif isinstance(systems, dict) and len(systems) < 2:
            for placed in self.placed:
                if placed.battles is not None:
                    problem = "two different systems are needed, but only one is defined"
                    source.report(placed.at, problem, "name another")


def _made(name: str, settings: Any) -> Step | None:
    """A step as walked; None for a form about a dialogue, and for steps of other packages."""
    if isinstance(settings, ScreenSettings):
        admit = {item: Range(min=codes.min, max=codes.max) for item, codes in settings.admit.items()}
        return QuestionnaireStep(name=settings.use, about="visit", admit=admit, quotas=settings.quotas)
    if isinstance(settings, FormSettings):
        known = settings.use in INSTRUMENTS and about(settings) == "visit"
        return QuestionnaireStep(name=settings.use, about="visit") if known else None
    return OWN[name].model_validate(settings.model_dump()) if name in OWN else None


def written_dialogues(step: Any) -> DialoguePlan | None:
    """The dialogues of a step as a study file has it; None: it holds none, or this version cannot read it."""
    try:
        name, settings = StepEntry.model_validate(step).written
        if name not in StepEntry.model_fields:
            settings = STEPS.get(name).settings.model_validate(settings)
            return dialogues_of(OfferedStep(kind=name, settings=settings))
        return dialogues_of(_made(name, settings))
    except (ValidationError, InputError):
        return None


def recording_warnings(visit: Sequence[Step]) -> list[str]:
    """One line where a visit records and asks nobody for any consent; [] where it does."""
    return [
        f"visit[{one}].{visit[one].kind} records without consent; {CURE}"
        for one in islice(_unasked(visit, any_consent=True), 1)
    ]


def _unasked(visit: Iterable[Step], *, any_consent: bool = False) -> Iterator[int]:
    """The places of steps that record before participants agreed to be recorded; any_consent: to anything."""
    agreed = False
    for place, step in enumerate(visit):
        consent = consent_of(step)
        agreed = agreed or (consent is not None and (consent.recording or any_consent))
        if not agreed and kind_of(step).records(step):
            yield place


def _does_something(step: Step) -> bool:
    """True if participants do more than read, agree and fill in a questionnaire."""
    return step.document is None and form_of(step) is None and consent_of(step) is None


def _check_screen(screen: ScreenSettings, path: KeyPath, source: Source) -> None:
    """A screen asks items that its questionnaire has, for codes that their scales have."""
    instrument = INSTRUMENTS.get(screen.use)
    scales = {item.item_id: instrument.scale_of(item) for item in instrument.items}
    quotas = [
        ("quotas", item, Range(min=min(places), max=max(places)))
        for item, places in screen.quotas.items()
        if places
    ]
    for key, item, codes in [("admit", *one) for one in screen.admit.items()] + quotas:
        at: KeyPath = (*path, key, item)
        if (scale := scales.get(item)) is None:
            known = [name for name, one in scales.items() if one is not None]
            source.report(at, f"{screen.use!r} has no item {item!r} with codes", nearest(item, known))
        elif not scale.low <= codes.min <= codes.max <= scale.high:
            problem = f"{codes} is outside the scale of {item!r}"
            source.report(at, problem, f"its codes are {scale.low}..{scale.high}")


def about(form: FormSettings) -> About:
    """Subject of a questionnaire: as the study says, else as its instrument says."""
    return form.about or INSTRUMENTS.get(form.use).about
