"""Signs of the quality of participants' work: what each is made of, and when nothing can be said."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pytest import approx

from vivavoce.dataset.exclusions import Sign, Success, WorkQuality
from vivavoce.study.quality import Quality

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
LONG = "It understood me at once, and I found a place that I would never have found by myself."


class Crowd:
    """Tables in memory, filled as somebody takes part."""

    def __init__(self, *names: str, simulated: bool = False) -> None:
        self.tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for name in names:
            self.add("participants", participant_id=name, simulated=simulated)

    def add(self, table: str, **row: Any) -> None:
        self.tables[table].append(row)

    def columns(self, table: str, names: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        return (tuple(row.get(name) for name in names) for row in self.tables[table])

    def talks(self, who: str, system: str, *delays_s: float, end_reason: str = "user") -> str:
        """Somebody holds a dialogue, sending each turn so long after the system's."""
        key = f"d{len(self.tables['dialogues'])}"
        self.add(
            "dialogues",
            dialogue_id=key,
            participant_id=who,
            system=system,
            language="en",
            end_reason=end_reason,
        )
        for turn, delay_s in enumerate(delays_s):
            at = {"dialogue_id": key, "restarted": False}
            self.add("turns", **at, turn_index=2 * turn, party="system", complete_s=100.0 * turn)
            self.add("turns", **at, turn_index=2 * turn + 1, party="user", sent_s=100.0 * turn + delay_s)
        return key

    def writes(self, who: str, text: str, minute: int) -> None:
        self.add(
            "ratings",
            participant_id=who,
            item_id="comment",
            value=None,
            answer=text,
            answered_at=START + timedelta(minutes=minute),
        )

    def signs(self, name: str, *, success: dict[str, Success] | None = None, **declared: Any) -> list[Sign]:
        quality = Quality.model_validate(declared)
        work = WorkQuality(self.columns, quality, success=success)
        return [getattr(one, name) for one in work.all()]


def test_gold_is_the_share_of_checks_answered_right_and_unknown_without_any() -> None:
    crowd = Crowd("ann", "bob", "cid")
    for credit in (1.0, 0.0, 0.5):
        crowd.add("checks", participant_id="ann", credit=credit)
    crowd.add("ratings", participant_id="ann", item_id="attention", value=4.0)
    crowd.add("ratings", participant_id="bob", item_id="attention", value=2.0)
    crowd.add("ratings", participant_id="cid", item_id="attention", value=None, answer=None)
    crowd.add("ratings", participant_id="cid", item_id="other", value=4.0)
    assert crowd.signs("gold", checks={"attention": 4}) == [Sign(0.625, 4), Sign(0.0, 1), Sign()]
    assert crowd.signs("gold") == [Sign(0.5, 3), Sign(), Sign()], "nobody said what is right"


def test_pace_is_held_against_dialogues_with_the_same_system() -> None:
    names = [f"p{number}" for number in range(6)]
    crowd = Crowd(*names)
    for name in names[:5]:
        crowd.talks(name, "terse", 2.0, 4.0, 3.0)
        crowd.talks(name, "wordy", 12.0)
    crowd.talks("p5", "terse", 1.0)
    crowd.talks("p5", "wordy", 4.0)
    *others, hurried = crowd.signs("pace")
    assert all(one == Sign(1.0, 2) for one in others), "who met the terse system is not hurried"
    assert hurried.value == approx((1 / 3 + 4 / 12) / 2) and hurried.n == 2


def test_where_few_did_it_nobody_knows_what_is_usual() -> None:
    crowd = Crowd("a", "b", "c", "d")
    for name in ("a", "b", "c", "d"):
        crowd.talks(name, "one", 3.0)
    assert crowd.signs("pace") == [Sign()] * 4


def test_answers_are_fast_below_the_declared_seconds_each_and_none_where_nothing_is_declared() -> None:
    crowd = Crowd("ann", "bob")
    for who, seconds in (("ann", 20.0), ("bob", 2.0)):
        form = {"visit_id": f"v-{who}", "participant_id": who, "dialogue_id": None}
        for item in range(4):
            crowd.add("ratings", **form, instrument="own", item_id=f"q{item}", value=1.0, answer="yes")
        crowd.add("steps", **form, kind="questionnaire", name="own", duration_s=seconds)
        crowd.add("preferences", participant_id=who, response_s=30.0, answered_at=START)
    assert crowd.signs("fast_answers", min_answer_s=1.0) == [Sign(0.0, 5), Sign(0.8, 5)]
    assert crowd.signs("fast_answers") == [Sign(), Sign()]


