"""The ranking of an arena finds known strengths again, and does not take length for strength."""

import asyncio
import json
from math import exp
from pathlib import Path
from random import Random

import pytest

from scenes.fighting import arena_engine, arena_study, fight_all
from scenes.judgements import made, vote_rows
from vivavoce.analysis.arena import (
    STYLES,
    SystemTally,
    _median_s,
    _pairs,
    _style_differences,
    _tally,
    has_votes,
    rank_systems,
)
from vivavoce.core.errors import InputError
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log

RANKS = json.loads((Path(__file__).parents[2] / "golden" / "decisions.json").read_text())["ranks"]
WORTH = {"beryl": 0.7, "cobalt": 0.0, "topaz": -0.7}


def by_name(ranked: list[dict]) -> dict[str, dict]:
    return {one.name: one for one in ranked}


def test_known_strengths_lie_in_their_intervals_about_as_often_as_these_say(tmp_path: Path) -> None:
    held = []
    for seed in range(12):
        facts = rank_systems(made(tmp_path / str(seed), **vote_rows(60, WORTH, seed=seed)))
        held += [one.low < WORTH[one.name] < one.high for one in facts.ranking]
    assert 30 <= sum(held) <= 36  # of 36, 34 expected; fewer than 30 would come once in some hundred times


def test_the_ranking_and_every_pair_are_told(tmp_path: Path) -> None:
    facts = rank_systems(made(tmp_path / "data", **vote_rows(120, WORTH)))
    assert [one.name for one in facts.ranking] == ["beryl", "cobalt", "topaz"]
    assert sum(one.estimate for one in facts.ranking) == pytest.approx(0)
    assert sum(one.share for one in facts.ranking) == pytest.approx(1)
    assert facts.participants == 120 and facts.votes == 720
    assert sum(facts.choices.values()) == 720
    assert len(facts.pairs) == 3
    for one in facts.pairs:
        assert one.low < WORTH[one.a] - WORTH[one.b] < one.high
        assert one.p_holm < 0.05
        known = by_name(facts.ranking)
        assert one.estimate == pytest.approx(known[one.a].estimate - known[one.b].estimate)
        assert 0 < one.b_won < one.a_won < one.votes
    assert sum(one.votes for one in facts.pairs) == 720
    for one in facts.systems:
        assert one.won + one.tied + one.both_bad + one.lost == one.votes
    assert "unit:participant" in facts.signature


def test_a_leaning_to_the_left_is_told_apart_from_strength(tmp_path: Path) -> None:
    facts = rank_systems(made(tmp_path / "data", **vote_rows(150, WORTH, left=0.8)))
    assert facts.left.low < 0.8 < facts.left.high
    assert facts.left.p < 0.001


def test_a_liking_for_length_is_not_taken_for_strength(tmp_path: Path) -> None:
    """All are equal but one says more, and people like it long: plain it wins, controlled it does not."""
    tables, chance = vote_rows(150, dict.fromkeys(WORTH, 0.0), seed=5), Random(5)
    words: dict[str, int] = {}
    for vote in tables["votes"]:
        for side in ("left", "right"):
            usual = 40 if vote[f"{side}_system"] == "topaz" else 20
            words[vote[f"{side}_dialogue_id"]] = usual + chance.randint(-15, 15)
        a, b = (words[vote[f"{side}_dialogue_id"]] for side in ("left", "right"))
        lean = 2.5 * (a - b) / (a + b)
        vote["choice"] = chance.choices(["left", "right"], [exp(lean / 2), exp(-lean / 2)])[0]
    for turn in tables["turns"]:
        turn["text"] = "word " * words[turn["dialogue_id"]]
    facts = rank_systems(made(tmp_path / "data", **tables))
    assert by_name(facts.ranking)["topaz"].low > 0.2
    topaz = by_name(facts.controlled)["topaz"]
    assert topaz.low < 0 < topaz.high
    (length,) = facts.covariates
    assert length.covariate == "length"
    assert length.low < 2.5 < length.high


def test_marks_of_style_are_counted() -> None:
    for style, text, count in [
        ("lists", "Try:\n- Rome\n* Bari\n2. Pisa\nnot - this", 3),
        ("headings", "# One\ntext\n### Two\n#nothing", 2),
        ("bold", "**very** and __quite__ ** not **", 2),
        ("code", "`x` or\n```\ny\n```", 3),
        ("links", "[here](https://a.it) and https://b.it", 2),
        ("length", "three small words", 3),
    ]:
        assert STYLES[style](text) == count


def test_a_system_that_never_wins_has_no_finite_worth_and_the_votes_are_still_told(tmp_path: Path) -> None:
    tables = vote_rows(20, {"beryl": 0.0, "topaz": 0.0})
    for vote in tables["votes"]:
        vote["choice"] = "left" if vote["left_system"] == "beryl" else "right"
    facts = rank_systems(made(tmp_path / "data", **tables))
    assert facts.ranking is None
    first = facts.systems[0]
    assert (first.votes, first.won, first.lost) == (120, 120, 0)


def test_a_dataset_without_votes_is_told(tmp_path: Path) -> None:
    dataset = made(tmp_path / "data", turns=[])
    assert not has_votes(dataset)
    with pytest.raises(InputError, match="no votes"):
        rank_systems(dataset)


