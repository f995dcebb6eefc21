"""RatedTranscript transcripts compared within people, and what a judgement takes in each way of judging."""

from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from random import Random
from statistics import mean

import pytest

from scenes.judgements import judge_rows, made
from vivavoce.analysis.judgement_cost import effort
from vivavoce.analysis.transcript_ratings import AttentionCheck, _width, has_readings, rated_transcripts
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset
from vivavoce.dataset.writer import DatasetWriter

START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def reading_rows(people: int, better: float, seed: int = 1, instrument: str = "reading") -> list[dict]:
    """People with a level of their own, who rate the experimental version so much better."""
    chance, rows = Random(seed), []
    for person in range(people):
        own = chance.gauss(3, 0.8)
        for number, version in enumerate(("control", "experimental"), 1):
            for item in ("ease", "utility"):
                value = own + (better if version == "experimental" else 0) + chance.gauss(0, 0.4)
                rows.append(
                    {
                        "participant_id": f"p{person}",
                        "visit_id": f"v{person}",
                        "reading_number": number,
                        "pair_id": "one",
                        "variable": "empathy",
                        "version": version,
                        "level": version,
                        "instrument": instrument,
                        "item_id": item,
                        "value": value,
                        "response_s": 30.0,
                        "simulated": True,
                    }
                )
    return rows


def broken_rows(values: list[float]) -> list[dict]:
    """One broken transcript for each of the first readers, rated so on both items."""
    same = {"pair_id": "broken", "variable": "attention", "version": "experimental", "level": "experimental"}
    own = {"role": "attention", "reading_number": 3, **same}
    return [
        {**row, **own, "value": values[int(row["participant_id"][1:])]}
        for row in reading_rows(len(values), 0.0)
        if row["version"] == "experimental"
    ]


def test_broken_transcripts_are_in_no_mean_and_who_likes_them_is_counted(tmp_path: Path) -> None:
    sound = reading_rows(60, 0.5)
    plain = rated_transcripts(made(tmp_path / "plain", readings=sound))
    assert plain.attention is None
    facts = rated_transcripts(
        made(tmp_path / "data", readings=[*sound, *broken_rows([0.1, 9.0, 0.2, 9.0, 9.0])])
    )
    assert facts.attention == AttentionCheck(participants=5, failed=3)
    same = ("items", "variables", "ratings", "participants", "transcripts")
    assert [getattr(facts, name) for name in same] == [getattr(plain, name) for name in same]


def test_a_reversed_item_does_not_make_a_broken_transcript_a_good_one(tmp_path: Path) -> None:
    row = {
        "participant_id": "p",
        "visit_id": "v",
        "reading_number": 1,
        "pair_id": "one",
        "variable": "x",
        "version": "control",
        "level": "control",
        "instrument": "sus",
        "item_id": "q2",
        "simulated": True,
    }
    rows = [{**row, "value": 1.0}, {**row, "value": 5.0, "pair_id": "broken", "role": "attention"}]
    assert rated_transcripts(made(tmp_path / "d", readings=rows)).attention == AttentionCheck(
        participants=1, failed=0
    )


def test_a_known_difference_is_found_within_people(tmp_path: Path) -> None:
    facts = rated_transcripts(made(tmp_path / "data", readings=reading_rows(60, 0.5)))
    (whole,) = facts.variables
    assert whole.low < 0.5 < whole.high
    assert whole.high - whole.low < 0.4  # far narrower than people differ among themselves
    assert whole.participants == 60 and whole.p_holm < 0.001
    assert [one.item for one in facts.items] == ["ease", "utility"]
    assert facts.transcripts == 2


def test_without_a_difference_the_interval_holds_zero_about_as_often_as_it_says(tmp_path: Path) -> None:
    held = 0
    for seed in range(20):
        facts = rated_transcripts(made(tmp_path / str(seed), readings=reading_rows(25, 0.0, seed)))
        held += facts.variables[0].low < 0 < facts.variables[0].high
    assert held >= 16  # 19 expected


