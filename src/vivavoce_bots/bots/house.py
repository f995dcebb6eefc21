"""Back end of the house: the devices of a flat, tonight's programmes, and the messages of the answering machine."""

from itertools import groupby
from pathlib import Path
from typing import Any

from ruamel.yaml.error import YAMLError

from vivavoce_bots.engine.bot_file import BotFile, DomainError, read_yaml
from vivavoce_bots.engine.commands import Act, Outcome
from vivavoce_bots.engine.wording import Wording

Frame = dict[str, Any]
FEW = 3  # so many devices are named one by one in a question


def apply_domain(source: dict[str, Any], path: Path) -> dict[str, Any]:
    """Another flat: a file with the `rooms`, `places` and `devices` that the bot file has as slots and table."""
    try:
        flat = read_yaml(path)
        rooms, places, devices = flat["rooms"], flat["places"], flat["devices"]
        for name, row in devices.items():
            is_known = row["kind"] in source["table"]["kinds"] and row["room"] in rooms
            if not is_known or not places.keys() >= set(row["places"]) or not row["name"].keys() >= {"en", "it"}:
                raise DomainError(f"{path.name}: {name} needs a kind, a room, places and names that are known")
    except (OSError, YAMLError, KeyError, TypeError, AttributeError) as error:
        raise DomainError(f"{path.name}: no flat with rooms, places and devices: {error}") from error
    slots = {
        "room": {**source["slots"]["room"], "values": rooms},
        "place": {**source["slots"]["place"], "values": places},
    }
    return {
        **source,
        "slots": {**source["slots"], **slots},
        "table": {**source["table"], "devices": devices},
    }


