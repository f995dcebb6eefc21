"""Recordings locked with a key: AES-256-GCM, the key from the environment, opened in memory only.

A locked file is a head (what it is, which key), a nonce, and the ciphertext, bound to the name of the file.
Who opens it gets a path that lies in memory and is gone with the process, so that readers need not know.

Source  NIST SP 800-38D (GCM); the library `cryptography`
"""

import base64
import binascii
import hashlib
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from vivavoce.core.errors import InputError
from vivavoce.core.extras import require

KEY: Final = "VIVAVOCE_RECORDING_KEY"
HEAD: Final = b"vivavoce locked 1\n"
KEY_BYTES: Final = 32
_MARK_BYTES, _NONCE_BYTES = 8, 12
MOST_BYTES: Final = 256_000_000


class WrongKey(InputError):
    """A recording is locked, and its key is not at hand: none is set, or another."""


class Altered(InputError):
    """A locked recording does not open with its own key: it is not the file that was stored."""


class Lock:
    """Locks and opens files with one key."""

    def __init__(self, key: bytes) -> None:
        require("cryptography", place=KEY)
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        self._cipher = AESGCM(key)
        self.mark = hashlib.sha256(b"vivavoce recording key" + key).digest()[:_MARK_BYTES]

    def close(self, content: bytes, name: str) -> bytes:
        """The locked file of this content under this name."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return HEAD + self.mark + nonce + self._cipher.encrypt(nonce, content, HEAD + name.encode())

    def check(self, head: bytes, name: str) -> None:
        """Check that a file with this head was locked with this key. Raises WrongKey: with another."""
        if head[len(HEAD) : len(HEAD) + _MARK_BYTES] != self.mark:
            hint = f"set {KEY} to the key that encrypted it"
            raise WrongKey(f"encrypted with a different key than {KEY}", place=name, hint=hint)

    def open(self, locked: bytes, name: str) -> bytes:
        """The content. Raises WrongKey: it was locked with another; Altered: it is not what was stored."""
        from cryptography.exceptions import InvalidTag

        self.check(locked, name)
        sealed = locked[len(HEAD) :]
        nonce = sealed[_MARK_BYTES : _MARK_BYTES + _NONCE_BYTES]
        try:
            return self._cipher.decrypt(nonce, sealed[_MARK_BYTES + _NONCE_BYTES :], HEAD + name.encode())
        except (InvalidTag, ValueError):
            hint = "restore the original file from a backup"
            raise Altered(
                "cannot be decrypted with its key: the file was modified", place=name, hint=hint
            ) from None


def new_key() -> str:
    """A new key, ready for the environment."""
    return base64.urlsafe_b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def lock_of(environment: Mapping[str, str] | None = None) -> Lock | None:
    """The lock of the key in the environment; None where no key is set.

    Raises  InputError: what is set is no key, or the library is not installed
    """
    encoded_key = (os.environ if environment is None else environment).get(KEY, "").strip()
    if not encoded_key:
        return None
    try:
        key = base64.b64decode(encoded_key.encode(), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        hint = "create one with `vivavoce recordings STUDY --new-key`"
        raise InputError("not a base64-encoded key of 32 bytes", place=KEY, hint=hint)
    return Lock(key)


def is_locked(path: Path) -> bool:
    """True if a file is a locked recording."""
    with path.open("rb") as file:
        return file.read(len(HEAD)) == HEAD


def content_of(path: Path) -> bytes:
    """Content of a recording's file, opened if it is locked.

    Raises  WrongKey, Altered
    """
    content = path.read_bytes()
    return _lock_for(path).open(content, path.name) if content.startswith(HEAD) else content


def require_keys(folder: Path) -> None:
    """Check that the key at hand is that of every locked recording in a folder.

    Raises  WrongKey: names the first one that it is not
    """
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.is_file() and is_locked(path):
            with path.open("rb") as file:
                _lock_for(path).check(file.read(len(HEAD) + _MARK_BYTES), path.name)


def _lock_for(path: Path) -> Lock:
    lock = lock_of()
    if lock is None:
        raise WrongKey(
            f"the recording is encrypted, and {KEY} is not set", place=path.name, hint=f"set {KEY} to the key"
        )
    return lock


class _InMemory:
    """Opened recordings as files that lie in memory, the ones used last; nothing of them is on disk."""

    def __init__(self) -> None:
        self._files: OrderedDict[tuple[str, int, int], tuple[int, int]] = OrderedDict()
        self._guard = threading.Lock()

    def path(self, locked: Path) -> Path:
        """A path from which this process reads the content.

        Raises  WrongKey, Altered, InputError: this system has no files in memory
        """
        facts = locked.stat()
        key = str(locked), facts.st_mtime_ns, facts.st_ino
        with self._guard:
            if key not in self._files:
                content = content_of(locked)
                self._files[key] = _memory_file(content), len(content)
            self._files.move_to_end(key)
            while len(self._files) > 1 and sum(size for _, size in self._files.values()) > MOST_BYTES:
                file, _ = self._files.popitem(last=False)[1]
                os.close(file)
            return Path(f"/proc/{os.getpid()}/fd/{self._files[key][0]}")

    def forget(self, locked: Path) -> None:
        """Drop what was opened of a file."""
        with self._guard:
            for key in [key for key in self._files if key[0] == str(locked)]:
                os.close(self._files.pop(key)[0])


def _memory_file(content: bytes) -> int:
    if not hasattr(os, "memfd_create"):
        raise InputError(
            "encrypted recordings can be read only on Linux", place=KEY, hint="run the service on Linux"
        )
    file = os.memfd_create("vivavoce-recording", os.MFD_CLOEXEC)
    remaining = memoryview(content)
    while remaining:
        remaining = remaining[os.write(file, remaining) :]
    return file


IN_MEMORY: Final = _InMemory()
