"""Verbs of command understanding: score a system's predicates, compare two systems."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from vivavoce.cli.arguments import Replace, Report, note, progress
from vivavoce.core.executor import uncollected

if TYPE_CHECKING:
    from vivavoce.dataset.reader import Dataset
    from vivavoce_commands.command_file import CommandFile, LineProblem
    from vivavoce_commands.scoring import Mode, Scores

app = typer.Typer(no_args_is_help=True)

Reference = Annotated[
    Path, typer.Argument(metavar="REFERENCE", help="File, or folder with one file per speaker.")
]
ModeOption = Annotated[
    str, typer.Option("--mode", help="Scoring mode: strict, or official (the 2018 script).")
]
Weight = Annotated[
    float,
    typer.Option(
        "--repetition-weight",
        min=0,
        max=1,
        help="Weight of a repetition request (`#`) relative to a wrong argument.",
    ),
]
Stop = Annotated[
    bool, typer.Option("--stop-at-first-problem", help="Stop at the first line that cannot be read.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON to stdout.")]
SHOWN_PROBLEMS = 10


@app.callback()
def _understand() -> None:
    """Score and compare systems that understand spoken commands."""


@app.command("score", short_help="Score the predicates of a system.")
def score(
    reference: Reference,
    hypothesis: Annotated[
        Path, typer.Argument(metavar="HYPOTHESIS", help="Answers of the system, in the same layout.")
    ],
    mode: ModeOption = "strict",
    repetition_weight: Weight = 0.5,
    stop: Stop = False,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the intervals.")] = 1,
    as_json: Json = False,
) -> None:
    """Score the predicates of a system against a reference, by speaker."""
    from vivavoce_commands import figures

    reading = _Reading(stop)
    with progress("reading") as report, uncollected():
        truth = reading.read(reference, "reference", report)
        answers = reading.read(hypothesis, "hypothesis", report)
        scores = _scores(reference, truth, hypothesis, answers, mode)
    facts: dict[str, Any] = {
        "mode": mode,
        **figures.corpus_figures(
            scores, repetition_weight=repetition_weight, seed=seed, data=reading.fingerprint()
        ),
        "actions": figures.by_action(scores),
        "confusions": figures.confusions(scores),
        **_not_scored(scores),
        "problems": reading.problems,
    }
    _warn(facts)
    if as_json:
        facts["predicates"] = [
            {
                "id": predicate.id,
                "tuple": list(predicate.tuple),
                "speaker": predicate.speaker,
                "recipe": predicate.recipe,
                "action": predicate.action,
                "answer": predicate.answered_action,
            }
            for predicate in scores.predicates
        ]
        typer.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    from vivavoce_commands import tables as tables

    tables.show(tables.scored(facts, scores))


@app.command("compare", short_help="Compare two systems on the same commands.")
def compare(
    reference: Reference,
    first: Annotated[Path, typer.Argument(metavar="A", help="Answers of system A.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Answers of system B.")],
    mode: ModeOption = "strict",
    repetition_weight: Weight = 0.5,
    stop: Stop = False,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the intervals.")] = 1,
    as_json: Json = False,
) -> None:
    """Compare two systems (A minus B) on the speakers answered by both. Uses a paired bootstrap over
    speakers.
    """
    from vivavoce_commands.figures import compare_figures, few

    reading = _Reading(stop)
    with progress("reading") as report, uncollected():
        truth = reading.read(reference, "reference", report)
        both_scores = [
            _scores(reference, truth, path, reading.read(path, side, report), mode)
            for path, side in ((first, "a"), (second, "b"))
        ]
    figures = compare_figures(
        *both_scores, repetition_weight=repetition_weight, seed=seed, data=reading.fingerprint()
    )
    speakers = next(iter(figures.values()))["speakers"]
    facts = {"mode": mode, "figures": figures, "few": few(speakers), "problems": reading.problems}
    for system, scores in zip("AB", both_scores, strict=True):
        _warn(_not_scored(scores), f"{system}: ")
    _warn({"problems": reading.problems, "few": facts["few"]})
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    from vivavoce_commands import tables as tables

    tables.show(tables.compared(facts))


@app.command("tables", short_help="Print the tables of the SUGAR paper for your systems.")
def tables(
    reference: Annotated[
        Path,
        typer.Argument(
            metavar="REFERENCE", help="Files written by `annotate commands-out`, or in the same layout."
        ),
    ],
    systems: Annotated[
        list[str], typer.Argument(metavar="ANSWERS...", help="Answers of each system, as PATH or NAME=PATH.")
    ],
    mode: Annotated[
        str, typer.Option("--mode", help="Scoring mode: official (the 2018 script), or strict.")
    ] = "official",
    templates: Annotated[
        str | None,
        typer.Option(
            "--templates", help="Templates of table 1 (default: the best-fitting shipped templates)."
        ),
    ] = None,
    said: Annotated[
        Path | None, typer.Option("--said", help="commands.csv of several annotators, to measure agreement.")
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option("--into", help="Output folder for tables.md and the tuple of every predicate."),
    ] = None,
    repetition_weight: Weight = 0.5,
    stop: Stop = False,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the intervals.")] = 1,
    as_json: Json = False,
) -> None:
    """Print the tables of the SUGAR paper (2018): templates, agreement, systems and actions."""
    from vivavoce.core.errors import InputError
    from vivavoce_commands import paper_tables as paper

    if into is not None and into.exists():
        raise InputError("already exists", place=str(into), hint="choose another folder")
    reference_files, annotators = paper.reference_at(reference)
    annotators = said or annotators
    reading = _Reading(stop)
    with progress("reading") as report, uncollected():
        truth = reading.read(reference_files, "reference", report)
        scores = {
            answers.name: _scores(
                reference_files, truth, answers.path, reading.read(answers.path, answers.name, report), mode
            )
            for answers in paper.named(systems)
        }
    name, rules = paper.fitting_templates(truth, templates)
    data = reading.fingerprint()
    facts: dict[str, Any] = {
        "mode": mode,
        "templates_name": name,
        "agreement": None if annotators is None else _agreement(annotators, data),
        **paper.paper_tables(truth, scores, rules, repetition_weight=repetition_weight, seed=seed, data=data),
        "problems": reading.problems,
    }
    for system, system_scores in scores.items():
        _warn(_not_scored(system_scores), f"{system}: ")
    _warn({"problems": reading.problems})
    laid = paper.laid_out(facts)
    if into is not None:
        into.mkdir(parents=True)
        signatures = [system_facts["signature"] for system_facts in facts["systems"].values()]
        (into / "tables.md").write_text(paper.as_markdown(laid, signatures), encoding="utf-8")
        note(f"wrote {paper.write_tuples(scores, into / 'tuples')} tuples and tables.md to {into}")
    if as_json:
        typer.echo(json.dumps(facts, ensure_ascii=False, allow_nan=False))
        return
    from vivavoce_commands import tables as terminal

    terminal.show(terminal.of_the_paper(laid))


@app.command("check", short_help="Check annotated commands against templates.")
def check(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="File, or folder with one file per speaker.")],
    templates: Annotated[
        str, typer.Option("--templates", help="Shipped templates, such as kitchen-it, or a YAML file.")
    ] = "kitchen-it",
    propose: Annotated[
        bool, typer.Option("--propose", help="Propose implicit arguments from the same recipe.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Find annotated commands that cannot be read or do not fit the templates. Exits with 1 if there are
    any.
    """
    from vivavoce_commands.checking import check_file
    from vivavoce_commands.command_templates import read_templates

    rules = read_templates(templates)
    reading = _Reading(stop_at_first_problem=False)
    with progress("reading") as report:
        files = reading.read(path, "", report)
    all_remarks = [remark for file in files.values() for remark in check_file(file, rules, propose=propose)]
    commands = sum(len(file.commands) for file in files.values())
    wrong = len(reading.problems) + sum(remark.kind == "problem" for remark in all_remarks)
    if as_json:
        remarks = [remark._asdict() for remark in all_remarks]
        typer.echo(json.dumps({"commands": commands, "problems": reading.problems, "remarks": remarks}))
    else:
        for problem in reading.problems:
            typer.echo(f"{problem['file']}:{problem['line']}:{problem['column']}: {problem['text']}")
        for remark in all_remarks:
            typer.echo(str(remark))
        note(f"{commands} commands, {wrong} problems")
    if wrong:
        raise typer.Exit(1)


