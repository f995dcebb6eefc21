"""Secrets named as ${NAME} in a study file: taken from the environment, never shown in an error or a log."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Self
from urllib.parse import quote, quote_plus

from vivavoce.core.errors import InputError
from vivavoce.core.secrets import (
    REFERENCE,
    SHORTEST,
    literal_secrets,
    names_in,
    texts_in,
    variable_for,
)


def _forms_of(secret: str) -> set[str]:
    """A secret as it is written in texts, in JSON and in addresses."""
    in_json = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    return {secret, *in_json, quote(secret), quote(secret, safe=""), quote_plus(secret)}


class Vault:
    """The secrets that one system may use, and the means to keep them out of what is written down.

    literals  secrets that the settings hold instead of naming them, with the names to show for them
    Raises    InputError: the environment lacks a secret that the settings mention
    """

    @classmethod
    def of(cls, settings: Any, environment: Mapping[str, str]) -> Self:
        """The secrets in settings, named or written out."""
        written_out = literal_secrets(texts_in(settings)).items()
        literals = {literal: variable_for(path) for path, texts in written_out for literal in texts}
        return cls(names_in(settings), environment, literals)

    def __init__(
        self,
        names: Iterable[str],
        environment: Mapping[str, str],
        literals: Mapping[str, str] | None = None,
    ) -> None:
        for name in sorted(names):
            if not environment.get(name):
                raise InputError(
                    f"secret ${{{name}}} is not set",
                    hint=f"set the environment variable {name} where the server starts",
                )
        self.values: dict[str, str] = {name: environment[name] for name in names}
        forms: dict[str, str] = {}
        known = [*(literals or {}).items(), *((secret, name) for name, secret in self.values.items())]
        for secret, name in known:
            for form in _forms_of(secret):
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
            if any(form.startswith(text[at:]) for form, _ in self._forms if len(form) >= SHORTEST)
        )
        return next(starts, len(text))

    def redact(self, value: Any) -> Any:
        """The value with each secret replaced by its name; what is shorter than four characters is left."""
        if not self._forms:
            return value
        if isinstance(value, str):
            for form, name in self._forms:
                if len(form) >= SHORTEST:
                    value = value.replace(form, name)
            return value
        if isinstance(value, Mapping):
            return {self.redact(key): self.redact(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.redact(item) for item in value]
        return value
