"""How the bot speaks: five strategies, each switched on its own, so that dialogues differ in one alone.

empathy               answers feelings before facts
formality             formal register instead of informal
facing                names what it cannot do, instead of "I do not understand"
vocabulary_extension  offers to learn a name that it does not know
alignment             uses the words that the user used
Source  Guerini et al. 2018, section 4: the five variables
"""

from dataclasses import dataclass, fields, replace

from vivavoce_bots.carbs.foods import read_manner


@dataclass(frozen=True)
class Strategy:
    """Which strategies are on; none is the control condition."""

    empathy: bool = False
    formality: bool = False
    facing: bool = False
    vocabulary_extension: bool = False
    alignment: bool = False

    def sentences(self, language: str) -> dict[str, str]:
        """What is said in a language, by name."""
        said = {name: forms[self.formality] for name, forms in read_manner(language).says.items()}
        return {**said, "puzzled": said["facing"], "unanswered": said["facing"]} if self.facing else said


def strategies() -> dict[str, Strategy]:
    """By name: the control, each strategy alone, and all."""
    names = [field.name for field in fields(Strategy)]
    alone = {name.replace("_", "-"): replace(Strategy(), **{name: True}) for name in names}
    return {"control": Strategy(), **alone, "all": Strategy(**dict.fromkeys(names, True))}
