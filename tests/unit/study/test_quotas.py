"""Quotas of a study: which cannot be kept, and how many places a condition has."""

from pathlib import Path
from typing import Any

import pytest

from vivavoce.core.yaml_source import read_yaml
from vivavoce.study.quotas import Quotas, check_quotas

CONDITIONS = {"robot": "machine", "desk": "person"}


def problems(folder: Path, quotas: dict[str, Any], dialogues: int = 2, **how: bool) -> list[str]:
    (folder / "study.yaml").write_text("study: s\n", encoding="utf-8")
    source = read_yaml(folder / "study.yaml")
    told = {"anonymous": False, "routed": False} | how
    check_quotas(Quotas.model_validate(quotas), CONDITIONS, dialogues, source, **told)
    return [one.place.partition(" ")[2] for one in source.problems]


@pytest.mark.parametrize(
    ("quotas", "dialogues", "how", "places"),
    [
        ({"participants": 1, "conditions": 1, "visits": 1, "dialogues": 2}, 2, {}, []),
        ({"dialogues": 1}, 2, {}, ["quotas.dialogues"]),
        ({"conditions": {"machine": 1, "person": 2}}, 2, {}, []),
        ({"conditions": {"machine": 1, "robot": 2}}, 2, {}, ["quotas.conditions.robot"]),
        ({"participants": 1}, 0, {}, ["quotas"]),
        ({"conditions": 1}, 0, {}, ["quotas"]),
        ({"dialogues": 1}, 0, {}, ["quotas"]),
        ({"visits": 1}, 0, {}, []),
        ({"participants": 1}, 2, {"anonymous": True}, []),
        ({"visits": 1}, 2, {"anonymous": True}, ["quotas.visits"]),
        ({"visits": 1, "dialogues": 2}, 2, {"anonymous": True}, ["quotas.visits", "quotas.dialogues"]),
        ({"conditions": 1}, 2, {"routed": True}, ["quotas.conditions"]),
        ({"participants": 1}, 2, {"routed": True}, []),
    ],
)
def test_quotas_that_cannot_be_kept_are_reported_where_they_stand(
    quotas: dict[str, Any] | None, dialogues: int, how: dict[str, bool], places: list[str], tmp_path: Path
) -> None:
    assert problems(tmp_path, quotas, dialogues, **how) == places


@pytest.mark.parametrize(
    ("conditions", "places"), [(None, None), (3, 3), ({"machine": 2}, 2), ({"person": 2}, None)]
)
def test_a_condition_has_the_places_that_are_written_for_it_or_for_each(
    conditions: Any, places: int | None
) -> None:
    assert Quotas.model_validate({"conditions": conditions}).places("machine") == places
