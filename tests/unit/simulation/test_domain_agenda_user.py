"""Users of domains other than venues: they pursue their goals, in both languages, with acts and without."""

import re
from pathlib import Path
from random import Random

import pytest

from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.events import LoggedAct
from vivavoce.simulation.agenda_user import Judgement
from vivavoce.simulation.asr_channel import ASRChannel
from vivavoce.simulation.domain import SimulatedDomain, domain_names, domain_of, load_domain
from vivavoce.simulation.domain_agenda_user import DomainUser
from vivavoce.simulation.goals import draw_tasks, tasks_file
from vivavoce.simulation.triggers import acts_by_cues
from vivavoce.simulation.user_profile import Population, UserProfile
from vivavoce.study.task import Task
from vivavoce.study.tasks_file import check_tasks
from vivavoce_bots.acts import Act, Reply
from vivavoce_bots.catalogue import BOTS

CAREFUL = UserProfile(
    patience=6, forgetfulness=0, over_informing=0.5, carefulness=1, curiosity=0, optimism=0, dialogues=1
)
FICKLE = UserProfile(
    patience=6,
    forgetfulness=0,
    over_informing=1,
    carefulness=1,
    curiosity=0,
    optimism=0,
    dialogues=1,
    fickleness=1,
)


def told(reply: Reply) -> list[LoggedAct]:
    return [LoggedAct(**act.as_json()) for act in reply.acts]


def hold(
    name: str,
    task: Task,
    traits: UserProfile,
    language: str,
    *,
    seed: int,
    acts: bool = True,
    rate: float = 0.0,
) -> tuple[Judgement, list[str]]:
    """One dialogue with the bundled bot of a domain, in this process; the judgement and all that was said."""
    domain, bot, random = load_domain(name), BOTS[name].make(BOTS[name].variants[0], 1, None), Random(seed)
    user, channel = DomainUser(task, domain, traits, language, random), ASRChannel(domain, language, rate)
    session = bot.session(str(seed), language)
    reply = bot.greet(session)
    said = [reply.text]
    for _ in range(60):
        utterance = user.reply(told(reply) if acts else None, reply.text)
        heard = channel.hear(utterance.text, random)
        reply = bot.reply(session, [(one.text, one.score) for one in heard])
        said += [utterance.text, reply.text]
        if utterance.hangs_up or reply.end:
            user.feed_audio(told(reply) if acts else None, reply.text)
            break
    else:
        raise AssertionError("the dialogue does not come to an end")
    return user.judge(), said


@pytest.mark.long
@pytest.mark.parametrize("acts", [True, False], ids=["with acts", "by words alone"])
@pytest.mark.parametrize("language", ["en", "it"])
@pytest.mark.parametrize("name", domain_names())
def test_without_noise_a_careful_user_reaches_nearly_every_goal(name: str, language: str, acts: bool) -> None:
    tasks = draw_tasks(load_domain(name), 24, 5, (language,))
    judged = [hold(name, task, CAREFUL, language, seed=n, acts=acts)[0].met for n, task in enumerate(tasks)]
    assert sum(judged) >= 23


def test_noise_costs_goals_and_patience_and_every_dialogue_ends() -> None:
    for name in domain_names():
        people = Population(3)
        tasks = draw_tasks(load_domain(name), 40, 6, ("it",))
        quiet, noisy = (
            [hold(name, task, people.traits(n), "it", seed=n, rate=rate)[0] for n, task in enumerate(tasks)]
            for rate in (0.0, 0.5)
        )
        assert sum(one.met for one in noisy) < sum(one.met for one in quiet)
        assert sum(one.unhelpful for one in noisy) > sum(one.unhelpful for one in quiet)


