"""Named objects of one kind; `core.shelf` adds what installed packages offer."""

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

    def add(self, name: str, entry: Entry) -> Entry:
        if name in self:
            raise DuplicateName(self.kind, name, self.get(name))
        self._entries[name] = entry
        return entry

    def register(self, name: str) -> Callable[[Entry], Entry]:
        """Decorator form of `add`."""
        return lambda entry: self.add(name, entry)

    def get(self, name: str, *, place: str = "") -> Entry:
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownName(self.kind, name, self.names(), place=place) from None

    def names(self) -> list[str]:
        return sorted(self._entries)

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        return iter([(name, self.get(name)) for name in self.names()])

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __len__(self) -> int:
        return len(self.names())
