"""Users who do other than answer: each trait shows in what is said and meant, and in nothing else."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import mean

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vivavoce.study
from vivavoce.api.simulating import ChosenUsers, simulate_study
from vivavoce.api.studies import export_study, open_log
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.languages.data import SimulatedSpeech
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import AgendaUser, Caller, UserUtterance
from vivavoce.simulation.domain import load_domain
from vivavoce.simulation.domain_agenda_user import DomainUser
from vivavoce.simulation.goals import draw_tasks, tasks_file
from vivavoce.simulation.population_file import find_population, population_names
from vivavoce.simulation.user_factory import UserSimulator
from vivavoce.simulation.user_profile import UserProfile
from vivavoce.study.load import load_study
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import DONTCARE, Task
from vivavoce_bots.acts import Reply
from vivavoce_bots.catalogue import BOTS
from vivavoce_bots.engine.search_bot import SearchBot

DOMAIN = Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml"
ONTOLOGY = load_ontology(DOMAIN)
RESTAURANTS = SearchBot("restaurant", "nbest", domain=DOMAIN)
PLAIN = UserProfile(
    patience=8, forgetfulness=0, over_informing=0, carefulness=1, curiosity=0, optimism=0, dialogues=1
)
TRAITS = (
    "disagrees",
    "asks_back",
    "digresses",
    "fragments",
    "two_at_once",
    "misspells",
    "switches_language",
)
SEEDS = range(30)


def venue_task(seed: int) -> Task:
    random = Random(seed)
    venue = random.choice(ONTOLOGY.venues)
    slots = random.sample(ONTOLOGY.constraint_slots(venue.type), 2)
    asked = tuple(random.sample(ONTOLOGY.request_slots(venue.type), 2))
    limits = {slot: venue.slots[slot] for slot in slots}
    return Task(task_id=str(seed), type=venue.type, constraints=limits, requests=asked, text={})


def hold(
    user: AgendaUser, greeting: Reply, answer: Callable[[str], Reply]
) -> list[tuple[Reply, UserUtterance]]:
    """System turns with what the user said to each, until the user leaves."""
    held: list[tuple[Reply, UserUtterance]] = []
    reply = greeting
    while len(held) < 150:
        utterance = user.reply([LoggedAct(**act.as_json()) for act in reply.acts], reply.text)
        held.append((reply, utterance))
        if utterance.hangs_up or reply.end:
            return held
        reply = answer(utterance.text)
    raise AssertionError("the dialogue does not come to an end")


def call(traits: UserProfile, seed: int, language: str = "en") -> list[tuple[Reply, UserUtterance]]:
    """A call to the restaurant bot, in this process and without noise."""
    caller = Caller(venue_task(seed), ONTOLOGY, traits, language, Random(seed))
    session = RESTAURANTS.session(str(seed), language)
    greeting = RESTAURANTS.greet(session)
    return hold(caller, greeting, lambda text: RESTAURANTS.reply(session, [(text, None)]))


def order(name: str, traits: UserProfile, seed: int, language: str) -> list[tuple[Reply, UserUtterance]]:
    """A dialogue with the bundled bot of another domain."""
    domain, bot = load_domain(name), BOTS[name].make(BOTS[name].variants[0], 1, None)
    task = draw_tasks(domain, 1, seed, (language,))[0]
    session = bot.session(str(seed), language)
    greeting = bot.greet(session)
    user = DomainUser(task, domain, traits, language, Random(seed))
    return hold(user, greeting, lambda text: bot.reply(session, [(text, None)]))


def said(held: list[tuple[Reply, UserUtterance]]) -> list[UserUtterance]:
    return [utterance for _, utterance in held]


def kinds(utterance: UserUtterance) -> list[str]:
    return [act.act for act in utterance.acts]


def test_a_departure_is_said_in_place_of_every_other_answer_and_means_nothing_of_the_task() -> None:
    for trait, aside, act in [
        ("digresses", "digress", "null"),
        ("fragments", "break_off", "null"),
        ("asks_back", "ask_back", "repeat"),
    ]:
        for language in ["en", "it"]:
            words = SimulatedSpeech.or_english(language).asides[aside]  # type: ignore[index]
            for seed in SEEDS:
                plain, departing = (
                    call(PLAIN, seed, language),
                    call(replace(PLAIN, **{trait: 1.0}), seed, language),
                )
                aside_turns = [one for one in said(departing) if one.text in words]
                assert len(aside_turns) >= len(departing) // 2 >= 1
                assert all(kinds(one) == [act] and one.acts[0].slot is None for one in aside_turns)
                stated = {(one.slot, one.value) for turn in said(departing) for one in turn.acts if one.slot}
                assert stated >= {
                    (one.slot, one.value) for turn in said(plain)[:1] for one in turn.acts if one.slot
                }


def test_what_was_no_answer_costs_no_patience_of_who_did_not_answer() -> None:
    for seed in SEEDS:
        impatient = replace(PLAIN, patience=0)
        plain, beside = call(impatient, seed)[-1][1], call(replace(impatient, digresses=1.0), seed)[-1][1]
        despair = SimulatedSpeech.in_english().say["despair"][1:]
        assert (beside.text in despair) <= (plain.text in despair)


def test_who_does_not_know_says_so_to_each_question_once_and_then_answers_it() -> None:
    words = SimulatedSpeech.in_english().asides["puzzled"]
    puzzled = 0
    for seed in SEEDS:
        asked: list[str] = []
        for reply, utterance in call(replace(PLAIN, knowledge=0.0), seed):
            slot = next((act.slot for act in reply.acts if act.act == "request"), None)
            if utterance.text in words:
                assert slot is not None and slot not in asked and kinds(utterance) == ["null"]
                asked.append(slot)
        puzzled += len(asked)
    assert puzzled >= 10


def test_who_disagrees_turns_down_what_is_offered_but_no_place_twice() -> None:
    turned_down = 0
    for seed in SEEDS:
        refused: list[str | None] = []
        for reply, utterance in call(replace(PLAIN, disagrees=1.0), seed):
            offered = next((act.value for act in reply.acts if act.act == "offer"), None)
            if kinds(utterance) == ["negate", "reqalts"]:
                assert offered not in refused
                refused.append(offered)
        turned_down += len(refused)
        assert not any("negate" in kinds(one) for one in said(call(PLAIN, seed)))
    assert turned_down >= len(SEEDS)


def test_two_things_in_a_breath_are_two_kinds_of_acts() -> None:
    for seed in SEEDS:
        plain, double = said(call(PLAIN, seed)), said(call(replace(PLAIN, two_at_once=1.0), seed))
        assert not any({"inform", "request"} <= set(kinds(one)) for one in plain)
        both = [one for one in double if {"inform", "request"} <= set(kinds(one))]
        assert both and all(" and " in one.text for one in both)


def test_misspelt_words_are_other_words_of_nearly_the_same_letters_and_mean_the_same() -> None:
    for seed in SEEDS:
        plain, slipped = said(call(PLAIN, seed))[0], said(call(replace(PLAIN, misspells=1.0), seed))[0]
        assert slipped.acts[0].act == plain.acts[0].act == "inform"
        long = [word for word in slipped.text.split() if len(word) > 5 and word.isalpha()]
        known = {word for one in said(call(PLAIN, seed)) for word in one.text.split()}
        assert not known & set(long)
        assert len(set(slipped.text.lower()) - set("abcdefghijklmnopqrstuvwxyz' ")) == 0


@pytest.mark.parametrize(("own", "other"), [("en", "it"), ("it", "en")])
def test_another_language_is_understood_by_a_bot_of_that_language_as_it_was_meant(
    own: str, other: str
) -> None:
    for seed in SEEDS:
        for utterance in said(call(replace(PLAIN, switches_language=1.0), seed, own)):
            understood = {(act.act, act.slot, act.value) for act in RESTAURANTS.acts(utterance.text, other)}
            meant = {
                (act.act, act.slot, act.value)
                for act in utterance.acts
                if act.act in ("inform", "request", "bye") and act.value != DONTCARE
            }
            assert meant <= understood, utterance


@pytest.mark.parametrize(("denies", "expected"), [(1.0, ["negate", "inform"]), (0.0, ["inform"])])
def test_a_correction_denies_first_or_only_says_what_is_right(denies: float, expected: list[str]) -> None:
    task = Task(task_id="t", type="restaurant", constraints={"food": "thai"}, requests=("phone",), text={})
    wrong = LoggedAct(act="confirm", slot="food", value="chinese", op="=")
    for seed in SEEDS:
        caller = Caller(task, ONTOLOGY, replace(PLAIN, denies=denies), "en", Random(seed))
        caller.reply([LoggedAct(act="hello")])
        corrected = caller.reply([wrong])
        assert kinds(corrected) == expected and corrected.acts[-1].value == "thai"
        assert corrected.text.lower().startswith(("no", "not")) == (denies == 1)


@given(st.integers(0, 10_000), st.sampled_from(["en", "it"]), st.data())
def test_whatever_the_traits_a_call_ends_and_the_seed_decides_every_word(
    seed: int, language: str, data: st.DataObject
) -> None:
    shares = {trait: data.draw(st.sampled_from([0.0, 0.3, 1.0]), trait) for trait in (*TRAITS, "knowledge")}
    traits = replace(PLAIN, **shares)  # type: ignore[arg-type]
    first, again = said(call(traits, seed, language)), said(call(traits, seed, language))
    assert first == again and first[-1].hangs_up


@pytest.mark.long
@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("name", ["telco", "carbs", "house", "chef", "callsteering"])
@pytest.mark.parametrize("trait", TRAITS)
def test_users_of_other_domains_have_the_same_traits(name: str, language: str, trait: str) -> None:
    seeds = range(6)
    plain = [[one.text for one in said(order(name, PLAIN, seed, language))] for seed in seeds]
    held = [said(order(name, replace(PLAIN, **{trait: 1.0}), seed, language)) for seed in seeds]  # type: ignore[arg-type]
    assert [[one.text for one in turns] for turns in held] != plain
    assert all(turns[-1].hangs_up or len(turns) < 150 for turns in held)


def test_traits_at_nought_leave_every_word_as_it_was() -> None:
    nobody = replace(PLAIN, knowledge=1.0, **dict.fromkeys(TRAITS, 0.0))  # type: ignore[arg-type]
    assert nobody.departures() == {}
    for seed in SEEDS:
        assert said(call(nobody, seed)) == said(call(PLAIN, seed))


def test_shipped_populations_do_what_their_name_says() -> None:
    for name in population_names():
        people, usual = find_population(name).people(4), find_population("brief").people(4)
        turns = [one for seed in range(60) for one in said(call(people.traits(seed), seed))]
        briefly = [one for seed in range(60) for one in said(call(usual.traits(seed), seed))]
        words = mean(len(one.text.split()) for one in turns)
        assert people.name == name
        if name == "brief":
            assert words < 4
        if name == "chatty":
            assert words > 1.5 * mean(len(one.text.split()) for one in briefly)
        if name == "confused":
            assert sum(kinds(one) in (["null"], ["repeat"]) for one in turns) > 0.2 * len(turns)
        if name == "hostile":
            assert sum("negate" in kinds(one) for one in turns) > 0.08 * len(turns)


STUDY = """
study: traits
languages: [{language}]
systems:
  house: {{connect: python, call: "vivavoce_bots.calling:house", in_process: true, greeting: true}}
