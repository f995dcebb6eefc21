"""Back end of the counter of carbohydrates: grams of an item and total of a meal."""

from dataclasses import replace
from typing import Any

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Act, Item, Outcome

GRAMS = {
    "g": 1.0,
    "ml": 1.0,
    "cl": 10.0,
    "hg": 100.0,
    "kg": 1000.0,
    "litre": 1000.0,
    "pint": 568.0,
    "spoon": 10.0,
    "teaspoon": 5.0,
}
LARGEST = 3000.0  # grams of one food in a meal


def measure(bot: BotFile, item: Item) -> Item:
    """Item with its quantity in grams."""
    row = bot.table[item.value]
    weight = GRAMS.get(item.unit) or row.get(item.unit) or row["portion"]
    return replace(item, quantity=min((item.quantity or 0.0) * weight, LARGEST), unit="g")


def count(bot: BotFile, frame: dict[str, Any], denied: Any, argument: str, memory: dict[str, Any]) -> Outcome:
    """Total of a meal."""
    return _total(bot, frame["food"])


def so_far(
    bot: BotFile, frame: dict[str, Any], denied: Any, argument: str, memory: dict[str, Any]
) -> Outcome:
    """Total of the items whose quantity is known."""
    items = [item for item in frame.get("food", []) if item.quantity is not None]
    return _total(bot, items) if items else Outcome("nothing_yet")


def density(
    bot: BotFile, frame: dict[str, Any], denied: Any, argument: str, memory: dict[str, Any]
) -> Outcome:
    """Carbohydrates of the last food: in 100 g and in a portion, or in the amount that was named."""
    item = _last(frame)
    if item is None:
        return Outcome("which_food")
    row = bot.table[item.value]
    grams = row["portion"] if item.quantity is None else measure(bot, item).quantity
    values = {"food": replace(item, quantity=None), "carbs": row["carbs"], "portion": row["portion"]}
    values |= {"grams": grams, "each": round(grams * row["carbs"] / 100)}
    return Outcome("density" if item.quantity is None else "amount", values, acts=_facts([item]))


def portion(
    bot: BotFile, frame: dict[str, Any], denied: Any, argument: str, memory: dict[str, Any]
) -> Outcome:
    """Usual portion of the last food."""
    item = _last(frame)
    if item is None:
        return Outcome("which_food")
    values = {"food": replace(item, quantity=None), "portion": bot.table[item.value]["portion"]}
    return Outcome("portion", values, acts=_facts([item]))


def _last(frame: dict[str, Any]) -> Item | None:
    return (frame.get("food") or [None])[-1]


def _total(bot: BotFile, items: list[Item]) -> Outcome:
    grams = sum(item.quantity * bot.table[item.value]["carbs"] / 100 for item in items)
    total = f"{round(grams)} g"
    acts = (*_facts(items), Act("inform", "carbohydrates", total))
    return Outcome("total", {"food": items, "carbohydrates": total}, acts=acts)


def _facts(items: list[Item]) -> tuple[Act, ...]:
    return tuple(Act("inform", "food", item.value) for item in items)
