"""The study's pages: begun from an address, edited in the browser or by hand, the file as the truth."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from scenes.strange_bots import ferry_office, lost_property, repair_shop
from scenes.study_pages import Editor
from vivavoce.log.store import Log
from vivavoce.study.load import check_study, load_study
from vivavoce.study.presets import PROTOCOLS, protocol_names
from vivavoce.study.scaffold import write_study
from vivavoce.study.step_kind import STEPS
from vivavoce.study.steps import Range


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    (tmp_path / "harbour").mkdir()
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        yield Editor(tmp_path / "harbour", log)


def begun(editor: Editor, protocol: str = "cambridge-2011", **more: str) -> None:
    editor.send(
        "/study/new",
        editor.look(),
        study="harbour",
        protocol=protocol,
        **{"language-en": "yes", "source": "example", **more},
    )


def test_a_study_is_begun_from_the_address_of_a_bot_of_any_shape(editor: Editor) -> None:
    with ferry_office() as address:
        page = editor.send("/study/new/hello", editor.look(), url=address, name="ferry")
        assert "The ferry office hears you" in page
        assert not editor.file.exists()
        systems = re.search(r'name="systems"[^>]*>([^<]*)<', page)
        assert systems is not None
        begun(
            editor,
            systems=unescape(systems[1]),
            source="own",
            **{"tasks-en": "Book a ferry.\nAsk for the price.\nBook it."},
        )
    study = load_study(editor.folder)
    assert study.systems["ferry"]["url"] == address
    assert study.systems["ferry"]["body"]["prompt"] == "{{ text }}"
    assert [task.text["en"] for task in study.tasks] == ["Book a ferry.", "Ask for the price.", "Book it."]


def test_an_address_where_nobody_listens_is_one_line_with_the_next_step(editor: Editor) -> None:
    page = editor.send("/study/new/hello", editor.look(), 422, url="http://127.0.0.1:9/", study="kept-name")
    problem = re.search(r'role="alert"[^>]*>([^<]*)<', page)
    assert problem is not None
    assert "check its address" in problem[1]
    assert 'value="http://127.0.0.1:9/"' in page
    assert 'value="kept-name"' in page


@pytest.mark.parametrize("protocol", protocol_names())
def test_the_written_file_says_what_one_says_that_is_written_by_hand(
    editor: Editor, protocol: str, tmp_path: Path
) -> None:
    system = "systems:\n  mine:\n    connect: http\n    url: https://bot.example.org/chat\n"
    talks = "dialogue" in PROTOCOLS.get(protocol).file.read_text(encoding="utf-8").split("visit:")[1]
    begun(editor, protocol, systems=system.removeprefix("systems:\n") if talks else "")
    by_hand = f"study: harbour\nprotocol: {protocol}\nlanguages: [en]\n{system if talks else ''}"
    if protocol == "idial-2018":
        by_hand += "tasks: tasks.yaml\n"
    assert YAML(typ="safe").load(editor.file) == YAML(typ="safe").load(by_hand)
    write_study(tmp_path / "other", protocol, name="harbour")
    (tmp_path / "other" / "study.yaml").write_text(by_hand, encoding="utf-8")
    ours, theirs = load_study(editor.folder), load_study(tmp_path / "other")
    assert (ours.visit, ours.tasks, ours.systems) == (theirs.visit, theirs.tasks, theirs.systems)
    assert ours.analysis == theirs.analysis
    assert "The study file is valid." in editor.look()


def test_the_block_that_connect_prints_may_be_pasted_whole(editor: Editor) -> None:
    begun(editor, systems="systems:\n  mine:\n    connect: http\n    url: https://bot.example.org/chat\n")
    assert list(load_study(editor.folder).systems) == ["mine"]
    assert "The study file is valid." in editor.look()


def test_a_block_that_could_not_be_served_is_refused_at_once_and_a_private_one_permitted_by_a_tick(
    editor: Editor,
) -> None:
    typed = {
        "study": "Officina Pedàle",
        "protocol": "cambridge-2011",
        "language-en": "yes",
        "source": "example",
    }
    told = editor.send("/study/new", editor.look(), 422, systems="mine:\n  inner: {}\n", **typed)
    assert "&#39;connect&#39; is missing" in told
    block = "mine:\n  connect: http\n  url: http://127.0.0.1:9/chat\n"
    told = editor.send("/study/new", told, 422, systems=block, **typed)
    assert "systems.mine.url" in told
    assert not editor.file.exists()
    told = editor.send("/study/new", told, systems=block, private="yes", **typed)
    assert "Study officina-pedale created" in told
    assert load_study(editor.folder).systems["mine"]["allow_private"] is True
    assert re.search(r"<header.*?Officina Pedàle", told, re.DOTALL), "the header names the study"
    assert load_study(editor.folder).title["en"] == "Officina Pedàle"


def test_a_bot_whose_fields_nobody_guesses_is_asked_by_a_form(editor: Editor) -> None:
    with repair_shop() as address:
        page = editor.send("/study/new/hello", editor.look(), 422, url=address, name="shop")
        assert 'href="/help/how-to/connect-a-bot"' in page
        assert "docs/how-to" not in page
        assert dict(re.findall(r'name="ask-(\w+)" value="(\w*)"', page)) == {
            "text": "frase",
            "conversation": "cliente",
            "more": "",
            "answer": "",
            "end": "",
        }
        assert "2 test requests got a text reply" in page
        typed = re.search(r'name="systems"[^>]*>([^<]*)<', page)
        assert typed is not None
        sent = unescape(typed[1]).replace("\n", "\r\n")  # as browsers send it
        again = editor.send(
            "/study/new/hello", page, 422, url="http://127.0.0.1:9/", name="shop", systems=sent
        )
        assert "already" not in again
        assert re.search(r'name="systems"[^>]*></', again), "a guess that nobody answered is no system"
        block = re.search(r'<details open>.*?name="systems"[^>]*>([^<]*)<', page, re.DOTALL)
        assert block is not None
        assert "allow_private: true" in block[1]
        asked = {"url": address, "name": "shop", "systems": unescape(block[1])}
        refused = editor.send("/study/new", page, 422, study="harbour", **asked, **{"language-en": "yes"})
        assert "has not replied yet" in refused
        wrong = {"ask-text": "frase", "ask-conversation": "cliente", "ask-answer": "said"}
        tried = editor.send("/study/new/hello", page, 422, **{"with": "these"}, **asked, **wrong)
        assert "Response received" in tried
        assert "Good morning at the repair shop." in tried
        found = editor.send(
            "/study/new/hello",
            tried,
            **{"with": "these"},
            **asked,
            **wrong | {"ask-answer": "", "ask-end": "chiuso"},
        )
        systems = re.search(r'name="systems"[^>]*>([^<]*)<', found)
        assert systems is not None
    begun(editor, systems=unescape(systems[1]))
    settings = load_study(editor.folder).systems["shop"]
    assert settings["body"] == {"frase": "{{ text }}", "cliente": "{{ conversation }}"}
    assert settings["response"] == {"text": "esito.testo", "end": "chiuso"}


def test_a_bot_that_is_asked_by_get_and_wants_a_header_is_described_by_the_form(editor: Editor) -> None:
    with lost_property() as address:
        page = editor.send("/study/new/hello", editor.look(), 422, url=address, name="counter")
        asked = {
            "url": address,
            "name": "counter",
            "with": "these",
            "ask-text": "frage",
            "ask-method": "GET",
            "ask-conversation": "wer",
            "ask-more": '{"lang": "en"}',
        }
        refused = editor.send("/study/new/hello", page, 422, **asked, **{"ask-headers": "X-Desk lost"})
        assert "NAME: VALUE on its own line: X-Desk lost" in unescape(refused)
        refused = editor.send("/study/new/hello", refused, 422, **asked)
        assert "The bot rejected the request" in refused
        asked["ask-headers"] = "X-Desk: lost and found"
        empty = editor.send("/study/new/hello", refused, 422, **asked, **{"ask-answer": "reply.words"})
        assert "contains no text: the reply contains no text" in empty
        assert ">X-Desk: lost and found</textarea>" in empty and "<option selected>GET</option>" in empty
        found = editor.send("/study/new/hello", empty, **asked)
        assert "Nobody has found your" in found
        systems = re.search(r'name="systems"[^>]*>([^<]*)<', found)
        assert systems is not None
    begun(editor, systems=unescape(systems[1]))
    settings = load_study(editor.folder).systems["counter"]
    assert settings["method"] == "GET" and settings["headers"] == {"X-Desk": "lost and found"}
    assert settings["query"] == {"lang": "en", "frage": "{{ text }}", "wer": "{{ conversation }}"}
    assert settings["response"] == {"text": "reply.say"}


def test_all_problems_stand_once_on_the_page_with_their_card_and_a_system_is_edited(scaffold: Editor) -> None:
    text = scaffold.file.read_text(encoding="utf-8").replace("gate: code", "gate: cod")
    scaffold.file.write_text(text.replace("allow_private: true", "allow_private: false"), encoding="utf-8")
    page = scaffold.look()
    assert page.count("unknown gate") == 1
    assert '<a href="#step-3">Step 3</a>' in page
    assert '<a href="#system-nbest">Bot nbest</a> <code>url</code>' in page
    assert page.count("is on this computer or a private network") == len(load_systems(scaffold))
    refused = scaffold.send("/study/systems/edit", page, 422, system="nbest", block="connect: htp\n")
    assert "Did you mean &#39;http&#39;?" in refused
    assert "connect: htp</textarea>" in refused
    block = "connect: http\nurl: http://127.0.0.1:9/chat\n"
    scaffold.send("/study/systems/edit", page, system="nbest", block=block, private="yes")
    assert load_systems(scaffold)["nbest"] == {
        "connect": "http",
        "url": "http://127.0.0.1:9/chat",
        "allow_private": True,
    }


def load_systems(editor: Editor) -> dict[str, object]:
    found: dict[str, object] = YAML(typ="safe").load(editor.file)["systems"]
    return found


def test_cards_and_fields_speak_in_words(scaffold: Editor) -> None:
    page = scaffold.look()
    assert "conversations per participant (default 1): 3 to 40; unlock the questionnaire with: code" in page


def test_tasks_of_ones_own_are_counted_before_anything_is_written(editor: Editor) -> None:
    page = editor.look()
    assert "<code>cambridge-2011</code>&nbsp;3" in page
    told = editor.send(
        "/study/new",
        page,
        422,
        study="harbour",
        protocol="cambridge-2011",
        **{"language-en": "yes", "source": "own", "tasks-en": "One.\nTwo."},
    )
    assert "at least 3 tasks; there are 2" in told
    assert re.search(r'id="tasks-en"[^>]*aria-invalid="true"', told)
    assert not editor.file.exists()


@pytest.mark.parametrize("protocol", ["cambridge-2011", "p851"])
def test_a_study_with_tasks_of_its_own_tells_nobody_of_the_example(editor: Editor, protocol: str) -> None:
    typed = "A.\nB.\nC.\nD."
    tasks = {"source": "own", "language-it": "yes", "tasks-en": typed, "tasks-it": typed}
    begun(editor, protocol, systems="mine:\n  connect: http\n  url: https://bot.example.org/\n", **tasks)
    study = load_study(editor.folder)
    [plan] = [one for one in study.visit if one.kind == "dialogue"]
    assert plan.repeat.max == 4, "nobody gets a task twice, so that there are no more dialogues than tasks"
    by_hand = plan.model_copy(update={"repeat": Range(min=2, max=40)})
    [told] = STEPS.get("dialogue").participant_info(by_hand, study).does[:1]
    assert dict(told.values) == {"least": 2, "most": 4}
    told = " ".join(text for texts in study.documents.values() for text in texts.values())
    assert "Marlowe" not in told and "restaurant" not in told and "ristorant" not in told
    page = editor.look()
    assert "mentions the example domain" not in page
    assert "consent.md</a>: Still the example text." in page
    consents = [editor.folder / name for name in ("consent.md", "consent.it.md")]
    for file in consents:
        file.write_text("Ask Ada Rossi.\n", encoding="utf-8")
    assert "consent.md</a>: Add an email address" in editor.look()
    for file in consents:
        file.write_text("Ask Ada Rossi, University of Trento, ada@example.org.\n", encoding="utf-8")
    assert "consent.md</a>" not in editor.look()
    shipped = PROTOCOLS.get(protocol).folder / "texts" / "instructions.en.md"
    (editor.folder / "instructions.md").write_text(shipped.read_text("utf-8"), encoding="utf-8")
    assert "instructions.md</a>: Still mentions the example domain (marlowe)" in editor.look()


def test_problems_of_a_new_study_are_said_in_italian_and_a_title_names_a_system(tmp_path: Path) -> None:
    (tmp_path / "porto").mkdir()
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        italian = Editor(tmp_path / "porto", log, "it")
        few = italian.send(
            "/study/new",
            italian.look(),
            422,
            study="porto",
            protocol="cambridge-2011",
            **{"language-it": "yes", "source": "own", "tasks-it": "Uno.\nDue."},
        )
        assert "il protocollo cambridge-2011 richiede almeno 3 compiti; ce ne sono 2. Aggiungi compiti" in few
        unnamed = italian.send("/study/new/hello", few, 422, url="http://127.0.0.1:9/", name="???")
        assert "non è un nome valido per un bot. Usa lettere" in unnamed
        titled = italian.send("/study/new/hello", few, 422, url="http://127.0.0.1:9/", name="Officina Raggi")
        assert "nome valido per un bot." not in titled and 'value="officina-raggi"' in titled


def test_nothing_that_is_there_is_overwritten(editor: Editor) -> None:
    page = editor.look()
    (editor.folder / "consent.md").write_text("# Mine\n", encoding="utf-8")
    editor.send(
        "/study/new",
        page,
        422,
        study="harbour",
        protocol="cambridge-2011",
        source="example",
        **{"language-en": "yes"},
    )
    assert (editor.folder / "consent.md").read_text(encoding="utf-8") == "# Mine\n"
    assert not editor.file.exists()


@pytest.fixture
def scaffold(editor: Editor) -> Editor:
    """A study with many comments, as `vivavoce init` writes it."""
    editor.folder.rmdir()
    write_study(editor.folder, "cambridge-2011", name="harbour")
    return editor


def comments(text: str) -> list[str]:
    return re.findall(r"#.*", text)


def test_steps_change_places_and_every_comment_stays(scaffold: Editor) -> None:
    before = scaffold.file.read_text(encoding="utf-8")
    scaffold.send("/study/visit", scaffold.look(), move="up-4")
    after = scaffold.file.read_text(encoding="utf-8")
    kinds = [next(iter(step)) for step in YAML(typ="safe").load(after)["visit"]]
    assert kinds == ["consent", "instructions", "dialogue", "debrief", "questionnaire"]
    assert comments(after) == comments(before)
    assert before.partition("visit:")[0] == after.partition("visit:")[0]
    assert before.partition("\n# Each participant")[2] == after.partition("\n# Each participant")[2]
    scaffold.send("/study/visit", scaffold.look(), move="down-3")
    assert scaffold.file.read_text(encoding="utf-8") == before


def test_a_step_is_removed_and_another_added(scaffold: Editor) -> None:
    scaffold.send("/study/visit", scaffold.look(), move="remove-4")
    page = scaffold.look("/study/step?kind=questionnaire")
    assert "cambridge, idial, sus" in page
    scaffold.send("/study/step", page, place="end", **{"set-use": "sus", "set-about": ""})
    text = scaffold.file.read_text(encoding="utf-8")
    assert YAML(typ="safe").load(text)["visit"][4] == {"questionnaire": "sus"}
    assert "# Each participant gets" in text


def test_a_screening_questionnaire_has_a_form(scaffold: Editor) -> None:
    page = scaffold.look("/study/step?kind=screen")
    assert 'name="set-use"' in page


def test_a_step_says_only_what_differs_from_its_defaults(scaffold: Editor) -> None:
    page = scaffold.look("/study/step?number=2")
    assert 'value="3..40"' in page
    assert "Between 0 and 1000." in page
    scaffold.send(
        "/study/step",
        page,
        **{
            "set-repeat": "2",
            "set-gate": "dialogue",
            "set-nontrivial.user_turns": "2",
            "set-channel": "text",
            "set-external": "",
        },
    )
    text = scaffold.file.read_text(encoding="utf-8")
    assert "  - dialogue: {repeat: 2, nontrivial: {user_turns: 2}}\n" in text


def test_a_wrong_value_is_told_at_its_field_and_nothing_is_written(scaffold: Editor) -> None:
    before = scaffold.file.read_text(encoding="utf-8")
    page = scaffold.send(
        "/study/step",
        scaffold.look("/study/step?number=2"),
        422,
        **{
            "set-repeat": "5..2",
            "set-gate": "code",
            "set-nontrivial.user_turns": "many",
        },
    )
    problem = re.search(r'id="set-nontrivial.user_turns-problem">([^<]*)<', page)
    assert problem is not None
    assert "&#39;many&#39; is not a number" in problem[1]
    assert 'value="5..2"' in page
    assert scaffold.file.read_text(encoding="utf-8") == before


def test_the_files_problems_stand_at_their_fields(scaffold: Editor) -> None:
    text = scaffold.file.read_text(encoding="utf-8").replace("gate: code", "gate: cod")
    scaffold.file.write_text(text, encoding="utf-8")
    assert "unknown gate &#39;cod&#39;" in scaffold.look()
    page = scaffold.look("/study/step?number=2")
    problem = re.search(r'id="set-gate-problem">([^<]*)<', page)
    assert problem is not None
    assert "unknown gate" in problem[1]


def test_an_edit_on_disk_is_on_the_next_page_and_a_save_over_it_is_a_conflict(scaffold: Editor) -> None:
    page = scaffold.look()
    text = scaffold.file.read_text(encoding="utf-8").replace("user_turns: 2", "user_turns: 7")
    scaffold.file.write_text(text, encoding="utf-8")
    told = scaffold.send("/study/visit", page, 409, move="up-1")
    assert told.count("user_turns: 7") == 2  # what stands there, and the same with this change
    assert scaffold.file.read_text(encoding="utf-8") == text
    assert "minimum messages to earn a code: 7" in scaffold.look()


def test_the_declared_analysis_is_written_beside_what_the_protocol_says(scaffold: Editor) -> None:
    page = scaffold.look("/study/analysis")
    scaffold.send(
        "/study/analysis",
        page,
        **{
            "set-primary.measure": "subjective_success",
            "set-primary.compare": "nbest\nonebest",
            "set-primary.alpha": "0.05",
            "set-correction": "holm",
            "set-stopping.participants": "60",
        },
    )
    declared = YAML(typ="safe").load(scaffold.file)["analysis"]
    assert declared == {
        "primary": {"measure": "subjective_success", "compare": ["nbest", "onebest"], "alpha": 0.05},
        "stopping": {"participants": 60},
    }
    assert check_study(scaffold.file) == []


def test_who_meets_which_system_is_chosen_on_the_page(scaffold: Editor) -> None:
    page = scaffold.look("/study/analysis")
    scaffold.send("/study/allocation", page, allocation="balanced")
    assert YAML(typ="safe").load(scaffold.file)["allocation"] == "balanced"
    assert '<option value="balanced" selected>' in scaffold.look("/study/analysis")
    assert check_study(scaffold.file) == []


def test_the_form_of_the_analysis_speaks_the_language_of_its_reader(scaffold: Editor, tmp_path: Path) -> None:
    with Log.open(f"sqlite:///{tmp_path / 'italian.sqlite'}") as log:
        page = Editor(scaffold.folder, log, "it").look("/study/analysis")
    labels = re.findall(r'<label for="set-[^"]*">(.*?)</label>|<legend>(.*?)</legend>', page)
    margins = [one for one in map("".join, labels) if "Margine" in one]
    assert margins == [
        "Margine di questo confronto (non inferiorità)",
        "Margine di tutti i tassi di successo (non inferiorità, equivalenza)",
    ]
    assert (
        'value="0,05"' in page
        and ">obrien_fleming<" not in page
        and "primary" not in "".join(map(str, labels))
    )


def test_measure_and_systems_are_chosen_from_what_there_is(scaffold: Editor) -> None:
    text = scaffold.file.read_text(encoding="utf-8").replace(
        "compare: [nbest, onebest]", "compare: [nbest, gone]"
    )
    scaffold.file.write_text(text, encoding="utf-8")
    page = scaffold.look("/study/analysis")
    select = re.search(r'<select id="set-primary.measure".*?</select>', page, re.DOTALL)
    assert select is not None
    assert '<option value="turns">Turns</option>' in select[0]
    ticked = dict(re.findall(r'name="set-primary.compare" value="(\w+)"( checked)?', page))
    assert ticked == {"nbest": " checked", "onebest": "", "gone": " checked"}, "what is written is not lost"
    assert "<code>anytime</code>: one after every visit" in page
    scaffold.send(
        "/study/analysis",
        page,
        **{
            "set-primary.measure": "turns",
            "set-primary.compare": ["", "nbest", "onebest"],
        },
    )
    primary = YAML(typ="safe").load(scaffold.file)["analysis"]["primary"]
    assert (primary["measure"], primary["compare"]) == ("turns", ["nbest", "onebest"])
    scaffold.send("/study/analysis", scaffold.look("/study/analysis"), **{"set-primary.compare": ""})
    assert load_study(scaffold.folder).analysis.primary.compare == ["nbest", "onebest"], "nothing ticked: all"


BY_HAND = """\
# A study of a harbour's bots, by hand.    # twice
study: harbour   # its name
protocol: cambridge-2011
languages: [en, it]  # both

