"""Renamed keys: `check` names the new key, `check --fix` writes it, and old logs are read with it."""

import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scenes.eliciting import FRAME, STIMULI
from scenes.fighting import arena_study
from scenes.listening import listening_study
from scenes.transcribing import transcribing_study
from vivavoce.cli.main import app
from vivavoce.core.yaml_source import KeyPath, parse_yaml
from vivavoce.dataset.declaration import read_declaration, written_populations
from vivavoce.study.load import StudyFileError, check_study, load_study
from vivavoce.study.model import Study
from vivavoce.study.presets import protocol_file, protocol_names
from vivavoce.study.renamed_keys import RENAMED_KEYS, parse_study, rewrite_old_keys, with_new_keys
from vivavoce.study.scaffold import write_study

ROOT = Path(__file__).parents[3]
ROWS = [
    (place, old, new)
    for places, names in RENAMED_KEYS.items()
    for old, new in names.items()
    for place in places
]
OLD = {new: old for _, old, new in ROWS}
EXAMPLES = [
    block
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for block in re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), flags=re.S | re.M)
]
FULL = """\
# max_concurrency: and budget: in a comment
study: full
languages: [en, it]
systems:
  a: {connect: http, url: "http://127.0.0.1:9101/chat", max_concurrency: 3, 'failure_threshold': 2} # è
  "b":
    connect: wizard
    behind:
      connect: http
      url: "http://127.0.0.1:9102/chat?budget: 1"
      "max_concurrency": 4
      failure_threshold : 2
      reset_s: 5
      budget: 3
    reset_s: 7.5
    budget: 10
voice: {max_concurrency: 2}
telephone:
  number: "sip:{pin}@192.0.2.7:5060"
  max_concurrency: 9
  outbound:
    exchange: 127.0.0.1:5070
    allowed: ["+39"]
    max_per_day: 3
    max_per_number: 2
    max_attempts: 2
    max_concurrency: 1
visit:
  - consent: {file: consent.md, recording: true}
  - dialogue: {channel: voice}
  - dialogue: {channel: phone, gate: code}
  - elicit: {stimuli: stimuli.yaml, single_take: true}
"""
PLAN = """\
study: plan
systems:
  a: {connect: scripted, otherwise: a, factors: {line: clean}}
  b: {connect: scripted, otherwise: b, factors: {line: noisy}}
quotas: {participants: 30}
degradation: {factor: line, levels: {noisy: {snr_db: 10}}}   # degradation: quotas
visit:
  - dialogue: {channel: voice}
  - dialogue: {gate: code, external: consent.md}
  - questionnaire: cambridge
analysis:
  primary: {measure: subjective_success}
  exclude: [{fast_answers: "> 0.5"}]
  notes: [Sentences for readers.]
  stopping: {rule: pocock, participants: 40, interim_analyses: 2}
quality: {min_answer_s: 1.5, thresholds: {gold: "< 0.8"}}
recruitment:
  prolific:
    {token: "${TOKEN}", description: Talk to it., site: "https://lab.example", reward: 2.00 GBP, places: 40,
     minutes: 15, fee_percent: 25, per_dialogue: {pay: 0.10 GBP, max_dialogues: 3}}
populations:
  crowd: {recruiters: [prolific], cost: {currency: GBP, fixed: 60}}
"""
NOT_OF_A_STUDY = {"connector", "system"}


def full_study(folder: Path, text: str = FULL) -> Study:
    folder.mkdir()
    files = {
        "study.yaml": text,
        "consent.md": "# Consent\n",
        "consent.it.md": "# Consenso\n",
        "frame.svg": FRAME,
        "stimuli.yaml": STIMULI,
    }
    for name, content in files.items():
        (folder / name).write_text(content, encoding="utf-8")
    return load_study(folder)


STUDIES: dict[str, Callable[[Path], Study]] = {
    "full": full_study,
    "plan": partial(full_study, text=PLAN),
    "arena": partial(arena_study, battles=2, more=", matchmaking: widest"),
    "listening": partial(listening_study, per_participant=2),
    "transcribing": partial(transcribing_study, per_participant=4, min_gold=1),
}


def stands_in(place: str, path: KeyPath) -> bool:
    """Whether a mapping, with old or new keys above it, stands in a place of the table."""
    parts = place.split(".") if place else []
    fits = (part in ("*", name) or OLD.get(part) == name for part, name in zip(parts, path, strict=False))
    return len(parts) == len(path) and all(fits)


def with_old_keys_above(place: str) -> str:
    return ".".join(OLD.get(key, key) for key in place.split("."))


NEW_TO_OLD = {
    (place, with_old_keys_above(place)): {new: old for other, old, new in ROWS if other == place}
    for place, _, _ in ROWS
}


def old_spelling(text: str) -> str:
    for path, new, offset in sorted(parse_yaml(text, "", NEW_TO_OLD).old_keys, key=lambda key: -key.offset):
        text = text[:offset] + text[offset:].replace(new, str(path[-1]), 1)
    return text


def without_text(study: Study) -> Study:
    return study.model_copy(update={"file_text": "", "revision": ""})


@pytest.mark.parametrize(("place", "old", "new"), ROWS)
def test_every_key_of_the_table_is_read_and_rewritten(place: str, old: str, new: str) -> None:
    def text(key: str) -> str:
        made = f"{{{key}: 1}}"
        for part in reversed(place.split(".") if place else []):
            made = f"[{made}]" if part == "*" else f"{{{part}: {made}}}"
        return made

    assert with_new_keys(text(old)) == text(new)
    [key] = parse_study(text(old)).old_keys
    assert (key.name, key.path[-1]) == (old, new)