def test_a_wrong_amount_that_is_confirmed_is_corrected_or_the_goal_is_missed() -> None:
    task = Task(task_id="t", type="top_up", constraints={"amount": "10"}, requests=(), text={})
    user = DomainUser(task, load_domain("telco"), CAREFUL, "it", Random(1))
    user.reply([LoggedAct(act="hello")])
    said = user.reply([LoggedAct(act="confirm", slot="amount", value="50")])
    assert [(act.act, act.value) for act in said.acts] == [("negate", None), ("inform", "10")]
    user.reply(
        [
            LoggedAct(act="inform", slot="done", value="top_up"),
            LoggedAct(act="inform", slot="amount", value="50"),
        ]
    )
    assert user.judge() == Judgement(rated=True, met=False, unhelpful=1)


def test_a_change_of_mind_changes_what_counts_as_reached() -> None:
    tasks = draw_tasks(load_domain("telco"), 30, 2, ("en",), ["top_up"])
    held = [hold("telco", task, FICKLE, "en", seed=n) for n, task in enumerate(tasks)]
    assert all(judged.met for judged, _ in held)
    changed = [
        said
        for (_, said), task in zip(held, tasks, strict=True)
        if task.constraints["amount"] not in said[-1]
    ]
    confirmations = [said for _, said in held if sum("Is that right" in one for one in said) == 2]
    assert len(confirmations) == 30 and changed


def test_what_cannot_be_had_is_wanted_smaller_before_the_user_leaves() -> None:
    task = Task(
        task_id="t", type="transfer", constraints={"amount": "10", "recipient": "Sara"}, requests=(), text={}
    )
    user = DomainUser(task, load_domain("telco"), CAREFUL, "en", Random(2))
    user.reply([LoggedAct(act="hello")])
    said = user.reply([LoggedAct(act="canthelp"), LoggedAct(act="reqmore")], "Your credit is not enough.")
    assert ("amount", "5") in [(act.slot, act.value) for act in said.acts]
    assert user.reply([LoggedAct(act="canthelp")], "Not enough.").hangs_up


def test_a_user_of_no_patience_leaves_a_system_that_never_understands() -> None:
    user = DomainUser(
        draw_tasks(load_domain("carbs"), 1, 1, ("it",))[0], load_domain("carbs"), CAREFUL, "it", Random(1)
    )
    turns = 0
    while not user.reply([LoggedAct(act="repeat")], "Scusa, non ho capito.").hangs_up:
        turns += 1
        assert turns <= CAREFUL.patience + 1
    assert not user.judge().met


@pytest.mark.parametrize(
    ("language", "say", "said"),
    [
        ("en", {"class": ["{value}"], "seats": ["{value}"]}, "second"),
        ("en", {"class": ["{value}"], "seats": ["{value}", "{value} seats"]}, "second 1 seats"),
        ("it", {"class": ["{value}"], "seats": ["{value}"]}, "seconda"),
        ("it", {"class": ["{value}"], "seats": ["per {value}", "{value}"]}, "seconda per 1"),
    ],
)
def test_no_bare_value_is_told_beside_another(language: str, say: dict[str, list[str]], said: str) -> None:
    """Nobody says `second 1`, or `1 1`, to who asks for the class, or for the train."""
    values = {"class": {"2": {"en": "second", "it": "seconda"}}, "seats": {"1": {language: "1"}}}
    domain = SimulatedDomain.model_validate(
        {
            "domain": "trains",
            "languages": [language],
            "wants": {},
            "groups": {},
            "goals": {
                "ticket": {
                    "text": {language: "-"},
                    "slots": {"class": [], "seats": []},
                    "opening": {language: ["-"]},
                    "done": [{"slot": "class", "value": "2"}],
                }
            },
            "slots": {
                name: {"say": {language: forms}, "values": values[name]} for name, forms in say.items()
            },
            "cues": [{"act": "request", "slot": "class", language: "class"}],
        }
    )
    task = Task(
        task_id="t",
        type="ticket",
        constraints={"class": "2", "seats": "1"},
        requests=(),
        text={language: "-"},
    )
    user = DomainUser(task, domain, FICKLE, language, Random(1))
    assert user.reply([LoggedAct(act="request", slot="class")], "class?").text == said


