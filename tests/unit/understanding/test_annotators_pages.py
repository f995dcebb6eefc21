"""The page on which commands become predicates, by its forms alone: no script is needed."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from scenes.annotating import Annotator, bench
from scenes.annotating_commands import commanding_study
from scenes.listening import clip
from vivavoce.dataset.reader import replacing
from vivavoce.dataset.writer import DatasetWriter
from vivavoce.log.store import Log
from vivavoce_commands.annotation.drafts import efforts
from vivavoce_commands.annotation.kind import COMMANDS
from vivavoce_commands.annotation.standing import annotation_of, place_of

WORK = "/annotate/commands/work"


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as opened:
        yield opened


@pytest.fixture
def anna(tmp_path: Path, log: Log) -> Iterator[Annotator]:
    """An annotator in the middle of her work: at the first command of Ada's soup, whichever came first."""
    study = commanding_study(tmp_path / "study")
    with bench(study, log) as made:
        anna = made("anna").come_in()
        assert "Start a recipe" in anna.html, "a study without schemes leads to its commands"
        anna.press("/annotate/commands/next")
        if "fry the flowers" in anna.html:
            for annotation in ("add(flowers, *oil*)", ""):
                anna.press(WORK, annotation=annotation, press="save" if annotation else "none")
            anna.press("/annotate/commands/finish")
        yield anna


def said(anna: Annotator) -> list[str | None]:
    """What she said of the commands of Ada's soup so far."""
    workplace = COMMANDS.open(anna.server.site.study, anna.server.site.engine.log)
    judged = workplace.see().dialogues["ada/soup"].work[anna.key].judged
    return [
        annotation_of(judged[place_of(number)].labels) for number in range(3) if place_of(number) in judged
    ]


def press(anna: Annotator, button: str, **fields: str) -> None:
    """Press a button of the form with the annotation as it stands, as a browser would."""
    (shown,) = re.findall(r"<textarea [^>]*>(.*?)</textarea>", anna.html, re.DOTALL)
    anna.press(WORK, **{"annotation": unescape(shown), "press": button, **fields})


def test_what_the_speaker_pointed_at_stands_beside_the_command(anna):
    assert anna.html.count("Pointed at: pot; hob") == 2  # in the recipe, and over the form


def test_a_recipe_is_annotated_by_templates_offers_and_plain_notation(anna):
    press(anna, predicate="take", argument_0="", argument_1="pot", button="add")
    assert ">take(pot)</textarea>" in anna.html
    press(anna, predicate="put", argument_1="pot", argument_2="fire", button="add")
    assert ">[take(pot), put(pot, fire)]</textarea>" in anna.html
    press(anna, button="save")
    assert said(anna) == ["[take(pot), put(pot, fire)]"]
    press(anna, annotation="add(onion)", button="check")
    assert "*pot* → add" in anna.html
    offered = anna.html.split('name="take" value="')[1].split('"')[0]
    press(anna, button="", take=offered)
    press(anna, button="save")
    press(anna, annotation="stir(*onion*)", button="save")
    assert said(anna)[1:] == [offered, "stir(*onion*)"]
    anna.press("/annotate/commands/finish", pause="1")
    assert "You have finished" in anna.html


def test_a_mistake_is_shown_with_its_place_and_nothing_is_lost_or_saved(anna):
    anna.press(WORK, annotation="[take(pot), put(pot fire]", press="save")
    assert "Column 25: " in anna.html and ">[take(pot), put(pot fire]</textarea>" in anna.html
    assert said(anna) == []
    anna.press(WORK, annotation="take(pot)", predicate="stir", argument_0="milk)", press="add")
    assert "The annotation could not be added" in anna.html and 'value="milk)"' in anna.html


def test_what_does_not_fit_the_templates_is_saved_only_on_request(anna):
    anna.press(WORK, annotation="fly(pot)", press="save")
    assert "does not fit" in anna.html and said(anna) == []
    anna.press(WORK, annotation="fly(pot)", press="anyway")
    assert said(anna) == ["fly(pot)"]


def test_what_is_written_is_data_and_never_markup(anna):
    anna.press(WORK, annotation="take(</textarea><script>x</script>)", press="save")
    assert "<script>x" not in anna.html


def test_a_page_that_is_out_of_date_leads_to_what_is_due(anna):
    anna.press(WORK, annotation="take(pot)", press="save")
    response = anna.client.post(WORK, data={"sequence": "ben/other", "at": "0", "annotation": "take(pan)"})
    assert "This is your next task" in response.text
    assert said(anna) == ["take(pot)"]


SPOKEN = [("take the pot", True), ("", True), ("stir", False)]


