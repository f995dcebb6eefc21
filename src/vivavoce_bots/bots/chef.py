"""Back end of the cooking robot: commands are carried out or refused, questions answered."""

from vivavoce_bots.chef.commands import SLOTS, complete, read_frame, translate, write_predicate
from vivavoce_bots.chef.notation import Malformed, looks_like_notation, read_predicates
from vivavoce_bots.chef.world import HOT, Refused, World
from vivavoce_bots.engine.bot_file import BotFile
from vivavoce_bots.engine.commands import Act, Command, Outcome
from vivavoce_bots.engine.wording import known


def read(bot: BotFile, text: str) -> list[tuple[Command, ...]] | None:
    """Frames of a text in the notation of predicates."""
    if not looks_like_notation(text):
        return None
    try:
        return [read_frame(bot, predicate) for predicate in read_predicates(text)]
    except Malformed:
        return [(Command("start", "", "malformed"),)]


def obey(bot: BotFile, frame: dict, denied: dict, action: str, memory: dict) -> Outcome:
    """Carry out a command, ask for what it lacks, or refuse it with the reason."""
    world, last, frame = _world(memory), memory.get("container", ""), known(frame)
    missing = complete(bot, action, frame, last)
    if missing:
        return _missing(frame) if "missing" in frame else Outcome("", ask=[missing])
    predicate, before = write_predicate(action, frame), world.facts()
    try:
        world.carry_out(action, predicate.things())
    except Refused as refusal:
        words = {"thing": _word(bot, refusal.thing), "other": _word(bot, refusal.other)}
        why = bot.prompts["refused"][refusal.reason].format(**words)
        return Outcome("canthelp", {"why": why}, failed=True)
    memory["world"] = world
    memory["container"] = frame.get("container", last).strip("*")
    memory["commands"] = [*memory.get("commands", []), translate(bot, predicate)]
    acts = [Act("inform", "done", str(predicate))]
    acts += [Act("inform", "fact", fact) for fact in sorted(world.facts() - before)]
    meant = {**frame, "container": memory["container"]} if memory["container"] else frame
    return Outcome("done", {"command": memory["commands"][-1]}, acts=acts, meant=meant)


def _missing(frame: dict) -> Outcome:
    word = frame["missing"].lower()
    return Outcome("no_thing", {"missing": word}, failed=True, acts=[Act("canthelp", "thing", word)])


def _world(memory: dict) -> World:
    return memory.get("world") or World()


def _things(frame: dict) -> list[str]:
    """Ingredients of a frame, or of a question."""
    return [item.value for item in known(frame).get("thing", [])]


def _word(bot: BotFile, name: str) -> str:
    return next((bot.slots[slot].values[name][0] for slot in SLOTS if name in bot.slots[slot].values), name)


def tell_contents(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Contents of a container, by default the last one, or containers at a place."""
    world = _world(memory)
    if "place" in frame and "container" not in frame:
        boxes = [box for box, place in world.place.items() if place == frame["place"]]
        return Outcome("on_place", {"container": boxes}) if boxes else Outcome("nothing")
    container = frame.get("container", memory.get("container", ""))
    things = world.inside.get(container, [])
    return Outcome("contents", {"container": container, "thing": things}) if things else Outcome("nothing")


def tell_place(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Place of a container, or the container of an ingredient."""
    world, things = _world(memory), _things(frame)
    name = things[-1] if things else frame.get("container", memory.get("container", ""))
    boxes, values = world.boxes_of([name]), {"name": _word(bot, name)}
    if boxes:
        return Outcome("in_container", {**values, "container": boxes})
    if name in world.place:
        return Outcome("at_place", {**values, "place": world.place[name]})
    return Outcome("untouched" if name else "nothing", values)


def tell_whether(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Yes if things have a state or are at a place; without either, if they are hot."""
    world, things = _world(memory), _things(frame)
    container = frame.get("container", "")
    names = things or [container or memory.get("container", "")]
    boxes = [container] if container else world.boxes_of(things)
    if "state" in frame:
        holds = all(world.holds(frame["state"], name) for name in names)
    elif "place" in frame:
        holds = any(world.place.get(box) == frame["place"] for box in boxes or names)
    elif things:
        holds = all(set(world.boxes_of([name])) & set(boxes) for name in things)
    else:
        holds = world.place.get(names[0]) in HOT
    return Outcome("holds" if holds else "fails")


def tell_stock(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    """Everything there is, or what was asked for."""
    if "missing" in frame and not _things(frame):
        return _missing(frame)
    names = [_word(bot, name) for name in (*_things(frame), frame.get("container", "")) if name]
    if names:
        return Outcome("in_stock", {"names": names})
    return Outcome("stock", {slot: list(bot.slots[slot].values) for slot in SLOTS[:2]})


def tell_summary(bot: BotFile, frame: dict, denied: dict, argument: str, memory: dict) -> Outcome:
    commands = memory.get("commands", [])
    return Outcome("so_far", {"commands": ", ".join(commands)}) if commands else Outcome("nothing_done")


def tell(bot: BotFile, frame: dict, denied: dict, outcome: str, memory: dict) -> Outcome:
    """The answer to a question that no fact decides, or to a command that cannot be read."""
    return _missing(frame) if "missing" in frame else Outcome(outcome, failed=True)
