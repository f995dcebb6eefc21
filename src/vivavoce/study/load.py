"""The study file checked into a Study; every problem is collected, with its place and its hint."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.extensions import load_extension
from vivavoce.core.validation import read_part, read_sound_parts
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.channel import check_called_systems, check_channels, is_spoken
from vivavoce.study.degradation import check_degradation
from vivavoce.study.exclusion import unknown_names
from vivavoce.study.file import Annotation, Choose, StudyFile
from vivavoce.study.judgement_kind import JUDGEMENTS, AnnotationPlan, LabelChoosing
from vivavoce.study.materials import Entries, Materials, NamedFiles, read_offered
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology
from vivavoce.study.pairs_study import pairs_of_study
from vivavoce.study.populations import check_populations
from vivavoce.study.presets import PROTOCOLS, MergedSource, lay_over
from vivavoce.study.quotas import check_quotas
from vivavoce.study.recordings import check_recordings_plan
from vivavoce.study.recruiter import RECRUITERS, check_recruitment, read_recruitment
from vivavoce.study.renamed_keys import RENAMED_KEYS
from vivavoce.study.retention import check_retention
from vivavoce.study.session_link import check_follow_up
from vivavoce.study.step_kind import battles_of
from vivavoce.study.step_sequence import Walk, check_systems
from vivavoce.study.task import Task
from vivavoce.study.telephone import check_telephone

AT: KeyPath = ("annotation",)


def read_annotation(materials: Materials, file: StudyFile) -> AnnotationPlan | None:
    """The plan of a study's annotation; None without one."""
    written = file.annotation
    if written is None:
        return None
    judgements = {
        name: _plan(materials, file, name, settings)
        for name, settings in written.judgements.items()
        if _known(materials, name)
    }
    plan = AnnotationPlan(
        judgements=judgements,
        double=written.double,
        annotators=tuple(written.annotators),
        recordings=_recordings(materials, written.recordings, (*AT, "recordings")),
        seed=written.seed,
    )
    if None not in judgements.values():  # else something was reported
        _check_layers(materials, plan)
        if written.choose is not None:
            return plan.model_copy(update={"choose": _choose(materials, plan, written.choose)})
    return plan


def _choose(materials: Materials, plan: AnnotationPlan, written: Choose) -> LabelChoosing | None:
    """The dialogues that annotators judge; None if problems were reported."""
    layer, _, label = written.target.partition(".")
    known = {scheme.scheme: (kind, scheme) for kind, scheme in plan.layers}
    place = (*AT, "choose", "target")
    if layer not in known:
        materials.source.report(place, f"the scheme {layer!r} is not annotated", nearest(layer, list(known)))
        return None
    kind, scheme = known[layer]
    if scheme.label(label) is None:
        labels = [one.label for one in scheme.labels]
        materials.source.report(place, f"{layer!r} has no label {label!r}", nearest(label, labels))
        return None
    return LabelChoosing(layer=layer, label=label, kind=kind.name, share=written.share, even=written.even)


def _check_layers(materials: Materials, plan: AnnotationPlan) -> None:
    """Report kinds of judgement that write the same layer of the table `annotations`."""
    owners: dict[str, str] = {}
    for kind, scheme in plan.layers:
        owner = owners.setdefault(scheme.scheme, kind.name)
        if owner != kind.name:
            problem = f"{scheme.scheme!r} is also judged under `{owner}`"
            materials.source.report((*AT, kind.name), problem, "keep one of them, or rename the scheme")


def _known(materials: Materials, name: str) -> bool:
    if name not in JUDGEMENTS:
        known = [*Annotation.model_fields, *JUDGEMENTS.names()]
        materials.source.report((*AT, name), f"unknown key {name!r}", nearest(name, known))
    return name in JUDGEMENTS


def _plan(materials: Materials, file: StudyFile, name: str, settings: Any) -> Any:
    """The plan that a kind of judgement makes of its settings; None if problems were reported."""
    kind, place = JUDGEMENTS.get(name), (*AT, name)
    checked = read_part(materials.source, kind.settings, settings, place)
    files = NamedFiles(materials, tuple(file.languages), place, name)
    return None if checked is None else kind.plan(checked, files)


def _recordings(materials: Materials, name: str | None, at: KeyPath) -> Path | None:
    if name is None:
        return None
    folder = materials.folder / name
    if not folder.is_dir():
        materials.source.report(at, f"no folder {name!r}", "create it with files <dialogue_id>.wav")
    return folder