@app.command("train", short_help="Train a system on annotated commands.")
def train(
    data: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset with annotated commands.")],
    into: Annotated[Path, typer.Option("--into", help="Output folder of the trained system.")],
    system: Annotated[str, typer.Option("--system", help="Learning system: majority, a, b, c or d.")] = "d",
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="Maximum number of epochs.")] = None,
    encoder: Annotated[
        str | None,
        typer.Option("--encoder", help="Your pretrained encoder for system d, as package.module:function."),
    ] = None,
) -> None:
    """Train a system that turns commands into predicates. Every ninth speaker is held out for early stopping.

    If training is interrupted, run the same command to resume it.
    """
    from vivavoce.dataset.reader import Dataset
    from vivavoce_commands.learning import systems
    from vivavoce_commands.learning.examples import read_recipes

    recipes = read_recipes(Dataset(data))
    with progress(f"training {system}") as report:
        trained = systems.train(
            system, recipes, seed=seed, epochs=epochs, progress=report, folder=into, encoder=encoder
        )
    systems.save(trained, into)
    note(f"trained system {system} in {trained.facts['training']['seconds']:.0f} s; saved to {into}")


Model = Annotated[Path, typer.Argument(metavar="SYSTEM", help="Folder of a trained system.")]
RepeatBelow = Annotated[
    float,
    typer.Option(
        "--repeat-below", min=0, max=1, help="Request repetition of arguments below this confidence."
    ),
]


