"""Simulated callers: they keep to their task, come to an end, and say what they mean."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce.study
from vivavoce.core.errors import UnknownName
from vivavoce.core.text import normalise_value
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import Caller, UserUtterance
from vivavoce.simulation.system_acts import acts_in_text
from vivavoce.simulation.user_profile import Population, UserProfile, draw_traits
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import DONTCARE, Alternative, Task
from vivavoce_bots.engine.search_bot import SearchBot

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
ONTOLOGY = load_ontology(DOMAIN)
BOT = SearchBot("restaurant", "nbest", domain=DOMAIN)
VENUES = {venue.name: venue for venue in ONTOLOGY.venues}
PATIENT = UserProfile(
    patience=6, forgetfulness=0, over_informing=0.5, carefulness=1, curiosity=0, optimism=0, dialogues=1
)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Any goal that the domain can express, whether a venue has it or not."""
    kind = draw(st.sampled_from(sorted(ONTOLOGY.types)))
    slots = draw(
        st.lists(st.sampled_from(ONTOLOGY.constraint_slots(kind)), min_size=1, max_size=3, unique=True)
    )
    limits = {slot: draw(st.sampled_from([*ONTOLOGY.slots[slot].values, DONTCARE])) for slot in slots}
    requests = draw(
        st.lists(st.sampled_from(ONTOLOGY.request_slots(kind)), min_size=1, max_size=3, unique=True)
    )
    other = {**limits, slots[0]: draw(st.sampled_from(sorted(ONTOLOGY.slots[slots[0]].values)))}
    alternative = draw(st.sampled_from([None, Alternative(constraints=other)]))
    return Task(
        task_id="t", type=kind, constraints=limits, requests=tuple(requests), text={}, alternative=alternative
    )


ACTS = st.builds(
    LoggedAct,
    act=st.sampled_from(
        ["offer", "inform", "request", "confirm", "canthelp", "repeat", "reqmore", "null", "what"]
    ),
    slot=st.sampled_from([None, "name", "type", "food", "area", "pricerange", "phone", "weather"]),
    value=st.sampled_from(
        [None, "east", "cheap", "chinese", "pub", DONTCARE, "01632 960000", *list(VENUES)[:3]]
    ),
    op=st.sampled_from([None, "=", "!="]),
)
SYSTEM_TURNS = st.lists(ACTS, max_size=4)


def dialogue(
    task: Task, traits: UserProfile, language: str, seed: int, most: int = 60
) -> tuple[Caller, list[UserUtterance]]:
    """A dialogue with the restaurant bot, in this process and without noise."""
    caller, said = Caller(task, ONTOLOGY, traits, language, Random(seed)), []
    session = BOT.session(str(seed), language)
    reply = BOT.greet(session)
    while len(said) < most:
        acts = [LoggedAct(act=act.act, slot=act.slot, value=act.value, op=act.op) for act in reply.acts]
        said.append(caller.reply(acts, reply.text))
        if said[-1].hangs_up:
            break
        reply = BOT.reply(session, [(said[-1].text, None)])
    return caller, said


@given(tasks(), st.sampled_from(["en", "it"]), st.lists(SYSTEM_TURNS, max_size=40), st.integers(0, 999))
def test_whatever_a_system_says_a_caller_keeps_to_its_task(
    task: Task, language: str, turns: list[list[LoggedAct]], seed: int
) -> None:
    constant = replace(draw_traits(Random(seed)), fickleness=0.0)  # who changes their mind is tested below
    caller = Caller(task, ONTOLOGY, constant, language, Random(seed))
    allowed = {"type": {task.type}}
    for goal in (task.constraints, task.alternative.constraints if task.alternative else {}):
        for slot, value in goal.items():
            allowed.setdefault(slot, set()).add(value)
    for turn in turns:
        utterance = caller.reply(turn)
        for act in utterance.acts:
            if act.act == "request":
                assert act.slot in task.requests
            if act.act == "inform":
                assert act.value == DONTCARE or act.value in allowed[act.slot or ""]
        if utterance.hangs_up:
            break


@given(tasks(), st.sampled_from(["en", "it"]), st.integers(0, 9999))
def test_every_dialogue_comes_to_an_end(task: Task, language: str, seed: int) -> None:
    _, said = dialogue(task, draw_traits(Random(seed)), language, seed)
    assert said[-1].hangs_up
    assert len(said) < 60
    assert said[-1].acts[-1].act == "bye"


