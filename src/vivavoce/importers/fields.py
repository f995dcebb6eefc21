"""Objects of a log that know which of their fields were read."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, Final

NOTHING: Final = (None, "", [], {})
Path = tuple[str, ...]


class Fields(dict[str, Any]):
    """An object of JSON, and the names of its fields that were read; reading them all at once counts, too.

    instead  the same object with other names or values, which was read in its place
    """

    __slots__ = ("instead", "known")

    def __init__(self, *pairs: Any) -> None:
        super().__init__(*pairs)
        self.known: set[str] = set()
        self.instead: Fields | None = None

    def get(self, name: str, default: Any = None, /) -> Any:
        self.known.add(name)
        return super().get(name, default)

    def __getitem__(self, name: str) -> Any:
        self.known.add(name)
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def keys(self) -> Any:
        self.known.update(super().keys())
        return super().keys()

    def values(self) -> Any:
        self.known.update(super().keys())
        return super().values()

    def items(self) -> Any:
        self.known.update(super().keys())
        return super().items()


HOLDERS: Final = (Fields, list)


def replaced(holder: dict[str, Any], changed: dict[str, Any]) -> dict[str, Any]:
    """The same object with other names or values; what was read of it stays read."""
    if not isinstance(holder, Fields):
        return changed
    holder.instead = Fields(changed)
    holder.instead.known = holder.known
    return holder.instead


def unread(contents: Iterable[Any]) -> Counter[str]:
    """Fields with a value that nobody read in any object of their kind, with how many objects have them.

    Output  by the names of the field and of the one that holds it: `usage.total_tokens`
    """
    known, passed = defaultdict[Path, set[str]](set), Counter[Path]()
    pending: list[tuple[Path, Any]] = [((), content) for content in contents]
    while pending:
        path, value = pending.pop()
        if isinstance(value, list):
            pending += [(path, entry) for entry in value if isinstance(entry, HOLDERS)]
        elif isinstance(value, Fields):
            fields = value.instead or value
            known[path] |= fields.known
            for name, inner in dict.items(fields):
                if name not in fields.known:
                    passed[*path, name] += inner not in NOTHING
                elif isinstance(inner, HOLDERS):
                    pending.append(((*path, name), inner))
    counts = Counter[str]()
    for path, n in passed.items():
        if n and path[-1] not in known[path[:-1]]:
            counts[".".join(path[-2:])] += n
    return counts