def assigned(crowd: Crowd, key: str) -> None:
    for kind, slot, value in (
        ("type", None, "pub"),
        ("constraint", "food", "thai"),
        ("constraint", "area", "north"),
        ("constraint", "price", "dontcare"),
        ("request", "phone", None),
    ):
        crowd.add(
            "goals",
            dialogue_id=key,
            goal_index=0,
            origin="assigned",
            kind=kind,
            slot=slot,
            op="=",
            value=value,
        )


def acts(crowd: Crowd, key: str, turn: int, layer: str, *items: tuple[str, str | None, str | None]) -> None:
    for position, (act, slot, value) in enumerate(items):
        crowd.add(
            "acts",
            dialogue_id=key,
            turn_index=turn,
            layer=layer,
            rank=0,
            position=position,
            act=act,
            slot=slot,
            value=value,
            op="=",
            source="bot" if layer == "system" else "parser",
        )


def test_a_task_is_pursued_by_what_was_stated_accepted_or_asked_for() -> None:
    crowd = Crowd("ann", "bob", "cid")
    whole, ignored, never = (crowd.talks(who, "one", 3.0, 3.0, 3.0) for who in ("ann", "bob", "cid"))
    for key in (whole, ignored, never):
        assigned(crowd, key)
    acts(crowd, whole, 1, "reference", ("inform", "food", "Thai"))
    acts(crowd, whole, 2, "system", ("confirm", "area", "north"))
    acts(crowd, whole, 3, "reference", ("affirm", None, None))
    acts(crowd, whole, 4, "system", ("inform", "name", "Siam"), ("inform", "phone", "123"))
    acts(crowd, whole, 5, "reference", ("bye", None, None))
    for turn in (1, 3, 5):
        acts(crowd, ignored, turn, "reference", ("null", None, None))
    acts(crowd, ignored, 2, "system", ("inform", "name", "Siam"))
    acts(crowd, never, 1, "reference", ("inform", "food", "thai"))
    assert crowd.signs("goal_pursued") == [Sign(1.0, 3), Sign(0.0, 3), Sign()], (
        "cid's turns were not all read"
    )


def test_what_a_system_never_offered_need_not_be_asked_for_and_its_failure_is_nobodys() -> None:
    crowd = Crowd("ann", "bob")
    nothing, failed = (
        crowd.talks("ann", "one", 3.0),
        crowd.talks("bob", "one", 3.0, end_reason="failure"),
    )
    for key in (nothing, failed):
        assigned(crowd, key)
        acts(crowd, key, 1, "reference", ("inform", "food", "thai"))
    assert crowd.signs("goal_pursued") == [Sign(0.5, 2), Sign()]


@pytest.mark.parametrize("act", ["request", "confirm"])
def test_what_was_asked_for_is_pursued_although_the_system_never_offered_anything(act: str) -> None:
    """Of food, area and the telephone, which was asked for without an offer, the area alone is missing."""
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0)
    assigned(crowd, key)
    acts(crowd, key, 1, "reference", ("inform", "food", "thai"), (act, "phone", None))
    assert crowd.signs("goal_pursued") == [Sign(approx(2 / 3), 3)]


