"""One class for every shelf of named things: connectors, questionnaires, measures, stress tests."""

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from vivavoce.core.errors import DuplicateName, UnknownName

Entry = TypeVar("Entry")


class Registry(Generic[Entry]):
    """Named objects of one kind; each object carries all facts about itself.

    Raises  DuplicateName: names the holder
            UnknownName: names the nearest known name
    """

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._entries: dict[str, Entry] = {}
        self._later: dict[str, Callable[[], Entry]] = {}

    def add(self, name: str, entry: Entry) -> Entry:
        if name in self:
            raise DuplicateName(self.kind, name, self.get(name))
        self._entries[name] = entry
        return entry

    def add_later(self, name: str, make: Callable[[], Entry]) -> None:
        """`add` of an entry that takes long to make, and is made when it is first asked for."""
        if name in self:
            raise DuplicateName(self.kind, name, self.get(name))
        self._later[name] = make

    def register(self, name: str) -> Callable[[Entry], Entry]:
        """Decorator form of `add`."""
        return lambda entry: self.add(name, entry)

    def get(self, name: str, *, place: str = "") -> Entry:
        if name not in self._entries and (make := self._later.get(name)) is not None:
            self._entries[name] = make()
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownName(self.kind, name, self.names(), place=place) from None

    def names(self) -> list[str]:
        return sorted({*self._entries, *self._later})

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return iter([(name, self.get(name)) for name in self.names()])

    def __contains__(self, name: object) -> bool:
        return name in self._entries or name in self._later

    def __len__(self) -> int:
        return len(self.names())