systems:
  # the older one
  nbest: {connect: http, url: "http://127.0.0.1:9101/chat"}   # quoted
  onebest:
    connect: http      # by JSON
    url: 'http://127.0.0.1:9102/chat'

# What people do.
tasks:
  generate: 12   # enough
  seed: 7

visit:
- consent: consent.md   # first
# a comment of its own
- instructions: instructions.md
- dialogue:
    repeat: 3..40     # up to forty
    gate: code
- questionnaire: cambridge   # after each

analysis:   # declared
  primary:
    measure: subjective_success   # the one that counts
    compare: [nbest, onebest]
# the end
"""


def test_a_file_written_by_hand_keeps_its_comments_through_every_page(scaffold: Editor) -> None:
    scaffold.file.write_text(BY_HAND, encoding="utf-8")
    with ferry_office() as address:
        scaffold.send("/study/systems", scaffold.look(), url=address, name="ferry")
    scaffold.send("/study/visit", scaffold.look(), move="up-2")
    scaffold.send("/study/visit", scaffold.look(), move="down-1")
    scaffold.send("/study/step", scaffold.look("/study/step?number=2"), **{"set-nontrivial.user_turns": "4"})
    scaffold.send("/study/analysis", scaffold.look("/study/analysis"), **{"set-primary.alpha": "0.01"})
    scaffold.send("/study/systems/remove", scaffold.look(), system="ferry")
    after = scaffold.file.read_text(encoding="utf-8")
    assert sorted(comments(after)) == sorted(comments(BY_HAND))
    assert check_study(scaffold.file) == []
    changed = [line for line in after.splitlines() if line not in BY_HAND.splitlines()]
    assert [line.strip() for line in changed] == ["nontrivial:", "user_turns: 4", "alpha: 0.01"]


def test_tasks_that_were_typed_are_meant_and_pages_begin_in_the_readers_language(tmp_path: Path) -> None:
    (tmp_path / "porto").mkdir()
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
        italian = Editor(tmp_path / "porto", log, "it")
        page = italian.look()
        assert re.findall(r'name="language-(\w+)" value="yes" checked', page) == ["it"]
        tasks = ["Prenota un traghetto.", "Chiedi il prezzo.", "Trova il molo."]
        begun(
            italian,
            systems="mine:\n  connect: http\n  url: https://bot.example.org/chat\n",
            **{"language-en": "", "language-it": "yes", "tasks-it": "\n".join(tasks)},
        )
    assert [task.text["it"] for task in load_study(italian.folder).tasks] == tasks


def test_consent_and_information_sheet_are_shown_in_both_languages(scaffold: Editor) -> None:
    page = scaffold.look("/study/texts?name=consent.md")
    assert 'class="preview" lang="en"' in page
    assert 'class="preview" lang="it"' in page
    scaffold.send("/study/texts", page, **{"text-en": "# Agreed?\n\nWe *keep* your words."})
    assert (scaffold.folder / "consent.md").read_text(
        encoding="utf-8"
    ) == "# Agreed?\n\nWe *keep* your words.\n"
    assert "We <em>keep</em> your words." in scaffold.look("/study/texts?name=consent.md")


def test_own_tasks_take_the_place_of_generated_ones(scaffold: Editor) -> None:
    page = scaffold.look("/study/tasks")
    lines = "\n".join(f"Ask about pier {number}." for number in range(3))
    scaffold.send("/study/tasks", page, 422, **{"tasks-en": lines, "tasks-it": "Una sola."})
    scaffold.send("/study/tasks", page, **{"tasks-en": lines, "tasks-it": lines})
    study = load_study(scaffold.folder)
    assert [task.text["en"] for task in study.tasks] == lines.splitlines()


def test_a_study_with_problems_is_not_started(scaffold: Editor) -> None:
    scaffold.file.write_text("study: x\n", encoding="utf-8")
    scaffold.send("/study/start", scaffold.look(), 409)
    scaffold.look("/study/state")
    assert scaffold.started == []


def test_the_pages_give_way_only_once_the_page_that_waits_is_whole(scaffold: Editor) -> None:
    scaffold.look("/study/state")
    page = scaffold.send("/study/start", scaffold.look())
    script = re.search(r'src="(/static/[^"]*dashboard\.js[^"]*)"', page)
    assert script and scaffold.look(script[1]) and scaffold.started == []
    assert scaffold.browser.get("/study/state").json() == {"computing": True}
    assert scaffold.started == [True]
