"""List of dialogues for a page: columns, facets and views in the reader's language."""

from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Final, NamedTuple

from vivavoce.core.i18n import N_
from vivavoce.dashboard.app_shell import short
from vivavoce.dashboard.board import Board, DialogueCard
from vivavoce.dashboard.dialogue_index import (
    LENGTHS_S,
    OUTCOMES,
    TOGETHER,
    TURNS,
    CountedCases,
    Facet,
    Places,
)
from vivavoce.dashboard.dialogue_query import ANSWERED, COUNTS, FACTOR, NOTHING, SUCCESS, DialogueQuery
from vivavoce.dashboard.language import gettext, worded
from vivavoce.dashboard.progress import STATUSES
from vivavoce.languages.base import language_name
from vivavoce.log.notes import DialogueNote, SavedView, Tag

if TYPE_CHECKING:
    from vivavoce.dashboard.verdicts import Verdicts

PER_PAGE: Final = 50
SHOWN: Final = 8
MOST_SHOWN: Final = 60
TITLES: Final = {
    "system": N_("System"),
    "condition": N_("Condition"),
    "task": N_("Task"),
    "status": N_("Outcome"),
    "participant": N_("Participant"),
    "language": N_("Language"),
    "date": N_("Day"),
    "length": N_("Duration"),
    "turns": N_("User turns"),
    "errors": N_("Errors"),
    "tools": N_("Tools used"),
    "tags": N_("Tags"),
}
ORDER: Final = (
    "tags",
    "status",
    "system",
    "condition",
    "task",
    "errors",
    "tools",
    "length",
    "turns",
    "language",
    "date",
    "participant",
)
WITHOUT: Final = {
    "tags": N_("no tag"),
    "tools": N_("no tool"),
    "errors": N_("no failures"),
    "task": N_("no task"),
    "length": N_("unknown"),
    "language": N_("unknown"),
}
VERDICTS: Final = {
    "yes": N_("yes"),
    "no": N_("no"),
    "partly": N_("partly"),
    "uncounted": N_("not counted"),
    "cases": N_("counted"),
    "successes": N_("successful"),
}
LENGTH_WORDS: Final = {
    "0": N_("under 30 s"),
    "30": N_("30 s to 1 min"),
    "60": N_("1 to 2 min"),
    "120": N_("2 to 5 min"),
    "300": N_("5 to 10 min"),
    "600": N_("10 min or more"),
}
TURN_WORDS: Final = {"0": "0", "1": "1–2", "3": "3–5", "6": "6–10", "11": "11+"}
SCALES: Final[dict[str, tuple[str, ...]]] = {
    "length": (*LENGTHS_S, NOTHING),
    "turns": tuple(TURNS),
    "status": tuple(STATUSES),
    "success": (*OUTCOMES, *TOGETHER),
}
HEADLINE_TITLES: Final = {
    "subjective_success": N_("Success, by the participant"),
    "objective_success_assigned": N_("Success, assigned goal"),
    "objective_success_inferred": N_("Success, inferred goals"),
    "campaign_goal": N_("Success, goal of the campaign"),
}

SHORT_TITLES: Final = {  # for narrow columns, beside the word for success
    "objective_success_assigned": N_("assigned"),
    "objective_success_inferred": N_("inferred"),
}


class FacetChoice(NamedTuple):
    """Facet value in words, with the address that toggles it."""

    words: str
    number: int
    chosen: bool
    address: str


@dataclass(frozen=True, slots=True)
class FacetShown:
    """One facet: first values, folded values and number of others; opened: a value is
    chosen in it."""

    name: str
    title: str
    first: list[FacetChoice]
    folded: list[FacetChoice]
    more: int
    opened: bool


