"""Study in the editor: its file as text, parsed content and located problems."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from ruamel.yaml.comments import CommentedMap, CommentedSeq

from vivavoce.connectors.factory import try_connectors
from vivavoce.core.errors import InputError, sentences
from vivavoce.core.yaml_source import Problem
from vivavoce.dashboard.study_editor.settings_form import as_mapping, as_short
from vivavoce.dashboard.study_editor.study_text import (
    STUDY_FILE,
    Written,
    changed,
    digest,
    merge,
    plain,
    read_text,
    write_text,
)
from vivavoce.study.load import examine_study
from vivavoce.study.model import Study
from vivavoce.study.presets import PROTOCOLS, effective, protocol_content, shipped_text
from vivavoce.study.renamed_keys import parse_study
from vivavoce.study.scaffold import example_texts, nameless_consents
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import StepEntry

_STEP_PLACE: Final = re.compile(r"\bvisit\[(\d+)\](?:\.[\w-]+)?(?:\.(\S+?))?:?$")


class StepCard(NamedTuple):
    """Step of the visit: kind, settings by key path, and problems."""

    number: int
    kind: str
    written: Any
    problems: list[str]


class LocatedProblem(NamedTuple):
    """Problem with the part of the study that it belongs to.

    step    position of the step of the visit, from 0; system: name; None where it belongs to none
    key     of the file, where it is neither; field: within a step or system
    """

    said: str
    step: int | None = None
    system: str | None = None
    key: str = ""
    field: str = ""
    line: str = ""


@dataclass(frozen=True)
class EditedStudy:
    """Study folder at one moment; changes are written immediately.

    text  of its study file; "" where there is none yet
    """

    folder: Path
    text: str

    @classmethod
    def of(cls, folder: Path) -> "EditedStudy":
        """Read a study folder. Raises  InputError: the file cannot be read"""
        return cls(folder, read_text(folder / STUDY_FILE))

    @property
    def base(self) -> str:
        return digest(self.text)

    @cached_property
    def says(self) -> Written:
        """Content of the file merged with its protocol."""
        return effective(self.text)

    def own(self, key: str) -> Written:
        """Content of the file below a key; {} if absent."""
        data = parse_study(self.text).data
        section = data.get(key) if isinstance(data, dict) else None
        return section if isinstance(section, dict) else {}

    def below(self, key: str) -> Written:
        """Content of the protocol below a key; {} if absent."""
        name = self.says.get("protocol")
        if not isinstance(name, str) or name not in PROTOCOLS:
            return {}
        section = protocol_content(name).get(key)
        return section if isinstance(section, dict) else {}

    @property
    def languages(self) -> list[str]:
        tags = self.says.get("languages", ["en"])
        return [str(tag) for tag in tags] if isinstance(tags, list) and tags else ["en"]

    @property
    def steps(self) -> list[Any]:
        steps = self.says.get("visit")
        return steps if isinstance(steps, list) else []

    @cached_property
    def _checked(self) -> tuple[Study | None, bool, list[Problem]]:
        examined = examine_study(self.folder)
        _, wrong = try_connectors(examined.systems, self.folder, examined.source)
        problems = dict.fromkeys([*examined.problems, *wrong])
        # a file without readable content is not checked further
        return examined.study, examined.analysis is None, list(problems)

    @property
    def study(self) -> Study | None:
        """Study ready to be served; None while it has problems."""
        return self._checked[0]

    @property
    def problems(self) -> list[Problem]:
        return self._checked[2]

    @property
    def checked_in_part(self) -> bool:
        """True if problems prevented further checks."""
        return bool(self.problems) and self._checked[1]

    def foreign_texts(self) -> list[tuple[str, str]]:
        """Texts that still mention the domain of the protocol's example, with that domain."""
        return [] if self.study is None else example_texts(self.study)

    def nameless_consents(self) -> list[tuple[str, bool]]:
        """Consent texts without a contact, and True for unchanged examples."""
        return [] if self.study is None else nameless_consents(self.study)

    def located(self) -> list["LocatedProblem"]:
        """All problems with the part of the study that they belong to."""
        return [
            _located(problem, len(self.steps), self.says.get("systems") or {}) for problem in self.problems
        ]

    def problems_of_step(self, number: int) -> dict[str, str]:
        """Problems of a step by field name; "" for the whole step."""
        problems: dict[str, str] = {}
        for problem in self.problems:
            if (at := _STEP_PLACE.search(problem.place)) is not None and int(at[1]) == number:
                problems.setdefault(at[2] or "", sentences(problem.problem, problem.hint))
        return problems

    def problems_below(self, key: str) -> list[str]:
        """Problems below one key of the file, one line each."""
        below = (f"{key}.", f"{key}[")
        at = [(problem.place.rpartition(" ")[2], problem) for problem in self.problems]
        return [str(problem) for place, problem in at if place == key or place.startswith(below)]

    def cards(self) -> list[StepCard]:
        return [
            StepCard(number, kind, settings, list(self.problems_of_step(number).values()))
            for number, (kind, settings) in enumerate(map(step_parts, self.steps))
        ]

    def texts(self) -> list[str]:
        """Markdown files named in the visit."""
        names = [
            value
            for kind, settings in map(step_parts, self.steps)
            if kind
            for value in as_mapping(step_model(kind), settings).values()
            if isinstance(value, str) and value.endswith(".md")
        ]
        return list(dict.fromkeys(names))

    def text_file(self, name: str, language: str) -> Path:
        """Path of a text of the study in a language, existing or not.

        Raises  InputError: outside the study's folder
        """
        plain_file = self.folder / name
        if not plain_file.resolve().is_relative_to(self.folder.resolve()):
            raise InputError(f"{name!r} is outside the study folder", hint="copy it beside the study file")
        language_file = plain_file.with_name(f"{plain_file.stem}.{language}{plain_file.suffix}")
        return plain_file if language == self.languages[0] and not language_file.is_file() else language_file

    def read_document(self, name: str, language: str) -> str:
        """Text as participants read it; "" if missing."""
        text = read_text(self.text_file(name, language))
        protocol = self.says.get("protocol")
        if text or not isinstance(protocol, str):
            return text
        shipped = shipped_text(protocol, name, language)
        return read_text(shipped) if shipped is not None else ""

    def with_visit(self, steps: Sequence[Any]) -> str:
        """File text with these steps; comments stay with existing steps."""

        def change(data: CommentedMap) -> None:
            visit = data.get("visit")
            if not isinstance(visit, CommentedSeq):
                data["visit"] = [plain(step) for step in steps]
                return
            nodes = {id(step): node for step, node in zip(self.steps, list(visit), strict=False)}
            comments = _comments_of(visit)
            entries: list[Any] = []
            for step in steps:
                entries.append(nodes.get(id(step), plain(step)))
            visit.clear()
            visit.extend(entries)
            visit.ca.items.clear()
            for number, node in enumerate(entries):
                if (comment := comments.get(id(node))) is not None:
                    visit.ca.items[number] = comment

        return changed(self.text, "visit", change)

    def with_step(self, number: int, kind: str, settings: dict[str, Any]) -> str:
        """File text with other settings of one step and no other change."""
        short = as_short(step_model(kind), settings)

        def change(data: CommentedMap) -> None:
            if not isinstance(data.get("visit"), list):
                data["visit"] = [plain(step) for step in self.steps]
            node = data["visit"][number]
            inner = node.get(kind) if isinstance(node, CommentedMap) else None
            if isinstance(inner, CommentedMap) and isinstance(short, dict):
                merge(inner, short)
            elif isinstance(node, CommentedMap):
                if inner != short:
                    node[kind] = plain_step(short)
            elif short:
                data["visit"][number] = plain({kind: short})

        return changed(self.text, "visit", change)

    def with_system(self, name: str, settings: Mapping[str, Any]) -> str:
        """File text with a system added or replaced."""

        def change(data: CommentedMap) -> None:
            if not isinstance(data.get("systems"), dict):
                data["systems"] = plain({})
            current = data["systems"].get(name)
            if isinstance(current, CommentedMap):
                merge(current, settings)
            else:
                data["systems"][name] = plain(settings)

        return changed(self.text, "systems", change)

    def save(self, text: str, base: str) -> None:
        """Write the file. Raises  StudyFileChanged, InputError: see `write_text`"""
        write_text(self.folder / STUDY_FILE, text, base=base)


