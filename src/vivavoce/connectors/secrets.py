"""Secrets named as ${NAME} in a study file: taken from the environment, never shown in an error or a log."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from vivavoce.core.errors import InputError

REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SHORTEST: Final = 4


def names_in(value: Any) -> set[str]:
    """The names of all secrets that a setting mentions, however deep."""
    if isinstance(value, str):
        return set(REFERENCE.findall(value))
    if isinstance(value, Mapping):
        return set().union(*map(names_in, value.values())) if value else set()
    if isinstance(value, (list, tuple)):
        return set().union(*map(names_in, value)) if value else set()
    return set()


class Vault:
    """The secrets that one system may use, and the means to keep them out of what is written down.

    Raises  InputError: the environment lacks a secret that the settings mention
    """

    def __init__(self, names: Iterable[str], environment: Mapping[str, str]) -> None:
        for name in sorted(names):
            if not environment.get(name):
                raise InputError(
                    f"secret ${{{name}}} is not set",
                    hint=f"set the environment variable {name} where the server starts",
                )
        self.values: dict[str, str] = {name: environment[name] for name in names}
        forms: dict[str, str] = {}
        for name, secret in self.values.items():
            for form in {secret, json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}:
                forms[form] = f"${{{name}}}"
        self._forms = sorted(forms.items(), key=lambda pair: -len(pair[0]))

    def expand(self, text: str) -> str:
        """The text with each ${NAME} replaced by its secret."""
        return REFERENCE.sub(lambda match: self.values[match.group(1)], text)

    def safe(self, text: str) -> int:
        """Up to which character no secret can have begun that the text does not hold whole."""
        longest = max((len(form) for form, _ in self._forms), default=0)
        starts = (
            at
            for at in range(max(0, len(text) - longest), len(text))
            if any(form.startswith(text[at:]) for form, _ in self._forms if len(form) >= _SHORTEST)
        )
        return next(starts, len(text))

    def redact(self, value: Any) -> Any:
        """The value with each secret replaced by its name; what is shorter than four characters is left."""
        if not self._forms:
            return value
        if isinstance(value, str):
            for form, name in self._forms:
                if len(form) >= _SHORTEST:
                    value = value.replace(form, name)
            return value
        if isinstance(value, Mapping):
            return {self.redact(key): self.redact(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.redact(item) for item in value]
        return value
