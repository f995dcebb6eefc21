"""Pseudonyms of callers: keyed hashes, so that nobody who has the log alone can try numbers out.

Telephone numbers are few: a plain hash of one is undone by hashing them all. The key lies in a file of its
own beside the log, readable by its owner only, and in no export. Whoever deletes it makes callers anonymous.
"""

import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from vivavoce.core.disk import sync_folder
from vivavoce.core.errors import LogError
from vivavoce.log.recordings import folder_of
from vivavoce.log.store import Log

KEY_BYTES: Final = 32
FILE: Final = "callers.key"


def key_file(log: Log) -> Path:
    """`callers.key` beside the folder of the log's recordings, `X-callers.key` beside `X-recordings`.

    Raises  InputError: a log on a server, and nobody said where its recordings lie
    """
    folder = folder_of(log).path
    return folder.with_name(folder.name.removesuffix("recordings") + FILE)


def caller_pseudonym(log: Log, study: str, number: str) -> str:
    """The pseudonym of a telephone number in one study: the same as long as the key is the same.

    Raises  LogError: the key can be neither read nor made; InputError as for `key_file`
    """
    digest = hmac.digest(_key(key_file(log)), f"{study}:{number}".encode(), "sha256")
    return "caller-" + digest.hex()[:16]


def _key(path: Path) -> bytes:
    """The key, made by whoever needs it first; on disk for good before anything is hashed with it."""
    try:
        if not path.exists():
            _make(path)
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise LogError(f"{path}: cannot use the key of callers' pseudonyms: {error}") from error
    if len(key) != KEY_BYTES:
        raise LogError(f"{path}: the key of callers' pseudonyms must have {KEY_BYTES} bytes, not {len(key)}")
    return key


def _make(path: Path) -> None:
    """Write a new key whole, then give it its name; where another process was faster its key stays."""
    partial = path.with_name(f"{path.name}-{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(secrets.token_hex(KEY_BYTES).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(partial, path)
    finally:
        partial.unlink(missing_ok=True)
    sync_folder(path.parent)