NO_FLOOR = ("no minimum answer time is set", "add, for example, `quality: {min_answer_s: 1.5}`")
EXTENSION: Final = "extension/"
_STAND_IN: dict[str, Any] = {"study": "unnamed"}


class StudyFileError(InputError):
    """A study file has problems; `problems` holds all of them, the message one line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def check_study(path: Path | str) -> list[Problem]:
    """Everything that is wrong with a study file (or the study.yaml of a folder); [] when it can run."""
    return examine_study(Path(path)).problems


def load_study(path: Path | str) -> Study:
    """The study of a file, or of the study.yaml in a folder; renamed keys are accepted once it has a log.

    Raises  StudyFileError: holds all problems
    """
    path = Path(path)
    served = ((path if path.is_dir() else path.parent) / "log.sqlite").is_file()
    found = examine_study(path, old_keys=served)
    if found.study is None:
        raise StudyFileError(found.problems)
    return found.study


@dataclass(frozen=True)
class ExaminedStudy:
    """Content of a study file, also with errors in it.

    study     None where there are problems
    systems   settings of the connectors of the systems that are sound so far
    analysis  as far as it is sound, over all systems; None where nothing could be read
    source    the file, which knows the places of its keys
    """

    study: Study | None
    problems: list[Problem]
    systems: Mapping[str, dict[str, Any]]
    analysis: Analysis | None
    source: Source
    folder: Path

    def in_order(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems by the lines of the study file, those of other files last."""
        return sorted(problems, key=_by_line(self.source))


def examine_study(path: Path, *, old_keys: bool = False) -> ExaminedStudy:
    """A study file (or the study.yaml of a folder) with everything that is wrong with it."""
    path = path / "study.yaml" if path.is_dir() else path
    source = read_yaml(path, renamed=RENAMED_KEYS)
    if not old_keys:
        source.report_old_keys("run `vivavoce check --fix`")
    if not (source.data is None and source.problems) and not isinstance(source.data, dict):
        source.report(
            (), "contains no keys", "begin with `study: NAME`; `vivavoce init` writes a complete file"
        )
    if not isinstance(source.data, dict):
        return ExaminedStudy(None, source.problems, {}, None, source, path.parent)
    merged = lay_over(source, _protocol(source))
    materials = Materials(path, merged)
    _load_extensions(materials)  # first, so that other keys may name what they define
    sound = _validated(merged)
    study = None if sound is None else _study(materials, merged, sound)
    systems = {} if sound is None else _settings_of(merged, sound.file)
    analysis = None if sound is None else sound.file.analysis.over(list(sound.file.systems))
    found = ExaminedStudy(None if merged.problems else study, [], systems, analysis, merged, materials.folder)
    return replace(found, problems=found.in_order(merged.problems))


def read_extensions(path: Path) -> None:
    """Load the extension files that a study file names.

    Raises  StudyFileError: one is missing or fails
    """
    source = read_yaml(path)
    if isinstance(source.data, dict):
        materials = Materials(path, lay_over(source, None))
        _load_extensions(materials)
        if materials.source.problems:
            raise StudyFileError(materials.source.problems)


def _load_extensions(materials: Materials) -> None:
    listed = materials.source.data.get("extensions")
    for index, name in enumerate(listed if isinstance(listed, list) else ()):
        at = ("extensions", index)
        path = (
            materials.file(name, at, "write it, or remove it from the list")
            if isinstance(name, str)
            else None
        )
        if path is None or not path.is_file():
            continue
        try:
            load_extension(path.resolve(), materials.keep(path, EXTENSION + name, at), name)
        except InputError as error:
            materials.source.problems.append(Problem(error.place, error.problem, error.hint))


def _settings_of(source: Source, file: StudyFile) -> dict[str, dict[str, Any]]:
    return {name: _connector_settings(source.data["systems"][name]) for name in file.systems}


def _by_line(source: Source) -> Callable[[Problem], tuple[bool, int]]:
    """The study file's problems in the order of its lines, then those of other files."""
    line = re.compile(re.escape(source.shown) + r":(\d+)")

    def key(problem: Problem) -> tuple[bool, int]:
        found = line.match(problem.place)
        return found is None, int(found[1]) if found else 0

    return key


def _protocol(source: Source) -> str | None:
    """The preset that the file names, if there is one of this name."""
    name = source.data.get("protocol")
    if not isinstance(name, str):
        return None
    try:
        return PROTOCOLS.get(name).name
    except InputError as error:
        source.report(("protocol",), error.problem, error.hint)
        return None