RecogniserOption = Annotated[
    str | None,
    typer.Option(
        "--recogniser", help="Recogniser for the recordings: pocketsphinx, another name, or a YAML file."
    ),
]


@app.command("predict", short_help="Answer commands with a trained system.")
def predict(
    model: Model,
    data: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset with transcribed commands.")],
    into: Annotated[Path, typer.Option("--into", help="Output folder, with one file per speaker.")],
    repeat_below: RepeatBelow = 0.0,
    recogniser: RecogniserOption = None,
    drafts: Annotated[
        Path | None, typer.Option("--drafts", help="CSV file of drafts for annotators.")
    ] = None,
) -> None:
    """Write the answers of a trained system in the layout that `understand score` reads."""
    from vivavoce.core.errors import InputError
    from vivavoce.dataset.reader import Dataset
    from vivavoce_commands.annotation.drafts import write_drafts
    from vivavoce_commands.learning import systems
    from vivavoce_commands.learning.answers import write_answers
    from vivavoce_commands.learning.examples import read_recipes

    if drafts is not None and drafts.exists():
        raise InputError("already exists", place=str(drafts), hint="choose another file")
    dataset = Dataset(data)
    recipes = read_recipes(dataset, annotated=False, heard=_heard(dataset, recogniser))
    trained = systems.load(model)
    answers = systems.answer(trained, recipes, repeat_below=repeat_below)
    write_answers(recipes, answers, into)
    if drafts is not None:
        note(f"wrote {write_drafts(recipes, answers, drafts)} drafts to {drafts}")
    note(f"answered {sum(len(recipe.commands) for recipe in recipes)} commands; saved to {into}")


@app.command("evaluate", short_help="Score a trained system on annotated commands.")
def evaluate(
    model: Model,
    data: Annotated[Path, typer.Argument(metavar="DATASET", help="Dataset with annotated commands.")],
    repeat_below: RepeatBelow = 0.0,
    recogniser: RecogniserOption = None,
    mode: ModeOption = "strict",
    repetition_weight: Weight = 0.5,
    seed: Annotated[int, typer.Option("--seed", help="Random seed of the intervals.")] = 1,
    as_json: Json = False,
) -> None:
    """Answer annotated commands with a trained system and score the answers."""
    from vivavoce.cli.arguments import print_json, require_one_population
    from vivavoce_commands import figures
    from vivavoce_commands.learning import systems
    from vivavoce_commands.learning.answers import score_answers
    from vivavoce_commands.learning.examples import read_recipes

    dataset = require_one_population(data)
    recipes = read_recipes(dataset, heard=_heard(dataset, recogniser))
    trained = systems.load(model)
    scores = score_answers(recipes, systems.answer(trained, recipes, repeat_below=repeat_below), _mode(mode))
    facts = {
        "system": trained.facts,
        "mode": mode,
        **figures.corpus_figures(scores, repetition_weight=repetition_weight, seed=seed, data=dataset.hash),
        "actions": figures.by_action(scores),
        "confusions": figures.confusions(scores),
    }
    if as_json:
        print_json(facts)
        return
    from vivavoce_commands import tables as tables

    tables.show(tables.scored(facts, scores))


@app.command("generate", short_help="Generate a corpus of kitchen commands.")
def generate(
    into: Annotated[Path, typer.Option("--into", help="Output folder for training, test and reference.")],
    language: Annotated[str, typer.Option("--language", help="Language: it or en.")] = "it",
    seed: Annotated[int, typer.Option("--seed", help="Random seed.")] = 1,
    error_rate: Annotated[
        float, typer.Option("--word-error-rate", min=0, max=1, help="Simulated recognition noise.")
    ] = 0.0,
    replace: Replace = False,
) -> None:
    """Generate commands of 36 simulated speakers. Training and test data share no speaker or recipe."""
    from vivavoce_commands.kitchen import corpus

    commands = corpus.generate(language, seed=seed, word_error_rate=error_rate)
    counts = corpus.write_corpus(commands, language, into)
    note(f"wrote {counts['training']} training and {counts['test']} test commands to {into}")