tasks: tasks.yaml
visit:
  - consent: consent.md
  - dialogue: {{repeat: 1, gate: none}}
"""


def study_of(folder: Path, language: str = "en") -> Path:
    tasks = draw_tasks(load_domain("house"), 6, 1, (language,))
    (folder / "tasks.yaml").write_text(tasks_file(tasks, "house"), encoding="utf-8")
    (folder / "study.yaml").write_text(STUDY.format(language=language), encoding="utf-8")
    (folder / f"consent.{language}.md").write_text("Va bene?", encoding="utf-8")
    return folder


def test_the_dataset_tells_departures_from_answers_and_names_the_traits(tmp_path: Path) -> None:
    study = load_study(study_of(tmp_path))
    (tmp_path / "people.yaml").write_text("population: p\nlike: chatty\nhabits: {digresses: 1}\n", "utf-8")
    people = find_population(str(tmp_path / "people.yaml")).people()
    with open_log(study, None) as log:
        simulate_study(
            study, log, 8, seed=1, error_rate=0.0, chosen=ChosenUsers(people, UserSimulator.of(study))
        )
        export_study(study, log, tmp_path / "dataset")
    rows = {
        table: pq.read_table(tmp_path / "dataset" / f"{table}.parquet").to_pylist()
        for table in ("turns", "acts", "participants")
    }
    digressions = SimulatedSpeech.in_english().asides["digress"]
    beside = {
        (row["dialogue_id"], row["turn_index"]) for row in rows["turns"] if row["reference"] in digressions
    }
    meant = [row for row in rows["acts"] if row["layer"] == "reference"]
    null = {(row["dialogue_id"], row["turn_index"]) for row in meant if row["act"] == "null"}
    assert len(beside) >= 8 and beside == null
    assert all(row["slot"] is None for row in meant if row["act"] == "null")
    habits = [json.loads(row["attributes"])["habits"] for row in rows["participants"]]
    assert {one["digresses"] for one in habits} == {1.0}
    assert len({one["two_at_once"] for one in habits}) == len(habits), "those left out are as of `chatty`"


def test_who_switches_language_needs_another_with_words(tmp_path: Path) -> None:
    domain = load_domain("house").model_copy(update={"languages": ("en",)})
    with pytest.raises(InputError, match=r"the texts are only in 'en'. Add"):
        UserSimulator(None, domain).check([PLAIN, replace(PLAIN, switches_language=0.1)], "en")
    UserSimulator(None, domain).check([PLAIN], "en")
    UserSimulator(ONTOLOGY, None).check([replace(PLAIN, switches_language=0.1)], "it")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "habits: {digreses: 0.1}",
            "people.yaml:2 habits: unknown habit 'digreses'. Did you mean 'digresses'",
        ),
        (
            "habits: {misspells: 3}",
            "people.yaml:2 habits: misspells is outside 0 to 1. Keep it from 0 to 1",
        ),
        ("like: chaty", "people.yaml:2 like: unknown population 'chaty'. Did you mean 'chatty'"),
    ],
)
def test_a_wrong_trait_is_named_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "people.yaml"
    path.write_text(f"population: p\n{text}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        find_population(str(path))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_population_that_does_not_ship_is_named() -> None:
    with pytest.raises(UnknownName, match=r"unknown population 'hostil'. Did you mean 'hostile'"):
        find_population("hostil")
