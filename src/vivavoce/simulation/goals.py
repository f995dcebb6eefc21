"""Tasks drawn from a simulated user's domain, in words; the same for the same seed."""

from collections.abc import Sequence
from io import StringIO
from random import Random
from typing import Final

from ruamel.yaml import YAML

from vivavoce.core.errors import UnknownName
from vivavoce.simulation.domain import GoalKind, SimulatedDomain
from vivavoce.simulation.wordings import DomainPhrases
from vivavoce.study.task import Task

_TRIES: Final = 40


def draw_tasks(
    domain: SimulatedDomain, number: int, seed: int, languages: Sequence[str], kinds: Sequence[str] = ()
) -> tuple[Task, ...]:
    """Draw tasks, the kinds of goals in turn; goals repeat only where the domain has no new one to offer.

    Raises  UnknownName: a language or kind of goal that the domain does not have
    """
    for language in languages:
        if language[:2] not in domain.languages:
            raise UnknownName("language of simulated users", language, list(domain.languages))
    for kind in kinds:
        if kind not in domain.goals:
            raise UnknownName("kind of goal", kind, list(domain.goals))
    random, seen = Random(f"tasks:{seed}"), set[tuple[object, ...]]()
    names = list(kinds or domain.goals)
    return tuple(
        _task(f"{domain.domain}-{index + 1:03d}", names[index % len(names)], domain, random, languages, seen)
        for index in range(number)
    )


def _task(
    task_id: str,
    name: str,
    domain: SimulatedDomain,
    random: Random,
    languages: Sequence[str],
    seen: set[tuple[object, ...]],
) -> Task:
    kind = domain.goals[name]
    goals = (_goal(domain, kind, random) for _ in range(_TRIES))
    goal = next((candidate for candidate in goals if _key(name, *candidate) not in seen), None) or _goal(
        domain, kind, random
    )
    seen.add(_key(name, *goal))
    slots, items, wants = goal
    text = {
        language: DomainPhrases(domain, language[:2]).task_text(kind, slots, items, wants)
        for language in languages
    }
    return Task(task_id=task_id, type=name, constraints={**slots, **items}, requests=tuple(wants), text=text)


def _key(name: str, slots: dict[str, str], items: dict[str, str], wants: list[str]) -> tuple[object, ...]:
    return name, tuple(slots.items()), frozenset(items.items()), frozenset(wants)


def _goal(
    domain: SimulatedDomain, kind: GoalKind, random: Random
) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Values, things with their amounts, and questions of one goal."""
    slots = {
        slot: random.choice(list(values or domain.slots[slot].values)) for slot, values in kind.slots.items()
    }
    items: dict[str, str] = {}
    group = domain.group(kind)
    if group is not None and kind.items is not None:
        count = min(random.randint(kind.items.least, kind.items.most), len(group.items))
        for key in kind.items.ordered or random.sample(list(group.items), count):
            items[key] = random.choice(list(group.items[key].amounts) or [""])
    wants: list[str] = []
    if kind.wants is not None:
        wanted_slots = kind.wants.of
        count = min(random.randint(kind.wants.least, kind.wants.most), len(wanted_slots))
        wants = random.sample(wanted_slots, count)
    return slots, items, wants


def tasks_file(tasks: Sequence[Task], domain: str) -> str:
    """Tasks as the YAML of a study's file of tasks."""
    task_rows = [
        {
            "id": task.task_id,
            "type": task.type,
            "constraints": task.constraints,
            "requests": list(task.requests),
            "text": task.text,
        }
        for task in tasks
    ]
    yaml, out = YAML(), StringIO()
    yaml.width = 10_000
    yaml.dump({"tasks": task_rows}, out)
    return f"# Tasks of the domain {domain}, drawn by `vivavoce simulate tasks`.\n" + out.getvalue()
