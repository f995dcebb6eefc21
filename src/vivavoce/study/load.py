"""Study files: read and checked into a Study; every problem is collected, with its place and its hint.

`StudyReader` reads a file and everything that it names; the bytes of all of it make the revision.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.extensions import load_extension
from vivavoce.core.secrets import without_secrets
from vivavoce.core.validation import read_part, read_sound_parts
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml
from vivavoce.languages.base import lookup_tags
from vivavoce.questionnaires.instrument import (
    INSTRUMENTS,
    Wording,
    check_wording,
    instrument_file,
    wording_file,
)
from vivavoce.study.analysis_file import Analysis
from vivavoce.study.channel import CALLED, TEXT, check_called_system, check_channels, is_spoken
from vivavoce.study.degradation import check_degradation
from vivavoce.study.exclusion import unknown_names
from vivavoce.study.file import Annotation, Choose, StudyFile, System, Tasks, levels_of
from vivavoce.study.judgement_kind import JUDGEMENTS, AnnotationPlan, LabelChoosing
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology, check_ontology
from vivavoce.study.pairs_study import pairs_of_study
from vivavoce.study.populations import check_populations
from vivavoce.study.presets import PROTOCOLS, lay_over, shipped_text
from vivavoce.study.quotas import check_quotas
from vivavoce.study.recordings import CURE
from vivavoce.study.recruiter import RECRUITERS, check_recruitment, read_recruitment
from vivavoce.study.renamed_keys import RENAMED_KEYS
from vivavoce.study.retention import check_retention
from vivavoce.study.session_link import check_follow_up
from vivavoce.study.step_files import StepFiles
from vivavoce.study.step_kind import STEPS
from vivavoce.study.step_sequence import Walk
from vivavoce.study.steps import OfferedStep, StepEntry
from vivavoce.study.task import Task
from vivavoce.study.tasks import check_settings, generate_tasks
from vivavoce.study.tasks_file import check_tasks

NO_FLOOR = ("no minimum answer time is set", "add, for example, `quality: {min_answer_s: 1.5}`")
EXTENSION: Final = "extension/"
_STAND_IN: Final[dict[str, Any]] = {"study": "unnamed"}


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
    examined = examine_study(path, old_keys=served)
    if examined.study is None:
        raise StudyFileError(examined.problems)
    return examined.study


@dataclass(frozen=True)
class ExaminedStudy:
    """Content of a study file, also with errors in it.

    study     None where there are problems
    systems   settings of the connectors of the systems that are sound so far
    analysis  as far as it is sound, over all systems; None where nothing could be read
    source    the file, which knows the places of its keys
    """

    study: Study | None
    systems: Mapping[str, dict[str, Any]]
    analysis: Analysis | None
    source: Source
    folder: Path

    @property
    def problems(self) -> list[Problem]:
        return self.in_order(self.source.problems)

    def in_order(self, problems: Iterable[Problem]) -> list[Problem]:
        """Problems by the lines of the study file, those of other files last."""
        line = re.compile(re.escape(self.source.shown) + r":(\d+)")

        def key(problem: Problem) -> tuple[bool, int]:
            match = line.match(problem.place)
            return match is None, int(match[1]) if match else 0

        return sorted(problems, key=key)


def examine_study(path: Path, *, old_keys: bool = False) -> ExaminedStudy:
    """A study file (or the study.yaml of a folder) with everything that is wrong with it."""
    path = path / "study.yaml" if path.is_dir() else path
    source = read_yaml(path, renamed=RENAMED_KEYS)
    if not old_keys:
        source.report_old_keys("run `vivavoce check --fix`")
    if not isinstance(source.data, dict):
        if source.data is not None or not source.problems:
            hint = "begin with `study: NAME`; `vivavoce init` writes a complete file"
            source.report((), "contains no keys", hint)
        return ExaminedStudy(None, {}, None, source, path.parent)
    reader = StudyReader(path, source, _preset(source))
    reader.load_extensions()  # first, so that other keys may name what they define
    sound = _sound_parts(reader.source)
    if sound is None:
        return ExaminedStudy(None, {}, None, reader.source, reader.folder)
    analysis = sound.file.analysis.over(list(sound.file.systems))
    systems = _connector_settings(reader.source, sound.file)
    study = reader.study(sound, analysis, systems)
    return ExaminedStudy(study, systems, analysis, reader.source, reader.folder)


def read_extensions(path: Path) -> None:
    """Load the extension files that a study file names.

    Raises  StudyFileError: one is missing or fails
    """
    source = read_yaml(path)
    if isinstance(source.data, dict):
        reader = StudyReader(path, source, None)
        reader.load_extensions()
        if reader.source.problems:
            raise StudyFileError(reader.source.problems)


def _preset(source: Source) -> str | None:
    """The preset that the file names, if there is one of this name."""
    name = source.data.get("protocol")
    try:
        return PROTOCOLS.get(name).name if isinstance(name, str) else None
    except InputError as error:
        source.report(("protocol",), error.problem, error.hint)
        return None


class _Sound(NamedTuple):
    """Readable part of a study file: its valid steps with positions, and keys that lost some."""

    file: StudyFile
    entries: list[tuple[int, StepEntry]]
    lost: frozenset[str]


def _sound_parts(source: Source) -> _Sound | None:
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


class StudyReader:
    """Reads what a study file names and reports into its source what is missing or wrong.

    read    bytes of every file that was read, by its name in the revision
    domain  the ontology, once it is read
    """

    def __init__(self, path: Path, source: Source, preset: str | None) -> None:
        self.folder, self.source, self.preset = path.resolve().parent, lay_over(source, preset), preset
        self.read: dict[str, bytes] = {}
        self.domain: Ontology | None = None
        self.keep(path, "study.yaml")
        if preset is not None:
            self.keep(PROTOCOLS.get(preset).file, f"protocol/{preset}.yaml")

    def keep(self, path: Path, name: str, at: KeyPath = ()) -> bytes:
        """The bytes of a file, remembered for the revision; one that cannot be read is reported."""
        try:
            self.read[name] = path.read_bytes()
        except OSError as error:
            self.source.report(at, f"{path.name} cannot be read ({error.strerror})", "check its permissions")
            self.read[name] = b""
        return self.read[name]

    def revision(self) -> str:
        """12 hexadecimal digits over the name and content of everything that was read."""
        digest = sha256()
        for name, content in sorted(self.read.items()):
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()[:12]

    def within(self, name: str, at: KeyPath) -> Path | None:
        """Path of a file that the study names; a path outside the study's folder is reported.

        What a study file names is read and shown to participants, and a study may come from somebody else.
        """
        path = self.folder / name
        if path.resolve().is_relative_to(self.folder):
            return path
        self.source.report(at, f"{name!r} lies outside the study", "copy it next to the study file")
        return None

    def file(self, name: str, at: KeyPath, hint: str) -> Path | None:
        """A file that the study names; its absence is reported, as is a place outside the study's folder."""
        path = self.within(name, at)
        if path is None or path.is_file():
            return path
        self.source.report(at, f"no file {name!r}", hint)
        return None

    def load_extensions(self) -> None:
        """Run the extension files that the study names."""
        listed = self.source.data.get("extensions")
        for index, name in enumerate(listed if isinstance(listed, list) else ()):
            at = ("extensions", index)
            hint = "write it, or remove it from the list"
            path = self.file(name, at, hint) if isinstance(name, str) else None
            if path is None:
                continue
            try:
                load_extension(path.resolve(), self.keep(path, EXTENSION + name, at), name)
            except InputError as error:
                self.source.problems.append(Problem(error.place, error.problem, error.hint))

    def documents(self, file: StudyFile, walk: Walk) -> dict[str, dict[str, str]]:
        """Every Markdown text by file name and language."""
        named = [(placed.step.document, placed.at) for placed in walk.placed]
        named += [(plan.external, (*at, "external")) for at, plan in walk.held]
        places = {name: at for name, at in reversed(named) if name is not None}
        return {name: self.document(name, file, at) for name, at in places.items()}

    def document(self, name: str, file: StudyFile, at: KeyPath) -> dict[str, str]:
        """A text in each language of the study; a preset's texts serve the preset's own steps."""
        found: dict[str, str] = {}
        if self.within(name, at) is None:
            return found
        for language in file.languages:
            variants = self.variants(name, language, first=language == file.languages[0])
            existing = next((path for path in variants if path.is_file()), None)
            if existing is not None and existing.parent == self.folder and not self.within(existing.name, at):
                continue
            if existing is None:
                missing = variants[-1].name
                hint = f"write {missing} next to the study file"
                self.source.report(at, f"no file {missing!r} ({language})", hint)
                continue
            try:
                found[language] = self.keep(existing, f"text/{name}/{language}", at).decode("utf-8-sig")
            except UnicodeDecodeError:
                self.source.report(at, f"{existing.name} is not UTF-8 text", "save it as UTF-8")
                continue
            if not found[language].strip():
                self.source.report(at, f"{existing.name} is empty", "write the text")
        return found

    def variants(self, name: str, language: str, *, first: bool) -> list[Path]:
        """Possible paths of a text, best first: consent.it.md, consent.md (first language), the preset's.

        A text in a wider language serves as well: consent.en.md for en-GB.
        """
        plain = self.folder / name
        paths = [plain.with_name(f"{plain.stem}.{tag}{plain.suffix}") for tag in lookup_tags(language)]
        paths += [plain] if first else []
        if "visit" not in self.source.own and (text := shipped_text(self.preset, name, language)):
            paths.append(text)
        return paths

    def wordings(self, file: StudyFile, forms: Mapping[str, KeyPath]) -> dict[str, dict[str, Wording]]:
        """The wording of every questionnaire in every language; one that there is not is reported."""
        wordings: dict[str, dict[str, Wording]] = {}
        for name, at in forms.items():
            if name not in INSTRUMENTS:
                problem, hint = f"unknown questionnaire {name!r}", nearest(name, INSTRUMENTS.names())
                self.source.report(at, problem, hint)
                continue
            if (key := instrument_file(name)) is not None:
                self.keep(key, f"instrument/{name}")
            wordings[name] = {}
            for language in file.languages:
                wording, problems = check_wording(INSTRUMENTS.get(name), language, self.folder)
                path = wording_file(INSTRUMENTS.get(name), language, self.folder)
                if path is None:
                    self.source.report(at, problems[0].problem, problems[0].hint)
                    continue
                self.source.problems += problems
                self.keep(path, f"wording/{name}.{language}", at)
                if wording is not None:
                    wordings[name][language] = wording
        return wordings

    def ontology(self, file: StudyFile) -> Ontology | None:
        hint = "put it next to the study file; `vivavoce init` writes restaurants.yaml"
        path = self.file(file.ontology, ("ontology",), hint) if file.ontology is not None else None
        if path is not None:
            self.keep(path, "ontology", ("ontology",))
            self.domain, problems = check_ontology(path, tuple(file.languages))
            self.source.problems += problems
        return self.domain

    def tasks(self, settings: Tasks, languages: tuple[str, ...]) -> tuple[Task, ...]:
        """The tasks, read from their file or generated."""
        if settings.file is not None:
            path = self.file(settings.file, ("tasks",), "put it next to the study file")
            if path is None:
                return ()
            self.keep(path, "tasks", ("tasks",))
            tasks, problems = check_tasks(path, self.domain, languages)
            self.source.problems += problems
            return tasks
        if "ontology" not in self.source.data:
            hint = "add `ontology: FILE`, or remove `tasks` for free conversation"
            self.source.report(("tasks",), "tasks cannot be generated without an ontology", hint)
        if self.domain is None:
            return ()
        wrong = check_settings(self.domain, settings, languages)
        for path, problem, hint in wrong:
            self.source.report(("tasks", *path), problem, hint)
        try:
            return () if wrong else generate_tasks(self.domain, settings, languages)
        except InputError as error:
            self.source.report(tuple(error.place.split(".")), error.problem, error.hint)
            return ()

    def offered(
        self, entries: list[tuple[int, StepEntry]], languages: tuple[str, ...]
    ) -> dict[int, OfferedStep]:
        """The steps of other packages by their place among the entries; what is wrong is reported."""
        steps: dict[int, OfferedStep] = {}
        for place, (index, entry) in enumerate(entries):
            name, written = entry.written
            if name in StepEntry.model_fields:
                continue
            at: KeyPath = ("visit", index, name)
            if name not in STEPS:
                known = list(dict.fromkeys((*StepEntry.model_fields, *STEPS.names())))
                self.source.report(at[:2], f"unknown step {name!r}", nearest(name, known))
                continue
            try:
                kind = STEPS.get(name)
            except InputError as error:
                self.source.report(at, error.problem, error.hint)
                continue
            settings = read_part(self.source, kind.settings, written, at)
            if settings is None:
                continue
            material = kind.materials(settings, StepFiles(self, languages, at))
            text = kind.document(settings)
            steps[place] = OfferedStep(kind=name, settings=settings, material=material, text=text)
        return steps

    def study(self, sound: _Sound, analysis: Analysis, systems: dict[str, dict[str, Any]]) -> Study | None:
        """The study, or None when anything was reported."""
        file, languages = sound.file, tuple(sound.file.languages)
        if len(set(languages)) < len(languages):
            self.source.report(("languages",), "a language is listed twice", "keep one of them")
        ontology = self.ontology(file)
        tasks = self.tasks(file.tasks, languages) if file.tasks is not None else ()
        annotation = _annotation(self, file, file.annotation) if file.annotation is not None else None
        walk = Walk(sound.entries, self.offered(sound.entries, languages))
        pairs: dict[str, Any] = {}
        if presented := walk.presented:
            chosen = pairs_of_study(presented, languages, self.source)
            pairs = {"pairs": chosen.pairs, "balance": chosen.balance}
        documents, wordings = self.documents(file, walk), self.wordings(file, walk.forms)
        walk.check(self.source)
        recruitment = read_recruitment(file.recruitment, self.source) if file.recruitment else {}
        self._check_sections(sound, walk, systems, recruitment)
        self._check_enough(len(tasks), walk, recruitment)
        self._check_analysis(file)
        if "systems" not in sound.lost:
            self._check_levels(file.systems)
            self._check_exclusions(file, walk.forms)
        if self.source.problems:
            return None
        return Study(
            name=file.study,
            protocol=file.protocol,
            languages=languages,
            title=_titles(file),
            systems=systems,
            system_titles={name: system.title or name for name, system in file.systems.items()},
            factors={name: system.factors for name, system in file.systems.items() if system.factors},
            flags={name: system.flags for name, system in file.systems.items() if system.flags},
            voice=file.voice,
            parser=file.parser,
            ontology=ontology,
            tasks=tasks,
            visit=walk.visit,
            **pairs,
            allocation=file.allocation,
            limits=file.limits,
            identity=file.identity,
            quotas=file.quotas,
            analysis=analysis,
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
            folder=self.folder,
            revision=self.revision(),
            file_text=self._recorded_text(),
        )

    def _recorded_text(self) -> str:
        """The study file as the log records it: without secrets, with the digests of its extension files."""
        text = without_secrets(self.read["study.yaml"].decode("utf-8", errors="replace"))
        for name, content in self.read.items():
            if name.startswith(EXTENSION):
                text += f"\n# sha256 of {name.removeprefix(EXTENSION)}: {sha256(content).hexdigest()}\n"
        return text

    def _check_sections(
        self,
        sound: _Sound,
        walk: Walk,
        systems: dict[str, dict[str, Any]],
        recruitment: Mapping[str, BaseModel],
    ) -> None:
        """Report sections that do not fit the rest of the study; each is checked if the file has it."""
        file, source = sound.file, self.source
        if others := [(at, plan) for at, plan in walk.held if plan.channel != TEXT]:
            check_channels(others, file, source)
        called = next((name for name, settings in systems.items() if settings["connect"] == CALLED), None)
        if called is not None:
            check_called_system(called, walk.answering, file, source)
        if file.degradation is not None:
            spoken = any(is_spoken(plan.channel) for _, plan in walk.held)
            check_degradation(file.degradation, file.systems, levels_of(file.systems), spoken, source)
        if file.recordings is not None and file.recordings.consent:
            for at in walk.unasked:
                source.report(at, "it records without consent", CURE)
        if file.retention is not None:
            check_retention(file.retention, file.recordings, source)
        if recruitment:
            check_recruitment(recruitment, walk.held, file.languages, source)
        if file.quotas is not None and "systems" not in sound.lost:
            cells = {name: "/".join(system.factors.values()) or name for name, system in file.systems.items()}
            battles = sum(2 * placed.battles.battles for placed in walk.placed if placed.battles is not None)
            least = sum(plan.repeat.min for _, plan in walk.held) + battles
            anonymous = file.identity.anonymous and not file.recruitment
            routed = file.telephone is not None and file.telephone.routing is not None
            check_quotas(file.quotas, cells, least, source, anonymous=anonymous, routed=routed)
        if file.follow_up is not None:
            check_follow_up(file.follow_up, recruitment, self.folder, source)
        if file.populations:
            check_populations(file.populations, file.recruitment or {}, source)

    def _check_enough(self, tasks: int, walk: Walk, recruitment: Mapping[str, BaseModel]) -> None:
        """Check that there is a task for each dialogue of a visit: nobody gets a task twice."""
        needed: list[tuple[KeyPath, int]] = [((*at, "repeat"), plan.repeat.min) for at, plan in walk.held]
        for name, settings in recruitment.items():
            if (wanted := RECRUITERS.get(name).dialogues(settings)) is not None:
                needed.append((("recruitment", name, "dialogues"), wanted.min))
        for path, least in needed:
            if 0 < tasks < least:
                problem = f"a visit needs {least} tasks, but there are {tasks}"
                self.source.report(path, problem, "add tasks, or plan fewer dialogues")

    def _check_analysis(self, file: StudyFile) -> None:
        written = self.source.data.get("systems")
        known = sorted(written) if isinstance(written, dict) else []
        declared: list[tuple[KeyPath, list[str]]] = [
            (("analysis", "secondary", place), comparison.compare)
            for place, comparison in enumerate(file.analysis.secondary)
        ]
        if file.analysis.primary is not None:
            declared.append((("analysis", "primary"), file.analysis.primary.compare))
        for at, compared in declared:
            for index, name in enumerate(compared):
                path = (*at, "compare", index)
                if known and name not in known:
                    self.source.report(path, f"unknown system {name!r}", nearest(name, known))
                elif name in compared[:index]:
                    problem = f"system {name!r} is compared with itself"
                    self.source.report(path, problem, "name each system once")

    def _check_levels(self, systems: Mapping[str, System]) -> None:
        """Report systems of a factorial design without a level of every factor."""
        factors = sorted({factor for system in systems.values() for factor in system.factors})
        for name, system in systems.items():
            lacking = [factor for factor in factors if factor not in system.factors]
            if lacking:
                problem = f"system {name!r} has no level of factor {lacking[0]!r}"
                self.source.report(("systems",), problem, f"add factors: {{{lacking[0]}: ...}} to it")

    def _check_exclusions(self, file: StudyFile, forms: Iterable[str]) -> None:
        """Report rules and checks that name systems, languages, factors or questions the study lacks."""
        asked = [INSTRUMENTS.get(name) for name in sorted(forms) if name in INSTRUMENTS]
        items = [item.item_id for instrument in asked for item in instrument.items]
        known = {"system": list(file.systems), "language": file.languages}
        written = "exclude" in file.analysis.model_fields_set
        for index, rule in enumerate(file.analysis.exclude if written else ()):
            at: KeyPath = ("analysis", "exclude", index)
            for path, problem, hint in unknown_names(rule, known, levels_of(file.systems), items):
                self.source.report((*at, *path), problem, hint)
            if rule.fast_answers is not None and file.quality.min_answer_s is None:
                self.source.report((*at, "fast_answers"), *NO_FLOOR)
        if file.quality.thresholds.fast_answers is not None and file.quality.min_answer_s is None:
            self.source.report(("quality", "thresholds", "fast_answers"), *NO_FLOOR)
        for name in file.quality.checks or {}:
            if name not in items:
                path = ("quality", "checks", name)
                self.source.report(path, f"there is no question {name!r}", nearest(name, sorted(items)))


