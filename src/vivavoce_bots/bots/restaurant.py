"""Back end of the restaurant bot: venue search and details of the offered venue."""

from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import DONTCARE, Outcome

ENOUGH = 3  # so many matches are offered without a further question


def find(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Offer a venue that matches the frame, or one that matches all but an older constraint."""
    matches = _matches(bot, frame, denied)
    if matches:
        open_slots = [slot for slot in _differing(bot, matches) if slot not in frame]
        worth_asking = open_slots if len(matches) > ENOUGH else []
        return _offer(bot, matches, memory, "offer", ask=worth_asking)
    for dropped in frame:
        matches = _matches(bot, {slot: value for slot, value in frame.items() if slot != dropped}, denied)
        if matches:
            return _offer(bot, matches, memory, "closest", failed=True)
    memory.pop("offered", None)
    return Outcome("no_match", failed=True)


def next_venue(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Offer the next venue that matches the frame."""
    if not memory.get("offered"):
        return Outcome("no_venue")
    following = memory["matches"][1:]
    if not following:
        return Outcome("no_other", {"name": memory["offered"]})
    return _offer(bot, following, memory, "offer")


def detail(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Tell one attribute of the offered venue."""
    name = memory.get("offered")
    if name is None:
        return Outcome("no_venue")
    if argument not in bot.table[name]:
        return Outcome("unknown_detail", {"name": name})
    return Outcome("detail", {"name": name, argument: bot.table[name][argument]})


def _matches(bot: BotFile, frame: dict, denied: dict) -> list[str]:
    def fits(row: dict) -> bool:
        wanted = all(value in (DONTCARE, row.get(slot)) for slot, value in frame.items())
        return wanted and not any(row.get(slot) in values for slot, values in denied.items())

    return [name for name, row in bot.table.items() if fits(row)]


def _differing(bot: BotFile, matches: list[str]) -> list[str]:
    slots = bot.tasks["find"].slots
    return [slot for slot in slots if len({bot.table[name].get(slot) for name in matches}) > 1]


def _offer(bot: BotFile, matches: list[str], memory: dict, outcome: str, **options) -> Outcome:
    name, row = matches[0], bot.table[matches[0]]
    memory["matches"] = matches
    memory["offered"] = None if options.get("ask") else name
    description = {slot: row[slot] for slot in bot.tasks["find"].slots if slot in row}
    return Outcome(outcome, {"name": name, **description}, **options)
