"""Nouns of a kitchen and their names; data beside this file, one file per language."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any, Final

from vivavoce.core.errors import UnknownName
from vivavoce.core.yaml_source import read_yaml
from vivavoce_commands.command_templates import read_templates

ROOM: Final = Path(__file__).parent
GROUPS: Final = ("ingredients", "containers", "tools", "appliances", "wraps", "lids", "parts")
CLASSES: Final = ("solids", "liquids", "powders")


@dataclass(frozen=True)
class Lexicon:
    """The words of one language; `data` as in the file."""

    language: str
    data: dict[str, Any]

    @cached_property
    def forms(self) -> dict[str, str]:
        """Gender and number of every noun."""
        return {noun: facts["form"] for group in GROUPS for noun, facts in self.data[group].items()}

    @cached_property
    def actions(self) -> dict[str, str]:
        """The action's name in this language, by its English name."""
        templates = read_templates(f"kitchen-{self.language}")
        return {action.means or name: name for name, action in templates.actions.items()}

    def members(self, group: str, *, unseen: bool) -> list[str]:
        """The nouns of a group that training knows, or those that only the test part does.

        Ingredients fall into solids, liquids and powders.
        """
        nouns = self.data["ingredients" if group in CLASSES else group]
        nouns_in_part = [noun for noun, facts in nouns.items() if bool(facts.get("unseen")) == unseen]
        if group in ("liquids", "powders"):
            return [noun for noun in nouns_in_part if noun in self.data[group]]
        if group == "solids":
            not_solid = {*self.data["liquids"], *self.data["powders"], self.data["dough"]}
            return [noun for noun in nouns_in_part if noun not in not_solid]
        return nouns_in_part

    def unseen(self, noun: str | None) -> bool:
        """True if a noun occurs only in the test part."""
        return any(self.data[group].get(noun, {}).get("unseen", False) for group in GROUPS)

    def ways(self, action: str) -> list[list[str]]:
        """The ways to say an action, each in its forms; the plainest first."""
        return self.data["verbs"][self.actions[action]]

    def quantity(self, kind: str, chance: Random) -> str:
        return chance.choice(list(self.data["quantities"][kind]))

    def said(self, quantity: str) -> str:
        """Wording of a quantity before its noun."""
        for kinds in self.data["quantities"].values():
            if quantity in kinds:
                return kinds[quantity]
        return quantity


LANGUAGES: Final = tuple(sorted(path.stem for path in ROOM.glob("*.yaml")))


@lru_cache
def read_lexicon(language: str) -> Lexicon:
    """The kitchen in a language.

    Raises  UnknownName: no such language
    """
    if language not in LANGUAGES:
        raise UnknownName("language", language, list(LANGUAGES), place="--language")
    return Lexicon(language, read_yaml(ROOM / f"{language}.yaml").data)