@pytest.fixture
def listener(tmp_path: Path, log: Log) -> Iterator[Annotator]:
    """An annotator of commands that were spoken; one of them was written down, one typed."""
    study = commanding_study(tmp_path / "study")
    folder = tmp_path / "study" / "commands"
    with replacing(), DatasetWriter(folder, study={"name": "kitchen"}, source={"kind": "test"}) as writer:
        for number, (text, spoken) in enumerate(SPOKEN, 1):
            sound = f"recordings/c{number}.wav" if spoken else None
            writer.add(
                "commands",
                [
                    {
                        "command_id": f"c{number}",
                        "participant_id": "ada",
                        "recipe": "soup",
                        "utterance": number,
                        "language": "en",
                        "text": text or None,
                        "recording": sound,
                        "simulated": False,
                        "duration_s": 1.0 if spoken else None,
                    }
                ],
            )
        writer.close()
    for number in (1, 2):
        clip(folder / "recordings" / f"c{number}.wav", 300, 0.2)
    with bench(study, log) as made:
        anna = made("anna").come_in()
        anna.press("/annotate/commands/next")
        yield anna


def test_spoken_commands_are_annotated_from_their_sound_with_the_recipe_before_them(listener):
    sounds = re.findall(r'<audio [^>]*src="([^"]+)"', listener.html)
    assert len(set(sounds)) == 2
    assert "not transcribed yet: listen" in listener.html
    for address in sounds:
        assert listener.client.get(address).content[:4] == b"RIFF"
    press(listener, annotation="take(pot)", button="save")
    assert "What does this command mean?" in listener.html
    press(listener, annotation="put(*pot*, fire)", button="save")
    assert said(listener) == ["take(pot)", "put(*pot*, fire)"]


def test_a_sound_is_heard_only_at_work_on_its_recipe(listener):
    address = re.findall(r'<audio [^>]*src="([^"]+)"', listener.html)[0]
    assert listener.client.get(address[:-1] + ("0" if address[-1] != "0" else "1")).status_code == 404
    for annotation in ("take(pot)", "put(*pot*, fire)", "stir(*onion*)"):
        press(listener, annotation=annotation, button="anyway")
    listener.press("/annotate/commands/finish")
    assert listener.client.get(address).status_code == 404


def test_the_cause_of_a_mistake_is_said_in_the_language_of_the_page(listener):
    press(listener, annotation="[take(pot, put(pot, fire)]", button="check")
    assert "Column 10: a &#39;)&#39; is missing before &#39;, put&#39;." in listener.html
    listener.press("/annotate/language", language="it")
    listener.look(WORK)
    press(listener, annotation="[take(pot, put(pot, fire)]", button="check")
    assert "Colonna 10: manca &#39;)&#39; prima di &#39;, put&#39;." in listener.html
    assert "non ancora trascritto: ascolta" in listener.html


DRAFTS = (
    "command_id,annotation,confidence\n"
    'ada-1,"[take(pot), put(pot, fire)]",0.91\nada-2,add(onions),0.5\nben-1,"cook(flowers, *oil*)",0.2\n'
)


@pytest.fixture
def drafting(tmp_path: Path, log: Log) -> Iterator[Annotator]:
    """An annotator at Ada's soup, of whose commands a program drafted two; Ben's, the less sure, is done."""
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "drafts.csv").write_text(DRAFTS)
    section = "commands: {templates: kitchen-en, dataset: commands, drafts: drafts.csv}\n  double: 1"
    with bench(commanding_study(folder, section), log) as made:
        anna = made("anna").come_in()
        anna.press("/annotate/commands/next")
        assert "fry the flowers" in anna.html, "the recipe of which the program is less sure comes first"
        assert "confidence: 20 %" in anna.html
        apart = r'id="draft".*</form>.*id="command"'  # or Enter in a field would press its first button
        assert re.search(apart, anna.html, re.DOTALL)
        anna.press(WORK, annotation="add(flowers, *oil*)", press="save")
        assert "draft" not in anna.html, "nothing was drafted for this one"
        anna.press(WORK, press="none")
        anna.press("/annotate/commands/finish")
        yield anna


def test_a_draft_is_accepted_by_one_button_or_changed_and_the_log_says_which(drafting):
    press(drafting, "draft")
    assert said(drafting) == ["[take(pot), put(pot, fire)]"]
    (offered,) = re.findall(r'name="take" value="([^"]*)"', drafting.html)
    drafting.press(WORK, annotation="", press="save", take=unescape(offered))
    assert ">add(onions)</textarea>" in drafting.html and said(drafting)[1:] == [], "taken, not saved"
    press(drafting, "save", annotation="add(onion, *pot*)")
    press(drafting, "save", annotation="stir(*onion*)")
    workplace = COMMANDS.open(drafting.server.site.study, drafting.server.site.engine.log)
    found = {(one.key, one.number): one.draft for one in workplace.times()}
    assert found == {
        ("ben/soup", 0): "changed",
        ("ben/soup", 1): None,
        ("ada/soup", 0): "kept",
        ("ada/soup", 1): "changed",
        ("ada/soup", 2): None,
    }
    without, with_ = efforts(workplace.times(), data="test")
    assert (without.commands, with_.commands, with_.kept, with_.annotators) == (2, 3, 1, 1)