def test_these_studies_have_every_key_of_the_table(tmp_path: Path) -> None:
    texts = [old_spelling(make(tmp_path / name).file_text) for name, make in STUDIES.items()]
    keys = [key for text in texts for key in parse_study(text).old_keys]
    for place, old, new in ROWS:
        found = (key.name == old and key.path[-1] == new and stands_in(place, key.path[:-1]) for key in keys)
        assert place in NOT_OF_A_STUDY or any(found), (place, old)


@pytest.mark.parametrize("name", STUDIES)
def test_check_names_the_new_key_with_its_line_and_fix_writes_it(name: str, tmp_path: Path) -> None:
    wanted = STUDIES[name](folder := tmp_path / name)
    file = folder / "study.yaml"
    file.write_text(old := old_spelling(wanted.file_text), encoding="utf-8")
    keys = sorted(parse_study(old).old_keys, key=lambda key: key.offset)
    lines = [old.count("\n", 0, key.offset) + 1 for key in keys]
    problems = check_study(file)
    assert [problem.problem for problem in problems] == [
        f"`{key.name}` is now `{key.path[-1]}`" for key in keys
    ]
    assert [problem.place.split(" ")[0] for problem in problems] == [f"study.yaml:{line}" for line in lines]
    with pytest.raises(StudyFileError):
        load_study(file)

    fix = ["check", str(folder), "--no-bots", "--fix", "--json"]
    facts = json.loads(CliRunner().invoke(app, fix).stdout)
    assert [line.split(" ")[0] for line in facts["fixed"]] == [f"study.yaml:{line}" for line in lines]
    assert not any("is now" in line for line in facts["problems"])
    assert file.read_text(encoding="utf-8") == wanted.file_text
    assert load_study(file) == wanted
    assert json.loads(CliRunner().invoke(app, fix).stdout)["fixed"] == []
    assert file.read_text(encoding="utf-8") == wanted.file_text


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_with_a_log_opens_with_its_old_keys(name: str, tmp_path: Path) -> None:
    wanted = STUDIES[name](folder := tmp_path / name)
    (folder / "study.yaml").write_text(old := old_spelling(wanted.file_text), encoding="utf-8")
    (folder / "log.sqlite").touch()
    opened = load_study(folder)
    assert without_text(opened) == without_text(wanted) and opened.file_text == old
    assert check_study(folder), "`check` still names them"


def test_the_plan_of_a_stored_study_file_is_read_with_its_old_keys() -> None:
    assert "looks: 2" in (old := old_spelling(PLAN))
    assert read_declaration(old) == read_declaration(PLAN)
    assert read_declaration(old).analysis.notes == ["Sentences for readers."]
    assert written_populations(old) == written_populations(PLAN) != {}
    assert read_declaration(old).quality.min_answer_s == 1.5


@pytest.mark.parametrize("protocol", protocol_names())
def test_presets_in_their_old_spelling_become_equal_studies(protocol: str, tmp_path: Path) -> None:
    """Their own files, and the protocol's keys written into the study file."""
    write_study(tmp_path, protocol, name="old")
    file = tmp_path / "study.yaml"
    own = file.read_text(encoding="utf-8")
    told = parse_study(own).data
    preset = protocol_file(protocol).read_text(encoding="utf-8")
    sections = re.split(r"^(?=\w)", preset, flags=re.M)
    whole = own + "".join(section for section in sections if section.partition(":")[0] not in told)
    file.write_text(whole, encoding="utf-8")
    wanted = load_study(file)
    file.write_text(old := old_spelling(whole), encoding="utf-8")
    keys = parse_study(old).old_keys
    assert [problem.problem for problem in check_study(file)] == [
        f"`{key.name}` is now `{key.path[-1]}`" for key in sorted(keys, key=lambda key: key.offset)
    ]
    assert len(rewrite_old_keys(file)) == len(keys)
    assert load_study(file) == wanted


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_of_the_documentation_have_new_keys_that_come_back_from_the_old(example: str) -> None:
    assert parse_study(example).old_keys == []
    assert with_new_keys(old_spelling(example)) == example


@pytest.mark.parametrize(
    "text",
    [
        "voice: {at_once: 2, max_concurrency: 3}\n",  # which of them is meant?
        'voice: {"at\\u005fonce": 2}\n',
        "voice: {at_once: 2\n",
    ],
)
def test_a_file_that_cannot_be_rewritten_safely_is_left_alone(text: str, tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    assert rewrite_old_keys(tmp_path / "study.yaml") == []
    assert (tmp_path / "study.yaml").read_text(encoding="utf-8") == text


def test_line_ends_byte_order_mark_and_mode_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    file.write_bytes(b"\xef\xbb\xbf# \xc3\xa8\r\nvoice:\r\n\r\n  at_once: 2  # at_once\r\n")
    file.chmod(0o600)
    assert len(rewrite_old_keys(file)) == 1
    assert file.read_bytes() == b"\xef\xbb\xbf# \xc3\xa8\r\nvoice:\r\n\r\n  max_concurrency: 2  # at_once\r\n"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(b"voice:\n\tat_once: 2\n")
    assert rewrite_old_keys(file) == []
    file.write_bytes(b"--- # \xc3\xa8\nvoice:\n  at_once: 2\n")  # read by ruamel.yaml
    assert len(rewrite_old_keys(file)) == 1 and b"max_concurrency" in file.read_bytes()
