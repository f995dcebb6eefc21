"""A kind of judgement that a package offers: its key of the study file, and its annotators' pages."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import APIRouter, Request

from scenes.annotating import annotated_study, bench
from vivavoce.core.errors import InputError
from vivavoce.log.store import Log
from vivavoce.participant.sign_in import ThisExpert, expert_page
from vivavoce.study.judgement_kind import JUDGEMENTS, JudgementKind
from vivavoce.study.load import load_study
from vivavoce.study.settings import Settings, Whole

PAGE = '{% extends "expert.html" %}{% block content %}<h1>How merry, 1 to {{ steps }}?</h1>{% endblock %}'
router = APIRouter()


@router.get("/annotate/mood")
def ask(request: Request, who: ThisExpert):
    return expert_page(request, "mood", steps=request.app.state.site.study.annotation.judgements["mood"])


class MoodSettings(Settings):
    """How merry a dialogue is."""

    shorthand = "words"

    steps: Whole = 5
    words: str | None = None


class Mood(JudgementKind):
    name, table, settings = "mood", "dialogues", MoodSettings
    pages, invitation, title = f"{__name__}:router", "Judge moods", "Moods"

    def plan(self, settings, files):
        return settings.steps if settings.words is None else len(files.text(settings.words, "words").split())

    def schemes(self, plan):
        return ()

    def judged(self, rows, events):
        return [row | {"outcome": "merry"} for row in rows]


@pytest.fixture
def mood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mood]:
    kind = Mood()
    kind.folder = tmp_path / "kind"
    (kind.folder / "templates").mkdir(parents=True)
    (kind.folder / "static").mkdir()
    (kind.folder / "templates" / "mood.html").write_text(PAGE, encoding="utf-8")
    (kind.folder / "static" / "mood.js").write_text("export {};", encoding="utf-8")
    monkeypatch.setitem(JUDGEMENTS._entries, "mood", kind)
    yield kind


def test_annotators_are_led_to_its_pages_which_stand_in_the_frame_of_ours(mood: Mood, tmp_path: Path) -> None:
    study = annotated_study(tmp_path / "study", "schemes: [context]\n  mood: {steps: 3}")
    with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log, bench(study, log) as made:
        anna = made("anna").come_in()
        ways = '<a href="/annotate"{}>Annotate dialogues</a> <a href="/annotate/mood"{}>Judge moods</a>'
        assert ways.format(' aria-current="page"', "") in anna.look()
        page = anna.look("/annotate/mood")
        assert "How merry, 1 to 3?" in page and "Sign out" in page
        assert ways.format("", ' aria-current="page"') in page
        assert ways.format("", "") in anna.look("/annotate/account")


def test_a_file_that_it_names_counts_in_the_revision(mood: Mood, tmp_path: Path) -> None:
    file = Path(annotated_study(tmp_path / "study").folder) / "study.yaml"
    file.write_text(
        file.read_text("utf-8").partition("\nannotation:")[0] + "\nannotation: {mood: moods.txt}\n"
    )
    with pytest.raises(InputError, match=r"no file 'moods\.txt'"):
        load_study(file)
    (file.parent / "moods.txt").write_text("sad merry", encoding="utf-8")
    before = load_study(file)
    (file.parent / "moods.txt").write_text("sad calm merry", encoding="utf-8")
    after = load_study(file)
    assert before.revision != after.revision
    assert [one.annotation.judgements for one in (before, after) if one.annotation] == [
        {"mood": 2},
        {"mood": 3},
    ]


@pytest.mark.parametrize(
    ("section", "problem"),
    [
        ("moood: {steps: 3}", r"study\.yaml:\d+ annotation\.moood: unknown key 'moood'.*mood"),
        ("mood: {steps: many}", r"study\.yaml:\d+ annotation\.mood\.steps: 'many' where a whole number"),
        ("mood: {stepps: 3}", r"unknown key 'stepps'.*steps"),
        ("mood: null", "nothing to annotate.*schemes.*mood"),
    ],
)
def test_what_is_wrong_in_its_settings_is_told_with_its_place(
    mood: Mood, tmp_path: Path, section: str, problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        annotated_study(tmp_path / "study", section)
