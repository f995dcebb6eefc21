"""New study from a bot's address: the form, and the files made from it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vivavoce.core.errors import InputError
from vivavoce.core.i18n import N_
from vivavoce.core.yaml_source import parse_yaml
from vivavoce.dashboard.study_editor.edited_study import step_model, step_parts
from vivavoce.dashboard.study_editor.request_form import check_system, with_private
from vivavoce.dashboard.study_editor.settings_form import as_mapping
from vivavoce.dashboard.study_editor.study_text import STUDY_FILE, Written, written
from vivavoce.study.file import NAME_CURE, is_name
from vivavoce.study.presets import protocol_content
from vivavoce.study.scaffold import study_contents, write_contents
from vivavoce.study.steps import DialogueSettings

# field of the form by problem
STUDY_PLACE, TASKS_PLACE, SYSTEM_PLACE, LANGUAGES_PLACE = "study", "tasks", "name", "languages"
NO_STUDY_NAME: Final = N_("%(name)r is not a valid study name")
NO_SYSTEM_NAME: Final = N_("%(name)r is not a valid bot name")
NAME_TAKEN: Final = N_("a bot named %(name)r already exists")
OTHER_NAME: Final = N_("choose another name")
TOO_FEW: Final = N_("the protocol %(protocol)s needs at least %(least)s tasks; there are %(number)s")
MORE_TASKS: Final = N_("add tasks, or choose another protocol (no participant gets a task twice)")
NO_TASK: Final = N_("no tasks entered")
ONE_A_LINE: Final = N_("enter one task per line")
UNEQUAL: Final = N_("the number of tasks differs between languages (%(said)s)")
ALIKE: Final = N_("enter the same tasks in the same order in each language")
NO_LANGUAGE: Final = N_("no language selected")
ANY_LANGUAGE: Final = N_("select at least one language")
TASKS_FILE: Final = "tasks.yaml"
EXAMPLE, OWN, FREE = "example", "own", "free"
TASK_SOURCES: Final = {
    EXAMPLE: N_("Example tasks"),
    OWN: N_("My own, one per line"),
    FREE: N_("No task (free conversation)"),
}
HEAD: Final = """\
# yaml-language-server: $schema=study.schema.json
#
# All keys: docs/reference/study-file.md. `vivavoce up` edits this file in the browser.

