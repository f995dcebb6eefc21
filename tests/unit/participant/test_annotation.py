"""The annotators' pages by their forms: the door, one place after another, what is refused and hidden."""

import re
import wave
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from scenes.annotating import PASSWORD, Annotator, annotated_study, bench, hold_dialogue
from scenes.websites import Running
from vivavoce.annotation.judgement import LABELS
from vivavoce.annotation.workplace import Workplace
from vivavoce.audio.files import Tracks, encode_sound
from vivavoce.log.annotation_events import LoggedLabel
from vivavoce.log.annotation_state import Place
from vivavoce.log.recordings import RecordedSound, folder_of
from vivavoce.log.store import Log
from vivavoce.participant.accounts import ANNOTATOR, Access
from vivavoce.participant.annotation import Pressed, answer
from vivavoce.study.model import Study
from vivavoce.study.schemes import bundled

Come = Callable[..., Annotator]
LARGE = b"x" * 100_000  # more than a stranger may send


@pytest.fixture
def come(tmp_path: Path, log: Log) -> Iterator[Come]:
    """Makes annotators of a study with this section and three dialogues; the first call sets it up."""
    with ExitStack() as stack:
        made: list[Callable[[str], Annotator]] = []

        def annotator(
            name: str, section: str = "schemes: [context, maxim]\n  double: 1", dialogues: int = 3
        ) -> Annotator:
            if not made:
                study = annotated_study(tmp_path / "study", section)
                for number in range(dialogues):
                    hold_dialogue(log, study, number)
                made.append(stack.enter_context(bench(study, log)))
            return made[0](name)

        yield annotator


def asked(html: str) -> tuple[str, str]:
    """The scheme and the turn that the page asks about."""
    fields = [re.search(rf'name="{name}" value="([^"]*)"', html) for name in ("scheme", "turn")]
    return tuple(one[1] if one else "" for one in fields)  # pyright: ignore[reportReturnType]


def state_of(server: Running) -> Workplace:
    return LABELS.open(server.site.study, server.site.engine.log)


def test_nobody_comes_in_without_a_link_and_a_link_works_once(come: Come) -> None:
    stranger = come("nobody")
    for path in ("/annotate", "/annotate/work", "/annotate/recording/0"):
        assert "<h1>Sign in</h1>" in stranger.look(path)
    link = Access(stranger.server.site.engine.log).invite(ANNOTATOR, stranger.server.url + "/annotate")
    assert "Sign in" in stranger.look(link)
    assert "Create an account" in stranger.take(stranger.client.post(link)).html
    assert "Create an account" in stranger.look(), "without an account there is nothing to see"
    again = come("again")
    again.take(again.client.get(link), 410)
    again.take(again.client.post(link), 410)
    assert "no longer works" in again.html


def test_a_viewer_of_the_dashboard_is_no_annotator(come: Come) -> None:
    viewer = come("vera")
    access = Access(viewer.server.site.engine.log)
    for role in ("viewer", "owner"):
        viewer.take(viewer.client.post(access.invite(role, viewer.server.url + "/annotate")), 410)


def test_whoever_is_signed_in_may_send_more_than_a_stranger(come: Come) -> None:
    anna = come("anna").come_in()
    assert anna.client.post("/annotate", content=LARGE).status_code != 413
    anna.client.cookies.clear()
    assert anna.client.post("/annotate", content=LARGE).status_code == 413


def test_an_annotator_comes_back_by_password_and_goes_on_where_he_was(come: Come) -> None:
    anna = come("Anna").come_in()
    anna.begin()
    anna.judge("AP", "IA")
    assert asked(anna.html) == ("context", "4")
    anna.look()
    anna.press("/annotate/sign-out")
    assert "<h1>Sign in</h1>" in anna.look("/annotate/work")
    wrong = {"name": "Anna", "password": "not the password"}
    anna.take(anna.client.post("/annotate/sign-in", data=wrong), 401)
    assert "Wrong name or password" in anna.html
    anna.take(anna.client.post("/annotate/sign-in", data={"name": "Anna", "password": PASSWORD}))
    assert "Continue where you left off" in anna.html
    assert asked(anna.look("/annotate/work")) == ("context", "4")