def test_a_user_opens_where_the_system_waits_and_takes_no_greeting_for_an_answer() -> None:
    domain = load_domain("telco")
    (task,) = draw_tasks(domain, 1, 1, ["en"], ["top_up"])
    user = DomainUser(task, domain, CAREFUL, "en", Random(1))
    opened = user.after_failure()
    assert not opened.hangs_up
    assert any(word in opened.text for word in ("top up", "card"))
    greeted = DomainUser(task, domain, CAREFUL, "en", Random(1))
    assert not greeted.reply(None, "Done: top-up of 5 euros. Welcome to our service.").hangs_up


def test_a_total_of_another_meal_is_no_success() -> None:
    task = draw_tasks(load_domain("carbs"), 1, 1, ("it",))[0]
    user = DomainUser(task, load_domain("carbs"), CAREFUL, "it", Random(1))
    foods = [LoggedAct(act="inform", slot="food", value=food) for food in task.constraints]
    user.reply([*foods, LoggedAct(act="inform", slot="carbohydrates", value="999 g")], "999 g")
    assert user.judge() == Judgement(rated=True, met=False)


@pytest.mark.parametrize("lamp", ["living_door", "kitchen"])
def test_a_goal_is_reached_where_it_is_among_several_things_that_are_told(lamp: str) -> None:
    task = Task(task_id="t", type="lamp_off", constraints={"lamp": lamp}, requests=(), text={})
    user = DomainUser(task, load_domain("house"), CAREFUL, "en", Random(1))
    told = [LoggedAct(act="inform", slot="lamp", value=one) for one in ("living_door", "kitchen")]
    user.reply([LoggedAct(act="inform", slot="done", value="lamp_off"), *told], "Both are already off.")
    assert user.judge() == Judgement(rated=True, met=True)


@pytest.mark.parametrize("done", [("lamp_off", "bedroom_left"), ("lamp_on", "kitchen")])
def test_a_goal_is_missed_where_it_is_not_among_what_is_told(done: tuple[str, str]) -> None:
    task = Task(task_id="t", type="lamp_off", constraints={"lamp": "kitchen"}, requests=(), text={})
    user = DomainUser(task, load_domain("house"), CAREFUL, "en", Random(1))
    user.reply(
        [
            LoggedAct(act="inform", slot=slot, value=value)
            for slot, value in zip(("done", "lamp"), done, strict=True)
        ]
    )
    assert not user.judge().met


@pytest.mark.parametrize(
    ("language", "text", "told"),
    [
        (
            "en",
            "The blinds in the living room and the blinds in the bedroom are already open.",
            {("done", "blind_open"), ("blind", "living_blind"), ("blind", "bedroom_blind")},
        ),
        (
            "it",
            "Ho abbassato le tapparelle in camera.",
            {("done", "blind_close"), ("blind", "bedroom_blind")},
        ),
        (
            "it",
            "Stasera: il canale uno: il telegiornale; il canale due: un quiz.",
            {("done", "programme"), ("channel", "one"), ("channel", "two")},
        ),
        (
            "en",
            "Tonight on channel two: a quiz. The radio is off.",
            {("done", "programme"), ("channel", "two")},
        ),
    ],
)
def test_every_value_that_words_name_is_told(language: str, text: str, told: set[tuple[str, str]]) -> None:
    acts = acts_by_cues(text, load_domain("house"), language)
    assert {(act.slot, act.value) for act in acts} == told


def test_words_of_a_system_are_read_in_its_language() -> None:
    telco = load_domain("telco")
    acts = acts_by_cues("Trasferisco 10 euro a Sara. È giusto?", telco, "it")
    assert {(act.act, act.slot, act.value) for act in acts} == {
        ("confirm", "amount", "10"),
        ("confirm", "recipient", "Sara"),
    }
    assert acts_by_cues("Trasferisco 10 euro a Sara.", telco, "en") == []


