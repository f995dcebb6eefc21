"""The page on which commands become predicates, by its forms alone: no script is needed."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from scenes.annotating import Annotator, bench
from scenes.annotating_commands import commanding_study
from vivavoce.annotation.commands import CommandWorkplace
from vivavoce.log.command_annotation import annotation_of, place_of
from vivavoce.log.store import Log

WORK = "/annotate/commands/work"


@pytest.fixture
def anna(tmp_path: Path, log: Log) -> Iterator[Annotator]:
    """An annotator in the middle of her work: at the first command of Ada's soup, whichever came first."""
    study = commanding_study(tmp_path / "study")
    with bench(study, log) as made:
        anna = made("anna").come_in()
        assert "Begin a recipe" in anna.html, "a study without schemes leads to its commands"
        anna.press("/annotate/commands/next")
        if "fry the flowers" in anna.html:
            for annotation in ("add(flowers, *oil*)", ""):
                anna.press(WORK, annotation=annotation, press="save" if annotation else "none")
            anna.press("/annotate/commands/finish")
        yield anna


def said(anna: Annotator) -> list[str | None]:
    workplace = CommandWorkplace(anna.server.site.study, anna.server.site.engine.log)
    judged = workplace.see().dialogues["ada/soup"].work[anna.key].judged
    return [
        annotation_of(judged[place_of(number)].labels) for number in range(3) if place_of(number) in judged
    ]


def press(anna: Annotator, button: str, **fields: str) -> None:
    """Press a button of the form with the annotation as it stands, as a browser would."""
    (shown,) = re.findall(r"<textarea [^>]*>(.*?)</textarea>", anna.html, re.DOTALL)
    anna.press(WORK, **{"annotation": unescape(shown), "press": button, **fields})


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
    assert "This could not be added" in anna.html and 'value="milk)"' in anna.html


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
    assert "You have been led on" in response.text
    assert said(anna) == ["take(pot)"]
