"""Steps as written turned into steps as walked: forms about a dialogue join the dialogue before them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from vivavoce.core.errors import nearest
from vivavoce.core.yaml_source import KeyPath, Source
from vivavoce.questionnaires.instrument import INSTRUMENTS, About
from vivavoce.study.pairs import ComparisonQuestion, Pair
from vivavoce.study.steps import (
    ArenaStep,
    CompareStep,
    ConsentStep,
    DebriefStep,
    DialogueStep,
    ElicitStep,
    InstructionsStep,
    ListenStep,
    OfferedStep,
    QuestionnaireStep,
    RateStep,
    Step,
    TranscribeStep,
)
from vivavoce.study.steps_file import FormSettings, Range, ScreenSettings, StepEntry

OfKind = TypeVar("OfKind", bound=BaseModel)


def walked(
    entries: list[StepEntry],
    pairs: tuple[Pair, ...] = (),
    questions: tuple[ComparisonQuestion, ...] = (),
    names: tuple[str, ...] = (),
    folder: Path = Path(),
    offered: Mapping[int, OfferedStep] | None = None,
) -> tuple[Step, ...]:
    """The steps in order; forms about a dialogue become the `feedback` of the dialogue step before them.

    names   what the systems are called, to be masked in the arena
    folder  where the study file stands
    offered the steps of other packages, by their place among the entries
    """
    steps: list[Step] = []
    every = tuple(dict.fromkeys(pair.variable for pair in pairs if pair.attention is None))
    asked = tuple(question.question_id for question in questions)
    for position, entry in enumerate(entries):
        if entry.consent is not None:
            steps.append(ConsentStep(file=entry.consent.file))
        elif entry.instructions is not None:
            steps.append(InstructionsStep(file=entry.instructions.file))
        elif entry.debrief is not None:
            steps.append(DebriefStep(file=entry.debrief.file))
        elif entry.dialogue is not None:
            steps.append(_step(DialogueStep, entry.dialogue, feedback=_feedback(entries, position)))
        elif entry.compare is not None:
            variables = tuple(entry.compare.variables or every)
            steps.append(_step(CompareStep, entry.compare, variables=variables, questions=asked))
        elif entry.rate is not None:
            steps.append(_step(RateStep, entry.rate, variables=tuple(entry.rate.variables or every)))
        elif entry.arena is not None:
            masked = tuple(dict.fromkeys((*names, *entry.arena.mask)))
            steps.append(_step(ArenaStep, entry.arena, names=masked))
        elif entry.listen is not None:
            steps.append(_step(ListenStep, entry.listen, audio=folder / entry.listen.audio))
        elif entry.transcribe is not None:
            steps.append(_step(TranscribeStep, entry.transcribe, audio=folder / entry.transcribe.audio))
        elif entry.elicit is not None:
            steps.append(_step(ElicitStep, entry.elicit))
        elif entry.screen is not None:
            admit = {item: Range(min=codes.min, max=codes.max) for item, codes in entry.screen.admit.items()}
            steps.append(QuestionnaireStep(name=entry.screen.use, about="visit", admit=admit))
        elif entry.questionnaire is not None and about(entry.questionnaire) == "visit":
            steps.append(QuestionnaireStep(name=entry.questionnaire.use, about="visit"))
        elif offered and position in offered:
            steps.append(offered[position])
    return tuple(steps)


def _step(kind: type[OfKind], written: BaseModel, **found: Any) -> OfKind:
    """A step as it was written, with what was found of the files that it names."""
    return kind.model_validate({**written.model_dump(), **found})


def check_walk(entries: list[tuple[int, StepEntry]], source: Source) -> None:
    """Reports steps that do not fit together; entries come with their position in the file."""
    written, places = [entry for _, entry in entries], [index for index, _ in entries]
    compared, once = False, set[str]()
    for position, (index, entry) in enumerate(entries):
        path = ("visit", index)
        if entry.compare is not None:
            if compared:
                source.report((*path, "compare"), "transcripts are compared twice", "keep one of the steps")
            compared = True
        _check_once(entry, (*path,), once, source)
        if (
            (dialogue := entry.dialogue) is not None
            and dialogue.elsewhere is not None
            and dialogue.gate != "code"
        ):
            problem = f"gate {dialogue.gate!r} cannot see a dialogue held elsewhere"
            source.report((*path, "dialogue", "gate"), problem, "write gate: code")
        if entry.screen is not None:
            _check_screen(entry.screen, path, source)
        form = entry.questionnaire
        if form is None:
            continue
        if form.use not in INSTRUMENTS:
            hint = nearest(form.use, INSTRUMENTS.names())
            source.report((*path, "questionnaire"), f"unknown questionnaire {form.use!r}", hint)
        elif about(form) == "dialogue" and not _follows_dialogue(written, places, position):
            hint = f"put it right after a dialogue step, or write {{use: {form.use}, about: visit}}"
            problem = f"{form.use!r} is about a dialogue but follows none"
            source.report((*path, "questionnaire"), problem, hint)
        elif any(form.use == other.use for other in _neighbours(written, position)):
            problem = f"{form.use!r} is asked twice in a row"
            source.report((*path, "questionnaire"), problem, "remove one of them")


def _check_screen(screen: ScreenSettings, path: KeyPath, source: Source) -> None:
    """A screen asks items that its questionnaire has, for codes that their scales have."""
    if screen.use not in INSTRUMENTS:
        hint = nearest(screen.use, INSTRUMENTS.names())
        source.report((*path, "screen", "use"), f"unknown questionnaire {screen.use!r}", hint)
        return
    instrument = INSTRUMENTS.get(screen.use)
    scales = {item.item_id: instrument.scale_of(item) for item in instrument.items}
    for item, codes in screen.admit.items():
        at: KeyPath = (*path, "screen", "admit", item)
        if (scale := scales.get(item)) is None:
            known = [name for name, one in scales.items() if one is not None]
            source.report(at, f"{screen.use!r} has no item {item!r} with codes", nearest(item, known))
        elif not scale.low <= codes.min <= codes.max <= scale.high:
            problem = f"{codes} lies outside the scale of {item!r}"
            source.report(at, problem, f"its codes are {scale.low}..{scale.high}")


def _check_once(entry: StepEntry, path: KeyPath, seen: set[str], source: Source) -> None:
    """Transcripts are rated once; who shall fight more bouts asks for more of them in one step."""
    for kind, step, hint in (
        ("rate", entry.rate, "keep one of the steps"),
        ("arena", entry.arena, "keep one, and raise its `bouts`"),
    ):
        if step is not None and kind in seen:
            source.report((*path, kind), f"there are two steps {kind!r}", hint)
        if step is not None:
            seen.add(kind)
    if entry.rate is not None and entry.rate.use not in INSTRUMENTS:
        hint = nearest(entry.rate.use, INSTRUMENTS.names())
        source.report((*path, "rate", "use"), f"unknown questionnaire {entry.rate.use!r}", hint)


def about(form: FormSettings) -> About:
    """What a form is about: as the study says, else as its instrument says."""
    return form.about or INSTRUMENTS.get(form.use).about


def _run(entries: list[StepEntry], position: int) -> int:
    """Where the unbroken run of questionnaires begins that ends just before this position."""
    while position > 0 and entries[position - 1].questionnaire is not None:
        position -= 1
    return position


def _follows_dialogue(entries: list[StepEntry], places: list[int], position: int) -> bool:
    """Whether only forms stand between this step and a dialogue; a step left out as unsound may be one."""
    first = _run(entries, position)
    before = places[first - 1] if first else -1
    if places[position] - before != position - first + 1:
        return True
    return first > 0 and entries[first - 1].dialogue is not None


def _neighbours(entries: list[StepEntry], position: int) -> list[FormSettings]:
    forms = [entry.questionnaire for entry in entries[_run(entries, position) : position]]
    return [form for form in forms if form is not None]


def _feedback(entries: list[StepEntry], position: int) -> list[QuestionnaireStep]:
    """The forms right after a dialogue step that are about a dialogue."""
    forms: list[QuestionnaireStep] = []
    for entry in entries[position + 1 :]:
        if entry.questionnaire is None:
            break
        if about(entry.questionnaire) == "dialogue":
            forms.append(QuestionnaireStep(name=entry.questionnaire.use, about="dialogue"))
    return forms
