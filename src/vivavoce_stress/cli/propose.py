"""`stress propose`: variants of one utterance, by our operators and, where asked, a language model."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from vivavoce_stress.cli.run import Backends_

Endpoint_ = Annotated[
    str | None,
    typer.Option(
        "--endpoint", help="URL of a language model (OpenAI-compatible) that also proposes variants."
    ),
]
Model_ = Annotated[str, typer.Option("--model", help="Model name for --endpoint.")]
Key_ = Annotated[str | None, typer.Option("--key", help="API key as ${NAME} from the environment.")]


Certainty_ = Annotated[
    float | None,
    typer.Option(
        "--certainty",
        min=0,
        max=1,
        help="Minimum confidence; 0 for all, 0.8 for variants that are certain (default: certain "
        "variants of usually accepted rules).",
    ),
]


def propose(
    utterance: Annotated[
        str | None, typer.Argument(metavar="UTTERANCE", help="User utterance; or use --utterances.")
    ] = None,
    utterances: Annotated[
        Path | None,
        typer.Option(
            "--utterances", help="File of utterances: JSONL, CSV or one per line; - for standard input."
        ),
    ] = None,
    language: Annotated[
        str, typer.Option("--language", help="Language: it, en, or the language of --pack.")
    ] = "",
    test: Annotated[
        list[str] | None, typer.Option("--test", help="Test to use, such as ST-1. Repeatable (default all).")
    ] = None,
    previous: Annotated[
        str | None, typer.Option("--previous", help="System turn before the utterance.")
    ] = None,
    protect: Annotated[
        list[str] | None, typer.Option("--protect", help="Words to keep unchanged: names, slot values.")
    ] = None,
    channel: Annotated[str, typer.Option("--channel", help="text or voice.")] = "text",
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Maximum number of variants per test.")
    ] = None,
    certainty: Certainty_ = None,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the variants.")] = 0,
    pack: Annotated[Path | None, typer.Option("--pack", help="Custom language file.")] = None,
    backend: Backends_ = None,
    endpoint: Endpoint_ = None,
    model: Model_ = "",
    key: Key_ = None,
    rank: Annotated[
        bool,
        typer.Option("--rank", help="The model of --endpoint only ranks the variants of the rules."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON to stdout: one object, or one per line with --utterances."),
    ] = False,
) -> None:
    """Propose stress test variants of one or many utterances, with one substitution each."""
    from vivavoce.core.errors import InputError
    from vivavoce_stress.base import Utterance
    from vivavoce_stress.packs import make_pack
    from vivavoce_stress.utterances import protected_spans, read_utterances

    if channel not in ("text", "voice"):
        raise InputError(
            f"unknown channel {channel!r}", place="stress propose --channel", hint="text or voice"
        )
    if (utterance is None) == (utterances is None):
        hint = "add an utterance in quotes, or --utterances FILE"
        raise InputError("expected an utterance or --utterances", place="stress propose", hint=hint)
    if rank and endpoint is None:
        raise InputError(
            "--rank needs a language model",
            place="stress propose --rank",
            hint="add --endpoint URL --model NAME",
        )
    own_pack = make_pack(pack) if pack else None
    spoken = language or (own_pack.language if own_pack else "")
    options = {"seed": seed, "channel": channel, "limit": limit, "certainty": certainty}
    proposer = _Proposer(
        own_pack, tuple(backend or ()), tuple(test or ()), options, (endpoint, model, key), rank
    )
    if utterances is not None:
        for name, spoken_by_user in read_utterances(utterances, spoken):
            facts = {"id": name, **proposer(spoken_by_user)}
            line = (
                json.dumps(facts, ensure_ascii=False)
                if as_json
                else f"{spoken_by_user.text}\n{_told(facts)}\n"
            )
            typer.echo(line)
        return
    if utterance is None or not spoken:
        raise InputError(
            "the language is missing", place="stress propose", hint="add --language it or --language en"
        )
    spans = protected_spans(utterance, protect or [], "stress propose --protect")
    facts = proposer(Utterance(text=utterance, language=spoken, previous=previous, protected=spans))
    typer.echo(json.dumps(facts, ensure_ascii=False, indent=1) if as_json else _told(facts))


@dataclass
class _Proposer:
    """Settings shared by all utterances of a call; packs and language models are made once a language."""

    own: Any
    backends: tuple[str, ...]
    tests: tuple[str, ...]
    rest: dict[str, Any]
    asked: tuple[str | None, str, str | None]
    ranks: bool
    made: dict[str, tuple[Any, dict[str, list[Any]]]] = field(default_factory=dict)

    def __call__(self, said: Any) -> dict[str, Any]:
        from vivavoce_stress.propose import propose as propose_variants

        if said.language not in self.made:
            pack = _with_backends(self.own, said.language, list(self.backends)) if self.backends else self.own
            models = (
                {"rankers": [ranking_model(*self.asked, list(self.tests))]}
                if self.ranks
                else {"operators": language_models(*self.asked, said.language, list(self.tests))}
            )
            self.made[said.language] = pack, models
        pack, models = self.made[said.language]
        proposals = propose_variants(said, self.tests or None, pack=pack, **models, **self.rest)
        return {
            "utterance": said.text,
            "language": said.language,
            "seed": self.rest["seed"],
            "backends": list(self.backends),
            **proposals.facts(),
        }


def _with_backends(own: Any, language: str, names: list[str]) -> Any:
    from vivavoce.core.errors import InputError
    from vivavoce_stress.packs import pack_of

    if own is not None:
        problem = "--backend cannot be combined with --pack"
        raise InputError(problem, place="stress propose --backend", hint="remove --pack or --backend")
    return pack_of(language, names)


def language_models(
    endpoint: str | None, model: str, key: str | None, language: str, tests: list[str] | None
) -> list[Any]:
    """The language model as an operator of each test that is asked for."""
    if endpoint is None:
        return []
    from vivavoce_stress.base import STRESS_TESTS, stress_tests
    from vivavoce_stress.operators.endpoint import LanguageModel

    chosen = [STRESS_TESTS.get(name) for name in tests] if tests else stress_tests()
    settings = _settings(endpoint, model, key)
    return [LanguageModel(stress_test.name, language, settings, os.environ) for stress_test in chosen]


def ranking_model(endpoint: str | None, model: str, key: str | None, tests: list[str] | None) -> Any:
    """The language model as one that ranks; without tests of their own those that only people can judge."""
    from vivavoce_stress.base import stress_tests
    from vivavoce_stress.operators.endpoint import RankingModel

    test_names = tests or [
        stress_test.name for stress_test in stress_tests() if stress_test.family != "spelling"
    ]
    return RankingModel(test_names, _settings(endpoint, model, key), os.environ)


def _settings(endpoint: str | None, model: str, key: str | None) -> dict[str, Any]:
    return {"url": endpoint, "model": model, "allow_private": True} | ({"key": key} if key else {})


def _told(facts: dict[str, Any]) -> str:
    rows = [*facts["variants"], *facts["not_applicable"]]
    width = max(5, *(len(row["test"]) for row in rows)) + 1
    lines = [
        f"{variant['test']:<{width}}{variant['confidence']:<5g} {variant['text']}   [{variant['rule']}]"
        for variant in facts["variants"]
    ]
    lines += [
        f"{unfit['test']:<{width}}not applicable: {unfit['reason']}" for unfit in facts["not_applicable"]
    ]
    return "\n".join(lines)
