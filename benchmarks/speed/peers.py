"""Peers, each in an environment of its own below the user's cache: Vivavoce imports none of them."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

PINNED: Final[dict[str, tuple[str, ...]]] = {
    "otree": ("otree==6.0.15",),
    "jiwer": ("jiwer==4.0.0", "pyarrow==26.0.1"),
    "tables": ("pandas==3.1.1", "polars==2.1.0", "pyarrow==26.0.1"),
    "scipy": ("scipy==1.17.1",),
    "starlette": (
        "starlette==1.10.0",
        "uvicorn==0.54.0",
        "httpx==0.28.1",
        "aiohttp==3.14.5",
        "uvloop==0.23.0",
        "httptools==0.9.0",
    ),
    "py-spy": ("py-spy==0.4.3",),
    "typer": ("typer==0.29.2",),
    "fastapi": ("fastapi==0.165.0", "uvicorn==0.54.0"),
}


class MissingPeer(Exception):
    """A peer cannot be had; says which and why, in one line."""


def home() -> Path:
    """Where the environments are, and stay."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "vivavoce" / "bench"


def python(name: str) -> Path:
    """The interpreter of a peer's environment, which is made when it is not there with these versions.

    Raises  MissingPeer: it cannot be installed
    """
    folder, pins = home() / name, "\n".join(PINNED[name]) + "\n"
    stamp, interpreter = folder / "pinned.txt", folder / "bin" / "python"
    if stamp.is_file() and stamp.read_text("utf-8") == pins:
        return interpreter
    folder.parent.mkdir(parents=True, exist_ok=True)
    _run(name, [sys.executable, "-m", "venv", "--clear", str(folder)])
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PINNED[name]]
    _run(name, [str(interpreter), *install])
    stamp.write_text(pins, encoding="utf-8")
    return interpreter


def _run(name: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason was given"]
        raise MissingPeer(f"{name} could not be installed: {last[0]}")
