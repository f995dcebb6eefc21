"""Wordings: prompts with values as participants read them."""

from datetime import date
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import DONTCARE, Item


class Wording:
    """Fills the prompts of a bot; a prompt may be a list of variants, used in turn."""

    def __init__(self, bot: BotFile) -> None:
        self.bot = bot
        self.words = bot.words

    def prompt(self, prompt: str, turn: int = 0, /, **values: Any) -> str:
        return self.fill(self.bot.prompts[prompt], turn, **values)

    def fill(self, template: Any, turn: int = 0, /, **values: Any) -> str:
        if isinstance(template, list):
            template = template[turn % len(template)]
        shown = {name: self.show(name, value) for name, value in values.items()}
        return template.format(**shown)

    def show(self, slot_name: str, value: Any) -> str:
        """Value as text; values of slots by their first name in the bot file."""
        if isinstance(value, (list, tuple)):
            return self.enumerate([self.show(slot_name, part) for part in value])
        if isinstance(value, Item):
            return self._item(slot_name, value)
        if isinstance(value, float):
            return f"{value:g}"
        slot = self.bot.slots.get(slot_name)
        if slot is None:
            return str(value)
        if value == DONTCARE:
            return slot.any
        if slot.type == "date":
            day = date.fromisoformat(value)
            return f"{day.day} {self.words['months'][day.month - 1]}"
        return slot.values[value][0] if value in slot.values else str(value)

    def phrase(self, slot_name: str, value: Any) -> str:
        """Value in its phrase, such as `in the north`."""
        slot = self.bot.slots[slot_name]
        if value == DONTCARE:
            return slot.any
        if isinstance(value, str) and value in slot.phrases:
            return slot.phrases[value]
        return slot.say.format(value=self.show(slot_name, value))

    def phrases(self, frame: dict[str, Any]) -> str:
        if not self.bot.settings["join_phrases"]:
            return self.enumerate([self.phrase(slot, value) for slot, value in frame.items()])
        return " ".join(self.phrase(slot, frame[slot]) for slot in self.bot.slots if slot in frame)

    def enumerate(self, parts: list[str], word: str = "and") -> str:
        parts = [part for part in parts if part]
        if len(parts) < 2:
            return "".join(parts)
        return f"{', '.join(parts[:-1])} {self.words[word]} {parts[-1]}"

    def options(self, slot_name: str, limit: int = 6) -> str:
        names = [names[0] for names in self.bot.slots[slot_name].values.values()]
        return self.enumerate(names[:limit], "or")

    def _item(self, slot_name: str, item: Item) -> str:
        name = item.wording or self.bot.slots[slot_name].values[item.value][0]
        if item.quantity is None:
            return name
        unit = self.bot.prompts.get("units", {}).get(item.unit, "{quantity} {name}")
        return unit.format(quantity=f"{item.quantity:g}", name=name)


def known(frame: dict[str, Any]) -> dict[str, Any]:
    """Frame without `no preference`."""
    return {slot: value for slot, value in frame.items() if value != DONTCARE}
