"""Files of models that a user pins by their hash, so that the same study is always heard alike."""

import hashlib
import hmac
from pathlib import Path

from vivavoce.core.errors import InputError


def check_pin(path: Path, sha256: str) -> None:
    """Check that the file is the pinned one.

    Raises  InputError: no such file, or another hash; it tells the one that the file has
    """
    if not path.is_file():
        raise InputError("file not found", place=str(path), hint="set the folder of the model")
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if not hmac.compare_digest(digest, sha256.strip().lower()):
        raise InputError(
            f"SHA-256 is {digest}, expected {sha256}",
            place=str(path),
            hint="if this is the correct model, set sha256 to this value",
        )
