"""Secrets handed to participants: visit tokens, earned codes, completion codes."""

import hashlib
import secrets
from collections.abc import Callable
from typing import Final

ALPHABET: Final = "123456789ABCDEFGHJKMNPQRSTVWXYZ"  # 31 symbols: no 0, I, L, O, U


def new_token() -> tuple[str, str]:
    """A visit's bearer token (256 random bits) and the SHA-256 of it, which alone is stored."""
    token = secrets.token_urlsafe(32)
    return token, token_hash(token)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_key(prefix: str) -> str:
    """A random identifier that says nothing of whom it stands for."""
    return f"{prefix}-{secrets.token_hex(8)}"


def earned_code(digits: int) -> str:
    """A code of so many digits, the first not zero, so that it can be spoken and typed as a number."""
    return str(10 ** (digits - 1) + secrets.randbelow(9 * 10 ** (digits - 1)))


def free_code(digits: int, take: Callable[[str], bool]) -> str:
    """A code that nobody had, by a function that takes one; one digit more whenever the space gets tight."""
    for attempt in range(60):
        code = earned_code(digits + attempt // 20)
        if take(code):
            return code
    raise RuntimeError("no free code found in sixty tries")


def completion_code() -> str:
    """`XXXX-XXXX-XXXX`: eleven random symbols (54 bits) and a check symbol."""
    body = "".join(secrets.choice(ALPHABET) for _ in range(11))
    symbols = body + check_symbol(body)
    return "-".join(symbols[start : start + 4] for start in (0, 4, 8))


def check_symbol(body: str) -> str:
    """Weighted sum modulo 31: finds every single wrong symbol and every swap of neighbours."""
    total = sum((place + 1) * ALPHABET.index(symbol) for place, symbol in enumerate(body))
    return ALPHABET[total % 31]


def is_completion_code(entered: str) -> bool:
    """Check the check symbol, ignoring case, spaces and dashes."""
    symbols = "".join(ch for ch in entered.upper() if ch.isalnum())
    return len(symbols) == 12 and set(symbols) <= set(ALPHABET) and check_symbol(symbols[:11]) == symbols[11]


def digits_of(entered: str) -> str:
    """Digits of a typed code."""
    return "".join(ch for ch in entered if ch.isdigit())