class ListHeading(NamedTuple):
    """Column heading with the address that sorts by it; `sorted` as in ARIA, or empty."""

    name: str
    title: str
    address: str
    sorted: str
    number: bool

    @property
    def short(self) -> str:
        """Short heading for narrow columns."""
        measure = self.name.removeprefix(SUCCESS)
        return worded(SHORT_TITLES[measure]) if measure in SHORT_TITLES else self.title


class ListRow(NamedTuple):
    """One dialogue of the list; verdicts: by success rate, in words."""

    card: DialogueCard
    tags: tuple[str, ...]
    verdicts: dict[str, str]


@dataclass(frozen=True, slots=True)
class DialogueList:
    """One page of the list.

    first     place of its first row among all found, from 1
    chosen    the values that are chosen, with the address of the list without each
    counted   what chosen success rates count, with their titles and what their cases are
    verdicts  success rates that are columns
    """

    query: DialogueQuery
    rows: list[ListRow]
    total: int
    everything: int
    first: int
    page: int
    pages: int
    headings: list[ListHeading]
    facets: list[FacetShown]
    chosen: list[tuple[str, str, str]]
    counted: list[tuple[str, str, CountedCases]]
    verdicts: list[str]
    views: list[SavedView]
    tag_names: list[str]

    @property
    def one_day(self) -> bool:
        """True if all rows of this page started on the same day in UTC."""
        return len({row.card.assigned_at.astimezone(UTC).date() for row in self.rows}) == 1


@dataclass(frozen=True, slots=True)
class PlaceInList:
    """Position of a dialogue: among its participant's, in the list, and on its task.

    before, after        the participant's dialogues
    previous, following  those of the list; number: its place in it from 1, None where it is not in it
    same_task            other dialogues of the task, those of other systems first
    """

    card: DialogueCard
    before: str | None
    after: str | None
    previous: str | None
    following: str | None
    number: int | None
    total: int
    same_task: list[DialogueCard]
    tags: list[Tag]
    notes: list[DialogueNote]
    tag_names: list[str]


def place_in_list(
    board: Board, dialogue_id: str, query: DialogueQuery, verdicts: "Verdicts | None"
) -> PlaceInList | None:
    """Position of a dialogue; None if it is not on this board."""
    card = board.dialogues.get(dialogue_id)
    if card is None:
        return None
    index = board.index

    def ids(of: DialogueQuery) -> list[str]:
        return [index.cards[place].dialogue_id for place in index.places(of, board.scope, verdicts)]

    of_person = ids(DialogueQuery({"participant": (card.participant_id,)}, descending=False))
    before, after = _beside(of_person, dialogue_id)
    listed = index.places(query, board.scope, verdicts)
    number = index.place_among(listed, dialogue_id)
    previous, following = _beside_place(listed, number)
    return PlaceInList(
        card,
        before,
        after,
        index.cards[previous].dialogue_id if previous is not None else None,
        index.cards[following].dialogue_id if following is not None else None,
        None if number is None else number + 1,
        len(listed),
        _same_task(board, card),
        list(board.remarks.tags.get(dialogue_id, {}).values()),
        board.remarks.standing_notes(dialogue_id),
        board.remarks.tag_names(),
    )


def _same_task(board: Board, card: DialogueCard) -> list[DialogueCard]:
    if not card.task_id:
        return []
    places = board.index.places(DialogueQuery({"task": (card.task_id,)}), board.scope)
    cards = [board.index.cards[place] for place in places]
    same_task = [other_card for other_card in cards if other_card.dialogue_id != card.dialogue_id]
    return sorted(same_task, key=lambda related_card: related_card.system == card.system)[:MOST_SHOWN]


def _beside(ids: list[str], dialogue_id: str) -> tuple[str | None, str | None]:
    place = ids.index(dialogue_id)
    return ids[place - 1] if place else None, ids[place + 1] if place + 1 < len(ids) else None


def _beside_place(listed: Places, number: int | None) -> tuple[int | None, int | None]:
    if number is None:
        return None, None
    before = int(listed[number - 1]) if number else None
    return before, int(listed[number + 1]) if number + 1 < len(listed) else None


