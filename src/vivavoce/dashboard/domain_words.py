"""Names of a domain's slots, values and kinds of venue in the reader's language."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from vivavoce.dashboard.language import gettext, language
from vivavoce.languages.base import lookup_tags
from vivavoce.study.ontology import Ontology

KIND: Final = "type"  # key of the kind of venue in tasks and goals
ANY: Final = "dontcare"

Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class DomainWords:
    """Names for pages; names missing from the ontology stay as written."""

    ontology: Ontology | None

    def slot(self, name: str) -> str:
        """Name of a slot, such as *fascia di prezzo* for `pricerange`."""
        if self.ontology is None or name not in self.ontology.slots:
            return gettext("type") if name == KIND else name.replace("_", " ")
        return _own(self.ontology.slots[name].names) or name.replace("_", " ")

    def value(self, slot: str, value: object) -> str:
        """Name of a value, such as *centro* for `centre`."""
        text = str(value)
        if text == ANY:
            return gettext("any")
        if self.ontology is None:
            return text
        definition = self.ontology.slots.get(slot)
        words = self.ontology.types if slot == KIND else definition.values if definition is not None else {}
        wording = _own(words.get(text, {}))
        return wording.text if wording is not None else text


def _own(by_language: Mapping[str, Named]) -> Named | None:
    return next((by_language[tag] for tag in lookup_tags(language()) if tag in by_language), None)