def _study(materials: Materials, source: MergedSource, sound: "_Sound") -> Study | None:
    """The study, or None when anything was reported."""
    file, entries = sound.file, sound.entries
    ontology = materials.ontology(file)
    tasks = _tasks(materials, source, file, ontology)
    annotation = read_annotation(materials, file)
    offered = read_offered(materials, tuple(file.languages), entries)
    walk = Walk(entries, offered)
    pairs = pairs_of_study(walk.presented, tuple(file.languages), source)
    documents, wordings = materials.documents(file, walk), materials.wordings(file, walk.forms)
    walk.check(source)
    check_channels(walk.held, file, source)
    check_telephone(file.telephone, source)
    if file.degradation is not None:
        spoken = any(is_spoken(plan.channel) for _, plan in walk.held)
        check_degradation(file.degradation, file.systems, spoken, source)
    check_recordings_plan(file.recordings, walk.unasked, source)
    check_retention(file.retention, file.recordings, source)
    recruitment = read_recruitment(file.recruitment or {}, source)
    check_recruitment(recruitment, walk.held, file.languages, source)
    if "systems" not in sound.lost:
        _check_quotas(file, walk, source)
    check_follow_up(file.follow_up, recruitment, materials.folder, source)
    check_populations(file.populations, file.recruitment or {}, source)
    check_called_systems(source.data.get("systems"), walk.answering, file, source)
    check_systems(walk, source.data, source)
    _check_enough(tasks, walk, recruitment, source)
    _check_analysis(file, source)
    if "systems" not in sound.lost:
        _check_exclusions(file, walk.forms, source)
    if source.problems:
        return None
    return Study(
        name=file.study,
        protocol=file.protocol,
        languages=tuple(file.languages),
        title=_titles(file),
        systems=_settings_of(source, file),
        system_titles={name: system.title or name for name, system in file.systems.items()},
        factors={name: system.factors for name, system in file.systems.items() if system.factors},
        flags={name: system.flags for name, system in file.systems.items() if system.flags},
        voice=file.voice,
        parser=file.parser,
        ontology=ontology,
        tasks=tasks,
        visit=walk.visit,
        pairs=pairs.pairs,
        balance=pairs.balance,
        allocation=file.allocation,
        limits=file.limits,
        identity=file.identity,
        quotas=file.quotas,
        analysis=file.analysis.over(list(file.systems)),
        annotation=annotation,
        telephone=file.telephone,
        recordings=file.recordings,
        degradation=file.degradation,
        retention=file.retention,
        follow_up=file.follow_up,
        recruitment=recruitment,
        quality=file.quality,
        documents=documents,
        wordings=wordings,
        folder=materials.folder,
        revision=materials.revision(),
        file_text=_recorded_text(materials),
    )


def _recorded_text(materials: Materials) -> str:
    """The study file as the log records it, with the digest of each extension file as a comment."""
    text = materials.read["study.yaml"].decode("utf-8", errors="replace")
    for name, content in materials.read.items():
        if name.startswith(EXTENSION):
            text += f"\n# sha256 of {name.removeprefix(EXTENSION)}: {sha256(content).hexdigest()}\n"
    return text


def _tasks(
    materials: Materials, source: MergedSource, file: StudyFile, ontology: Ontology | None
) -> tuple[Task, ...]:
    try:
        return materials.tasks(file, ontology)
    except InputError as error:
        source.report(tuple(error.place.split(".")), error.problem, error.hint)
        return ()


class _Sound(NamedTuple):
    """Readable part of a study file: its valid steps with positions, and keys that lost some."""

    file: StudyFile
    entries: Entries
    lost: frozenset[str]


def _validated(source: MergedSource) -> _Sound | None:
    """The file's model; sound parts are kept when others are not.

    Steps that are unsound are left out, and so is every other key that is; what is required gets a stand-in,
    so that the rest can still be checked. The problems reported keep the study from running.
    """
    steps = source.data["visit"] if isinstance(source.data.get("visit"), list) else []
    unsound: set[str | int] = set()

    def whole(data: dict[str, Any], lost: set[KeyPath]) -> dict[str, Any]:
        unsound.update(path[1] for path in lost if path[0] == "visit" and len(path) > 1)
        kept = [step for index, step in enumerate(steps) if index not in unsound]
        return {**_STAND_IN, **data, "visit": kept or [{"debrief": "-"}]}

    file, found, lost = read_sound_parts(source, StudyFile, whole)
    if any(problem.place.endswith(" protocol") for problem in source.problems):
        found = [problem for problem in found if problem.problem != "'visit' is missing"]
    source.problems += found
    if file is None:
        return None
    kept = [index for index in range(len(steps)) if index not in unsound]
    return _Sound(file, list(zip(kept, file.visit, strict=False)), frozenset(str(path[0]) for path in lost))