def rate_title(measure: str) -> str:
    """Title of a success rate, short for those in every report."""
    if measure in HEADLINE_TITLES:
        return worded(HEADLINE_TITLES[measure])
    return measure


def measure_title(measure: str) -> str:
    """Title of a measure in the reader's language."""
    from vivavoce.dashboard.verdicts import title_of

    return worded(title_of(measure))


def _unit(measure: str) -> str:
    """Plural name of the cases of a success rate, in the reader's language."""
    from vivavoce.measures import MEASURES
    from vivavoce.reports.rate_tables import unit_name

    return unit_name(MEASURES.get(measure).counted if measure in MEASURES else "dialogue")


def facet_title(name: str) -> str:
    """Title of a facet."""
    if name.startswith(SUCCESS):
        return rate_title(name.removeprefix(SUCCESS))
    if name.startswith(COUNTS + ANSWERED):
        item = name.removeprefix(COUNTS + ANSWERED).replace(".", ": ", 1)
        return gettext("Answered: %(item)s", item=item)
    if name.startswith(COUNTS):
        return gettext("Included in %(measure)s", measure=measure_title(name.removeprefix(COUNTS)))
    return worded(TITLES[name]) if name in TITLES else name.removeprefix(FACTOR)


def value_words(facet: str, value: str) -> str:
    """Readable value of a facet; names from the study are unchanged."""
    if facet.startswith((SUCCESS, COUNTS)):
        return worded(VERDICTS.get(value, value))
    if value == NOTHING:
        return worded(WITHOUT.get(facet, N_("unknown")))
    if facet in ("length", "status"):
        labels = LENGTH_WORDS if facet == "length" else {}
        return worded(labels.get(value, value))
    if facet == "turns":
        return TURN_WORDS.get(value, value)
    if facet == "errors":
        return worded(value.replace("_", " "))
    if facet == "participant":
        return short(value)
    return language_name(value) if facet == "language" else value


