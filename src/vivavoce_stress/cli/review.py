"""`stress review`: put variants before people, take their decisions, freeze what they approved."""

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Study_, note
from vivavoce_stress.cli.propose import Certainty_, Endpoint_, Key_, Model_, language_models
from vivavoce_stress.cli.run import (
    Backends_,
    Each_,
    From_,
    Languages_,
    Log_,
    Sample_,
    Seed_,
    Tests_,
    interactions,
    system_of,
)

if TYPE_CHECKING:
    from vivavoce.log.store import Log
    from vivavoce.study.model import Study
    from vivavoce_stress.planning import RunChoice
    from vivavoce_stress.review import Reviews
    from vivavoce_stress.sampling import Interaction


def review(
    study: Study_,
    propose: Annotated[
        bool, typer.Option("--propose", help="Sample interactions and queue their variants for review.")
    ] = False,
    system: Annotated[
        str | None,
        typer.Option("--system", help="System of the dialogues; with --freeze, the system of the suite."),
    ] = None,
    dataset: From_ = None,
    utterances: Annotated[
        Path | None,
        typer.Option(
            "--utterances",
            help=(
                "With --propose or --freeze: file of utterances instead of dialogues, as in stress propose."
            ),
        ),
    ] = None,
    certainty: Certainty_ = None,
    log: Log_ = None,
    test: Tests_ = None,
    language: Languages_ = None,
    sample: Sample_ = None,
    each_test: Each_ = False,
    backend: Backends_ = None,
    endpoint: Endpoint_ = None,
    model: Model_ = "",
    key: Key_ = None,
    seed: Seed_ = 1,
    csv: Annotated[
        Path | None, typer.Option("--csv", help="Write variants for --reviewer to this CSV file.")
    ] = None,
    read: Annotated[Path | None, typer.Option("--read", help="Read decisions from this CSV file.")] = None,
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", help="Reviewer name. Required by --csv and --read.")
    ] = None,
    lexicon: Annotated[
        Path | None, typer.Option("--lexicon", help="Write approved variants as JSON.")
    ] = None,
    freeze: Annotated[
        Path | None, typer.Option("--freeze", help="Write a suite of all approved variants.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the state as JSON to stdout.")] = False,
) -> None:
    """Expert review of variants, on the dashboard or by file; approved ones freeze into a suite."""
    from vivavoce.api.studies import open_log, read_study
    from vivavoce.core.errors import InputError
    from vivavoce_stress.planning import RunChoice
    from vivavoce_stress.sampling import interactions_in, interactions_of

    if utterances is not None and not propose and freeze is None:
        hint = "add --propose to queue variants, or --freeze FILE to write the approved variants"
        raise InputError(f"no action given for {utterances}", place="stress review", hint=hint)
    plan = read_study(study)
    choice = RunChoice(
        tests=tuple(test or ()),
        languages=tuple(language or ()),
        size=sample,
        each_test=each_test,
        seed=seed,
        backends=tuple(backend or ()),
        certainty=certainty,
    )
    listed = interactions_in(utterances, (language or [""])[0]) if utterances else []
    with open_log(plan, log) as opened, tempfile.TemporaryDirectory() as folder:
        if propose:
            source = listed
            if utterances is None:
                source = interactions_of(interactions(plan, opened, dataset, Path(folder)), system)
            more = language_models(endpoint, model, key, "*", test)
            _propose(plan, opened, source, choice, more)
        if csv is not None:
            _write(opened, plan, csv, _named(reviewer))
        if read is not None:
            _read(opened, plan, read, _named(reviewer))
        if freeze is not None:
            source = interactions(plan, opened, dataset, Path(folder))
            _freeze(plan, opened, source, freeze, system_of(plan, system), listed)
        facts = _state(_reviews(opened, plan))
    if lexicon is not None:
        lexicon.write_text(
            json.dumps(facts["lexicon"], indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        note(f"wrote {lexicon}")
    typer.echo(json.dumps(facts, indent=2, ensure_ascii=False) if as_json else _told(facts))


def _named(reviewer: str | None) -> str:
    from vivavoce.core.errors import InputError

    if not reviewer or not reviewer.strip():
        raise InputError("the reviewer is missing", place="stress review", hint="add --reviewer NAME")
    return reviewer.strip()


def _reviews(log: "Log", study: "Study") -> "Reviews":
    from vivavoce.log.stress_events import stress_stream
    from vivavoce_stress.review import Reviews

    return Reviews.of(log.events(stress_stream(study.name)))


def _propose(
    study: "Study", log: "Log", source: "list[Interaction]", choice: "RunChoice", more: list[Any]
) -> None:
    from vivavoce_stress.planning import queue_for_review

    new, already = queue_for_review(study, log, source, choice, more)
    note(f"queued {new} utterances for review; {already} were already queued")


def _write(log: "Log", study: "Study", path: Path, reviewer: str) -> None:
    from vivavoce_stress.review_file import write_review

    note(f"wrote {write_review(_reviews(log, study).waiting(reviewer), path)} utterances to {path}")


def _read(log: "Log", study: "Study", path: Path, reviewer: str) -> None:
    """All decisions of the file, or none of them."""
    from vivavoce.log.stress_events import stress_stream
    from vivavoce_stress.review_file import read_review

    events = read_review(path, _reviews(log, study), reviewer)
    stream = stress_stream(study.name)
    log.transact_now(lambda tx: [tx.append(stream, event) for event in events])
    note(f"imported {len(events)} decisions by {reviewer}")


def _freeze(study: "Study", log: "Log", source: Any, path: Path, system: str, listed: list[Any]) -> None:
    from vivavoce.core.errors import InputError
    from vivavoce_stress.planning import approved_cases
    from vivavoce_stress.suite import FORMAT, Suite, write_suite

    plan = approved_cases(study, source, _reviews(log, study), listed)
    if not plan.cases:
        hint = "approve variants on the dashboard or with --read"
        raise InputError("no approved variants", place=f"study {study.name}", hint=hint)
    ontology = _ontology(study, path)
    suite = Suite(
        suite=f"{study.name}-stress",
        version=FORMAT,
        ontology=ontology,
        system=study.systems[system],
        cases=tuple(plan.cases),
    )
    write_suite(suite, path)
    again = len(plan.not_applicable)
    repeated = f"; {again} approved variants repeat a case and are included once" if again else ""
    note(f"wrote {len(plan.cases)} cases to {path}{repeated}")


def _ontology(study: "Study", path: Path) -> str | None:
    """Path of the study's domain file relative to the suite; null for a study without one."""
    from vivavoce.study.renamed_keys import parse_study

    ontology = parse_study(study.file_text).data.get("ontology")
    file = study.folder / ontology if isinstance(ontology, str) else None
    if file is None or not file.is_file():
        return None
    return Path(os.path.relpath(file.resolve(), path.resolve().parent)).as_posix()


def _state(reviews: "Reviews") -> dict[str, Any]:
    from vivavoce_stress.learnt import lexicon
    from vivavoce_stress.scores import agree

    decisions = [reviews.decision(key) for key in reviews.items]
    made_decisions = [decision for decision in decisions if decision is not None]
    learnt = lexicon(reviews)
    return {
        "items": len(reviews.items),
        "reviewed": len(made_decisions),
        "approved": sum(decision.text is not None for decision in made_decisions),
        "rejected": sum(decision.text is None for decision in made_decisions),
        "second": reviews.second(),
        "disputed": reviews.disputed(),
        "agreement": agree(reviews.pairs()),
        "lexicon": {"version": learnt.version, "key": learnt.key, "entries": list(learnt.entries)},
    }


def _told(facts: dict[str, Any]) -> str:
    summary = (
        f"{facts['items']} utterances, {facts['reviewed']} reviewed: {facts['approved']} approved, "
        f"{facts['rejected']} rejected; {len(facts['disputed'])} disputed"
    )
    lines = [summary]
    if facts["second"]:
        wait = "waits" if facts["second"] == 1 else "wait"
        lines.append(f"{facts['second']} of these {wait} for a second reviewer, to measure agreement")
    agreed = facts["agreement"]
    if agreed:
        kappa = "" if agreed["kappa"] is None else f", kappa {agreed['kappa']:.2f}"
        lines.append(
            f"two reviewers agree on {agreed['same']} of {agreed['n']} "
            f"({agreed['low']:.2f} to {agreed['high']:.2f}){kappa}"
        )
    lines.append(f"lexicon version {facts['lexicon']['version']}: {len(facts['lexicon']['entries'])} entries")
    return "\n".join(lines)