def test_reversed_items_are_turned_round(tmp_path: Path) -> None:
    rows = [
        {**row, "instrument": "sus", "item_id": "q2", "value": 5.0 if row["version"] == "control" else 2.0}
        for row in reading_rows(3, 0.0)
    ]
    (item,) = rated_transcripts(made(tmp_path / "data", readings=rows)).items
    assert (item.control, item.experimental, item.difference) == (1.0, 4.0, 3.0)


def test_one_version_alone_has_no_difference(tmp_path: Path) -> None:
    rows = [row for row in reading_rows(5, 0.0) if row["version"] == "control"]
    (whole,) = rated_transcripts(made(tmp_path / "data", readings=rows)).variables
    assert whole.experimental is None and whole.difference is None and whole.p is None


def test_nothing_rated_is_told(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", turns=[])
    assert not has_readings(dataset)
    with pytest.raises(InputError, match="no rated transcripts"):
        rated_transcripts(dataset)


def live(folder: Path, connect: str, minutes: float) -> Dataset:
    """Ten people with a dialogue each of so many minutes, form included, and four answers about it."""
    study = {"name": "live", "file": f"study: live\nsystems:\n  hut: {{connect: {connect}}}\n"}
    with DatasetWriter(folder, study=study, source={"kind": "test"}) as writer:
        for person in range(10):
            writer.add(
                "dialogues",
                [
                    {
                        "dialogue_id": f"d{person}",
                        "study": "live",
                        "system": "hut",
                        "condition": "hut",
                        "participant_id": f"p{person}",
                        "channel": "text",
                        "language": "en",
                        "started_at": START,
                        "simulated": False,
                    }
                ],
            )
            writer.add(
                "ratings",
                [
                    {
                        "dialogue_id": f"d{person}",
                        "participant_id": f"p{person}",
                        "instrument": "reading",
                        "item_id": item,
                        "value": 4.0,
                        "answered_at": START + timedelta(minutes=minutes),
                    }
                    for item in ("ease", "utility", "satisfaction", "interaction")
                ],
            )
        return writer.close()


def test_a_live_session_and_a_comparison_cost_what_the_paper_says(tmp_path: Path) -> None:
    """30 minutes and two people against 3 minutes and one: 20 judgements each, as in section 4.5."""
    pairs = [
        {**row, "response_s": 36.0} for row in judge_rows(10, dict.fromkeys(("a", "b", "c", "d", "e"), 0.7))
    ]
    wizard = live(tmp_path / "live", "wizard", 6.0)  # five such dialogues make the session of 30 minutes
    compared, talked = effort([made(tmp_path / "data", preferences=pairs), wizard], hourly=10)
    assert (compared.arm, compared.people, compared.judgements) == ("compared", 1, 200)
    assert compared.minutes_per_participant == pytest.approx(3)
    assert compared.seconds_per_judgement == pytest.approx(9)
    assert (talked.arm, talked.people) == ("live_wizard", 2)
    assert talked.seconds_per_judgement == pytest.approx(90)
    assert talked.cost_per_judgement / compared.cost_per_judgement == pytest.approx(20)


def test_a_system_without_a_wizard_takes_one_person(tmp_path: Path) -> None:
    (arm,) = effort([live(tmp_path / "live", "http", 3.0)])
    assert (arm.arm, arm.people, arm.cost_per_judgement) == ("live", 1, None)


def test_nothing_judged_has_no_arms(tmp_path: Path) -> None:
    assert effort([made(tmp_path / "data", turns=[])]) == []


def test_a_difference_of_ratings_is_no_wider_than_their_scale() -> None:
    def rows(instrument: str, *values: float) -> list[dict]:
        return [{"instrument": instrument, "item_id": "q1", "value": value} for value in values]

    assert _width(rows("sus", 2, 4)) == 4.0
    assert _width(rows("own", 2, 9)) == 7.0
    assert _width(rows("sus", 3) + rows("own", 1, 9)) == 4.0


BROKEN = {"role": "attention"}


def rated(person: str | None, version: str, value: float | None, **more: object) -> dict:
    return {
        "participant_id": person,
        "visit_id": f"v-{person}",
        "reading_number": 1,
        "pair_id": "one",
        "variable": "empathy",
        "version": version,
        "level": version,
        "instrument": "reading",
        "item_id": "ease",
        "value": value,
        "simulated": False,
        **more,
    }


def test_every_mean_is_that_of_its_own_ratings(tmp_path: Path) -> None:
    chance = Random(6)
    rows = [
        rated(f"p{person}", version, chance.randint(1, 7), variable=variable, item_id=item, pair_id=pair)
        for person, version, variable, item, pair in product(
            range(9), ("control", "experimental"), ("pace", "empathy"), ("ease", "utility"), ("one", "two")
        )
        if chance.random() < 0.7
    ]
    unanswered = [rated("p0", "control", None, pair_id="three"), rated("nobody", "experimental", None)]
    facts = rated_transcripts(made(tmp_path / "d", readings=rows + unanswered))
    assert (facts.ratings, facts.participants, facts.transcripts) == (len(rows), 9, 4)
    keys = [("empathy", "ease"), ("empathy", "utility"), ("pace", "ease"), ("pace", "utility")]
    assert [(one.variable, one.item) for one in facts.items] == keys
    assert [(one.variable, one.item) for one in facts.variables] == [("empathy", None), ("pace", None)]
    for one in (*facts.items, *facts.variables):
        own = [row for row in rows if row["variable"] == one.variable and one.item in (None, row["item_id"])]
        old, new = (
            mean(row["value"] for row in own if row["version"] == name)
            for name in ("control", "experimental")
        )
        assert (one.control, one.experimental) == (pytest.approx(old), pytest.approx(new))
        assert one.difference == pytest.approx(new - old) and one.low < one.difference < one.high
        assert (one.ratings, one.participants) == (len(own), 9)
    first, second = sorted(one.p for one in facts.variables)
    assert min(one.p_holm for one in facts.variables) == pytest.approx(
        min(1, 2 * first, max(2 * first, second))
    )


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([rated("p", "control", 3), rated("p", "experimental", 3, **BROKEN)], (1, 1)),
        ([rated("p", "control", 3.1), rated("p", "experimental", 3, **BROKEN)], (1, 0)),
        ([rated("p", "control", 3), rated("q", "experimental", 9, **BROKEN)], None),
        ([rated("p", "control", 3), rated("q", "control", 2), rated("q", "control", 9, **BROKEN)], (1, 1)),
        ([rated("p", "control", 2), rated("p", "control", 4), rated("p", "control", 2.9, **BROKEN)], (1, 0)),
        (
            [rated(None, "control", 3, visit_id="v1"), rated(None, "control", 9, visit_id="v2", **BROKEN)],
            None,
        ),
    ],
)
def test_who_rates_a_broken_transcript_as_high_as_the_others_has_failed(tmp_path: Path, rows, found) -> None:
    told = rated_transcripts(made(tmp_path / "d", readings=rows)).attention
    assert told == (found and AttentionCheck(participants=found[0], failed=found[1]))


@pytest.mark.parametrize(
    ("instrument", "item", "value"),
    [
        ("sus", "q2", 4.0),
        ("sus", "q1", 2.0),
        ("sus", "own", 2.0),
        ("foreign", "q2", 2.0),
    ],
)
@pytest.mark.parametrize("version", ["control", "experimental"])
def test_only_reversed_items_of_known_forms_are_turned_and_one_version_has_no_difference(
    tmp_path: Path, instrument, item, value, version
) -> None:
    row = rated("p", version, 2.0, instrument=instrument, item_id=item)
    (found,) = rated_transcripts(made(tmp_path / "d", readings=[row])).items
    means = {"control": found.control, "experimental": found.experimental}
    assert means.pop(version) == value and list(means.values()) == [None]
    assert (found.difference, found.low, found.p, found.p_holm) == (None, None, None, None)
