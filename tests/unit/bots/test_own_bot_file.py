"""A bot file of one's own: with and without a back end, its languages, and mistakes told in one line."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vivavoce.cli.bots import app
from vivavoce_bots.__main__ import main
from vivavoce_bots.engine.bot_file import BOTS, read_source, read_yaml
from vivavoce_bots.engine.checks import COMMON, KEYS, SLOT_KEYS, TASK_KEYS, Check
from vivavoce_bots.engine.own_bot import own_entry

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "write-a-bot-file.md"
SHOP = """
slots:
  size:
    values: [small, large]
    ask: "Small or large?"
    any: "any size"
tasks:
  order:
    slots: [size]
    examples: [I would like to order a cake, a cake please]
    says: "One {size} cake is ordered."
prompts:
  greeting: "Hello. {abilities}"
  abilities: "I take orders of cakes."
  help: "Say, for example, “a cake please”."
"""
BACK_END = """
from vivavoce_bots.engine.commands import Outcome

def order(bot, frame, denied, argument, memory):
    memory["cakes"] = memory.get("cakes", 0) + 1
    return Outcome("ordered", {"size": frame["size"], "count": memory["cakes"]})
"""
WITH_BACK_END = SHOP.replace(
    'says: "One {size} cake is ordered."',
    'call: order\n    outcomes: {ordered: "That makes {count}: a {size} cake."}',
)


def write(folder: Path, text: str, back_end: str = "") -> Path:
    path = folder / "shop.yaml"
    path.write_text(text, encoding="utf-8")
    if back_end:
        path.with_suffix(".py").write_text(back_end, encoding="utf-8")
    return path


def talk(path: Path, *texts: str, language: str = "en") -> list[str]:
    bot = own_entry(path).make("standard")
    session = bot.session("c", language)
    return [bot.greet(session).text, *(bot.reply(session, [(text, None)]).text for text in texts)]


def test_tasks_without_a_call_say_a_text_with_the_values_of_their_slots(tmp_path: Path) -> None:
    replies = talk(write(tmp_path, SHOP), "a cake please", "large", "a small cake please")
    assert replies[1] == "Small or large?"
    assert replies[2].startswith("One large cake is ordered.")
    assert replies[3].startswith("One small cake is ordered.")
    assert talk(tmp_path / "shop.yaml", "a cake please", "any")[2].startswith("One any size cake is ordered.")


def test_a_back_end_beside_the_file_is_called(tmp_path: Path) -> None:
    path = write(tmp_path, WITH_BACK_END, BACK_END)
    replies = talk(path, "a large cake please", "a small cake please")
    assert replies[1].startswith("That makes 1: a large cake.")
    assert replies[2].startswith("That makes 2: a small cake.")


def test_a_file_without_languages_answers_italian_in_english(tmp_path: Path) -> None:
    greeting, lost = talk(write(tmp_path, SHOP), "buongiorno a tutti quanti", language="it-IT")
    assert greeting == "Hello. I take orders of cakes. What would you like to do?"
    assert "I take orders of cakes." in lost


def test_a_file_in_two_languages_answers_in_each(tmp_path: Path) -> None:
    text = SHOP.replace('ask: "Small or large?"', 'ask: {en: "Small or large?", it: "Piccola o grande?"}')
    assert talk(write(tmp_path, text), "a cake please", language="it")[1] == "Piccola o grande?"
    assert talk(write(tmp_path, text), "a cake please")[1] == "Small or large?"


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    talk(write(tmp_path, SHOP))
    assert talk(write(tmp_path, SHOP.replace("Hello.", "Good day.")))[0].startswith("Good day.")


@pytest.mark.parametrize(
    ("written", "instead", "message"),
    [
        ("    ask:", "    aks:", "slots.size: unknown key 'aks'. Did you mean 'ask'?"),
        ("slots: [size]", "slots: [sise]", "tasks.order.slots: unknown slot 'sise'. Did you mean 'size'?"),
        ("  help:", "  #", 'prompts.help: is missing. Add `help: "..."`'),
        (
            "values: [small, large]",
            "values: [1, 2]",
            'slots.size.values: must be a list of texts: ["...", "..."], not [1, 2]',
        ),
        ("{size} cake", "{sise} cake", "tasks.order.says: unknown field 'sise'. Did you mean 'size'?"),
        (
            "Hello. {",
            "Hello. }{",
            "prompts.greeting: has a lone brace in 'Hello. }{abilities}'. Write {{ or }} for a brace",
        ),
        ("prompts:", "promts:", "promts: unknown key 'promts'. Did you mean 'prompts'?"),
        (
            'help: "Say',
            'help: {en: Help, it: Aiuto}\n  goodbye: {en: Bye} # "',
            "prompts.goodbye: has no text in 'it'. Add `it:` as elsewhere in the file",
        ),
        (
            "says:",
            "call: order #",
            "tasks.order.call: calls 'order', but there is no shop.py. Write it, or leave the key out",
        ),
        ("slots:", "variants: {brief: 5}\nslots:", "variants.brief: must be a mapping: {key: value}, not 5"),
        ("slots:", "settings: {undo: maybe}\nslots:", "settings.undo: must be true or false, not 'maybe'"),
        (
            "values: [small, large]",
            "type: time\n    range: [8, 18]",
            "slots.size.range: is only for slots with `type: number`. Leave it out",
        ),
        (
            "says:",
            "call: order\n    says:",
            'tasks.order: has both `says` and `call`. Write `says: "..."`, or `call:`, a back-end function',
        ),
        ("examples:", "#", "tasks.order: is never started. Add `examples: [...]`, or `keywords:`"),
    ],
)
def test_a_mistake_is_one_line_with_place_and_next_step(
    written: str, instead: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert written in SHOP
    assert main([str(write(tmp_path, SHOP.replace(written, instead, 1)))]) == 2
    assert capsys.readouterr().err == f"shop.yaml: {message}\n"


@pytest.mark.parametrize(
    ("back_end", "message"),
    [
        ("def ordr():\n    pass\n", "shop.yaml: tasks.order.call: unknown function of shop.py 'order'."),
        ("def order(:\n", "shop.py, line 1: "),
        ("import nothing_of_this_name\n", "shop.py, line 1: ModuleNotFoundError: No module named"),
    ],
)
def test_a_back_end_that_cannot_be_used_is_one_line(
    back_end: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(write(tmp_path, WITH_BACK_END, back_end))]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(message)


@pytest.mark.parametrize("name", ["cancel", "help", "hello"])
def test_a_task_with_a_reserved_name_is_refused_with_all_of_them(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(write(tmp_path, SHOP.replace("order:", f"{name}:")))]) == 2
    assert re.match(
        rf"shop.yaml: tasks.{name}: is a reserved name, as are affirm, cancel, .*, wait, why\. Rename it\n",
        capsys.readouterr().err,
    )


def test_a_field_that_a_row_lacks_is_told_with_the_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SHOP.replace("values: [small, large]", "from: table").replace("{size} cake is", "{size}: {price}")
    rows = "table: {small: {names: [small], price: 2}, large: {names: [large]}}\n"
    assert main([str(write(tmp_path, text + rows))]) == 2
    assert capsys.readouterr().err.startswith(
        "shop.yaml: tasks.order.says of table.large: unknown field 'price'."
    )


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ('Outcome("orderd")', "shop.py: order: outcome 'orderd' is not in tasks.order.outcomes"),
        ('Outcome("ordered")', "shop.py: order: outcome 'ordered' has no value 'count'"),
        (
            'Outcome("ordered", frame, retry="sise")',
            "shop.py: order: slot 'sise' is not in tasks.order.slots",
        ),
        ("None", "shop.py: order: returns None, which is no Outcome"),
        ('frame["sise"]', "shop.py, line 5: KeyError: 'sise'. Correct the back end"),
    ],
)
def test_a_mistake_of_the_back_end_is_a_line_and_an_honest_answer(
    answer: str, line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    back_end = f"{BACK_END.split('    memory')[0]}    return {answer}\n"
    replies = talk(write(tmp_path, WITH_BACK_END, back_end), "a large cake please", "thanks")
    assert replies[1:] == [
        "Sorry, something went wrong here. Anything else?",
        "You're welcome. Anything else?",
    ]
    assert capsys.readouterr().err == f"{line}\n"


@pytest.mark.parametrize("answer", ["True", 'Outcome("full")'])
def test_a_mistake_of_a_check_leaves_the_task(
    answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = SHOP.replace('says: "One', 'check: order\n    says: "One')
    back_end = f"{BACK_END.split('    memory')[0]}    return {answer}\n"
    replies = talk(write(tmp_path, text, back_end), "a large cake please")
    assert replies[1] == "Sorry, something went wrong here. Anything else?"
    assert capsys.readouterr().err.startswith("shop.py: order: ")


def test_hours_without_a_part_of_the_day_are_those_of_the_slot(tmp_path: Path) -> None:
    text = SHOP.replace("values: [small, large]", "type: time").replace('    any: "any size"\n', "")
    path = write(tmp_path, text)
    for said, time in [("at 10", "10:00"), ("9:30", "09:30"), ("at 3", "15:00"), ("10 at night", "22:00")]:
        assert talk(path, "a cake please", said)[2].startswith(f"One {time} cake is ordered.")
    assert not talk(path, "a cake please", "in the afternoon")[2].startswith("One")
    path = write(tmp_path, text.replace("type: time", "type: time\n    hours: [17, 23]"))
    assert talk(path, "a cake please", "at 10")[2].startswith("One 22:00 cake is ordered.")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("./none.yaml", "none.yaml: No such file or directory. Correct the path"),
        ("./none.yml", "none.yml: is no bot file. Give its name the ending .yaml"),
        ("telko", "unknown bot 'telko'. Known: boris, "),
    ],
)
def test_a_bot_that_is_not_there_is_named(
    name: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name]) == 2
    assert capsys.readouterr().err.startswith(message)


def test_yaml_that_cannot_be_read_is_told_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(write(tmp_path, "tasks: {\nslots: [}\n"))]) == 2
    assert re.fullmatch(r"shop\.yaml, line 2: .*\. Correct the YAML\n", capsys.readouterr().err)


def listings(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text("utf-8"), flags=re.S)


def test_the_example_of_the_guide_answers_as_printed(tmp_path: Path) -> None:
    path = tmp_path / "cinema.yaml"
    path.write_text(listings("yaml")[0], encoding="utf-8")
    printed = re.findall(r"^(You|Bot): (.*)$", PAGE.read_text("utf-8"), flags=re.M)
    said, answered = ([text for speaker, text in printed if speaker == name] for name in ("You", "Bot"))
    assert len(said) >= 4
    assert talk(path, *said)[1:] == answered
    other = talk(path, "book seats", "The Lighthouse", "which days are there", "Sunday", "nine", "8 tickets")
    assert other[-1] == "8 seats for The Lighthouse on Sunday. Is that right?"
    assert talk(path, "where are you")[1].startswith("The cinema is at 4 Mill Lane.")


def test_the_back_end_of_the_guide_is_called(tmp_path: Path) -> None:
    text, _, task, _ = listings("yaml")
    says = '    says: "Booked: {seats} seats for {film} on {day}."\n'
    assert says in text
    path = tmp_path / "cinema.yaml"
    path.write_text(text.replace(says, task), encoding="utf-8")
    path.with_suffix(".py").write_text(listings("python")[0], encoding="utf-8")
    replies = talk(path, "three seats for Night Train on Friday", "yes", "Sunday", "yes")
    assert replies[2] == "Only 2 seats are left on Friday. On which day: Friday, Saturday or Sunday?"
    assert replies[4].startswith("Booked: 3 seats for Night Train on Sunday.")


def test_the_language_of_the_guide_is_spoken(tmp_path: Path) -> None:
    text, *_, italian = listings("yaml")
    english = re.search(r"    units: .*\n    ask: .*\n", text)
    assert english
    path = tmp_path / "cinema.yaml"
    path.write_text(text.replace(english[0], italian), encoding="utf-8")
    assert talk(path, "book seats", "Night Train", "Sunday", language="it")[-1] == "Quanti posti?"


def test_the_mistake_of_the_guide_is_told_as_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cinema.yaml"
    path.write_text(listings("yaml")[0].replace('ask: "How', 'aks: "How'), encoding="utf-8")
    assert main([str(path)]) == 2
    assert capsys.readouterr().err in PAGE.read_text("utf-8")


def test_every_key_stands_in_the_reference() -> None:
    page = (PAGE.parents[1] / "reference" / "bot-file.md").read_text("utf-8")
    of_search_bots = {"label", "phrases", "types"}
    keys = {*KEYS, *TASK_KEYS, *SLOT_KEYS} - of_search_bots
    settings = set(COMMON["settings"]) - {"confirmation"}
    names = {*COMMON["prompts"], *COMMON["intents"], *COMMON["chat"]}
    assert {key for key in keys | settings | names if f"`{key}" not in page} == set()


@pytest.mark.parametrize("name", ["callsteering", "carbs", "chef", "house", "telco"])
def test_the_checks_accept_the_files_of_the_bundled_bots(name: str) -> None:
    source = read_yaml(BOTS / f"{name}.yaml")
    check = Check(f"{name}.yaml")
    check.outline(source)
    backend = import_module(f"vivavoce_bots.bots.{name}")
    for variant in source["variants"]:
        check.bot(read_source(name, variant), backend)


def test_the_command_hands_a_file_with_its_options_to_the_process_that_runs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda program, words: started.append(words))
    CliRunner().invoke(app, ["run", "./shop.yaml", "--port", "9103"])
    assert [words[1:] for words in started] == [["-m", "vivavoce_bots", "./shop.yaml", "--port", "9103"]]
