"""Expressions that find things in a JSON answer: JMESPath, or JSONPath (RFC 9535) if they begin with `$`."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Final

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import AfterValidator

from vivavoce.connectors.answers import bad_answer
from vivavoce.core.validation import mistake

_BARE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

Search = Callable[[Any], Any]


class Expression:
    """One expression of a study file, ready to be used.

    A JSONPath that can only name one place finds its value, any other one a list of all that it found; null
    where there is nothing.
    """

    def __init__(self, expression: str) -> None:
        self._written, self._find = expression, _finder(expression)

    def search(self, answer: Any) -> Any:
        """Value in an answer. Raises SystemUnderTestError("bad_answer")."""
        try:
            return self._find(answer)
        except _unreadable() as error:
            raise bad_answer(f"{self._written!r} not found in the answer: {error}") from None


def _finder(expression: str) -> Search:
    if _BARE.fullmatch(expression):  # needs no search
        return lambda answer: answer.get(expression) if isinstance(answer, dict) else None
    if not expression.startswith("$"):
        return jmespath.compile(expression).search
    import jsonpath

    query = jsonpath.JSONPathEnvironment(strict=True).compile(expression)
    if isinstance(query, jsonpath.JSONPath) and query.singular_query():
        return lambda answer: next(iter(_found(query, answer)), None)
    return lambda answer: _found(query, answer) or None


def _unreadable() -> tuple[type[Exception], ...]:
    """Error for an unreadable expression or answer."""
    import jsonpath

    return JMESPathError, jsonpath.JSONPathError, RecursionError


def _found(query: Any, answer: Any) -> list[Any]:
    """JSONPath looks into mappings and lists only."""
    return query.findall(answer) if isinstance(answer, dict | list) else []


def _readable(expression: str) -> str:
    try:
        _finder(expression)
    except _unreadable() as error:
        reason = " ".join(str(error).split())
        hint = "see RFC 9535" if expression.startswith("$") else "see jmespath.org"
        raise mistake(f"invalid expression {expression!r} ({reason})", hint) from None
    return expression


Path = Annotated[str, AfterValidator(_readable)]