study: {name}
{title}protocol: {protocol}  # sets all keys missing here
languages: [{languages}]  # the first is the default
"""
SYSTEMS: Final = "\n# The systems under test. Participants never see these names.\n"


@dataclass
class NewStudy:
    """Contents of the form for a new study.

    title      that participants read; "" where the name is all that was typed
    systems    as under `systems` in a study file, as text
    tasks      one task a line, by language
    """

    name: str = ""
    title: str = ""
    protocol: str = "cambridge-2011"
    languages: list[str] = field(default_factory=lambda: ["en"])
    systems: str = ""
    source: str = EXAMPLE
    tasks: dict[str, str] = field(default_factory=dict)

    def read_systems(self) -> Written:
        """Systems by name, also from a whole block as printed by `vivavoce connect`.

        Raises  InputError: the text is no mapping of systems
        """
        source = parse_yaml(self.systems, "systems")
        if source.problems:
            raise source.problems[0].error()
        systems = source.data
        if (
            isinstance(systems, dict)
            and list(systems) == ["systems"]
            and "connect" not in (systems["systems"] or {})
        ):
            systems = systems["systems"]
        if systems is None:
            return {}
        if not isinstance(systems, dict) or not all(
            isinstance(settings, dict) for settings in systems.values()
        ):
            raise InputError(
                "not a mapping of systems",
                place="systems",
                hint="write a name, a colon, and its settings below",
            )
        for name in systems:
            if not is_name(name):
                raise InputError(NO_SYSTEM_NAME, place="systems", hint=NAME_CURE, values={"name": name})
        return systems

    def permit_private(self) -> None:
        """Set `allow_private` for every system on this computer or a private network."""
        systems = self.read_systems()
        permitted = {name: with_private(settings) for name, settings in systems.items()}
        if permitted != systems:
            self.systems = written(permitted)

    def with_system(self, name: str, settings: Mapping[str, Any]) -> str:
        """Systems as text, with one added or replaced."""
        return written({**self.read_systems(), name: dict(settings)})


def create_study(folder: Path, new: NewStudy) -> list[Path]:
    """Write the study with all its files; existing files are not replaced.

    Raises  InputError: something does not fit, or a file is there already; nothing is written
    """
    if not is_name(new.name):
        raise InputError(NO_STUDY_NAME, place=STUDY_PLACE, hint=NAME_CURE, values={"name": new.name})
    if not new.languages:
        raise InputError(NO_LANGUAGE, place=LANGUAGES_PLACE, hint=ANY_LANGUAGE)
    for name, settings in new.read_systems().items():
        check_system(name, settings, folder)
    contents = study_contents(new.protocol, new.name, own_domain=new.source != EXAMPLE)
    contents[STUDY_FILE] = _study_text(new)
    if new.source != EXAMPLE:
        contents = {name: text for name, text in contents.items() if name not in _example_files(new.protocol)}
    if new.source == OWN:
        tasks, least = task_lines(new.tasks, new.languages), tasks_needed(new.protocol)
        if len(tasks) < least:
            numbers = {"protocol": new.protocol, "least": least, "number": len(tasks)}
            raise InputError(TOO_FEW, place=TASKS_PLACE, hint=MORE_TASKS, values=numbers)
        contents[TASKS_FILE] = tasks_text(tasks)
    return write_contents(folder, contents)


def tasks_needed(protocol: str) -> int:
    """Minimum number of tasks of a visit, because tasks are not repeated; 0 without dialogues."""
    visit: list[Any] = protocol_content(protocol)["visit"]
    read = [
        model.model_validate(as_mapping(model, settings))
        for kind, settings in map(step_parts, visit)
        if issubclass(model := step_model(kind), DialogueSettings)
    ]
    return max((step.repeat.min for step in read), default=0)


def task_lines(tasks: Mapping[str, str], languages: Sequence[str]) -> list[dict[str, str]]:
    """Text of each task by language, from one text box per language with a task per line.

    Raises  InputError: there is none, or a language has fewer than another
    """
    lines = {
        tag: [line.strip() for line in tasks.get(tag, "").splitlines() if line.strip()] for tag in languages
    }
    numbers = {tag: len(tag_lines) for tag, tag_lines in lines.items()}
    if not any(numbers.values()):
        raise InputError(NO_TASK, place=TASKS_PLACE, hint=ONE_A_LINE)
    if len(set(numbers.values())) > 1:
        counts = ", ".join(f"{tag}: {number}" for tag, number in numbers.items())
        raise InputError(UNEQUAL, place=TASKS_PLACE, hint=ALIKE, values={"said": counts})
    return [dict(zip(lines, row, strict=True)) for row in zip(*lines.values(), strict=True)]


def tasks_text(tasks: Sequence[Mapping[str, str]], known: Sequence[Mapping[str, Any]] = ()) -> str:
    """Tasks file. A task in the position of a known one keeps its key and goal."""
    entries = [
        {**(known[number] if number < len(known) else _blank(number)), "text": dict(text)}
        for number, text in enumerate(tasks)
    ]
    return written({"tasks": entries})


def _blank(number: int) -> Written:
    return {"id": f"task-{number + 1:03}", "type": "task"}


def _study_text(new: NewStudy) -> str:
    is_plain = new.name[0].isalpha() and new.name.lower() not in (
        "true",
        "false",
        "null",
        "yes",
        "no",
        "on",
        "off",
    )
    text = HEAD.format(
        name=new.name if is_plain else json.dumps(new.name),
        protocol=new.protocol,
        title=written({"title": new.title}) if new.title else "",
        languages=", ".join(json.dumps(tag) if tag in ("no", "on") else tag for tag in new.languages),
    )
    if systems := new.read_systems():
        text += SYSTEMS + written({"systems": systems})
    if about := _about_tasks(new):
        text += "\n# What participants do.\n" + written(about)
    return text


def _about_tasks(new: NewStudy) -> Written:
    """Keys that separate a study's tasks from those of its protocol."""
    preset: dict[str, Any] = protocol_content(new.protocol)
    if new.source == EXAMPLE:
        return (
            {}
            if preset.get("tasks") or TASKS_FILE not in study_contents(new.protocol, "x")
            else {"tasks": TASKS_FILE}
        )
    sections: dict[str, Any] = {}
    if "ontology" in preset:
        sections["ontology"] = None
    if new.source == OWN:
        sections["tasks"] = TASKS_FILE
        visit = [_bounded(step, len(task_lines(new.tasks, new.languages))) for step in preset["visit"]]
        if visit != preset["visit"]:
            sections["visit"] = visit
    elif "tasks" in preset:
        sections["tasks"] = None
    primary = preset.get("analysis", {}).get("primary", {})
    if "ontology" in preset and str(primary.get("measure", "")).startswith("objective_"):
        uses = [use for step in preset["visit"] for use in step.values()]
        asks = any((use.get("use") if isinstance(use, dict) else use) == "cambridge" for use in uses)
        # goals need the ontology, which these tasks lack
        measure = "subjective_success" if asks else "user_turns"
        sections["analysis"] = {"primary": {"measure": measure}, "secondary": []}
    return sections


def _bounded(step: Any, tasks: int) -> Any:
    """Step limited to the number of tasks, because tasks are not repeated."""
    kind, settings = step_parts(step)
    if not issubclass(model := step_model(kind), DialogueSettings):
        return step
    read = model.model_validate(mapping := as_mapping(model, settings)).repeat
    if read.max <= tasks:
        return step
    return {kind: {**mapping, "repeat": tasks if read.min == tasks else f"{read.min}..{tasks}"}}


def _example_files(protocol: str) -> set[str]:
    """Files of the protocol's example that mention its tasks."""
    preset: dict[str, Any] = protocol_content(protocol)
    files = [preset.get("ontology"), TASKS_FILE]
    return {str(file) for file in files if file}