FOOD, AREA = ("constraint", "food", "thai"), ("constraint", "area", "north")
PHONE = ("request", "phone", None)
WISH = ("inform", "price", "cheap")
OFFER = ("offer", "name", "Siam")
Said = tuple[str, str | None, str | None]
PURSUED: dict[str, tuple[list[Said], list[list[Said]], Sign]] = {
    "stated, in other letters": ([FOOD], [[], [("inform", "food", " THAI ")]], Sign(1.0, 1)),
    "another value": ([FOOD], [[], [("inform", "food", "french")]], Sign(0.0, 1)),
    "another slot": (
        [FOOD, AREA],
        [[], [("inform", "area", "thai"), ("inform", "food", "thai")]],
        Sign(0.5, 2),
    ),
    "asked about": ([FOOD], [[], [("confirm", "food", "thai")]], Sign(1.0, 1)),
    "denied": ([FOOD], [[], [("deny", "food", "thai")]], Sign(0.0, 1)),
    "accepted": ([FOOD], [[("confirm", "food", "thai")], [("affirm", None, None), WISH]], Sign(1.0, 1)),
    "accepted without a value": (
        [FOOD],
        [[("confirm", "food", None)], [("affirm", None, None), WISH]],
        Sign(0.0, 1),
    ),
    "accepted, but it was told": (
        [FOOD],
        [[("inform", "food", "thai")], [("affirm", None, None), WISH]],
        Sign(0.0, 1),
    ),
    "accepted too late": (
        [FOOD],
        [
            [("confirm", "food", "thai")],
            [("null", "food", None)],
            [("request", "area", None)],
            [("affirm", None, None)],
        ],
        Sign(0.0, 1),
    ),
    "the answer to what was asked": (
        [FOOD],
        [[("request", "food", None)], [("inform", "this", "thai")]],
        Sign(1.0, 1),
    ),
    "the answer to a choice": (
        [FOOD],
        [[("select", "food", "thai")], [("inform", "this", "thai")]],
        Sign(1.0, 1),
    ),
    "the answer to what was asked before": (
        [FOOD],
        [[("confirm", "food", "thai")], [("inform", "this", "thai")]],
        Sign(1.0, 1),
    ),
    "an answer to nothing": (
        [FOOD, AREA],
        [[OFFER], [("inform", "this", "thai"), ("inform", "area", "north")]],
        Sign(0.5, 2),
    ),
    "a request, offered and not asked for": (
        [FOOD, PHONE],
        [[OFFER], [("inform", "food", "thai")]],
        Sign(0.5, 2),
    ),
    "a request, told": (
        [FOOD, PHONE],
        [[OFFER, ("offer", "phone", "1")], [("inform", "food", "thai")]],
        Sign(1.0, 2),
    ),
    "a request, told without its value": (
        [FOOD, PHONE],
        [[OFFER, ("inform", "phone", None)], [("inform", "food", "thai")]],
        Sign(0.5, 2),
    ),
    "a request, asked for by the system": (
        [FOOD, PHONE],
        [[OFFER, ("request", "phone", "1")], [("inform", "food", "thai")]],
        Sign(0.5, 2),
    ),
    "no name": ([FOOD, PHONE], [[("offer", "name", None)], [("inform", "food", "thai")]], Sign(1.0, 1)),
    "a name that was only asked for": (
        [FOOD, PHONE],
        [[("confirm", "name", "Siam")], [("inform", "food", "thai")]],
        Sign(1.0, 1),
    ),
    "only a request that could not be pursued": ([PHONE], [[], [("inform", "food", "thai")]], Sign()),
    "no task": ([], [[], [("inform", "food", "thai")]], Sign()),
}


def test_a_constraint_is_pursued_when_it_was_stated_and_a_request_where_it_could_be() -> None:
    for case in PURSUED:
        goal, turns, expected = PURSUED[case]
        crowd = Crowd("ann")
        key = crowd.talks("ann", "one", *[3.0] * (len(turns) // 2))
        for kind, slot, value in goal:
            crowd.add(
                "goals",
                dialogue_id=key,
                goal_index=0,
                origin="assigned",
                kind=kind,
                slot=slot,
                op="=",
                value=value,
            )
        for turn, said in enumerate(turns):
            acts(crowd, key, turn, "reference" if turn % 2 else "system", *said)
        assert crowd.signs("goal_pursued") == [expected]


@pytest.mark.parametrize(
    "other",
    [
        {"origin": "inferred"},
        {"goal_index": 1},
        {"op": "!="},
        {"value": "dontcare"},
        {"kind": "type"},
    ],
)
def test_what_is_no_constraint_of_the_first_task_need_not_be_pursued(other: dict[str, Any]) -> None:
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0)
    food = {
        "dialogue_id": key,
        "goal_index": 0,
        "origin": "assigned",
        "kind": "constraint",
        "slot": "food",
        "op": "=",
        "value": "thai",
    }
    crowd.add("goals", **food)
    crowd.add("goals", **food | {"slot": "area", "value": "north"} | other)
    acts(crowd, key, 1, "reference", ("inform", "food", "thai"))
    assert crowd.signs("goal_pursued") == [Sign(1.0, 1)]


@pytest.mark.parametrize(
    ("who", "changed", "expected"),
    [
        ("user", {"op": "!="}, 0.0),
        ("user", {"op": "="}, 1.0),
        ("system", {"rank": 1}, 0.0),
        ("system", {"layer": "machine"}, 0.0),
        ("system", {}, 1.0),
    ],
)
def test_what_was_excluded_or_only_thought_of_was_not_said(
    who: str, changed: dict[str, Any], expected: float
) -> None:
    """A user who wants anything but Thai; a system whose second guess would have asked for it."""
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0)
    food = {"kind": "constraint", "slot": "food", "op": "=", "value": "thai"}
    crowd.add("goals", dialogue_id=key, goal_index=0, origin="assigned", **food)
    if who == "system":
        acts(crowd, key, 0, "system", ("confirm", "food", "thai"))
        crowd.tables["acts"][-1] |= changed
        acts(crowd, key, 1, "reference", ("affirm", None, None), ("inform", "area", "north"))
    else:
        acts(crowd, key, 1, "reference", ("inform", "food", "thai"))
        crowd.tables["acts"][-1] |= changed
    assert crowd.signs("goal_pursued") == [Sign(expected, 1)]


