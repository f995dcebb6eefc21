"""The pairs and questions of a study: read, found fit or not, each problem with its place."""

from vivavoce.core.errors import nearest
from vivavoce.core.yaml_source import KeyPath, Problem
from vivavoce.study.file import StudyFile
from vivavoce.study.materials import Entries, Materials
from vivavoce.study.pairs import ComparisonQuestion, Pair
from vivavoce.study.pairs_check import Finding, length_warnings, pair_problems, pair_warnings
from vivavoce.study.pairs_file import QUESTIONS, pair_files, read_pairs, read_questions
from vivavoce.study.steps_file import Balance, CompareSettings, RateSettings

Comparison = tuple[tuple[Pair, ...], tuple[ComparisonQuestion, ...]]


def read_comparison(materials: Materials, file: StudyFile, entries: Entries) -> Comparison:
    """The pairs and questions of the study's step `compare`; () and () where there is none."""
    languages = tuple(file.languages)
    compared = next(((index, entry.compare) for index, entry in entries if entry.compare is not None), None)
    rated = next(((index, entry.rate) for index, entry in entries if entry.rate is not None), None)
    if compared is not None:
        index, compare = compared
        at: KeyPath = ("visit", index, "compare")
        pairs = _pairs(materials, compare, languages, at)
        if rated is not None:
            _check_same(materials, compare, rated)
        return pairs, _questions(materials, compare, languages, at)
    if rated is not None:
        index, rate = rated
        alike = CompareSettings(  # pyright: ignore[reportCallIssue]
            pairs=rate.pairs, variables=rate.variables, balance=rate.balance, attention=rate.attention,
            seed=rate.seed,
        )  # fmt: skip
        return _pairs(materials, alike, languages, ("visit", index, "rate")), ()
    return (), ()


def _check_same(materials: Materials, compare: CompareSettings, rated: tuple[int, RateSettings]) -> None:
    """A study has one file of pairs: what is rated is what is compared."""
    index, rate = rated
    report = materials.source.report
    if rate.pairs != compare.pairs:
        problem = f"rates {rate.pairs!r}, but {compare.pairs!r} is compared"
        report(("visit", index, "rate", "pairs"), problem, "name the same file in both steps")
    elif set(rate.variables or ()) - set(compare.variables or rate.variables or ()):
        problem = "rates variables that are not compared"
        report(("visit", index, "rate", "variables"), problem, "name them in `compare`, too")
    elif rate.attention and not compare.attention:
        problem = "reads attention pairs that are not compared"
        report(("visit", index, "rate", "attention"), problem, "write attention: true in `compare`, too")


def _pairs(
    materials: Materials, compare: CompareSettings, languages: tuple[str, ...], at: KeyPath
) -> tuple[Pair, ...]:
    path = materials.within(compare.pairs, (*at, "pairs"))
    if path is None:
        return ()
    if not path.exists():
        hint = "put it beside the study file; `vivavoce init --protocol guerini-2018` writes one"
        materials.source.report((*at, "pairs"), f"no file {compare.pairs!r}", hint)
        return ()
    for one in pair_files(path):
        materials.keep(one, f"pairs/{one.name}", (*at, "pairs"))
    written = read_pairs(path)
    problems = materials.source.problems
    problems += written.problems
    if written.problems:
        return ()
    for place, pair in written.pairs:
        problems += _unfit(place, pair, languages, compare.balance)
    pairs = tuple(pair for _, pair in written.pairs)
    _check_cover(materials, compare, pairs, at)
    wanted = set(compare.variables or [pair.variable for pair in pairs])
    return tuple(
        pair for pair in pairs
        if (pair.variable in wanted if pair.attention is None else compare.attention)
    )  # fmt: skip


def _unfit(place: str, pair: Pair, languages: tuple[str, ...], balance: Balance) -> list[Problem]:
    problems = []
    for language in languages:
        if language not in pair.text:
            finding = Finding(f"not written in {language!r}", f"add `{language}:` with both transcripts")
            found = [finding]
        else:
            found = pair_problems(pair, language, balance)
        problems += [_placed(place, pair, language, one) for one in found]
    return problems


def _placed(place: str, pair: Pair, language: str, finding: Finding) -> Problem:
    return Problem(place, f"pair {pair.pair_id!r} ({language}): {finding.problem}", finding.hint)


def _check_cover(
    materials: Materials, compare: CompareSettings, pairs: tuple[Pair, ...], at: KeyPath
) -> None:
    """Every variable that the study names has a pair; attention pairs are there when asked for."""
    known = list(dict.fromkeys(pair.variable for pair in pairs if pair.attention is None))
    report = materials.source.report
    for index, variable in enumerate(compare.variables or []):
        path = (*at, "variables", index)
        if variable not in known:
            report(path, f"no pair of variable {variable!r}", f"write one; {nearest(variable, known)}")
        elif variable in (compare.variables or [])[:index]:
            report(path, f"variable {variable!r} is listed twice", "keep one of them")
    if not known:
        report((*at, "pairs"), "no pair but attention pairs", "write a pair of the strategy to be tested")
    if compare.attention and all(pair.attention is None for pair in pairs):
        hint = "write one with `attention: broken`, or remove `attention: true`"
        report((*at, "attention"), "no pair is marked as an attention pair", hint)
    wanted = len(compare.variables or known)
    if compare.repeats > wanted:
        report((*at, "repeats"), f"{compare.repeats} pairs cannot be repeated of {wanted}", "ask for fewer")


def _questions(
    materials: Materials, compare: CompareSettings, languages: tuple[str, ...], at: KeyPath
) -> tuple[ComparisonQuestion, ...]:
    """The study's own questions, else ours."""
    path = QUESTIONS
    if compare.questions is not None:
        found = materials.file(compare.questions, (*at, "questions"), "put it beside the study file")
        if found is None:
            return ()
        path = found
    materials.keep(path, "questions", (*at, "questions"))
    questions, problems = read_questions(path, languages)
    materials.source.problems += problems
    return questions


def comparison_warnings(pairs: tuple[Pair, ...], languages: tuple[str, ...]) -> list[str]:
    """What is doubtful about pairs that can be used, a line each."""
    lines = []
    for language in languages:
        for pair in pairs:
            for one in pair_warnings(pair, language):
                lines.append(str(_placed("warning", pair, language, one)))
        for one in length_warnings(pairs, language):
            lines.append(str(Problem("warning", one.problem, one.hint)))
    return lines
