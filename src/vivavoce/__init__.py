"""Vivavoce: the laboratory in which chatbots and voice bots are examined by people.

```python
import vivavoce as vv

data = vv.Dataset("calls")
vv.measure(data, by="system").to_pandas()
vv.compare(data, "objective_success_inferred").plot()
```

What stands here stays; every other module may move. A name is imported when it is first asked for.
"""

import sys

TYPE_CHECKING = False  # without `typing`: to import the package imports nothing else
if TYPE_CHECKING:
    from vivavoce.api.choosing import TranscriptPreferences, preferences
    from vivavoce.api.comparing import SystemComparison, compare
    from vivavoce.api.importing import import_log
    from vivavoce.api.measuring import Measurements, measure
    from vivavoce.api.planning import PowerAnalysis, power
    from vivavoce.api.reporting import Report, report
    from vivavoce.api.rows import MeasuredDifference, MeasuredValue, PreferredVersion, SampleSize
    from vivavoce.api.simulating import Simulation, export_log, simulate
    from vivavoce.connectors.base import (
        Capabilities,
        Connector,
        ConnectorSettings,
        Conversation,
        SystemOutput,
        UserTurn,
    )
    from vivavoce.core.errors import InputError, SystemUnderTestError, UnknownName, VivavoceError
    from vivavoce.core.verb import Verb
    from vivavoce.importers.base import Importer, ImportResult
    from vivavoce.languages.base import Language
    from vivavoce.log.dataset import Dataset, DatasetWriter
    from vivavoce.measures.base import Measure, Tables
    from vivavoce.questionnaires.instrument import Instrument as Questionnaire
    from vivavoce.report.section import Section
    from vivavoce.steps.base import Information, Message
    from vivavoce.steps.base import StepKind as Step
    from vivavoce.steps.stimulus import StimulusStep
    from vivavoce.stress.base import Edit, LanguagePack, StressTest, Substitution, Utterance
    from vivavoce.study.load import load_study
    from vivavoce.study.model import Study

__all__ = [
    "Capabilities", "Connector", "ConnectorSettings", "Conversation", "Dataset", "DatasetWriter", "Edit",
    "ImportResult", "Importer", "Information", "InputError", "Language", "LanguagePack", "Measure",
    "MeasuredDifference", "MeasuredValue", "Measurements", "Message", "PowerAnalysis", "PreferredVersion",
    "Questionnaire", "Report", "SampleSize", "Section", "Simulation", "Step", "StimulusStep",
    "StressTest", "Study", "Substitution", "SystemComparison", "SystemOutput", "SystemUnderTestError",
    "Tables", "TranscriptPreferences", "UnknownName", "UserTurn", "Utterance", "Verb", "VivavoceError",
    "compare", "export_log", "import_log", "load_study", "measure", "power", "preferences", "report",
    "simulate",
]  # fmt: skip

_HOMES = {
    "api.choosing": "TranscriptPreferences preferences",
    "api.comparing": "SystemComparison compare",
    "api.importing": "import_log",
    "api.measuring": "Measurements measure",
    "api.planning": "PowerAnalysis power",
    "api.reporting": "Report report",
    "api.rows": "MeasuredDifference MeasuredValue PreferredVersion SampleSize",
    "api.simulating": "Simulation export_log simulate",
    "connectors.base": "Capabilities Connector ConnectorSettings Conversation SystemOutput UserTurn",
    "core.errors": "InputError SystemUnderTestError UnknownName VivavoceError",
    "core.verb": "Verb",
    "importers.base": "ImportResult Importer",
    "languages.base": "Language",
    "log.dataset": "Dataset DatasetWriter",
    "measures.base": "Measure Tables",
    "questionnaires.instrument": "Questionnaire=Instrument",
    "report.section": "Section",
    "steps.base": "Information Message Step=StepKind",
    "steps.stimulus": "StimulusStep",
    "stress.base": "Edit LanguagePack StressTest Substitution Utterance",
    "study.load": "load_study",
    "study.model": "Study",
}


if not TYPE_CHECKING:  # a misspelt name stays a mistake to type checkers

    def __getattr__(name: str) -> object:
        from importlib import import_module

        for home, names in _HOMES.items():
            for public, _, inside in (one.partition("=") for one in names.split()):
                if public == name:
                    found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), inside or name)
                    return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


class _Package(type(sys)):
    """Keeps the function `report` where an import would put the room of that name."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__ or not isinstance(value, type(sys)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
