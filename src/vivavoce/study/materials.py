"""The files that a study reads: texts, wordings, ontology, tasks. Their bytes make the revision."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

from vivavoce.core.errors import InputError, nearest
from vivavoce.core.validation import read_part
from vivavoce.core.yaml_source import KeyPath, Problem
from vivavoce.languages.base import lookup_tags
from vivavoce.questionnaires.instrument import INSTRUMENTS, instrument_file
from vivavoce.questionnaires.wording import Wording, check_wording, wording_file
from vivavoce.study.file import StudyFile
from vivavoce.study.ontology import Ontology, check_ontology
from vivavoce.study.presets import MergedSource, protocol_file, shipped_text
from vivavoce.study.step_kind import STEPS
from vivavoce.study.step_sequence import Walk
from vivavoce.study.steps import OfferedStep
from vivavoce.study.steps_file import StepEntry
from vivavoce.study.task import Task
from vivavoce.study.tasks import check_settings, generate_tasks
from vivavoce.study.tasks_file import check_tasks

Entries = list[tuple[int, StepEntry]]


class Materials:
    """Reads what a study file names and reports into its source what is missing or wrong."""

    def __init__(self, path: Path, source: MergedSource) -> None:
        self.folder, self.source = path.resolve().parent, source
        self.read: dict[str, bytes] = {}
        self.domain: Ontology | None = None  # once it is read
        self.keep(path, "study.yaml")
        if source.preset is not None:
            self.keep(protocol_file(source.preset), f"protocol/{source.preset}.yaml")

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
        digest = hashlib.sha256()
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

    def documents(self, file: StudyFile, walk: Walk) -> dict[str, dict[str, str]]:
        """Every Markdown text by file name and language."""
        read = [(step.document, at) for at, step in walk.placed]
        shown = [(plan.external, (*at, "external")) for at, plan in walk.held]
        named = {name: at for name, at in reversed([*read, *shown]) if name is not None}
        return {name: self.document(name, file, at) for name, at in named.items()}

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
        if "visit" not in self.source.own and (text := shipped_text(self.source.preset, name, language)):
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
        if path is None:
            return None
        self.keep(path, "ontology", ("ontology",))
        ontology, problems = check_ontology(path, tuple(file.languages))
        self.source.problems += problems
        self.domain = ontology
        return ontology

    def tasks(self, file: StudyFile, ontology: Ontology | None) -> tuple[Task, ...]:
        """The tasks, read from their file or generated; () for free conversation."""
        settings, languages = file.tasks, tuple(file.languages)
        if settings is None:
            return ()
        if settings.file is not None:
            path = self.file(settings.file, ("tasks",), "put it next to the study file")
            if path is None:
                return ()
            self.keep(path, "tasks", ("tasks",))
            tasks, problems = check_tasks(path, ontology, languages)
            self.source.problems += problems
            return tasks
        if "ontology" not in self.source.data:
            hint = "add `ontology: FILE`, or remove `tasks` for free conversation"
            self.source.report(("tasks",), "tasks cannot be generated without an ontology", hint)
        if ontology is None:
            return ()
        wrong = check_settings(ontology, settings, languages)
        for path, problem, hint in wrong:
            self.source.report(("tasks", *path), problem, hint)
        return () if wrong else generate_tasks(ontology, settings, languages)


class NamedFiles:
    """Files for a step or a judgement of another package: see `StepFiles`.

    under  what stands before the files' names in the revision
    """

    def __init__(
        self, materials: Materials, languages: tuple[str, ...], at: KeyPath, under: str = "step"
    ) -> None:
        self._materials, self._at, self.languages, self._under = materials, at, languages, under
        self.folder, self.ontology = materials.folder, materials.domain

    def text(self, name: str, key: str) -> str:
        path = self.path(name, key)
        if path is None:
            return ""
        try:
            return self._materials.keep(path, f"{self._under}/{name}", (*self._at, key)).decode("utf-8-sig")
        except UnicodeDecodeError:
            self.report(key, f"{name} is not UTF-8 text", "save it as UTF-8")
            return ""

    def path(
        self, name: str, key: str, *, hint: str = "put it next to the study file", known_as: str = ""
    ) -> Path | None:
        path = self._materials.file(name, (*self._at, key), hint)
        if path is not None:
            self.keep(path, known_as or f"{self._under}/{name}", key)
        return path

    def within(self, name: str, key: str | int) -> Path | None:
        return self._materials.within(name, (*self._at, key))

    def keep(self, path: Path, known_as: str, key: str | int) -> None:
        self._materials.keep(path, known_as, (*self._at, key))

    def report(
        self, key: str | int | KeyPath, problem: str, hint: str, *, file: str = "", line: int | None = None
    ) -> None:
        source = self._materials.source
        if not file:
            keys = key if isinstance(key, tuple) else (key,) if key != "" else ()
            source.report((*self._at, *keys), problem, hint)
            return
        place = file if line is None else f"{file}:{line}"
        found = Problem(place, problem, hint)
        source.problems += [found] if found not in source.problems else []  # several steps may name one file


def read_offered(
    materials: Materials, languages: tuple[str, ...], entries: Entries
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
            materials.source.report(at[:2], f"unknown step {name!r}", nearest(name, known))
            continue
        try:
            kind = STEPS.get(name)
        except InputError as error:
            materials.source.report(at, error.problem, error.hint)
            continue
        settings = read_part(materials.source, kind.settings, written, at)
        if settings is None:
            continue
        files = NamedFiles(materials, languages, at)
        steps[place] = OfferedStep(
            kind=name,
            settings=settings,
            material=kind.materials(settings, files),
            text=kind.document(settings),
        )
    return steps
