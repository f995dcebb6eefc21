"""Back end of the house: devices of a flat, tonight's programmes, messages of the answering machine."""

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from vivavoce_bots.engine.bot_file import BotFile, DomainError, read_yaml
from vivavoce_bots.engine.commands import Act, Outcome
from vivavoce_bots.engine.wording import Wording

Frame = dict[str, Any]
FEW = 3  # so many devices are named one by one in a question
STEPS = {"left": -1, "middle": 0, "right": 1}


def apply_domain(source: Frame, path: Path) -> Frame:
    """Put the `rooms`, `places` and `devices` of a file in place of those of the bot file."""
    try:
        flat = read_yaml(path)
        for name, row in flat["devices"].items():
            is_known = row["kind"] in source["table"]["kinds"] and row["room"] in flat["rooms"]
            if (
                not is_known
                or not set(row["places"]) <= set(flat["places"])
                or set(row["name"]) != {"en", "it"}
            ):
                raise DomainError(
                    f"{path.name}: {name} needs a kind, a room, places and names that are known"
                )
    except (OSError, YAMLError, KeyError, TypeError, AttributeError) as error:
        raise DomainError(f"{path.name}: no flat with rooms, places and devices: {error}") from error
    slots = dict(source["slots"])
    slots["room"] = {**slots["room"], "values": flat["rooms"]}
    slots["place"] = {**slots["place"], "values": flat["places"]}
    return {**source, "slots": slots, "table": {**source["table"], "devices": flat["devices"]}}


