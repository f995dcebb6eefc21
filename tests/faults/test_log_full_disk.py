"""A full disk: no acknowledgement without a commit, reading goes on, and room brings writing back."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenes.patience import PATIENCE_S

FILLER = """
import json, os, resource, sys
from pathlib import Path
from vivavoce.core.errors import LogError
from vivavoce.log.events import TRIAL, TrialResumed
from vivavoce.log.store import Log

url, limit, ballast = sys.argv[1], int(sys.argv[2]), sys.argv[3]
log = Log.open(url)

def append():
    return log.transact_now(lambda tx: tx.append(TRIAL, TrialResumed(by="x" * 2000))).seq

if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
acknowledged, refused = [], []
while len(refused) < 3 and len(acknowledged) < 5000:
    try:
        acknowledged.append(append())
    except LogError as error:
        refused.append(str(error))
read_while_full = [stored.seq for stored in log.trial_events()]
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
else:
    Path(ballast).unlink()
acknowledged += [append() for _ in range(20)]
log.close_now()
with Log.open(url) as again:
    there = [stored.seq for stored in again.trial_events()]
print(json.dumps({"acknowledged": acknowledged, "refused": refused, "read_while_full": read_while_full,
                  "there": there}))
"""


def fill(url: str, limit: int, ballast: str) -> None:
    command = [sys.executable, "-c", FILLER, url, str(limit), ballast]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert len(told["refused"]) == 3
    for message in told["refused"]:
        assert "nothing was" in message
        assert "then try again" in message
    assert told["acknowledged"] == list(range(1, len(told["acknowledged"]) + 1))
    assert told["read_while_full"] == told["acknowledged"][:-20]
    assert told["there"] == told["acknowledged"]
    assert len(told["there"]) > 40


def test_a_file_that_may_not_grow_is_a_full_disk(tmp_path: Path) -> None:
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY
    fill(f"sqlite:///{tmp_path / 'log.sqlite'}", 1_000_000, "")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of three megabytes; only root can make one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("no right to mount a small disk here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_disk_that_really_is_full(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 1_000_000)
    fill(f"sqlite:///{small_disk / 'log.sqlite'}", 0, str(ballast))


PULSE = """
import asyncio, json, resource, sys
from pathlib import Path
from vivavoce.log.store import Log
from vivavoce.participant import health

health.WAIT_S = float(sys.argv[2])  # a disk that is slow is not full

def asked(limit, log):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    return asyncio.run(health.Pulse(log).problem())

with Log.open(f"sqlite:///{sys.argv[1]}") as log:
    well = asked(resource.RLIM_INFINITY, log)
    ill = asked(Path(sys.argv[1] + "-wal").stat().st_size // 2, log)
    print(json.dumps([well, ill, asked(resource.RLIM_INFINITY, log)]))
"""


def pulse(file: Path) -> list[str | None]:
    """What the service says of its health: as it is, while its files may not grow, and after that."""
    command = [sys.executable, "-c", PULSE, str(file), str(PATIENCE_S)]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(run.stdout.splitlines()[-1])


def test_a_service_that_cannot_write_says_that_it_is_ill_and_is_well_again_afterwards(tmp_path: Path) -> None:
    assert pulse(tmp_path / "log.sqlite") == [None, "does not answer", None]


def test_a_service_whose_disk_is_nearly_full_says_so_before_anything_is_lost(small_disk: Path) -> None:
    assert pulse(small_disk / "log.sqlite")[0] == "has no space left on its disk"
