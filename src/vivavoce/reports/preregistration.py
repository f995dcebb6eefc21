"""The declared analysis of a study file as preregistration text, in the shape of AsPredicted or of OSF."""

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from vivavoce.analysis.declared import margin_of
from vivavoce.core.errors import InputError, UnknownName
from vivavoce.log.models import Collected, Scope
from vivavoce.measures import MEASURES
from vivavoce.reports.declaration import stopping_words
from vivavoce.reports.language import instant, plural
from vivavoce.stats.difference import procedure_words
from vivavoce.study.analysis_file import Primary
from vivavoce.study.exclusion import OF_WORK, TRIVIAL
from vivavoce.study.load import load_study
from vivavoce.study.model import Study
from vivavoce.study.step_kind import dialogues_in, kind_of

OPEN: Final = "_Not declared. Complete this before the first participant starts._"


def preregistration(
    path: Path, shape: str = "aspredicted", *, collected: Mapping[Scope, Collected] | None = None
) -> str:
    """Markdown to register before the first participant comes; headings after the service, words ours.

    Input   collected: what the study's log holds already, said in the text; None: it has no log yet
    Raises  UnknownName: no such shape; InputError: the study declares no primary comparison
    """
    if shape not in SHAPES:
        raise UnknownName("shape", shape, list(SHAPES), place="preregister")
    study = load_study(path)
    file = path / "study.yaml" if path.is_dir() else path
    if study.analysis.primary is None and study.analysis.preferences is None:
        raise InputError(
            "the study declares no primary comparison",
            place=f"{file.name} analysis.primary",
            hint="add `analysis: {primary: {measure: ..., compare: [a, b]}}`",
        )
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    parts = [
        f"# Preregistration: {study.name}",
        (
            f"Study file: `{file.name}`, SHA-256 `{digest}`, revision `{study.revision}`. Both can be "
            "checked against the file. The report of the trial contains the same digest."
        ),
    ]
    for heading, words in SHAPES[shape](study, _existing(collected or {})):
        parts += [f"## {heading}", words]
    return "\n\n".join(parts) + "\n"


def _aspredicted(study: Study, existing: str) -> list[tuple[str, str]]:
    return [
        ("1. Data collection", existing),
        ("2. Hypothesis", _question(study)),
        ("3. Dependent variable", _measures(study)),
        ("4. Conditions", _conditions(study)),
        ("5. Analyses", _analyses(study)),
        ("6. Outliers and exclusions", _exclusions(study)),
        ("7. Sample size", _stopping(study)),
        ("8. Other", "All other comparisons are exploratory and will be reported as such."),
    ]


def _osf(study: Study, existing: str) -> list[tuple[str, str]]:
    return [
        ("Study information: research question", _question(study)),
        ("Design plan: study type", "Experiment: participants are assigned to systems by the platform."),
        ("Design plan: blinding", "Participants are not told which system they talk to."),
        ("Design plan: study design", f"{_conditions(study)}\n\n{_course(study)}"),
        ("Design plan: randomisation", _allocation(study)),
        ("Sampling plan: existing data", existing),
        ("Sampling plan: sample size and stopping rule", _stopping(study)),
        ("Variables: manipulated", _conditions(study)),
        ("Variables: measured", _measures(study)),
        ("Analysis plan: statistical models", _analyses(study)),
        ("Analysis plan: inference criteria", _criteria(study)),
        ("Analysis plan: data exclusion", _exclusions(study)),
        ("Analysis plan: exploratory analyses", "All other analyses."),
    ]


SHAPES: Final[dict[str, Callable[[Study, str], list[tuple[str, str]]]]] = {
    "aspredicted": _aspredicted,
    "osf": _osf,
}


def _existing(collected: Mapping[Scope, Collected]) -> str:
    """Existing data in the study's log: of people, and separately of simulated users."""
    people, programs = (collected.get(scope, Collected()) for scope in ("people", "simulated"))
    sentence = (
        f"Data from people had been collected when this text was written: {_amount(people)}."
        if people.visits
        else "No data from people had been collected when this text was written; the log is empty."
    )
    if programs.visits:
        sentence += f" The log also contains simulated users, recorded separately: {_amount(programs)}."
    return sentence


def _amount(collected: Collected) -> str:
    amount = plural(collected.visits, "visit")
    if collected.dialogues:
        amount += f" with {plural(collected.dialogues, 'dialogue')}"
    return f"{amount}, since {instant(collected.since)}"


def _asked(study: Study) -> list[Primary]:
    primary = study.analysis.primary
    return [*([primary] if primary is not None else []), *study.analysis.secondary]


def _question(study: Study) -> str:
    lines = []
    for place, question in enumerate(_asked(study)):
        role = "Primary" if place == 0 else "Secondary"
        margin = margin_of(question.measure, study.analysis.margins)
        equal = f" Equivalence and non-inferiority margin: {margin:g}." if margin is not None else ""
        lines.append(
            f"- {role}: do {_listed(question.compare)} differ in {_name(question)}? Two-sided.{equal}"
        )
    if study.analysis.preferences is not None:
        lines.append(
            f"- Transcripts: for each of {_variables(study)} and each question, do as many people prefer the "
            "experimental version as the control? Two-sided."
        )
    return "\n".join(lines)


