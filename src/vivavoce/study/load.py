"""The study file checked into a Study; every problem is collected, with its place and its cure."""

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.validation import problems_of
from vivavoce.core.yaml_source import KeyPath, Problem, read_yaml
from vivavoce.questionnaires.instrument import FOLDER as QUESTIONNAIRES
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.questionnaires.wording import Wording, check_wording, wording_file
from vivavoce.study.file import StepEntry, StudyFile, TextFile
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology
from vivavoce.study.ontology_file import check_ontology
from vivavoce.study.presets import MergedSource, lay_over, protocol_file, protocol_names, shipped_text
from vivavoce.study.steps import (
    ConsentStep,
    DebriefStep,
    DialogueStep,
    InstructionsStep,
    QuestionnaireStep,
    Step,
)
from vivavoce.study.task import Task
from vivavoce.study.tasks import check_settings, generate_tasks
from vivavoce.study.tasks_file import check_tasks


class StudyFileError(InputError):
    """A study file has problems; `problems` holds all of them, the message one line each."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = list(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def check_study(path: Path | str) -> list[Problem]:
    """Everything that is wrong with a study file (or the study.yaml of a folder); [] when it can run."""
    return _examine(Path(path))[1]


def load_study(path: Path | str) -> Study:
    """The study of a file, or of the study.yaml in a folder.

    Raises  StudyFileError: holds all problems
    """
    study, problems = _examine(Path(path))
    if study is None:
        raise StudyFileError(problems)
    return study


def _examine(path: Path) -> tuple[Study | None, list[Problem]]:
    if path.is_dir():
        path = path / "study.yaml"
    source = read_yaml(path)
    if source.problems and source.data is None:
        return None, source.problems
    if not isinstance(source.data, dict):
        source.report((), "holds no keys", "begin with `study: NAME`; `vivavoce init` writes a whole one")
        return None, source.problems
    protocol = source.data.get("protocol")
    if isinstance(protocol, str) and protocol not in protocol_names():
        source.report(("protocol",), f"unknown protocol {protocol!r}", nearest(protocol, protocol_names()))
        source.data = {key: value for key, value in source.data.items() if key != "protocol"}
        protocol = None
        if "visit" not in source.data:
            return None, source.problems
    merged = lay_over(source, protocol if isinstance(protocol, str) else None)
    loader = _Loader(path, merged)
    study = loader.study()
    return (None if merged.problems else study), merged.problems


class _Loader:
    """One study file on its way to a Study. Reports into `source.problems`; keeps the bytes of what it reads."""

    def __init__(self, path: Path, source: MergedSource) -> None:
        self.folder, self.source = path.resolve().parent, source
        self.read: dict[str, bytes] = {}
        self.keep(path, "study.yaml")
        if source.preset is not None:
            self.keep(protocol_file(source.preset), f"protocol/{source.preset}.yaml")

    def keep(self, path: Path, name: str) -> bytes:
        """The bytes of a file, remembered for the revision."""
        self.read[name] = path.read_bytes()
        return self.read[name]

    def study(self) -> Study | None:
        file, entries = self.validated()
        if file is None:
            return None
        documents = self.documents(file, entries)
        wordings = self.wordings(file, entries)
        ontology = self.ontology(file)
        tasks = self.tasks(file, ontology)
        self.check_visit(file, entries)
        self.check_analysis(file)
        if self.source.problems:
            return None
        return Study(
            name=file.study, protocol=file.protocol, languages=tuple(file.languages), title=_titles(file),
            systems={name: self.connector_settings(name) for name in file.systems},
            system_titles={name: system.title or name for name, system in file.systems.items()},
            factors={name: system.factors for name, system in file.systems.items() if system.factors},
            ontology=ontology, tasks=tasks, visit=_steps([entry for _, entry in entries]),
            allocation=file.allocation, limits=file.limits, identity=file.identity,
            recruitment=file.recruitment or {}, analysis=file.analysis, documents=documents, wordings=wordings,
            folder=self.folder, revision=self.revision(),
            file_text=self.read["study.yaml"].decode("utf-8", errors="replace"),
        )  # fmt: skip

    def validated(self) -> tuple[StudyFile | None, list[tuple[int, StepEntry]]]:
        """The file's model and its steps with their positions; sound parts survive unsound ones."""
        data: dict[str, Any] = dict(self.source.data)
        try:
            file = StudyFile.model_validate(data)
            return file, list(enumerate(file.visit))
        except ValidationError as error:
            self.source.problems += problems_of(error, self.source, StudyFile)
            bad = [detail["loc"] for detail in error.errors(include_url=False)]
        steps = data.get("visit") if isinstance(data.get("visit"), list) else []
        unsound = {loc[1] for loc in bad if loc[0] == "visit" and len(loc) > 1}
        kept = [index for index in range(len(steps or [])) if index not in unsound]
        data = {key: value for key, value in data.items() if key not in {loc[0] for loc in bad} - {"visit"}}
        data["visit"] = [(steps or [])[index] for index in kept] or [{"debrief": "-"}]
        data = {"study": "unnamed", "systems": {"unnamed": {"connect": "unnamed"}}, **data}
        try:
            file = StudyFile.model_validate(data)
        except ValidationError:
            return None, []
        return file, list(zip(kept, file.visit, strict=False))

    def documents(self, file: StudyFile, entries: list[tuple[int, StepEntry]]) -> dict[str, dict[str, str]]:
        documents: dict[str, dict[str, str]] = {}
        for index, entry in entries:
            for kind in ("consent", "instructions", "debrief"):
                text: TextFile | None = getattr(entry, kind)
                if text is not None:
                    documents[text.file] = self.document(text.file, file, ("visit", index, kind))
            if entry.dialogue is not None and entry.dialogue.elsewhere is not None:
                path = ("visit", index, "dialogue", "elsewhere")
                documents[entry.dialogue.elsewhere] = self.document(entry.dialogue.elsewhere, file, path)
        return documents

    def document(self, name: str, file: StudyFile, path: KeyPath) -> dict[str, str]:
        """The Markdown of a file in each language of the study; texts of a preset fill in for a preset's steps."""
        found: dict[str, str] = {}
        for language in file.languages:
            plain = self.folder / name
            variants = [plain.with_name(f"{plain.stem}.{language}{plain.suffix}")]
            variants += [plain] if language == file.languages[0] else []
            if self.source.preset is not None and "visit" not in self.source.own:
                variants += [text] if (text := shipped_text(self.source.preset, name, language)) else []
            existing = next((variant for variant in variants if variant.is_file()), None)
            if existing is None:
                missing = variants[-1].name
                self.source.report(
                    path, f"no file {missing!r} ({language})", f"write {missing} beside the study file"
                )
                continue
            try:
                found[language] = self.keep(existing, f"text/{name}/{language}").decode("utf-8-sig")
            except UnicodeDecodeError:
                self.source.report(path, f"{existing.name} is not UTF-8 text", "save it as UTF-8")
                continue
            if not found[language].strip():
                self.source.report(path, f"{existing.name} is empty", "write the text")
        return found

    def wordings(
        self, file: StudyFile, entries: list[tuple[int, StepEntry]]
    ) -> dict[str, dict[str, Wording]]:
        wordings: dict[str, dict[str, Wording]] = {}
        for index, entry in entries:
            if entry.questionnaire is None:
                continue
            name, path = entry.questionnaire.use, ("visit", index, "questionnaire")
            if name not in INSTRUMENTS:
                self.source.report(
                    path, f"unknown questionnaire {name!r}", nearest(name, INSTRUMENTS.names())
                )
                continue
            if name in wordings:
                continue
            wordings[name] = {}
            instrument = INSTRUMENTS.get(name)
            self.keep(QUESTIONNAIRES / "instruments" / f"{name}.yaml", f"instrument/{name}")
            for language in file.languages:
                wording, problems = check_wording(instrument, language, self.folder)
                where = wording_file(instrument, language, self.folder)
                if where is None:
                    self.source.report(path, problems[0].problem, problems[0].cure)
                    continue
                self.source.problems += problems
                self.keep(where, f"wording/{name}.{language}")
                if wording is not None:
                    wordings[name][language] = wording
        return wordings

    def ontology(self, file: StudyFile) -> Ontology | None:
        if file.ontology is None:
            return None
        path = self.folder / file.ontology
        if not path.is_file():
            cure = f"put {path.name} beside the study file; `vivavoce init` writes one"
            self.source.report(("ontology",), f"no file {file.ontology!r}", cure)
            return None
        self.keep(path, "ontology")
        ontology, problems = check_ontology(path, tuple(file.languages))
        self.source.problems += problems
        return ontology

    def tasks(self, file: StudyFile, ontology: Ontology | None) -> tuple[Task, ...]:
        settings = file.tasks
        if settings is None:
            return ()
        if settings.file is not None:
            path = self.folder / settings.file
            if not path.is_file():
                self.source.report(("tasks",), f"no file {settings.file!r}", "put it beside the study file")
                return ()
            self.keep(path, "tasks")
            tasks, problems = check_tasks(path, ontology, tuple(file.languages))
            self.source.problems += problems
            return tasks
        if file.ontology is None and "ontology" not in self.source.data:
            self.source.report(
                ("tasks",), "tasks cannot be generated without an ontology", "add `ontology: FILE`"
            )
        if ontology is None:
            return ()
        problems = check_settings(ontology, settings, tuple(file.languages))
        for path, problem, cure in problems:
            self.source.report(("tasks", *path), problem, cure)
        return () if problems else generate_tasks(ontology, settings, tuple(file.languages))

    def check_visit(self, file: StudyFile, entries: list[tuple[int, StepEntry]]) -> None:
        dialogues = [(index, entry.dialogue) for index, entry in entries if entry.dialogue is not None]
        for index, dialogue in dialogues:
            if dialogue.elsewhere is not None and dialogue.gate != "code":
                path = ("visit", index, "dialogue", "gate")
                self.source.report(
                    path, f"gate {dialogue.gate!r} cannot see a dialogue held elsewhere", "write gate: code"
                )
        for position, (index, entry) in enumerate(entries):
            form = entry.questionnaire
            if form is None or form.use not in INSTRUMENTS:
                continue
            about = form.about or INSTRUMENTS.get(form.use).about
            if about == "dialogue" and not _follows_dialogue([entry for _, entry in entries], position):
                cure = "put it right after a dialogue step, or write {use: " + form.use + ", about: visit}"
                path = ("visit", index, "questionnaire")
                self.source.report(path, f"{form.use!r} is about a dialogue but follows none", cure)

    def check_analysis(self, file: StudyFile) -> None:
        written = self.source.data.get("systems")
        known = sorted(written) if isinstance(written, dict) else []
        compared = file.analysis.primary.compare if file.analysis.primary is not None else []
        for index, name in enumerate(compared):
            path = ("analysis", "primary", "compare", index)
            if known and name not in known:
                self.source.report(path, f"unknown system {name!r}", nearest(name, known))
            elif name in compared[:index]:
                self.source.report(path, f"system {name!r} is compared with itself", "name each system once")

    def connector_settings(self, name: str) -> dict[str, Any]:
        """What is written about a system, without what is ours."""
        written: dict[str, Any] = self.source.data["systems"][name]
        return {key: value for key, value in written.items() if key not in ("title", "factors")}

    def revision(self) -> str:
        digest = hashlib.sha256()
        for name, content in sorted(self.read.items()):
            digest.update(f"{name}\0{len(content)}\0".encode())
            digest.update(content)
        return digest.hexdigest()[:12]