def operate(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Switch the devices that are meant, or ask which of them."""
    devices = _meant(bot, frame, denied, memory)
    if not devices:
        return Outcome("no_such", acts=[Act("canthelp")])
    if len(devices) > 1 and not _means_all(frame):
        return _ask_which(bot, devices)
    kind = bot.table["devices"][devices[0]]["kind"]
    state = bot.table["kinds"][kind]["can"].get(argument)
    if state is None:
        return Outcome("cannot", {"names": _names(bot, devices)}, acts=[Act("canthelp")])
    is_new = any(_state(bot, device, memory) != state for device in devices)
    memory.setdefault("states", {}).update(dict.fromkeys(devices, state))
    memory["last"] = devices
    acts = [Act("inform", "done", f"{kind}_{state}"), *(Act("inform", kind, device) for device in devices)]
    text = _sentence(bot, "did" if is_new else "already", devices, state)
    meant = {slot: frame[slot] for slot in ("kind", "room") if slot in frame} | {"device": devices}
    return Outcome("done", {"names": _names(bot, devices), "text": text}, acts=acts, meant=meant)


def switch_all_off(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    rows = bot.table["devices"].items()
    memory.setdefault("states", {}).update({name: "off" for name, row in rows if row["kind"] != "blind"})
    return Outcome("all_off", {"done": "all_off"})


def leave(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("left")


def tell_state(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Tell the states of the devices that are meant, else of those that are on."""
    devices = _meant(bot, frame, denied, memory) if "kind" in frame else list(bot.table["devices"])
    unlike = [device for device in devices if _state(bot, device, memory) not in ("off", "open")]
    told = unlike or devices if "kind" in frame else unlike
    if not told:
        return Outcome("no_such" if "kind" in frame else "nothing_on")
    states = {
        device: _state(bot, device, memory)
        for device in sorted(told, key=lambda name: _state(bot, name, memory))
    }
    groups = [(state, list(group)) for state, group in groupby(states, key=states.__getitem__)]
    text = " ".join(_sentence(bot, "is", group, state) for state, group in groups)
    acts = [Act("inform", "state", f"{device}:{state}") for device, state in states.items()]
    meant = {"kind": frame["kind"], "device": told} if "kind" in frame else {}
    return Outcome("state", {"names": _names(bot, told), "text": text}, acts=acts, meant=meant)


def list_devices(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    return Outcome("devices", {"names": _names(bot, _meant(bot, frame, denied, memory))})


def show_channel(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    memory.setdefault("states", {})["television"] = "on"
    acts = [Act("inform", "done", "television"), Act("inform", "channel", frame["channel"])]
    return Outcome("shown", {"channel": frame["channel"]}, acts=acts)


def tell_programmes(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    """Tell what is on tonight: one programme, those of a channel, or all."""
    wanted = {slot: frame[slot] for slot in ("channel", "programme") if slot in frame}
    rows = [{"programme": name, **row} for name, row in bot.table["programmes"].items()]
    rows = [row for row in rows if wanted.items() <= row.items()]
    wording = Wording(bot)
    texts = [
        f"{wording.show('channel', channel)}: "
        + wording.enumerate([wording.fill(bot.table["programme"], **row) for row in group])
        for channel, group in groupby(rows, key=lambda row: row["channel"])
    ]
    channels = dict.fromkeys(row["channel"] for row in rows)
    acts = [Act("inform", "done", "programme"), *(Act("inform", "channel", channel) for channel in channels)]
    return Outcome("programmes", {"texts": "; ".join(texts)}, acts=acts)


def record(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    row = bot.table["programmes"][frame["programme"]]
    memory["recorded"] = [*memory.get("recorded", []), frame["programme"]]
    return Outcome("recording", {"done": "recording", "programme": frame["programme"], **row})


def tell_messages(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    chosen = _chosen_messages(bot, frame, memory)
    texts = " ".join(bot.table["messages"][name] for name in chosen)
    acts = [
        Act("inform", "done", "messages"),
        Act("inform", "messages", str(len(_kept_messages(bot, memory)))),
    ]
    if frame.get("message", "all") != "all":
        return Outcome("message" if chosen else "no_such_message", {"texts": texts}, acts=acts)
    return Outcome(
        "messages" if chosen else "no_messages", {"count": str(len(chosen)), "texts": texts}, acts=acts
    )


def delete_messages(bot: BotFile, frame: Frame, denied: Frame, argument: str, memory: Frame) -> Outcome:
    chosen = _chosen_messages(bot, frame, memory)
    memory["deleted"] = [*memory.get("deleted", []), *chosen]
    return Outcome("messages_deleted" if chosen else "no_messages", {"done": "messages_deleted"})


def _kept_messages(bot: BotFile, memory: Frame) -> list[str]:
    return [name for name in bot.table["messages"] if name not in memory.get("deleted", [])]


def _chosen_messages(bot: BotFile, frame: Frame, memory: Frame) -> list[str]:
    return [name for name in _kept_messages(bot, memory) if frame.get("message", "all") in ("all", name)]


def _means_all(frame: Frame) -> bool:
    return "device" in frame or frame.get("many") == "all" or frame.get("kind") == "lamps"


def _meant(bot: BotFile, frame: Frame, denied: Frame, memory: Frame) -> list[str]:
    """Devices that fit the description, from left to right."""
    if "device" in frame:
        return list(frame["device"])
    kind = {"lamps": "lamp"}.get(frame.get("kind"), frame.get("kind"))
    rows = {name: row for name, row in bot.table["devices"].items() if kind in (None, row["kind"])}
    rows = {name: row for name, row in rows.items() if frame.get("room", row["room"]) == row["room"]}
    if frame.get("many") == "other" and memory.get("last"):
        last = memory["last"]
        rooms = {bot.table["devices"][name]["room"] for name in last}
        rows = {name: row for name, row in rows.items() if name not in last and row["room"] in rooms}
    excluded = {value for values in denied.values() for value in values}
    names = [name for name, row in rows.items() if not excluded & {row["room"], *row["places"]}]
    return _in_place(rows, names, frame)


def _in_place(rows: Frame, names: list[str], frame: Frame) -> list[str]:
    """Devices by a thing, on a side of their room, or on a side of a thing."""
    place, side = frame.get("place"), frame.get("side")
    there = [name for name in names if place is None or place in rows[name]["places"]]
    if side is None:
        return there
    step = {"left": -1, "middle": 0, "right": 1}[side]
    chosen = []
    for _, group in groupby(names, key=lambda name: rows[name]["room"]):
        row = list(group)
        anchors = [position for position, name in enumerate(row) if name in there]
        if place is None:
            chosen.append(row[{"left": 0, "middle": len(row) // 2, "right": -1}[side]])
        else:
            chosen += [row[at + step] for at in anchors if 0 <= at + step < len(row)]
    return chosen or there


def _ask_which(bot: BotFile, devices: list[str]) -> Outcome:
    """Ask for the room of many devices, for the device of few."""
    rows = bot.table["devices"]
    kind, rooms = rows[devices[0]]["kind"], list(dict.fromkeys(rows[device]["room"] for device in devices))
    acts = [Act("request", kind), *(Act("select", kind, device) for device in devices)]
    if len(devices) > FEW and len(rooms) > 1:
        names, choices = (
            [Wording(bot).phrase("room", room) for room in rooms],
            [{"room": room} for room in rooms],
        )
    else:
        names, choices = _names(bot, devices), [{"device": [device]} for device in devices]
    which = bot.table["kinds"][kind]["which"]
    return Outcome("which", {"which": which, "options": names}, choices=choices, acts=acts)


def _names(bot: BotFile, devices: list[str]) -> list[str]:
    return [bot.table["devices"][device]["name"] for device in devices]


def _state(bot: BotFile, device: str, memory: Frame) -> str:
    kind = bot.table["kinds"][bot.table["devices"][device]["kind"]]
    return memory.get("states", {}).get(device, kind.get("starts", "off"))


def _sentence(bot: BotFile, form: str, devices: list[str], state: str) -> str:
    """Sentence on the state of devices, with a verb and an adjective that agree."""
    kind = bot.table["kinds"][bot.table["devices"][devices[0]]["kind"]]
    is_plural = len(devices) > 1 or "plural" in kind
    row = bot.table["states"][state]
    adjective = row["adjective"]
    if isinstance(adjective, list):
        adjective = adjective[is_plural + 2 * ("masculine" not in kind)]
    template = row["did"] if form == "did" else bot.table[form]
    text = Wording(bot).fill(
        template, names=_names(bot, devices), be=bot.table["be"][is_plural], adjective=adjective
    )
    return text[:1].upper() + text[1:]