def test_a_whole_dialogue_is_judged_and_the_next_one_comes_by_itself(come: Come) -> None:
    anna = come("Anna").come_in()
    anna.begin()
    anna.judge("AP", "IA", "TF")
    assert asked(anna.html) == ("maxim", "2"), "maxims are asked of what is inappropriate alone"
    anna.judge("manner", "repair")
    anna.press("/annotate/label", go="1")
    assert "This dialogue is complete" in anna.html
    first = state_of(anna.server).current(anna.key) or ""
    anna.press("/annotate/finish")
    assert asked(anna.html) == ("context", "0")
    said = state_of(anna.server).see().of_annotator(anna.key)[first]
    assert said.finished_at is not None
    assert [one.label for one in said.judged[Place("maxim", 2)].labels] == ["manner", "repair"]
    assert state_of(anna.server).current(anna.key) != first


def test_going_back_changes_what_was_said(come: Come) -> None:
    anna = come("Anna").come_in()
    anna.begin()
    anna.judge("AP", "AP")
    anna.look("/annotate/work?at=0")
    assert 'value="AP" data-key="a" aria-keyshortcuts="a" aria-pressed="true"' in anna.html
    anna.judge("IC")
    assert asked(anna.html) == ("context", "4")
    assert "Contextual appropriateness: Incomprehensible" in anna.html


def test_the_page_names_no_system_and_no_participant(come: Come) -> None:
    anna = come("Anna").come_in()
    page = anna.begin()
    study: Study = anna.server.site.study
    assert "I did not understand" in page
    hidden = [*study.systems, *study.system_titles.values(), "participant-", "visit-"]
    assert [word for word in hidden if word in page] == []


def test_a_press_for_a_place_that_is_no_longer_shown_changes_nothing(come: Come) -> None:
    anna = come("Anna").come_in()
    anna.begin()
    old = anna.html
    anna.judge("AP")
    anna.html = old.replace('name="turn" value="0"', 'name="turn" value="3"')
    anna.press("/annotate/label", choice="IA")
    assert "your next task" in anna.html
    judged = next(iter(state_of(anna.server).see().of_annotator(anna.key).values())).judged
    assert {place: [one.label for one in said.labels] for place, said in judged.items()} == {
        Place("context", 0): ["AP"]
    }


def test_what_needs_a_label_or_a_value_says_so(come: Come) -> None:
    anna = come("Anna", "schemes: [avp, subtask]").come_in()
    anna.begin()
    anna.judge("c")
    assert "This label needs a value" in anna.html
    anna.press("/annotate/label", choice="c", value="food=thai")
    anna.press("/annotate/label", choice="s", value="pricerange=cheap")
    assert anna.html.count('name="remove"') == 2
    anna.press("/annotate/label", remove="0")
    assert "Substituted (pricerange=cheap)" in anna.html and "Understood (food=thai)" not in anna.html
    anna.press("/annotate/label", go="1")
    anna.judge("")
    assert asked(anna.html) == ("subtask", "")
    anna.press("/annotate/label", none="1")
    assert "Please choose a label" in anna.html


def test_words_of_the_log_are_text_and_never_markup(come: Come, log: Log) -> None:
    anna = come("Anna", dialogues=0)
    hold_dialogue(
        log,
        anna.server.site.study,
        9,
        said=(("system", "<script>x</script>"), ("user", "<img src=x>"), ("user", "again"), ("user", "bye")),
    )
    page = anna.come_in().begin()
    assert "<script>x" not in page and "<img" not in page
    assert "&lt;script&gt;x" in page