def test_what_was_meant_is_told_by_the_most_trusted_who_read_every_turn() -> None:
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0, 3.0)
    assigned(crowd, key)
    for source, turn, item in (
        ("annotator", 1, ("inform", "food", "thai")),
        ("parser", 1, ("inform", "food", "thai")),
        ("parser", 3, ("inform", "area", "north")),
    ):
        acts(crowd, key, turn, "reference", item)
        crowd.tables["acts"][-1]["source"] = source
    assert crowd.signs("goal_pursued") == [Sign(1.0, 2)]


def test_nobody_ignored_a_task_in_a_language_of_which_nothing_is_ever_understood() -> None:
    crowd = Crowd("ann", "bob")
    for who, language in (("ann", "en"), ("bob", "it")):
        key = crowd.talks(who, "one", 3.0)
        crowd.tables["dialogues"][-1]["language"] = language
        assigned(crowd, key)
        acts(crowd, key, 1, "reference", ("inform", "food" if who == "ann" else None, "thai"))
    assert crowd.signs("goal_pursued") == [Sign(0.5, 2), Sign()]


def test_where_nobody_was_ever_understood_nobody_ignored_the_task() -> None:
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0)
    assigned(crowd, key)
    acts(crowd, key, 1, "reference", ("null", None, None))
    assert crowd.signs("goal_pursued") == [Sign()]


def test_a_long_text_given_before_is_a_copy_and_its_first_writer_has_copied_nothing() -> None:
    crowd = Crowd("ann", "bob", "cid", "dan")
    crowd.writes("bob", LONG.upper() + "!", 2)
    crowd.writes("ann", LONG, 1)
    crowd.writes("bob", LONG, 3)
    for who in ("ann", "bob", "cid"):
        crowd.writes(who, "No, everything was fine, thank you!", 4)
    assert crowd.signs("copies") == [Sign(0.0, 1), Sign(2.0, 2), Sign(), Sign()]


def test_disagreement_counts_dialogues_of_which_both_are_known() -> None:
    crowd = Crowd("ann", "bob")
    keys = [crowd.talks("ann", "one", 3.0) for _ in range(3)]
    judged = {keys[0]: Success(True, False), keys[1]: Success(False, False), keys[2]: Success(False, True)}
    ann, bob = crowd.signs("disagreement", success=judged)
    assert ann.value == approx(2 / 3) and ann.n == 3 and bob == Sign()


def test_programs_are_never_held_against_people() -> None:
    crowd = Crowd(*(f"bot{number}" for number in range(9)), simulated=True)
    for number in range(9):
        crowd.talks(f"bot{number}", "one", 0.01)
        crowd.writes(f"bot{number}", LONG, 0)
    for number in range(5):
        crowd.add("participants", participant_id=f"p{number}", simulated=False)
        crowd.talks(f"p{number}", "one", 3.0)
    crowd.writes("p0", LONG, 9)
    assert crowd.signs("pace") == [Sign(1.0, 1)] * 5
    assert crowd.signs("copies")[0] == Sign(0.0, 1)


