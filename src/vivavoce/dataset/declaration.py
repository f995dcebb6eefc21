"""The analysis that a study file declared when the first participant came."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from vivavoce.study.analysis_file import Analysis
from vivavoce.study.populations import PopulationPlan, read_populations
from vivavoce.study.presets import effective
from vivavoce.study.prices import Prices
from vivavoce.study.quality import Quality
from vivavoce.study.step_sequence import written_dialogues
from vivavoce.study.steps import DialogueSettings

Facts = dict[str, Any]
NOTHING_SAID: Final = Quality.model_validate({})
UNSAID: Final = DialogueSettings.model_validate({}).nontrivial.user_turns


class Declaration(NamedTuple):
    """A study file's analysis, and of its dialogues: from how many user turns on they are not trivial, and
    whether they earn codes; what it says of good work."""

    analysis: Analysis
    fewest_user_turns: int = UNSAID
    gives_codes: bool = False
    quality: Quality = NOTHING_SAID


def served_revisions(study: Mapping[str, Any]) -> list[Facts]:
    """The revisions that a manifest says were served, oldest first, each with its file.

    Output  revision, file, seen_at (ISO, empty where not known); older datasets carry the last alone
    """
    revisions = [revision for revision in study.get("revisions", []) if revision.get("file")]
    if revisions:
        return sorted(revisions, key=lambda revision: revision["seen_at"])
    if study.get("file"):
        return [{"revision": study.get("revision", ""), "file": study["file"], "seen_at": ""}]
    return []


def frozen_revision(served: Sequence[Facts], first: datetime | None) -> Facts:
    """The revision that the first participant met; the first of all where none was served before."""
    before = [revision for revision in served if first is not None and _instant(revision["seen_at"]) <= first]
    return before[-1] if before else served[0]


def later_rules(served: Sequence[Facts], first: datetime | None) -> bool:
    """True if a revision served after the first participant came has other exclusion rules.

    Note  or names other checks, or fast answers, by which rules about the quality of work go
    """
    since = served[served.index(frozen_revision(served, first)) :] if served else ()
    declarations = [read_declaration(revision["file"]) for revision in since]
    return any(
        (declared.analysis.exclude, declared.quality.by_rules)
        != (declarations[0].analysis.exclude, declarations[0].quality.by_rules)
        for declared in declarations
    )


def _instant(text: str) -> datetime:
    if not text:
        return datetime.min.replace(tzinfo=UTC)
    at = datetime.fromisoformat(text)
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def written_analysis(file: str) -> Analysis | None:
    """The key `analysis` of a study file over its preset; None where this version reads none."""
    data = effective(file)
    section, systems = data.get("analysis"), data.get("systems")
    try:
        analysis = Analysis.model_validate(section) if section else None
    except ValidationError as error:
        if not isinstance(section, dict) or [
            problem["loc"] for problem in error.errors(include_url=False)
        ] != [("margin",)]:
            return None
        # a margin that nothing can miss was once taken: all else counts
        analysis = Analysis.model_validate({key: value for key, value in section.items() if key != "margin"})
    return (
        analysis.over([str(name) for name in systems] if isinstance(systems, dict) else [])
        if analysis
        else None
    )


def changed_settings(before: Analysis, after: Analysis) -> list[str]:
    """Settings that two analyses have otherwise, by name; margins of single comparisons as `margin`."""
    first, two = ({**analysis.model_dump(), "margin": analysis.margins} for analysis in (before, after))
    for dumped in (first, two):
        for question in (dumped["primary"], *dumped["secondary"]):
            if question is not None:
                question["margin"] = None
    return [name for name in Analysis.model_fields if first[name] != two[name]]


def written_quality(file: str) -> Quality:
    """The key `quality` of a study file over its preset; nothing said where this version reads none."""
    try:
        return Quality.model_validate(effective(file).get("quality") or {})
    except ValidationError:
        return NOTHING_SAID


def written_populations(file: str) -> dict[str, PopulationPlan]:
    """The key `populations` of a study file over its preset."""
    return read_populations(effective(file).get("populations"))


def written_steps(file: str) -> list[str]:
    """The kinds of the steps of a visit in a study file over its preset, in their order; [] where none is."""
    visit = effective(file).get("visit")
    steps = visit if isinstance(visit, list) else []
    return [str(next(iter(step), "") if isinstance(step, dict) else step) for step in steps]


def written_prices(file: str) -> Prices | None:
    """The key `prices` of a study file over its preset; None where this version reads none."""
    try:
        return Prices.model_validate(prices) if (prices := effective(file).get("prices")) else None
    except ValidationError:
        return None


def read_declaration(file: str) -> Declaration:
    """Return the declared parts of a study file's text; the defaults where it says nothing."""
    visit = effective(file).get("visit")
    plans = [plan for step in visit or () if (plan := written_dialogues(step)) is not None]
    return Declaration(
        written_analysis(file) or Analysis.model_validate({}),
        min((plan.nontrivial.user_turns for plan in plans), default=UNSAID),
        any(plan.gate == "code" for plan in plans),
        written_quality(file),
    )
