"""A flat that can be talked with: rooms, what stands in them, devices, and what these can do. From YAML."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ruamel.yaml.error import YAMLError

from vivavoce_bots.dialogue.speech import LANGUAGES, read_data, read_yaml
from vivavoce_bots.dialogue.spotting import Entry, Spotter
from vivavoce_bots.engine.bot_file import DomainError

Point = tuple[float, float, float]


_LIKE: Final = {"louder": "faster", "softer": "slower", "faster": "louder", "slower": "softer"}


@dataclass(frozen=True)
class Piece:
    """What stands in a room at a point (left to right, near to far, floor up); a device has a kind."""

    name: str
    room: str
    at: Point
    names: Mapping[str, str]
    words: Mapping[str, Sequence[str]]
    kind: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of device: what can be done with it, what other deeds mean to it, how it starts, its words."""

    name: str
    deeds: tuple[str, ...]
    means: Mapping[str, str]
    starts: str
    said: Mapping[str, Mapping[str, Any]]

    def deed(self, wanted: str) -> str | None:
        """What can be done where this was asked for; None where nothing can."""
        meant = self.means.get(wanted, wanted)
        return meant if meant in self.deeds else None

    def deed_like(self, wanted: str) -> str | None:
        """The same, or what comes near to it: a fan that is to be louder goes faster."""
        return self.deed(wanted) or self.deed(_LIKE.get(wanted, ""))


@dataclass(frozen=True)
class Home:
    """All that the house knows of itself."""

    rooms: Mapping[str, Mapping[str, Any]]
    things: Mapping[str, Piece]
    kinds: Mapping[str, Kind]
    devices: Mapping[str, Piece]
    channels: Mapping[str, Mapping[str, Any]]
    programmes: Mapping[str, Mapping[str, Any]]
    messages: Mapping[str, Sequence[Mapping[str, Any]]]

    def only_kind(self, deed: str) -> str | None:
        """The kind of device that alone does a deed; None where several do, or none."""
        fitting = [kind.name for kind in self.kinds.values() if deed in kind.deeds]
        return fitting[0] if len(fitting) == 1 else None

    def kind_of(self, device: str) -> Kind:
        return self.kinds[self.devices[device].kind]

    def fitting(self, deed: str, about: Sequence[str]) -> list[str]:
        """The devices that can do a deed: of those that were spoken of, else of all."""
        fits = [one for one in about if self.kind_of(one).deed_like(deed)]
        return fits or [device for device in self.devices if deed in self.kind_of(device).deeds]

    def kinds_of(self, devices: Iterable[str]) -> set[str]:
        return {self.devices[device].kind for device in devices}

    def of_kind(self, kind: str | None) -> list[str]:
        return [name for name, device in self.devices.items() if kind in (None, device.kind)]

    def learn(self, spotter: Spotter, language: str) -> None:
        """All the phrases by which this flat and what it does are spoken of."""
        self._learn_manner(spotter, language)
        for name, room in self.rooms.items():
            _learn(spotter, room[language]["words"], Entry("room", name))
        for name, thing in self.things.items():
            _learn(spotter, thing.words[language], Entry("thing", name))
        for name, kind in self.kinds.items():
            _learn(spotter, kind.said[language]["words"], Entry("kind", name))
            _learn(spotter, kind.said[language]["plural"], Entry("plural", name))
        for device in self.devices.values():
            for phrase in device.words[language]:
                spotter.learn(phrase, Entry("called", phrase))

    def _learn_manner(self, spotter: Spotter, language: str) -> None:
        manner = read_manner(language)
        for kind in (
            "all",
            "them",
            "it",
            "other",
            "one",
            "except",
            "dont",
            "meant",
            "asks",
            "what",
            "and",
            "too",
        ):
            _learn(spotter, manner[kind], Entry(kind))
        groups = {"relations": "relation", "sides": "side", "ordinals": "ordinal", "deeds": "deed"}
        for group, kind in groups.items():
            for name, phrases in manner[group].items():
                _learn(spotter, phrases, Entry(kind, name))
        for name, phrases in {**manner["talk"], **manner["words"]}.items():
            _learn(spotter, phrases, Entry(name))

    def called(self, phrase: str, language: str) -> list[str]:
        """The devices that a name such as `bedside lamp` fits."""
        return [name for name, one in self.devices.items() if phrase in one.words[language]]

    def kind_words(self, language: str) -> list[str]:
        """The words for kinds of devices."""
        kinds = (kind.said[language] for kind in self.kinds.values())
        return [
            str(word) for kind in kinds for word in (*kind["words"], *kind["plural"]) if "*" not in str(word)
        ]

    def places(self, language: str) -> list[str]:
        """The words for rooms and sides of a language, one each."""
        sides = read_manner(language)["sides"].values()
        rooms = [room[language]["words"] for room in self.rooms.values()]
        return [str(word) for words in (*sides, *rooms) for word in words if "*" not in str(word)]


def _learn(spotter: Spotter, phrases: Sequence[str], entry: Entry) -> None:
    for phrase in phrases:
        spotter.learn(str(phrase), entry)


def read_manner(language: str) -> dict[str, Any]:
    """How people speak to a house in a language, and what it says."""
    return read_data(f"house.{language}")


def read_home(path: Path | None = None) -> Home:
    """The flat in a file; the one of this package where there is none.

    Raises  DomainError: the file cannot be read, or lacks what a flat needs
    """
    shown = path.name if path else "house.yaml"
    try:
        return _home(read_yaml(path) if path else read_data("house"))
    except (OSError, UnicodeDecodeError, YAMLError) as error:
        raise DomainError(f"{shown}: cannot be read: {' '.join(str(error).split())}") from None
    except KeyError as error:
        raise DomainError(f"{shown}: {error} is missing") from None
    except (TypeError, AttributeError, ValueError) as error:
        raise DomainError(f"{shown}: is no flat: {error}") from None


def _home(raw: Mapping[str, Any]) -> Home:
    services = raw["services"]
    home = Home(
        rooms=raw["rooms"],
        things={name: _piece(name, one) for name, one in raw["things"].items()},
        kinds={
            name: Kind(
                name,
                tuple(one["deeds"]),
                one.get("means") or {},
                one["starts"],
                {language: one[language] for language in LANGUAGES},
            )
            for name, one in raw["kinds"].items()
        },
        devices={name: _piece(name, one, one["kind"]) for name, one in raw["devices"].items()},
        channels=services["channels"],
        programmes=services["programmes"],
        messages=services["messages"],
    )
    for piece in (*home.things.values(), *home.devices.values()):
        if piece.room not in home.rooms or (piece.kind and piece.kind not in home.kinds):
            raise ValueError(f"{piece.name} stands in a room or is of a kind that there is not")
    return home


def _piece(name: str, raw: Mapping[str, Any], kind: str = "") -> Piece:
    across, away, up = (float(one) for one in raw["at"])
    return Piece(
        name,
        raw["room"],
        (across, away, up),
        {language: raw[language]["name"] for language in LANGUAGES},
        {language: [str(word) for word in raw[language]["words"]] for language in LANGUAGES},
        kind,
    )
