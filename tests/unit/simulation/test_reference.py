"""The page of domain files says what the models say, and its examples are files that are read."""

from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from vivavoce.simulation.domain import SimulatedDomain, load_domain
from vivavoce.simulation.goals import draw_tasks
from vivavoce.simulation.reference import DOMAIN_EXAMPLE, ONTOLOGY_EXAMPLE, domain_reference
from vivavoce.study.file import Tasks
from vivavoce.study.ontology import Ontology, load_ontology
from vivavoce.study.tasks import generate_tasks

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "domain-files.md"


def test_the_page_has_not_drifted_from_the_models() -> None:
    """Mend it with: python -m vivavoce.simulation.reference > docs/reference/domain-files.md"""
    assert PAGE.read_text(encoding="utf-8") == domain_reference()


def models(annotation: object) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        inner = (models(field.annotation) for field in annotation.model_fields.values())
        return {annotation}.union(*inner)
    return set[type[BaseModel]]().union(*map(models, get_args(annotation)))


@pytest.mark.parametrize("root", [Ontology, SimulatedDomain])
def test_every_key_of_the_models_is_on_the_page_with_its_meaning(root: type[BaseModel]) -> None:
    page = domain_reference()
    for model in models(root):
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            assert f"| `{field.alias or name}` |" in page
            assert field.description.replace("|", "\\|") in page, f"{model.__name__}.{name}"


def test_the_examples_are_read_and_tasks_are_made_of_them(tmp_path: Path) -> None:
    (tmp_path / "library.yaml").write_text(ONTOLOGY_EXAMPLE, encoding="utf-8")
    ontology = load_ontology(tmp_path / "library.yaml", ("en",))
    settings = Tasks.model_validate({"generate": 2, "constraints": 1, "requests": 1, "dontcare": 0})
    texts = [task.text["en"] for task in generate_tasks(ontology, settings, ("en",))]
    assert any("about birds" in text for text in texts) and all("the shelf" in text for text in texts)
    (tmp_path / "lamps.yaml").write_text(DOMAIN_EXAMPLE, encoding="utf-8")
    domain = load_domain(str(tmp_path / "lamps.yaml"))
    drawn = draw_tasks(domain, 4, 1, ["en"], [])
    assert {task.text["en"] for task in drawn} == {
        f"Have the lamp in the {room} switched on." for room in ("kitchen", "hall")
    }
