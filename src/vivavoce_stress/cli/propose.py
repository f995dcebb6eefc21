"""`stress propose`: variants of one utterance, by our operators and, where asked, a language model."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce_stress.cli.run import Backends_

Endpoint_ = Annotated[
    str | None,
    typer.Option("--endpoint", help="URL of a language model (OpenAI's protocol) that proposes too."),
]
Model_ = Annotated[str, typer.Option("--model", help="The model that --endpoint is asked for.")]
Key_ = Annotated[str | None, typer.Option("--key", help="Its key as ${NAME} of the environment.")]


def propose(
    utterance: Annotated[str, typer.Argument(metavar="UTTERANCE", help="What a user said.")],
    language: Annotated[str, typer.Option("--language", help="it, en, or that of --pack.")] = "",
    test: Annotated[
        list[str] | None, typer.Option("--test", help="Such as ST-1; several; all if none.")
    ] = None,
    previous: Annotated[str | None, typer.Option("--previous", help="The system turn before it.")] = None,
    protect: Annotated[
        list[str] | None, typer.Option("--protect", help="Words that stay as they are: names, slot values.")
    ] = None,
    channel: Annotated[str, typer.Option("--channel", help="text or voice.")] = "text",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="At most so many variants a test.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Same seed, same variants.")] = 0,
    pack: Annotated[
        Path | None, typer.Option("--pack", help="Language file of a language of your own.")
    ] = None,
    backend: Backends_ = None,
    endpoint: Endpoint_ = None,
    model: Model_ = "",
    key: Key_ = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the variants as JSON on stdout.")] = False,
) -> None:
    """Propose variants of an utterance: one substitution each, by the linguistic stress tests."""
    from vivavoce.core.errors import InputError
    from vivavoce_stress.base import Utterance
    from vivavoce_stress.packs import make_pack
    from vivavoce_stress.propose import propose as propose_variants

    if channel not in ("text", "voice"):
        raise InputError(
            f"unknown channel {channel!r}", place="stress propose --channel", hint="text or voice"
        )
    own = make_pack(pack) if pack else None
    spoken = language or (own.language if own else "")
    if not spoken:
        raise InputError("no language", place="stress propose", hint="add --language it or --language en")
    if backend:
        own = _with_backends(own, spoken, backend)
    said = Utterance(
        text=utterance, language=spoken, previous=previous, protected=_protected(utterance, protect or [])
    )
    operators = language_models(endpoint, model, key, spoken, test)
    found = propose_variants(
        said, test or None, seed=seed, channel=channel, limit=limit, pack=own, operators=operators
    )
    facts = {"utterance": utterance, "language": spoken, "seed": seed, "backends": backend or [],
             **found.facts()}  # fmt: skip
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1) if as_json else _told(facts))


def _with_backends(own: Any, language: str, names: list[str]) -> Any:
    from vivavoce.core.errors import InputError
    from vivavoce_stress.packs import pack_of

    if own is not None:
        problem = "a language file of your own has no backends"
        raise InputError(problem, place="stress propose --backend", hint="leave out --pack or --backend")
    return pack_of(language, names)


def _protected(text: str, words: list[str]) -> tuple[tuple[int, int], ...]:
    from vivavoce.core.errors import InputError
    from vivavoce_stress.words import places_of

    spans: list[tuple[int, int]] = []
    for word in words:
        places = list(places_of(word, text)) if word.strip() else []
        if not places:
            hint = "write it as it stands there"
            raise InputError(f"{word!r} is not in the utterance", place="stress propose --protect", hint=hint)
        spans += places
    return tuple(sorted(spans))


def language_models(
    endpoint: str | None, model: str, key: str | None, language: str, tests: list[str] | None
) -> list[Any]:
    """The language model as an operator of each test that is asked for."""
    if endpoint is None:
        return []
    from vivavoce_stress.base import STRESS_TESTS, stress_tests
    from vivavoce_stress.operators.endpoint import LanguageModel

    settings = {"url": endpoint, "model": model, "allow_private": True} | ({"key": key} if key else {})
    asked = [STRESS_TESTS.get(name) for name in tests] if tests else stress_tests()
    return [LanguageModel(one.name, language, settings, os.environ) for one in asked]


def _told(facts: dict[str, Any]) -> str:
    named = [*facts["variants"], *facts["not_applicable"]]
    width = max(5, *(len(one["test"]) for one in named)) + 1
    lines = [
        f"{one['test']:<{width}}{one['confidence']:<5g} {one['text']}   [{one['rule']}]"
        for one in facts["variants"]
    ]
    lines += [
        f"{one['test']:<{width}}not applicable, because {one['reason']}" for one in facts["not_applicable"]
    ]
    return "\n".join(lines)
