"""Back end of the carbohydrate counter: grams of an item and total of a meal."""

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Item, Outcome

GRAMS = {"g": 1.0, "ml": 1.0, "hg": 100.0, "kg": 1000.0, "spoon": 10.0}
LARGEST = 3000.0  # grams of one food in a meal


def count(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Total of a meal."""
    memory["meal"] = frame["food"]
    return Outcome("total", {"total": _total(bot, frame["food"]), "items": _named(bot, frame["food"])})


def so_far(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Total of the items whose quantity is known, or of the meal before."""
    measured = [item for item in frame.get("food", []) if item.quantity is not None]
    items = measured or memory.get("meal", [])
    if not items:
        return Outcome("nothing_yet")
    return Outcome("total", {"total": _total(bot, items), "items": _named(bot, items)})


def density(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Carbohydrates in 100 g of the last food."""
    food = frame.get("food") or memory.get("meal", [])
    if not food:
        return Outcome("nothing_yet")
    item = food[-1] if isinstance(food, list) else food
    if not item.value:
        return Outcome("nothing_yet")
    row = bot.table[item.value]
    return Outcome("density", {"name": row["names"][0].capitalize(), "carbs": row["carbs"]})


def _total(bot: BotFile, items: list[Item]) -> int:
    return round(sum(_grams(bot, item) * bot.table[item.value]["carbs"] / 100 for item in items))


def _grams(bot: BotFile, item: Item) -> float:
    row = bot.table[item.value]
    quantity = item.quantity or 0.0
    weight = GRAMS.get(item.unit) or row.get(item.unit) or row["portion"]
    return min(quantity * weight, LARGEST)


def _named(bot: BotFile, items: list[Item]) -> list[str]:
    return [f"{bot.table[item.value]['names'][0]} {_grams(bot, item):g} g" for item in items]
