"""Tasks that a study brings in a file, checked against its ontology."""

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from vivavoce.core.errors import nearest
from vivavoce.core.text import normalise_value
from vivavoce.core.validation import read_model
from vivavoce.core.yaml_source import KeyPath, Problem, Source, read_yaml
from vivavoce.study.ontology import Ontology
from vivavoce.study.task import DONTCARE, Alternative, Task


class WrittenAlternative(BaseModel):
    """A satisfiable alternative goal."""

    model_config = ConfigDict(extra="forbid")
    constraints: dict[str, str] = Field(description="value by slot")


class WrittenTask(BaseModel):
    """A task as written; its matching venues are looked up in the ontology."""

    model_config = ConfigDict(extra="forbid")

    task_id: str = Field(alias="id", description="identifier")
    type: str = Field(description="kind of venue")
    constraints: dict[str, str] = Field({}, description="value by slot; `dontcare` for any value")
    requests: list[str] = Field([], description="slots to ask about")
    text: dict[str, str] = Field(description="task text, by language")
    alternative: WrittenAlternative | None = Field(
        None, description="required if no venue meets the constraints"
    )


class TasksFile(BaseModel):
    """A file of tasks: `tasks:` and a list."""

    model_config = ConfigDict(extra="forbid")
    tasks: list[WrittenTask] = Field(min_length=1, description="the tasks")


def check_tasks(
    path: Path, ontology: Ontology | None, languages: tuple[str, ...]
) -> tuple[tuple[Task, ...], list[Problem]]:
    """The tasks of a file, and everything that is wrong with them."""
    source = read_yaml(path)
    file = read_model(source, TasksFile)
    if file is None:
        return (), source.problems
    written = file.tasks
    seen: set[str] = set()
    for index, task in enumerate(written):
        at: KeyPath = ("tasks", index)
        if task.task_id in seen:
            source.report((*at, "id"), f"task {task.task_id!r} is listed twice", "give each its own id")
        seen.add(task.task_id)
        for language in languages:
            if not task.text.get(language, "").strip():
                source.report((*at, "text"), f"no text in {language!r}", f"add `{language}:`")
        if ontology is not None:
            _check_goal(task, ontology, source, at)
    if source.problems:
        return (), source.problems
    return tuple(_task(task, ontology) for task in written), []


def _task(written: WrittenTask, ontology: Ontology | None) -> Task:
    def venues(constraints: dict[str, str]) -> tuple[str, ...]:
        found = ontology.matching(written.type, constraints) if ontology is not None else []
        return tuple(venue.venue_id for venue in found)

    other = written.alternative
    alternative = other and Alternative(constraints=other.constraints, venues=venues(other.constraints))
    same = written.model_dump(exclude={"alternative"})
    return Task(**same, venues=venues(written.constraints), alternative=alternative)


def _check_goal(task: WrittenTask, ontology: Ontology, source: Source, at: KeyPath) -> None:
    if task.type not in ontology.types:
        source.report((*at, "type"), f"unknown type {task.type!r}", nearest(task.type, list(ontology.types)))
        return
    sound = _check_constraints(task.type, task.constraints, ontology, source, (*at, "constraints"))
    request_slots = ontology.request_slots(task.type)
    for index, name in enumerate(task.requests):
        if name not in request_slots:
            source.report(
                (*at, "requests", index),
                f"{name!r} is not a slot of a {task.type} to ask for",
                nearest(name, request_slots),
            )
    if task.alternative is not None:
        where: KeyPath = (*at, "alternative", "constraints")
        good = _check_constraints(task.type, task.alternative.constraints, ontology, source, where)
        if good and not ontology.matching(task.type, task.alternative.constraints):
            source.report(where, "no venue meets the alternative", "change its constraints")
    elif sound and not ontology.matching(task.type, task.constraints):
        hint = "change a constraint, or add an `alternative:`"
        source.report((*at, "constraints"), f"no venue meets the constraints of task {task.task_id!r}", hint)


def _check_constraints(
    venue_type: str, constraints: dict[str, str], ontology: Ontology, source: Source, at: KeyPath
) -> bool:
    before, known = len(source.problems), ontology.constraint_slots(venue_type)
    for name, value in constraints.items():
        if name not in known:
            source.report(
                (*at, name), f"{name!r} is not a slot of a {venue_type} to search by", nearest(name, known)
            )
            continue
        values = [*ontology.slots[name].values, DONTCARE]
        if normalise_value(value) not in {normalise_value(known_value) for known_value in values}:
            source.report((*at, name), f"unknown value {value!r} of slot {name!r}", nearest(value, values))
    return len(source.problems) == before
