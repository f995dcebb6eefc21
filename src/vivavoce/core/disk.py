"""Durable writes: fsync of files and folders."""

import os
from pathlib import Path


def sync_folder(path: Path) -> None:
    """Let a folder keep the names of its files over a power cut; Windows opens no folder for that."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
