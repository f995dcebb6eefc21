"""The verb `simulate`: simulated callers in a study, and training of bots against them."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from vivavoce.cli import calibration
from vivavoce.cli.arguments import Engine_, Study_, note, progress

if TYPE_CHECKING:
    from vivavoce.simulation.training import Practice, Practising
    from vivavoce.study.model import Study

_DEFAULT = "run"


class _DefaultGroup(TyperGroup):
    """A verb with actions and a default action: `simulate STUDY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("--help", "-h"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


app = typer.Typer(cls=_DefaultGroup, no_args_is_help=True)


class ConfusionKind(StrEnum):
    """Kind of similarity between words that the channel confuses."""

    spelling = "spelling"
    sound = "sound"


@app.callback()
def _simulate() -> None:
    """Run simulated callers on a study's systems (simulate STUDY), or train a bot."""


@app.command(_DEFAULT)
def run(
    study: Study_,
    dialogues: Annotated[int, typer.Option("--dialogues", min=1, help="Number of dialogues.")] = 240,
    participants: Annotated[
        int, typer.Option("--participants", min=1, help="Number of visits, for studies without dialogues.")
    ] = 36,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Random seed; the same seed gives the same users.")
    ] = None,
    error_rate: Annotated[
        float | None,
        typer.Option(
            "--word-error-rate",
            min=0,
            max=0.9,
            help="Word error rate between user and system (default 0.25).",
        ),
    ] = None,
    population: Annotated[
        str | None,
        typer.Option("--population", help="Population: brief, chatty, confused, hostile, or a file."),
    ] = None,
    domain: Annotated[
        str | None, typer.Option("--domain", help="Domain of the users: a bundled domain, or a file.")
    ] = None,
    language: Annotated[str | None, typer.Option("--language", help="Language of the users.")] = None,
    confusions: Annotated[
        ConfusionKind,
        typer.Option("--confusions", help="Misheard words resemble the original in spelling or in sound."),
    ] = ConfusionKind.spelling,
    user_url: Annotated[
        str | None,
        typer.Option("--user-url", help="OpenAI-compatible endpoint of a model that plays the users."),
    ] = None,
    user_model: Annotated[str | None, typer.Option("--user-model", help="Model name.")] = None,
    user_key: Annotated[
        str | None, typer.Option("--user-key", help="Environment variable with the API key.")
    ] = None,
    prefer: Annotated[
        list[str],
        typer.Option(
            "--prefer", help=("Preferences of simulated judges: empathy=0.65, or empathy:satisfaction=0.65.")
        ),
    ] = [],  # noqa: B006
    alike: Annotated[
        float | None,
        typer.Option(
            "--alike",
            min=0,
            max=0.99,
            help=("Correlation of one judge's answers on a variable (default 0.2)."),
        ),
    ] = None,
    log: Annotated[
        str | None, typer.Option("--log", help="Log address: sqlite:/// or postgresql://.")
    ] = None,
    engine: Engine_ = None,
) -> None:
    """Run dialogues of simulated users with the study's systems, all marked as simulated."""
    from vivavoce.api.simulating import WORD_ERROR_RATE, simulation
    from vivavoce.api.studies import read_study

    plan = read_study(study)
    with progress("simulated") as report:
        went = simulation(
            plan,
            dialogues=dialogues,
            participants=participants,
            seed=seed,
            word_error_rate=error_rate,
            population=population,
            domain=domain,
            language=language,
            confusions=confusions.value,
            user_url=user_url,
            user_model=user_model,
            user_key=user_key,
            log=log,
            progress=report,
            prefer=prefer,
            alike=alike,
        )
    note(f"{went.held} simulated {went.unit}s in the log")
    if error_rate is None and population is None and went.unit == "dialogue":
        note(f"simulated word error rate {WORD_ERROR_RATE:g}; for none, add --word-error-rate 0")
    if went.failed:
        note(f"the system failed in {went.failed} of them; test each system with `vivavoce check {study}`")


@app.command("train")
def train(
    study: Study_,
    system: Annotated[str, typer.Option("--system", help="System to train.")],
    out: Annotated[Path, typer.Option("--out", help="Output file for the trained policy.")],
    dialogues: Annotated[int, typer.Option("--dialogues", min=1, help="Number of dialogues.")] = 20_000,
    error_rates: Annotated[
        list[float],
        typer.Option("--word-error-rate", min=0, max=0.9, help="Word error rate; several alternate."),
    ] = [0.1, 0.3, 0.45],  # noqa: B006 - typer reads it, nobody changes it
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the callers.")] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print training results as JSON to stdout.")
    ] = False,
) -> None:
    """Train a bot against simulated callers, without a log, and save the policy."""
    from vivavoce.api.studies import make_connectors, read_study
    from vivavoce.core.errors import UnknownName
    from vivavoce.simulation.training import train as train_bot
    from vivavoce.simulation.training import trainable

    plan = read_study(study)
    if system not in plan.systems:
        raise UnknownName("system", system, list(plan.systems), place="simulate train --system")
    connector = make_connectors(plan, [system])[system]
    bot = trainable(plan.systems[system], system)
    with progress("dialogues held for practice") as report:
        practising = _practising(plan, error_rates, seed)
        held = train_bot(practising, connector, bot, dialogues, progress=report)
    rates = " ".join(f"--word-error-rate {rate:g}" for rate in error_rates)
    command = f"vivavoce simulate train STUDY --system {system} --dialogues {dialogues} {rates} --seed {seed}"
    went = {"first_tenth": _went(held[: len(held) // 10]), "last_tenth": _went(held[-len(held) // 10 :])}
    kept = {"made_by": command, "simulated": True, **went, "policy": bot.learnt()}
    out.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    note(f"wrote {out}")
    typer.echo(json.dumps(went) if as_json else _told(went))


@app.command("tasks")
def tasks(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="A bundled domain, or a file.")],
    out: Annotated[Path, typer.Option("--out", help="Task file to write.")],
    number: Annotated[int, typer.Option("--number", min=1, max=5000, help="Number of tasks.")] = 30,
    languages: Annotated[
        list[str],
        typer.Option("--language", help="Language of the texts, repeatable (default: all of the domain)."),
    ] = [],  # noqa: B006 - typer reads it, nobody changes it
    kinds: Annotated[list[str], typer.Option("--kind", help="Kind of goal (default: all in turn).")] = [],  # noqa: B006
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the tasks.")] = 1,
) -> None:
    """Write tasks of a domain for people and simulated users, as a study's task file."""
    from vivavoce.core.errors import InputError
    from vivavoce.simulation.domain import load_domain
    from vivavoce.simulation.goals import draw_tasks, tasks_file

    known = load_domain(domain)
    drawn = draw_tasks(known, number, seed, languages or known.languages, kinds)
    if out.exists():
        raise InputError("already exists", place=str(out), hint="Choose another file, or move it away")
    out.write_text(tasks_file(drawn, domain), encoding="utf-8")
    note(f"wrote {len(drawn)} tasks to {out}")


app.command("fit")(calibration.fit)
app.command("compare")(calibration.compare)


def _practising(plan: "Study", error_rates: list[float], seed: int) -> "Practising":
    from vivavoce.core.errors import InputError
    from vivavoce.simulation.training import Practising

    if plan.ontology is None:
        raise InputError("callers need an ontology", place=f"study {plan.name}", hint="add `ontology`")
    return Practising(plan.ontology, plan.tasks, plan.default_language, error_rates, seed)


def _went(held: "list[Practice]") -> dict[str, float | int | None]:
    """Means over dialogues; null without dialogues."""
    count = len(held)

    def mean(total: float) -> float | None:
        return round(total / count, 3) if count else None

    return {
        "dialogues": count,
        "met": mean(sum(one.met for one in held)),
        "turns": mean(sum(one.turns for one in held)),
        "words": mean(sum(one.words for one in held)),
    }


def _told(went: dict[str, dict[str, float | int | None]]) -> str:
    return "\n".join(
        f"{part.replace('_', ' ')}: goal met {one['met']}, user turns {one['turns']}, "
        f"system words {one['words']} (n {one['dialogues']})"
        for part, one in went.items()
    )
