"""What a list of dialogues shows, as it stands in an address: filters, words, an order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from vivavoce.report.counted import CountedDialogues

LONGEST: Final = 200
MOST_VALUES: Final = 100
SIDES: Final = ("user", "system")
FACETS: Final = (
    "system", "condition", "task", "status", "participant", "language", "date", "length", "turns", "errors",
    "tools", "tags",
)  # fmt: skip
FACTOR: Final = "factor."
SUCCESS: Final = "success."
COUNTS: Final = "counts."
ANSWERED: Final = "answer."  # of an item of a questionnaire, as `stats.description.answered_as` has it
COUNTED: Final = "yes"
SORTS: Final = (
    "begun", "dialogue", "status", "system", "condition", "task", "participant", "language", "length",
    "turns", "errors", "success", "code", "tools", "tags",
)  # fmt: skip
NOTHING: Final = ""
NO_FACET: Final = ("strategy", "channel", "population")  # what results are grouped by, and lists are not
SORTED: Final = {"dialogue_duration": "length", "turns": "turns", "user_turns": "turns"}


def is_facet(name: str) -> bool:
    """Whether a name of an address says which values of a facet are shown."""
    return name in FACETS or name.startswith((FACTOR, SUCCESS, COUNTS))


def facet_of(by: str) -> str:
    """The facet by which the dialogues of a group of results are found."""
    return by if by in FACETS else FACTOR + by


def query_of(counted: "CountedDialogues") -> "DialogueQuery | None":
    """The query that finds what a number of the report counts; None: no list is grouped so."""
    if counted.keys and (counted.by in NO_FACET or ":" in counted.by):
        return None
    chosen = {facet_of(counted.by): counted.keys} if counted.keys else {}
    for measure, outcomes in counted.measures:
        chosen |= {SUCCESS + measure: outcomes} if outcomes else {COUNTS + measure: (COUNTED,)}
    sort = next((SORTED[name] for name, _ in counted.measures if name in SORTED), "begun")
    return DialogueQuery(chosen, sort=sort)


def address_of(counted: "CountedDialogues", *, dashboard: str = "") -> str:
    """Where these dialogues are to be read; empty: nowhere. `dashboard`: what stands before the path."""
    query = query_of(counted)
    return "" if query is None else f"{dashboard}/dialogues?{query.address}".rstrip("?")


@dataclass(frozen=True)
class DialogueQuery:
    """Which dialogues are wanted, and in which order.

    chosen  by facet the values of which a dialogue must have one
    text    words, or phrases between quotation marks, all of which must have been said
    side    by whom: user, system, or either
    since, until   days in UTC on which a dialogue began, both included; as they were entered
    sort    of SORTS, or a success rate; `descending`: the largest first
    """

    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    text: str = ""
    side: str = ""
    since: str = ""
    until: str = ""
    sort: str = "begun"
    descending: bool = True

    @classmethod
    def read(cls, pairs: Iterable[tuple[str, str]]) -> "DialogueQuery":
        """The query of an address; what is not understood is passed over."""
        chosen: dict[str, dict[str, None]] = {}
        one: dict[str, str] = {}
        for name, value in pairs:
            value = value.strip()[:LONGEST]
            if is_facet(name):
                given = chosen.setdefault(name[:LONGEST], {})
                if len(given) < MOST_VALUES and (value or _may_be_nothing(name)):
                    given[value] = None
            else:
                one[name] = value
        sort = one.get("sort", "")
        order = sort.removeprefix("-")
        known = order in SORTS or order.startswith(SUCCESS)
        return cls(
            chosen={name: tuple(values) for name, values in chosen.items() if values},
            text=one.get("q", ""), side=one["side"] if one.get("side") in SIDES else "",
            since=_day(one.get("since", "")), until=_day(one.get("until", "")),
            sort=order if known else "begun", descending=sort.startswith("-") if known else True,
        )  # fmt: skip

    @classmethod
    def parse(cls, query: str) -> "DialogueQuery":
        """The query of an address's part behind the question mark."""
        return cls.read(parse_qsl(query, keep_blank_values=True))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Names and values of the address, those at their default left out."""
        for name, values in self.chosen.items():
            yield from ((name, value) for value in values)
        single = {"q": self.text, "side": self.side, "since": self.since, "until": self.until}
        yield from ((name, value) for name, value in single.items() if value)
        if (self.sort, self.descending) != ("begun", True):
            yield "sort", f"-{self.sort}" if self.descending else self.sort

    @property
    def address(self) -> str:
        """The part of an address behind the question mark; empty: all, the latest first."""
        return urlencode(list(self.pairs()))

    @property
    def judged(self) -> bool:
        """Whether it can only be answered by what measures count."""
        return any(one.startswith((SUCCESS, COUNTS)) for one in (*self.chosen, self.sort))

    @property
    def filters(self) -> bool:
        """Whether anything is left out."""
        return bool(self.chosen or self.text or self.since or self.until)

    def turned(self, name: str, value: str) -> "DialogueQuery":
        """The same with a value of a facet added, or taken away where it was chosen."""
        own = self.chosen.get(name, ())
        left = tuple(one for one in own if one != value) if value in own else (*own, value)
        return replace(self, chosen={**{k: v for k, v in self.chosen.items() if k != name},
                                     **({name: left} if left else {})})  # fmt: skip

    def sorted_by(self, name: str, *, falling: bool) -> "DialogueQuery":
        """The same in the order of a column; once more: the other way round."""
        return replace(self, sort=name, descending=not self.descending if self.sort == name else falling)

    @property
    def phrases(self) -> list[str]:
        """What must have been said, folded: words apart, and what stands between quotation marks as it is."""
        found = []
        for place, part in enumerate(self.text.casefold().split('"')):
            found += [part.strip()] if place % 2 else part.split()
        return [one for one in found if one]


def _may_be_nothing(name: str) -> bool:
    return name in ("task", "language", "errors", "tools", "tags", "length")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