def test_an_item_is_checked_by_its_code_or_by_its_words_where_it_has_none() -> None:
    crowd = Crowd("ann", "bob")
    crowd.add("ratings", participant_id="ann", item_id="colour", value=None, answer="blue")
    crowd.add("ratings", participant_id="bob", item_id="colour", value=3.0, answer="blue")
    assert crowd.signs("gold", checks={"colour": "blue"}) == [Sign(1.0, 1), Sign(0.0, 1)]


def test_a_turn_without_a_time_of_its_own_is_not_timed() -> None:
    for changed, expected in [
        ({}, Sign(2.0, 1)),
        ({"restarted": True}, Sign()),
        ({"sent_s": None}, Sign()),
        ({"sent_s": 0.0}, Sign()),
        ({"sent_s": -1.0}, Sign()),
        ({"party": "system"}, Sign()),
    ]:
        names = [f"p{number}" for number in range(6)]
        crowd = Crowd(*names)
        for name in names[1:]:
            crowd.talks(name, "one", 3.0)
        crowd.talks("p0", "one", 6.0)
        crowd.tables["turns"][-1] |= changed
        assert crowd.signs("pace") == [expected, *[Sign(1.0, 1)] * 5]


def test_five_people_are_enough_to_know_what_is_usual() -> None:
    crowd = Crowd(*"abcde")
    for name in "abcde":
        crowd.talks(name, "one", 2.0 if name == "a" else 4.0)
    assert crowd.signs("pace") == [Sign(0.5, 1), *[Sign(1.0, 1)] * 4]


def test_a_form_is_timed_by_the_answers_that_were_given() -> None:
    """Two answers in three seconds, where two seconds each are the least."""
    for changed, answered, expected in [
        ({}, {}, Sign(1.0, 2)),
        ({"duration_s": 4.0}, {}, Sign(0.0, 2)),
        ({"duration_s": None}, {}, Sign()),
        ({"kind": "dialogue"}, {}, Sign()),
        ({"name": "other"}, {}, Sign()),
        ({}, {"value": None}, Sign(1.0, 2)),
        ({}, {"value": None, "answer": ""}, Sign(0.0, 1)),
        ({}, {"answer": None}, Sign(1.0, 2)),
    ]:
        crowd = Crowd("ann")
        form = {"visit_id": "v", "participant_id": "ann", "dialogue_id": None}
        for item in ("q1", "q2"):
            given = {"value": 1.0, "answer": "yes"} | (answered if item == "q2" else {})
            crowd.add("ratings", **form, instrument="own", item_id=item, **given)
        crowd.add("steps", **form, **{"kind": "questionnaire", "name": "own", "duration_s": 3.0} | changed)
        assert crowd.signs("fast_answers", min_answer_s=2.0) == [expected]


@pytest.mark.parametrize(("letters", "sign"), [(39, Sign()), (40, Sign(0.0, 1))])
def test_a_text_of_forty_letters_is_one_that_two_people_do_not_write_alike(letters: int, sign: Sign) -> None:
    crowd = Crowd("ann")
    crowd.writes("ann", "x" * letters, 1)
    crowd.tables["ratings"].append({"participant_id": "ann", "value": 1.0, "answer": "y" * 50})
    assert crowd.signs("copies") == [sign]


def test_a_text_of_which_nobody_knows_when_it_was_written_counts_as_the_later_one() -> None:
    crowd = Crowd("ann", "bob")
    crowd.writes("ann", LONG, 1)
    crowd.tables["ratings"][-1]["answered_at"] = None
    crowd.writes("bob", LONG, 5)
    assert crowd.signs("copies") == [Sign(1.0, 1), Sign(0.0, 1)]


def test_nothing_is_known_of_who_is_no_participant_of_the_kind() -> None:
    crowd = Crowd("ann")
    key = crowd.talks("ann", "one", 3.0)
    crowd.add("checks", participant_id="nobody", credit=1.0)
    success = {key: Success(True, True), "elsewhere": Success(True, False)}
    work = WorkQuality(crowd.columns, Quality(), success=success)
    assert work.sign("nobody", "gold") == Sign() and work.sign("ann", "disagreement") == Sign(0.0, 1)
