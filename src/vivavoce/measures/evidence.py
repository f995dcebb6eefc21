"""Evidence that measures need beside the turns, and whether a study and its systems will give it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from vivavoce.core.errors import UnknownName
from vivavoce.dataset.declaration import written_prices
from vivavoce.measures.base import Measure
from vivavoce.questionnaires.instrument import INSTRUMENTS
from vivavoce.study.model import Study
from vivavoce.study.step_kind import channels_of

LAYER: Final = "layer:"  # of the annotation, by its name
ROLE: Final = "answer:"  # of a question that participants answer


def check_needs(measure: Measure) -> None:
    """Check that all evidence of a measure is known here. Raises UnknownName."""
    for way in measure.needs:
        for name in way:
            _evidence(name)


class _Evidence(NamedTuple):
    """One thing that a measure may need: what it is, what to do where it is not there, who has it."""

    words: str
    cure: str
    there: Callable[[Study], bool] | None = None  # None: a system's answers have it, or have it not


class Lacking(NamedTuple):
    """Reason why a measure could not be counted, and what to do."""

    systems: list[str]
    why: str
    cure: str

    def of(self, measure: str) -> str:
        whose = f" for {', '.join(self.systems)}" if self.systems else ""
        return f"{measure} could not be counted{whose}: it needs {self.why}; {self.cure}"


_ANSWER: Final = "(none in the answer to a hello)"
_SEND: Final = "let the answers carry `{}` (docs/how-to/connect-a-bot.md)"
_EVIDENCE: Final[dict[str, _Evidence]] = {
    "acts": _Evidence(f"acts of the system {_ANSWER}", _SEND.format("acts")),
    "understood": _Evidence(f"what the system understood {_ANSWER}", _SEND.format("understood")),
    "tools": _Evidence(f"the system's calls of tools {_ANSWER}", _SEND.format("tool_calls")),
    "usage": _Evidence(f"the tokens that models took {_ANSWER}", _SEND.format("usage")),
    "meant": _Evidence(
        "what users meant (needs an ontology for the rules)",
        "add an ontology or a parser",
        lambda study: study.ontology is not None or study.parser != "rules",
    ),
    "venues": _Evidence(
        "venues (the study has no ontology)", "add an ontology", lambda study: study.ontology is not None
    ),
    "tasks": _Evidence("tasks (the study has none)", "add tasks", lambda study: bool(study.tasks)),
    "prices": _Evidence(
        "prices of models (the study has none)",
        "add prices",
        lambda study: written_prices(study.file_text) is not None,
    ),
    "speech": _Evidence(
        "spoken turns (all dialogues are typed)",
        "set a spoken channel for the dialogue step",
        lambda study: bool(channels_of(study)),
    ),
    "checked": _Evidence(
        "an automatic check after the dialogue (only in imported logs)",
        "use another definition of success",
        lambda study: False,
    ),
}


@dataclass(frozen=True)
class GivenEvidence:
    """Evidence in each system's answers to a hello; None: it was not asked."""

    by_system: Mapping[str, Sequence[str] | None]

    def without(self, name: str, among: Sequence[str]) -> list[str]:
        """Systems among these that showed nothing of it."""
        evidence_of = ((system, self.by_system.get(system)) for system in among)
        return [system for system, evidence in evidence_of if evidence is not None and name not in evidence]


def lacking(
    study: Study, measure: Measure, systems: Sequence[str], evidence: GivenEvidence
) -> Lacking | None:
    """Reason why the study could not count a measure for these systems; None if it could.

    Note    a measure's `needs` are ways to count it, and one will do; a system that was not asked is trusted
    """
    whose: dict[str, None] = {}
    whys: list[str] = []
    cures: dict[str, None] = {}
    for way in measure.needs:
        missing = [(name, _without(study, name, systems, evidence)) for name in way]
        missing = [(name, systems) for name, systems in missing if systems is not None]
        if not missing:
            return None
        whys.append(" and ".join(_evidence(name).words for name, _ in missing))
        cures |= dict.fromkeys(_evidence(name).cure for name, _ in missing)
        whose |= dict.fromkeys(system for _, systems in missing for system in systems)
    if not whys:
        return None
    return Lacking(list(whose), ", or ".join(whys), ", or ".join([*cures, "declare another measure"]))


def _without(study: Study, name: str, systems: Sequence[str], evidence: GivenEvidence) -> list[str] | None:
    """The systems that lack it, none where it is the study that does; None: it is there."""
    condition = _evidence(name).there
    if condition is not None:
        return None if condition(study) else []
    return evidence.without(name, systems) or None


def _evidence(name: str) -> _Evidence:
    if name.startswith(LAYER):
        layer = name.removeprefix(LAYER)
        return _Evidence(
            f"annotation in the layer `{layer}` (the study declares none)",
            f"add the scheme `{layer}` under annotation",
            lambda study: _annotated(study, layer),
        )
    if name.startswith(ROLE):
        role = name.removeprefix(ROLE)
        return _Evidence(
            f"a question about {role.replace('_', ' ')} (no questionnaire asks it)",
            "add a questionnaire with this question",
            lambda study: _asked(study, role),
        )
    if name not in _EVIDENCE:
        raise UnknownName("need of a measure", name, [*_EVIDENCE, f"{LAYER}NAME", f"{ROLE}NAME"])
    return _EVIDENCE[name]


def _annotated(study: Study, layer: str) -> bool:
    return study.annotation is not None and any(
        setting.scheme == layer for _, setting in study.annotation.layers
    )


def _asked(study: Study, role: str) -> bool:
    forms = [INSTRUMENTS.get(name) for name in study.wordings if name in INSTRUMENTS]
    return any(item.role == role for form in forms for item in form.items)
