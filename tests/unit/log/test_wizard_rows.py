"""What a wizard did, from the log into the dataset: who said what, by which strategy, in place of what."""

from pathlib import Path
from typing import Any

import pytest

from vivavoce.analysis.summary import summarise
from vivavoce.core.errors import UnknownName
from vivavoce.dataset.reader import Dataset
from vivavoce.log.events import (
    DialogueAssigned,
    DialogueEnded,
    DialogueOpened,
    Event,
    LoggedAct,
    LoggedHypothesis,
    LoggedMessage,
    SystemTurnReceived,
    UserTurnSent,
    VisitOpened,
)
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.measures.compute import group_keys
from vivavoce.reports.html import page as html_page
from vivavoce.reports.section import ReportOptions, compose

VENUE = {"food": "thai", "address": "5 Lantern Street"}
ENTITIES = [
    {"entity_id": "e", "name": "Om", "slot": slot, "value": value, "source": "database", "match": "exact"}
    for slot, value in VENUE.items()
]
TASK = {
    "type": None,
    "constraints": {"food": "thai"},
    "requests": ["address"],
    "text": {"en": "Find it."},
}
OFFER, ADDRESS = (
    LoggedAct(act="offer", slot="name", value="Om"),
    LoggedAct(act="inform", slot="address", value="5 Lantern Street"),
)


def wizard(source: str, replaces: str = "management", **more: Any) -> dict[str, Any]:
    return {"wizard": "Rosa Bianchi", "replaces": replaces, "source": source, **more}


def exported(folder: Path, *dialogues: tuple[Event, ...], **options: Any) -> Dataset:
    """A dataset of one visit, with these turns in dialogues d0, d1, ..."""
    with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
        written: list[Event] = [
            VisitOpened(study="oz", revision="r", participant_id="p", pool="link", language="en")
        ]
        for number, turns in enumerate(dialogues):
            assigned = DialogueAssigned(
                dialogue_id=f"d{number}",
                step=0,
                round=number,
                system="oz",
                task_id="t",
                task=TASK,
                channel="text",
                spoken=False,
                calls_out=False,
                language="en",
                conversation=f"c{number}",
            )
            ended = DialogueEnded(dialogue_id=f"d{number}", reason="user", user_turns=1, duration_s=9.0)
            written += [assigned, DialogueOpened(dialogue_id=f"d{number}"), *turns, ended]
        for event in written:
            log.transact_now(lambda tx, event=event: tx.append("v", event))
        return export_dataset(log, "oz", folder / "data", domain_entities=ENTITIES, **options)


def asks(dialogue: int, turn: int, text: str, meant: LoggedAct, **more: Any) -> UserTurnSent:
    return UserTurnSent(dialogue_id=f"d{dialogue}", turn_index=turn, text=text, meant=[meant], **more)


def hears(dialogue: int, turn: int, text: str, *acts: LoggedAct, raw: Any = None) -> SystemTurnReceived:
    return SystemTurnReceived(
        dialogue_id=f"d{dialogue}",
        turn_index=turn,
        reply_to=turn - 1,
        messages=[LoggedMessage(text=text)],
        acts=list(acts) or None,
        raw=[raw] if raw else None,
        notes=None,
        wire=None,
    )


def talk(dialogue: int, last: SystemTurnReceived) -> tuple[Event, ...]:
    wish, question = (
        LoggedAct(act="inform", slot="food", value="thai"),
        LoggedAct(act="request", slot="address"),
    )
    return (
        asks(dialogue, 0, "thai food", wish),
        hears(dialogue, 1, "Om is Thai.", OFFER, raw=wizard("proposal", proposed="Om is Thai.")),
        asks(dialogue, 2, "the address?", question),
        last,
    )


SECRET = wizard(
    "free",
    strategy="shy",
    proposed="5 Lantern Street.",
    proposed_acts=[ADDRESS.model_dump()],
    proposed_end=True,
)
NEW = hears(0, 3, "It is a secret.", raw=SECRET)
OLD = hears(0, 3, "It is a secret.", ADDRESS, raw=wizard("free"))  # as logs were written before