def operate(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Switch the devices that are meant, or ask which of them."""
    devices = _meant(bot, frame, denied, memory)
    if not devices:
        return Outcome("no_such", acts=[Act("canthelp")])
    is_clear = "device" in frame or frame.get("many") == "all" or frame["kind"] == "lamps"
    if len(devices) > 1 and not is_clear:
        return _ask_which(bot, devices)
    kind, names = bot.table["devices"][devices[0]]["kind"], _names(bot, devices)
    state = bot.table["kinds"][kind]["can"].get(argument)
    if state is None:
        return Outcome("cannot", {"names": names}, acts=[Act("canthelp")])
    form = "already" if all(_state(bot, device, memory) == state for device in devices) else "did"
    _switch(memory, devices, state)
    memory["last"] = devices
    acts = [Act("inform", "done", f"{kind}_{state}"), *(Act("inform", kind, device) for device in devices)]
    values = {"names": names, "text": _sentence(bot, form, devices, state)}
    return Outcome("done", values, acts=acts, meant=_resolved(bot, frame, devices))


def switch_all_off(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Switch all devices off, in the flat or in one room; blinds stay."""
    room = {"room": frame["room"]} if "room" in frame else {}
    devices = _meant(bot, room, denied, memory)
    _switch(memory, [name for name in devices if bot.table["devices"][name]["kind"] != "blind"], "off")
    return Outcome("room_off" if room else "all_off", {"done": "all_off", **room}, meant={"many": "all"})


def leave(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("left")


def tell_state(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Tell the states of the devices that are meant, or which devices are on."""
    devices = _meant(bot, frame, denied, memory)
    states = {device: _state(bot, device, memory) for device in devices}
    told = [device for device in devices if states[device] not in ("off", "open")]
    if not told and "kind" not in frame:
        return Outcome("nothing_on")
    told = sorted(told or devices, key=states.__getitem__)
    groups = [(state, list(group)) for state, group in groupby(told, key=states.__getitem__)]
    text = " ".join(_sentence(bot, "is", group, state) for state, group in groups)
    acts = [Act("inform", "state", f"{device}:{states[device]}") for device in told]
    values = {"names": _names(bot, told), "text": text}
    return Outcome("state" if told else "no_such", values, acts=acts, meant=_resolved(bot, frame, told))


def list_devices(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    devices = _meant(bot, frame, denied, memory)
    meant = {"kind": bot.table["devices"][devices[0]]["kind"]} if devices and "kind" in frame else {}
    return Outcome("devices" if devices else "no_such", {"names": _names(bot, devices)}, meant=meant)


def show_channel(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    _switch(memory, ["television"], "on")
    meant = {"kind": "television", **frame}
    return Outcome("shown", {"done": "television", "channel": frame["channel"]}, meant=meant)


def show_programme(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    channel = bot.table["programmes"][frame["programme"]]["channel"]
    return show_channel(bot, {**frame, "channel": channel}, denied, argument, memory)


def tell_programmes(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Tell what is on tonight: one programme, those of a channel, or all."""
    wanted = {slot: frame[slot] for slot in ("channel", "programme") if slot in frame}
    rows = [{"programme": name, **row} for name, row in bot.table["programmes"].items()]
    wording, texts = Wording(bot), {}
    for channel, group in groupby(rows, key=lambda row: row["channel"]):
        titles = [
            wording.fill(bot.table["programme"], **row) for row in group if wanted.items() <= row.items()
        ]
        if titles:
            texts[channel] = f"{wording.show('channel', channel)}: {wording.enumerate(titles)}"
    acts = [Act("inform", "done", "programme"), *(Act("inform", "channel", channel) for channel in texts)]
    return Outcome("programmes" if texts else "no_programme", {"texts": "; ".join(texts.values())}, acts=acts)


def record(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    memory["recorded"] = [*memory.get("recorded", []), frame["programme"]]
    return Outcome("recording", {"done": "recording", **frame, **bot.table["programmes"][frame["programme"]]})


def tell_messages(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    texts = [bot.table["messages"][name] for name in _messages(bot, frame, memory)]
    total = str(len(_messages(bot, {}, memory)))
    acts = [Act("inform", "done", "messages"), Act("inform", "messages", total)]
    outcome = {0: "no_messages", 1: "one_message"}.get(len(texts), "messages")
    if texts and frame.get("message", "all") != "all":
        outcome = "message"
    return Outcome(outcome, {"count": total, "texts": " ".join(texts)}, acts=acts)


def delete_messages(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    chosen = _messages(bot, frame, memory)
    memory["deleted"] = [*memory.get("deleted", []), *chosen]
    return Outcome("messages_deleted" if chosen else "no_messages", {"done": "messages_deleted"})


def _messages(bot: BotFile, frame: Frame, memory: Frame) -> list[str]:
    kept = [name for name in bot.table["messages"] if name not in memory.get("deleted", [])]
    return [name for name in kept if frame.get("message", "all") in ("all", name)]


def _switch(memory: Frame, devices: list[str], state: str) -> None:
    memory["states"] = {**memory.get("states", {}), **dict.fromkeys(devices, state)}


def _resolved(bot: BotFile, frame: Frame, devices: list[str]) -> Frame:
    """Frame to which “it” and “the other one” refer, with the room where it has other such devices."""
    kind, room = frame.get("kind", "").removesuffix("s"), frame.get("room")
    alike = [row for row in bot.table["devices"].values() if (row["kind"], row["room"]) == (kind, room)]
    place = {"room": room} if len(alike) > 1 else {}
    return {"kind": kind, **place, "device": devices} if kind and devices else {}


def _meant(bot: BotFile, frame: Frame, denied: Frame, memory: Frame) -> list[str]:
    """Devices that fit the description, from left to right."""
    if "device" in frame:
        return list(frame["device"])
    rows: Frame = bot.table["devices"]
    last = memory.get("last", []) if frame.get("many") == "other" else []
    rooms = {rows[name]["room"] for name in last}
    excluded = {value for values in denied.values() for value in values}
    wanted = {"kind": frame.get("kind", "").removesuffix("s"), "room": frame.get("room")}
    names = [
        name
        for name, row in rows.items()
        if all(value in ("", None, row[slot]) for slot, value in wanted.items())
        and name not in last
        and (not rooms or row["room"] in rooms)
        and not excluded & {row["room"], *row["places"]}
    ]
    there = [name for name in names if frame.get("place") in (None, *rows[name]["places"])]
    if "side" not in frame:
        return there
    groups = [list(group) for _, group in groupby(names, key=lambda name: rows[name]["room"])]
    return [name for row in groups for name in _on_side(row, there, frame)] or there


def _on_side(row: list[str], there: list[str], frame: Frame) -> Iterable[str]:
    """Devices at the left or right end of a room, or next to the given devices on that side."""
    step = STEPS[frame["side"]]
    if "place" not in frame:
        return [row[(len(row) - 1) * (step + 1) // 2]]
    positions = [row.index(name) + step for name in row if name in there]
    return [row[position] for position in positions if 0 <= position < len(row)]


def _ask_which(bot: BotFile, devices: list[str]) -> Outcome:
    """Ask for the room of many devices, for the device of few."""
    rows = bot.table["devices"]
    kind, rooms = rows[devices[0]]["kind"], list(dict.fromkeys(rows[device]["room"] for device in devices))
    names, choices = _names(bot, devices), [{"device": [device]} for device in devices]
    if len(devices) > FEW and len(rooms) > 1:
        names, choices = (
            [Wording(bot).phrase("room", room) for room in rooms],
            [{"room": room} for room in rooms],
        )
    acts = [Act("request", kind), *(Act("select", kind, device) for device in devices)]
    values = {"which": bot.table["kinds"][kind]["which"], "options": names}
    return Outcome("which", values, choices=choices, acts=acts)


def _names(bot: BotFile, devices: list[str]) -> list[str]:
    return [bot.table["devices"][device]["name"] for device in devices]


def _state(bot: BotFile, device: str, memory: Frame) -> str:
    kind = bot.table["kinds"][bot.table["devices"][device]["kind"]]
    return memory.get("states", {}).get(device, kind.get("starts", "off"))


def _sentence(bot: BotFile, form: str, devices: list[str], state: str) -> str:
    """Sentence on the state of devices, with a verb and an adjective that agree."""
    kind, row = bot.table["kinds"][bot.table["devices"][devices[0]]["kind"]], bot.table["states"][state]
    is_plural = len(devices) > 1 or "plural" in kind
    adjective = row["adjective"].format(
        ending=bot.table["endings"][is_plural + 2 * ("masculine" not in kind)]
    )
    template = row["did"] if form == "did" else bot.table[form]
    be = bot.table["be"][is_plural]
    text = Wording(bot).fill(template, names=_names(bot, devices), be=be, adjective=adjective)
    return text[:1].upper() + text[1:]
