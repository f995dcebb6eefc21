"""Two services of one log."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vivavoce.cli.alone import alone
from vivavoce.core.errors import InputError


def test_a_second_service_of_a_log_is_told_who_serves_it(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    with (
        alone(log),
        pytest.raises(InputError, match=rf"process {os.getpid()} serves this log already"),
        alone(log),
    ):
        pass
    with alone(log):
        pass


def test_a_service_that_was_killed_keeps_nobody_out(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    killed = (
        "import os, signal, sys; from pathlib import Path; from vivavoce.cli.alone import alone\n"
        "with alone(Path(sys.argv[1])): os.kill(os.getpid(), signal.SIGKILL)"
    )
    assert subprocess.run([sys.executable, "-c", killed, str(log)], timeout=120, check=False).returncode == -9
    assert log.with_name("log.sqlite.serving").is_file()
    with alone(log):
        pass


def test_a_log_on_a_server_may_be_served_by_several() -> None:
    with alone(None), alone(None):
        pass