@given(tasks(), st.integers(0, 9999), SYSTEM_TURNS)
def test_a_system_that_never_helps_is_left(task: Task, seed: int, turn: list[LoggedAct]) -> None:
    caller = Caller(task, ONTOLOGY, draw_traits(Random(seed)), "en", Random(seed))
    useless = [act for act in turn if act.act in ("repeat", "null", "reqmore")]
    assert any(caller.reply(useless).hangs_up for _ in range(60))


@pytest.mark.parametrize("language", ["en", "it"])
def test_what_is_meant_stands_in_the_text(language: str) -> None:
    """Checked by the bot's own understanding, which shares no code with the caller."""
    checked = 0
    for seed in range(150):
        task = tasks_of(seed)
        for utterance in dialogue(task, draw_traits(Random(seed)), language, seed)[1]:
            understood = {(act.act, act.slot, act.value) for act in BOT.acts(utterance.text, language)}
            for act in utterance.acts:
                if act.act in ("request", "reqalts", "bye") or (
                    act.act == "inform" and act.value != DONTCARE
                ):
                    assert (act.act, act.slot, act.value) in understood, (utterance.text, act, understood)
                    checked += 1
    assert checked > 500


def tasks_of(seed: int) -> Task:
    random = Random(seed)
    venue = random.choice(ONTOLOGY.venues)
    slots = random.sample(ONTOLOGY.constraint_slots(venue.type), 2)
    limits = {slot: venue.slots[slot] for slot in slots}
    requests = tuple(random.sample(ONTOLOGY.request_slots(venue.type), 2))
    return Task(task_id=str(seed), type=venue.type, constraints=limits, requests=requests, text={})


def test_patient_and_careful_callers_reach_their_goal_without_noise() -> None:
    judged = [
        dialogue(tasks_of(seed), PATIENT, ("en", "it")[seed % 2], seed)[0].judge() for seed in range(100)
    ]
    assert sum(one.met for one in judged) >= 98
    assert sum(one.rated for one in judged) >= 98


def test_a_task_that_nothing_matches_ends_in_its_alternative() -> None:
    limits = {"food": "chinese", "area": "east", "pricerange": "cheap"}
    other = {**limits, "area": "west"}
    assert not ONTOLOGY.matching("restaurant", limits)
    assert ONTOLOGY.matching("restaurant", other)
    task = Task(
        task_id="t",
        type="restaurant",
        constraints=limits,
        requests=("phone",),
        text={},
        alternative=Alternative(constraints=other),
    )
    for seed in range(10):
        caller, said = dialogue(task, PATIENT, "en", seed)
        meant = [(act.slot, act.value) for utterance in said for act in utterance.acts if act.act == "inform"]
        assert meant.index(("area", "east")) < meant.index(("area", "west"))
        assert caller.judge().met


def test_forgotten_constraints_are_not_said_unless_asked() -> None:
    forgetful = UserProfile(
        **{**{name: getattr(PATIENT, name) for name in PATIENT.__slots__}, "forgetfulness": 1.0}
    )
    caller = Caller(tasks_of(1), ONTOLOGY, forgetful, "en", Random(1))
    first = caller.reply([LoggedAct(act="hello")])
    assert [act.slot for act in first.acts] == ["type"]
    slot = next(iter(tasks_of(1).constraints))
    asked = caller.reply([LoggedAct(act="request", slot=slot)])
    assert asked.acts[0].value == tasks_of(1).constraints[slot]


def test_a_system_without_acts_is_understood_by_its_text() -> None:
    venue = ONTOLOGY.venues[0]
    text = f"I recommend {venue.name}! Call {venue.slots['phone']}."
    acts = acts_in_text(text, ONTOLOGY, ["phone", "address"])
    assert [(act.act, act.slot, act.value) for act in acts] == [
        ("offer", "name", venue.name),
        ("inform", "phone", venue.slots["phone"]),
    ]
    assert acts_in_text("nothing of the kind", ONTOLOGY, ["phone"]) == []
    assert normalise_value(venue.name) in normalise_value(text)


def test_a_population_is_the_same_for_the_same_seed_and_unequal_in_dialogues() -> None:
    one, again, other = Population(7), Population(7), Population(8)
    assert [one.traits(number) for number in range(20)] == [again.traits(number) for number in range(20)]
    assert one.traits(0) != other.traits(0)
    wanted = sorted((one.traits(number).dialogues for number in range(1000)), reverse=True)
    assert wanted[-1] >= 1
    assert wanted[0] <= 60
    assert sum(wanted[:100]) > 0.4 * sum(wanted)
    assert wanted[500] <= 3


def test_a_language_that_nobody_speaks_is_named() -> None:
    with pytest.raises(UnknownName, match="Known: en, it"):
        Caller(tasks_of(1), ONTOLOGY, PATIENT, "de", Random(1))


