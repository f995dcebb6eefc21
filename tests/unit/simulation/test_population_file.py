"""Populations in files: habits and groups come out as written; faults are named with their place."""

from pathlib import Path
from random import Random
from statistics import mean

import pytest

import vivavoce.study
from vivavoce.core.errors import InputError
from vivavoce.log.events import LoggedAct
from vivavoce.questionnaires.instrument import Item, Scale
from vivavoce.simulation.agenda_user import Caller
from vivavoce.simulation.population_file import read_population, usual_population
from vivavoce.simulation.satisfaction import HeldDialogue, Satisfaction
from vivavoce.simulation.sayings import SayingEntry, Sayings
from vivavoce.simulation.user_factory import CorpusPhrasing
from vivavoce.simulation.user_profile import Population, UserProfile
from vivavoce.study.ontology import load_ontology
from vivavoce.study.task import Task

FILE = """
population: town
seed: 3
word_error_rate: 0.3
habits:
  patience: 3..5
  forgetfulness: 0.1
  over_informing: {beta: [3, 2]}
  dialogues: {values: {1: 0.75, 4: 0.25}}
groups:
  hurried: {share: 0.3, habits: {patience: 1}}
satisfaction: {success: 0.2}
"""

SAYINGS = """
sayings:
  en:
  - {say: "um {food} please", means: [affirm, inform food], after: request, n: 5}
"""
ONTOLOGY = load_ontology(Path(vivavoce.study.__file__).parent / "domains" / "restaurants.yaml")
RESOLUTE = UserProfile(
    patience=9, forgetfulness=0, over_informing=0, carefulness=1, curiosity=0, optimism=0, dialogues=1
)


def written(folder: Path, text: str) -> Path:
    path = folder / "people.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_habits_and_groups_have_the_shares_of_the_file(tmp_path: Path) -> None:
    file = read_population(written(tmp_path, FILE))
    people = file.people()
    traits = [people.traits(number) for number in range(3000)]
    groups = [people.group(number) for number in range(3000)]
    assert (people.name, people.satisfaction.success) == ("town", 0.2)
    assert {people.error_rate(number, 0.1) for number in range(20)} == {0.3}
    assert abs(groups.count("hurried") / 3000 - 0.3) < 0.03
    assert {one.patience for one, group in zip(traits, groups, strict=True) if group} == {1}
    assert {one.patience for one, group in zip(traits, groups, strict=True) if not group} == {3, 4, 5}
    assert {one.forgetfulness for one in traits} == {0.1}
    assert abs(mean(one.over_informing for one in traits) - 0.6) < 0.02
    assert abs(mean(one.dialogues == 4 for one in traits) - 0.25) < 0.03


def test_the_same_seed_gives_the_same_people_and_another_gives_others(tmp_path: Path) -> None:
    file = read_population(written(tmp_path, FILE))
    assert [file.people().traits(n) for n in range(9)] == [file.people(3).traits(n) for n in range(9)]
    assert [file.people().traits(n) for n in range(9)] != [file.people(4).traits(n) for n in range(9)]


def test_noise_is_drawn_once_for_each_caller_where_the_file_spreads_it(tmp_path: Path) -> None:
    spread = FILE.replace("word_error_rate: 0.3", "word_error_rate: {beta: [3, 7]}")
    people = read_population(written(tmp_path, spread)).people()
    rates = [people.error_rate(number, 0.1) for number in range(2000)]
    assert rates == [people.error_rate(number, 0.1) for number in range(2000)]
    assert abs(mean(rates) - 0.3) < 0.02 and len(set(rates)) > 1900
    assert Population(1).error_rate(3, 0.1) == 0.1


