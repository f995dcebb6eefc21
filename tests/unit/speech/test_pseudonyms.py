"""Pseudonyms of callers."""

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import pytest

from vivavoce.core.errors import LogError
from vivavoce.log.store import Log
from vivavoce_speech.dialogue.pseudonyms import caller_pseudonym, key_file


def opened(folder: Path, name: str = "log.sqlite") -> Log:
    folder.mkdir(exist_ok=True)
    return Log.open(f"sqlite:///{folder / name}")


def test_a_number_has_one_pseudonym_over_restarts_and_another_in_every_log(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as log:
        first = caller_pseudonym(log, "calls", "+39 0461 314500")
    with opened(tmp_path / "a") as log:
        assert caller_pseudonym(log, "calls", "+39 0461 314500") == first
        assert caller_pseudonym(log, "calls", "+39 0461 314501") != first
        assert caller_pseudonym(log, "others", "+39 0461 314500") != first
    with opened(tmp_path / "b") as log:
        assert caller_pseudonym(log, "calls", "+39 0461 314500") != first
    with opened(tmp_path / "a", "second.sqlite") as log:
        assert caller_pseudonym(log, "calls", "+39 0461 314500") != first


def test_whoever_knows_number_and_study_cannot_make_the_pseudonym(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        plain = sha256(b"calls:0461314500").hexdigest()[:16]
        assert plain not in caller_pseudonym(log, "calls", "0461314500")
        key = key_file(log).read_text(encoding="ascii").strip()
    assert key not in (tmp_path / "log.sqlite").read_bytes().decode("latin-1")


def test_only_its_owner_reads_the_key_and_nothing_else_is_left_beside_it(tmp_path: Path) -> None:
    with opened(tmp_path) as log:
        caller_pseudonym(log, "calls", "1")
        assert key_file(log) == tmp_path / "callers.key"
        assert key_file(log).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.glob("*.part")] == []


def test_many_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with opened(tmp_path) as log, ThreadPoolExecutor(16) as pool:
        found = set(pool.map(lambda _: caller_pseudonym(log, "calls", "0461"), range(64)))
    assert len(found) == 1


@pytest.mark.parametrize("content", ["", "00ff", "no key at all"])
def test_a_spoilt_key_is_named_and_not_replaced(tmp_path: Path, content: str) -> None:
    with opened(tmp_path) as log:
        key_file(log).write_text(content, encoding="ascii")
        with pytest.raises(LogError, match=r"callers\.key"):
            caller_pseudonym(log, "calls", "0461")
        assert key_file(log).read_text(encoding="ascii") == content


def test_a_log_on_a_server_keeps_its_key_beside_the_recordings(tmp_path: Path) -> None:
    with Log.open(
        f"sqlite:///{tmp_path / 'x.sqlite'}", recording_folder=tmp_path / "study" / "recordings"
    ) as log:
        (tmp_path / "study").mkdir()
        assert caller_pseudonym(log, "calls", "0461").startswith("caller-")
        assert key_file(log) == tmp_path / "study" / "callers.key"
