# ruff: noqa: E501
"""Tasks that a study brings are checked against its ontology."""

import pytest

from vivavoce.study.tasks_file import check_tasks

TASKS = """\
tasks:
  - id: one
    type: restaurant
    constraints: {food: seafood, area: dontcare}
    requests: [phone]
    text: {en: Find a seafood restaurant and its phone number.}
  - id: two
    type: pub
    constraints: {area: centre, pricerange: moderate}
    alternative: {constraints: {area: centre, pricerange: dontcare}}
    text: {en: "Find a moderately priced pub in the centre. If there is none, any pub there."}
"""


@pytest.fixture
def check(tmp_path, marlowe):
    def run(text: str, languages: tuple[str, ...] = ("en",)):
        (tmp_path / "tasks.yaml").write_text(text, encoding="utf-8")
        tasks, problems = check_tasks(tmp_path / "tasks.yaml", marlowe, languages)
        return tasks, [str(problem) for problem in problems]

    return run


def test_venues_are_looked_up(check, marlowe):
    tasks, problems = check(TASKS)
    assert problems == []
    assert [task.task_id for task in tasks] == ["one", "two"]
    assert list(tasks[0].venues) == [v.venue_id for v in marlowe.venues if v.slots.get("food") == "seafood"]
    assert tasks[0].requests == ("phone",)
    assert tasks[1].alternative.venues


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "food: seafood",
            "food: sefood",
            "tasks.yaml:4 tasks[0].constraints.food: unknown value 'sefood' of slot 'food'. Did you mean 'seafood'?",
        ),
        (
            "food: seafood",
            "foot: seafood",
            "tasks.yaml:4 tasks[0].constraints.foot: 'foot' is not a slot of a restaurant to search by. Did you mean 'food'?",
        ),
        (
            "[phone]",
            "[fone]",
            "tasks.yaml:5 tasks[0].requests[0]: 'fone' is not a slot of a restaurant to ask for. Did you mean 'phone'?",
        ),
        ("type: restaurant", "type: restorant", "tasks.yaml:3 tasks[0].type: unknown type 'restorant'"),
        ("id: two", "id: one", "tasks.yaml:7 tasks[1].id: task 'one' is listed twice"),
        (
            "constraints: {food: seafood, area: dontcare}",
            "constraints: {food: 3}",
            "tasks.yaml:4 tasks[0].constraints.food: 3 where text",
        ),
        (
            "    text: {en: Find a sea",
            "    texts: {en: Find a sea",
            "tasks.yaml:6 tasks[0].texts: unknown key 'texts'. Did you mean 'text'?",
        ),
    ],
)
def test_mistakes_are_named(check, old, new, expected):
    assert old in TASKS
    tasks, problems = check(TASKS.replace(old, new, 1))
    assert tasks == ()
    assert any(problem.startswith(expected) for problem in problems), problems


def test_a_goal_that_nothing_meets_needs_an_alternative(check, marlowe):
    area = next(
        area
        for area in marlowe.slots["area"].values
        if not marlowe.matching("restaurant", {"food": "thai", "area": area})
    )
    text = TASKS.replace("{food: seafood, area: dontcare}", f"{{food: thai, area: {area}}}")
    none = [
        problem for problem in check(text)[1] if "no venue meets the constraints of task 'one'" in problem
    ]
    assert len(none) == 1


def test_every_language_needs_a_text(check):
    assert check(TASKS, ("en", "it"))[1][0].startswith("tasks.yaml:6 tasks[0].text: no text in 'it'")