def plain_step(settings: Any) -> Any:
    """Settings of a step beside its kind, in one line if short."""
    node = plain(settings)
    if isinstance(node, CommentedMap) and len(str(settings)) < 80:
        node.fa.set_flow_style()
    return node


def step_parts(step: Any) -> tuple[str, Any]:
    """Kind and settings of a step as written; kind "" if it is not a step."""
    if isinstance(step, str):
        return step, {}
    if isinstance(step, dict) and len(step) == 1:
        kind, settings = next(iter(step.items()))
        return str(kind), {} if settings is None else settings
    return "", {}


def step_model(kind: str) -> type[BaseModel]:
    """Settings model of a kind of step.

    Raises  UnknownName: there is none of this name
    """
    field = StepEntry.model_fields.get(kind)
    if field is None:
        return STEPS.get(kind).settings
    return next(option for option in field.annotation.__args__ if option is not type(None))  # pyright: ignore


def _located(problem: Problem, steps: int, systems: Mapping[str, Any]) -> LocatedProblem:
    sentence = sentences(problem.problem, problem.hint)
    line, _, path = problem.place.partition(" ")
    if (at := _STEP_PLACE.search(path)) is not None and int(at[1]) < steps:
        return LocatedProblem(sentence, step=int(at[1]), field=at[2] or "", line=line)
    system_path = path.removeprefix("systems.")
    # names may contain dots
    fitting = [
        name
        for name in systems
        if system_path != path and (system_path == name or system_path.startswith(f"{name}."))
    ]
    if fitting:
        name = max(fitting, key=len)
        return LocatedProblem(sentence, system=name, field=system_path[len(name) + 1 :], line=line)
    return LocatedProblem(sentence, key=path, line=line)


def _comments_of(sequence: Any) -> dict[int, Any]:
    return {id(sequence[number]): comment for number, comment in sequence.ca.items.items()}
