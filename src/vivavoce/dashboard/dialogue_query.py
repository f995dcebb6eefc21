"""Query of a list of dialogues, as stored in an address: filters, words and order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl, urlencode

if TYPE_CHECKING:
    from vivavoce.reports.counted import CountedDialogues

LONGEST: Final = 200
MOST_VALUES: Final = 100
SIDES: Final = ("user", "system")
FACETS: Final = (
    "system",
    "condition",
    "task",
    "status",
    "participant",
    "language",
    "date",
    "length",
    "turns",
    "errors",
    "tools",
    "tags",
)
FACTOR: Final = "factor."
SUCCESS: Final = "success."
COUNTS: Final = "counts."
ANSWERED: Final = "answer."  # prefix of questionnaire items, as in `analysis.description.answered_as`
COUNTED: Final = "yes"
SORTS: Final = (
    "begun",
    "dialogue",
    "status",
    "system",
    "condition",
    "task",
    "participant",
    "language",
    "length",
    "turns",
    "errors",
    "success",
    "code",
    "tools",
    "tags",
)
NOTHING: Final = ""
NO_FACET: Final = ("strategy", "channel", "population")  # groupings of results without a facet
SORTED: Final = {"dialogue_duration": "length", "turns": "turns", "user_turns": "turns"}


def is_facet(name: str) -> bool:
    """True if a name in an address is a facet."""
    return name in FACETS or name.startswith((FACTOR, SUCCESS, COUNTS))


def facet_of(by: str) -> str:
    """Facet that selects the dialogues of a group of results."""
    return by if by in FACETS else FACTOR + by


def query_of(counted: "CountedDialogues") -> "DialogueQuery | None":
    """Query for the dialogues behind a number of the report; None for other groupings."""
    if counted.keys and (counted.by in NO_FACET or ":" in counted.by):
        return None
    chosen = {facet_of(counted.by): counted.keys} if counted.keys else {}
    for measure, outcomes in counted.measures:
        chosen |= {SUCCESS + measure: outcomes} if outcomes else {COUNTS + measure: (COUNTED,)}
    sort = next((SORTED[name] for name, _ in counted.measures if name in SORTED), "begun")
    return DialogueQuery(chosen, sort=sort)


def address_of(counted: "CountedDialogues", *, dashboard: str = "") -> str:
    """Address of these dialogues, empty without a list; `dashboard`: prefix of the path."""
    query = query_of(counted)
    return "" if query is None else f"{dashboard}/dialogues?{query.address}".rstrip("?")


@dataclass(frozen=True)
class DialogueQuery:
    """Filters and order of dialogues.

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
        """Query from an address; unknown parts are ignored."""
        chosen: dict[str, dict[str, None]] = {}
        single_values: dict[str, str] = {}
        for name, value in pairs:
            value = value.strip()[:LONGEST]
            if is_facet(name):
                facet_values = chosen.setdefault(name[:LONGEST], {})
                if len(facet_values) < MOST_VALUES and (value or _may_be_nothing(name)):
                    facet_values[value] = None
            else:
                single_values[name] = value
        sort = single_values.get("sort", "")
        order = sort.removeprefix("-")
        is_known = order in SORTS or order.startswith(SUCCESS)
        return cls(
            chosen={name: tuple(values) for name, values in chosen.items() if values},
            text=single_values.get("q", ""),
            side=single_values["side"] if single_values.get("side") in SIDES else "",
            since=_day(single_values.get("since", "")),
            until=_day(single_values.get("until", "")),
            sort=order if is_known else "begun",
            descending=sort.startswith("-") if is_known else True,
        )

    @classmethod
    def parse(cls, query: str) -> "DialogueQuery":
        """Query from the query string of an address."""
        return cls.read(parse_qsl(query, keep_blank_values=True))

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Names and values for the address, without defaults."""
        for name, values in self.chosen.items():
            yield from ((name, value) for value in values)
        single = {"q": self.text, "side": self.side, "since": self.since, "until": self.until}
        yield from ((name, value) for name, value in single.items() if value)
        if (self.sort, self.descending) != ("begun", True):
            yield "sort", f"-{self.sort}" if self.descending else self.sort

    @property
    def address(self) -> str:
        """Query string of the address; empty: all dialogues, latest first."""
        return urlencode(list(self.pairs()))

    @property
    def judged(self) -> bool:
        """True if the query needs success labels."""
        return any(name.startswith((SUCCESS, COUNTS)) for name in (*self.chosen, self.sort))

    @property
    def filters(self) -> bool:
        """True if the query filters dialogues."""
        return bool(self.chosen or self.text or self.since or self.until)

    def turned(self, name: str, value: str) -> "DialogueQuery":
        """Query with a facet value toggled."""
        selected = self.chosen.get(name, ())
        remaining = (
            tuple(entry for entry in selected if entry != value) if value in selected else (*selected, value)
        )
        return replace(
            self,
            chosen={
                **{k: v for k, v in self.chosen.items() if k != name},
                **({name: remaining} if remaining else {}),
            },
        )

    def sorted_by(self, name: str, *, falling: bool) -> "DialogueQuery":
        """Query sorted by a column; reversed when sorted by it already."""
        return replace(self, sort=name, descending=not self.descending if self.sort == name else falling)

    @property
    def phrases(self) -> list[str]:
        """Search terms, casefolded: single words, and quoted phrases as they are."""
        phrases = []
        for place, part in enumerate(self.text.casefold().split('"')):
            phrases += [part.strip()] if place % 2 else part.split()
        return [phrase for phrase in phrases if phrase]


def _may_be_nothing(name: str) -> bool:
    return name in ("task", "language", "errors", "tools", "tags", "length")


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return ""
