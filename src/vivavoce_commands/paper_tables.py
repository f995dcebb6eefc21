"""The tables of the SUGAR task from files: templates, systems side by side, actions one by one.

Source  Di Maro, Origlia and Cutugno 2018: table 1 (action templates), table 2 (percentages of accuracy and
        error for each system, with its footnote on who is missing), section 3 (the tuples of each predicate)
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, TypedDict

from vivavoce.core.errors import InputError
from vivavoce_commands.command_file import CommandFile
from vivavoce_commands.command_templates import CommandTemplates, read_templates, shipped_templates
from vivavoce_commands.figures import corpus_figures
from vivavoce_commands.notation import Listed
from vivavoce_commands.scoring import Scores, SpeakerCounts

TABLE_2: Final = {
    "correct_actions": "Correct Actions",
    "correct_arguments": "Correct Arguments",
    "incorrect_actions": "Incorrect Actions",
    "incorrect_arguments": "Incorrect Arguments",
    "argument_repetitions": "Argument Repetition",
}
TOGETHER: Final = "commands.csv", "notation"


class NamedAnswers(NamedTuple):
    """A system by the name that the tables show, and where its answers are."""

    name: str
    path: Path


class TemplateRow(TypedDict):
    """A row of table 1; arguments None: an action that the templates do not have."""

    action: str
    arguments: str | None
    means: str
    predicates: int


class ActionRow(TypedDict):
    """An action of the reference, and by system the predicates compared and their shares."""

    predicates: int
    systems: dict[str, dict[str, Any]]


class PaperTables(TypedDict):
    """Content of the tables: counts of the reference, table 1, corpus figures by system, actions."""

    corpus: dict[str, int]
    templates: list[TemplateRow]
    systems: dict[str, dict[str, Any]]
    actions: dict[str, ActionRow]


def reference_at(path: Path) -> tuple[Path, Path | None]:
    """Path of the reference and of its annotators: from `annotate commands-out`, or files alone."""
    annotators, notation = (path / name for name in TOGETHER)
    if notation.is_dir():
        return notation, annotators if annotators.is_file() else None
    return path, None


def named(arguments: list[str]) -> list[NamedAnswers]:
    """`NAME=PATH`, or a path whose last part is the name.

    Raises  InputError: two systems of one name
    """
    named_answers: list[NamedAnswers] = []
    for argument in arguments:
        name, sign, path = argument.partition("=")
        answers = (
            NamedAnswers(name, Path(path))
            if sign and name
            else NamedAnswers(Path(argument).name, Path(argument))
        )
        if answers.name in {earlier.name for earlier in named_answers}:
            hint = "name one system with NAME=PATH"
            raise InputError(f"two systems are called {answers.name!r}", place=argument, hint=hint)
        named_answers.append(answers)
    return named_answers


def fitting_templates(reference: Mapping[str, CommandFile], name: str | None) -> tuple[str, CommandTemplates]:
    """Templates by name, or those of the shipped ones that know most predicates of the reference."""
    if name is not None:
        return name, read_templates(name)
    uses = _uses(reference)
    templates_of = {
        shipped_template: read_templates(shipped_template) for shipped_template in shipped_templates()
    }
    return max(templates_of.items(), key=lambda item: sum(uses.get(action, 0) for action in item[1].actions))


def paper_tables(
    reference: Mapping[str, CommandFile],
    scores: Mapping[str, Scores],
    templates: CommandTemplates,
    *,
    repetition_weight: float,
    seed: int,
    data: str,
) -> PaperTables:
    """Compute the tables.

    Output  `corpus` (counts of the reference), `templates` (rows of table 1, with how often each action
            occurs), `systems` (by name: corpus figures and who is missing), `actions` (by action: predicates
            of the reference; by system the predicates compared, correct actions and arguments)
    Empty   a share of nothing is None
    """
    uses = _uses(reference)
    rows: list[TemplateRow] = [
        TemplateRow(
            action=action,
            arguments=", ".join(action_template.arguments),
            means=action_template.means,
            predicates=uses.get(action, 0),
        )
        for action, action_template in templates.actions.items()
    ]
    rows += [
        TemplateRow(action=action, arguments=None, means="", predicates=count)
        for action, count in uses.items()
        if action not in templates.actions
    ]
    return {
        "corpus": _counts(reference),
        "templates": rows,
        "systems": {
            name: {
                **corpus_figures(system_scores, repetition_weight=repetition_weight, seed=seed, data=data),
                "missing_speakers": system_scores.missing_speakers,
                "unanswered": system_scores.unanswered_utterances,
            }
            for name, system_scores in scores.items()
        },
        "actions": {
            row["action"]: {
                "predicates": row["predicates"],
                "systems": {
                    name: _of_action(system_scores, row["action"]) for name, system_scores in scores.items()
                },
            }
            for row in rows
            if row["predicates"]
        },
    }


def _uses(reference: Mapping[str, CommandFile]) -> dict[str, int]:
    """Frequency of each action in the reference, explicit or not, most first."""
    counts: dict[str, int] = {}
    for file in reference.values():
        for command in file.commands:
            for predicate in command.predicates or ():
                counts[predicate.action] = counts.get(predicate.action, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def _counts(reference: Mapping[str, CommandFile]) -> dict[str, int]:
    commands = [
        (name, command) for name, file in reference.items() for command in file.commands if command.predicates
    ]
    predicates = [predicate for _, command in commands for predicate in command.predicates or ()]
    arguments = [argument for predicate in predicates for argument in predicate.arguments]
    return {
        "speakers": len({name for name, _ in commands}),
        "recipes": len({(name, command.recipe) for name, command in commands}),
        "utterances": len(commands),
        "predicates": len(predicates),
        "several_predicates": sum(len(command.predicates or ()) > 1 for _, command in commands),
        "arguments": len(arguments),
        "implicit_arguments": sum(argument.options[0].implicit for argument in arguments),
        "lists": sum(isinstance(argument.options[0], Listed) for argument in arguments),
    }


def _of_action(scores: Scores, action: str) -> dict[str, Any]:
    counts = SpeakerCounts()
    for score in scores.predicates:
        if score.action.strip("*") == action:
            counts.add(score)
    return {
        "predicates": counts.predicates,
        "correct_actions": counts.recognised / counts.predicates if counts.predicates else None,
        "correct_arguments": counts.correct / counts.expected if counts.expected else None,
    }


class LaidTable(NamedTuple):
    """A table as it is printed: what it shows, its headings, its rows, and what stands below."""

    title: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: list[str] = []


def laid_out(facts: dict[str, Any]) -> list[LaidTable]:
    """The facts as tables, in the order of the paper; agreement where somebody gave it."""
    return [
        _laid_templates(facts),
        *_laid_agreement(facts),
        _laid_systems(facts),
        _laid_intervals(facts),
        _laid_actions(facts),
    ]


def _laid_templates(facts: dict[str, Any]) -> LaidTable:
    corpus, unknown = (
        facts["corpus"],
        [template for template in facts["templates"] if template["arguments"] is None],
    )
    counted = (
        f"{corpus['utterances']} commands of {corpus['speakers']} speakers in "
        f"{corpus['recipes']} recipes, {corpus['several_predicates']} of them with several "
        f"predicates; {corpus['predicates']} predicates, {corpus['arguments']} arguments, "
        f"{corpus['implicit_arguments']} of them implicit."
    )
    signs = "[ ]: may be a list; /: one of several kinds; ?: may be absent."
    notes = [counted, signs] + (["Actions without arguments here have no template."] if unknown else [])
    rows = [
        (template["action"], template["arguments"] or "-", str(template["predicates"]))
        for template in facts["templates"]
    ]
    title = f"Table 1: action templates ({facts['templates_name']})"
    return LaidTable(title, ("action", "arguments", "predicates"), rows, notes)


def _laid_agreement(facts: dict[str, Any]) -> list[LaidTable]:
    agreement = facts["agreement"]
    if agreement is None:
        return []
    rows = [
        (share["name"], f"{share['same']} of {share['all']}", percent(share["share"]))
        for share in agreement["shares"]
    ]
    rows += [
        (
            f"{coefficient['name']}, Krippendorff's alpha",
            f"{coefficient['units']} units",
            _coefficient(coefficient["alpha"]),
        )
        for coefficient in agreement["coefficients"]
    ]
    note = "Two annotators, before adjudication; predicates are paired as in scoring."
    return [LaidTable("Agreement of the annotators", ("the same", "pairs", "agreement"), rows, [note])]


def _laid_systems(facts: dict[str, Any]) -> LaidTable:
    notes, rows = [], []
    for name, system in facts["systems"].items():
        mark, sentences = "", []
        if missing := len(system["missing_speakers"]):
            who = "One user is" if missing == 1 else f"{missing} users are"
            sentences.append(f"{who} missing: {', '.join(system['missing_speakers'])}.")
        if (unanswered := system["unanswered"]) and facts["mode"] == "official":
            sentences.append(f"Commands without an answer are skipped, as in 2018: {unanswered}.")
        if sentences:
            mark = "abcdefghijklmnopqrstuvwxyz"[len(notes) % 26]
            notes.append(f"{mark} {' '.join(sentences)}")
        rows.append(
            (name + (f" ({mark})" if mark else ""), *(percent(system["corpus"][key]) for key in TABLE_2))
        )
    notes.append(
        "Per cent. Actions: of the reference's predicates. Arguments: of predicates with the "
        f"correct action. Mode {facts['mode']}."
    )
    title = "Table 2: percentages of accuracy and error rate for each tested system"
    return LaidTable(title, ("", *TABLE_2.values()), rows, notes)


def _laid_intervals(facts: dict[str, Any]) -> LaidTable:
    rows = [
        (
            name,
            str(system["counts"]["predicates"]),
            str(system["counts"]["expected"]),
            str(system["speakers"]),
            *(_span(system["intervals"][key]) for key in ("correct_actions", "correct_arguments")),
            percent(system["corpus"]["exact_utterances"]),
        )
        for name, system in facts["systems"].items()
    ]
    notes = sorted({system["few"] for system in facts["systems"].values() if system["few"]})
    return LaidTable(
        "Counts and 95% CI over speakers",
        (
            "",
            "predicates",
            "arguments",
            "speakers",
            "actions from, to",
            "arguments from, to",
            "exact commands",
        ),
        rows,
        notes,
    )


def _laid_actions(facts: dict[str, Any]) -> LaidTable:
    rows = [
        (
            action,
            str(counts["predicates"]),
            *(
                f"{percent(figures['correct_actions'])} / {percent(figures['correct_arguments'])}"
                for figures in counts["systems"].values()
            ),
        )
        for action, counts in facts["actions"].items()
    ]
    note = "Per cent of correct actions / of correct arguments where the action is correct."
    return LaidTable("Results by action", ("action", "predicates", *facts["systems"]), rows, [note])


def percent(share: float | None) -> str:
    """With one decimal; `-` where there is none."""
    return "-" if share is None else f"{100 * share:.1f}"


def _span(interval: list[float] | None) -> str:
    return "-" if interval is None else f"{percent(interval[0])}, {percent(interval[1])}"


def _coefficient(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def as_markdown(tables: list[LaidTable], signatures: list[str]) -> str:
    """The tables as a Markdown document."""
    lines: list[str] = []
    for table in tables:
        words = 2 if table.headings[1] == "arguments" else 1
        sides = ["---"] * words + ["---:"] * (len(table.headings) - words)
        lines += [f"## {table.title}", ""]
        lines += [f"| {' | '.join(map(_cell, row))} |" for row in (table.headings, sides, *table.rows)]
        lines += ["", *(f"{note}\n" for note in table.notes)]
    return "\n".join([*lines, *(f"`{signature}`\n" for signature in signatures)])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


def write_tuples(scores: Mapping[str, Scores], into: Path) -> int:
    """One file a system and speaker, a line a predicate: `1_2; (1, 2, 0, 0)`; `---` ends a recipe."""
    count = 0
    for name, system_scores in scores.items():
        lines: dict[str, list[str]] = {}
        recipes: dict[str, int] = {}
        for score in system_scores.predicates:
            speaker_lines = lines.setdefault(score.speaker, [])
            if recipes.setdefault(score.speaker, score.recipe) != score.recipe:
                speaker_lines.append("---")
                recipes[score.speaker] = score.recipe
            speaker_lines.append(f"{score.id}; {score.tuple}")
            count += 1
        folder = into / name
        folder.mkdir(parents=True, exist_ok=True)
        for speaker, speaker_lines in lines.items():
            (folder / f"{speaker}.csv").write_text("\n".join(speaker_lines) + "\n", encoding="utf-8")
    return count