def make_list(board: Board, query: DialogueQuery, page: int, verdicts: "Verdicts | None") -> DialogueList:
    """One page of the dialogues of a board that match a query."""
    index = board.index
    places, facets, counted = index.find(query, board.scope, verdicts)
    if not board.study.factors:  # conditions are the systems
        facets = [facet for facet in facets if facet.name != "condition"]
    pages = max(1, -(-len(places) // PER_PAGE))
    page = min(max(1, page), pages)
    shown_places = places[(page - 1) * PER_PAGE : page * PER_PAGE]
    rates = [rate for rate in HEADLINE_TITLES if verdicts is not None and rate in verdicts.rates]
    return DialogueList(
        query=query,
        rows=_rows(board, shown_places, rates, verdicts),
        total=len(places),
        everything=len(board.dialogues),
        first=(page - 1) * PER_PAGE + 1,
        page=page,
        pages=pages,
        headings=_headings(board, query, rates),
        facets=_shown(facets, query),
        chosen=[
            (facet_title(name), value_words(name, value), query.turned(name, value).address)
            for name, values in query.chosen.items()
            for value in values
        ],
        counted=[
            (rate_title(rate_count.measure), _unit(rate_count.measure), rate_count) for rate_count in counted
        ],
        verdicts=rates,
        views=sorted(board.remarks.views.values(), key=lambda view: view.name.casefold()),
        tag_names=board.remarks.tag_names(),
    )


def _rows(board: Board, places: Places, rates: list[str], verdicts: "Verdicts | None") -> list[ListRow]:
    rows = []
    for place in places:
        card = board.index.cards[place]
        judged = board.index.verdict_of(card.dialogue_id, verdicts) if rates else {}
        words = {name: _verdict_words(name, *judged.get(name, (OUTCOMES[0], 0, 0))) for name in rates}
        rows.append(ListRow(card, board.index.tags_of(card.dialogue_id), words))
    return rows


def _verdict_words(measure: str, outcome: str, successes: int, cases: int) -> str:
    """Verdict in words; with several cases such as "partly, 1 of 2"."""
    words = value_words(SUCCESS + measure, outcome)
    if cases < 2:
        return words
    return gettext("%(verdict)s, %(successes)s of %(n)s", verdict=words, successes=successes, n=cases)


def _headings(board: Board, query: DialogueQuery, rates: list[str]) -> list[ListHeading]:
    """Columns in which the dialogues of this study differ or have values."""
    several = {
        name: board.index.variety(name) > 1 for name in ("status", "task", "language", "condition", "tools")
    }
    several["condition"] &= bool(board.study.factors)
    several |= {name: board.index.told(name) for name in ("errors", "tags", "code")}
    several["success"] = not rates or "subjective_success" in rates
    columns: list[tuple[str, str, bool]] = [
        ("dialogue", gettext("Dialogue"), False),
        ("status", gettext("Outcome"), False),
        ("system", gettext("System"), False),
        ("condition", gettext("Condition"), False),
        ("task", gettext("Task"), False),
        ("participant", gettext("Participant"), False),
        ("language", gettext("Language"), False),
        ("begun", gettext("Started"), False),
        ("length", gettext("Duration"), True),
        ("turns", gettext("User turns"), True),
        ("success", rate_title("subjective_success"), False),
        *((SUCCESS + rate, rate_title(rate), False) for rate in rates if rate != "subjective_success"),
        ("code", gettext("Code"), False),
        ("tools", gettext("Tools used"), False),
        ("errors", gettext("Errors"), True),
        ("tags", gettext("Tags"), False),
    ]
    headings = []
    for name, title, number in columns:
        if not several.get(name, True):
            continue
        falling = number or name in ("begun", "success", "code", "tools", "tags") or name.startswith(SUCCESS)
        way = ("descending" if query.descending else "ascending") if query.sort == name else ""
        headings.append(ListHeading(name, title, query.sorted_by(name, falling=falling).address, way, number))
    return headings


def _shown(facets: list[Facet], query: DialogueQuery) -> list[FacetShown]:
    def place(name: str) -> tuple[int, int]:
        if name.startswith(SUCCESS):
            return 1, list(HEADLINE_TITLES).index(name.removeprefix(SUCCESS)) if _headline(name) else 99
        return (0, ORDER.index(name)) if name in ORDER else (0, 3)

    return [
        _facet(facet, query) for facet in sorted(facets, key=lambda facet_counts: place(facet_counts.name))
    ]


def _headline(name: str) -> bool:
    return name.removeprefix(SUCCESS) in HEADLINE_TITLES


def _facet(facet: Facet, query: DialogueQuery) -> FacetShown:
    scale = SCALES.get("success" if facet.name.startswith(SUCCESS) else facet.name)
    facet_values = facet.values
    if scale:
        facet_values = sorted(
            facet_values,
            key=lambda facet_value: scale.index(facet_value.value) if facet_value.value in scale else -1,
        )
    elif facet.name == "date":
        facet_values = sorted(facet_values, key=lambda facet_value: facet_value.value, reverse=True)
    else:
        facet_values = sorted(
            facet_values, key=lambda facet_value: not facet_value.chosen
        )  # selected values are never folded
    choices = [
        FacetChoice(
            value_words(facet.name, facet_value.value),
            facet_value.number,
            facet_value.chosen,
            query.turned(facet.name, facet_value.value).address,
        )
        for facet_value in facet_values[:MOST_SHOWN]
    ]
    main = not facet.name.startswith((SUCCESS, COUNTS)) or _headline(facet.name)
    return FacetShown(
        facet.name,
        facet_title(facet.name),
        choices[:SHOWN],
        choices[SHOWN:],
        max(0, len(facet_values) - MOST_SHOWN) + facet.more,
        opened=main or any(choice.chosen for choice in choices),
    )
