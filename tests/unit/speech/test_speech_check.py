"""Before a trial by voice: who cannot listen or speak, in which language, and what to do."""

from pathlib import Path

import pytest

from scenes.visits import make_study
from vivavoce.cli import servers
from vivavoce.cli.check import synthesiser_of
from vivavoce.core import extras
from vivavoce.core.errors import InputError
from vivavoce.study.model import DialogueStep, Nontrivial, Range, Study
from vivavoce.study.step_kind import channels_of
from vivavoce.study.telephone import Telephone
from vivavoce.study.voice import Voice

PLAIN = {"one": {"connect": "scripted", "otherwise": "I see."}}


def speech_problems(study: Study) -> list[str]:
    return [str(problem) for channel in channels_of(study) for problem in channel.missing(study)]


def speech_doubts(study: Study) -> list[str]:
    return [doubt for channel in channels_of(study) for doubt in channel.doubts(study)]


def by(channel: str, folder: Path, **changes: object) -> Study:
    step = DialogueStep(
        repeat=Range(min=1, max=3), gate="code", nontrivial=Nontrivial(user_turns=1), channel=channel
    )  # type: ignore[arg-type]
    study = make_study(folder)
    visit = tuple(step if isinstance(one, DialogueStep) else one for one in study.visit)
    return study.model_copy(update={"visit": visit, **changes})


def telephone(**settings: object) -> Telephone:
    return Telephone.model_validate({"number": "100", **settings})


def test_a_language_that_nobody_hears_or_speaks_is_named_with_the_setting_that_mends_it(
    tmp_path: Path,
) -> None:
    lines = speech_problems(by("phone", tmp_path, telephone=telephone()))
    said = "en, not the study language 'it'. Add"
    hears, speaks = lines
    assert hears.startswith(f"telephone recogniser: pocketsphinx hears {said} recognisers: {{it: ...}}, ")
    assert speaks.startswith(f"telephone synthesiser: flite speaks {said} synthesisers: {{it: ...}}, ")
    assert "whisper" in hears and "extra `whisper`" in hears and "openai" in hears
    assert "moonshine" not in hears, "its model is English"
    assert "festival" in speaks and "espeak-ng" in speaks and "flite (" not in speaks


def test_a_service_does_not_begin_where_nobody_hears_or_speaks_a_language_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "read_study", lambda _: by("voice", tmp_path, systems=PLAIN))
    with pytest.raises(InputError, match="voice recogniser: pocketsphinx hears en, not"):
        servers.serve_study(tmp_path, None, host="127.0.0.1", port=0, desk_port=0)
    assert speech_problems(by("voice", tmp_path, languages=("en",))) == []
    assert speech_problems(by("text", tmp_path)) == []


@pytest.mark.parametrize("channel", ["voice", "phone"])
def test_a_study_that_is_spoken_names_the_extra_to_install(
    channel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = extras.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == "soundfile" else find(name))
    told = speech_problems(by(channel, tmp_path, telephone=telephone()))
    assert told == [f"this needs the package soundfile. {extras.install_command('speech')}"]


def test_a_study_by_voice_without_settings_is_checked_as_it_would_run(tmp_path: Path) -> None:
    lines = speech_problems(by("voice", tmp_path))
    assert [line.split(":")[0] for line in lines] == ["voice recogniser", "voice synthesiser"]


def test_where_every_language_is_heard_and_spoken_or_nobody_talks_by_voice_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPEECH_KEY", "secret")
    service = {"use": "openai", "url": "https://speech.example.org/v1", "model": "m", "key": "${SPEECH_KEY}"}
    for others in ({"synthesisers": {"it": service}}, {"synthesiser": service}):
        settings = telephone(recognisers={"it": service}, **others)
        assert speech_problems(by("phone", tmp_path, telephone=settings)) == []
    assert speech_problems(by("text", tmp_path, telephone=telephone())) == []
    assert speech_problems(by("phone", tmp_path, languages=("en-GB",), telephone=telephone())) == []


def test_a_program_that_is_not_installed_is_named_once_with_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    voice = Voice.model_validate({"recogniser": "pocketsphinx", "synthesisers": {"it": "espeak-ng"}})
    lines = speech_problems(by("voice", tmp_path, voice=voice))
    assert [line for line in lines if "synthesiser" in line] == [
        "voice synthesiser: program flite is not installed. apt install flite",
        "voice synthesiser: program espeak-ng is not installed. apt install espeak-ng",
    ]
    both = Voice.model_validate({"synthesiser": "flite"})
    lines = speech_problems(by("voice", tmp_path, voice=both))
    assert len([line for line in lines if "not installed" in line]) == 1


def test_a_secret_that_is_not_set_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPEECH_KEY", raising=False)
    service = {"use": "openai", "url": "https://speech.example.org/v1", "model": "m", "key": "${SPEECH_KEY}"}
    lines = speech_problems(by("phone", tmp_path, telephone=telephone(recognisers={"it": service})))
    assert any("${SPEECH_KEY} is not set" in line for line in lines)


def test_where_every_system_listens_by_itself_nobody_needs_to_be_recognised(tmp_path: Path) -> None:
    listening = {"connect": "websocket-audio", "url": "wss://bot.example.org/voice"}
    for systems, settings, sections in (
        ({"one": listening}, {}, ["synthesiser"]),
        ({"one": listening, "two": {"connect": "wizard"}}, {}, ["recogniser", "synthesiser"]),
        ({"one": listening}, {"recognise_for_log": True}, ["recogniser", "synthesiser"]),
    ):
        study = by("phone", tmp_path, telephone=telephone(**settings), systems=systems)
        found = [line.split(":")[0].removeprefix("telephone ") for line in speech_problems(study)]
        assert found == sections


def test_a_recogniser_that_misses_most_words_without_those_of_the_domain_is_doubted(tmp_path: Path) -> None:
    english = {"languages": ("en",)}
    (by_phone,) = speech_doubts(by("phone", tmp_path, telephone=telephone(), **english))
    assert "seven of ten words wrong by telephone" in by_phone and "`sentences`" in by_phone
    (by_voice,) = speech_doubts(by("voice", tmp_path, **english))
    assert by_voice.startswith("voice recogniser: without a domain model")
    with_words = telephone(recogniser={"use": "pocketsphinx", "sentences": "callers.txt"})
    assert speech_doubts(by("phone", tmp_path, telephone=with_words, **english)) == []
    assert speech_doubts(by("text", tmp_path, **english)) == []


def test_who_speaks_is_whom_the_study_names(tmp_path: Path) -> None:
    named = {"synthesiser": "espeak-ng"}
    by_phone = by("phone", tmp_path, telephone=telephone(**named))
    by_voice = by("voice", tmp_path, voice=Voice.model_validate(named))
    both = by("voice", tmp_path, voice=Voice.model_validate(named), telephone=telephone())
    for study in (by_phone, by_voice, both):
        assert type(synthesiser_of(study, "en")).__name__.lower().startswith("espeak")
    assert type(synthesiser_of(by("voice", tmp_path), "en")).__name__.lower().startswith("flite")