class _Reading:
    """Reads command files, gathers what is wrong in them, and remembers what was read."""

    def __init__(self, stop_at_first_problem: bool) -> None:
        self.stop = stop_at_first_problem
        self.problems: list[dict[str, Any]] = []
        self.read_files: list[Path] = []

    def read(self, path: Path, side: str, report: Report) -> "dict[str, CommandFile]":
        from vivavoce_commands.command_file import command_files, read_command_file

        files = command_files(path)
        read: dict[str, CommandFile] = {}
        for number, (speaker, file) in enumerate(files.items(), start=1):
            read[speaker] = read_command_file(file, stop_at_first_problem=self.stop)
            self.problems += [_told(problem, side) for problem in read[speaker].problems]
            report(number, len(files))
        self.read_files += files.values()
        return read

    def fingerprint(self) -> str:
        """First hex digits of the hash over everything that was read."""
        from hashlib import sha256

        digest = sha256()
        for file in self.read_files:
            digest.update(sha256(file.read_bytes()).digest())
        return digest.hexdigest()[:8]


def _heard(dataset: "Dataset", name: str | None) -> dict[str, str] | None:
    """Transcripts of the recordings by a recogniser; None to score the text."""
    if name is None:
        return None
    from vivavoce_commands.recognised_commands import hear_commands, recogniser_of

    with progress("listening") as report:
        return hear_commands(dataset, recogniser_of(name), report)


def _agreement(path: Path, data: str) -> dict[str, Any]:
    """Shares of what two annotators said the same, and alpha, of a file of what everybody said."""
    from vivavoce_commands.agreement import agreement_of, pairs_of_file

    agreement = agreement_of(pairs_of_file(path), data=data)
    return {
        "shares": [{**share._asdict(), "share": share.share} for share in agreement.shares],
        "coefficients": [
            {
                "name": line.name,
                "units": line.units,
                "alpha": line.alpha.value,
                "kappa": line.cohen.value,
                "signature": line.signature,
            }
            for line in agreement.lines
        ],
    }


def _told(problem: "LineProblem", side: str) -> dict[str, Any]:
    return {"side": side, **problem._asdict()}


def _scores(
    reference: Path,
    truth: "dict[str, CommandFile]",
    hypothesis: Path,
    answers: "dict[str, CommandFile]",
    mode: str,
) -> "Scores":
    """Two files are compared with each other, whatever they are called; folders by the names in them."""
    from vivavoce_commands.scoring import score_commands

    if reference.is_file() and hypothesis.is_file():
        answers = dict(zip(truth, answers.values(), strict=True))
    return score_commands(truth, answers, _mode(mode))


def _mode(mode: str) -> "Mode":
    from vivavoce.core.errors import UnknownName

    if mode == "strict" or mode == "official":
        return mode
    raise UnknownName("mode", mode, ["strict", "official"], place="--mode")


def _not_scored(scores: "Scores") -> dict[str, Any]:
    return {
        "missing_speakers": scores.missing_speakers,
        "unknown_speakers": scores.unknown_speakers,
        "unread_reference_utterances": scores.unread,
        "unanswered_utterances": scores.unanswered_utterances,
        "left_out": scores.unanswered,
        "surplus_utterances": scores.surplus_utterances,
    }


def _warn(facts: dict[str, Any], whose: str = "") -> None:
    """Warn of items left out, and of every line that could not be read, on stderr."""
    if missing := facts.get("missing_speakers"):
        note(f"{whose}no answers for {', '.join(missing)}: skipped, not counted as wrong")
    if unknown := facts.get("unknown_speakers"):
        note(f"{whose}not in the reference, skipped: {', '.join(unknown)}")
    if left_out := facts.get("left_out"):
        examples = ", ".join(left_out[:SHOWN_PROBLEMS]) + (" ..." if len(left_out) > SHOWN_PROBLEMS else "")
        note(f"{whose}{len(left_out)} utterances without an answer, skipped as in 2018: {examples}")
    if warning := facts.get("few"):
        note(f"{whose}{warning}")
    problems = facts.get("problems", [])
    for problem in problems[:SHOWN_PROBLEMS]:
        place = f"{problem['file']}:{problem['line']}:{problem['column']}"
        note(f"{problem['side']} {place}: {problem['text']}")
    if len(problems) > SHOWN_PROBLEMS:
        note(f"{len(problems) - SHOWN_PROBLEMS} more lines cannot be read; list them with --json")