@pytest.mark.parametrize("overridden", [NEW, OLD], ids=["now", "older log"])
def test_what_a_wizard_kept_back_is_no_success_of_anybody(
    tmp_path: Path, overridden: SystemTurnReceived
) -> None:
    dataset = exported(tmp_path, talk(0, overridden))
    acts = dataset.read("acts").to_pylist()
    told = [(row["turn_index"], row["act"], row["value"]) for row in acts if row["layer"] == "system"]
    assert told == [(1, "offer", "Om")]
    kept = [(row["turn_index"], row["act"], row["value"]) for row in acts if row["layer"] == "proposed"]
    assert kept == [(3, "inform", "5 Lantern Street")]
    rates = summarise(dataset).all.rates
    for name in ("objective_success_inferred", "objective_success_assigned"):
        assert (rates[name].n, rates[name].ratio) == (0, None)


def test_a_proposal_sent_unchanged_counts_as_the_program_s_own(tmp_path: Path) -> None:
    told = hears(0, 3, "5 Lantern Street.", ADDRESS, raw=wizard("proposal", proposed="5 Lantern Street."))
    rate = summarise(exported(tmp_path, talk(0, told))).all.rates["objective_success_inferred"]
    assert (rate.n, rate.ratio) == (1, 1.0)


def test_every_turn_of_a_wizard_is_a_row_that_names_nobody(tmp_path: Path) -> None:
    dataset = exported(tmp_path, talk(0, NEW))
    first, second = dataset.read("wizard_turns").to_pylist()
    assert (first["turn_index"], first["source"], first["proposed_end"]) == (1, "proposal", None)
    assert first["wizard_id"] == second["wizard_id"]
    assert {name: second[name] for name in ("turn_index", "replaces", "source", "strategy", "proposed")} == {
        "turn_index": 3,
        "replaces": "management",
        "source": "free",
        "strategy": "shy",
        "proposed": "5 Lantern Street.",
    }
    assert second["proposed_end"] is True and "Rosa" not in str(dataset.read("wizard_turns").to_pylist())


def test_dialogues_are_compared_by_strategy(tmp_path: Path) -> None:
    bold = hears(1, 3, "Ask me nicely.", raw=wizard("script", label="nicely", strategy="bold"))
    dataset = exported(tmp_path, talk(0, NEW), talk(1, bold))
    assert dataset.read("dialogues").column("strategy").to_pylist() == ["shy", "bold"]
    assert {row.key for row in summarise(dataset, "strategy").by} == {"shy", "bold"}
    page = html_page(compose(dataset, ReportOptions(by="strategy")))
    assert "shy" in page and "bold" in page


def test_a_grouping_that_an_older_dataset_lacks_is_not_offered(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    dataset = exported(tmp_path, talk(0, NEW))
    pq.write_table(dataset.read("dialogues").drop_columns("strategy"), dataset.path("dialogues"))
    with pytest.raises(UnknownName) as caught:
        group_keys(Dataset(dataset.folder), "strategy")
    assert "strategy" not in str(caught.value).partition("known:")[2] and "system" in str(caught.value)


@pytest.mark.parametrize("recognised", [[], [LoggedHypothesis(text="a sheep pub", score=0.4)]])
def test_what_a_wizard_heard_is_what_the_dialogue_went_by(
    tmp_path: Path, recognised: list[LoggedHypothesis]
) -> None:
    said = asks(0, 0, "a cheap pub", LoggedAct(act="null"), heard=recognised)
    heard = hears(0, 1, "There are no tubs.", raw=wizard("free", "recognition", gave="a cheap tub"))
    dataset = exported(tmp_path, (said, heard))
    found = [
        (row["source"], row["rank"], row["text"], row["score"])
        for row in dataset.read("hypotheses").to_pylist()
    ]
    assert ("live", 0, "a cheap tub", None) in found
    assert [one for one in found if one[0] == "log"] == [
        ("log", 0, one.text, one.score) for one in recognised
    ]
    turn = dataset.read("turns").to_pylist()[0]
    assert (turn["text"], turn["reference"]) == ("a cheap tub", "a cheap pub")


def test_a_bot_s_own_facts_of_the_same_names_are_no_wizard(tmp_path: Path) -> None:
    reply = hears(0, 3, "5 Lantern Street.", ADDRESS, raw={"wizard": {"spell": 3}, "replaces": ["a", "b"]})
    dataset = exported(tmp_path, talk(0, reply))
    assert [row["turn_index"] for row in dataset.read("wizard_turns").to_pylist()] == [1]