def _measures(study: Study) -> str:
    lines = []
    for name in dict.fromkeys(question.measure for question in _asked(study)):
        if name in MEASURES:
            measure = MEASURES.get(name)
            lines.append(
                f"- **{measure.title}** (`{name}`, unit {measure.unit}, counted per "
                f"{measure.analysis_unit}): "
                f"{measure.meaning} Missing when: {measure.empty}. Source: {measure.source}."
            )
        else:
            lines.append(f"- `{name}`")
    if study.analysis.preferences is not None:
        lines.append(
            "- The choice between the two versions of a pair, once per participant, variable and question. "
            "Ties, where allowed, are reported separately and excluded from the test."
        )
    return "\n".join(lines)


def _conditions(study: Study) -> str:
    lines = []
    for name in study.systems:
        levels = ", ".join(f"{factor} = {level}" for factor, level in study.factors.get(name, {}).items())
        lines.append(f"- `{name}`{': ' + levels if levels else ''}")
    if study.analysis.preferences is not None:
        pairs = f"Two versions of a conversation, control and experimental, for each of {_variables(study)}."
        lines = [pairs, *lines]
    return ("Systems under test:\n\n" if study.systems else "") + "\n".join(lines)


def _course(study: Study) -> str:
    lines = [f"- {kind_of(step).preregistration_line(step, study)}" for step in study.visit]
    return "A visit:\n\n" + "\n".join(lines)


def _allocation(study: Study) -> str:
    routing = study.telephone.routing if study.telephone is not None else None
    if routing is not None:
        return {
            "random": "Each call is assigned to a system at random when it arrives.",
            "least-called-by-caller": "Each call is assigned, when it arrives, to the system that was "
            "called least from the same number. Ties are broken at random.",
            "balanced": "Each call is assigned, when it arrives, to the system with the fewest calls; "
            "ties go to the one called least from the same number, then are broken at random.",
        }[routing.rule]
    return {
        "random": "Each dialogue is assigned to a system at random.",
        "least-used-by-participant": "Each dialogue is assigned to the system that its participant has used "
        "least. Ties are broken at random.",
        "balanced": "Each dialogue is assigned to the system with the fewest dialogues; ties go to the one "
        "that its participant has used least, then are broken at random.",
    }[study.allocation]


def _analyses(study: Study) -> str:
    lines = []
    for question in _asked(study):
        pairs = len(question.compare) * (len(question.compare) - 1) // 2
        tests = "the one difference" if pairs == 1 else f"each of the {pairs} pairwise differences"
        lines.append(f"- {_name(question)}: {tests}, clustered by participant.")
    if lines:
        lines.append(f"- Method: {procedure_words()}")
    if (preferences := study.analysis.preferences) is not None:
        test = {"chi_square": "chi-square with one degree of freedom", "exact": "exact binomial test"}[
            preferences.test
        ]
        lines.append(f"- Transcripts: {test} against an even split, for every variable and question.")
    return "\n".join(lines) + "\n\n" + _criteria(study)


def _criteria(study: Study) -> str:
    names = {
        "holm": "adjusted (Holm) over all comparisons declared here",
        "benjamini_hochberg": "adjusted (Benjamini-Hochberg) over all comparisons declared here",
        "bonferroni": "adjusted (Bonferroni) over all comparisons declared here",
        "none": "not adjusted",
    }
    questions = [*_asked(study), *([study.analysis.preferences] if study.analysis.preferences else [])]
    levels = _listed(sorted({f"{question.alpha:g}" for question in questions}))
    words = f"Two-tailed p below {levels}, {names[study.analysis.correction]}; intervals at 95%."
    if any(margin_of(question.measure, study.analysis.margins) for question in _asked(study)):
        words += " Equivalence within these margins by two one-sided tests, with the same adjustment."
    return words


def _stopping(study: Study) -> str:
    stopping = study.analysis.stopping
    return stopping_words(stopping) or OPEN if stopping is not None else OPEN


def _exclusions(study: Study) -> str:
    """The rules, which the platform carries out, and what the file notes for readers."""
    steps = [plan.nontrivial.user_turns for plan in dialogues_in(study.visit)]
    fewest = min(steps, default=1)
    trivial = (
        f"trivial dialogues: fewer than {fewest} user turn{'s'[: fewest != 1]}, and the system neither "
        "ended the dialogue nor failed"
    )
    rules = [trivial if rule.text == TRIVIAL else f"`{rule.text}`" for rule in study.analysis.exclude]
    listed = "\n".join(f"- {rule}" for rule in rules)
    exclusion_text = (
        f"Excluded automatically from all measures and tests if any of these rules applies:\n\n{listed}"
        if rules
        else "No exclusions."
    )
    notes = "\n".join(f"- {sentence}" for sentence in study.analysis.notes)
    exclusion_text += _quality_words(study)
    return exclusion_text + (f"\n\nNotes:\n\n{notes}" if notes else "")


def _quality_words(study: Study) -> str:
    """Settings of work-quality rules, beyond the platform's definitions; "" without such rules."""
    quality = study.quality
    checks = [f"`{name} {right}`" for name, right in (quality.checks or {}).items()]
    sentences = [f"Correct answers to checks: {_listed(checks)}."] if checks else []
    if quality.min_answer_s is not None:
        sentences.append(f"Answers in less than {quality.min_answer_s:g} s count as too fast.")
    used = any(set(rule.fields) & set(OF_WORK) for rule in study.analysis.exclude)
    return "\n\n" + " ".join(sentences) if sentences and used else ""


def _variables(study: Study) -> str:
    """The variables of which pairs of transcripts are shown."""
    return _listed(list(dict.fromkeys(pair.variable for pair in study.pairs if pair.attention is None)))


def _name(question: Primary) -> str:
    if question.measure not in MEASURES:
        return question.measure
    return MEASURES.get(question.measure).title.lower()


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