def _titles(file: StudyFile) -> dict[str, str]:
    if isinstance(file.title, dict):
        return file.title
    return dict.fromkeys(file.languages, file.title or file.study)


def _follows_dialogue(entries: list[StepEntry], position: int) -> bool:
    """Whether only questionnaires stand between this step and a dialogue step before it."""
    before = position - 1
    while before >= 0 and entries[before].questionnaire is not None:
        before -= 1
    return before >= 0 and entries[before].dialogue is not None


def _steps(entries: list[StepEntry]) -> tuple[Step, ...]:
    """The steps as walked: questionnaires about a dialogue become the feedback of the dialogue step before them."""
    steps: list[Step] = []
    for position, entry in enumerate(entries):
        if entry.consent is not None:
            steps.append(ConsentStep(file=entry.consent.file))
        elif entry.instructions is not None:
            steps.append(InstructionsStep(file=entry.instructions.file))
        elif entry.debrief is not None:
            steps.append(DebriefStep(file=entry.debrief.file))
        elif entry.dialogue is not None:
            steps.append(DialogueStep.model_validate(entry.dialogue.model_dump()))
        elif entry.questionnaire is not None:
            form = entry.questionnaire
            step = QuestionnaireStep(name=form.use, about=form.about or INSTRUMENTS.get(form.use).about)
            if step.about == "dialogue" and _follows_dialogue(entries, position):
                last = max(i for i, held in enumerate(steps) if isinstance(held, DialogueStep))
                held = steps[last]
                assert isinstance(held, DialogueStep)
                steps[last] = held.model_copy(update={"feedback": (*held.feedback, step)})
            else:
                steps.append(step)
    return tuple(steps)
