"""Steps as written turned into steps as walked: forms about a dialogue join the dialogues before them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, Final, get_args

from pydantic import ValidationError

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.questionnaires.instrument import INSTRUMENTS, About
from vivavoce.study.pairs_study import TranscriptPairs
from vivavoce.study.recordings import CURE
from vivavoce.study.step_kind import STEPS, battles_of, consent_of, dialogues_of, form_of, kind_of
from vivavoce.study.steps import DialoguePlan, OfferedStep, OwnStep, QuestionnaireStep, Step
from vivavoce.study.steps_file import FormSettings, Range, ScreenSettings, StepEntry

Entries = Sequence[tuple[int, StepEntry]]
OWN: Final[dict[str, type[Any]]] = {
    kind.model_fields["kind"].default: kind for kind in get_args(get_args(OwnStep)[0])
}


class Walk:
    """The steps of a visit by their place among the entries, and where each stands in the study file.

    Input   entries: with their positions in the file; offered: the steps of other packages by their place
    """

    def __init__(self, entries: Entries, offered: Mapping[int, OfferedStep]) -> None:
        self._indices = [index for index, _ in entries]
        self.paths: list[KeyPath] = [("visit", index, entry.written[0]) for index, entry in entries]
        self._forms = [entry.questionnaire for _, entry in entries]
        self._screens = [entry.screen for _, entry in entries]
        made = (_made(entry) for _, entry in entries)
        steps = {place: step for place, step in enumerate(made) if step is not None} | dict(offered)
        self.steps: dict[int, Step] = {
            place: step
            if dialogues_of(step) is None
            else step.model_copy(update={"feedback": self._feedback(place)})
            for place, step in sorted(steps.items())
        }

    @property
    def visit(self) -> tuple[Step, ...]:
        return tuple(self.steps.values())

    @property
    def placed(self) -> list[tuple[KeyPath, Step]]:
        return [(self.paths[place], step) for place, step in self.steps.items()]

    @property
    def held(self) -> list[tuple[KeyPath, DialoguePlan]]:
        """The dialogues of each step that holds some."""
        return [(at, plan) for at, step in self.placed if (plan := dialogues_of(step)) is not None]

    @property
    def answering(self) -> list[tuple[KeyPath, str]]:
        """The channel of each step in which systems answer; battles are written."""
        battles = [(at, "text") for at, step in self.placed if battles_of(step) is not None]
        return [*battles, *((at, plan.channel) for at, plan in self.held)]

    @property
    def presented(self) -> list[tuple[KeyPath, TranscriptPairs]]:
        """The pairs of transcripts of each step that presents some."""
        found = ((at, kind_of(step).transcript_pairs(step)) for at, step in self.placed)
        return [(at, pairs) for at, pairs in found if pairs is not None]

    @property
    def forms(self) -> dict[str, KeyPath]:
        """The questionnaires that are asked, and where each is named first."""
        written = [(at, form.use) for at, form in zip(self.paths, self._forms, strict=True) if form]
        written += [((*at, "use"), one.use) for at, one in zip(self.paths, self._screens, strict=True) if one]
        named = [(at, name) for at, step in self.placed for name in kind_of(step).forms(step)]
        return {name: at for at, name in reversed([*written, *named])}

    @property
    def unasked(self) -> list[KeyPath]:
        """The steps that record before participants have agreed to be recorded."""
        return [self.placed[number][0] for number in _unasked(self.visit)]

    def lacks(self, written: Any) -> bool:
        """True if an invalid step may hide what happens in the visit."""
        sound = sum(form is not None or place in self.steps for place, form in enumerate(self._forms))
        return isinstance(written, list) and len(written) > sound

    def check(self, source: Source) -> None:
        """Reports steps that do not fit together."""
        seen = set[str]()
        for at, step in self.placed:
            hint = kind_of(step).once
            if hint and step.kind in seen:
                source.report(at, f"there are two steps {step.kind!r}", hint)
            seen.add(step.kind)
        for at, plan in self.held:
            if plan.external is not None and plan.gate != "code":
                problem = f"gate {plan.gate!r} cannot see a dialogue outside the page"
                source.report((*at, "gate"), problem, "write gate: code")
        for at, screen in zip(self.paths, self._screens, strict=True):
            if screen is not None:
                _check_screen(screen, at, source)
        for place, form in enumerate(self._forms):
            if form is not None and form.use in INSTRUMENTS:
                self._check_form(place, form, source)

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
        return first > 0 and (first - 1 not in self.steps or dialogues_of(self.steps[first - 1]) is not None)

    def _feedback(self, place: int) -> tuple[QuestionnaireStep, ...]:
        """The forms right after a step of dialogues that are about a dialogue."""
        return tuple(
            QuestionnaireStep(name=form.use, about="dialogue")
            for form in takewhile(bool, self._forms[place + 1 :])
            if form and form.use in INSTRUMENTS and about(form) == "dialogue"
        )


def _made(entry: StepEntry) -> Step | None:
    """The step of an entry; None for a form about a dialogue, and for steps of other packages."""
    name, written = entry.written
    if (screen := entry.screen) is not None:
        admit = {item: Range(min=codes.min, max=codes.max) for item, codes in screen.admit.items()}
        return QuestionnaireStep(name=screen.use, about="visit", admit=admit, quotas=screen.quotas)
    if (form := entry.questionnaire) is not None:
        known = form.use in INSTRUMENTS and about(form) == "visit"
        return QuestionnaireStep(name=form.use, about="visit") if known else None
    if name not in OWN:
        return None
    return OWN[name].model_validate(written.model_dump())


def written_dialogues(step: Any) -> DialoguePlan | None:
    """The dialogues of a step as a study file has it; None: it holds none, or this version cannot read it."""
    try:
        entry = StepEntry.model_validate(step)
        name, written = entry.written
        if name in StepEntry.model_fields:
            return dialogues_of(_made(entry))
        return dialogues_of(OfferedStep(kind=name, settings=STEPS.get(name).settings.model_validate(written)))
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


def check_systems(walk: Walk, written: Mapping[str, Any], source: Source) -> None:
    """A visit in which something is done that is no dialogue needs no system.

    Input   written: the study file
    """
    systems = written.get("systems")
    if "visit" not in written and "protocol" in written:
        return  # nobody knows what is done in it
    if not walk.answering and (
        walk.lacks(written.get("visit")) or any(_does_something(step) for step in walk.visit)
    ):
        return
    if "systems" not in written:
        source.report(("systems",), "'systems' is missing", "add it")
    elif systems == {}:
        source.report(("systems",), "no system is defined", "write `NAME: {connect: ...}`")
    elif isinstance(systems, dict) and len(systems) < 2:
        for at in (at for at, step in walk.placed if battles_of(step) is not None):
            source.report(at, "two different systems are needed, but only one is defined", "name another")


def _does_something(step: Step) -> bool:
    """True if participants do more than read, agree and fill in a questionnaire."""
    return step.document is None and form_of(step) is None and consent_of(step) is None


def _check_screen(screen: ScreenSettings, path: KeyPath, source: Source) -> None:
    """A screen asks items that its questionnaire has, for codes that their scales have."""
    if screen.use not in INSTRUMENTS:
        return
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