def test_the_usual_population_is_that_without_a_file() -> None:
    assert [usual_population().people(5).traits(n) for n in range(9)] == [
        Population(5).traits(n) for n in range(9)
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("patience: 3..5|patiense: 3..5", "unknown habit 'patiense'. Did you mean 'patience'"),
        ("patience: 3..5|patience: 5..3", "5..3 is reversed; write 3..5"),
        ("forgetfulness: 0.1|forgetfulness: 1.5", "forgetfulness is outside 0 to 1"),
        ("word_error_rate: 0.3|word_error_rate: 0.95", "a word error rate is outside 0 to 0.9"),
        ("share: 0.3|share: 1.3", "people.yaml:11 groups.hurried.share"),
        ("{values: {1: 0.75, 4: 0.25}}|{values: {one: 1}}", "need numbers and shares above 0"),
        ("simulated|simulated", None),
        ("population: town|simulated: false\npopulation: town", "simulated"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, change: str, words: str | None) -> None:
    old, _, new = change.partition("|")
    path = written(tmp_path, FILE.replace(old, new))
    if words is None:
        read_population(path)
        return
    with pytest.raises(InputError, match="(?i)" + words.replace("(", r"\(").replace("; ", ". ")):
        read_population(path)


def test_success_and_patience_move_the_answers_and_reversed_items_mirror_them() -> None:
    model = Satisfaction(mood=0, leniency=0)
    scale = Scale(low=0, high=4)
    plain, turned = Item(id="a", scale="s"), Item(id="b", scale="s", reverse=True)
    good = model.content([HeldDialogue(True, 5, 0)], 0)
    bad = model.content([HeldDialogue(False, 20, 5)], 0)
    chance = Population(1).random(0, "x")
    assert good > bad
    for content in (good, bad, -3, 7):
        code = model.code(plain, scale, content, True, chance)
        assert code in scale.codes and model.code(turned, scale, content, True, chance) == 4 - code
    assert model.code(plain, scale, good, True, chance) > model.code(plain, scale, bad, True, chance)
    success = Item(id="c", scale="s", role="subjective_success")
    assert [model.code(success, scale, good, found, chance) for found in (True, False)] == [4, 0]
    assert model.content([], 0) == 0.5


def test_who_speaks_in_sentences_of_real_callers_means_what_their_task_says(tmp_path: Path) -> None:
    """A sentence fits what is meant and where it is said; where there is none, the shipped words remain."""
    file = read_population(written(tmp_path, FILE + SAYINGS))
    task = Task(task_id="1", type="restaurant", constraints={"food": "chinese"}, requests=["phone"], text={})
    caller = Caller(task, ONTOLOGY, RESOLUTE, "en", Random(1))
    person = CorpusPhrasing(caller, file.people().sayings["en"], ONTOLOGY, "en", Random(1))
    answer = person.reply([LoggedAct(act="request", slot="food")])
    assert answer.text == "um Chinese please"
    assert [(one.act, one.value) for one in answer.acts] == [("affirm", None), ("inform", "chinese")]
    bye = Sayings([SayingEntry(say="ta", means=("thankyou", "bye"))])
    last = CorpusPhrasing(Caller(task, ONTOLOGY, RESOLUTE, "en", Random(1)), bye, ONTOLOGY, "en", Random(1))
    said = last.reply([LoggedAct(act="request", slot="food")])
    assert said.text and "ta" not in said.text.split(), "nobody said how they answer: the shipped words"
    assert last.reply([LoggedAct(act="bye")]).text == "ta"


LONG_AND_SHORT = Sayings(
    [
        SayingEntry(say="phone", means=("request phone",), n=5),
        SayingEntry(say="could you tell me the phone number", means=("request phone",), n=5),
    ]
)


def said_in_turn(steadiness: float, seed: int) -> list[str]:
    """The sentences of one caller who asks for the telephone number again and again."""
    task = Task(task_id="1", type="restaurant", constraints={}, requests=["phone"], text={})
    caller = Caller(task, ONTOLOGY, RESOLUTE, "en", Random(seed))
    person = CorpusPhrasing(caller, LONG_AND_SHORT, ONTOLOGY, "en", Random(seed), steadiness)
    offer = LoggedAct(act="offer", slot="name", value=ONTOLOGY.venues[0].name, op="=")
    said = [person.reply([offer]) for _ in range(9)]
    return [one.text for one in said if any(act.act == "request" for act in one.acts)]


def test_who_is_steady_keeps_to_long_sentences_or_to_short_ones() -> None:
    steady = [said_in_turn(1.0, seed) for seed in range(30)]
    assert all(len(set(one)) == 1 and len(one) > 4 for one in steady)
    assert len({one[0] for one in steady}) == 2, "some are brief, others are not"
    assert any(len(set(said_in_turn(0.0, seed))) == 2 for seed in range(5))


def test_nobody_thanks_twice_running_who_can_take_leave_without() -> None:
    ways = [
        SayingEntry(say="thanks bye", means=("thankyou", "bye"), n=99),
        SayingEntry(say="bye", means=("bye",)),
    ]
    bye = [LoggedAct(act="bye")]
    for seed in range(9):
        chosen = Sayings(ways).chosen(bye, (), Random(seed), unwanted={"thankyou"})
        assert chosen is not None and chosen.say == "bye"
    only = Sayings(ways[:1]).chosen(bye, (), Random(1), unwanted={"thankyou"})
    assert only is not None and only.say == "thanks bye"


def test_a_sentence_with_a_value_that_it_does_not_mean_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="food"):
        read_population(written(tmp_path, FILE + SAYINGS.replace("inform food", "inform area")))
    asked = read_population(written(tmp_path, FILE + SAYINGS.replace("inform food", "confirm food")))
    assert asked.sayings["en"][0].means == ("affirm", "confirm food"), "is it thai? tells a value, too"


def test_that_one_thing_does_not_matter_is_not_said_of_another() -> None:
    said = Sayings(
        [
            SayingEntry(say="any part of town", means=("inform area dontcare",)),
            SayingEntry(say="any", means=("inform this dontcare",)),
        ]
    )
    food = [LoggedAct(act="inform", slot="food", value="dontcare", op="=")]
    chosen = {one.say for seed in range(20) if (one := said.chosen(food, (), Random(seed)))}
    assert chosen == {"any"}
