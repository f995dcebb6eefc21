"""Pairs of transcripts for steps: read and checked, each problem with its place."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pydantic import Field

from vivavoce.core.errors import nearest
from vivavoce.core.statement import LocalizedText
from vivavoce.core.yaml_source import KeyPath, Problem, Source
from vivavoce.study.pairs import Pair
from vivavoce.study.pairs_check import Balance, Finding, length_warnings, pair_problems, pair_warnings
from vivavoce.study.pairs_file import pair_files, read_pairs
from vivavoce.study.settings import Flag, Settings, Whole
from vivavoce.study.step_files import StepFiles


class PairsSettings(Settings):
    """Pairs of transcripts, as the settings of a step name them."""

    shorthand = "pairs"

    pairs: str = Field(description="YAML file of pairs, or folder of text files")
    variables: list[str] | None = Field(None, min_length=1, description="variables to use (default: all)")
    attention: Flag = Field(False, description="mix in the pairs marked as attention checks")
    drafts_by: str | None = Field(
        None, description="file of a language model (`url`, `model`, `key`) for drafts of pairs"
    )
    balance: Balance = Field(Balance(), description="allowed differences between the transcripts")  # pyright: ignore[reportCallIssue]
    seed: Whole = Field(1, ge=0, description="random seed; the same seed gives the same plan")


class TranscriptPairs(NamedTuple):
    """The pairs of transcripts that a step presents, as its settings ask for them.

    file       as the settings name it
    written    all pairs that stand there, each with its place
    variables  that are asked for; None: all
    attention  whether attention pairs are mixed in
    balance    how far the transcripts of a pair may be apart
    compared   the two of a pair are set against each other; False: each is read for itself
    drafts_by  file of the model that drafts versions
    """

    file: str = ""
    written: Sequence[tuple[str, Pair]] = ()
    variables: Sequence[str] | None = None
    attention: bool = False
    balance: Balance = Balance()  # pyright: ignore[reportCallIssue]
    compared: bool = False
    drafts_by: str | None = None

    @property
    def pairs(self) -> tuple[Pair, ...]:
        pairs = [pair for _, pair in self.written]
        wanted = set(variables_of(pairs, self.variables))
        return tuple(
            pair for pair in pairs if (pair.variable in wanted if pair.attention is None else self.attention)
        )


def variables_of(pairs: Iterable[Pair], named: Sequence[str] | None = None) -> tuple[str, ...]:
    """Variables named in the step, else all with pairs other than attention checks, in order."""
    return tuple(named or dict.fromkeys(pair.variable for pair in pairs if pair.attention is None))


def transcript_pairs(
    settings: PairsSettings, files: StepFiles, *, compared: bool = False, repeats: int = 0
) -> TranscriptPairs:
    """Pairs of a step; problems are reported, except those that `pairs_of_study` checks.

    repeats  number of pairs shown a second time
    """
    asked = TranscriptPairs(
        settings.pairs,
        (),
        settings.variables,
        settings.attention,
        settings.balance,
        compared,
        settings.drafts_by,
    )
    if settings.drafts_by is not None:
        files.path(settings.drafts_by, "drafts_by", hint="add `url`, `model` and `key`")
    path = files.within(settings.pairs, "pairs")
    if path is None:
        return asked
    if not path.exists():
        hint = "put it next to the study file; `vivavoce init --protocol guerini-2018` writes one"
        files.report("pairs", f"no file {settings.pairs!r}", hint)
        return asked
    for pair_file in pair_files(path):
        files.keep(pair_file, f"pairs/{pair_file.name}", "pairs")
    pairs = read_pairs(path)
    for problem in pairs.problems:
        files.report("", problem.problem, problem.hint, file=problem.place)
    if pairs.problems:
        return asked
    _check_cover(settings, [pair for _, pair in pairs.pairs], repeats, files)
    return asked._replace(written=pairs.pairs)


def _check_cover(settings: PairsSettings, pairs: Sequence[Pair], repeats: int, files: StepFiles) -> None:
    """Every variable that the step names has a pair; attention pairs are there when asked for."""
    known = list(variables_of(pairs))
    named = settings.variables or []
    for index, variable in enumerate(named):
        if variable not in known:
            hint = f"write one; {nearest(variable, known)}"
            files.report(("variables", index), f"variable {variable!r} has no pair", hint)
        elif variable in named[:index]:
            files.report(("variables", index), f"variable {variable!r} is listed twice", "keep one of them")
    if not known:
        files.report("pairs", "all pairs are attention checks", "add a pair of the tested strategy")
    if settings.attention and all(pair.attention is None for pair in pairs):
        hint = "write one with `attention: broken`, or remove `attention: true`"
        files.report("attention", "no pair is marked as an attention check", hint)
    wanted = len(named or known)
    if repeats > wanted:
        files.report("repeats", f"cannot repeat {repeats} of {wanted} pairs", "reduce the number of repeats")


def pairs_of_study(
    presented: Sequence[tuple[KeyPath, TranscriptPairs]], languages: tuple[str, ...], source: Source
) -> TranscriptPairs:
    """Pairs of a study, shared by all its steps; unfit or unshared pairs are reported.

    Input   presented: pairs of each step that presents some, with its place in the study file
    Output  of the step that compares them, else of the first
    Empty   no pairs
    """
    if not presented:
        return TranscriptPairs()
    chosen = next((one for _, one in presented if one.compared), presented[0][1])
    for at, other in presented:
        _check_same(chosen, other, at, source)
    for place, pair in chosen.written:
        source.problems += _unfit(place, pair, languages, chosen.balance)
    return chosen


def _check_same(chosen: TranscriptPairs, other: TranscriptPairs, at: KeyPath, source: Source) -> None:
    """Check that all steps read the same file of pairs."""
    if other.file != chosen.file:
        problem = f"reads {other.file!r}, but another step reads {chosen.file!r}"
        source.report((*at, "pairs"), problem, "name the same file in both steps")
    elif set(other.variables or ()) - set(chosen.variables or other.variables or ()):
        problem = "reads variables that another step leaves out"
        source.report((*at, "variables"), problem, "name them in both steps")
    elif other.attention and not chosen.attention:
        problem = "reads attention checks that another step leaves out"
        source.report((*at, "attention"), problem, "write attention: true in both steps")


def _unfit(place: str, pair: Pair, languages: tuple[str, ...], balance: Balance) -> list[Problem]:
    problems = []
    for language in languages:
        if language not in pair.text:
            hint = LocalizedText(f"add `{language}:` with both transcripts")
            found = [Finding(LocalizedText(f"not written in {language!r}"), hint)]
        else:
            found = pair_problems(pair, language, balance)
        problems += [_placed(place, pair, language, one) for one in found]
    return problems


def _placed(place: str, pair: Pair, language: str, finding: Finding) -> Problem:
    return Problem(place, f"pair {pair.pair_id!r} ({language}): {finding.problem}", str(finding.hint))


def comparison_warnings(pairs: tuple[Pair, ...], languages: tuple[str, ...]) -> list[str]:
    """Warnings about usable pairs, one line each."""
    lines = []
    for language in languages:
        for pair in pairs:
            for one in pair_warnings(pair, language):
                lines.append(str(_placed("warning", pair, language, one)))
        for one in length_warnings(pairs, language):
            lines.append(str(Problem("warning", str(one.problem), str(one.hint))))
    return lines