def _check_enough(
    tasks: tuple[Task, ...], walk: Walk, recruitment: Mapping[str, BaseModel], source: MergedSource
) -> None:
    """Check that there is a task for each dialogue of a visit: nobody gets a task twice."""
    needed: list[tuple[KeyPath, int]] = [((*at, "repeat"), plan.repeat.min) for at, plan in walk.held]
    for name, settings in recruitment.items():
        if (wanted := RECRUITERS.get(name).dialogues(settings)) is not None:
            needed.append((("recruitment", name, "dialogues"), wanted.min))
    for path, least in needed:
        if tasks and least > len(tasks):
            problem = f"a visit needs {least} tasks, but there are {len(tasks)}"
            source.report(path, problem, "add tasks, or plan fewer dialogues")


def _check_quotas(file: StudyFile, walk: Walk, source: MergedSource) -> None:
    cells = {name: "/".join(system.factors.values()) or name for name, system in file.systems.items()}
    fought = [plan for step in walk.visit if (plan := battles_of(step)) is not None]
    least = sum(plan.repeat.min for _, plan in walk.held) + sum(2 * plan.battles for plan in fought)
    anonymous = file.identity.anonymous and not file.recruitment
    routed = file.telephone is not None and file.telephone.routing is not None
    check_quotas(file.quotas, cells, least, source, anonymous=anonymous, routed=routed)


def _check_analysis(file: StudyFile, source: MergedSource) -> None:
    written = source.data.get("systems")
    known = sorted(written) if isinstance(written, dict) else []
    primary = file.analysis.primary
    declared: list[tuple[KeyPath, list[str]]] = (
        [(("analysis", "primary"), primary.compare)] if primary is not None else []
    )
    for place, one in enumerate(file.analysis.secondary):
        declared.append((("analysis", "secondary", place), one.compare))
    for where, compared in declared:
        for index, name in enumerate(compared):
            path = (*where, "compare", index)
            if known and name not in known:
                source.report(path, f"unknown system {name!r}", nearest(name, known))
            elif name in compared[:index]:
                source.report(path, f"system {name!r} is compared with itself", "name each system once")


def _check_exclusions(file: StudyFile, forms: Iterable[str], source: MergedSource) -> None:
    """A rule of exclusion names systems, languages, factors and questions that the study has."""
    levels: dict[str, set[str]] = {}
    for system in file.systems.values():
        for factor, level in system.factors.items():
            levels.setdefault(factor, set()).add(level)
    asked = [INSTRUMENTS.get(name) for name in sorted(forms) if name in INSTRUMENTS]
    items = [item.item_id for form in asked for item in form.items]
    known = {"system": list(file.systems), "language": file.languages}
    for index, rule in enumerate(file.analysis.exclude):
        for path, problem, hint in unknown_names(
            rule, known, {factor: sorted(found) for factor, found in levels.items()}, items
        ):
            source.report(("analysis", "exclude", index, *path), problem, hint)
        if rule.fast_answers is not None and file.quality.min_answer_s is None:
            source.report(("analysis", "exclude", index, "fast_answers"), *NO_FLOOR)
    if file.quality.thresholds.fast_answers is not None and file.quality.min_answer_s is None:
        source.report(("quality", "thresholds", "fast_answers"), *NO_FLOOR)
    for name in file.quality.checks or {}:
        if name not in items:
            path = ("quality", "checks", name)
            source.report(path, f"there is no question {name!r}", nearest(name, sorted(items)))


def _connector_settings(written: dict[str, Any]) -> dict[str, Any]:
    """Settings of a system without those of its connector."""
    return {key: value for key, value in written.items() if key not in ("title", "factors", "flags")}


def _titles(file: StudyFile) -> dict[str, str]:
    """The title in every language: what is written for it, else the first that is written."""
    if not isinstance(file.title, dict):
        return dict.fromkeys(file.languages, file.title or file.study)
    other = next(iter(file.title.values()), file.study)
    return {language: file.title.get(language, other) for language in file.languages}