def test_the_pages_speak_italian_when_asked(come: Come) -> None:
    anna = come("Anna").come_in()
    anna.press("/annotate/language", language="it")
    page = anna.begin()
    assert '<html lang="it">' in page
    assert "Adeguatezza al contesto" in page and "Incomprensibile" in page


def test_only_the_named_accounts_annotate(come: Come) -> None:
    bruno = come("Bruno", "schemes: [context]\n  annotators: [Bruno]")
    assert "Begin a dialogue" in bruno.come_in().look()
    anna = come("Anna")
    link = Access(anna.server.site.engine.log).invite(ANNOTATOR, anna.server.url + "/annotate")
    anna.take(anna.client.post(link))
    entered = {"name": "Anna", "password": PASSWORD, "again": PASSWORD}
    anna.take(anna.client.post("/annotate/account", data=entered), 403)
    assert "list of annotators" in anna.html


def test_a_study_that_annotates_nothing_has_no_such_pages(tmp_path: Path, log: Log) -> None:
    study = annotated_study(tmp_path / "study").model_copy(update={"annotation": None})
    with bench(study, log) as annotator:
        anna = annotator("Anna")
        anna.take(anna.client.get("/annotate/sign-in"))
        link = Access(log).invite(ANNOTATOR, anna.server.url + "/annotate")
        anna.take(anna.client.post(link))
        entered = {"name": "Anna", "password": PASSWORD, "again": PASSWORD}
        anna.take(anna.client.post("/annotate/account", data=entered), 404)


def test_a_recording_is_heard_by_whoever_annotates_the_dialogue_and_by_nobody_else(
    come: Come, tmp_path: Path
) -> None:
    (tmp_path / "study" / "audio").mkdir(parents=True)
    for number in range(2):
        with wave.open(str(tmp_path / "study" / "audio" / f"dialogue-{number:03}.wav"), "wb") as file:
            file.setparams((1, 2, 8000, 0, "NONE", "not compressed"))
            file.writeframes(bytes(8000))
    section = "schemes: [context]\n  recordings: audio\n  double: 0"
    anna, bruno = (come(name, section, 2).come_in() for name in ("Anna", "Bruno"))
    keys = [re.search(r'src="(/annotate/recording/[0-9a-f]+)"', one.begin()) for one in (anna, bruno)]
    hers, his = (key[1] if key else "" for key in keys)
    heard = anna.client.get(hers, headers={"range": "bytes=0-3"})
    assert (heard.status_code, heard.content, heard.headers["content-type"]) == (206, b"RIFF", "audio/wav")
    assert hers != his
    assert anna.client.get(his).status_code == 404
    assert "dialogue-0" not in hers
    assert come("x").client.get(hers).headers["content-type"].startswith("text/html")


