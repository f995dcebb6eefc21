"""Commands between the notation and frames: predicates are read, completed, written and translated."""

import re
from typing import Any

from vivavoce_bots.chef.notation import Predicate
from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Command, Item

SLOTS = ("thing", "container", "place")
QUANTITY = re.compile(r"([0-9]+(?:[.,][0-9]+)?)? ?(\D*)")


def read_frame(bot: BotFile, predicate: Predicate) -> tuple[Command, ...]:
    """Commands of a predicate whose names are in the language of the conversation or of the notation."""
    actions = {name: action for action, row in bot.table["actions"].items() for name in (action, row["verb"])}
    if predicate.action not in actions:
        return (Command("start", "", "unknown_action"),)
    named = [(slot, value, names) for slot in SLOTS for value, names in bot.slots[slot].values.items()]
    known = {name: (slot, value) for slot, value, names in named for name in (value, *names)}
    values: list[Command] = []
    quantity = Item("")
    for word in predicate.things():
        slot, value = known.get(word, ("", ""))
        if not slot:
            quantity = _read_quantity(bot, word)
            if quantity.quantity is None:
                return Command("inform", "missing", word), Command("start", "", "unknown_thing")
            if quantity.unit in bot.slots["minutes"].units:
                values.append(Command("inform", "minutes", quantity.quantity))
            continue
        item = Item(value, quantity.quantity, quantity.unit)
        values.append(Command("inform", slot, item if slot == "thing" else value))
        quantity = Item("")
    return (*values, Command("start", "", actions[predicate.action]))


def _read_quantity(bot: BotFile, text: str) -> Item:
    """Quantity, such as 300 g or pizzico; it has no number where the text is none."""
    match = QUANTITY.fullmatch(text)
    number, word = match.groups() if match else (None, text)
    named = bot.slots["thing"].units | bot.slots["minutes"].units
    units = {name: unit for unit, names in named.items() for name in (unit, *names)}
    is_quantity = word in units or (number and not word)
    return Item("", float((number or "1").replace(",", ".")) if is_quantity else None, units.get(word, ""))


def complete(bot: BotFile, action: str, frame: dict[str, Any], last_container: str) -> str:
    """Fill in the container that was used last where it is meant; returns the slot that is missing."""
    free = [slot for slot in SLOTS if frame.get(slot)]
    for need in bot.table["actions"][action]["needs"]:
        slots = need.split("|")
        given = [slot.strip("*") for slot in slots if slot.strip("*") in free]
        if given:
            free.remove(given[0])
        elif "*container*" in slots and last_container and "container" not in frame:
            frame["container"] = f"*{last_container}*"
        else:
            return slots[0].strip("*")
    return ""


def write_predicate(action: str, frame: dict[str, Any]) -> Predicate:
    """Predicate of a frame; a list of ingredients is one argument."""
    things = [word for item in frame.get("thing", []) for word in (*_write_quantity(item), item.value)]
    if len(frame.get("thing", [])) > 1:
        things = [f"[{', '.join(things)}]"]
    targets = [frame[slot] for slot in SLOTS[1:] if slot in frame]
    minutes = [f"{frame['minutes']:g} minuti"] if "minutes" in frame else []
    return Predicate(action, (*things, *targets, *minutes))


def _write_quantity(item: Item) -> list[str]:
    unit = "" if item.unit == "piece" else item.unit
    if item.quantity is None or (item.quantity == 1 and not unit):
        return []
    return [unit] if item.quantity == 1 else [f"{item.quantity:g} {unit}".strip()]


def translate(bot: BotFile, predicate: Predicate) -> str:
    """Predicate in the words of the conversation's language."""
    verb = bot.table["actions"][predicate.action]["verb"]
    words = {unit: names[0] for slot in bot.slots.values() for unit, names in slot.units.items()}
    words |= {value: names[0] for slot in SLOTS for value, names in bot.slots[slot].values.items()}
    arguments = re.sub(r"\w+", lambda word: words.get(word[0], word[0]), ", ".join(predicate.arguments))
    return f"{verb}({arguments})"