AT: Final[KeyPath] = ("annotation",)


def _annotation(reader: StudyReader, file: StudyFile, written: Annotation) -> AnnotationPlan:
    """The plan of a study's annotation; problems are reported."""
    judgements = {
        name: _judgement(reader, file, name, settings) for name, settings in written.judgements.items()
    }
    plan = AnnotationPlan(
        judgements=judgements,
        double=written.double,
        annotators=tuple(written.annotators),
        recordings=_recordings(reader, written.recordings) if written.recordings is not None else None,
        seed=written.seed,
    )
    if None in judgements.values():
        return plan
    owners: dict[str, str] = {}
    for kind, scheme in plan.layers:
        owner = owners.setdefault(scheme.scheme, kind.name)
        if owner != kind.name:
            problem = f"{scheme.scheme!r} is also judged under `{owner}`"
            reader.source.report((*AT, kind.name), problem, "keep one of them, or rename the scheme")
    if written.choose is None:
        return plan
    return plan.model_copy(update={"choose": _choose(reader.source, plan, written.choose)})


def _choose(source: Source, plan: AnnotationPlan, written: Choose) -> LabelChoosing | None:
    """The dialogues that annotators judge; None if problems were reported."""
    layer, _, label = written.target.partition(".")
    known = {scheme.scheme: (kind, scheme) for kind, scheme in plan.layers}
    place = (*AT, "choose", "target")
    if layer not in known:
        source.report(place, f"the scheme {layer!r} is not annotated", nearest(layer, list(known)))
        return None
    kind, scheme = known[layer]
    if scheme.label(label) is None:
        labels = [scheme_label.label for scheme_label in scheme.labels]
        source.report(place, f"{layer!r} has no label {label!r}", nearest(label, labels))
        return None
    return LabelChoosing(layer=layer, label=label, kind=kind.name, share=written.share, even=written.even)