def test_a_fickle_caller_wants_another_value_that_some_venue_has_and_is_served_by_it() -> None:
    fickle = replace(PATIENT, fickleness=1)
    changed = 0
    for number in range(40):
        venue = ONTOLOGY.venues[number]
        slots = ONTOLOGY.constraint_slots(venue.type)[:2]
        task = Task(
            task_id=str(number),
            type=venue.type,
            constraints={slot: venue.slots[slot] for slot in slots},
            requests=("phone",),
            text={},
        )
        caller, said = dialogue(task, fickle, "en", number)
        stated: dict[str, set[str]] = {}
        for utterance in said:
            for act in utterance.acts:
                if act.act == "inform" and act.slot in slots and act.value:
                    stated.setdefault(act.slot, set()).add(act.value)
        changed += any(len(values) > 1 for values in stated.values())
        assert caller.judge().met
    assert changed >= 35


def test_a_terse_caller_says_values_and_nothing_else() -> None:
    terse = replace(PATIENT, terseness=1, over_informing=0)
    task = Task(
        task_id="t",
        type="restaurant",
        constraints={"food": "thai", "area": "north"},
        requests=("phone",),
        text={},
    )
    _, said = dialogue(task, terse, "en", 3)
    real = [one for one in said if one.acts[0].value != DONTCARE]
    stating = [one.text for one in real if one.acts[0].act in ("inform", "request")]
    assert {"restaurant Thai", "restaurant north", "north", "Thai", "phone number"} >= set(stating)
    assert "phone number" in stating


TASK = Task(
    task_id="t",
    type="restaurant",
    constraints={"food": "thai", "area": "north"},
    requests=("phone",),
    text={},
)
OFFER = [LoggedAct(act="offer", slot="name", value=next(iter(VENUES)), op="=")]
CANNOT = [LoggedAct(act="canthelp", slot="food", value="thai", op="=")]


def meanings(utterance: UserUtterance) -> list[tuple[str, str | None, str | None]]:
    return [(act.act, act.slot, act.value) for act in utterance.acts]


def opened(traits: UserProfile) -> Caller:
    """A caller who has said all that they want."""
    caller = Caller(TASK, ONTOLOGY, replace(traits, over_informing=1), "en", Random(4))
    caller.reply([LoggedAct(act="hello")])
    return caller


def test_who_only_denies_says_what_is_right_when_it_is_asked_for() -> None:
    caller = opened(replace(PATIENT, only_denies=1))
    said = caller.reply([LoggedAct(act="confirm", slot="food", value="greek")])
    assert meanings(said) == [("negate", None, None)]
    said = caller.reply([LoggedAct(act="request", slot="food")])
    assert ("inform", "food", "thai") in meanings(said)


@pytest.mark.parametrize(("gives_up", "said"), [(1.0, DONTCARE), (0.0, "thai")])
def test_who_does_not_give_up_says_again_what_nothing_matches(gives_up: float, said: str) -> None:
    task = TASK.model_copy(update={"constraints": {"food": "thai"}})
    caller = Caller(task, ONTOLOGY, replace(PATIENT, gives_up=gives_up), "en", Random(4))
    caller.reply([LoggedAct(act="hello")])
    assert ("inform", "food", said) in meanings(caller.reply(CANNOT))
    turns = 0
    while not caller.reply(CANNOT).hangs_up:
        turns += 1
        assert turns <= PATIENT.patience + 1


def test_whether_a_place_is_as_wanted_is_asked_once_of_what_was_not_told() -> None:
    caller = opened(replace(PATIENT, asks_whether=1, carefulness=0))
    said = caller.reply([*OFFER, LoggedAct(act="inform", slot="food", value="thai")])
    assert meanings(said) == [("confirm", "area", "north")]
    assert "north" in said.text
    assert meanings(caller.reply(OFFER)) == [("request", "phone", None)]


def test_who_thanks_first_takes_leave_after_it() -> None:
    caller = opened(replace(PATIENT, thanks_first=1))
    assert meanings(caller.reply(OFFER)) == [("request", "phone", None)]
    told = [("food", "thai"), ("area", "north"), ("phone", "1")]
    said = caller.reply([*OFFER, *(LoggedAct(act="inform", slot=slot, value=one) for slot, one in told)])
    assert meanings(said) == [("thankyou", None, None)] and not said.hangs_up
    said = caller.reply([LoggedAct(act="reqmore")])
    assert meanings(said) == [("bye", None, None)] and said.hangs_up