@pytest.mark.long
def test_simulated_people_in_a_real_arena_give_their_strengths_back(tmp_path: Path) -> None:
    """Through the session engine, the log and the export; 99.9 % intervals, since three must hold at once."""
    worth = {"beryl-9": 1.0, "cobalt": 0.0, "topaz": -1.0}
    study = arena_study(tmp_path / "study", battles=2, turns=3)
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        asyncio.run(fight_all(arena_engine(study, log), 25, worth, seed=11))
        facts = rank_systems(export_dataset(log, "city", tmp_path / "data"), level=0.999)
    assert facts.votes == 25 * 2 * 3
    assert facts.leaks == 150  # every system said its name
    assert [one.name for one in facts.ranking] == list(worth)
    for one in facts.ranking:
        assert one.low < worth[one.name] < one.high


def test_votes_are_counted_for_the_side_on_which_a_system_stood() -> None:
    votes = [
        {"left_system": left, "right_system": right, "choice": choice}
        for left, right, choice in (
            ("a", "b", "left"),
            ("b", "a", "left"),
            ("b", "a", "right"),
            ("a", "c", "right"),
            ("a", "b", "tie"),
            ("b", "c", "left"),
            ("c", "a", "both_bad"),
            ("a", "b", "left"),
        )
    ]
    assert _tally("a", votes) == SystemTally(name="a", votes=7, won=3, tied=1, both_bad=1, lost=2)
    pairs = {(one.a, one.b): (one.votes, one.a_won, one.b_won) for one in _pairs("abc", votes, [], 0.95)}
    assert pairs == {("a", "b"): (5, 3, 1), ("a", "c"): (2, 0, 1), ("b", "c"): (1, 1, 0)}


def test_styles_differ_by_their_share_and_times_have_a_median_where_known(tmp_path: Path) -> None:
    """Words 3 : 1, 2 : 6 and none at all; only the first answer has a link; bold is nowhere."""
    said = {
        ("x", 1): "see https://a.it now",
        ("y", 1): "no",
        ("x", 3): "two words",
        ("y", 3): "a b c d e f",
        ("y", 5): None,
    }
    turns = [
        {"dialogue_id": one, "turn_index": index, "party": "system", "text": text}
        for (one, index), text in said.items()
    ]
    votes = [
        {
            "left_dialogue_id": "x",
            "left_turn_index": index,
            "right_dialogue_id": "y",
            "right_turn_index": index,
        }
        for index in (1, 3, 5)
    ]
    found = _style_differences(made(tmp_path, turns=turns), votes)
    assert {name: values.tolist() for name, values in found.items()} == {
        "length": [0.5, -0.5, 0.0],
        "links": [1.0, 0.0, 0.0],
    }
    times = [{"response_s": seconds} for seconds in (4.0, None, 1.0, 9.0, 6.0)]
    assert (_median_s(times), _median_s(times[1:2])) == (5.0, None)


def matches(*counts: tuple[str, str, int, int, int]) -> dict[str, list[dict]]:
    """Votes of (a, b, wins of a, wins of b, ties), each by a voter of their own, sides in turn."""
    votes = []
    for a, b, *outcomes in counts:
        for winner, count in zip((a, b, None), outcomes, strict=True):
            for _ in range(count):
                left, right = (a, b) if len(votes) % 2 else (b, a)
                choice = "tie" if winner is None else "left" if winner == left else "right"
                key = f"v{len(votes)}"
                vote = dict.fromkeys(("bout_id", "visit_id", "participant_id"), key)
                vote |= {"left_system": left, "right_system": right, "choice": choice, "simulated": False}
                vote |= {"left_dialogue_id": f"{key}l", "right_dialogue_id": f"{key}r", "bout_number": 1}
                votes.append(vote | {"left_turn_index": 1, "right_turn_index": 1, "exchange": 1})
    return {"votes": votes}


def test_systems_that_never_met_are_ranked_apart(tmp_path: Path) -> None:
    facts = rank_systems(made(tmp_path / "data", **matches(*map(tuple, RANKS["bt_disc"]["votes"]))))
    assert facts.separate == [["A", "B", "C"], ["D", "E"]]
    assert {one.name: (one.part, one.ranks) for one in facts.ranking} == {
        **dict.fromkeys("ABC", (1, (1, 3))),
        **dict.fromkeys("DE", (2, (1, 2))),
    }
    assert {(one.a, one.b) for one in facts.pairs} == {("A", "B"), ("A", "C"), ("B", "C"), ("D", "E")}


def test_a_newcomer_that_lost_all_its_votes_leaves_the_ranking_as_it_was(tmp_path: Path) -> None:
    five, added = RANKS["five"]["votes"], RANKS["newcomer"]["added"]
    before = rank_systems(made(tmp_path / "five", **matches(*map(tuple, five))))
    facts = rank_systems(made(tmp_path / "six", **matches(*map(tuple, five), tuple(added))))
    assert {one.name: list(one.ranks) for one in facts.ranking} == RANKS["five"]["ranks"]
    assert {one.name: one.estimate for one in facts.ranking} == pytest.approx(
        {one.name: one.estimate for one in before.ranking}
    )
    (newcomer,) = facts.unbounded
    assert (newcomer.name, newcomer.low) == ("new", None)
    assert newcomer.high == pytest.approx(RANKS["newcomer"]["upper_limit_vs_mean_of_others"], abs=1e-4)
