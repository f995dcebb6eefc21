"""Parsers to choose from: ours, a Python function, or an endpoint.

```
rules                       the rules of this package over the study's ontology
package.module:function     called as function(text, language, system_acts)
https://host/parse          POST {"text", "language", "system_acts"}, answered by {"acts": [...]}
```

An act is a mapping `{"act": "inform", "slot": "food", "op": "=", "value": "thai"}`; all but `act` may be left
out.
`system_acts` are those of the system turn before, in the same form.
"""

import importlib
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from vivavoce.annotation.parser import Parser, make_parser
from vivavoce.core.errors import InputError
from vivavoce.dataset.vocabulary import standard_act
from vivavoce.log.events import LoggedAct
from vivavoce.study.model import Study
from vivavoce.study.ontology import Ontology

RULES: Final = "rules"
_FUNCTION: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_ACTS: Final = TypeAdapter(list[LoggedAct])
_FORM: Final = 'an act is {"act": "inform", "slot": "food", "op": "=", "value": "thai"}'


def parser_of(study: Study) -> Parser | None:
    """The parser that a study names; None and errors as `load_parser`."""
    return load_parser(study.parser, study.ontology, folder=study.folder)


def load_parser(written: str, ontology: Ontology | None, *, folder: Path | None = None) -> Parser | None:
    """The parser that was asked for; None where the rules have no ontology to go by.

    Input   written: `rules`, package.module:function, or an address; folder: where modules may lie
    Raises  InputError: no such module or function, or what is written is none of these
    """
    if written == RULES:
        return make_parser(ontology) if ontology is not None else None
    if written.startswith(("http://", "https://")):
        return _endpoint(written)
    if _FUNCTION.fullmatch(written):
        return _function(written, folder)
    raise InputError(
        f"{written!r} is not a parser",
        place="parser",
        hint="write rules, package.module:function, or https://...",
    )


def _function(reference: str, folder: Path | None) -> Parser:
    module, _, name = reference.partition(":")
    if folder is not None and str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        loaded: Any = importlib.import_module(module)
        for part in name.split("."):
            loaded = getattr(loaded, part)
    except (ImportError, AttributeError) as error:
        raise InputError(
            str(error), place=f"parser {reference}", hint="name an importable function"
        ) from None
    function: Callable[[str, str, Sequence[dict[str, Any]]], Any] = loaded

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        try:
            answer = function(text, language, _plain(before))
        except Exception as error:
            problem = f"{type(error).__name__}: {error}, on the turn {text!r}"
            raise InputError(problem, place=f"parser {reference}", hint="correct the function") from error
        return _read(answer, f"parser {reference}", text)

    return parse


def _endpoint(address: str) -> Parser:
    from vivavoce.connectors.post_json import poster

    post = poster(address)

    def parse(text: str, language: str, before: list[LoggedAct]) -> list[LoggedAct]:
        request = {"text": text, "language": language, "system_acts": _plain(before)}
        try:
            answer = post(request)
        except InputError as error:
            problem = f"{error.problem}, on the turn {text!r}"
            raise InputError(problem, place=f"parser {address}", hint=error.hint) from None
        return _read(answer.get("acts") if isinstance(answer, dict) else None, f"parser {address}", text)

    return parse


def _plain(acts: list[LoggedAct]) -> list[dict[str, Any]]:
    return [act.model_dump(exclude_none=True) for act in acts]


def _read(answer: Any, place: str, text: str) -> list[LoggedAct]:
    """The parser's answer as acts in the dataset's words; a value without operator is stated."""
    try:
        acts = _ACTS.validate_python(answer)
    except ValidationError:
        raise InputError(
            f"the answer for the turn {text!r} is not a list of acts: {answer!r:.200}",
            place=place,
            hint=_FORM,
        ) from None
    return [
        LoggedAct(
            act=standard_act(act.act),
            slot=act.slot,
            value=act.value,
            op=act.op or ("=" if act.value is not None else None),
        )
        for act in acts
    ]