def _judgement(reader: StudyReader, file: StudyFile, name: str, settings: Any) -> Any:
    """The plan that a kind of judgement makes of its settings; None if problems were reported."""
    if name not in JUDGEMENTS:
        known = [*Annotation.model_fields, *JUDGEMENTS.names()]
        reader.source.report((*AT, name), f"unknown key {name!r}", nearest(name, known))
        return None
    kind, place = JUDGEMENTS.get(name), (*AT, name)
    checked = read_part(reader.source, kind.settings, settings, place)
    files = StepFiles(reader, tuple(file.languages), place, name)
    return None if checked is None else kind.plan(checked, files)


def _recordings(reader: StudyReader, name: str) -> Path:
    folder = reader.folder / name
    if not folder.is_dir():
        hint = "create it with files <dialogue_id>.wav"
        reader.source.report((*AT, "recordings"), f"no folder {name!r}", hint)
    return folder


def _connector_settings(source: Source, file: StudyFile) -> dict[str, dict[str, Any]]:
    """Settings of the connector of each system."""
    return {
        name: {
            key: value
            for key, value in source.data["systems"][name].items()
            if key not in ("title", "factors", "flags")
        }
        for name in file.systems
    }


def _titles(file: StudyFile) -> dict[str, str]:
    """The title in every language: what is written for it, else the first that is written."""
    if not isinstance(file.title, dict):
        return dict.fromkeys(file.languages, file.title or file.study)
    other = next(iter(file.title.values()), file.study)
    return {language: file.title.get(language, other) for language in file.languages}