def test_tasks_are_in_words_new_and_the_same_for_the_same_seed(tmp_path: Path) -> None:
    domain = load_domain("callsteering")
    tasks = draw_tasks(domain, 60, 4, ("en", "it"))
    assert tasks == draw_tasks(domain, 60, 4, ("en", "it"))
    assert len({(*task.constraints.items(), task.type) for task in tasks}) == 60
    assert all("{" not in text and len(text) > 40 for task in tasks for text in task.text.values())
    (tmp_path / "tasks.yaml").write_text(tasks_file(tasks, "callsteering"), encoding="utf-8")
    read, problems = check_tasks(tmp_path / "tasks.yaml", None, ("en", "it"))
    assert problems == [] and read == tasks


def test_the_domain_of_tasks_is_found_by_their_types_else_it_must_be_named() -> None:
    assert domain_of({"top_up", "transfer"}).domain == "telco"
    with pytest.raises(InputError, match=r"--domain: .*carbs"):
        domain_of({"top_up", "meal"})
    with pytest.raises(UnknownName, match="Did you mean 'carbs'"):
        load_domain("carb")


def test_a_task_that_the_domain_does_not_know_is_named_with_its_place() -> None:
    task = Task(task_id="t9", type="top_up", constraints={"colour": "red"}, requests=(), text={})
    with pytest.raises(InputError, match="task t9: unknown value 'colour' in the domain telco"):
        DomainUser(task, load_domain("telco"), CAREFUL, "en", Random(1))
    with pytest.raises(UnknownName, match="Known: en, it"):
        DomainUser(
            draw_tasks(load_domain("telco"), 1, 1, ())[0], load_domain("telco"), CAREFUL, "de", Random(1)
        )


def test_a_wrong_domain_file_is_answered_with_place_and_cure(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("domain: mine\ngoals: {a: {text: {en: x}, slots: {b: []}}}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine.yaml.*'b'"):
        load_domain(str(path))
    path.write_text("domain: mine\ngoal: {}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"mine\.yaml"):
        load_domain(str(path))


def test_an_act_of_a_bot_is_no_more_than_it_says() -> None:
    """The bots' acts and words agree: a user who reads words ends where one who reads acts does."""
    for name in ("telco", "callsteering"):
        for number, task in enumerate(draw_tasks(load_domain(name), 12, 9, ("it",))):
            by_acts = hold(name, task, CAREFUL, "it", seed=number)
            by_words = hold(name, task, CAREFUL, "it", seed=number, acts=False)
            assert by_acts == by_words
    assert Act("inform", "x").as_json() == {"act": "inform", "slot": "x", "value": None, "op": None}


ENGLISH = """domain: desk
goals:
  opening:
    text: {en: Find out when the library opens.}
    opening: {en: [when do you open]}
    wants: {of: [hours]}
wants:
  hours: {ask: {en: [when do you open]}, names: {en: the opening hours}}
cues:
  - {act: inform, slot: hours, value: "9", en: 'from nine'}
"""


def test_a_domain_in_one_language_needs_no_words_in_another(tmp_path: Path) -> None:
    (tmp_path / "desk.yaml").write_text(ENGLISH, encoding="utf-8")
    domain = load_domain(str(tmp_path / "desk.yaml"))
    assert domain.languages == ("en",)
    assert [act.value for act in acts_by_cues("We open from nine.", domain, "en")] == ["9"]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("{en: Find out when the library opens.}", "{en: Find out., it: Informati.}", "no words in 'it'"),
        ("act: inform, slot:", "act: inform, slott:", "unknown key 'slott'. Did you mean 'slot'?"),
    ],
)
def test_a_cue_without_a_language_or_with_a_strange_key_is_told(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    assert before in ENGLISH
    (tmp_path / "desk.yaml").write_text(ENGLISH.replace(before, after), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(said)):
        load_domain(str(tmp_path / "desk.yaml"))
