"""Mean opinion scores and preferences between clips, counted by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from vivavoce.analysis.listening import has_listening, listening_results
from vivavoce.core.errors import InputError
from vivavoce.dataset.reader import Dataset

Make = Callable[..., Dataset]


def judged(person: str | None, condition: str, value: float | None = None, **columns: Any) -> dict[str, Any]:
    return {
        "participant_id": person,
        "visit_id": f"v-{person}",
        "trial_number": 1,
        "condition": condition,
        "method": "opinion" if value else "pairs",
        "clip": f"{condition}.wav",
        "value": value,
        "language": "en",
        "simulated": False,
    } | columns


OPINIONS = [
    judged("p", "a", 4),
    judged("p", "a", 5),
    judged("q", "a", 5),
    judged("r", "a", 2, clip="a2.wav"),
    judged("p", "b", 1),
    judged("q", "b", 2),
    judged("q", "b", 2),
    judged("s", "b", 4),
    judged("deaf", "a", 1, hearing=False),
]
PAIRS = [
    judged("p", "a", choice="first", other_condition="b"),
    judged("q", "b", choice="second", other_condition="a"),
    judged("r", "b", choice="first", other_condition="a"),
    judged("r", "a", choice="tie", other_condition="b"),
]


def test_opinions_are_those_of_people_who_heard_the_tones(make: Make) -> None:
    found = listening_results(make(rows={"listening": OPINIONS}))
    told = [
        (one.condition, one.mean, one.ratings, one.participants, one.clips, one.counts)
        for one in found.opinions
    ]
    assert told == [("a", 4.0, 4, 3, 2, [0, 1, 0, 1, 2]), ("b", 2.25, 4, 3, 1, [1, 2, 0, 1, 0])]
    assert (found.participants, found.judgements, found.left_out) == (4, 8, 1)
    (contrast,) = found.contrasts
    assert (contrast.a, contrast.b, contrast.difference) == ("a", "b", 1.75)
    assert (contrast.participants, contrast.both) == (4, 2)
    assert contrast.p_holm == contrast.p is not None
    assert contrast.low < 1.75 < contrast.high and found.pairs == []


def test_a_tie_counts_half_and_the_order_of_a_pair_does_not_matter(make: Make) -> None:
    found = listening_results(make(rows={"listening": PAIRS}))
    (pair,) = found.pairs
    assert (pair.a, pair.b, pair.share, pair.judgements) == ("a", "b", 2.5 / 4, 4)
    assert (pair.a_better, pair.b_better, pair.ties, pair.participants) == (2, 1, 1, 3)
    assert found.opinions == []


def test_every_figure_says_what_it_is_of(make: Make) -> None:
    found = listening_results(make(rows={"listening": [*OPINIONS, *PAIRS]}))
    signatures = [
        one.signature.split("|")
        for name in ("opinions", "contrasts", "pairs")
        for one in getattr(found, name)
    ]
    assert [one[0] for one in signatures] == ["opinion", "opinion", "opinion_difference", "clip_pair"]
    assert "condition:a" in signatures[0] and "n:3" in signatures[0]
    assert {"a:a", "b:b", "n:4"} <= set(signatures[2]) and {"a:a", "b:b", "n:3"} <= set(signatures[3])


def test_without_participants_visits_are_the_people(make: Make) -> None:
    rows = [judged(None, "a", 3, visit_id="v1"), judged(None, "a", 4, visit_id="v2")]
    assert listening_results(make(rows={"listening": rows})).participants == 2


def test_only_judgements_by_people_who_heard_the_tones_count(make: Make) -> None:
    with pytest.raises(InputError, match=r"none of 1 clip judgements"):
        listening_results(make(rows={"listening": OPINIONS[-1:]}, name="deaf"))
    assert has_listening(make(rows={"listening": OPINIONS[-1:]}, name="some")) and not has_listening(make())
