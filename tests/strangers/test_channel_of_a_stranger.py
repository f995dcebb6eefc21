"""A channel of a stranger's package carries a dialogue as ours do: page, turns, log, words."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from scenes.strangers import HERE, install_packages, known
from scenes.visits import greeted, settled, with_engine
from vivavoce.api.studies import make_connectors
from vivavoce.core.errors import InputError
from vivavoce.log.events import LoggedHypothesis
from vivavoce.log.export import export_dataset
from vivavoce.log.store import Log
from vivavoce.measures import compute
from vivavoce.participant.app import create_app
from vivavoce.study.channel import CHANNELS, Channel
from vivavoce.study.load import load_study
from vivavoce.study.step_kind import kind_of
from vivavoce.testing.pages import Visitor, running
from vivavoce.trial.engine import SessionEngine

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
TOLD = "1 dialogue by text message; after each: single_ease"
STUDY = """\
study: lost-property
languages: [en, it]
systems:
  office: {connect: scripted, replies: [{match: umbrella, say: [Which colour?, Please be exact.]}]}
visit:
  - consent: consent.md
  - dialogue: {repeat: 1, gate: none, channel: message}
  - questionnaire: single_ease
"""


@pytest.fixture(scope="module")
def site(make_once: MakeOnce) -> Path:
    return make_once("strange-channel", lambda into: install_packages([HERE / "channel"], into))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    for name in ("consent.md", "consent.it.md"):
        (tmp_path / name).write_text("# Lost property\n\nWhat you send is kept.\n", encoding="utf-8")
    return tmp_path


def test_a_dialogue_is_held_by_a_stranger_s_channel(site: Path, folder: Path) -> None:
    with known(site):
        study = load_study(folder)
        assert kind_of(study.visit[1]).preregistration_line(study.visit[1], study) == TOLD
        with Log.open(f"sqlite:///{folder / 'log.sqlite'}") as log:
            engine = SessionEngine(study, log, make_connectors(study))
            with running(create_app(engine)) as pages, closing(Visitor(pages.url)) as person:
                hold(person, pages.url)
            data = export_dataset(log, study.name, folder / "data")
    (dialogue,) = data.read("dialogues").to_pylist()
    assert dialogue["channel"] == "message"
    said = [(turn["party"], turn["text"]) for turn in data.read("turns").to_pylist()]
    assert said == [
        ("user", "I have lost my umbrella"),
        ("system", "Which colour?\nPlease be exact."),
    ]


def hold(person: Visitor, url: str) -> None:
    assert "you send text messages to a computer program" in person.look("/")
    assert "What you send, but not your number." in person.html
    person.press("/start")
    person.press("/consent", answer="agree")
    word = person.html.partition('id="word">')[2].partition("<")[0]

    def send(text: str, key: str) -> list[str]:
        answer = httpx.post(
            f"{url}/message", data={"number": "+39 333", "text": text, "key": key}, trust_env=False
        )
        assert answer.status_code == 200, answer.text
        return answer.json()["answers"]

    assert send("hello", "first-of-all") == ["Please send the word that stands on your page first."]
    assert send(word, "the-word-itself") == ["You can write now. STOP ends it."]
    told = ["Which colour?\nPlease be exact."]
    assert send("I have lost my umbrella", "the-umbrella") == told
    assert send("I have lost my umbrella", "the-umbrella") == told, "the same message again counts once"
    person.press("/language", language="it")
    assert "Manda prima questa parola:" in person.html
    send("STOP", "enough-of-it")
    assert "Send this word" not in person.look() and "word" not in person.html.partition("<main")[0]


def test_a_channel_that_nobody_offers_is_refused_with_those_that_there_are(folder: Path) -> None:
    with pytest.raises(InputError) as refused:
        load_study(folder)
    assert "unknown channel 'message'" in str(refused.value) and "phone" in str(refused.value)
    assert "study.yaml:7" in str(refused.value)


SPOKEN = """\
study: radio
systems:
  office: {connect: scripted, replies: [{match: umbrella, say: Which colour?}]}
visit:
  - dialogue: {repeat: 1, gate: none, channel: radio}
"""


def test_a_spoken_channel_of_a_stranger_never_counts_as_perfectly_recognised(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study.yaml").write_text(SPOKEN, encoding="utf-8")
    heard = [LoggedHypothesis(text="I have lost my umbrella", score=0.5)]

    async def speak(engine: SessionEngine) -> None:
        opened = await engine.open_visit(language="en")
        dialogue = await greeted(engine, opened.visit_id)
        await engine.say(opened.visit_id, dialogue, key="k" * 16, text=heard[0].text or "", heard=heard)
        await settled(engine, opened.visit_id)
        await engine.end_dialogue(opened.visit_id, dialogue)

    with known(site):
        from vivavoce_stranger_channel import Messages

        class Radio(Messages):
            name, spoken, calls_out = "radio", True, False

        monkeypatch.setitem(CHANNELS._entries, "radio", Radio())
        study = load_study(tmp_path)
        with Log.open(f"sqlite:///{tmp_path / 'log.sqlite'}") as log:
            with_engine(study, log, speak, **make_connectors(study))
            data = export_dataset(log, study.name, tmp_path / "data")
    (dialogue,) = data.read("dialogues").to_pylist()
    assert (dialogue["channel"], dialogue["spoken"], dialogue["calls_out"]) == ("radio", True, False)
    rates = compute(data, ["word_error_rate"])["value"]
    assert rates.isna().all()


def test_a_channel_that_does_not_state_its_facts_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mute(Channel):
        participant_info = preregistration_line = require = open = facts = lambda self, *_: None  # type: ignore[assignment]

    assert not CHANNELS.fits(Mute())