def test_what_the_log_recorded_is_heard_and_drawn_for_whoever_annotates_the_dialogue(come: Come) -> None:
    anna, bruno = (come(name, "schemes: [context]\n  double: 0", 2).come_in() for name in ("Anna", "Bruno"))
    log = anna.server.site.engine.log
    for number in range(2):
        tracks = Tracks(np.full((8000, 1), 1000 * (number + 1), np.int16), 8000)
        kept = folder_of(log).keep(f"call-{number}", encode_sound(tracks), "audio/wav")
        event = kept.event(
            f"call-{number}",
            RecordedSound("audio/wav", 1, 8000, 8000),
            "dialogue",
            ["user"],
            dialogue_id=f"dialogue-{number:03}",
        )
        log.transact_now(lambda tx, event=event, number=number: tx.append(f"visit-{number}", event))
    hers, his = (re.search(r'data-track="([^"]+)"', one.begin())[1] for one in (anna, bruno))  # type: ignore[index]
    assert (
        anna.client.get(hers.removesuffix("/track.json"), headers={"range": "bytes=0-3"}).content == b"RIFF"
    )
    drawn = [one.client.get(address).json() for one, address in ((anna, hers), (bruno, his))]
    assert {max(track["channels"][0]["peaks"]) for track in drawn} == {1000, 2000}
    assert anna.client.get(his).status_code == 404
    assert not any(told in hers for told in ("dialogue-0", "call-"))
    assert come("x").client.get(hers).headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("scheme", "before", "pressed", "expected"),
    [
        ("context", [], Pressed(choice="AP"), (["AP"], True)),
        ("context", ["IA"], Pressed(choice="AP"), (["AP"], True)),
        ("correction", [], Pressed(choice="yes"), (["yes"], True)),
        ("correction", ["yes"], Pressed(none=True), ([], True)),
        ("system_flag", [], Pressed(choice="help"), (["help"], False)),
        ("system_flag", ["help"], Pressed(choice="question"), (["help", "question"], False)),
        ("system_flag", ["help", "question"], Pressed(choice="help"), (["question"], False)),
        ("system_flag", ["help"], Pressed(go=True), (["help"], True)),
        ("user_question", [], Pressed(choice="yes"), (["yes"], True)),
        ("user_question", [], Pressed(choice="yes", value="1"), (["yes=1"], False)),
        ("answer", ["CO=1"], Pressed(choice="IC", value="2"), (["CO=1", "IC=2"], False)),
        ("answer", ["CO=1"], Pressed(choice="IC", value="1"), (["IC=1"], False)),
        ("inspire", [], Pressed(choice="word_error", value="verb"), (["word_error=verb"], False)),
    ],
)
def test_a_press_changes_what_stands_at_a_place(
    scheme: str, before: list[str], pressed: Pressed, expected: tuple[list[str], bool]
) -> None:
    had = tuple(LoggedLabel(label=a, value=b or None) for a, _, b in (one.partition("=") for one in before))
    labels, done = answer(bundled(scheme), had, pressed)
    assert ([f"{one.label}={one.value}" if one.value else one.label for one in labels], done) == expected


def test_an_annotator_changes_the_password_and_is_told_who_was_signed_out(come: Come) -> None:
    anna, new = come("Anna").come_in(), "another long sentence"
    elsewhere = come("elsewhere")
    elsewhere.take(elsewhere.client.post("/annotate/sign-in", data={"name": "Anna", "password": PASSWORD}))
    assert "Your account" in anna.look("/annotate/account")
    form = {"old": PASSWORD, "password": new, "again": new}
    for changed, told in (
        ({"old": "something else"}, "The current password is wrong."),
        ({"again": new + "."}, "The two passwords differ."),
        ({"password": PASSWORD, "again": PASSWORD}, "The new password equals the old one."),
        ({"password": "Anna_is_Anna", "again": "Anna_is_Anna"}, "more than your name"),
    ):
        anna.take(anna.client.post("/annotate/account/password", data=form | changed), 422)
        assert told in anna.html and "Begin a dialogue" in elsewhere.look()
    assert (
        "One other browser with your account was signed out."
        in anna.take(anna.client.post("/annotate/account/password", data=form)).html
    )
    assert "Begin a dialogue" in anna.look()
    assert "<h1>Sign in</h1>" in elsewhere.look()
    elsewhere.take(elsewhere.client.post("/annotate/account/password", data=form))
    assert "<h1>Sign in</h1>" in elsewhere.html


def test_a_password_that_is_little_more_than_the_name_is_not_taken_for_a_bad_name(come: Come) -> None:
    anna = come("Anna")
    anna.take(
        anna.client.post(Access(anna.server.site.engine.log).invite(ANNOTATOR, anna.server.url + "/annotate"))
    )
    entered = {"name": "Anna Maria Rossi", "password": "Anna Maria Rossi.", "again": "Anna Maria Rossi."}
    anna.take(anna.client.post("/annotate/account", data=entered), 422)
    assert "Please choose a password of 12 to 200" in anna.html
