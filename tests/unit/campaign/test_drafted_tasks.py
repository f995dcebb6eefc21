"""Tasks that are drafted for a system: no intent crowds out another."""

from collections import Counter

from vivavoce.study.task import Task
from vivavoce_campaign.callers import different


def test_an_intent_with_many_values_does_not_crowd_out_one_with_few() -> None:
    drawn = [("reserve", f"reserve {number}") for number in range(12)] + [
        ("price", "price 1"),
        ("price", "price 2"),
    ]
    tasks = [
        Task(task_id=text, type=name, constraints={}, requests=(), text={"en": text}) for name, text in drawn
    ]
    assert Counter(one.type for one in different(tasks, 3)) == {"reserve": 6, "price": 2}
