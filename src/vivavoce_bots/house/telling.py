"""How devices are called, how they are, and what was done with them, in the words of a language."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from vivavoce_bots.acts import Act, stating
from vivavoce_bots.dialogue.clauses import sentences_of
from vivavoce_bots.house.home import Home, read_manner
from vivavoce_bots.house.session import Pending

FEW: Final = 3


class House(Protocol):
    """What is told of: the states that differ from those at the beginning, and the language."""

    language: str
    state: dict[str, str]


_PAIR = 2


class Telling:
    """Speaks of the devices of one flat."""

    def __init__(self, home: Home) -> None:
        self._home = home

    def state(self, house: House, device: str) -> str:
        return house.state.get(device) or self._home.kinds[self._home.devices[device].kind].starts

    def on_now(self, house: House) -> list[str]:
        """The devices that are switched on."""
        on = (device for device in self._home.devices if self.state(house, device) != "off")
        return [one for one in on if "off" in self._home.kind_of(one).deeds]

    def how(self, house: House, device: str) -> str:
        """A device and how it is: `the fan is off`."""
        name = self._home.devices[device].names[house.language]
        return f"{name} {self._forms(house, device, self.state(house, device))[0]}"

    def how_they_are(
        self, house: House, devices: Sequence[str], deed: str | None, kind: str | None, which: str | None
    ) -> list[str]:
        """Whether they are so, else which there are (`which`: the sentence for that), else how each is."""
        if deed is not None:
            return [self.yes_or_no(house, deed, devices)]
        if which is not None and len(devices) > 1:
            names = self.listed(house, devices, "and", whole=False)
            return [capital(which.format(kind=self.kind(house, kind), names=names))]
        alike: dict[tuple[str, str], list[str]] = {}
        for device in devices:
            alike.setdefault((self._home.devices[device].kind, self.state(house, device)), []).append(device)
        return [
            capital(f"{self.listed(house, ones, 'and')} {self._forms(house, ones[0], state)[len(ones) > 1]}.")
            for (_, state), ones in alike.items()
        ]

    def changed(self, house: House, was: Mapping[str, str]) -> list[str]:
        """How those are that were otherwise before."""
        return [self.how(house, name) for name, state in was.items() if state != self.state(house, name)]

    def done(
        self, house: House, kind: str, deed: str, devices: Sequence[str], *, was_off: bool = False
    ) -> str:
        """That something was done, or was so already; `was_off`: before the turn."""
        said, many = self._home.kinds[kind].said[house.language], len(devices) > 1
        name = self.listed(house, devices, "and")
        started = self._says(house)["started"].get(deed) if kind != "fan" else None
        if started and (was_off or all(self.state(house, device) == "off" for device in devices)):
            return capital(started[many].format(name=name))
        if any(self.state(house, device) != deed for device in devices):
            return capital(said["done"][deed][many].format(name=name))
        verb, _, rest = said["states"][deed][many].partition(" ")
        return capital(self._says(house)["already"].format(name=name, verb=verb, rest=rest))

    def yes_or_no(self, house: House, deed: str, devices: Sequence[str]) -> str:
        """Whether devices are in a state, or which of them."""
        words = self._says(house)
        those = [one for one in devices if self.is_so(house, one, deed)]
        if len(devices) == 1:
            forms = self._forms(house, devices[0], self.state(house, devices[0]))
            name = self.listed(house, devices, "and")
            return capital(words["yes" if those else "no"].format(name=name, state=forms[0]))
        whole = list(devices) == self._home.of_kind(self._home.devices[devices[0]].kind)
        if not those and (len(devices) <= _PAIR or not whole):
            others: dict[str, list[str]] = {}
            for device in devices:
                others.setdefault(self.state(house, device), []).append(device)
            told = [
                f"{self.listed(house, ones, 'and')} {self._forms(house, ones[0], state)[len(ones) > 1]}"
                for state, ones in others.items()
            ]
            return capital(self._says(house)["no_others"].format(told=self._joined(house, told, "and")))
        if not those:
            kind = self.kind(house, self._home.devices[devices[0]].kind)
            return words["none"].format(kind=kind, state=self._forms(house, devices[0], deed)[0])
        forms = self._forms(house, those[0], deed)
        name = self.listed(house, those, "and")
        return capital(words["state"].format(name=name, state=forms[len(those) > 1]))

    def kind(self, house: House, kind: str | None) -> str:
        """The word for a kind of device, or for any."""
        known = self._home.kinds.get(kind or "")
        return known.said[house.language]["words"][0] if known else read_manner(house.language)["thing"]

    def choices(self, house: House, devices: Sequence[str]) -> str:
        """What to choose from; many devices by their rooms."""
        by_room: dict[str, list[str]] = {}
        for device in devices:
            by_room.setdefault(self._home.devices[device].room, []).append(device)
        if len(devices) <= FEW or len(by_room) < 2:
            return self.listed(house, devices, "or", whole=False)
        language = house.language
        shown = [
            self._home.rooms[room][language]["in"]
            if ones[1:]
            else self._home.devices[ones[0]].names[language]
            for room, ones in by_room.items()
        ]
        return self._joined(house, shown, "or")

    def listed(self, house: House, devices: Sequence[str], joint: str, *, whole: bool = True) -> str:
        """Names of devices, all of a kind by its name; `joint` is `and` or `or`."""
        kind = self._home.devices[devices[0]].kind if devices else ""
        if whole and len(devices) > 2 and list(devices) == self._home.of_kind(kind):
            return self._home.kinds[kind].said[house.language]["all"]
        names = [self._home.devices[device].names[house.language] for device in devices]
        return self._joined(house, names, joint)

    def _joined(self, house: House, names: list[str], joint: str) -> str:
        return self._says(house)[joint].join([", ".join(names[:-1]), names[-1]] if names[1:] else names)

    def is_so(self, house: House, device: str, deed: str) -> bool:
        """Whether a device is as a deed makes it."""
        state = self.state(house, device)
        switched = "off" in self._home.kind_of(device).deeds
        return state == deed or (deed == "on" and switched and state != "off")

    def _forms(self, house: House, device: str, state: str) -> Sequence[str]:
        return self._home.kinds[self._home.devices[device].kind].said[house.language]["states"][state]

    def _says(self, house: House) -> Mapping[str, Any]:
        return read_manner(house.language)["says"]

    def question(
        self, house: House, pending: Pending, words: Mapping[str, Any]
    ) -> tuple[str, tuple[Act, ...]]:
        """What is asked back of devices."""
        names = self.choices(house, pending.choices)
        selects = tuple(stating("select", pending.kind or "thing", choice) for choice in pending.choices)
        if pending.asks == "thing":
            return words["what_thing"], (Act("request", "thing"),)
        if pending.asks == "confirm":
            device = self._home.devices[pending.choices[0]]
            where = self._home.rooms[device.room][house.language]["in"]
            if not pending.choices[1:] and len(self._home.of_kind(device.kind)) == 1:  # the fan there is
                names = f"{names} {where}"
            asked = words["shall"].get(self._home.kind_of(pending.choices[0]).deed(pending.deed or ""))
            return (asked or words["mean_one"]).format(name=names), selects
        forms = self._home.kinds[pending.kind].said[house.language] if pending.kind else {}
        if pending.asks == "deed":
            name = self.listed(house, pending.choices, "and")
            form = forms.get("what") or words["what_deed"]
            return form.format(name=name), (Act("request", "action"),)
        form = forms.get("which") or words["which_thing"]
        return form.format(choices=names), (Act("request", pending.kind or "thing"), *selects)


def told_once(texts: Sequence[str], no_more: str) -> str:
    """The sentences of several texts, none twice; `no_more` ends one that told what there is to know."""
    kept: list[str] = []
    end = no_more.rsplit("}", 1)[-1].strip()
    for text in texts:
        fresh = [one for one in sentences_of(text) if one not in kept]
        kept += [] if fresh == [end] else fresh
    return " ".join(kept)


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]
