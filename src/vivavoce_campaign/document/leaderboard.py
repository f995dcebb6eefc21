"""The leaderboard of a shared task on understood commands, as a page of the report's kind."""

from typing import Any, Final

from vivavoce.core.result import installed_version
from vivavoce.reports.blocks import Cell, Document, DocumentSection, Row, TableOfText
from vivavoce.reports.language import MISSING, count, language, percent, plural, say, span, speaking
from vivavoce.reports.rate_tables import heads
from vivavoce.reports.section import frame_words

FIGURES: Final = {
    "exact_utterances": "Exact utterances",
    "correct_actions": "Correct actions",
    "correct_arguments_of_all": "Correct arguments",
    "slot_f1": "F1 of arguments",
}


def compose_leaderboard(standing: dict[str, Any], *, words: str = "en") -> Document:
    """The leaderboard in this language. Raises UnknownName: no such language."""
    with speaking(words):
        table = _table(standing)
        return Document(
            language=language(),
            study=standing["name"],
            title=say("Leaderboard"),
            mark="",
            lead=say(
                "{teams}, ordered by: {figure}.",
                teams=plural(len(standing["teams"]), "team"),
                figure=say(FIGURES[standing["ranked_by"]]),
            ),
            answer=(),
            before=(say("If intervals overlap widely, the order may be due to chance."),),
            cover=(),
            sections=(DocumentSection("leaderboard", say("Leaderboard"), say("Leaderboard"), (table,)),),
            data=standing["name"],
            made="",
            version=installed_version(),
            words=frame_words(),
        )


def _table(standing: dict[str, Any]) -> TableOfText:
    rows = tuple(_row(team) for team in standing["teams"])
    columns = heads(say("Team"), say("Rank"), *(say(name) for name in FIGURES.values()), say("Predicates"))
    note = say(
        "Below each share: its 95% CI over speakers. Teams with the same figure share a "
        "rank. Teams with missing speakers are not ranked."
    )
    signed = tuple((team["team"], team["signature"]) for team in standing["teams"])
    return TableOfText("leaderboard", say("All teams"), columns, rows, note, signed)


def _row(team: dict[str, Any]) -> Row:
    cells = [Cell(MISSING if team["rank"] is None else count(team["rank"]))]
    for name in FIGURES:
        ends = team["intervals"][name]
        cells.append(Cell(percent(team["corpus"][name]), (span(*ends),) if ends else ()))
    cells.append(Cell(count(team["counts"]["predicates"])))
    return Row(team["team"], tuple(cells))
