"""The section `telephone`: what is wrong with it is named with its place and its hint."""

from pathlib import Path

import pytest

from vivavoce.study.load import check_study, load_study
from vivavoce.study.scaffold import write_study
from vivavoce_speech.telephony.channel import telephone_warnings

SECTION = 'telephone:\n  number: "sip:{pin}@192.0.2.7:5060"\n'


def study(folder: Path, section: str, dialogue: str = "gate: code, channel: phone") -> Path:
    write_study(folder, "cambridge-2011", name="calls")
    file = folder / "study.yaml"
    text = file.read_text()
    assert "gate: code" in text
    file.write_text(text.replace("gate: code", dialogue) + section)
    return file


def test_a_study_by_telephone_shows_each_participant_a_number_of_their_own(tmp_path: Path) -> None:
    telephone = load_study(study(tmp_path, SECTION)).telephone
    assert telephone is not None
    assert telephone.shown_number("31415") == "sip:31415@192.0.2.7:5060"
    assert not telephone.asks_for_pin


@pytest.mark.parametrize(
    ("channel", "more", "refused"),
    [
        ("text", "", True),
        ("voice", "", True),
        ("text", "voice: {microphone: open}\n", True),
        ("voice", "voice: {microphone: push}\n", True),
        ("voice", "voice: {microphone: open}\n", False),
    ],
)
def test_a_system_that_is_a_telephone_number_needs_a_call_or_an_open_microphone(
    channel: str, more: str, refused: bool, tmp_path: Path
) -> None:
    file = study(tmp_path, SECTION + more, f"gate: code, channel: {channel}")
    text = file.read_text().replace("connect: http", "connect: phone", 1)
    file.write_text(text)
    problems = "\n".join(str(problem) for problem in check_study(file))
    told = f"is a telephone number, but this step has channel {channel}. Write channel: phone"
    assert (told in problems) == refused


def test_where_all_dial_the_same_number_the_pin_is_asked_for(tmp_path: Path) -> None:
    telephone = load_study(study(tmp_path, 'telephone: {number: "+39 06 5550123"}\n')).telephone
    assert telephone is not None and telephone.asks_for_pin


@pytest.mark.parametrize(
    ("section", "dialogue", "words"),
    [
        ("", "gate: code, channel: phone", "dialogue.channel: "),
        (SECTION, "gate: dialogue, channel: phone", "dialogue.gate: "),
        (SECTION, "gate: code, channel: fax", "unknown channel 'fax'"),
        ('telephone: {listen: "127.0.0.1:5060"}\n', "gate: code, channel: phone", "'number' is missing"),
        (SECTION + "  lissen: x\n", "gate: code, channel: phone", "Did you mean 'listen'"),
    ],
)
def test_a_mistake_is_named_with_its_cure(section: str, dialogue: str, words: str, tmp_path: Path) -> None:
    problems = "\n".join(str(problem) for problem in check_study(study(tmp_path, section, dialogue)))
    assert words in problems


@pytest.mark.parametrize(
    ("asterisk", "words"),
    [
        ('{agi: "127.0.0.1"}', "telephone.asterisk.agi"),
        ('{agi: "127.0.0.1:70000"}', "'127.0.0.1:70000': invalid port"),
        ('{agi: "127.0.0.1:9092"}', "telephone.asterisk.audio: '127.0.0.1:9092' is where Asterisk asks"),
        ('{audoi: "127.0.0.1:9092"}', "Did you mean 'audio'"),
        ('{agi: "127.0.0.1:65535"}', ""),
    ],
)
def test_a_mistake_about_asterisk_is_named_with_its_place(asterisk: str, words: str, tmp_path: Path) -> None:
    told = "\n".join(str(one) for one in check_study(study(tmp_path, SECTION + f"  asterisk: {asterisk}\n")))
    assert words in told and bool(words) == bool(told)


@pytest.mark.parametrize(
    ("asterisk", "warned"),
    [
        ("{}", []),
        ('{agi: "[::1]:4573", audio: "localhost:9092"}', []),
        ('{agi: "0.0.0.0:4573", audio: "127.0.0.1:9092"}', ["agi"]),
        ('{agi: "[2001:db8::7]:4573", audio: "lab.example.org:9092"}', ["agi", "audio"]),
    ],
)
def test_check_warns_where_others_than_asterisk_could_reach_its_ports(
    asterisk: str, warned: list[str], tmp_path: Path
) -> None:
    telephone = load_study(study(tmp_path, SECTION + f"  asterisk: {asterisk}\n")).telephone
    lines = telephone_warnings(telephone)
    assert [line.split(":")[0] for line in lines] == [f"telephone.asterisk.{name}" for name in warned]
    assert all("which could then make calls" in line for line in lines)


def test_beside_another_way_in_the_sip_answerer_listens_only_where_it_is_told_to(
    tmp_path: Path,
) -> None:
    carrier = '  media_streams: {url: "https://lab.example.org", token: "${CARRIER}"}\n'
    for place, (section, by_sip) in enumerate(
        [
            (SECTION, True),
            (SECTION + carrier, False),
            (SECTION + carrier + '  listen: "127.0.0.1:5070"\n', True),
            (SECTION + "  asterisk: {}\n", False),
            (SECTION + '  asterisk: {}\n  listen: "127.0.0.1:5070"\n', True),
        ]
    ):
        telephone = load_study(study(tmp_path / str(place), section)).telephone
        assert telephone is not None and telephone.by_sip == by_sip


@pytest.mark.parametrize(
    "carrier",
    [
        '{url: "http://lab.example.org", token: "${CARRIER}"}',
        '{url: "https://lab.example.org", token: geheim}',
    ],
)
def test_a_carrier_is_reached_by_https_and_its_token_is_not_written_into_the_study(
    carrier: str, tmp_path: Path
) -> None:
    file = study(tmp_path, SECTION + f"  media_streams: {carrier}\n")
    problems = "\n".join(str(one) for one in check_study(file))
    assert "telephone.media_streams" in problems


def test_check_says_why_participants_cannot_be_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = 'telephone:\n  outbound: {allowed: ["+39"], username: lab, password: "${EXCHANGE_PASSWORD}"}\n'
    telephone = load_study(study(tmp_path, section)).telephone
    assert telephone is not None and telephone.number is None and not telephone.by_sip
    monkeypatch.delenv("EXCHANGE_PASSWORD", raising=False)
    without, unset = telephone_warnings(telephone)
    assert "telephone.outbound.exchange: outbound calls need an exchange" in without
    assert "telephone.outbound.password: secret ${EXCHANGE_PASSWORD} is not set" in unset
    monkeypatch.setenv("EXCHANGE_PASSWORD", "s3cret")
    assert telephone_warnings(telephone) == [without]


def test_whom_the_laboratory_may_call_must_be_said(tmp_path: Path) -> None:
    problems = "\n".join(map(str, check_study(study(tmp_path, "telephone: {outbound: {max_per_day: 5}}\n"))))
    assert "telephone.outbound" in problems
    assert "'allowed' is missing" in problems
