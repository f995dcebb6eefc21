"""A study whose annotators turn commands into predicates, and the dataset of commands that it reads."""

from pathlib import Path

from scenes.annotating import annotated_study
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.study.model import Study
from vivavoce_commands.annotation.workplace import CommandWorkplace

SECTION = "commands: {templates: kitchen-en, dataset: commands}\n  double: 1"
RECIPES = {
    ("ada", "soup"): ["take the pot and put it on the fire", "add the onion", "stir"],
    ("ben", "soup"): ["fry the flowers", "well done"],
}


def commanding_study(folder: Path, section: str = SECTION) -> Study:
    """The study, with two recipes of two speakers beside it."""
    with DatasetWriter(folder / "commands", study={"name": "kitchen"}, source={"kind": "test"}) as writer:
        writer.add(
            "commands",
            [
                {
                    "command_id": f"{speaker}-{number}",
                    "participant_id": speaker,
                    "recipe": recipe,
                    "utterance": number,
                    "language": "en",
                    "text": text,
                    "simulated": False,
                    "pointed": "pot; hob" if text.startswith("take") else None,
                }
                for (speaker, recipe), texts in RECIPES.items()
                for number, text in enumerate(texts, 1)
            ],
        )
        writer.close()
    return annotated_study(folder, section)


ANNA = {
    "ada/soup": ["[take(pot), put(pot, fire)]", "add(onion, *pot*)", "stir(*onion*)"],
    "ben/soup": ["add(flowers, *oil*)", None],
}
BRUNO = {
    "ada/soup": ["[take(pot), put(pot, fire)]", "add(onion)", "stir(*onion*)"],
    "ben/soup": ["cook(flowers, *oil*)", None],
}


def annotate_all(workplace: CommandWorkplace, who: str, said: dict[str, list[str | None]]) -> None:
    """Annotate recipe after recipe, as the queue gives them out."""
    while (key := workplace.next_dialogue(who)) is not None:
        for number, annotation in enumerate(said[key]):
            workplace.annotate(who, key, number, annotation)
        workplace.finish(who, key)
