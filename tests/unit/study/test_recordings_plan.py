"""Who is recorded has agreed to it before; what the study file says of sound is checked."""

from pathlib import Path

import pytest

from vivavoce.core.errors import InputError
from vivavoce.study.load import check_study, load_study
from vivavoce.study.step_sequence import recording_warnings

STUDY = """\
study: s
systems: {{bot: {{connect: http, url: "https://bot.example", input: "x", output: y}}}}
recordings: {recordings}
visit:
  - consent: {consent}
  - dialogue: {{channel: voice}}
  - debrief: bye.md
"""


def written(folder: Path, recordings: str, consent: str = "{file: yes.md, recording: true}") -> Path:
    (folder / "study.yaml").write_text(STUDY.format(recordings=recordings, consent=consent), encoding="utf-8")
    for name in ("yes.md", "bye.md"):
        (folder / name).write_text("Text.\n", encoding="utf-8")
    return folder / "study.yaml"


def problems(path: Path) -> list[str]:
    return [str(problem) for problem in check_study(path)]


def test_a_consent_that_covers_recording_must_come_before_what_records(tmp_path: Path) -> None:
    path = written(tmp_path, "{}", consent="yes.md")
    (line,) = problems(path)
    assert "study.yaml:6 visit[1].dialogue: it records without consent" in line
    assert "recording: true" in line
    assert problems(written(tmp_path, "{}")) == []
    assert problems(written(tmp_path, "{consent: false}", consent="yes.md")) == []


def test_a_consent_that_comes_too_late_does_not_count(tmp_path: Path) -> None:
    path = written(tmp_path, "{}")
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    path.write_text("".join(lines), encoding="utf-8")
    (line,) = problems(path)
    assert "visit[0].dialogue" in line


def test_what_is_kept_how_long_is_read(tmp_path: Path) -> None:
    plan = load_study(
        written(tmp_path, "{keep_days: 90, keep_until: transcribed, encrypted: true}")
    ).recordings
    assert plan is not None
    assert (plan.keep_days, plan.keep_until, plan.encrypted, plan.expires) == (90, "transcribed", True, True)
    assert not load_study(written(tmp_path, "{}")).recordings.expires  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("{keep_days: -1}", "recordings.keep_days"),
        ("{keep_until: forever}", "recordings.keep_until"),
        ("{keep: 3}", "unknown key 'keep'"),
    ],
)
def test_a_mistake_is_named_with_its_place(wrong: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        load_study(written(tmp_path, wrong))


def test_a_visit_that_records_and_asks_nobody_is_warned_of(tmp_path: Path) -> None:
    path = written(tmp_path, "{consent: false}")
    assert recording_warnings(load_study(path).visit) == []
    text = path.read_text(encoding="utf-8").replace("  - consent: {file: yes.md, recording: true}\n", "")
    path.write_text(text, encoding="utf-8")
    (line,) = recording_warnings(load_study(path).visit)
    assert line.startswith("visit[0].dialogue records without consent")
